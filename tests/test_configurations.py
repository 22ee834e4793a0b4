"""One program, many configurations: the same bits from all of them."""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT

PROGRAM = pathlib.Path(__file__).parent / "programs" / "metamorphic.py"

# Flags and WEFT_DEBUG. tile=1 cuts even tiny arrays, window=1 and nofuse run every operation by itself, notemplates plans every window anew,
# grid=RxC cuts along two axes, fbmem=N leaves GPUs so few bytes that arrays do not fit, seed=N shuffles the order in which ready tasks start, check verifies the dependences.
CONFIGURATIONS = [
    ("--cpus 1", ""),
    ("--cpus 2", ""),
    ("--cpus 4", "tile=1"),
    ("--cpus 2", "window=1,tile=1"),
    ("--cpus 2", "nofuse"),
    ("--cpus 2", "notemplates"),
    ("--cpus 2 --window 1", "notemplates"),
    ("--cpus 2", "noeager"),
    ("--cpus 2", "check"),
    ("--cpus 2", "seed=11,check"),
    ("--cpus 2", "window=1000,check"),
    ("--cpus 4", "tile=1,seed=7,check"),
    ("--cpus 4", "tile=1,grid=2x3,seed=5,check"),
    ("--gpus 2 --emulate", ""),
    ("--gpus 2 --emulate", "tile=1,window=1"),
    ("--gpus 2 --emulate", "tile=1,nofuse"),
    ("--gpus 2 --emulate", "tile=1,notemplates"),
    ("--gpus 3 --emulate", "tile=1,seed=3,check"),
    ("--gpus 4 --emulate", "tile=1,grid=2x2,check"),
    ("--gpus 2 --emulate", "fbmem=40000"),
    ("--gpus 3 --emulate", "fbmem=100000,tile=1,seed=9,check"),
    ("--cpus 2 --sysmem 64", ""),
    ("--cpus 1", "device=ref"),
]


SEEDS = range(1, 3)


def run(seeds, flags="", debug="", numpy_only=False, more=()):
    """The results of the programs of some seeds in one process, one line each; more are variables of the environment."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= {"WEFT_DEBUG": debug} | dict(more)
    command = [sys.executable, str(PROGRAM), *map(str, seeds)]
    if not numpy_only:
        command = [str(ROOT / "bin" / "weft"), "run", *flags.split(), "--numpy", str(PROGRAM), *map(str, seeds)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * len(seeds))
    assert done.returncode == 0, f"{' '.join(command)} with WEFT_DEBUG={debug}\n{done.stderr}"
    module, *results = done.stdout.splitlines()
    assert module == ("numpy" if numpy_only else "weft")
    return results


@pytest.fixture(scope="module")
def first():
    """What the first configuration gives."""
    return run(SEEDS, *CONFIGURATIONS[0])


@pytest.mark.parametrize(("flags", "debug"), CONFIGURATIONS[1:])
def test_every_configuration_gives_the_same_bits(first, flags, debug):
    assert len(first) == len(SEEDS) * (30 * 8 + 10)
    got = run(SEEDS, flags, debug)
    differ = [(a, b) for a, b in zip(first, got, strict=True) if a != b]
    reproduce = f"WEFT_DEBUG={debug} bin/weft run {flags} --numpy {PROGRAM.relative_to(ROOT)} {' '.join(map(str, SEEDS))}"
    assert not differ, f"{len(differ)} results differ from those with {CONFIGURATIONS[0][0]}: {differ[0]}; {reproduce}"


@pytest.mark.parametrize("flags, debug", [*CONFIGURATIONS, ("--gpus 1 --emulate", ""), ("--gpus 3 --emulate", ""), ("--gpus 4 --emulate", "")])
def test_products_are_numpys_but_for_rounding(flags, debug):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env["WEFT_DEBUG"] = debug
    fewer = "1" if not debug else "4" if debug == "device=ref" else "2"  # extents are whole where nothing is out of the ordinary
    command = [str(ROOT / "bin" / "weft"), "run", *flags.split(), "--no-numpy", str(PROGRAM.with_name("products.py")), fewer]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{' '.join(command)} with WEFT_DEBUG={debug}\n{done.stdout}{done.stderr}"


def test_exact_results_are_numpys(first):
    for ours, theirs in zip(first, run(SEEDS, numpy_only=True), strict=True):
        if ours.startswith("exact"):
            assert ours == theirs
        else:  # rounding may differ; the kind of result may not
            assert ours.split()[:-1] == theirs.split()[:-1]
