"""Sums, gathers and element-wise operations of many elements, which threads share: with the same bits for one thread, for several, and as they are planned."""

import os

import pytest

from .sharing import run_python

PROGRAM = """
import random, zlib, numpy, weft as np
choose = random.Random(5)
r = numpy.random.default_rng(7)
told = []
def tell(value):
    told.append(str(zlib.crc32(numpy.ascontiguousarray(value))))
for turn in range(40):
    dtype = choose.choice(["f8", "f8", "f4", "i8", "c16", "?"])
    n = choose.choice([70_001, 131_072, 300_007, 700_001, 1_048_576])
    x, y = (np.array((r.random(n) * 50 - 20).astype(dtype)) for _ in range(2))
    rows = choose.choice([3, 40, 128, 129, 300, 1000])
    m = x[: n // rows * rows].reshape(rows, n // rows)
    i = np.array(r.integers(-n, n, choose.choice([20_000, 65_537, 150_000])))
    rows_of = np.array(r.integers(-len(m), len(m), 3_000))
    for _ in range(2):
        tell(x[i]), tell(y[:100_000:2][i % 30_000]), tell(m[rows_of, rows_of % 7]), tell(x + y), tell(x[:60_000] * y[:60_000]), tell(x * 2)
        if dtype != "?":
            tell(np.negative(x)), tell(x == y), tell(np.square(x[1:])), tell(np.sqrt(np.abs(x[:99_999])))
        x[:70_000] += y[:70_000]
        x[:70_000] = x[:70_000] - y[:70_000] if dtype != "?" else y[:70_000]
        try:
            x[np.append(i, n)]
        except IndexError as e:
            told.append(str(e))
        tell(x.sum()), tell(np.dot(x, y)), tell(np.inner(x, y)), tell(x @ y), tell(m.sum(axis=0)), tell(m.sum(axis=1)), tell(m.any())
        if dtype != "c16":
            tell(x.max()), tell(m.min(axis=0)), tell(m.max(axis=1)), tell(m.T.sum(axis=1))
        if dtype in ("f8", "f4"):
            tell(np.linalg.norm(x)), tell(np.vdot(x, y)), tell(m.mean(axis=0)), tell(np.average(x, weights=y))
        if dtype == "f8":
            z = np.where(x > 0, x, np.nan)
            tell(np.nansum(z)), tell(np.nanmean(z)), tell(np.trapezoid(x)), tell(np.trapezoid(x, y))
print("\\n".join(told))
"""


def lines(cpus, debug, program=PROGRAM):
    done = run_python(program, env={"WEFT_ARGS": f"--cpus {cpus}", "WEFT_DEBUG": debug})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_results_have_the_same_bits_for_any_number_of_threads():
    one = lines(1, "")
    for cpus, debug in ((2, ""), (5, ""), (2, "noeager")):
        other = lines(cpus, debug)
        assert [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b] == [], (cpus, debug)


# Products that are computed at once: tiles of others have the roundings that the library has for them.
VECTORS = """
import random, numpy, weft as np
choose = random.Random(6)
r = numpy.random.default_rng(8)
for turn in range(80):
    dtype = choose.choice(["f8", "f8", "f4", "c16", "c8"])
    rows, columns = choose.choice([17, 130, 333, 512, 805, 1023, 1040]), choose.choice([100, 257, 400, 999])
    m, v = np.array((r.random((rows, columns)) - 0.5).astype(dtype)), np.array((r.random(columns) - 0.5).astype(dtype))
    for a in (m, m[:, 1:], m[::2]):
        np.sync()  # operands that are there
        print(numpy.asarray(a @ v[columns - a.shape[1] :]).tobytes().hex())
"""


def test_products_with_vectors_have_the_bits_of_one_call():
    whole = lines(1, "noeager", VECTORS)
    for cpus in (1, 2, 5):
        other = lines(cpus, "", VECTORS)
        assert [i for i, (a, b) in enumerate(zip(whole, other, strict=True)) if a != b] == [], cpus


# Products of few vectors, each of whose sums is computed by itself, and those of stacks with a vector.
FEW = """
import random, numpy, weft as np
choose = random.Random(9)
r = numpy.random.default_rng(10)
for turn in range(60):
    dtype = choose.choice(["f8", "f8", "f4"])
    rows, columns = choose.choice([2, 3]), choose.choice([2, 3])
    k = choose.choice([112, 255, 900, 4095, 8191, 8193, 20_000, 100_003])
    a, b = ((r.random((n, k)) - 0.5).astype(dtype) for n in (rows, columns))
    x, y = np.array(a), np.array(b)
    np.sync()  # operands that are there
    own = choose.random() < 0.25
    made = x @ x.T if own else choose.choice([lambda: x @ y.T, lambda: np.dot(x, y.T), lambda: np.inner(x, y)])()
    close = [1e-3 if dtype == "f4" else 1e-9] * 2
    numpy.testing.assert_allclose(numpy.asarray(made), a @ (a if own else b).T, *close)
    print(turn, numpy.asarray(made).tobytes().hex())
    shape = tuple(choose.choice([1, 2, 3, 10, 33]) for axis in range(choose.choice([3, 4])))
    t, u = (r.random(shape) - 0.5).astype(dtype), (r.random(shape[-1]) - 0.5).astype(dtype)
    for s in (t, t.swapaxes(0, -2)):
        z, v = np.array(s) if choose.random() < 0.5 else np.array(t).swapaxes(0, -2), np.array(u)
        np.sync()
        for f in (np.dot, np.inner):
            made, want = f(z, v), getattr(numpy, f.__name__)(numpy.asarray(z), u)
            assert made.shape == want.shape and made.dtype == want.dtype and made.strides == want.strides, (made.strides, want.strides)
            numpy.testing.assert_allclose(numpy.asarray(made), want, *close)
            print(turn, numpy.asarray(made).tobytes().hex())
"""


def test_products_of_few_vectors_have_the_same_bits_for_any_number_of_threads():
    one = lines(1, "noeager", FEW)
    for cpus, debug in ((1, ""), (2, ""), (5, ""), (2, "noeager")):
        other = lines(cpus, debug, FEW)
        assert [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b] == [], (cpus, debug)


OWN = """
import os, weft as np, numpy
r = numpy.random.default_rng(7)
def own(m, rows, length, dtype):
    m = numpy.asarray(m)
    large = rows >= 128 or rows * rows * length >= 1 << 21
    assert not large or (m == m.T).all(), (rows, length, dtype)
    if not large:  # others are computed by as many threads of the library as are idle
        print(rows, length, dtype, numpy.ascontiguousarray(m).tobytes().hex())
for rows, length in ((32, 200), (33, 60), (33, 70), (48, 48), (60, 60), (64, 3000), (100, 100), (100, 5000), (127, 9000), (130, 200)):
    for dtype in ("f8", "f4"):
        x = np.array((r.random((rows, length)) - 0.5).astype(dtype))
        y = np.array((r.random((length, rows)) - 0.5).astype(dtype))
        for m in (x @ x.T, y.T @ y, np.inner(x, x), np.einsum("ik,jk->ij", x, x)):
            own(m, rows, length, dtype)
for dtype in ("f8", "f4"):
    stack = np.array((r.random((4, 60, 600)) - 0.5).astype(dtype))
    for s in range(4):  # whatever the others of the stack are
        m = stack[s] @ stack.mT
        own(m[s], 60, 600, dtype)
        # With more than one core, either is computed by as many threads as are idle then, which splits single precision otherwise.
        assert os.environ["WEFT_ARGS"] != "--cpus 1" or (m[s] == stack[s] @ stack[s].T).all(), (s, dtype)
"""


def test_products_of_matrices_with_themselves_are_symmetric_for_any_number_of_threads():
    one = lines(1, "noeager", OWN)
    assert len(one) == 6 * 2 * 4
    for cpus, debug in ((1, ""), (2, ""), (4, ""), (4, "noeager")):
        other = lines(cpus, debug, OWN)
        assert [a[:20] for a, b in zip(one, other, strict=True) if a != b] == [], (cpus, debug)


LEAVES = """
import os, time, numpy
two = sorted(os.sched_getaffinity(0))[:2]
os.sched_setaffinity(0, two)
import weft as np
x = np.arange(100_000.0)
hands = lambda: [int(t) for t in os.listdir("/proc/self/task") if open(f"/proc/self/task/{t}/comm").read() == "weft hand\\n"]
until = time.monotonic() + 60  # only ever reached by a hand that stays
def summed(times=10):
    assert time.monotonic() < until, os.sched_getaffinity(hand)
    for _ in range(times):
        x.sum()
while not hands() and time.monotonic() < until:
    [x.sum() for _ in range(10)]
hand, = hands()
os.sched_setaffinity(0, two[:1])
while os.sched_getaffinity(hand) != {two[1]}:  # it is put beside its caller, and may then be on either processor
    os.sched_setaffinity(hand, two[:1])
    summed()
    os.sched_setaffinity(hand, two)
    summed()
os.sched_setaffinity(0, two[1:])
while os.sched_getaffinity(hand) != {two[0]}:
    summed()
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="there is one processor, or no call that says where a thread may be")
def test_hands_leave_the_processor_of_their_caller():
    assert lines(2, "", LEAVES) == []
