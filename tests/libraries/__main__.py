"""Runs every program whose library is installed, and writes LIBRARIES.md: python -m libraries [LIBRARY ...]"""

import difflib
import platform
import sys

import numpy

from . import FOLDER, outcomes, programs

SAME = "the same"

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
    known = programs()
    unknown = sorted(set(names) - {program.library for program in known})
    if unknown:
        print(f"no program is of {', '.join(unknown)}: LIBRARIES may name {', '.join(program.library for program in known)}", file=sys.stderr)
        return 2
    rows = []
    for program in known:
        if names and program.library not in names:
            continue
        version = program.version()
        outcome, complaint = ("not installed", "") if version is None else compare(outcomes(program))
        print(complaint, end="", file=sys.stderr)
        print(f"{program.library} {version or ''}: {outcome}", flush=True)
        rows.append((program, version, outcome))
    missing = [program.library for program, version, _ in rows if version is None]
    if not names and not missing:
        text = "".join(f"| {p.library} | {version} | [{p.uses}]({p.path.name}) | {outcome} |\n" for p, version, outcome in rows)
        (FOLDER / "LIBRARIES.md").write_text(HEAD.format(python=platform.python_version(), numpy=numpy.__version__) + text + TAIL)
    same = sum(outcome == SAME for *_, outcome in rows)
    print(f"{same} of {len(rows)} print the same" + ("; tests/libraries/LIBRARIES.md has them all" if not names and not missing else ""))
    if missing:
        print(f"not installed here: {', '.join(missing)}" + ("" if names else "; tests/libraries/LIBRARIES.md stays as it is"), file=sys.stderr)
    return 0 if same == len(rows) else 1


def compare(both):
    """How the outcomes on NumPy and on weft compare, in words, and what there is to say about it."""
    (code, wanted, complaint), (status, said, error) = both
    if code:
        return "fails without weft", complaint
    if not wanted:
        return "prints nothing", complaint
    if (status, said) == (0, wanted):
        return SAME, ""
    lines = difflib.unified_diff(wanted.splitlines(), said.splitlines(), "NumPy", "weft", lineterm="")
    return "differs", "\n".join([*lines, error, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
