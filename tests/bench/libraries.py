"""An adapter per library: how data gets in, when a result counts as done, how it gets out."""

import importlib
import os

import numpy

from .programs import Absent

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class Library:
    """What all libraries that work on NumPy's own arrays have in common."""

    name = "numpy"
    done = "the call's return"

    def __init__(self):
        self.module = importlib.import_module(self.name)
        self.version = self.module.__version__
        self.setup()

    def setup(self):
        """Give the library every core, as all the others."""

    def make(self, program, size):
        """The program's run function, or Absent."""
        if self.name in ("numpy", "weft"):
            return program.plain(self.module, size)
        maker = program.peers.get(self.name, Absent(f"nobody has written it for {self.name}"))
        return maker if isinstance(maker, Absent) else self.build(maker, size)

    def build(self, maker, size):
        return maker(self.module, size)

    def place(self, array):
        """The library's own copy of an array."""
        return array.copy() if isinstance(array, numpy.ndarray) else array

    def wait(self, result):
        """Return the result when it is computed."""
        return result

    def fetch(self, result):
        """The result as NumPy arrays."""
        parts = result if isinstance(result, tuple) else (result,)
        return tuple(numpy.asarray(x) for x in parts)


class Weft(Library):
    name = "weft"
    done = "weft.sync() after the call: every recorded operation has run"

    def setup(self):
        import weft as np  # as users do

        self.module = np
        self.version = np.weft_version

    def place(self, array):
        if not isinstance(array, numpy.ndarray):
            return array
        mine = self.module.array(array)
        self.module.sync()
        return mine

    def wait(self, result):
        self.module.sync()
        return result


class Numexpr(Library):
    name = "numexpr"

    def setup(self):
        self.module.set_num_threads(CORES)


class Numba(Library):
    name = "numba"

    def setup(self):
        self.module.set_num_threads(CORES)


class Jax(Library):
    name = "jax"
    done = "block_until_ready() on the results"

    def setup(self):
        self.module.config.update("jax_platforms", "cpu")
        self.module.config.update("jax_enable_x64", True)
        self.numpy = importlib.import_module("jax.numpy")

    def build(self, maker, size):
        run = maker(self.numpy, size)
        return run if getattr(maker, "compiles_itself", False) else self.module.jit(run)

    def place(self, array):
        if not isinstance(array, numpy.ndarray):
            return array
        return self.module.block_until_ready(self.numpy.array(array, copy=True))

    def wait(self, result):
        return self.module.block_until_ready(result)


class Dask(Library):
    name = "dask"
    done = "compute() of all results in one graph, on threads"

    def setup(self):
        self.arrays = importlib.import_module("dask.array")
        self.module.config.set(scheduler="threads", num_workers=CORES)

    def build(self, maker, size):
        return maker(self.arrays, size)

    def place(self, array):
        """Blocks of rows: two for each core at least, none above 32 MiB."""
        if not isinstance(array, numpy.ndarray):
            return array
        blocks = max(2 * CORES, -(-array.nbytes // (32 << 20))) if array.nbytes > 1 << 20 else 1
        rows = -(-array.shape[0] // blocks)
        return self.arrays.from_array(array, chunks=(rows, *array.shape[1:]))

    def wait(self, result):
        done = self.module.compute(*(result if isinstance(result, tuple) else (result,)))
        return done if isinstance(result, tuple) else done[0]


LIBRARIES = (Weft, Library, Numexpr, Numba, Jax, Dask)
PEERS = ("numexpr", "numba", "jax", "dask")


def load(why_missing):
    """The libraries that are there, by name, and why the others are not.

    why_missing says what went wrong when a library was to be installed, by name.
    """
    there, missing = {}, {}
    for library in LIBRARIES:
        try:
            there[library.name] = library()
        except ImportError as e:
            missing[library.name] = why_missing.get(library.name, str(e))
    return there, missing
