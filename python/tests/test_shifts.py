"""Copies to a place that is some bytes ahead of where the elements were, in a page (cpu/vm/copy.h)."""

import numpy
import pytest
import weft as np

LENGTHS = (1, 7, 100, 127, 128, 129, 513, 1000, 4097, 20_011, 100_003)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
@pytest.mark.parametrize("n", LENGTHS)
def test_shifted_elements_are_those_of_numpy(n, dtype):
    rng = numpy.random.default_rng(n)
    x = rng.integers(-100, 100, n).astype(dtype)
    a = np.array(x)
    for shift in (0, 1, 2, 3, 5, 8, 15, 16, 31, 63, 64, 65):
        shift %= n
        numpy.testing.assert_array_equal(np.roll(a, shift), numpy.roll(x, shift))
        numpy.testing.assert_array_equal(np.pad(a, (shift, 2)), numpy.pad(x, (shift, 2)))
        numpy.testing.assert_array_equal(np.concatenate([a[:shift], a]), numpy.concatenate([x[:shift], x]))
        numpy.testing.assert_array_equal(np.insert(a, shift, 3), numpy.insert(x, shift, 3))
        numpy.testing.assert_array_equal(np.delete(a, shift), numpy.delete(x, shift))
        b, y = np.zeros(n, dtype), numpy.zeros(n, dtype)
        b[shift:], y[shift:] = a[: n - shift], x[: n - shift]
        numpy.testing.assert_array_equal(b, y)
        b[shift:] = b[: n - shift]  # over itself
        y[shift:] = y[: n - shift].copy()
        numpy.testing.assert_array_equal(b, y)
