"""Kernels in the cell, as Numba has them: from weft import cuda.

    @cuda.jit
    def axpy(a, x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a * x[i] + y[i]

    axpy[(n + 255) // 256, 256](2.0, x, y, out)

Launches are operations like those of NumPy's functions, on whatever devices weft runs on. Where each thread writes elements
at its own position, they are fused and distributed; all other kernels run as a grid of threads.
"""

from .. import _core
from ..compiled import errors as errors
from ..compiled import lacking, types
from ..compiled.elementwise import vectorize as vectorize
from ..compiled.errors import *  # noqa: F403
from ..compiled.generalized import guvectorize as guvectorize
from ..compiled.intrinsics import *  # noqa: F403
from ..compiled.parallel import literal_unroll as literal_unroll
from ..compiled.types import *  # noqa: F403
from . import cudadrv as cudadrv
from . import memory
from . import random as random
from . import runtime as runtime
from .cudadrv import devicearray as devicearray
from .cudadrv import driver as driver
from .devices import *  # noqa: F403
from .dispatch import jit as jit
from .inspection import *  # noqa: F403
from .linking import declare_device as declare_device
from .memory import *  # noqa: F403
from .reduction import Reduce as Reduce
from .reduction import reduce as reduce
from .streams import *  # noqa: F403
from .tasks import launch as launch
from .tasks import task as task
from .tuning import tune as tune

# What Numba's arrays on devices have and NumPy's arrays have not.
for _name in memory.METHODS:
    setattr(_core.ndarray, _name, getattr(memory, _name))
for _name in lacking.names("Array"):
    setattr(_core.ndarray, _name, memory.refused(_name))

bool = types.boolean


def __getattr__(name):
    """Numba's names that are not here raise an AttributeError that says why."""
    raise lacking.error("cuda", name, "weft.cuda")
