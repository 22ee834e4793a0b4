"""Functions that NumPy itself writes in Python: their own text runs, on weft arrays.

np.gradient, np.polyfit or np.nanmean are expressions over other functions of NumPy. Their code is bound to a
namespace in which NumPy's names mean weft's functions, so that weft computes all of it, deferred and fused,
by NumPy's own methods. No text is copied: what is bound is the code object of the NumPy that is installed.

Where that code meets something that only a NumPy array does, NumPy runs the call, as it runs all others
that weft has not.
"""

import functools
import importlib
import types

import numpy

from . import _compiled
from ._fallback import FEW, ndarray, run

# Whose text runs on weft arrays. Not here: what measured slower than NumPy (sets, cov, unique_counts, poly, packbits).
NAMES = frozenset("""
    angle append array_equiv average convolve correlate cross delete diagflat ediff1d einsum einsum_path gradient
    histogram_bin_edges histogram2d histogramdd i0 insert interp iscomplex isneginf isposinf isreal ix_ kron median modf
    nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
    nanstd nansum nanvar pad percentile piecewise polyadd polyder polyfit polyint polysub polyval quantile ravel_multi_index
    real_if_close resize select tensordot trapezoid unravel_index unwrap vander block
    """.split())  # fmt: skip

# The same, also for few elements: they are views, or one or two operations.
SHORT = frozenset("""
    apply_over_axes broadcast_arrays cumulative_prod cumulative_sum diag_indices_from fill_diagonal fix matvec rot90 unstack
    vecdot vecmat linalg.cross linalg.diagonal linalg.matmul linalg.matrix_norm linalg.matrix_transpose linalg.outer
    linalg.tensordot linalg.tensorinv linalg.trace linalg.vecdot linalg.vector_norm
    """.split())  # fmt: skip

# Those that make arrays of numbers.
MAKERS = frozenset(("diag_indices", "geomspace", "indices", "logspace"))

# Functions that weft has for most arguments: for the rest there is NumPy's text, or ours.
OTHERWISE = frozenset(("all", "any", "diff", "linspace", "max", "mean", "min", "prod", "sum"))

ALL = NAMES | SHORT | MAKERS

# Where all arrays are smaller, NumPy is faster than a number of operations.
_MANY = 4096

_SPACES = ("numpy", "numpy.linalg", "numpy.fft")


@functools.cache
def _public():
    """The public functions of NumPy, by id, with or without their dispatch: (module, name)."""
    found = {}
    for space in _SPACES:
        module = importlib.import_module(space)
        for name in dir(module):
            value = getattr(module, name)
            if not name.startswith("_") and callable(value):
                found.setdefault(id(value), (space, name))
                found.setdefault(id(getattr(value, "_implementation", value)), (space, name))
    return found


class _Array(type):
    """isinstance(x, np.ndarray), for code that is bound here: what stands for NumPy's scalars is no array."""

    def __instancecheck__(cls, value):
        return isinstance(value, numpy.ndarray) or (type(value) is ndarray and not value._scalar)


class _ndarray(metaclass=_Array):
    pass


class _Seen:
    """A module of NumPy, whose names mean weft's functions."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        value = _seen(getattr(self._module, name))
        setattr(self, name, value)
        return value


@functools.cache
def _module(module):
    return _Seen(module)


class _Globals(dict):
    """The names of a module of NumPy, as code that is bound to them sees them."""

    def __init__(self, module):
        super().__init__(__builtins__=__builtins__, __name__=module.__name__)
        self._module = vars(module)

    def __missing__(self, name):
        if name not in self._module:
            raise KeyError(name)
        value = self[name] = _seen(self._module[name])
        return value


@functools.cache
def _globals(name):
    return _Globals(importlib.import_module(name))


def _seen(value):
    """What code sees under a name of NumPy's."""
    if isinstance(value, types.ModuleType):
        return _module(value) if value.__name__.partition(".")[0] == "numpy" else value
    if value is numpy.ndarray:
        return _ndarray
    if isinstance(value, type) or not callable(value):
        return value
    space, name = _public().get(id(value), ("", ""))
    if space and id(value) not in _compiled.FUNCTIONS:
        return getattr(importlib.import_module("weft" + space[len("numpy") :]), name)
    if isinstance(value, types.BuiltinFunctionType):
        return _counted(value)
    return _bound(value)


def _counted(function):
    """A compiled function, which would make NumPy arrays of weft's by itself, and nobody would know."""
    ours = _compiled.FUNCTIONS.get(id(function))
    if function.__name__ == "c_einsum":
        ours = functools.partial(ours, _bound(numpy._core.einsumfunc._parse_einsum_input))

    def call(*args, **kwargs):
        made = ours(*args, **kwargs) if ours else NotImplemented
        return run(function.__name__, function, args, kwargs) if made is NotImplemented else made

    return call


def _bound(value):
    """A function of NumPy that is written in Python, bound to weft's names; others as they are."""
    function = getattr(value, "_implementation", value)
    if not isinstance(function, types.FunctionType) or not function.__module__.startswith("numpy"):
        return value
    made = types.FunctionType(
        function.__code__, _globals(function.__globals__["__name__"]), function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _largest(values):
    """The number of elements of the largest weft array among values; -1 if there is none."""
    most = -1
    for value in values:
        if type(value) is ndarray:
            most = max(most, value.size)
        elif isinstance(value, (list, tuple)):
            most = max(most, _largest(value))
    return most


@functools.cache
def text(dotted):
    """What computes a function of NumPy on weft arrays; may give NotImplemented."""
    value = numpy
    for part in dotted.split("."):
        value = getattr(value, part)
    if isinstance(value, numpy.ufunc) and dotted not in _compiled.NAMED:
        return functools.partial(_compiled.ufunc, dotted)
    return _compiled.NAMED.get(dotted) or _bound(value)


def compose(dotted, original):
    """The function of this name. With no weft array among its arguments it is NumPy's, unless it makes some."""

    def call(*args, **kwargs):
        if dotted not in MAKERS and _largest((args, tuple(kwargs.values()))) < 0:
            return run(dotted, original, args, kwargs)
        return attempt(dotted, original, args, kwargs, "with these arguments")

    functools.update_wrapper(call, original, updated=())
    call._numpy = original
    return call


def attempt(dotted, original, args, kwargs, reason):
    """Run NumPy's text, or NumPy."""
    if dotted in NAMES and _largest((args, tuple(kwargs.values()))) < _MANY:
        return run(dotted, original, args, kwargs, FEW)
    try:
        made = text(dotted)(*args, **kwargs)
    except Exception:  # NumPy says what is wrong, or does what weft cannot
        made = NotImplemented
    return run(dotted, original, args, kwargs, reason) if made is NotImplemented else made


def compose_index(name, original):
    """The __getitem__ of np.r_, np.mgrid and their like."""
    function = type(original).__getitem__

    def get(key):
        try:
            return _bound(function)(original, key)
        except Exception:  # as in attempt
            return run(name, original.__getitem__, (key,), {})

    return get
