"""What a GPU's compiler is told of a kernel by the options of @cuda.jit, in the words of tile/directives.go."""

from . import limits


def of(options) -> str:
    """The words of those among a kernel's options that are directives."""
    words = []
    if (bounds := options.get("launch_bounds")) is not None:
        numbers = bounds if isinstance(bounds, tuple | list) else (bounds,)
        if not 1 <= len(numbers) <= 2:
            raise ValueError(f"launch_bounds is the threads of a block, or these and a number of blocks: want 1 or 2 numbers, got {bounds!r}")
        words += ["bound", _whole("launch_bounds, threads of a block", numbers[0], limits.THREADS)]
        if len(numbers) == 2:
            words += ["resident", _whole("launch_bounds, blocks", numbers[1], limits.BLOCKS)]
    if (most := options.get("max_registers")) is not None and (n := _whole("max_registers", most)) <= limits.REGISTERS:
        words += ["registers", n]  # more than a thread may have is no bound
    if options.get("lineinfo"):
        words.append("lines")
    return " ".join(map(str, words))


def _whole(what, n, most=None) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{what}: {n!r} is no integer")
    if n < 1 or most and n > most:
        raise ValueError(f"{what}: {n}; want 1 {f'to {most}' if most else 'or more'}")
    return int(n)
