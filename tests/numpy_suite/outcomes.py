"""Running NumPy's test files, on NumPy or on weft, and reading how each test ended."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(numpy.__file__).resolve().parent
FOLDERS = ("_core", "lib", "fft", "linalg", "random", "ma", "polynomial", "matrixlib")


def files():
    """All files of tests, by the names that they are asked for as: {"lib/io": path}."""
    found = (file for folder in FOLDERS for file in sorted((ROOT / folder / "tests").glob("test_*.py")))
    return {named(str(file.relative_to(ROOT))): file for file in found}


def named(test):
    """The name here of a test of pytest's or of a file: "lib/io::TestIO::test_load" for "lib/tests/test_io.py::TestIO::test_load"."""
    file, colons, rest = test.partition("::")
    folder, _, name = file.partition("/tests/test_")
    return f"{folder}/{name.removesuffix('.py')}{colons}{rest}"


def run(paths, left, who="weft", without=(), only=None):
    """Run files of tests and leave the outcomes in the file left: the tests of these names, or all but those without.

    After a crash the rest goes on in a new process.
    """
    left.unlink(missing_ok=True)
    begun = 0
    with tempfile.TemporaryDirectory() as folder:
        chosen = pathlib.Path(folder) / "chosen.json"
        while True:
            chosen.write_text(json.dumps({"without": [*without, *read(left)], "only": only and list(only)}))
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "numpy_suite.as_weft", "-p", "no:cacheprovider", "-m", "not slow", "--timeout=120", "--noconftest",
                 "-c", os.devnull, "--rootdir", ROOT, "--outcomes", left.resolve(), "--chosen", chosen, *(["--numpy"] if who == "numpy" else []), *paths],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, cwd=folder,
                env={**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONDONTWRITEBYTECODE": "1"},
            )  # fmt: skip
            ended = [outcome for outcome, _ in read(left).values()]
            if "crashed" not in ended[begun:]:
                return read(left)
            begun = len(ended)


def read(left):
    """The outcomes that a file has: {name: (outcome, text)}."""
    found = {}
    for line in left.read_text().splitlines() if left.exists() else ():
        test, outcome, text = json.loads(line)
        # A failure in the end of a test counts, whatever its middle was; a start alone is a crash.
        if outcome == "started":
            found.setdefault(test, ("crashed", ""))
        elif found.get(test, ("crashed", ""))[0] != "failed":
            found[test] = (outcome, text)
    return found


def passed(found):
    """The names of the tests that passed."""
    return [test for test, (outcome, _) in found.items() if outcome == "passed"]
