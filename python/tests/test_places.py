"""Where masks hold, for masks of all lengths around those of vectors, beside NumPy's."""

import numpy
import pytest
import weft as np


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 0.9, 1.0])
def test_places_of_what_holds(share):
    rng = numpy.random.default_rng(int(share * 100))
    for n in (*range(1, 140), 1000, 4095, 4096, 70_001, 300_000):
        mask = rng.random(n) < share
        mask[: n // 3] = False  # a stretch that is passed over
        values = mask * rng.integers(1, 256, n).astype(numpy.uint8)  # bytes that hold are not 1 alone
        for x in (mask, values, mask[::-1].copy()):
            given = np.array(x)
            assert numpy.array_equal(np.flatnonzero(given), numpy.flatnonzero(x)), (n, x.dtype)
            assert numpy.array_equal(np.argwhere(given), numpy.argwhere(x)), (n, x.dtype)


@pytest.mark.parametrize("columns", [1, 7, 31, 32, 33, 64, 100])
def test_places_in_rows(columns):
    rng = numpy.random.default_rng(columns)
    for share in (0.05, 0.5, 1.0):
        x = rng.random((23, columns)) < share
        for got, want in zip(np.nonzero(np.array(x)), numpy.nonzero(x), strict=True):
            assert numpy.array_equal(got, want), share
