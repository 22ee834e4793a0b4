"""python -m bench_kernel: the table on the terminal, and out/bench-kernel.json."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from . import measure
from .client import Kernel

KERNELS = {
    "weft": [os.environ.get("BENCH_WEFT", sys.executable), "-m", "weft_kernel", "-f", "{connection_file}"],
    "ipykernel": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "xeus-python": [sys.executable, "-m", "xpython_launcher", "-f", "{connection_file}"],
}
MODULES = {"ipykernel": "ipykernel_launcher", "xeus-python": "xpython_launcher"}

SHELL_IMPORT = "from IPython.core.interactiveshell import InteractiveShell; InteractiveShell.instance()"


def shell_import():
    """Seconds that Python takes to start and to make IPython's shell, which every kernel has to."""
    begun = time.perf_counter()
    subprocess.run([KERNELS["weft"][0], "-c", SHELL_IMPORT], check=True)
    return time.perf_counter() - begun


# Goals: the figure, what it is held against, and whether it is met.
GOALS = [
    ("start to the first reply", "IPython's import + 50 ms", lambda f: f["weft"]["start to the first reply"] <= f["limit"] + 0.05),
    ("kernel_info after the start", "<= 50 ms", lambda f: f["weft"]["kernel_info after the start"] <= 0.05),
    ("execute pass, p50", "<= 1 ms", lambda f: f["weft"]["execute pass, p50"] <= 1e-3),
    ("execute pass, p99", "<= 5 ms", lambda f: f["weft"]["execute pass, p99"] <= 5e-3),
    (
        "execute pass by jupyter_client, p50", "<= half of ipykernel's",
        lambda f: f["weft"]["execute pass by jupyter_client, p50"] <= f["ipykernel"]["execute pass by jupyter_client, p50"] / 2,
    ),
    ("kernel_info while a cell runs", "<= 2 ms", lambda f: f["weft"]["kernel_info while a cell runs"] <= 2e-3),
    ("100,000 prints", "<= 0.1 s", lambda f: f["weft"]["100,000 prints"] <= 0.1),
    ("prints lost", "none", lambda f: f["weft"]["prints lost"] == 0),
    ("displays per second", ">= 10,000", lambda f: f["weft"]["displays per second"] >= 10_000),
    (
        "resident memory, idle (MB)", "<= ipykernel's",
        lambda f: f["weft"]["resident memory, idle (MB)"] <= f["ipykernel"]["resident memory, idle (MB)"],
    ),
]  # fmt: skip


def text(name, value):
    if value is None:
        return "missing"
    if "second" in name or "MB" in name or "lost" in name:
        return f"{value:,.0f}"
    return f"{value * 1e3:,.2f} ms"


def missing(name):
    """Why a kernel cannot be measured, or nothing."""
    if name not in MODULES:
        return ""
    done = subprocess.run([sys.executable, "-c", f"import {MODULES[name]}"], capture_output=True, text=True)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def main():
    p = argparse.ArgumentParser(prog="make bench-kernel", description=__doc__)
    p.add_argument("--rounds", type=int, default=5, metavar="N", help="kernels of each kind that are started (5)")
    p.add_argument("--out", default="out", metavar="DIR", help="where bench-kernel.json goes (out)")
    o = p.parse_args()
    why = {name: missing(name) for name in KERNELS}
    there = [name for name in KERNELS if not why[name]]
    samples = {name: {} for name in there}
    limit = []
    for number in range(o.rounds + 1):
        taken = shell_import()
        if number > 0:  # the first round fills the system's caches
            limit.append(taken)
        for name in there:
            with Kernel(KERNELS[name]) as kernel:
                for part in measure.PARTS:
                    for figure, value in part(kernel).items():
                        if number > 0:
                            samples[name].setdefault(figure, []).append(value)
            print(f"round {number} of {o.rounds}: {name}", file=sys.stderr)
    figures = {name: {figure: statistics.median(v) for figure, v in found.items()} for name, found in samples.items()}
    figures["limit"] = statistics.median(limit)
    rows = [["", *KERNELS, "wanted", ""]]
    for figure, wanted, met in GOALS:
        try:
            mark = "met" if met(figures) else "NOT MET"
        except KeyError:
            mark = "not measured"
        rows.append([figure, *(text(figure, figures.get(name, {}).get(figure)) for name in KERNELS), wanted, mark])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(c.ljust(w) if i in (0, 4) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip())
    print(f"\nPython's start and IPython's shell alone: {figures['limit'] * 1e3:.0f} ms")
    for name, reason in why.items():
        if reason:
            print(f"missing: {name}: {reason}")
    out = pathlib.Path(o.out)
    out.mkdir(exist_ok=True)
    (out / "bench-kernel.json").write_text(json.dumps({"medians": figures, "samples": samples, "limit": limit}, indent=1) + "\n")


main()
