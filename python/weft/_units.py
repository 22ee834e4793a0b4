"""Sizes, times and counts in words."""

SIZES = (1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")


def amount(value, units):
    """A number with the unit that leaves it readable; units is (size, name) from small to large."""
    size, name = next(((s, n) for s, n in reversed(units) if abs(value) >= s), units[0])
    return f"{value / size:.3g} {name}"


def seconds(value):
    return amount(value, ((1e-6, "us"), (1e-3, "ms"), (1, "s")))


def some(number, one, many=None):
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"
