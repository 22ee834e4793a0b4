"""Names that only some paths set, where kernels are checked, beside the functions in Python."""

import numpy
import pytest
import weft as np
from weft import cuda


def branch_alone(x, out):
    if x[0] > 1:
        y = 3
    out[0] = y


def loop_alone(x, out):
    for v in x:
        if v > 1:
            y = v
    out[0] = y


def no_turns(x, out):
    for k in range(int(x[0])):
        y = k
    out[0] = y + k


def added_first(x, out):
    if x[0] > 1:
        y = 1.0
    y += 2
    out[0] = y


def in_a_turn_before(x, out):
    for k in range(2):
        if k > 0 or x[0] < 1:
            out[0] = y  # noqa: F821
        y = 7  # noqa: F841


def left_early(x, out):
    for v in x:
        if v < 1:
            break
        y = v
    out[0] = y


def within(x, out):
    def inner(v):
        if v > 1:
            y = v
        return y

    out[0] = inner(x[0])


UNSET = [branch_alone, loop_alone, no_turns, added_first, in_a_turn_before, left_early, within]


def both_paths(x, out):
    if x[0] > 1:
        y = 3
    elif x[0] > 0:
        y = 4
    else:
        y = 5
    for k in range(3):
        z = y + k
        w = z
    out[0] = w if x[0] < 9 else k


@pytest.mark.parametrize("function", UNSET)
def test_names_that_are_read_before_they_are_set(function):
    """A thread that reads one fails where the kernel is checked, as it does in Python; zero is what others read."""
    guarded, plain = cuda.jit(debug=True, opt=False)(function), cuda.jit(function)
    x, out = numpy.full(1, 2.0), numpy.zeros(1)
    function(x, out)
    for kernel in guarded, plain:
        got = np.zeros(1)
        kernel[1, 1](np.array(x), got)
        assert got[0] == out[0]
    x[0] = 0
    with pytest.raises((UnboundLocalError, NameError)):
        function(x, out)
    plain[1, 1](np.array(x), got)
    cuda.synchronize()
    with pytest.raises(UnboundLocalError, match=f"local variable '[yk]' referenced before assignment.*kernel {function.__name__}"):
        guarded[1, 1](np.array(x), got)
        float(got[0])


@pytest.mark.parametrize("value", [0.0, 0.5, 2.0, 9.0])
def test_names_that_all_paths_set_are_read(value):
    got, out = np.zeros(1), numpy.zeros(1)
    both_paths(numpy.full(1, value), out)
    cuda.jit(debug=True, opt=False)(both_paths)[1, 1](np.full(1, value), got)
    assert got[0] == out[0]
