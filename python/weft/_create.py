"""Functions that make arrays of Python objects, or whose arguments Python has to sort out first."""

import sys
import warnings

import numpy

from . import _core, _delegates, _functions, _guests, _signatures
from ._fallback import (
    Exchange,
    by_array_alone,
    by_protocol,
    from_numpy,
    is_native,
    ndarray,
    run,
    taken,
    to_numpy,
    unfit,
)

_NoValue = numpy._NoValue


def array(
    object, dtype=None, *, copy=True, order=_NoValue, subok=_NoValue, ndmin=0, ndmax=_NoValue, like=_NoValue
) -> ndarray:
    """array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)

    Create an array of numbers, nested lists of numbers, or another array, which is copied.

    The dtype is the one that NumPy finds. What weft has no dtype for (strings, objects, dates) becomes
    NumPy's own array.
    """
    if dtype is None and copy is True and order is subok is ndmax is like is _NoValue and ndmin == 0:
        made = _rows(object)
        if made is not None:
            return made
    copy = _copy_mode(copy)
    made, copy = (object, copy) if type(object) is ndarray else _asked(object, copy)
    if type(made) is ndarray:
        if dtype is not None and copy is True and order is subok is ndmax is like is _NoValue and ndmin == 0:
            return made.astype(dtype)  # which tells what it comes to
        more = ndmin - made.ndim if type(ndmin) is int and ndmin <= 32 else 0
        if more > 0:  # a view of the array
            laid = _functions.array(made, dtype, copy=copy, order=order, subok=subok, ndmax=ndmax, like=like)
            return _with_more_axes(laid, more, order) if type(laid) is ndarray else laid[(None,) * more]
        return _functions.array(made, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, ndmax=ndmax, like=like)
    options = {"ndmin": ndmin, "copy": copy, "order": order, "subok": subok, "ndmax": ndmax, "like": like}
    return _from_objects("array", numpy.array, object if made is None else made, dtype, options)


def _with_more_axes(array, more, order):
    """A view with axes of one element before those of an array: NumPy has their steps be as long as all of it, or as one element where the order of
    Fortran is asked for, or is all that it has."""
    flags = array.flags
    step = array.itemsize if order == "F" or not array.ndim or (flags.f_contiguous and not flags.c_contiguous) else array.strides[0] * array.shape[0]
    return _core.view_at(array, array.dtype, 0, (1,) * more + array.shape, (step,) * more + array.strides, array.flags.writeable)


def asarray(a, dtype=None, order=_NoValue, *, device=_NoValue, copy=None, like=_NoValue) -> ndarray:
    """asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)

    Convert the input to an array. A weft array of the right dtype is returned itself. The array made of a NumPy array of that dtype, or
    of an object with a buffer, has its memory: who writes to either is seen by both.
    """
    if dtype is None and copy is not False and order is device is like is _NoValue:
        made = _rows(a)
        if made is not None:
            return made
    made, copy = (a, _copy_mode(copy)) if type(a) is ndarray else _asked(a, _copy_mode(copy))
    if type(made) is ndarray:
        if dtype is None and order is device is _NoValue and copy is not True:
            return made
        if dtype is not None and copy is not False and order is device is like is _NoValue:
            return made.astype(dtype, copy=copy is True)
        return _functions.asarray(made, dtype, order, device=device, copy=copy, like=like)
    return _from_objects("asarray", numpy.asarray, a if made is None else made, dtype, {"order": order, "device": device, "copy": copy, "like": like})


def asanyarray(a, dtype=None, order=_NoValue, *, device=_NoValue, copy=None, like=_NoValue) -> ndarray:
    """asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)

    Convert the input to an array; NumPy's subclasses of ndarray are passed through.
    """
    made, copy = (a, _copy_mode(copy)) if type(a) is ndarray else _asked(a, _copy_mode(copy))
    if type(made) is ndarray:
        return asarray(made, dtype, order, device=device, copy=copy, like=like)
    options = {"order": order, "device": device, "copy": copy, "like": like}
    return _from_objects("asanyarray", numpy.asanyarray, a if made is None else made, dtype, options)


def ascontiguousarray(a, dtype=None, *, like=_NoValue) -> ndarray:
    """ascontiguousarray(a, dtype=None, *, like=None)

    Return an array with at least one dimension that lies in memory in C order, itself where it does already.
    """
    if like is not _NoValue and like is not None:
        return run("ascontiguousarray", numpy.ascontiguousarray, (a, dtype), {"like": like})
    made = asarray(a, dtype)
    if type(made) is not ndarray:
        return numpy.ascontiguousarray(made)
    if made.ndim == 0:
        return made.reshape(1)
    return made if made._contiguous else made.copy()


def asfortranarray(a, dtype=None, *, like=None) -> ndarray:
    """asfortranarray(a, dtype=None, *, like=None)

    Return an array that lies in memory in Fortran order, itself where it does already.
    """
    if like is not None:
        return run("asfortranarray", numpy.asfortranarray, (a, dtype), {"like": like})
    made = asarray(a, dtype)
    if type(made) is not ndarray:
        return numpy.asfortranarray(made)
    if made.ndim == 0:
        return made.reshape(1)
    return made if made.flags.f_contiguous else _functions.array(made, order="F")


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """fromfunction(function, shape, *, dtype=float, like=None, **kwargs)

    Call a function with an array of coordinates for each axis of a shape.
    """
    if like is not None:
        return run("fromfunction", numpy.fromfunction, (function, shape), {"dtype": dtype, "like": like, **kwargs})
    indices = sys.modules[__package__].indices  # which the package looks up when it is first asked for
    return function(*indices(shape, dtype=dtype), **kwargs)


def _rows(items):
    """What NumPy makes of a list of vectors of one length, if they are weft arrays: without a wait for them. Else None."""
    if type(items) not in (list, tuple) or not items or type(items[0]) is not ndarray or items[0].ndim != 1:
        return None
    size = items[0].size
    if all(type(row) is ndarray and row.ndim == 1 and row.size == size for row in items):
        return _functions.stack(items)
    return None


_TAKES_NO_COPY = (
    "__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ must implement 'dtype' and 'copy' keyword arguments. "
    "To learn more, see the migration guide https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword"
)


_NO_COPY = (
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).\n"
    "For more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword."
)


def _asked(value, copy):
    """The array that value.__array__() gives, or None as of by_protocol, and what of copy= is left to do: nothing, where it was asked for a copy."""
    if _guests.is_guest(value):
        return (_guests.copied if copy else _guests.adopt)(value), copy
    if copy is None or not by_array_alone(type(value)):
        return by_protocol(value), copy
    try:
        made = value.__array__(copy=copy)
        copy = copy and None
    except TypeError as error:
        if "__array__() got an unexpected keyword argument 'copy'" not in str(error):
            raise
        warnings.warn(_TAKES_NO_COPY, DeprecationWarning, stacklevel=3)
        made = value.__array__()
        if copy is False:
            raise ValueError(_NO_COPY) from None
    return (made if type(made) in (ndarray, numpy.ndarray) else None), copy


def _copy_mode(copy):
    """copy= as True, False or None, which means where it is needed."""
    if copy is True or copy is None or copy is False:
        return copy
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    return None if copy is numpy._CopyMode.IF_NEEDED else bool(copy)


def _from_objects(name, function, value, dtype, options):
    """NumPy makes an array of Python objects, and weft takes it over."""
    options = {key: option for key, option in options.items() if option is not _NoValue}
    if "like" in options:
        usual = getattr(FUNCTIONS[name], "_python", FUNCTIONS[name]).__kwdefaults__
        options = {key: option for key, option in options.items() if key not in usual or option is not usual[key]}
        return run(name, function, (value,) if dtype is None else (value, dtype), options)
    objects = dtype is object or isinstance(dtype, (str, numpy.dtype)) and numpy.dtype(dtype).hasobject
    made = function(value if objects else Exchange().to_numpy(value), dtype, **options)  # an array may be such an object itself
    if type(made) is not numpy.ndarray or not is_native(made.dtype):
        return made
    if options.get("copy"):
        return from_numpy(made) if made.base is None else Exchange().to_weft(made)  # of a number, say, with axes before it
    return taken(made, value)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=_NoValue) -> ndarray:
    """frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None)

    Interpret a buffer as a 1-dimensional array, which has its memory: who writes to either is seen by both.
    """
    if like is not _NoValue:
        return run("frombuffer", numpy.frombuffer, (buffer, dtype, count, offset), {"like": like})
    return taken(numpy.frombuffer(to_numpy(buffer), to_numpy(dtype), count, offset), buffer)


def from_dlpack(x, /, *, device=None, copy=None) -> ndarray:
    """from_dlpack(x, /, *, device=None, copy=None)

    Create an array from an object that implements __dlpack__. It has the object's memory, unless copy is True.
    """
    if type(x) is ndarray and device in (None, "cpu") and not copy:
        return x[...]
    if _guests.is_tensor(x):
        return _guests.from_dlpack(x, device, copy)
    made = numpy.from_dlpack(to_numpy(x), device=device, copy=copy)
    return from_numpy(made) if copy else taken(made, x)


def arange(start=_NoValue, stop=None, step=1, dtype=None, *, device=_NoValue, like=_NoValue) -> ndarray:
    """arange([start,] stop[, step,], dtype=None, *, device=None, like=None)

    Return evenly spaced values within a given interval: start is included, stop is not.
    """
    if start is _NoValue:
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start = 0
    step = 1 if step is None else step
    if device is like is _NoValue:  # said of neither, so that NumPy may have the call as it is, of dates for one
        return _functions.arange(start, stop, step, dtype=dtype)
    return _functions.arange(start, stop, step, dtype=dtype, device=device, like=like)


def real(val):
    """real(val)

    Return the real part of the argument: a view of an array, a number of a number.
    """
    return val.real if hasattr(val, "real") else _functions.real(val)


def imag(val):
    """imag(val)

    Return the imaginary part of the argument: a view of a complex array, a number of a number.
    """
    return val.imag if hasattr(val, "imag") else _functions.imag(val)


def _fromiter(iter, dtype, count=-1, *, like=None):
    return run("fromiter", numpy.fromiter, (iter, dtype, count), {"like": like})


_fromiter.__name__ = _fromiter.__qualname__ = "fromiter"

# What replaces the function of the table in the package.
_OWN = (array, asarray, asanyarray, ascontiguousarray, asfortranarray, frombuffer, fromfunction, _fromiter, from_dlpack, arange, real, imag)
FUNCTIONS = {f.__name__: f for f in _OWN}
FUNCTIONS |= {name: _functions.FUNCTIONS[name] for name in ("atleast_1d", "atleast_2d", "atleast_3d", "einsum", "shape", "ndim", "size")}
for _function in FUNCTIONS.values():
    _function._numpy = getattr(numpy, _function.__name__)
    _function._odd = unfit(_function.__name__, _function._numpy)
    _signatures.tell(_function, _function._numpy)
_numbers = [_name for _name, _, _ in _functions.TABLE]
FUNCTIONS["arange"] = arange = _core.shortcut(arange, "range", _numbers.index("arange"), 2)
for _name in ("shape", "ndim", "size"):
    FUNCTIONS[_name] = _delegates.extent(_name, FUNCTIONS[_name], _numbers.index(_name))
for _name in ("real", "imag"):
    FUNCTIONS[_name] = globals()[_name] = _core.shortcut(FUNCTIONS[_name], "attribute", _name, True)
FUNCTIONS["fromiter"] = _core.shortcut(_fromiter, "made", _delegates.told("fromiter"), 2)
for _name in ("ascontiguousarray", "asfortranarray"):
    FUNCTIONS[_name] = _core.shortcut(FUNCTIONS[_name], "order", _name == "asfortranarray", True)
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    FUNCTIONS[_name] = _core.shortcut(_delegates.shortcut(_name, FUNCTIONS[_name]), "axes", int(_name[8]), True)
FUNCTIONS["from_dlpack"] = _delegates.fitting(from_dlpack)
FUNCTIONS["frombuffer"] = _core.shortcut(frombuffer, "buffer", numpy.frombuffer, 2)
FUNCTIONS["einsum"] = _core.shortcut(FUNCTIONS["einsum"], "einsum", None, True)
for _name in ("array", "asarray", "asanyarray"):  # lists of numbers take no Python frame; those that weft does not read are NumPy's
    _of_few = _core.shortcut(FUNCTIONS[_name], "few", _delegates.told(_name), 2)
    FUNCTIONS[_name] = globals()[_name] = _core.shortcut(_of_few, "numbers", _name != "array", 2)
