"""Numba's names for what weft compiles: cuda, vectorize and the types of signatures.

"from numba import cuda, vectorize, float64" in a notebook or script finds them here where Numba is not installed; see
weft/_redirection.py.
"""

from . import cuda as cuda
from .compiled import errors as errors
from .compiled import types as types
from .compiled.elementwise import vectorize as vectorize
from .compiled.types import *  # noqa: F403
