"""In which order of memory results lie whose operands are views with their axes in any order: strides and flags are NumPy's."""

import numpy
import pytest
import weft

CUTS = (slice(None), slice(None), slice(None, None, -1), slice(None, None, 2))


def drawn(rng, shape):
    """What view makes an array of a shape of: its elements in memory, the order of its axes there, how each is cut, and one that repeats its first element."""
    order = rng.permutation(len(shape))
    cuts = [CUTS[i] for i in rng.integers(0, len(CUTS), len(shape))]
    sizes = [n * abs(cut.step or 1) for n, cut in zip(shape, cuts, strict=True)]
    base = rng.integers(0, 9, [sizes[i] for i in order]).astype(rng.choice(["u1", "f8", "i4", "f4"]))
    return base, numpy.argsort(order).tolist(), cuts, int(rng.integers(len(shape))) if shape and rng.random() < 0.15 else None


def view(np, base, axes, cuts, wide):
    x = np.array(base).transpose(axes)[tuple(cuts)]
    return x if wide is None else np.broadcast_to(x[(slice(None),) * wide + (slice(0, 1),)], x.shape)


def test_results_lie_as_numpys():
    rng = numpy.random.default_rng(17)
    calls = (
        lambda np, x, y: x + y, lambda np, x, y: x * 2, lambda np, x, y: -x, lambda np, x, y: x < y, lambda np, x, y: np.sqrt(x), lambda np, x, y: 1.5 - x,
        lambda np, x, y: x.astype("f4"), lambda np, x, y: x.astype(float), lambda np, x, y: x.astype("i8"), lambda np, x, y: x.copy("K"), lambda np, x, y: x.copy(),
        lambda np, x, y: np.maximum(x, x), lambda np, x, y: np.add(x, y[:1]),
    )  # fmt: skip
    for _ in range(1500):
        shape = rng.integers(1, 5, int(rng.integers(2, 5))).tolist()
        fewer = [1 if rng.random() < 0.2 else n for n in shape[int(rng.integers(len(shape))) if rng.random() < 0.4 else 0 :]]
        plans = drawn(rng, shape), drawn(rng, fewer)
        call = calls[rng.integers(len(calls))]
        seen = []
        for np in (numpy, weft):
            x, y = (view(np, *plan) for plan in plans)
            try:
                seen.append(call(np, x, y))
            except ValueError as e:
                seen.append(str(e))
        want, got = seen
        if isinstance(want, str):
            assert got == want
            continue
        told = (plans, want.strides, got.strides)
        assert got.dtype == want.dtype and got.shape == want.shape, told
        assert numpy.array_equal(numpy.asarray(got), want), told
        if want.size > 1:
            assert got.strides == want.strides, told
        assert got.flags.c_contiguous == want.flags.c_contiguous and got.flags.f_contiguous == want.flags.f_contiguous, told


# Of arrays with axes of one element NumPy's loops, its iterator and its copies each have their own steps along these.
ONES = """
np.sqrt(a) | -a | a + 1 | 1.5 - a | a < 2 | np.clip(a, 1, 3) | np.clip(a, None, 3) | np.clip(a, b, 3) | np.round(a, 1) | a.round() | a + b | a * b | np.add(a, b, dtype='f4') | np.maximum(a, b) | np.where(a > 2, a, 0) | np.where(a > 2, a, b)
a.max(axis=AX, keepdims=True) | a.sum(axis=AX, keepdims=True) | a.mean(axis=AX, keepdims=True) | a.std(axis=AX, keepdims=True) | a.any(axis=AX, keepdims=True) | a.sum(axis=AX) | np.nansum(a, axis=AX, keepdims=True) | np.nanmax(a, axis=AX, keepdims=True)
np.linalg.norm(a, axis=AX, keepdims=True) | np.ptp(a, axis=AX, keepdims=True) | a.sum(axis=(0, -1), keepdims=True) if a.ndim > 2 else 0 | np.divmod(a, 2)[1] | np.isclose(a, b) | np.sinc(a) | np.hypot(a, b) | np.floor(a) | a // 2 | a >= 1 | np.conj(a * 1j)
a.astype('f4') | a.astype('f4', order='F') | a.astype('f4', order='A') | a.copy('K') | a.copy('F') | np.copy(a) | np.array(a, order='F') | np.array(a, ndmin=5) | np.array(a, ndmin=5, order='F') | np.array(a, ndmin=3, order='C') | np.array(a, ndmin=4, order='A', copy=None)
np.array([a, a], order='F') | np.array([a.T], order='F') | np.asarray(a, dtype='f4', order='A') | np.asfortranarray(a) | np.zeros_like(a) | np.nan_to_num(a) | np.sort(a, axis=AX) | np.take(a, [0], axis=AX) | a[[0]] | a[..., [0]] | a[..., None] + 0 | a[None] + b | a.T * 2 | np.diff(a, axis=AX)
np.array(np.asarray(f), order='F') | np.asarray(f)[None] | np.array(f) | np.asarray(f) | np.partition(a, 0, axis=AX) | np.logical_or(1.5, a) | np.logical_and(a, 2) | np.expand_dims(a, AX) | (a + 0j).astype('f4') | np.isin(a, [1, 2])
""".replace("\n", "|").split("|")  # fmt: skip


def with_ones(np, rng):
    """An array with axes of one element, in some order of memory, whole or a part; the same for each module."""
    shape = rng.choice([1, 1, 2, 3], int(rng.integers(1, 5))).tolist()
    order = rng.permutation(len(shape))
    cuts = [slice(None) if rng.random() < 0.7 else CUTS[rng.integers(4)] for _ in shape]
    sizes = [n * abs(cut.step or 1) for n, cut in zip(shape, cuts, strict=True)]
    base = np.array(rng.integers(0, 5, [sizes[i] for i in order]).astype(rng.choice(["f8", "f8", "f4", "i4"]))).transpose(numpy.argsort(order).tolist())
    return [base, np.array(base, order="C"), np.array(base, order="F")][rng.integers(3)][tuple(cuts)]


def steps(np, seed, calls):
    """What a call, drawn for the seed, is given and gives back: the steps."""
    rng = numpy.random.default_rng(seed)
    a = with_ones(np, rng)
    b = a if rng.random() < 0.5 else with_ones(np, rng)
    call = calls[rng.integers(len(calls))].replace("AX", str(rng.integers(-a.ndim, a.ndim)))
    try:
        made = eval(call, {"np": np, "a": a, "b": b, "f": numpy.asarray(a).copy("F")})
    except ValueError:
        made = None  # shapes that cannot be broadcast
    return call, a.strides, b.strides, getattr(made, "shape", None), getattr(made, "strides", None)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_axes_of_one_element_have_numpys_steps():
    calls = [call.strip() for call in ONES if call.strip()]
    before = weft._core.few(0)
    try:
        for seed in range(2500):
            weft._core.few(seed % 2 * 4096)
            assert steps(weft, seed, calls) == steps(numpy, seed, calls), seed
    finally:
        weft._core.few(before)
