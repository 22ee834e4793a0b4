"""Forked children, where weft's names mean NumPy.

Go's runtime does not survive a fork. So before one all arrays are waited for (_core.before_fork), and in the child everything
that stands for something of NumPy's becomes that: the names in weft's modules, the methods of arrays, which are NumPy's on what NumPy
sees of the same memory, and the functions that the program has under names of its own. New arrays are NumPy's. So the workers of a multiprocessing.Pool,
and what is built on it, do what they do without weft, on arrays that the parent has computed.

All of it happens in the child, once: a process that does not fork knows nothing of it.
"""

import functools
import os
import sys
import types

import numpy

from . import _answers, _core, _fallback, _functions, _mirror, _neighbours, _protocols, _sharing

ndarray = _core.ndarray

# What of NumPy's ndarray is no method that is called with an array, or what weft's says already.
_NOT_METHODS = frozenset("base __new__ __init__ __doc__ __module__ __qualname__ __name__ __getattribute__ __class_getitem__ __hash__ __array_finalize__ __buffer__ __release_buffer__ __dict__ __weakref__".split())

# Of a class that stands for one of NumPy's: what makes its objects stays.
_MAKING = frozenset("__new__ __init__ __reduce__ __doc__ __module__ __slots__ __dict__ __weakref__".split())

_NAMES = ("__name__", "__qualname__", "__doc__")


def install():
    """Have Python tell of forks."""
    os.register_at_fork(before=_core.before_fork, after_in_parent=_core.after_fork, after_in_child=_in_child)
    os.register_at_fork(after_in_child=_core.after_fork)


def _in_child():
    if getattr(ndarray, "__array_function__", None) is _array_function:
        return  # a child of a child
    _core.left(False)
    _exchange()
    for numpys, own in _mirror.classes.items():
        if own is not ndarray and isinstance(own, type):
            _restore(own, numpys)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _neighbours.OWN and module is not None:
            _rename(name, module)
    _become_numpys()


def _exchange():
    """What goes to NumPy is its own view of an array, and what comes back stays as it is."""
    _fallback.Exchange._view = lambda self, array: _core.seen(array)
    _fallback.Exchange.to_weft = lambda self, value: value
    kept = {
        _fallback.from_numpy: lambda array: array,
        _fallback.taken: lambda array, source=None: array,
        _fallback.run_few: _fallback.run,
        _fallback._note: lambda name, begun, size, reason: None,
        _sharing.share: lambda array: None,
        _sharing.known: lambda array: None,
    }
    for name, module in list(sys.modules.items()):
        if name.startswith("weft._") and name != "weft._core":
            vars(module).update([(key, kept[value]) for key, value in vars(module).items() if isinstance(value, types.FunctionType) and value in kept])
    _functions._call = lambda index, *args: _answers.fallback(index, "", 1, args)  # of those of the table that are Python's functions


def _restore(own, numpys):
    """Give a class that stands for one of NumPy's its methods. Those of generators are Cython's, which knows NumPy's arrays alone."""
    convert = _method if numpys.__module__.startswith("numpy.random.") else lambda original: original
    for name in set(vars(own)) - _MAKING:
        original = getattr(numpys, name, None)
        if callable(original):
            setattr(own, name, convert(original))


def _rename(name, module):
    """Give the names of a module that mirrors one of NumPy's what they mean there."""
    rest = name.partition(".")[2]
    original = sys.modules.get("numpy." + rest) if rest else numpy
    if original is None:
        return
    space = vars(module)
    # numpy.random's classes stay weft's, and its functions, which are methods of a generator's, get NumPy's arrays.
    generators = rest == "random"
    meaning = (lambda key: _of_random(module, key)) if generators else (lambda key: getattr(original, key))
    for key, value in list(space.items()):
        if key.startswith("_") or value is ndarray or isinstance(value, (types.ModuleType, type) if generators else types.ModuleType):
            continue
        if hasattr(original, key):
            space[key] = meaning(key)
    space["__getattr__"] = meaning


def _of_random(module, key):
    """What weft.random has under a name in the child."""
    value = getattr(numpy.random, key)
    if isinstance(value, type) or not callable(value):
        return _mirror.classes.get(value, value) if isinstance(value, type) else value
    made = _method(value)
    if key == "default_rng":
        numpys, generator = made, _mirror.classes[numpy.random.Generator]

        @functools.wraps(value, updated=())
        def made(seed=None):
            rng = numpys(seed)
            return rng if type(rng) is generator else generator(rng.bit_generator)

    made.__module__, made.__qualname__ = module.__name__, key  # by which pickles find it
    return made


def _become_numpys():
    """Give arrays NumPy's methods and attributes."""
    for base in reversed(numpy.ndarray.__mro__[:-1]):
        for name, value in vars(base).items():
            if name in _NOT_METHODS:
                continue
            setattr(ndarray, name, _method(value) if callable(value) else _attribute(name))
    ndarray.__reduce_ex__ = _method(numpy.ndarray.__reduce_ex__)
    ndarray.__array_ufunc__ = _array_ufunc
    ndarray.__new__ = staticmethod(lambda kind, *args, **kwargs: numpy.ndarray(*args, **kwargs) if kind is ndarray else numpy.ndarray.__new__(kind, *args, **kwargs))
    ndarray.__array_function__ = _array_function
    _core.of_class({})  # so ndarray.sum, asked of the class, is the same as well


def _given(value):
    return _core.seen(value) if type(value) is ndarray else value


def _method(original):
    """A function or method of NumPy's, which gets NumPy's views of arrays; where it returns one of them, that is the array."""

    @functools.wraps(original, _NAMES, ())
    def call(*args, **kwargs):
        views = [tuple(map(_given, value)) if type(value) is tuple else _given(value) for value in args]
        named = {name: _given(value) for name, value in kwargs.items()}
        made = original(*views, **named)
        for value, view in zip((*args, *kwargs.values()), (*views, *named.values()), strict=True):
            if made is view:
                return value
        return made

    return call


def _attribute(name):
    return property(lambda self: getattr(_core.seen(self), name), lambda self, value: setattr(_core.seen(self), name, value))


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """NumPy's ufuncs, of its own views of arrays."""
    ufunc = getattr(ufunc, "_numpy", ufunc)
    if not all(map(_usual, (*inputs, *(kwargs.get("out") or ()), kwargs.get("where")))):
        return NotImplemented
    return getattr(ufunc, method)(*_fallback.to_numpy(inputs), **_fallback.to_numpy(kwargs))


def _usual(value):
    return getattr(type(value), "__array_ufunc__", None) in (None, numpy.ndarray.__array_ufunc__, _array_ufunc)


def _array_function(self, func, kinds, args, kwargs):
    """NumPy's functions, of its own views of arrays."""
    if not all(issubclass(kind, ndarray) for kind in kinds):
        return NotImplemented
    return func(*_fallback.to_numpy(args), **_fallback.to_numpy(kwargs))


_protocols._USUAL["__array_function__"].append(_array_function)
_protocols._USUAL["__array_ufunc__"].append(_array_ufunc)
