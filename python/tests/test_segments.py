"""ufunc.reduceat, whose sums have NumPy's bits: a segment is added up in the order that NumPy has."""

import warnings

import numpy
import pytest

from .sharing import weft

UFUNCS = "add multiply minimum maximum bitwise_and bitwise_or bitwise_xor logical_or".split()


def drawn(rng):
    """An array of some dtype and shape, and indices along one of its axes, which may be outside."""
    dtype, ndim = numpy.dtype(str(rng.choice(list("?bhilBHILefd")))), int(rng.integers(1, 4))
    shape = rng.integers(1, [600, 40, 12][ndim - 1], ndim)
    x = rng.standard_normal(shape) * 3
    if rng.random() < 0.1:
        x.flat[0] = numpy.nan
    if rng.random() < 0.2:
        x[x < 0] *= 0  # zeros of both signs
    if dtype.kind != "f":
        x = x > 0 if dtype.kind == "b" else numpy.nan_to_num(x * 20 if dtype.kind == "i" else abs(x) * 20)
    a, axis = x.astype(dtype), int(rng.integers(-ndim, ndim))
    n = a.shape[axis]
    indices = rng.integers(0, n, rng.integers(0, 30))
    if rng.random() < 0.5:
        indices.sort()
    if rng.random() < 0.05:
        indices[:1] = n
    if rng.random() < 0.05:
        indices = -indices - 1
    return a, indices, axis


def called(np, ufunc, a, indices, axis, form):
    reduceat = getattr(np, ufunc).reduceat
    try:
        return (
            reduceat(a, indices)
            if form == 0
            else reduceat(a, indices, axis)
            if form == 1
            else reduceat(a, indices, axis=axis)
        )
    except (IndexError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("seed", range(4))
def test_segments_have_numpys_bits(seed):
    rng = numpy.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(600):
            a, indices, axis = drawn(rng)
            ufunc, form = str(rng.choice(UFUNCS)), int(rng.integers(0, 3))
            ours = weft.array(a)
            if rng.random() < 0.2:
                a, ours = a.T, ours.T
            if rng.random() < 0.2 and a.dtype.kind != "b":
                ours *= ours.dtype.type(1)  # something to wait for
            listed = rng.random() < 0.3 and indices.size
            want = called(numpy, ufunc, a, indices, axis, form)
            got = called(weft, ufunc, ours, indices.tolist() if listed else weft.array(indices), axis, form)
            told = f"{ufunc} of {a.dtype}{list(a.shape)}, axis {axis}, {indices}"
            if isinstance(want, str):
                assert got == want, told
                continue
            assert (got.dtype, got.shape) == (want.dtype, want.shape), told
            assert numpy.asarray(got).tobytes() == want.tobytes(), told


@pytest.mark.parametrize("n", [100, 100_000])
def test_segments_are_natively_reduced(n):
    x = weft.arange(n) * 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as that NumPy runs it
        sums = weft.add.reduceat(x * 2, weft.arange(0, n, 10))
    assert float(sums[-1]) == sum(range(n - 10, n))


@pytest.mark.parametrize("dtype", ["?", "i2", "u4", "i8", "f4", "f8"])
def test_many_segments_have_numpys_bits(dtype):
    """As many as threads share, whose parts end where others begin; indices that fall back have one element.

    Few reach far: each segment that does is thousands of elements to add up, and those of one element are as many."""
    rng = numpy.random.default_rng(9)
    near = (numpy.arange(20_000) * 7 + rng.integers(0, 90, 20_000)).clip(max=149_999)
    near[::2000] = rng.integers(0, 150_000, 10)
    x = (rng.standard_normal((150_000, 2)) * 50).astype(dtype)
    for a in (x[:, 0].copy(), x):
        for indices in (numpy.arange(0, 150_000, 10), near):
            for ufunc in ("add", "multiply", "maximum"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = getattr(numpy, ufunc).reduceat(a, indices)
                    got = getattr(weft, ufunc).reduceat(weft.array(a), indices)
                assert got.dtype == want.dtype and numpy.asarray(got).tobytes() == want.tobytes(), ufunc
