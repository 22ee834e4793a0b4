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


def quantile(np, s):
    """One quantile: NumPy wants the smallest and the largest element with it."""
    return lambda a: np.atleast_1d(np.quantile(a, 0.3))


def quantile_numba(nb, s):
    @nb.njit
    def run(a):
        return numpy.array([numpy.quantile(a, 0.3)])

    return run


def unique(np, s):
    return lambda a: np.unique(a)


def unique_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a):
        return numpy.unique(a)

    return run


def table_and_columns(s):
    rng = numpy.random.default_rng(9)
    return rng.random((s.n, s.columns)), rng.integers(0, s.columns, s.taken)


def take(np, s):
    return lambda a, i: np.take(a, i, axis=1)


def take_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a, i):
        made = numpy.empty((a.shape[0], i.size))
        for row in nb.prange(a.shape[0]):
            for k in range(i.size):
                made[row, k] = a[row, i[k]]
        return made

    return run


def stacks(s):
    rng = numpy.random.default_rng(10)
    return rng.random((s.n, s.rows, s.columns)), rng.random((s.n, s.rows, s.columns))


def einsum(np, s):
    """Each matrix times the transposed one of the other stack."""
    return lambda a, b: np.einsum("kac,kbc->kab", a, b)


def einsum_numba(nb, s):
    @nb.njit(parallel=True)
    def run(a, b):
        made = numpy.zeros((s.n, s.rows, s.rows))
        for k in nb.prange(s.n):
            for i in range(s.rows):
                for j in range(s.rows):
                    for c in range(s.columns):
                        made[k, i, j] += a[k, i, c] * b[k, j, c]
        return made

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
        name="quantile",
        title="quantile f64",
        full={"n": 5_000_000},
        quick={"n": 1_000_000},
        tiny={"n": 5003},
        data=reals,
        plain=quantile,
        peers={
            "numexpr": Absent("numexpr has no quantile"),
            "numba": quantile_numba,
            "jax": quantile,
            "dask": Absent("Dask has approximate quantiles only"),
        },
        bytes=lambda s: 8 * s.n,
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
    Program(
        name="take",
        title="take 20 of 32 columns f64",
        full={"n": 1_000_000, "columns": 32, "taken": 20},
        quick={"n": 20_000, "columns": 32, "taken": 20},
        tiny={"n": 103, "columns": 7, "taken": 5},
        data=table_and_columns,
        plain=take,
        peers={
            "numexpr": Absent("numexpr has no indexing"),
            "numba": take_numba,
            "jax": take,
            "dask": take,
        },
        bytes=lambda s: 16 * s.n * s.taken,
        rtol=0,
        atol=0,
    ),
    Program(
        name="einsum_3",
        title="einsum of 3x3 matrices f64",
        full={"n": 1_000_000, "rows": 3, "columns": 3},
        quick={"n": 100_000, "rows": 3, "columns": 3},
        tiny={"n": 11, "rows": 3, "columns": 3},
        data=stacks,
        plain=einsum,
        peers={
            "numexpr": Absent("numexpr has no sums over an axis of products"),
            "numba": einsum_numba,
            "jax": einsum,
            "dask": einsum,
        },
        flops=lambda s: 2 * s.n * s.rows**2 * s.columns,
        rtol=1e-11,
    ),
    Program(
        name="einsum_20",
        title="einsum of 20x20 matrices f64",
        full={"n": 20_000, "rows": 20, "columns": 20},
        quick={"n": 2_000, "rows": 20, "columns": 20},
        tiny={"n": 5, "rows": 12, "columns": 12},
        data=stacks,
        plain=einsum,
        peers={
            "numexpr": Absent("numexpr has no sums over an axis of products"),
            "numba": einsum_numba,
            "jax": einsum,
            "dask": einsum,
        },
        flops=lambda s: 2 * s.n * s.rows**2 * s.columns,
        rtol=1e-11,
    ),
]
