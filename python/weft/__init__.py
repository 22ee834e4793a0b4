"""weft: NumPy on all cores of your machine.

    import weft as np

    x = np.linspace(0.0, 1.0, 1_000_000)
    print(np.sqrt(x).sum())

The namespace is NumPy's. Functions that weft runs natively record an operation and return at
once; values are computed when something needs them. All others go through NumPy, with a
FallbackWarning once for each place in your code; coverage() counts them.

Besides NumPy's names there are sync(), stats(), plan(), coverage(), advice(), task(), launch(), settings, profile, special (scipy.special's functions) and FallbackWarning.
"""

import atexit
import json

from numpy import __all__, __version__  # noqa: F401

from . import _core, _coverage, _create, _derived, _errstate, _forked, _hooks, _methods, _mirror, _neighbours, _ufunc
from . import profile as profile
from . import settings as settings
from . import special as special
from ._fallback import FallbackWarning as FallbackWarning

weft_version = "0.1.0"

ndarray = _core.ndarray
ufunc = _ufunc.ufunc
vectorize = _mirror.vectorize
errstate = _errstate.errstate
seterr = _errstate.seterr
_restored = _methods._restore  # which pickles of arrays look for


def sync() -> None:
    """Wait until everything that was recorded has run; raises what went wrong."""
    _core.sync()


class Stats(dict):
    """What stats() returns: a dict whose explain() says what its keys mean."""

    @staticmethod
    def explain() -> str:
        """A line for each key."""
        return _core.query("stats_doc", "")


def stats() -> Stats:
    """Counters of the runtime since its start: operations, plans, tasks, copies and bytes by cause, memory.

    They are those of work that has run; sync() first to have all of it. stats().explain() says what each key
    means, and in what unit. The memories' keys: live and peak are bytes of arrays, now and at most (the
    high-water mark); mapped is what the pool got from the system, idle what it keeps of that for later, and
    fragmentation the part of mapped that no array uses.
    """
    _core.start()
    return Stats(json.loads(_core.query("stats")))


def plan(cell: int | str | None = None) -> profile.Picture:
    """What became of a cell's operations: what runs as one pass over memory, what does not and why, what was copied."""
    return profile.plan(cell)


def verify(cell: int | str | None = "*") -> profile.Verification:
    """Look back at what ran, of a cell or of all: was it what the program says? See weft.profile.verify."""
    return profile.verify(cell)


def coverage() -> _coverage.Coverage:
    """How often weft ran a function itself and how often NumPy did, by function and place in your code.

    Its report() says what to change at which line; its names are all of NumPy's, by namespace and by who computes them.
    """
    from . import covered

    return _coverage.coverage(covered.names)


def advice():
    """Which lines of the program do what arrays are slow at, and the better form. Reads of single elements are counted in weft.profile.counting()."""
    from . import advising

    return advising.advice()


def task(inputs=(), outputs=(), reduces=None, halo=None, scalars=()):
    """Make a kernel of a function that is called with its inputs, outputs and scalars. See weft.cuda.task."""
    return _kernels().task(inputs, outputs, reduces, halo, scalars)


def launch(kernel, grid, block, inputs=(), outputs=(), scalars=()) -> None:
    """Launch a kernel whose parameters are the inputs, the outputs and the scalars. See weft.cuda.launch."""
    _kernels().launch(kernel, grid, block, inputs, outputs, scalars)


def _kernels():
    """weft.cuda, by its name: it is built of the arrays of this module, which knows of it no more than that."""
    import importlib

    return importlib.import_module("weft.cuda")


def _install():
    import sys

    _hooks.install()
    _methods.install()
    _core.of_class(_derived.members())
    _derived.adapt_numpys()
    getters = _mirror.populate(globals(), "numpy")
    globals().update(_create.FUNCTIONS)
    _mirror.settle(globals())
    sys.meta_path.append(_mirror.Mirrors())
    atexit.register(_core.close)
    _forked.install()
    _neighbours.install()
    return getters


__getattr__, __dir__ = _install()
del _install
