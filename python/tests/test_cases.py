"""select and piecewise of conditions and what holds under each, arrays and numbers of several kinds: NumPy's values, dtypes and errors."""

import random
import warnings

import numpy
import pytest

from .sharing import weft

SHAPES = ((1,), (7,), (3, 4), (2, 3, 2), (500,), (5000,), (20_000,))


def chosen(r, rng, shape):
    """An array or a number."""
    return (
        lambda: r.choice((1, 2, -3, 2**62, True)),
        lambda: r.choice((0.5, float("nan"), -0.0, 1e300)),
        lambda: rng.integers(-9, 9, shape),
        lambda: rng.random(shape).astype("f4"),
        lambda: rng.random(shape),
        lambda: rng.random(shape[-1:]),
    )[r.randrange(6)]()


def answered(np, as_ours, name, *arguments):
    def ours(o):
        return [ours(x) for x in o] if isinstance(o, list) else as_ours(o) if isinstance(o, numpy.ndarray) else o

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = numpy.asarray(getattr(np, name)(*map(ours, arguments)))
            return made.dtype, made.shape, made.tobytes()
        except Exception as e:  # which is the answer
            return type(e)


@pytest.mark.parametrize("seed", range(300))
def test_cases_are_numpys(seed):
    r, rng = random.Random(seed), numpy.random.default_rng(seed)
    shape, cases = r.choice(SHAPES), r.randint(1, 4)
    holds = [rng.random(shape) < 0.4 for _ in range(cases)]
    x = r.choice((rng.random(shape), rng.integers(-5, 5, shape)))
    choices = [
        lambda: [chosen(r, rng, shape) for _ in range(cases)],
        lambda: [rng.random(shape) for _ in range(cases)],
        lambda: [r.choice((1, 2.5, rng.integers(0, 5, shape))) for _ in range(cases)],
    ][r.randrange(3)]()
    default = r.choice(((), (0,), (7,), (1.5,), (rng.random(shape),)))
    numbers = [
        r.choice((0, 3, -1, 2.5, 1e300)[: 3 + 2 * (x.dtype.kind == "f")]) for _ in range(cases + r.randint(0, 1))
    ]
    for name, *arguments in (("select", holds, choices, *default), ("piecewise", x, holds, numbers)):
        assert answered(weft, weft.array, name, *arguments) == answered(numpy, numpy.array, name, *arguments), name
