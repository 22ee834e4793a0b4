"""A stand-in for CuPy, PyTorch and their like: a library of the same process with arrays on a GPU, which it fills and reads in streams of its
own. It knows nothing of weft but the protocols, and goes straight to the driver. Tests run it over the fake driver."""

import ctypes
import math
import os

import numpy

driver = ctypes.CDLL(os.environ["WEFT_LIBCUDA"])
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


def call(name, *args):
    status = getattr(driver, name)(*args)
    assert status == 0, f"{name}: {status}"


def made(name, *args):
    out = ctypes.c_uint64()
    call(name, ctypes.byref(out), *args)
    return out.value


call("cuInit", 0)
contexts = [made("cuDevicePrimaryCtxRetain", device) for device in (0, 1)]


def on(device):
    """Have a device current, as CuPy and PyTorch do by thread."""
    call("cuCtxSetCurrent", ctypes.c_uint64(contexts[device]))


def current():
    return made("cuCtxGetCurrent")


on(0)
freed = []  # the arrays that were given back


class Memory:
    """Elements on a GPU, and a stream."""

    def __init__(self, shape, dtype, device=0, stream=None, address=None, strides=None, owner=None):
        self.shape, self.dtype, self.device, self.strides, self.owner = tuple(shape), numpy.dtype(dtype), device, strides, owner
        before, self.own = current(), address is None
        on(device)
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize
        self.address = made("cuMemAlloc_v2", ctypes.c_size_t(max(self.nbytes, 1))) if self.own else address
        self.stream = made("cuStreamCreate", 1) if stream is None else stream
        self.made_stream = stream is None
        call("cuCtxSetCurrent", ctypes.c_uint64(before))
        self.host = (ctypes.c_char * max(self.nbytes, 1))()  # that copies read from, later
        self.more = {}

    @classmethod
    def of(cls, values, **options):
        """An array with values, which are copied when the stream comes to it."""
        values = numpy.asarray(values, order="C")
        made_ = cls(values.shape, values.dtype, **options)
        made_.write(values)
        return made_

    def write(self, values):
        """Set the elements in the array's stream: not yet when this returns."""
        ctypes.memmove(self.host, numpy.ascontiguousarray(values, self.dtype).ctypes.data, self.nbytes)
        call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.address), self.host, ctypes.c_size_t(self.nbytes), ctypes.c_uint64(self.stream))

    def copied_from(self, other):
        """Copy another array's elements in this array's stream."""
        call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(self.address), ctypes.c_uint64(other.address), ctypes.c_size_t(self.nbytes), ctypes.c_uint64(self.stream))

    def get(self):
        """The elements, read in the array's stream."""
        back = numpy.empty(self.shape, self.dtype)
        call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(back.ctypes.data), ctypes.c_uint64(self.address), ctypes.c_size_t(self.nbytes), ctypes.c_uint64(self.stream))
        call("cuStreamSynchronize", ctypes.c_uint64(self.stream))
        return back

    def free(self):
        """Give the memory back, although others may use it."""
        self.own = False
        call("cuStreamSynchronize", ctypes.c_uint64(self.stream))
        call("cuMemFree_v2", ctypes.c_uint64(self.address))

    def __del__(self):
        before = current()
        on(self.device)
        if self.made_stream:
            call("cuStreamSynchronize", ctypes.c_uint64(self.stream))
            call("cuStreamDestroy_v2", ctypes.c_uint64(self.stream))
        if self.own:
            call("cuMemFree_v2", ctypes.c_uint64(self.address))
        call("cuCtxSetCurrent", ctypes.c_uint64(before))
        freed.append(self.shape)


class Array(Memory):
    """An array that other libraries take by its __cuda_array_interface__, as CuPy's."""

    @property
    def base(self):
        """What the array is a view of, which CuPy's tell."""
        return self.owner if isinstance(self.owner, Memory) else None

    @property
    def __cuda_array_interface__(self):
        told = {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "strides": self.strides, "version": 3, "stream": self.stream}
        return told | self.more


def asarray(other):
    """An array over the memory of an object's that has __cuda_array_interface__, as CuPy's asarray makes one."""
    told = other.__cuda_array_interface__
    assert told["version"] == 3 and told.get("mask") is None and told.get("stream") != 0
    if told.get("stream") is not None:
        call("cuStreamSynchronize", ctypes.c_uint64(told["stream"]))
    return Array(told["shape"], told["typestr"], address=told["data"][0], strides=told["strides"], owner=other)


class _Plain(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Plain), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Plain)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_given = {}  # what consumers have
asked = []  # the streams that they named


@_Deleter
def _ended(at):
    del _given[at]


class Tensor(Memory):
    """An array that speaks DLPack alone, as PyTorch's tensors do. newest is the version of that, None from before there were any."""

    newest = (1, 0)
    code = None

    def __dlpack_device__(self):
        return (2, self.device)

    def __dlpack__(self, *, stream=None, **more):
        if more and self.newest is None:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        asked.append(stream)
        if stream not in (None, -1, self.stream):  # the consumer's waits for ours
            event = made("cuEventCreate", 2)
            call("cuEventRecord", ctypes.c_uint64(event), ctypes.c_uint64(self.stream))
            call("cuStreamWaitEvent", ctypes.c_uint64(stream), ctypes.c_uint64(event), 0)
            call("cuEventDestroy_v2", ctypes.c_uint64(event))
        n = len(self.shape)
        extents = (ctypes.c_int64 * max(n, 1))(*self.shape)
        steps = None if self.strides is None else (ctypes.c_int64 * max(n, 1))(*(s // self.dtype.itemsize for s in self.strides))
        code = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[self.dtype.kind] if self.code is None else self.code
        tensor = _Plain(self.address, 2, self.device, n, code, 8 * self.dtype.itemsize, 1, extents, steps, 0)
        deleter = ctypes.cast(_ended, ctypes.c_void_p)
        managed = _Managed(tensor, None, deleter) if self.newest is None else _Versioned(*self.newest, None, deleter, 0, tensor)
        at = ctypes.addressof(managed)
        _given[at] = (self, managed, extents, steps)
        return python.PyCapsule_New(at, b"dltensor" if self.newest is None else b"dltensor_versioned", None)


_USED = {name: b"used_" + name for name in (b"dltensor", b"dltensor_versioned")}


class _Taken:
    """What a consumer holds of a tensor, which it ends."""

    def __init__(self, managed):
        self.managed = managed

    def __del__(self):
        _Deleter(self.managed.deleter)(ctypes.addressof(self.managed))


def from_dlpack(other, stream=2, **options):
    """An array over the memory of an object's, by DLPack; stream is the one that it is going to be used in."""
    kind, device = other.__dlpack_device__()
    assert kind == 2, kind
    capsule = other.__dlpack__(stream=stream, **options)
    name, form = (b"dltensor_versioned", _Versioned) if options.get("max_version") else (b"dltensor", _Managed)
    managed = form.from_address(python.PyCapsule_GetPointer(capsule, name))
    python.PyCapsule_SetName(capsule, _USED[name])
    t, n = managed.tensor, managed.tensor.ndim
    dtype = numpy.dtype(f"{'iuf__cb'[t.code]}{t.bits // 8}" if t.code != 6 else bool)
    taken = Array(t.shape[:n], dtype, device=device, address=t.data + t.byte_offset, strides=tuple(s * dtype.itemsize for s in t.strides[:n]), owner=_Taken(managed))
    taken.flags = managed.flags if form is _Versioned else None
    return taken
