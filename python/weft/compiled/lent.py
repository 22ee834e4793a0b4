"""The host's arrays while a function runs on weft's: each memory is copied once, and arrays that share it are views of the copy."""

import itertools

import numpy

from .. import _hooks
from .operands import is_ours, ours


class Lent:
    """Arguments with weft's arrays in place of the host's, within tuples too. give_back copies what these hold to the host's."""

    def __init__(self, args, name):
        self._name, self._mine = name, {}
        self._collect(args)
        for group in _groups([host for host, _ in self._mine.values()]):
            for host, mine in zip(group, self._copies(group), strict=True):
                self._mine[id(host)] = host, mine
        self.args = tuple(map(self._exchanged, args))
        self._hosts = {id(mine): host for host, mine in self._mine.values()}

    def _collect(self, values):
        for value in values:
            if isinstance(value, tuple):
                self._collect(value)
            elif _is_hosts(value):
                self._mine[id(value)] = value, None

    def _copies(self, group):
        """Weft's arrays of the host's that share memory: views of one copy of it."""
        import weft

        what = f"an argument of {self._name}"
        if len(group) == 1:
            return [ours(group[0], what)]
        if not any(_share(a, b) for a, b in itertools.combinations(group, 2)):
            return [ours(host, what) for host in group]
        dtype = group[0].dtype
        low, high = _span(group)
        starts = [numpy.lib.array_utils.byte_bounds(host)[0] - low for host in group]
        if any(host.dtype != dtype for host in group) or any(
            n % dtype.itemsize for host, start in zip(group, starts, strict=True) for n in (start, *host.strides)
        ):
            raise TypeError(
                f"arguments of {self._name} share memory with different dtypes "
                f"({', '.join(str(host.dtype) for host in group)}); pass a copy of one of them"
            )
        whole = ours(numpy.array(_Memory(low, (high - low) // dtype.itemsize, dtype, group)), what)
        strided = weft.lib.stride_tricks.as_strided
        return [
            strided(whole[at:], host.shape, tuple(map(abs, host.strides)))[
                tuple(slice(None, None, -1 if step < 0 else 1) for step in host.strides)
            ]
            for host, at in zip(group, (start // dtype.itemsize for start in starts), strict=True)
        ]

    def _exchanged(self, value):
        if isinstance(value, tuple):
            made = map(self._exchanged, value)
            return type(value)._make(made) if hasattr(value, "_make") else tuple(made)
        return self._mine[id(value)][1] if _is_hosts(value) else value

    def give_back(self):
        """Copy what may have been written to the host's arrays: whether it was is not known."""
        for host, mine in self._mine.values():
            if host.flags.writeable:
                host[...] = numpy.asarray(mine)

    def at_home(self, value):
        """A result as a function of the host's arrays gives it."""
        if not self._mine:
            return value
        if isinstance(value, tuple):
            made = map(self.at_home, value)
            return type(value)._make(made) if hasattr(value, "_make") else tuple(made)
        if is_ours(value):
            return self._hosts.get(id(value), numpy.asarray(value)[()])
        return value


def _is_hosts(value):
    return type(value) is numpy.ndarray and _hooks.is_native(value.dtype)


def _share(a, b):
    """Whether arrays have an element in common, which is assumed where it takes long to find out."""
    try:
        return numpy.shares_memory(a, b, max_work=10000)
    except numpy.exceptions.TooHardError:
        return True


def _span(group):
    bounds = [numpy.lib.array_utils.byte_bounds(host) for host in group]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _groups(hosts):
    """The arrays by the memory that they lie in: those whose spans overlap are together."""
    groups, end = [], -1
    for host in sorted(hosts, key=lambda host: numpy.lib.array_utils.byte_bounds(host)[0]):
        low, high = numpy.lib.array_utils.byte_bounds(host)
        if low < end and host.size:
            groups[-1].append(host)
        else:
            groups.append([host])
        end = max(end, high)
    return groups


class _Memory:
    """The memory from the first byte of some arrays to the last one, as NumPy takes it."""

    def __init__(self, address, size, dtype, owners):
        self._owners = owners
        self.__array_interface__ = {"data": (address, True), "shape": (size,), "typestr": dtype.str, "version": 3}
