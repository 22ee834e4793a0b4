"""Arrays on devices: weft's."""

from ... import _core
from ..memory import is_cuda_array as is_cuda_ndarray  # noqa: F401
from ..records import DeviceRecords as DeviceRecord  # noqa: F401

DeviceNDArray = MappedNDArray = ManagedNDArray = _core.ndarray


def verify_cuda_ndarray_interface(obj) -> None:
    """Raise a TypeError for what is no array on a device."""
    if not is_cuda_ndarray(obj):
        raise TypeError(f"Expecting a cuda_ndarray: got {type(obj).__name__}")
