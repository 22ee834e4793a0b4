"""Products of more than two axes: the same bits at once as planned, and those of one matrix where a stack of rows is one."""

import numpy
import pytest
import weft

from .sharing import run_python

# Products are looked at beside NumPy's where they are computed at once: where they are planned, they have the same bits.
PROGRAM = """
import os, zlib
import numpy, weft as np
at_once = "noeager" not in os.environ["WEFT_DEBUG"]
r = numpy.random.default_rng(5)
KINDS = ("f8", "f4", "f8", "u1", "i8", "c16")

def lay(x, how):
    n = x.shape[-1]
    return (x, np.asarray(x.transpose(*range(1, x.ndim), 0).copy()).transpose(-1, *range(x.ndim - 1)), x[..., ::-1], x[::-1], np.concatenate([x, x], -1)[..., :n])[how]

for turn in range(400):
    a, b, c, d = (int(n) for n in r.integers(1, [12, 40, 9, 9]))
    if turn % 5 == 0:
        a, b, c, d = 30, 60, int(r.integers(1, 9)), int(r.integers(1, 5))
    if turn % 10 == 3:
        a, b, c, d = int(r.integers(1, 4)), int(r.integers(1, 4)), (17, 33, 1000, 8191, 8192, 9001, 20000)[int(r.integers(0, 7))], int(r.integers(1, 4))
    if turn % 16 == 0:
        a, b, c, d = int(r.integers(1, 4)), int(r.integers(400, 4000)), int(r.integers(1, 5)), int(r.integers(2, 5))
    shapes = [((a, b, c), (c, d)), ((a, b, c), (c,)), ((a, b, c), (a, c, d)), ((b, c), (a, c, d)), ((a, 1, c), (a, c, 1)), ((a, 1, c), (c, d)), ((a, 1, b, c), (1, d, c, 3)), ((2, a, b, c), (c, d)),
              ((a, b, c), (1, c, d)), ((1, b, c), (a, c, d)), ((a, b, c), (a, c, 1)), ((a, 1, 1), (a, 1, 1)), ((b, c), (c, d)), ((b, c), (a, c, 1))]
    kinds = [KINDS[int(n)] for n in r.integers(0, 6, 2)] if turn % 3 == 0 else [KINDS[turn % 2]] * 2
    for s, t in shapes:
        x, y = (lay(np.array((r.random(shape) * 9).astype(kind)), int(r.integers(0, 5))) for shape, kind in zip((s, t), kinds))
        made = np.matmul(x, y)
        if at_once:
            wanted = numpy.matmul(numpy.asarray(x), numpy.asarray(y))
            assert made.dtype == wanted.dtype and made.shape == wanted.shape and numpy.allclose(numpy.asarray(made), wanted, 1e-5), (s, t, kinds)
        print("matmul", s, t, kinds, made.dtype, made.shape, zlib.crc32(numpy.asarray(made).tobytes()))
        if x.ndim == 3 and y.ndim < 3:
            made = np.dot(x, y)
            print("dot", s, t, kinds, made.dtype, made.shape, zlib.crc32(numpy.asarray(made).tobytes()))
    picture = np.array(r.random((a, b + 1, 3)))
    for x, y in ((picture, r.random((3, 3))), ((picture * 255).astype("u1"), r.random(3)), (picture.astype("f4"), r.random((3, d)).astype("f4"))):
        assert numpy.array_equal(x @ np.asarray(y), (x.reshape(-1, 3) @ np.asarray(y)).reshape(a, b + 1, *y.shape[1:])), ("one matrix", x.shape, y.shape, x.dtype)
x = np.array([[[numpy.inf, 1.0]] * 4] * 3)
with np.errstate(all="raise"):
    try:
        x @ np.zeros((3, 2, 3))
    except FloatingPointError as e:
        print(e)
"""


def test_stacks_have_the_bits_of_planned_ones():
    told = []
    for debug in ("", "noeager"):
        done = run_python(PROGRAM, env={"WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.splitlines())
    assert told[0][-1] == "invalid value encountered in matmul"
    assert [a[:60] for a, b in zip(*told, strict=True) if a != b] == []


@pytest.mark.parametrize("seed", range(6))
def test_products_of_integers_are_numpys(seed):
    rng = numpy.random.default_rng(seed)
    for _ in range(60):
        m, k, n = (int(extent) for extent in rng.integers(1, 80, 3))
        kinds = ("i8", ("i8", "i4", "u1", "?")[int(rng.integers(4))])
        x, y = (rng.integers(-(2**40), 2**40, shape).astype(kind) for shape, kind in zip(((m, k), (k, n)), kinds, strict=True))
        a, b = weft.asarray(x), weft.asarray(y)
        for name, left, right, p, q in (("matmul", x, y, a, b), ("dot", x[::-1], y[:, ::2], a[::-1], b[:, ::2]), ("inner", x, y.T, a, b.T), ("matmul", x, y[:, 0], a, b[:, 0]), ("matmul", y.T, x.T, b.T, a.T)):
            assert numpy.array_equal(getattr(weft, name)(p, q), getattr(numpy, name)(left, right)), (name, m, k, n, kinds)
