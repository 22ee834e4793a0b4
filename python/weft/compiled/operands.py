"""Arguments of compiled functions: weft's arrays, and what becomes one."""

import numpy

from .. import _core, _hooks


def is_ours(value) -> bool:
    """Whether a value is one of weft's arrays: isinstance says so of NumPy's, too."""
    return type(value) is _core.ndarray


def ours(value, what):
    """A weft array of what NumPy would make an array of; TypeError, in which what names it, where weft has none."""
    if is_ours(value):
        return value
    array = numpy.asarray(value)
    if not _hooks.is_native(array.dtype):
        raise TypeError(f"{what} is an array of {array.dtype}, which compiled functions do not take")
    return _hooks.from_numpy(array)
