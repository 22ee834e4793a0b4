"""isin and intersect1d of integers by a table, against NumPy's."""

import random

import numpy
import pytest
import weft

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f8")


@pytest.mark.parametrize("seed", range(60))
def test_members_are_numpys(seed):
    choose, rng = random.Random(seed), numpy.random.default_rng(seed)

    def drawn(n):
        dtype = numpy.dtype(choose.choice(DTYPES))
        most = choose.choice([3, 100, 40_000, 2**62]) if dtype.kind != "b" else 2
        if dtype.kind in "iu":
            most = min(most, numpy.iinfo(dtype).max)
        values = rng.integers(-most if dtype.kind in "if" else 0, most, n)
        return (values // choose.choice([1, most // 50 + 1])).astype(dtype)

    x, t = drawn(choose.choice([0, 1, 7, 300, 20_000, 300_000])), drawn(choose.choice([0, 1, 5, 60, 5000]))
    if x.size % 10 == 0 and choose.random() < 0.5:
        x = x.reshape(10, -1)
    ours, theirs = weft.array(x), weft.array(t)
    tests = [(t, theirs), (t, t)]
    if t.size <= 60:
        tests += [(t.tolist(), t.tolist()), (tuple(t.tolist()), tuple(t.tolist()))]
    if t.size == 60:
        tests.append((t[::7], theirs[::7]))
    for given, here in tests:
        for turn in (lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a + a.dtype.type(1)):
            want, got = numpy.isin(turn(x), given), weft.isin(turn(ours), here)
            assert type(got) is weft.ndarray and got.dtype == bool and (numpy.asarray(got) == want).all(), (
                x.dtype,
                t.dtype,
            )
            assert got.shape == want.shape
    for ours_too, x_too in ((theirs, t), (theirs.astype(ours.dtype), t.astype(x.dtype)), (ours[::3], x[::3])):
        for p, q, a, b in ((ours, ours_too, x, x_too), (ours_too, ours, x_too, x)):
            want, got = numpy.intersect1d(a, b), weft.intersect1d(p, q)
            assert got.dtype == want.dtype and got.shape == want.shape and (numpy.asarray(got) == want).all()
    assert (numpy.asarray(weft.isin(ours, theirs, invert=True)) == numpy.isin(x, t, invert=True)).all()


def test_lowest_and_highest_integers():
    ends = numpy.array([-(2**63), 2**63 - 1, 0, -1, 5])
    x = weft.array(ends)
    for t in (
        [5],
        [-(2**63)],
        [2**63 - 1, 2**63 - 2],
        [-(2**63), 2**63 - 1],
        [2**64],
        [2**63],
        [True],
        [5.0],
        [],
        [[5], [0]],
    ):
        assert (numpy.asarray(weft.isin(x, t)) == numpy.isin(ends, t)).all(), t


def test_it_is_computed_at_once_and_new():
    x = weft.array(numpy.arange(100_000) % 1000)
    weft.sync()
    before = weft.stats()
    made = weft.isin(x, [3, 999])
    after = weft.stats()
    assert after["operations"] - before["operations"] == after["small_operations"] - before["small_operations"] == 1
    made[0] = True
    assert int(made.sum()) == 201 and weft.isin(x, [3, 999]).sum() == 200
