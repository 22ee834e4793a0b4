"""The command: python -m bench.written, with tests/ on the path."""

import argparse
import gc
import importlib
import json
import pathlib
import platform
import sys
from dataclasses import asdict


def options(arguments):
    p = argparse.ArgumentParser(prog="bench.written", description="Programs as people write them, beside NumPy.")
    p.add_argument("--only", action="append", default=[], metavar="WORD", help="programs whose name contains this")
    p.add_argument("--rounds", type=int, metavar="N", help="rounds of each program (5)")
    p.add_argument("--scale", default="full", choices=("full", "tiny"))
    p.add_argument("--check", action="store_true", help="compare the values once, and time nothing")
    p.add_argument("--markdown", metavar="FILE", help="write the tables to a file")
    p.add_argument("--module", metavar="NAME", help="time this module instead of weft, for --json")
    p.add_argument("--json", metavar="FILE", help="where the other module's results go")
    p.add_argument("--out", default="out", metavar="DIR", help="where written.json goes (out)")
    return p.parse_args(arguments)


def check(only, scale):
    """Print what differs from NumPy; returns the exit status."""
    from . import race, tables

    weft, wrong, picked = race.Weft(), 0, tables.chosen(only)
    gc.freeze()  # each turn asks the collector, which would look at all that was imported: nine tenths of the time
    for row in picked:
        found = race.compare(row, scale, weft).wrong
        if found:
            wrong += 1
            print(f"{row.name}: {found}")
    print(f"{len(picked) - wrong} of {len(picked)} programs compute what NumPy computes")
    return 1 if wrong else 0


def other(name, o):
    """Time another module with NumPy's names."""
    from .. import heap
    from . import race, tables

    heap.settle()
    module = importlib.import_module(name)
    if hasattr(module, "weft_version"):
        sys.exit(f"{name} is weft under that name")
    deferred = race.Deferred(race.Drawing(module))
    found = [asdict(race.race(row, o.scale, deferred, o.rounds or 2)) for row in tables.chosen(o.only)]
    pathlib.Path(o.json).write_text(json.dumps(found), encoding="utf-8")


def main(arguments):
    o = options(arguments)
    if o.check:
        return check(o.only, o.scale)
    if o.module:
        return other(o.module, o)
    from . import tables

    results, found = tables.measure("full", o.rounds, o.only)
    tables.show(results, found, pathlib.Path(o.out))
    if o.markdown:
        from ..functions import machine as processors

        machine = f"Python {platform.python_version()}, {processors()}"
        pathlib.Path(o.markdown).write_text(tables.markdown(results, found, machine), encoding="utf-8")
    return 1 if any(r.wrong for r in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
