"""Reads and writes through arrays of indices and masks: NumPy's values and errors, without NumPy."""

import numpy as np
import pytest
import weft

from .sharing import DTYPES, assert_same, sample


def outcome(call):
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared by the caller
        return error


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
        want = outcome(lambda: a[index])
        got = outcome(lambda: w[mine(index)])
        if isinstance(want, Exception):
            alike(got, want)
            alike(outcome(lambda: w.__setitem__(mine(index), 1)), outcome(lambda: a.__setitem__(index, 1)))
        else:
            alike(got, want) if np.ndim(want) else assert_same(weft.asarray(got), want)
            full = np.shape(want)
            values = sample(rng.choice(["int64", "float64", dtype]) if dtype[0] != "c" else dtype, full[rng.integers(0, len(full) + 1) :], rng.integers(1000))
            if rng.random() < 0.1:
                values = np.ones(full + (2,), dtype=dtype)
            if rng.random() < 0.1 and values.ndim:
                values = values[None]
            with np.errstate(all="ignore"):
                alike(
                    outcome(lambda: (w.__setitem__(mine(index), weft.array(values)), w)[1]),
                    outcome(lambda: (a.__setitem__(index, values), a)[1]),
                )
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
