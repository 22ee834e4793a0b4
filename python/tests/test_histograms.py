"""Histograms of equal bins that are counted where they are called, beside NumPy's."""

import warnings

import numpy
import weft as np


def drawn(rng):
    """An array, and what histogram gets beside it."""
    n = int(rng.choice([1, 2, 3, 10, 100, 1000, 5000]))
    x = rng.random(n)
    x = (
        x, rng.integers(-5, 5, n), rng.standard_normal(n).round(1), rng.integers(-(2**63), 2**63 - 1, n), rng.uniform(-1, 1, n) * 1.7e308,
        numpy.where(x < 0.001, numpy.inf, x), numpy.where(x < 0.001, numpy.nan, x), numpy.full(n, 3.25), numpy.arange(n), numpy.arange(n) / 10,
    )[rng.integers(10)].reshape([(n,), (1, n)][rng.integers(2)])  # fmt: skip
    bins = [1, 2, 3, 7, 10, 50, 100, 1000, 0, 2.5][rng.integers(10)]
    ends = [None, None, (0, 1), (0.25, 0.75), (-1.5, 1), (1, 0), (2.0, 2.0), (0, float("nan")), [0, 5], (0, 2**40)][rng.integers(10)]
    return x, [((), {}), ((bins,), {}), ((), {"bins": bins}), ((bins, ends), {}), ((), {"range": ends, "density": bool(rng.integers(2))})][rng.integers(5)]


def told(np, x, args, words):
    """What a call gives or raises, by the bit, and what is warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            made = np.histogram(np.array(x), *args, **words)
        except (TypeError, ValueError, IndexError) as e:
            return type(e), str(e)
        arrays = [numpy.asarray(a) for a in made]
    return type(made), [(a.dtype, a.shape, a.tobytes()) for a in arrays], [str(w.message) for w in seen]


def test_histograms_of_few_are_numpys():
    rng = numpy.random.default_rng(23)
    for _ in range(1500):
        x, (args, words) = drawn(rng)
        assert told(np, x, args, words) == told(numpy, x, args, words), (x, args, words)


def test_an_element_is_counted_where_the_edges_beside_it_say():
    for bins in (3, 7, 10, 49, 100):
        edges = numpy.linspace(0.1, 0.7, bins + 1)
        x = numpy.concatenate([edges, numpy.nextafter(edges[1:], 0), numpy.nextafter(edges[:-1], 1)])
        assert np.histogram(np.array(x), bins)[0].tolist() == numpy.histogram(x, bins)[0].tolist()
