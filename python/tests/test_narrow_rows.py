"""Sums and extremes of rows of few elements have the bits that they have as the first columns of longer rows."""

import numpy
import pytest
import weft


@pytest.mark.parametrize("kind", "u1 i2 i4 i8 f4 f8 c8 c16".split())
def test_rows_of_few_elements(kind):
    rng = numpy.random.default_rng(8)
    for rows in (1, 2, 5, 127, 128, 129, 1000, 20_000):
        wide = (rng.random((rows, 64)) * 100).astype(kind)
        for name in ("sum", "mean") + (() if kind[0] == "c" else ("max", "min")):
            whole = numpy.asarray(getattr(weft.array(wide), name)(axis=0))
            for n in (1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 33):
                few = getattr(weft.array(numpy.ascontiguousarray(wide[:, :n])), name)(axis=0)
                assert numpy.asarray(few).tobytes() == whole[:n].tobytes(), (name, rows, n)


def test_channels_of_a_picture():
    picture = numpy.random.default_rng(9).random((300, 500, 3))
    for axis in (0, 1, (0, 1)):
        assert numpy.allclose(weft.array(picture).sum(axis=axis), picture.sum(axis=axis), rtol=1e-12)
        assert numpy.array_equal(weft.array(picture).max(axis=axis), picture.max(axis=axis))
