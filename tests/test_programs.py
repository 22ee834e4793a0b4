"""NumPy programs as people write them, unchanged: weft prints what NumPy prints, on every kind of machine."""

import math
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT

FOLDER = pathlib.Path(__file__).parent / "programs"
PROGRAMS = ["channel_flow", "particles", "patterns", "sharing"]
MACHINES = [("--cpus 2", ""), ("--cpus 2", "window=1,tile=1,seed=5,check"), ("--gpus 3 --emulate", "tile=1,seed=5")]


def output(command, debug=""):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    done = subprocess.run(command, env={**env, "WEFT_DEBUG": debug}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{' '.join(map(str, command))} with WEFT_DEBUG={debug}\n{done.stderr}"
    assert "BUG" not in done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def numpys():
    return {name: output([sys.executable, FOLDER / f"{name}.py"]) for name in PROGRAMS}


def words(line):
    for mark in "()[]{},:":
        line = line.replace(mark, f" {mark} ")
    return line.split()


def same(one, other):
    """Whether two words are the same, or numbers that differ by rounding."""
    if one == other:
        return True
    if "." not in one + other and "e" not in one + other:
        return False
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12)
    except ValueError:
        return False


@pytest.mark.parametrize(("flags", "debug"), MACHINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_it_prints_under_numpy(numpys, name, flags, debug):
    want = numpys[name]
    got = output([ROOT / "bin" / "weft", "run", *flags.split(), "--numpy", FOLDER / f"{name}.py"], debug)
    for line, (expected, printed) in enumerate(zip(want, got, strict=False), 1):
        pairs = list(zip(words(expected), words(printed), strict=False))
        equal = len(words(expected)) == len(words(printed)) and all(same(*pair) for pair in pairs)
        assert equal, f"line {line}\nNumPy {expected}\nweft  {printed}"
    assert len(got) == len(want)
