"""NumPy arrays and weft arrays over the same memory.

Memory that weft does not own is lent to it: a weft array over it is of host memory that others may read and write at
any time. So each operation on it is complete when the call returns, and no device keeps its bytes any longer.
"""

import numpy

from . import _core

# The numbers of arrays.Access.
_READ_ONLY, _LOCKABLE, _READ_WRITE = range(3)

_WRITABLE = 0x400  # a bit of NumPy's flags.num


def writable(array):
    """Whether a NumPy array may be written, which its flags.writeable says with a warning of what broadcast_arrays made."""
    return bool(array.flags.num & _WRITABLE)


def address(array):
    """Where the first element of a NumPy array is."""
    return array.__array_interface__["data"][0]


def share(array):
    """A weft array over the memory of a NumPy array, or None where there can be none.

    There is none for other dtypes than weft's, for elements that are not aligned, for elements to write to that overlap each
    other, for bools that are neither 0 nor 1, and for memory that lies partly in that of another such array.
    """
    if not array.size:
        made = _core.from_host(array) if array.dtype.isnative else None
        if made is not None:
            _core.based(made, _base(array)).flags.writeable = writable(array)
        return made
    if not array.dtype.isnative or (array.dtype == bool and bool((array.view(numpy.uint8) > 1).any())):
        return None
    made = _core.borrow(array)
    if made is not None:
        return made
    owner = array
    while isinstance(owner.base, numpy.ndarray):
        owner = owner.base
    low, high = _whole(owner, *numpy.lib.array_utils.byte_bounds(owner))
    first, last = numpy.lib.array_utils.byte_bounds(array)  # as_strided may reach farther than what it views
    low, high = min(low, first), max(high, last)
    access = _READ_WRITE if writable(array) else _LOCKABLE if owner.flags.writeable else _READ_ONLY
    return _core.share(array, low, high - low, array.dtype, address(array) - low, array.shape, array.strides, access, _base(array))


def known(array):
    """A weft array over the memory of a NumPy array where there are such arrays already, or None."""
    if not array.dtype.isnative or not array.size or array.dtype == bool or not _core.is_known(array):
        return None
    low, high = numpy.lib.array_utils.byte_bounds(array)
    access = _READ_WRITE if writable(array) else _LOCKABLE
    return _core.share(None, low, high - low, array.dtype, address(array) - low, array.shape, array.strides, access, _base(array))


def _base(array):
    """What NumPy would say that a view of a NumPy array's memory is a view of."""
    return array if array.base is None else _core.held_array(array.base)


def _whole(owner, low, high):
    """The bytes of the object whose buffer an array is made of: other arrays may be made of other parts of it."""
    if type(owner.base) is memoryview and owner.base.obj is not None:
        try:
            buffer = numpy.frombuffer(owner.base.obj, numpy.uint8)
        except (TypeError, ValueError, BufferError):
            return low, high  # a buffer that is empty or not contiguous
        start = address(buffer)
        if start <= low and high <= start + buffer.size:
            return start, start + buffer.size
    return low, high


def view_of(pairs, array):
    """The view of a weft array that a NumPy array is, or None.

    pairs are NumPy arrays that weft arrays have given away, and these.
    """
    if not array.size:
        return None
    first, last = _bounds(array)
    for given, own in pairs:
        low, high = _bounds(given)
        if low <= first and last <= high and given.size:
            offset = array.ctypes.data - given.ctypes.data
            made = _core.view_at(own, array.dtype, offset, array.shape, array.strides, writable(array))
            if made is not None and array.flags.num < 0:  # the bit of what broadcast_arrays made, of whose writes NumPy warns
                made._warns = True
            return made
    return None


def _bounds(array):
    """The addresses of the first byte of an array's elements, and behind the last.

    NumPy's byte_bounds reads __array_interface__, which warns where the array is a broadcast one that may still be written.
    """
    reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    start = array.ctypes.data
    return start + sum(min(r, 0) for r in reach), start + sum(max(r, 0) for r in reach) + array.itemsize
