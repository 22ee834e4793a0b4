"""Functions that are made of text, or of the tree of a function of the user's: what wraps these as kernels."""

import ast
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


def rewritten(tree, origin, names, name=None):
    """The function of a def statement that is made of a function's, with names for its globals; it may have another name than the statement.

    origin is the latter as reading.read gives it. Lines and columns of the statement are those of its source; so the compiler shows what
    is wrong there, and tracebacks do.
    """
    ast.fix_missing_locations(tree)
    placed = list({id(n): n for n in ast.walk(tree) if hasattr(n, "lineno")}.values())
    _move(placed, origin.line - 1, origin.margin)
    try:
        code = compile(ast.Module([tree], []), origin.function.__code__.co_filename, "exec", dont_inherit=True)
    finally:
        _move(placed, 1 - origin.line, -origin.margin)
    names = dict(names)
    exec(code, names)
    made = names[tree.name]
    made.__name__ = name or tree.name
    made.rewritten = tree, origin
    return made


def _move(placed, lines, columns):
    for n in placed:
        n.lineno, n.end_lineno, n.col_offset, n.end_col_offset = (
            n.lineno + lines, n.end_lineno + lines, n.col_offset + columns, n.end_col_offset + columns
        )  # fmt: skip


def standing(text, at, until=None):
    """The statement of a text as one that stands where a node does, or from its beginning to the end of another one."""
    (tree,) = ast.parse(text).body
    until = until or at
    for n in ast.walk(tree):
        if hasattr(n, "lineno"):
            n.lineno, n.col_offset, n.end_lineno, n.end_col_offset = at.lineno, at.col_offset, until.end_lineno, until.end_col_offset
    return tree


def unused(name, taken):
    """The name, or one like it, that is none of those that are taken; it is taken then."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
