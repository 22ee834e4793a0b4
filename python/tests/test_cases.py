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


@pytest.mark.parametrize("seed", range(30))
def test_functions_of_what_holds_are_numpys(seed):
    choice = random.Random(seed)
    for _ in range(20):
        size = choice.choice((1, 5, 40, 5000))
        values = numpy.array([choice.randint(-8, 8) / 2 for _ in range(min(size, 50))] * (size // 50 + 1))[:size].astype(choice.choice((float, float, int, "f4")))
        bounds = [choice.randint(-5, 5) for _ in range(choice.randint(1, 3))]
        functions = [choice.choice((0, 1.5, "same", "double", "less", "one", "none", "wrong")) for _ in range(len(bounds) + choice.randint(0, 1))]

        def made(np, values=values, bounds=bounds, functions=functions):
            seen, x = [], np.array(values)
            known = {
                "same": lambda a: seen.append(type(a) is np.ndarray) or a,
                "double": lambda a: a * 2 + 1,
                "less": lambda a: a - a.max(),
                "one": lambda a: 7,
                "none": lambda a: a[:0],
                "wrong": lambda a: a.nonsense,
            }
            try:
                y = np.piecewise(x, [x < bound for bound in bounds], [known.get(function, function) for function in functions])
            except (ValueError, AttributeError, TypeError) as error:
                return type(error)
            return y.dtype, y.tolist(), all(seen)

        assert made(weft) == made(numpy), (values, bounds, functions)


def test_a_function_may_change_the_lists_that_it_is_in():
    x = weft.arange(6.0)
    holds, functions = [x < 2, x > 3], []
    functions += [lambda a: functions.clear() or holds.clear() or a * 2, lambda a: a * 3]
    assert weft.piecewise(x, holds, functions).tolist() == [0.0, 2.0, 0.0, 0.0, 12.0, 15.0] and not functions
