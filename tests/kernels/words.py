"""Warps, and words that threads share: shuffles, votes, atomics, and the bits of integers."""

import numpy
from weft import cuda

from .row import LANES, F, Row, integer_numbers, nan_numbers


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
    """Integers are never NaN: nanmax and nanmin are max and min."""
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


ROWS = {
    **{f"shuffles_{t}": Row(cuda.jit(shuffles.py_func), 1, 32, lambda t=t: [F[:32].astype(t), numpy.zeros((32, 4), t)], shuffles_want) for t in ("i4", "i8", "f4", "f8")},
    "votes": Row(votes, 1, 32, lambda: [LANES[:32].copy(), numpy.zeros((32, 5), "i8")], votes_want),
    **{
        f"sums_{t}": Row(cuda.jit(sums.py_func), 2, 32, lambda t=t: [integer_numbers(t), numpy.array([1, 2, 3, 4], t), numpy.zeros((2, 4), t)], sums_want)
        for t in ("i4", "u4", "i8", "u8", "f4", "f8")
    },
    **{f"extremes_{t}": Row(cuda.jit(extremes.py_func), 2, 32, lambda t=t: [nan_numbers(t), numpy.array([1, 1, 1, 1, numpy.nan], t)], extremes_want) for t in ("f4", "f8")},
    **{f"extremes_{t}": Row(cuda.jit(extremes.py_func), 2, 32, lambda t=t: [integer_numbers(t), numpy.array([40, 40, 40, 40, 0], t)], extremes_want) for t in ("i4", "u4", "i8", "u8")},
    **{f"words_{t}": Row(cuda.jit(words.py_func), 2, 32, lambda t=t: [integer_numbers(t), numpy.array([255, 0, 5, 6, 7, 8, 9], t), numpy.zeros(4, t)], words_want) for t in ("i4", "u4", "i8", "u8")},
    **{f"turns_{t}": Row(cuda.jit(turns_of.py_func), 2, 32, lambda t=t: [numpy.array([0, 30], t), numpy.zeros(64, "i4")], turns_of_want) for t in ("u4", "u8")},
    **{f"bits_{t}": Row(cuda.jit(bits.py_func), 2, 32, lambda t=t: [integer_numbers(t) * 1000003, numpy.zeros((64, 5), "i8")], bits_want) for t in ("i4", "i8")},
}  # fmt: skip
