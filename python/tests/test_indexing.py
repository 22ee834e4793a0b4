"""Indexing gives NumPy's views, values and errors."""

import warnings

import numpy as np
import pytest
import weft

from .sharing import assert_same, sample

INDEXES = [
    0, -1, 2, slice(None), slice(1, 3), slice(None, None, -1), slice(3, 0, -2), slice(10, 20), Ellipsis, None,
    (1, 2), (slice(None), 1), (slice(None, None, 2), slice(None, None, -1)), (Ellipsis, 0), (None, 1, Ellipsis), (),
    (1, slice(None), None), np.int64(1), (np.int8(-1), slice(1, None)),
    [0, 2], [[0, 1], [2, 0]], np.array([2, 0, 1]), (slice(None), [0, 3]), ([0, 1], [1, 2]),
    np.array([True, False, True]), (np.array([True, False, True]), 1), True,
    7, (0, 9), (0, 0, 0), "text", 1.5, (slice(None), slice(None), slice(None)), [0, 5], np.array([True, False]), slice(None, None, 0),
]  # fmt: skip


def outcome(call):
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared by the caller
        return error


@pytest.mark.parametrize("index", INDEXES, ids=repr)
def test_get(index):
    a = sample("int64")
    want, got = outcome(lambda: a[index]), outcome(lambda: weft.array(a)[index])
    if isinstance(want, Exception):
        assert type(got) is type(want) and str(got) == str(want)
    else:
        assert_same(got, want)


@pytest.mark.parametrize("index", INDEXES, ids=repr)
@pytest.mark.parametrize("value", [5, 2.75, "row", "numpy"])
def test_set(index, value):
    a = sample("int64")
    w = weft.array(a)
    if value == "row":
        value, mine = np.arange(4), weft.arange(4)
    elif value == "numpy":
        value = mine = np.arange(4.0)
    else:
        mine = value
    want = outcome(lambda: a.__setitem__(index, value))
    got = outcome(lambda: w.__setitem__(index, mine))
    if isinstance(want, Exception):
        assert type(got) is type(want), (got, want)
    else:
        assert got is None, got
        assert_same(w, a)


def test_weft_arrays_as_indexes():
    a = sample("float64", (5, 3))
    w = weft.array(a)
    assert_same(w[weft.array([3, 1])], a[[3, 1]])
    assert_same(w[w > 0], a[a > 0])
    w[w < 0] = 0
    a[a < 0] = 0
    assert_same(w, a)
    assert_same(w[weft.array(2)], a[2])


def test_views_share_memory():
    w = weft.zeros((4, 6))
    part = w[1:3, ::-2]
    part[:] = 7
    part.T[0, 1] = 9
    expected = np.zeros((4, 6))
    expected[1:3, ::-2] = 7
    expected[2, 5] = 9
    assert_same(w, expected)
    w[:] = weft.arange(6)
    assert_same(part, np.tile(np.arange(6.0), (2, 1))[:, ::-2])


def test_overlapping_assignment_reads_before_it_writes():
    w, a = weft.arange(10), np.arange(10)
    w[1:], a[1:] = w[:-1], a[:-1]
    assert_same(w, a)
    w[:], a[:] = w[::-1], a[::-1]
    assert_same(w, a)
    w[2:] += w[:-2]
    a[2:] += a[:-2]
    assert_same(w, a)


def test_iteration_and_length():
    w = weft.arange(6).reshape(2, 3)
    assert len(w) == 2
    assert [row.tolist() for row in w] == [[0, 1, 2], [3, 4, 5]]
    assert [int(x) for x in w[1]] == [3, 4, 5]
    first, second = w
    second[:] = 0
    assert w.tolist() == [[0, 1, 2], [0, 0, 0]]
    for broken in (lambda: iter(weft.array(1)), lambda: len(weft.array(1))):
        with pytest.raises(TypeError):
            broken()


def test_shape_can_be_set():
    w = weft.arange(6)
    view = w[:]
    w.shape = (2, 3)
    assert w.shape == (2, 3) and w.strides == (24, 8)
    w[0, 0] = 9
    assert view.tolist() == [9, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="cannot reshape array of size 6 into shape"):
        w.shape = (4, 4)


def test_deleting_elements_is_numpys_error():
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del weft.arange(3)[0]


SCALARS = [
    np.int64(300), np.float64("nan"), np.float32("inf"), np.float64(1e30), np.float64(2.7), np.uint64(2**64 - 1), np.bool_(True), np.int16(7),
]  # fmt: skip


@pytest.mark.parametrize("index", [1, Ellipsis, slice(1), (slice(None), None), [0], np.int64(0)], ids=repr)
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_scalars_of_another_dtype_have_to_fit_signed_integers(dtype, index):
    for value in SCALARS:
        a = np.zeros(2, dtype)
        w = weft.array(a)
        if value != value and dtype == "uint8":
            continue  # a conversion that C leaves undefined
        want, got = outcome(lambda: a.__setitem__(index, value)), outcome(lambda: w.__setitem__(index, value))  # noqa: B023
        assert (type(got), str(got)) == (type(want), str(want)), value
        if dtype != "uint8" and not isinstance(index, list) or value == 7:
            assert_same(w, a)


@pytest.mark.parametrize("value", [1e300, -1.5, float("nan"), 300.7, 1 + 2j, np.float64(1e20), True, 2**70, 300, -1])
@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", "i8", "b1", "f2"])
def test_copyto_casts_numbers_that_an_assignment_refuses(dtype, value):
    for make in (lambda module: module.zeros(3, dtype), lambda module: module.zeros((2, 1), dtype)[::-1], lambda module: module.zeros(200_000, dtype)):
        said = []
        for module in (weft, np):
            x = make(module)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module.copyto(x, value, casting="unsafe")
                    module.copyto(x[1:], value, casting="unsafe", where=module.array([True]))
                said.append(np.asarray(x)[:3].tolist())
            except (OverflowError, TypeError, ValueError) as error:
                said.append(type(error))
        assert repr(said[0]) == repr(said[1])


@pytest.mark.parametrize("mask", [(0,), (0, 3), (2, 0), (0, 5), (0, 0), (0, 3, 4), (2, 3, 0)])
@pytest.mark.parametrize("call", ["a[m]", "a[m, ...]", "a[..., m]", "a.__setitem__(m, 7)", "a.__setitem__(m, [])", "a[None, m]"])
def test_masks_without_elements_may_be_shorter_than_axes(mask, call):
    def outcome(module):
        a = module.array(np.arange(24.0).reshape(2, 3, 4))
        try:
            made = eval(call, {"a": a, "m": module.zeros(mask, bool)})
        except Exception as error:
            return type(error), str(error)
        return np.asarray(made).shape if made is not None else None, np.asarray(a).tolist()

    assert outcome(weft) == outcome(np)


ONES = ["np.array(1)", "(np.array(1),)", "(np.array(1), slice(0, 2))", "np.array(-1)", "(None, np.array(1))", "(..., np.array(1))", "(np.array(0), np.array(1))", "True", "np.array(True)", "(..., True)", "(None, True)", "(slice(None), True)"]  # fmt: skip
LIES = ["a", "a.T", "a[::-1]", "np.broadcast_to(a[0], (2, 3, 4))", "np.broadcast_to(a[:, :1], (2, 3, 4)).T"]


@pytest.mark.parametrize("shape", [(2, 3, 4), (20, 30, 40)])
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("index", ONES)
def test_arrays_of_no_axes_select_copies(index, lies, shape):
    """Of memory that nothing else has, even where what they are taken from cannot be written."""
    seen = []
    for module in (weft, np):
        a = module.arange(float(np.prod(shape))).reshape(shape)
        x = eval(lies.replace("2, 3, 4", ", ".join(map(str, shape))), {"np": module, "a": a})
        before, made = np.array(x), x[eval(index, {"np": module})]
        if isinstance(made, np.generic):
            seen.append(made)
            continue
        strides = [step for step, n in zip(made.strides, made.shape, strict=True) if n > 1]
        owns = "True" in index or made.flags.owndata  # NumPy's is a view of a copy where it moves the axis of a truth value
        seen.append((made.shape, strides, made.flags.writeable, owns, np.asarray(made).tolist()))
        made[...] = -1
        assert np.array_equal(x, before)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("index", ["([], 1)", "([], 5)", "([], -2)", "(1, [])", "([], 0)", "([1], [])", "([], [0])", "([], [1])", "([5], [])", "(np.zeros((0, 2), int), np.array([7, -7]))", "(np.zeros(rows, bool), [1])", "np.zeros((0, 2), int)", "(np.zeros((2, 0), int), 3)"])
@pytest.mark.parametrize("rows", [4, 40_000])
def test_places_are_looked_at_where_nothing_is_chosen(index, rows):
    def of(np):
        x, where = np.zeros((rows, 1)), eval(index, {"np": np, "rows": rows})
        return outcome(lambda: x[where].shape), outcome(lambda: x.__setitem__(where, 1)), float(x.sum())

    got, want = of(weft), of(np)
    assert repr(got) == repr(want)


@pytest.mark.parametrize("value", ["[1]", "[[1]]", "(1,)", "[]", "[1, 2]", "[1.5]"])
@pytest.mark.parametrize("index", ["x, ...", "x, ()", "y, (0, ...)", "y, (..., 0)", "y, 0", "z, (0, ..., 0)", "y, (..., slice(0, 1))"])
@pytest.mark.parametrize("dtype", ["f8", "i8", "c16", "f4", "?"])
def test_lists_that_are_assigned_where_there_are_no_axes(dtype, index, value):
    def said(module):
        names = {"x": module.zeros((), dtype), "y": module.zeros(2, dtype), "z": module.zeros((2, 2), dtype)}
        error = outcome(lambda: eval(f"(lambda a, i: a.__setitem__(i, {value}))({index})", names))
        return str(error), [np.asarray(names[name]).tolist() for name in "xyz"]

    assert said(weft) == said(np)


INTEGERS = ["np.uint64(1)", "np.int64(1)", "np.int8(-1)", "np.longlong(1)", "(np.uint64(1),)", "(np.uint64(1), slice(0, 2))", "(None, np.uint64(1))", "(..., np.uint64(1))", "(np.int64(1), None, ..., np.uint8(1))"]  # fmt: skip
FLAGS = ["np.True_", "np.False_", "(np.True_,)", "(..., np.True_)", "(None, np.True_)", "(slice(0, 2), np.True_)"]


@pytest.mark.parametrize("shape", [(3, 3), (3, 2, 2, 2, 2), (2, 300, 200), (2, 2, 2, 100, 200)])
@pytest.mark.parametrize("index", INTEGERS + FLAGS)
def test_integers_of_numpy_select_views_and_its_truth_values_copies(index, shape):
    """With as many axes as the short ways take, and with more."""
    seen = []
    for module in (weft, np):
        x = module.zeros(shape)
        made = x[eval(index, {"np": np})]
        made[...] = 5
        seen.append((made.shape, np.asarray(x).tolist()))
    assert seen[0] == seen[1]
    assert (np.sum(seen[0][-1]) > 0) == (index in INTEGERS)


@pytest.mark.parametrize("index", [np.uint64(2**63 + 1), np.int64(3), np.int64(-4), np.uint64(3), np.timedelta64(1), np.float64(1)])
@pytest.mark.parametrize("shape", [(3, 3), (3, 2, 2, 2, 2)])
def test_numbers_of_numpy_that_are_no_places(index, shape):
    got, want = (outcome(lambda np=module: np.zeros(shape)[index].shape) for module in (weft, np))
    assert repr(got) == repr(want)


@pytest.mark.parametrize("value", ["[[1]]", "[[[1]]]", "[[1, 2, 3]]", "[[1], [2], [3]]", "((1,),)", "[[]]", "[[[]]]", "[1]", "[[1.5]]"])
@pytest.mark.parametrize("index", ["(..., 0)", "0", "slice(None)", "(slice(0, 2), 0)", "...", "(None, 0)", "(0, None, ...)", "[0, 1]", "([0, 1], 0)", "(np.int64(0), ...)", "(..., np.uint8(0))", "(True, 0)"])
@pytest.mark.parametrize("shape", [(3, 3), (300, 300), (3,)])
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "?"])
def test_lists_with_more_axes_than_what_they_are_assigned_to(dtype, shape, index, value):
    def said(np):
        x = np.zeros(shape, dtype)
        return str(outcome(lambda: x.__setitem__(eval(index), eval(value)))), float(x.sum())

    assert said(weft) == said(np)
