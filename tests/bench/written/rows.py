"""A row of the family: one program, its sizes, and how close its results must be to NumPy's."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Row:
    """run(np, size) is the whole program, data included; it returns an array, a number, or a tuple of them."""

    name: str
    run: Callable[[Any, SimpleNamespace], Any]
    full: dict  # the size at which NumPy takes 5 to 200 ms on one core
    tiny: dict  # the same figures, for tests
    rtol: float = 1e-9
    atol: float = 1e-12  # beside values of about 1; equal results, where both tolerances are 0
    snippet: bool = False  # a line in a loop, not a program

    def size(self, scale: str) -> SimpleNamespace:
        """The figures of a scale: full or tiny."""
        return SimpleNamespace(**(self.full if scale == "full" else self.tiny))


def exact(name, run, full, tiny):
    """A row whose results are equal to NumPy's: integers, or the same roundings in the same order."""
    return Row(name, run, full, tiny, rtol=0.0, atol=0.0)


def table() -> list[Row]:
    """Every program and snippet, in the order of the report."""
    from . import (
        automata,
        calls,
        chance,
        exercises,
        factorisations,
        fields,
        fitting,
        graphs,
        images,
        integration,
        iteration,
        learners,
        motion,
        scalars,
        signals,
        snippets,
    )

    families = (
        factorisations, iteration, scalars, graphs, signals, integration, motion, fields, automata, images, chance,
        fitting, learners, exercises, snippets, calls,
    )  # fmt: skip
    return [row for family in families for row in family.ROWS]
