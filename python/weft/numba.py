"""Numba's names for what weft compiles: cuda, vectorize, guvectorize, stencil, njit and the types of signatures.

"from numba import cuda, vectorize, float64" in a notebook or script finds them here where Numba is not installed; see
weft/_redirection.py.
"""

from . import compiled as core  # noqa: F401 - numba.core
from . import cuda as cuda
from .compiled import errors as errors
from .compiled import lacking, types
from .compiled.elementwise import vectorize as vectorize
from .compiled.errors import *  # noqa: F403
from .compiled.generalized import guvectorize as guvectorize
from .compiled.parallel import get_num_threads as get_num_threads
from .compiled.parallel import get_parallel_chunksize as get_parallel_chunksize
from .compiled.parallel import get_thread_id as get_thread_id
from .compiled.parallel import jit as jit
from .compiled.parallel import literal_unroll as literal_unroll
from .compiled.parallel import njit as njit
from .compiled.parallel import parallel_chunksize as parallel_chunksize
from .compiled.parallel import prange as prange
from .compiled.parallel import set_num_threads as set_num_threads
from .compiled.parallel import set_parallel_chunksize as set_parallel_chunksize
from .compiled.parallel import threading_layer as threading_layer
from .compiled.stencils import stencil as stencil
from .compiled.types import *  # noqa: F403
from .compiled.types import from_dtype as from_dtype
from .compiled.types import of_value as typeof  # noqa: F401

bool = types.boolean


def __getattr__(name):
    """Numba's names that are not here raise an AttributeError that says why."""
    raise lacking.error("numba", name, "weft.numba")
