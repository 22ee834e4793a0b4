"""What the extension asks Python for: the rare cases of operators, indexing and conversion.

_core calls these by name. In the common case, with arrays and numbers, none of them is
called.
"""

import functools
import itertools
import json
import operator
import os
import re

import numpy

from . import (
    _answers,
    _core,
    _delegates,
    _derived,
    _errstate,
    _functions,
    _guests,
    _inverses,
    _layout,
    _protocols,
    _raising,
    settings,
)
from ._fallback import (
    AT_ONCE,
    OTHER_PROTOCOLS,
    SKIPPED,
    Exchange,
    by_protocol,
    from_numpy,
    is_native,
    ndarray,
    noted,
    run,
    taken,
    to_numpy,
)

_DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
_codes = {numpy.dtype(name): code for code, name in enumerate(_DTYPES, 1)}

# Python's operator for each ufunc, and its in-place form.
_BINARY = {
    "add": (operator.add, operator.iadd),
    "subtract": (operator.sub, operator.isub),
    "multiply": (operator.mul, operator.imul),
    "divide": (operator.truediv, operator.itruediv),
    "floor_divide": (operator.floordiv, operator.ifloordiv),
    "remainder": (operator.mod, operator.imod),
    "power": (operator.pow, operator.ipow),
    "left_shift": (operator.lshift, operator.ilshift),
    "right_shift": (operator.rshift, operator.irshift),
    "bitwise_and": (operator.and_, operator.iand),
    "bitwise_or": (operator.or_, operator.ior),
    "bitwise_xor": (operator.xor, operator.ixor),
    "matmul": (operator.matmul, operator.imatmul),
    "less": (operator.lt, None),
    "less_equal": (operator.le, None),
    "equal": (operator.eq, None),
    "not_equal": (operator.ne, None),
    "greater": (operator.gt, None),
    "greater_equal": (operator.ge, None),
}
_UNARY = {
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
    "invert": operator.invert,
}


def dtype_code(description):
    """The number of a dtype in the runtime; 0 when weft has no such dtype. TypeError as in np.dtype."""
    dtype = numpy.dtype(description)
    return _codes[dtype] if is_native(dtype) else 0


def asweft(value):
    """A weft array of what NumPy would make an array of; value itself where that is NumPy's to handle."""
    kind = type(value)
    if isinstance(value, numpy.ndarray) or _protocols.foreign(kind):
        return value  # subclasses, unusual dtypes, and what has its own idea of functions
    if hasattr(kind, "__array_wrap__") and not issubclass(kind, numpy.generic):
        return value  # and of what a function gives back
    array = by_protocol(value)
    if type(array) is ndarray:
        return array
    if array is None:
        array = numpy.asarray(to_numpy(value))
    return from_numpy(array) if is_native(array.dtype) else value


def shared(value):
    """asweft without a copy of memory that others own; value itself where NumPy has to make the view."""
    if type(value) is numpy.ndarray:
        return taken(value, value)
    if isinstance(value, numpy.ndarray) or hasattr(value, "__array_ufunc__"):
        return value
    made = by_protocol(value)
    if made is None:
        made = numpy.asarray(to_numpy(value))
    return taken(made, value) if type(made) is numpy.ndarray else made


def new(shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """np.ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None)."""
    if buffer is None and strides is None and not offset and dtype_code(dtype):
        return _functions.empty(shape, dtype, order or "C")
    if buffer is None:
        return run("ndarray", numpy.ndarray, (shape, dtype, buffer, offset, strides, order), {})
    return taken(numpy.ndarray(shape, dtype, to_numpy(buffer), offset, strides, order))


def shown(array):
    """What NumPy prints of an array: its own elements, whatever became of the rest of its memory."""
    if set(json.loads(array._placed)) - {"host"}:  # it has to be moved: no more than is shown
        options = numpy.get_printoptions()
        if array.size > options["threshold"]:
            return corners(array, options["edgeitems"])
        return displayed(array)
    return numpy.asarray(memoryview(_core.pin(array, False)))  # a mapping that is shared is of the whole memory


def corners(array, edge):
    """An array of NumPy's that prints the same, of which only the elements that are printed have values.

    The others are memory that nothing touches, which the system does not provide before it is touched.
    """
    stand_in = numpy.empty(array.shape, array.dtype)
    ends = [[slice(None)] if n <= 2 * edge else [slice(edge), slice(n - edge, n)] for n in array.shape]
    for place in itertools.product(*ends):
        stand_in[place] = displayed(array, place)
    return stand_in


def displayed(array, place=...):
    """A part of an array as NumPy's. To copy and to move it is no operation of the program's."""
    _core.displaying(True)
    try:
        return to_numpy(array[place].copy())
    finally:
        _core.displaying(False)


def as_repr(array):
    return repr(shown(array))


def as_str(array):
    return str(shown(array))


def as_int(array):
    return int(to_numpy(array))


def as_float(array):
    return float(to_numpy(array))


def as_complex(array):
    return complex(to_numpy(array))


_NOT_CAST = re.compile(
    r"Cannot cast ufunc '(\w+)' (input|output)(?: (\d+))? from dtype\('(\w+)'\) to dtype\('(\w+)'\) with casting rule '(\w+)'"
)
_NO_LOOP = re.compile(
    r"ufunc '(\w+)' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> -> None"
)


def ufunc_error(text):
    """NumPy's error that a ufunc has nothing for some dtypes, of the class that says so, by its text."""
    errors = numpy._core._exceptions
    cast, loop = _NOT_CAST.fullmatch(text), _NO_LOOP.fullmatch(text)
    found = cast or loop
    ufunc = found and _functions.FUNCTIONS.get(found[1])
    if not isinstance(getattr(ufunc, "_numpy", None), numpy.ufunc):  # SciPy's, say
        return errors.UFuncTypeError(text)
    if loop:
        return errors._UFuncNoLoopError(ufunc, (numpy.dtypes.BoolDType, None))
    what = ufunc, cast[6], numpy.dtype(cast[4]), numpy.dtype(cast[5])
    return (
        errors._UFuncInputCastingError(*what, int(cast[3] or 0))
        if cast[2] == "input"
        else errors._UFuncOutputCastingError(*what, ufunc.nin)
    )


_PLAIN = frozenset("io _io datetime pathlib tempfile decimal fractions".split())


def plain(kind):
    """Whether objects of a type mean to NumPy what they mean to weft: nothing about them is an array of weft's, or calls the program."""
    if kind in (bytes, range) or kind.__module__ in _PLAIN:
        return True
    return kind.__module__ == "numpy" and issubclass(kind, numpy.generic)


def passes(kind):
    """Whether an object of a type is to NumPy what it is to weft: it does not answer functions itself, and has no array of weft's to give."""
    return (
        not _protocols.foreign(kind)
        and (not hasattr(kind, "__array__") or any(hasattr(kind, name) for name in OTHER_PROTOCOLS))
        and not issubclass(kind, dict)
    )


def converted(made, views, of, given):
    """What NumPy made of arguments that were arrays of weft's, seen by views, and the program's own."""
    exchange = Exchange()
    exchange.views = list(zip(views, of, strict=True))
    exchange.given = given
    return exchange.to_weft(made)


def found_out(made, args):
    """What NumPy made of arguments some of which are its own arrays."""
    exchange = Exchange()
    for value in args:
        exchange.to_numpy(value)
    return exchange.to_weft(made)


def contains(array, item):
    return bool(_functions.any(array == item))


def get_item(array, index):
    """array[index] for what the runtime does not index with, once lists have become arrays."""
    converted = _converted(index)
    if converted is not index:
        return array[converted]
    return run("ndarray.__getitem__", operator.getitem, (array, index), {}, "indexing by arrays")


def _converted(index):
    """An index with weft arrays in place of lists and NumPy's arrays of integers or bools."""
    if type(index) is tuple:
        items = tuple(map(_converted, index))
        return index if all(map(operator.is_, items, index)) else items
    if type(index) not in (list, numpy.ndarray):
        return index
    if type(index) is list and not index:
        index = numpy.empty(0, numpy.intp)  # as NumPy takes an empty list here
    made = asweft(index) if type(index) is list else from_numpy(index)
    return made if type(made) is ndarray and made.ndim and made.dtype.kind in "biu" else index


def set_item(array, index, value, asked=False):
    """array[index] = value for what the runtime does not index with, once lists have become arrays; asked says that np.errstate asks for errors."""
    converted = _converted(index)
    if converted is not index:
        array[converted] = value
        return
    if _guests.is_guest(value):
        array[index] = _guests.assigned(value)
        return
    if array._warns:
        _layout.warn_of_writing(array)
    run("ndarray.__setitem__", operator.setitem, (array, index, value), {}, AT_ONCE if asked else "indexing by arrays")


def binary(name, x, y, asked=False):
    """x + y and the like, where an operand is neither an array nor a number, or NumPy has to do it: asked says that np.errstate is why."""
    for one, other in ((x, y), (y, x)):
        # Lists become weft arrays; then the function is native.
        if type(one) is ndarray and type(other) in (list, tuple):
            made = asweft(other)
            if type(made) is ndarray:
                return _functions.FUNCTIONS[name](*((one, made) if one is x else (made, one)))
    if type(x) is ndarray and _defers(y):
        return NotImplemented
    if name == "divmod" and _computes(x) and _computes(y):
        return _functions.divmod(x, y)
    if _protocols.foreign(type(x)) or _protocols.foreign(type(y)):
        return _functions.FUNCTIONS[name](x, y)
    return run(name, divmod if name == "divmod" else _BINARY[name][0], (x, y), {}, AT_ONCE if asked else "")


def outside(trace):
    """A traceback without the lines of weft's own that it begins with."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN):
        trace = trace.tb_next
    return trace


_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _computes(value):
    """Whether weft computes with a value as it is."""
    kind = type(value)
    return kind in _OPERANDS or (kind is numpy.ndarray or issubclass(kind, numpy.generic)) and is_native(value.dtype)


_OPERANDS = frozenset((ndarray, int, float, complex, bool))


def _defers(y):
    """Whether an array leaves an operator to its right operand."""
    if hasattr(y, "__array_ufunc__"):
        return y.__array_ufunc__ is None
    return getattr(y, "__array_priority__", 0) > 0


def in_place(name, x, y, asked=False):
    """x += y and the like, in the same cases."""
    if type(y) in (list, tuple):
        made = asweft(y)
        if type(made) is ndarray:
            return _BINARY[name][1](x, made)
    if not hasattr(y, "__array_ufunc__") and _defers(y):  # one that is None refuses, in place
        return NotImplemented
    if x._warns:
        _layout.warn_of_writing(x)
    if _protocols.foreign(type(y)):
        return _functions.FUNCTIONS[name](x, y, x)
    return run(name, _BINARY[name][1], (x, y), {}, AT_ONCE if asked else "")


def unary(name, x, _):
    return run(name, _UNARY[name], (x,), {})


# The constructors that the core has a shorter way for where the elements are few, by its numbers.
_MAKERS = {"zeros": 1, "ones": 2, "empty": 3, "full": 4, "arange": 5}

# The functions of views that NumPy lets a scalar answer itself, with a scalar.
_KEEPERS = frozenset(("astype", "flip", "moveaxis", "permute_dims", "reshape", "squeeze", "transpose"))


def _numpys(name):
    """NumPy's ufunc of a function of the table, None where it is none of NumPy's."""
    ufunc = getattr(numpy, name, None)
    return ufunc if isinstance(ufunc, numpy.ufunc) and ufunc.nout == 1 and ufunc.nin <= 2 else None


def _references(value):
    """Calls the core as the functions of the table do."""
    return _core.references(value)


def _dying():
    """How many references an argument of a function of the table has, in the core, that dies with the call.

    Interpreters differ in which references they count. Where an argument that lives on has as many, the answer is 0: unknown.
    """
    held = list("ab")
    lives, dies = _references(held), _references(list("ab"))
    return dies if dies < lives else 0


def _owning():
    """Whether references tell the core what dies with a call of a function written in C: one, which the evaluator gives up after the call.

    Where the evaluator lends a variable's reference, or calls of others look like its own, they do not.
    """
    _core.set_owning(True)
    probe, held, given = _core.shortcut(_references, "owned", None, 0), list("ab"), (list("ab"),)
    others = [
        probe(held),
        probe(*given),
        *map(probe, given),
        functools.partial(probe, given[0])(),
        functools.reduce(lambda _, x: probe(x), given, 0),
    ]
    return probe(list("ab")) == 1 and 1 not in others


def typing_error(text):
    """What is wrong with the types in a function that is compiled."""
    from .compiled.errors import TypingError

    return TypingError(text)


def unsupported_error(text):
    """What a function that is compiled does and cannot."""
    from .compiled.errors import UnsupportedError

    return UnsupportedError(text)


def install():
    """Hand the functions over, once. ImportError when the stubs and the library are not of one build."""
    names = [name.removeprefix("ndarray.") for name, _, _ in _functions.TABLE]
    if names != json.loads(_core.query("functions")):
        raise ImportError(
            "weft/_functions.py does not belong to the weft/_core library beside it; "
            "run: go generate ./python/stubs && make build"
        )
    for index, (name, roles, params) in enumerate(_functions.TABLE):
        original = _numpys(name)
        _core.define(
            index,
            name,
            roles,
            original,
            original.nin if original else 0,
            name in _KEEPERS,
            _MAKERS.get(name, 0),
            params,
            _answers.defaults(index),
        )
    _delegates.install([name for name, _, _ in _functions.TABLE])
    _core.set_dying(_dying())
    _core.set_owning(_owning())
    _core.setup(
        {
            "exceptions": {
                "ComplexWarning": numpy.exceptions.ComplexWarning,
                "AxisError": numpy.exceptions.AxisError,
                "LinAlgError": numpy.linalg.LinAlgError,
                "UFuncTypeError": ufunc_error,
                "TypingError": typing_error,
                "UnsupportedError": unsupported_error,
            },
            "dtypes": [None, *_codes],
            "ndarray": numpy.ndarray,
            "derived": _derived.Derived,
            "generic": numpy.generic,
            "no_value": numpy._NoValue,
            "skipped": SKIPPED,
            "api": numpy._core.multiarray._ARRAY_API,
            "from_numpy": from_numpy,
            "prepare": settings.prepare,
            "dtype_code": dtype_code,
            "asweft": asweft,
            "shared": shared,
            "new": new,
            "repr": as_repr,
            "str": as_str,
            "few_repr": _delegates.told("array_repr"),
            "few_astype": _delegates.told("ndarray.astype"),
            "few_pinv": _inverses.pinv,
            "few_str": _delegates.told("array_str"),
            "numpy_array": numpy.array,
            "numpy_asarray": numpy.asarray,
            "plain": plain,
            "passes": passes,
            "noted": noted,
            "converted": converted,
            "returned": found_out,
            "contains": contains,
            "read_shape": _layout.read_shape,
            "set_dtype": _layout.set_dtype,
            "warn_of_writing": _layout.warn_of_writing,
            "set_strides": _layout.set_strides,
            "resize": _layout.resize,
            "get_item": get_item,
            "set_item": set_item,
            "operators": tuple(getattr(numpy, name) for name in _BINARY),
            "python_operators": tuple(operator for operator, _ in _BINARY.values()),
            "binary": binary,
            "outside": outside,
            "unary": unary,
            "in_place": in_place,
            "fallback": _answers.fallback,
            "refused": _answers.refused,
            "floating": _errstate.floating,
            "way": _raising.way,
            "wanted": _errstate.wanted,
            "later": _errstate.later,
            "as_int": as_int,
            "as_float": as_float,
            "as_complex": as_complex,
            "flags": type(numpy.empty(0).flags),
            "to_numpy": to_numpy,
        }
    )
