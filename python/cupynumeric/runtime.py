"""What programs ask cuPyNumeric's runtime: how many processors it has."""

from legate.core import TaskTarget, get_machine

__all__ = ("runtime",)


class Runtime:
    """The processors that weft runs on now; %weft_config and weft.settings.configure change them."""

    @property
    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return get_machine().count(TaskTarget.GPU)

    @property
    def num_procs(self) -> int:
        """How many processors array operations run on: the GPUs, or else the CPU's queues."""
        machine = get_machine()
        return machine.count(TaskTarget.GPU) or machine.count(TaskTarget.CPU)


runtime = Runtime()
