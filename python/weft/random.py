"""numpy.random: NumPy's generators with NumPy's bits, whose arrays are weft arrays.

    rng = np.random.default_rng(42)
    x = rng.normal(size=(1000, 1000))  # the same numbers as NumPy's, as a weft array

Uniform floats and integers of many elements are drawn by weft from PCG64 and Philox, on all processors, fused
with what is computed of them: the numbers are still NumPy's. Without a seed, so are normals and exponentials, by
other methods than NumPy's (see _unseeded). All else is drawn by NumPy's methods: many numbers on all processors, with NumPy's bits (see _parts).

shuffle and permuted(out=...) write into weft arrays.
"""

import functools
import types

import numpy.random
from numpy.random import (
    __all__,  # noqa: F401
    _pickle,
)

from . import _core, _delegates, _draws, _functions, _protocols, _signatures, _unseeded
from ._fallback import PLAIN, drawn, noted, run, to_numpy, unfit
from ._mirror import classes, populate, settle
from ._stand_ins import Kind, makers, stands_for


def _convert(kind):
    """Class decorator: the public methods of NumPy's class, with their arrays converted."""

    def decorate(cls):
        for name, original in vars(kind).items():
            if name.startswith("_") or not callable(original):
                continue
            if name in vars(cls):
                functools.update_wrapper(vars(cls)[name], original, ("__name__", "__qualname__", "__doc__"), ())
            else:
                setattr(cls, name, _method(f"random.{kind.__name__}.{name}", original))
        classes[kind] = cls
        cls.__doc__ = kind.__doc__
        return cls

    return decorate


def _method(name, original):
    @functools.wraps(original, updated=())
    def call(self, *args, **kwargs):
        if _draws.are_plain(args) and (not kwargs or _draws.are_plain(kwargs.values())):
            return drawn(name, original, self, args, kwargs)
        return run(name, original, (self, *args), kwargs)

    @functools.wraps(original, updated=())
    def shuffle(self, x, *args, **kwargs):
        if isinstance(x, list):  # its own items change places, whatever they are
            return original(self, x, *args, **kwargs)
        return call(self, x, *args, **kwargs)

    made = shuffle if original.__name__ == "shuffle" else call
    made._way = "fallback"
    return made


def _original(kind, name):
    return _method(f"random.{kind.__name__}.{name}", vars(kind)[name])


_G = {name: _original(numpy.random.Generator, name) for name in (
    "random", "uniform", "standard_normal", "normal", "standard_exponential", "exponential", "integers", "choice", "permutation", "multivariate_normal")}  # fmt: skip
_R = {name: _original(numpy.random.RandomState, name) for name in (
    "random_sample", "rand", "uniform", "randn", "standard_normal", "normal", "standard_exponential", "exponential",
    "randint", "random_integers", "multivariate_normal", "choice", "permutation", "seed", "get_state", "set_state")}  # fmt: skip


def _places_of(kind, name, general):
    """choice and permutation of weft's vectors: NumPy draws the places, as it does for a number, and weft takes what is there."""
    original = vars(kind)[name]
    dotted = f"random.{kind.__name__}.{name}"

    def choice(self, a, size=None, replace=True, p=None, *args, **kwargs):
        free = kind is numpy.random.RandomState and replace is True and p is None and _free(self, _draws.many(size))
        if free:
            return free.choice(a, size)
        if kind is numpy.random.Generator and replace is True and p is None and not args and not kwargs and _draws.many(size):
            # NumPy draws such places as its integers, which weft draws faster.
            if type(a) is int and 0 < a < 1 << 63:
                return self.integers(0, a, size)
            if type(a) is list and all(type(x) in (float, bool) or (type(x) is int and -1 << 63 <= x < 1 << 63) for x in a):
                a = _functions.asarray(a)
            if type(a) is _core.ndarray and a.ndim == 1 and a.size > 0:
                return a.take(self.integers(0, a.size, size))
        if type(a) is not _core.ndarray or a.ndim != 1 or a.size == 0 or p is not None or size == () or args or kwargs.keys() - {"shuffle"}:
            return general(self, a, size, replace, p, *args, **kwargs)
        at = drawn(dotted, original, self, (a.size, size, replace), kwargs)
        return a[at] if size is None else a.take(at)

    def permutation(self, x, *args, **kwargs):
        if type(x) is not _core.ndarray or x.ndim != 1 or x.size == 0 or args or kwargs:
            return general(self, x, *args, **kwargs)
        if x.itemsize != numpy.intp(0).itemsize:
            return x.take(drawn(dotted, original, self, (x.size,), {}))
        made = x.copy()  # elements as long as places change their own as fast as these would be found, and are not looked up besides
        (Generator if kind is numpy.random.Generator else RandomState).shuffle(self, made)  # NumPy's global generator is neither
        return made

    permutation._way = "fallback"
    return choice if name == "choice" else permutation


@stands_for(numpy.random.Generator)
@_convert(numpy.random.Generator)
class Generator(numpy.random.Generator, metaclass=Kind):
    """NumPy's generator, whose arrays are weft's."""

    def random(self, size=None, dtype=numpy.float64, out=None):
        if size is out is None:
            return super().random(None, dtype)
        shape = _draws.many(size)
        kind = shape and _draws.dtype(dtype, _draws.FLOATS)
        if shape and kind and out is None:
            return _draws.floats(self.bit_generator, shape, kind)
        return _G["random"](self, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        if size is None and type(low) in PLAIN and type(high) in PLAIN:
            return super().uniform(low, high)
        shape = _draws.many(size)
        if shape and not _draws.CONTRACTS and _draws.are_numbers(low, high):
            super().uniform(low, high, 0)  # raises what there is to raise
            return _draws.uniform(self.bit_generator, low, high, shape)
        return _G["uniform"](self, low, high, size)

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        if size is out is None:
            return super().standard_normal(None, dtype)
        if type(size) is list:  # as NumPy's multivariate_normal has it
            return self.standard_normal(tuple(size), dtype, out)
        shape = _draws.many(size)
        kind = shape and _draws.dtype(dtype, _draws.FLOATS)
        if shape and kind and out is None:
            return _draws.normals(self.bit_generator, shape, kind)
        return _G["standard_normal"](self, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        if size is None and type(loc) in PLAIN and type(scale) in PLAIN:
            return super().normal(loc, scale)
        shape = _draws.many(size)
        if shape and not _draws.CONTRACTS and _draws.are_numbers(loc, scale):
            super().normal(loc, scale, 0)
            return _draws.normals(self.bit_generator, shape, _draws.FLOATS[0]) * float(scale) + float(loc)
        return _G["normal"](self, loc, scale, size)

    def standard_exponential(self, size=None, dtype=numpy.float64, method="zig", out=None):
        shape = _draws.many(size)
        kind = shape and _draws.dtype(dtype, _draws.FLOATS)
        if shape and kind and out is None and method in ("zig", "inv"):
            return _draws.exponentials(self.bit_generator, shape, kind, method)
        return _G["standard_exponential"](self, size, dtype, method, out)

    def exponential(self, scale=1.0, size=None):
        shape = _draws.many(size)
        if shape and _draws.are_numbers(scale):
            super().exponential(scale, 0)
            return _draws.exponentials(self.bit_generator, shape, _draws.FLOATS[0], "zig") * float(scale)
        return _G["exponential"](self, scale, size)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        if size is None and type(low) in PLAIN and type(high) in PLAIN:
            return super().integers(low, high, None, dtype, endpoint)
        shape = _draws.many(size)
        made = shape and _draws.integers(self.bit_generator, low, high, shape, dtype, endpoint)
        return _G["integers"](self, low, high, size, dtype, endpoint) if made is None else made

    choice = _places_of(numpy.random.Generator, "choice", _G["choice"])
    permutation = _places_of(numpy.random.Generator, "permutation", _G["permutation"])

    def multivariate_normal(self, mean, cov, size=None, *args, **kwargs):
        if not _draws.many(size, 4) or _protocols.involved((mean, cov)):
            return _G["multivariate_normal"](self, mean, cov, size, *args, **kwargs)
        return numpy.random.Generator.multivariate_normal(self, to_numpy(mean), to_numpy(cov), size, *args, **kwargs)  # whose normals are those of this class

    def spawn(self, n_children):
        return [Generator(child.bit_generator) for child in super().spawn(n_children)]

    def __reduce__(self):
        return _generator, (self.bit_generator,), None


@stands_for(numpy.random.RandomState)
@_convert(numpy.random.RandomState)
class RandomState(numpy.random.RandomState, metaclass=Kind):
    """RandomState(seed=None): numpy.random.RandomState, whose arrays are weft arrays.

    The methods are also called with NumPy's global generator.
    """

    _is_free = False  # whether it has no seed and its state has not been read, so that no certain numbers are due

    def __init__(self, seed=None):
        super().__init__(seed)
        self._is_free = seed is None

    def random_sample(self, size=None):
        if size is None:
            return numpy.random.RandomState.random_sample(self)
        shape = _draws.many(size)
        free = _free(self, shape)
        if free:
            return free.random(size)
        return _draws.floats(self._bit_generator, shape, _draws.FLOATS[0]) if shape else _R["random_sample"](self, size)

    random = types.FunctionType(random_sample.__code__, globals(), "random", (None,))  # which has a text of its own
    choice = _places_of(numpy.random.RandomState, "choice", _R["choice"])
    permutation = _places_of(numpy.random.RandomState, "permutation", _R["permutation"])

    def rand(self, *dims):
        shape = _draws.many(dims)
        free = _free(self, shape)
        if free:
            return free.random(dims)
        return _draws.floats(self._bit_generator, shape, _draws.FLOATS[0]) if shape else _R["rand"](self, *dims)

    def uniform(self, low=0.0, high=1.0, size=None):
        shape = _draws.many(size)
        if not shape or _draws.CONTRACTS or not _draws.are_numbers(low, high):
            return _R["uniform"](self, low, high, size)
        numpy.random.RandomState.uniform(self, low, high, 0)
        free = _free(self, shape)
        return _draws.uniform(free.bit_generator if free else self._bit_generator, low, high, shape)

    def standard_normal(self, size=None):
        free = _free(self, _draws.many(size))
        return free.standard_normal(size) if free else _R["standard_normal"](self, size)

    def randn(self, *dims):
        free = _free(self, _draws.many(dims))
        return free.standard_normal(dims) if free else _R["randn"](self, *dims)

    def normal(self, loc=0.0, scale=1.0, size=None):
        free = _free(self, _draws.many(size))
        return free.normal(loc, scale, size) if free else _R["normal"](self, loc, scale, size)

    def standard_exponential(self, size=None):
        free = _free(self, _draws.many(size))
        return free.standard_exponential(size) if free else _R["standard_exponential"](self, size)

    def exponential(self, scale=1.0, size=None):
        free = _free(self, _draws.many(size))
        return free.exponential(scale, size) if free else _R["exponential"](self, scale, size)

    def randint(self, low, high=None, size=None, dtype=int):
        shape = _draws.many(size)
        free = _free(self, shape)
        made = free and _draws.integers(free.bit_generator, low, high, shape, dtype, False)
        return _R["randint"](self, low, high, size, dtype) if made is None else made

    def multivariate_normal(self, mean, cov, size=None, *args, **kwargs):
        if not _free(self, _draws.many(size)) or _protocols.involved((mean, cov)):
            return _R["multivariate_normal"](self, mean, cov, size, *args, **kwargs)
        return numpy.random.RandomState.multivariate_normal(_unseeded_state(), to_numpy(mean), to_numpy(cov), size, *args, **kwargs)

    def random_integers(self, low, high=None, size=None):
        if not _free(self, _draws.many(size)):
            return _R["random_integers"](self, low, high, size)
        numpy.random.RandomState.random_integers(self, low, high, 0)  # which says that it is old
        low, high = (1, low) if high is None else (low, high)
        return RandomState.randint(self, low, int(high) + 1, size)

    def seed(self, seed=None):
        self._is_free = False
        _R["seed"](self, seed)

    def get_state(self, legacy=True):
        self._is_free = False
        return _R["get_state"](self, legacy)

    def set_state(self, state):
        self._is_free = False
        _R["set_state"](self, state)

    def __reduce__(self):
        return _random_state, (self._bit_generator,), self.get_state(legacy=False)


def _generator(bit_generator):
    """Unpickles, also what NumPy's pickles say of the bit generator."""
    return Generator(_pickle.__generator_ctor(bit_generator).bit_generator)


def _random_state(bit_generator):
    return RandomState(_pickle.__randomstate_ctor(bit_generator)._bit_generator)


def default_rng(seed=None):
    """A generator with NumPy's default algorithm and NumPy's bits.

    seed is None, an int, a sequence of ints, a SeedSequence, a BitGenerator, or a Generator, which is
    returned itself. Without one, normals, exponentials and integers of many elements are not drawn by
    NumPy's methods, unless the generator's state has been asked for.
    """
    if type(seed) is Generator:
        return seed
    if seed is None:
        return Generator(_unseeded.PCG64())
    if type(seed) is int:
        return Generator(numpy.random.PCG64(seed))
    made = numpy.random.default_rng(to_numpy(seed))
    return Generator(made.bit_generator)


default_rng.__doc__ = numpy.random.default_rng.__doc__

# The functions of NumPy's global generator: while it has no seed, another one draws many numbers.

_global = numpy.random.mtrand._rand


def _of_global(name, original=None):
    """The function of a name, which stands for NumPy's: RandomState's method, of the global generator."""
    method, original = vars(RandomState)[name], original or getattr(numpy.random, name)

    def call(*args, **kwargs):
        return vars(RandomState)[name](_global, *args, **kwargs)  # which says what is wrong with them, once it is complete

    functools.update_wrapper(call, original, ("__name__", "__qualname__", "__doc__"), ())
    _signatures.tell(call, original)
    way = getattr(getattr(method, "_python", method), "_way", "")
    if way:
        call._way = way
    return call


@functools.cache
def _anonymous():
    return Generator(_unseeded.PCG64())


@functools.cache
def _unseeded_state():
    return RandomState()


def _free(state, shape):
    """A generator for a draw of many numbers by a RandomState that owes no certain ones, as it has no seed; or None."""
    if not shape:
        return None
    free = _unseeded.legacy_is_free() if state is _global else type(state) is RandomState and state._is_free
    return _anonymous() if free else None


def _revealing(original):
    """The functions by which a program knows, or says, what the global generator is to give."""

    @functools.wraps(original, updated=())
    def call(*args, **kwargs):
        _unseeded.legacy_seen = True
        return original(*args, **kwargs)

    return call


seed = _revealing(numpy.random.seed)
get_state = _revealing(numpy.random.get_state)
set_state = _revealing(numpy.random.set_state)
get_bit_generator = _revealing(numpy.random.get_bit_generator)
set_bit_generator = _revealing(numpy.random.set_bit_generator)


def shuffle(x):
    """shuffle(x): bring an array along its first axis, or a list, into random order, in place."""
    if isinstance(x, list):
        numpy.random.shuffle(x)
    else:
        run("random.shuffle", numpy.random.shuffle, (x,), {})


shuffle._way = "fallback"
_signatures.tell(shuffle, numpy.random.shuffle)


def _of_many(general, name, at, drawing):
    """A method of a distribution, whose many numbers are drawn by parts, for which drawing says the bit generator, or None. general does all else."""

    def call(self, *args, **kwargs):
        shape = _draws.many(kwargs["size"] if "size" in kwargs else args[at] if len(args) == at + 1 else None)
        if shape and len(args) <= at + ("size" not in kwargs):
            given, options = args[:at], {key: value for key, value in kwargs.items() if key != "size"}
            made = _draws.parted(name, lambda: drawing(self, shape, name, given, options), given, options, shape)
            if made is not None:
                return made
        return general(self, *args, **kwargs)

    functools.update_wrapper(call, general, ("__name__", "__qualname__", "__doc__", "__module__"), ())
    call._way = "composed"
    return call


def _own(generator, shape, name, args, options):
    return generator.bit_generator


def _without_seed(state, shape, name, args, options):
    free = _free(state, shape)
    if free:
        getattr(numpy.random.RandomState, name)(state, *args, size=0, **options)  # raises what there is to raise, in its words
    return free and free.bit_generator


for _name, _at in _draws.BY_PARTS.items():
    setattr(Generator, _name, _of_many(vars(Generator)[_name], _name, _at, _own))
    if hasattr(numpy.random.RandomState, _name):
        setattr(RandomState, _name, _of_many(vars(RandomState)[_name], _name, _at, _without_seed))
for _name in ("ranf", "sample"):
    globals()[_name] = _of_global("random_sample", getattr(numpy.random, _name))
for _name in dir(numpy.random.RandomState):
    if hasattr(numpy.random, _name) and not _name.startswith("_") and _name not in globals():
        globals()[_name] = _of_global(_name)

# Where the size stands among the arguments of the methods that draw; -1 where all of them are extents. Few numbers are drawn
# without a Python frame (core/draw.c), for which the second number says how: 0 is NumPy's method, and from 9 on NumPy's own generator's. As many as
# there are elements are drawn where the size stands at 9.
_DRAWS = _draws.OTHERS | {"random": (0, 1), "integers": (2, 2), "uniform": (2, 0 if _draws.CONTRACTS else 3), "normal": (2, 0 if _draws.CONTRACTS else 4), "exponential": (1, 5),
    "standard_normal": (0, 6), "standard_exponential": (0, 7),
    "choice": (1, 12), "permutation": (9, 11), "shuffle": (9, 10), "permuted": (9, 13), "multivariate_normal": (2, 9), "multinomial": (2, 9), "dirichlet": (1, 9), "multivariate_hypergeometric": (2, 9), "bytes": (9, 0)}  # fmt: skip
_LEGACY = _draws.OTHERS | {"standard_normal": (0, 6), "standard_exponential": (0, 0)} | dict.fromkeys(("random_sample", "random"), (0, 1)) | {"rand": (-1, 1), "randn": (-1, 6),
    "randint": (2, 8), "uniform": (2, 0 if _draws.CONTRACTS else 3), "normal": (2, 0 if _draws.CONTRACTS else 4), "exponential": (1, 0),
    "choice": (1, 12), "permutation": (9, 11), "shuffle": (9, 10), "multinomial": (2, 0), "dirichlet": (1, 0), "tomaxint": (0, 0), "bytes": (9, 0)}  # fmt: skip


def _shorten(function, kind, name, instance, at, draws=0):
    """The same function, which draws few numbers at once."""
    members = vars(kind)
    about = members[name], members.get(f"standard_{name}"), kind, instance, f"random.{kind.__name__}.{name}", noted, at, draws
    made = _core.shortcut(function, "draw", about, instance is None)
    made._odd = unfit(about[4], members[name] if instance is None else getattr(numpy.random, made.__name__))
    return made


for _name, (_at, _how) in _DRAWS.items():
    setattr(Generator, _name, _shorten(vars(Generator)[_name], numpy.random.Generator, _name, None, _at, _how))
for _name, (_at, _how) in _LEGACY.items():
    setattr(RandomState, _name, _shorten(vars(RandomState)[_name], numpy.random.RandomState, _name, None, _at, _how))

for _kind, _theirs in ((Generator, numpy.random.Generator), (RandomState, numpy.random.RandomState)):
    for _name, _method in list(vars(_kind).items()):
        if isinstance(_method, types.FunctionType) and not _name.startswith("_") and hasattr(_theirs, _name):
            _method._odd = unfit(f"random.{_kind.__name__}.{_name}", getattr(_theirs, _name))
            setattr(_kind, _name, _delegates.fitting(_method))

classes.update(makers())

__path__ = []  # NumPy's modules below this one are mirrored too
__getattr__, __dir__ = populate(globals(), "numpy.random")

for _name, (_at, _how) in _LEGACY.items():
    if hasattr(numpy.random, _name):
        globals()[_name] = _shorten(globals().get(_name) or __getattr__(_name), numpy.random.RandomState, _name, _global, _at, _how)
for _name in ("ranf", "sample"):
    globals()[_name] = _shorten(globals()[_name], numpy.random.RandomState, "random_sample", _global, *_LEGACY["random_sample"])
settle(globals())
