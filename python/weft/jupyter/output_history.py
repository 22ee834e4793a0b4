"""What IPython keeps of earlier cells' outputs, for %notebook and the like, within bounds.

IPython keeps all that is ever displayed, and the tracebacks. A session of pictures or of deep recursions that fail would
fill the memory with them.
"""

from collections import deque
from sys import getsizeof

LIMIT = 32 << 20  # bytes


class OutputHistory:
    """Forgets the outputs and tracebacks of the oldest cells, so that all together stay below the limit."""

    def __init__(self, history, limit=LIMIT):
        self.history = history
        self.limit = limit
        self.cells = deque()  # number and size of each that is kept, the oldest first
        self.total = 0

    def add(self, number):
        """A cell has ended. One that is larger than the limit is kept until the next one comes."""
        outputs, exceptions = self.history.outputs.get(number), self.history.exceptions.get(number)
        if not outputs and not exceptions:
            return
        size = measure([vars(one) for one in outputs or ()]) + measure(exceptions)
        self.cells.append((number, size))
        self.total += size
        while self.total > self.limit and len(self.cells) > 1:
            oldest, size = self.cells.popleft()
            self.total -= size
            self.history.outputs.pop(oldest, None)
            self.history.exceptions.pop(oldest, None)


def measure(what):
    """The bytes that strings, lists and dicts take, and what they hold, however deep. A thousand small outputs are mostly dicts."""
    size = getsizeof(what)
    if isinstance(what, dict):
        what = what.values()
    elif not isinstance(what, (list, tuple)):
        return size
    return size + sum(map(measure, what))
