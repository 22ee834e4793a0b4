"""Single functions over 1e3 to 1e6 elements that are there already, under NumPy and weft by turns.

    PYTHONPATH=tests .venv/bin/python -m bench.functions [--rounds N] [--only WORD] [--markdown FILE]

A call is an expression; its results are kept until all are computed, so that none may be left out. Results are compared with NumPy's before anything is timed.
"""

import argparse
import gc
import math
import os
import pathlib
import platform
import statistics
import sys
import time
import warnings
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy

from . import heap
from .report import lines_up, seconds_text
from .rest import rest
from .written import race

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7
TURN = 1_000_000  # elements of all results that are timed together, which are kept, and
TURN_SECONDS = 0.02  # how long they take NumPy

# x and y are n floats, s the same in order, k integers below 1000, i places, b what holds for a third, c complex numbers, m and q square
# matrices of about n elements, v as many floats as m has rows, t ten floats.
FUNCTIONS = """
x + y | x * x + y | np.exp(x) | np.sin(x) | np.sqrt(x) | np.abs(x) | x > 0.5 | np.where(x > 0.5, x, y) | np.clip(x, 0.2, 0.8) | np.round(x, 2)
x.copy() | x.astype(np.float32) | k.astype(float) | np.isnan(x) | np.maximum(x, y) | x ** 2 | k % 7 | k // 3 | np.abs(c) | c * c
np.zeros(n) | np.ones(n) | np.arange(n) | np.linspace(0, 1, n) | np.full(n, 2.5) | np.zeros_like(x)
x.sum() | x.mean() | x.std() | x.var() | x.min() | x.max() | x.prod() | np.ptp(x) | k.sum() | k.max() | b.sum() | x.argmax() | k.argmin() | np.any(b) | np.all(b)
np.count_nonzero(b) | np.count_nonzero(x) | np.any(x > 2) | np.average(x, weights=y) | np.allclose(x, x) | np.array_equal(x, y) | np.linalg.norm(x) | np.dot(x, y) | np.vdot(x, y)
m.sum(axis=0) | m.sum(axis=1) | m.mean(axis=0) | m.max(axis=1) | m.argmax(axis=1) | np.cumsum(m, axis=1) | np.sort(m, axis=1) | m.T.copy() | m.std(axis=0)
np.cumsum(x) | np.cumprod(y) | np.cumsum(k) | np.diff(x) | np.gradient(x) | np.maximum.accumulate(x) | np.trapezoid(x, s)
np.sort(x) | np.sort(k) | np.argsort(x) | np.argsort(k, kind="stable") | np.partition(x, n // 2)[n // 2] | x[np.argpartition(x, n // 2)[n // 2]] | np.median(x) | np.percentile(x, 90) | np.quantile(x, [0.1, 0.5])
np.searchsorted(s, y) | np.searchsorted(s, t) | np.digitize(x, t) | np.unique(x) | np.unique(k) | np.unique(k, return_counts=True) | np.bincount(k) | np.bincount(k, weights=x)
np.histogram(x, 50)[0] | np.isin(k, k[:20]) | np.intersect1d(k, k[:50]) | np.lexsort((x, k)) | np.interp(y, s, x) | np.interp(t, s, x)
x[i] | np.take(x, i) | x[b] | np.compress(b, x) | np.nonzero(b)[0] | np.flatnonzero(x > 0.9) | np.argwhere(b) | np.extract(b, x) | m[:, 1:3].copy() | m[m > 0.5]
np.roll(x, 5) | x[::-1].copy() | np.flip(m, 0).copy() | np.repeat(x, 2) | np.tile(x, 2) | np.concatenate([x, y]) | np.stack([x, y]) | np.column_stack([x, y]) | np.append(x, 1.0) | np.delete(x, 5)
np.insert(x, 5, 1.0) | np.pad(x, 3) | np.pad(m, 1) | np.triu(m) | np.split(x, 4)[1].copy() | np.meshgrid(v, v)[0] | np.kron(t, t) | np.outer(v, v) | np.broadcast_to(v, m.shape).copy() | np.rot90(m).copy()
np.convolve(x, t) | np.correlate(x, t, "same") | np.convolve(x, t, "valid") | np.polyval(t, x) | np.polyfit(s, x, 2) | np.vander(x, 3) | np.cov(m[:, :4].T) | np.corrcoef(x, y)
np.fft.fft(x) | np.fft.ifft(c) | np.fft.fft(c) | np.fft.rfft(x) | np.fft.irfft(c) | np.fft.fft2(m) | np.fft.fftshift(x) | np.fft.fft(m, axis=0)
m @ v | m @ m | m.T @ m | np.einsum("ij,j->i", m, v) | np.einsum("ij,ij->i", m, m) | np.tensordot(m, m, 1) | np.inner(v, v) | np.linalg.solve(q, v) | np.linalg.inv(q) | np.linalg.det(q) | np.linalg.cholesky(q)
np.linalg.qr(m)[1] ** 2 | np.linalg.lstsq(q, v, rcond=None)[0] | np.linalg.eigvalsh(q) | np.linalg.eigh(q)[0] | np.linalg.svd(m, compute_uv=False) | np.linalg.eigvals(q).real.max() | np.trace(m) | np.linalg.matrix_power(m, 3)
r.random(n) | r.normal(size=n) | r.integers(0, 10, n) | r.permutation(k) | r.choice(x, 100) | r.exponential(size=n) | np.nansum(x) | np.nanmean(x) | np.nan_to_num(x) | np.logical_and(b, b) | np.heaviside(x, 0.5)
np.add.reduceat(x, i[:8].copy()) | np.select([x > 0.7, x > 0.3], [x, y]) | np.piecewise(x, [x < 0.5, x >= 0.5], [0.0, 1.0]) | np.sign(x) | np.floor(x) | np.hypot(x, y) | np.arctan2(y, x) | np.log(x)
"""
DEAR = ("np.linalg.svd", "np.linalg.eig", "np.linalg.lstsq", "np.linalg.qr")
MOST_DEAR = 90_000  # elements of a matrix, for those


@dataclass
class Result:
    """One expression at one size: seconds of a call, by turns."""

    text: str
    n: int
    numpy: list[float] = field(default_factory=list)
    weft: list[float] = field(default_factory=list)
    wrong: str = ""

    def ratio(self):
        return statistics.median(a / b for a, b in zip(self.numpy, self.weft, strict=True)) if self.numpy else None


def expressions(only=()):
    listed = [text.strip() for line in FUNCTIONS.strip().splitlines() for text in line.split(" | ")]
    return [text for text in listed if not only or any(word in text for word in only)]


def given(np, n):
    """The operands of all expressions, settled."""
    rng = numpy.random.default_rng(11)
    side = max(4, int(n**0.5))
    x, m = rng.random(n) + 1e-3, rng.random((side, side))
    data = {
        "x": x, "y": rng.random(n), "s": numpy.sort(x), "k": rng.integers(0, 1000, n), "i": rng.permutation(n), "b": x > 0.66, "c": x + 1j * rng.random(n),
        "m": m, "q": m @ m.T + side * numpy.eye(side), "v": rng.random(side), "t": numpy.linspace(0.05, 0.95, 10),
    }  # fmt: skip
    return {name: np.array(value) for name, value in data.items()}


def once(np, code, names, loops, sync):
    names["r"] = np.random.default_rng(5)
    gc.collect()
    rest()
    start = time.perf_counter()
    made = [eval(code, names) for _ in range(loops)]
    sync()
    seconds = time.perf_counter() - start
    return seconds / loops, made[0]


def measure(text, n, rounds, weft, names):
    """One expression at one size; names are the operands of NumPy and of weft."""
    result, code, loops = Result(text, n), compile(text, "expression", "eval"), 1
    sides = ((numpy, names[0], lambda: None), (weft, names[1], weft.sync))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (seconds, want), (_, got) = (once(np, code, given, 1, sync) for np, given, sync in sides)
            want, got = race.values(want), race.values(got)
            loops = max(1, min(200, TURN // max(1, sum(x.size for x in want)), int(TURN_SECONDS / seconds)))
            result.wrong = race.difference(SimpleNamespace(rtol=1e-7, atol=1e-9), got, want)
        except Exception as e:  # an expression that fails is a line of the report
            result.wrong = f"{type(e).__name__}: {e}".splitlines()[0]
        for turn in range(rounds + 1 if rounds and not result.wrong else 0):
            for (np, given, sync), times in zip(sides, (result.numpy, result.weft), strict=True):
                seconds, _ = once(np, code, given, loops, sync)
                if turn:  # the first one warms up
                    times.append(seconds)
    return result


def cell(result):
    if result.wrong:
        return "WRONG"
    return f"{result.ratio():.2f} ({seconds_text(statistics.median(result.weft))})"


def run(only, rounds, sizes=SIZES, say=print):
    import weft

    found = {text: [] for text in expressions(only)}
    heap.settle()
    gc.freeze()  # a look at all that was imported would empty the caches before each turn
    for n in sizes:
        everything = given(numpy, n), given(weft, n)
        smaller = (given(numpy, MOST_DEAR), given(weft, MOST_DEAR)) if n > MOST_DEAR else everything
        for text, results in found.items():
            names = smaller if text.startswith(DEAR) else everything
            for side, np in zip(names, (numpy, weft), strict=True):
                side.update(np=np, n=n)
            weft.sync()
            results.append(measure(text, n, rounds, weft, names))
            if results[-1].wrong:
                say(f"  {text}, n={n}: {results[-1].wrong}", flush=True)
    return found


def summary(found, sizes=SIZES):
    lines = []
    for at, n in enumerate(sizes):
        ratios = [results[at].ratio() for results in found.values() if not results[at].wrong]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            slower = sum(x < 0.95 for x in ratios)
            lines.append(
                f"n = {n:,}: geometric mean of {len(ratios)} functions {mean:.2f} times as fast as NumPy; {slower} below 0.95"
            )
    slow = sorted(
        (r.ratio(), r.text, r.n) for results in found.values() for r in results if not r.wrong and r.ratio() < 0.95
    )
    lines.append(
        "below 0.95: " + ", ".join(f"`{text}` n={n:.0e} {ratio:.2f}" for ratio, text, n in slow).replace("e+0", "e")
    )
    return lines


def vectors():
    """The widest vectors that NumPy finds code for on this processor, as on x86 both it and weft are faster with wider ones."""
    found = numpy.show_config(mode="dicts")["SIMD Extensions"]["found"]
    names = {"AVX512_SKX": "AVX-512", "X86_V4": "AVX-512", "AVX2": "AVX2", "X86_V3": "AVX2"}  # of NumPy before and since 2.4
    return next((name for feature, name in names.items() if feature in found), "the baseline")


def machine():
    """What the times were taken on."""
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    processors = f"{os.cpu_count()} processors, {platform.machine()} with {vectors()}"
    return f"{processors}, NumPy {numpy.__version__}; load of the machine at the end {load}"


def table(title, about, on, first, found, lines, sizes, cell):
    """A table in Markdown: a row for each expression, a column for each size; above, what it was taken on and a summary."""
    head = (first, *(f"{n:,}" for n in sizes))
    text = [
        f"# {title}", "", *about, "", on + ".", "", *(f"* {line}" for line in lines), "",
        "| " + " | ".join(head) + " |", "|---" + "|---:" * len(sizes) + "|",
    ]  # fmt: skip
    text += [f"| `{expression}` | " + " | ".join(map(cell, results)) + " |" for expression, results in found.items()]
    return "\n".join(text) + "\n"


def markdown(found, on, sizes=SIZES):
    about = (
        "Written by `PYTHONPATH=tests .venv/bin/python -m bench.functions --markdown FILE`. Each row is an expression of",
        "`tests/bench/functions.py` over operands that are there already: NumPy's time over weft's, and weft's time of a call.",
    )
    return table("Functions over many elements", about, on, "function", found, summary(found, sizes), sizes, cell)


def main(arguments):
    p = argparse.ArgumentParser(prog="bench.functions", description="Functions over many elements, beside NumPy.")
    p.add_argument("--only", action="append", default=[], metavar="WORD", help="expressions that contain this")
    p.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"rounds of each expression ({ROUNDS})")
    p.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="elements")
    p.add_argument("--check", action="store_true", help="compare the values once, and time nothing")
    p.add_argument("--markdown", metavar="FILE", help="write the table to a file")
    o = p.parse_args(arguments)
    found = run(o.only, 0 if o.check else o.rounds, o.sizes)
    wrong = sum(bool(r.wrong) for results in found.values() for r in results)
    if o.check:
        print(f"{len(found) * len(o.sizes) - wrong} of {len(found) * len(o.sizes)} calls compute what NumPy computes")
        return 1 if wrong else 0
    print(
        lines_up(
            [
                ("function", *(f"{n:,}" for n in o.sizes)),
                *((text, *map(cell, results)) for text, results in found.items()),
            ]
        )
    )
    print("\n" + "\n".join(summary(found, o.sizes)))
    if o.markdown:
        pathlib.Path(o.markdown).write_text(markdown(found, machine(), o.sizes), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
