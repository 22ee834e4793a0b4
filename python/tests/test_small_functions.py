"""Functions of few elements that the core has itself, beside NumPy's: results, their layout, and what is refused."""

import numpy
import pytest

from .eagerprogram import steps
from .sharing import weft

DTYPES = "?bhilBHILefdFD"


def drawn(rng, shape, dtypes=DTYPES):
    dtype = numpy.dtype(str(rng.choice(list(dtypes))))
    x = rng.integers(0, 5, shape) if dtype.kind in "bu" else rng.integers(-3, 4, shape)
    x = (x - 2 * rng.integers(0, 2, shape) * (dtype.kind == "i")).astype(dtype)
    if dtype.kind in "fc" and x.size and rng.random() < 0.2:
        x.flat[rng.integers(0, x.size)] = numpy.nan
    return x


def shape_of(rng):
    ndim = int(rng.integers(1, 4))
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, [300, 20, 8][ndim - 1], ndim))


def laid(rng, x):
    """An array in one of several layouts, for NumPy and for weft."""
    ours = weft.array(x)
    way = rng.integers(0, 4)
    if way == 0:
        return x.T, ours.T
    if way == 1:
        return x[::-1], ours[::-1]
    return (x * x.dtype.type(1), ours * ours.dtype.type(1)) if way == 2 and x.dtype.kind != "b" else (x, ours)


def answer(function):
    try:
        return function()
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        return type(error).__name__


def compare(got, want, told):
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want), told
        for g, w in zip(got, want, strict=True):
            compare(g, w, told)
    elif isinstance(want, numpy.ndarray):
        assert isinstance(got, weft.ndarray), told
        assert (got.dtype, got.shape) == (want.dtype, want.shape), told
        if want.size:
            assert steps(got) == steps(want), told
        numpy.testing.assert_array_equal(numpy.asarray(got), want, err_msg=told)
    else:
        assert type(got) is type(want), told
        assert got == want or (got != got and want != want), told


def axis_of(rng, x):
    return int(rng.integers(-x.ndim - (rng.random() < 0.1), x.ndim))


def repeat(rng, np, x):
    times, axis = [2, 3, 0, 1, -1][rng.integers(0, 5)], None if rng.random() < 0.4 else axis_of(rng, x)
    return f"repeat {times} {axis}", lambda: np.repeat(x, times, axis) if rng.random() < 0.5 else x.repeat(times, axis)


def item(rng, np, x):
    if rng.random() < 0.5:
        places = tuple(int(rng.integers(-n - 1, n + 1)) for n in x.shape)
    else:
        places = (int(rng.integers(-x.size - 1, x.size + 1)),) if rng.random() < 0.8 else ()
    return f"item {places}", lambda: x.item(*places)


def diff(rng, np, x):
    n, axis = int(rng.integers(1, 4)), axis_of(rng, x)
    return f"diff {n} {axis}", lambda: np.diff(x, n, axis)


def argwhere(rng, np, x):
    return "argwhere", lambda: np.argwhere(x)


def count_nonzero(rng, np, x):
    axis = axis_of(rng, x)
    return f"count_nonzero {axis}", lambda: np.count_nonzero(x, axis)


def put(rng, np, x):
    at = rng.integers(-x.size - (rng.random() < 0.1), x.size + (rng.random() < 0.1), 3).tolist() if x.size else [0]
    value = [1, 2.5, -1, 300][rng.integers(0, 4)]

    def call():
        np.put(x, np.array(at) if len(at) > 2 and at[0] % 2 else at, value)
        return x

    return f"put {at} {value}", call


def bincount(rng, np, x):
    least = [0, 0, 3, 40, -1][rng.integers(0, 5)]
    return f"bincount {least}", lambda: np.bincount(x, minlength=least)


def lexsort(rng, np, x):
    return "lexsort", lambda: np.lexsort((x, np.abs(x), x[::-1]))


def take_along_axis(rng, np, x):
    axis = axis_of(rng, x)
    shape = list(x.shape)
    shape[axis if -x.ndim <= axis < x.ndim else 0] = int(rng.integers(1, 5))
    n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    at = rng.integers(-n - (rng.random() < 0.1), n + (rng.random() < 0.05), shape) if n else numpy.zeros(shape, int)
    return f"take_along_axis {axis}", lambda: np.take_along_axis(x, np.array(at), axis)


def array_equal(rng, np, x):
    other = x.copy()
    if rng.random() < 0.4 and x.size:
        other[(-1,) * x.ndim] = 1
    return "array_equal", lambda: np.array_equal(x, other if rng.random() < 0.9 else other[1:])


def place(rng, np, x):
    values = [[1], [2, 3], [1.5], [1, 2, 3, 4, 5, 6, 7], [-1, 2.5]][rng.integers(0, 5)]

    def call():
        np.place(x, x > 0, values)
        return x

    return f"place {values}", call


def compress(rng, np, x):
    holds = rng.random(x.shape[0]) < 0.5
    return "compress", lambda: x.compress(np.array(holds)) if rng.random() < 0.7 else x.compress(np.array(holds), 0)


def close(rng, np, x):
    other, kind = x.copy(), "?bilBLfd"[rng.integers(8)]
    other = other if rng.random() < 0.5 or x.dtype.kind == "c" else other.astype(kind)
    to = other if rng.random() < 0.8 else 1
    return f"allclose {kind}", lambda: (np.allclose(x, to), np.allclose(to, x, atol=1))


def put_vector(rng, np, x):
    n = int(rng.integers(1, 2 * x.size + 1))
    at, values = rng.integers(-x.size - (rng.random() < 0.1), x.size, n), rng.integers(0, 9, n).astype(x.dtype)
    shared = rng.random() < 0.2

    def call():
        if shared and x.size:  # the values are elements of the array itself
            x[np.array(at[:1])] = x[:1]
            x[np.array(at)[: x.size]] = x[: min(n, x.size)]
        x[np.array(at)] = np.array(values)
        return x

    return f"put_vector {n}", call


def sinc(rng, np, x):
    return "sinc", lambda: np.round(np.sinc(x * 0.5), 12)


FUNCTIONS = [place, compress, close, put_vector, sinc, repeat, item, diff, argwhere, count_nonzero, put, bincount, lexsort, take_along_axis, array_equal]
REAL = {place: "ilfd", close: "?bilBLfd", sinc: "ild", lexsort: "bhilBHILfd", bincount: "?bhilBHIL"}
VECTORS = {put_vector, lexsort, bincount}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_small_functions_are_numpys(function):
    rng = numpy.random.default_rng(sum(map(ord, function.__name__)))
    for _ in range(300):
        shape = shape_of(rng)
        if function in VECTORS:
            shape = shape[:1]
        if function in (put, place, put_vector, compress):  # of what is wrong twice either may be told
            shape = tuple(map(lambda n: n or 1, shape))
        x, ours = laid(rng, drawn(rng, shape, REAL.get(function, DTYPES)))
        told = f"{function.__name__} of {x.dtype}{list(x.shape)}{list(x.strides)}"
        state = rng.bit_generator.state
        what, theirs = function(rng, numpy, x)
        rng.bit_generator.state = state
        _, mine = function(rng, weft, ours)
        state = rng.bit_generator.state
        want = answer(theirs)
        rng.bit_generator.state = state
        compare(answer(mine), want, f"{told}: {what}")


@pytest.mark.parametrize("at", [5, 0, numpy.int64(7), 11, 12, -1, 2.0, True])
@pytest.mark.parametrize("shape", [(3, 4), (12,), (2, 2, 3), (3, 0), 12])
def test_unravels_as_numpy_does(at, shape):
    want = answer(lambda: numpy.unravel_index(at, shape))
    compare(answer(lambda: weft.unravel_index(at, shape)), want, f"{at} {shape}")


def test_arrays_of_many_elements_are_compared():
    x = weft.arange(300_000.0)
    y = x.copy()
    assert weft.array_equal(x, y) is True
    y[-1] = weft.nan
    assert weft.array_equal(x, y) is False
    assert weft.array_equal(y, y) is False


BEYOND = """
x.item({}) | m.item({}, 0) | m.item(0, {}) | lexsort((x, x), {}) | lexsort((y, y), {}) | take_along_axis(x, k, {}) | count_nonzero(m, {}) | repeat(x, {}) | x.repeat(2, {})
pad(x, {}) | pad(x, (1, {})) | put(x, [{}], 1.0) | put(x, [0], {}) | bincount(k, minlength={}) | unravel_index({}, (3, 4)) | unravel_index(5, (3, {})) | diff(x, 2, {})
add.reduceat(x, [0, {}]) | add.reduceat(m, [0, 1], {}) | sort(x, {}) | argsort(x, {}) | argmax(m, {}) | partition(x, {}) | roll(x, {}) | searchsorted(x, {}) | array_equal(x, {})
allclose(x, {}) | x[[{}]] | m[[0], [{}]] | take(x, {}) | take(x, [{}]) | concatenate([x, x], {}) | stack([x, x], {}) | cumsum(x, {}) | x.sum({}) | fft.fft(x, axis={})
"""


@pytest.mark.parametrize("call", [call.strip() for call in BEYOND.replace("\n", "|").split("|") if call.strip()])
def test_integers_beyond_64_bits_are_refused_as_numpy_does(call):
    call = call if call.startswith(("x", "m")) else "np." + call
    for given in ("2**70", "-(2**70)"):
        made = []
        for np in (numpy, weft):
            names = {"np": np, "x": np.array([1.0, 2.0, 3.0]), "k": np.array([2, 0, 1]), "m": np.arange(6.0).reshape(2, 3), "y": np.arange(300) % 7}
            try:
                value = eval(call.format(given), names)
                made.append([numpy.asarray(one).tolist() for one in (value if isinstance(value, tuple) else (value, names["x"]))])
            except Exception as e:
                made.append(type(e).__name__)
        assert made[0] == made[1], given
