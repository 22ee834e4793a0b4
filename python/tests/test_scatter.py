"""Reads and writes through arrays of indices and masks: NumPy's values and errors, without NumPy."""

import operator
import warnings

import numpy as np
import pytest
import weft

from .sharing import DTYPES, assert_same, sample


def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:  # noqa: BLE001 - compared by the caller
        return error


def assign(array, index, value):
    array[index] = value
    return array


def alike(got, want):
    """Equal results, or the same error."""
    if isinstance(want, Exception):
        # What is private to NumPy has a public parent.
        assert type(got) is type(want) and str(got) == str(want), (got, want)
    else:
        assert not isinstance(got, Exception), (got, want)
        assert_same(got, want)


def random_index(rng, shape):
    """An index with at least one array, sometimes wrong."""
    items, axis = [], 0
    shared = tuple(rng.integers(1, 4, rng.integers(1, 3)))
    wrong = rng.random() < 0.1
    while axis < len(shape):
        n = shape[axis]
        kind = rng.integers(0, 10)
        if kind == 0:
            items.append(None)
            continue
        if kind == 1 and Ellipsis not in [i for i in items if not isinstance(i, np.ndarray)]:
            items.append(Ellipsis)
            axis += rng.integers(0, len(shape) - axis + 1)
            continue
        if kind == 2:
            items.append(int(rng.integers(-n, n)))
        elif kind <= 4:
            items.append(slice(*sorted(rng.integers(-n, n + 1, 2)), int(rng.choice([1, 2]))))
        elif kind == 5:
            items.append(slice(None, None, -1))
        elif kind == 6 and axis + 1 < len(shape):
            items.append(rng.random(shape[axis : axis + 2]) < 0.5)
            axis += 1
        elif kind == 7:
            items.append(rng.random(n + int(wrong)) < 0.6)
        else:
            some = rng.integers(-n, n + int(wrong), shared[rng.integers(0, len(shared)) :])
            items.append(some.astype(rng.choice(["i8", "i4", "u1"])) if some.min(initial=0) >= 0 else some)
            if rng.random() < 0.3:
                items[-1] = items[-1].tolist()
        axis += 1
    if rng.random() < 0.2:
        items = items[: 1 + rng.integers(0, len(items))]
    if len(items) == 1 and rng.random() < 0.7:
        return items[0]
    return tuple(items)


def mine(index):
    """The index with weft's arrays in place of NumPy's."""
    if isinstance(index, tuple):
        return tuple(mine(i) for i in index)
    return weft.array(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("seed", range(8))
def test_random_indexes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(120):
        shape = tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 4)))
        dtype = rng.choice(DTYPES)
        a = sample(dtype, shape, seed=rng.integers(1000))
        w = weft.array(a)
        if rng.random() < 0.4:  # a view with odd strides
            a, w = a.T[::-1], w.T[::-1]
        index = random_index(rng, a.shape)
        want = outcome(operator.getitem, a, index)
        got = outcome(operator.getitem, w, mine(index))
        if isinstance(want, Exception):
            alike(got, want)
            alike(outcome(assign, w, mine(index), 1), outcome(assign, a, index, 1))
        else:
            alike(got if isinstance(want, np.generic) else weft.asarray(got), want)
            full = np.shape(want)
            other = dtype if dtype[0] == "c" else rng.choice(["int64", "float64", dtype])
            values = sample(other, full[rng.integers(0, len(full) + 1) :], rng.integers(1000))
            if rng.random() < 0.1:
                values = np.ones((*full, 2), dtype=dtype)
            if rng.random() < 0.1 and values.ndim:
                values = values[None]
            with np.errstate(all="ignore"):
                alike(outcome(assign, w, mine(index), weft.array(values)), outcome(assign, a, index, values))
        assert_same(w, a)


def test_assignments_are_native():
    before = sum(weft.coverage().fallback.values())
    a = weft.zeros((4, 5))
    a[[0, 2]] = [1, 2, 3, 4, 5]
    a[[0, 1], [2, 3]] += 1
    a[:, [True, False, True, False, True]] = 9
    a[a > 5] = weft.arange(12)
    a[[]] = 3
    a[weft.array([1, 3]), ::2] *= 2
    assert sum(weft.coverage().fallback.values()) == before


def test_the_last_value_stays():
    rng = np.random.default_rng(3)
    for n, of in ((100, 5), (200_000, 1000), (300_000, 3_000_000)):
        index, values = rng.integers(-of, of, n), rng.random(n)
        a, w = np.zeros(of), weft.zeros(of)
        a[index] = values
        w[weft.array(index)] = weft.array(values)
        assert_same(w, a)
        rows, wide = np.zeros((of // 4 + 1, 4)), weft.zeros((of // 4 + 1, 4))
        index = index // 4
        rows[index] = values[:, None] * np.arange(4)
        wide[weft.array(index)] = weft.array(values[:, None] * np.arange(4))
        assert_same(wide, rows)


def test_an_index_that_fails_leaves_everything_usable():
    a = weft.arange(5)
    index = weft.array([0, 1, 2])
    for _ in range(2):
        a[index] = a[index] + 1
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        a[[1, 7]] = -1
    index[1] = 9  # what was known about it holds no more
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 5"):
        a[index] = -1
    index *= -1
    with pytest.raises(IndexError, match="index -9 is out of bounds for axis 0 with size 5"):
        a[index]
    assert a.tolist() == [2, 3, 4, 3, 4]
    memory = np.asarray(memoryview(index))
    memory[:] = [1, 2, 3]
    a[index] = 0
    memory[0] = 8  # behind the runtime's back
    with pytest.raises(IndexError, match="index 8 is out of bounds"):
        a[index] = 1
    assert a.tolist() == [2, 0, 0, 0, 4]


def test_masks_are_counted_anew_when_they_change():
    a, mask = weft.arange(6), weft.array([True, False, True, False, False, False])
    a[mask] = a[mask] + 10
    mask[5] = True
    a[mask] = a[mask] * 2
    assert a.tolist() == [20, 1, 24, 3, 4, 10]
    with pytest.raises(ValueError, match="cannot assign 2 input values to the 3 output values"):
        a[mask] = [1, 2]


def numpy_too(function):
    """function(np) with both, on arrays of each."""
    alike(outcome(function, weft), outcome(function, np))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "minimum", "maximum", "floor_divide", "bitwise_or"])
def test_at(name, dtype):
    rng = np.random.default_rng(5)
    index = rng.integers(-9, 9, 40)
    values = sample(dtype, 40)
    values[values == 0] = 1

    def run(xp):
        a = xp.array(sample(dtype, 9, seed=2))
        with np.errstate(all="ignore"):
            getattr(xp, name).at(a, xp.array(index), xp.array(values))
        return a

    numpy_too(run)


def test_at_adds_in_the_order_of_the_indices():
    rng = np.random.default_rng(6)
    index, values = rng.integers(0, 50, 100_000), rng.random(100_000)

    def run(xp):
        a = xp.zeros(50)
        xp.add.at(a, xp.array(index), xp.array(values))
        return a

    numpy_too(run)


def test_functions_that_write_are_native(general):
    before = sum(weft.coverage().fallback.values())
    rng = np.random.default_rng(7)
    where, mask, values = rng.integers(-20, 20, (3, 4)), rng.random((4, 5)) < 0.4, rng.random((4, 5))

    def run(xp):
        a = xp.zeros((4, 5))
        xp.put(a, xp.array(where), [1, 2, 3, 4, 5])
        xp.put(a.T, [30, -31], 6, mode="wrap")
        xp.put_along_axis(a, xp.argsort(xp.array(values), axis=1)[:, :2], 9, axis=1)
        xp.putmask(a, xp.array(mask), xp.array([1.5, 2.5, 3.5]))
        xp.place(a, xp.array(mask) & (a > 2), [8, 7])
        xp.copyto(a, xp.arange(5), where=xp.array(mask[:, :1]))
        a[xp.array(mask)] = xp.array(values[mask])
        a[[0, 2], 1:] += xp.choose([[0], [1]], [xp.ones(4), xp.arange(4.0)])
        xp.add.at(a, ([0, 0], [1, 1]), 0.5)
        keys = xp.array(where)
        return xp.take(a, xp.lexsort((keys[0], keys[1])), axis=0)

    numpy_too(run)
    numpy_too(lambda xp: xp.unique(xp.array(where % 2), axis=0))
    numpy_too(lambda xp: xp.fft.fftfreq(7, 0.1))
    numpy_too(lambda xp: xp.fft.rfftfreq(8))
    assert_same(weft.fft.hfft(weft.array(values[0])), np.fft.hfft(values[0]), exact=False)
    assert sum(weft.coverage().fallback.values()) == before


@pytest.mark.parametrize("seed", range(4))
def test_unique_rows(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, (12, 3, 2)).astype(DTYPES[1 + seed * 3])
    for axis in (0, 1, -1):
        want = np.unique(a, True, True, True, axis)
        got = weft.unique(weft.array(a), True, True, True, axis)
        for mine_, theirs in zip(got, want, strict=True):
            assert_same(mine_, theirs)


@pytest.mark.parametrize("size", [3, 300_000])
@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_numbers_are_copied_by_the_rules_of_casting(rule, size):
    for number in (True, 1, 1.5, 1j, np.float32(1), np.int64(3)):
        for dtype in "?bilBLefdFD":
            said = []
            for xp in (np, weft):
                a = xp.zeros(size, dtype)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        xp.copyto(a, number, casting=rule)
                    except TypeError as error:
                        said.append(str(error))
                    else:
                        said.append((a[0], a[-1]))
            assert said[0] == said[1], (number, dtype)
