"""The same elements in another shape, as another dtype, one after the other, or put together: beside NumPy, with the strides and the memory that NumPy's results have."""

import contextlib
import itertools
import random

import numpy
import pytest
import weft as np


def _shape(rnd, size):
    """Up to four extents of so many elements, some of them 1."""
    shape = []
    for _ in range(rnd.randint(0, 3)):
        shape.append(rnd.choice([n for n in range(1, size + 1) if size % n == 0]))
        size //= shape[-1]
    shape.append(size)
    rnd.shuffle(shape)
    return tuple(shape)


def _cut(array, rnd):
    """A view with steps, its axes in another order."""
    array = array[tuple(slice(None, None, rnd.choice([1, 1, -1, 2])) for _ in array.shape)]
    return array.transpose(rnd.sample(range(array.ndim), array.ndim))


@pytest.mark.parametrize("seed", range(8))
def test_shapes(seed):
    rnd = random.Random(seed)
    for _ in range(60):
        whole = tuple(rnd.choice([1, 1, 2, 3, 4, 6, 7]) for _ in range(rnd.randint(0, 4)))
        base = numpy.arange(numpy.prod(whole, dtype=int), dtype=rnd.choice(["f8", "i4", "c16"])).reshape(whole)
        state = rnd.getstate()
        given = _cut(base, rnd)
        rnd.setstate(state)
        ours = _cut(np.array(base), rnd)
        for _ in range(4):
            shape, order = _shape(rnd, given.size), rnd.choice("CF")
            want = given.reshape(shape, order=order)
            for got in (ours.reshape(shape, order=order), np.reshape(ours, shape, order=order), ours.reshape(*shape, order=order)):
                assert (got.shape, got.strides) == (want.shape, want.strides), (given.shape, given.strides, shape, order)
                assert numpy.asarray(got).tobytes() == want.tobytes()
                assert np.shares_memory(got, ours) == numpy.shares_memory(want, given), (given.shape, given.strides, shape, order)
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        np.reshape(np.arange(6).reshape(2, 3).T, 6, copy=False)


CUTS = [
    lambda x: x,
    lambda x: x[:, ::2],
    lambda x: x[1:, 8:16],
    lambda x: x.T,
    lambda x: x[0],
    lambda x: x[::-1],
    lambda x: x[:0],
    lambda x: x[0, :1].reshape(()),
    lambda x: x[:, 1:],
    lambda x: x[:, None, 3:11],
]


@pytest.mark.parametrize("other", ["f8", "f4", "i8", "i2", "u1", "c16", "c8", "f2", ">i4", "S4", "V8", "M8[s]", [("a", "i4"), ("b", "f4")], "?"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "c8", "u1", "?"])
def test_views_of_other_dtypes(dtype, other):
    base = numpy.arange(96).astype(dtype).reshape(4, 24)
    for cut in CUTS:
        given, ours = cut(base), cut(np.array(base))
        try:
            want = given.view(other)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)) as raised:
                ours.view(other)
            assert str(raised.value) == str(error)
            continue
        got = ours.view(other)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        assert not want.size or got.strides == want.strides
        assert numpy.asarray(got).tobytes() == want.tobytes()
        if want.size and want.dtype.kind in "fi" and dtype != "?":
            got[...] = 1  # the same memory
            assert (numpy.asarray(ours.view(other)) == 1).all()


@pytest.mark.parametrize("other", [("f8", 0), ("i4", 2), "(2,)i4", (0, 0), ()], ids=str)
def test_views_that_tuples_describe(other):
    outcomes = []
    for module in (numpy, np):
        try:
            made = module.ones(3).view(other)
            outcomes.append((made.dtype, made.shape))
        except TypeError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_views_of_the_same_dtype():
    x = np.arange(6.0).reshape(2, 3)
    for seen in (x.view(), x.view(float), x.view(np.ndarray), x.view(dtype="f8")):
        assert seen is not x and type(seen) is np.ndarray
        seen[0, 0] += 1
    assert x[0, 0] == 4


@pytest.mark.parametrize("function", ["cumsum", "cumprod", "add.accumulate", "multiply.accumulate"])
@pytest.mark.parametrize("asked", ["i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16", "i1", "f2"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8", "c16"])
def test_running_sums_of_other_dtypes(function, asked, dtype):
    x = numpy.array([[3, 1, 2, 200], [0, 7, 1, 5]]).astype(dtype)
    of = lambda module: eval(f"module.{function}", {"module": module})  # noqa: E731
    for axis in (0, 1, -1):
        with numpy.errstate(all="ignore"), pytest.warns(numpy.exceptions.ComplexWarning) if dtype == "c16" and asked[0] != "c" else contextlib.nullcontext():
            want, got = (of(module)(x if module is numpy else np.array(x), axis=axis, dtype=asked) for module in (numpy, np))
        assert (got.dtype, got.shape) == (want.dtype, want.shape) and numpy.asarray(got).tobytes() == want.tobytes()


def test_elements_in_a_row():
    for module in (numpy, np):
        m = module.arange(12.0).reshape(3, 4)
        assert (m.flat[2:7:2] == [2, 4, 6]).all() and (m.flat[::-1] == numpy.arange(11, -1, -1)).all() and m.flat[5:5].shape == (0,)
        part = m.flat[1:3]
        part[:] = -1
        assert m[0, 1] == 1  # it was a copy
        m.flat[1:3] = 7
        m.flat[-1:] = 2.5
        assert m[0].tolist() == [0, 7, 7, 3] and m[2, 3] == 2.5
        m.T.flat[:2] = 9
        assert m[:2, 0].tolist() == [9, 9]
        m.flat = 3
        assert (m == 3).all()
        k = module.arange(4)
        k.flat = 2.7
        assert k.tolist() == [2, 2, 2, 2]
        k.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            k.flat = 1
        with pytest.raises(ValueError, match="read-only"):
            k.flat[1:] = 1
        i = module.arange(3, dtype="i1")
        with pytest.raises(OverflowError, match="out of bounds for int8"):
            i.flat = 300
        with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
            i.flat[:2] = float("nan")


def test_dtypes_together():
    """That of three and more is not that of two, and then of another."""
    for dtypes in itertools.product("?bhilBHILefdFD", repeat=3):
        parts = [numpy.ones(k, dtype) for k, dtype in enumerate(dtypes)]  # the first without elements
        for function in ("concatenate", "hstack"):
            assert getattr(np, function)([np.array(part) for part in parts]).dtype == numpy.result_type(*dtypes), dtypes


def test_what_no_shape_has():
    """Products of extents past 2**63, which may count as few elements, or as none."""
    for module in (numpy, np):
        many = module.broadcast_to(module.zeros(1), (2**40,))
        more = module.broadcast_to(module.zeros((1, 1)), (2**32, 2**20))
        for array, shape in ((many, (2**33, 2**33)), (more, (2**33, 2**31)), (many, (2**32, 2**32, 2**40))):
            for order in "CF":
                with pytest.raises(ValueError, match="cannot reshape array of size"):
                    array.reshape(shape, order=order)


def test_flat_tells_at_once():
    for module in (numpy, np):
        a, b = module.zeros(3, "f4"), module.ones(3)
        with numpy.errstate(all="raise"):
            with pytest.raises(FloatingPointError, match="overflow encountered in cast"):
                a.flat = 1e300
            with pytest.raises(FloatingPointError, match="overflow encountered in cast"):
                a.flat[1:] = 1e300
            assert (b * 2).tolist() == [2, 2, 2]


def test_running_sums_of_ufuncs_have_an_axis():
    for module in (numpy, np):
        for options in ({}, {"dtype": "i4"}):
            with pytest.raises(ValueError, match="accumulate does not allow multiple axes"):
                module.add.accumulate(module.ones((2, 2)), axis=None, **options)
            assert module.cumsum(module.ones((2, 2)), axis=None, **options).tolist() == [1, 2, 3, 4]


def test_steps_without_elements():
    for call in (
        lambda m: m.zeros((0, 3)).ravel(), lambda m: m.expand_dims(m.zeros((0, 4)), 0), lambda m: m.expand_dims(m.zeros((0, 4)), -1), lambda m: m.zeros((0, 3)).reshape(3, 0),
        lambda m: m.zeros((4, 0)).copy(), lambda m: m.cumsum(m.zeros((0, 3)), axis=0), lambda m: m.concatenate([m.zeros((0, 3))] * 2),
    ):  # fmt: skip
        assert call(np).strides == call(numpy).strides


def test_what_loops_append():
    for module in (numpy, np):
        rows, flat = module.empty((0, 3)), module.array([])
        for i in range(3):
            rows = module.vstack([rows, [i, i, i]])
            flat = module.append(flat, i)
        rows = module.append(rows, [[7, 8, 9]], axis=0)
        rows = module.append(rows, module.ones((4, 1)), axis=1)
        assert rows.dtype == float and rows.tolist() == [[0, 0, 0, 1], [1, 1, 1, 1], [2, 2, 2, 1], [7, 8, 9, 1]] and flat.tolist() == [0, 1, 2]
        assert module.concatenate([module.empty((0, 3)), module.empty((0, 3))]).shape == (0, 3)
        assert module.concatenate([module.empty((0, 3)), module.empty((0, 2))], axis=1).shape == (0, 5)
        assert module.hstack([module.ones((2, 0)), module.ones((2, 2))]).tolist() == [[1, 1], [1, 1]]
        for wrong in ([[1, 2]], [1, 2, 3]):
            with pytest.raises(ValueError, match="must match|same number of dimensions"):
                module.append(module.empty((0, 3)), wrong, axis=0)


@pytest.mark.parametrize("r", [range(5), range(0), range(3, -9, -2), range(2**63 - 2, 2**63), range(2**70, 2**70 + 3), range(0, 2**40, 2**39), range(10**30)], ids=str)
@pytest.mark.parametrize("named", [{}, {"dtype": float}, {"dtype": "i4"}, {"dtype": bool}, {"dtype": complex}], ids=str)
def test_ranges(r, named):
    try:
        want = numpy.array(r, **named)
    except (OverflowError, ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            np.array(r, **named)
        return
    for got in (np.array(r, **named), np.asarray(r, **named)):
        assert got.dtype == want.dtype and got.tolist() == want.tolist()


def test_steps_of_lines():
    for args in ((0, 1, 5), (0, 1.5, 7, False), (3, 3, 4), (2, -1, 10), (0, 1, 1), (0, 1, 0)):
        want, got = (module.linspace(*args, retstep=True) for module in (numpy, np))
        assert repr(got[1]) == repr(want[1]) and type(got[1]) is type(want[1]) and got[0].tolist() == want[0].tolist()


def test_views_of_one_memory():
    """Views that Go has made and views that it has not are over one memory, which an operation on both reads, and others write between them."""
    columns, ends = numpy.arange(20.0).reshape(10, 2), []
    for module in (numpy, np):
        z = module.array(columns)
        x, y = module.atleast_2d(z[:, 0], z[:, 1])
        total = 0.0
        for i in range(12):
            total += float((x - x.T)[0, 3] + (x + y.T)[2, 0])
            z[0, 0] += 1
            x[0, 3] *= 2
            y[:] = y + x
            z = module.roll(z, 1) if i % 5 == 4 else z
        ends.append((total, z.tolist()))
    assert ends[0] == ends[1]
