"""What kernels with debug=True look for: races, reads of what nothing has written, divisions by zero, NaNs that appear."""

import numpy
import pytest
import weft as np
from weft import cuda
from weft.numba import int64, njit, prange

from .reductions import sums_of_blocks
from .sharing import run_python

N = 64


def with_lines(function):
    """The kernel with debug=True, and the number of its first line."""
    return cuda.jit(debug=True)(function), function.__code__.co_firstlineno


def test_races_on_shared_memory():
    x = np.arange(4.0 * N)
    kernel, _ = with_lines(sums_of_blocks())
    out = np.zeros(4)
    kernel[4, N](x, out)
    assert numpy.array_equal(out, numpy.arange(4.0 * N).reshape(4, N).sum(1))
    kernel, line = with_lines(sums_of_blocks(meets=False))
    out = np.zeros(4)
    with pytest.raises(RuntimeError) as told:
        kernel[4, N](x, out)
        float(out[0])
    text = str(told.value)
    assert f"race on s[16]: it is read here, and written by thread (16,0,0) of block (0,0,0), line {line + 8}" in text
    assert f"(kernel sums, line {line + 8}, thread (0,0,0) of block (0,0,0)" in text


def shifted(a):
    i = cuda.grid(1)
    if i + 1 < a.size:
        a[i] = a[i + 1]


def histogram(a, bins):
    cuda.atomic.add(bins, a[cuda.grid(1)], 1)


def histogram_without_atomics(a, bins):
    bins[a[cuda.grid(1)]] += 1


def found(a, flag):
    if a[cuda.grid(1)] >= 0:
        flag[0] = 1


def last_block(a, partial, done, out):
    total = 0.0
    for i in range(cuda.blockIdx.x, a.size, cuda.gridDim.x):
        total += a[i]
    partial[cuda.blockIdx.x] = total
    cuda.threadfence()
    if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
        total = 0.0
        for i in range(cuda.gridDim.x):
            total += partial[i]
        out[0] = total


def last_block_of_many(fence, a, partial, done, out):
    """Blocks of many threads, the last of which adds up what all have left, is told by the first thread of each."""
    s = cuda.shared.array(1, int64)
    t = cuda.threadIdx.x
    partial[cuda.grid(1)] = a[cuda.grid(1)] * 2
    cuda.syncthreads()
    if t == 0:
        if fence == 1:
            cuda.threadfence_block()
        if fence == 2:
            cuda.threadfence()
        s[0] = cuda.atomic.add(done, 0, 1)
    cuda.syncthreads()
    if s[0] == cuda.gridDim.x - 1:
        total = 0.0
        for i in range(t, a.size, cuda.blockDim.x):
            total += partial[i]
        cuda.atomic.add(out, 0, total)


def test_fences():
    """What a block's threads did before they met is ordered by a fence of one of them, if that is not the block's alone."""
    a = np.arange(256.0)
    kernel, line = with_lines(last_block_of_many)
    for fence in range(3):
        out = np.zeros(1)
        kernel[8, 32](fence, a, np.zeros(256), np.zeros(1, dtype=int), out)
        if fence == 2:
            assert out[0] == 256 * 255
            continue
        with pytest.raises(RuntimeError, match=rf"race on partial\[.*, and written by thread .*, line {line + 4}, with nothing between"):
            float(out[0])


def test_races_on_global_memory():
    """Blocks race with each other, too: but not by atomics, not with what a fence stands behind, and not by one value."""
    a = np.arange(256) % 7
    for kernel, args, what, behind in (
        (shifted, (np.arange(256.0),), "race on a[", 3),
        (histogram_without_atomics, (a, np.zeros(7, dtype=int)), "race on bins[", 1),
    ):
        kernel, line = with_lines(kernel)
        with pytest.raises(RuntimeError) as told:
            kernel[8, 32](*args)
            cuda.synchronize()
        assert what in str(told.value) and f"line {line + behind}, thread" in str(told.value)
    bins, flag = np.zeros(7, dtype=int), np.zeros(1)
    with_lines(histogram)[0][8, 32](a, bins)
    with_lines(found)[0][8, 32](a, flag)
    assert numpy.array_equal(bins, numpy.bincount(numpy.arange(256) % 7)) and flag[0] == 1
    out = np.zeros(1)
    with_lines(last_block)[0][8, 1](np.arange(100.0), np.zeros(8), np.zeros(1, dtype=int), out)
    assert out[0] == 4950


def test_blocks_race_though_one_runs_behind_the_other():
    @cuda.jit(debug=True)
    def handed_on(a):
        if cuda.blockIdx.x == 0:
            a[0] = 1
        else:
            a[1] = a[0]

    with pytest.raises(RuntimeError, match=r"race on a\[0\].*thread \(0,0,0\) of block \(0,0,0\).*of block \(1,0,0\)"):
        a = np.zeros(2)
        handed_on[2, 1](a)
        float(a[0])


def reads(a, out):
    i = cuda.grid(1)
    out[i] = a[i]


def test_what_nothing_has_written():
    kernel, line = with_lines(reads)
    a, out = cuda.device_array(100_000), np.zeros(100_000)
    with pytest.raises(RuntimeError, match=rf"a\[0\] is read, and nothing has written it \(kernel reads, line {line + 2}"):
        kernel[1000, 100](a, out)
        float(out[0])
    a[...] = 3
    out = np.zeros(100_000)
    kernel[1000, 100](a, out)
    assert (out == 3).all()

    @cuda.jit(debug=True)
    def of_shared(out):
        s = cuda.shared.array(N, int64)
        o = cuda.local.array(2, int64)
        t = cuda.threadIdx.x
        if t == 0:
            s[0] = 1
        o[0] = 2
        out[t] = s[t] + o[t]

    out = np.zeros(2, dtype=int)
    of_shared[1, 1](out)
    assert int(out[0]) == 3
    with pytest.raises(RuntimeError, match=r"s\[1\] is read, and nothing has written it .*thread \(1,0,0\)"):
        of_shared[1, 2](out)
        cuda.synchronize()

    @cuda.jit(debug=True)
    def of_local(out):
        o = cuda.local.array(2, int64)
        o[0] = 2
        out[cuda.threadIdx.x] = o[cuda.threadIdx.x]

    with pytest.raises(RuntimeError, match=r"o\[1\] is read, and nothing has written it .*thread \(1,0,0\)"):
        of_local[1, 2](np.zeros(2, dtype=int))
        cuda.synchronize()


@pytest.mark.parametrize("what", ["a // b", "a % b", "divmod(a, b)[1]", "a / b", "b ** -1", "b ** (a - 2)", "pow(b, -1.0)"])
def test_divisions_by_zero(what, tmp_path):
    scope = {"cuda": cuda}
    file = tmp_path / "divides.py"
    file.write_text(f"def divides(x, y, out):\n    i = cuda.grid(1)\n    a, b = x[i], y[i]\n    out[i] = {what}\n")
    exec(compile(file.read_text(), str(file), "exec"), scope)
    kernel = cuda.jit(debug=True)(scope["divides"])
    x, out = np.ones(4, dtype=int), np.zeros(4)
    with pytest.raises(ZeroDivisionError, match=r"kernel divides, line 4, thread \(2,0,0\)"):
        kernel[1, 4](x, np.array([1, 1, 0, 1]), out)
        float(out[0])
    out = np.zeros(4)
    kernel[1, 4](x, np.array([1, 1, -1, 1]), out)
    y = numpy.array([1, 1, -1, 1.0])
    want = [eval(what, {"a": 1, "b": b}) for b in y]
    assert numpy.array_equal(out, want)


def test_nans_that_appear():
    @cuda.jit(debug="nans")
    def ratios(a, out):
        i = cuda.grid(1)
        out[i] = a[i] / (a[i] * 0.5) if a[i] != 0 else a[i] - a[i]

    out = np.zeros(4)
    ratios[1, 4](np.array([1.0, 0.0, 2.0, np.nan]), out)
    assert numpy.array_equal(out, [2, 0, 2, numpy.nan], equal_nan=True)
    with pytest.raises(FloatingPointError, match=r"a NaN appears.*thread \(3,0,0\)"):
        ratios[1, 4](np.array([1.0, 0.0, 2.0, np.inf]), out)
        float(out[0])


def test_turns_of_parallel_loops():
    @njit(parallel=True, debug=True)
    def running(a):
        for i in prange(1, a.size):
            a[i] += a[i - 1]
        return a

    @njit(parallel=True, debug=True)
    def doubled(a):
        for i in prange(a.size):
            a[i] *= 2
        return a

    assert numpy.array_equal(doubled(np.arange(100.0)), 2.0 * numpy.arange(100))
    with pytest.raises(RuntimeError, match="race on a"):
        float(running(np.arange(100.0))[0])


PROGRAM = """
import weft as np
from weft import cuda
@cuda.jit
def divided(a, b):
    i = cuda.grid(1)
    a[i] = a[i] % b[i]
@cuda.jit
def doubtful(a):
    i = cuda.grid(1)
    a[i] = a[i] - a[i]
for kernel, args in (divided, (np.arange(4), np.arange(4))), (doubtful, (np.array([1.0, np.inf]),)):
    try:
        kernel[1, 2](*args)
        cuda.synchronize()
        print("nothing")
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.mark.parametrize("machine", ["", "--gpus 2 --emulate"])
@pytest.mark.parametrize("debug, says", [
    ("guards", "ZeroDivisionError nothing"), ("nans", "ZeroDivisionError FloatingPointError"), ("", "nothing nothing"),
    ("simulator", "ZeroDivisionError nothing"),
])  # fmt: skip
def test_all_kernels_by_the_environment(debug, says, machine, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    env = {"NUMBA_ENABLE_CUDASIM": "1"} if debug == "simulator" else {"WEFT_DEBUG": debug}
    done = run_python(f"import runpy; runpy.run_path({str(file)!r})", env=env | {"WEFT_ARGS": machine})
    assert done.stdout.split() == says.split(), done
