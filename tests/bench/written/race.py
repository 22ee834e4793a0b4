"""One program under NumPy and another module by turns."""

import gc
import json
import statistics
import time
import warnings
from dataclasses import dataclass, field

import numpy

from ..rest import rest


@dataclass
class Result:
    """What was found of one program: seconds of single calls."""

    name: str
    snippet: bool = False
    first: float = 0.0  # the module's first call
    numpy: list[float] = field(default_factory=list)
    module: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)  # seconds that kernels ran in these calls; empty where not known
    wrong: str = ""  # how the result differs, or how the call failed

    def ratio(self):
        """NumPy's time over the module's: the median of the rounds, each a pair of calls."""
        pairs = [n / m for n, m in zip(self.numpy, self.module, strict=True)]
        return statistics.median(pairs) if pairs else None

    def outside(self):
        """The share of the module's time in which no kernel ran; several that run at once count as often."""
        shares = [max(0.0, 1 - b / m) for b, m in zip(self.busy, self.module, strict=False)]
        return statistics.median(shares) if shares else None


class Numpy:
    """NumPy, or anything with its names that computes at once."""

    def __init__(self, module=numpy):
        self.np = module

    def once(self, row, size):
        """Seconds of a call, seconds of kernels in it (None where not known), the result."""
        gc.collect()
        rest()
        start = time.perf_counter()
        result = row.run(self.np, size)
        return time.perf_counter() - start, None, result


class Deferred(Numpy):
    """A module that records operations; it is done when every value is an array of NumPy's."""

    def once(self, row, size):
        gc.collect()
        rest()
        start = time.perf_counter()
        result = values(row.run(self.np, size))
        return time.perf_counter() - start, None, result


class Drawing:
    """A module that draws NumPy's random numbers: with those of its own, a program would be another one."""

    def __init__(self, module):
        self._module = module
        self.random = self

    def __getattr__(self, name):
        return getattr(self._module, name)

    def default_rng(self, seed=None):
        return Generator(numpy.random.default_rng(seed), self._module)


class Generator:
    """NumPy's generator; the arrays that it draws become the module's."""

    def __init__(self, rng, module):
        self._rng, self._module = rng, module

    def __getattr__(self, name):
        method = getattr(self._rng, name)

        def draw(*args, **options):
            drawn = method(*args, **options)
            return self._module.asarray(drawn) if isinstance(drawn, numpy.ndarray) else drawn

        return draw


class Weft(Numpy):
    """weft, with what its devices say of the time that they were busy.

    NumPy's scalars are as NumPy has them in all other turns.
    """

    def __init__(self):
        import weft

        super().__init__(weft)
        self.core = weft._core
        self.core.left(False)

    def once(self, row, size):
        gc.collect()
        rest()
        self.core.begin_cell(row.name, "")
        self.core.left(True)
        start = time.perf_counter()
        try:
            result = row.run(self.np, size)
            self.np.sync()
        finally:
            seconds = time.perf_counter() - start
            self.core.left(False)
            cost = self.core.end_cell()  # nothing for a program that recorded no operation
        busy = json.loads(cost)["busy_seconds"].values() if cost else ()
        return seconds, sum(busy), result


def values(result):
    """A program's results as a tuple of NumPy arrays."""
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(numpy.array(x) for x in parts)


def difference(row, got, want):
    """How results differ from NumPy's; nothing where they are as close as the row says."""
    if len(got) != len(want):
        return f"{len(got)} results, NumPy has {len(want)}"
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"result {i} is {g.dtype}{list(g.shape)}, NumPy's {w.dtype}{list(w.shape)}"
        if row.rtol == row.atol == 0:
            if not numpy.array_equal(g, w):
                return f"result {i} is not equal to NumPy's in {numpy.sum(g != w)} of {w.size} elements"
        elif not numpy.allclose(g, w, rtol=row.rtol, atol=row.atol, equal_nan=True):
            return f"result {i} differs from NumPy's by up to {numpy.nanmax(numpy.abs(g - w)):.3g}"
    return ""


def compare(row, scale, module):
    """A first call of each side; returns the module's Result with the time of it."""
    size, result = row.size(scale), Result(row.name, row.snippet)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = values(Numpy().once(row, size)[2])
        try:
            result.first, _, got = module.once(row, size)
            result.wrong = difference(row, values(got), want)
        except Exception as e:  # a program that fails is a line of the report
            result.wrong = f"{type(e).__name__}: {e}".splitlines()[0]
    return result


def race(row, scale, module, rounds, budget=20.0):
    """Rounds of one call each, NumPy's and the module's; fewer once they took budget seconds."""
    result, size, one = compare(row, scale, module), row.size(scale), Numpy()
    if result.wrong:
        return result
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module.once(row, size)  # a program's second call still learns
        for _ in range(rounds):
            result.numpy.append(one.once(row, size)[0])
            seconds, busy, _ = module.once(row, size)
            result.module.append(seconds)
            if busy is not None:
                result.busy.append(busy)
            if time.perf_counter() - start > budget:
                break
    return result
