"""Generators without a seed, and whether their state has been read since.

A generator without a seed has no numbers that it must give. weft then draws normals, exponentials and
integers by methods that take a fixed count of numbers for each element, so that any part of an array
can be drawn anywhere. NumPy's methods throw numbers away as they go, and are serial.

It ends as soon as the generator's state is read, or set: what is drawn from then on
is NumPy's, because it may be compared, or drawn again.
"""

import itertools

import numpy.random

from . import settings

_drawn = itertools.count()


def _entropy():
    """A SeedSequence from the operating system, or, under WEFT_DEBUG=seed=N, the next one of those that N makes."""
    seed = settings.debug_seed()
    if seed is None:
        return numpy.random.SeedSequence()
    return numpy.random.SeedSequence(seed, spawn_key=(next(_drawn),))


class PCG64(numpy.random.PCG64):
    """NumPy's PCG64 without a seed. Its state can be had like any other's; then it counts as seen."""

    seen = False

    def __init__(self, seed=None):
        super().__init__(_entropy() if seed is None else seed)

    @property
    def state(self):
        """The state, as NumPy has it."""
        self.seen = True
        return numpy.random.PCG64.state.__get__(self)

    @state.setter
    def state(self, value):
        self.seen = True
        numpy.random.PCG64.state.__set__(self, value)

    @property
    def seed_seq(self):
        """The sequence that made the state, from which it could be made again."""
        self.seen = True
        return super().seed_seq

    def jumped(self, jumps=1):
        """jumped(jumps=1) -> numpy.random.PCG64: a new one, as if many numbers had been drawn."""
        return self._plain().jumped(jumps)

    def __reduce__(self):
        return self._plain().__reduce__()

    def _plain(self):
        plain = numpy.random.PCG64(self.seed_seq)
        plain.state = self.state
        return plain


def is_free(bit_generator) -> bool:
    """Whether no certain numbers are due from a generator over this: it has no seed, and its state has not been read."""
    return type(bit_generator) is PCG64 and not bit_generator.seen


legacy_seen = False  # whether the program asked for, or set, the state behind np.random.random and its like


def legacy_is_free() -> bool:
    """is_free of NumPy's global generator. Libraries may seed it, too; then it has no seed sequence any more."""
    return not legacy_seen and numpy.random.mtrand._rand._bit_generator._seed_seq is not None
