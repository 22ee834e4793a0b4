"""Classes that stand for NumPy's: whatever is an instance of NumPy's, as what libraries make, is one of theirs.

The bit generators are NumPy's objects. Their stand-ins make them of seeds, counters and keys that are weft arrays, too.
"""

import inspect

import numpy.random

from ._fallback import to_numpy

_numpys = {}  # class -> NumPy's


class Kind(type):
    """The type of such classes."""

    def __instancecheck__(cls, value):
        return isinstance(value, _numpys[cls]) if cls in _numpys else super().__instancecheck__(value)

    def __subclasscheck__(cls, other):
        return issubclass(other, _numpys[cls]) if cls in _numpys else super().__subclasscheck__(other)


class _Maker(Kind):
    def __call__(cls, *args, **kwargs):
        if cls not in _numpys:  # a class of the program's
            return super().__call__(*args, **kwargs)
        return _numpys[cls](*map(to_numpy, args), **{name: to_numpy(value) for name, value in kwargs.items()})


def stands_for(kind):
    """Class decorator: the class stands for this one of NumPy's."""

    def decorate(cls):
        _numpys[cls] = kind
        return cls

    return decorate


def makers():
    """NumPy's bit generators, each with its stand-in."""
    names = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence")
    return {kind: _maker(kind) for kind in (getattr(numpy.random, name) for name in names)}


def _maker(kind):
    space = {"__doc__": kind.__doc__, "__module__": "weft.random", "__signature__": inspect.signature(kind)}
    return stands_for(kind)(_Maker(kind.__name__, (kind,), space))
