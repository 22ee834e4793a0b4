"""The family on the terminal, as JSON and as Markdown."""

import json
import math
from dataclasses import asdict

from .. import heap
from ..report import lines_up, seconds_text
from . import peer, race, rows

ROUNDS = {"full": 5, "quick": 1}
WORST = 15
HEAD = ("program", "NumPy", "weft", "NumPy / weft", "first call", "outside kernels", "NumPy / cuPyNumeric")


def chosen(only):
    return [row for row in rows.table() if not only or any(word in row.name for word in only)]


def measure(scale, rounds=None, only=(), say=print):
    """weft's results, and the peer's with the reason why there may be none. Quick is fewer rounds of the same sizes."""
    rounds = rounds or ROUNDS[scale]
    heap.settle()
    weft, results = race.Weft(), []
    for row in chosen(only):
        results.append(race.race(row, "full", weft, rounds))
        say(f"  {row.name}: {results[-1].wrong or format(results[-1].ratio(), '.2f') + 'x'}", flush=True)
    return results, peer.measure("full", rounds, only)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def middle(times):
    return seconds_text(sorted(times)[len(times) // 2]) if times else "-"


def cells(result, other):
    """A row of the table as text."""
    if result.wrong:
        return (result.name, "-", "-", "WRONG: " + result.wrong, "-", "-", "-")
    outside = result.outside()
    beside = "-" if other is None else other.wrong or f"{other.ratio():.3g}"
    return (
        result.name, middle(result.numpy), middle(result.module), f"{result.ratio():.2f}", seconds_text(result.first),
        "-" if outside is None else f"{outside:.0%}", beside,
    )  # fmt: skip


def summary(results, peers, missing):
    """The last lines: geometric means, what is slower than NumPy, the worst rows, the peer."""
    lines = []
    for title, snippet in (("programs", False), ("snippets", True)):
        ratios = [r.ratio() for r in results if r.snippet is snippet and not r.wrong]
        if not ratios:
            continue
        slower = sum(x < 1 for x in ratios)
        lines.append(
            f"geometric mean of {len(ratios)} {title}: {geometric_mean(ratios):.2f} times as fast as NumPy; "
            f"{slower} are slower, the slowest {min(ratios):.2f}, the fastest {max(ratios):.1f}"
        )
        worst = sorted((r for r in results if r.snippet is snippet and not r.wrong), key=race.Result.ratio)[:WORST]
        lines.append(f"worst {title}: " + ", ".join(f"{r.name} {r.ratio():.2f}" for r in worst))
    if missing:
        lines.append(f"cuPyNumeric: {missing}")
    elif peers:
        ratios = [r.ratio() for r in peers.values() if not r.wrong]
        mean = geometric_mean(ratios)
        lines.append(f"cuPyNumeric: geometric mean of {len(ratios)}: {mean:.3g}" if mean else "cuPyNumeric: none ran")
    return lines


def show(results, found, folder):
    """Print the table; written.json goes to a folder."""
    peers, missing = found
    print(lines_up([HEAD, *(cells(r, peers.get(r.name)) for r in results)]))
    print("\n" + "\n".join(summary(results, peers, missing)))
    sides = {"weft": results, "cupynumeric": peers.values()}
    data = {name: [asdict(r) for r in side] for name, side in sides.items()} | {"missing": missing}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "written.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def markdown(results, found, machine):
    """The same as text for a file of the repository."""
    peers, missing = found
    head = HEAD if peers else HEAD[:-1]
    lines = [
        "# Programs as people write them", "",
        "Written by `PYTHONPATH=tests .venv/bin/python -m bench.written --markdown FILE`. Each row is a program of",
        "`tests/bench/written` that runs under NumPy and weft by turns in one process: medians of the rounds, data and",
        "results included. A ratio below 1 is a program that weft makes slower. Outside kernels is the share of weft's",
        "time in which no kernel ran: Python, planning, and what NumPy did for it. Sizes are in the files; results are",
        "compared with NumPy's before anything is timed.", "",
        machine + ".", "", *(f"* {line}" for line in summary(results, peers, missing)), "",
    ]  # fmt: skip
    for title, snippet in (("Programs", False), ("Single lines in loops", True)):
        picked = [cells(r, peers.get(r.name))[: len(head)] for r in results if r.snippet is snippet]
        if picked:
            lines += [f"## {title}", "", "| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
            for name, *figures in picked:
                lines.append(" | ".join([f"| `{name}`" if snippet else f"| {name}", *figures]) + " |")
            lines.append("")
    return "\n".join(lines)
