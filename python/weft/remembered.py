"""What IPython keeps of earlier cells' outputs, for %notebook and the like, within bounds.

IPython keeps all that is ever displayed, and the tracebacks. A session of pictures or of deep recursions that fail would
fill the memory with them.
"""

from collections import deque

LIMIT = 32 << 20  # bytes of text


class Remembered:
    """Forgets the outputs and tracebacks of the oldest cells, so that all together stay below the limit."""

    def __init__(self, history, limit=LIMIT):
        self.history = history
        self.limit = limit
        self.cells = deque()  # number and size of each that is kept, the oldest first
        self.total = 0

    def add(self, number):
        """A cell has ended. One that is larger than the limit is kept until the next one comes."""
        size = measure([one.bundle for one in self.history.outputs.get(number, ())])
        size += measure(self.history.exceptions.get(number))
        if not size:
            return
        self.cells.append((number, size))
        self.total += size
        while self.total > self.limit and len(self.cells) > 1:
            oldest, size = self.cells.popleft()
            self.total -= size
            self.history.outputs.pop(oldest, None)
            self.history.exceptions.pop(oldest, None)


def measure(what):
    """The characters and bytes in lists and dicts, however deep."""
    if isinstance(what, (str, bytes)):
        return len(what)
    if isinstance(what, dict):
        what = what.values()
    elif not isinstance(what, (list, tuple)):
        return 0
    return sum(map(measure, what))
