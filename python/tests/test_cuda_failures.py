"""What a CUDA kernel that fails leaves behind: arrays, updates, and who is told."""

import re
import subprocess
import sys

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import sources
from weft.numba import int32


@cuda.jit
def up_to(a, n):
    i = cuda.grid(1)
    s = cuda.shared.array(4, int32)
    s[i % 4] = 1
    cuda.syncthreads()
    a[i] = i
    if i == n:
        raise ValueError("enough", i)


@cuda.jit
def added(a, b):
    i = cuda.grid(1)
    cuda.atomic.add(b, i, a[i])


def test_arrays_after_a_failure():
    """The program is told once; then what launches update is there, written or as it was before.

    GPUs may have begun what comes behind the launch that fails.
    """
    a, b = np.full(64, -1), np.arange(64)
    up_to[4, 16](a, 3)
    added[4, 16](a, b)
    with pytest.raises(ValueError, match="enough 3"):
        float(b[0])
    got, sums = numpy.asarray(a), numpy.asarray(b)
    assert numpy.all((got == numpy.arange(64)) | (got == -1))
    assert numpy.array_equal(sums, numpy.arange(64)) or numpy.array_equal(sums, numpy.arange(64) + got)
    a += 1
    up_to[4, 16](a, 1000)
    assert numpy.array_equal(a, numpy.arange(64))


def test_an_update_behind_a_failure():
    """It never begins where it waits for the launch: told once, the array is as the launch left it."""
    a = np.full(400_000, -1)
    up_to[25_000, 16](a, 3)
    a += 1
    a *= 2
    with pytest.raises(ValueError, match="enough 3"):
        float(a.sum())
    first = numpy.asarray(a[:16]).copy()
    assert numpy.all((first == numpy.arange(16)) | (first == -1))
    assert float(a[3]) == first[3]
    a[:] = 5
    assert a.sum() == 2_000_000


@pytest.mark.parametrize("size", [64, 100_000])
def test_an_update_of_few_behind_a_failure(size):
    a = np.full(size, -1)
    up_to[1, 16](a, 3)
    a += 1
    with pytest.raises(ValueError, match="enough 3"):
        float(a[0])
    assert float(a[0]) in (-1, 0, 1)


READERS = (
    numpy.asarray, numpy.array, memoryview, lambda a: numpy.zeros(64).__setitem__(slice(None), a), lambda a: a.copy_to_host(),
)  # fmt: skip


@pytest.mark.parametrize("read", READERS)
def test_readers_are_told_of_a_failure(read):
    """NumPy, which clears the errors of buffer requests and asks in another way, is told as the program is."""
    a = np.full(64, -1)
    up_to[4, 16](a, 3)
    with pytest.raises(ValueError, match="enough 3"):
        read(a)
    assert numpy.asarray(a)[63] in (-1, 63)


def test_verify_says_what_a_failure_leaves_open(tmp_path):
    """What was read before a launch that never ran is compared, and what is not is counted."""
    program = """
import weft as np
from weft import cuda
from weft.compiled import sources
from weft.numba import int32
x = np.arange(400_000.0)
y = np.sqrt(x + 1) * x
assert float(y.sum()) > 0

@cuda.jit
def up_to(a, n):
    i = cuda.grid(1)
    a[i] = i
    if i == n:
        raise ValueError("enough")

a = np.zeros(64, dtype=int)
up_to[4, 16](a, 3)
up_to[4, 16](a, 1000)
try:
    a[0].item()
except ValueError:
    a[0].item()
report = np.verify()
assert report.wrong == 0 and report.reads > 0, report
assert report.unchecked == 0 or "behind a launch that never ran" in str(report), report
"""
    file = tmp_path / "fails.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@cuda.jit
def stepped(steps, out):
    i = cuda.grid(1)
    s = cuda.shared.array(4, int32)
    s[i] = 0
    cuda.syncthreads()
    for j in range(9, -9, steps[i]):
        s[i] += j
    for k, j in enumerate(range(0, 10, steps[i])):
        s[i] += j * k
    cuda.syncthreads()
    out[i] = s[3 - i]


@cuda.jit
def stepped_alone(steps, out):
    i = cuda.grid(1)
    total = 0
    for j in range(9, -9, steps[i]):
        total += j
    out[i] = total


@cuda.jit
def stepped_by(step, out):
    i = cuda.grid(1)
    total = 0
    for j in range(9, -9, step):
        total += j
    out[i] = total


def test_a_step_of_zero():
    """A thread that comes to a range of such a step fails, and does nothing behind it, whether each has an element of its own or not."""
    steps = [-3, 1, -20, 4]
    want = [sum(range(9, -9, s)) + sum(j * k for k, j in enumerate(range(0, 10, s))) for s in steps]
    out = np.zeros(4, dtype="i8")
    stepped[1, 4](np.array(steps), out)
    assert out.tolist() == want[::-1]
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero.*thread \(2,0,0\)"):
        stepped[1, 4](np.array([-3, 1, 0, 4]), out)
        float(out[0])
    for kernel, args in ((stepped_alone, (np.array([-3, 1, 0, -4]),)), (stepped_by, (0,))):
        out = np.full(4, 7, dtype="i8")
        kernel[1, 4](*args, out)
        with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero.*thread \([02],0,0\)"):
            float(out[0])
    out = np.full(4, 7, dtype="i8")
    stepped_alone[1, 4](np.array([-3, 1, 2, -4]), out)
    assert out.tolist() == [sum(range(9, -9, s)) for s in (-3, 1, 2, -4)]
    stepped_by[1, 4](-5, out)
    assert out.tolist() == [sum(range(9, -9, -5))] * 4


def test_lines_of_other_files_have_their_name():
    inner = sources.define("inner", "def inner(x, i):\n    return x[i + 60]\n", {})
    text = "def outer(x, out):\n    i = cuda.grid(1)\n    cuda.syncthreads()\n    out[i] = inner(x, i)\n    out[i + 1] = 1\n"
    outer = sources.define("outer", text, {"cuda": cuda, "inner": cuda.jit(device=True)(inner)})
    with pytest.raises(IndexError, match=re.escape(f"(kernel outer, {inner.__code__.co_filename} line 2, thread (4,0,0)")):
        cuda.jit(outer)[1, 64](np.zeros(64), np.zeros(65))
        cuda.synchronize()
    with pytest.raises(IndexError, match=re.escape("(kernel outer, line 5, thread (63,0,0)")):
        cuda.jit(outer)[1, 64](np.zeros(124), np.zeros(64))
        cuda.synchronize()
