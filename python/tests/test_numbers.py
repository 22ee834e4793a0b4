"""Sums, means and extremes without what is no number, and what else is reduced along an axis at once: beside NumPy, and, where weft adds up in an order of its own, beside
the functions that they are made of, bit for bit."""

import warnings

import numpy
import pytest
import weft

SHAPES = ((7,), (3, 5), (5, 3), (40, 130), (130, 40), (1, 300), (300, 1), (4, 5, 6), (300, 400), (3000, 50), (2, 300, 100), (120_000,))


def drawn(rng, shape, kind, among):
    x = rng.normal(size=shape).astype(kind)
    x[rng.random(shape) < among] = numpy.nan
    if rng.random() < 0.2:
        x.flat[rng.integers(x.size)] = rng.choice([numpy.inf, -numpy.inf, 0.0, -0.0])
    return x


def calls():
    """Arrays in several layouts, each with the arguments of a call."""
    rng = numpy.random.default_rng(5)
    for shape in SHAPES:
        for kind in ("f8", "f4"):
            for among in (0.0, 0.2, 0.9):
                x = drawn(rng, shape, kind, among)
                ours = weft.array(x)
                way = rng.integers(3) if x.size < 200_000 else 0
                x, ours = (x, ours) if way == 0 else (x.T, ours.T) if way == 1 else (x[::-1], ours[::-1])
                for axis in (None, *range(-x.ndim, x.ndim)):
                    for given in ({}, {"keepdims": True}):
                        yield x, ours, ({} if axis is None else {"axis": axis}) | given


def said(function, *args, **named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = function(*args, **named)
    return made, sorted({str(one.message) for one in caught})


def test_extremes_of_numbers():
    for x, ours, named in calls():
        for name in ("nanmax", "nanmin"):
            (got, told), (want, wanted) = said(getattr(weft, name), ours, **named), said(getattr(numpy, name), x, **named)
            assert told == wanted, (name, x.shape, named)
            assert type(got).__name__ == type(want).__name__, (name, x.shape, named)
            numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(want), strict=True)


def test_sums_of_numbers():
    for x, ours, named in calls():
        lies_otherwise = x.ndim > 2 and abs(x.strides[0]) < abs(x.strides[-1])
        if x.dtype != "f8" or lies_otherwise or ("keepdims" in named and "axis" not in named):  # which NumPy answers for few elements
            continue
        got, told = said(weft.nansum, ours, **named)
        want = weft.sum(weft.where(weft.isnan(ours), ours.dtype.type(0), ours), **named)
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(want), strict=True)
        assert told == said(numpy.nansum, x, **named)[1]
        (means, told), (expected, wanted) = said(weft.nanmean, ours, **named), said(numpy.nanmean, x, **named)
        assert told == wanted, (x.shape, named)
        numpy.testing.assert_allclose(numpy.asarray(means), numpy.asarray(expected), rtol=1e-10, atol=1e-12, strict=True)
        with numpy.errstate(all="ignore"):
            numpy.testing.assert_array_equal(numpy.asarray(means), numpy.asarray(want) / (~numpy.isnan(x)).sum(**named))


def test_lengths_of_vectors():
    for x, ours, named in calls():
        if x.dtype != "f8" or "axis" not in named or "keepdims" in named or x.ndim < 2:
            continue
        size = weft.abs(ours)
        numpy.testing.assert_array_equal(numpy.asarray(weft.linalg.norm(ours, **named)), numpy.asarray(weft.sqrt(weft.sum(size * size, **named))), strict=True)


def test_ranges_along_axes():
    for x, ours, named in calls():
        if "keepdims" not in named:
            numpy.testing.assert_array_equal(numpy.asarray(weft.ptp(ours, **named)), numpy.asarray(numpy.ptp(x, **named)), strict=True)
    k = numpy.arange(60, dtype="i2").reshape(3, 20) * 700
    numpy.testing.assert_array_equal(numpy.asarray(weft.ptp(weft.array(k), axis=1)), numpy.ptp(k, axis=1), strict=True)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremes_so_far_of_many(name):
    for x, ours, named in calls():
        if "axis" in named and "keepdims" not in named:
            got = getattr(weft, name).accumulate(ours, named["axis"])
            numpy.testing.assert_array_equal(numpy.asarray(got), getattr(numpy, name).accumulate(x, named["axis"]), strict=True)


def test_overflows_of_lengths_are_told_as_numpy_does():
    x = numpy.full((300, 300), 1e200)
    for axis in (0, 1):
        (got, told), (want, wanted) = said(weft.linalg.norm, weft.array(x), axis=axis), said(numpy.linalg.norm, x, axis=axis)
        assert told == wanted
        numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_sines_of_infinities_are_told_of_however_many_they_are():
    for n in (1, 7, 30_000, 300_000):
        for kind in ("f8", "f4"):
            x = numpy.ones(n, kind)
            x[n // 2] = numpy.inf
            ours = weft.array(x)
            with numpy.errstate(invalid="warn"):
                assert said(lambda ours=ours: numpy.asarray(weft.sinc(ours)))[1] == said(numpy.sinc, x)[1] == ["invalid value encountered in sin"]


def test_bits():
    rng = numpy.random.default_rng(3)
    for shape in (*((n,) for n in (1, 7, 8, 9, 31, 32, 33, 100, 4097, 100_003)), (3, 5), (17, 64), (300, 401), (2, 3, 40)):
        for kind in ("?", "u1", "i1"):
            x = rng.integers(0, 2, shape).astype(kind) if kind == "?" else rng.integers(-2 if kind == "i1" else 0, 3, shape).astype(kind)
            ours = weft.array(x)
            for a, w in ((x, ours), (x[::-1], ours[::-1]), (x.T, ours.T)):
                for args, named in (((), {}), ((-1,), {}), ((None, "little"), {}), ((), {"axis": a.ndim - 1, "bitorder": "little"}), ((), {"axis": 0}), ((0, "big"), {})):
                    got, want = weft.packbits(w, *args, **named), numpy.packbits(a, *args, **named)
                    numpy.testing.assert_array_equal(numpy.asarray(got), want, strict=True)
                    assert [step for step, n in zip(got.strides, got.shape, strict=True) if n > 1] == [step for step, n in zip(want.strides, want.shape, strict=True) if n > 1]


def test_chains_of_products_with_vectors():
    rng = numpy.random.default_rng(9)
    for _ in range(60):
        a, b, c, d = map(int, rng.integers(1, 30, 4))
        x, y, z = rng.random((a, b)), rng.random((b, c)), rng.random((c, d))
        p, q, r = map(weft.array, (x, y, z))
        want = numpy.linalg.multi_dot([x[0], y, z])
        got = weft.linalg.multi_dot([p[0], q, r])
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(weft.linalg.multi_dot([p[:1], q, r]))[0])
        numpy.testing.assert_allclose(numpy.asarray(got), want, strict=True)
        numpy.testing.assert_allclose(numpy.asarray(weft.linalg.multi_dot([p, q, r[:, 0].copy()])), numpy.linalg.multi_dot([x, y, z[:, 0]]), strict=True)
        one, number = weft.linalg.multi_dot((p[0], q, r[:, 0])), numpy.linalg.multi_dot((x[0], y, z[:, 0]))
        assert type(one) is type(number)
        numpy.testing.assert_allclose(one, number)


def test_spreads_of_numbers():
    for x, ours, named in calls():
        if x.dtype != "f8":
            continue
        for ddof in (0, 1):
            for name in ("nanvar", "nanstd"):
                (got, told), (want, wanted) = said(getattr(weft, name), ours, ddof=ddof, **named), said(getattr(numpy, name), x, ddof=ddof, **named)
                assert told == wanted, (name, x.shape, named)
                numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-10, strict=True)
        if x.size >= 20_000 and x.ndim == 2 and "axis" in named and numpy.isfinite(x[~numpy.isnan(x)]).all():  # bit for bit those of its steps
            none = weft.isnan(ours)
            away = weft.where(none, 0.0, ours - weft.nanmean(ours, axis=named["axis"], keepdims=True))
            with numpy.errstate(all="ignore"):
                left = numpy.asarray(weft.sum(~none, **named)) - 1
                want = numpy.sqrt(numpy.asarray(weft.sum(away * away, **named)) / left)
                numpy.testing.assert_array_equal(numpy.asarray(got), numpy.where(left > 0, want, numpy.nan))


def test_gradients_of_matrices():
    rng = numpy.random.default_rng(2)
    for shape in ((2, 2), (3, 7), (40, 30), (5000, 3), (3, 5000), (7,)):
        x = rng.normal(size=shape)
        ours = weft.array(x)
        for steps in ((), (2.5,), (0.3, 7.0)):
            for named in ({}, *({"axis": axis} for axis in range(-len(shape), len(shape)))):
                if len(steps) == 2 and (named or len(shape) == 1):
                    continue
                got, want = weft.gradient(ours, *steps, **named), numpy.gradient(x, *steps, **named)
                assert type(got) is type(want) or isinstance(want, numpy.ndarray)
                for g, w in zip(*(made if isinstance(made, tuple) else (made,) for made in (got, want)), strict=True):
                    numpy.testing.assert_array_equal(numpy.asarray(g), w, strict=True)
    for bad in ({"axis": 2}, {"axis": 0, "edge_order": 3}):
        with pytest.raises(ValueError):
            weft.gradient(weft.ones((3, 3)), **bad)
    with pytest.raises(ValueError):
        weft.gradient(weft.ones((3, 1)))


def test_reductions_of_small_blocks():
    rng = numpy.random.default_rng(4)
    for a, b, c, d in ((60, 2, 80, 2), (5, 3, 7, 2), (4, 8, 3, 4), (4, 8, 3, 8)):
        for kind in ("f8", "f4", "i8", "u1"):
            x = weft.array((rng.random((a, b, c, d)) * 200).astype(kind))
            beside = x.transpose(0, 2, 1, 3).copy().reshape(a, c, b * d)
            for name in ("sum", "mean", "max", "min", "prod"):
                got, want = getattr(x, name)(axis=(1, 3)), getattr(beside, name)(axis=2)
                numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(want), strict=True)


def test_views_are_equal_or_not():
    rng = numpy.random.default_rng(6)
    for kind in ("f8", "i4", "u1", "c16"):
        x = rng.integers(0, 3, (12, 12)).astype(kind)
        x = x + x.T
        ours = weft.array(x)
        assert weft.array_equal(ours, ours.T) is True and weft.array_equal(ours[::2], ours[1::2]) is numpy.array_equal(x[::2], x[1::2])
        ours[3, 4] = 77
        assert weft.array_equal(ours, ours.T) is False


def test_columns_are_assigned():
    rng = numpy.random.default_rng(8)
    for _ in range(200):
        rows, columns = map(int, rng.integers(1, 40, 2))
        x, v = rng.random((rows, columns)), rng.random((rows, 2))
        k, start, step = int(rng.integers(columns)), int(rng.integers(rows)), int(rng.choice([1, 2, -1]))
        ours, w = weft.array(x), weft.array(v)
        at = slice(start, None, step)
        n = len(x[at, k])
        for array, value in ((x, v), (ours, w)):
            array[at, k] = value[:n, 1]
            array[at, 0] = array[at, k]
            array[:, k] = array[::-1, 0]
            array[:, 0] = value[:1, 0]
        numpy.testing.assert_array_equal(numpy.asarray(ours), x)


def test_truths_of_rows():
    rng = numpy.random.default_rng(10)
    for shape in ((1, 1), (3, 1), (40, 2), (7, 64), (300, 401), (4, 5, 600)):
        for among in (0.0, 0.01, 0.99, 1.0):
            x = rng.random(shape) < among
            ours = weft.array(x)
            for name in ("any", "all"):
                for keeps in (False, True):
                    numpy.testing.assert_array_equal(numpy.asarray(getattr(ours, name)(axis=-1, keepdims=keeps)), getattr(x, name)(axis=-1, keepdims=keeps), strict=True)
    bytes_ = numpy.array([[0, 0, 0], [0, 2, 0], [255, 1, 2], [2, 2, 2]], "u1")
    numpy.testing.assert_array_equal(numpy.asarray(weft.array(bytes_).view("?").any(axis=1)), [False, True, True, True])
    numpy.testing.assert_array_equal(numpy.asarray(weft.array(bytes_).view("?").all(axis=1)), [False, False, True, True])


def test_copies_that_turn_axes():
    rng = numpy.random.default_rng(12)
    ways = (
        lambda a: a.T, lambda a: a.T[:, ::-1], lambda a: a.T[::-1], lambda a: a[::-1, ::-1].T, lambda a: a[:, 2:].T[::2], lambda a: a[3:, ::2].T, lambda a: a[1::3].T[::-1, ::-1],
        lambda a: a.reshape(-1, 2, a.shape[1]).transpose(2, 0, 1), lambda a: a.reshape(-1, 2, a.shape[1])[:, ::-1, ::-1].transpose(0, 2, 1), lambda a: a.reshape(2, -1, a.shape[1]).transpose(0, 2, 1)[:, 5:],
    )  # fmt: skip
    for shape in ((8, 8), (10, 23), (32, 300), (316, 317), (128, 130), (512, 511), (600, 1000), (2, 70_000)):
        for kind in ("?", "i2", "f4", "f8", "c16") if shape[0] * shape[1] < 20_000 else ("f8",):
            x = (rng.random(shape) * 200).astype(kind)
            ours = weft.array(x)
            for way in ways:
                a, w = way(x), way(ours)
                numpy.testing.assert_array_equal(numpy.asarray(w.copy()), a, strict=True)
                assert w.copy().strides == a.copy().strides
                numpy.testing.assert_array_equal(numpy.asarray(w + w), a + a)
                if x.size < 10_000:  # written to where the axes are turned, and summed along them
                    w[...], a[...] = w + w, a + a
                    numpy.testing.assert_array_equal(numpy.asarray(ours), x)
