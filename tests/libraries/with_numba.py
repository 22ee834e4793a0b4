"""numba: compiled loops over arrays, NumPy inside them, signatures, ufuncs, stencils."""

import numpy as np
from numba import float64, guvectorize, jit, njit, prange, stencil, types, vectorize
from numba.typed import Dict, List

weights = np.array([0.25, 0.5, 0.25])
SCALE = np.float64(2)


@njit
def smooth(a):
    out = np.zeros_like(a)
    for i in range(1, a.size - 1):
        out[i] = (a[i - 1 : i + 2] * weights).sum() * SCALE
    return out


@njit(float64(float64[:, :]))
def trace(m):
    total = 0.0
    for i in range(min(m.shape)):
        total += m[i, i]
    return total


@njit("float64[:](float64[:], int64)")
def repeated(a, n):
    out = np.empty(a.size * n, dtype=np.float64)
    for k in range(n):
        out[k * a.size : (k + 1) * a.size] = np.sqrt(a) + k
    return out


@njit(parallel=True)
def total(a):
    s = 0.0
    for i in prange(a.shape[0]):
        s += np.sum(a[i])
    return s


@vectorize([float64(float64, float64)])
def scaled(x, y):
    return x * y + 1


@vectorize
def lazily(x):
    return x * 2


@guvectorize([(float64[:], float64[:])], "(n)->(n)")
def running(x, out):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        out[i] = s


@stencil
def laplace(a):
    return a[0, 1] + a[0, -1] + a[1, 0] + a[-1, 0] - 4 * a[0, 0]


@njit
def with_stencil(a):
    return laplace(a) + np.ones_like(a)


@jit(nopython=True)
def sorts(a, keys):
    order = np.argsort(a)
    counts = Dict.empty(types.int64, types.int64)
    for k in keys:
        counts[k] = counts.get(k, 0) + 1
    return a[order], counts, np.linalg.norm(a), np.dot(a, a), a.mean(), np.where(a > 1, a, 0.0)


@njit
def fills(a):
    a[:] = np.pi
    return len(a)


a = np.linspace(0, 3, 7)
m = np.arange(16.0).reshape(4, 4)
print(smooth(a).round(6), trace(m), repeated(a, 2).round(5), total(m), scaled(a, 2.0), lazily(np.arange(3)), lazily(a), running(m))
print(laplace(m), with_stencil(m), [v if not hasattr(v, "items") else dict(v) for v in sorts(a[::-1].copy(), np.array([1, 2, 1]))])
print(fills(a), a, fills(m[1]), m[1], smooth(m[:, 2]), isinstance(smooth(a), np.ndarray), (smooth(a) + np.ones(7)).sum().round(6), List([1, 2]))
