"""Changes of an array's own layout: what assignments to its shape, dtype and strides do, and its resize."""

import contextlib
import math
import operator
import warnings

import numpy

from . import _core, _functions
from ._sharing import address

ndarray = _core.ndarray

_NO_ROOM = "strides is not compatible with available memory"
_MOST_AXES = 32  # arrays.maxDims


def _within_limit(shape):
    """Raise an error where an array of weft's cannot have so many axes."""
    if len(shape) > _MOST_AXES:
        numpy.empty(shape, "V0")  # raises where they are too many for NumPy, too
        raise ValueError(
            f"an array of weft's cannot become one of {len(shape)} dimensions, more than {_MOST_AXES}; x.reshape(shape) makes one of NumPy's, of up to 64"
        )


def read_shape(array, shape):
    """The extents that NumPy reads from what is given as a shape of an array, or its error.

    What NumPy sets the shape of has elements without bytes, so that it takes no memory.
    """
    stand_in = numpy.empty(array.shape, "V0")
    stand_in.shape = shape
    _within_limit(stand_in.shape)
    return stand_in.shape


def set_dtype(array, dtype):
    """array.dtype = dtype: the array's own bytes as other elements."""
    try:
        dtype = numpy.dtype(dtype)
    except (TypeError, ValueError):
        raise TypeError("invalid data-type for array") from None
    made = array.view(dtype)
    if type(made) is not ndarray:
        raise TypeError(
            f"an array of weft's cannot become one of dtype {dtype.str!r}, which weft has not; x.view({dtype.str!r}) makes one of NumPy's over its memory"
        )
    array._become(made)


def set_strides(array, strides):
    """array.strides = strides, which NumPy warns of."""
    warnings.warn(
        "Setting the strides on a NumPy array has been deprecated in NumPy 2.4.\n"
        "As an alternative, you can create a new view using np.lib.stride_tricks.as_strided.",
        DeprecationWarning,
        stacklevel=2,
    )
    try:
        steps = tuple(map(operator.index, strides)) if numpy.iterable(strides) else (operator.index(strides),)
    except TypeError:
        raise TypeError("invalid strides") from None
    if len(steps) != array.ndim:
        raise ValueError(f"strides must be  same length as shape ({array.ndim})")
    owner = array
    while isinstance(owner.base, (ndarray, numpy.ndarray)):
        owner = owner.base
    before = address(numpy.asarray(array)) - address(numpy.asarray(owner))
    reaches = [step * (extent - 1) for step, extent in zip(steps, array.shape, strict=True)] if array.size else []
    low, high = sum(reach for reach in reaches if reach < 0), sum(reach for reach in reaches if reach > 0)
    if array.size and (before + low < 0 or before + high + array.itemsize > owner.nbytes):
        raise ValueError(_NO_ROOM)
    made = _core.view_at(array, array.dtype, 0, array.shape, steps, array._writable)
    if made is None:
        step = array.itemsize // (2 if array.dtype.kind == "c" else 1)
        raise ValueError(
            f"an array of weft's cannot have the strides {steps}, which are not all multiples of {step} bytes; "
            "np.lib.stride_tricks.as_strided(x, strides=strides) makes one of NumPy's over its memory"
        )
    array._become(made)


def warn_of_writing(array, level=3):
    """Warn, once, of the first write to an array that broadcast_arrays made, so many frames up."""
    array._warns = False
    warnings.warn(
        "Numpy has detected that you (may be) writing to an array with\n"
        "overlapping memory from np.broadcast_arrays. If this is intentional\n"
        "set the WRITEABLE flag True or make a copy immediately before writing.",
        DeprecationWarning,
        stacklevel=level,
    )


_CHECKS = {"refcheck"}


def resize(array, new_shape, options, held, watched):
    """array.resize(*new_shape, refcheck=True): another size in place; what is added is zero.

    held says that something else than the caller refers to the array, watched that a weak reference does. Views of the array, which may exist with
    refcheck=False, keep the old memory.
    """
    if (
        len(new_shape) == 1
        and type(new_shape[0]) is int
        and new_shape == array.shape
        and options.keys() <= _CHECKS
        and options.get("refcheck", True) in (False, True)
        and array.flags.forc
    ):
        return  # which it has
    refcheck = options.pop("refcheck", True)
    for name in options:
        raise TypeError(f"'{name}' is an invalid keyword argument for this function")
    refcheck = operator.index(refcheck)
    shape = new_shape[0] if len(new_shape) == 1 else new_shape
    if not new_shape or shape is None:
        return
    with contextlib.suppress(ValueError):  # of negative extents, which is told below
        numpy.empty(0, "V0").resize(
            *new_shape, refcheck=False
        )  # NumPy reads what is given as a shape; these elements take no memory
    shape = tuple(map(operator.index, shape)) if numpy.iterable(shape) else (operator.index(shape),)
    flags = array.flags
    if not flags.forc:
        raise ValueError("resize only works on single-segment arrays")
    if min(shape, default=0) < 0:
        raise ValueError("negative dimensions not allowed")
    _within_limit(shape)
    turned, writable = not flags.c_contiguous, array._writable
    if array.size != math.prod(shape):
        if not flags.owndata or array._owner == 0:
            raise ValueError("cannot resize this array: it does not own its data")
        if watched or refcheck and (held or array._owner == 1):
            raise ValueError(
                "cannot resize an array that references or is referenced\n"
                "by another object in this way.\n"
                "Use the np.resize function to get a new resized copy or\n"
                " set refcheck=False to disable this check"
            )
    array._become(_resized(array.T, shape[::-1]).T if turned else _resized(array, shape))
    if not writable:
        array._writable = False


def _resized(array, shape):
    """The elements of an array in the order of C, in another shape of as many or another number: a view, or a new array."""
    if array.size == math.prod(shape):
        return array.reshape(shape)
    made = _functions.zeros(shape, array.dtype)
    n = min(array.size, made.size)
    if n:
        made.reshape(-1)[:n] = array.reshape(-1)[:n]
    return made
