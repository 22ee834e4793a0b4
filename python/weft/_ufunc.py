"""NumPy's ufuncs: objects of one type, each with the methods that weft has for it."""

import numpy

from . import _core, _delegates, _signatures
from ._fallback import ndarray, run, unfit

# The ufuncs whose reduce is a function that weft has.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
# The ufuncs of which the core reduces segments, by their numbers there (EAGER_ADD in cpu/eager/eager.h).
_SEGMENTS = ("add", None, "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor")
_WITHOUT_DTYPE = ("min", "max", "all", "any")
_WITHOUT_INITIAL = ("all", "any")
_ARRAYS = (ndarray, list, tuple)  # what may be reduced


class _UfuncType(type):
    """isinstance(np.add, np.ufunc) holds for weft's ufuncs and for NumPy's own."""

    def __instancecheck__(cls, value):
        return type(value) is cls or isinstance(value, numpy.ufunc)

    def __subclasscheck__(cls, kind):
        return kind is cls or issubclass(kind, numpy.ufunc)

    __doc__ = property(lambda cls: numpy.ufunc.__doc__)


ufunc = _core.ufunc
_core.set_ufuncs_class(_UfuncType)


def _unbound(name):
    """A method as np.ufunc has it: of the function that is its first argument."""
    original = getattr(numpy.ufunc, name)

    def call(self, /, *args, **kwargs):
        if isinstance(self, numpy.ufunc):
            return run(f"{self.__name__}.{name}", original, (self, *args), kwargs)
        if name == "__call__":
            return self(*args, **kwargs)
        own = getattr(self, name)
        if (
            getattr(own, "__func__", None) is call
        ):  # a ufunc of the program's function, whose methods are made when they are asked for
            own = _method(self.__name__, name, getattr(self._numpy, name))
            setattr(self, name, own)
        return own(*args, **kwargs)

    call.__name__, call.__qualname__, call.__doc__ = name, f"ufunc.{name}", original.__doc__
    _signatures.tell(call, original)
    return call


_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at", "resolve_dtypes")
for _name in ("__call__", *_METHODS):
    setattr(ufunc, _name, _unbound(_name))


def dress(function, name, original, functions, signature=None):
    """The ufunc that calls a function as the NumPy ufunc is called that it stands for, with its attributes and methods. signature is that of a ufunc of the program's own function, of
    which most programs ask for no method."""
    function = _core.as_ufunc(function)
    function._numpy = original
    function.__doc__ = original.__doc__
    function.__module__ = ".".join(["weft", *name.split(".")[:-1]])  # by which it is pickled
    function._odd = unfit(name, original)
    _signatures.tell(function, original, signature)
    if signature is not None:
        return function
    for method in ("_resolve_dtypes_and_context", "_get_strided_loop"):
        setattr(function, method, getattr(original, method))  # of dtypes: no array is given
    for method in _METHODS:
        setattr(function, method, _method(name, method, getattr(original, method)))
    if name in _SEGMENTS:
        function.reduceat = _core.shortcut(function.reduceat, "segments", _SEGMENTS.index(name), 2)
    scan = functions.get(f"{name}.accumulate")
    if scan is not None:
        function.accumulate = _accumulate(scan, function.accumulate)
    at = functions.get(f"{name}.at")
    if at is not None:
        function.at = _at(at, function.at)
    if name in ("fmin", "fmax"):
        function.reduce = _without_nan(functions, name, function.reduce)
    reduction = functions.get(_REDUCTIONS.get(name))
    if reduction is not None:
        without = _REDUCTIONS[name] in _WITHOUT_DTYPE, _REDUCTIONS[name] in _WITHOUT_INITIAL
        function.reduce = _reduce(reduction, function.reduce, *without)
    if original.nin == 2 and original.nout == 1 and original.signature is None and name in functions:
        function.outer = _outer(function, function.outer)
    return function


# The ufuncs whose methods NumPy always has, with results that depend on no order, so that it gets copies of few elements; others it is given over the memory that they have.
_EXACT = frozenset("bitwise_and bitwise_or bitwise_xor gcd lcm logical_xor".split())


def _method(name, method, original):
    def call(*args, **kwargs):
        return run(f"{name}.{method}", original, args, kwargs)

    call.__name__ = method
    call.__doc__ = original.__doc__
    does = "reads" if name in _EXACT and method in ("reduce", "accumulate", "outer") else "wrapped"
    few = _delegates.FEW * (
        32 if does == "reads" and method == "reduce" else 1
    )  # of more elements it gets the memory itself
    return _core.shortcut(call, "few", (original, None, f"{name}.{method}", does, few, 0), 2)


_UNSAID = object()  # the default of what has a name: None by name is not None by place, after which NumPy refuses it


def _said(axis=0, dtype=None, **named):
    """The arguments of a method that a program gave, for NumPy and objects that answer protocols."""
    before = {} if type(axis) is int and axis == 0 else {"axis": axis}
    if dtype is not None:
        before["dtype"] = dtype
    return before | {name: value for name, value in named.items() if value is not _UNSAID}


def _alone(out):
    """The array for results that out= names: itself, or alone in a tuple; None where there is none. Other tuples are for NumPy to refuse."""
    if out is _UNSAID:
        return None
    return out[0] if isinstance(out, tuple) and len(out) == 1 and out[0] is not Ellipsis and out[0] is not None else out


def _by_place(function, fallback, first, more, named):
    """A call with arguments behind dtype that have no names, which mean the same as by name; NumPy says what is wrong with others, such as ... or a tuple for out."""
    placed = dict(zip(function.__kwdefaults__, more, strict=False))
    if more[0] is Ellipsis or isinstance(more[0], tuple) or len(more) > len(placed) or placed.keys() & named.keys():
        return fallback(*first, *more, **named)
    return function(*first, **placed, **named)


def _reduce(native, fallback, without_dtype, without_initial):
    def reduce(array, axis=0, dtype=None, *more, out=_UNSAID, keepdims=_UNSAID, initial=_UNSAID, where=_UNSAID):
        """reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=<no value>, where=True)

        Reduces the array's dimensions by applying the ufunc along an axis, or along all of them (None).
        """
        if more:
            named = _said(out=out, keepdims=keepdims, initial=initial, where=where)
            return _by_place(reduce, fallback, (array, axis, dtype), more, named)
        into = _alone(out)
        ours = type(array) in _ARRAYS and (into is None or type(into) is ndarray)
        initial = _UNSAID if initial is numpy._NoValue else initial
        lacks = without_dtype and dtype is not None or without_initial and initial is not _UNSAID
        if not ours or lacks or not (where is _UNSAID or where is True):
            return fallback(
                array, **_said(axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)
            )
        extra = {} if without_dtype else {"dtype": dtype}
        if initial is not _UNSAID:
            extra["initial"] = initial
        return native(array, axis=axis, out=into, keepdims=False if keepdims is _UNSAID else keepdims, **extra)

    return reduce


def _without_nan(functions, name, fallback):
    """fmin.reduce and fmax.reduce: where NaN wins, it counts as what is never chosen, and stays where there is nothing else."""
    native, last = functions[name[1:]], numpy.inf if name == "fmin" else -numpy.inf

    def reduce(array, axis=0, dtype=None, *more, out=_UNSAID, keepdims=_UNSAID, initial=_UNSAID, where=_UNSAID):
        """reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=<no value>, where=True)

        Reduces the array's dimensions by applying the ufunc along an axis, or along all of them (None).
        """
        if more:
            named = _said(out=out, keepdims=keepdims, initial=initial, where=where)
            return _by_place(reduce, fallback, (array, axis, dtype), more, named)
        plain = dtype is None and (out is _UNSAID or out is None) and (initial is _UNSAID or initial is numpy._NoValue) and (where is _UNSAID or where is True)
        if type(array) is not ndarray or not plain or array.dtype.kind not in "biuf" or array.size == 0:
            return fallback(
                array, **_said(axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)
            )
        keepdims = False if keepdims is _UNSAID else keepdims
        made = native(array, axis=axis, keepdims=keepdims)
        if array.dtype.kind != "f" or not functions["any"](functions["isnan"](made)):
            return made
        nan = functions["isnan"](array)
        least = native(functions["where"](nan, array.dtype.type(last), array), axis=axis, keepdims=keepdims)
        made = functions["where"](
            functions["all"](nan, axis=axis, keepdims=keepdims), array.dtype.type(numpy.nan), least
        )
        return made if made.ndim else made[()]

    return reduce


def _accumulate(native, fallback):
    def accumulate(array, axis=0, dtype=None, *more, out=_UNSAID):
        """accumulate(array, axis=0, dtype=None, out=None)

        Accumulate the result of applying the operator to all elements along an axis.
        """
        if more:
            return _by_place(accumulate, fallback, (array, axis, dtype), more, _said(out=out))
        into = _alone(out)
        if type(array) is not ndarray or not (into is None or type(into) is ndarray):
            return fallback(array, **_said(axis=axis, dtype=dtype, out=out))
        return native(array, axis, dtype, into)

    return accumulate


def _at(native, fallback):
    def at(a, indices, b=numpy._NoValue, /, **options):
        """at(a, indices, b=None, /)

        Performs unbuffered in place operation on operand 'a' for elements specified by 'indices'.
        """
        if options:
            raise TypeError("ufunc.at() takes no keyword arguments")
        if type(a) is not ndarray:
            return fallback(a, indices, *(() if b is numpy._NoValue else (b,)))
        return native(a, indices, b)

    return at


def _outer(function, fallback):
    def outer(A, B, /, *more, **kwargs):
        """outer(A, B, /, **kwargs)

        Apply the ufunc to all pairs (a, b) with a in A and b in B.
        """
        if type(A) is not ndarray or type(B) is not ndarray or more:
            return fallback(A, B, *more, **kwargs)
        return function(A.reshape(A.shape + (1,) * B.ndim), B, **kwargs)

    return outer
