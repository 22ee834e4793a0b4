"""Blocks of CUDA kernels that meet, as a whole grid, or wait for each other."""

import subprocess
import sys

import numpy
import pytest
import weft as np
from weft import cuda

from .sharing import TIMEOUT

R = numpy.random.default_rng(7)


@cuda.jit
def relaxed(a, b, turns):
    i, grid = cuda.grid(1), cuda.cg.this_grid()
    for _ in range(turns):
        left = a[i - 1] if i > 0 else a[a.size - 1]
        right = a[i + 1] if i + 1 < a.size else a[0]
        b[i] = left + right + a[i]
        grid.sync()
        a[i] = b[i] % 1000
        status = grid.sync()
        if status != 0:
            a[i] = -1


def test_all_blocks_meet():
    n, turns = 40 * 32, 7
    want = R.integers(0, 1000, n)
    a, b = np.array(want), np.zeros(n, dtype="l")
    relaxed[40, 32](a, b, turns)
    for _ in range(turns):
        want = (numpy.roll(want, 1) + numpy.roll(want, -1) + want) % 1000
    assert (numpy.asarray(a) == want).all()


@cuda.jit
def rows_in_order(a):
    """Each row from the one before it, a column by thread: for all threads but those of one block wait for others."""
    column, grid = cuda.grid(1), cuda.cg.this_grid()
    for row in range(1, a.shape[0]):
        opposite = a.shape[1] - column - 1
        a[row, column] = a[row - 1, opposite] + 1
        grid.sync()


def test_rows_follow_each_other_over_blocks():
    a = np.zeros((300, 256), dtype="i4")
    rows_in_order[8, 32](a)
    assert (numpy.asarray(a) == numpy.arange(300)[:, None]).all()


GRID_TWIN = """
import warnings
import numpy as np
from numba import cuda

@cuda.jit
def generations(now, then, turns):
    x, y = cuda.grid(2)
    h, w = now.shape
    grid = cuda.cg.this_grid()
    for turn in range(turns):
        around = 0
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                around += now[(y + dy) % h, (x + dx) % w]
        alive = now[y, x]
        then[y, x] = 1 if around == 3 or around == 4 and alive == 1 else 0
        grid.sync()
        now[y, x] = then[y, x]
        grid.sync()

@cuda.jit
def rows(m):
    col = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, col] = m[row - 1, m.shape[1] - 1 - col] + 1
        grid.sync()

warnings.simplefilter("ignore")
now = np.zeros((6, 7), dtype=np.int32)
now[1, 2] = now[2, 3] = now[3, 1] = now[3, 2] = now[3, 3] = 1
generations[(1, 1), (7, 6)](now, np.zeros_like(now), 9)
m = np.arange(24.0).reshape(3, 8)
rows[1, 8](m)
print(now.tolist(), m.tolist())
"""


def test_grids_meet_as_under_numbas_simulator(tmp_path):
    """Of one block, which is what the simulator lets meet."""
    pytest.importorskip("numba")
    answers = []
    for first in ("", "import sys, weft.numba, weft.cuda; sys.modules.update({'numba': weft.numba, 'numba.cuda': weft.cuda})\n"):
        script = tmp_path / "twin.py"
        script.write_text(first + GRID_TWIN)
        env = {"NUMBA_ENABLE_CUDASIM": "1", "PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[0] == answers[1] and answers[0].count("1,") >= 4


def test_a_grid_of_too_many_threads_does_not_meet():
    a = np.zeros((3, 4), dtype="i4")
    with pytest.raises(ValueError, match="2000 blocks of 256 threads, which meet at grid barriers"):
        rows_in_order[2000, 256](a)
        a.sum()


@cuda.jit
def missing(a):
    grid = cuda.cg.this_grid()
    if cuda.grid(1) != 70:
        grid.sync()
    else:
        cuda.syncthreads()
    a[cuda.grid(1)] = 1


def test_a_thread_that_stays_away_from_the_grids_barrier():
    a = np.zeros(128)
    with pytest.raises(RuntimeError, match=r"thread \(6,0,0\) of block \(1,0,0\) does not come to this gridbarrier"):
        missing[2, 64](a)
        float(a[0])


@cuda.jit
def from_the_back(flag, a):
    block, t = cuda.blockIdx.x, cuda.threadIdx.x
    if block + 1 < cuda.gridDim.x:
        while flag[block + 1] == 0:
            pass
        a[block, t] = a[block + 1, t] + 1
    else:
        a[block, t] = t
    cuda.syncthreads()
    if t == 0:
        cuda.threadfence()
        flag[block] = 1


@cuda.jit
def within(a):
    t = cuda.threadIdx.x
    if t != 5:
        while cuda.atomic.add(a, 0, 0) == 0:
            pass
        a[t + 1] = a[0] + t
    else:
        cuda.atomic.add(a, 0, 7)


def test_threads_wait_for_threads_of_later_blocks_and_of_their_own():
    blocks = 300
    flag, a = np.zeros(blocks, dtype="i4"), np.zeros((blocks, 64), dtype="i4")
    from_the_back[blocks, 64](flag, a)
    assert (numpy.asarray(a) == numpy.arange(64) + numpy.arange(blocks)[::-1, None]).all()
    b = np.zeros(41, dtype="i4")
    within[1, 40](b)
    want = numpy.arange(-1, 40) + 7
    want[0], want[6] = 7, 0
    assert (numpy.asarray(b) == want).all()
