"""Reductions: sum, dot, and Monte Carlo integration."""

import numpy

from .programs import Program


def vectors(count):
    def data(s):
        rng = numpy.random.default_rng(3)
        return tuple(rng.random(s.n) for _ in range(count))

    return data


def total(np, s):
    return lambda a: np.sum(a)


def total_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a):
        t = 0.0
        for i in nb.prange(a.size):
            t += a[i]
        return t

    return run


def dot(np, s):
    return lambda a, b: np.dot(a, b)


def dot_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a, b):
        t = 0.0
        for i in nb.prange(a.size):
            t += a[i] * b[i]
        return t

    return run


# ---- Monte Carlo: the area of a quarter of a circle, with each library's own generator, unseeded ----


def monte_carlo(np, s):
    rng = np.random.default_rng()

    def run():
        x, y = rng.random(s.n), rng.random(s.n)
        return 4.0 * np.mean(x * x + y * y < 1.0)

    return run


def monte_carlo_numexpr(ne, s):
    rng = numpy.random.default_rng()

    def run():
        x, y = rng.random(s.n), rng.random(s.n)  # numexpr has no generator
        return 4.0 * float(ne.evaluate("sum(where(x*x + y*y < 1.0, 1, 0))", {"x": x, "y": y})) / s.n

    return run


def monte_carlo_numba(nb, s):
    n = s.n

    @nb.njit(parallel=True)
    def run():
        hits = 0
        for _ in nb.prange(n):
            x, y = numpy.random.random(), numpy.random.random()
            hits += x * x + y * y < 1.0
        return 4.0 * hits / n

    return run


def monte_carlo_jax(np, s):
    import jax

    def area(key):
        one, two = jax.random.split(key)
        x, y = jax.random.uniform(one, (s.n,), "float64"), jax.random.uniform(two, (s.n,), "float64")
        return 4.0 * np.mean(x * x + y * y < 1.0)

    compiled, seeds = jax.jit(area), iter(range(1 << 30))
    return lambda: compiled(jax.random.key(next(seeds)))


monte_carlo_jax.compiles_itself = True


def monte_carlo_dask(da, s):
    def run():
        rng = da.random.default_rng()
        x, y = rng.random(s.n), rng.random(s.n)
        return 4.0 * da.mean(x * x + y * y < 1.0)

    return run


PROGRAMS = [
    Program(
        name="sum",
        title="sum f64",
        full={"n": 50_000_000},
        quick={"n": 20_000_000},
        tiny={"n": 40_001},
        data=vectors(1),
        plain=total,
        peers={
            "numexpr": lambda ne, s: lambda a: ne.evaluate("sum(a)"),
            "numba": total_numba, "jax": total, "dask": lambda da, s: lambda a: da.sum(a),
        },  # fmt: skip
        bytes=lambda s: 8 * s.n,
        flops=lambda s: s.n,
        rtol=1e-12,
        limit="sum_f64",
        versus="read",
    ),
    Program(
        name="dot",
        title="dot f64",
        full={"n": 50_000_000},
        quick={"n": 20_000_000},
        tiny={"n": 40_001},
        data=vectors(2),
        plain=dot,
        peers={
            "numexpr": lambda ne, s: lambda a, b: ne.evaluate("sum(a*b)"),
            "numba": dot_numba, "jax": dot, "dask": lambda da, s: lambda a, b: da.dot(a, b),
        },  # fmt: skip
        bytes=lambda s: 16 * s.n,
        flops=lambda s: 2 * s.n,
        rtol=1e-12,
        versus="read",
    ),
    Program(
        name="monte_carlo",
        title="Monte Carlo",
        full={"n": 100_000_000},
        quick={"n": 5_000_000},
        tiny={"n": 50_000},
        data=lambda s: (),
        plain=monte_carlo,
        peers={
            "numexpr": monte_carlo_numexpr, "numba": monte_carlo_numba, "jax": monte_carlo_jax, "dask": monte_carlo_dask,
        },  # fmt: skip
        # Two estimates of pi from different draws: at 50,000 draws 0.05 is five standard deviations of their difference.
        rtol=0,
        atol=0.05,
        notes=("Monte Carlo: each library's own unseeded generator; numexpr has none and takes NumPy's",),
    ),
]
