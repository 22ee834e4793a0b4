"""python -m bench_hostile: the table on the terminal, and out/bench-hostile.json."""

import argparse
import json
import os
import pathlib
import sys

import strangers
from bench_kernel.client import Kernel

from . import measure

KERNELS = {
    "weft": [os.environ.get("BENCH_WEFT", sys.executable), "-m", "weft_kernel", "-f", "{connection_file}"],
    "ipykernel": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
}
ALONE = "no attack"


def text(found, what):
    """A figure of the table: the median and the most."""
    if what == "growth":
        return f"{found['growth'] / 1e6:,.0f} MB"
    if f"{what}, median" not in found:
        return "none"
    return f"{found[what + ', median'] * 1e3:,.0f} / {found[what + ', most'] * 1e3:,.0f} ms"


def main():
    p = argparse.ArgumentParser(prog="make bench-hostile", description=__doc__)
    p.add_argument("--seconds", type=float, default=5, metavar="S", help="cells under each attack, before the interrupts (5)")
    p.add_argument("--attack", choices=strangers.ATTACKS, action="append", metavar="NAME", help="one attack; may be given several times (all)")
    p.add_argument("--out", default="out", metavar="DIR", help="where bench-hostile.json goes (out)")
    o = p.parse_args()
    columns = [(name, what) for what in ("growth", "cell", "interrupt") for name in KERNELS]
    rows = [["", *(f"{what}, {name}" for name, what in columns)]]
    figures = {}
    for attack in [ALONE, *(o.attack or strangers.ATTACKS)]:
        figures[attack] = {}
        for name, argv in KERNELS.items():
            with Kernel(argv) as kernel:
                figures[attack][name] = measure.attacked(kernel, attack if attack != ALONE else "", o.seconds)
            print(f"{attack}: {name}: {figures[attack][name]}", file=sys.stderr, flush=True)
        rows.append([attack, *(text(figures[attack][name], what) for name, what in columns)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip())
    print(f"\nGrowth of resident memory; then medians and most of a cell's and an interrupt's time. none: no answer in {measure.PATIENCE} s.")
    out = pathlib.Path(o.out)
    out.mkdir(exist_ok=True)
    (out / "bench-hostile.json").write_text(json.dumps(figures, indent=1) + "\n")


main()
