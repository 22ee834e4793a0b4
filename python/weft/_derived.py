"""Classes derived from ndarray, and ndarray's own methods where a class calls them by its name.

Such classes derive from NumPy's ndarray (see RATIONALE.md). Their code is written with weft: it asks for weft's ndarray, compares with weft's
functions, and hands its objects to methods of weft's ndarray, as in np.ndarray.__getitem__(self, i).
"""

import functools
import gc
import types

import numpy

from . import _core, _protocols, _signatures
from ._fallback import Exchange, run, taken, to_numpy

ndarray = _core.ndarray


_numpys_view = numpy.ndarray.view


def view(array, *args, **kwargs):
    """NumPy's view of an array of its own, where weft's name of ndarray means weft's arrays."""
    if not any(value is ndarray for value in (*args, *kwargs.values())):
        return _numpys_view(array, *args, **kwargs)
    made = _numpys_view(
        array,
        *(numpy.ndarray if value is ndarray else value for value in args),
        **{name: numpy.ndarray if value is ndarray else value for name, value in kwargs.items()},
    )
    return taken(made, array)


_numpys_wrap = numpy.ndarray.__array_wrap__


def wrap(array, *args, **kwargs):
    """NumPy's __array_wrap__ of an array of its own, where the result to be wrapped is an array of weft's."""
    return _numpys_wrap(array, *map(to_numpy, args), **kwargs)


# NumPy's methods that write into an array that they are given, which is one of NumPy's to them.
_INTO = "all any argmax argmin choose clip compress cumprod cumsum dot max mean min prod round std sum take trace var".split()


def _into(kind, name):
    """A method of NumPy's arrays, or scalars, with arrays of weft's among its arguments: the one that it writes into, or wraps, is its result."""
    original = getattr(kind, name)

    def call(value, *args, **kwargs):
        return run(f"{kind.__name__}.{name}", original, (value, *args), kwargs, "an array of NumPy's")

    return call


def adapt_numpys():
    """Have NumPy's own arrays, records and strings among them, take weft's ndarray for theirs, as in records.view(np.ndarray), wrap weft's arrays, and write into them."""
    _adapt(numpy.ndarray, {"view": view, "__array_wrap__": wrap} | {name: _into(numpy.ndarray, name) for name in _INTO})
    _adapt(numpy.generic, {"__array_wrap__": _into(numpy.generic, "__array_wrap__")})


def _adapt(kind, functions):
    members = next((held for held in gc.get_referents(vars(kind)) if type(held) is dict), {})
    for name, function in functions.items():
        original = vars(kind)[name]
        if members.get(name) is not original or type(original) is not types.MethodDescriptorType:
            continue  # a Python that keeps them elsewhere, or the program has been here
        made = _core.shortcut(function, "ours", original, 1)
        made.__name__, made.__qualname__, made.__doc__, made.__module__ = name, original.__qualname__, original.__doc__, None
        _signatures.tell(made, original)
        _core.adopt(kind, members, name, made)


def array_ufunc(array, ufunc, method, *inputs, **kwargs):
    """What NumPy's ndarray.__array_ufunc__ answers, of a function and of arrays of weft's: where none is NumPy's, weft computes."""
    outs = kwargs.get("out") or ()
    given = (*inputs, *(outs if isinstance(outs, tuple) else (outs,)), kwargs.get("where"))
    ufunc = getattr(ufunc, "_numpy", ufunc)
    if any(isinstance(value, numpy.ndarray) for value in given):
        exchange = Exchange()
        inputs = map(exchange.to_numpy, inputs)
        kwargs = {name: exchange.to_numpy(value) for name, value in kwargs.items()}
        return exchange.to_weft(numpy.ndarray.__array_ufunc__(array, ufunc, method, *inputs, **kwargs))
    if _protocols.involved(given):
        return NotImplemented
    if isinstance(outs, tuple) and len(outs) == 1:
        kwargs["out"] = outs[0]
    own = _protocols.own(ufunc)
    return (own if method == "__call__" else getattr(own, method))(*inputs, **kwargs)


def array_function(array, func, kinds, args, kwargs):
    """What NumPy's ndarray.__array_function__ answers, of a function of weft's."""
    exchange = Exchange()
    kinds = tuple(numpy.ndarray if kind is ndarray else kind for kind in kinds)
    args = tuple(map(exchange.to_numpy, args))
    kwargs = {name: exchange.to_numpy(value) for name, value in kwargs.items()}
    return exchange.to_weft(numpy.ndarray.__array_function__(array, getattr(func, "_numpy", func), kinds, args, kwargs))


class _Protocol:
    """A protocol's method, as super() gives it to an object. Of a class it is NumPy's, by which NumPy knows that the class has no other."""

    def __init__(self, name, call):
        self._numpys = getattr(numpy.ndarray, name)
        self._call = call

    def __get__(self, instance, kind=None):
        return self._numpys if instance is None else types.MethodType(self._call, instance)


def _of_weft(method):
    """A class's own method of a protocol, which is told of weft's functions by any caller."""

    @functools.wraps(method)
    def call(self, function, *args, **kwargs):
        return method(self, _protocols.own(function), *args, **kwargs)

    return call


class Derived(numpy.ndarray):
    """What stands for ndarray among the bases of a class."""

    view = view
    __array_ufunc__ = _Protocol("__array_ufunc__", array_ufunc)
    __array_function__ = _Protocol("__array_function__", array_function)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name in ("__array_ufunc__", "__array_function__"):
            method = vars(cls).get(name)
            if isinstance(method, types.FunctionType) and _protocols.knows_weft(method):
                setattr(cls, name, _of_weft(method))

    @property
    def base(self):
        made = numpy.ndarray.base.__get__(self)
        return _core.held_array(made) if type(made) is numpy.ndarray else made


Derived.__module__, Derived.__name__, Derived.__qualname__ = "numpy", "ndarray", "ndarray"

# What a class's own attributes say is asked of the class itself.
_OF_THE_CLASS = frozenset("__new__ __init__ __class_getitem__ __array_ufunc__ __array_function__ __array_priority__ __hash__ __doc__ __module__".split())


_ADAPTED = {"view": view, "__array_wrap__": wrap}


def _either(name, own):
    """A method of ndarray as the class itself has it: weft's for weft's arrays, and NumPy's for NumPy's."""
    original = getattr(numpy.ndarray, name)
    python = own
    if not isinstance(own, (types.FunctionType, _core.function_type)):

        def python(*args, **kwargs):
            return own(*args, **kwargs)

        python.__name__, python.__qualname__, python.__module__ = name, f"ndarray.{name}", None
        python.__doc__ = original.__doc__
    made = _core.shortcut(python, "either", (own, _ADAPTED.get(name, original)), 1)
    _signatures.tell(made, original)
    return made


class _Attribute:
    """An attribute of ndarray as the class itself has it, for arrays of both kinds."""

    def __init__(self, name, own):
        self.__name__, self.__doc__, self._own, self._numpys = name, own.__doc__, own, getattr(numpy.ndarray, name)

    def _of(self, array):
        return self._own if type(array) is ndarray else self._numpys

    def __get__(self, array, kind=None):
        return self if array is None else self._of(array).__get__(array)

    def __set__(self, array, value):
        self._of(array).__set__(array, value)

    def __delete__(self, array):
        self._of(array).__delete__(array)

    def __repr__(self):
        return repr(self._numpys)


def members():
    """Methods and attributes of ndarray by their names, as the class itself has them."""
    made = {}
    for name, own in vars(ndarray).items():
        original = getattr(numpy.ndarray, name, None)
        if name not in _OF_THE_CLASS and callable(own) and callable(original):
            made[name] = _either(name, own)
        elif hasattr(own, "__set__") and hasattr(original, "__set__"):
            made[name] = _Attribute(name, own)
    return made
