"""Arrays that are larger than memory, and errors where nothing helps, as users see them."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT, Kernel

PROGRAM = ROOT / "tests" / "programs" / "out_of_core.py"


def run(command, debug=""):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    done = subprocess.run(command, env={**env, "WEFT_DEBUG": debug}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{' '.join(map(str, command))} with WEFT_DEBUG={debug}\n{done.stderr}"
    return done.stdout, done.stderr


@pytest.mark.parametrize("debug", ["", "seed=3,check"])
def test_arrays_larger_than_the_memory_of_all_gpus(debug):
    got, insight = run([ROOT / "bin" / "weft", "run", *"--gpus 2 --emulate --fbmem 3 --numpy".split(), PROGRAM], debug)
    want, _ = run([sys.executable, PROGRAM])
    assert [float(x) for x in got.split()] == pytest.approx([float(x) for x in want.split()], rel=1e-12)
    stats, plan = json.loads(insight.splitlines()[-1])
    assert stats["evictions"] > 0 < stats["copies_by_cause"]["spill"]
    for name in ("gpu0", "gpu1"):
        assert stats["memories"][name]["peak"] <= stats["memories"][name]["total"] == 3 << 20
    assert re.search(r"in small tiles: [\d.]+ MiB would not leave a GPU of 3 MiB room for what comes next, [\d.]+ [KM]iB do", plan)
    assert re.search(r"on a CPU: no GPU of 3 MiB holds [\d.]+ MiB", plan)  # the transposition
    assert re.search(r"spill: \d+ copies of [\d.]+ MB", plan)
    assert re.search(r"gpu1 was full: \d+ buffers of [\d.]+ MB left it", plan)


@pytest.fixture(scope="module")
def small():
    k = Kernel({**os.environ, "WEFT_ARGS": "--gpus 2 --emulate --fbmem 2 --sysmem 40"})
    yield k
    k.close()


def test_a_cell_that_needs_too_much_memory_names_arrays_and_lines(small):
    reply, _ = small.run("import numpy as np\nkept = np.arange(2_000_000)\nlarge = kept * 2.0")
    assert reply["status"] == "ok"
    reply, _ = small.run("fine = large + 1\nhuge = large[:, None] * kept[:20]\nprint(huge.sum())")
    assert reply["status"] == "error" and reply["ename"] == "MemoryError"
    assert re.search(r"multiply at In\[\d+\] line 2: unable to allocate 305 MiB on host: .* are in use of 40 MiB", reply["evalue"])
    assert re.search(r"15\.3 MiB made by \w+ at In\[\d+\] line \d", reply["evalue"])
    assert small.text("del huge\nprint(int(kept.sum()), float(large[-1]), float(fine[3]))") == "1999999000000 3999998.0 7.0\n"
