"""@guvectorize and @stencil, beside loops in Python and Numba's own."""

import numpy
import pytest
import weft as np
from weft.compiled import errors
from weft.compiled.sources import define
from weft.numba import float64, guvectorize, stencil

R = numpy.random.default_rng(17)


@guvectorize([(float64[:, :], float64[:, :], float64[:, :])], "(m,n),(n,p)->(m,p)")
def matmul(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def test_matrices():
    a, b = R.normal(size=(5, 1, 3, 4)), R.normal(size=(6, 4, 2))
    got = matmul(np.array(a), np.array(b))
    assert type(got) is np.ndarray and got.shape == (5, 6, 3, 2)
    numpy.testing.assert_allclose(numpy.asarray(got), a @ b, rtol=1e-12)
    on_host = matmul(a[0, 0], b[0])
    assert type(on_host) is numpy.ndarray
    numpy.testing.assert_allclose(on_host, a[0, 0] @ b[0], rtol=1e-12)
    with pytest.raises(ValueError, match="argument 2 has 2 along n, an earlier one 4"):
        matmul(a[0, 0], b[0].T)


@guvectorize(["void(int64[:], int64, int64[:])", "void(float64[:], float64, float64[:])"], "(n),()->(n)")
def shifted(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + by


@guvectorize([(float64[:], float64[:])], "(n)->()", target="cuda")
def summed(x, out):
    out[0] = 0
    for v in x:
        out[0] += v


def test_numbers_and_results_without_axes():
    x = R.integers(0, 100, (4, 7))
    assert shifted(x, 3).dtype == int and numpy.array_equal(shifted(x, 3), x + 3)
    by = R.normal(size=4)
    numpy.testing.assert_allclose(shifted(x, by), x + by[:, None])
    numpy.testing.assert_allclose(summed(x), x.sum(1))
    assert summed(x[0]) == x[0].sum()
    out = np.zeros(4)
    assert summed(np.array(x * 1.0), out=out) is out and numpy.array_equal(out, x.sum(1))
    with pytest.raises(TypeError, match="No matching version"):
        shifted(x * 1j, 1)


@guvectorize(["void(int64[:], int64[:])", "void(float64[:], float64[:])"], "(n)->(n)")
def added_to_evens(x, out):
    for i in range(0, x.shape[0], 2):
        out[i] += x[i]


@guvectorize([(float64[:], float64[:])], "(n)->()")
def added_to(x, out):
    for v in x:
        out[0] += v


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_functions_see_what_outputs_hold(make):
    x, held = R.normal(size=(4, 7)), R.normal(size=(3, 4, 7))
    want = held.copy()
    want[..., ::2] += x[:, ::2]
    out = make(held)
    assert added_to_evens(make(x), out=out) is out
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-14)
    out = make(held[0])[:, ::-1]
    added_to_evens(make(x), out)
    numpy.testing.assert_allclose(numpy.asarray(out)[:, 1::2], held[0][:, ::-1][:, 1::2])
    total = make(held[0, :, 0])
    added_to(make(x), out=total)
    numpy.testing.assert_allclose(numpy.asarray(total), held[0, :, 0] + x.sum(1), rtol=1e-12)
    single = make(held[0].astype("f4"))
    added_to_evens(make(x), out=single)
    numpy.testing.assert_allclose(numpy.asarray(single)[:, 1::2], held[0].astype("f4")[:, 1::2])
    with pytest.raises(ValueError, match=r"output 1 has the shape \(4, 6\); the arguments want \(4, 7\)"):
        added_to_evens(make(x), out=make(held[0, :, :6]))


def test_layouts():
    for layout in ("(n),(n)", "n->n"):
        with pytest.raises(ValueError, match="the layout"):
            guvectorize([(float64[:], float64[:])], layout)(lambda x, y: None)
    with pytest.raises(ValueError, match="the axis m of"):
        guvectorize([(float64[:], float64[:])], "(n)->(m)")(lambda x, y: None)


@stencil
def around(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


@stencil(cval=-1)
def framed(a):
    return a[-1, 0] + a[0, 2]


@stencil(cval=-1)
def weighted(a, b, w):
    if b[0] > 0:
        return a[-1] * w
    return a[2] * w


@stencil(neighborhood=((-2, 0),), standard_indexing=("w",))
def moving(a, w):
    total = 0.0
    for i in range(-2, 1):
        total += a[i] * w[-i]
    return total


def test_stencils():
    a = R.normal(size=(9, 12))
    want = numpy.zeros_like(a)
    want[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
    for given in (np.array(a), a):
        got = around(given)
        assert type(got) is type(given)
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-13)
    assert around(a.astype("f4")).dtype == float
    out = np.zeros((9, 12), dtype="f4")
    assert around(np.array(a), out=out) is out
    numpy.testing.assert_allclose(numpy.asarray(out), want.astype("f4"))


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_stencils_leave_the_border_of_an_output(make):
    a, held = R.normal(size=(9, 12)), R.normal(size=(9, 12))
    want = held.copy()
    want[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
    out = make(held)
    assert around(make(a), out=out) is out
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-13)
    want = numpy.full((9, 12), -1.0)
    want[1:, :-2] = a[:-1, :-2] + a[1:, 2:]
    framed(make(a), out=out)
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-13)
    small = make(held[:2, :1])
    around(make(a[:2, :1]), out=small)
    assert numpy.array_equal(numpy.asarray(small), held[:2, :1])
    with pytest.raises(ValueError, match=r"out has the shape \(9, 12\); want \(9, 11\)"):
        around(make(a[:, :11]), out=out)


def test_stencils_of_several_arrays():
    a, b = R.normal(size=30), R.normal(size=30)
    want = numpy.full(30, -1.0)
    for i in range(1, 28):
        want[i] = (a[i - 1] if b[i] > 0 else a[i + 2]) * 2
    numpy.testing.assert_allclose(weighted(a, b, 2), want)
    w = numpy.array([3.0, 2, 1])
    got = moving(a, w)
    numpy.testing.assert_allclose(got[2:], numpy.convolve(a, w, "valid"), rtol=1e-12)
    assert not got[:2].any()
    with pytest.raises(ValueError, match="the arrays have shapes"):
        weighted(a, b[:5], 2)
    assert not around(numpy.zeros((2, 2))).any()


def test_stencils_of_lambdas():
    a = R.normal(size=9)
    three = stencil(lambda x: x[-1] + 2 * x[0] + x[1])
    numpy.testing.assert_allclose(three(a)[1:-1], a[:-2] + 2 * a[1:-1] + a[2:], rtol=1e-13)
    assert three(a)[0] == 0 and stencil(cval=1.5)(lambda x: x[1])(a)[-1] == 1.5


element, cuda, out = 3.0, 2.0, 5.0  # names that wrappers of stencils have, too


def test_stencils_of_names_of_all_kinds():
    """Names of globals, of parameters and of the stencil itself are the user's, whatever its wrapper is made of."""
    x, i0 = numpy.arange(6.0), 1.0

    @stencil
    def function(a):
        return a[-1] * element + a[1] * cuda + out + i0

    @stencil
    def of_two(out_, element, cuda, i0, i0_):
        return (out_[0] + element[1]) * cuda + i0 - i0_

    assert function(x).tolist() == [0, 10, 15, 20, 25, 0] and of_two(x, x, 2.0, 3.0, 3.0).tolist() == [2, 6, 10, 14, 18, 0]
    for name in "element", "cuda", "out":
        made = stencil(define(name, f"def {name}(a, b): return a[1] * b\n", {}))
        assert made(x, 2.0).tolist() == [2, 4, 6, 8, 10, 0]


def test_functions_of_names_that_their_kernels_have():
    for name in "function", "called", "cuda", "i", "a0":
        doubled = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(
            define(name, f"def {name}(x, out):\n    for k in range(x.size):\n        out[k] = x[k] * 2\n", {})
        )
        assert doubled(numpy.arange(3.0)).tolist() == [0, 2, 4]
    assert guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(lambda x, out: None)(numpy.arange(3.0)).tolist() == [0, 0, 0]


def test_stencils_that_are_refused():
    @stencil
    def unknown(a, k):
        return a[k]

    with pytest.raises(ValueError, match="'neighborhood' option required"):
        unknown(numpy.zeros(5), 1)
    with pytest.raises(ValueError, match="Unsupported mode"):
        stencil("wrap")
    with pytest.raises(errors.UnsupportedError, match="of no array"):
        unknown(1, 2)


def test_numbas_own_gives_the_same():
    numba = pytest.importorskip("numba")
    a = R.normal(size=(7, 9))
    numpy.testing.assert_allclose(numpy.asarray(around(a)), numba.stencil(around.py_func)(a), rtol=1e-13)
    out, theirs = numpy.full((2, *a.shape), 7.0)
    around(a, out=out)
    numba.stencil(around.py_func)(a, out=theirs)
    numpy.testing.assert_allclose(out, theirs, rtol=1e-13)
    for cval in ({}, {"cval": 2.0}):
        ours, theirs = numpy.full((2, *a.shape), 7.0)
        stencil(**cval)(framed.py_func)(a, out=ours)
        numba.stencil(**cval)(framed.py_func)(a, out=theirs)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-13)
    out, theirs = numpy.full((2, *a.shape), 7.0)
    added_to_evens(a, out=out)
    numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")(added_to_evens.py_func)(a, out=theirs)
    numpy.testing.assert_allclose(out, theirs, rtol=1e-13)
    theirs = numba.guvectorize([(numba.float64[:, :], numba.float64[:, :], numba.float64[:, :])], "(m,n),(n,p)->(m,p)")(matmul.py_func)
    numpy.testing.assert_allclose(matmul(a, a.T), theirs(a, a.T), rtol=1e-13)
