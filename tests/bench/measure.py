"""Rounds, medians, checks."""

import gc
import statistics
import time
import warnings
from dataclasses import asdict, dataclass, field

import numpy

from .programs import Absent
from .rest import rest

LONG_ENOUGH = 0.1  # seconds of calls that are timed together


@dataclass
class Timing:
    """One implementation of one program: seconds per unit, and what a first call takes longer than later ones."""

    library: str
    seconds: float = 0.0  # the median
    first: float = 0.0
    rounds: list[float] = field(default_factory=list)
    absent: str = ""  # why there is no figure
    wrong: str = ""  # how the result differs from NumPy's
    through_numpy: dict = field(default_factory=dict)  # weft's calls that NumPy did


@dataclass
class Outcome:
    """What was measured of a program."""

    name: str
    title: str
    size: dict
    unit: str
    bytes: float
    flops: float
    versus: str
    timings: dict[str, Timing]
    bandwidth: float = 0.0  # of versus, in bytes a second, the median of the same rounds; 0 if not measured

    def seconds(self, library):
        """The median, or None where there is no figure."""
        t = self.timings.get(library)
        return t.seconds if t and t.seconds else None

    def best_peer(self):
        """The fastest of the libraries that are neither weft nor NumPy; None without any."""
        peers = [t for name, t in self.timings.items() if name not in ("weft", "numpy", "limit") and t.seconds]
        return min(peers, key=lambda t: t.seconds, default=None)

    def as_json(self):
        return asdict(self)


def difference(program, got, want):
    """How a result differs from NumPy's; nothing when it is within the row's tolerance."""
    if len(got) != len(want):
        return f"{len(got)} results instead of {len(want)}"
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        if g.shape != w.shape:
            return f"result {i} has shape {g.shape}, NumPy's {w.shape}"
        if not numpy.allclose(g, w, rtol=program.rtol, atol=program.atol, equal_nan=True):
            worst = numpy.nanmax(numpy.abs(numpy.asarray(g, "float64") - w))
            return f"result {i} differs from NumPy's by up to {worst:.3g} (allowed: rtol {program.rtol:g}, atol {program.atol:g})"
    return ""


class Contest:
    """The implementations of one program, on the same data."""

    def __init__(self, program, scale, libraries):
        self.program, self.size = program, program.size(scale)
        self.data = program.data(self.size)
        self.runs, self.inputs, self.timings = {}, {}, {}
        self.libraries = libraries
        self.bandwidth = []
        for name, library in libraries.items():
            run = library.make(program, self.size)
            self.timings[name] = Timing(name)
            if isinstance(run, Absent):
                self.timings[name].absent = run.reason
            else:
                self.runs[name] = run

    def arguments(self, name):
        """The inputs as the library has them; those that the program writes to are fresh."""
        place = self.libraries[name].place
        if name not in self.inputs:
            self.inputs[name] = [place(x) for x in self.data]
        for i in self.program.written:
            self.inputs[name][i] = place(self.data[i])
        return self.inputs[name]

    def once(self, name, calls=1):
        """Run one implementation; returns seconds per call and the result."""
        library, run, arguments = self.libraries[name], self.runs[name], self.arguments(name)
        gc.collect()
        rest()
        start = time.perf_counter()
        for _ in range(calls):
            result = library.wait(run(*arguments))
        return (time.perf_counter() - start) / calls, result

    def check(self):
        """Run each implementation for the first time, and drop those that fail or compute something else."""
        want = None
        order = sorted(self.runs, key=lambda name: name != "numpy")
        for name in order:
            timing = self.timings[name]
            try:
                timing.first, result = self.once(name)
                got = self.libraries[name].fetch(result)
            except Exception as e:  # a peer's failure is a line in the report, not the end of it
                text = str(e).strip().splitlines()
                timing.wrong = f"{type(e).__name__}: {text[0] if text else ''}"
            else:
                if want is None:
                    # A copy: results of programs that work in place are their inputs.
                    want = tuple(numpy.array(x) for x in got)
                timing.wrong = difference(self.program, got, want)
                del got, result
            if timing.wrong:
                del self.runs[name]
                self.inputs.pop(name, None)

    def race(self, rounds, stream=None, slow=10.0):
        """Time what is left in interleaved rounds. What needs more than slow seconds a call gets two rounds."""
        units = self.program.units(self.size)
        most = self.program.calls(self.size)
        calls = {name: 1 for name in self.runs}
        if most > 1:
            # What a first call took says nothing about later ones.
            calls = {name: max(1, min(most, int(LONG_ENOUGH / self.once(name)[0]))) for name in self.runs}
        for turn in range(rounds):
            if stream and self.program.versus in stream.samples:
                self.bandwidth += stream.sample(self.program.versus)
            for name in list(self.runs):
                if turn >= 2 and self.timings[name].rounds[-1] * units > slow:
                    continue
                seconds, result = self.once(name, calls[name])
                self.timings[name].rounds.append(seconds / units)
                del result
        for name in self.runs:
            timing = self.timings[name]
            timing.seconds = statistics.median(timing.rounds)
            timing.first = max(timing.first - timing.seconds * units, 0.0)

    def outcome(self):
        p, s = self.program, self.size
        work = [count(s) if count else 0.0 for count in (p.bytes, p.flops)]
        bandwidth = statistics.median(self.bandwidth) if self.bandwidth else 0.0
        return Outcome(p.name, p.title, vars(s), p.unit, *work, p.versus, self.timings, bandwidth)


def fallbacks(before, after):
    """What NumPy did for weft between two coverage reports, by function."""
    return {name: n - before.get(name, 0) for name, n in after.items() if n > before.get(name, 0)}


def measure(program, scale, libraries, rounds, stream=None):
    """One program from data to medians."""
    contest = Contest(program, scale, libraries)
    before = through_numpy(libraries)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contest.check()
        contest.race(rounds, stream)
    if "weft" in contest.timings:
        contest.timings["weft"].through_numpy = fallbacks(before, through_numpy(libraries))
    return contest.outcome()


def through_numpy(libraries):
    """How often NumPy has done weft's work so far, by function."""
    if "weft" not in libraries:
        return {}
    return dict(libraries["weft"].module.coverage().fallback)
