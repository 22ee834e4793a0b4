"""Kernels as courses teach them give what Numba's simulator gives, bit by bit, and what NumPy gives."""

import json
import os
import subprocess
import sys

import numpy
import pytest
from conftest import ROOT, TIMEOUT

# What is computed by functions whose last bit is not the same everywhere, and how far that goes.
ROUNDED = {"black_scholes": 1e-12}


@pytest.fixture(scope="module")
def answers():
    """By weft and by Numba: what each program gives."""
    pytest.importorskip("numba")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    made = []
    for words, more in ([], {}), (["numba"], {"NUMBA_ENABLE_CUDASIM": "1"}):
        done = subprocess.run([sys.executable, "-W", "ignore", "tutorial.py", *words], cwd=ROOT / "tests" / "kernels", env=clean | more, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
        made.append(json.loads(done.stdout))
    return made


def numbers(array):
    return [float.fromhex(v) if isinstance(v, str) else v for v in array]


def test_weft_gives_what_numba_gives(answers):
    weft, numba = answers
    assert weft.keys() == numba.keys() and len(weft) == 28
    for name, want in numba.items():
        if name in ROUNDED:
            for a, b in zip(weft[name], want, strict=True):
                numpy.testing.assert_allclose(numbers(a), numbers(b), rtol=ROUNDED[name], err_msg=name)
        else:
            assert weft[name] == want, name


def test_they_give_what_they_are_for(answers):
    """So that both are not wrong in the same way."""
    weft = answers[0]
    last = {name: numpy.array(numbers(arrays[-1])) for name, arrays in weft.items() if name != "reduce"}
    assert weft["reduce"] == 3 * 99 * 50
    assert last["queens"].tolist() == [4]  # of six queens
    assert last["edit_distance"][-1] == 3  # from kitten to sitting
    assert last["count_words"].tolist() == [15, 24, 2]
    assert last["histogram"].sum() == 37 and last["nearest_centres"].sum() == 15
    for name in "bitonic_sort", "odd_even_sort":
        assert (numpy.diff(last[name]) >= 0).all()
    a, b, c = (numpy.array(numbers(v)) for v in weft["tiled_matmul"])
    numpy.testing.assert_array_equal(a.reshape(7, 6) @ b.reshape(6, 5), c.reshape(7, 5))  # of whole numbers
    given, turned = (numpy.array(numbers(v)) for v in weft["padded_transpose"])
    numpy.testing.assert_array_equal(given.reshape(7, 6).T, turned.reshape(6, 7))
    x, near = (numpy.array(numbers(v)) for v in weft["stencil_of_a_line"])
    numpy.testing.assert_array_equal(numpy.convolve(x, numpy.ones(5), "same"), near)
