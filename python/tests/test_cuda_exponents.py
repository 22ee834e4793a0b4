"""Functions of the parts of floats, bit by bit, at the edges of each dtype; and those of complex numbers."""

import cmath
import math

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors
from weft.numba import vectorize

R = numpy.random.default_rng(5)


def edges(dtype):
    """Numbers around every power of two, the least and largest ones, and such that have no exponent."""
    info = numpy.finfo(dtype)
    powers = numpy.ldexp(numpy.ones(1, dtype), numpy.arange(info.minexp - info.nmant, info.maxexp)).astype(dtype)
    sides = [powers, numpy.nextafter(powers, dtype(0)), numpy.nextafter(powers, dtype(numpy.inf))]
    odd = numpy.array([0, info.max, info.tiny, info.smallest_subnormal, numpy.inf, 1.5, numpy.pi], dtype)
    size = numpy.concatenate([*sides, odd, R.normal(size=50).astype(dtype)])
    return numpy.concatenate([size, -size, [numpy.array(numpy.nan, dtype)]])


DTYPES = [numpy.float16, numpy.float32, numpy.float64]


def same(got, want):
    got = numpy.asarray(got)
    assert got.dtype == want.dtype
    numpy.testing.assert_array_equal(got, want)
    number = want == want
    numpy.testing.assert_array_equal(numpy.signbit(got[number]), numpy.signbit(want[number]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_frexp(dtype):
    x = edges(dtype)
    mantissa, exponent = numpy.frexp(x)
    exponent[~numpy.isfinite(x)] = 0  # which C leaves open
    same(vectorize(lambda v: math.frexp(v)[0])(np.array(x)), mantissa)
    same(vectorize(lambda v: np.frexp(v)[1])(np.array(x)), exponent)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ldexp(dtype):
    x = edges(dtype)
    info = numpy.finfo(dtype)
    for n in (0, 1, -1, 7, -9, info.minexp, info.minexp - info.nmant, info.maxexp, -2 * info.maxexp, 2 * info.maxexp, -5000, 5000):
        with numpy.errstate(all="ignore"):
            want = numpy.ldexp(x, n)
        same(vectorize(lambda v, k: math.ldexp(v, k))(np.array(x), n), want)
    k = R.integers(-3 * info.maxexp, 3 * info.maxexp, len(x))
    with numpy.errstate(all="ignore"):
        same(vectorize(lambda v, k: np.ldexp(v, k))(np.array(x), np.array(k)), numpy.ldexp(x, k))
    with pytest.raises(errors.TypingError, match="a float and an integer"):
        vectorize(lambda v: math.ldexp(v, v))(np.array(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_neighbours(dtype):
    x = edges(dtype)
    for y in (0.0, math.inf, -math.inf, 1.0, math.nan):
        y = dtype(y)
        with numpy.errstate(all="ignore"):
            same(vectorize(lambda v, w: np.nextafter(v, w))(np.array(x), np.full(len(x), y)), numpy.nextafter(x, y))
    with numpy.errstate(all="ignore"):
        same(vectorize(lambda v, w: np.nextafter(v, w))(np.array(x), np.array(x)), x)
        finite = x[numpy.isfinite(x)]
        finite = finite[numpy.abs(finite) < numpy.finfo(dtype).max]  # whose neighbour is infinite
        same(vectorize(lambda v: np.spacing(v))(np.array(finite)), numpy.spacing(finite))
    if dtype is numpy.float64:
        same(vectorize(lambda v: math.ulp(v))(np.array(x)), numpy.array([math.ulp(v) for v in x]))
        same(vectorize(lambda v, w: math.nextafter(v, w))(np.array(x), 0.0), numpy.array([math.nextafter(v, 0) for v in x]))


@pytest.mark.parametrize("suffix, dtype", [("", numpy.float64), ("f", numpy.float32)])
def test_libdevice(suffix, dtype):
    lib = cuda.libdevice
    frexp, ilogb, logb, scalbn = (getattr(lib, name + suffix) for name in ("frexp", "ilogb", "logb", "scalbn"))

    @cuda.jit
    def taken(x, parts, whole):
        i = cuda.grid(1)
        if i < x.size:
            mantissa, exponent = frexp(x[i])
            parts[i, 0] = mantissa
            parts[i, 1] = logb(x[i])
            parts[i, 2] = scalbn(x[i], i % 300 - 150)
            whole[i, 0] = exponent
            whole[i, 1] = ilogb(x[i])

    x = edges(dtype)
    x = x[numpy.isfinite(x)]
    parts, whole = np.zeros((len(x), 3), dtype=dtype), np.zeros((len(x), 2), dtype="i4")
    taken.forall(len(x))(np.array(x), parts, whole)
    mantissa, exponent = numpy.frexp(x)
    zero = x == 0
    with numpy.errstate(all="ignore"):
        scaled = numpy.ldexp(x, numpy.arange(len(x)) % 300 - 150)
    parts, whole = numpy.asarray(parts), numpy.asarray(whole)
    same(parts[:, 0].copy(), mantissa)
    same(parts[:, 1].copy(), numpy.where(zero, -numpy.inf, exponent - 1).astype(dtype))
    same(parts[:, 2].copy(), scaled)
    same(whole[:, 0].copy(), exponent)
    same(whole[:, 1].copy(), numpy.where(zero, -(2**31), exponent - 1).astype("i4"))


@pytest.mark.parametrize("name", "sinh cosh tanh tan acos acosh asin asinh atan atanh log10".split())
def test_functions_of_complex_numbers(name):
    function, want = getattr(cmath, name), getattr(cmath, name)
    z = R.normal(size=200) * 2 + 1j * R.normal(size=200) * 2
    got = vectorize(lambda v: function(v))(np.array(z))
    numpy.testing.assert_allclose(numpy.asarray(got), [want(v) for v in z], rtol=2e-13, atol=1e-15)
    single = vectorize(lambda v: function(v))(np.array(z.astype("c8")))
    assert single.dtype == "c8"
    numpy.testing.assert_allclose(numpy.asarray(single), [want(v) for v in z.astype("c8")], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", "sinh cosh tanh acos acosh asin asinh atan atanh log10".split())
def test_complex_numbers_with_an_infinite_part(name):
    function = getattr(cmath, name)
    parts = [math.inf, -math.inf, 1.5, -1.5, 0.0, -0.0]
    numbers, want = [], []
    for z in [complex(x, y) for x in parts for y in parts if math.inf in (abs(x), abs(y))]:
        try:
            want.append(function(z))
            numbers.append(z)
        except ValueError:
            pass  # which has no limit there
    got = numpy.asarray(vectorize(lambda v: function(v))(np.array(numbers)))
    for z, w, g in zip(numbers, want, got, strict=True):
        numpy.testing.assert_allclose([g.real, g.imag], [w.real, w.imag], rtol=1e-15, err_msg=str(z))
        assert [math.copysign(1, p) for p in (g.real, g.imag) if p == 0] == [math.copysign(1, p) for p in (w.real, w.imag) if p == 0], z


@pytest.mark.parametrize("name", "rint exp2 expm1 log1p log2 log10 sign tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh".split())
def test_numpys_functions_of_complex_numbers(name):
    """Beside NumPy's own; where a part is infinite or none, sign and rint alone, for which that matters."""
    function, want = getattr(np, name), getattr(numpy, name)
    z = R.normal(size=200) * 2 + 1j * R.normal(size=200) * 2
    z[:4] = 0.5, -2.5, 1e-9 + 1e-9j, 3j
    if name in ("sign", "rint"):
        parts = (0.0, -0.0, 1.5, -math.inf, math.inf, math.nan)
        z = numpy.array([complex(x, y) for x in parts for y in parts] + z.tolist())
    for dtype, tolerance in (("c16", 1e-13), ("c8", 2e-5)):
        given = z.astype(dtype)
        got = numpy.asarray(vectorize(lambda v: function(v))(np.array(given)))
        with numpy.errstate(all="ignore"):
            made = want(given)
        assert got.dtype == made.dtype == dtype
        for a, b in ((got.real, made.real), (got.imag, made.imag)):
            numpy.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * 1e-2)
    with pytest.raises(errors.TypingError, match="cbrt found for complex"):
        vectorize(lambda v: np.cbrt(v))(np.array(z))


def test_the_type_of_a_logarithm_is_that_of_both_numbers():
    """As Numba has it: a base of a wider type makes the result wider, and a whole number is a float64."""
    z = R.normal(size=5) + 1j * R.normal(size=5)
    for of in "c8", "c16":
        for base in numpy.float32(3), numpy.float64(1e300), numpy.complex64(2 - 1j), numpy.complex128(2 - 1j), numpy.int32(7), numpy.float64(1e-300):
            given = z.astype(of)
            got = numpy.asarray(vectorize(lambda v, b: cmath.log(v, b))(np.array(given), np.array([base])))
            assert got.dtype == ("c8" if of == "c8" and base.dtype.char in "fF" else "c16")
            numpy.testing.assert_allclose(got, [cmath.log(v, base) for v in given], rtol=1e-14 if got.dtype == "c16" else 1e-5)
        literal = numpy.asarray(vectorize(lambda v: cmath.log(v, 2))(np.array(z.astype(of))))
        assert literal.dtype == "c16"
        numpy.testing.assert_allclose(literal, [cmath.log(v, 2) for v in z.astype(of)], rtol=1e-14)


@cuda.jit
def around(z, parts, back):
    i = cuda.grid(1)
    if i < z.size:
        size, angle = cmath.polar(z[i])
        parts[i, 0] = size
        parts[i, 1] = angle
        back[i] = cmath.rect(size, angle)


def test_sizes_and_angles():
    z = R.normal(size=100) + 1j * R.normal(size=100)
    parts, back = np.zeros((100, 2)), np.zeros(100, dtype=complex)
    around.forall(100)(np.array(z), parts, back)
    numpy.testing.assert_allclose(numpy.asarray(parts), [cmath.polar(v) for v in z], rtol=1e-14)
    numpy.testing.assert_allclose(numpy.asarray(back), z, rtol=1e-13)


@pytest.mark.parametrize(
    "function, want, args",
    [
        (lambda x, y: math.log(x, y), math.log, ([8.0, 0.3, 7.0], [2.0, 10.0, 3.0])),
        (lambda x, y: math.lcm(x, y), math.lcm, ([4, -6, 0, 7], [6, 15, 3, 0])),
        (lambda x, y: np.lcm(x, y), numpy.lcm, ([4, -6, 0, 0], [6, 15, 3, 0])),
        (lambda x: np.bitwise_count(x), numpy.bitwise_count, ([0, 1, 255, -1, -8, 2**40],)),
        (lambda x: np.nan_to_num(x), numpy.nan_to_num, ([1.5, math.nan, math.inf, -math.inf],)),
        (lambda x: np.nan_to_num(x, True, 7, None, -3.5), lambda x: numpy.nan_to_num(x, True, 7, None, -3.5), ([1.5, math.nan, math.inf, -math.inf],)),
        (lambda x: np.nan_to_num(x, posinf=2), lambda x: numpy.nan_to_num(x, posinf=2), ([complex(math.nan, math.inf), complex(-math.inf, 2)],)),
        (lambda x: np.angle(x), numpy.angle, ([1 + 2j, -1 - 0.5j, 0j, -3],)),
        (lambda x: np.angle(x, True), lambda x: numpy.angle(x, True), ([-2.5, 2.5, 0.0],)),
        (lambda x: np.sinc(x), numpy.sinc, ([0.0, 0.5, -1.25, 3e-9],)),
        (lambda x: np.sinc(x), numpy.sinc, ([0j, 0.5 + 1j, -1.25j],)),
        (lambda x: np.round(x), numpy.round, ([2.5, -0.5, math.inf, 1e300],)),
        (lambda x: np.around(x, 2), lambda x: numpy.around(x, 2), ([2.125, -0.375, -math.inf, 7.0],)),
        (lambda x: round(x, 20), lambda x: round(float(x), 20), ([2.125, 1e300, -1e300, 1e-3],)),
        (lambda x: np.around(x, decimals=-1), lambda x: numpy.around(x, -1), ([25, 35, -14, 4],)),
        (lambda x: np.round(x, 1), lambda x: numpy.round(x, 1), ([1.25 - 2.25j, 3 + 0.06j],)),
        (lambda x, y: divmod(x, y)[0], lambda x, y: divmod(x, y)[0], ([7, -7, 8], [2, 2, -3])),
        (lambda x, y: np.divmod(x, y)[1], lambda x, y: divmod(x, y)[1], ([7.5, -7.5, 8], [2, 2, -3])),
        (lambda x: np.fix(x), numpy.fix, ([1.5, -1.5, 0.2],)),
        (lambda x, y: np.bitwise_left_shift(x, y), numpy.bitwise_left_shift, ([1, 5, 7], [3, 0, 60])),
        (lambda x, y: np.bitwise_right_shift(x, y), numpy.bitwise_right_shift, ([100, -5, 7], [3, 1, 60])),
        (lambda x: np.bitwise_invert(x), numpy.bitwise_invert, ([1, -5, 7],)),
    ],
)
def test_other_functions(function, want, args):
    got = vectorize(function)(*map(np.array, args))
    numpy.testing.assert_allclose(numpy.asarray(got), [want(*row) for row in zip(*args, strict=True)], rtol=1e-15)


@pytest.mark.parametrize("name", ["nan_to_num", "fix"])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "bool"])
def test_integers_are_what_they_are(name, dtype):
    x = numpy.array([0, 1, 2**62 + 1, 2**53 + 1], "int64").astype(dtype)
    function = {"nan_to_num": lambda x: np.nan_to_num(x), "fix": lambda x: np.fix(x)}[name]
    got = vectorize(function)(np.array(x))
    assert got.dtype == getattr(numpy, name)(x).dtype and got.tolist() == x.tolist()
