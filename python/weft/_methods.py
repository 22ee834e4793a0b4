"""The methods and attributes of ndarray that are not in the function table.

Some say the same as a native function or another method. All the others are NumPy's, on the
array's own memory: what they write stays written, and they are warned of and counted.
"""

import copyreg
import functools
import importlib
import inspect
import operator
import sys
import types

import numpy

from . import _core, _create, _delegates, _functions, _guests, _protocols, _signatures, special
from ._fallback import Exchange, call_method, from_numpy, ndarray, run, taken, to_numpy, unfit


def _no_deleting(what):
    def delete(array):
        raise AttributeError(f"Cannot delete array {what} part")

    return delete


def _real(array):
    return _functions.real(array) if array.dtype.kind == "c" else array


def _set_real(array, value):
    _functions.real(array)[...] = value


def _set_imag(array, value):
    if array.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    _functions.imag(array)[...] = value


_ctypes = type(numpy.empty(0).ctypes)


class Extra:
    """What ndarray gets besides the methods of the function table."""

    __array_priority__ = 0.0

    def _repr_mimebundle_(self, include=None, exclude=None):
        """The forms in which notebooks show the array."""
        from ._display import bundle

        return bundle(self)

    def _repr_html_(self):
        """The form for notebooks, for front ends that ask for it by this name; of a scalar there is none."""
        return self._repr_mimebundle_().get("text/html")

    @property
    def mT(self):
        """The array with its last two axes exchanged: a view."""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    real = property(_real, _set_real, _no_deleting("real"), doc="The real part: a view.")

    imag = property(_functions.imag, _set_imag, _no_deleting("imaginary"), doc="The imaginary part: a view where the array is complex, else zeros.")

    @property
    def device(self):
        """Always "cpu": where the elements are is the runtime's business."""
        return "cpu"

    @device.setter
    def device(self, value):
        raise AttributeError("attribute 'device' of 'numpy.ndarray' objects is not writable")

    @property
    def ctypes(self):
        """NumPy's object for calling C with the array's memory. It holds the memory in place."""
        return numpy.asarray(self).ctypes if self.size else _ctypes(self, self.__array_interface__["data"][0])  # NumPy keeps no buffer of no elements

    def byteswap(self, inplace=False):
        """byteswap(inplace=False): a copy of the array whose elements have their bytes the other way."""
        made = _core.with_few(numpy.ndarray.byteswap, self)
        if inplace and made is not NotImplemented and self.dtype != bool and self._contiguous and self._writable:
            self[...] = made
            return self
        return run("ndarray.byteswap", call_method, ("byteswap", self, inplace), {}) if inplace or made is NotImplemented else made

    def item(self, *args):
        """item(*args): copy one element to a Python number."""
        if not args:
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return self._item()
        return numpy.asarray(self).item(*to_numpy(args))

    def view(self, *args, **kwargs):
        """view([dtype][, type]): the same memory, seen as another dtype."""
        kinds = [value for value in (*args, *kwargs.values()) if isinstance(value, type) and numpy.ndarray in value.__mro__[1:]]
        if kinds:  # nothing is computed
            return numpy.ndarray.view(_core.hold(self), *args, **kwargs)
        if kwargs.keys() <= {"dtype"} and len(args) + len(kwargs) <= 1:
            (dtype,) = args or kwargs.values() or (ndarray,)
            if dtype is ndarray or dtype is numpy.ndarray:
                return self[...]
            return _functions.Methods.view(self, float if dtype is None else dtype)
        return run("ndarray.view", call_method, ("view", self, *args), kwargs)

    def dot(self, b, out=None):
        """dot(other, /, out=None), of which NumPy's text tells another name than it takes."""
        return _functions.Methods.dot(self, b, out)

    def choose(self, *choices, out=None, mode=numpy._NoValue):
        """choose(*choices, out=None, mode='raise')

        Use an index array to construct a new array from a set of choices.
        """
        if out is not None and len(choices) == 1 and not hasattr(choices[0], "__len__"):
            # NumPy's method says what is wrong with the choices, or with what is written to; its function goes through the choices first.
            numpy.empty(0, int).choose(choices[0], out=numpy.empty(0, int) if isinstance(out, numpy.ndarray) else out)
        return _functions.Methods.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)

    def transpose(self, *axes):
        """transpose(*axes): the array with its axes in another order, the reverse one where none is told."""
        return _functions.Methods.transpose(self, *(axes or (None,)))

    def setflags(self, write=None, align=None, uic=None):
        """setflags(write=None, align=None, uic=None): forbid or allow assignments to the array."""
        if uic:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
        if write is not None:
            self._writable = write
        if align is not None:
            self._misaligned = not align

    def copy(self, order="C"):
        """copy(order='C')

        Return a copy of the array.
        """
        return _functions.Methods.copy(self, order)

    def compress(self, condition, axis=None, out=None):
        """compress(condition, axis=None, out=None): the parts of the array along an axis where a condition holds."""
        return _functions.compress(condition, self, axis, out)

    def __sizeof__(self):
        """What sys.getsizeof says: as much as NumPy, with the elements where they are the array's own."""
        return numpy.ndarray.__basicsize__ + 16 * self.ndim + (self.nbytes if self.flags.owndata else 0)

    @property
    def __array_struct__(self):
        """NumPy's description of the memory for C, which holds it in place."""
        _ = self.__array_interface__  # raises an interrupt that NumPy has dropped: it asks for this next, where it gets no buffer
        return numpy.asarray(memoryview(self)).__array_struct__

    def tolist(self):
        """tolist(): the elements as nested lists of Python numbers."""
        return numpy.asarray(self).tolist()

    def to_device(self, device, /, *, stream=None):
        """to_device(device, /, *, stream=None): the array itself; device must be "cpu"."""
        numpy.empty(0).to_device(device, stream=stream)  # raises what is wrong with them
        return self

    def stencil_hint(self, low_offsets, high_offsets):
        """stencil_hint(low_offsets, high_offsets)

        For programs written for cuPyNumeric: says how many elements of its neighbours a part of the array is read with, in each
        dimension. weft sees that in the operations themselves, so the hint changes nothing.
        """
        for offsets in (low_offsets, high_offsets):
            if len(tuple(map(operator.index, offsets))) != self.ndim:
                raise ValueError(f"a stencil of an array of {self.ndim} dimensions needs as many offsets, got {tuple(offsets)}")

    def __array__(self, dtype=None, copy=None):
        array = numpy.asarray(self)
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        return array.copy() if copy else array

    def _array_ufunc(self, ufunc, method, *inputs, out=None, **kwargs):
        """NumPy's ufuncs, called with weft arrays by libraries."""
        ufunc = getattr(ufunc, "_numpy", ufunc)
        if not isinstance(method, str):
            raise TypeError(f"attribute name must be string, not '{type(method).__name__}'")
        for value in (*inputs, *(out or ()), kwargs.get("where")):
            other = getattr(type(value), "__array_ufunc__", None)
            if other not in (None, numpy.ndarray.__array_ufunc__, ndarray.__array_ufunc__):
                return _asked_again(getattr(ufunc, method), inputs, kwargs if out is None else kwargs | {"out": out}, [type(value)], "__array_ufunc__")
        if out is not None:
            kwargs["out"] = out[0] if len(out) == 1 else out
        name = ufunc.__name__
        native = _functions.FUNCTIONS.get(name)
        if native is None or getattr(native, "_numpy", None) is not ufunc:
            native = special.native(ufunc) if method == "__call__" else None
        if native is not None and (out is None or type(out[0]) is ndarray):
            function = native if method == "__call__" else getattr(native, method)
            return function(*inputs, **kwargs)
        return run(name if method == "__call__" else f"{name}.{method}", getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        """NumPy's functions, called with weft arrays by libraries."""
        if not isinstance(args, tuple):
            raise TypeError("args must be a tuple.")
        if not isinstance(kwargs, dict):
            raise TypeError("kwargs must be a dict.")
        func = getattr(func, "_numpy", func)
        for kind in types:
            if not issubclass(kind, (ndarray, numpy.ndarray)):
                return _asked_again(func, args, kwargs, types, "__array_function__")
        module = (getattr(func, "__module__", None) or "numpy").partition(".")[2]
        name = f"{module}.{func.__name__}" if module else func.__name__
        if _protocols.involved((*args, *kwargs.values())):  # who has been asked, and is not to be asked again
            return run(name, getattr(func, "_implementation", func), args, kwargs)
        own = _protocols.own(func)
        return run(name, func, args, kwargs) if own is func else own(*args, **kwargs)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What a function that was computed on NumPy's arrays gives back, as an array of weft's."""
        made = _create.asarray(array)
        return made[()] if return_scalar and made.ndim == 0 else made

    def __jax_array__(self):
        """JAX's array of the elements."""
        import jax.numpy

        return jax.numpy.asarray(to_numpy(self))

    def __array_namespace__(self, *, api_version=None):
        numpy.empty(0).__array_namespace__(api_version=api_version)  # raises what is wrong with the version
        return sys.modules[__package__]

    def __format__(self, spec):
        return format(to_numpy(self), spec) if spec else str(self)  # which is a display

    def __copy__(self):
        return self.copy() if self._contiguous else self.copy("K")

    def __deepcopy__(self, memo, /):
        return self.copy() if self._contiguous else self.copy("K")

    def __reduce__(self):
        copy = _core.copy_of(self)
        return _pickled, (numpy.array(self) if copy is None else copy,)

    def __reduce_ex__(self, protocol, /):
        """For pickling: from protocol 5 on by the array's own memory, which a program may have pickled beside the rest."""
        return (_pickled, (numpy.asarray(memoryview(self)),)) if protocol >= 5 else self.__reduce__()

    def __setstate__(self, state, /):
        """For unpickling: the array becomes what a state of NumPy's says."""
        array = numpy.empty(0)
        array.__setstate__(state)
        made = _create.array(array)
        if type(made) is not ndarray:
            raise TypeError(f"an array of weft's cannot become one of dtype {array.dtype.str!r} and {array.ndim} dimensions, which weft has not")
        self._become(made)
        self._own()

    def __array_finalize__(self, source, /):
        """Nothing: what a class that derives from ndarray has of its own, it says itself."""

    @classmethod
    def __class_getitem__(cls, item):
        return types.GenericAlias(cls, numpy.ndarray[item].__args__)


def _asked_again(function, args, kwargs, kinds, protocol):
    """A call of NumPy's that others among its arguments are to answer, to whom an array is NumPy's; of those that know weft, it is left to them."""
    exchange = Exchange()
    args = [exchange.to_numpy(value) for value in args]
    kwargs = {name: exchange.to_numpy(value) for name, value in kwargs.items()}
    if not exchange.views or any(map(_protocols.knows_weft, (getattr(kind, protocol, None) for kind in kinds if kind is not ndarray))):
        return NotImplemented
    return exchange.to_weft(function(*args, **kwargs))


def _restore(array):
    """Unpickles, where there is weft. What was pickled beside the rest stays the memory of the array."""
    source = array
    while isinstance(source, numpy.ndarray):
        source = source.base
    beside = source is not None and type(source) not in (bytes, bytearray)
    return taken(array) if beside else from_numpy(array)


class _Expression:
    """Stands in a pickle for a value that is found out where it is loaded: by a call of a function of the standard library's."""

    def __init__(self, function, *args):
        self._call = function, args

    def __reduce__(self):
        return self._call

    def __call__(self, *args):
        raise TypeError("a part of a pickle, which means something only where it is loaded")


# What a pickle calls with NumPy's array: getattr(sys.modules.get("weft"), "_restored", numpy.asarray). So the array becomes weft's in a process that has
# loaded weft, and stays NumPy's in all others, those that have no weft among them.
_modules = _Expression(getattr, _Expression(importlib.import_module, "sys"), "modules")
_weft = _Expression(_Expression(getattr, _modules, "get"), "weft")
_pickled = _Expression(getattr, _weft, "_restored", numpy.asarray)


def numpy_method(name):
    """A method that NumPy runs on the array's memory."""
    original = getattr(numpy.ndarray, name)
    dotted = f"ndarray.{name}"

    @functools.wraps(original, updated=())
    def method(self, *args, **kwargs):
        return run(dotted, call_method, (name, self, *args), kwargs)

    method._way = "fallback"
    _signatures.tell(method, original)
    return method


def _without_frame(name, method):
    """A method of the table that calls its row from C, where it has the row's parameters; others as they are."""
    rows = [row for row, _, _ in _functions.TABLE]
    row = f"ndarray.{name}" if f"ndarray.{name}" in rows else name
    code = method.__code__
    stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    called = getattr(_functions.FUNCTIONS.get(row), "_python", None)  # to which the core hands the program's words
    other = called is not None and called.__code__.co_varnames[1 : called.__code__.co_argcount] != code.co_varnames[1 : code.co_argcount]
    if stars or other or code.co_argcount + code.co_kwonlyargcount != len(_functions.TABLE[rows.index(row)][2]):
        return method
    return _core.function(_CHANGED.get(name, _as_it_is)(method), rows.index(row), True, name in _functions._SCALARS)


def _as_it_is(method):
    return method


def _by_name(method):
    """A method of which all but the axis goes by name: NumPy's has a dtype before out."""
    code, usual = method.__code__, method.__defaults__
    names = code.co_varnames[: code.co_argcount]
    made = types.FunctionType(code.replace(co_argcount=2, co_posonlyargcount=1, co_kwonlyargcount=code.co_kwonlyargcount + len(names) - 2), method.__globals__, method.__name__, usual[:1])
    made.__kwdefaults__ = dict(zip(names[2:], usual[1:], strict=True)) | method.__kwdefaults__
    functools.update_wrapper(made, method, functools.WRAPPER_ASSIGNMENTS, ())
    made.__dict__.update(vars(method))
    return made


def _without_correction(method):
    """A method that takes no correction= by that name, which only the function does."""
    usual = method.__kwdefaults__
    renamed = {name: " correction" if name == "correction" else name for name in usual}  # by which no call passes it
    code = method.__code__
    made = types.FunctionType(code.replace(co_varnames=tuple(renamed.get(name, name) for name in code.co_varnames)), method.__globals__, method.__name__, method.__defaults__)
    made.__kwdefaults__ = {renamed[name]: value for name, value in usual.items()}
    functools.update_wrapper(made, method, functools.WRAPPER_ASSIGNMENTS, ())
    made.__dict__.update(vars(method))
    return made


# How the parameters of methods of the table are other ones than their rows'.
_CHANGED = {"all": _by_name, "any": _by_name, "std": _without_correction, "var": _without_correction}


def install():
    """Complete the ndarray type."""
    ndarray.__doc__ = numpy.ndarray.__doc__
    rows = [name.removeprefix("ndarray.") for name, _, _ in _functions.TABLE]
    for source in (_functions.Methods, Extra):
        for name, value in vars(source).items():
            if name in ("__module__", "__doc__", "__dict__", "__weakref__"):
                continue
            if hasattr(value, "__qualname__"):
                value.__qualname__ = f"ndarray.{value.__name__}"
            numpys = getattr(numpy.ndarray, name, None)
            if numpys is not None and isinstance(value, types.FunctionType):
                value._odd = unfit(f"ndarray.{name}", numpys)
            if _core.bind(name, value, rows.index(name) if name in rows else -1):
                continue  # a method of the core's, which hands unusual calls over
            if numpys is not None and isinstance(value, types.FunctionType):
                _signatures.tell(value, numpys)
            direct = _without_frame(name, value) if source is _functions.Methods else _delegates.shortcut(f"ndarray.{name}", value)
            setattr(ndarray, name, _delegates.fitting(direct))
    _core.bind("tobytes", _delegates.shortcut("ndarray.tobytes", numpy_method("tobytes")), -1)
    for name in dir(numpy.ndarray):
        wanted = not name.startswith("_") or name in ("__dlpack__", "__dlpack_device__")
        if wanted and not hasattr(ndarray, name) and callable(getattr(numpy.ndarray, name)):
            setattr(ndarray, name, _delegates.shortcut(f"ndarray.{name}", numpy_method(name)))
    _guests.install(ndarray, ndarray.__dlpack__)
    _protocols.setup(ndarray)
    copyreg.pickle(type(ndarray), lambda _: (getattr, (_weft, "ndarray", numpy.ndarray)))  # whose name is that of NumPy's
