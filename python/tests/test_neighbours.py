"""Libraries that tell NumPy's arrays from all others: what they are given, and what types mean to them."""

import copy
import importlib
import json
import pickle
import sys
import types
import typing

import numpy
import pytest
import weft
from weft import _neighbours

from .sharing import host, run_python

STRANGE = """
import numpy as np

def only(a, *more, **named):
    for x in (a, *more, *named.values()):
        assert type(x) in (np.ndarray, list, tuple, dict, int), type(x)
    return a

def spared(a):
    return a

class Box:
    def __init__(self, a):
        self.a = only(a)
    def put(self, a):
        self.a = only(a)
    value = property(lambda self: self.a, lambda self, a: self.put(a))

class Length:
    def __init__(self, a):
        self.a = a
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs = [x.a if isinstance(x, Length) else x for x in inputs]
        if any(not isinstance(x, (np.ndarray, np.generic, int, float)) for x in inputs):
            return NotImplemented
        return Length(getattr(ufunc, method)(*inputs, **kwargs))
    def __array_function__(self, func, kinds, args, kwargs):
        if not all(kind in (Length, np.ndarray) for kind in kinds):
            return NotImplemented
        return Length(func([x.a if isinstance(x, Length) else x for x in args[0]]))
"""


@pytest.fixture
def strange(tmp_path, monkeypatch):
    (tmp_path / "strange.py").write_text(STRANGE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(_neighbours._ROWS, "strange", _neighbours._call("only", "Box.__init__", "Box.put", "Box.value", "gone", "Box.gone", "gone.gone"))
    yield importlib.import_module("strange")
    del sys.modules["strange"]


def test_a_library_that_takes_only_numpys_arrays_gets_views(strange):
    x = weft.arange(6.0)
    seen = strange.only(x, [x, (x, 1)], 3, key={"x": x}, other=weft.zeros((300, 300)) + 1)
    assert type(seen) is numpy.ndarray
    seen[0] = 9
    assert x[0] == 9
    assert type(strange.only([x])[0]) is numpy.ndarray
    plain = [1, 2]
    assert strange.only(plain) is plain
    assert strange.spared(x) is x


def test_pickles_find_what_is_given_instead_of_a_function(strange):
    assert pickle.loads(pickle.dumps(strange.only)) is strange.only


def test_what_was_imported_before_weft_is_exchanged_under_all_names_of_the_package(tmp_path):
    for name, text in {"__init__": "from .inner import only", "inner": STRANGE}.items():
        (tmp_path / "strange").mkdir(exist_ok=True)
        (tmp_path / "strange" / f"{name}.py").write_text(text)
    code = """
import sys
sys.path.insert(0, {folder!r})
import strange
from weft import _neighbours
_neighbours._ROWS["strange.inner"] = _neighbours._call("only")
_neighbours.install()
import weft
print(type(strange.only(weft.ones(2))).__module__, strange.only is strange.inner.only)
"""
    done = run_python(code.format(folder=str(tmp_path)))
    assert done.stdout == "numpy True\n", done.stderr


def test_methods_and_properties_of_classes_too(strange):
    x = weft.ones(3)
    box = strange.Box(x)
    box.put(x + 1)
    assert host(box.value).tolist() == [2, 2, 2]
    box.value = x
    assert type(box.a) is numpy.ndarray
    assert strange.Box.__init__.__qualname__ == "Box.__init__"


def test_the_module_is_as_its_own_loader_left_it(strange):
    assert type(strange.__loader__).__name__ == "SourceFileLoader" and strange.__spec__.loader is strange.__loader__
    assert importlib.reload(strange).only(weft.ones(2)).tolist() == [1, 1]


def test_who_answers_numpys_functions_sees_numpys_arrays(strange):
    x, length = weft.arange(3.0), strange.Length(numpy.ones(3))
    for made in (numpy.add(length, x), numpy.add(x, length), weft.add(x, length), x + length):
        assert type(made) is strange.Length and host(made.a).tolist() == [1, 2, 3]
    for both in ([x, length], [length, x]):
        assert numpy.concatenate(both).a.shape == (6,)


def test_what_names_of_weft_mean_to_a_compiler():
    assert _neighbours.meant(weft) is numpy and _neighbours.meant(weft.linalg) is numpy.linalg
    assert _neighbours.meant(weft.zeros_like) is numpy.zeros_like and _neighbours.meant(weft.add) is numpy.add
    assert _neighbours.meant(weft.ndarray) is numpy.ndarray and _neighbours.meant(len) is len
    assert type(_neighbours.meant(weft.ones(3))) is numpy.ndarray

    def own():
        """A function of the program's, which may have such an attribute."""

    own._numpy = numpy.sin
    assert _neighbours.meant(own) is own
    assert _neighbours.meant(weft.isfortran) is numpy.isfortran


def test_a_row_that_finds_no_module_of_its_library_breaks_no_import(monkeypatch):
    def row(module):
        importlib.import_module("strange_that_is_gone")

    monkeypatch.setitem(_neighbours._ROWS, "strange", row)
    _neighbours._adapt(types.ModuleType("strange"))


def test_what_loads_a_module_may_be_copied():
    loader = _neighbours._Loader(json.__loader__)
    assert copy.copy(loader).path == copy.deepcopy(loader).path == json.__loader__.path


def test_sympy_looks_at_the_frame_that_calls_it():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y")
    NAMED = (x, y)
    assert "NAMED" in sympy.lambdify([NAMED], x + y).__doc__
    assert sympy.lambdify(x, sympy.sin(x), [weft])(0.0) == 0
    assert sympy.lambdify(x, sympy.sin(x), weft)(numpy.zeros(2)).tolist() == [0, 0]


def test_rows_of_other_versions_change_nothing():
    module = types.ModuleType("numba.core.interpreter")
    _neighbours._adapt(module)
    assert [name for name in vars(module) if not name.startswith("__")] == []


def test_what_is_called_often_looks_for_arrays_among_few_items():
    x = weft.arange(3)
    seen = []
    hand = _neighbours._handing(lambda *args, **kwargs: seen.append((args, kwargs)))
    numbers, mixed = list(range(1000)), [*range(1000), x]
    hand(x, [x, 1], ("loc", x), {"k": x}, numbers, named=x)
    ((array, items, key, table, untouched), named), seen = seen[0], []
    assert [type(value) for value in (array, items[0], key[1], table["k"], named["named"])] == [numpy.ndarray] * 5
    assert untouched is numbers and numpy.shares_memory(array, host(x)) and type(key) is tuple and items[1] == 1
    assert _neighbours._arrays_given(mixed) is mixed  # what comes first says what all are
    assert all(type(value) is numpy.ndarray for value in _neighbours._arrays_given([x] * 100))


def test_types_are_written_as_numpys_are():
    alias = weft.typing.NDArray[numpy.float64]
    assert repr(alias) == repr(numpy.typing.NDArray[numpy.float64])
    assert repr(weft.ndarray[typing.Any, numpy.dtype[numpy.int8]]) == repr(numpy.ndarray[typing.Any, numpy.dtype[numpy.int8]])
    assert isinstance(weft.ones(2), typing.get_origin(alias)) and isinstance(numpy.ones(2), typing.get_origin(alias))
    assert weft.typing.ArrayLike == numpy.typing.ArrayLike
    with pytest.raises(TypeError):
        weft.ndarray[1, 2, 3]


STRUCTURAL = """
import functools
import weft as np
import numpy
values = [np.arange(4), numpy.arange(4), numpy.ma.masked_array([1]), np.array(["x"], dtype=object), np.zeros((2, 2)), 3, np.float64(1), [1]]
@functools.singledispatch
def kind(x): return "other"
@kind.register
def _(x: np.ndarray): return "array"
@kind.register
def _(x: np.floating): return "floating"
class One:
    @functools.singledispatchmethod
    def f(self, x): return "other"
    @f.register(np.ndarray)
    def _(self, x): return "array"
def matched(v):
    match v:
        case np.ndarray(shape=(n,), dtype=np.int64): return n
        case np.ndarray(ndim=2): return "table"
        case np.ndarray(): return "array"
        case np.float64(): return "number"
        case [x, *_]: return "list"
        case _: return "other"
print([isinstance(v, np.ndarray) for v in values], [issubclass(type(v), np.ndarray) for v in values])
print([kind(v) for v in values], [One().f(v) for v in values], [matched(v) for v in values], [isinstance(v, int | np.ndarray) for v in values])
"""


def test_arrays_are_told_by_their_types_and_shapes():
    ours, numpys = (run_python(STRUCTURAL.replace("import weft", f"import {name}")) for name in ("weft", "numpy"))
    assert ours.stdout == numpys.stdout and ours.stdout, ours.stderr
