"""Named routines: matrix product, sorts, selection, distinct elements."""

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


def argsort(np, s):
    return lambda a: np.argsort(a)


def argsort_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a):
        return numpy.argsort(a)

    return run


def partition(np, s):
    """The median by selection; what stands around it is each library's own affair."""
    return lambda a: np.partition(a, s.n // 2)[s.n // 2 : s.n // 2 + 1]


def partition_numba(nb, s):
    middle = s.n // 2

    @nb.njit(parallel=True)
    def run(a):
        return numpy.partition(a, middle)[middle : middle + 1]

    return run


def unique(np, s):
    return lambda a: np.unique(a)


def unique_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a):
        return numpy.unique(a)

    return run


def reals(s):
    return (numpy.random.default_rng(7).random(s.n),)


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
        data=reals,
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
    Program(
        name="argsort",
        title="argsort f64",
        full={"n": 10_000_000},
        quick={"n": 2_000_000},
        tiny={"n": 1003},
        data=reals,
        plain=argsort,
        peers={
            "numexpr": Absent("numexpr has no sort"),
            "numba": argsort_numba,
            "jax": argsort,
            "dask": Absent("Dask arrays have no sort"),
        },
        bytes=lambda s: 16 * s.n,
        rtol=0,
        atol=0,
    ),
    Program(
        name="partition",
        title="partition at the median f64",
        full={"n": 10_000_000},
        quick={"n": 2_000_000},
        tiny={"n": 1003},
        data=reals,
        plain=partition,
        peers={
            "numexpr": Absent("numexpr has no partition"),
            "numba": partition_numba,
            "jax": partition,
            "dask": Absent("Dask arrays have no partition"),
        },
        bytes=lambda s: 16 * s.n,
        rtol=0,
        atol=0,
    ),
    Program(
        name="unique",
        title="unique f64",
        full={"n": 10_000_000},
        quick={"n": 2_000_000},
        tiny={"n": 1003},
        data=lambda s: (numpy.random.default_rng(7).integers(0, s.n // 10, s.n).astype("float64"),),
        plain=unique,
        peers={
            "numexpr": Absent("numexpr has no unique"),
            "numba": unique_numba,
            "jax": Absent("the length of jax.numpy.unique's result is not known when it is compiled"),
            "dask": Absent("the length of dask.array.unique's result is not known"),
        },
        bytes=lambda s: 16 * s.n,
        rtol=0,
        atol=0,
    ),
]
