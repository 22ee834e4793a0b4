"""The options of @cuda.jit: what a GPU's compiler is told of a kernel, in the words of tile/directives.go, and hints that change nothing."""

from . import limits


def of(options) -> str:
    """The words of those among a kernel's options that are directives."""
    words = []
    if (bounds := options.get("launch_bounds")) is not None:
        numbers = _numbers(bounds)
        if not 1 <= len(numbers) <= 2:
            raise ValueError(f"launch_bounds is the threads of a block, or these and a number of blocks: want 1 or 2 numbers, got {bounds!r}")
        words += ["bound", _whole("launch_bounds, threads of a block", numbers[0], 1, limits.THREADS)]
        if len(numbers) == 2 and numbers[1] is not None:
            words += ["resident", _whole("launch_bounds, blocks", numbers[1], 1, limits.BLOCKS)]
    # 0 says that there is no bound, and more than a thread may have is none.
    if (most := options.get("max_registers")) is not None and 0 < (n := _whole("max_registers", most, 0)) <= limits.REGISTERS:
        words += ["registers", n]
    if options.get("lineinfo"):
        words.append("lines")
    return " ".join(map(str, words))


def threads_of(launch_bounds) -> int:
    """The most threads of a block by launch_bounds, which may have a number of blocks beside it."""
    return limits.THREADS if launch_bounds is None else int(_numbers(launch_bounds)[0])


def _numbers(bounds) -> tuple:
    """launch_bounds as a sequence: of one number where it is that number."""
    try:
        return tuple(bounds)
    except TypeError:
        return (bounds,)


def _whole(what, n, least, most=None) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{what}: {n!r} is no integer")
    if n < least or most and n > most:
        raise ValueError(f"{what}: {n}; want {least} {f'to {most}' if most else 'or more'}")
    return int(n)


_CARVEOUTS = ("maxl1", "maxshared", "default")


def check_hints(options) -> None:
    """Refuse values that hints do not have, whatever becomes of the hints."""
    carveout = options.get("shared_memory_carveout")
    if isinstance(carveout, str):
        if carveout.lower() not in _CARVEOUTS:
            raise ValueError(f"shared_memory_carveout: {carveout!r}; want 'MaxL1', 'MaxShared', 'default', or -1 to 100")
    elif carveout is not None:
        _whole("shared_memory_carveout", carveout, -1, 100)
    if (inline := options.get("inline", "never")) not in ("never", "always", True, False):
        raise ValueError(f"inline: {inline!r}; want 'never' or 'always'")
