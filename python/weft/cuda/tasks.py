"""Kernels as tasks, whose arguments are inputs, outputs, reductions and scalars.

How arrays are cut follows from the kernel itself: a thread reads at its own position plus numbers, so that a GPU is given what
lies at its threads' positions and as much beyond. What a task declares is held against that.
"""

import inspect
import operator

import numpy

from .. import _core
from ..compiled.operands import is_ours
from .dispatch import Dispatcher, checks

_BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}


def launch(kernel, grid, block, inputs=(), outputs=(), scalars=(), sharedmem=0) -> None:
    """Launch a kernel whose parameters are the inputs, the outputs and the scalars, in this order.

    A kernel that writes to an input is wrong: it is told by a ValueError behind the launch.
    """
    written = kernel.launch(*kernel.dims(grid, block, sharedmem), (*inputs, *outputs, *scalars))
    for at in range(len(inputs)):
        if written >> at & 1:
            name = list(inspect.signature(kernel.py_func).parameters)[at]
            raise ValueError(f"{kernel.__name__} has written to {name}, which is an input; name it as an output")


def _is_array(value):
    return is_ours(value) or isinstance(value, numpy.ndarray)


def _alike(value):
    """An array of weft's like one of the host's; anything else as it is."""
    import weft

    return weft.empty(value.shape, value.dtype) if isinstance(value, numpy.ndarray) and not is_ours(value) else value


def _neutral(how, dtype):
    """What changes nothing where elements are combined."""
    if how in ("sum", "prod"):
        return int(how == "prod")
    if dtype.kind == "f":
        return numpy.inf if how == "min" else -numpy.inf
    if dtype.kind == "b":
        return how == "min"
    limits = numpy.iinfo(dtype)
    return limits.max if how == "min" else limits.min


_REDUCTIONS = ("sum", "prod", "min", "max")


class Task:
    """A kernel that is called like a function: with its inputs, outputs and scalars. It returns what it reduces to."""

    def __init__(self, function, inputs, outputs, reduces, halo, scalars):
        self.kernel = Dispatcher(function, [], False, checks(None))
        self.py_func, self.__name__, self.__doc__ = self.kernel.py_func, self.kernel.__name__, self.kernel.__doc__
        names = list(inspect.signature(self.py_func).parameters)
        declared = [*inputs, *outputs, *reduces, *scalars]
        if names != declared:
            raise TypeError(f"{self.__name__} has the parameters {', '.join(names)}; declared are {', '.join(declared)}")
        reduces = {name: how if isinstance(how, tuple) else (how, None) for name, how in reduces.items()}
        for name, (how, _) in reduces.items():
            if how not in _REDUCTIONS:
                raise ValueError(f"{self.__name__}: {name} is reduced by {how!r}; want one of {', '.join(_REDUCTIONS)}")
        for name in halo:
            if name not in inputs:
                raise ValueError(f"{self.__name__}: the halo of {name}, which is no input: {', '.join(inputs)}")
        self.inputs, self.outputs, self.reduces, self.halo, self.scalars = inputs, outputs, reduces, halo, scalars
        given = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in (*inputs, *outputs, *scalars)]
        self.__signature__ = inspect.Signature(given)

    def __repr__(self):
        return f"<task {self.__name__!r}>"

    def __call__(self, *args, **named):
        given = self.__signature__.bind(*args, **named).arguments
        space = given[(self.outputs or self.inputs)[0]]
        if not _is_array(space) or not 1 <= space.ndim <= 3:
            kind = "output" if self.outputs else "input"
            raise TypeError(f"{self.__name__}: the {kind} {(self.outputs or self.inputs)[0]} is no array of 1 to 3 axes")
        inputs, outputs = ([given[n] for n in names] for names in (self.inputs, self.outputs))
        parts = [self._parts(name, *how, space) for name, how in self.reduces.items()]
        block = _BLOCKS[space.ndim]
        grid = tuple(max(-(-n // b), 1) for n, b in zip(space.shape, block, strict=True))
        scalars = [given[n] for n in self.scalars]
        if self.halo:
            self._check_halo(grid, block, inputs, [*outputs, *parts, *scalars])
        launch(self.kernel, grid, block, inputs, [*outputs, *parts], scalars)
        reduced = tuple(getattr(a, how)() for a, (how, _) in zip(parts, self.reduces.values(), strict=True))
        return reduced[0] if len(reduced) == 1 else reduced or None

    def _parts(self, name, how, dtype, space):
        """An element for each thread, which changes nothing as long as the thread has not set it."""
        import weft

        if dtype is None and space.dtype.kind not in "fc":  # what threads set may have a fraction, or be larger
            raise TypeError(
                f"{self.__name__}: {name} has no dtype, and the threads' array is of {space.dtype}; "
                f'write reduces={{"{name}": ("{how}", "float64")}}, or the dtype of what the kernel sets'
            )
        dtype = numpy.dtype(space.dtype if dtype is None else dtype)
        if dtype.kind == "c" and how in ("min", "max"):
            raise TypeError(f"{self.__name__}: complex numbers have no {how}")
        return weft.full(space.shape, _neutral(how, dtype), dtype=dtype)

    def _check_halo(self, grid, block, inputs, others):
        halos = []
        for name, a in zip(self.inputs, inputs, strict=True):
            far = self.halo.get(name, ())
            if name in self.halo and not _is_array(a):
                raise TypeError(f"{self.__name__}: {name}, which has a halo, is no array")
            far = tuple(far) if isinstance(far, (tuple, list)) else (operator.index(far),) * a.ndim
            if name in self.halo and len(far) != a.ndim:
                raise ValueError(f"{self.__name__}: the halo of {name} has {len(far)} numbers; want one, or one for each of its {a.ndim} axes")
            halos.append(far)
        dims = self.kernel.dims(grid, block)
        args = [_alike(a) for a in (*inputs, *others)]
        self.kernel.plain(lambda number: _core.compiled("halo", number, *dims, tuple(halos), *args))


def task(inputs=(), outputs=(), reduces=None, halo=None, scalars=()):
    """Make a kernel of a function and call it like one: @task(inputs=["u"], outputs=["out"], halo={"u": 1}).

    There is a thread for each element of the first output, or the first input where there is none, of up to three axes.
    The function's parameters are the inputs, the outputs, the reductions and the scalars.

    reduces={"change": "max"}: each thread may set change[i, j], at its own position, and the call returns the greatest of
    them: the same bits on any number of devices, as the order is that of all reductions. Its dtype is that of the threads'
    array, if that is of floats or complex numbers, or the second of a pair: {"change": ("max", "int64")}. What a thread
    sets is cast to it. halo={"u": 1} says that threads
    read u no further from their position than that, along each axis or by a tuple: arrays are cut then, and only their
    edges move between GPUs. A kernel that reads further, or cannot be cut, is told by an error at the call.
    """
    if not outputs and not inputs:
        raise ValueError("task: there is no output and no input, whose elements say how many threads there are")
    if not outputs and not reduces:
        raise ValueError("task: there is no output, and nothing that it reduces to")

    def decorate(function):
        return Task(function, list(inputs), list(outputs), dict(reduces or {}), dict(halo or {}), list(scalars))

    return decorate
