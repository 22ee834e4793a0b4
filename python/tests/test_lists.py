"""Arrays of lists of numbers: NumPy's values, dtypes and shapes."""

import random
import warnings

import numpy
import pytest
import weft

CASES = [
    [1.0, 2.0, 3.0], [1, 2, 3], (1, 2.5), [1.5, 2], [[1, 2], [3, 4.5]], ([1, 2, 3], (4, 5, 6)), [[[[1]]]], [[[[[1.0]]]]], [-0.0, float("nan")],
    [2**62, 1], [-(2**63)], [2**63], [2**64], [2**63, 1.5], [1.5, 2**70], [1.0, 10**400], [2**53 + 1, 0.5], [True, False], [True, 2], [1, True], [1.5, False],
    [], [[]], [[], []], [1j, 2], [1.5, 1j], ["a", 1], [None, 1.0], list(range(200)), [[float(i + k) for i in range(20)] for k in range(9)],
    [numpy.float32(1), 2.0], [numpy.int8(3)], [1, numpy.float64(2)],
]  # fmt: skip

RAGGED = [[[1, 2], [3]], [[1], 2], [1, [2]], [[1, 2], (3, [4])], [[], [1]], [[1.0, [2]]]]


def both(name, *args, **options):
    got, want = getattr(weft, name)(*args, **options), getattr(numpy, name)(*args, **options)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert got.dtype == object or numpy.asarray(got).tobytes() == want.tobytes()
    return got


@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray"])
@pytest.mark.parametrize("dtype", [None, float, int, "f4", numpy.int8])
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_values_and_dtypes_are_numpys(name, dtype, case):
    try:
        getattr(numpy, name)(case, dtype)
    except Exception as error:
        with pytest.raises(type(error)) as got:
            getattr(weft, name)(case, dtype)
        assert str(got.value) == str(error)
        return
    both(name, case, dtype)


@pytest.mark.parametrize("case", RAGGED, ids=str)
def test_ragged_lists_are_numpys_errors(case):
    with pytest.raises(ValueError) as want:
        numpy.array(case)
    with pytest.raises(ValueError) as got:
        weft.array(case)
    assert str(got.value) == str(want.value)


def test_options():
    assert both("array", [1.0, 2.0], ndmin=3).shape == (1, 1, 2)
    assert both("array", [[1.0, 2.0], [3.0, 4.0]], order="F").flags.f_contiguous
    assert both("array", [1, 2], copy=None).tolist() == [1, 2]
    for name in ("array", "asarray"):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            getattr(weft, name)([1.0, 2.0], copy=False)


def test_subclasses_of_lists_are_taken_apart_by_numpy():
    class Mine(list):
        def __getitem__(self, i):
            return 7.0

    class Number(float):
        pass

    both("array", Mine([1.0, 2.0]))
    both("array", [Number(2.5), 1.0])


def test_the_list_may_change_afterwards():
    values = [1.0, 2.0]
    a = weft.array(values)
    values[0] = 9.0
    assert a.tolist() == [1.0, 2.0]


def test_numbers_of_lists_are_no_calls_of_numpys(monkeypatch):
    for np in (weft._create.numpy,):
        monkeypatch.setattr(np, "asarray", None)
        monkeypatch.setattr(np, "array", None)
    a, b = weft.array([1.0, 2.0]), weft.asarray([[1, 2], [3, 4]])
    monkeypatch.undo()
    assert a.tolist() == [1.0, 2.0] and b.tolist() == [[1, 2], [3, 4]]


ROWS = ["np.arange(3), np.arange(3.)", "np.ones(2, 'f4'), np.zeros(2, 'i2')", "np.arange(6)[::2], np.arange(3)", "np.arange(3),", "np.arange(3), np.arange(2)",
        "np.ones(1), 2", "np.ones((2, 2)), np.ones((2, 2)).T", "np.arange(3), [1, 2, 3]", "np.arange(0), np.arange(0)", "np.array(1), np.array(2.5)", "np.array([T]), np.array([1])",
        "np.arange(100), np.arange(100)"]  # fmt: skip


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("call", ["np.array([{}])", "np.asarray(({},))", "np.array([{}], float)", "np.array([{}], ndmin=3)", "np.array([{}], order='F')"])
def test_lists_of_arrays(rows, call):
    def made(np):
        try:
            value = eval(call.format(rows.rstrip(",")), {"np": np, "T": True})
        except ValueError as error:
            return str(error)
        return value.dtype, value.shape, value.flags.c_contiguous, numpy.asarray(value).tolist()

    assert made(weft) == made(numpy)


TAKEN = "np.arange(24.).reshape(2, 3, 4)", "np.arange(24).reshape(2, 3, 4).T", "np.arange(6)[::-2]", "np.array(3.)"


@pytest.mark.parametrize("array", TAKEN)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 2, 3])
@pytest.mark.parametrize("index", [0, -1, 2, 7, -9, True, [1, 0], [], [[0, 1]], (1,), 2.0, numpy.int64(1)])
def test_few_elements_are_taken(array, axis, index):
    def made(np):
        x = eval(array, {"np": np})
        try:
            value = np.take(x, index, axis)
        except (ValueError, IndexError, TypeError) as error:
            return type(error).__name__, str(error)
        x *= 0  # what was taken is no view
        return value.dtype, numpy.shape(value), numpy.asarray(value).tolist(), isinstance(value, numpy.generic)

    assert made(weft) == made(numpy)


VALUES = [0, 1, -1, 2.5, True, False, 1j, 3 + 2j, numpy.float64(2), numpy.int64(3), numpy.bool_(True), numpy.complex128(1j), 127, 128, 255, 256, -129, 2**31, 2**40, 2**63, 1e300,
    numpy.nan, numpy.inf, -0.0, numpy.float32(1.5), 1e-50, None, "a"]  # fmt: skip
DTYPES = [None, "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "c8", "c16", "?", "f2", float, int, complex, bool, numpy.float32]


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_all_kinds_become_numpys_elements(seed):
    choice = random.Random(seed)
    for _ in range(200):
        pool = choice.sample(VALUES, choice.randint(1, 4))
        row = [choice.choice(pool) for _ in range(choice.randint(0, 4))]
        values = choice.choice((row, row, tuple(row), [row, row[::-1]], pool[0]))
        dtype = choice.choice(DTYPES)

        def made(np, values=values, dtype=dtype):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    value = np.array(values, dtype) if dtype else np.array(values)
                    told = value.dtype, value.shape, value.tobytes() if value.dtype != object else repr(value)
                except Exception as error:
                    told = type(error), str(error)
            return told, [str(w.message) for w in said]

        assert made(weft) == made(numpy), (values, dtype)
