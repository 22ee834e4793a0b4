"""In which order of memory results lie whose operands are views with their axes in any order: strides and flags are NumPy's."""

import numpy
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
