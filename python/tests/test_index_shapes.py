"""Indices of integers of unlike shapes, and lists of integers into large arrays: beside NumPy."""

import random

import numpy
import pytest
import weft as np


def _integers(rnd, extent, joint):
    """An index along an axis of so many elements: a number, a list or an array of a shape that goes with others of the joint one; now and then one that is wrong."""
    beyond = extent + (rnd.random() < 0.05)
    if rnd.random() < 0.2:
        number = rnd.randrange(-extent, beyond)
        return number, number
    shape = tuple(n if rnd.random() < 0.6 else 1 for n in joint)[rnd.randint(0, len(joint) - 1) :]
    if rnd.random() < 0.05:
        shape = (*shape[:-1], 4)
    values = numpy.array([rnd.randrange(-extent, beyond) for _ in range(numpy.prod(shape, dtype=int))]).reshape(shape).astype(rnd.choice(["i8", "i4", "u1"]))
    if len(shape) == 1 and rnd.random() < 0.5:
        return values.tolist(), values.tolist()
    return values, np.array(values) if rnd.random() < 0.8 else values


def _outcome(function, array, index):
    """What a function says: the elements and how those along longer axes lie, or the error."""
    try:
        made = function(array, index)
    except (IndexError, ValueError) as error:
        return type(error), str(error)
    lies = [step for step, extent in zip(made.strides, made.shape, strict=True) if extent > 1] if getattr(made, "size", 0) > 1 else None
    return made.dtype, made.shape, lies, numpy.asarray(made).tolist()


def _get(array, index):
    return array[index]


def _put(array, index):
    array[index] = 7
    return array


def _add(array, index):
    array[index] += 1
    return array


@pytest.mark.parametrize("seed", range(6))
def test_unlike_shapes(seed):
    rnd = random.Random(seed)
    for _ in range(150):
        shape = tuple(rnd.choice([1, 2, 3, 5]) for _ in range(rnd.randint(1, 4)))
        given = numpy.arange(numpy.prod(shape, dtype=int)).astype(rnd.choice(["f8", "i4", "c16", "i1"])).reshape(shape)
        ours = np.array(given)
        if rnd.random() < 0.3:
            given, ours = given.T, ours.T
        joint = tuple(rnd.choice([1, 2, 3]) for _ in range(rnd.randint(1, 3)))
        both = [_integers(rnd, given.shape[axis], joint) for axis in range(rnd.randint(1, given.ndim))]
        for function in (_get, _put, _add):
            want, got = (_outcome(function, array, tuple(pair[side] for pair in both)) for side, array in enumerate((given, ours)))
            assert got == want, (function.__name__, given.shape, given.strides, both)


def test_lists_into_what_changes():
    """A list of rows of a large array is waited for where it is asked for again, and has what operations on the whole of it have left there."""
    ends = []
    for module in (numpy, np):
        m, total = module.arange(90_000.0).reshape(300, 300) + 1, 0.0
        for turn in range(12):
            if turn % 4 == 0:
                m = module.sqrt(module.abs(m)) + turn
            rows, columns = m[[1, 5, 9]], m[:, [turn, 7]]
            m[[2, 3]] += 1
            m[[4], [turn]] = -1
            taken = module.take(m, [0, 2], axis=0)
            total += float(rows[0, 0] + columns[3, 0] + taken[1, turn])
        ends.append((total, m[[0, 2, 4]].tolist()))
    assert ends[0] == ends[1]
