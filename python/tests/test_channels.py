"""Arrays whose last axis is short, as of pictures, and parts of them: copies, stacks and differences beside NumPy's, in all layouts."""

import numpy
import pytest
import weft

KINDS = ("f8", "u1", "i4", "f4", "f2", "c16", "?", "i8")


def laid_out(rng, shape, kind):
    """Two equal arrays, NumPy's and weft's, that are parts of larger ones with axes in any order, some of them backwards."""
    turn = rng.permutation(len(shape)) if rng.random() < 0.3 else numpy.arange(len(shape))
    apart = rng.integers(1, 3, len(shape))
    base = (rng.random([shape[k] * apart[k] for k in turn]) * 300).astype(kind)
    part = tuple(slice(None, None, int(step) * (-1 if rng.random() < 0.2 else 1)) for step in apart)
    back = tuple(int(k) for k in numpy.argsort(turn))
    return base.transpose(back)[part], weft.asarray(base).transpose(back)[part]


def alike(got, want, about):
    assert (got.shape, got.dtype) == (want.shape, want.dtype), about
    assert numpy.asarray(got).tobytes() == want.tobytes(), about


@pytest.mark.parametrize("seed", range(8))
def test_copies_stacks_and_differences(seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(120):
        shape = tuple(int(n) for n in rng.integers(1, (60, 90, 5)[int(rng.integers(0, 3)) :]))
        kind = KINDS[int(rng.integers(len(KINDS)))]
        x, y = laid_out(rng, shape, kind)
        axis, times = int(rng.integers(-x.ndim, x.ndim)), int(rng.integers(1, 4))
        about = (shape, kind, x.strides, axis)
        alike(y.copy(), x.copy(), about)
        alike(weft.diff(y, times, axis), numpy.diff(x, times, axis), about)
        parts = [laid_out(rng, shape, kind if rng.random() < 0.8 else "f8") for _ in range(int(rng.integers(1, 4)))]
        for name in ("stack", "concatenate"):
            got = getattr(weft, name)([b for _, b in parts], axis)
            want = getattr(numpy, name)([a for a, _ in parts], axis)
            alike(got, want, (name, about))
            assert 1 in want.shape or got.strides == want.strides, (name, about)
        if x.ndim == 3:
            channels = range(shape[-1])
            alike(weft.stack([y[..., k] for k in channels], -1), numpy.stack([x[..., k] for k in channels], -1), about)
        z = weft.zeros(shape, kind)
        z[...] = y
        alike(z, x, about)
