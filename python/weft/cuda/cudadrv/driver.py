"""The errors of CUDA's driver, and of the linking of kernels with the code of other compilers."""

from ...compiled.errors import CudaAPIError as CudaAPIError
from ...compiled.errors import LinkerError as LinkerError
