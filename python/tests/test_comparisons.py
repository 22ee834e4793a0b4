"""Primitives whose results are bools, of all lengths around those of vectors, beside NumPy's: NaNs, infinities and zeros of two signs among them."""

import operator

import numpy
import pytest
import weft as np

RARE = [numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 5e-324, -5e-324, 1.0]
KINDS = "? i1 u1 i2 i4 u4 i8 u8 f4 f8".split()
LENGTHS = (*range(1, 35), 63, 64, 65, 127, 130, 4096, 20_011, 100_003)


def operand(rng, n, kind):
    x = rng.integers(-2, 3, n) * 0.5
    if kind[0] == "f":
        rare = rng.random(n) < 0.3
        x[rare] = rng.choice(RARE, int(rare.sum()))
        return x.astype(kind)
    if kind == "?":
        return x > 0
    info = numpy.iinfo(kind)
    return rng.choice(numpy.array([info.min, info.max, 0, 1, 2, 3], kind), n)


def same(got, want, told):
    assert got.dtype == bool and numpy.array_equal(numpy.asarray(got).view(numpy.uint8), want.view(numpy.uint8)), told  # 0 and 1, and nothing else


@pytest.mark.parametrize("kind", KINDS)
def test_comparisons(kind):
    rng = numpy.random.default_rng(len(kind) + ord(kind[0]))
    for n in LENGTHS:
        x, y = operand(rng, n, kind), operand(rng, n, kind)
        a, b, number = np.array(x), np.array(y), x.dtype.type(operand(rng, 1, kind)[0])
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            compare = getattr(operator, name)
            same(compare(a, number), compare(x, number), (name, n, number))
            same(compare(number, a), compare(number, x), (name, n, number))
            same(compare(a, b), compare(x, y), (name, n))
            if n in (64, 4096, 100_003):
                same(compare(a[1:], b[:-1]), compare(x[1:], y[:-1]), (name, n))
                same(compare(a[::2], b[::2]), compare(x[::2], y[::2]), (name, n))


@pytest.mark.parametrize("kind", KINDS)
def test_what_numbers_are(kind):
    rng = numpy.random.default_rng(7)
    for n in LENGTHS:
        x = operand(rng, n, kind)
        a = np.array(x)
        for name in ("isnan", "isinf", "isfinite", "logical_not"):
            same(getattr(np, name)(a), getattr(numpy, name)(x), (name, n))
        same(a.astype(bool), x.astype(bool), n)
