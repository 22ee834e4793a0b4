"""The command behind make numpy-tests."""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("_core", "lib", "fft", "linalg", "random", "ma", "polynomial", "matrixlib")

# Tests of how NumPy is compiled, or of what is not reached through its functions.
LEFT_OUT = frozenset("""
    test_array_api_info test_arraymethod test_argparse test_conversion_utils test_cpu_dispatcher test_cpu_features test_cython
    test_casting_unittests test_custom_dtypes test_extint128 test_hashtable test_limited_api test_mem_policy
    test_simd test_simd_module test_extending test_direct test__datasource test__iotools test__version
    """.split())


def main():
    parser = argparse.ArgumentParser(prog="make numpy-tests", description="Run NumPy's own tests on weft, and list what only NumPy passes.")
    parser.add_argument("names", nargs="*", help="folders (linalg) and files of tests, without test_ and .py (index_tricks, lib/regression); all by default")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/numpy-tests"), help="where the outcomes are left")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lost = collections.Counter()
    passed = 0
    for file in files(options.names):
        folder = file.parent.parent.name
        names = (options.out / f"{folder}-{file.stem}-{who}.json" for who in (f"numpy-{numpy.__version__}", "weft"))
        theirs, ours = (outcomes(file, path, who) for path, who in zip(names, ("numpy", "weft"), strict=True))
        good = [test for test, (outcome, _) in theirs.items() if outcome == "passed"]
        # A test that weft skips, or that it cannot even name, is not passed.
        bad = [test for test in good if ours.get(test, ("missing", ""))[0] != "passed"]
        passed += len(good)
        lost[folder] += len(bad)
        print(f"{folder + '/' + file.stem:40} {len(good) - len(bad):6} of {len(good):6}", flush=True)
        for test in bad:
            outcome, text = ours.get(test, ("missing", ""))
            said = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E ")]
            print("   ", outcome, test.partition("::")[2], "--", " | ".join(said)[:200])
    total = passed - lost.total()
    print(f"{total} of {passed} that NumPy passes ({total / max(passed, 1):.2%})")


def files(names):
    root = pathlib.Path(numpy.__file__).parent
    found = [file for folder in FOLDERS for file in sorted((root / folder / "tests").glob("test_*.py"))]
    return [file for file in found if (named(file) & set(names) if names else file.stem not in LEFT_OUT)]


def named(file):
    """What a file of tests can be asked for as."""
    folder, name = file.parent.parent.name, file.stem.removeprefix("test_")
    return {name, f"{folder}/{name}"} | ({folder} if file.stem not in LEFT_OUT else set())


def outcomes(file, path, who):
    """How each test of a file ended: {name: (outcome, text)}. After a crash the rest goes on in a new process.

    NumPy's own outcomes do not change, and are kept from one run to the next.
    """
    if who == "weft" or not path.exists():
        path.unlink(missing_ok=True)
        run(file, path, who)
    return read(path)


def run(file, path, who):
    """Run a file's tests, the rest of them in a new process after each crash."""
    begun = 0
    while True:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as without:
            without.write("\n".join(read(path)))
            without.flush()
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "numpy_suite.as_weft", "-p", "no:cacheprovider", "-m", "not slow", "--timeout=120",
                 "-c", os.devnull, "--rootdir", file.parent, "--outcomes", path.resolve(), "--without", without.name,
                 *(["--numpy"] if who == "numpy" else []), file],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                env={**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONDONTWRITEBYTECODE": "1"},
            )  # fmt: skip
        ended = [outcome for outcome, _ in read(path).values()]
        if "crashed" not in ended[begun:]:
            return
        begun = len(ended)


def read(path):
    """The outcomes that a file has."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        test, outcome, text = json.loads(line)
        # A failure in the end of a test counts, whatever its middle was; a start alone is a crash.
        if outcome == "started":
            found.setdefault(test, ("crashed", ""))
        elif found.get(test, ("crashed", ""))[0] != "failed":
            found[test] = (outcome, text)
    return found


if __name__ == "__main__":
    main()
