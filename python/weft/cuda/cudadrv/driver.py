"""The classes of devices, contexts, streams and events, and the errors of CUDA's driver and of what links kernels."""

from ...compiled import lacking
from ...compiled.errors import CudaAPIError as CudaAPIError
from ...compiled.errors import CudaSupportError as CudaSupportError
from ...compiled.errors import LinkerError as LinkerError
from ..devices import Context as Context
from ..devices import Device as Device
from ..streams import Event as Event
from ..streams import Stream as Stream


def __getattr__(name):
    """Numba's errors that are not here raise an AttributeError that says why."""
    raise lacking.error("cuda.cudadrv.driver", name, __name__)
