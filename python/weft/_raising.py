"""What is done with operations on many elements while np.errstate asks for errors, or for calls of the program's own: see RATIONALE.md.

An error is raised at the call, so that its operations are computed before it returns, on all cores; the block machine says what went wrong in them, as it does for
warnings. Of what it says less than NumPy, NumPy computes; and where nothing can go wrong, nothing is waited for.

    x > 0, -x, np.maximum(x, y), ints + ints        later, as usual
    x + y, np.sqrt(x), x.sum(), a @ b               waited for
    np.fft.fft(x), complex numbers, float16         by NumPy
"""

import numpy

from . import _core, _functions

AS_USUAL, WAITED_FOR, BY_NUMPY = range(3)  # the core's numbers

# Ufuncs of real numbers in which nothing can go wrong.
_SILENT = frozenset(
    """absolute bitwise_and bitwise_count bitwise_or bitwise_xor ceil conjugate copysign equal fabs floor fmax fmin greater greater_equal invert isfinite isinf isnan
    left_shift less less_equal logical_and logical_not logical_or logical_xor maximum minimum negative not_equal positive right_shift rint sign signbit trunc""".split()
)
# Those whose flags are the processor's own.
_PLAIN = frozenset("add divide multiply reciprocal sqrt square subtract".split())
# Those that elements say enough about.
_LOOKED_AT = frozenset(
    """arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh exp exp2 expm1 float_power floor_divide fmod hypot log log10 log1p log2 logaddexp logaddexp2
    power remainder sin sinh tan tanh""".split()
)
# Those of integers in which nothing can go wrong, beside the silent ones, and those that may divide by zero.
_WHOLE = frozenset("add multiply square subtract".split())
_DIVIDING = frozenset("floor_divide fmod remainder".split())
# Underflows that NumPy's loops tell of: where an operand is tiny, and in results that operands do not foretell.
_OF_TINY = frozenset("arcsin arcsinh arctan arctanh cos exp exp2 expm1 hypot log1p sin sinh tan".split())
_VANISHING = frozenset("arctan2 floor_divide logaddexp logaddexp2".split())
_TINY = {"float64": 1e-290, "float32": 1e-15}

_REDUCTIONS = frozenset("mean std sum var".split())
_PRODUCTS = frozenset("dot matmul".split())
_CHOICES = {"where": (1, 2), "clip": (0, 1, 2, 4, 5)}  # functions that only may cast, by their operands

_ARRAYS = (_core.ndarray, numpy.ndarray)
_UNSAID = (None, False, True, numpy._NoValue, "same_kind", "K")


def way(name, args):
    """What is done with a call of an operator or of a function of the table, with an argument for each of its parameters."""
    name = name.removeprefix("ndarray.")
    if name in _CHOICES:
        kinds = _kinds([args[i] for i in _CHOICES[name] if i < len(args) and not _unsaid(args[i])])
        others = [value for i, value in enumerate(args[1:], 1) if i not in _CHOICES[name]]
        return AS_USUAL if kinds is not None and len(kinds) < 2 and all(map(_unsaid, others)) else BY_NUMPY
    if name == "astype":
        return _of_cast(*args[:2])
    ufunc = getattr(numpy, name, None)
    if isinstance(ufunc, numpy.ufunc) and ufunc.signature is None:
        return _of_ufunc(name, args[: ufunc.nin], args[ufunc.nin :])
    if name not in _REDUCTIONS and name not in _PRODUCTS:
        return BY_NUMPY
    if name in _PRODUCTS and numpy.geterr()["under"] != "ignore":  # nothing tells of a product's
        return BY_NUMPY
    count = 2 if name in _PRODUCTS else 1
    kinds = _kinds(args[:count])
    rest = args[1 + (name in _PRODUCTS or type(args[1]) is int or type(args[1]) is tuple) :]
    if kinds is None or len(kinds) != 1 or not kinds <= {"float64", "float32"} or not all(type(value) is _core.ndarray for value in args[:count]):
        return BY_NUMPY
    return WAITED_FOR if all(map(_unsaid, rest)) or (name in ("std", "var") and all(_unsaid(v) or type(v) is int for v in rest)) else BY_NUMPY


def _of_ufunc(name, operands, rest):
    kinds = _kinds(operands)
    out = rest[0] if rest and not _unsaid(rest[0]) else None
    if kinds is None or len(kinds) > 1 or not all(map(_unsaid, rest[1:])):
        return BY_NUMPY
    kind = next(iter(kinds), None)
    if kind not in _TINY:
        answer = AS_USUAL if name in _SILENT or name in _WHOLE else WAITED_FOR if name in _DIVIDING else BY_NUMPY
    elif name in _SILENT:
        answer = AS_USUAL
    elif name in _PLAIN or (name in _LOOKED_AT and not _may_vanish(name, operands, kind)):
        answer = WAITED_FOR
    else:
        answer = BY_NUMPY
    if out is None:
        return answer
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if type(out) is not _core.ndarray or str(out.dtype) != kind or (answer == AS_USUAL and name not in _SILENT | _WHOLE):
        return BY_NUMPY
    if answer == WAITED_FOR and any(type(value) in _ARRAYS and not _may_be_written_over(value, out) for value in operands):
        return BY_NUMPY
    return answer


def _may_be_written_over(value, out):
    """Whether a result may lie where an operand does: element by element. Of other overlaps NumPy's result lies elsewhere until all of it is
    there, and is not written where an error is raised."""
    value, out = _seen(value), _seen(out)
    if not numpy.may_share_memory(value, out):
        return True
    return value.__array_interface__["data"] == out.__array_interface__["data"] and value.shape == out.shape and value.strides == out.strides


def _of_cast(x, dtype):
    """x.astype(dtype)"""
    kinds = _kinds((x,))
    to = numpy.dtype(dtype)
    if not kinds or to.kind not in "biuf" or to.itemsize == 2 and to.kind == "f":
        return BY_NUMPY
    if next(iter(kinds)) not in _TINY or numpy.can_cast(next(iter(kinds)), to):
        return AS_USUAL if to != "float32" else BY_NUMPY
    return WAITED_FOR


def _kinds(operands):
    """The names of the real dtypes of operands, without those that Python's numbers take on; None where one is of another kind, or does not fit what it would be cast to."""
    kinds, numbers = set(), []
    for value in operands:
        if type(value) in _ARRAYS or isinstance(value, numpy.generic):
            if value.dtype.kind not in "biuf" or value.dtype == numpy.float16 or not value.dtype.isnative:
                return None
            kinds.add(value.dtype.name)
        elif type(value) in (bool, int, float):
            numbers.append(value)
        else:
            return None
    if len(kinds) == 1 and numbers:
        kind = next(iter(kinds))
        if kind not in _TINY and any(type(value) is float for value in numbers):
            return None
        if kind == "float32" and not all(value == 0 or 1e-37 < abs(value) < 3e38 for value in numbers):
            return None
        if any(type(value) is int and abs(value) > 2**62 for value in numbers):
            return None
    return kinds


def _may_vanish(name, operands, kind):
    """Whether NumPy may tell of an underflow that weft does not."""
    if numpy.geterr()["under"] == "ignore":
        return False
    if name in _VANISHING:
        return True
    if name not in _OF_TINY:
        return False
    with numpy.errstate(all="ignore"):
        return any(
            bool(_functions.any((_functions.absolute(x) < _TINY[kind]) & (x != 0)))
            if type(x) is _core.ndarray
            else bool(((numpy.absolute(x) < _TINY[kind]) & (numpy.asarray(x) != 0)).any())
            for x in operands
        )


def _seen(array):
    return numpy.asarray(memoryview(array)) if type(array) is _core.ndarray else array


def _unsaid(value):
    return any(value is unsaid or (type(value) is str and value == unsaid) for unsaid in _UNSAID)
