"""The elementwise functions against their exact values, and against NumPy wherever special values meet."""

import decimal
import itertools
import math
import warnings

import numpy
import pytest
import weft

rng = numpy.random.default_rng(18)


def rounded(exact):
    """The float64 next to each exact value, a Decimal of more digits than float64 has."""
    return numpy.array([float(v) for v in exact])


def exact(function, *arguments):
    with decimal.localcontext() as context:
        context.prec = 50
        return rounded([function(*(decimal.Decimal(float(v)) for v in row)) for row in zip(*arguments, strict=True)])


CLOSELY = {  # what per cent of results may be another float64 than the one next to the exact result
    "exp": (decimal.Decimal.exp, [(-10, 10), (-700, 700)], 0.15),
    "log": (decimal.Decimal.ln, [(0, 10), (0, 1e300)], 0.7),
    "log10": (decimal.Decimal.log10, [(0, 10)], 0.8),
    "hypot": (lambda x, y: (x * x + y * y).sqrt(), [(-5, 5), (-1e-200, 1e-200)], 0.0),
}


@pytest.mark.parametrize("size", [20, 4000])
@pytest.mark.parametrize("name", CLOSELY)
def test_results_are_the_nearest(name, size):
    function, ranges, most = CLOSELY[name]
    for low, high in ranges:
        arguments = [rng.uniform(low, high, 4000) for _ in range(weft_ufunc(name).nin)]
        want = exact(function, *arguments)
        got = numpy.concatenate(
            [
                numpy.asarray(weft_ufunc(name)(*(weft.array(a[i : i + size]) for a in arguments)))
                for i in range(0, 4000, size)
            ]
        )
        assert 100 * numpy.mean(got != want) <= most, (low, high)
        assert (abs(got - want) <= numpy.spacing(abs(want))).all()


def weft_ufunc(name):
    return getattr(weft, name)


def test_the_exponential_of_one_is_e():
    assert weft.exp(1.0) == math.e
    assert (weft.exp(weft.ones(9000)) == math.e).all()
    assert weft.exp(weft.zeros(3)).tolist() == [1.0] * 3
    assert weft.log(weft.array([math.e, 1.0])).tolist() == [1.0, 0.0]


# Special values.

UFUNCS = sorted(
    {n for n in dir(numpy) if isinstance(getattr(numpy, n), numpy.ufunc) and getattr(numpy, n).signature is None}
)
SIGNED = {  # whose NaN has a sign that NumPy tells for certain: it is an operand's, or the processor's own NaN
    "negative", "positive", "copysign", "abs", "absolute", "fabs", "conj", "conjugate", "sqrt", "square",
    "add", "subtract", "multiply", "divide", "true_divide", "minimum", "maximum", "floor", "ceil", "trunc", "rint", "sign",
}  # fmt: skip

# Where weft differs, and why. The condition is of the dtype, the operands and NumPy's result.


def subnormal_part(dtype, arguments, want):
    """Functions of complex64 are computed in float64: a part that NumPy's square root loses is right."""
    tiny = numpy.finfo(dtype).tiny
    return (dtype == "F") & ((abs(arguments[0].real) < tiny) | (abs(arguments[0].imag) < tiny))


def squares_overflow(dtype, arguments, want):
    """NumPy's vector loop fuses products and sums on some processors, and then misses inf - inf."""
    largest = numpy.finfo(dtype).max
    return (abs(arguments[0].real) == largest) & (abs(arguments[0].imag) >= largest)


KNOWN = {"sqrt": [subnormal_part], "square": [squares_overflow]}


def reals(dtype):
    limits = numpy.finfo(dtype)
    sizes = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        0.1,
        float(limits.smallest_subnormal),
        float(limits.tiny),
        float(limits.max),
        math.inf,
        math.nan,
    ]
    return numpy.array(sizes + [-v for v in sizes], dtype)


def complexes(dtype, parts):
    z = numpy.empty((len(parts), len(parts)), dtype)
    z.real, z.imag = parts[:, None], parts
    return z.ravel()


def operands(dtype, count):
    if dtype in "efd":
        x = reals(dtype)
    else:
        x = reals(dtype.lower())
        x = complexes(dtype, x if count == 1 else x[[0, 1, 9, 10, 11, 12, 20]])
    return [x] if count == 1 else [a.ravel() for a in numpy.meshgrid(x, x, indexing="ij")]


def agree(got, want, signs, units=4):
    """Where results are equal: zeros with their signs, finite numbers within some units in the last place."""
    if want.dtype.kind == "c":
        size = numpy.maximum(abs(want.real), abs(want.imag))
        return part_agrees(got.real, want.real, size, signs, units) & part_agrees(
            got.imag, want.imag, size, signs, units
        )
    if want.dtype.kind != "f":
        return got == want
    return part_agrees(got, want, abs(want), signs, units)


def part_agrees(got, want, size, signs, units):
    finite = numpy.isfinite(got) & numpy.isfinite(want)
    size = numpy.where(numpy.isfinite(size), size, abs(numpy.where(numpy.isfinite(want), want, 1)))
    unit = numpy.spacing(numpy.where(size == 0, 0, size).astype(want.dtype)).astype("f8")
    near = finite & (abs(got.astype("f8") - want.astype("f8")) <= units * unit) & ((want != 0) | (got == 0))
    sign = numpy.signbit(got) == numpy.signbit(want)
    nan = numpy.isnan(got) & numpy.isnan(want)
    same = (got == want) & sign | near & (sign | (abs(want) < size))
    return same | nan & (sign | (not signs))


@pytest.mark.parametrize("repeats", [1, 40])
@pytest.mark.parametrize("name", UFUNCS)
def test_special_values(name, repeats):
    theirs, ours = getattr(numpy, name), getattr(weft, name)
    for dtype in "efdFD":
        arguments = [numpy.tile(a, repeats) for a in operands(dtype, theirs.nin)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                want = theirs(*arguments)
            except TypeError:
                continue
            got = ours(*(weft.array(a) for a in arguments))
        for w, g in zip(want, got, strict=True) if theirs.nout > 1 else [(want, got)]:
            g = numpy.asarray(g)
            assert g.dtype == w.dtype and g.shape == w.shape
            equal = agree(g, w, name in SIGNED and dtype in "fd")
            for differs in KNOWN.get(name, ()) if dtype in "FD" else ():
                equal |= differs(dtype, arguments, w)
            worst = [(*(a[i] for a in arguments), "weft", g[i], "NumPy", w[i]) for i in numpy.flatnonzero(~equal)[:5]]
            assert equal.all(), (dtype, int((~equal).sum()), worst)


@pytest.mark.parametrize("dtype", "efd")
def test_clip_and_zeros(dtype):
    x = reals(dtype)
    x = x[~numpy.isnan(x)]
    signed_zeros = numpy.array([0.0, -0.0], dtype)
    for low, high in itertools.product([*signed_zeros, dtype_of(dtype, -1)], [*signed_zeros, dtype_of(dtype, 2)]):
        for limits in [
            (low, high),
            (numpy.full(1, low), numpy.full(1, high)),
            (numpy.full(x.size, low), high),
            (low, None),
            (None, high),
        ]:
            want = numpy.clip(x, *limits)
            ours = [weft.array(v) if isinstance(v, numpy.ndarray) else v for v in limits]
            got = numpy.asarray(weft.clip(weft.array(x), *ours))
            assert agree(got, want, False, 0).all(), (limits, got, want)


def dtype_of(dtype, value):
    return numpy.dtype(dtype).type(value)


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax"])
def test_accumulate_keeps_the_later_zero(name):
    for dtype in "fd":
        for x in ([0.0, -0.0, 0.0], [-0.0, 0.0], [1.0, 0.0, -0.0, 3.0]):
            x = numpy.array(x, dtype)
            got = numpy.asarray(getattr(weft, name).accumulate(weft.array(x)))
            assert agree(got, getattr(numpy, name).accumulate(x), False, 0).all(), (x, got)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i4", "?", "c16"])
@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_accumulate_has_the_bits_of_its_deferred_way(name, dtype):
    """Rows of some dtypes have a loop of their own (python/core/running.c)."""
    for n in (*range(1, 40), 255, 256, 257, 300, 5000):
        values = [0.0, -0.0, 1.0, numpy.nan, -numpy.nan, 3.0, -2.0, numpy.inf] if dtype[0] == "f" and n % 2 else [0, 1, 3, -2, 5, -7]
        x = rng.choice(values, n).astype(dtype)
        for a in (x, numpy.sort(x), numpy.stack([x, x[::-1]])):
            here = numpy.asarray(getattr(weft, name).accumulate(weft.array(a), axis=-1))
            before = weft._core.few(0)
            deferred = numpy.asarray(getattr(weft, name).accumulate(weft.array(a), axis=-1))
            weft._core.few(before)
            assert here.tobytes() == deferred.tobytes(), (a, here, deferred)
            numpy.testing.assert_array_equal(here, getattr(numpy, name).accumulate(a, axis=-1))


@pytest.mark.parametrize("dtype", "fdFD")
def test_round_has_numpys_bits(dtype):
    x = rng.standard_normal(3000) * 1000
    x = (x + 1j * rng.standard_normal(3000) if dtype in "FD" else x).astype(dtype)
    for decimals in (-2, -1, 0, 1, 2, 5, 9, 300 if dtype == "d" else 12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = numpy.round(x, decimals)
            got = weft.round(weft.array(x), decimals)
        numpy.testing.assert_array_equal(numpy.asarray(got), want)
    out = weft.empty(3000, dtype)
    assert weft.round(weft.array(x), 2, out=out) is out
    numpy.testing.assert_array_equal(numpy.asarray(out), numpy.round(x, 2))


@pytest.mark.parametrize("exponent", [-1, -2, -1.5, 1 + 1j, -1j, 0, 0.5])
def test_powers_of_complex_zero(exponent):
    for zero in (0j, -0j, complex(0.0, -0.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = numpy.full(5, zero) ** exponent
            got = weft.full(5, zero) ** exponent
        numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_signs_of_nan():
    x = weft.array([math.nan, -math.nan, -1.0])
    assert weft.signbit(-x).tolist() == [True, False, False]
    assert weft.signbit(abs(x)).tolist() == [False] * 3
    assert weft.copysign(1.0, x).tolist() == [1.0, -1.0, -1.0]
    assert weft.signbit(weft.copysign(x, -1.0)).tolist() == [True] * 3


@pytest.mark.parametrize(("dtype", "real"), [("complex128", "float64"), ("complex64", "float32")])
@pytest.mark.parametrize("size", [40, 20_000])
def test_magnitudes_of_complex_numbers_are_those_of_hypot(dtype, real, size):
    rng = numpy.random.default_rng(8)
    far = 200 if dtype == "complex128" else 15
    parts = rng.standard_normal((2, size)) * 10.0 ** rng.integers(-far, far, (2, size))
    z = (parts[0] + 1j * parts[1]).astype(dtype)
    odd = [
        0,
        -0.0,
        complex(numpy.inf, numpy.nan),
        complex(numpy.nan, -numpy.inf),
        complex(numpy.nan, 1),
        3 + 4j,
        -5j,
        1e-40,
    ]
    z[: len(odd)] = odd
    got = weft.abs(weft.array(z))
    assert got.dtype == real
    numpy.testing.assert_array_max_ulp(numpy.asarray(got)[5:], numpy.hypot(z.real, z.imag)[5:], 1)
    numpy.testing.assert_array_equal(numpy.asarray(got)[:5], numpy.abs(z)[:5])
