"""Places of extremes: which of several that are as good comes first, whatever the length, the dtype and the NaNs."""

import numpy
import pytest
import weft

LENGTHS = (*range(1, 40), 63, 64, 65, 100, 128, 200, 511, 16_383, 16_384, 16_385, 40_000)


def rows(rng, dtype, n):
    few = rng.integers(0, 4, (max(1, min(9, 90_000 // n)), n)) if rng.random() < 0.5 else rng.integers(-120, 120, (3, n))
    values = few.astype(dtype)
    if dtype.startswith("f"):
        special = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0], dtype)
        for _ in range(rng.integers(0, 4)):
            values[rng.integers(len(values)), rng.integers(n)] = special[rng.integers(4)]
    return values


@pytest.mark.parametrize("dtype", ("f8", "f4", "i8", "u8", "i4", "u4", "i2", "u1", "?"))
def test_places(dtype):
    rng = numpy.random.default_rng(11)
    for n in LENGTHS:
        for _ in range(6):
            x = rows(rng, dtype, n)
            w = weft.array(x)
            for name in ("argmax", "argmin"):
                for axis in (1, 0):
                    got, want = getattr(w, name)(axis=axis), getattr(x, name)(axis=axis)
                    assert got.dtype == want.dtype
                    assert numpy.array_equal(numpy.asarray(got), want), (name, dtype, n, axis)
                assert int(getattr(w[0], name)()) == getattr(x[0], name)(), (name, dtype, n)
