"""What the runtime runs on and what it has done so far, on a page: what %weft_info shows."""

import html
import json
import platform

import numpy

from . import _core, _coverage
from ._units import SIZES, amount, some

HEADING = "text-align:left;padding-top:0.8em"
SMALL = "color:var(--jp-ui-font-color2,gray)"


class Overview:
    """Sections of lines (what, value); printing it says them in words, and a notebook shows a page."""

    def __init__(self, sections: dict[str, list[tuple[str, str]]]):
        self.sections = sections

    def __repr__(self):
        wide = max(len(what) for lines in self.sections.values() for what, _ in lines)
        return "\n\n".join(
            "\n".join([title, *(f"  {what:{wide}}  {value}" for what, value in lines)]) for title, lines in self.sections.items()
        )

    def _repr_html_(self):
        rows = []
        for title, lines in self.sections.items():
            rows.append(f'<tr><th colspan="2" style="{HEADING}">{html.escape(title)}</th></tr>')
            rows += [
                f'<tr><td style="text-align:left;{SMALL}">{html.escape(what)}</td><td style="text-align:left">{html.escape(value)}</td></tr>'
                for what, value in lines
            ]
        return f"<table>{''.join(rows)}</table>"


def overview(described: list[str], asked: dict) -> Overview:
    """The runtime's processors, memories and work; described and asked are what settings.describe and settings.current say."""
    counters = json.loads(_core.query("stats"))
    return Overview(
        {
            "Machine": [tuple(line.split(": ", 1)) for line in described] + _asked(asked),
            "Memory": [(name, _memory(held)) for name, held in counters["memories"].items()],
            "Work since the start": _work(counters),
            "Functions": _functions(),
        }
    )


def _asked(asked):
    given = {name: value for name, value in asked.items() if value not in (0, -1, False, "default", [])}
    given.pop("ignored", None)
    words = " ".join(f"--{name}" if value is True else f"--{name} {value}" for name, value in given.items())
    versions = f"Python {platform.python_version()}, NumPy {numpy.__version__}"
    return [("asked for", words or "nothing in particular: %weft_config changes it"), ("versions", versions)]


def _memory(held):
    size = amount(held["live"], SIZES) if held["live"] else "nothing"
    of = f" of {amount(held['total'], SIZES)}" if held["total"] else ""
    return f"{size} in {some(held['buffers'], 'piece')}{of}; at most {amount(held['peak'], SIZES)}; {amount(held['mapped'], SIZES)} taken from the system"


def _work(counters):
    lines = [
        ("operations", f"{counters['operations']:,}, {counters['fused_operations']:,} of them in one pass with others"),
        ("tasks", f"{counters['runs']:,}" + (f", {counters['pending_tasks']:,} more under way" if counters["pending_tasks"] else "")),
        ("waits", f"{some(counters['waits'], 'time')} for values that the program needed"),
    ]
    for cause, n in sorted(counters["copies_by_cause"].items()):
        lines.append((f"copies: {cause}", f"{n:,}, {amount(counters['moved_bytes'].get(cause, 0), SIZES)}"))
    for name, what in (("evictions", "arrays that had to leave a full memory"), ("failed", "tasks that failed"), ("lost_records", "records that the profile had no room for")):
        if counters[name]:
            lines.append((name.replace("_", " "), f"{counters[name]:,} {what}"))
    return lines


def _functions():
    made = _coverage.coverage()
    native, left = sum(made.native.values()), sum(made.fallback.values())
    most = sorted(made.fallback.items(), key=lambda item: -item[1])[:3]
    names = f": {', '.join(f'{name} {calls:,} x' for name, calls in most)}; weft.coverage() says where" if most else ""
    return [("run by weft", some(native, "call")), ("run by NumPy", some(left, "call") + names)]
