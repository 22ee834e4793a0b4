"""What the machine can do: limits.c, compiled now for this machine, and OpenBLAS at its best core type."""

import ctypes
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

import numpy

from . import elementwise, grids
from .libraries import CORES, Library
from .programs import Absent

HERE = pathlib.Path(__file__).parent
FLAGS = [
    "-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-fopenmp", "-fno-tree-loop-distribute-patterns",
    "-fPIC",
]  # fmt: skip
INT, DOUBLE = ctypes.c_int64, ctypes.c_double


def aligned(shape, dtype):
    """An array whose first byte is at a multiple of 64, touched once."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape)) * dtype.itemsize
    raw = numpy.ones(count + 64, "uint8")
    return raw[-raw.ctypes.data % 64 :][:count].view(dtype).reshape(shape)


def compiled(folder):
    """limits.c as a library, or Absent with what the compiler said."""
    compiler = shlex.split(os.environ.get("BENCH_CC", "")) or ["gcc" if shutil.which("gcc") else "cc"]
    if not shutil.which(compiler[0]):
        return Absent(f"no C compiler: {compiler[0]} was not found")
    compiled, library = pathlib.Path(folder) / "limits.o", pathlib.Path(folder) / "limits.so"
    # A library that is linked with -ffast-math has the whole process, NumPy and weft too, lose subnormal numbers
    # from the moment it is loaded (GCC's crtfastmath.o): it is compiled with it only.
    for command in (
        [*compiler, *FLAGS, "-c", str(HERE / "limits.c"), "-o", str(compiled)],
        [*compiler, "-shared", "-fopenmp", str(compiled), "-o", str(library), "-lm"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return Absent(f"limits.c does not compile: {done.stderr.strip().splitlines()[-1]}")
    return ctypes.CDLL(str(library))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Limit(Library):
    """Hand-written C in the place of a library. Its results go into buffers that are made once."""

    name = "limit"
    done = "the call's return; results go into the same buffers every time"

    def __init__(self, folder):
        self.c = compiled(folder)
        self.version = " ".join(FLAGS[:5])

    def make(self, program, size):
        if not program.limit:
            return Absent("nobody has written it in C")
        if isinstance(self.c, Absent):
            return self.c
        kind, _, bits = program.limit.rpartition("_f")
        function = getattr(self.c, program.limit)
        return getattr(self, kind)(function, size, f"float{bits}")

    def triad(self, function, s, dtype):
        y = aligned(s.n, dtype)

        def run(a, b, c):
            function(pointer(a), pointer(b), pointer(c), pointer(y), INT(s.n))
            return y

        return run

    def sum(self, function, s, dtype):
        function.restype = DOUBLE
        return lambda a: function(pointer(a), INT(s.n))

    def black_scholes(self, function, s, dtype):
        call, put = aligned(s.n, dtype), aligned(s.n, dtype)
        rate, volatility = DOUBLE(elementwise.RATE), DOUBLE(elementwise.VOLATILITY)

        def run(price, strike, years):
            arrays = (pointer(x) for x in (price, strike, years, call, put))
            function(*arrays, INT(s.n), rate, volatility)
            return call, put

        return run

    def stencil(self, function, s, dtype):
        def run(u):
            function(pointer(u), INT(s.n), INT(s.n), INT(s.steps))
            return u

        return run

    def gray_scott(self, function, s, dtype):
        constants = [DOUBLE(x) for x in (grids.FEED, grids.KILL, grids.DU, grids.DV)]

        def run(u, v):
            function(pointer(u), pointer(v), INT(s.n), INT(s.n), INT(s.steps), *constants)
            return u, v

        return run


class Stream:
    """Memory bandwidth. sample() measures a kind once, so that rounds of programs can be interleaved with it."""

    KINDS = {"triad": 32, "copy": 16, "copy_around": 16, "read": 8}  # bytes an element

    def __init__(self, c, n):
        self.c, self.n = c, n
        self.samples = {kind: [] for kind in self.KINDS}
        self.arrays = [] if isinstance(c, Absent) else [aligned(n, "float64") for _ in range(4)]
        if self.arrays:
            c.sum_f64.restype = DOUBLE

    def sample(self, kind):
        """The bandwidth now, as a list of one, and kept; an empty list without a compiler."""
        if not self.arrays:
            return []
        a, b, c, y = (pointer(x) for x in self.arrays)
        start = time.perf_counter()
        if kind == "triad":
            self.c.triad_f64(a, b, c, y, INT(self.n))
        elif kind == "read":
            self.c.sum_f64(a, INT(self.n))
        else:
            getattr(self.c, kind)(a, y, INT(self.n))
        rate = self.KINDS[kind] * self.n / (time.perf_counter() - start)
        self.samples[kind].append(rate)
        return [rate]

    def all(self, rounds):
        for _ in range(rounds):
            for kind in self.KINDS:
                self.sample(kind)

    def bandwidth(self, kind):
        """The median in bytes a second; 0 if it could not be measured."""
        return statistics.median(self.samples[kind]) if self.samples[kind] else 0.0


# Run by itself, this multiplies with NumPy's OpenBLAS, whose core type the environment names.
_GEMM = """
import sys, time, json, numpy
n, rounds = int(sys.argv[1]), int(sys.argv[2])
a, b = numpy.random.default_rng(6).random((2, n, n))
a @ b
times = []
for _ in range(rounds):
    start = time.perf_counter()
    a @ b
    times.append(time.perf_counter() - start)
print(json.dumps(sorted(times)[len(times) // 2]))
"""

CORE_TYPES = ("", "Haswell", "SkylakeX", "Cooperlake", "Sapphirerapids", "Zen")


def gemm(n, rounds):
    """OpenBLAS's median FLOP/s for each core type that works here."""
    rates = {}
    with open("/proc/cpuinfo") as f:
        wide = "avx512f" in f.read()
    for core in CORE_TYPES:
        if not wide and core in ("SkylakeX", "Cooperlake", "Sapphirerapids"):
            continue
        env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
        env["OPENBLAS_NUM_THREADS"] = str(CORES)
        if core:
            env["OPENBLAS_CORETYPE"] = core
        done = subprocess.run([sys.executable, "-c", _GEMM, str(n), str(rounds)], capture_output=True, text=True, env=env)
        if done.returncode == 0:
            rates[core or "as detected"] = 2 * n**3 / json.loads(done.stdout)
    return rates
