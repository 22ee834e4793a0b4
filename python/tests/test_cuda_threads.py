"""CUDA kernels that are more than elements of their own: shared memory, barriers, atomics, warps, errors of threads.

What they should give, NumPy says; test_cuda_kernels.py has what is compared thread by thread.
"""

import linecache
import math

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors
from weft.numba import float32, float64, int32

from .reductions import sums_of_blocks

T = 8
N = 64
R = numpy.random.default_rng(7)

sums = cuda.jit(sums_of_blocks())


@cuda.jit
def matmul(a, b, c):
    sa = cuda.shared.array((T, T), float32)
    sb = cuda.shared.array(shape=(T, T), dtype=np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range((a.shape[1] + T - 1) // T):
        sa[ty, tx] = a[y, tx + k * T] if y < a.shape[0] and tx + k * T < a.shape[1] else 0
        sb[ty, tx] = b[ty + k * T, x] if x < b.shape[1] and ty + k * T < b.shape[0] else 0
        cuda.syncthreads()
        for j in range(T):
            total += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def test_tiles_in_shared_memory():
    a, b = R.normal(size=(19, 30)).astype("f"), R.normal(size=(30, 21)).astype("f")
    c = np.zeros((19, 21), dtype="f")
    matmul[(3, 3), (T, T)](np.array(a), np.array(b), c)
    numpy.testing.assert_allclose(numpy.asarray(c), a @ b, rtol=1e-4, atol=1e-4)


@cuda.jit
def scan(x):
    s = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < x.size:
        v = s[t - step] if t >= step else 0
        cuda.syncthreads()
        s[t] += v
        cuda.syncthreads()
        step *= 2
    x[t] = s[t]


def test_reductions_and_scans():
    x = R.normal(size=1000)
    out = np.zeros(16)
    sums[16, N](np.array(x), out)
    numpy.testing.assert_allclose(numpy.asarray(out), numpy.pad(x, (0, 24)).reshape(16, N).sum(1), rtol=1e-12)
    n = R.integers(0, 100, 128).astype("i")
    got = np.array(n)
    scan[1, 128, 0, 512](got)
    assert numpy.array_equal(got, numpy.cumsum(n))


@cuda.jit
def histogram(x, bins, lo, hi):
    mine = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < bins.size:
        mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if lo <= x[i] < hi:
            cuda.atomic.add(mine, int((x[i] - lo) / (hi - lo) * bins.size), 1)
    cuda.syncthreads()
    if t < bins.size:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def extremes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(out, 0, x[i])
        cuda.atomic.max(out, 1, x[i])
        before = cuda.atomic.add(out, (2,), 1)
        if before < 0:
            out[3] = -1


def test_atomics():
    x = R.normal(size=5000)
    bins = np.zeros(10, dtype="i")
    histogram[4, N](np.array(x), bins, -2.0, 2.0)
    assert numpy.array_equal(bins, numpy.histogram(x[(x >= -2) & (x < 2)], 10, (-2.0, 2.0))[0])
    n = R.integers(-1000, 1000, 500)
    out = np.array([10000, -10000, 0, 7])
    extremes[8, N](np.array(n), out)
    assert numpy.array_equal(out, [n.min(), n.max(), 500, 7])


@cuda.jit
def warps(x, sums, votes):
    i = cuda.grid(1)
    v = x[i]
    step = 16
    while step > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, step)
        step //= 2
    if cuda.laneid == 0:
        sums[i // 32] = v
    votes[i] = cuda.ballot_sync(0xFFFFFFFF, x[i] > 0)


def test_warps():
    x = R.normal(size=64)
    sums, votes = np.zeros(2), np.zeros(64, dtype="i8")
    warps[2, 32](np.array(x), sums, votes)
    numpy.testing.assert_allclose(numpy.asarray(sums), x.reshape(2, 32).sum(1), rtol=1e-12)
    bits = [sum(1 << k for k in range(32) if row[k] > 0) for row in x.reshape(2, 32)]
    assert numpy.array_equal(votes, numpy.repeat(numpy.array(bits).astype("u4").view("i4"), 32))


@cuda.jit
def scatter(x, order, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    local = cuda.local.array(3, float64)
    for k in range(3):
        local[k] = x[i] * (k + 1)
    for k in range(3):
        out[order[i], k] = local[2 - k]


def test_scatter_and_arrays_of_a_threads_own():
    x, order = R.normal(size=50), R.permutation(50)
    out = np.zeros((50, 3))
    scatter[2, 32](np.array(x), np.array(order), out)
    want = numpy.zeros((50, 3))
    want[order] = x[:, None] * [3, 2, 1]
    assert numpy.array_equal(out, want)


def test_between_operations():
    """A launch of threads reads what operations before it wrote, and they read what it wrote."""
    x = np.arange(1024.0)
    for _ in range(3):
        out = np.empty(16)
        sums[16, N](x * 2, out)
        x = x + out.sum()
    want = numpy.arange(1024.0)
    for _ in range(3):
        want = want + (want * 2).sum()
    assert numpy.array_equal(x, want)


def written(body):
    """A kernel f(x, out) of a body, the lines of which are known as those of a cell are."""
    text = "def f(x, out):\n    i = cuda.grid(1)\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"math": math, "np": np, "cuda": cuda}
    exec(compile(text, name, "exec"), names)
    return cuda.jit(names["f"])


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        ("out[i + x[i]] = 1\nout[i * 2] = 1", IndexError, "out"),
        ("cuda.syncthreads()\nif x[i] == 3:\n    raise ValueError('is three', i)\nout[i] = 1", ValueError, "is three"),
        ("out[0] = 1\nassert x[i] < 20, 'too large'", AssertionError, "too large"),
    ],
    ids=["index", "raise", "assert"],
)
def test_failures_of_threads(body, error, text):
    """What a thread raises ends the launch with that exception, which names the thread and the line."""
    with pytest.raises(error, match=text) as told:
        out = np.zeros(32)
        written(body)[2, 16](np.arange(32), out)
        out.sum()
        cuda.synchronize()
    assert "line" in str(told.value)


@pytest.mark.parametrize(
    ("body", "error", "text"),
    [
        (
            "s = cuda.shared.array(x.size, np.float32)\nout[0] = s[0]",
            errors.TypingError,
            "shape of an array of the kernel's own",
        ),
        ("cuda.shared.array(dtype=np.float32)", errors.TypingError, "missing a required argument: shape"),
        ("cuda.shared.array(3, np.float32, shape=4)", errors.TypingError, "got multiple values for argument shape"),
        ("cuda.local.array(3, np.float32, size=4)", errors.TypingError, "unexpected keyword argument size; want shape, dtype, alignment"),
        ("cuda.local.array(0, np.float32)", ValueError, "array length <= 0"),
        ("cuda.shared.array(3, np.float32, alignment=3)", ValueError, "a power of 2, and a multiple of 8"),
        ("cuda.shared.array(3, cuda.float32x4)", errors.TypingError, "float32x4 is no dtype"),
        ("cuda.atomic.inc(x, 0, 1)", errors.TypingError, "cuda.atomic.inc does not take"),
        ("cuda.shfl_sync(-1, np.uint32(i), 0)", errors.TypingError, "shuffles take int32, int64, float32 and float64"),
        ("out[i] = cuda.selp(i > 0, out[i], 1)", errors.TypingError, "selp of float64 and int64; want one type"),
        ("out[i] = cuda.bf16.hadd(out[i], out[i])", errors.UnsupportedError, "NumPy has no bfloat16"),
        ("cuda.atomic.add(out, 0, None)", errors.TypingError, "cuda.atomic.add does not take"),
        ("cuda.atomic.and_(out, 0, 1)", errors.TypingError, "cuda.atomic.and does not take"),
        ("cuda.syncthreads_count(x[i] > 1)", errors.TypingError, "the predicate is bool"),
        ("print(1j)", errors.TypingError, "print of complex128 is not supported"),
        ("assert i < 9", errors.UnsupportedError, "the kernel writes no array, so that nothing would wait for it"),
    ],
)
def test_refused(body, error, text):
    with pytest.raises(error, match=text):
        written(body)[1, 32](np.arange(32), np.zeros(32))


@cuda.jit
def ones_and_copy(a, b, c):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = 1
        c[i] = a[i]


@cuda.jit
def by_name(x, out):
    tile = cuda.shared.array(alignment=16, dtype=np.float32, shape=(2, 32))
    own = cuda.local.array(dtype=np.float64, shape=1, alignment=None)
    i = cuda.threadIdx.x
    tile[1, i] = x[i]
    own[0] = i
    cuda.syncthreads()
    out[i] = tile[1, 31 - i] + own[0]


def test_arrays_by_named_arguments():
    out = np.zeros(32)
    by_name[1, 32](np.arange(32), out)
    assert out.tolist() == [31.0] * 32


@cuda.jit
def two_writes(a, b):
    i = cuda.grid(1)
    if i < b.size:
        a[i + 1] = i
        b[i] += 1


def test_kernels_that_do_nothing():
    @cuda.jit
    def idle(x):
        x[0] + 1

    x = np.ones(3)
    idle[2, 32](x)
    assert float(x.sum()) == 3 and ".entry kernel_idle" in idle.inspect_asm()[(float64[:],)]


def test_arguments_that_share_memory():
    """A thread sees in one argument what it wrote through another one, whatever views of an array these are."""
    a, c = np.arange(10.0), np.zeros(3)
    ones_and_copy[1, 32](a, a[:3], c)
    assert numpy.array_equal(c, [1, 1, 1]) and numpy.array_equal(a[:4], [1, 1, 1, 3])
    ones_and_copy[1, 32](a, a, a)
    assert numpy.array_equal(a, numpy.ones(10))
    a = np.zeros(10)
    two_writes[1, 32](a, a[1:])
    assert numpy.array_equal(a, numpy.arange(10))
    a, c = np.arange(10.0), np.zeros(3)
    ones_and_copy[1, 32](a[2::-1], a[:3], c)
    assert c[1] == 1 and numpy.array_equal(a[:4], [1, 1, 1, 3])


@cuda.jit
def first_of(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i]
    if i == 0:
        b[0] = a.size + 7


def test_arrays_without_elements():
    """They are arguments like others, of which no index is within the array."""
    b = np.ones(4)
    first_of[1, 32](np.zeros(0), b)
    assert numpy.array_equal(b, [7, 1, 1, 1])
    first_of[1, 32](np.zeros(8)[8:], b[3:])
    assert numpy.array_equal(b, [7, 1, 1, 7])
    with pytest.raises(IndexError, match="of b with size 0"):
        first_of[1, 32](b, np.zeros(0))
        cuda.synchronize()
    assert numpy.array_equal(b, [7, 1, 1, 7])


def test_many_operands():
    """What and and or take to compile grows with the operands, and does not double with each."""
    tests = " or ".join(f"x[i] == {7 * k}" for k in range(40))
    also = " and ".join(f"(x[i] != {3 * k} or x[i] < 0)" for k in range(40))
    out = np.zeros(64)
    written(f"if {tests}:\n    out[i] = 1\nif {also}:\n    out[i] += 2")[2, 32](np.arange(64), out)
    x = numpy.arange(64)
    assert numpy.array_equal(out, (x % 7 == 0) + 2.0 * (x % 3 != 0))


def test_shared_memory_has_one_limit():
    """48 KiB for a block, the dynamic arrays included, however they are asked for."""
    out = np.zeros(4)
    written("s = cuda.shared.array(0, np.float64)\ns[i] = 1\nout[0] = s.size")[1, 1, 0, 48 << 10](out, out)
    assert out[0] == 6 << 10
    for body, dynamic in (("0", (48 << 10) + 8), ("6145", 0), ("6144", 8)):
        with pytest.raises((ValueError, errors.CudaAPIError), match="bytes"):
            written(f"s = cuda.shared.array({body}, np.float64)\ns[i] = 1\nout[0] = s[i]")[1, 1, 0, dynamic](out, out)
            cuda.synchronize()


@cuda.jit
def behind_a_lock(lock, total, seen):
    i = cuda.grid(1)
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    seen[i] = total[0]
    total[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)
    cuda.syncthreads()
    total[1 + cuda.blockIdx.x] = total[0]


@cuda.jit
def numbered(lock, read, written, out):
    i = cuda.grid(1)
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    n = read[0]
    written[0] = n + 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)
    cuda.syncthreads()
    out[i] = n


def test_what_a_lock_guards_under_another_name():
    lock, count, out = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64), np.zeros(64, dtype=np.int64)
    numbered[1, 64](lock, count[:1], count, out)
    assert count[0] == 64
    assert numpy.array_equal(numpy.sort(numpy.asarray(out)), numpy.arange(64))


def test_locks():
    """Threads that have had a lock go on, though those of their warp still wait for it, and meet them at a barrier."""
    lock, total, seen = np.zeros(1, dtype=np.int32), np.zeros(4, dtype=np.int64), np.zeros(150, dtype=np.int64)
    behind_a_lock[3, 50](lock, total, seen)
    assert numpy.array_equal(total, [150, 50, 100, 150])
    assert numpy.array_equal(numpy.sort(numpy.asarray(seen)), numpy.arange(150))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("side", [4, 8, 16, 32])
def test_products_in_tiles_of_any_side(side, dtype):
    """Rows of a tile are some vectors, one, or a part of one: each sum is that of NumPy, product by product."""
    kind = getattr(np, dtype)

    @cuda.jit
    def product(a, b, c):
        mine, other = cuda.shared.array((side, side), kind), cuda.shared.array((side, side), kind)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = kind(0)
        for k in range(a.shape[1] // side):
            mine[ty, tx] = a[y, tx + k * side]
            other[ty, tx] = b[ty + k * side, x]
            cuda.syncthreads()
            for j in range(side):
                total += mine[ty, j] * other[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    r = numpy.random.default_rng(side)
    for n, m, k in (64, 64, 64), (96, 160, 32), (32, 32, 128):
        a, b, out, want = r.normal(size=(n, k)).astype(dtype), r.normal(size=(k, m)).astype(dtype), np.zeros((n, m), dtype=dtype), numpy.zeros((n, m), dtype)
        product[(m // side, n // side), (side, side)](np.array(a), np.array(b), out)
        for j in range(k):
            want += a[:, j : j + 1] * b[j]
        numpy.testing.assert_array_equal(numpy.asarray(out), want)
