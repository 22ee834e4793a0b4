"""Runs every program whose library is installed, and writes LIBRARIES.md: python -m libraries [LIBRARY ...]"""

import difflib
import platform
import sys

import numpy

from . import FOLDER, outcomes, programs

HEAD = """# Libraries on weft

Each program runs with `bin/weft run` and with Python alone, and prints the same, character by character (`make libraries` writes this table). The programs
are those of this folder. Python {python}, NumPy {numpy}.

| library | version | program | outcome |
|---|---|---|---|
"""

TAIL = """
What tells NumPy's arrays from all others gets NumPy's views of weft's over the same memory, by the rows of `python/weft/_neighbours.py`. No row can reach a
method of a class that is written in C or Cython and takes nothing but NumPy's arrays (`netCDF4.Variable.__setitem__`, `pyarrow.Tensor.from_numpy`): it is given
`memoryview(x)` or `x.tolist()`, or what `importlib.import_module("numpy").asarray(x)` makes, which is NumPy's array over the memory of x.
"""


def main(names):
    rows, wrong = [], 0
    for program in programs():
        version = program.version()
        if names and program.library not in names:
            continue
        if version is None:
            print(f"{program.library}: not installed", flush=True)
            rows.append((program, "", "not installed"))
            continue
        (code, wanted, complaint), (status, said, error) = outcomes(program)
        if code:
            outcome = "fails without weft"
            print(complaint, file=sys.stderr)
        elif (status, said) == (0, wanted):
            outcome = "the same"
        else:
            outcome, wrong = "differs", wrong + 1
            print(*difflib.unified_diff(wanted.splitlines(), said.splitlines(), "NumPy", "weft", lineterm=""), error, sep="\n", file=sys.stderr)
        print(f"{program.library} {version}: {outcome}", flush=True)
        rows.append((program, version, outcome))
    if not names:
        text = "".join(f"| {p.library} | {version} | [{p.uses}]({p.path.name}) | {outcome} |\n" for p, version, outcome in rows)
        (FOLDER / "LIBRARIES.md").write_text(HEAD.format(python=platform.python_version(), numpy=numpy.__version__) + text + TAIL)
        print(f"{sum(outcome == 'the same' for *_, outcome in rows)} of {len(rows)} print the same; tests/libraries/LIBRARIES.md has them all")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
