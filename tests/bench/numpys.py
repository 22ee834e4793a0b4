"""Calls of arrays that stay NumPy's: strings, dates, records, objects, long doubles and masked arrays, under NumPy and weft by turns.

    PYTHONPATH=tests .venv/bin/python -m bench.numpys [--every] [--rounds N] [--only WORD] [--sizes N ...] [--above RATIO] [--markdown FILE]

NumPy computes all of them, so that what weft adds to a call is seen here; with --every, it is a call of each of NumPy's public functions (callables.py). The figures are minima over turns in one process, of a call whose result
is dropped; results are compared with NumPy's before anything is timed.
"""

import argparse
import gc
import math
import pathlib
import sys
import time
import warnings
from dataclasses import dataclass

import numpy

from . import callables
from .functions import machine, table
from .report import lines_up, seconds_text

SIZES = (10, 10_000)
ROUNDS = 15
TURN_SECONDS = 0.002  # how long the calls take NumPy that are timed together

# s and s2 are n strings, u as many of NumPy's StringDType, z bytes; d and d2 dates, h spans of time; rec n records, o and o2 objects, l and l2 long doubles,
# ma and mb masked arrays; x and y are n floats and k integers that weft has for its own; words is a list of n words, three two of them.
CALLS = """
np.array(['a', 'b']) | np.array(words) | np.asarray(s) | np.array(s) | s.copy() | np.array(words, dtype=object) | np.array(['2024-01-01', '2024-02-01'], dtype='datetime64[D]')
s == 'w1' | s != 'w1' | s == s2 | s < s2 | s[3] | s[2:8] | s[k[:5]] | s.tolist() | s.astype(object) | s.astype('U8') | np.sort(s) | np.argsort(s) | s.reshape(-1, 2) | len(s)
np.unique(s) | np.unique(s, return_counts=True) | np.isin(s, ['w1', 'w2']) | np.where(s == 'w1', 'yes', 'no') | np.where(s == 'w1', x, y) | np.where(s == 'w1')[0] | x[s == 'w1'] | s[x > 0.5] | np.searchsorted(sorted_s, 'w3')
np.char.upper(s) | np.char.add(s, '!') | np.char.startswith(s, 'w') | np.strings.upper(s) | np.strings.add(s, s2) | np.strings.str_len(s) | np.strings.replace(s, 'w', 'v') | np.strings.strip(s) | np.strings.find(s, '1') | np.char.split(s)
np.char.isdigit(s) | np.strings.startswith(s, 'w') | np.char.equal(s, s2) | np.strings.multiply(s, 2) | np.concatenate([s, s2]) | np.stack([s, s2]) | np.append(s, 'end') | np.count_nonzero(s == 'w1') | (s == 'w1').sum() | np.array_equal(s, s2)
u == 'w1' | np.strings.upper(u) | z == b'w1' | np.char.decode(z)
d - d2 | d + h | d > d2 | (d - d2) / np.timedelta64(1, 'D') | (d - d2).astype(int) | d.astype('datetime64[M]') | np.arange('2024-01', '2024-03', dtype='datetime64[D]') | np.datetime64('2024-01-01') + np.arange(n) | np.diff(d) | d.min() | d.max() | np.sort(d)
np.isnat(d) | np.is_busday(d) | np.busday_count(d, d2) | h.sum() | h.mean() | d == np.datetime64('2024-01-05') | d[d > d2] | np.datetime_as_string(d) | np.unique(d) | h / 2
rec['a'] | rec['c'] | rec[2] | rec[rec['a'] > 3] | rec[['a', 'b']] | np.sort(rec, order='b') | rec['a'].sum() | rec['b'] * 2 | rec.dtype.names | np.argsort(rec, order='a') | np.zeros(n, rec.dtype) | x * rec['b']
o + o2 | o * 2 | o.sum() | o == o2 | np.sum(o) | o.max() | np.array([1, 'a', None], dtype=object) | o[2] | o.astype(float) | np.dot(o, o2) | np.maximum(o, o2) | x + o
l + l2 | l * 2 | np.sqrt(l) | l.sum() | np.exp(l) | l.astype(float) | l > l2 | l.mean() | np.longdouble(1) / 3 | np.dot(l, l2) | np.abs(l) | x + l
ma + mb | ma * 2 | ma.mean() | ma.sum() | np.ma.array(x, mask=x > 0.5) | np.ma.masked_where(x > 0.5, x) | np.ma.masked_invalid(x) | ma.filled(0) | ma.compressed() | np.ma.mean(ma) | ma > 0.5 | ma[2] | ma[2:5] | np.ma.median(ma)
ma.mask | ma.data | np.sqrt(ma) | np.ma.sqrt(ma) | ma.count() | np.mean(ma) | ma.std() | ma + x | x + ma | np.ma.masked_equal(k, 3) | np.ma.concatenate([ma, mb]) | np.ma.where(ma > 0.5, ma, mb) | np.ma.getmaskarray(ma) | ma.max()
"""


@dataclass
class Result:
    """One expression at one size: the least seconds of a call."""

    text: str
    n: int
    numpy: float = math.inf
    weft: float = math.inf
    wrong: str = ""

    def ratio(self):
        return self.weft / self.numpy

    def more(self):
        """Seconds of a call that weft adds."""
        return self.weft - self.numpy


def expressions(only=(), every=False):
    listed = callables.expressions() if every else [text.strip() for line in CALLS.strip().splitlines() for text in line.split(" | ")]
    return [text for text in listed if not only or any(word in text for word in only)]


def given(np, n):
    """The names of all expressions; those of x, y and k are arrays of np's, and what they come to in the others is NumPy's."""
    rng = numpy.random.default_rng(11)
    words = [f"w{i}" for i in rng.integers(0, 20, n)]
    x, y, k = rng.random(n), rng.random(n), rng.integers(0, min(n, 1000), n)
    s = numpy.array(words)
    day = numpy.datetime64("2024-01-01")
    rec = numpy.zeros(n, [("a", "i4"), ("b", "f8"), ("c", "U4")])
    rec["a"], rec["b"], rec["c"] = rng.integers(0, 9, n), x, s
    names = {
        "s": s, "s2": rng.permutation(s), "u": s.astype(numpy.dtypes.StringDType()), "z": s.astype("S4"), "words": words, "sorted_s": numpy.sort(s),
        "d": day + rng.integers(0, 90, n), "d2": day + rng.integers(0, 90, n), "h": rng.integers(0, 9, n).astype("m8[D]"),
        "rec": rec, "o": k.astype(object), "o2": y.astype(object), "l": x.astype(numpy.longdouble), "l2": y.astype(numpy.longdouble),
    }  # fmt: skip
    names |= {"np": np, "n": n, "x": np.array(x), "y": np.array(y), "k": np.array(k)}
    return names | {"ma": np.ma.array(names["x"], mask=names["y"] > 0.7), "mb": np.ma.array(names["y"], mask=names["x"] > 0.8)}


def same(got, want):
    """Whether values are equal, by kind, dtype and elements."""
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, numpy.ma.MaskedArray):
        return isinstance(got, numpy.ma.MaskedArray) and same(numpy.ma.getmaskarray(got), numpy.ma.getmaskarray(want)) and same(got.filled(), want.filled())
    if isinstance(want, numpy.ndarray):
        got = numpy.asarray(got)
        return got.dtype == want.dtype and got.shape == want.shape and (numpy.allclose(got, want, equal_nan=True) if want.dtype.kind in "fc" else bool((got == want).all()))
    return type(got) is type(want) and (got == want or got != got or (isinstance(want, float) and math.isclose(got, want)))


def timed(code, names, loops):
    """The seconds of one of some calls in a row."""
    space = {"times": range(loops), "clock": time.perf_counter, **names}
    exec(code, space)
    seconds = space["seconds"] / loops
    space.clear()  # the function is of this space, which nothing frees while no garbage is collected
    return seconds


def measure(text, n, rounds, weft, names):
    """One expression at one size; names are those of NumPy and of weft."""
    result, loops = Result(text, n), 1
    code = compile(f"def run(times, clock):\n    start = clock()\n    for _ in times:\n        {text}\n    return clock() - start\nseconds = run(times, clock)\n", "expression", "exec")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            want, got = (eval(text, callables.fresh(side)) for side in names)
            if not callables.is_unlike(text) and not same(got, want):
                result.wrong = f"{got!r:.60}, want {want!r:.60}"
        except Exception as e:  # an expression that fails is a line of the report
            result.wrong = f"{type(e).__name__}: {e}".splitlines()[0]
        if not rounds or result.wrong:
            return result
        loops = max(1, min(2000, int(TURN_SECONDS / timed(code, names[0], 1))))
        for _ in range(rounds):
            result.numpy = min(result.numpy, timed(code, names[0], loops))
            result.weft = min(result.weft, timed(code, names[1], loops))
            weft.sync()
    return result


def run(only, rounds, sizes=SIZES, say=print, every=False):
    import weft

    found = {text: [] for text in expressions(only, every)}
    operands = callables.given if every else given
    gc.disable()
    for n in sizes:
        names = operands(numpy, n), operands(weft, n)
        weft.sync()
        for text, results in found.items():
            if every:
                names = operands(numpy, n), operands(weft, n)
            results.append(measure(text, n, rounds, weft, names))
            if results[-1].wrong:
                say(f"  {text}, n={n}: {results[-1].wrong}", flush=True)
        gc.collect()
    return found


def cell(result):
    if result.wrong:
        return "WRONG"
    return f"{result.ratio():.2f} ({seconds_text(result.weft)}, {result.more() * 1e9:+.0f} ns)"


def summary(found, sizes=SIZES):
    lines = []
    for at, n in enumerate(sizes):
        here = [results[at] for results in found.values() if not results[at].wrong]
        if here:
            mean = math.exp(sum(math.log(r.ratio()) for r in here) / len(here))
            lines.append(f"n = {n:,}: geometric mean of {len(here)} calls {mean:.2f} of NumPy's time; {sum(r.ratio() > 1.2 for r in here)} above 1.2")
    return lines


def markdown(found, on, sizes=SIZES):
    about = (
        "Written by `PYTHONPATH=tests .venv/bin/python -m bench.numpys --markdown FILE`. Each row is an expression of `tests/bench/numpys.py`: weft's",
        "time of a call over NumPy's (the least of each), weft's time, and what it adds.",
    )
    return table("Calls of arrays that stay NumPy's", about, on, "call", found, summary(found, sizes), sizes, cell)


def main(arguments):
    p = argparse.ArgumentParser(prog="bench.numpys", description="Calls of arrays that stay NumPy's, beside NumPy.")
    p.add_argument("--only", action="append", default=[], metavar="WORD", help="expressions that contain this")
    p.add_argument("--every", action="store_true", help="a call of each public function of NumPy instead")
    p.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"turns of each expression ({ROUNDS})")
    p.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="elements")
    p.add_argument("--above", type=float, default=0, metavar="RATIO", help="show calls that take more than this of NumPy's time at one size")
    p.add_argument("--check", action="store_true", help="compare the values once, and time nothing")
    p.add_argument("--markdown", metavar="FILE", help="write the table to a file")
    o = p.parse_args(arguments)
    found = run(o.only, 0 if o.check else o.rounds, o.sizes, every=o.every)
    wrong = sum(bool(r.wrong) for results in found.values() for r in results)
    if o.check:
        print(f"{len(found) * len(o.sizes) - wrong} of {len(found) * len(o.sizes)} calls give what NumPy gives")
        return 1 if wrong else 0
    shown = {text: results for text, results in found.items() if any(r.wrong or r.ratio() > o.above for r in results)}
    print(lines_up([("call", *(f"{n:,}" for n in o.sizes)), *((text, *map(cell, results)) for text, results in shown.items())]))
    print("\n" + "\n".join(summary(found, o.sizes)))
    if o.markdown:
        pathlib.Path(o.markdown).write_text(markdown(found, machine(), o.sizes), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
