"""Errors of machines without what CUDA wants."""

from ...compiled.errors import CudaSupportError as CudaSupportError
from ...compiled.errors import NvvmSupportError as NvvmSupportError
