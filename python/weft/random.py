"""numpy.random: NumPy's generators with NumPy's bits, whose arrays are weft arrays.

    rng = np.random.default_rng(42)
    x = rng.normal(size=(1000, 1000))  # the same numbers as NumPy's, as a weft array

shuffle and permuted(out=...) write into weft arrays.
"""

import functools

import numpy.random
from numpy.random import __all__  # noqa: F401

from ._fallback import run
from ._mirror import classes, populate


def _convert(kind):
    """Class decorator: the public methods of NumPy's class, with their arrays converted."""

    def decorate(cls):
        for name, original in vars(kind).items():
            if name.startswith("_") or not callable(original) or name in vars(cls):
                continue
            setattr(cls, name, _method(f"random.{kind.__name__}.{name}", original))
        classes[kind] = cls
        return cls

    return decorate


def _method(name, original):
    @functools.wraps(original, updated=())
    def call(self, *args, **kwargs):
        return run(name, original, (self, *args), kwargs)

    @functools.wraps(original, updated=())
    def shuffle(self, x, *args, **kwargs):
        if isinstance(x, list):  # its own items change places, whatever they are
            return original(self, x, *args, **kwargs)
        return call(self, x, *args, **kwargs)

    return shuffle if original.__name__ == "shuffle" else call


@_convert(numpy.random.Generator)
class Generator(numpy.random.Generator):
    """Generator(bit_generator): numpy.random.Generator, whose arrays are weft arrays."""

    def spawn(self, n_children):
        """spawn(n_children: int) -> list[Generator]: independent child generators."""
        return [Generator(child.bit_generator) for child in super().spawn(n_children)]

    def __reduce__(self):
        return Generator, (self.bit_generator,)


@_convert(numpy.random.RandomState)
class RandomState(numpy.random.RandomState):
    """RandomState(seed=None): numpy.random.RandomState, whose arrays are weft arrays."""

    def __reduce__(self):
        return _restore, (self.get_state(legacy=False),)


def _restore(state):
    made = RandomState()
    made.set_state(state)
    return made


def default_rng(seed=None):
    """default_rng(seed=None) -> Generator: a generator with NumPy's default algorithm and NumPy's bits.

    seed is None, an int, a sequence of ints, a SeedSequence, a BitGenerator, or a Generator, which is
    returned itself.
    """
    if isinstance(seed, Generator):
        return seed
    made = numpy.random.default_rng(seed)
    return Generator(made.bit_generator)


def shuffle(x) -> None:
    """shuffle(x): bring an array along its first axis, or a list, into random order, in place."""
    if isinstance(x, list):
        numpy.random.shuffle(x)
    else:
        run("random.shuffle", numpy.random.shuffle, (x,), {})


__getattr__, __dir__ = populate(globals(), "numpy.random")
