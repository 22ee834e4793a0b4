"""scipy.special on weft arrays.

The functions of __all__ are weft's own and need no SciPy. All others, and complex numbers, are SciPy's,
with arrays converted. scipy.special's own functions do the same when they get a weft array.
"""

import importlib
import sys

from . import _functions
from ._mirror import wrap

_PREFIX = "special."
_SAME = ("cbrt", "exp2", "expm1", "log1p", "sinc")  # as numpy has them

_native = {name: _functions.FUNCTIONS[name] for name in _SAME}
for _name, _function in _functions.FUNCTIONS.items():
    if _name.startswith(_PREFIX):
        _function.__name__ = _function.__qualname__ = _name.removeprefix(_PREFIX)
        _native[_function.__name__] = _function
globals().update(_native)

__all__ = sorted(_native)


def native(ufunc):
    """weft's function for a ufunc of scipy.special, or None."""
    theirs = sys.modules.get("scipy.special")
    name = ufunc.__name__
    return _native.get(name) if theirs is not None and getattr(theirs, name, None) is ufunc else None


def _scipy(name):
    """What scipy.special has under a name."""
    try:
        module = importlib.import_module("scipy.special")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"weft.special.{name} with these arguments is SciPy's: pip install scipy", name=error.name
        ) from None
    return getattr(module, name)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'weft.special' has no attribute {name!r}")
    try:
        value = _scipy(name)
    except ModuleNotFoundError:
        raise AttributeError(
            f"weft.special has no {name} of its own, and SciPy, which might have it, is not installed"
        ) from None
    value = wrap(_PREFIX + name, value) if callable(value) else value
    globals()[name] = value
    return value


def __dir__():
    theirs = sys.modules.get("scipy.special")
    return sorted({*__all__, *(dir(theirs) if theirs is not None else ())})
