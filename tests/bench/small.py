"""Small operations in Python loops, where the cost of a call is all that counts.

Each result goes into the next one or into a sum that is read, so that no library may leave one out.
"""

import numpy

from .programs import Absent, Program

SLOW = Absent("Dask takes about a millisecond for each operation on an array, however small")


def pair(s):
    rng = numpy.random.default_rng(11)
    return rng.random(s.n), rng.random(s.n)


def axpy(np, s):
    def run(x, y):
        for _ in range(s.loops):
            x += 2 * y
        return x

    return run


def axpy_numexpr(ne, s):
    def run(x, y):
        for _ in range(s.loops):
            ne.evaluate("x + 2*y", {"x": x, "y": y}, out=x)
        return x

    return run


def axpy_numba(nb, s):
    @nb.njit
    def step(x, y):
        x += 2 * y

    def run(x, y):
        for _ in range(s.loops):
            step(x, y)
        return x

    return run


def axpy_jax(np, s):
    import jax

    step = jax.jit(lambda x, y: x + 2 * y)

    def run(x, y):
        for _ in range(s.loops):
            x = step(x, y)
        return x

    return run


axpy_jax.compiles_itself = True


def add(np, s):
    def run(x, a):
        for _ in range(s.loops):
            x = x + a
        return x

    return run


def add_numexpr(ne, s):
    def run(x, a):
        for _ in range(s.loops):
            x = ne.evaluate("x + a", {"x": x, "a": a})
        return x

    return run


def add_numba(nb, s):
    @nb.njit
    def step(x, a):
        return x + a

    def run(x, a):
        for _ in range(s.loops):
            x = step(x, a)
        return x

    return run


def add_jax(np, s):
    import jax

    step = jax.jit(lambda x, a: x + a)

    def run(x, a):
        for _ in range(s.loops):
            x = step(x, a)
        return x

    return run


add_jax.compiles_itself = True


def read(np, s):
    def run(a):
        t = 0.0
        for _ in range(s.loops):
            t += float(np.sum(a))
        return t

    return run


def read_numexpr(ne, s):
    def run(a):
        t = 0.0
        for _ in range(s.loops):
            t += float(ne.evaluate("sum(a)", {"a": a}))
        return t

    return run


def read_numba(nb, s):
    @nb.njit
    def total(a):
        return numpy.sum(a)

    def run(a):
        t = 0.0
        for _ in range(s.loops):
            t += total(a)
        return t

    return run


def read_jax(np, s):
    import jax

    total = jax.jit(np.sum)

    def run(a):
        t = 0.0
        for _ in range(s.loops):
            t += float(total(a))
        return t

    return run


read_jax.compiles_itself = True


def row(name, title, n, loops, quick, plain, peers, **more):
    return Program(
        name=name,
        title=title,
        full={"n": n, "loops": loops},
        quick={"loops": quick},
        tiny={"loops": 30},
        plain=plain,
        peers={**peers, "dask": SLOW},
        units=lambda s: s.loops,
        unit="loop",
        rtol=1e-12,
        **more,
    )


AXPY = {"numexpr": axpy_numexpr, "numba": axpy_numba, "jax": axpy_jax}
ADD = {"numexpr": add_numexpr, "numba": add_numba, "jax": add_jax}
READ = {"numexpr": read_numexpr, "numba": read_numba, "jax": read_jax}
PROGRAMS = [
    row("axpy_loop", "x += 2*y, n=1024", 1024, 100_000, 5_000, axpy, AXPY, data=pair, written=(0,)),
    row("add_10", "x = x + a, n=10", 10, 20_000, 5_000, add, ADD, data=pair),
    row("add_1000", "x = x + a, n=1000", 1000, 20_000, 5_000, add, ADD, data=pair),
    row("float_sum", "t += float(sum), n=1000", 1000, 10_000, 2_000, read, READ, data=lambda s: pair(s)[:1]),
]
