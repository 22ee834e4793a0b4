"""The calls of arrays that stay NumPy's give under weft what they give under NumPy, and the table says what weft adds to them."""

import os
import subprocess
import sys

import pytest
from bench import numpys
from conftest import ROOT, TIMEOUT


@pytest.mark.parametrize("flags", ["--cpus 2", "--gpus 1 --emulate"])
def test_every_call_gives_what_numpy_gives(flags):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= {"WEFT_ARGS": flags, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "bench.numpys", "--check", "--sizes", "10", "5000"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    calls = 2 * len(numpys.expressions())
    assert done.returncode == 0, f"WEFT_ARGS={flags!r}\n{done.stdout}{done.stderr}"
    assert f"{calls} of {calls} calls" in done.stdout


def test_calls_differ():
    assert len(set(numpys.expressions())) == len(numpys.expressions()) > 100
    assert numpys.expressions(["np.isnat"]) == ["np.isnat(d)"]


def test_figures_are_weft_over_numpy_and_what_is_slow_is_counted():
    fast = numpys.Result("f(s)", 10, 2e-6, 1e-6)
    slow = numpys.Result("g(s)", 10, 1e-6, 4e-6)
    wrong = numpys.Result("h(s)", 10, wrong="other")
    assert (fast.ratio(), slow.ratio()) == (0.5, 4.0)
    text = numpys.markdown({r.text: [r] for r in (fast, slow, wrong)}, "a machine", (10,))
    assert "n = 10: geometric mean of 2 calls 1.41 of NumPy's time; 1 above 1.2" in text
    assert "| `g(s)` | 4.00 (4 us, +3000 ns) |" in text
    assert "| `h(s)` | WRONG |" in text
