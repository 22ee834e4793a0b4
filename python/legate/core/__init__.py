"""The part of Legate's runtime that array programs use: fences, and what the machine has.

Tasks and stores of one's own are not part of it.
"""

import enum
import re

import weft

__all__ = ("LEGATE_MAX_DIM", "Machine", "Runtime", "TaskTarget", "get_legate_runtime", "get_machine")

LEGATE_MAX_DIM = 32  # of arrays


class TaskTarget(enum.IntEnum):
    """The kinds of processors."""

    GPU = 1
    OMP = 2
    CPU = 3


class Machine:
    """The processors that weft runs on now."""

    def count(self, target: TaskTarget | None = None) -> int:
        """How many processors there are of a kind, or of those that operations run on. CPUs are counted by their queues."""
        text = weft.settings.describe()  # "cpu: EPYC, 2 queues on CPUs 0 1", "gpu0: ...", a line for each
        gpus = len(re.findall(r"^gpu\d+: ", text, re.MULTILINE))
        if target == TaskTarget.GPU or target is None and gpus:
            return gpus
        if target == TaskTarget.OMP:
            return 0
        return int(re.search(r"^cpu: .*?(\d+) queues", text, re.MULTILINE)[1])

    @property
    def preferred_target(self) -> TaskTarget:
        """The kind that operations run on."""
        return TaskTarget.GPU if self.count(TaskTarget.GPU) else TaskTarget.CPU

    def __len__(self) -> int:
        return self.count()


class Runtime:
    """The runtime, as far as weft's can be asked the same."""

    def issue_execution_fence(self, block: bool = False) -> None:
        """What comes after runs after what came before, as it does anyway. With block=True, wait until that has run."""
        if block:
            weft.sync()

    def issue_mapping_fence(self) -> None:
        """Nothing is mapped ahead of what comes before it: there is nothing to do."""

    @property
    def machine(self) -> Machine:
        """The processors."""
        return Machine()

    get_machine = machine.fget

    @property
    def node_count(self) -> int:
        """How many machines work together."""
        return 1

    @property
    def node_id(self) -> int:
        """Which one this is."""
        return 0


_runtime = Runtime()


def get_legate_runtime() -> Runtime:
    """The runtime of this process."""
    return _runtime


def get_machine() -> Machine:
    """The processors."""
    return Machine()
