"""NumPy's answers to calls of the function table: to those that weft has nothing for, and to those that it refuses with an error."""

import functools

import numpy

from . import _callers, _composed, _core, _functions, special
from ._fallback import AT_ONCE, PLAIN, Exchange, noted, run, run_few, user_frame

MOST = 1 << 16  # elements of the arrays of a call that is refused, for which NumPy is asked


def fallback(index, reason, at, args):
    """Answers a call of the function table that is not native, with the arguments of all parameters.

    at is the number of the argument that weft has nothing for, from 1 on; 0 where it has all, but no such function.
    """
    name, given, named = _as_called(index, args)
    original = _original(name)
    if isinstance(original, numpy.ufunc):
        if "where" in named:
            # That there is none the program meant, or has been warned of. NumPy takes a tuple alone where there are several.
            named.setdefault("out", None if original.nout == 1 else (None,) * original.nout)
        # With the operands weft can compute, also into an array of NumPy's.
        operands = not 0 < at <= original.nin
        otherwise = (
            operands
            and reason != AT_ONCE
            and original.signature is None
            and not named.keys().isdisjoint(("out", "where", "casting", "dtype"))
            and not _copies(given, named)
        )
    else:
        otherwise = not at and reason != AT_ONCE and name in _composed.OTHERWISE
    runs = _composed.attempt if otherwise else run if name in _WRITING or name.endswith(".at") else run_few
    return runs(name, original, given, named, reason)


# Functions of the table that write into an argument.
_WRITING = frozenset("copyto fill_diagonal place put put_along_axis putmask ndarray.fill ndarray.partition ndarray.put ndarray.sort".split())


def _copies(given, named):
    """Whether NumPy makes a copy, with a cast, of an array for results of which a mask chooses some, and copies all of it back: one that shares memory with an operand."""
    out = named.get("out")
    if type(out) is not _core.ndarray or "where" not in named:
        return False
    memory = numpy.asarray(memoryview(out))
    return any(
        type(value) is _core.ndarray and numpy.may_share_memory(numpy.asarray(memoryview(value)), memory)
        for value in given
    )


def refused(index, args, error):
    """NumPy's answer to a call that weft refuses with an error: an exception, or a result alone in a tuple; NotImplemented where it is not asked.

    Of several mistakes NumPy names the one that it meets first, and some are none to it. What it writes into arrays before it raises is written, as it is for a program of
    its own.
    """
    name, given, named = _as_called(index, args)
    if error.__traceback__ is not None and _composed.through_user(error):
        return NotImplemented
    if not _inert((*given, *named.values())) or _composed.largest((given, tuple(named.values()))) > MOST:
        return NotImplemented
    begun = _core.clock()
    exchange = Exchange()
    given = [exchange.to_numpy(value) for value in given]
    named = {key: exchange.to_numpy(value) for key, value in named.items()}
    try:
        made = _callers.call(user_frame(), _original(name), given, named)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # which is the answer
        return error.with_traceback(None)
    noted(name, begun, exchange.bytes)
    return (exchange.to_weft(made),)


_INERT = PLAIN | {_core.ndarray, numpy.ndarray, slice, type(Ellipsis), type}


def _inert(values):
    """Whether reading the arguments runs no code of the program's: weft has read them already, and what that runs may answer otherwise the second time."""
    return all(
        type(value) in _INERT and not (isinstance(value, numpy.ndarray) and value.dtype.hasobject)
        or isinstance(value, (numpy.generic, numpy.dtype))
        or type(value) in (list, tuple) and _inert(value)
        for value in values
    )  # fmt: skip


def _as_called(index, args):
    """The name of a function of the table, and the arguments of all its parameters as a program gives them: by place, and by name."""
    name, _, params = _functions.TABLE[index]
    given, named = [], {}
    for param, value, default in zip(params, args, defaults(index), strict=True):
        mark = param[0]
        if mark == "*":
            given.extend(value)
        elif value is numpy._NoValue or value is default:
            continue
        elif mark == "/":
            given.append(value)
        else:
            named[param] = value
    return name, tuple(given), named


@functools.cache
def defaults(index):
    """What the parameters of a function of the table are where the caller says nothing."""
    name, _, params = _functions.TABLE[index]
    method = name.startswith("ndarray.")
    function = getattr(_functions.Methods, name.removeprefix("ndarray.")) if method else _functions.FUNCTIONS[name]
    function = getattr(function, "_python", function)
    code, usual = function.__code__, function.__defaults__ or ()
    known = dict(zip(code.co_varnames[code.co_argcount - len(usual) : code.co_argcount], usual, strict=True)) | (
        function.__kwdefaults__ or {}
    )
    return tuple(known.get(param.lstrip("/*"), numpy._NoValue) for param in params)


def _original(name):
    if name.startswith("special."):
        return special._scipy(name.removeprefix("special."))
    value = numpy
    for part in name.split("."):
        value = getattr(value, part)
    return value
