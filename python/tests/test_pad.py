"""np.pad, of which the core computes most modes in one pass, against NumPy's."""

import numpy
import pytest

from .eagerprogram import steps
from .sharing import weft

MODES = "constant edge reflect symmetric wrap empty linear_ramp mean maximum".split()
EXTENTS = (400, 60, 16, 6)  # of arrays of 1, 2, 3 and 4 axes


def widths(rng, ndim, most):
    """Pad widths in one of the forms that NumPy takes; a few of them it refuses."""
    a, b = (int(n) for n in rng.integers(-1 if rng.random() < 0.05 else 0, most, 2))
    form = rng.integers(0, 7)
    if form < 4:
        return [a, (a, b), [a], ((a, b),)][form]
    pairs = rng.integers(0, most, (ndim if rng.random() < 0.9 else ndim + 1, 2)).tolist()
    return pairs if form == 4 else tuple(map(tuple, pairs)) if form == 5 else numpy.array(pairs)


def padded(np, a, width, mode, options, named):
    try:
        return np.pad(a, width, mode=mode, **options) if named else np.pad(a, width, mode, **options)
    except (ValueError, TypeError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("seed", range(4))
def test_pads_as_numpy_does(seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(500):
        ndim = int(rng.integers(1, 5))
        dtype = rng.choice(list("?bhilBHILefdFD"))
        a = (rng.standard_normal(rng.integers(1, EXTENTS[ndim - 1], ndim)) * 5).astype(
            "d" if dtype in "BHIL" else dtype
        )
        a = abs(a).astype(dtype) if dtype in "BHIL" else a
        ours = weft.array(a)
        if rng.random() < 0.3:
            a, ours = a.T, ours.T
        if rng.random() < 0.3:
            a, ours = a[::-1], ours[::-1]
        if rng.random() < 0.2 and dtype not in "?BHIL":
            a, ours = a * 2, ours * 2  # something to wait for
        mode = str(rng.choice(MODES[:5] if rng.random() < 0.9 else MODES))
        options = {}
        if rng.random() < 0.3:
            options["constant_values"] = [3, 1.5, -1, 300, True, (1, 2)][rng.integers(0, 6)]
        width, named = widths(rng, ndim, int(rng.choice([3, 12]))), rng.random() < 0.5
        if mode == "empty" or (mode == "linear_ramp" and dtype in "efdFD"):
            continue
        want, got = padded(numpy, a, width, mode, options, named), padded(weft, ours, width, mode, options, named)
        told = f"{mode} of {a.dtype}{list(a.shape)} by {width} {options}"
        if isinstance(want, str) or isinstance(got, str):
            assert got == want, told
            continue
        assert (got.dtype, got.shape, steps(got)) == (want.dtype, want.shape, steps(want)), told
        if mode == "mean" and dtype in "efdFD":
            numpy.testing.assert_allclose(numpy.asarray(got), want, 1e-2, 1e-2, err_msg=told)
        else:
            assert numpy.asarray(got).tobytes() == want.tobytes(), told


def test_padding_makes_an_array_of_its_own():
    a = weft.zeros(5)
    p = weft.pad(a, 0)
    p[0] = 1
    assert float(a[0]) == 0
