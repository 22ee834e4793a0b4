"""Solvers and learning: conjugate gradients, k-means, logistic regression."""

import numpy

from .programs import Absent, Program

# ---- conjugate gradients on the 2-D Laplacian, matrix-free ----


def load(s):
    return (numpy.random.default_rng(8).random((s.n, s.n)),)


def cg(np, s):
    """A fixed number of steps; the two dot products of each are read, as a program with a tolerance does."""

    def laplacian(x):
        y = 4.0 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        y[:, 1:] -= x[:, :-1]
        y[:, :-1] -= x[:, 1:]
        return y

    def run(b):
        x, r = np.zeros_like(b), b.copy()
        p = r.copy()
        rr = float(np.sum(r * r))
        for _ in range(s.steps):
            ap = laplacian(p)
            alpha = rr / float(np.sum(p * ap))
            x += alpha * p
            r -= alpha * ap
            new = float(np.sum(r * r))
            p = r + (new / rr) * p
            rr = new
        return x

    return run


def cg_numexpr(ne, s):
    def laplacian(x):
        y = numpy.pad(x, 1)
        views = {"c": x, "n": y[:-2, 1:-1], "s": y[2:, 1:-1], "w": y[1:-1, :-2], "e": y[1:-1, 2:]}
        return ne.evaluate("4.0*c - n - s - w - e", views)

    def run(b):
        x, r = numpy.zeros_like(b), b.copy()
        p = r.copy()
        rr = float(ne.evaluate("sum(r*r)"))
        for _ in range(s.steps):
            ap = laplacian(p)
            alpha = rr / float(ne.evaluate("sum(p*ap)", {"p": p, "ap": ap}))
            ne.evaluate("x + alpha*p", {"x": x, "alpha": alpha, "p": p}, out=x)
            ne.evaluate("r - alpha*ap", {"r": r, "alpha": alpha, "ap": ap}, out=r)
            new = float(ne.evaluate("sum(r*r)"))
            ne.evaluate("r + beta*p", {"r": r, "beta": new / rr, "p": p}, out=p)
            rr = new
        return x

    return run


def cg_numba(nb, s):
    @nb.njit(parallel=True)
    def multiply(p, ap):
        n, m = p.shape
        t = 0.0
        for i in nb.prange(n):
            row = 0.0
            for j in range(m):
                y = 4.0 * p[i, j]
                if i > 0:
                    y -= p[i - 1, j]
                if i < n - 1:
                    y -= p[i + 1, j]
                if j > 0:
                    y -= p[i, j - 1]
                if j < m - 1:
                    y -= p[i, j + 1]
                ap[i, j] = y
                row += p[i, j] * y
            t += row
        return t

    @nb.njit(parallel=True)
    def advance(x, r, p, ap, alpha):
        n, m = p.shape
        t = 0.0
        for i in nb.prange(n):
            row = 0.0
            for j in range(m):
                x[i, j] += alpha * p[i, j]
                r[i, j] -= alpha * ap[i, j]
                row += r[i, j] * r[i, j]
            t += row
        return t

    @nb.njit(parallel=True)
    def turn(r, p, beta):
        n, m = p.shape
        for i in nb.prange(n):
            for j in range(m):
                p[i, j] = r[i, j] + beta * p[i, j]

    def run(b):
        x, r = numpy.zeros_like(b), b.copy()
        p, ap = r.copy(), numpy.empty_like(b)
        rr = float(numpy.sum(r * r))
        for _ in range(s.steps):
            new = advance(x, r, p, ap, rr / multiply(p, ap))
            turn(r, p, new / rr)
            rr = new
        return x

    return run


def cg_jax(np, s):
    import jax

    def run(b):
        def step(_, state):
            x, r, p, rr = state
            y = np.pad(p, 1)
            ap = 4.0 * p - y[:-2, 1:-1] - y[2:, 1:-1] - y[1:-1, :-2] - y[1:-1, 2:]
            alpha = rr / np.sum(p * ap)
            x, r = x + alpha * p, r - alpha * ap
            new = np.sum(r * r)
            return x, r, r + (new / rr) * p, new

        return jax.lax.fori_loop(0, s.steps, step, (np.zeros_like(b), b, b, np.sum(b * b)))[0]

    return run


def cg_dask(da, s):
    import dask

    def block(y):
        new = numpy.zeros_like(y)
        new[1:-1, 1:-1] = 4.0 * y[1:-1, 1:-1] - y[:-2, 1:-1] - y[2:, 1:-1] - y[1:-1, :-2] - y[1:-1, 2:]
        return new

    def run(b):
        x, r, p = da.zeros_like(b), b, b
        rr = float(da.sum(r * r))
        for _ in range(s.steps):
            ap = da.overlap.map_overlap(block, p, depth=1, boundary=0.0, dtype=p.dtype)
            ap, pap = dask.persist(ap, da.sum(p * ap))
            alpha = rr / float(pap)
            x, r = x + alpha * p, r - alpha * ap
            x, r, new = dask.persist(x, r, da.sum(r * r))
            p = r + (float(new) / rr) * p
            rr = float(new)
        return x

    return run


# ---- k-means ----


def points(s):
    rng = numpy.random.default_rng(9)
    x = rng.normal(size=(s.n, s.dims)) + 6.0 * rng.integers(0, 2, size=(s.n, s.dims))
    return x, x[: s.k].copy()


def kmeans(np, s):
    """Lloyd's steps: distances by the binomial formula, so that the products are a GEMM; sums by a second one."""

    def run(x, centers):
        one_of = np.arange(s.k)
        for _ in range(s.steps):
            distance = (centers * centers).sum(axis=1) - 2.0 * (x @ centers.T)
            label = distance.argmin(axis=1)
            member = (label[:, None] == one_of).astype(x.dtype)
            centers = (member.T @ x) / np.maximum(member.sum(axis=0), 1.0)[:, None]
        return centers

    return run


def kmeans_numba(nb, s):
    k, dims = s.k, s.dims

    @nb.njit(parallel=True)
    def step(x, centers):
        parts = nb.get_num_threads()
        sums, counts = numpy.zeros((parts, k, dims)), numpy.zeros((parts, k))
        for part in nb.prange(parts):
            for i in range(part * x.shape[0] // parts, (part + 1) * x.shape[0] // parts):
                best, nearest = numpy.inf, 0
                for c in range(k):
                    d = 0.0
                    for j in range(dims):
                        d += (x[i, j] - centers[c, j]) ** 2
                    if d < best:
                        best, nearest = d, c
                counts[part, nearest] += 1
                for j in range(dims):
                    sums[part, nearest, j] += x[i, j]
        return sums, counts

    def run(x, centers):
        for _ in range(s.steps):
            sums, counts = step(x, centers)
            centers = sums.sum(axis=0) / numpy.maximum(counts.sum(axis=0), 1.0)[:, None]
        return centers

    return run


# ---- logistic regression by gradient descent ----


def samples(s):
    rng = numpy.random.default_rng(10)
    x = rng.normal(size=(s.n, s.dims))
    truth = rng.normal(size=s.dims)
    return x, (x @ truth + rng.normal(size=s.n) > 0).astype("float64")


def logistic(np, s):
    def run(x, y):
        w = np.zeros(s.dims)
        for _ in range(s.steps):
            p = 1.0 / (1.0 + np.exp(-(x @ w)))
            w = w - 0.5 / s.n * (x.T @ (p - y))
        return w

    return run


def logistic_numexpr(ne, s):
    def run(x, y):
        w = numpy.zeros(s.dims)
        for _ in range(s.steps):
            error = ne.evaluate("1.0 / (1.0 + exp(-z)) - y", {"z": x @ w, "y": y})
            w = w - 0.5 / s.n * (x.T @ error)
        return w

    return run


def logistic_numba(nb, s):
    dims = s.dims

    @nb.njit(parallel=True)
    def gradient(x, y, w):
        parts = nb.get_num_threads()
        sums = numpy.zeros((parts, dims))
        for part in nb.prange(parts):
            for i in range(part * x.shape[0] // parts, (part + 1) * x.shape[0] // parts):
                z = 0.0
                for j in range(dims):
                    z += x[i, j] * w[j]
                error = 1.0 / (1.0 + numpy.exp(-z)) - y[i]
                for j in range(dims):
                    sums[part, j] += error * x[i, j]
        return sums

    def run(x, y):
        w = numpy.zeros(dims)
        for _ in range(s.steps):
            w = w - 0.5 / s.n * gradient(x, y, w).sum(axis=0)
        return w

    return run


PROGRAMS = [
    Program(
        name="cg",
        title="CG, 2-D Laplacian f64",
        full={"n": 2000, "steps": 20},
        quick={"n": 700, "steps": 10},
        tiny={"n": 23, "steps": 5},
        data=load,
        plain=cg,
        peers={"numexpr": cg_numexpr, "numba": cg_numba, "jax": cg_jax, "dask": cg_dask},
        bytes=lambda s: 80 * s.n * s.n,
        flops=lambda s: 15 * s.n * s.n,
        units=lambda s: s.steps,
        unit="step",
        rtol=1e-7,
        atol=1e-7,
        versus="copy",
    ),
    Program(
        name="kmeans",
        title="k-means f64",
        full={"n": 1_000_000, "dims": 16, "k": 8, "steps": 5},
        quick={"n": 200_000, "steps": 3},
        tiny={"n": 301, "steps": 3},
        data=points,
        plain=kmeans,
        peers={
            "numexpr": Absent("numexpr has neither argmin nor matrix products, which are the program"),
            "numba": kmeans_numba, "jax": kmeans, "dask": kmeans,
        },  # fmt: skip
        units=lambda s: s.steps,
        unit="step",
        rtol=1e-8,
        atol=1e-8,
    ),
    Program(
        name="logistic",
        title="logistic regression f64",
        full={"n": 1_000_000, "dims": 32, "steps": 10},
        quick={"n": 200_000, "steps": 5},
        tiny={"n": 203, "dims": 8, "steps": 4},
        data=samples,
        plain=logistic,
        peers={"numexpr": logistic_numexpr, "numba": logistic_numba, "jax": logistic, "dask": logistic},
        bytes=lambda s: 16 * s.n * s.dims,
        units=lambda s: s.steps,
        unit="step",
        rtol=1e-8,
        atol=1e-10,
        versus="read",
    ),
]
