"""Arrays on devices. All of weft's arrays are: they move to where they are used, and what they are called here is one."""

import contextlib

import numpy

from .. import _core, _guests
from ..compiled import lacking
from ..compiled.errors import UnsupportedError
from ..compiled.operands import is_ours, ours
from .records import DeviceRecords, check_compatible, empty_records, is_structured, records_of

__all__ = [
    "as_cuda_array",
    "In",
    "InOut",
    "Out",
    "device_array",
    "device_array_like",
    "from_cuda_array_interface",
    "is_cuda_array",
    "managed_array",
    "managed_array_like",
    "mapped",
    "mapped_array",
    "mapped_array_like",
    "open_ipc_array",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "to_device",
]


class Argument:
    """An argument of a kernel that lies in the host's memory, with what is done with it: see In, Out and InOut."""

    back = True  # what the kernel writes is copied back

    def __init__(self, value):
        self.value = value


class In(Argument):
    """An array that the kernel only reads: nothing is copied back."""

    back = False


class Out(Argument):
    """An array that the kernel only writes."""


class InOut(Argument):
    """An array that the kernel reads and writes."""


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of an array for kernels: one of weft's arrays. With to=, a device array, the copy goes into it."""
    if to is not None:
        to[...] = obj
        return to
    if is_structured(obj):
        return records_of(obj)
    if _guests.is_guest(obj):
        obj = (_guests.copied if copy else _guests.adopt)(obj)
    if is_ours(obj):
        return _guests.place(obj.copy() if copy else obj)
    return _guests.place(ours(obj, "what to_device copies"))


def device_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0):
    """A new array for kernels, whose elements are undefined. strides says how many bytes apart they are along each axis."""
    import weft

    dtype = numpy.dtype(dtype)  # a list of fields is one, too
    if dtype.names:
        if strides is not None:
            raise UnsupportedError("strides= of an array of records: each field is an array of its own, in the order of C")
        return empty_records(shape, dtype)
    if strides is not None:
        return _strided(shape, dtype, strides)
    return _unwritten(weft.empty(shape, dtype=dtype, order=order))


def _strided(shape, dtype, strides):
    """A new array in whose memory elements have these distances."""
    import weft

    shape, strides = ((v,) if hasattr(v, "__index__") else tuple(v) for v in (shape, strides))
    if len(shape) != len(strides) or any(s < 0 or s % dtype.itemsize for s in strides):
        raise ValueError(f"strides {strides} of an array of shape {shape}; want a multiple of {dtype.itemsize} for each axis, 0 or more")
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) // dtype.itemsize
    whole = _unwritten(weft.empty(0 if 0 in shape else last + 1, dtype=dtype))
    return weft.lib.stride_tricks.as_strided(whole, shape, strides)


def _unwritten(array):
    """A new array, which nothing has written; kernels with debug=True then look at what they read of it."""
    _core.compiled("empty", array)
    return _guests.place(array)


def device_array_like(ary, stream=0):
    """A new array for kernels like another one."""
    import weft

    if isinstance(ary, DeviceRecords) or is_structured(ary):
        return empty_records(ary.shape, ary.dtype)
    return _unwritten(weft.empty_like(ours(ary, "the array")))


pinned_array, pinned_array_like = device_array, device_array_like


def mapped_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0, portable=False, wc=False):
    """A new array that the host and kernels use, as all of weft's are."""
    return device_array(shape, dtype, strides, order, stream)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """A new array like another one, that the host and kernels use."""
    return device_array_like(ary, stream)


def managed_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0, attach_global=True):
    """A new array that moves to where it is used, as all of weft's do."""
    return device_array(shape, dtype, strides, order, stream)


managed_array_like = device_array_like


def is_cuda_array(obj) -> bool:
    """Whether kernels take it without a copy."""
    return is_ours(obj) or _guests.is_guest(obj)


def copy_to_host(array, ary=None, stream=0):
    """A copy of an array in the host's memory, of NumPy's type; or into ary."""
    if ary is None:
        return numpy.array(array)
    check_compatible(array, ary)
    ary[...] = numpy.asarray(array).reshape(ary.shape)
    return ary


def copy_to_device(array, ary, stream=0):
    """Set an array's elements to those of another one."""
    ary = ary if hasattr(ary, "dtype") else numpy.asarray(ary)
    if ary.size == 0:
        return
    check_compatible(array, ary)
    array[...] = ary.reshape(array.shape)


# What arrays have as methods beyond NumPy's.
METHODS = (
    "copy_to_host", "copy_to_device", "is_c_contiguous", "is_f_contiguous", "getitem", "setitem", "split", "bind", "get_ipc_handle", "alloc_size",
)  # fmt: skip


def is_c_contiguous(array) -> bool:
    """Whether an array's elements lie in the order of C without gaps."""
    return array.flags.c_contiguous


def is_f_contiguous(array) -> bool:
    """Whether they lie in the order of Fortran without gaps."""
    return array.flags.f_contiguous


def getitem(array, item, stream=0):
    """What array[item] is."""
    return array[item]


def setitem(array, key, value, stream=0):
    """Set array[key]."""
    array[key] = value


def split(array, section, stream=0):
    """Views of an array of one axis, of so many elements each; the last one has what is left."""
    if array.ndim != 1:
        raise NotImplementedError("only support 1d array")
    if section < 1:
        raise ValueError(f"split by {section} elements; want 1 or more")
    return [array[at : at + section] for at in range(0, array.size, section)]


def bind(array, stream=0):
    """The array: what is done with it is in order in any stream."""
    return array


@property
def alloc_size(array):
    """The bytes of an array's elements."""
    return array.nbytes


def refused(name):
    """The attribute of Numba's arrays that weft's have not: it raises an AttributeError that says why."""

    def get(array):
        raise lacking.error("Array", name, "an array")

    return property(get)


def get_ipc_handle(array):
    """Refuse handles for other processes: arrays move between devices, so that none has an address to keep."""
    raise UnsupportedError("get_ipc_handle: weft's arrays have no address that stays; hand numpy.asarray(array) over, or save it")


def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Refuse memory of other processes."""
    raise UnsupportedError("open_ipc_array: arrays are in weft's memory; memory of another process is not taken")


def from_cuda_array_interface(desc, owner=None, sync=True):
    """An array over memory on a GPU that a __cuda_array_interface__ tells of, and owner keeps; sync waits for its stream."""
    if not _core.shares():
        raise UnsupportedError("from_cuda_array_interface: weft runs on the CPUs, or on emulated GPUs, and comes to no address on a GPU")
    return _guests.of_interface(desc, owner, sync)


def as_cuda_array(obj, sync=True):
    """An array that kernels take without a copy, as it is; other libraries find it on a GPU, and theirs is shared."""
    if is_ours(obj):
        return _guests.place(obj)
    if not _guests.is_guest(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return _guests.adopt(obj, sync)


@contextlib.contextmanager
def pinned(*arrays):
    """A context in which arrays of the host's are copied faster: the memory is weft's to pin."""
    yield


@contextlib.contextmanager
def mapped(*arrays, stream=0):
    """A context with arrays of weft's for arrays of the host's, to which what kernels wrote goes back at the end."""
    made = [ours(numpy.array(a), "a mapped array") for a in arrays]
    yield made[0] if len(made) == 1 else made
    for host, array in zip(arrays, made, strict=True):
        host[...] = numpy.asarray(array)
