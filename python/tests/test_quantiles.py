"""Quantiles of vectors whose order statistics the core finds, beside NumPy's and beside what a sort has."""

import re
import warnings

import numpy
import pytest
import weft as np
from weft import _core

from .sharing import run_python

SIZES = (1, 2, 17, 300, 5000, 20_000, 65_537, 131_072)


def vectors(rng, n):
    """Vectors of n elements: distinct ones, equal ones, runs in order, zeros of both signs, infinities, and one NaN."""
    x = rng.standard_normal(n)
    yield x
    yield x.astype(numpy.float32)
    yield rng.integers(-3, 4, n)
    yield rng.integers(0, 1 << 32, n, dtype=numpy.uint32)
    yield numpy.sort(x)[::-1].copy()
    yield numpy.zeros(n)
    signs = numpy.where(rng.random(n) < 0.5, -0.0, 0.0)
    signs[rng.integers(0, n, 3)] = numpy.inf, -numpy.inf, 1.0
    yield signs
    x = x.copy()
    x[rng.integers(0, n)] = numpy.nan
    yield x


@pytest.mark.parametrize("n", SIZES)
def test_order_statistics_are_those_of_a_sort(n):
    rng = numpy.random.default_rng(n)
    for x in vectors(rng, n):
        given, want = np.array(x), numpy.sort(x)
        for count in (1, 2, 3, 6, 64):
            places = numpy.unique(rng.integers(0, n, count))
            for some in (places, numpy.unique(numpy.clip(places[:1] + [-1, 0, 1], 0, n - 1)), numpy.unique([0, n - 1])):
                found = _core.order_statistics(given, some.tolist())
                if found is not None:  # where the eager tier is off
                    assert numpy.array_equal(numpy.asarray(found), want[some], equal_nan=x.dtype.kind == "f"), (
                        x.dtype, n, some,
                    )  # fmt: skip
        assert numpy.array_equal(numpy.asarray(given), x, equal_nan=x.dtype.kind == "f")


def test_places_that_an_array_has_not_are_not_looked_for():
    x = np.arange(20_000.0)
    assert [_core.order_statistics(x, places) for places in ([], [-1], [5, 5], [7, 3], [20_000], list(range(65)))] == [None] * 6
    assert _core.order_statistics(np.ones((200, 200)), [3]) is None
    assert _core.order_statistics(np.ones(20_000, bool), [3]) is None
    assert _core.order_statistics(np.zeros(0), [0]) is None


@pytest.mark.parametrize("n", [16_384, 20_000, 65_537, 131_072, 131_073])
@pytest.mark.parametrize("method", ["linear", "lower", "nearest", "median_unbiased", "inverted_cdf", "weibull"])
def test_quantiles_are_numpys(n, method):
    rng = numpy.random.default_rng(n)
    for x in vectors(rng, n):
        given = np.array(x)
        for q in (0.5, [0.1, 0.5], 1.0, rng.random((2, 3))):
            got, want = np.quantile(given, q, method=method), numpy.quantile(x, q, method=method)
            assert numpy.asarray(got).dtype == want.dtype and numpy.shape(got) == numpy.shape(want)
            assert numpy.array_equal(numpy.asarray(got), want, equal_nan=True), (x.dtype, n, q)
        assert numpy.array_equal(numpy.asarray(given), x, equal_nan=x.dtype.kind == "f")


def test_what_percentiles_give():
    x = numpy.random.default_rng(3).random(30_000)
    given = np.array(x)
    assert type(np.percentile(given, 90)) is type(numpy.percentile(x, 90))
    assert type(np.percentile(given, [5, 90])) is np.ndarray
    assert np.percentile(given, 90, keepdims=True).shape == (1,)
    assert np.percentile(given, 90, axis=0) == np.percentile(given, 90, axis=-1) == numpy.percentile(x, 90)
    assert np.percentile(given * 2, 90) == numpy.percentile(x * 2, 90)
    out = np.zeros(2)
    assert np.percentile(given, [5, 90], out=out) is out and out.tolist() == numpy.percentile(x, [5, 90]).tolist()
    with pytest.raises(ValueError, match="Percentiles must be in the range"):
        np.percentile(given, 101)
    with pytest.raises(ValueError, match="is not a valid method"):
        np.percentile(given, 50, method="none")


def drawn(rng):
    """A few elements and a call of NumPy's, which finds quantiles of all of them."""
    n = int(rng.choice([1, 2, 3, 4, 5, 7, 31, 100, 1000]))
    x = rng.random(n)
    x = (
        x, rng.integers(-5, 5, n), rng.standard_normal(n).round(1), rng.integers(-(2**63), 2**63 - 1, n), rng.uniform(-1, 1, n) * 1.7e308,
        numpy.where(x < 0.05, numpy.inf, x), numpy.where(x < 0.05, numpy.nan, x), numpy.where(x < 0.5, -0.0, 0.0),
    )[rng.integers(8)].reshape([(n,), (1, n), (n, 1, 1)][rng.integers(3)])  # fmt: skip
    kind = ["median", "quantile", "percentile"][rng.integers(3)]
    name = ["", "", "nan"][rng.integers(3)] + kind
    top = 100 if kind == "percentile" else 1

    def one():
        return [0, top, top * 0.5, top * 0.25, float(rng.random()) * top, 50 if top > 1 else 1, -0.5 if rng.random() < 0.05 else 0.0][rng.integers(7)]

    q = [one(), [one() for _ in range(rng.integers(1, 35))], (one(), one()), numpy.array([one(), one()])][rng.integers(4)]
    return x, name, () if kind == "median" else (q,), ["", "", "", "backwards", "list"][rng.integers(5)]


WAYS = {"": lambda np, x: np.array(x), "list": lambda np, x: x.tolist(), "backwards": lambda np, x: np.array(x[::-1])[::-1], "turned": lambda np, x: np.array(x).T}


def told(np, x, name, args, way, **words):
    """What a call gives or raises, by the bit, and what is warned of."""
    given = WAYS[way](np, x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            got = getattr(np, name)(given, *args, **words)
        except ValueError as e:
            return str(e)
        as_numpys = numpy.asarray(got)
    return type(got).__name__, as_numpys.dtype, as_numpys.shape, as_numpys.tobytes(), [str(w.message) for w in seen]


def test_quantiles_of_few_are_numpys():
    rng = numpy.random.default_rng(17)
    for _ in range(3000):
        call = drawn(rng)
        assert told(np, *call) == told(numpy, *call), call


def test_quantiles_along_axes_of_few_are_numpys():
    rng = numpy.random.default_rng(18)
    for _ in range(1500):
        rows, columns = rng.choice([1, 2, 3, 5, 10, 100]), rng.choice([1, 2, 3, 4, 7, 30])
        x = rng.random((rows, columns))
        x = (x, rng.integers(-5, 5, x.shape), (x * 4 - 2).round(1), numpy.where(x < 0.01, numpy.nan, x), numpy.where(x < 0.5, -0.0, 0.0))[rng.integers(5)]
        name = ["median", "quantile", "percentile"][rng.integers(3)]
        top = 100 if name == "percentile" else 1
        q = [0.5 * top, top, [0.25 * top, float(rng.random()) * top], [0.0]][rng.integers(4)]
        axis = [0, 1, -1, None, 2, (0, 1)][rng.integers(6)]
        call = x, name, () if name == "median" else (q,), ["", "turned"][rng.integers(2)]
        try:
            want = told(numpy, *call, axis=axis)
        except numpy.exceptions.AxisError as e:
            with pytest.raises(type(e), match=re.escape(str(e))):
                told(np, *call, axis=axis)
            continue
        assert told(np, *call, axis=axis) == want, (call, axis)
    m = numpy.arange(12.0).reshape(3, 4)
    assert np.percentile(np.array(m), 50, 1).tolist() == numpy.percentile(m, 50, 1).tolist()
    assert np.median(np.array(m), 0).tolist() == numpy.median(m, 0).tolist()


@pytest.mark.parametrize("env", [{}, {"WEFT_DEBUG": "noeager"}, {"WEFT_ARGS": "--gpus 2 --emulate"}], ids=str)
def test_quantiles_are_native_wherever_the_elements_are(env):
    code = """
import warnings
warnings.simplefilter("error")
import numpy, weft as np
assert np.median([3, 1, 2]) == 2  # before there is a runtime
x = np.arange(100_000.0) * 2 + 1
print(float(np.quantile(x, 0.5)), np.percentile(x, [0, 50]).tolist(), type(np.percentile(x, [0, 50])) is np.ndarray)
"""
    done = run_python(code, env=env)
    assert (done.stdout, done.stderr) == ("100000.0 [1.0, 100000.0] True\n", ""), (done.stdout, done.stderr)
