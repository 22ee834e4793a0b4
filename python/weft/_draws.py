"""Draws of many numbers, for weft's generators: of numbers that are known by their places, of NumPy's methods by parts, or of NumPy.

What takes a shape takes one of many() numbers.
"""

import math
import operator

import numpy.random

from . import _bit_generators, _functions, _parts, _unseeded
from ._fallback import PLAIN, drawn, run

# Fewer numbers than these are drawn at once (core/draw.c, with the same limit): they take less time than a task.
_MANY = 4096

_TRIED = 1 << 19  # integers from which on to look for numbers that are thrown away takes less time than NumPy's loop

_COPIED = 1 << 17  # bytes that are copied sooner than memory is lent to NumPy; those of an array of the eager tier

FLOATS = (numpy.dtype(numpy.float64), numpy.dtype(numpy.float32))


def many(size, times=1):
    """The shape of a draw of many numbers, or of several times as many, or None."""
    if size is None:
        return None
    if type(size) is int:
        return (size,) if size >= times * _MANY else None
    try:
        shape = (operator.index(size),)
    except TypeError:
        try:
            shape = tuple(map(operator.index, size))
        except TypeError:
            return None
    if len(shape) > 32 or any(n < 0 for n in shape) or math.prod(shape) < times * _MANY:
        return None
    return shape


def dtype(dtype, among):
    """The dtype, or None where it is none of these, about which NumPy has something to say."""
    try:
        kind = numpy.dtype(dtype)
    except TypeError:
        return None
    return kind if kind in among and kind.isnative else None


def are_numbers(*bounds):
    return all(type(x) in (int, float) or isinstance(x, (numpy.integer, numpy.floating)) for x in bounds)


_VALUES = PLAIN | {type, numpy.dtypes.Float64DType, numpy.dtypes.Float32DType}


def are_plain(values):
    """Whether there is nothing to convert in them."""
    values = tuple(values)
    return _VALUES.issuperset(map(type, values)) or all(type(x) in _VALUES or (type(x) in (list, tuple) and PLAIN.issuperset(map(type, x))) for x in values)


def floats(bit_generator, shape, kind):
    """Floats in [0, 1) with NumPy's bits; kind is one of FLOATS."""
    state = _bit_generators.take(bit_generator, math.prod(shape), halves=kind == numpy.float32)
    if state is None:
        return filled("random", bit_generator, shape, kind)
    return _functions.random_Generator_random(state, shape, kind)


def filled(name, bit_generator, shape, kind, **options):
    """Numbers of NumPy's methods: many by parts, others one after the other, into a weft array's memory where a copy would take longer than to lend that."""
    if math.prod(shape) * kind.itemsize <= _COPIED:
        method = getattr(numpy.random.Generator, name)
        return drawn(f"random.Generator.{name}", method, numpy.random.Generator(bit_generator), (shape, kind), options)
    made = parted(name, lambda: bit_generator, (), options | {"dtype": kind}, shape)
    if made is not None:
        return made
    options |= {"dtype": kind, "out": _functions.empty(shape, kind)}
    return run(f"random.Generator.{name}", getattr(numpy.random.Generator(bit_generator), name), (), options)


def _contracts():
    """Whether NumPy was compiled to round a product and a sum once, which is for it to do then."""
    scaled = numpy.random.Generator(numpy.random.PCG64(1)).uniform(0.1, 0.73, 64)
    plain = numpy.random.Generator(numpy.random.PCG64(1)).random(64)
    return bool((scaled != 0.1 + (0.73 - 0.1) * plain).any())


CONTRACTS = _contracts()


def uniform(bit_generator, low, high, shape):
    x = floats(bit_generator, shape, FLOATS[0])
    span = float(high) - float(low)
    if span != 1.0:
        x *= span
    if low != 0.0 or span < 0:
        x += float(low)
    return x


def _plainly(value):
    """A number of Python's for one of NumPy's."""
    return 0 if isinstance(value, (numpy.integer, numpy.floating)) else value


def parted(name, drawing, args, options, shape):
    """What a method of NumPy's Generator draws, by parts on all processors; None where it is for NumPy to do that, or to say what is wrong.

    drawing() is the bit generator, or None.
    """
    count = math.prod(shape)
    given = (*args, *options.values())
    if count < _parts.LEAST or not are_plain(map(_plainly, given)) or (name not in _OF_LISTS and any(type(value) in (list, tuple) for value in given)):
        return None
    bit_generator = drawing()
    draws = _parts.draw if name not in UNSEEDED else _parts.draw_freely if bit_generator and _unseeded.is_free(bit_generator) else None
    parts = draws(name, bit_generator, args, options, count) if bit_generator and draws else None
    if parts is None:
        return None
    first = parts[0].made[0]
    made = _functions.empty((count, *first.shape[1:]), first.dtype)
    _parts.fill(parts, numpy.asarray(memoryview(made)))
    return made.reshape(shape + first.shape[1:])


def normals(bit_generator, shape, kind):
    if not _unseeded.is_free(bit_generator):
        return filled("standard_normal", bit_generator, shape, kind)
    count = math.prod(shape) * (2 if kind == numpy.float64 else 1)
    return _functions.random_Generator_standard_normal(_bit_generators.take(bit_generator, count), shape, kind)


def exponentials(bit_generator, shape, kind, method):
    if not _unseeded.is_free(bit_generator):
        return filled("standard_exponential", bit_generator, shape, kind, method=method)
    return _functions.random_Generator_standard_exponential(_bit_generators.take(bit_generator, math.prod(shape)), shape, kind)


def integers(bit_generator, low, high, shape, dtype, endpoint):
    """Integers of many elements, or None where NumPy has to draw them, or to say what is wrong."""
    try:
        kind = numpy.dtype(dtype)
        low = operator.index(low)
        low, high = (0, low) if high is None else (low, operator.index(high))
    except TypeError:
        return None
    high += bool(endpoint)
    if not _bit_generators.known(bit_generator) or kind.kind not in "iu" or not kind.isnative:
        return None
    limits = numpy.iinfo(kind)
    if not limits.min <= low < high <= limits.max + 1 or high >> 64 or high - low == 1:
        return None
    span, count = high - low, math.prod(shape)
    if span & (span - 1) == 0 and kind.itemsize >= 4:  # no number is thrown away
        state = _bit_generators.take(bit_generator, count, halves=span <= 1 << 32)
    elif span >= 1 << 32 or kind.itemsize < 4:  # NumPy makes several narrow integers of one number
        return None
    elif _unseeded.is_free(bit_generator):
        state = _bit_generators.take(bit_generator, count)
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
        state = _bit_generators.find(bit_generator, halves=True)
        if state is None:
            return None
        halves = _functions.random_Generator_integers(state, 0, 1 << 32, (count,), numpy.uint32)
        if bool((halves * numpy.uint32(span) < numpy.uint32(few)).any()):
            return None
        _bit_generators.skip(bit_generator, count, halves=True)
    high = (halves.astype(numpy.uint64) * numpy.uint64(span)) >> numpy.uint64(32)
    return (high.astype(kind) + kind.type(low)).reshape(shape)


# Distributions that NumPy's methods draw, and where their size stands.
_NUMPYS = {"poisson": 1, "binomial": 2, "gamma": 2, "beta": 2, "geometric": 1, "lognormal": 2, "laplace": 2, "chisquare": 1, "standard_gamma": 1, "triangular": 3,
    "weibull": 1, "pareto": 1, "power": 1, "rayleigh": 1, "standard_cauchy": 0, "standard_t": 1, "logistic": 2, "gumbel": 2, "vonmises": 2, "wald": 2, "f": 2,
    "noncentral_f": 3, "noncentral_chisquare": 2, "negative_binomial": 2, "hypergeometric": 3, "zipf": 1, "logseries": 1}  # fmt: skip
OTHERS = {name: (at, 0) for name, at in _NUMPYS.items()}  # and how few numbers are drawn: by NumPy's method

# Those whose many numbers are drawn by parts. Parts are whole numbers of the generator, so that those that take halves of them are drawn so without a seed only.
UNSEEDED = {"hypergeometric": 3, "multivariate_hypergeometric": 2}
_OF_LISTS = {"dirichlet": 1, "multinomial": 2, "multivariate_hypergeometric": 2}
BY_PARTS = _NUMPYS | _OF_LISTS
