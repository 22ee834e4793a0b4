"""NumPy's arrays indexed by arrays of weft's, and assigned such: what they give and raise where they are indexed by NumPy's."""

import warnings

import numpy
import pytest
import weft

N = 12
NUMPYS = {
    "words": numpy.array([f"w{i}" for i in range(N)]),
    "objects": numpy.arange(N).astype(object),
    "days": numpy.datetime64("2024-01-01") + numpy.arange(N),
    "records": numpy.array([(i, i / 2) for i in range(N)], [("a", "i4"), ("b", "f8")]),
    "floats": numpy.arange(float(N)),
    "longs": numpy.arange(N).astype(numpy.longdouble),
    "table": numpy.array([f"w{i}" for i in range(N)]).reshape(3, 4),
    "many": numpy.arange(200_000).astype("U8"),
}
INDICES = """
    np.array([3, 1, -1]) | np.arange(12) > 4 | np.array([[0, 1], [2, 2]]) | np.array(2) | np.array([]) | np.array([], int) | np.array([1, 99]) | np.array([1.5]) | np.array([True, False]) | np.array([2, 0], 'u1')
    np.arange(12)[::-2] | (np.array([0, 2]), np.array([1, 3])) | (np.array([0, 2]), slice(1, 3)) | (np.arange(3) > 0, 1) | (np.array([[0], [2]]), np.array([1, 3])) | (..., np.array([0, 1])) | (None, np.array([1]))
    (np.array([0]), 'a') | np.arange(100_000) * 2 % 12 | np.arange(200_000) % 3 == 0 | (np.array(1), np.array([0, 2])) | np.arange(6).reshape(2, 3).T
"""
VALUES = "'x' | 5 | np.array([1, 2, 3]) | np.arange(12.0) | np.array([]) | [1, 2, 3] | np.array(7) | None"


def listed(text):
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def outcome(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = call()
        except Exception as error:  # noqa: BLE001 - compared
            return type(error), str(error)
    told = [(w.category, str(w.message)) for w in caught]
    return (type(made), made.dtype, made.shape, made.strides, made.tolist(), told) if isinstance(made, numpy.ndarray) else (type(made), str(made), told)


@pytest.mark.parametrize("index", listed(INDICES))
@pytest.mark.parametrize("name", NUMPYS)
def test_numpys_arrays_are_indexed_by_wefts(name, index):
    ours, numpys = (eval(index, {"np": np}) for np in (weft, numpy))
    array = NUMPYS[name]
    assert outcome(lambda: array[ours]) == outcome(lambda: array[numpys])


@pytest.mark.parametrize("value", listed(VALUES))
@pytest.mark.parametrize("index", ["slice(None)", "0", *listed(INDICES)[:6], "np.array([1, 99])", "(np.array([0, 2]), np.array([1, 3]))"])
@pytest.mark.parametrize("name", ["words", "objects", "records", "floats", "table"])
def test_numpys_arrays_are_assigned_wefts(name, index, value):
    def assigned(np):
        array = NUMPYS[name].copy()
        at, to = eval(index, {"np": np}), eval(value, {"np": np})
        said = outcome(lambda: array.__setitem__(at, to) if np is numpy else _set(array, at, to))
        return said, repr(array.tolist())

    assert assigned(weft) == assigned(numpy)


def _set(array, at, to):
    array[at] = to


def test_an_element_of_objects_may_be_an_array():
    objects, x = numpy.empty(3, object), weft.arange(3.0)
    objects[1] = x
    assert objects[1] is x


def test_indices_are_as_they_were():
    k, words = weft.arange(5), NUMPYS["words"]
    made = words[k], words[k[::-1]], words[k]
    k += 1
    assert [m[0] for m in made] == ["w0", "w4", "w0"] and words[k][0] == "w1" and k.tolist() == [1, 2, 3, 4, 5]
