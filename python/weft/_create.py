"""Functions that make arrays of Python objects, or whose arguments Python has to sort out first."""

import numpy

from . import _functions
from ._fallback import Exchange, by_protocol, from_numpy, is_native, ndarray

_NoValue = numpy._NoValue


def array(
    object, dtype=None, *, copy=True, order=_NoValue, subok=_NoValue, ndmin=0, ndmax=_NoValue, like=_NoValue
) -> ndarray:
    """array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)

    Create an array of numbers, nested lists of numbers, or another array, which is copied.

    The dtype is the one that NumPy finds. What weft has no dtype for (strings, objects, dates) becomes
    NumPy's own array.
    """
    made = object if type(object) is ndarray else by_protocol(object)
    if made is not None:
        return _functions.array(made, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, ndmax=ndmax, like=like)
    options = {"ndmin": ndmin, "copy": copy, "order": order, "subok": subok, "ndmax": ndmax, "like": like}
    return _from_objects("array", numpy.array, object, dtype, options)


def asarray(a, dtype=None, order=_NoValue, *, device=_NoValue, copy=None, like=_NoValue) -> ndarray:
    """asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)

    Convert the input to an array. A weft array of the right dtype is returned itself; a NumPy array is copied.
    """
    made = a if type(a) is ndarray else by_protocol(a)
    if made is not None:
        if made._scalar and copy is False:
            return numpy.asarray(0.0, copy=False)  # raises: NumPy's words change
        if dtype is None and order is _NoValue and copy is not True and not made._scalar:
            return made
        return _functions.asarray(made, dtype, order, device=device, copy=copy, like=like)
    return _from_objects("asarray", numpy.asarray, a, dtype, {"order": order, "device": device, "copy": copy, "like": like})


def asanyarray(a, dtype=None, order=_NoValue, *, device=_NoValue, copy=None, like=_NoValue) -> ndarray:
    """asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)

    Convert the input to an array; NumPy's subclasses of ndarray are passed through.
    """
    made = a if type(a) is ndarray else by_protocol(a)
    if made is not None:
        return asarray(made, dtype, order, device=device, copy=copy, like=like)
    options = {"order": order, "device": device, "copy": copy, "like": like}
    return _from_objects("asanyarray", numpy.asanyarray, a, dtype, options)


def ascontiguousarray(a, dtype=None, *, like=_NoValue) -> ndarray:
    """ascontiguousarray(a, dtype=None, *, like=None)

    Return an array with at least one dimension that lies in memory in C order, itself where it does already.
    """
    made = asarray(a, dtype, like=like)
    if type(made) is not ndarray:
        return numpy.ascontiguousarray(made)
    if made.ndim == 0:
        return made.reshape(1)
    return made if made._contiguous else made.copy()


def _from_objects(name, function, value, dtype, options):
    """NumPy makes an array of Python objects, and weft takes it over."""
    options = {key: option for key, option in options.items() if option is not _NoValue}
    made = function(Exchange().to_numpy(value), dtype, **options)
    if type(made) is numpy.ndarray and is_native(made.dtype):
        return from_numpy(made)
    return made


def arange(start=_NoValue, stop=None, step=1, dtype=None, *, device=_NoValue, like=_NoValue) -> ndarray:
    """arange([start,] stop[, step,], dtype=None, *, device=None, like=None)

    Return evenly spaced values within a given interval: start is included, stop is not.
    """
    if start is _NoValue:
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start = 0
    return _functions.arange(start, stop, 1 if step is None else step, dtype=dtype, device=device, like=like)


# What replaces the function of the table in the package.
FUNCTIONS = {f.__name__: f for f in (array, asarray, asanyarray, ascontiguousarray, arange)}
