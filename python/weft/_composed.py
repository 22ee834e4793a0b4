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
from numpy._core._multiarray_umath import _array_converter as _converter

from . import _callers, _compiled, _core, _delegates, _protocols, _quantiles, _signatures
from ._fallback import FEW, SKIPPED, ndarray, returned, run, run_few, user_frame

# Whose text runs on weft arrays. Not here: unique_values, of which NumPy gives the values in the order of a table of its own.
NAMES = frozenset("""
    angle append array_equiv asarray_chkfinite average convolve corrcoef cov intersect1d isin poly polydiv polymul roots row_stack setdiff1d setxor1d sort_complex trim_zeros
    tril_indices_from triu_indices_from union1d unique_all unique_counts unique_inverse linalg.tensorsolve lib.scimath.sqrt lib.scimath.log lib.scimath.log2 lib.scimath.logn
    lib.scimath.log10 lib.scimath.power lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh correlate cross delete diagflat ediff1d einsum einsum_path gradient
    histogram_bin_edges histogram2d histogramdd i0 insert interp iscomplex isneginf isposinf isreal ix_ kron median modf
    nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
    nanstd nansum nanvar pad percentile piecewise polyadd polyder polyfit polyint polysub polyval quantile ravel_multi_index
    real_if_close resize select tensordot trapezoid unravel_index unwrap vander block geomspace logspace linalg.cross linalg.tensordot linalg.tensorinv
    """.split())  # fmt: skip

# The same, also for few elements: they are views, or one or two operations.
SHORT = frozenset("""
    apply_over_axes broadcast_arrays cumulative_prod cumulative_sum diag_indices_from fill_diagonal fix matvec require rot90 unstack
    vecdot vecmat linalg.diagonal linalg.matmul linalg.matrix_norm linalg.matrix_transpose linalg.outer
    linalg.trace linalg.vecdot linalg.vector_norm
    """.split())  # fmt: skip

# Those of them that make arrays of a number that says how many elements, or how many squared: which argument that is, its name and its default, and the power.
# NumPy makes few.
COUNTED = {
    "geomspace": (2, "num", 50, 1), "logspace": (2, "num", 50, 1), "bartlett": (0, "M", None, 1), "blackman": (0, "M", None, 1), "hamming": (0, "M", None, 1), "hanning": (0, "M", None, 1),
    "kaiser": (0, "M", None, 1), "mask_indices": (0, "n", None, 2), "tril_indices": (0, "n", None, 2), "triu_indices": (0, "n", None, 2),
}  # fmt: skip
# Those that make arrays of numbers.
MAKERS = frozenset(("diag_indices", "indices", *COUNTED))

# Functions that weft has for most arguments: for the rest there is NumPy's text, or ours.
OTHERWISE = _delegates.OTHERWISE

ALL = NAMES | SHORT | MAKERS

# Where all arrays are smaller, NumPy is faster than a number of operations; for some functions where they are not much larger.
_MANY = _delegates.FEW

_SPACES = ("numpy", "numpy.linalg", "numpy.fft")


@functools.cache
def _public():
    """The public functions of NumPy, by id, with or without their dispatch: (module, name).

    A module's own dictionary is read, since dir() of numpy also names numpy.f2py and others that getattr() would import, some 300 ms.
    """
    found = {}
    for space in _SPACES:
        for name, value in sorted(vars(importlib.import_module(space)).items()):
            if not name.startswith("_") and callable(value):
                found.setdefault(id(value), (space, name))
                found.setdefault(id(getattr(value, "_implementation", value)), (space, name))
    return found


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
        super().__init__(
            __builtins__=__builtins__,
            __name__=module.__name__,
            __package__=module.__package__,
            __spec__=module.__spec__,
        )
        self._module = vars(module)

    def __missing__(self, name):
        if name not in self._module:
            raise KeyError(name)
        value = self[name] = _seen(self._module[name])
        return value


@functools.cache
def _globals(name):
    return _Globals(importlib.import_module(name))


class _Converter:
    """NumPy's _array_converter, which would make NumPy arrays of weft's: what a function is given, as arrays."""

    def __init__(self, *values):
        self._values = values
        self._arrays = tuple(value if type(value) is ndarray else _seen(numpy.asanyarray)(value) for value in values)
        self.scalar_input = tuple(array.ndim == 0 for array in self._arrays)

    def __len__(self):
        return len(self._arrays)

    def __getitem__(self, i):
        return self._arrays[i]

    def as_arrays(self, *, subok=True, pyscalars="convert_if_no_array"):
        """The arrays; Python's numbers stay numbers where that is asked for."""
        plain = [type(value) in (int, float, complex) for value in self._values]
        if pyscalars == "convert" or (pyscalars == "convert_if_no_array" and all(plain)):
            return self._arrays
        return tuple(
            value if kept else array for value, array, kept in zip(self._values, self._arrays, plain, strict=True)
        )

    def result_type(self, extra_dtype=None, ensure_inexact=False):
        """The dtype that NumPy finds, which looks at no values."""
        values = (numpy.empty((0,) * v.ndim, v.dtype) if type(v) is ndarray and v.ndim else v for v in self._values)
        return _converter(*values).result_type(extra_dtype, ensure_inexact)

    def wrap(self, array, *, to_scalar=None):
        """What the function gives back: of numbers, a number."""
        if array.ndim == 0 and (all(self.scalar_input) if to_scalar is None else to_scalar):
            return array[()]
        return array


def _seen(value):
    """What code sees under a name of NumPy's."""
    if value is _converter:
        return _Converter
    if value is _quantiles.TEXT:
        return functools.partial(_quantiles.found, _bound(value), _seen(numpy.asanyarray))
    if isinstance(value, types.ModuleType):
        return _module(value) if value.__name__.partition(".")[0] == "numpy" else value
    if value is numpy.ndarray:
        return ndarray  # of which NumPy's arrays are instances as well
    if isinstance(value, type) or not callable(value):
        return value
    space, name = _public().get(id(value), ("", ""))
    if space and id(value) not in _compiled.FUNCTIONS:
        return getattr(importlib.import_module("weft" + space[len("numpy") :]), name)
    if isinstance(value, types.BuiltinFunctionType):
        return _counted(value)
    return _bound(value)


def _counted(function):
    """A compiled function, which would make NumPy arrays of weft's by itself, without a count."""
    ours = _compiled.FUNCTIONS.get(id(function))
    if function.__name__ == "c_einsum":  # which may get lists of numbers instead of a text
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
        function.__code__,
        _globals(function.__globals__["__name__"]),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def largest(values):
    """The number of elements of the largest weft array among values; -1 if there is none."""
    most = -1
    for value in values:
        if type(value) is ndarray:
            most = max(most, value.size)
        elif isinstance(value, (list, tuple)):
            most = max(most, largest(value))
    return most


@functools.cache
def text(dotted):
    """What computes a function of NumPy on weft arrays; may give NotImplemented."""
    if dotted in _compiled.NAMED:
        return _compiled.NAMED[dotted]
    value = numpy
    for part in dotted.split("."):
        value = getattr(value, part, None)
    if value is None or isinstance(value, numpy.ufunc):  # SciPy's have no text either
        return functools.partial(_compiled.ufunc, dotted)
    return _bound(value)


def _are_few(dotted, args, kwargs):
    """Whether few numbers are asked for; what is no number is NumPy's to read as well."""
    at, name, usual, power = COUNTED[dotted]
    num = args[at] if len(args) > at else kwargs.get(name, usual)
    return type(num) is not int or num**power < _MANY


def _made_of_numbers(original, args, kwargs):
    """What NumPy's function makes of few numbers, and of functions of NumPy's; NotImplemented where others are among the arguments."""
    functions = {at: value._numpy for at, value in enumerate(args) if hasattr(value, "_numpy")}
    numbers = [value for at, value in enumerate(args) if at not in functions]

    def make(*numbers, **kwargs):
        rest = iter(numbers)
        return original(*(functions[at] if at in functions else next(rest) for at in range(len(args))), **kwargs)

    return _core.with_few(make if functions else original, *numbers, **kwargs)


def compose(dotted, original):
    """The function of this name. With no weft array among its arguments it is NumPy's, unless it makes some."""

    def call(*args, **kwargs):
        if largest((args, tuple(kwargs.values()))) < 0 and (
            dotted not in MAKERS or (dotted in COUNTED and _are_few(dotted, args, kwargs))
        ):
            if dotted not in MAKERS:
                return run(dotted, original, args, kwargs)
            made = _made_of_numbers(original, args, kwargs)
            return run(dotted, original, args, kwargs, FEW) if made is NotImplemented else made
        return attempt(dotted, original, args, kwargs, "with these arguments")

    functools.update_wrapper(call, original, updated=())
    call._numpy, call._way = original, "composed"
    _signatures.tell(call, original)
    return call


def _is_summed(dotted, args, kwargs):
    """Whether the core adds up few elements, too (python/core/weighed.c), in the order of weft's sums: then nothing else has NumPy's."""
    arrays = [args[0]] if args and dotted in ("average", "nansum", "nanmean", "trapezoid") else []
    if dotted == "average" and kwargs.keys() == {"weights"}:
        arrays.append(kwargs["weights"])
    elif dotted == "trapezoid" and (len(args) == 2 or kwargs.keys() == {"x"}):
        arrays.append(kwargs.get("x", args[-1]))
    elif kwargs and not (dotted == "trapezoid" and kwargs.keys() == {"dx"} and type(kwargs["dx"]) is float):
        return False
    if (
        not arrays
        or len(args) + len(kwargs) > 1 + (dotted in ("average", "trapezoid"))
        or (len(args) > 1 and dotted != "trapezoid")
    ):
        return False
    if not all(type(a) is ndarray and a.dtype == float for a in arrays):
        return False
    lines = all(a.ndim == 1 and a.shape == arrays[0].shape for a in arrays)
    if dotted == "average" and len(arrays) == 1:
        return arrays[0].size > 0
    return (
        all(a.flags.c_contiguous for a in arrays)
        and (lines and arrays[0].size > 1 if dotted == "trapezoid" else lines or len(arrays) == 1)
        and arrays[0].size > 0
    )


def attempt(dotted, original, args, kwargs, reason):
    """Run NumPy's text, or NumPy."""
    if _protocols.involved((*args, *kwargs.values())):
        return run(dotted, original, args, kwargs, reason)
    calls = (
        dotted == "piecewise" and len(args) > 2 and isinstance(args[2], (list, tuple)) and any(map(callable, args[2]))
    )  # the program's functions, which get weft's arrays
    most = largest((args, tuple(kwargs.values())))
    if (
        (dotted in NAMES or _delegates.DOES.get(dotted) == "reads")
        and not calls
        and (most >= 0 or dotted not in COUNTED)
        and most < _delegates.few(dotted) * _MANY // _delegates.FEW
        and not _is_summed(dotted, args, kwargs)
    ):
        return run_few(dotted, original, args, kwargs)
    try:
        made = _callers.call(user_frame(), text(dotted), args, kwargs)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # NumPy says what is wrong, or does what weft cannot
        if through_user(error):
            raise
        made = NotImplemented
    if made is NotImplemented:
        return run(dotted, original, args, kwargs, reason)
    return returned(made, args, kwargs)


def through_user(error):
    """Whether an exception came out of code of the user's that was called, which must not run once more."""
    trace = error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(SKIPPED):
            return True
        trace = trace.tb_next
    return False


def compose_index(name, original):
    """The __getitem__ of np.r_, np.mgrid and their like."""
    function = type(original).__getitem__

    def get(key):
        try:
            return _bound(function)(original, key)
        except (RecursionError, MemoryError):
            raise
        except Exception as error:  # as in attempt
            if through_user(error):
                raise
            return run(name, original.__getitem__, (key,), {})

    return get
