"""The libraries that NumPy's users import most, each with a program as people write it: what it prints on weft is what it prints on NumPy.

    make libraries               installs all of them beside .venv, runs every program, writes LIBRARIES.md

A program is with_LIBRARY.py; the first line of its text names the library as the package index does, and what of it is used. It prints what it
computes, plots by their bytes, and floats to as many digits as the order of a sum does not change. tests/test_libraries.py runs those whose libraries are
in .venv: python/requirements-libraries.txt has the light ones, heavy.txt the others.
"""

import ast
import importlib.metadata
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
TIMEOUT = 600


class Program(NamedTuple):
    """A program of a library's."""

    path: pathlib.Path
    library: str
    uses: str

    def version(self):
        """The library's version in this environment, None where it is not installed."""
        try:
            return importlib.metadata.version(self.library)
        except importlib.metadata.PackageNotFoundError:
            return None


def programs():
    """All programs, by library."""
    found = []
    for path in sorted(FOLDER.glob("with_*.py")):
        text = ast.get_docstring(ast.parse(path.read_text()))
        library, _, uses = text.partition(": ")
        found.append(Program(path, library, uses))
    return found


def start(program, *command):
    """The process of a program; it and what it says are read by finish.

    Numba's loops, of few elements, take what they are given whether LLVM optimises them or not, which takes a third of the program's time.
    """
    environment = {**os.environ, "WEFT_PYTHON": sys.executable, "MPLBACKEND": "agg", "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0", "NUMBA_OPT": "0"}
    return subprocess.Popen(
        [*command, str(program.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=FOLDER, stdin=subprocess.DEVNULL
    )


def outcomes(program):
    """What a program does on NumPy and on weft: exit status, output, and what it said besides."""
    both = start(program, sys.executable), start(program, str(ROOT / "bin" / "weft"), "run")
    try:
        said = [process.communicate(timeout=TIMEOUT) for process in both]
    finally:
        for process in both:
            process.kill()
    return [(process.returncode, *texts) for process, texts in zip(both, said, strict=True)]
