"""@njit and @jit: functions whose prange loops are kernels, and functions of numbers that are compiled.

A call of a function with prange loops runs the function in Python, on weft's arrays, but for these loops: each is a kernel whose
threads are its turns. Names that a turn sets are its own, but for sums, products, minima and maxima, which are combined behind the
loop. A function of numbers alone is compiled as a whole. All others run in Python, with a warning that says so.
"""

import contextlib
import functools
import inspect
import os
import threading
import warnings

import numpy

from . import lacking
from .errors import NumbaError, NumbaPerformanceWarning
from .lent import Lent

_OPTIONS = (
    "nopython", "forceobj", "nogil", "parallel", "fastmath", "error_model", "inline", "debug", "cache", "boundscheck", "locals",
    "pipeline_class", "looplift", "no_cpython_wrapper", "no_cfunc_wrapper", "forceinline", "writable_args",
)  # fmt: skip


class prange:  # noqa: N801 - Numba's name
    """range whose turns may run at the same time, in functions that @njit(parallel=True) decorates; plain range elsewhere."""

    compiled_name = "numba.prange"

    def __new__(cls, *args):
        return range(*args)


def literal_unroll(container):
    """A tuple whose items a loop takes one by one, each of its own type: compiled loops do so for every tuple."""
    return container


literal_unroll.compiled_name = "numba.literal_unroll"


def jit(signature_or_function=None, **options):
    """Compile a function: @jit, @njit, @njit(parallel=True). Signatures are accepted; types are those of each call."""
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise KeyError(f"Unrecognized options: {{{unknown[0]!r}}}. Known options are {_OPTIONS}")
    if inspect.isfunction(signature_or_function):
        return Compiled(signature_or_function, options)
    return lambda function: Compiled(function, options)


njit = jit


def get_num_threads() -> int:
    """How many processors there are."""
    return os.cpu_count() or 1


def set_num_threads(n) -> None:
    """Refuse numbers of threads beyond that of the processors. How many weft uses is a setting: --cpus."""
    if not 1 <= n <= get_num_threads():
        raise ValueError(f"The number of threads must be between 1 and {get_num_threads()}")


def get_thread_id() -> int:
    """The number of the processor, outside of loops: 0. Turns of a prange loop have none."""
    return 0


_chunks = threading.local()


def get_parallel_chunksize() -> int:
    """What set_parallel_chunksize was last given by this thread; 0 before."""
    return getattr(_chunks, "size", 0)


def set_parallel_chunksize(n) -> int:
    """Say how many turns of a prange loop a processor takes at a time; returns what was said before. It is a hint, and changes nothing: turns are rows of lanes."""
    if not isinstance(n, int | numpy.integer):
        raise TypeError(f"The parallel chunksize must be an integer, got {n!r}")
    if n < 0:
        raise ValueError(f"chunksize must be greater than or equal to 0, got {n}")
    before, _chunks.size = get_parallel_chunksize(), n
    return before


@contextlib.contextmanager
def parallel_chunksize(n):
    """A context with set_parallel_chunksize(n), and what was said before behind it."""
    before = set_parallel_chunksize(n)
    try:
        yield before
    finally:
        set_parallel_chunksize(before)


def threading_layer() -> str:
    """What runs the turns of prange loops."""
    return "weft"


class Compiled:
    """A function that @njit decorates. py_func is the function."""

    def __init__(self, function, options):
        from . import reading

        self.py_func, self.options = reading.python_function(function), options
        functools.update_wrapper(self, self.py_func)
        self._numbers = self._loops = self._seen = None
        self._signature = inspect.signature(self.py_func)
        self.nopython_signatures = []

    def __repr__(self):
        return f"CPUDispatcher({self.py_func!r})"

    def __getattr__(self, name):
        raise lacking.error("Njit", name, "a compiled function")

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    @property
    def func_code(self):
        """The code of the function."""
        return self.py_func.__code__

    @property
    def targetoptions(self) -> dict:
        """The options that it was decorated with."""
        return dict(self.options)

    @property
    def signatures(self):
        return list(self.nopython_signatures)

    def __call__(self, *args, **kwargs):
        named = {}
        if kwargs or len(args) != len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, named = bound.args, bound.kwargs
        if args and not named and all(type(a) in (bool, int, float, complex) or isinstance(a, numpy.number | numpy.bool_) for a in args):
            try:
                return self._of_numbers(args)
            except NumbaError as error:
                if self._is_parallel:
                    return self._in_parallel(args)
                return self._plain(error, args)
        if self._is_parallel:
            return self._in_parallel(args, named)
        why = "its arguments are not numbers alone" if not named else "it has parameters that are given by name alone"
        return self._plain(f"{why}, and it has no prange loop", args, named)

    @property
    def _is_parallel(self):
        if self._loops is None:
            from . import loops

            self._loops = loops.Split(self.py_func, prange, self.options.get("debug")) if self.options.get("parallel") else False
        return bool(self._loops and self._loops.kernels)

    def _of_numbers(self, args):
        if self._numbers is None:
            from . import numbers

            self._numbers = numbers.OfNumbers(self.py_func, self.options.get("error_model", "python"))
        return self._numbers(args)

    def _in_parallel(self, args, named=None):
        """The function, with its prange loops as kernels, on weft's arrays; arrays of the host's get back what was written."""
        lent = Lent((*args, *(named or {}).values()), self.__name__)
        try:
            values = dict(zip(named or (), lent.args[len(args) :], strict=True))
            result = self._loops.function(*lent.args[: len(args)], **values)
        finally:
            lent.give_back()
        return lent.at_home(result)

    def _plain(self, why, args, named=None):
        if self._seen is None:
            self._seen = True
            said = str(why).split("\n")[0]
            warnings.warn(
                NumbaPerformanceWarning(f"{self.__name__} runs as plain Python: {said}"), stacklevel=3
            )
        return self.py_func(*args, **(named or {}))
