"""Random numbers in kernels: the same as Numba's, of states that are jumps apart."""

import math
import subprocess
import sys

import numpy
import pytest
import weft as np
from weft import cuda
from weft.cuda import random

MASK = (1 << 64) - 1


class Twin:
    """The generator in Python's integers, and states one jump after the other."""

    def __init__(self, seed):
        z = (seed + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        self.s = [z ^ (z >> 31)] * 2

    def next(self):
        a, b = self.s
        b ^= a
        self.s = [(((a << 55) | (a >> 9)) & MASK) ^ b ^ ((b << 14) & MASK), ((b << 36) | (b >> 28)) & MASK]
        return (a + (a ^ b)) & MASK

    def jump(self):
        made = [0, 0]
        for word in (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922):
            for bit in range(64):
                if word >> bit & 1:
                    made = [m ^ s for m, s in zip(made, self.s, strict=True)]
                self.next()
        self.s = made


def states_of(twin, n):
    made = []
    for _ in range(n):
        made.append(tuple(twin.s))
        twin.jump()
    return made


def test_states_are_jumps_apart():
    got = random.create_xoroshiro128p_states(21, seed=123).copy_to_host()
    assert got.tolist() == states_of(Twin(123), 21)
    later = random.create_xoroshiro128p_states(3, seed=123, subsequence_start=13).copy_to_host()
    assert later.tolist() == got[13:16].tolist()
    random.init_xoroshiro128p_states(later, 123)
    assert later.tolist() == got[:3].tolist()


@cuda.jit
def drawn(states, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = random.xoroshiro128p_uniform_float32(states, i)
        out[i, 1] = random.xoroshiro128p_uniform_float64(states, i)
        out[i, 2] = random.xoroshiro128p_normal_float32(states, i)
        out[i, 3] = random.xoroshiro128p_normal_float64(states, i)


def test_numbers():
    states, out = random.create_xoroshiro128p_states(50, seed=7), np.zeros((50, 4))
    drawn.forall(50)(states, out)
    twin = Twin(7)
    for s, row in zip(states_of(twin, 50), numpy.asarray(out).tolist(), strict=True):
        mine = Twin(0)
        mine.s = list(s)
        u = [(mine.next() >> 11) * 2.0**-53 for _ in range(6)]
        f = [float(numpy.float32(v)) for v in u]
        assert row[:2] == [f[0], u[1]]
        assert row[2:] == pytest.approx(
            [math.sqrt(-2 * math.log(f[k])) * math.cos(2 * math.pi * f[k + 1]) for k in (2, 4)], rel=3e-6, abs=3e-6
        )


def test_a_jump_within_a_kernel():
    @cuda.jit
    def kernel(states):
        random.xoroshiro128p_jump(states, 0)

    states = random.create_xoroshiro128p_states(2, seed=5)
    want = states.copy_to_host()[1]
    kernel[1, 1](states)
    assert states.copy_to_host()[0] == want


@cuda.jit
def pi(states, n, hits):
    i = cuda.grid(1)
    inside = 0
    for _ in range(n):
        x = random.xoroshiro128p_uniform_float32(states, i)
        y = random.xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y <= 1:
            inside += 1
    hits[i] = inside


def test_monte_carlo():
    states, hits = random.create_xoroshiro128p_states(256, seed=1), np.zeros(256, dtype=int)
    pi[4, 64](states, 200, hits)
    assert float(hits.sum()) / (256 * 200) * 4 == pytest.approx(math.pi, abs=0.05)


TWIN = """
import numpy as np, warnings
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32, xoroshiro128p_normal_float64

@cuda.jit
def kernel(states, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = xoroshiro128p_uniform_float32(states, i)
        out[i, 1] = xoroshiro128p_normal_float64(states, i)

warnings.simplefilter("ignore")
out = np.zeros((6, 2))
kernel[2, 3](create_xoroshiro128p_states(6, seed=42), out)
print([f"{v:.5g}" for v in out.ravel().tolist()])
"""


def test_the_same_under_numbas_simulator(tmp_path):
    pytest.importorskip("numba")
    mine = "import sys, weft.numba, weft.cuda.random; sys.modules.update({'numba': weft.numba, 'numba.cuda': weft.cuda, 'numba.cuda.random': weft.cuda.random})\n"
    answers = []
    for first in ("", mine):
        script = tmp_path / "twin.py"
        script.write_text(first + TWIN)
        done = subprocess.run(
            [sys.executable, script],
            env={"NUMBA_ENABLE_CUDASIM": "1", "PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[0] == answers[1]
