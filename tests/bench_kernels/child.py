"""python -m bench_kernels.child WHAT [--quick]: times one way to run the programs, and prints the milliseconds as JSON."""

import json
import sys
import time
import warnings

import numpy

from . import programs

warnings.simplefilter("ignore")


def best(run, seconds=1.0, least=3):
    """The least milliseconds that a call took, of as many as there is time for."""
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < least or time.perf_counter() < end:
        before = time.perf_counter()
        run()
        taken.append((time.perf_counter() - before) * 1e3)
    return min(taken)


def first(run):
    """The milliseconds of one call."""
    before = time.perf_counter()
    run()
    return (time.perf_counter() - before) * 1e3


def of_weft(quick):
    """Kernels, launches and @vectorize on weft's arrays."""
    import weft
    from weft import cuda
    from weft.numba import float32, vectorize

    made, kernels = {}, programs.cuda_kernels(cuda, float32)
    for name, (args, grid, block) in programs.sizes(True).items():  # small, so that compiling is what takes time
        small = [weft.array(a) if isinstance(a, numpy.ndarray) else a for a in args]
        weft.sync()

        def once(name=name, small=small, grid=grid, block=block):
            kernels[name][grid, block](*small)
            cuda.synchronize()

        made[f"{name} first"] = first(once)
    for name, (args, grid, block) in programs.sizes(quick).items():
        mine = [weft.array(a) if isinstance(a, numpy.ndarray) else a for a in args]
        weft.sync()

        def run(name=name, mine=mine, grid=grid, block=block):
            kernels[name][grid, block](*mine)
            cuda.synchronize()

        made[name] = best(run)
    checked = programs.cuda_kernels(cuda, float32, debug=True, opt=False)
    for name, (args, grid, block) in programs.sizes(quick).items():
        mine = [weft.array(a) if isinstance(a, numpy.ndarray) else a for a in args]
        weft.sync()

        def run_checked(name=name, mine=mine, grid=grid, block=block):
            checked[name][grid, block](*mine)
            cuda.synchronize()

        run_checked()
        made[f"{name} checked"] = best(run_checked)
    add = cuda.jit(axpy_of(cuda))
    x, y = weft.ones(64), weft.ones(64)
    configured = add[1, 64]

    def launches():
        for _ in range(200):
            configured(2.0, x, y)

    launches()
    cuda.synchronize()
    made["launch"] = best(launches) / 200
    cuda.synchronize()
    f = vectorize(programs.formula)
    n = 10**5 if quick else 10**7
    u, v = weft.linspace(0, 1, n), weft.linspace(1, 2, n)
    weft.sync()

    def whole():
        out = f(u, v)
        cuda.synchronize()
        return out

    whole()
    made["vectorize"] = best(whole)
    return made


def axpy_of(cuda):
    """The kernel whose launch is timed."""

    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    return axpy


def of_numba(quick):
    """Numba's loops and @vectorize on all cores."""
    import numba

    made, loops = {}, programs.loops(numba.njit, numba.prange)
    for name, (args, _, _) in programs.sizes(True).items():
        made[f"{name} first"] = first(lambda name=name, args=args: loops[name](*args))
    for name, (args, _, _) in programs.sizes(quick).items():
        made[name] = best(lambda name=name, args=args: loops[name](*args))
    f = numba.vectorize(["float64(float64, float64)"], target="parallel")(programs.formula)
    n = 10**5 if quick else 10**7
    u, v = numpy.linspace(0, 1, n), numpy.linspace(1, 2, n)
    f(u, v)
    made["vectorize"] = best(lambda: f(u, v))
    return made


def of_simulator(quick):
    """Numba's simulator on small parts of the programs: a block of the first, and as many threads of the others."""
    from numba import cuda, float32

    made, kernels = {}, programs.cuda_kernels(cuda, float32)
    for name, (args, _, block) in programs.sizes(quick).items():
        grid = 1 if isinstance(block, int) else (1, 1)
        made[name] = first(lambda name=name, args=args, grid=grid, block=block: kernels[name][grid, block](*args))
    return made


WAYS = {"weft": of_weft, "numba": of_numba, "simulator": of_simulator}

if __name__ == "__main__":
    print(json.dumps(WAYS[sys.argv[1]]("--quick" in sys.argv)))
