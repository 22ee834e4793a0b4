"""Arguments of a kernel that lie in the same memory: random programs give what they give plainly, on the emulator, on the fake driver's GPUs and
with Numba's simulator."""

import json
import os
import subprocess
import sys

import numpy
import pytest
from conftest import ROOT, TIMEOUT
from kernels import aliases

PROGRAMS = 200
SIMULATED = 40  # each thread of the simulator's is one of Python's


def elsewhere(last, more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    command = [sys.executable, "-W", "ignore", "-m", "kernels.aliases", "0", str(last)]
    done = subprocess.run(command, cwd=ROOT / "tests", env=env | more, capture_output=True, text=True, timeout=TIMEOUT * 3)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def compare(got):
    for seed, held in enumerate(got):
        assert held == aliases.outcome(seed, True), aliases.program(seed)


def test_emulator():
    compare(aliases.outcome(seed, False) for seed in range(PROGRAMS))


@pytest.mark.parametrize("flags", ["--gpus 1", "--gpus 2"])
def test_the_fake_driver(fakecuda, tmp_path, flags):
    ledger = tmp_path / "ledger.txt"
    fake = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(ledger), "WEFT_ARGS": flags, "WEFT_DEBUG": "noeager,tile=1"}
    compare(elsewhere(PROGRAMS, fake))
    assert not ledger.exists(), ledger.read_text()


def test_numbas_simulator():
    pytest.importorskip("numba")
    compare(elsewhere(SIMULATED, {"NUMBA_ENABLE_CUDASIM": "1"}))


@pytest.mark.filterwarnings("ignore:Host array used")
@pytest.mark.parametrize("first, second", [(slice(None), slice(None)), (slice(0, 7), slice(1, 8))])
def test_hosts_arrays_are_copied_each(first, second):
    """As by Numba: each argument is copied to the device, and back behind the launch, the last one over the others."""
    x = numpy.arange(8.0)
    a, b = x[first], x[second]
    mine, other = a.copy(), b.copy()
    aliases.written[1, a.size](a, b)
    mine[:] = numpy.arange(a.size) + 1
    other *= 10
    want = numpy.arange(8.0)
    want[first] = mine
    want[second] = other
    assert x.tolist() == want.tolist()
