"""Grids of integers, differences over a step, channels of pictures and shuffled copies, which loops of their own compute: NumPy's bits."""

import warnings

import numpy
import pytest
import weft

KINDS = "u1 i2 f2 i4 f4 i8 f8 c8 c16".split()


@pytest.fixture
def rng():
    return numpy.random.default_rng(20)


def same(got, want):
    assert type(got) is weft.ndarray and (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides)
    assert numpy.asarray(got).tobytes() == want.tobytes()


def test_grids_of_integers(rng):
    for _ in range(200):
        key = []
        for _ in range(rng.integers(1, 4)):
            start, count, step = int(rng.integers(-9, 9)), int(rng.integers(1, 40)), int(rng.choice([-3, -1, 1, 2, 7]))
            stop = start + count * step - (int(rng.integers(0, abs(step))) if step > 0 else -int(rng.integers(0, -step)))
            usual = start == 0 and rng.integers(2)
            key.append(slice(None if usual else start, stop, None if step == 1 and rng.integers(2) else step))
        same(weft.mgrid[tuple(key)], numpy.mgrid[tuple(key)])


@pytest.mark.parametrize("key", [
    numpy.s_[0:3], numpy.s_[0:3, 0.5:2], numpy.s_[0:1:3j, 0:2], numpy.s_[3:0, 0:2], numpy.s_[0:0, 0:2], numpy.s_[True:3, 0:2],
    numpy.s_[0:2, 0:2, 0:2, 0:2], numpy.s_[0 : 1 << 40 : 1 << 38, 0:2],
])  # fmt: skip
def test_other_grids_are_numpys(key):
    try:
        want = numpy.mgrid[key]
    except Exception as e:
        with pytest.raises(type(e)):
            weft.mgrid[key]
        return
    got = weft.mgrid[key]
    assert got.dtype == want.dtype and numpy.array_equal(numpy.asarray(got), want)


def test_gradients_of_vectors(rng):
    for n in [2, 3, 4, 9, 17, 1000, 4095, 4096, 70_000, 300_000]:
        x = rng.normal(size=2 * n)
        for given in (x[:n], x[::2], x[n - 1 :: -1]):
            same(weft.gradient(weft.array(x)[:n] if given is x[:n] else weft.array(given)), numpy.gradient(given))
            same(weft.gradient(weft.array(given), 0.3), numpy.gradient(given, 0.3))
            same(weft.gradient(weft.array(given), 3), numpy.gradient(given, 3))
    with pytest.raises(ValueError, match="too small"):
        weft.gradient(weft.array([1.0]))


def test_gradients_beside_work_under_way(rng):
    x, big = rng.normal(size=300_000), weft.array(rng.normal(size=4_000_000))
    settled, want = weft.array(x), numpy.gradient(x)
    assert settled[0] == x[0]
    for _ in range(5):
        other = weft.sin(big) * big
        same(weft.gradient(settled), want)
        del other


@pytest.mark.parametrize("given", [([1.0, numpy.inf, numpy.inf],), ([1e308, 0, -1e308],), ([1.0, 2.0, 4.0], 0.0)])
def test_gradients_warn_as_numpys(given):
    said = []
    for np in (numpy, weft):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = np.gradient(np.array(given[0]), *given[1:])
        said.append((numpy.asarray(made).tobytes(), [str(w.message) for w in caught]))
    assert said[0] == said[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("channels", [2, 3, 4, 5])
def test_channels(rng, kind, channels):
    for rows, columns in [(1, 1), (1, 2), (3, 7), (1, 65), (9, 130), (130, 200), (300, 500)]:
        x = rng.integers(0, 256, (rows, columns, channels)).astype(kind)
        a = weft.array(x)
        for k in range(channels):
            same(a[..., k].copy(), x[..., k].copy())
        same(weft.ascontiguousarray(a.transpose(2, 0, 1)), numpy.ascontiguousarray(x.transpose(2, 0, 1)))
        same(weft.ascontiguousarray(a[:, ::-1, channels - 1]), numpy.ascontiguousarray(x[:, ::-1, channels - 1]))


@pytest.mark.parametrize("kind", KINDS)
def test_shuffled_copies(rng, kind):
    for n in (1, 2, 64, 65, 100, 20_000, 70_000, 131_072, 300_001):
        x = rng.integers(0, 1000, 2 * n).astype(kind)
        for step in (1, 2):
            mine, theirs = weft.random.default_rng(n), numpy.random.default_rng(n)
            same(mine.permutation(weft.array(x)[::step][:n]), theirs.permutation(x[::step][:n]))
            shuffled, want = weft.array(x), x.copy()
            mine.shuffle(shuffled[::step][:n])
            theirs.shuffle(want[::step][:n])
            same(shuffled, want)
            assert mine.random() == theirs.random()
    same(weft.random.default_rng(5).permutation(100_000), numpy.random.default_rng(5).permutation(100_000))


@pytest.mark.parametrize("kind", "i4 u4 i8 u8 f4 f8".split())
def test_places_of_extremes_in_short_rows(rng, kind):
    for n in [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 200, 2047, 2049]:
        x = rng.integers(0, 50, (40, n)).astype(kind)
        if kind[0] == "f":
            x[rng.integers(0, 40, 5), rng.integers(0, n, 5)] = numpy.nan
        for name in ("argmax", "argmin"):
            same(getattr(weft.array(x), name)(axis=1), getattr(x, name)(axis=1))
