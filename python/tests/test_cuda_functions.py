"""Functions that kernels may call: bits of integers, libdevice, halves, NumPy's and math's scalar functions."""

import math

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors
from weft.numba import float32, int32, vectorize

R = numpy.random.default_rng(11)


def bits(x):
    """The bits of an integer of NumPy's, the highest first."""
    return format(int(x) & (1 << 8 * x.dtype.itemsize) - 1, f"0{8 * x.dtype.itemsize}b")


BITS = {
    "popc": (cuda.popc, lambda x: bits(x).count("1"), None),
    "clz": (cuda.clz, lambda x: len(bits(x)) - len(bits(x).lstrip("0")), None),
    "ffs": (cuda.ffs, lambda x: bits(x)[::-1].find("1") + 1, numpy.uint32),
    "brev": (cuda.brev, lambda x: int(bits(x)[::-1], 2), None),
}


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", BITS)
def test_bits(name, dtype):
    function, want, result = BITS[name]

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    limits = numpy.iinfo(dtype)
    x = R.integers(limits.min, limits.max, 200, dtype, endpoint=True) >> R.integers(0, limits.bits - 1, 200).astype(dtype)
    x[:4] = [0, 1, limits.max, limits.min]
    out = np.zeros(200, dtype=result or dtype)
    kernel.forall(200)(np.array(x), out)
    wanted = numpy.array([want(v) for v in x], dtype=object) % (1 << 64)
    assert numpy.array_equal(numpy.asarray(out).astype("u8") & numpy.uint64((1 << limits.bits) - 1), wanted.astype("u8"))


@vectorize
def counted(x):
    return x.bit_count()


def test_the_bits_of_a_number_as_python_counts_them():
    x = R.integers(-(2**62), 2**62, 100)
    assert numpy.array_equal(numpy.asarray(counted(np.array(x))), [int(v).bit_count() for v in x])


@cuda.jit
def fma(x, y, z, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = cuda.fma(x[i], y[i], z[i])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_products_are_rounded_once(dtype):
    from fractions import Fraction

    x, y = (R.normal(size=500).astype(dtype) for _ in range(2))
    z = -(x * y)  # what is left is the error of the product
    out = np.zeros(500, dtype=dtype)
    fma.forall(500)(*map(np.array, (x, y, z)), out)
    exact = [float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))) for a, b, c in zip(x, y, z, strict=True)]
    assert numpy.array_equal(numpy.asarray(out), numpy.array(exact).astype(dtype))


LIBRARY = {
    "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "exp10": lambda x: 10**x, "sinpi": lambda x: math.sin(math.pi * x),
    "cospi": lambda x: math.cos(math.pi * x), "rcbrt": lambda x: x ** (-1 / 3), "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
    "round": lambda x: math.floor(x + 0.5), "tgamma": math.gamma, "fabs": abs, "log1p": math.log1p, "trunc": math.trunc,
}  # fmt: skip


@pytest.mark.parametrize("name", LIBRARY)
def test_libdevice(name):
    x = numpy.abs(R.normal(size=100)) + 0.01
    for suffix, dtype, tolerance in (("", "f8", 1e-13), ("f", "f4", 3e-6)):
        function = getattr(cuda.libdevice, name + suffix)

        @cuda.jit
        def kernel(x, out):
            i = cuda.grid(1)
            if i < x.size:
                out[i] = function(x[i])  # noqa: B023 - it is compiled in this turn

        out = np.zeros(100, dtype=dtype)
        kernel.forall(100)(np.array(x), out)
        given = x.astype(dtype).astype(float)
        numpy.testing.assert_allclose(numpy.asarray(out), [LIBRARY[name](v) for v in given], rtol=tolerance, atol=tolerance)


@cuda.jit
def several(x, k, out):
    i = cuda.grid(1)
    if i < x.size:
        s, c = cuda.libdevice.sincos(x[i])
        part, whole = math.modf(x[i])
        out[i, 0] = s
        out[i, 1] = c
        out[i, 2] = part
        out[i, 3] = whole
        out[i, 4] = math.remainder(x[i], 0.7)
        out[i, 5] = cuda.libdevice.mulhi(k[i], k[i])
        out[i, 6] = math.gcd(k[i], 360)
        out[i, 7] = cuda.libdevice.double2int_rz(x[i])
        out[i, 8] = np.clip(x[i], -1, 1)
        out[i, 9] = np.signbit(x[i])


def test_functions_of_several_results_and_of_integers():
    x, k = R.normal(size=300) * 10, R.integers(-(2**31), 2**31, 300).astype("i4")
    out = np.zeros((300, 10))
    several.forall(300)(np.array(x), np.array(k), out)
    want = [
        [math.sin(v), math.cos(v), *math.modf(v), math.remainder(v, 0.7), int(n) * int(n) >> 32, math.gcd(n, 360), int(v), min(max(v, -1), 1), v < 0]
        for v, n in zip(x, k.tolist(), strict=True)
    ]  # fmt: skip
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-13, atol=1e-14)


NUMPYS = {
    "logaddexp": (numpy.logaddexp, 2), "logaddexp2": (numpy.logaddexp2, 2), "heaviside": (numpy.heaviside, 2), "float_power": (numpy.float_power, 2),
    "sinc": (numpy.sinc, 1), "signbit": (numpy.signbit, 1), "cbrt": (numpy.cbrt, 1), "hypot": (numpy.hypot, 2), "fmod": (numpy.fmod, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMPYS)
def test_numpys_scalar_functions(name):
    want, n = NUMPYS[name]
    function = getattr(np, name)
    a, b = numpy.abs(R.normal(size=200)), R.normal(size=200)
    a[:3] = 0
    made = vectorize((lambda x: function(x)) if n == 1 else (lambda x, y: function(x, y)))
    got = made(*map(np.array, (a, b)[:n]))
    numpy.testing.assert_allclose(numpy.asarray(got), want(*(a, b)[:n]), rtol=1e-12, atol=1e-15)


@cuda.jit
def halves(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = cuda.fp16.hfma(x[i], y[i], cuda.fp16.hsqrt(cuda.fp16.habs(x[i]))) if cuda.fp16.hlt(x[i], y[i]) else x[i] - y[i]


def test_halves():
    x, y = (R.normal(size=300).astype("f2") for _ in range(2))
    out = np.zeros(300, dtype="f2")
    halves.forall(300)(np.array(x), np.array(y), out)
    product = x.astype(float) * y.astype(float) + numpy.sqrt(numpy.abs(x)).astype(float)
    assert numpy.array_equal(numpy.asarray(out), numpy.where(x < y, product.astype("f2"), x - y))


@cuda.jit
def casts(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = np.float32(x[i])
        cuda.nanosleep(100)
        cuda.stcg(out, (i, 0), v)
        out[i, 1] = int32(x[i] * 100)
        out[i, 2] = np.uint8(i * 3)
        out[i, 3] = float32(1) / cuda.ldcg(x, i)


def test_casts_and_hints():
    x = R.normal(size=100)
    out = np.zeros((100, 4))
    casts.forall(100)(np.array(x), out)
    want = numpy.stack([x.astype("f4"), (x * 100).astype("i4"), (numpy.arange(100) * 3).astype("u1"), 1 / x], 1)
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-14)


def test_what_has_no_bits():
    @cuda.jit
    def kernel(x):
        x[0] = cuda.popc(x[0])

    with pytest.raises(errors.TypingError, match="bits of float64; want an integer"):
        kernel[1, 1](np.zeros(1))


def test_products_of_24_bits_and_rounded_halves():
    lib = cuda.libdevice

    @cuda.jit
    def kernel(a, x, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i, 0] = lib.mul24(a[i], a[i] + 3)
            out[i, 1] = lib.umul24(a[i], a[i])
            out[i, 2] = lib.llround(x[i])
            out[i, 3] = lib.llroundf(x[i])

    a, x = R.integers(-(2**31), 2**31, 50).astype("i4"), numpy.arange(50) * 0.5 - 12
    out = np.zeros((50, 4), dtype="i8")
    kernel.forall(50)(np.array(a), np.array(x), out)
    low = lambda v: ((int(v) & 0xFFFFFF) ^ 0x800000) - 0x800000  # noqa: E731 - the lower 24 bits with their sign
    signed = [numpy.uint32(low(v) * low(int(v) + 3) & 0xFFFFFFFF).view("i4") for v in a]
    unsigned = [(int(v) & 0xFFFFFF) ** 2 & 0xFFFFFFFF for v in a]
    halves = [int(numpy.copysign(numpy.floor(abs(v) + 0.5), v)) for v in x]
    assert numpy.asarray(out).T.tolist() == [[int(v) for v in signed], unsigned, halves, halves]


def test_defaults_of_functions_within_kernels_are_what_they_were_where_these_were_defined():
    @cuda.jit
    def kernel(out, n):
        m = n + 1

        def add(a, b=m * 2, c=-1):
            return a + b * c

        def outer(x, y=n):
            def inner(z, w=x + y):
                return z * w

            return inner(2)

        m = 100
        out[0] = add(m)
        out[1] = add(m, 3)
        out[2] = outer(1)
        out[3] = outer(1, 1)
        for i in range(n):
            def late(a, b=i * 2):
                return a + b

            if i == 2:
                break
        i = 50
        out[4] = late(i)

    out = np.zeros(5)
    kernel[1, 1](out, 4)
    assert out.tolist() == [100 - 10, 100 - 3, 2 * 5, 2 * 2, 50 + 4]
