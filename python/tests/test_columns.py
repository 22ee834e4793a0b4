"""Sums and counts of columns of narrow elements, which are added up as narrow ones for as many rows as these cannot overflow for."""

import numpy
import pytest
import weft

ROWS = (1, 2, 7, 254, 255, 256, 257, 509, 510, 511, 1000, 3000)


def drawn(r, kind, shape):
    """Elements anywhere in the dtype's range; sometimes all of them its least or its greatest one."""
    if kind == "?":
        return r.random(shape) < (0.5, 1.1)[r.integers(2)]
    info = numpy.iinfo(kind)
    how = r.integers(3)
    return r.integers(info.min, info.max, shape, kind, endpoint=True) if how == 0 else numpy.full(shape, (info.min, info.max)[how - 1], kind)


@pytest.mark.parametrize("kind", "? i1 u1 i2 u2 i4 u4".split())
def test_columns_of_narrow_integers(kind):
    r = numpy.random.default_rng(17)
    for rows in ROWS:
        columns = int(r.choice([2, 3, 17, 255, 256, 257, 600]))
        for shape, axis in (((rows, columns), 0), ((3, rows, max(columns // 3, 2)), 1), ((rows, 2, 3), 0)):
            x = drawn(r, kind, shape)
            w = weft.array(x)
            for made, want in ((w.sum(axis=axis), x.sum(axis=axis)), (weft.count_nonzero(w, axis=axis), numpy.count_nonzero(x, axis=axis))):
                numpy.testing.assert_array_equal(numpy.asarray(made), want, strict=True)


@pytest.mark.parametrize("kind", "? i1 u1 i2 u2".split())
def test_columns_of_the_most_rows(kind):
    """So many that narrow sums of extremes would overflow for one more, and one more; as many elements as are reduced at once."""
    least, most = (False, True) if kind == "?" else (numpy.iinfo(kind).min, numpy.iinfo(kind).max)
    for rows in (65_534, 65_535, 65_536):
        for value in (least, most):
            x = numpy.full((rows, 2), value, kind)
            w = weft.array(x)
            weft.sync()
            before = weft.stats()
            made = w.sum(axis=0), weft.count_nonzero(w, axis=0)
            after = weft.stats()
            assert after["operations"] - before["operations"] == after["small_operations"] - before["small_operations"]
            for got, want in zip(made, (x.sum(axis=0), numpy.count_nonzero(x, axis=0)), strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(got), want, strict=True)
