"""The table of programs. A row says what is computed, on what data, and how much work that is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Absent:
    """Why a library has no implementation of a program. The report prints it."""

    reason: str


@dataclass(frozen=True)
class Program:
    """A row of the table.

    plain(np, size) is the program as NumPy users write it; it returns run(*inputs), and serves weft and
    NumPy. peers holds the others' by library: make(module, size) with the same result, or Absent.
    """

    name: str
    title: str
    full: dict  # the size in figures; quick and tiny change some of them
    quick: dict
    tiny: dict
    data: Callable[[SimpleNamespace], tuple]
    plain: Callable[[Any, SimpleNamespace], Callable]
    peers: dict[str, Any]
    bytes: Callable[[SimpleNamespace], float] | None = None  # that must cross the memory bus, of one unit
    flops: Callable[[SimpleNamespace], float] | None = None  # of one unit
    units: Callable[[SimpleNamespace], int] = lambda s: 1  # what one call does; times are given per unit
    unit: str = ""
    calls: Callable[[SimpleNamespace], int] = lambda s: 1  # timed together, for what is too short for a clock
    written: tuple[int, ...] = ()  # the inputs that the program changes: every call gets fresh ones
    rtol: float = 1e-9
    atol: float = 1e-12
    limit: str = ""  # the function of limits.c that computes the same
    versus: str = ""  # the machine's limit that the program is held against: triad, copy, read, gemm
    notes: tuple[str, ...] = field(default=())

    def size(self, scale: str) -> SimpleNamespace:
        """The figures of a scale: full, quick or tiny."""
        return SimpleNamespace(**{**self.full, **({} if scale == "full" else getattr(self, scale))})


def table() -> list[Program]:
    """Every program, in the order of the report."""
    from . import elementwise, flow, grids, learning, reductions, routines, small

    families = (elementwise, reductions, grids, routines, learning, flow, small)
    return [program for family in families for program in family.PROGRAMS]
