"""IPython's %timeit for arrays that are computed later.

The statement is timed as it is, and after each turn it is waited until its arrays are complete. Without that the
runtime would hardly have anything to do: of a loop's turns whose results the next turn drops, it computes the last.
"""

import ast
import gc
import itertools
from contextlib import contextmanager

import weft
from IPython.core.magics import execution
from IPython.core.magics.execution import TimeitResult

from .. import _core


class Timer(execution.Timer):
    """Runs a statement a number of times, and counts two times: until it has run, and until its arrays are complete."""

    operations = None  # that the first turn recorded
    recording = None  # seconds of each run until the statements had run, the rest of a turn is waiting

    def __init__(self, **options):
        super().__init__(**options)
        self.recording = []

    def timeit(self, number=1):
        collects = gc.isenabled()
        gc.disable()
        try:
            if self.operations == 0:
                return self._plain(number)
            self._recorded = self._complete = 0.0
            whole = self.inner(itertools.chain.from_iterable(self._turns(number)), self._clock)
        finally:
            if collects:
                gc.enable()
        if not self.operations:
            return whole
        self.recording.append(self._recorded)
        return self._complete

    def _plain(self, number):
        """As IPython does it, for a statement that uses no arrays; one that starts to is noticed."""
        before = operations()
        try:
            return self.inner(itertools.repeat(None, number), self.timer)
        finally:
            self.operations = operations() - before

    def _clock(self):
        """The time at which everything that the setup recorded is complete."""
        _core.sync()
        return self.timer()

    def _turns(self, number):
        """What the loop goes over: one turn after the other, or after the first all at once if no arrays are used."""
        before = operations() if self.operations is None else 0
        for turn in range(number):
            begun = self.timer()
            yield (None,)
            ran = self.timer()
            _core.sync()
            self._complete += self.timer() - begun
            self._recorded += ran - begun
            if self.operations is None:
                self.operations = operations() - before
                if not self.operations:
                    yield itertools.repeat(None, number - turn - 1)
                    return


class Keep(ast.NodeTransformer):
    """Gives what a statement evaluates a name, under which it lives until it is complete."""

    def visit_Module(self, module):
        for i, statement in enumerate(module.body):
            if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant):
                name = ast.Name(f"_kept_{i}", ast.Store())
                module.body[i] = ast.copy_location(ast.Assign([name], statement.value), statement)
        return ast.fix_missing_locations(module)


class Result(TimeitResult):
    """IPython's result, of the times until arrays were complete; recording is one of the times until then."""

    recording = None

    def __str__(self):
        if self.recording is None:
            return super().__str__()
        took = [execution._format_time(value, self._precision) for value in (self.recording.average, self.recording.stdev)]
        whole = super().__str__()
        sign = "\xb1" if "\xb1" in whole else "+-"
        return f"{whole}\nuntil arrays are complete; until operations are recorded: {took[0]} {sign} {took[1]} per loop"


def operations():
    """How many array operations there have been."""
    return weft.stats()["operations"]


@contextmanager
def waiting(shell):
    """While it lasts, IPython's %timeit waits for arrays."""
    timers = []

    def make_timer(**options):
        timers.append(Timer(**options))
        return timers[-1]

    def make_result(loops, repeat, best, worst, all_runs, *rest):
        made = Result(loops, repeat, best, worst, all_runs, *rest)
        runs = timers[-1].recording[-repeat:]
        if len(runs) == repeat:
            made.recording = TimeitResult(loops, repeat, min(runs) / loops, max(runs) / loops, runs, *rest)
        return made

    keep = Keep()
    shell.ast_transformers.append(keep)
    original = execution.Timer, execution.TimeitResult
    execution.Timer, execution.TimeitResult = make_timer, make_result
    try:
        yield
    finally:
        execution.Timer, execution.TimeitResult = original
        shell.ast_transformers.remove(keep)
