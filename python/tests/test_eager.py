"""Operations on few elements, which are computed at once: as NumPy has them, and bit for bit as the general functions do."""

import os
import subprocess
import sys
import threading

import numpy
import pytest

from . import eagerprogram
from .sharing import TIMEOUT, weft

STEPS = 300
ERRORS = {error.__name__ for error in eagerprogram.ERRORS}
SEEDS = [31, 32, 33, 34]  # the same in each run: what fails is found again


def compare(seed, count):
    ours, theirs = eagerprogram.run(weft, seed, count), eagerprogram.run(numpy, seed, count)
    for number, ((name, mine), (_, want)) in enumerate(zip(ours, theirs, strict=True)):
        told = f"seed {seed}, step {number}, {name}: {mine!r}, and NumPy has {want!r}"
        if not hasattr(want, "dtype"):
            assert mine == want or mine != mine or {mine, want} <= ERRORS, told  # where two things are wrong
            continue
        assert (mine.dtype, mine.shape) == (want.dtype, want.shape), told
        assert isinstance(mine, weft.ndarray) == isinstance(want, numpy.ndarray), told
        if isinstance(want, numpy.ndarray) and want.size:
            assert eagerprogram.steps(mine) == eagerprogram.steps(want), (
                f"{told}: strides {mine.strides}, not {want.strides}"
            )
        if want.dtype.kind in "fc":
            loose = (
                1e-2
                if want.dtype == numpy.float16
                else 1e-4
                if want.dtype in (numpy.float32, numpy.complex64)
                else 1e-9
            )
            numpy.testing.assert_allclose(numpy.asarray(mine), want, loose, loose, err_msg=told)
        else:
            assert (numpy.asarray(mine) == want).all(), told


@pytest.mark.parametrize("seed", [1, 2, 3, *SEEDS])
def test_few_elements_are_numpys(seed):
    compare(seed, STEPS)


def lines(seeds, debug):
    command = [sys.executable, eagerprogram.__file__, str(STEPS), *map(str, seeds)]
    done = subprocess.run(
        command, check=False, env={**os.environ, "WEFT_DEBUG": debug}, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_few_elements_have_the_bits_of_many():
    seeds = [11, 12, 13, *SEEDS]
    for ours, general in zip(lines(seeds, ""), lines(seeds, "noeager"), strict=True):
        assert ours == general


def test_two_threads_compute_few_elements():
    failures = []

    def work(seed):
        try:
            compare(seed, STEPS)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (21, SEEDS[0])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@pytest.mark.parametrize("n", [65_536, 65_537, 100_003, 131_072, 131_073])
def test_bytes_about_the_limits(n):
    """Ufuncs of elements of a byte, in place, of steps, of overlapping parts, and those whose results are wider."""
    rng = numpy.random.default_rng(n)
    given = {
        "a": rng.random(n) < 0.5,
        "b": rng.random(n) < 0.5,
        "u": rng.integers(0, 256, n, "u1"),
        "v": rng.integers(0, 256, n, "u1"),
    }
    program = """
both, other, wide = a & b, np.logical_xor(a, b), u + np.int32(7)
turned, parted, square = ~a[::-1], u[::2] * v[::2], (u[: n // 4 * 4].reshape(4, -1).T ^ v[: n // 4 * 4].reshape(4, -1).T)
rows = u[:, None] + v[:2]
added = u.copy(); added += v
moved = u.copy(); moved[1:] ^= moved[:-1]
root, less = np.sqrt(u), u < v
chain = (u - v) * 3 + both
"""
    made = []
    for np in (weft, numpy):
        made.append({name: np.array(value) for name, value in given.items()} | {"np": np, "n": n})
        weft.sync()
        exec(program, made[-1])
    for text in set(made[1]) - {"np", "n", "__builtins__"}:
        got, want = numpy.asarray(made[0][text]), made[1][text]
        assert (got.dtype, got.shape, made[0][text].strides) == (want.dtype, want.shape, want.strides), text
        numpy.testing.assert_array_equal(got, want, text)
