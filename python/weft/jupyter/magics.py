"""The magics of a weft notebook. Each has a Python function that does the same in a script."""

import ast
import sys
from time import perf_counter

from IPython.core.error import UsageError
from IPython.core.magic import (
    Magics,
    cell_magic,
    line_cell_magic,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
)

from .. import _core


def cell_number(line, magic):
    """The cell that a magic's argument names: none is the last one that ran operations."""
    word = line.strip()
    if not word:
        return None
    try:
        return int(word)
    except ValueError:
        raise UsageError(f"%{magic}: got {word!r}; want nothing, or the number of a cell, as in %{magic} 3") from None


@magics_class
class WeftMagics(Magics):
    """Magics that show and steer the runtime."""

    @line_magic
    def dataflow(self, line):
        """Show the dataflow graph of the last cell that ran operations, or of cell N: %dataflow [N].

        In a script: weft.profile.dataflow(N).
        """
        from .. import profile

        return profile.dataflow(cell_number(line, "dataflow"))

    @line_magic
    def where(self, line):
        """Say what the cell that runs is doing: its line of Python, the tasks under way, what is waited for: %where.

        It is answered while another cell runs. In a script: weft.profile.where().
        """
        print(self.shell.kernel.server.where())

    @line_magic
    def viewer(self, line):
        """Link to a page with the timeline and the graphs of everything that has run: %viewer.

        In a script: weft.profile.viewer().
        """
        from .. import profile

        return profile.viewer()

    @line_magic
    def plan(self, line):
        """Say what became of the operations of the last cell that ran some, or of cell N: %plan [N].

        Which run as one pass over memory, which do not and why, in how many tasks, and what was
        copied. In a script: weft.profile.plan(N).
        """
        from .. import profile

        return profile.plan(cell_number(line, "plan"))

    @line_magic
    def verify(self, line):
        """Look back at everything that ran, or at cell N, and check that it was what the program says: %verify [N].

        In a script: weft.verify(N).
        """
        from .. import profile

        number = cell_number(line, "verify")
        return profile.verify("*" if number is None else number)

    @line_magic
    def events(self, line):
        """Show the event graph (tasks and copies) of the last cell that ran operations, or of cell N.

        In a script: weft.profile.events(N).
        """
        from .. import profile

        return profile.events(cell_number(line, "events"))

    @line_magic
    def timeline(self, line):
        """Show the timeline of the last cell that ran operations, or of cell N: %timeline [N].

        In a script: weft.profile.timeline(N).
        """
        from .. import profile

        return profile.timeline(cell_number(line, "timeline"))

    @cell_magic
    def prof(self, line, cell):
        """Run a cell, and show below it what each of its lines cost: %%prof.

        The cell's whole time, line by line: Python, calls of libraries and C functions, array work, and what the runtime took.
        Bytes of the operations that a line asked for, how fast they moved and how that compares to what this machine copies; what
        was fused, copied, left to NumPy or waited for; and what would help.
        In a script: weft.profile.lines().
        """
        from IPython.display import display

        from .. import profile

        if line.strip():
            raise UsageError(f"%%prof takes no argument, got {line.strip()!r}")
        # A cell's lines count from the magic's own.
        source = f"# %%prof\n{cell}"
        number = self.shell.execution_count - 1
        report = profile.lines(f"In[{number}]", f"%%prof\n{cell}")
        try:
            with report:
                self._run(source, number)
        finally:
            if report.text:
                display(report)

    def _run(self, source, number):
        """Run a program in the user's namespace as a cell is run, but let what it raises through."""
        program = self.shell.transform_cell(source)
        name = self.shell.compile.cache(program, number, raw_code=source)
        tree = self.shell.transform_ast(self.shell.compile.ast_parse(program, name))
        last = tree.body[-1:]
        if last and not isinstance(last[0], ast.Expr):
            last = []
        exec(self.shell.compile(ast.Module(tree.body[: len(tree.body) - len(last)], []), name, "exec"), self.shell.user_ns)
        if last:  # its value is shown
            exec(self.shell.compile(ast.Interactive(last), name, "single"), self.shell.user_ns)

    @needs_local_scope
    @line_cell_magic
    def time(self, line="", cell=None, local_ns=None):
        """IPython's %time, which says in addition when the arrays are complete: statements only record what is to be done."""
        original = self.shell.magics_manager.registry["ExecutionMagics"].time
        before = self._operations()
        begun = perf_counter()
        try:
            return original(line, cell, local_ns)
        finally:
            recorded = self._operations() - before
            if recorded > 0:
                from .._units import seconds, some

                _core.sync()
                print(f"Arrays complete after: {seconds(perf_counter() - begun)} ({some(recorded, 'operation')})")

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def timeit(self, line="", cell=None, local_ns=None):
        """IPython's %timeit, which waits after each turn until the arrays are complete, and says how long recording took."""
        original = self.shell.magics_manager.registry["ExecutionMagics"].timeit
        if "weft._hooks" not in sys.modules:
            return original(line, cell, local_ns)
        from .timing import waiting

        with waiting(self.shell):
            return original(line, cell, local_ns)

    @staticmethod
    def _operations():
        """How many array operations there have been; none before the package is loaded."""
        if "weft._hooks" not in sys.modules:
            return 0
        import weft

        return weft.stats()["operations"]

    @line_magic
    def cost(self, line):
        """Say what the last cell cost: %cost. With "on", do so below each cell that uses arrays, until %cost off.

        Front ends and programs find the same in the metadata of the cell's reply, under the key weft.
        """
        from .costs import show_cost

        word = line.strip()
        if word not in ("", "on", "off"):
            raise UsageError(f"%cost: got {word!r}; want nothing, on or off")
        if word:
            self.shell.show_costs = word == "on"
        elif self.shell.last_cost is None:
            print("no cell has used arrays yet")
        else:
            show_cost(self.shell.last_cost)

    @line_magic
    def mem(self, line):
        """Show what each memory holds, which variables take most, and a plot of everything, or of cell N: %mem [N].

        In a script: weft.profile.memory(N).
        """
        from .. import profile

        number = cell_number(line, "mem")
        return profile.memory("*" if number is None else number, self.shell.user_ns)

    @line_magic
    def progress(self, line):
        """Show what the arrays do below cells that run for longer than a second, or not: %progress on, %progress off.

        In a script: weft.profile.progress(False).
        """
        from .. import profile

        word = line.strip()
        if word not in ("on", "off"):
            raise UsageError(f"%progress: got {word!r}; want on or off")
        profile.progress(word == "on")

    @line_magic
    def sync(self, line):
        """Wait until everything that was recorded has run. In a script: weft.sync()."""
        import weft

        if line.strip():
            raise UsageError(f"%sync takes no argument, got {line.strip()!r}")
        weft.sync()

    @line_magic
    def weft_info(self, line):
        """Show what the runtime runs on, what its memories hold and what it has done: %weft_info.

        In a script: print(weft.settings.overview()). weft.stats() has all counters, for programs.
        """
        import weft

        if line.strip():
            raise UsageError(f"%weft_info takes no argument, got {line.strip()!r}")
        return weft.settings.overview()

    @line_magic
    def weft_numba(self, line):
        """Say whose numba.cuda cells import from here on: %weft_numba on is weft's, off is Numba's own, auto goes by the machine.

        Without a word it says whose it is. In a script: weft.settings.numba("on").
        """
        import weft

        try:
            print(weft.settings.numba(line.strip()))
        except ValueError as error:
            raise UsageError(f"%weft_numba: {error}") from None

    @line_magic
    def weft_config(self, line):
        """Change the machine: %weft_config --gpus 4 --emulate. Variables and arrays stay.

        Without flags it says what is configured. In a script: weft.settings.configure("--gpus 4 --emulate").
        """
        import weft

        if line.strip():
            weft.settings.configure(line.strip())
        print(weft.settings.describe())
