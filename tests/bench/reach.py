"""The goals that were set, and whether they are met. One row per goal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Results:
    """Everything that a run of the benchmark found."""

    scale: str
    outcomes: dict[str, Any]  # measure.Outcome by program
    bandwidth: dict[str, float]  # bytes a second by kind
    gemm: dict[str, float]  # FLOP/s by core type
    probes: dict[str, Any]

    def seconds(self, program, library):
        """The median per unit, or None where it was not measured."""
        outcome = self.outcomes.get(program)
        return outcome.seconds(library) if outcome else None


@dataclass
class Verdict:
    """What was found: the figure as text, and whether the goal is met; None where it was not measured."""

    figure: str
    met: bool | None


@dataclass(frozen=True)
class Goal:
    program: str
    text: str
    judge: Callable[[Results], Verdict]


UNMEASURED = Verdict("not measured", None)


def ratio(top, bottom, say, holds):
    if not top or not bottom:
        return UNMEASURED
    return Verdict(say(top / bottom), holds(top / bottom))


def faster(program, least, than="numpy"):
    """At least so many times as fast as another library."""
    return Goal(
        program,
        f"{than} >= {least:g}x",
        lambda r: ratio(r.seconds(program, than), r.seconds(program, "weft"), lambda x: f"{x:.2f}x", lambda x: x >= least),
    )


def faster_than_peers(program, least):
    def judge(r):
        outcome = r.outcomes.get(program)
        best = outcome.best_peer() if outcome else None
        if best is None:
            return UNMEASURED
        return ratio(
            best.seconds, outcome.seconds("weft"), lambda x: f"{x:.2f}x ({best.library})", lambda x: x >= least
        )

    return Goal(program, f"best peer >= {least:g}x", judge)


def near_c(program, most):
    """At most so many times the time of the fused C program."""
    return Goal(
        program,
        f"fused C <= {most:g}x",
        lambda r: ratio(r.seconds(program, "weft"), r.seconds(program, "limit"), lambda x: f"{x:.2f}x", lambda x: x <= most),
    )


def near_bandwidth(program, kind, share):
    """Moves its bytes at a share of the bandwidth that its row's versus had in the same rounds."""

    def judge(r):
        outcome = r.outcomes.get(program)
        seconds = outcome.seconds("weft") if outcome else None
        if not seconds:
            return UNMEASURED
        return ratio(outcome.bytes / seconds, outcome.bandwidth, lambda x: f"{x:.0%}", lambda x: x >= share)

    return Goal(program, f"{kind} bandwidth >= {share:.0%}", judge)


def near_gemm(share):
    def judge(r):
        outcome = r.outcomes.get("gemm")
        seconds = outcome.seconds("weft") if outcome else None
        if not seconds or not r.gemm:
            return UNMEASURED
        core = max(r.gemm, key=r.gemm.get)
        return ratio(outcome.flops / seconds, r.gemm[core], lambda x: f"{x:.0%} ({core})", lambda x: x >= share)

    return Goal("gemm", f"OpenBLAS's best >= {share:.0%}", judge)


def first_call(than, least):
    def judge(r):
        times = r.probes.get("first_call", {})
        return ratio(times.get(than), times.get("weft"), lambda x: f"{x:.0f}x", lambda x: x >= least)

    return Goal("first call of a new expression", f"{than}'s >= {least}x as long", judge)


def first_call_below(seconds):
    def judge(r):
        took = r.probes.get("first_call", {}).get("weft")
        return Verdict(f"{took * 1e3:.2f} ms", took <= seconds) if took else UNMEASURED

    return Goal("first call of a new expression", f"<= {seconds * 1e3:g} ms", judge)


def per_operation(program, most):
    def judge(r):
        took = r.seconds(program, "weft")
        return Verdict(f"{took * 1e9:.0f} ns", took <= most) if took else UNMEASURED

    return Goal(program, f"front end and flush <= {most * 1e9:.0f} ns per op", judge)


def as_by_hand(program):
    """Plain source at most so much slower than a pass that is built by hand for the engine (cpu/handbuilt_test.go)."""

    def judge(r):
        times = r.probes.get("handbuilt", {}).get(program, {})
        return ratio(times.get("plain"), times.get("hand"), lambda x: f"{x:.2f}x", lambda x: x <= 1.1)

    return Goal(program, "built by hand <= 1.1x", judge)


def flat(r):
    p = r.probes.get("flat")
    if not p:
        return UNMEASURED
    grown = p["after"] - p["before"]
    return Verdict(f"{grown / 1e6:+.1f} MB", grown <= 0.1 * p["before"])


def tasks(r):
    p = r.probes.get("tasks")
    if not p:
        return UNMEASURED
    each = p["seconds"] / p["tasks"]
    return Verdict(f"{each * 1e6:.2f} us ({p['tasks']} tasks)", each <= 2e-6)


def halo(r):
    p = r.probes.get("halo")
    return Verdict(f"{p['per_step']:.0f} of {p['halo']} bytes", p["per_step"] <= p["halo"]) if p else UNMEASURED


ENGINE = [
    faster("stencil", 8), faster("stencil", 2, "numba"), near_bandwidth("stencil", "copy", 0.65),
    faster("black_scholes_f64", 8), faster_than_peers("black_scholes_f64", 2), near_c("black_scholes_f64", 1.25),
    faster("gray_scott", 9), faster_than_peers("gray_scott", 2), near_c("gray_scott", 1.8),
    faster("triad_f64_5e7", 1.5), faster_than_peers("triad_f64_5e7", 1.0), near_bandwidth("triad_f64_5e7", "triad", 0.9),
    faster("sum", 2), faster_than_peers("sum", 1.3), near_bandwidth("sum", "read", 0.9),
    faster("gemm", 1.0), faster_than_peers("gemm", 1.0), near_gemm(0.9),
    first_call("numba", 20), first_call("jax", 20), first_call_below(1e-3),
]  # fmt: skip

SCHEDULER = [
    faster("cfd_41", 1.0), per_operation("add_10", 250e-9), faster("axpy_loop", 1.0),
    as_by_hand("stencil"), as_by_hand("gray_scott"), as_by_hand("black_scholes_f64"),
    Goal("1,000,000 tile tasks", "<= 2 us each", tasks),
    Goal("loop of 1,000,000 iterations", "memory flat (grows by < 10 %)", flat),
    Goal("stencil on 4 emulated GPUs", "copies the halo rows only", halo),
]  # fmt: skip

REACH = {"CPU engine": ENGINE, "scheduler": SCHEDULER}


def verdicts(results):
    """(group, program, goal, figure, met) for every goal."""
    rows = []
    for group, goals in REACH.items():
        for goal in goals:
            v = goal.judge(results)
            rows.append((group, goal.program, goal.text, v.figure, v.met))
    return rows
