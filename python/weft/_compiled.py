"""What NumPy's Python code calls in its compiled code, written with weft's functions (see _composed).

Each takes the arguments of NumPy's function, and gives NotImplemented for what NumPy is to do.

Some stand in for a function that weft itself refused with these arguments. They call it by native(), which
refuses again where the reason lay elsewhere; by its public name it would come back to them.
"""

import functools
import math

import numpy
from numpy._core import multiarray

from . import _blocks, _core
from . import _functions as np
from ._create import asarray
from ._fallback import ndarray

_TAPS = 64  # longer filters are no longer one expression

_ROWS = {
    name: (index, tuple(param.lstrip("/*") for param in params)) for index, (name, _, params) in enumerate(np.TABLE)
}


def native(name, *args, **named):
    """A call of weft's own function of this name; NotImplemented where it would ask NumPy."""
    index, params = _ROWS[name]
    rest = (named.pop(param, numpy._NoValue) for param in params[len(args) :])
    made = _core.native(index, *args, *rest)
    if named:
        raise TypeError(f"weft's {name} has no parameter {next(iter(named))!r}")
    return made


def interp(x, xp, fp, left=None, right=None):
    """Piecewise linear interpolation at x through the points (xp, fp)."""
    return native("interp", x, xp, fp, left, right)


def correlate(a, v, mode=0):
    """Sums of products of v with the elements of a under it; mode says how far it may stand out."""
    a, v = asarray(a), asarray(v)
    mode = {"valid": 0, "same": 1, "full": 2}.get(mode, mode)
    n, m = a.size, v.size
    dtype = numpy.result_type(a.dtype, v.dtype)
    if a.ndim != 1 or v.ndim != 1 or not 0 < m <= n or mode not in (0, 1, 2) or dtype.kind not in "iufc":
        return NotImplemented
    if m > _TAPS:
        made = _blocks.correlate(a.astype(dtype, copy=False), v.astype(dtype, copy=False), mode)
        return NotImplemented if made is None else made
    before, after = ((0, 0), (m // 2, m - m // 2 - 1), (m - 1, m - 1))[mode]
    if before or after:
        a = np.concatenate((np.zeros(before, dtype), a, np.zeros(after, dtype)))
    count = a.size - m + 1
    total = a[:count] * v[0] + dtype.type(0)  # no negative zero, as in NumPy
    for k in range(1, m):
        total = total + a[k : k + count] * v[k]
    return total.astype(dtype, copy=False)


def correlate2(a, v, mode=0):
    """correlate with v conjugated; the longer one stands still."""
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        return NotImplemented
    v = np.conjugate(v) if v.dtype.kind == "c" else v  # that of truth values is none
    if len(a) >= len(v):
        return correlate(a, v, mode)
    made = correlate(v, a, mode)
    return made if made is NotImplemented else made[::-1]


def einsum(parse, *operands, **options):
    """Einstein's sums: weft's function reads texts, to which parse turns lists of numbers."""
    if not isinstance(operands[0], str):
        inputs, output, operands = parse(operands)
        operands = (f"{inputs}->{output}", *operands)
    return native("einsum", operands, **options)


def broadcast_arrays(*args, subok=False):
    """Views of the arrays in the shape that they have together."""
    arrays = [asarray(a) for a in args]
    shape = numpy.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else _repeated(a, shape) for a in arrays)


def _repeated(a, shape):
    """An array in a larger shape, which NumPy lets the program write and warns it of."""
    if isinstance(a, numpy.ndarray):
        return numpy.broadcast_arrays(a, numpy.broadcast_to(False, shape))[0]
    made = np.broadcast_to(a, shape)
    if type(made) is ndarray and a.flags.num & 0x400:
        made.flags.writeable = True
        made._warns = True
    return made


_ARRAYS = (ndarray, numpy.ndarray)


def _steps(function):
    """A function of several operations, told of as one: what goes wrong in them the program is told once, by the function's name."""

    @functools.wraps(function)
    def call(*args, **named):
        if any(type(x) not in _ARRAYS and isinstance(x, numpy.ndarray) for x in args):
            return NotImplemented  # of a class derived from ndarray the result is one, too
        return _core.within(function.__name__, functools.partial(function, **named) if named else function, *args)

    return call


def _vanish(x1, x2):
    """Whether the program is told of halves that underflow: NumPy says in which of its own steps one does."""
    return numpy.float16 in (x1.dtype, x2.dtype) and numpy.geterr()["under"] != "ignore"


@_steps
def vecdot(x1, x2, axis=-1):
    """Products of vectors along an axis, the first ones conjugated."""
    x1, x2 = asarray(x1), asarray(x2)
    if numpy.result_type(x1.dtype, x2.dtype).kind not in "iufc" or x1.shape[axis] != x2.shape[axis]:
        return NotImplemented
    if _vanish(x1, x2):
        return NotImplemented
    x1 = np.conjugate(x1) if x1.dtype.kind == "c" else x1
    return np.sum(x1 * x2, axis=axis, dtype=numpy.result_type(x1.dtype, x2.dtype))


@_steps
def matvec(x1, x2):
    """Products of matrices with vectors."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim < 2 or not x2.ndim or _vanish(x1, x2):
        return NotImplemented
    return np.matmul(x1, np.expand_dims(x2, -1))[..., 0]


@_steps
def vecmat(x1, x2):
    """Products of vectors, conjugated, with matrices."""
    x1, x2 = asarray(x1), asarray(x2)
    if not x1.ndim or x2.ndim < 2 or _vanish(x1, x2):
        return NotImplemented
    return np.matmul(np.expand_dims(np.conjugate(x1), -2), x2)[..., 0, :]


def _chosen(name, join, neutral=None):
    """A reduction over the elements that where= chooses: the others are neutral, or the initial value."""

    def reduce(a, axis=None, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True):
        given = {"axis": axis, "keepdims": keepdims}
        if dtype is not None:
            given["dtype"] = dtype
        if numpy.ndim(initial):
            return NotImplemented  # NumPy says what is wrong
        a = asarray(a)
        if (
            initial is None
            or name == "sum"
            and initial is not numpy._NoValue
            and initial == 0
            and numpy.any(numpy.signbit([initial.real, initial.imag]))
        ):
            return NotImplemented  # what weft adds up begins at +0
        fill = initial if neutral is None else neutral
        if out is not None or type(a) is not ndarray:
            return NotImplemented
        if where is not True:
            where = asarray(where)
            if where.dtype != bool or fill is numpy._NoValue or numpy.broadcast_shapes(a.shape, where.shape) != a.shape:
                return NotImplemented
            a = np.where(where, a, a.dtype.type(fill))
        made = native(name, a, **given)
        if made is NotImplemented or initial is numpy._NoValue:
            return made
        return np.FUNCTIONS[join](made, made.dtype.type(initial))

    return reduce


def _may_write(name, operands, out, casting):
    """Whether what a ufunc makes may be cast to the dtype of an array, as far as its operands say."""
    original = getattr(numpy, name, None)
    if not isinstance(original, numpy.ufunc) or not hasattr(out, "dtype"):
        return True
    kinds = (type(x) if type(x) in (int, float, complex) else asarray(x).dtype for x in operands)
    try:
        made = original.resolve_dtypes((*kinds, None))[-1]
    except TypeError:  # it says so itself
        return True
    return numpy.can_cast(made, out.dtype, casting)


def _steps_along(operand, shape):
    """Whether an operand has steps along all axes of a shape."""
    if not isinstance(operand, (ndarray, numpy.ndarray, list, tuple)):
        return False
    array = asarray(operand) if isinstance(operand, (list, tuple)) else operand
    return array.shape == shape and all(step or n == 1 for step, n in zip(array.strides, shape, strict=True))


def _falls(array, shape):
    """Whether the axes of an array of a shape lie in C's order, and none is broadcast."""
    steps = [abs(step) for step, n in zip(array.strides, array.shape, strict=True) if n > 1]
    return array.shape == shape and 0 not in steps and steps == sorted(steps, reverse=True)


def _lies_so(made, where, operands):
    """Whether a result lies as NumPy's does, which takes the order of axes from a mask as well: C's, or that of both where each axis tells which.

    Of axes that no operand has steps along, as they are broadcast, the mask alone tells the order.
    """
    if type(made) is not ndarray:
        return True
    steps = tuple(step // made.itemsize for step in made.strides)
    in_c = tuple(math.prod(made.shape[axis + 1 :]) for axis in range(made.ndim))
    as_c = steps == in_c and (_falls(where, made.shape) or any(_steps_along(operand, made.shape) for operand in operands))
    return as_c or (where.shape == made.shape and 1 not in made.shape and where.strides == steps)


def ufunc(name, *operands, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True):
    """A ufunc where where= holds, or with a casting= or dtype= that is not a usual one."""
    if name == "divmod":  # of which nothing here would be used
        return NotImplemented
    if (
        order not in ("K", "C", "A", "F")
        or type(subok) not in (bool, numpy.bool)
        or type(casting) is not str
        or isinstance(dtype, (ndarray, numpy.ndarray))
    ):
        return NotImplemented  # NumPy says what is wrong
    if out is not None and dtype is None and not _may_write(name, operands, out[0] if isinstance(out, tuple) else out, casting):
        return NotImplemented  # before it computes what would be told of
    if where is True and dtype is None and casting in ("same_kind", "unsafe"):
        made = native(name, *operands)
    else:  # what goes wrong where it does not hold, or in another dtype, is no concern of the program's
        with numpy.errstate(all="ignore"):
            made = native(name, *operands)
    if type(made) is not ndarray and not isinstance(made, numpy.generic):  # refused
        return NotImplemented
    if isinstance(dtype, type) and issubclass(dtype, numpy.dtype):
        dtype = dtype()
    if dtype is not None and numpy.dtype(dtype) != made.dtype or casting not in ("same_kind", "unsafe"):
        return NotImplemented
    if where is not True:
        where = asarray(where)
        if where.dtype != bool or numpy.broadcast_shapes(where.shape, made.shape) != made.shape:
            return NotImplemented
    if isinstance(out, tuple):
        (out,) = out
        if out is Ellipsis:
            return NotImplemented  # NumPy says what is wrong
    if out is None or out is Ellipsis:
        as_numpys = order == "K" and (where is True or _lies_so(made, where, operands))
        return made if as_numpys else NotImplemented  # where it does not hold, the elements may be any
    if numpy.broadcast_shapes(made.shape, out.shape) != out.shape:
        return NotImplemented  # copyto leaves out axes of one point
    np.copyto(out, made, casting=casting, where=where)
    return out


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Places in the flattened array."""
    indices = [asarray(i) for i in multi_index]
    if mode != "raise" or order != "C" or len(indices) != len(dims) or any(i.dtype.kind not in "iu" for i in indices):
        return NotImplemented
    at = 0
    for i, n in zip(indices, dims, strict=True):
        if bool(np.any((i < 0) | (i >= n))):
            return NotImplemented  # an error
        at = at * n + i.astype(numpy.int64)
    return at


def unravel_index(indices, shape, order="C"):
    """Indices along each axis of places in the flattened array."""
    at = asarray(indices)
    shape = (shape,) if isinstance(shape, int) else shape
    if order != "C" or at.dtype.kind not in "iu" or bool(np.any((at < 0) | (at >= math.prod(shape)))):
        return NotImplemented
    made = []
    for n in reversed(shape):
        made.append(at.astype(numpy.int64) % n)
        at = at // n
    return tuple(reversed(made))


def modf(x, /, **options):
    """Fractional and whole parts, both with the sign of x."""
    x = asarray(x)
    if options or x.dtype.kind != "f":
        return NotImplemented
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), x.dtype.type(0), x - whole), x), whole


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of the elements that where= chooses."""
    a, where = asarray(a), asarray(where)
    if type(a) is not ndarray or a.size == 0:
        return NotImplemented
    kind = numpy.dtype(dtype or (float if a.dtype.kind in "biu" else a.dtype))
    total = NAMED["sum"](a, axis, kind, out, keepdims, where=where)
    if total is NotImplemented or kind == numpy.float16:
        return NotImplemented
    return (total / np.sum(np.broadcast_to(where, a.shape), axis=axis, keepdims=keepdims)).astype(kind, copy=False)


def _triangle(below):
    """Places below a diagonal, or above it."""

    def indices(n, k=0, m=None):
        if type(n) is not int or type(k) is not int or (m is not None and type(m) is not int) or n < 0:
            return NotImplemented
        inside = np.tri(n, m, k if below else k - 1, bool)
        return np.nonzero(inside if below else ~inside)

    return indices


def _triangle_from(indices):
    """The same of an array's shape."""
    return lambda arr, k=0: indices(*arr.shape[-2:-1], k, arr.shape[-1]) if arr.ndim == 2 else NotImplemented


def diagflat(v, k=0):
    """A matrix with the elements of an array on a diagonal: NumPy's text puts each at its place by an index."""
    return np.diag(np.ravel(v), k) if type(k) is int else NotImplemented


def trim_zeros(filt, trim="fb", axis=None):
    """A vector without the zeros at its ends: a view."""
    trim = trim.lower()
    if type(filt) is not ndarray or filt.ndim != 1 or axis not in (None, 0, -1) or trim not in ("fb", "bf", "f", "b"):
        return NotImplemented
    some = filt != 0
    if not bool(np.any(some)):
        return filt[0:0]
    first = int(np.argmax(some)) if "f" in trim else None
    return filt[first : filt.size - int(np.argmax(some[::-1])) if "b" in trim else None]


_LONG = {numpy.dtype(kind) for kind in ("i8", "u8", "f8", "c16")}
_SHORT = {numpy.dtype(kind) for kind in ("f4", "i1", "i2", "u1", "u2")}


def scimath_power(x, p):
    """np.emath.power, whose exponent stays a number where it is one."""
    x = asarray(x)
    if type(x) is not ndarray:
        return NotImplemented
    if x.dtype.kind != "c" and bool(np.any(x < 0)):
        x = x.astype(numpy.complex64 if x.dtype in _SHORT else numpy.complex128)
    if type(p) not in (int, float) or x.dtype not in _LONG:  # NumPy makes an array of the number, of 64 bits
        p = asarray(p)
        if p.dtype.kind != "c" and bool(np.any(p < 0)):
            p = p * 1.0
    elif p < 0:
        p = p * 1.0
    return np.power(x, p)


_below, _above = _triangle(True), _triangle(False)

# By what NumPy's code calls them.
FUNCTIONS = {
    id(multiarray.interp): interp,
    id(multiarray.correlate): correlate,
    id(multiarray.correlate2): correlate2,
    id(multiarray.c_einsum): einsum,
}

# By their names in NumPy.
NAMED = {
    "broadcast_arrays": broadcast_arrays,
    "diagflat": diagflat,
    "matvec": matvec,
    "modf": modf,
    "ravel_multi_index": ravel_multi_index,
    "unravel_index": unravel_index,
    "vecdot": vecdot,
    "vecmat": vecmat,
    "tril_indices": _below,
    "triu_indices": _above,
    "tril_indices_from": _triangle_from(_below),
    "triu_indices_from": _triangle_from(_above),
    "trim_zeros": trim_zeros,
    "lib.scimath.power": scimath_power,
    "sum": _chosen("sum", "add", 0),
    "prod": _chosen("prod", "multiply", 1),
    "any": _chosen("any", "logical_or", False),
    "all": _chosen("all", "logical_and", True),
    "min": _chosen("min", "minimum"),
    "max": _chosen("max", "maximum"),
    "mean": mean,
}
