"""np.errstate and np.seterr, and what they say is done: about overflows, divisions by zero and the like in what weft computes.

NumPy keeps the settings, for each thread and task of asyncio. What is not asked for unless the program does so, underflows, the
core looks for from then on.

What is computed at once is told of at the call. Large arrays are computed later: the program is warned where it waits for values, by the line that the
operation is of, if np.errstate said so at the call. While it asks for errors, or for calls of its own, they are waited for at the call: see _raising.py.
"""

import inspect
import sys
import warnings

import numpy

from . import _core, _signatures
from ._fallback import is_ours

# What may happen, by NumPy's bits, and which setting says what is done.
_KINDS = ((1, "divide", "divide by zero"), (2, "over", "overflow"), (4, "under", "underflow"), (8, "invalid", "invalid value"))
_UNDER = 4


def floating(name, flags):
    """Do what the program wants done where a function has come to that."""
    settings = numpy.geterr()
    for bit, setting, what in _KINDS:
        wanted = settings[setting]
        if not flags & bit or wanted == "ignore":
            continue
        text = f"{what} encountered in {name}"
        if wanted == "warn":
            warnings.warn(text, RuntimeWarning, _level())
        elif wanted == "raise":
            raise FloatingPointError(text)
        elif wanted == "call":
            call = numpy.geterrcall()
            if call is None:
                raise NameError(f"python callback specified for {what} (in  {name}) but no function found.")
            call(what, flags)
        elif wanted == "print":
            print(f"Warning: {text}", file=sys.stderr)
        elif wanted == "log":
            log = numpy.geterrcall()
            if log is None:
                raise NameError(f"log specified for {what} (in {name}) but no object with write method found.")
            log.write(f"Warning: {text}\n")


def wanted():
    """What np.errstate has the program warned of, as NumPy's four bits, in the four above them what it ignores, and above these whether it has a function called."""
    settings = numpy.geterr()
    shifts = {"warn": 0, "ignore": 4}
    told = sum(bit << shifts[settings[setting]] for bit, setting, _ in _KINDS if settings[setting] in shifts)
    return told | ("call" in settings.values()) << 8


def later(name, flags, path, line):
    """Warn of what went wrong in an operation of a line that was left a while ago, as it would have been there."""
    module, registry = _registry(path)
    for bit, _, what in _KINDS:
        if flags & bit:
            try:
                warnings.warn_explicit(f"{what} encountered in {name}", RuntimeWarning, path or "<unknown>", line, module, registry)
            except Warning as error:  # the program has made errors of them
                error.add_note(f"by the operation of line {line} of {path or 'an unknown file'}, which was computed later")
                raise


_registries = {}  # of files that are no module's


def _registry(path):
    """The name of the module that was compiled from a file, and what it has been warned of: the program's own module, where no other is known."""
    main = sys.modules.get("__main__")
    for module in (main, *list(sys.modules.values())):
        names = getattr(module, "__dict__", {})  # the module is not asked: some load what stands for them first
        if path and names.get("__file__") == path:
            break
    else:
        if main is None:
            return "<unknown>", _registries.setdefault(path, {})
        names = vars(main)
    return names.get("__name__", "<unknown>"), names.setdefault("__warningregistry__", {})


def _level():
    """How many frames up the user's code is, for warnings.warn."""
    frame, level = sys._getframe(2), 2
    while frame is not None and frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


_QUIET = frozenset(("ignore", "warn"))  # what is done without an error, or a call of the program's


def _watch(settings):
    """Have the core look for what is asked for besides the usual."""
    wanted = {name: settings.get("all") if settings.get(name) is None else settings[name] for name in ("divide", "over", "under", "invalid")}
    if wanted["under"] not in (None, "ignore") or "call" in wanted.values():  # which is told of all that went wrong
        _core.watch_floating(_UNDER)
    if not (_QUIET | {None}).issuperset(wanted.values()):
        _core.ask_floating()


class errstate(numpy.errstate):
    __doc__ = numpy.errstate.__doc__

    def __init__(self, **settings):
        super().__init__(**settings)
        _watch(settings)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    settings = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    _watch(settings)
    return numpy.seterr(**settings)


try:
    _core.floating_settings(numpy._core.umath._extobj_contextvar.get)
except AttributeError:  # another version of NumPy is asked by geterr each time
    pass
errstate.__init__ = _core.shortcut(errstate.__init__, "settings", (numpy.errstate.__init__, 1), True)
seterr = _core.shortcut(seterr, "settings", (numpy.seterr, 0), True)
errstate.__signature__ = inspect.signature(numpy.errstate)
_signatures.tell(seterr, numpy.seterr)
