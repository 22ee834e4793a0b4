"""How many tests of each file weft passed: baseline.txt, which is never to fall.

A line is a file's name, the number of its tests that pass on weft, and the number that pass on NumPy, excluded ones left out.
The rows hold for the versions of NumPy and Python that the first line names, whose tests differ from those of others.
"""

import pathlib
import sys

import numpy

PATH = pathlib.Path(__file__).with_name("baseline.txt")


def here():
    return f"# NumPy {numpy.__version__}, Python {sys.version_info[0]}.{sys.version_info[1]}"


def rows():
    """The rows, {file: (passed, of)}; none where they are of other versions."""
    lines = PATH.read_text().splitlines() if PATH.exists() else []
    if not lines or lines[0] != here():
        return {}
    return {name: (int(passed), int(of)) for name, passed, of in map(str.split, lines[1:])}


def update(found):
    """Write the rows of these files anew, but none with fewer tests passed than before."""
    old = rows()
    new = old | {name: row for name, row in found.items() if row[0] >= old.get(name, row)[0]}
    PATH.write_text("".join(f"{line}\n" for line in (here(), *(f"{name} {passed} {of}" for name, (passed, of) in sorted(new.items())))))
