"""@vectorize: functions of single elements, as ufuncs."""

import numpy

from .. import _core
from . import lacking, reading
from .combining import Combining, fits
from .errors import UnsupportedError
from .operands import is_ours, ours
from .types import Number, signatures

_TARGETS = ("cpu", "parallel", "cuda")
_PLAIN = (bool, int, float, complex, numpy.generic)


def vectorize(ftylist_or_function=(), *, target="cpu", identity=None, nopython=True, cache=False, fastmath=False):
    """Make a ufunc of a function of single elements: @vectorize, or @vectorize(["float64(float64, float64)", ...]).

    It is compiled with Numba's rules. Its calls are operations like any other: they are deferred, fused with their
    neighbours and distributed. The program runs where weft's operations run, for all targets; a ufunc of "cuda" takes the
    signature of the arguments' own types wherever it stands, before the first one that they can be converted to.
    """
    if target not in _TARGETS:
        raise ValueError(f"Unsupported target: {target}; want one of {', '.join(_TARGETS)}")
    if identity not in (None, 0, 1, "reorderable"):
        raise ValueError(f"Invalid identity value: {identity!r}; want 0, 1, None or 'reorderable'")
    if not nopython:
        raise UnsupportedError(
            "nopython=False: functions that are not compiled are plain Python's; use numpy.vectorize"
        )
    if callable(ftylist_or_function) and reading.python_function(ftylist_or_function):
        return Elementwise(ftylist_or_function, [], identity, target)
    loops = signatures(ftylist_or_function) if ftylist_or_function else []

    def decorate(function):
        return Elementwise(function, loops, identity, target)

    return decorate


class Elementwise(Combining):
    """A compiled function of single elements. types lists the signatures that it has been compiled for."""

    nout = 1
    signature = None  # as ufuncs have it: arguments without axes of their own

    def __init__(self, function, loops, identity, target):
        self.py_func = reading.python_function(function)
        if self.py_func is None:
            raise TypeError(f"vectorize takes a Python function, not {function!r}")
        self.__name__ = self.py_func.__name__
        self.__doc__, self.__module__, self.__qualname__ = (
            self.py_func.__doc__,
            self.py_func.__module__,
            self.py_func.__qualname__,
        )
        self.nin = self.py_func.__code__.co_argcount
        self.nargs = self.nin + 1
        self.targetoptions = {"target": target}
        self.identity = identity if identity != "reorderable" else None
        self._number, self._reductions = None, {}
        self._loops, self._exact = [], target == "cuda"
        self._seen = {}
        for loop in loops:
            if len(loop.args) != self.nin:
                raise TypeError(
                    f"{self.__name__} takes {self.nin} arguments, and the signature {loop} has {len(loop.args)}"
                )
            if not all(isinstance(t, Number) for t in (loop.return_type, *loop.args)):
                raise TypeError(f"the signature {loop} of {self.__name__} is not of numbers alone")
            self._loops.append(([t.dtype for t in loop.args], loop.return_type.dtype))
        if loops:  # what is wrong with the function is told where it is decorated
            for args, result in self._loops:
                self._result(args, result)

    def __getattr__(self, name):
        raise lacking.error("Ufunc", name, "a vectorized function")

    def __repr__(self):
        return f"<vectorized function {self.__name__!r}>"

    @property
    def types(self):
        loops = self._loops or list(self._seen.values())
        return ["".join(t.char for t in args) + "->" + result.char for args, result in loops]

    @property
    def ntypes(self):
        return len(self.types)

    def _read(self):
        if self._number is None:
            self._number = _core.compiled("read", reading.unit(self.py_func))
        return self._number

    def _result(self, args, result=None):
        return _core.compiled("result", self._read(), tuple(map(str, args)), result and str(result))

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", **others):
        others.pop("stream", None)  # all are one order
        if others:
            raise UnsupportedError(f"{self.__name__}: the option {', '.join(others)} is not supported")
        if len(args) == self.nin + 1 and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} positional arguments but {len(args)} were given")
        if isinstance(out, tuple):
            (out,) = out
        given = [
            a if is_ours(a) or isinstance(a, _PLAIN) else ours(a, f"argument {i} of {self.__name__}")
            for i, a in enumerate(args, 1)
        ]
        if where is not True:
            return self._where(given, ours(where, "where="), out, {"dtype": dtype, "casting": casting})
        types, result = None, None
        if self._loops:
            types, result = self._loop(
                [_type_of(a) for a in given], [type(a) in (bool, int, float, complex) for a in given]
            )
        if dtype is not None:
            result = numpy.dtype(dtype)
        if types is None:
            self._note(given)
        names, name = types and tuple(map(str, types)), result and str(result)
        if out is None:
            return _core.compiled("apply", self._read(), name, None, names, *given)
        made = result or self._result([_type_of(a) for a in given])
        if not numpy.can_cast(made, out.dtype, casting):
            raise TypeError(
                f"Cannot cast ufunc '{self.__name__}' output from {made!r} to {out.dtype!r} with casting rule '{casting}'"
            )
        if is_ours(out):
            if made == out.dtype:
                _core.compiled("apply", self._read(), name, out, names, *given)
            else:
                out[...] = _core.compiled("apply", self._read(), name, None, names, *given)
        else:
            out[...] = numpy.asarray(_core.compiled("apply", self._read(), name, None, names, *given))
        return out

    def _note(self, given):
        """Add a signature to those that the function has been called with."""
        types = tuple(_type_of(a) for a in given)
        if types not in self._seen:
            self._seen[types] = (types, self._result(types))

    def _where(self, given, where, out, options):
        """The results at some places, among what out holds elsewhere; without out, that is undefined."""
        import weft

        made = self(*given, **options)
        if out is None:
            out = weft.empty(numpy.broadcast_shapes(numpy.shape(made), where.shape), dtype=made.dtype)
        if is_ours(out):
            weft.copyto(out, made, where=where, casting=options["casting"])
        else:
            numpy.copyto(out, numpy.asarray(made), where=numpy.asarray(where), casting=options["casting"])
        return out

    def _loop(self, types, weak):
        """The first signature to which arguments of these types can all be converted safely."""
        if self._exact:
            for args, result in self._loops:
                if args == types:
                    return args, result
        for args, result in self._loops:
            if all(fits(t, to, w) for t, to, w in zip(types, args, weak, strict=True)):
                return tuple(args), result
        raise TypeError(
            f"ufunc '{self.__name__}' did not contain a loop with signature matching types ({', '.join(map(str, types))}): "
            f"it has {', '.join(self.types)}. Convert the arguments with astype, or add a signature"
        )


def _type_of(a):
    if isinstance(a, bool):
        return numpy.dtype(bool)
    if type(a) in (int, float, complex):
        return numpy.dtype({int: "int64", float: "float64", complex: "complex128"}[type(a)])
    return a.dtype
