"""The names of what --profile leaves: a run keeps the files of those before it."""

import itertools
import os

PROFILE = ".weftprof"


def claim(stem: str, *others: str) -> str:
    """Create an empty profile STEM.weftprof for this run, and return the name without its suffix.

    Where there is one already, or a file of the same stem with one of the other suffixes, the stem gets a number:
    heat-2, heat-3. Of runs that begin at the same time each gets a name of its own. Raises OSError.
    """
    for number in itertools.count(1):
        name = stem if number == 1 else f"{stem}-{number}"
        if any(os.path.lexists(name + suffix) for suffix in others):
            continue
        try:
            with open(name + PROFILE, "xb"):
                return name
        except FileExistsError:
            continue


def release(name: str) -> None:
    """Remove the profile of a run that had nothing to write into it."""
    try:
        if os.path.getsize(name + PROFILE) == 0:
            os.remove(name + PROFILE)
    except FileNotFoundError:
        pass  # the program has removed it itself
