"""Where elements belong and where the best one is: what is answered at once and what is not, beside NumPy."""

import numpy
import pytest
import weft

DTYPES = "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split()


def drawn(rng, dtype, n):
    """Elements with many equal ones, zeros of both signs, and what is no number."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        least = numpy.finfo(dtype).smallest_subnormal
        x = rng.choice(numpy.array([-0.0, 0.0, 1.5, -2.5, numpy.inf, -numpy.inf, numpy.nan, least, -least, 3 * least], dtype), n)
        return numpy.where(rng.random(n) < 0.7, (rng.standard_normal(n) * 3).astype(dtype), x)
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    x = rng.integers(low, high, n, dtype=dtype, endpoint=True)
    return numpy.where(rng.random(n) < 0.5, x, rng.choice(numpy.array([low, high, 0, 1, 2], dtype), n))


@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(dtype):
    rng = numpy.random.default_rng(7)
    for most in (1, 20, 300, 6000):  # ranks of some thousand sorted elements are made first where many are looked for
        for count in (1, 7, 8, 17, 300, 2100):
            a, v = numpy.sort(drawn(rng, dtype, rng.integers(0, most + 1))), drawn(rng, dtype, count)
            ours, theirs = weft.array(a), weft.array(v)
            for side in ("left", "right"):
                for keys, mine in ((v, theirs), (v[::-1], theirs[::-1]), (numpy.sort(v), weft.sort(theirs))):
                    assert numpy.array_equal(weft.searchsorted(ours, mine, side), numpy.searchsorted(a, keys, side)), (most, count, side)


def answer(call, *args, **named):
    try:
        made = call(*args, **named)
    except Exception as e:
        return type(e), str(e)
    return str(made.dtype), numpy.shape(made), numpy.asarray(made).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_digitize(dtype):
    rng = numpy.random.default_rng(8)
    for k in range(60):
        bins = numpy.sort(drawn(rng, rng.choice(["f8", "i8", "f4"]), rng.integers(0, 30)))
        if bins.dtype.kind == "f" and k % 4:
            bins = bins[~numpy.isnan(bins)]
        bins = (bins, bins[::-1], rng.permutation(bins), bins)[k % 4 if k % 3 == 0 else 0]
        x = drawn(rng, dtype, rng.choice([1, 12, 2100, 17_000]))
        if x.size == 12:
            x = x.reshape(3, 4).T
        for right in (False, True):
            want = answer(numpy.digitize, x, bins, right)
            assert answer(weft.digitize, weft.array(x), weft.array(bins), right) == want, (x.shape, bins, right)
            assert answer(weft.digitize, weft.array(x) + weft.array(0, x.dtype), bins.tolist(), right=right)[1:] == want[1:] or not bins.size


@pytest.mark.parametrize("dtype", DTYPES)
def test_places_of_extremes(dtype):
    rng = numpy.random.default_rng(9)
    for n in (1, 10, 1000, 70_000):
        x = drawn(rng, dtype, n)
        for theirs, ours in ((x, weft.array(x)), (x[::-1], weft.array(x)[::-1]), (x[: n // 6 * 6].reshape(-1, 3), weft.array(x)[: n // 6 * 6].reshape(-1, 3))):
            for name in ("argmin", "argmax"):
                for given, named in (((), {}), ((0,), {}), ((), {"axis": -1}), ((), {"keepdims": True}), ((7,), {})):
                    want = answer(getattr(theirs, name), *given, **named)
                    assert answer(getattr(ours, name), *given, **named) == want, (n, theirs.shape, name, given, named)
    for made in (lambda np: np.array([]).argmax(), lambda np: np.array([[]]).argmin(), lambda np: np.array(3.0).argmax(), lambda np: (np.ones(300_000) * 2).argmax()):
        assert answer(made, weft) == answer(made, numpy)


def test_parts():
    for dtype in ("c8", "c16", "f4", "i8", "b1"):
        for np in (numpy, weft):
            x = np.arange(12).reshape(3, 4).astype(dtype)[:, ::2]
            y = np.ones(300_000, dtype)
            made = [x.real, x.imag, y.real[:3], y.imag[:3], np.array(3, dtype).real]
            x.real = 7
            x.real[1:] = x.real[:2]
            made.append(x)
            for name, value in (("imag", 2), ("real", "a"), ("real", [1, 2, 3]), ("real", None)):
                try:
                    delattr(x, name) if value is None else setattr(x, name, value)
                    made.append(x)
                except Exception as e:
                    made.append(type(e))
            made.append(y.real is y)
            if np is numpy:
                want = [numpy.array(m) if isinstance(m, numpy.ndarray) else m for m in made]
            else:
                for k, (mine, theirs) in enumerate(zip(made, want, strict=True)):
                    same = numpy.array_equal(mine, theirs) and mine.dtype == theirs.dtype if isinstance(theirs, numpy.ndarray) else mine == theirs
                    assert same, (dtype, k, mine, theirs)


@pytest.mark.parametrize("options", [{}, {"return_counts": True}, {"return_index": True, "return_inverse": True}])
@pytest.mark.parametrize("n", [40, 17_000, 70_000])
def test_unique_keeps_apart_what_is_not_a_number(n, options):
    """Whatever stands before them: also where a part of the elements begins with what the part before it ends with."""
    x = numpy.zeros(n)
    x[-30:] = numpy.nan
    got, want = weft.unique(weft.array(x), equal_nan=False, **options), numpy.unique(x, equal_nan=False, **options)
    for a, b in zip(got, want, strict=True) if options else [(got, want)]:
        numpy.testing.assert_array_equal(numpy.asarray(a), b)


@pytest.mark.parametrize("n", [5, 600, 5000, 300_000])
def test_partitions_are_of_a_kind(n):
    for function in (weft.partition, weft.argpartition):
        with pytest.raises(TypeError, match="select kind must be str, not NoneType"):
            function(weft.arange(n), 2, kind=None)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", ["i8", "f8", "f4", "i2"])
def test_keys_are_found_where_numpy_finds_them_in_what_is_not_sorted(dtype, seed):
    rng = numpy.random.default_rng(seed)
    n, m = rng.integers(1, 400, 2)
    a, v, few = rng.integers(0, 50, n).astype(dtype), rng.integers(-3, 55, m).astype(dtype), rng.integers(-3, 55, 5).astype(dtype)
    sorter = numpy.argsort(a)[::-1]
    for side in ("left", "right"):
        for keys, options in ((v, ()), (few, ()), (numpy.sort(v), ()), (v, (sorter,)), (v[:1], ())):
            want = numpy.searchsorted(a, keys, side, *options)
            got = weft.searchsorted(weft.array(a), weft.array(keys), side, *map(weft.array, options))
            assert got.tolist() == want.tolist(), (side, len(keys), bool(options))
