"""The benchmark's single functions compute under weft what they compute under NumPy."""

import os
import subprocess
import sys

import pytest
from bench import functions
from conftest import ROOT, TIMEOUT


@pytest.mark.parametrize("flags", ["--cpus 2", "--gpus 2 --emulate"])
def test_every_function_computes_what_numpy_computes(flags):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= {"WEFT_ARGS": flags, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "bench.functions", "--check", "--sizes", "60", "3000"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    calls = 2 * len(functions.expressions())
    assert done.returncode == 0, f"WEFT_ARGS={flags!r}\n{done.stdout}{done.stderr}"
    assert f"{calls} of {calls} calls" in done.stdout


def test_expressions_differ():
    assert len(set(functions.expressions())) == len(functions.expressions()) > 150
    assert functions.expressions(["fft2"]) == ["np.fft.fft2(m)"]


def test_ratios_are_of_the_turns_and_what_is_slow_is_named():
    fast = functions.Result("f(x)", 1000, [2.0, 4.0, 6.0], [1.0, 1.0, 1.0])
    slow = functions.Result("g(x)", 1000, [1.0], [4.0])
    wrong = functions.Result("h(x)", 1000, wrong="other")
    found = {r.text: [r] for r in (fast, slow, wrong)}
    assert (fast.ratio(), slow.ratio(), wrong.ratio()) == (4.0, 0.25, None)
    text = functions.markdown(found, "a machine", (1000,))
    assert "n = 1,000: geometric mean of 2 functions 1.00 times as fast as NumPy; 1 below 0.95" in text
    assert "below 0.95: `g(x)` n=1e3 0.25" in text
    assert "| `f(x)` | 4.00 (1 s) |" in text
    assert "| `h(x)` | WRONG |" in text
