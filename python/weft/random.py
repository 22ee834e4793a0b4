"""numpy.random: NumPy's generators with NumPy's bits, whose arrays are weft arrays.

    rng = np.random.default_rng(42)
    x = rng.normal(size=(1000, 1000))  # the same numbers as NumPy's, as a weft array

Uniform floats and integers of many elements are drawn by weft from PCG64 and Philox, on all processors, fused
with what is computed of them: the numbers are still NumPy's. Without a seed, so are normals and exponentials, by
other methods than NumPy's (see _unseeded). All else is drawn by NumPy.

shuffle and permuted(out=...) write into weft arrays.
"""

import functools
import math
import operator

import numpy.random
from numpy.random import (
    __all__,  # noqa: F401
    _pickle,
)

from . import _core, _functions, _places, _unseeded
from ._fallback import PLAIN, drawn, noted, run, to_numpy
from ._kinds import Kind, makers, stands_for
from ._mirror import classes, populate

# Fewer numbers than these are drawn at once (core/draw.c, with the same limit): they take less time than a task.
_MANY = 4096

_TRIED = 1 << 19  # integers from which on to look for numbers that are thrown away takes less time than NumPy's loop

_COPIED = 1 << 17  # bytes that are copied sooner than memory is lent to NumPy; those of an array of the eager tier

_FLOATS = (numpy.dtype(numpy.float64), numpy.dtype(numpy.float32))


def _many(size):
    """The shape of a draw of many numbers, or None."""
    if size is None:
        return None
    if type(size) is int:
        return (size,) if size >= _MANY else None
    try:
        shape = (operator.index(size),)
    except TypeError:
        try:
            shape = tuple(map(operator.index, size))
        except TypeError:
            return None
    if len(shape) > 32 or any(n < 0 for n in shape) or math.prod(shape) < _MANY:
        return None
    return shape


def _dtype(dtype, among):
    """The dtype, or None where it is none of these, about which NumPy has something to say."""
    try:
        kind = numpy.dtype(dtype)
    except TypeError:
        return None
    return kind if kind in among and kind.isnative else None


def _are_numbers(*bounds):
    return all(type(x) in (int, float) or isinstance(x, (numpy.integer, numpy.floating)) for x in bounds)


_VALUES = PLAIN | {type}


def _are_plain(values):
    """Whether there is nothing to convert in them."""
    if _VALUES.issuperset(map(type, values)):
        return True
    return all(type(x) in _VALUES or (type(x) in (list, tuple) and PLAIN.issuperset(map(type, x))) for x in values)


def _floats(bit_generator, shape, kind):
    """Floats in [0, 1) with NumPy's bits; kind is one of _FLOATS."""
    state = _places.take(bit_generator, math.prod(shape), halves=kind == numpy.float32)
    if state is None:
        return _filled("random", bit_generator, shape, kind)
    return _functions.random_Generator_random(state, shape, kind)


def _filled(name, bit_generator, shape, kind, **options):
    """Numbers that NumPy draws, one after the other: into a weft array's memory, where a copy would take longer than to lend that."""
    if math.prod(shape) * kind.itemsize <= _COPIED:
        method = getattr(numpy.random.Generator, name)
        return drawn(f"random.Generator.{name}", method, numpy.random.Generator(bit_generator), (shape, kind), options)
    options |= {"dtype": kind, "out": _functions.empty(shape, kind)}
    return run(f"random.Generator.{name}", getattr(numpy.random.Generator(bit_generator), name), (), options)


def _contracts():
    """Whether NumPy was compiled to round a product and a sum once, which is for it to do then."""
    scaled = numpy.random.Generator(numpy.random.PCG64(1)).uniform(0.1, 0.73, 64)
    plain = numpy.random.Generator(numpy.random.PCG64(1)).random(64)
    return bool((scaled != 0.1 + (0.73 - 0.1) * plain).any())


_CONTRACTS = _contracts()


def _uniform(bit_generator, low, high, shape):
    x = _floats(bit_generator, shape, _FLOATS[0])
    span = float(high) - float(low)
    if span != 1.0:
        x *= span
    if low != 0.0 or span < 0:
        x += float(low)
    return x


def _normals(bit_generator, shape, kind):
    if not _unseeded.is_free(bit_generator):
        return _filled("standard_normal", bit_generator, shape, kind)
    count = math.prod(shape) * (2 if kind == numpy.float64 else 1)
    return _functions.random_Generator_standard_normal(_places.take(bit_generator, count), shape, kind)


def _exponentials(bit_generator, shape, kind, method):
    if not _unseeded.is_free(bit_generator):
        return _filled("standard_exponential", bit_generator, shape, kind, method=method)
    return _functions.random_Generator_standard_exponential(_places.take(bit_generator, math.prod(shape)), shape, kind)


def _integers(bit_generator, low, high, shape, dtype, endpoint):
    """Integers of many elements, or None where NumPy has to draw them, or to say what is wrong."""
    try:
        kind = numpy.dtype(dtype)
        low = operator.index(low)
        low, high = (0, low) if high is None else (low, operator.index(high))
    except TypeError:
        return None
    high += bool(endpoint)
    if not _places.known(bit_generator) or kind.kind not in "iu" or not kind.isnative:
        return None
    limits = numpy.iinfo(kind)
    if not limits.min <= low < high <= limits.max + 1 or high >> 64 or high - low == 1:
        return None
    span, count = high - low, math.prod(shape)
    if span & (span - 1) == 0 and kind.itemsize >= 4:  # no number is thrown away
        state = _places.take(bit_generator, count, halves=span <= 1 << 32)
    elif span >= 1 << 32 or kind.itemsize < 4:  # NumPy makes several narrow integers of one number
        return None
    elif _unseeded.is_free(bit_generator):
        state = _places.take(bit_generator, count)
    else:
        return _below(bit_generator, low, span, shape, kind)
    return state and _functions.random_Generator_integers(state, low, high, shape, kind)


def _below(bit_generator, low, span, shape, kind):
    """NumPy's integers where their count is no power of two, or None where NumPy has to draw them.

    Each is the high half of a product with 32 bits, which are thrown away if the low half is one of a few
    (Lemire's method). Where none is, which is likely enough to try, elements are known by their places.
    """
    count, few = math.prod(shape), (1 << 32) % span
    if count < _TRIED or count * few > 1 << 31:
        return None
    with bit_generator.lock:
        state = _places.find(bit_generator, halves=True)
        if state is None:
            return None
        halves = _functions.random_Generator_integers(state, 0, 1 << 32, (count,), numpy.uint32)
        if bool((halves * numpy.uint32(span) < numpy.uint32(few)).any()):
            return None
        _places.skip(bit_generator, count, halves=True)
    high = (halves.astype(numpy.uint64) * numpy.uint64(span)) >> numpy.uint64(32)
    return (high.astype(kind) + kind.type(low)).reshape(shape)


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
        return cls

    return decorate


def _method(name, original):
    @functools.wraps(original, updated=())
    def call(self, *args, **kwargs):
        if _are_plain(args) and (not kwargs or _are_plain(kwargs.values())):
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
    "random", "uniform", "standard_normal", "normal", "standard_exponential", "exponential", "integers", "choice", "permutation")}  # fmt: skip
_R = {name: _original(numpy.random.RandomState, name) for name in (
    "random_sample", "rand", "uniform", "randn", "standard_normal", "normal", "standard_exponential", "exponential",
    "randint", "choice", "permutation")}  # fmt: skip


def _places_of(kind, name, general):
    """choice and permutation of weft's vectors: NumPy draws the places, as it does for a number, and weft takes what is there."""
    original = vars(kind)[name]
    dotted = f"random.{kind.__name__}.{name}"

    def choice(self, a, size=None, replace=True, p=None, *args, **kwargs):
        if kind is numpy.random.Generator and replace is True and p is None and not args and not kwargs and _many(size):
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
        self.shuffle(made)
        return made

    return choice if name == "choice" else permutation


@stands_for(numpy.random.Generator)
@_convert(numpy.random.Generator)
class Generator(numpy.random.Generator, metaclass=Kind):
    """Generator(bit_generator): numpy.random.Generator, whose arrays are weft arrays."""

    def random(self, size=None, dtype=numpy.float64, out=None):
        if size is out is None:
            return super().random(None, dtype)
        shape = _many(size)
        kind = shape and _dtype(dtype, _FLOATS)
        if shape and kind and out is None:
            return _floats(self.bit_generator, shape, kind)
        return _G["random"](self, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        if size is None and type(low) in PLAIN and type(high) in PLAIN:
            return super().uniform(low, high)
        shape = _many(size)
        if shape and not _CONTRACTS and _are_numbers(low, high):
            super().uniform(low, high, 0)  # raises what there is to raise
            return _uniform(self.bit_generator, low, high, shape)
        return _G["uniform"](self, low, high, size)

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        if size is out is None:
            return super().standard_normal(None, dtype)
        shape = _many(size)
        kind = shape and _dtype(dtype, _FLOATS)
        if shape and kind and out is None:
            return _normals(self.bit_generator, shape, kind)
        return _G["standard_normal"](self, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        if size is None and type(loc) in PLAIN and type(scale) in PLAIN:
            return super().normal(loc, scale)
        shape = _many(size)
        if shape and not _CONTRACTS and _are_numbers(loc, scale):
            super().normal(loc, scale, 0)
            return _normals(self.bit_generator, shape, _FLOATS[0]) * float(scale) + float(loc)
        return _G["normal"](self, loc, scale, size)

    def standard_exponential(self, size=None, dtype=numpy.float64, method="zig", out=None):
        shape = _many(size)
        kind = shape and _dtype(dtype, _FLOATS)
        if shape and kind and out is None and method in ("zig", "inv"):
            return _exponentials(self.bit_generator, shape, kind, method)
        return _G["standard_exponential"](self, size, dtype, method, out)

    def exponential(self, scale=1.0, size=None):
        shape = _many(size)
        if shape and _are_numbers(scale):
            super().exponential(scale, 0)
            return _exponentials(self.bit_generator, shape, _FLOATS[0], "zig") * float(scale)
        return _G["exponential"](self, scale, size)

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        if size is None and type(low) in PLAIN and type(high) in PLAIN:
            return super().integers(low, high, None, dtype, endpoint)
        shape = _many(size)
        made = shape and _integers(self.bit_generator, low, high, shape, dtype, endpoint)
        return _G["integers"](self, low, high, size, dtype, endpoint) if made is None else made

    choice = _places_of(numpy.random.Generator, "choice", _G["choice"])
    permutation = _places_of(numpy.random.Generator, "permutation", _G["permutation"])

    def spawn(self, n_children):
        return [Generator(child.bit_generator) for child in super().spawn(n_children)]

    def __reduce__(self):
        return _generator, (self.bit_generator,), None


@stands_for(numpy.random.RandomState)
@_convert(numpy.random.RandomState)
class RandomState(numpy.random.RandomState, metaclass=Kind):
    """RandomState(seed=None): numpy.random.RandomState, whose arrays are weft arrays."""

    def random_sample(self, size=None):
        if size is None:
            return numpy.random.RandomState.random_sample(self)
        shape = _many(size)
        return _floats(self._bit_generator, shape, _FLOATS[0]) if shape else _R["random_sample"](self, size)

    random = random_sample
    choice = _places_of(numpy.random.RandomState, "choice", _R["choice"])
    permutation = _places_of(numpy.random.RandomState, "permutation", _R["permutation"])

    def rand(self, *dims):
        shape = _many(dims)
        return _floats(self._bit_generator, shape, _FLOATS[0]) if shape else _R["rand"](self, *dims)

    def uniform(self, low=0.0, high=1.0, size=None):
        shape = _many(size)
        if shape and not _CONTRACTS and _are_numbers(low, high):
            numpy.random.RandomState.uniform(self, low, high, 0)
            return _uniform(self._bit_generator, low, high, shape)
        return _R["uniform"](self, low, high, size)

    def __reduce__(self):
        return _random_state, (self._bit_generator,), self.get_state(legacy=False)


def _generator(bit_generator):
    """Unpickles, also what NumPy's pickles say of the bit generator."""
    return Generator(_pickle.__generator_ctor(bit_generator).bit_generator)


def _random_state(bit_generator):
    return RandomState(_pickle.__randomstate_ctor(bit_generator)._bit_generator)


def default_rng(seed=None):
    """default_rng(seed=None) -> Generator: a generator with NumPy's default algorithm and NumPy's bits.

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


# The functions of NumPy's global generator: while it has no seed, another one draws many numbers.

_global = numpy.random.mtrand._rand


@functools.cache
def _anonymous():
    return Generator(_unseeded.PCG64())


def _free(shape):
    """A generator for a draw of many numbers of which nobody can tell what they would be; or None."""
    return _anonymous() if shape and _unseeded.legacy_is_free() else None


def _function(original):
    def decorate(function):
        return functools.update_wrapper(function, original, ("__name__", "__qualname__", "__doc__"), ())

    return decorate


@_function(numpy.random.random_sample)
def random_sample(size=None):
    free = _free(_many(size))
    return free.random(size) if free else RandomState.random_sample(_global, size)


@_function(numpy.random.random)
def random(size=None):
    return random_sample(size)


@_function(numpy.random.sample)
def sample(*args, **kwargs):
    return random_sample(*args, **kwargs)


@_function(numpy.random.ranf)
def ranf(*args, **kwargs):
    return random_sample(*args, **kwargs)


@_function(numpy.random.rand)
def rand(*dims):
    free = _free(_many(dims))
    return free.random(dims) if free else RandomState.rand(_global, *dims)


@_function(numpy.random.uniform)
def uniform(low=0.0, high=1.0, size=None):
    shape = _many(size)
    free = _free(shape)
    if not free or not _are_numbers(low, high):
        return RandomState.uniform(_global, low, high, size)
    _global.uniform(low, high, 0)
    return _uniform(free.bit_generator, low, high, shape)


@_function(numpy.random.standard_normal)
def standard_normal(size=None):
    free = _free(_many(size))
    return free.standard_normal(size) if free else _R["standard_normal"](_global, size)


@_function(numpy.random.randn)
def randn(*dims):
    free = _free(_many(dims))
    return free.standard_normal(dims) if free else _R["randn"](_global, *dims)


@_function(numpy.random.normal)
def normal(loc=0.0, scale=1.0, size=None):
    free = _free(_many(size))
    return free.normal(loc, scale, size) if free else _R["normal"](_global, loc, scale, size)


@_function(numpy.random.standard_exponential)
def standard_exponential(size=None):
    free = _free(_many(size))
    return free.standard_exponential(size) if free else _R["standard_exponential"](_global, size)


@_function(numpy.random.exponential)
def exponential(scale=1.0, size=None):
    free = _free(_many(size))
    return free.exponential(scale, size) if free else _R["exponential"](_global, scale, size)


@_function(numpy.random.randint)
def randint(low, high=None, size=None, dtype=int):
    shape = _many(size)
    free = _free(shape)
    made = free and _integers(free.bit_generator, low, high, shape, dtype, False)
    return _R["randint"](_global, low, high, size, dtype) if made is None else made


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


def shuffle(x) -> None:
    """shuffle(x): bring an array along its first axis, or a list, into random order, in place."""
    if isinstance(x, list):
        numpy.random.shuffle(x)
    else:
        run("random.shuffle", numpy.random.shuffle, (x,), {})


shuffle._way = "fallback"

# Distributions of which NumPy draws all numbers, and where their size stands.
_NUMPYS = {"poisson": 1, "binomial": 2, "gamma": 2, "beta": 2, "geometric": 1, "lognormal": 2, "laplace": 2, "chisquare": 1, "standard_gamma": 1, "triangular": 3,
    "weibull": 1, "pareto": 1, "power": 1, "rayleigh": 1, "standard_cauchy": 0, "standard_t": 1, "logistic": 2, "gumbel": 2, "vonmises": 2, "wald": 2, "f": 2,
    "noncentral_f": 3, "noncentral_chisquare": 2, "negative_binomial": 2, "hypergeometric": 3, "zipf": 1, "logseries": 1}  # fmt: skip
_NUMPYS = {_name: (_at, 0) for _name, _at in _NUMPYS.items()}

# Where the size stands among the arguments of the methods that draw; -1 where all of them are extents. Few numbers are drawn
# without a Python frame (core/draw.c), for which the second number says how: 0 is NumPy's method, and from 9 on NumPy's own generator's. As many as
# there are elements are drawn where the size stands at 9.
_DRAWS = _NUMPYS | {"random": (0, 1), "integers": (2, 2), "uniform": (2, 0 if _CONTRACTS else 3), "normal": (2, 0 if _CONTRACTS else 4), "exponential": (1, 5),
    "standard_normal": (0, 6), "standard_exponential": (0, 7),
    "choice": (1, 12), "permutation": (9, 11), "shuffle": (9, 10), "permuted": (9, 13), "multivariate_normal": (2, 9), "multinomial": (2, 9), "dirichlet": (1, 9)}  # fmt: skip
_LEGACY = _NUMPYS | {"standard_normal": (0, 6), "standard_exponential": (0, 0)} | dict.fromkeys(("random_sample", "random"), (0, 1)) | {"rand": (-1, 1), "randn": (-1, 6),
    "randint": (2, 8), "uniform": (2, 0 if _CONTRACTS else 3), "normal": (2, 0 if _CONTRACTS else 4), "exponential": (1, 0),
    "choice": (1, 12), "permutation": (9, 11), "shuffle": (9, 10)}  # fmt: skip


def _shorten(function, kind, name, instance, at, draws=0):
    """The same function, which draws few numbers at once."""
    members = vars(kind)
    about = members[name], members.get(f"standard_{name}"), kind, instance, f"random.{kind.__name__}.{name}", noted, at, draws
    return _core.shortcut(function, "draw", about, instance is None)


for _name, (_at, _draws) in _DRAWS.items():
    setattr(Generator, _name, _shorten(vars(Generator)[_name], numpy.random.Generator, _name, None, _at, _draws))
for _name, (_at, _draws) in _LEGACY.items():
    setattr(RandomState, _name, _shorten(vars(RandomState)[_name], numpy.random.RandomState, _name, None, _at, _draws))

classes.update(makers())

__path__ = []  # NumPy's modules below this one are mirrored too
__getattr__, __dir__ = populate(globals(), "numpy.random")

for _name, (_at, _draws) in _LEGACY.items():
    globals()[_name] = _shorten(globals().get(_name) or __getattr__(_name), numpy.random.RandomState, _name, _global, _at, _draws)
