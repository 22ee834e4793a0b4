"""Kernels that other decorators make: guvectorize, prange, stencil; and one that looks for races."""

import math

import numpy
from weft import cuda
from weft.numba import float64, guvectorize, njit, prange, stencil

from .row import LANES, F, Row


@guvectorize(["void(float64[:, :], float64[:], float64[:])"], "(m,n),(n)->(m)")
def generalized(a, x, out):
    for i in range(a.shape[0]):
        total = 0.0
        for k in range(x.shape[0]):
            total += a[i, k] * x[k]
        out[i] = total


def generalized_want(a, x, out):
    out[:] = (a @ x[..., None])[..., 0]


@njit(parallel=True)
def loop(x, out):
    total = 0.0
    for i in prange(x.size):
        v = x[i]
        while v > 3:
            v = v / 2
        out[i] = math.sqrt(abs(v)) + x[i - 1]
        total += v
    out[0] = total


def loop_want(x, out):
    v = x.copy()
    while (v > 3).any():
        v = numpy.where(v > 3, v / 2, v)
    out[:] = numpy.sqrt(abs(v)) + numpy.roll(x, 1)
    out[0] = v.sum()


@stencil(neighborhood=((-1, 1), (-2, 0)), cval=7.0)
def around(a):
    total = 0.0
    for k in range(-2, 1):
        if a[0, k] > 0:
            total += a[0, k] * (k + 3)
    return total - a[-1, 0] - a[1, 0]


def neighbours(a, out):
    around(a, out=out)


def neighbours_want(a, out):
    out[:] = 7
    for i in range(1, a.shape[0] - 1):
        for j in range(2, a.shape[1]):
            out[i, j] = sum(a[i, j + k] * (k + 3) for k in range(-2, 1) if a[i, j + k] > 0) - a[i - 1, j] - a[i + 1, j]


@cuda.jit(debug=True)
def guarded(x, out):
    i = cuda.grid(1)
    own = cuda.shared.array(32, float64)
    own[cuda.threadIdx.x] = x[i]
    cuda.syncthreads()
    out[i] = own[31 - cuda.threadIdx.x] + i // 3


def guarded_want(x, out):
    out[:] = x.reshape(2, 32)[:, ::-1].ravel() + LANES // 3


@cuda.jit(debug=True)
def racing(x, out):
    i = cuda.grid(1)
    out[i % 9] = x[i]
    cuda.syncwarp()


ROWS = {
    "generalized": Row(generalized, None, None, lambda: [F[:48].reshape(4, 3, 4).copy(), F[:16].reshape(4, 4).copy(), numpy.zeros((4, 3))], generalized_want, tolerance=1e-13),
    "loop": Row(loop, None, None, lambda: [F.copy(), numpy.zeros(64)], loop_want, tolerance=1e-13),
    "neighbours": Row(neighbours, None, None, lambda: [F.reshape(8, 8).copy(), numpy.zeros((8, 8))], neighbours_want, tolerance=1e-13),
    "guarded": Row(guarded, 2, 32, lambda: [F.copy(), numpy.zeros(64)], guarded_want),
    "racing": Row(racing, 2, 32, lambda: [F.copy(), numpy.zeros(64)], wrong="RuntimeError: racing at"),
}  # fmt: skip
