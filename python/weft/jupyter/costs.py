"""What a cell cost, in a line."""

import html

from .._units import SIZES, amount, seconds, some
from .streams import publish


def line(cost):
    """The cost of end_cell() in words."""
    parts = [f"{seconds(cost['wall_seconds'])}: {some(cost['operations'], 'operation')}"]
    if cost["fused_operations"]:
        parts[0] += f" ({cost['fused_operations']} fused)"
    parts.append(some(cost["tasks"], "task"))
    parts += [f"{device} {seconds(busy)} busy" for device, busy in cost["busy_seconds"].items() if busy]
    if cost["copies"]:
        parts.append(f"{amount(cost['moved_bytes'], SIZES)} in {some(cost['copies'], 'copy', 'copies')}")
    if cost["fallbacks"]:
        parts.append(f"{some(cost['fallbacks'], 'call')} went to NumPy")
    if cost["pending_tasks"]:
        parts.append(f"{some(cost['pending_tasks'], 'task')} still under way")
    return ", ".join(parts)


def show_cost(cost):
    """Display the line, small and grey."""
    text = line(cost)
    small = f'<small style="color:gray">{html.escape(text)}</small>'
    publish("display_data", {"data": {"text/plain": text, "text/html": small}, "metadata": {}, "transient": {}})
