"""Arrays of other libraries on a GPU, and weft's arrays as these take them: __cuda_array_interface__ and DLPack, both ways.

A library of the same process, such as CuPy, PyTorch or numba.cuda, is a guest: the memory is shared, not copied. Its arrays become weft's,
which keep it alive; weft's arrays that are to be on a GPU (those of weft.cuda) are its to read and write for as long as it has them. What a
guest does it does in streams of its own, so that each operation of weft's on such an array waits for all that the GPU's streams were
given before, and is complete when the call returns.

    x = np.asarray(cupy_array)            shares memory
    y = np.from_dlpack(torch_tensor)      likewise
    cupy.asarray(cuda.as_cuda_array(z))   likewise
    np.array(cupy_array)                  a copy, to compute with at full speed
"""

import numpy

from . import _core, _functions

_CPU, _CUDA = (1, 0), 2  # DLPack's devices
_READ_ONLY, _COPIED = 1, 2  # and flags

ALL_STREAMS, NO_STREAM, LEGACY_STREAM = 0, None, 1

# DLPack's codes and bits by dtype.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_TENSORS = {
    numpy.dtype(name): (_CODES[numpy.dtype(name).kind], 8 * numpy.dtype(name).itemsize)
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
}
_DTYPES = {pair: dtype for dtype, pair in _TENSORS.items()}
_NAMES = {3: "opaque handles", 4: "bfloat16", 7: "float8", 8: "float8", 9: "float8", 10: "float8", 11: "float8", 12: "float8", 13: "float8", 14: "float8", 15: "float6", 16: "float6", 17: "float4"}


def is_guest(value) -> bool:
    """Whether a value is another library's array on a GPU, and weft has GPUs."""
    return hasattr(type(value), "__cuda_array_interface__") and type(value) is not _core.ndarray and _core.shares() and hasattr(value, "__cuda_array_interface__")


def is_tensor(value) -> bool:
    """Whether a value is another library's array on a GPU that speaks DLPack, and weft has GPUs."""
    kind = type(value)
    return kind is not _core.ndarray and hasattr(kind, "__dlpack_device__") and _core.shares() and value.__dlpack_device__()[0] == _CUDA


def adopt(value, sync=True):
    """A weft array over the memory of another library's."""
    whole = _whole(value, sync)  # for as long as that memory has no other array
    made = of_interface(value.__cuda_array_interface__, value, sync)
    del whole
    return made


def copied(value):
    """A weft array that is to be copied, and nothing else: the memory may lie partly in that of another array."""
    return of_interface(value.__cuda_array_interface__, value, apart=True)


def assigned(value):
    """A weft array that is read at once, in an assignment: of memory that cannot be shared a copy."""
    try:
        return adopt(value)
    except BufferError:
        return copied(value).copy()


def _whole(value, sync=True):
    """The memory, as bytes, of the array that another library's is a view of: so all views of it become views of one array here, in whatever order
    they come. None where the library does not tell that there is one, or the memory lies partly in that of another array."""
    whole = None
    base = _base(value)
    while base is not None:
        told = _told(base)
        whole, base = (base, *told) if told else whole, _base(base) if told else None
    if whole is None:
        return None
    owner, address, size, stream = whole
    most = _core.host_most()
    if most and size > most // _SHARE:
        return None
    try:
        return _core.adopt_guest(owner, address, size, numpy.dtype(numpy.uint8), 0, (size,), (1,), True, False, stream if sync else NO_STREAM)
    except Exception:  # what is wrong with the base is nothing to who has a view of it; and what is wrong with both, that of the view tells
        return None


# The part of the host's memory that an array may take of which other arrays are views, where that is limited: what the host reads of a view has its
# place in memory for the whole. Views of larger ones are arrays of their own, so that of two that overlap one is refused.
_SHARE = 4


def _base(value):
    """What an array is a view of, or None: CuPy tells by base, PyTorch by _base."""
    try:
        base = getattr(value, "base", None)
        return getattr(value, "_base", None) if base is None else base
    except (RecursionError, MemoryError):
        raise
    except Exception:  # whatever a property of another library's raises
        return None


def _told(base):
    """The first byte, the number of bytes and the stream of an array that others are views of; None of one that does not tell, as one of PyTorch's that
    takes part in automatic differentiation."""
    try:
        if not is_guest(base):
            return None
        desc = base.__cuda_array_interface__
        item = numpy.dtype(desc["typestr"]).itemsize
        low, high = _reach(desc["shape"], desc.get("strides") or _packed(desc["shape"], item), item)
        return None if 0 in desc["shape"] else (desc["data"][0] + low, high - low, desc.get("stream") if desc["version"] > 2 else ALL_STREAMS)
    except (RecursionError, MemoryError):
        raise
    except Exception:  # whatever a property of another library's raises
        return None


def of_interface(desc, owner, sync=True, apart=False):
    """A weft array over the memory that a __cuda_array_interface__ tells of, which owner keeps."""
    missing = [name for name in ("shape", "typestr", "data", "version") if name not in desc]
    if missing:
        raise BufferError(f"__cuda_array_interface__ of {_kind(owner)} lacks {', '.join(missing)}")
    version, mask, stream = desc["version"], desc.get("mask"), desc.get("stream")
    if version < 2:
        raise BufferError(f"__cuda_array_interface__ of {_kind(owner)} is of version {version}; weft takes 2 and later ones, as do CuPy 6 and PyTorch 1.2 on")
    if mask is not None:
        raise BufferError(f"{_kind(owner)} is masked: hand its data and its mask over as two arrays")
    if stream == 0:
        raise BufferError(f"__cuda_array_interface__ of {_kind(owner)} names stream 0, which may be the legacy stream (1) or the thread's (2)")
    dtype = numpy.dtype(desc["typestr"])
    if dtype.kind == "V":
        raise TypeError(f"{_kind(owner)} has structured or unknown elements ({desc['typestr']}): hand an array for each field over")
    if version < 3:
        stream = ALL_STREAMS  # which none is named of
    address, read_only = desc["data"]
    return _over(owner, address, tuple(desc["shape"]), desc.get("strides"), _known(dtype, owner), not read_only, stream if sync else NO_STREAM, apart)


def from_dlpack(value, device, copy):
    """A weft array over the memory of another library's tensor on a GPU, or a copy."""
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
    if device == "cpu" and copy is False:
        raise BufferError(f"{_kind(value)} is on a GPU: on the CPU there can be a copy alone, which copy=False forbids")
    options = {"stream": LEGACY_STREAM, "max_version": (1, 0)}
    if copy is not None:
        options["copy"] = bool(copy)
    try:
        capsule = value.__dlpack__(**options)
    except TypeError:  # of a library from before DLPack 1.0
        capsule = value.__dlpack__(stream=LEGACY_STREAM)
    held, kind, ordinal, code, bits, lanes, address, shape, strides, read_only = _core.tensor_of(capsule)
    if kind != _CUDA:
        raise BufferError(f"{_kind(value)} says that it is on a GPU, and gives a tensor on a device of type {kind}, {ordinal}")
    dtype = _DTYPES.get((code, bits))
    if dtype is None or lanes != 1:
        name = _NAMES.get(code, f"type {code}, {bits} bits, {lanes} lanes")
        raise TypeError(f"{_kind(value)} has elements of {name}, for which weft has no dtype: convert it first, as to float32")
    if strides is not None:
        strides = tuple(dtype.itemsize * step for step in strides)
    copies = bool(copy) or device == "cpu"
    whole = None if copies else _whole(value)
    made = _over(held, address, shape, strides, dtype, not read_only, ALL_STREAMS, copies)
    del whole
    return made.copy() if copies else made


def _packed(shape, step):
    """The strides of elements that lie in C order."""
    strides = []
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return tuple(strides)


def _reach(shape, strides, item):
    """The bytes of an array, from its first element's address on: from, to."""
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    return sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach) + item


def _over(owner, address, shape, strides, dtype, writable, stream, apart):
    """The array of weft's over memory on a GPU."""
    if 0 in shape:
        return _functions.empty(shape, dtype)
    strides = _packed(shape, dtype.itemsize) if strides is None else tuple(strides)
    if len(strides) != len(shape):
        raise BufferError(f"{_kind(owner)} has {len(shape)} axes and strides for {len(strides)}")
    low, high = _reach(shape, strides, dtype.itemsize)
    writable = writable and not apart and all(n == 1 or step != 0 for n, step in zip(shape, strides, strict=True))
    read_as = numpy.dtype(numpy.uint8) if dtype.kind == "b" else dtype
    made = _core.adopt_guest(owner, address + low, high - low, read_as, -low, shape, strides, writable, apart, stream)
    if made is None:
        raise BufferError(f"{_kind(owner)} cannot be shared: it lies partly in the memory of another array that weft shares, or its elements overlap; adopt the array that both are views of first, or copy it")
    if dtype.kind != "b":
        return made
    if bool((made > 1).any()):
        raise BufferError(f"{_kind(owner)} has bools that are neither 0 nor 1")
    return made.view(bool)


def _known(dtype, owner):
    if not dtype.isnative or dtype not in _TENSORS:
        raise TypeError(f"{_kind(owner)} has elements of {dtype.str}, for which weft has no dtype: convert it first")
    return dtype


def _kind(value):
    return "the tensor" if type(value).__name__ == "PyCapsule" else f"the {type(value).__module__}.{type(value).__name__}"


def place(array):
    """The array, which is to be on a GPU for other libraries where the machine has some: it gets __cuda_array_interface__."""
    if _core.shares():
        _core.on_device(array, True)
    return array


def _ordinal(array):
    """The GPU that an array is on for other libraries, or None."""
    return _core.on_device(array, False) if _core.shares() else None


def interface(array):
    """What other libraries take the array by on a GPU: shape, address and strides. It stays there for as long as the array lives."""
    if _ordinal(array) is None:
        why = "cuda.as_cuda_array(a) puts a where other libraries find it" if _core.shares() else "weft runs on the CPUs, or on emulated GPUs, which have no addresses"
        raise AttributeError(f"'numpy.ndarray' object has no attribute '__cuda_array_interface__': the array is not on a GPU; {why}")
    address = 0
    if array.size:
        try:
            address, _, hold = _core.expose(array)
        except BufferError as error:  # so that hasattr says that there is none
            raise AttributeError(f"'numpy.ndarray' object has no attribute '__cuda_array_interface__': {error}") from error
        _core.keep(array, hold)
    return {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "descr": [("", array.dtype.str)],
        "data": (address, not array.flags.writeable),
        "strides": None if array.flags.c_contiguous else array.strides,
        "version": 3,
        "stream": None,  # the elements are there
    }


def _device(self):
    ordinal = _ordinal(self)
    return _CPU if ordinal is None else (_CUDA, ordinal)


def _tensor(host):
    """The method __dlpack__, of which host is the one of arrays that are not on a GPU."""

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):  # noqa: N807 - DLPack's name
        at = _device(self)
        wanted = at if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        if wanted == _CPU:
            if at == _CPU:
                return host(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
            if copy is False:
                raise BufferError("the array is on a GPU for other libraries: on the CPU there can be a copy alone")
            return numpy.array(self).__dlpack__(max_version=max_version)
        if wanted[0] != _CUDA or not _core.shares():
            raise BufferError(f"the array cannot be had on a device of type {wanted[0]}, {wanted[1]}: weft has {'GPUs (2) and the CPU (1)' if _core.shares() else 'the CPU (1) alone'}")
        if stream is not None and (type(stream) is not int or stream < -1 or stream == 0):
            raise BufferError(f"stream={stream!r}: a CUDA stream's number, 1 for the legacy one, 2 for the thread's, -1 or None where there is nothing to wait for")
        flags = None if max_version is None or max_version[0] < 1 else 0
        array = self
        if copy or self._lent and at == _CPU and copy is None:
            array = self.copy()
            flags = None if flags is None else flags | _COPIED
        if not array.flags.writeable:
            if flags is None:
                raise BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).")
            flags |= _READ_ONLY
        if any(step % array.dtype.itemsize for n, step in zip(array.shape, array.strides, strict=True) if n != 1) and array.size:
            raise BufferError("DLPack only supports strides which are a multiple of itemsize.")
        address, ordinal, hold = _core.expose(array) if array.size else (0, wanted[1], array)
        if ordinal != wanted[1]:
            raise BufferError(f"the array is on GPU {ordinal}, and cannot be had on GPU {wanted[1]} without a copy by way of the host")
        code, bits = _TENSORS[array.dtype]
        steps = tuple(step // array.dtype.itemsize for step in array.strides)
        return _core.tensor((hold, array), _CUDA, ordinal, code, bits, address, array.shape, steps, flags)  # what it holds is complete: no stream has to wait

    return __dlpack__


def install(ndarray, host):
    """Have arrays speak the protocols."""
    ndarray.__cuda_array_interface__ = property(interface, doc=interface.__doc__)
    ndarray.__dlpack__ = _tensor(host)
    ndarray.__dlpack_device__ = lambda self: _device(self)
