"""Sorting, searching, scans and picking by arrays: weft's routines against NumPy's."""

import warnings

import numpy
import pytest
import weft as np
from weft._fallback import FallbackWarning


@pytest.fixture(autouse=True)
def _native():
    """Nothing here may be left to NumPy."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FallbackWarning)
        yield


def same(ours, theirs):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
        return
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


DATA = {
    "floats": numpy.random.default_rng(1).normal(size=(70, 90)),
    "few": numpy.random.default_rng(2).integers(-3, 4, (300, 400)).astype(numpy.int16),
    "nans": numpy.where(numpy.random.default_rng(3).random((50, 60)) < 0.1, numpy.nan, 1.5),
    "long": numpy.random.default_rng(4).integers(0, 1 << 40, 200_000),
}


@pytest.mark.parametrize("name", DATA)
def test_like_numpy(name):
    theirs = DATA[name]
    ours = np.array(theirs)
    for axis in (*range(theirs.ndim), None):
        same(np.sort(ours, axis), numpy.sort(theirs, axis))
        same(np.argsort(ours, axis), numpy.argsort(theirs, axis, kind="stable"))
        same(np.maximum.accumulate(ours.T), numpy.maximum.accumulate(theirs.T))
    same(np.nonzero(ours > 1), numpy.nonzero(theirs > 1))
    same(np.argwhere(ours[::-2] > 1), numpy.argwhere(theirs[::-2] > 1))
    same(ours[ours > 0], theirs[theirs > 0])
    same(np.unique(ours, return_index=True, return_inverse=True, return_counts=True),
         numpy.unique(theirs, return_index=True, return_inverse=True, return_counts=True))
    where = numpy.random.default_rng(5).integers(-len(theirs), len(theirs), 1000)
    same(ours[np.array(where)], theirs[where])
    same(ours[::-1][where], theirs[::-1][where])
    same(np.take(ours, where, mode="wrap"), numpy.take(theirs, where, mode="wrap"))
    edges = numpy.unique(theirs[theirs == theirs])[::5]
    same(np.searchsorted(np.array(edges), ours), numpy.searchsorted(edges, theirs))


@pytest.mark.parametrize("places", [1, 7, 16, 500, 3000, 40_000])
@pytest.mark.parametrize("points", [1, 2, 5, 33, 3000, 100_000])
def test_interpolation_is_numpys_bit_for_bit(points, places):
    r = numpy.random.default_rng(places * points)
    x, y = numpy.sort(r.integers(0, 2 * points, points) / 2), r.normal(size=points)  # some x twice
    y[r.random(points) < 0.05] = numpy.inf
    at = r.random(places) * (points + 2) - 1
    for form in (at, numpy.sort(at), numpy.round(at), numpy.where(r.random(places) < 0.1, numpy.nan, at)):
        for ends in ({}, {"left": -7, "right": numpy.float64(0.5)}):
            ours = np.interp(np.array(form), np.array(x), np.array(y), **ends)
            same(ours, numpy.interp(form, x, y, **ends))
            assert (numpy.signbit(ours) == numpy.signbit(numpy.interp(form, x, y, **ends))).all()
    one = np.interp(float(at[0]), np.array(x), np.array(y))
    assert (type(one), one) == (numpy.float64, numpy.interp(at[0], x, y))


def test_lists_pick():
    ours, theirs = np.arange(24).reshape(4, 6), numpy.arange(24).reshape(4, 6)
    same(ours[[3, 1]], theirs[[3, 1]])
    same(ours[:, [0, -1]], theirs[:, [0, -1]])
    same(ours[[0, 1], [2, 3]], theirs[[0, 1], [2, 3]])
    same(ours[2, [2, -3]], theirs[2, [2, -3]])
    same(ours[numpy.array([3, 0]), 1], theirs[numpy.array([3, 0]), 1])
    same(ours[[True, False, True, False]], theirs[[True, False, True, False]])
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        ours[[4]]


def test_in_place():
    a = np.array([[3, 1], [2, 5]])
    view = a.T
    assert view.sort(axis=0) is None
    assert a.tolist() == [[1, 3], [2, 5]]
    assert a.cumsum().tolist() == [1, 4, 6, 11]
    out = np.zeros((2, 2))
    assert np.add.accumulate(a, axis=1, out=out) is out
    assert out.tolist() == [[1, 4], [2, 7]]


def test_deferred_data():
    a = np.arange(1000) % 7
    b = (a * 2)[np.argsort(a)]
    b[0] = 100
    assert np.sort(b)[-1] == 100
    assert len(b[b > 10]) == numpy.count_nonzero(numpy.arange(1000) % 7 > 5) + 1


@pytest.mark.parametrize("n", [1, 8, 30, 97, 1000, 4096, 5003, 20000])
def test_fourier(n):
    theirs = numpy.random.default_rng(n).normal(size=(9, n))
    ours = np.array(theirs)
    for name in ("fft", "ifft", "rfft", "fft2", "ifftn"):
        want = getattr(numpy.fft, name)(theirs)
        got = getattr(np.fft, name)(ours)
        assert got.dtype == want.dtype
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=0, atol=1e-14 * n * abs(want).max())
    back = np.fft.irfft(np.fft.rfft(ours, axis=1), n, axis=1)
    numpy.testing.assert_allclose(numpy.asarray(back), theirs, rtol=0, atol=1e-13)
    assert np.fft.fft(ours.astype(np.float32)).dtype == np.complex64


@pytest.mark.parametrize(("n", "most"), [(7, 0.7), (13, 0.8), (17, 0.9), (31, 1), (47, 1.1), (61, 1.2), (101, 1.3), (103, 1.9), (128, 1.1), (221, 1.2), (1000, 1.4)])
def test_fourier_transforms_are_as_exact_as_numpys(n, most):
    """An error of about one rounding in each step; roots of an angle that was rounded gave two to three times as much."""
    k = numpy.arange(n)
    angle = numpy.longdouble("6.28318530717958647692528676655900577") * (numpy.outer(k, k) % n).astype(numpy.longdouble) / n
    rng = numpy.random.default_rng(n)
    x = rng.standard_normal((20, n)) + 1j * rng.standard_normal((20, n))
    want = x.astype(numpy.clongdouble) @ (numpy.cos(angle) - 1j * numpy.sin(angle))

    def error(got):
        return float((abs(got - want) ** 2).mean() / (abs(want) ** 2).mean()) ** 0.5 / numpy.finfo(float).eps

    assert error(numpy.asarray(np.fft.fft(np.array(x)))) < most
    assert error(numpy.asarray(np.fft.ifft(np.array(x.conj()))).conj() * n) < 1.1 * most


def test_counting():
    theirs = numpy.random.default_rng(6).normal(size=100_000)
    ours = np.array(theirs)
    same(np.histogram(ours, 50), numpy.histogram(theirs, 50))
    same(np.histogram(ours, 7, (-1.0, 1.0), density=True), numpy.histogram(theirs, 7, (-1.0, 1.0), density=True))
    same(np.histogram(ours, [-2.0, 0.0, 0.5, 3.0]), numpy.histogram(theirs, [-2.0, 0.0, 0.5, 3.0]))
    whole = (theirs * 10).astype(int) + 60
    same(np.bincount(np.array(whole)), numpy.bincount(whole))
    same(np.digitize(ours, [-1, 0, 1]), numpy.digitize(theirs, [-1, 0, 1]))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "uint8", "bool", "complex128"])
@pytest.mark.parametrize(("shape", "axis"), [((2000, 3), 1), ((3, 2000), 0), ((700, 5, 4), 1), ((400, 16), -1), ((400, 17), -1), ((5000, 1), 1)])
def test_scans_along_an_axis_of_few_points(dtype, shape, axis):
    values = numpy.random.default_rng(3).integers(0, 3, shape).astype(dtype)
    for name in ("cumsum", "cumprod"):
        ours, theirs = np.array(values), values.copy()
        for x, y in ((ours, theirs), (ours[::-1], theirs[::-1]), (ours.T[..., 1:], theirs.T[..., 1:])):
            along = axis if x.shape == shape else len(shape) - 1 - axis % len(shape)
            got, want = getattr(np, name)(x, along), getattr(numpy, name)(y, along)
            assert (got.dtype, got.strides) == (want.dtype, want.strides)
            assert numpy.array_equal(got, want)
    if dtype in ("float64", "int64"):
        for ufunc in ("add", "multiply"):
            ours, theirs = np.array(values), values.copy()
            got = getattr(np, ufunc).accumulate(ours[1:], axis, out=ours[1:])
            getattr(numpy, ufunc).accumulate(theirs[1:], axis, out=theirs[1:])
            assert numpy.array_equal(ours, theirs)
            assert numpy.shares_memory(got, ours)
