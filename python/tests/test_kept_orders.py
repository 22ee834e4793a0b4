"""In which order of memory results lie whose operands are views with their axes in any order: strides and flags are NumPy's."""

import numpy
import weft


def view(rng, np, base, ndim, plan):
    """A view of base with axes permuted, cut, repeated, turned about or of one point, as the plan says."""
    axes, cuts, wide, lead = plan
    x = base.transpose(axes)[tuple(cuts)]
    if wide is not None:
        x = np.broadcast_to(x[(slice(None),) * wide + (slice(0, 1),)], x.shape)
    return x[lead:] if x.ndim == ndim else x


def plan_of(rng, ndim):
    cut = [slice(None), slice(None), slice(None), slice(None, None, -1), slice(None, None, 2), slice(0, 1)]
    cuts = [cut[i] for i in rng.integers(0, len(cut), ndim)]
    return rng.permutation(ndim).tolist(), cuts, rng.integers(ndim) if rng.random() < 0.15 else None, 0


def test_results_lie_as_numpys():
    rng = numpy.random.default_rng(17)
    calls = (
        lambda np, x, y: x + y, lambda np, x, y: x * 2, lambda np, x, y: -x, lambda np, x, y: x < y, lambda np, x, y: np.sqrt(x), lambda np, x, y: 1.5 - x,
        lambda np, x, y: x.astype("f4"), lambda np, x, y: x.astype(float), lambda np, x, y: x.astype("i8"), lambda np, x, y: x.copy("K"), lambda np, x, y: x.copy(),
        lambda np, x, y: np.maximum(x, x), lambda np, x, y: np.add(x, y[:1]),
    )  # fmt: skip
    for _ in range(1500):
        ndim = int(rng.integers(2, 5))
        shape = rng.integers(1, 5, ndim)
        base = rng.integers(0, 9, shape).astype(rng.choice(["u1", "f8", "i4"]))
        plans = plan_of(rng, ndim), plan_of(rng, ndim)
        call = calls[rng.integers(len(calls))]
        seen = []
        for np in (numpy, weft):
            x, y = (view(rng, np, np.array(base), ndim, plan) for plan in plans)
            try:
                seen.append(call(np, x, y))
            except ValueError as e:
                seen.append(str(e))
        want, got = seen
        if isinstance(want, str):
            assert got == want
            continue
        told = (base.shape, plans, want.strides, got.strides)
        assert got.dtype == want.dtype and got.shape == want.shape, told
        assert numpy.array_equal(numpy.asarray(got), want), told
        if want.size > 1:
            assert got.strides == want.strides, told
        assert got.flags.c_contiguous == want.flags.c_contiguous and got.flags.f_contiguous == want.flags.f_contiguous, told
