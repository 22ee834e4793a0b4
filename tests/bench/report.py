"""The table on the terminal, bench.json, bench.svg."""

import json

from .reach import verdicts

COLUMNS = ("weft", "numpy", "numexpr", "numba", "jax", "dask", "limit")
BUSY = 1.5  # rounds that differ by this much were disturbed
MARKS = {True: "met", False: "NOT MET", None: "-"}


def seconds_text(x):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if x * factor >= 1:
            return f"{x * factor:.3g} {unit}"
    return f"{x * 1e9:.3g} ns"


def rate_text(outcome, seconds):
    """GFLOP/s where a program is all arithmetic, else GB/s."""
    if not seconds:
        return ""
    if outcome.bytes:
        return f"{outcome.bytes / seconds / 1e9:.3g} GB/s"
    return f"{outcome.flops / seconds / 1e9:.3g} GF/s" if outcome.flops else ""


def lines_up(rows, left=1):
    """Rows of text in columns; the first ones to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    )


def cell(timing):
    if timing is None:
        return "missing"
    if timing.wrong:
        return "FAILED"
    return seconds_text(timing.seconds) if timing.seconds else "-"


def over(top, bottom):
    return f"{top / bottom:.2f}x" if top and bottom else "-"


def share(outcome, results):
    """How much of the machine's limit weft reaches."""
    seconds = outcome.seconds("weft")
    if not seconds or not outcome.versus:
        return "-"
    if outcome.versus == "gemm":
        best = max(results.gemm.values(), default=0)
        return f"{outcome.flops / seconds / best:.0%} gemm" if best else "-"
    rate = outcome.bandwidth
    # A small array never leaves the cache, where memory's bandwidth says nothing.
    return f"{outcome.bytes / seconds / rate:.0%} {outcome.versus}" if rate and outcome.bytes > 100e6 else "-"


def size_text(outcome):
    return " ".join(f"{k}={v:,}" if isinstance(v, int) else f"{v}" for k, v in outcome.size.items() if k != "dtype")


def times_table(results):
    rows = [("time per call, step or loop", "size", *COLUMNS)]
    for o in results.outcomes.values():
        rows.append((o.title, size_text(o), *(cell(o.timings.get(name)) for name in COLUMNS)))
    return lines_up(rows, left=2)


def ratios_table(results):
    rows = [("weft", "rate", "vs NumPy", "vs best peer", "", "time / C", "of limit", "first call", "numexpr's", "Numba's", "JAX's")]
    for o in results.outcomes.values():
        mine, peer = o.seconds("weft"), o.best_peer()
        first = [o.timings.get(name) for name in ("weft", "numexpr", "numba", "jax")]
        rows.append(
            (
                o.title, rate_text(o, mine), over(o.seconds("numpy"), mine), over(peer and peer.seconds, mine),
                peer.library if peer else "", over(mine, o.seconds("limit")), share(o, results),
                *(seconds_text(t.first) if t and t.seconds else "-" for t in first),
            )
        )  # fmt: skip
    return lines_up(rows)


def limits_text(results):
    parts = [f"{kind} {rate / 1e9:.1f}" for kind, rate in results.bandwidth.items() if rate]
    text = "memory, GB/s (triad and copy_around with stores around the cache): " + (", ".join(parts) or "not measured")
    if results.gemm:
        text += "\nOpenBLAS, GFLOP/s by core type: " + ", ".join(f"{k} {v / 1e9:.1f}" for k, v in results.gemm.items())
    return text


def remarks(results, missing):
    """What has no figure and why, what was wrong, and what NumPy did for weft."""
    lines = [f"missing: {name}: {why}" for name, why in missing.items()]
    for o in results.outcomes.values():
        for name, t in o.timings.items():
            if t.wrong:
                lines.append(f"FAILED: {o.title}: {name}: {t.wrong}")
            elif t.absent and name != "limit":
                lines.append(f"-: {o.title}: {name}: {t.absent}")
            if t.through_numpy:
                calls = ", ".join(f"{what} x{n}" for what, n in t.through_numpy.items())
                lines.append(f"through NumPy: {o.title}: {calls}")
    return lines


def noise(results):
    """How far NumPy's rounds lie apart, the worst program's; nothing where they are close."""
    spread = {}
    for o in results.outcomes.values():
        rounds = o.timings["numpy"].rounds if "numpy" in o.timings else []
        if len(rounds) > 1:
            spread[o.title] = max(rounds) / min(rounds)
    worst = max(spread, key=spread.get, default=None)
    if worst is None or spread[worst] < BUSY:
        return ""
    busy = sum(x >= BUSY for x in spread.values())
    return (
        f"the machine was busy: NumPy's slowest round took {spread[worst]:.1f}x its fastest in {worst}, "
        f"and {BUSY}x or more in {busy} of {len(spread)} programs; medians may be off by as much"
    )


def reach_table(results):
    rows = [("goal", "program", "wanted", "got", "")]
    rows += [(group, program, text, figure, MARKS[met]) for group, program, text, figure, met in verdicts(results)]
    return lines_up(rows, left=5)


def print_report(results, libraries, missing, notes):
    print()
    for name, library in libraries.items():
        print(f"{name} {library.version}: done is {library.done}")
    print(f"\n{limits_text(results)}\n\n{times_table(results)}\n\n{ratios_table(results)}\n")
    print("first call: how much longer it takes than later ones, compilation and first use of memory included")
    for line in [*notes, *remarks(results, missing), noise(results)]:
        if line:
            print(line)
    print(f"\n{reach_table(results)}")
    if results.scale != "full":
        print(f"(sizes are {results.scale}; the goals are stated for the full ones)")


def write_json(path, results, libraries, missing, machine):
    rows = [dict(zip(("group", "program", "goal", "figure", "met"), row, strict=True)) for row in verdicts(results)]
    data = {
        "machine": machine,
        "scale": results.scale,
        "libraries": {name: {"version": lib.version, "done": lib.done} for name, lib in libraries.items()},
        "missing": missing,
        "bandwidth_bytes_per_second": results.bandwidth,
        "gemm_flops_per_second": results.gemm,
        "probes": results.probes,
        "programs": [o.as_json() for o in results.outcomes.values()],
        "reach": rows,
    }
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


COLORS = {
    "weft": "#d1495b", "numpy": "#8d99ae", "numexpr": "#edae49", "numba": "#00798c", "jax": "#30638e", "dask": "#b8b8aa",
    "limit": "#2b2d42",
}  # fmt: skip


def draw(path, results):
    """Bars: how many times as fast as NumPy each library is, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    outcomes = [o for o in results.outcomes.values() if o.seconds("numpy")]
    if not outcomes:
        return False
    figure, axes = plt.subplots(figsize=(max(7.0, 1.0 * len(outcomes)), 5.2))
    names = [name for name in COLUMNS if name != "numpy" and any(o.seconds(name) for o in outcomes)]
    width = 0.85 / max(len(names), 1)
    for k, name in enumerate(names):
        bars = [(i, o.seconds("numpy") / o.seconds(name)) for i, o in enumerate(outcomes) if o.seconds(name)]
        label = "fused C" if name == "limit" else name
        at = [i + (k - (len(names) - 1) / 2) * width for i, _ in bars]
        # From 1, NumPy's speed: what is slower hangs below.
        axes.bar(at, [x - 1 for _, x in bars], width, bottom=1, label=label, color=COLORS[name])
    axes.set_yscale("log")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(outcomes)), [o.title for o in outcomes], rotation=45, ha="right", fontsize=8)
    axes.set_ylabel("times as fast as NumPy")
    axes.legend(ncols=len(names), fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.1), frameon=False)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    return True
