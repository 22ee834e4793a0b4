"""Threads, their blocks and their memory: indices, shared, local and constant arrays, barriers, grids that meet, what is printed and what is wrong."""

import numpy
import weft as np
from weft import cuda
from weft.numba import float32, float64, int32

from .row import LANES, F, Row

TABLE = numpy.array([3.0, 1.0, 4.0, 1.0, 5.0])
SIDE = 4


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
def printing(x):
    i = cuda.grid(1)
    if i % 20 == 0:
        print("thread", i, x[i], x[i] > 1, (i, 2.5))


PRINTED = "".join(f"thread {i} {F[i]:.6f} {F[i] > 1} ({i}, 2.500000)\n" for i in (0, 20, 40, 60))


def printing_want(x):
    """It writes nothing."""


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


ROWS = {
    "indices": Row(indices, (2, 2), (4, 2, 2), lambda: [numpy.zeros((64, 7), "i8")], indices_want),
    "product": Row(product, (2, 1), (4, 4), lambda: [F[:32].astype("f4").reshape(4, 8), F.astype("f4").reshape(8, 8), numpy.zeros((4, 8), "f4")], product_want, tolerance=1e-5),
    "dynamic": Row(dynamic, 1, 32, lambda: [F[:32].astype("f4"), numpy.zeros(32)], dynamic_want, shared=256),
    "memories": Row(memories, 2, 32, lambda: [F.copy(), numpy.zeros(64)], memories_want, tolerance=1e-15),
    "barriers": Row(barriers, 2, 32, lambda: [F.copy(), numpy.zeros((64, 3), "i4")], barriers_want),
    "all_blocks": Row(all_blocks, 4, 16, lambda: [LANES * 7, LANES * 0, 5], all_blocks_want),
    "printing": Row(printing, 2, 32, lambda: [F.copy()], printing_want, said=PRINTED),
    "raising": Row(raising, 2, 32, lambda: [F.copy(), numpy.zeros(64)], wrong="ValueError: raising at"),
    "asserting": Row(asserting, 2, 32, lambda: [F.copy(), numpy.zeros(64)], wrong="AssertionError: asserting at"),
    "outside": Row(outside, 2, 32, lambda: [F.copy(), numpy.zeros(64)], wrong="IndexError: outside at"),
}  # fmt: skip
