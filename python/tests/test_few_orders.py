"""Few elements in order, around one place or without those that come again: drawn at random, compared with NumPy."""

import ctypes
import platform

import numpy
import pytest
import weft

DTYPES = ("f8", "f4", "i8", "i4", "u1", "i2", "u8")


def drawn(r, dtype, most):
    """A vector, or a matrix of two rows, in which elements come again; of floats some are NaN, and zeros of both signs."""
    n = int(r.integers(1, most))
    a = r.integers(0, max(2, n // int(r.integers(1, 9))), n).astype(dtype)
    if dtype[0] == "f":
        a[r.random(n) < 0.1] = numpy.nan
        a = numpy.where(r.random(n) < 0.1, -a, a).astype(dtype)
    return a.reshape(2, -1) if n % 2 == 0 and r.random() < 0.3 else a


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_has_numpys_outputs(dtype):
    r = numpy.random.default_rng(3)
    for most in [300] * 60 + [9000] * 4 + [100_000]:
        a = drawn(r, dtype, most)
        asked = {name: bool(r.integers(2)) for name in ("return_index", "return_inverse", "return_counts")}
        want, got = numpy.unique(a, **asked), weft.unique(weft.array(a), **asked)
        want, got = ((made,) if not isinstance(made, tuple) else made for made in (want, got))
        assert len(want) == len(got)
        for x, y in zip(want, got, strict=True):
            assert type(y) is weft.ndarray
            numpy.testing.assert_array_equal(numpy.asarray(y), x, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_place_has_the_element_of_the_sorted_row(dtype):
    r = numpy.random.default_rng(4)
    for most in [300] * 40 + [20_000] * 10 + [100_000]:
        a = drawn(r, dtype, most).ravel()
        k = int(r.integers(-a.size, a.size))
        want, of = numpy.sort(a), weft.array(a)
        parted = numpy.asarray(weft.partition(of, k))
        places = numpy.asarray(weft.argpartition(of, k))
        of.partition(k)
        numpy.testing.assert_array_equal(numpy.sort(places), numpy.arange(a.size))
        for made in (parted, a[places], numpy.asarray(of)):
            at = k % a.size
            numpy.testing.assert_array_equal(made[at], want[at])
            numpy.testing.assert_array_equal(numpy.sort(made[:at]), want[:at])
            numpy.testing.assert_array_equal(numpy.sort(made[at:]), want[at:])


@pytest.mark.skipif(platform.machine() != "x86_64", reason="sets bits of that processor's")
def test_numbers_next_to_zero_are_in_order_where_the_thread_flushes_them():
    libm, state = ctypes.CDLL("libm.so.6"), (ctypes.c_uint32 * 8)()
    least = 5e-324
    x = weft.array([least * 3, least, 0.0, -least, least * 2, -0.0])
    libm.fegetenv(state)
    usual = state[7]
    state[7] |= 0x8040  # results become zero, and operands are taken for zero
    libm.fesetenv(state)
    try:
        flushed, values, places = (x + 0.0 == 0).tolist(), weft.sort(x), weft.argsort(x)
    finally:
        state[7] = usual
        libm.fesetenv(state)
    assert all(flushed)
    assert values.tobytes() == numpy.array([-least, -0.0, 0.0, least, least * 2, least * 3]).tobytes()
    assert places.tolist() == [3, 2, 5, 1, 4, 0]
