"""Parses long cells in pieces, between which an interrupt is taken: while CPython parses it looks at no signal.

A piece ends before a line that begins a statement. If it parses, then its last statement is complete, no string or bracket is open and all
blocks are closed, so that what follows means what it means at the beginning of a file. If it does not (its end lies in a string, or there
is an error) it is taken longer, up to the end of the source, whose error is the cell's.
"""

import ast
import contextlib
import re

SIZE = 1 << 17  # characters of a piece, about a third of a second
LONG = 1 << 20  # a piece that is told of

# A line that may begin a statement. Those of a string look the same: their piece does not parse.
BEGINS = re.compile(r"\n(?!(?:else|elif|except|finally)\b)(?=[^\W\d]|@)")


def parse(source, compiled, between=contextlib.nullcontext, tell=lambda length: None, size=SIZE):
    """The syntax tree of a source, as compiled(text) gives it of a text.

    between() is entered around each piece; tell(length) is called before one that is LONG."""
    if len(source) <= size:
        return compiled(source)
    source = source.replace("\r\n", "\n").replace("\r", "\n")  # as CPython does first
    body = []
    begin = line = 0
    while begin < len(source):
        length = size
        while True:
            found = BEGINS.search(source, begin + length)
            end = found.end() if found else len(source)
            if end - begin > LONG:
                tell(end - begin)
            try:
                with between():
                    part = compiled("\n" * line + source[begin:end])
                break
            except SyntaxError:
                if end == len(source):
                    raise
                length = 2 * (end - begin)
        body += part.body
        line += source.count("\n", begin, end)
        begin = end
    return ast.Module(body, [])
