"""numpy.ma on weft arrays: masked arrays are NumPy's, and so are their masks.

A mask that a function gives is the very array that is x.mask, and goes on being it where the program changes it. So masks are not made arrays
of weft's. The methods of masked arrays, which NumPy has written in Python, take weft's arrays for their results, and weft's ndarray for the
class of a view, as NumPy's own.
"""

import functools
import inspect

import numpy
from numpy.ma import MaskedArray, __all__  # noqa: F401

from . import _core, _delegates
from ._fallback import Exchange, taken, to_numpy
from ._mirror import populate, settle

__path__ = []  # NumPy's modules below this one are mirrored too
__getattr__, __dir__ = populate(globals(), "numpy.ma")

_ndarray = _core.ndarray


def _mask(name):
    """A function of NumPy's that gives a mask."""
    original = getattr(numpy.ma, name)

    @functools.wraps(original)
    def call(*args, **kwargs):
        return original(*map(to_numpy, args), **{key: to_numpy(value) for key, value in kwargs.items()})

    call._numpy = original
    return _core.shortcut(_delegates.plainly(f"ma.{name}", call, "kept"), "asked", original, True)


for _name in ("getmask", "getmaskarray", "make_mask", "make_mask_none", "mask_or"):
    globals()[_name] = _mask(_name)


def _viewing(method):
    """The method view, for which weft's ndarray is NumPy's."""

    @functools.wraps(method)
    def view(self, dtype=None, type=None, fill_value=None):
        if dtype is not _ndarray and type is not _ndarray:
            return method(self, dtype, type, fill_value)
        dtype, type = (numpy.ndarray if value is _ndarray else value for value in (dtype, type))
        return taken(method(self, dtype, type, fill_value), self)

    return view


def _writing(method):
    """A method with a parameter out, which may be an array of weft's."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if _ndarray not in map(type, args) and _ndarray not in map(type, kwargs.values()):
            return method(self, *args, **kwargs)
        exchange = Exchange()
        args = map(exchange.to_numpy, args)
        return exchange.to_weft(method(self, *args, **{key: exchange.to_numpy(value) for key, value in kwargs.items()}))

    return call


def _adapt(kind):
    """Have the methods of NumPy's class know weft's arrays."""
    for name, method in list(vars(kind).items()):
        if inspect.isfunction(method) and "out" in inspect.signature(method).parameters:
            setattr(kind, name, _writing(method))
    kind.view = _viewing(kind.view)


if not hasattr(MaskedArray.view, "__wrapped__"):
    _adapt(MaskedArray)
settle(globals())
