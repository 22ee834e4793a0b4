"""Programs that were written for cuPyNumeric, or for cuNumeric as it was called, start and run unchanged."""

import numpy
import pytest

from .sharing import run_python

NAMES = pytest.mark.parametrize("name", ["cunumeric", "cupynumeric"])


def run(text, **options):
    done = run_python(text, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@NAMES
def test_a_package_of_its_own_name_with_wefts_functions(name):
    run(
        f"""
import {name} as np
import {name}.linalg as la
import {name}.random, {name}.fft, {name}.ma, {name}.lib.stride_tricks
from {name} import float32, add, ndarray, newaxis
from {name}.random import default_rng
from {name}.linalg import norm
import weft, weft.linalg, weft.random
assert np.__name__ == np.__spec__.name == "{name}" and np.__package__ == "{name}"
assert np.add is add is weft.add and ndarray is np.ndarray is weft.ndarray
assert la is weft.linalg is np.linalg and default_rng is weft.random.default_rng is np.random.default_rng
assert np.heaviside(1.0, 0.5) == 1 and np.spacing is weft.spacing and np.pi == weft.pi
assert set(np.__all__) <= set(dir(np))
assert weft.linalg.__spec__.name == "weft.linalg" and weft.__name__ == "weft"
star = {{}}
exec("from {name} import *", star)
assert star["hypot"] is weft.hypot
try:
    np.nosuchname
except AttributeError as error:
    assert str(error) == "module '{name}' has no attribute 'nosuchname'", error
try:
    import {name}.nosuchmodule
except ModuleNotFoundError as error:
    assert "{name}.nosuchmodule" in str(error)
else:
    raise AssertionError
"""
    )


@NAMES
def test_settings(name):
    run(
        f"""
from {name}.settings import settings
import {name}.settings, weft.settings, os
assert settings.warn() is False and settings.min_gpu_chunk() == 65536 and settings.take_default() == "auto"
settings.warn = True
settings.take_default = "task"
assert settings.warn() is True and settings.take_default() == "task"
settings.warn.unset_value()
os.environ["{name.upper()}_WARN"] = "1"
os.environ["{name.upper()}_MIN_CPU_CHUNK"] = "12"
assert settings.warn() is True and settings.min_cpu_chunk() == 12
try:
    settings.nosuchsetting = 1
except AttributeError as error:
    assert "nosuchsetting" in str(error)
else:
    raise AssertionError
assert {name}.settings.configure is weft.settings.configure
"""
    )


@NAMES
def test_a_stencil_with_hints_and_legates_clock(name):
    text = f"""
import argparse
import {name} as np
from legate.timing import time
from legate.core import TaskTarget, get_legate_runtime, get_machine
from {name}.runtime import runtime

grid = np.zeros((34, 34))
grid[0, :] = 1.0
grid.stencil_hint(low_offsets=(1, 1), high_offsets=(1, 1))
start = time()
for _ in range(3):
    grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
stop = time("us")
get_legate_runtime().issue_execution_fence(block=True)
assert stop > start and (stop - start) / 1000.0 > 0
try:
    grid.stencil_hint((1,), (1, 1))
except ValueError as error:
    assert "2 dimensions" in str(error)
print(float(grid.sum()), runtime.num_gpus, get_machine().count(TaskTarget.GPU), runtime.num_procs)
"""
    total, gpus, same, processors = run(text).split()
    grid = numpy.zeros((34, 34))
    grid[0, :] = 1.0
    for _ in range(3):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    assert float(total) == grid.sum() and gpus == same == "0" and int(processors) > 0
    assert run("import os; os.environ['WEFT_ARGS'] = '--gpus 3 --emulate'\n" + text).split()[1:] == ["3", "3", "3"]


@NAMES
def test_patch(name):
    run(f"import {name}.patch\nimport numpy as np, weft\nassert np is weft\n")
