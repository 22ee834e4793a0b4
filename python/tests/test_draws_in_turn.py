"""Numbers drawn from one generator in turns, few and many, floats and integers: each is NumPy's, and so is the state that is left."""

import random

import numpy
import pytest

from .sharing import weft

COUNTS = (1, 5, 31, 32, 33, 100, 4095, 4096, 5001, 20_000, 70_001)
SPANS = (1, 2, 10, 1000, 2**20 + 3, 2**31, 2**31 + 5, 3 * 2**30, 2**32 - 1, 2**32)


@pytest.mark.parametrize("seed", range(150))
def test_draws_are_numpys(seed):
    choice = random.Random(seed)
    theirs, ours = numpy.random.default_rng(seed), weft.random.default_rng(seed)
    for _ in range(choice.randint(1, 6)):
        n, low, kind = choice.choice(COUNTS), choice.randint(-5, 5), choice.randrange(5)
        high = low + choice.choice(SPANS)
        draw = {
            0: lambda rng, n=n: rng.random(n),
            1: lambda rng, low=low, high=high: rng.integers(low, high),
            2: lambda rng, n=n: rng.integers(0, 7, n % 300, dtype="int32"),
            3: lambda rng, n=n: rng.uniform(2, 3, n),
        }.get(kind, lambda rng, n=n, low=low, high=high: rng.integers(low, high, n))
        mine, want = numpy.asarray(draw(ours)), numpy.asarray(draw(theirs))
        assert mine.dtype == want.dtype and mine.shape == want.shape and (mine == want).all()
    assert theirs.bit_generator.state == ours.bit_generator.state
