"""Functions that are made of text: what wraps the user's as kernels."""

import itertools
import linecache

_count = itertools.count()


def define(name, text, names):
    """The function of a name that a text defines, with names for its globals. Its lines are known, as the compiler wants them."""
    file = f"<weft {name} {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = dict(names)
    exec(compile(text, file, "exec"), names)
    return names[name]


def unused(name, taken):
    """The name, or one like it, that is none of those that are taken; it is taken then."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
