"""What a thread computes: floats, halves, vectors, libdevice, integers, mathematics and complex numbers."""

import cmath
import math
from fractions import Fraction

import numpy
import weft as np
from weft import cuda

from .row import LANES, F, Row, integer_numbers


@cuda.jit
def floats(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.fma(x[i], x[i], 0.5)
    out[i, 1] = cuda.cbrt(x[i])
    out[i, 2] = cuda.rsqrt(abs(x[i]) + 1)
    out[i, 3] = cuda.selp(x[i] > 0, x[i], -x[i])
    cuda.stcg(out, (i, 4), cuda.ldca(x, i) + cuda.ldcg(x, i))
    cuda.stcs(out, (i, 5), cuda.ldcs(x, i) - cuda.ldlu(x, i))
    cuda.stwb(out, (i, 6), cuda.ldcv(x, i))
    cuda.stwt(out, (i, 7), 3)
    cuda.nanosleep(10)
    cuda.syncwarp()


def floats_want(x, out):
    out[:] = numpy.stack([x * x + 0.5, numpy.cbrt(x), 1 / numpy.sqrt(numpy.abs(x) + 1), numpy.abs(x), 2 * x, 0 * x, x, 0 * x + 3], 1)


@cuda.jit
def halves(x, y, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.fp16.hadd(x[i], y[i])
    out[i, 1] = cuda.fp16.hmul(x[i], y[i]) - cuda.fp16.hdiv(x[i], y[i])
    out[i, 2] = cuda.fp16.hfma(x[i], y[i], x[i])
    out[i, 3] = x[i] + y[i] if cuda.fp16.hlt(x[i], y[i]) else abs(x[i])
    out[i, 4] = cuda.fp16.hmax(x[i], y[i])
    cuda.syncwarp()


def halves_want(x, y, out):
    exact = (x.astype("f8") * y + x).astype("f2")
    out[:] = numpy.stack([x + y, x * y - x / y, exact, numpy.where(x < y, x + y, abs(x)), numpy.maximum(x, y)], 1)


@cuda.jit
def vectors(x, out):
    i = cuda.grid(1)
    v = cuda.float32x3(x[i], cuda.float32x2(i, 2))
    w = cuda.int4(v.x, v.y, v.z, 7)
    out[i] = v.x + v.y * w.w + w.x
    cuda.syncwarp()


def vectors_want(x, out):
    out[:] = x + numpy.arange(64, dtype="f4") * 7 + x.astype("i4")


@cuda.jit
def library(x, out):
    i = cuda.grid(1)
    lib = cuda.libdevice
    s, c = lib.sincos(x[i])
    out[i, 0] = s
    out[i, 1] = c
    out[i, 2] = lib.hypot(x[i], 3.0) + lib.rcbrt(abs(x[i]) + 1)
    out[i, 3] = lib.normcdf(x[i]) + lib.erfc(x[i])
    out[i, 4] = lib.powf(abs(x[i]), 1.5)
    out[i, 5] = lib.mulhi(i * 123456789, i * 7654321) + lib.umin(i, 9)
    out[i, 6] = lib.scalbn(x[i], i - 32) + lib.logb(x[i] + 100)
    out[i, 7] = lib.double2int_rz(x[i]) + lib.fmod(x[i], 3.0) + lib.round(x[i])
    cuda.syncwarp()


def library_want(x, out):
    i, e = numpy.arange(len(x)), numpy.vectorize(math.erfc)
    product = (i * 123456789).astype("i4").astype("i8") * (i * 7654321).astype("i4")
    columns = [
        numpy.sin(x), numpy.cos(x), numpy.hypot(x, 3) + (abs(x) + 1) ** (-1 / 3), 0.5 * e(-x / 2**0.5) + e(x),
        numpy.abs(x).astype("f4") ** numpy.float32(1.5), (product >> 32) + numpy.minimum(i, 9),
        numpy.ldexp(x, i - 32) + numpy.floor(numpy.log2(x + 100)), numpy.trunc(x) + numpy.fmod(x, 3) + numpy.copysign(numpy.floor(abs(x) + 0.5), x),
    ]  # fmt: skip
    out[:] = numpy.stack(columns, 1)


@cuda.jit
def patterns(x, out):
    i = cuda.grid(1)
    lib = cuda.libdevice
    bits = lib.double_as_longlong(x[i])
    out[i, 0] = bits
    out[i, 1] = lib.longlong_as_double(bits + 1) > x[i]
    out[i, 2] = lib.float_as_int(lib.int_as_float(np.int32(i * 12345678)))
    out[i, 3] = lib.float2half_rn(np.float32(x[i]))
    cuda.syncwarp()


def patterns_want(x, out):
    i = numpy.arange(len(x), dtype="i4")
    out[:, 0], out[:, 1], out[:, 2], out[:, 3] = x.view("i8"), x > 0, i * numpy.int32(12345678), x.astype("f4").astype("f2").view("i2")


@cuda.jit
def parts(x, out, rest):
    i = cuda.grid(1)
    lib = cuda.libdevice
    out[i, 0] = lib.hiloint2double(lib.double2hiint(x[i]), lib.double2loint(x[i])) == x[i]
    rest[i], out[i, 1] = lib.remquo(x[i], 1.25)
    cuda.syncwarp()


def parts_want(x, out, rest):
    rest[:] = [math.remainder(v, 1.25) for v in x]
    turns = numpy.rint((x - rest) / 1.25).astype("i8")
    out[:, 0], out[:, 1] = 1, (abs(turns) & 7) * numpy.sign(turns)


@cuda.jit
def fused_down(x, out):
    i = cuda.grid(1)
    out[i] = cuda.libdevice.fma_rd(x[i], x[i] / 3, -x[i])
    cuda.syncwarp()


@cuda.jit
def fused_up(x, out):
    i = cuda.grid(1)
    out[i] = cuda.libdevice.fma_ru(x[i], x[i] / 3, -x[i])
    cuda.syncwarp()


def fused_towards(end):
    def want(x, out):
        for i, v in enumerate(x):
            exact = Fraction(v) * Fraction(v / 3) - Fraction(v)
            near = float(exact)
            beyond = Fraction(near) > exact if end < 0 else Fraction(near) < exact
            out[i] = math.nextafter(near, end) if beyond else near

    return want


@cuda.jit
def quantiles(x, out):
    i = cuda.grid(1)
    lib = cuda.libdevice
    out[i, 0] = lib.normcdf(lib.normcdfinv(x[i]))
    out[i, 1] = lib.erf(lib.erfinv(x[i]))
    out[i, 2] = lib.erfc(lib.erfcinv(x[i]))
    out[i, 3] = lib.erfcx(x[i]) / math.exp(x[i] * x[i]) - lib.erfc(x[i])
    cuda.syncwarp()


def quantiles_want(x, out):
    out[:, :3], out[:, 3] = x[:, None], 0


@cuda.jit
def ends(x, out):
    i = cuda.grid(1)
    lib = cuda.libdevice
    y = np.float32(x[i])
    out[i, 0] = lib.double2int_rn(x[i])
    out[i, 1] = lib.float2int_rz(y)
    out[i, 2] = lib.double2uint_rd(x[i])
    out[i, 3] = lib.float2uint_ru(y)
    out[i, 4] = lib.llrint(x[i])
    out[i, 5] = lib.float2ll_rn(y)
    out[i, 6] = lib.double2ull_rn(x[i])
    out[i, 7] = lib.float2ull_rn(y)
    last = np.uint64(2**64 - 1)
    for _ in range(last - np.uint64(i), last, np.uint64(7)):
        out[i, 8] += 1
    for _ in range(np.int32(2**31 - 2 - i), np.int32(2**31 - 1), np.int32(i + 9)):
        out[i, 8] += 1
    cuda.syncwarp()


ENDS = numpy.array([math.nan, *(s * v for s in (1, -1) for v in (0, 3, 5e9, 1e20, 2**31, 2**32, 2.0**63, 2.0**64, math.inf, 1e18)), *range(-20, 23)], "f4").astype("f8")


def ends_want(x, out):
    """As PTX's cvt has it; the numbers are whole."""
    for i, v in enumerate(x.tolist()):
        for k, bits in enumerate((32, 32, 32, 32, 64, 64, 64, 64)):
            least, most = (0, 2**bits - 1) if k // 2 % 2 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            if math.isnan(v):
                out[i, k] = 0 if bits == 32 and k % 2 else least or 2 ** (bits - 1)
            else:
                out[i, k] = least if v < least else most if v > most else int(v)
        out[i, 8] = (i + 6) // 7 + 1


@cuda.jit
def integers(a, b, out):
    i = cuda.grid(1)
    out[i, 0] = a[i] // b[i]
    out[i, 1] = a[i] % b[i]
    out[i, 2] = (a[i] << (i % 8)) >> 3
    out[i, 3] = a[i] * b[i] ^ ~a[i] | 5
    out[i, 4] = a[i] / b[i] + (a[i] > b[i]) + True
    out[i, 5] = int(a[i] * 0.3) + round(a[i] * 0.5) + abs(b[i]) ** 2
    out[i, 6] = min(a[i], b[i]) + max(a[i], 2.5) + divmod(a[i], 7)[1]
    cuda.syncwarp()


def integers_want(a, b, out):
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        out[i] = (
            x // y, x % y, (x << i % 8) >> 3, x * y ^ ~x | 5, x / y + (x > y) + 1, int(x * 0.3) + round(x * 0.5) + y * y,
            min(x, y) + max(x, 2.5) + x % 7,
        )  # fmt: skip


@cuda.jit
def mathematics(x, out):
    i = cuda.grid(1)
    y = abs(x[i]) / 30
    out[i, 0] = math.sin(x[i]) + math.exp(-y) + math.log1p(y) + math.atan2(x[i], 3)
    out[i, 1] = math.gamma(y + 1) + math.erf(y) + math.lgamma(y + 2)
    out[i, 2] = math.acos(y) + math.asinh(y) + math.tanh(x[i]) + math.expm1(y)
    out[i, 3] = math.fmod(x[i], 2.5) + math.floor(x[i]) + math.copysign(y, x[i]) + math.degrees(y)
    mantissa, exponent = math.frexp(x[i])
    out[i, 4] = mantissa * exponent + math.ldexp(x[i], 3) + math.modf(x[i])[0]
    out[i, 5] = np.logaddexp(x[i], y) + np.rint(x[i]) + np.sign(x[i]) + np.arctan2(y, x[i])
    out[i, 6] = math.nextafter(x[i], 9.0) - x[i]
    cuda.syncwarp()


def mathematics_want(x, out):
    for i, v in enumerate(x.tolist()):
        y = abs(v) / 30
        m, e = math.frexp(v)
        out[i] = (
            math.sin(v) + math.exp(-y) + math.log1p(y) + math.atan2(v, 3), math.gamma(y + 1) + math.erf(y) + math.lgamma(y + 2),
            math.acos(y) + math.asinh(y) + math.tanh(v) + math.expm1(y), math.fmod(v, 2.5) + math.floor(v) + math.copysign(y, v) + math.degrees(y),
            m * e + math.ldexp(v, 3) + math.modf(v)[0], numpy.logaddexp(v, y) + round(v) + numpy.sign(v) + math.atan2(y, v),
            math.nextafter(v, 9) - v,
        )  # fmt: skip


@cuda.jit
def complexes(z, out, back):
    i = cuda.grid(1)
    w = z[i] * (1 + 0.5j) / (2 - z[i].conjugate())
    out[i] = cmath.sqrt(w) + cmath.exp(z[i] * 0.1) + cmath.tanh(w)
    back[i] = abs(w) + cmath.phase(w) + w.real * w.imag
    cuda.syncwarp()


def complexes_want(z, out, back):
    for i, v in enumerate(z.tolist()):
        w = v * (1 + 0.5j) / (2 - v.conjugate())
        out[i] = cmath.sqrt(w) + cmath.exp(v * 0.1) + cmath.tanh(w)
        back[i] = abs(w) + cmath.phase(w) + w.real * w.imag


ROWS = {
    "floats": Row(floats, 2, 32, lambda: [F.copy(), numpy.zeros((64, 8))], floats_want, tolerance=1e-14),
    "halves": Row(halves, 2, 32, lambda: [F.astype("f2"), (F * 0.3 + 1).astype("f2"), numpy.zeros((64, 5), "f2")], halves_want),
    "vectors": Row(vectors, 2, 32, lambda: [F.astype("f4"), numpy.zeros(64, "f4")], vectors_want, tolerance=1e-6),
    "library": Row(library, 2, 32, lambda: [F.copy() + 0.1, numpy.zeros((64, 8))], library_want, tolerance=2e-6),
    "patterns": Row(patterns, 2, 32, lambda: [F + 0.1, numpy.zeros((64, 4), "i8")], patterns_want),
    "parts": Row(parts, 2, 32, lambda: [F + 0.1, numpy.zeros((64, 2), "i8"), numpy.zeros(64)], parts_want),
    "fused_down": Row(fused_down, 2, 32, lambda: [F + 0.1, numpy.zeros(64)], fused_towards(-math.inf)),
    "fused_up": Row(fused_up, 2, 32, lambda: [F + 0.1, numpy.zeros(64)], fused_towards(math.inf)),
    "quantiles": Row(quantiles, 2, 32, lambda: [(LANES + 0.5) / 64, numpy.zeros((64, 4))], quantiles_want, tolerance=1e-13),
    "ends": Row(ends, 2, 32, lambda: [ENDS.copy(), numpy.zeros((64, 9))], ends_want),
    "integers": Row(integers, 2, 32, lambda: [integer_numbers("i4") * 9, integer_numbers("i8") * 2 + 1, numpy.zeros((64, 7))], integers_want, tolerance=1e-15),
    "mathematics": Row(mathematics, 2, 32, lambda: [F + 0.1, numpy.zeros((64, 7))], mathematics_want, tolerance=1e-12),
    "complexes": Row(complexes, 2, 32, lambda: [F * 0.1 + 1j * F[::-1] * 0.1 + 0.05, numpy.zeros(64, complex), numpy.zeros(64)], complexes_want, tolerance=1e-12),
}  # fmt: skip
