"""Iteration over arrays: NumPy's scalars and weft's rows, each taken when its turn comes."""

import operator

import numpy
import pytest
import weft

LENGTHS = (0, 1, 3, 8, 9, 40)  # the first eight elements are read one at a time, the others where they lie


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("length", LENGTHS)
def test_elements_are_numpys_scalars(dtype, length):
    theirs = (numpy.arange(length) % 5).astype(dtype)
    ours = weft.array(theirs)
    for make in (list, tuple, sorted if theirs.dtype.kind != "c" else list, lambda a: [x for x, _ in zip(a, a, strict=True)]):
        got, want = make(ours), make(theirs)
        assert got == want
        assert [type(x) for x in got] == [type(x) for x in want]


@pytest.mark.parametrize("view", [lambda a: a[::-1], lambda a: a[3:], lambda a: a[::3], lambda a: a.reshape(8, 5)[:, 2], lambda a: a[:0]])
def test_views(view):
    theirs = numpy.arange(40.0)
    assert list(view(weft.array(theirs))) == list(view(theirs))


def test_unpacking():
    x, y, z = weft.array([1.5, 2.5, 3.5])
    assert (x, y, z) == (1.5, 2.5, 3.5) and type(x) is numpy.float64
    first, *rest = weft.arange(20)
    assert first == 0 and rest == list(range(1, 20))
    with pytest.raises(ValueError, match="not enough values to unpack"):
        x, y = weft.ones(1)


@pytest.mark.parametrize("np", [numpy, weft])
def test_what_is_written_meanwhile_is_seen(np):
    a = np.arange(40.0)
    b, seen = a[::-1], []
    for i, value in enumerate(a):
        seen.append(float(value))
        if i + 1 < 40:
            a[i + 1] = value * 2 + 1 if i % 5 else 0.5
        if i == 20:
            a += 1
        if i == 25:
            b[:10] = 7
    assert seen[:12] == [0.0, 0.5, 2.0, 5.0, 11.0, 23.0, 0.5, 2.0, 5.0, 11.0, 23.0, 0.5]
    assert seen[21:28] == [1.5, 4.0, 9.0, 19.0, 39.0, 0.5, 2.0] and seen[-1] == 7 * 2 + 1 - 4


def test_rows_are_views():
    a = weft.zeros((12, 2))
    for i, row in enumerate(a):
        row[:] = i
    assert a.tolist() == [[i, i] for i in range(12)]


def test_an_iterator_ends_once_and_keeps_its_array():
    it = iter(weft.arange(10) + 1)
    assert operator.length_hint(it) == 10
    assert iter(it) is it
    assert sum(it) == 55
    assert next(it, None) is None and operator.length_hint(it) == 0
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(weft.array(3))


def test_memory_is_given_back():
    a = weft.arange(100.0)
    it = iter(a)
    for _ in range(20):
        next(it)
    del it
    a += 1
    assert list(a[:2]) == [1, 2] and float(a.sum()) == 5050


def test_it_is_no_call_of_numpys():
    before = dict(weft.coverage().fallback)
    list(weft.arange(20.0))
    assert weft.coverage().fallback == before
