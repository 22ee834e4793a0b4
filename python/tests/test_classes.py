"""np.ndarray as a class: of which objects isinstance says yes, and what is derived from it."""

import abc
import functools
import inspect
import types
import unittest.mock

import numpy
import pytest
import weft as np

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning")


class Tagged(np.ndarray):
    def __new__(cls, values, tag=None):
        made = np.asarray(values).view(cls)
        made.tag = tag
        return made

    def __array_finalize__(self, source):
        self.tag = getattr(source, "tag", None)


class Inner(Tagged):
    pass


@pytest.mark.parametrize("value", [
    np.zeros(3), numpy.zeros(3), np.array(["a"]), np.ma.array([1]), np.matrix([[1]]), Tagged([1]), Inner([1]),
    unittest.mock.Mock(spec=numpy.ndarray), np.float64(3), [1], None, memoryview(b""), np.zeros,
], ids=repr)  # fmt: skip
def test_instances_are_those_of_numpys(value):
    assert isinstance(value, np.ndarray) is isinstance(value, (numpy.ndarray, type(np.zeros(3))))
    assert isinstance(value, np.ndarray) is issubclass(type(value), np.ndarray) or isinstance(value, unittest.mock.Mock)


def test_what_is_a_subclass():
    assert issubclass(numpy.ndarray, np.ndarray) and issubclass(np.ndarray, np.ndarray) and issubclass(numpy.matrix, np.ndarray)
    assert not issubclass(int, np.ndarray) and type(np.zeros(3)) is np.ndarray
    with pytest.raises(TypeError, match="must be a class"):
        issubclass(3, np.ndarray)


class Sized(np.ndarray):
    def __new__(cls, *args, **options):
        return np.ndarray.__new__(cls, *args, **options)


def test_objects_are_made_by_ndarrays_new():
    assert type(Sized((2, 3), np.int8)) is Sized and Sized((2, 3), dtype=np.int8).nbytes == 6
    for kind in (Sized, numpy.ndarray, np.ndarray):
        memory = np.arange(4)
        shared = kind((2,), int, buffer=memory, offset=8)
        memory[1] = 77
        memory += 1
        assert shared.tolist() == [78, 3]
        shared[1] = -1
        assert memory.tolist() == [1, 78, -1, 4]
    assert type(np.ndarray.__new__(np.ndarray, (2,), np.int8)) is np.ndarray and np.ndarray((2,), np.int8).nbytes == 2
    for wrong in ((), (int,), (3,)):
        with pytest.raises(TypeError):
            np.ndarray.__new__(*wrong)


def test_what_derives_from_ndarray_derives_from_numpys():
    a = Tagged([1, 2, 3], tag="x")
    assert Tagged.__mro__[-2:] == (numpy.ndarray, object) and type(Tagged) is type
    assert type(a + 1) is Tagged and (a + 1).tag == "x" and a[1:].sum() == 5 and (np.zeros(3) + a).tag == "x"
    assert Inner([4], tag=2).tag == 2 and isinstance(Inner([4]), Tagged)
    with pytest.raises(TypeError, match="metaclass"):
        type("Abstract", (np.ndarray, abc.ABC), {})


@pytest.mark.parametrize("name", ["linspace", "where", "sum", "concatenate", "linalg.norm", "fft.fft", "zeros", "array", "arange", "bincount", "append", "sin", "add"])
def test_functions_in_classes_are_methods_where_numpys_are(name):
    def of(module):
        return functools.reduce(getattr, name.split("."), module)

    class Ours:
        f = of(np)

    class Theirs:
        f = of(numpy)

    assert Ours.f is of(np)
    assert isinstance(Ours().f, types.MethodType) == isinstance(Theirs().f, types.MethodType)
    assert repr(of(np)).split(" at ")[0] == repr(of(numpy)).split(" at ")[0]
    assert inspect.isroutine(of(np)) == inspect.isroutine(of(numpy))  # what completions call a function


def test_methods_of_a_class_in_a_function_name_the_class_and_what_follows_it():
    class Plain(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            inputs = [value.view(np.ndarray) if isinstance(value, Plain) else value for value in inputs]
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs), Later

    class Later:
        pass

    made, later = np.arange(3).view(Plain) + 1
    assert made.tolist() == [1, 2, 3] and later is Later


def test_array_ufunc_takes_names_of_methods_alone():
    with pytest.raises(TypeError, match="attribute name must be string, not 'int'"):
        np.array(1).__array_ufunc__(np.add, 2)


def test_numpys_own_arrays_take_the_class_of_weft():
    records = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    for made in (records.view(np.ndarray), records.view(np.recarray).view(np.ndarray), records.view(np.recarray).view(records.dtype, np.ndarray), np.rec.array([(1, 2.0)]).view(type=np.ndarray)):
        assert type(made) is numpy.ndarray and made.dtype.names is not None
    assert np.array(["a"]).view(np.ndarray).tolist() == ["a"]
    matrix = np.matrix([[1.0, 2.0]])
    made = matrix.view(np.ndarray)
    made[0, 0] = 5
    assert type(made) is np.ndarray and matrix[0, 0] == 5


def test_view_of_numpys_arrays_is_what_it_was():
    array = numpy.arange(4)
    assert array.view("u8").dtype == "u8" and array.view(numpy.matrix).shape == (1, 4) and array.view(type=numpy.matrix, dtype="f8").dtype == "f8"
    assert array.view().base is array and numpy.ndarray.view(array, "u1").size == 32 and numpy.ndarray.view.__qualname__ == "ndarray.view"
    assert (numpy.ndarray.view.__doc__ or "").startswith("a.view(")
    for bad in (("nothing",), (int, int), (1, 2, 3)):
        with pytest.raises((TypeError, ValueError)):
            array.view(*bad)
    with pytest.raises(TypeError):
        numpy.ndarray.view()
    with pytest.raises(TypeError):
        numpy.ndarray.view([1])
