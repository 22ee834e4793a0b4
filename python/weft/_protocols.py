"""Objects that answer NumPy's functions themselves: __array_function__ (NEP 18) and __array_ufunc__ (NEP 13).

NumPy asks such an object among the arguments of a function, and tells it which function that is. A program compares
it with the functions that it knows. One that was written with weft as its NumPy knows weft's, and its arrays are weft's;
a library knows NumPy's, and arrays of NumPy's. So each class is asked in the terms that its own code speaks (see
override and _ours); RATIONALE.md says why.

All this begins where an argument is neither an array nor a number: others do not come here.
"""

import functools
import importlib
import inspect
import types

import numpy

from . import _core

ndarray = _core.ndarray

_Dispatcher = type(numpy.sum)  # of the functions of NumPy that ask their arguments

# What answers as NumPy itself does. setup() adds weft's own.
_USUAL = {"__array_function__": [numpy.ndarray.__array_function__], "__array_ufunc__": [numpy.ndarray.__array_ufunc__]}

# Most arguments are of these types, which answer nothing.
_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None), type(Ellipsis), slice, type, types.FunctionType, _core.function_type, _core.ufunc, _core.method_function_type, _core.builtin_function_type)) | frozenset(
    (numpy.ndarray, ndarray, list, tuple, dict, numpy.bool, *numpy.sctypeDict.values(), *map(type, map(numpy.dtype, numpy.typecodes["All"])))
)

# The parameters whose items NumPy asks, where they are lists or tuples; block's at any depth.
_ITEMS = {
    "block": ("arrays",),
    "choose": ("choices",),
    "column_stack": ("tup",),
    "concat": ("arrays",),
    "concatenate": ("arrays",),
    "dstack": ("tup",),
    "histogram2d": ("bins",),
    "histogramdd": ("sample", "bins"),
    "hstack": ("tup",),
    "lexsort": ("keys",),
    "linalg.multi_dot": ("arrays",),
    "piecewise": ("condlist",),
    "poly": ("seq_of_zeros",),
    "ravel_multi_index": ("multi_index",),
    "roots": ("p",),
    "select": ("condlist", "choicelist"),
    "stack": ("arrays",),
    "vstack": ("tup",),
}

# The parameters that NumPy does not ask.
_NEVER = frozenset(
    """
    N UPLO align allow_pickle assume_unique axes axis axis1 axis2 axisa axisb axisc bias bitorder busdaycal casting
    choicelist choices comments compute_uv condlist copy correction count cov ddof decimals default deg deletechars delimiter
    density device dims discont dtype dx edge_order edgeitems einsum_call encoding endpoint equal_nan errors file fill_value
    fillchar floatmode fmt fname footer formatter full full_matrices func func1d funclist header hermitian include_initial
    increasing indexing initial invert k keepdims kind kth kw kwargs left legacy max_line_width max_work maxsplit method
    minlength mode multi_index nan ndim neginf newline new_shape norm num offset old optimize ord order overwrite_input
    pad_width period posinf precision prefix range rcond repeats retstep return_counts return_index return_indices
    return_inverse returned right roll rowvar s sample separator shape shift side sign sorted source destination sparse
    stable subok suffix suppress_small table tabsize threshold timezone to tol trim tup unit upper width window_shape wrap
    writeable
    """.split()
)
# Where one of a function is otherwise than _NEVER says.
_ASKED = frozenset(("astype.dtype",))
_NOT_ASKED = frozenset(
    """
    strings.multiply.i strings.partition.sep strings.replace.new strings.rpartition.sep amax.where amin.where apply_along_axis.args apply_along_axis.kwargs concat.arrays concatenate.arrays diff.n fft.fft.n fft.hfft.n fft.ifft.n
    fft.ihfft.n fft.irfft.n fft.rfft.n fill_diagonal.val histogramdd.bins linalg.cond.p linalg.matrix_power.n
    linalg.matrix_rank.rtol linalg.multi_dot.arrays linalg.pinv.rtol linalg.tensorinv.ind max.where min.where nanargmax.out
    nanargmin.out nanmax.where nanmean.where nanmin.where nanprod.where nanstd.mean nanstd.where nansum.where nanvar.mean
    nanvar.where piecewise.args poly.seq_of_zeros polyder.m polyint.m prod.where rollaxis.start roots.p stack.arrays sum.where take.indices
    """.split()
)


def setup(kind):
    """Take over what weft's ndarray has of the protocols, once it has it."""
    for name, usual in _USUAL.items():
        usual.append(getattr(kind, name))


def foreign(kind):
    """Whether objects of a type answer NumPy's functions in a way of their own, or refuse to."""
    if kind in _PLAIN:
        return False
    return any(getattr(kind, name, usual[0]) not in usual for name, usual in _USUAL.items())


def involved(values):
    """Whether among arguments, or in the lists and tuples among them, is an object that may answer itself."""
    for value in values:
        kind = type(value)
        if kind is list or kind is tuple:
            if not _PLAIN.issuperset(kinds := set(map(type, value))) and any(map(foreign, kinds)):
                return True
            if not kinds.isdisjoint((list, tuple)) and involved(value):
                return True
        elif foreign(kind):
            return True
    return False


def override(function, args, kwargs):
    """The answer of an argument that was written for weft to one of NumPy's functions; NotImplemented where none is to answer.

    What was written for NumPy alone is left to NumPy.
    """
    if isinstance(function, numpy.ufunc) or isinstance(getattr(function, "__self__", None), numpy.ufunc):
        return _override_ufunc(function, args, kwargs)
    if type(function) is _Dispatcher:
        asked = _asked(function, args, kwargs)
    elif "like" in kwargs:
        asked = [kwargs["like"]]
        kwargs = {name: value for name, value in kwargs.items() if name != "like"}
    else:
        return NotImplemented
    if not any(map(_speaks_weft, asked)):
        return NotImplemented
    order = []  # one of each type, a subclass before its bases, otherwise from the left
    for value in asked:
        if hasattr(type(value), "__array_function__") and all(type(value) is not type(other) for other in order):
            at = next((i for i, other in enumerate(order) if isinstance(value, type(other))), len(order))
            order.insert(at, value)
    kinds = tuple(map(type, order))
    ours = _ours(function)
    for value in order:
        kind = type(value)
        told = ours if kind is ndarray or knows_weft(kind.__array_function__) else function
        made = kind.__array_function__(value, told, kinds, args, kwargs)
        if made is not NotImplemented:
            return made
    name = f"{function.__module__}.{function.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __array_function__: {list(kinds)}")


def _override_ufunc(function, args, kwargs):
    """The same for a ufunc or a method of one. NumPy finds whom to ask, among what stands for the arguments."""
    out, where = kwargs.get("out"), kwargs.get("where")
    asked = (*args, *(out if type(out) is tuple else (out,)), where)
    if not any(hasattr(type(value), "__array_ufunc__") and _speaks_weft(value, "__array_ufunc__") for value in asked):
        return NotImplemented
    args = tuple(map(_stand_in, args))
    kwargs = dict(kwargs)
    if out is not None:
        kwargs["out"] = tuple(map(_stand_in, out)) if type(out) is tuple else _stand_in(out)
    if where is not None:
        kwargs["where"] = _stand_in(where)
    return function(*args, **kwargs)


class _Standing(type):
    """The types of what stands for objects, as NumPy orders and names them."""

    def __subclasscheck__(cls, other):
        return issubclass(getattr(other, "kind", other), cls.kind)

    def __instancecheck__(cls, value):
        return issubclass(type(value), cls)


class _StandIn:
    """Stands for an object among the arguments of NumPy's ufunc, so that the object is told of weft's."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = tuple(map(_behind, out))
        kwargs = {name: _behind(value) for name, value in kwargs.items()}
        return self.kind.__array_ufunc__(self.value, _ours(ufunc), method, *map(_behind, inputs), **kwargs)

    def __repr__(self):
        return repr(self.value)


@functools.lru_cache(maxsize=256)
def _standing(kind):
    return _Standing(kind.__name__, (_StandIn,), {"__slots__": (), "kind": kind})


def _stand_in(value):
    kind = type(value)
    if kind in _PLAIN or not _speaks_weft(value, "__array_ufunc__"):
        return value
    return _standing(kind)(value)


def _behind(value):
    return value.value if isinstance(type(value), _Standing) else value


def _speaks_weft(value, protocol="__array_function__"):
    """Whether an object has an answer of its own that was written with weft."""
    kind = type(value)
    if kind in _PLAIN:
        return False
    method = getattr(kind, protocol, None)
    return method is not None and method not in _USUAL[protocol] and knows_weft(method)


@functools.lru_cache(maxsize=256)
def knows_weft(method):
    """Whether the code of a method can name weft's functions: its module, or the function around it, has weft under some name."""
    if not isinstance(method, types.FunctionType):
        return False
    return any(map(_is_weft, (*method.__globals__.values(), *_around(method))))


def _around(method):
    """What a method names of the function around it, as far as it is there yet: a class may name itself, or one that follows."""
    for cell in method.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            continue


def _is_weft(value):
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in ("weft", "cupynumeric", "cunumeric")
    return value is ndarray or (isinstance(value, (types.FunctionType, _core.function_type)) and hasattr(value, "_numpy"))


def _ours(function):
    """weft's function for one of NumPy's."""
    if isinstance(function, numpy.ufunc):
        space, name = "numpy", function.__name__
    else:
        space, name = function.__module__, function.__name__
    if space.partition(".")[0] != "numpy":
        return function
    found = getattr(importlib.import_module("weft" + space[len("numpy") :]), name, None)
    return found if getattr(found, "_numpy", None) is function else function


own = functools.lru_cache(maxsize=512)(_ours)


def operators():
    """NumPy's mixin that makes operators of ufuncs, whose subclasses are asked with weft's."""
    original = numpy.lib.mixins.NDArrayOperatorsMixin
    members = {"__slots__": (), "__module__": "numpy.lib.mixins", "__qualname__": original.__qualname__, "__doc__": original.__doc__}
    for name, method in vars(original).items():
        if isinstance(method, types.FunctionType) and method.__closure__:
            cells = tuple(types.CellType(_ours(cell.cell_contents)) for cell in method.__closure__)
            members[name] = types.FunctionType(method.__code__, method.__globals__, name, method.__defaults__, cells)
    return type(original.__name__, (original,), members)


def _asked(function, args, kwargs):
    """The arguments that a function of NumPy asks, in the order of its parameters."""
    name = ".".join((*function.__module__.split(".")[1:], function.__name__))
    found = []
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError:
        function(*args, **kwargs)  # NumPy has words of its own for arguments that do not fit, and looks at none of them
        raise
    for parameter, value in bound.arguments.items():
        if name == "histogram2d" and parameter == "bins" and isinstance(value, (list, tuple)) and len(value) != 2:
            continue  # the edges themselves
        if parameter in _ITEMS.get(name, ()) and isinstance(value, (list, tuple)):
            found += _leaves(value) if name == "block" else value
        elif f"{name}.{parameter}" in _ASKED or not (parameter in _NEVER or f"{name}.{parameter}" in _NOT_ASKED):
            found += value if _signature(function).parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL else (value,)
    return found


@functools.lru_cache(maxsize=512)
def _signature(function):
    return inspect.signature(function)


def _leaves(value):
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
