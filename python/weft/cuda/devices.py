"""Devices and contexts as programs for CUDA know them. There is one device: what weft runs on, of all its processors and GPUs."""

import collections
import contextlib
import functools
import os

from .. import _core
from ..compiled import lacking
from ..compiled.errors import CudaAPIError, UnsupportedError
from . import limits, streams

__all__ = [
    "MemoryInfo",
    "close",
    "cuda_error",
    "current_context",
    "defer_cleanup",
    "detect",
    "get_current_device",
    "gpus",
    "is_available",
    "is_bfloat16_supported",
    "is_float16_supported",
    "is_fp8_supported",
    "is_supported_version",
    "list_devices",
    "profile_start",
    "profile_stop",
    "profiling",
    "require_context",
    "select_device",
    "set_memory_manager",
]


class Device:
    """The device. Its limits, in upper case, are those that launches are held to."""

    id = 0
    name = b"weft"
    uuid = "GPU-00000000-0000-0000-0000-000000000000"
    compute_capability = (7, 5)  # of what kernels can use: see the intrinsics

    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = limits.THREADS
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = limits.BLOCK
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = limits.GRID
    MAX_SHARED_MEMORY_PER_BLOCK = MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = limits.SHARED
    MAX_THREADS_PER_MULTI_PROCESSOR = limits.THREADS  # a processor runs a block at a time
    CAN_MAP_HOST_MEMORY = MANAGED_MEMORY = UNIFIED_ADDRESSING = 1
    CONCURRENT_KERNELS = COOPERATIVE_LAUNCH = CONCURRENT_MANAGED_ACCESS = PAGEABLE_MEMORY_ACCESS = 1
    ECC_ENABLED = KERNEL_EXEC_TIMEOUT = TCC_DRIVER = MULTI_GPU_BOARD = 0
    supports_float16, supports_bfloat16, supports_fp8 = True, False, False  # what kernels compute with

    @property
    def MULTIPROCESSOR_COUNT(self):  # noqa: N802 - CUDA's name
        return os.cpu_count() or 1

    def reset(self):
        """Wait for all that runs. Arrays stay."""
        _core.sync()

    def get_primary_context(self):
        return current_context()

    def release_primary_context(self):
        """Wait for all that runs: the context is the process's, and stays."""
        _core.sync()

    def get_device_identity(self) -> dict:
        """What tells this device from others: where it is on a bus, which is nowhere."""
        return {"pci_domain_id": 0, "pci_bus_id": 0, "pci_device_id": self.id}

    @classmethod
    def from_identity(cls, identity) -> "Device":
        """The device that get_device_identity told of."""
        for device in gpus:
            if device.get_device_identity() == identity:
                return device
        raise RuntimeError(f"No device of {identity} is found. Target device may not be visible in this process.")

    def __repr__(self):
        return f"<weft device {self.id}>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Context:
    """What a program for CUDA works in: here all that the process has."""

    device = Device()
    get_default_stream = staticmethod(streams.default_stream)
    get_legacy_default_stream = staticmethod(streams.legacy_default_stream)
    get_per_thread_default_stream = staticmethod(streams.per_thread_default_stream)
    create_stream, create_external_stream = staticmethod(streams.stream), staticmethod(streams.external_stream)
    create_event = staticmethod(streams.event)

    def get_memory_info(self):
        """Free and total bytes of memory."""
        page = os.sysconf("SC_PAGE_SIZE")
        return MemoryInfo(os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page)

    def synchronize(self):
        _core.sync()

    reset = synchronize

    def push(self):
        """Make it the current one, which it always is."""

    pop = prepare_for_use = push

    def defer_cleanup(self):
        """See cuda.defer_cleanup."""
        return defer_cleanup()

    def can_access_peer(self, peer_context) -> bool:
        """Whether memory of another context's device can be accessed. There is no other device, and none is its own peer."""
        return False

    def enable_peer_access(self, peer_context, flags=0):
        """Raise what CUDA does for a device that is no peer."""
        raise CudaAPIError(217, f"enable_peer_access: {peer_context!r} is of no other device; weft's devices are one")

    def __getattr__(self, name):
        raise lacking.error("Context", name, "the context")


MemoryInfo = collections.namedtuple("MemoryInfo", ["free", "total"])


class _Devices:
    """The list of devices: cuda.gpus."""

    lst = (Context.device,)

    def __getitem__(self, at):
        return self.lst[at]

    def __len__(self):
        return len(self.lst)

    def __iter__(self):
        return iter(self.lst)

    def __repr__(self):
        return f"<Managed Device {', '.join(map(str, self.lst))}>"

    @property
    def current(self):
        return self.lst[0]


gpus = _Devices()
_context = Context()


def current_context(devnum=None) -> Context:
    """The context."""
    return _context if devnum is None else select_device(devnum)


def select_device(device_id) -> Context:
    """The context of a device, of which there is one."""
    if device_id != 0:
        raise IndexError(f"there is no device {device_id}; weft's devices are one, number 0")
    return _context


def get_current_device() -> Device:
    """The device."""
    return gpus.current


def list_devices():
    """All devices."""
    return gpus


def close() -> None:
    """Wait for all that runs."""
    _core.sync()


def is_available() -> bool:
    """Whether kernels can be launched. They can: what runs them has not to be a GPU."""
    return True


def cuda_error():
    """What went wrong when CUDA was looked for: nothing, since none is needed."""
    return None


def detect() -> bool:
    """Print what there is to run kernels on."""
    device = gpus.current
    print(f"Found {len(gpus)} CUDA devices")
    print(f"id {device.id}    {device.name.decode():>20}                              [SUPPORTED]")
    print(f"{'Compute Capability':>40}: {'.'.join(map(str, device.compute_capability))}")
    print(f"{'Processors':>40}: {device.MULTIPROCESSOR_COUNT}")
    print("Summary:\n\t1/1 devices are supported")
    return True


def is_supported_version() -> bool:
    """Whether the version of CUDA will do."""
    return True


def is_float16_supported() -> bool:
    """Whether kernels compute with halves."""
    return True


def is_bfloat16_supported() -> bool:
    """Whether they compute with bfloat16, which weft has no dtype for."""
    return False


is_fp8_supported = is_bfloat16_supported


def require_context(function):
    """A function that needs a context, of which there is always one."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapped


@contextlib.contextmanager
def defer_cleanup():
    """A context in which no memory is given back to the system: weft's memory is pooled anyway."""
    yield


def set_memory_manager(manager):
    """Refuse other allocators: the memory is weft's."""
    raise UnsupportedError("set_memory_manager: arrays are in weft's memory, which has no other manager")


def profile_start() -> None:
    """Begin what a profiler is to show. The timeline shows all that runs."""


def profile_stop() -> None:
    """End what a profiler is to show: all that was launched before has run."""
    _core.sync()


@contextlib.contextmanager
def profiling():
    """What a profiler is to show, as a context."""
    profile_start()
    yield
    profile_stop()
