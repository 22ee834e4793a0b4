"""NumPy's compiled functions of elements, called block by block on all processors, into memory of weft's.

A ufunc that weft has no operation for, such as gcd or frexp, still makes each element of those at its place: a block needs no other, and NumPy leaves the
interpreter's lock while it computes one. The results have NumPy's bits. What blocks come to, overflows and the like, is told of once, by the calling thread.
"""

import functools
import operator
import time

import numpy
from numpy._core import multiarray

from . import _errstate, _functions, _signatures
from ._fallback import FEW, is_native, ndarray, run
from ._parts import together

_LEAST = 1 << 14  # elements: NumPy's result is copied sooner than memory is lent
BLOCK = 1 << 16  # elements of a block
_BITS = 1 << 17  # of a block of bits, a multiple of 8
_LEAST_BITS = 1 << 25  # below, NumPy is done before other threads are, and its result's memory becomes weft's
_TRIED = 100_000  # nanoseconds of the first blocks, which tell how long all take, and
_WORTH = 1_000_000  # how long is worth other threads


def _lent(array):
    """NumPy's view of an array's elements in a row, or None where they lie in no such order."""
    if not array.flags.c_contiguous:
        return None
    return numpy.asarray(memoryview(array)).reshape(-1)


def _ufunc(value, args):
    """A call of a ufunc with arrays of weft's of one shape, and numbers; None where NumPy has to do it."""
    arrays = [x for x in args if type(x) is ndarray]
    if not arrays or len(args) != value.nin or arrays[0].size < _LEAST:
        return None
    shape = arrays[0].shape
    if any(x.shape != shape for x in arrays) or not all(type(x) is ndarray or type(x) in (int, float, bool) or isinstance(x, numpy.generic) for x in args):
        return None
    views = [_lent(x) if type(x) is ndarray else x for x in args]
    if any(view is None for view in views):
        return None
    with numpy.errstate(all="ignore"):
        one = value(*(view[:1] if type(x) is ndarray else x for x, view in zip(args, views, strict=True)))  # whose dtypes are those of all
    dtypes = [made.dtype for made in (one if value.nout > 1 else (one,))]
    if not all(map(is_native, dtypes)):
        return None
    made = [_functions.empty(shape, dtype) for dtype in dtypes]
    outs = [_lent(array) for array in made]
    seen = set()  # NumPy's bits of what a block came to

    def block(at):
        part = slice(at, at + BLOCK)
        with numpy.errstate(all="call", call=lambda what, flags: seen.add(flags)):  # which each thread has of its own
            value(*(view[part] if type(x) is ndarray else x for x, view in zip(args, views, strict=True)), out=tuple(out[part] for out in outs))

    _each(block, arrays[0].size)
    if seen:
        _errstate.floating(value.__name__, functools.reduce(operator.or_, seen))
    return made[0] if value.nout == 1 else tuple(made)


def _each(block, count, size=0):
    """Call NumPy for all blocks, of BLOCK elements or so many: on all processors where what is left after the first few takes longer than it takes to have others help."""
    begun, size = time.perf_counter_ns(), size or BLOCK
    for at in range(0, count, size):
        block(at)
        done = at + size
        took = time.perf_counter_ns() - begun
        if took >= _TRIED or took * (count - done) >= _WORTH * done:
            break
    if took * max(0, count - done) < _WORTH * done:
        for at in range(done, count, size):
            block(at)
        return

    def job(first, end):
        for at in range(first, end, size):
            block(at)

    share = max(1, (count - done) // size // 16) * size  # of several blocks: threads wait for each other's interpreter's lock between two
    together([functools.partial(job, first, min(first + share, count)) for first in range(done, count, share)])


def _packbits(_, args):
    """packbits(a) of all elements in a row."""
    if len(args) != 1 or type(args[0]) is not ndarray or args[0].dtype not in (bool, numpy.uint8) or args[0].size < _LEAST_BITS:
        return None
    view = _lent(args[0])
    if view is None:
        return None
    made = _functions.empty((view.size + 7) // 8, numpy.uint8)
    out = _lent(made)

    def block(at):
        packed = numpy.packbits(view[at : at + _BITS])
        out[at // 8 : at // 8 + packed.size] = packed

    _each(block, view.size, _BITS)
    return made


def _unpackbits(_, args):
    """unpackbits(a) of all elements in a row."""
    if len(args) != 1 or type(args[0]) is not ndarray or args[0].dtype != numpy.uint8 or 8 * args[0].size < _LEAST_BITS:
        return None
    view = _lent(args[0])
    if view is None:
        return None
    made = _functions.empty(8 * view.size, numpy.uint8)
    out = _lent(made)

    def block(at):
        out[at : at + _BITS] = numpy.unpackbits(view[at // 8 : (at + _BITS) // 8])

    _each(block, out.size, _BITS)
    return made


_SUMS = 1 << 20  # products that are worth a look at the blocks


def correlate(a, v, mode):
    """NumPy's correlation of a vector with a much shorter one; None of others. mode is 0, 1 or 2: how far v stands out at the ends of a.

    Where all of v lies on a each element is one product of vectors, so that blocks have NumPy's bits. The ends are those of the first and last elements alone.
    """
    n, m = a.size, v.size
    if n < 8 * m or n * m < _SUMS:
        return None
    x, y = (_lent(z if z.flags.c_contiguous else z.copy()) for z in (a, v))  # convolve turns one round
    before, after = ((0, 0), (m // 2, m - m // 2 - 1), (m - 1, m - 1))[mode]
    inner = n - m + 1
    made = _functions.empty(before + inner + after, numpy.result_type(x, y))
    out = _lent(made)
    if before:
        out[:before] = multiarray.correlate(x[:m], y, 2)[m - 1 - before : m - 1]
    if after:
        out[before + inner :] = multiarray.correlate(x[-m:], y, 2)[m : m + after]
    block = max(1, min(BLOCK, _SUMS // m))

    def part(at):
        first, end = at * block // BLOCK, min((at + BLOCK) * block // BLOCK, inner)
        out[before + first : before + end] = multiarray.correlate(x[first : end + m - 1], y, 0)

    _each(part, -(-inner // block) * BLOCK)
    return made


_OF_BITS = {"packbits": _packbits, "unpackbits": _unpackbits}
# What is called so: how.
NAMES = dict.fromkeys("bitwise_count frexp gcd lcm ldexp nextafter spacing".split(), _ufunc) | _OF_BITS


def blockwise(name, value):
    """The function of a name."""
    how = NAMES[name]

    def few(args):
        return name in _OF_BITS and len(args) == 1 and type(args[0]) is ndarray and args[0].size < _LEAST_BITS

    def call(*args, **kwargs):
        made = None if kwargs else how(value, args)
        return run(name, value, args, kwargs, FEW if few(args) else "") if made is None else made

    functools.update_wrapper(call, value, updated=())
    call._numpy, call._way, call._runs = value, "composed", "as NumPy's own loop, block by block on all processors"
    _signatures.tell(call, value)
    return call
