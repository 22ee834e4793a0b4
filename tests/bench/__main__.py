"""The command: python -m bench, with tests/ on the path."""

import argparse
import json
import os
import pathlib
import platform
import sys
import time

# Before anything starts threads: OpenMP's idle threads would spin on the cores of the next library.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from . import libraries, limits, measure, probes, reach, report  # noqa: E402
from .programs import table  # noqa: E402
from .written import rows, tables  # noqa: E402


def options(arguments):
    p = argparse.ArgumentParser(prog="make bench", description="weft against NumPy, numexpr, Numba, JAX, Dask and C.")
    p.add_argument("--quick", action="store_true", help="smaller sizes and fewer rounds")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="programs whose name contains this; written: the programs as people write them")
    p.add_argument("--rounds", type=int, metavar="N", help="rounds of each program (7; 3 with --quick)")
    p.add_argument("--libraries", default="", metavar="A,B", help="these libraries only, beside weft and NumPy")
    p.add_argument("--no-probes", action="store_true", help="leave out first calls, overheads and bytes copied")
    p.add_argument("--list", action="store_true", help="list the programs")
    p.add_argument("--out", default="out", metavar="DIR", help="where bench.json and bench.svg go (out)")
    return p.parse_args(arguments)


def chosen(only):
    programs = table()
    if not only:
        return programs
    picked = [p for p in programs if any(word in p.name for word in only)]
    if not picked:
        sys.exit(f"bench: no program's name contains {' or '.join(only)}; there are {', '.join(p.name for p in programs)}")
    return picked


def not_installed():
    """Why peers could not be installed, as tests/bench/install.sh left it."""
    path = pathlib.Path(os.environ.get("BENCH_MISSING", ""))
    if not path.is_file():
        return {}
    return dict(line.split("\t", 1) for line in path.read_text(encoding="utf-8").splitlines() if "\t" in line)


def machine():
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), model)
    except OSError:
        pass
    return {"cpu": model, "cores": libraries.CORES, "python": platform.python_version(), "system": platform.system()}


def main(arguments):
    o = options(arguments)
    words = [word for word in o.only if word != "written"]
    programs = chosen(words) if words or not o.only else []
    as_written = not o.only or "written" in o.only
    if o.list:
        for p in programs:
            print(f"{p.name:20} {p.title}")
        for row in rows.table() if as_written else ():
            print(f"{'written':20} {row.name}")
        return 0
    wrong = everywhere(o, programs) if programs else False
    if as_written:
        results, peer = tables.measure("quick" if o.quick else "full", o.rounds)
        print("\nas people write it\n")
        tables.show(results, peer, pathlib.Path(o.out))
        wrong |= any(r.wrong for r in results)
    return 1 if wrong else 0


def everywhere(o, programs):
    """The programs that every library has an implementation of; returns whether a result was wrong."""
    scale = "quick" if o.quick else "full"
    rounds = o.rounds or (3 if o.quick else 7)
    out = pathlib.Path(o.out)
    out.mkdir(parents=True, exist_ok=True)

    there, missing = libraries.load(not_installed())
    if o.libraries:
        kept = {"weft", "numpy", *o.libraries.split(",")}
        missing |= {name: "left out by --libraries" for name in there if name not in kept}
        there = {name: library for name, library in there.items() if name in kept}
    limit = limits.Limit(out)
    if isinstance(limit.c, libraries.Absent):
        missing["limit"] = limit.c.reason
    there["limit"] = limit
    print(json.dumps(machine()), f"{rounds} rounds,", scale, "sizes", flush=True)

    stream = limits.Stream(limit.c, 20_000_000 if o.quick else 50_000_000)
    stream.all(rounds)
    gemm = {}
    if any(p.versus == "gemm" for p in programs):
        n = next(p for p in programs if p.versus == "gemm").size(scale).n
        gemm = limits.gemm(n, rounds)
    outcomes = {}
    for p in programs:
        start = time.perf_counter()
        outcomes[p.name] = measure.measure(p, scale, there, rounds, stream)
        print(f"  {p.title}: {time.perf_counter() - start:.1f} s", flush=True)
    found = {} if o.no_probes else probes.probe(there, o.quick)
    bandwidth = {kind: stream.bandwidth(kind) for kind in stream.KINDS}
    results = reach.Results(scale, outcomes, bandwidth, gemm, found)

    notes = [note for p in programs for note in p.notes]
    report.print_report(results, there, missing, notes)
    report.write_json(out / "bench.json", results, there, missing, machine())
    files = [out / "bench.json"]
    if report.draw(out / "bench.svg", results):
        files.append(out / "bench.svg")
    print("\nwritten:", ", ".join(map(str, files)))
    return any(t.wrong for o in outcomes.values() for t in o.timings.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
