"""What the runtime runs on: flags, environment variables, and changing them while it runs.

    weft.settings.configure("--gpus 4 --emulate")  # arrays and variables stay
    print(weft.settings.describe())

The flags are those of the command line; WEFT_ARGS, LEGATE_CONFIG and LEGATE_ARGS may hold
them too. What is given here or on the command line wins.
"""

import json
import os
import shlex
import signal
import sys
import threading
from importlib.util import find_spec

from . import _core

_SEPARATOR = "\x1f"  # between words that go to the runtime as one string
_words = None  # the words of the command line, once they have been read without a mistake
_given = []  # the words to read if nothing else comes
_seed = None, None  # the seed that belongs to these words


def _environment():
    """The variables that the runtime reads, as they are now, and where the program is that draws."""
    env = {name: value for name, value in os.environ.items() if name.startswith(("WEFT_", "LEGATE_"))}
    if "WEFT_BINARY" not in env:
        here = os.path.dirname(os.path.abspath(__file__))
        for folder in (os.path.dirname(sys.executable), os.path.join(here, "..", "..", "bin")):
            path = os.path.normpath(os.path.join(folder, "weft"))
            if os.access(path, os.X_OK) and os.path.isfile(path):
                env["WEFT_BINARY"] = path
                break
    env["WEFT_NUMPY"] = os.path.dirname(find_spec("numpy").origin)  # its BLAS library lies beside it
    nvidia = find_spec("nvidia")  # a package without a file, whose parts bring libraries for GPUs
    env["WEFT_NVIDIA"] = os.pathsep.join(nvidia.submodule_search_locations) if nvidia and nvidia.submodule_search_locations else ""
    # What is not set must be told too: it may have been set before.
    for name in ("WEFT_ARGS", "WEFT_DEBUG", "LEGATE_CONFIG", "LEGATE_ARGS"):
        env.setdefault(name, "")
    return env


def parse(words: list[str]) -> list[str]:
    """Take the flags at the beginning of a command line; returns the words behind them.

    Raises ValueError, which names the wrong flag and what is allowed.
    """
    global _words
    rest = _core.set_flags(_SEPARATOR.join(words), _environment())
    _words = list(words)
    return rest.split(_SEPARATOR) if rest else []


def prepare() -> None:
    """Called by the runtime before it starts: by now the environment is what the program made it."""
    if _words is None:
        _check(parse(_given))
    if threading.current_thread() is not threading.main_thread():
        return
    # Signals wake waits for arrays, so that Ctrl-C is noticed at once.
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if before == -1:
        _core.watch_signals(read)
    else:  # another owner's, such as an event loop's, which wakes the main thread itself
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)


def start(flags: list[str], kernel: bool) -> None:
    """Take the flags of a command line. In the kernel, make "import numpy" in cells give weft.

    A mistake in the flags or in the environment is a ValueError. The kernel starts all the same, because a
    dead kernel explains nothing: there, the first array operation raises it.
    """
    global _given
    _given = flags
    redirect = "default"
    try:
        _check(parse(flags))
        redirect = current()["numpy"]
    except ValueError as error:
        if not kernel:
            raise
        print(f"weft kernel: {error}", file=sys.stderr)
    if kernel and redirect != "off":
        from . import _redirection

        _redirection.install()


def _check(rest):
    """There must be nothing behind the flags."""
    global _words
    if rest:
        _words = None
        raise ValueError(f"got {rest[0]!r} where a flag was expected; the flags are\n{_core.query('flags')}")


def _complete():
    """The runtime needs what the whole package gives it. In the kernel that is loaded when an attribute of it is asked for."""
    return sys.modules[__package__].ndarray


def configure(flags: str | list[str]) -> None:
    """Change what the runtime runs on: configure("--gpus 4 --emulate").

    The flags replace those of the command line and of earlier calls. Arrays are carried
    over; operations that are under way are completed first. Raises ValueError for wrong
    flags and RuntimeError for devices that are not there; then everything stays as it was.
    """
    global _words
    words = shlex.split(flags) if isinstance(flags, str) else list(flags)
    _complete()
    _core.reconfigure(_SEPARATOR.join(words), _environment())
    _words = list(words)


def numba(which: str = "") -> str:
    """Say whose numba.cuda programs import where Numba is installed: numba("on") weft's, numba("off") Numba's own.

    numba("auto"), as at first, is weft's where there is no CUDA driver. It holds for imports that follow, in __main__
    alone. Returns whose it is.
    """
    from . import _redirection

    return _redirection.numba(which)


def current() -> dict:
    """What the flags and the environment ask for: cpus, gpus (-1: not said), emulate, sysmem, ..."""
    if _words is None:
        _check(parse(_given))
    return json.loads(_core.query("settings"))


def debug_seed() -> int | None:
    """What WEFT_DEBUG=seed=N gives generators that have no seed of their own."""
    if _words is None:
        _check(parse(_given))
    global _seed
    if _seed[0] is not _words:
        text = _core.query("seed")
        _seed = _words, int(text) if text else None
    return _seed[1]


def debug_checks() -> tuple:
    """What WEFT_DEBUG has kernels look for besides wrong indices: "guards", "nans". Numba's simulator, where that is asked for, is guards."""
    if _words is None:
        _check(parse(_given))
    asked = tuple(_core.query("checks").split())
    return (*asked, "guards") if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" and "guards" not in asked else asked


def describe() -> str:
    """The processors and memories that the runtime uses, one per line. Starts the runtime."""
    asked = current()
    _complete()
    _core.start()
    lines = [_core.query("describe")]
    lines += [f"ignored, a flag of Legate: {flag}" for flag in asked["ignored"]]
    return "\n".join(lines)


def overview():
    """What the runtime runs on, what its memories hold and what it has done, to print or to show. Starts the runtime."""
    described = describe().splitlines()
    from .overview import overview as made

    return made(described, current())


def help() -> str:
    """The flags, a line for each."""
    return _core.query("flags")
