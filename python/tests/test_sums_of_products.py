"""The sum of an elementwise product has the same bits however it comes about: at once, fused with the product, or apart from it."""

import pytest

from .sharing import run_python

CODE = """
import numpy
import weft as np
rng = numpy.random.default_rng(SEED)
for k in range(40):
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 20, 33, 70, 130], rng.integers(2, 4)))
    while numpy.prod(shape) > 60_000:
        shape = (*shape[:-1], shape[-1] // 2)
    dtype = ["float64", "float32", "complex128", "complex64"][rng.integers(4)]
    factors = []
    for _ in range(2):
        short = [1 if rng.random() < 0.4 else n for n in shape]
        values = (rng.standard_normal(short) + (1j * rng.standard_normal(short) if dtype[0] == "c" else 0)).astype(dtype)
        order = rng.permutation(len(shape))  # of the axes in memory
        factors.append((values, np.array(values.transpose(order).copy()).transpose(*(int(a) for a in numpy.argsort(order)))))
    (a, x), (b, y) = factors
    axis = [-1, 0, None][rng.integers(3)]
    call = [lambda: np.sum(x * y, axis), lambda: (x * y).mean(axis), lambda: np.add.reduce(x * y, axis=axis, keepdims=True)][k % 3]
    made = numpy.asarray(call())
    want = [lambda: numpy.sum(a * b, axis), lambda: (a * b).mean(axis), lambda: numpy.add.reduce(a * b, axis=axis, keepdims=True)][k % 3]()
    close = 1e-3 if dtype in ("float32", "complex64") else 1e-11
    numpy.testing.assert_allclose(made, want, close, close * 10)
    print(k, shape, a.shape, b.shape, dtype, axis, made.dtype, made.tobytes().hex())
"""


def printed(code, setting):
    done = run_python(code, env={"WEFT_DEBUG": setting})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("seed", range(2))
def test_same_bits_in_every_configuration(seed):
    code = f"SEED = {seed}{CODE}"
    want = printed(code, "")
    assert len(want) == 40
    for setting in ("noeager", "nofuse", "noeager,window=2", "check,noeager", "tile=4096"):
        assert printed(code, setting) == want, setting


def test_more_elements_than_are_computed_at_once():
    code = """
import numpy
import weft as np
x, y = (np.array(numpy.random.default_rng(k).random(s)) for k, s in enumerate([(1, 400), (700, 1)]))
print(np.sum(x * y, -1).tobytes().hex())
print(np.sum(x[:, None, :] * (y[None, :300] + x[:, None, :]), -1).tobytes().hex())
"""
    want = printed(code, "")
    for setting in ("noeager", "nofuse", "noeager,nofuse"):
        assert printed(code, setting) == want, setting
