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


def test_lists_pick():
    ours, theirs = np.arange(24).reshape(4, 6), numpy.arange(24).reshape(4, 6)
    same(ours[[3, 1]], theirs[[3, 1]])
    same(ours[:, [0, -1]], theirs[:, [0, -1]])
    same(ours[[0, 1], [2, 3]], theirs[[0, 1], [2, 3]])
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
