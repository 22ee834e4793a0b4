"""Makes "import numpy" in the user's program give weft, while libraries keep NumPy.

The user's program is what runs as __main__: the cells of a notebook, the script. All forms
work: import numpy as np, import numpy.linalg as la, from numpy import sum, from
numpy.linalg import norm. importlib.import_module("numpy") always gives NumPy itself.
"""

import builtins
import sys

_original = None


def install() -> None:
    """Start. Doing it twice is the same as doing it once."""
    global _original
    if _original is not None:
        return
    _original = original = builtins.__import__

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
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
