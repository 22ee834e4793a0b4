"""np.errstate and np.seterr, which say where they have no effect.

weft computes when a value is needed, on any device, and does not look for overflows and
divisions by zero: infinities and NaNs are all that tells of them. What NumPy runs honours
the settings.
"""

import warnings

import numpy

from . import _core
from ._fallback import call_site

_told = set()  # (file, line)
_UNSAID = frozenset((None, "ignore", "warn"))  # settings that ask for nothing that weft would have to do


def _tell(what, settings):
    """Warn, once for each place in the user's code, where a setting asks for more than a warning."""
    asked = [f"{name}={wanted!r}" for name, wanted in settings.items() if wanted in ("raise", "call", "print", "log")]
    if not asked:
        return
    file, line = place = call_site()
    if place in _told:
        return
    _told.add(place)
    warnings.warn_explicit(
        f"np.{what}({', '.join(asked)}) does not reach what weft computes: overflows, divisions by zero and invalid "
        "values there give inf and nan only. Test results with np.isfinite, or run the program with --no-numpy.",
        RuntimeWarning,
        file,
        line,
        registry={},
    )


class errstate(numpy.errstate):
    """errstate(*, call=<no value>, all=None, divide=None, over=None, under=None, invalid=None)

    Context manager for floating-point error handling: of what NumPy runs. What weft runs itself neither
    warns nor raises.
    """

    def __init__(self, **settings):
        super().__init__(**settings)
        if not _UNSAID.issuperset(settings.values()):
            _tell("errstate", settings)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """seterr(all=None, divide=None, over=None, under=None, invalid=None)

    Set how floating-point errors are handled: by what NumPy runs. What weft runs itself neither warns nor
    raises.
    """
    settings = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    _tell("seterr", settings)
    return numpy.seterr(**settings)


errstate.__init__ = _core.shortcut(errstate.__init__, "settings", (numpy.errstate.__init__, 1), True)
seterr = _core.shortcut(seterr, "settings", (numpy.seterr, 0), True)
