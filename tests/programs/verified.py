"""Runs every program of the benchmark at its tiny size and verifies, after each, everything that it did.

Prints a line for each program, and the whole report where something is wrong.
"""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import weft
from bench import programs

warnings.simplefilter("ignore")  # of calls that go through NumPy
for program in programs.table():
    size = program.size("tiny")
    inputs = [weft.array(x) for x in program.data(size)]
    kept = program.plain(weft, size)(*inputs)
    found = weft.verify()
    print(program.name, "ok" if found.ok and found.tasks["run"] > 0 else found)
