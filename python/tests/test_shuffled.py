"""Orders and choices of few elements, and what the legacy generators draw: NumPy's, with the state that it leaves and the types that it has."""

import random

import numpy
import pytest

from .sharing import weft


def told(value):
    if isinstance(value, (weft.ndarray, numpy.ndarray)):
        at = numpy.asarray(value)
        return "array", at.dtype, at.shape, at.tobytes() if at.dtype.kind in "biufc" else repr(at.tolist())
    return type(value), repr(value)


def drawn(xp, draw, kind, rng):
    """One draw, told with what it was drawn from."""
    n = draw.choice((1, 2, 3, 10, 100, 4095, 4096, 5000))
    size = draw.choice((None, 1, 5, (2, 3), (), 0, (0, 2), 4096, numpy.int64(3)))
    values = xp.array(numpy.arange(n) * draw.choice((1, 0.5))).astype(draw.choice(("f8", "i8", "i2", "c16", "?", "f4")))
    values = draw.choice((values, values[::-1], values[::2], values.reshape(1, -1), values.reshape(-1, 1)))
    items = draw.choice(([1, 2.5], [3], list(range(n % 50)), ["a", "b"], [[1, 2], [3, 4]], [True, False], (1, 2, 3)))
    legacy = kind == "legacy"
    call = draw.choice((*range(13), 9, 9))
    if call == 0:
        return rng.shuffle(values), values
    if call == 1:
        items = list(items)
        return rng.shuffle(items), items
    if call == 2:
        return (rng.permutation(draw.choice((n, values, items, numpy.int64(5), True, 0))),)
    if call in (3, 4):
        of = draw.choice((n, values, items, 0, -1, numpy.int32(4), values[:0]))
        how = draw.randrange(4)
        return (rng.choice(of) if how == 0 else rng.choice(of, size) if how == 1 else rng.choice(of, size=size) if how == 2 else rng.choice(of, 2, False),)
    if call == 5:
        low, high = draw.choice((0, -3, 7, 2**31, 2**40)), draw.choice((1, 5, 8, 100, 2**31, 2**32, 2**32 + 5))
        integers = rng.randint if legacy else rng.integers
        return (draw.choice((lambda: integers(low, low + high), lambda: integers(low, low + high, size), lambda: integers(high), lambda: integers(low, low), lambda: integers(9, size=size, dtype="i4"), lambda: integers(low=3, high=9), lambda: integers(low=3, high=9, size=size), lambda: integers(3, high=9),
            lambda: integers(low=9), lambda: integers(high=9), lambda: integers(0, 9, low=1)))(),)
    if call == 6:
        return ((rng.rand(*draw.choice(((), (3,), (2, 3), (0,), (4096,), (2.5,), (-1,)))) if legacy else rng.random(size)),)
    if call == 7:
        return (draw.choice((lambda: rng.uniform(), lambda: rng.uniform(2, 5), lambda: rng.uniform(-1, 1, size), lambda: rng.uniform(5, 2), lambda: rng.uniform(0, numpy.inf), lambda: rng.uniform(0, 1, size=size), lambda: rng.uniform(high=3, size=size), lambda: rng.uniform(low=-1), lambda: rng.uniform(2, low=1),
            lambda: rng.uniform(low=-1, high=2, size=size), lambda: rng.uniform(nonsense=1), lambda: rng.normal(scale=2, size=size), lambda: rng.normal(3, scale=0.5), lambda: rng.normal(loc=2), lambda: rng.exponential(scale=2, size=size)))(),)
    if call == 8:
        return (rng.random_sample(size) if legacy else rng.dirichlet([1, 2, 3], size),)
    if call == 9:
        if not legacy:
            return (rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 1]], 3),)
        scale = draw.choice((1, 2.5, 0, -1, -0.0, numpy.inf, numpy.nan))
        return (draw.choice((lambda: rng.randn(2), lambda: rng.randn(), lambda: rng.randn(2, 3), lambda: rng.randn(0), lambda: rng.randn(-1), lambda: rng.standard_normal(size), lambda: rng.normal(),
            lambda: rng.normal(3, scale), lambda: rng.normal(1, scale, size), lambda: rng.normal(loc=2, scale=scale, size=size), lambda: rng.normal(size=5), lambda: rng.exponential(2.0, 3)))(),)
    if call in (11, 12) and not legacy:
        into = draw.choice((values.copy(), values.copy(), xp.zeros(n), xp.zeros((2, 3)), xp.zeros((4, 3))[::2], xp.zeros(3, "f4"), xp.zeros(()), xp.zeros(0)))
        if call == 11:
            return (rng.permuted(draw.choice((values, values, items, into, 5)), **draw.choice(({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"out": into}, {"axis": 0, "out": into}, {"out": None, "axis": 7}, {"axis": 0, "x": 1}))), into)
        made = draw.choice((rng.random, rng.standard_normal, rng.standard_exponential))(**draw.choice(({"out": into}, {"out": into}, {"out": into, "size": 3}, {"out": into, "dtype": "f4"}, {"out": None})))
        return made, into, made is into
    return (rng.multinomial(5, [0.25, 0.75]),)


def state_of(rng):
    state = (rng.get_state(legacy=False) if hasattr(rng, "get_state") else rng.bit_generator.state)
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in state.items() if name != "state"}, repr(state["state"])


@pytest.mark.parametrize("kind", ["legacy", "generator", "of MT19937", "of Philox"])
@pytest.mark.parametrize("seed", range(40))
def test_draws_are_numpys(kind, seed):
    results = []
    for xp in (numpy, weft):
        draw = random.Random(seed)
        rng = {"legacy": xp.random.RandomState, "generator": xp.random.default_rng}.get(kind)
        rng = rng(seed) if rng else xp.random.Generator(getattr(xp.random, kind[3:])(seed))
        found = []
        for _ in range(15):
            try:
                found.append([told(value) for value in drawn(xp, draw, kind, rng)])
            except (ValueError, TypeError, OverflowError, IndexError) as error:
                found.append((type(error), str(error)))
            found.append(state_of(rng))
        results.append(found)
    for want, got in zip(*results, strict=True):
        assert got == want


def test_the_functions_of_the_module_draw_from_one_generator():
    results = []
    for xp in (numpy, weft):
        xp.random.seed(5)
        x, items = xp.arange(9), list("abc")
        xp.random.shuffle(x)
        xp.random.shuffle(items)
        found = [x, items, xp.random.rand(), xp.random.rand(2, 2), xp.random.randint(7), xp.random.randint(0, 5, (2, 2)), xp.random.choice(5), xp.random.choice([1.5, 2.5], 3),
            xp.random.choice(x), xp.random.permutation(6), xp.random.permutation(x), xp.random.uniform(1, 2, 3), xp.random.random(), xp.random.random(3), xp.random.randn(2), xp.random.random_sample()]
        results.append([told(value) for value in found])
    assert results[0] == results[1]


def test_what_cannot_be_written_is_not_shuffled():
    x = weft.arange(5)
    x.flags.writeable = False
    for shuffle in (weft.random.shuffle, weft.random.default_rng(1).shuffle):
        with pytest.raises(ValueError, match="read-only"):
            shuffle(x)
    assert x.tolist() == [0, 1, 2, 3, 4]
