"""Kernels as tasks, whose arguments are inputs, outputs and scalars. How arrays are cut follows from the kernel itself."""

import inspect

from ..compiled.errors import UnsupportedError
from ..compiled.operands import is_ours
from .dispatch import Dispatcher

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


def task(inputs=(), outputs=(), scalars=(), **others):
    """Make a kernel of a function and call it like one: @task(inputs=["u"], outputs=["out"]).

    There is a thread for each element of the first output, of up to three axes. The names are those of the function's parameters.
    """
    if others:
        raise UnsupportedError(f"task: {', '.join(others)} cannot be declared: what a kernel reads follows from its indices")
    if not outputs:
        raise ValueError("task: there is no output, whose elements say how many threads there are")

    def decorate(function):
        kernel = Dispatcher(function, [], False)
        names = list(inspect.signature(kernel.py_func).parameters)
        if names != [*inputs, *outputs, *scalars]:
            raise TypeError(f"{kernel.__name__} has the parameters {', '.join(names)}; declared are {', '.join([*inputs, *outputs, *scalars])}")

        def run(*args, **named):
            given = inspect.signature(kernel.py_func).bind(*args, **named).args
            first = given[len(inputs)]
            if not is_ours(first) or not 1 <= first.ndim <= 3:
                raise TypeError(f"{kernel.__name__}: the output {names[len(inputs)]} is no array of 1 to 3 axes of weft's")
            block = _BLOCKS[first.ndim]
            grid = tuple(max(-(-n // b), 1) for n, b in zip(first.shape, block, strict=True))
            rest = given[len(inputs) + len(outputs) :]
            launch(kernel, grid, block, given[: len(inputs)], given[len(inputs) : len(inputs) + len(outputs)], rest)

        run.kernel, run.py_func, run.__name__, run.__doc__ = kernel, kernel.py_func, kernel.__name__, kernel.__doc__
        return run

    return decorate
