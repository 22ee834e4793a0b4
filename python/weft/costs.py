"""What a cell cost, in a line."""

SIZES = (1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")


def amount(value, units):
    """A number with the unit that leaves it readable; units is (size, name) from small to large."""
    size, name = next(((s, n) for s, n in reversed(units) if abs(value) >= s), units[0])
    return f"{value / size:.3g} {name}"


def seconds(value):
    return amount(value, ((1e-6, "us"), (1e-3, "ms"), (1, "s")))


def some(number, one, many=None):
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


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
    import html

    from .shell import publish

    text = line(cost)
    small = f'<small style="color:gray">{html.escape(text)}</small>'
    publish("display_data", {"data": {"text/plain": text, "text/html": small}, "metadata": {}, "transient": {}})
