"""@njit: functions of numbers, and prange loops, beside the same functions in Python."""

import math
import types

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors
from weft.numba import jit, njit, prange

R = numpy.random.default_rng(29)


@njit
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@jit(nopython=True, cache=True)
def hypotenuse(x, y=4.0):
    return math.sqrt(x * x + y * y)


def test_functions_of_numbers():
    assert gcd(84, 36) == 12 and type(gcd(84, 36)) is int
    assert hypotenuse(3) == 5.0 and hypotenuse(x=6.0, y=8) == 10.0
    with pytest.raises(TypeError, match="missing a required argument"):
        gcd(1)
    with pytest.raises(KeyError, match="Unrecognized options"):
        jit(speed=11)


@cuda.jit
def uses(out):
    i = cuda.grid(1)
    out[i] = gcd(i + 1, 12)


def test_they_are_callable_from_kernels():
    out = np.zeros(12, dtype=int)
    uses[1, 12](out)
    assert numpy.array_equal(out, numpy.gcd(numpy.arange(1, 13), 12))


@njit(parallel=True)
def statistics(x):
    total = 0.0
    product = 1.0
    largest = x[0]
    positive = 0
    for i in prange(x.shape[0]):
        largest = max(largest, x[i])
        if x[i] <= 0:
            continue
        total += x[i]
        positive += 1
        product *= 1 + x[i] * 1e-3
    return total / x.shape[0], product, largest, positive


@njit(parallel=True)
def smoothed(u, steps):
    v = u.copy()
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            left = u[i - 1]
            v[i] = 0.25 * left + 0.5 * u[i] + 0.25 * u[i + 1]
        u, v = v, u
    return u


@njit(parallel=True)
def distances(p, out):
    n = p.shape[0]
    for i in prange(n):
        for j in range(n):
            d = 0.0
            for k in range(p.shape[1]):
                t = p[i, k] - p[j, k]
                d += t * t
            out[i, j] = math.sqrt(d)


def python(function):
    """The function as Python runs it: prange is range there."""
    return function.py_func


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_loops_as_kernels(make):
    x = R.normal(size=1000)
    got, want = statistics(make(x)), python(statistics)(x)
    assert int(got[3]) == got[3] and numpy.asarray(got[3]).dtype == int
    assert [float(g) for g in got] == pytest.approx([float(w) for w in want], rel=1e-12)
    u = R.normal(size=200)
    numpy.testing.assert_allclose(numpy.asarray(smoothed(make(u), 5)), python(smoothed)(u.copy(), 5), rtol=1e-12)
    p, out, want = R.normal(size=(20, 3)), make(numpy.zeros((20, 20))), numpy.zeros((20, 20))
    assert distances(make(p), out) is None
    python(distances)(p, want)
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-12)


@njit(parallel=True)
def backwards(x, out):
    for i in prange(x.size - 1, -1, -2):
        out[i] = x[i]


def test_ranges():
    x, out = R.normal(size=9), np.zeros(9)
    backwards(np.array(x), out)
    assert numpy.array_equal(numpy.asarray(out)[::2], x[::2]) and not numpy.asarray(out)[1::2].any()
    backwards(np.zeros(0), out)
    assert list(prange(3)) == [0, 1, 2]


def test_what_is_not_compiled_runs_in_python():
    @njit
    def words(a):
        return [str(v) for v in a]

    with pytest.warns(errors.NumbaPerformanceWarning, match="words runs as plain Python"):
        assert words(numpy.arange(2)) == ["0", "1"]


def test_numbas_own_gives_the_same():
    numba = pytest.importorskip("numba")
    x = R.normal(size=100)
    names = dict(python(statistics).__globals__, prange=numba.prange)
    theirs = numba.njit(types.FunctionType(python(statistics).__code__, names))(x)
    assert [float(v) for v in statistics(x)] == pytest.approx([float(v) for v in theirs], rel=1e-12)
