"""The methods of ufuncs that are made of the user's functions, beside those of NumPy's own made of the same."""

import numpy
import pytest
import weft as np
from weft.compiled import errors
from weft.numba import vectorize

R = numpy.random.default_rng(41)
SHAPES = [(5,), (3, 4), (2, 3, 4), (4, 0), (1, 5)]


def turned(a, b):
    return a - b * 0.5


NUMPYS = numpy.frompyfunc(turned, 2, 1)
OURS = [vectorize(turned), vectorize(["float64(float64, float64)"])(turned)]


def numpys(method, x, *args, axis):
    return numpy.asarray(getattr(NUMPYS, method)(x.astype(object), *args, axis=axis)).astype(float)


@pytest.mark.parametrize("ufunc", OURS)
@pytest.mark.parametrize("shape", SHAPES)
def test_accumulate_reduce_and_reduceat(ufunc, shape):
    x = R.normal(size=shape)
    for axis in range(-x.ndim, x.ndim):
        for given in x, np.array(x):
            assert numpy.array_equal(ufunc.accumulate(given, axis), numpys("accumulate", x, axis=axis) if x.size else x)
            if x.shape[axis]:
                indices = R.integers(0, x.shape[axis], 4)
                assert numpy.array_equal(ufunc.reduceat(given, indices, axis), numpys("reduceat", x, indices, axis=axis))
                assert numpy.array_equal(ufunc.reduce(given, axis, stream=0), numpys("reduce", x, axis=axis))
    out = np.zeros(shape)
    assert ufunc.accumulate(x, out=out) is out and numpy.array_equal(out, ufunc.accumulate(x))


def test_outer():
    a, b = R.normal(size=3), R.normal(size=(2, 2))
    assert numpy.array_equal(OURS[0].outer(np.array(a), b), NUMPYS.outer(a, b).astype(float))


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_at_sets_what_is_there_twice_twice(make):
    add = vectorize(lambda a, b: a + b)
    for _ in range(20):
        x, i, j, b = R.normal(size=(4, 5)), R.integers(-4, 4, 9), R.integers(-5, 5, 9), R.normal(size=9)
        want = x.copy()
        numpy.add.at(want, (i, j), b)
        for held in make(x), make(numpy.stack([x, x], 2))[:, :, 0], make(x.T.copy()).T:
            add.at(held, (make(i), make(j)), b)
            assert numpy.array_equal(held, want)
        numpy.add.at(want, i[:2], 2)
        add.at(held, i[:2], 2)
        assert numpy.array_equal(held, want)
    negative, few = vectorize(lambda a: -a), make([1.0, 2, 3])
    negative.at(few, [0, 0, 2])
    assert few.tolist() == [1, 2, -3]
    with pytest.raises(ValueError, match="want a, indices and b"):
        add.at(few, 0)
    with pytest.raises(IndexError, match="out of bounds"):
        add.at(few, 7, 1.0)
    with pytest.raises(TypeError, match="Cannot cast"):
        add.at(make([1, 2]), 0, 1.5)


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_where(make):
    add, out = vectorize(lambda a, b: a + b), make([9.0, 9, 9])
    assert add(make([1.0, 2, 3]), 1.0, where=make([True, False, True]), out=out) is out and out.tolist() == [2, 9, 4]
    assert add(make([[1.0], [2]]), 1.0, where=[True, False, True]).shape == (2, 3)
    assert add(make([1.0]), 1.0, where=[True], stream=0).tolist() == [2]


def test_what_is_wrong():
    add, one = vectorize(lambda a, b: a + b), vectorize(lambda a: a)
    for method in "reduce", "accumulate", "outer":
        with pytest.raises(ValueError, match=f"{method} only supported for binary functions"):
            getattr(one, method)(np.ones(3), *([np.ones(3)] * (method == "outer")))
    for index in -1, 3:
        with pytest.raises(IndexError, match=f"index {index} out-of-bounds"):
            add.reduceat(np.ones(3), [0, index])
    with pytest.raises(TypeError, match="want integers"):
        add.reduceat(np.ones(3), [0.5])
    with pytest.raises(numpy.exceptions.AxisError, match="axis 2 is out of bounds"):
        add.accumulate(np.ones(3), 2)
    with pytest.raises(errors.UnsupportedError, match="dtype="):
        add.accumulate(np.ones(3), dtype="f4")
    with pytest.raises(ValueError, match="Invalid identity value: 3"):
        vectorize(["float64(float64, float64)"], identity=3)
    for identity, seen in (0, 0), (1, 1), (None, None), ("reorderable", None):
        made = vectorize(["float64(float64, float64)"], identity=identity)(turned)
        assert made.identity == seen and (made.nin, made.nout, made.types) == (2, 1, ["dd->d"]) and made.signature is None
