"""The configuration of a launch that takes the least time."""

import time

import numpy

from .. import _core
from ..compiled.operands import is_ours
from .memory import Argument
from .records import DeviceRecords


class Tuned:
    """A kernel that is launched in the best of some configurations, which is found at the first call for each types and shapes.

    best says, for each, the configuration and the milliseconds that each took.
    """

    def __init__(self, kernel, configs, repeat):
        self.kernel, self.configs, self._repeat, self.best = kernel, list(configs), repeat, {}
        if not self.configs:
            raise ValueError("tune: there is no configuration to choose from")

    def __call__(self, *args):
        key = tuple(_kind(a) for a in args)
        if key not in self.best:
            self.best[key] = self._measured(args)
        self._launch(self.best[key][0], args)

    def _launch(self, config, args):
        config = config(*args) if callable(config) else config
        self.kernel[config](*args)

    def _measured(self, args):
        """The best configuration for some arguments. Each is timed on copies, so that the arguments stay as they are."""
        taken = {}
        for at, config in enumerate(self.configs):
            times = []
            for _ in range(self._repeat + 1):  # the first one compiles
                copies = [_copy(a) for a in args]
                _core.sync()
                before = time.perf_counter()
                self._launch(config, copies)
                _core.sync()
                times.append((time.perf_counter() - before) * 1e3)
            taken[at] = min(times[1:])
        least = min(taken, key=taken.get)
        return self.configs[least], [taken[at] for at in range(len(self.configs))]


def _kind(arg):
    value = arg.value if isinstance(arg, Argument) else arg
    if isinstance(value, tuple):
        return type(value).__name__, *map(_kind, value)
    return (str(value.dtype), value.shape) if hasattr(value, "shape") else type(value).__name__


def _copy(arg):
    if isinstance(arg, Argument):
        return type(arg)(_copy(arg.value))
    if isinstance(arg, tuple):
        copies = map(_copy, arg)
        return type(arg)._make(copies) if hasattr(arg, "_make") else tuple(copies)
    if isinstance(arg, DeviceRecords):
        return DeviceRecords(arg.dtype, {name: a.copy() for name, a in arg.fields.items()})
    return arg.copy() if is_ours(arg) or isinstance(arg, numpy.ndarray) else arg


def tune(kernel, configs, repeat=3) -> Tuned:
    """A kernel that chooses its configuration: tune(kernel, [(blocks, 64), (blocks, 128)])(arguments...).

    A configuration is what stands in kernel[...], or a function that gives it for the arguments. Which is best is remembered for each
    types and shapes of the arguments.
    """
    return Tuned(kernel, configs, repeat)
