"""Masked arrays are NumPy's, with masks of NumPy's, and take weft's arrays where they take NumPy's."""

import numpy
import pytest

from .sharing import weft

METHODS = """
    x.cumsum(axis=0, out=out) | x.cumprod(0, None, out) | x.round(1, out) | x.round(decimals=1, out=out) | x.sum(axis=0, out=out[0]) | x.mean(0, out=out[0])
    x.max(axis=0, out=out[0]) | x.min(axis=1, out=out[:, 0]) | x.prod(axis=1, out=out[:, 1]) | x.std(axis=0, out=out[0]) | x.argmax(axis=0, out=places) | x.take([0, 0], axis=0, out=out)
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("call", [call.strip() for call in METHODS if call.strip()])
def test_results_are_written_into_arrays_of_both_kinds(call):
    seen = []
    for np in (numpy, weft):
        x = np.ma.array(np.arange(6.0).reshape(2, 3) * 1.25, mask=[[0, 1, 0], [0, 0, 0]])
        out, places = np.zeros((2, 3)), np.zeros(3, int)
        made = eval(call, {"x": x, "out": out, "places": places})
        assert isinstance(made, np.ndarray) and not isinstance(made, numpy.ma.MaskedArray)
        seen.append((made.tolist(), out.tolist(), places.tolist()))
    assert seen[0] == seen[1]


def test_the_given_array_comes_back():
    x, out = weft.ma.array([1.5, 2.5], mask=[0, 1]), weft.zeros(2)
    assert x.round(out=out) is out
    masked = weft.ma.zeros(2)
    assert x.round(out=masked) is masked


@pytest.mark.parametrize("view", [lambda x, kind: x.view(kind), lambda x, kind: x.view(type=kind), lambda x, kind: x.view("f8", kind)])
def test_a_view_as_an_array_is_of_the_same_memory(view):
    x = weft.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0], fill_value=1)
    made = view(x, weft.ndarray)
    assert type(made) is weft.ndarray and made.tolist() == [1, 2, 3]
    made[0] = 9
    assert x[0] == 9
    assert x.view(weft.ma.MaskedArray, fill_value=2).fill_value == 2
    assert x.view(dtype="i8").dtype == "i8"
    records = weft.ma.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
    assert type(records.view(weft.ndarray)) is numpy.ndarray  # of which weft has none


def test_a_mask_is_the_one_that_the_array_has():
    m = weft.ma.make_mask([0, 0, 1])
    assert weft.ma.make_mask(m) is m and weft.ma.make_mask(m, copy=True) is not m
    x = weft.ma.array([1, 2, 3], mask=m)
    assert weft.ma.getmask(x) is m and x._mask is m
    x[2] = 5
    assert not m[2] and x[2] == 5
    assert weft.ma.getmask(weft.arange(3)) is weft.ma.nomask
    both = weft.ma.mask_or(weft.array([True, False]), weft.array([False, False]))
    assert both.tolist() == [True, False]
    assert (weft.arange(3.0)[~weft.ma.getmaskarray(x)]).tolist() == [0, 1, 2]
    assert weft.ma.make_mask_none(3).tolist() == [False] * 3


def test_signatures_and_names_are_numpys():
    for name in ("getmask", "make_mask", "mask_or", "masked_where"):
        assert getattr(weft.ma, name).__name__ == name and getattr(weft.ma, name)._numpy is getattr(numpy.ma, name)
    assert weft.ma.MaskedArray is numpy.ma.MaskedArray and numpy.ma.MaskedArray.round.__name__ == "round"
