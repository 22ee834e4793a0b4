"""Fourier transforms along any axis, computed at once or not: NumPy's values, and the same bits either way."""

import pytest

from .sharing import run_python

CODE = """
import numpy
import weft as np
rng = numpy.random.default_rng(SEED)
for k in range(60):
    shape = [int(n) for n in rng.choice([1, 2, 3, 5, 8, 9, 16, 21, 30, 50, 100, 160], rng.integers(1, 4))]
    while numpy.prod(shape) > 20_000:
        shape[numpy.argmax(shape)] //= 2
    if k % 6 == 0:
        shape = [int(rng.choice([4096, 8190, 8192, 10_000, 16_384, 16_385]))]
    dtype = ["f8", "c16", "f4", "c8", "i8", "b1", "f2"][rng.integers(7)]
    x = (rng.standard_normal(shape) * 3 + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)).astype(dtype)
    axis = int(rng.integers(-len(shape), len(shape)))
    name = ["fft", "ifft", "rfft", "irfft"][rng.integers(4)]
    if name == "rfft" and dtype[0] == "c" or name == "irfft" and shape[axis] < 2:
        name = "fft"
    given = np.array(x)
    if rng.random() < 0.3:
        x, given, axis = x.T, given.T, -1 - axis if axis < 0 else len(shape) - 1 - axis
    made, want = numpy.asarray(getattr(np.fft, name)(given, axis=axis)), getattr(numpy.fft, name)(x, axis=axis)
    close = 4e-3 if dtype == "f2" else 1e-4 if dtype in ("f4", "c8") else 1e-12
    assert made.dtype == want.dtype and made.shape == want.shape, (name, made.dtype, want.dtype, made.shape, want.shape)
    assert numpy.abs(made - want).max() <= close * max(1, numpy.abs(want).max()), (name, x.shape, dtype, axis)
    print(k, name, x.shape, dtype, axis, made.tobytes().hex())
"""

EQUAL = """
import numpy
import weft as np
rng = numpy.random.default_rng(5)
for n in [*range(1, 24), 50, 100, 101, 102, 106, 121, 250, 374, 375, 502, 539]:
    row = rng.standard_normal(n)
    for rows in range(1, 21):
        for name in ("fft", "ifft", "rfft", "irfft"):
            for axis in (0, 1):
                x = numpy.repeat(row[None], rows, 0) * (1 if name == "rfft" or rows % 2 else 1 + 0.5j)
                if name == "irfft" and n == 1:
                    continue
                made = numpy.asarray(getattr(np.fft, name)(np.array(x if axis else x.T.copy()), axis=axis))
                made = made if axis else made.T
                assert (made == made[0]).all(), (name, n, rows, axis)
                print(name, n, rows, axis, made[0].tobytes().hex())
"""


@pytest.mark.parametrize("seed", range(2))
def test_same_bits_at_once_and_planned(seed):
    lines = []
    for setting in ("", "noeager"):
        done = run_python(f"SEED = {seed}{CODE}", env={"WEFT_DEBUG": setting})
        assert done.returncode == 0, done.stderr
        lines.append(done.stdout.splitlines())
    assert len(lines[0]) == 60 and lines[0] == lines[1]


def test_equal_rows_have_equal_transforms_at_once_and_planned():
    told = set()
    for setting, words in (("", "--cpus 2"), ("noeager", "--cpus 1"), ("noeager", "--cpus 3")):
        done = run_python(EQUAL, env={"WEFT_DEBUG": setting, "WEFT_ARGS": words})
        assert done.returncode == 0, done.stderr
        told.add(done.stdout)
    assert len(told) == 1 and told.pop()
