"""What kernels print: see jit/log.go, which says how lines lie in the log."""

import sys

import numpy

from ..compiled.operands import ours

_ELEMENTS = 1 << 17
_INT, _FLOAT, _BOOL, _UINT, _TEXT, _OPEN, _SHUT = range(7)


class Log:
    """The log of one launch: its arrays are the kernel's last arguments."""

    def __init__(self, texts):
        self._texts = texts
        head = numpy.zeros(_ELEMENTS, numpy.int64)
        self.arrays = [ours(head, "the log"), ours(numpy.zeros(_ELEMENTS), "the log")]

    def show(self, name):
        """Wait for the launch and print its lines: those of the lowest block first, there of the lowest thread."""
        words, floats = map(numpy.asarray, self.arrays)
        at, end, lines = 2, 2 + int(words[0]), []
        while at < min(end, _ELEMENTS) and words[at] > 0:  # what had no room is zero
            lines.append((int(words[at + 1]), int(words[at + 2]), at))
            at += 1 + 2 * int(words[at])
        for _, _, at in sorted(lines):
            print(self._line(words, floats, at))
        if words[1]:
            print(f"weft: {words[1]} lines that {name} printed had no room in its log and are lost", file=sys.stderr)

    def _line(self, words, floats, at):
        open_tuples, parts = [], []
        for k in range(at + 3, at + 1 + 2 * int(words[at]), 2):
            kind, value = int(words[k]), int(words[k + 1])
            if kind == _OPEN:
                open_tuples.append(parts)
                parts = []
            elif kind == _SHUT:
                inner, parts = parts, open_tuples.pop()
                parts.append("(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")")
            else:
                parts.append(
                    f"{floats[k + 1]:f}" if kind == _FLOAT
                    else self._texts[value] if kind == _TEXT
                    else str(bool(value)) if kind == _BOOL
                    else str(value & (1 << 64) - 1) if kind == _UINT
                    else str(value)
                )  # fmt: skip
        return " ".join(parts)
