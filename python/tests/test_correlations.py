"""convolve and correlate of few elements and taps have NumPy's bits."""

import numpy
import pytest
import weft


@pytest.mark.parametrize("seed", range(4))
def test_correlations_of_few_elements_have_numpys_bits(seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(150):
        n, taps = (int(rng.integers(1, most)) for most in (rng.choice([4, 20, 300, 4000]), 14))
        x = (rng.normal(size=n) * 10.0 ** rng.integers(-3, 8, n)).astype(rng.choice(["f8", "f8", "f4", "i8", "u8", "i4", "?"]))
        v = (rng.normal(size=taps) * 10).astype(rng.choice(["f8", "i8"]))
        for values in (x, v):
            if values.dtype == float and rng.random() < 0.2:
                values[rng.integers(values.size)] = rng.choice([numpy.inf, numpy.nan, -0.0, 1e308])
        x = x[::-1] if rng.random() < 0.2 else x
        for mode in ("full", "same", "valid"):
            for name in ("convolve", "correlate"):
                with numpy.errstate(all="ignore"):
                    want, made = (getattr(np, name)(np.array(x), np.array(v), mode) for np in (numpy, weft))
                assert (made.dtype, made.shape, numpy.asarray(made).tobytes()) == (want.dtype, want.shape, want.tobytes()), (n, taps, x.dtype, v.dtype, mode, name)


@pytest.mark.parametrize("n", [30, 5000])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_correlations_of_truth_values(n, mode):
    x, v = numpy.arange(n) % 2 == 0, numpy.array([True, True, True])
    for a, b in ((x, v), (v, x)):
        got, want = weft.correlate(weft.array(a), weft.array(b), mode), numpy.correlate(a, b, mode)
        assert got.dtype == want.dtype and numpy.array_equal(numpy.asarray(got), want)
