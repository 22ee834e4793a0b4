"""isclose of few elements and of numbers, beside NumPy's."""

import numpy
import weft as np

SPECIAL = [0.0, -0.0, 1.0, 1 + 1e-9, 1 + 1e-5, float("inf"), -float("inf"), float("nan"), 1e300, 5e-324, 2**53 + 1, 3, -7, True]


def drawn(rng):
    """Two operands, most of which are close in some elements, and what else is said."""
    shape = [(3,), (1, 100), (5000, 1), (2, 3, 4), ()][rng.integers(5)]
    x = rng.random(shape)
    a = [SPECIAL[rng.integers(len(SPECIAL))], numpy.float64(rng.random()), numpy.where(x < 0.1, SPECIAL[rng.integers(9)], x), rng.integers(-3, 3, shape)][rng.integers(4)]
    near = a + numpy.where(rng.random(numpy.shape(a)) < 0.5, 1e-9, 1e-3)
    b = [near, near, SPECIAL[rng.integers(len(SPECIAL))], numpy.float64(1.0), rng.random((3,))][rng.integers(5)]
    words = [{}, {}, {"equal_nan": True}, {"rtol": 1e-3}, {"atol": 0.0}, {"rtol": 1, "atol": 2}, {"rtol": 0.0, "atol": -1.0}][rng.integers(7)]
    return a, b, words


def told(np, a, b, words):
    """What a call gives, by the byte, how it lies and whose it is, or what it raises."""
    given = [np.array(v) if isinstance(v, numpy.ndarray) else v for v in (a, b)]
    try:
        got = np.isclose(*given, **words)
    except ValueError as e:
        return str(e)
    lies = (got.strides, got.flags.owndata, got.base is None) if got.ndim else type(got)
    return numpy.asarray(got).dtype, got.shape, numpy.asarray(got).tobytes(), lies


def test_what_is_close_is_numpys():
    rng = numpy.random.default_rng(31)
    for _ in range(3000):
        call = drawn(rng)
        assert told(np, *call) == told(numpy, *call), call
