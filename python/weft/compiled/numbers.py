"""Functions of numbers alone: those that go round, or divide, are kernels of one thread."""

import re

import numpy

from .. import _core
from . import reading
from .sources import define


class OfNumbers:
    """A function of numbers. By Python's error model it fails where it divides by zero, else that is inf, nan or 0."""

    def __init__(self, function, model):
        from ..cuda import dispatch

        text = reading.unit(function)
        self._number, self._dtypes = _core.compiled("read", text), {}
        self._straight = not _WALKS.search(text)
        code = function.__code__
        arguments, out, called = code.co_varnames[: code.co_argcount], "out_", "called_"
        while {out, called} & set(arguments):
            out, called = out + "_", called + "_"
        names = ", ".join(arguments)
        name = function.__name__ if function.__name__.isidentifier() else "function"
        text = f"def {name}({names}, {out}):\n    {out}[0] = {called}({names})\n"
        checks = tuple(dict.fromkeys((*dispatch.checks(None), "divides") if model == "python" else dispatch.checks(None)))
        self._kernel = dispatch.Dispatcher(define(name, text, {called: function}), [], False, checks)

    def __call__(self, args):
        import weft

        if self._straight:
            made = _core.compiled("apply", self._number, None, None, None, *args)
            return numpy.asarray(made)[()].item()
        types = tuple(_type(a) for a in args)
        if types not in self._dtypes:
            self._dtypes[types] = _core.compiled("result", self._number, types, None)
        out = weft.empty(1, dtype=self._dtypes[types])
        try:
            self._kernel.launch((1, 1, 1), (1, 1, 1), 0, (*args, out))
            return out.item()
        except ZeroDivisionError as error:
            power = "zero to a negative power" in str(error)
            raise ZeroDivisionError("0.0 cannot be raised to a negative power" if power else "division by zero") from None


# What is in the text of a function that goes round, or divides. Others are computed like an element of an array, at once.
_WALKS = re.compile(r"\((for|while) |\((binary|augment) \S+ (//?|%|\*\*) |divmod|pow|operator")
_TYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def _type(number):
    return _TYPES.get(type(number)) or str(numpy.asarray(number).dtype)
