"""Arrays as HTML, for notebooks: their edges, their size, and which memories hold them."""

import html
import json

from ._fallback import to_numpy
from .costs import SIZES, amount

EDGE = 4  # rows and columns at each end
ACROSS, DOWN = "&#8943;", "&#8942;"  # between the first and the last ones


def table(array):
    """HTML for an array of one or two dimensions; nothing for others, which are shown as text."""
    if array.ndim not in (1, 2) or array.size == 0:
        return None
    held = json.loads(array._placed)  # before the edges are
    rows = edges(array.shape[0]) if array.ndim == 2 else [0]
    columns = edges(array.shape[-1])
    values = preview(array)
    lines = ["<tr><th></th>" + "".join(f"<th>{ACROSS if c is None else c}</th>" for c in columns) + "</tr>"]
    for i, row in enumerate(rows):
        if row is None:
            lines.append("<tr>" + f"<td>{DOWN}</td>" * (len(columns) + 1) + "</tr>")
            continue
        name = row if array.ndim == 2 else ""
        cells = "".join(f"<td>{ACROSS if c is None else html.escape(text(values[i][k]))}</td>" for k, c in enumerate(columns))
        lines.append(f"<tr><th>{name}</th>{cells}</tr>")
    where = ", ".join(f"{amount(n, SIZES)} on {memory}" for memory, n in held.items())
    about = f"{array.dtype} {array.shape}, {amount(array.nbytes, SIZES)}" + (f"; {where}" if where else "")
    return f'<table style="text-align:right">{"".join(lines)}</table><small style="color:gray">{html.escape(about)}</small>'


def edges(n):
    """The places that are shown of n, with None where some are left out."""
    if n <= 2 * EDGE + 1:
        return list(range(n))
    return [*range(EDGE), None, *range(n - EDGE, n)]


def preview(array):
    """The values at the edges by place, None between them. Nothing else of the array is moved."""

    def ends(a):  # along the first axis
        n = a.shape[0]
        parts = [a] if n <= 2 * EDGE + 1 else [a[:EDGE], a[n - EDGE :]]
        lists = [to_numpy(part.copy()).tolist() for part in parts]  # of the part alone: NumPy would see all of the store
        return lists[0] if len(lists) == 1 else [*lists[0], None, *lists[1]]

    if array.ndim == 1:
        return [ends(array)]
    n = array.shape[1]
    if n <= 2 * EDGE + 1:
        return ends(array)
    pairs = zip(ends(array[:, :EDGE]), ends(array[:, n - EDGE :]), strict=True)
    return [None if first is None else [*first, None, *last] for first, last in pairs]


def text(value):
    """A number in few digits: this is a glance, and the text has them all."""
    return f"{value:.6g}" if isinstance(value, (float, complex)) else str(value)
