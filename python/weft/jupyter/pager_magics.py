"""Magics that IPython leaves to the front end: those of its terminal would start programs that need one."""

import os
import subprocess

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.page import page


@magics_class
class PagerMagics(Magics):
    """%less, %more and %man in the pager of the front end, %clear below the cell."""

    @line_magic
    @line_magic("more")
    def less(self, line):
        """Show a file in the pager: %less FILE."""
        name = line.strip()
        if not name:
            raise UsageError("%less: got no file name; want %less FILE")
        if name.endswith(".py"):
            self.shell.run_line_magic("pycat", name)
            return
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                page(file.read())
        except OSError as error:
            raise UsageError(f"%less: {error}") from None

    @line_magic
    def man(self, line):
        """Show the manual page of a program in the pager: %man NAME."""
        words = line.split()
        if not words:
            raise UsageError("%man: got no name; want %man NAME")
        try:
            found = subprocess.run(["man", *words], capture_output=True, text=True, env=self._plain())
        except OSError as error:
            raise UsageError(f"%man: {error}") from None
        if found.returncode:
            raise UsageError(f"%man: {found.stderr.strip() or found.stdout.strip()}")
        page(found.stdout)

    @staticmethod
    def _plain():
        """The environment for text that no terminal formats."""
        return {**os.environ, "PAGER": "cat", "MANPAGER": "cat", "TERM": "dumb"}

    @line_magic
    def clear(self, line):
        """Take away what the cell has shown so far."""
        self.shell.display_pub.clear_output()

    @line_magic
    def edit(self, line):
        """Not in a notebook, whose cells are the editor."""
        raise UsageError("%edit: a notebook has no editor to start; %load FILE puts a file's text into the next cell")
