"""The command behind make numpy-tests."""

import argparse
import collections
import pathlib
import platform
import sys

import numpy

from . import baseline, excluded
from .outcomes import FOLDERS, files, passed, read, run


def main():
    parser = argparse.ArgumentParser(prog="make numpy-tests", description="Run NumPy's own tests on weft, and list what only NumPy passes.")
    parser.add_argument("names", nargs="*", help="folders (linalg) and files of tests, without test_ and .py (index_tricks, lib/regression); all by default")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/numpy-tests"), help="where the outcomes are left")
    parser.add_argument("--update", action="store_true", help="write the rows of the files that run into the baseline")
    parser.add_argument("--excluded", action="store_true", help="run what is excluded instead, and name what is to be taken out of the list")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    return (check if options.excluded else measure)(options)


def measure(options):
    """Print each file's count and what only NumPy passes; 1 where a file has fewer than its row of the baseline."""
    entries, old = excluded.entries(), baseline.rows()
    lost, good, left_out, new, fewer = collections.Counter(), collections.Counter(), 0, {}, []
    for name, file in chosen(options.names, entries).items():
        folder = name.partition("/")[0]
        theirs = of_numpy(name, file, options.out)
        without = [test for test in theirs if any(entry.matches(test) for entry in entries)]
        ours = run([file], options.out / f"{name.replace('/', '-')}-weft.jsonl", without=without)
        of = [test for test in passed(theirs) if test not in without]
        # A test that weft skips, or that it cannot even name, is not passed.
        bad = [test for test in of if ours.get(test, ("missing", ""))[0] != "passed"]
        new[name] = len(of) - len(bad), len(of)
        good[folder] += len(of) - len(bad)
        lost[folder] += len(bad)
        left_out += len(set(passed(theirs)) & set(without))
        print(f"{name:40} {len(of) - len(bad):6} of {len(of):6}{beside(new[name], old.get(name))}", flush=True)
        fewer += [name] if new[name][0] < old.get(name, new[name])[0] else []
        for test in bad:
            outcome, text = ours.get(test, ("missing", ""))
            said = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E ")]
            print("   ", outcome, test.partition("::")[2], "--", " | ".join(said)[:200])
    for folder in FOLDERS:
        if folder in lost:
            print(f"{folder:40} {good[folder]:6} of {good[folder] + lost[folder]:6}")
    total = good.total() + lost.total()
    print(f"{good.total()} of {total} that NumPy passes ({good.total() / max(total, 1):.2%}), {left_out} more excluded, without those that are marked slow, and {sum(entry.whole for entry in entries)} whole files")
    if options.update:
        baseline.update(new)
    if fewer:
        print(f"fewer tests pass than {baseline.PATH.name} says: {', '.join(fewer)}", file=sys.stderr)
    return 1 if fewer else 0


def beside(row, old):
    """How a file's count differs from its row of the baseline, in words."""
    if old is None:
        return "  (no row in the baseline yet)"
    return f"  ({row[0] - old[0]:+} to the baseline)" if row[0] != old[0] else ""


def chosen(names, entries):
    """The files that are asked for. Those that are excluded as a whole have to be asked for by their own names."""
    whole = {entry.name for entry in entries if entry.whole}
    return {
        name: file
        for name, file in files().items()
        if (not names and name not in whole) or names and {name, name.partition("/")[2], *([] if name in whole else [name.partition("/")[0]])} & set(names)
    }


def of_numpy(name, file, out):
    """NumPy's own outcomes, which do not change, and are kept from one run to the next."""
    left = out / f"{name.replace('/', '-')}-numpy-{numpy.__version__}-python-{platform.python_version()}.jsonl"
    if not left.exists():
        part = left.with_suffix(".part")  # of a run that may be broken off
        run([file], part, "numpy")
        part.replace(left)
    return read(left)


def check(options):
    """Run the excluded tests, and print which entries are to be taken out; 1 where there are some."""
    entries = [entry for entry in excluded.entries() if not entry.whole]
    said = excluded.wrong(entries, of_entries(entries, options.out / "excluded.jsonl"))
    print(*said, f"{len(entries)} entries", sep="\n")
    return 1 if said else 0


def of_entries(entries, left):
    """The outcomes of all tests that entries match."""
    known = files()
    paths = {known[entry.file]: None for entry in entries if entry.file in known}
    return run(paths, left, only=[entry.name for entry in entries])


if __name__ == "__main__":
    sys.exit(main())
