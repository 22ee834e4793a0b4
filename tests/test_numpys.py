"""The calls of arrays that stay NumPy's give under weft what they give under NumPy, and the table says what weft adds to them."""

import os
import re
import subprocess
import sys

import pytest
from bench import callables, numpys
from conftest import ROOT, TIMEOUT


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("flags", ["--cpus 2", "--gpus 1 --emulate"])
def test_every_call_gives_what_numpy_gives(flags, every):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= {"WEFT_ARGS": flags, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "bench.numpys", "--check", "--sizes", "10", "5000", *(["--every"] if every else [])]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    calls = 2 * len(numpys.expressions(every=every))
    assert done.returncode == 0, f"WEFT_ARGS={flags!r}\n{done.stdout}{done.stderr}"
    assert f"{calls} of {calls} calls" in done.stdout


def public():
    """The functions of NumPy's namespaces of arrays and the methods of their classes, by the text that calls them."""
    from weft import covered

    spaces = {*covered._NUMERIC, "numpy.ma", "numpy.strings", "numpy.char", "numpy.rec", "numpy.polynomial", "numpy.lib.array_utils"}
    classes = {"ndarray.": r"\w+(\[.*\])?\.", "random.Generator.": r"r\.", "random.RandomState.": r"l\."}
    for space, ways in covered.names().items():
        if space in spaces:
            theirs, _, before = covered._place(space)
            for name in (name for names in ways.values() for name in names if not isinstance(getattr(theirs, name), type)):
                yield before + name, rf"\b{classes.get(before, re.escape('np.' + before))}{name}\b"


def test_every_public_function_has_a_call():
    text = "\n".join(callables.expressions())
    missing = {name for name, call in public() if not re.search(call, text)}
    assert missing - callables.APART == set(), "without a call in tests/bench/callables.py"
    assert callables.APART - missing == set(), "named as without a call"


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
