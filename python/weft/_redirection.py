"""Makes "import numpy" in the user's program give weft, while libraries keep NumPy; and "from numba import cuda" give weft's.

The user's program is what runs as __main__: the cells of a notebook, the script. All forms
work: import numpy as np, import numpy.linalg as la, from numpy import sum, from
numpy.linalg import norm. importlib.import_module("numpy") always gives NumPy itself.

Where Numba is not installed, numba is weft.numba in the program. Where it is, but there is no CUDA driver, numba.cuda
alone is weft's, with what vectorize and guvectorize make for target="cuda". Where there is one, Numba is Numba, but for programs that say otherwise: %weft_numba on, or
weft.settings.numba("on"). "from weft import cuda" is weft's everywhere.
"""

import builtins
import ctypes
import functools
import importlib.util
import sys
import types

_original = None
_cuda = None  # whether the program has said that numba.cuda is weft's, or is not


def install() -> None:
    """Start. Doing it twice is the same as doing it once."""
    global _original
    if _original is not None:
        return
    _original = original = builtins.__import__

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and name.startswith("numba") and globals and globals.get("__name__") == "__main__":
            found = _numbas(name, fromlist, original)
            if found is not None:
                return found
        if level == 0 and name.startswith("numpy") and globals and globals.get("__name__") == "__main__":
            mirrored = _mirrored(name)
            if mirrored:
                whole = original("weft")
                original(mirrored)
                return sys.modules[mirrored] if fromlist else whole
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = __import__


def uninstall() -> None:
    """Stop."""
    global _original
    if _original is not None:
        builtins.__import__ = _original
        _original = None


def _mirrored(name):
    """weft's name of a public module of NumPy; None for anything else."""
    first, *rest = name.split(".")
    if first != "numpy" or any(part.startswith("_") for part in rest):
        return None
    return ".".join(["weft", *rest])


def numba(which: str = "") -> str:
    """Say whose numba.cuda the user's program imports: "on" weft's, "off" Numba's, "auto" by the machine. Returns whose it is."""
    global _cuda
    if which:
        if which not in _SWITCH:
            raise ValueError(f"got {which!r}; want one of {', '.join(_SWITCH)}")
        _cuda = _SWITCH[which]
    answers = {"all": "weft's, as is all of numba: Numba is not installed", "cuda": "weft's", "": "Numba's"}
    return f"numba.cuda is {answers[_replaced()]}"


_SWITCH = {"on": True, "off": False, "auto": None}


def _replaced():
    """What of Numba is weft's in the user's program: "all", "cuda" or nothing."""
    if not _installed():
        return "all"
    ours = _cuda if _cuda is not None else not _driven()
    return "cuda" if ours else ""


@functools.cache
def _installed():
    return importlib.util.find_spec("numba") is not None


@functools.cache
def _driven():
    """Whether there is a driver, so that Numba's own cuda has something to run on."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def _is_the_programs():
    """Whether sys.modules has the program's own numba, or None for one that is not to be had."""
    if "numba" not in sys.modules:
        return False
    return getattr(sys.modules["numba"], "__spec__", None) is None or _replaced() == "all"


def _numbas(name, fromlist, original):
    """What an import of Numba's gives; None where it is Numba that answers."""
    parts = name.split(".")
    if parts[0] != "numba" or _is_the_programs():
        return None
    replaced = _replaced()
    if not replaced:
        return None
    if replaced == "all" or parts[:2] == ["numba", "cuda"]:
        of_cuda = parts[:2] == ["numba", "cuda"]
        mirrored = ".".join(_MODULES.get(tuple(parts[:2]), ["weft", *parts[of_cuda:2]]) + parts[2:])
        original("weft.numba")
        try:
            original(mirrored)
        except ModuleNotFoundError:
            if not of_cuda:
                raise ModuleNotFoundError(
                    f"No module named {name!r}: Numba is not installed, and weft has no such module", name=name
                ) from None
            mirrored = "weft.cuda"  # which has under one roof what Numba has in modules
        if replaced == "all" or fromlist:
            return sys.modules[mirrored if fromlist else "weft.numba"]
        return _with_cuda(original)
    return _with_cuda(original) if name == "numba" else None


# Modules of Numba's that are elsewhere in weft.
_MODULES = {("numba", "core"): ["weft", "compiled"], ("numba", "types"): ["weft", "compiled", "types"]}


def _with_cuda(original):
    """Numba, with weft's cuda."""
    original("weft.numba")
    return _Numba(original("numba"), sys.modules["weft.cuda"])


class _Numba(types.ModuleType):
    """The module numba as the user's program has it where cuda is weft's. What the program sets there, numba itself gets."""

    def __init__(self, numba, cuda):
        super().__init__("numba", numba.__doc__)
        both = {name: _by_target(getattr(numba, name), getattr(sys.modules["weft.numba"], name)) for name in ("vectorize", "guvectorize")}
        vars(self).update(both, cuda=cuda, _Numba__numba=numba)

    def __getattr__(self, name):
        return getattr(self.__numba, name)

    def __setattr__(self, name, value):
        vars(self).pop(name, None)
        setattr(self.__numba, name, value)

    def __dir__(self):
        return dir(self.__numba)


def _by_target(numbas, ours):
    """A decorator of Numba's, but for target="cuda", which has weft's cuda."""

    @functools.wraps(numbas)
    def decorator(*args, **kwargs):
        return (ours if kwargs.get("target") == "cuda" else numbas)(*args, **kwargs)

    return decorator
