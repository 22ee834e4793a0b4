"""Named routines: matrix product and sort."""

import numpy

from .programs import Absent, Program


def matrices(s):
    rng = numpy.random.default_rng(6)
    return rng.random((s.n, s.n)), rng.random((s.n, s.n))


def product(np, s):
    return lambda a, b: a @ b


def product_numba(nb, s):
    @nb.njit
    def run(a, b):
        return numpy.dot(a, b)

    return run


def sort(np, s):
    return lambda a: np.sort(a)


def sort_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a):
        return numpy.sort(a)

    return run


PROGRAMS = [
    Program(
        name="gemm",
        title="GEMM f64",
        full={"n": 2048},
        quick={"n": 1024},
        tiny={"n": 33},
        data=matrices,
        plain=product,
        peers={
            "numexpr": Absent("numexpr has no matrix product"),
            "numba": product_numba, "jax": product, "dask": product,
        },  # fmt: skip
        flops=lambda s: 2 * s.n**3,
        rtol=1e-11,
        versus="gemm",
        notes=("GEMM under Numba needs SciPy's BLAS; it is missing where SciPy is",),
    ),
    Program(
        name="sort",
        title="sort f64",
        full={"n": 10_000_000},
        quick={"n": 2_000_000},
        tiny={"n": 1003},
        data=lambda s: (numpy.random.default_rng(7).random(s.n),),
        plain=sort,
        peers={
            "numexpr": Absent("numexpr has no sort"),
            "numba": sort_numba,
            "jax": sort,
            "dask": Absent("Dask arrays have no sort"),
        },
        bytes=lambda s: 16 * s.n,
        rtol=0,
        atol=0,
    ),
]
