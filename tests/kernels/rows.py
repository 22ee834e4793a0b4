"""One kernel for each row of what programs for CUDA may use. Each runs on the emulator, where NumPy says what it gives, and on whatever
devices WEFT_ARGS names, where it has to give the same bits; its PTX is in golden/.

    python -m kernels.rows            the digest of what each gives, as JSON
    python -m kernels.rows --write    writes golden/ anew
"""

import cmath
import collections
import contextlib
import hashlib
import io
import json
import math
import pathlib
import sys

import numpy
import weft as np
from weft import cuda
from weft.cuda import random
from weft.numba import float32, float64, int32

GOLDEN = pathlib.Path(__file__).parent / "golden"
LANES = numpy.arange(64)
F = LANES * 0.75 - 20
TABLE = numpy.array([3.0, 1.0, 4.0, 1.0, 5.0])
SIDE = 4
Pair = collections.namedtuple("Pair", ["scale", "shift"])


class Row:
    """A kernel with its launch. want gives what its arrays hold behind it, as NumPy computes it; None has them say so only on devices."""

    def __init__(self, kernel, grid, block, args, want=None, shared=0, tolerance=0.0):
        self.kernel, self.grid, self.block, self.args, self.want, self.shared, self.tolerance = (
            kernel, grid, block, args, want, shared, tolerance,
        )  # fmt: skip

    def run(self):
        """The arrays behind the launch, what was printed, and what was wrong."""
        given = self.args()
        args = [cuda.to_device(a) if isinstance(a, numpy.ndarray) else a for a in given]
        said, wrong = io.StringIO(), ""
        with contextlib.redirect_stdout(said):
            try:
                self.kernel[self.grid, self.block, 0, self.shared](*args)
                cuda.synchronize()
            except (ValueError, IndexError, AssertionError) as error:
                wrong = f"{type(error).__name__}: {error}"
        arrays = [] if wrong else [a.copy_to_host() for a, b in zip(args, given, strict=True) if isinstance(b, numpy.ndarray)]
        return arrays, said.getvalue(), wrong

    def digest(self):
        arrays, said, wrong = self.run()
        sums = [close(a) if a.dtype.kind == "c" else hashlib.sha256(a.tobytes()).hexdigest()[:16] for a in arrays]
        return {"arrays": sums, "said": said, "wrong": wrong}

    def ptx(self):
        """The kernel's own part of its PTX; the functions that it calls have golden texts of their own."""
        (text, *_) = self.kernel.inspect_asm().values()
        return text[text.rindex("// program ") :]


def close(array):
    """Complex numbers to 12 digits: cmath's functions have the same accuracy on all devices, and not the same bits."""
    return [f"{v:.12g}" for v in array.tolist()]


@cuda.jit
def indices(out):
    x, y, z = cuda.grid(3)
    j, k = cuda.grid(2)
    n = x + 8 * (y + 4 * z)
    out[n, 0] = cuda.threadIdx.x + 10 * cuda.threadIdx.y + 100 * cuda.threadIdx.z
    out[n, 1] = cuda.blockIdx.x + 10 * cuda.blockIdx.y + 100 * cuda.blockIdx.z
    out[n, 2] = cuda.blockDim.x + 10 * cuda.blockDim.y + 100 * cuda.blockDim.z
    out[n, 3] = cuda.gridDim.x + 10 * cuda.gridDim.y + 100 * cuda.gridDim.z
    out[n, 4] = cuda.gridsize(1) + 100 * cuda.gridsize(3)[2] + 10000 * cuda.gridsize(2)[1]
    out[n, 5] = cuda.laneid + 100 * cuda.warpsize
    out[n, 6] = j + 100 * k + 10000 * cuda.grid(1)
    cuda.syncwarp()


def indices_want(out):
    for z in range(2):
        for y in range(4):
            for x in range(8):
                t, b = (x % 4, y % 2, z), (x // 4, y // 2, 0)
                lane = t[0] + 4 * (t[1] + 2 * t[2])
                out[x + 8 * (y + 4 * z)] = (
                    t[0] + 10 * t[1] + 100 * t[2], b[0] + 10 * b[1], 4 + 20 + 200, 2 + 20 + 100, 8 + 200 + 40000, lane + 3200,
                    x + 100 * y + 10000 * x,
                )  # fmt: skip


@cuda.jit
def product(a, b, c):
    sa = cuda.shared.array((SIDE, SIDE), float32)
    sb = cuda.shared.array((SIDE, SIDE), float32, 16)
    i, j = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(a.shape[1] // SIDE):
        sa[ty, tx] = a[j, tx + k * SIDE]
        sb[ty, tx] = b[ty + k * SIDE, i]
        cuda.syncthreads()
        for m in range(SIDE):
            total += sa[ty, m] * sb[m, tx]
        cuda.syncthreads()
    c[j, i] = total


def product_want(a, b, c):
    c[:] = a @ b


@cuda.jit
def dynamic(x, out):
    low = cuda.shared.array(0, float32)
    high = cuda.shared.array(0, int32)[32:]
    i = cuda.threadIdx.x
    low[i] = x[i]
    high[31 - i] = i
    cuda.syncthreads()
    out[i] = low[31 - i] * high[i]


def dynamic_want(x, out):
    out[:] = x[::-1] * numpy.arange(32)[::-1]


@cuda.jit
def memories(x, out):
    own = cuda.local.array((2, 3), float64)
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    for j in range(2):
        for k in range(3):
            own[j, k] = x[i] * (j + k) + table[j + k]
    out[i] = own[1, 2] + own[0, i % 3] + TABLE[i % 5]
    cuda.syncwarp()


def memories_want(x, out):
    i = numpy.arange(len(x))
    out[:] = (x * 3 + TABLE[3]) + (x * (i % 3) + TABLE[i % 3]) + TABLE[i % 5]


@cuda.jit
def barriers(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.syncthreads_count(int(x[i] > 3))
    out[i, 1] = cuda.syncthreads_and(int(x[i] > -30))
    out[i, 2] = cuda.syncthreads_or(int(x[i] > 26))
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.threadfence_system()
    cuda.syncwarp(0xFFFFFFFF)


def barriers_want(x, out):
    for block in 0, 1:
        part = slice(32 * block, 32 * block + 32)
        out[part] = (x[part] > 3).sum(), (x[part] > -30).all(), (x[part] > 26).any()


@cuda.jit
def all_blocks(a, b, turns):
    i, grid = cuda.grid(1), cuda.cg.this_grid()
    for _ in range(turns):
        b[i] = a[i - 1] + a[(i + 1) % a.size]
        grid.sync()
        a[i] = b[i] % 1009
        grid.sync()


def all_blocks_want(a, b, turns):
    for _ in range(turns):
        b[:] = numpy.roll(a, 1) + numpy.roll(a, -1)
        a[:] = b % 1009


@cuda.jit
def shuffles(x, out):
    i = cuda.threadIdx.x
    full = 0xFFFFFFFF
    out[i, 0] = cuda.shfl_sync(full, x[i], (i * 5) % 32)
    out[i, 1] = cuda.shfl_up_sync(full, x[i], 3)
    out[i, 2] = cuda.shfl_down_sync(full, x[i], 5)
    out[i, 3] = cuda.shfl_xor_sync(full, x[i], 6)


def shuffles_want(x, out):
    i = numpy.arange(32)
    out[:, 0], out[:, 3] = x[i * 5 % 32], x[i ^ 6]
    out[:, 1] = numpy.where(i < 3, x, numpy.roll(x, 3))
    out[:, 2] = numpy.where(i > 26, x, numpy.roll(x, -5))


@cuda.jit
def votes(x, out):
    i = cuda.threadIdx.x
    full = 0xFFFFFFFF
    out[i, 0] = cuda.ballot_sync(full, x[i] % 3 == 0)
    out[i, 1] = cuda.all_sync(full, x[i] >= 0) + 2 * cuda.any_sync(full, x[i] == 7) + 4 * cuda.eq_sync(full, x[i] > 40)
    out[i, 2] = cuda.match_any_sync(full, x[i] // 8)
    same, alike = cuda.match_all_sync(full, x[i] * 0)
    out[i, 3] = same + alike
    out[i, 4] = cuda.activemask() & cuda.lanemask_lt()


def votes_want(x, out):
    mask = lambda which: numpy.int64(numpy.uint32(sum(1 << int(k) for k in numpy.flatnonzero(which))).astype("i4"))  # noqa: E731
    for i in range(32):
        out[i] = mask(x % 3 == 0), 1 + 2 + 4, mask(x // 8 == x[i] // 8), 0, (1 << i) - 1
    out[:, 3] = -1 + 1


@cuda.jit
def sums(x, totals, out):
    i = cuda.grid(1)
    block = cuda.shared.array(4, totals.dtype)
    if cuda.threadIdx.x < 4:
        block[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    cuda.atomic.add(block, i % 4, x[i])
    cuda.atomic.add(totals, 0, x[i])
    cuda.atomic.sub(totals, 1, x[i])
    cuda.atomic.max(totals, 2, x[i])
    cuda.atomic.min(totals, 3, x[i])
    cuda.syncthreads()
    if cuda.threadIdx.x < 4:
        out[cuda.blockIdx.x, cuda.threadIdx.x] = block[cuda.threadIdx.x]


def sums_want(x, totals, out):
    with numpy.errstate(over="ignore"):  # of unsigned integers, which wrap
        totals[:] = totals[0] + x.sum(), totals[1] - x.sum(), max(totals[2], x.max()), min(totals[3], x.min())
    out[:] = x.reshape(2, 8, 4).sum(1)


@cuda.jit
def extremes(x, found):
    i = cuda.grid(1)
    cuda.atomic.max(found, 0, x[i])
    cuda.atomic.min(found, 1, x[i])
    cuda.atomic.nanmax(found, 2, x[i])
    cuda.atomic.nanmin(found, 3, x[i])
    cuda.atomic.nanmax(found, 4, x[i])


def extremes_want(x, found):
    best = numpy.nanmax(x), numpy.nanmin(x)
    found[:4] = max(found[0], best[0]), min(found[1], best[1]), max(found[2], best[0]), min(found[3], best[1])
    found[4] = best[0]


@cuda.jit
def words(x, where, olds):
    i = cuda.grid(1)
    cuda.atomic.and_(where, 0, ~(x[i] & 15))
    cuda.atomic.or_(where, 1, x[i])
    cuda.atomic.xor(where, 2, x[i])
    if i == 5:
        olds[0] = cuda.atomic.exch(where, 3, x[i])
        olds[1] = cuda.atomic.cas(where, 4, where[4], x[i])
        olds[2] = cuda.atomic.cas(where, 4, x[i] + 1, 0)
        olds[3] = cuda.atomic.compare_and_swap(where[6:], 9, 77)


def words_want(x, where, olds):
    olds[:] = where[3], where[4], x[5], where[6]
    for v in x:
        where[0] &= ~(v & where.dtype.type(15))
        where[1] |= v
        where[2] ^= v
    where[3], where[4], where[6] = x[5], x[5], 77 if where[6] == 9 else where[6]


@cuda.jit
def turns_of(n, olds):
    olds[cuda.atomic.inc(n, 0, 20)] = 1
    cuda.atomic.dec(n, 1, 9)
    cuda.syncwarp()


def turns_of_want(n, olds):
    olds[:21] = 1
    for _ in range(64):
        n[0] = 0 if n[0] >= 20 else n[0] + 1
        n[1] = 9 if n[1] == 0 or n[1] > 9 else n[1] - 1


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.popc(x[i])
    out[i, 1] = cuda.clz(x[i])
    out[i, 2] = cuda.ffs(x[i])
    out[i, 3] = cuda.brev(x[i])
    out[i, 4] = x[i].bit_count()
    cuda.syncwarp()


def bits_want(x, out):
    size = 8 * x.dtype.itemsize
    for i, v in enumerate(x):
        text = format(int(v) & (1 << size) - 1, f"0{size}b")
        out[i] = text.count("1"), size - len(text.lstrip("0")), text[::-1].find("1") + 1, 0, int(v).bit_count()
        out[i, 3] = numpy.array(int(text[::-1], 2), f"u{size // 8}").astype(x.dtype)


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
def printing(x):
    i = cuda.grid(1)
    if i % 20 == 0:
        print("thread", i, x[i], x[i] > 1, (i, 2.5))


@cuda.jit
def records(p, q):
    i = cuda.grid(1)
    r = p[i]
    p[i].x = r.x * 2 + r["n"]
    p[i]["n"] = i
    q[i] = r.x + p[i]["n"]  # r is where the record lies
    cuda.syncwarp()


def records_want(p, q):
    p["x"] = p["x"] * 2 + p["n"]
    p["n"] = LANES
    q[:] = p["x"] + p["n"]


@cuda.jit
def slices(a, out):
    i = cuda.grid(1)
    row = a[i, 1:]
    back = row[::-2]
    total = 0.0
    for k in range(back.shape[0]):
        total = total * 2 + back[k]
    out[i, :2] = row[1:3]
    out[i, 2:] = total
    cuda.syncwarp()


def slices_want(a, out):
    back = a[:, 1:][:, ::-2]
    out[:, :2], out[:, 2:] = a[:, 2:4], 0
    for k in range(back.shape[1]):
        out[:, 2:] = out[:, 2:] * 2 + back[:, k : k + 1]


@cuda.jit
def numbers(states, out):
    i = cuda.grid(1)
    out[i, 0] = random.xoroshiro128p_uniform_float32(states, i)
    out[i, 1] = random.xoroshiro128p_uniform_float64(states, i)
    out[i, 2] = random.xoroshiro128p_normal_float32(states, i)
    out[i, 3] = random.xoroshiro128p_normal_float64(states, i)


@cuda.jit
def arguments(pair, plain, n, flag, z, out):
    i = cuda.grid(1)
    out[i] = (plain[1][i] * pair.scale + pair.shift) * z if flag else plain[0] + n
    cuda.syncwarp()


def arguments_want(pair, plain, n, flag, z, out):
    out[:] = (plain[1] * pair.scale + pair.shift) * z


def swapped(a, b):
    return b, a - 1


@cuda.jit(device=True)
def deep(x, n=3):
    total = 0.0
    for _ in range(n):
        if total > 50:
            return total
        x, total = swapped(total + x, x)
    return total + x


@cuda.jit
def control(x, out):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    k = 0
    while k < 40:
        k += 1
        if k % 3 == 0:
            continue
        if k * x[i] > 60:
            break
    else:
        k = -k
    out[i] = deep(x[i], n=4) + deep(x[i]) + k
    cuda.syncwarp()


def control_want(x, out):
    for i, v in enumerate(x.tolist()):
        k = 0
        while k < 40:
            k += 1
            if k % 3 == 0:
                continue
            if k * v > 60:
                break
        else:
            k = -k
        out[i] = deep.py_func(v, 4) + deep.py_func(v) + k


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


@cuda.jit
def shapes(a, out):
    i = cuda.grid(1)
    total = 0.0
    for j, row in enumerate(a):
        for v in row:
            total += v * j
    for (j, k), v in np.ndenumerate(a[:2]):
        total += j * k + v
    out[i, 0] = total + a.sum() + a.T[i % 5].mean() + a.argmax()
    out[i, 1] = a.reshape(-1, 2)[i % 4, 1] + a.strides[0] + a.size
    match i % 3:
        case 0:
            out[i, 2] = a.min()
        case 1 | 2 as k:
            out[i, 2] = a[k].max()
    cuda.syncwarp()


def shapes_want(a, out):
    total = sum(v * j for j, row in enumerate(a) for v in row) + sum(j * k + v for (j, k), v in numpy.ndenumerate(a[:2]))
    for i in range(len(out)):
        k = i % 3
        out[i] = total + a.sum() + a.T[i % 5].mean() + a.argmax(), a.reshape(-1, 2)[i % 4, 1] + a.strides[0] + a.size, a[k].max() if k else a.min()


@cuda.jit
def raising(x, out):
    i = cuda.grid(1)
    if x[i] > 10:
        raise ValueError("too large", i)
    out[i] = 1
    cuda.syncwarp()


@cuda.jit
def asserting(x, out):
    assert x[cuda.grid(1)] < 10, "not below 10"
    out[cuda.grid(1)] = 1


@cuda.jit
def outside(x, out):
    i = cuda.grid(1)
    out[i + 5] = x[i]
    cuda.syncthreads()


def integer_numbers(dtype):
    x = numpy.random.default_rng(3).integers(0, 100, 64).astype(dtype)
    return x if dtype[0] == "u" else x - 50


def nan_numbers(dtype):
    x = F.astype(dtype)
    x[[3, 40]] = numpy.nan
    return x


def particles():
    p = numpy.zeros(64, [("x", "f8"), ("n", "i4")])
    p["x"], p["n"] = F, LANES * 3
    return p


CONTENTS = {
    "indices": Row(indices, (2, 2), (4, 2, 2), lambda: [numpy.zeros((64, 7), "i8")], indices_want),
    "product": Row(product, (2, 1), (4, 4), lambda: [F[:32].astype("f4").reshape(4, 8), F.astype("f4").reshape(8, 8), numpy.zeros((4, 8), "f4")], product_want, tolerance=1e-5),
    "dynamic": Row(dynamic, 1, 32, lambda: [F[:32].astype("f4"), numpy.zeros(32)], dynamic_want, shared=256),
    "memories": Row(memories, 2, 32, lambda: [F.copy(), numpy.zeros(64)], memories_want, tolerance=1e-15),
    "barriers": Row(barriers, 2, 32, lambda: [F.copy(), numpy.zeros((64, 3), "i4")], barriers_want),
    "all_blocks": Row(all_blocks, 4, 16, lambda: [LANES * 7, LANES * 0, 5], all_blocks_want),
    **{f"shuffles_{t}": Row(cuda.jit(shuffles.py_func), 1, 32, lambda t=t: [F[:32].astype(t), numpy.zeros((32, 4), t)], shuffles_want) for t in ("i4", "i8", "f4", "f8")},
    "votes": Row(votes, 1, 32, lambda: [LANES[:32].copy(), numpy.zeros((32, 5), "i8")], votes_want),
    **{
        f"sums_{t}": Row(cuda.jit(sums.py_func), 2, 32, lambda t=t: [integer_numbers(t), numpy.array([1, 2, 3, 4], t), numpy.zeros((2, 4), t)], sums_want)
        for t in ("i4", "u4", "i8", "u8", "f4", "f8")
    },
    **{f"extremes_{t}": Row(cuda.jit(extremes.py_func), 2, 32, lambda t=t: [nan_numbers(t), numpy.array([1, 1, 1, 1, numpy.nan], t)], extremes_want) for t in ("f4", "f8")},
    **{f"words_{t}": Row(cuda.jit(words.py_func), 2, 32, lambda t=t: [integer_numbers(t), numpy.array([255, 0, 5, 6, 7, 8, 9], t), numpy.zeros(4, t)], words_want) for t in ("i4", "u4", "i8", "u8")},
    **{f"turns_{t}": Row(cuda.jit(turns_of.py_func), 2, 32, lambda t=t: [numpy.array([0, 30], t), numpy.zeros(64, "i4")], turns_of_want) for t in ("u4", "u8")},
    **{f"bits_{t}": Row(cuda.jit(bits.py_func), 2, 32, lambda t=t: [integer_numbers(t) * 1000003, numpy.zeros((64, 5), "i8")], bits_want) for t in ("i4", "i8")},
    "floats": Row(floats, 2, 32, lambda: [F.copy(), numpy.zeros((64, 8))], floats_want, tolerance=1e-14),
    "halves": Row(halves, 2, 32, lambda: [F.astype("f2"), (F * 0.3 + 1).astype("f2"), numpy.zeros((64, 5), "f2")], halves_want),
    "vectors": Row(vectors, 2, 32, lambda: [F.astype("f4"), numpy.zeros(64, "f4")], vectors_want, tolerance=1e-6),
    "library": Row(library, 2, 32, lambda: [F.copy() + 0.1, numpy.zeros((64, 8))], library_want, tolerance=2e-6),
    "printing": Row(printing, 2, 32, lambda: [F.copy()]),
    "records": Row(records, 2, 32, lambda: [particles(), numpy.zeros(64)], records_want),
    "slices": Row(slices, 1, 8, lambda: [F.reshape(8, 8).copy(), numpy.zeros((8, 4))], slices_want, tolerance=1e-14),
    "numbers": Row(numbers, 1, 32, lambda: [random.create_xoroshiro128p_states(32, seed=7), numpy.zeros((32, 4))]),
    "arguments": Row(arguments, 2, 32, lambda: [Pair(2.5, 1), (1, cuda.to_device(F)), 3, True, 2j, numpy.zeros(64, complex)],
                     lambda pair, plain, n, flag, z, out: arguments_want(pair, (1, F), n, flag, z, out)),
    "control": Row(control, 2, 64, lambda: [F.copy(), numpy.zeros(64)], control_want, tolerance=1e-13),
    "integers": Row(integers, 2, 32, lambda: [integer_numbers("i4") * 9, integer_numbers("i8") * 2 + 1, numpy.zeros((64, 7))], integers_want, tolerance=1e-15),
    "mathematics": Row(mathematics, 2, 32, lambda: [F + 0.1, numpy.zeros((64, 7))], mathematics_want, tolerance=1e-12),
    "complexes": Row(complexes, 2, 32, lambda: [F * 0.1 + 1j * F[::-1] * 0.1 + 0.05, numpy.zeros(64, complex), numpy.zeros(64)], complexes_want, tolerance=1e-12),
    "shapes": Row(shapes, 1, 32, lambda: [F[:30].reshape(6, 5).copy(), numpy.zeros((32, 3))], shapes_want, tolerance=1e-13),
    "raising": Row(raising, 2, 32, lambda: [F.copy(), numpy.zeros(64)]),
    "asserting": Row(asserting, 2, 32, lambda: [F.copy(), numpy.zeros(64)]),
    "outside": Row(outside, 2, 32, lambda: [F.copy(), numpy.zeros(64)]),
}  # fmt: skip


def main():
    if "--write" in sys.argv:
        GOLDEN.mkdir(exist_ok=True)
    answers = {}
    for name, row in CONTENTS.items():
        answers[name] = row.digest()
        if "--write" in sys.argv:
            (GOLDEN / f"{name}.ptx").write_text(row.ptx())
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
