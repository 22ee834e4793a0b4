"""Errors of machines without what CUDA wants."""

from ...compiled import lacking
from ...compiled.errors import CudaSupportError as CudaSupportError
from ...compiled.errors import NvvmSupportError as NvvmSupportError


def __getattr__(name):
    """Numba's errors that are not here raise an AttributeError that says why."""
    raise lacking.error("cuda.cudadrv.error", name, __name__)
