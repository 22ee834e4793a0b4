"""As many elements as are computed at once, and a few more: NumPy's values, the bits of the general functions, and memory."""

import os
import subprocess
import sys
import warnings

import numpy

from . import eageralone, eagersizes
from .sharing import TIMEOUT, run_python, weft


def lines(debug, program=eagersizes):
    env = {**os.environ, "WEFT_DEBUG": debug}
    done = subprocess.run(
        [sys.executable, program.__file__], check=False, env=env, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_values_are_numpys():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (name, ours), (_, want) in zip(eagersizes.steps(weft), eagersizes.steps(numpy), strict=True):
            mine, theirs = numpy.asarray(ours), numpy.asarray(want)
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape), name
            if theirs.dtype.kind in "fc":
                loose = 1e-4 if theirs.dtype in (numpy.float32, numpy.complex64) else 1e-10
                numpy.testing.assert_allclose(mine, theirs, loose, loose, err_msg=name)
            else:
                assert (mine == theirs).all(), name


def test_bits_are_those_of_planned_operations():
    for ours, general in zip(lines(""), lines("noeager"), strict=True):
        assert ours == general


def test_bits_of_complex_exponents_and_halves_are_those_of_planned_operations():
    code = """
import random, warnings
import numpy, weft as np
warnings.simplefilter("ignore")
chosen = random.Random(4)
def show(*about):
    array = numpy.asarray(about[-1])
    print(*about[:-1], array.dtype, array.shape, array.tobytes().hex())
for dtype in ("f8", "f4", "f2", "i8", "u1", "c16", "c8"):
    for n in (1, 5, 300):
        x = np.array([chosen.uniform(0, 6) for _ in range(n)]).astype(dtype)
        x = x + (1j * x[::-1]).astype(dtype) if dtype[0] == "c" else x
        for e in (0j, 1 + 0j, 2 + 0j, -1 + 0j, 0.5 + 0j, 100 + 0j, 1 - 2j, complex("inf"), numpy.complex64(2 + 1j)):
            show(dtype, n, e, x ** e)
            show(dtype, n, e, np.power(x.reshape(-1, 1), e))
            show(dtype, n, e, x[::2] ** e)
for n in (1, 3, 50, 1000):
    x = np.array([chosen.uniform(-300, 300) for _ in range(n)]).astype("f2")
    rows = x.reshape(1, -1).repeat(3, 0)
    for e in (1.0009765625 + 2**-30, 3, 70000, 65519.995, 65520.0, 2049, -2.5e-8, numpy.float16(3), numpy.float64(1 + 2**-11 + 2**-40)):
        for made in (x * e, e - x, x / e, np.maximum(x, e), x > e, np.full(n, e, "f2"), np.hypot(x, e)):
            show(n, e, made)
        x[n // 2 :] = e
        x[0] = e
        show(n, e, x)
    for made in (x.sum(), (x / 100).prod(), rows.sum(0), rows.sum(1, keepdims=True), rows.T.sum((0, 1)), np.sum(x, where=x > 0), np.sum(x, initial=3.0), np.add.reduce(x[::2])):
        show(n, made)
"""
    said = [run_python(code, env={"WEFT_DEBUG": debug}) for debug in ("", "noeager")]
    assert said[0].returncode == said[1].returncode == 0, [done.stderr for done in said]
    assert said[0].stdout.splitlines() == said[1].stdout.splitlines() != []


def test_limits_of_what_is_computed_at_once():
    code = """
import weft as np
x, large, held = np.ones(16_384), np.ones(1_048_576), np.ones((300, 300))
narrow = np.ones((1000, 100), np.uint8)
float(x[0]), float(large[0]), int(narrow[0, 0])
def planned(call):
    np.sync()  # while tasks run, however long that takes, arrays of the runtime are not read at once
    before = np.stats()
    made = call()
    after = np.stats()
    return after["operations"] - before["operations"] - after["small_operations"] + before["small_operations"]
print(*(planned(call) for call in (
    lambda: x + x, lambda: x.astype("complex128"), lambda: large.sum(), lambda: np.argmax(large), lambda: large @ large,
    lambda: large + 1, lambda: np.ones(1_048_577).sum(), lambda: np.exp(x) ** 7.5, lambda: np.array([x[:99] + i for i in range(500)]),
    lambda: x[[3, np.int64(4)]], lambda: [held.sum(axis=0) for _ in range(9)], lambda: (held + 1).sum(axis=0),
    lambda: narrow.sum(axis=0),
)))
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout.split() == ["0", "1", "0", "0", "0", "1", "3", "0", "0", "0", "0", "3", "0"], (
        done.stdout,
        done.stderr,
    )


def test_chains_between_values_decide_how_far_it_goes():
    code = """
import weft as np
x = np.arange(40_000.0)
float(x[0])
def small(turns, chain, reads):
    before, y = np.stats()["small_operations"], x
    for _ in range(turns):
        for _ in range(chain):
            y = y * 0.5
        if reads:
            (y > 1e9).any()
    np.sync()
    return np.stats()["small_operations"] - before
float(x[0])
print(small(9, 3, True), small(40, 3, False), small(9, 20, True), small(9, 3, True))
y = x
for _ in range(9):  # arrays that were made at once, and take part in what is planned
    y = y + 1
    y.sum()
for _ in range(30):
    y = (y + x) * 0.5
print(y.sum() == (x + 9 * 0.5**30).sum())
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout.splitlines() == ["37 10 9 37", "True"], (done.stdout, done.stderr)


def test_two_arrays_are_opened_for_one_operation_after_the_program_has_waited():
    code = """
import weft as np
x, y = np.arange(90_000.0), np.arange(90_000.0)
for _ in range(5):
    made = [x > 3 for _ in range(3)]
    np.sync()
for _ in range(9):
    made = [x > y for _ in range(3)]
    np.sync()
before = np.stats()["small_operations"]
made = [x > y for _ in range(3)]
print(np.stats()["small_operations"] - before, int(sum(m.sum() for m in made)))
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout == "3 0\n", (done.stdout, done.stderr)


def test_operations_alone_have_the_bits_of_planned_ones():
    ours = lines("", eageralone)
    for debug in ("noeager", "check"):
        assert ours == lines(debug, eageralone), debug


def test_operations_alone_are_computed_at_once():
    code = """
import weft as np
x = np.arange(900_000.0)
def planned(calls, n=1):
    before = np.stats()
    for call in calls:
        made = [call() for _ in range(n)]
        np.sync()
        del made
    after = np.stats()
    return after["operations"] - before["operations"] - after["small_operations"] + before["small_operations"]
one = lambda: x + 1
float(x[3]), np.sync()
print(planned([one] * 9))  # all but one: the range stood alone, too
print(planned([one] * 9, 2))  # the second, which follows another, and all from then on
print(planned([one] * 2), planned([lambda: x > 0.5, lambda: np.zeros(900_000), lambda: x.astype("f4"), x.copy, lambda: np.full_like(x, 2)]))
print(planned([lambda: np.exp(x), lambda: x[::2] + 1]), planned([one]))  # what is worth two threads, and what is not side by side
print(planned([lambda: (x * 2).sum()] * 4), planned([one] * 3))  # a value, with which it is fused
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout.splitlines() == ["1", "17", "2 0", "2 0", "9 2"], (done.stdout, done.stderr)


def test_sync_waits_for_what_another_thread_waits_for():
    code = """
import threading, weft as np
x = np.arange(2_000_000.0)
def turns():
    for _ in range(40):
        y = np.exp(x) * 0.5
        np.sync()
        ended.append(np.stats()["tasks"])
        del y
ended = []
threads = [threading.Thread(target=turns) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
np.sync()
glance = np.stats()
np.sync()
print(len(ended), glance["tasks"] == np.stats()["tasks"])
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout.splitlines() == ["120 True"], (done.stdout, done.stderr)


def test_arrays_at_rest_are_read_beside_a_window_that_waits():
    code = """
import weft as np
kept, other = np.arange(60_000.0), np.arange(5.0)
np.sync()
pending = np.ones(500_000) * 3
before = np.stats()
print(float(kept.sum()), float(kept[7]), float((kept[3:9] * other[3:4]).sum()))
after = np.stats()
print(*(after[key] - before[key] for key in ("plans", "tasks")))
print(float(pending[-1]))
"""
    done = run_python(code, env={"WEFT_DEBUG": ""})
    assert done.stdout.splitlines() == ["1799970000.0 7.0 99.0", "0 0", "3.0"], (done.stdout, done.stderr)


def test_few_elements_do_not_split_what_is_fused():
    code = """
import weft as np
few, large = np.arange(5.0), np.arange(1_000_000.0)
middle = np.arange(9000.0)
float(large[5])
for kept in (few, large, middle):
    x = np.ones(20_000_000) * 2 * kept[3:4]  # takes 153 MiB, or twice that where the products are not computed together
    print(float(x[7]))
    del x
"""
    done = run_python(code, env={"WEFT_ARGS": "--cpus 2 --sysmem 250", "WEFT_DEBUG": ""})
    assert done.stdout == "6.0\n" * 3, (done.stdout, done.stderr)


def test_memory_is_bounded_and_used_again():
    code = """
import resource, weft as np
from weft import _core
def total(kept):
    return sum(float(x[-1]) for x in kept)
kept = [np.full(16_384, float(n)) for n in range(300)]  # 37 MiB, of which a sixteenth of 64 is not planned
print(total(kept), np.stats()["memories"]["host"]["live"] > 30 << 20)
large = np.arange(200_000.0)
for n in range(0, 300, 2):
    kept[n] = kept[n][:3] + large[:3]  # and an array that was Go's
del large
for n in range(2000):  # blocks go to the runtime and come back
    few = np.full(16_000, 1.0)
    float((np.ones(20_000)[:16_000] * few).sum())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for n in range(2000):
    few = np.full(16_000, 1.0)
    float((np.ones(20_000)[:16_000] * few).sum())
print(total(kept), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 20_000)
"""
    done = run_python(code, env={"WEFT_ARGS": "--cpus 2 --sysmem 64", "WEFT_DEBUG": ""})
    expected = sum(range(300))
    assert done.stdout.splitlines() == [f"{expected}.0 True", f"{expected + 300}.0 True"], (done.stdout, done.stderr)


def test_running_integers_of_all_lengths():
    r = numpy.random.default_rng(4)
    for n in [*range(1, 40), 1000, 4097]:
        for dtype in ("i8", "u8", "i4", "?"):
            k = r.integers(-(2**62), 2**62, n).astype(dtype)
            rows = k[: n // 3 * 3].reshape(-1, 3)
            for name in ("cumsum", "cumprod"):
                ours, theirs = getattr(weft, name), getattr(numpy, name)
                assert (numpy.asarray(ours(weft.array(k))) == theirs(k)).all(), (n, dtype, name)
                for axis in (0, 1, None):
                    assert (numpy.asarray(ours(weft.array(rows), axis=axis)) == theirs(rows, axis=axis)).all(), (
                        n,
                        dtype,
                        name,
                        axis,
                    )
