"""Arguments of a launch as the compiler takes them: numbers and arrays, and how tuples and records are made of these."""

import enum
import warnings

import numpy

from .. import _guests
from ..compiled.errors import NumbaPerformanceWarning, UnsupportedError
from ..compiled.operands import is_ours, ours
from ..compiled.reading import enumeration
from .memory import Argument
from .records import DeviceRecords, field_types, is_structured

_LEAVES = (bool, int, float, complex)


class Given:
    """The arguments of one launch. structure is None where each is one leaf; see Structure in jit/arguments.go."""

    def __init__(self, name, args):
        self.name, self.leaves, self.hosts, self._words, self._plain = name, [], [], [], True
        self._ends = []  # how many leaves there are up to the end of each argument
        for at, arg in enumerate(args):
            self._add(arg, at)
            self._ends.append(len(self.leaves))

    @property
    def structure(self):
        return None if self._plain else "".join(self._words)

    def force_structure(self):
        """Have the structure told though each argument is a leaf: what follows the leaves is not one."""
        self._plain = False

    def give_back(self, written):
        """Copy what the kernel has written back to the arrays of the host's."""
        for at, host, value in self.hosts:
            if written >> at & 1:
                host[...] = numpy.asarray(value)

    def by_argument(self, written):
        """A bit for each argument of which a leaf is written, of a bit for each leaf."""
        made = begin = 0
        for at, end in enumerate(self._ends):
            if written >> begin & (1 << end - begin) - 1:
                made |= 1 << at
            begin = end
        return made

    def _leaf(self, value):
        self._words.append(".")
        self.leaves.append(value)

    def _several(self, begin, values, end, at):
        self._plain = False
        self._words.append(begin)
        for value in values:
            self._add(value, at)
        self._words.append(end)

    def _add(self, arg, at):
        value = arg.value if isinstance(arg, Argument) else arg
        if is_ours(value) or type(value) in _LEAVES:
            self._leaf(value)
        elif is_structured(value) or isinstance(value, DeviceRecords):
            self._records(value, arg, at)
        elif isinstance(value, numpy.generic):
            self._leaf(value)
        elif _guests.is_guest(value):
            self._leaf(_guests.adopt(value))
        elif value is None:
            self._plain = False
            self._words.append("n")
        elif isinstance(value, enum.Enum) and isinstance(value, _LEAVES):
            self._add(value.value, at)
        elif isinstance(value, enum.Enum):
            self._several(f"<value of {enumeration(value)}:", (value.value,), ">", at)
        elif isinstance(value, tuple):
            names = getattr(value, "_fields", None)
            self._several(f"<{','.join(names)}:" if names else "(", value, ">" if names else ")", at)
        elif (
            isinstance(value, numpy.ndarray) or hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")
        ):
            self._host(numpy.asarray(value), arg, at)
        else:
            raise UnsupportedError(
                f"argument {at + 1} of {self.name} is a {type(value).__name__}; kernels take numbers, arrays of numbers, and tuples of these"
            )

    def _records(self, value, arg, at):
        if isinstance(value, numpy.void):
            self._several(f"<{','.join(value.dtype.names)}:", [value[name] for name in value.dtype.names], ">", at)
            return
        self._plain = False
        self._words.append(f"{{{','.join(value.dtype.names)}:")
        for name, _ in field_types(value.dtype):
            if isinstance(value, DeviceRecords):
                self._leaf(value.fields[name])
            else:
                self._host(value[name], arg, at)
        self._words.append("}")

    def _host(self, host, arg, at):
        """An array in the host's memory, of which weft gets a copy."""
        if not isinstance(arg, Argument):
            warnings.warn(
                NumbaPerformanceWarning("Host array used in CUDA kernel will incur copy overhead to/from device."),
                stacklevel=6,
            )
        value = ours(host, f"argument {at + 1} of {self.name}")
        if not isinstance(arg, Argument) or arg.back:
            self.hosts.append((len(self.leaves), host, value))
        self._leaf(value)
