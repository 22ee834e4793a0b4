"""Forked children: weft's names mean NumPy's there, and arrays are what NumPy sees of their memory."""

import pytest

from .sharing import run_python

# A program whose child prints what NumPy's does. np is weft, or NumPy.
PROGRAM = """
import io, os, pickle, sys
import {np} as np
import {np}.random as nr
from {np} import *
from {np} import array as mk
from {np}.linalg import solve
import copy

x = np.arange(200_000, dtype=np.float64)
y = x * 2                                    # pending, at the fork
z = y[::-2][:5]                              # a view that only C knows
t = x[:6000].reshape(60, 100).T
deep = (np.zeros((2,) * 6) + 1)[1]
few = np.arange(6)
part = few[1:4]
none = np.zeros((0, 3))
locked = np.broadcast_to(np.arange(3), (4, 3))
memory = bytearray(16)
lent = np.asarray(memoryview(memory))
rng = np.random.default_rng(5)
each = np.vectorize(lambda v: v + 1)
made = np.frompyfunc(lambda v: v, 1, 1)
scalar = np.float64(2)

def usual():
    print(z, t.flags.f_contiguous, t[5, 7], deep.sum(), deep.shape, few, part, none.shape, lent, type(x).__name__)
    print(y.sum(), y.dtype, y[y > 399_990], np.mean(y), x @ y, scalar * z, z * scalar, scalar < z)

for use in {uses}:
    w = x + 1                                # something new to wait for
    print("##", use[0], flush=True)
    pid = os.fork()
    if pid == 0:
        usual()
        exec(use[1])
        sys.stdout.flush()
        os._exit(0)
    print(os.waitpid(pid, 0)[1], y.sum(), w.max(), few, z, (few + 1).sum(), np.zeros(2) + 1, flush=True)
"""

USES = {
    "attributes": "print(z.T, z.real, z.shape, z.nbytes, z.strides, z.ndim, len(z), z.flat[1], few.base is None, z.flags.writeable, z.itemsize, few.ctypes.data > 0)",
    "operators": "print(-z, abs(z), z ** 2, 2 ** few[:2], z % 3, z // 2, [1.0] * 5 + z, z @ z, ~(z > 0), (z > 0) & (z < 9), divmod(few, 4), bool(z[0]), int(z[0]), z == z, few << 1, 1 - few, few | 8)",
    "in place": "w = few; w += 1; w[0] = 7; w[1:3] *= 2; part[2] = 9; print(w is few, few, part); y[...] = 0; z.sort(); z += 1; print(y.sum(), z, x.sum())",
    "methods": "print(few.sum(), few.mean(axis=0), few.reshape(2, 3).T.tolist(), few.astype(float), few.argmax(), few.clip(1, 3), few.copy(), few.dot(few), few.take([1]), few.item(2), few.tobytes(), z.round(1), few.cumsum())",
    "shapes": "few.shape = 2, 3; print(few, few.shape, few.ravel(), part); print(np.resize(part, 5), few.swapaxes(0, 1))",
    "names": "print(np.sin(z), np.where(z > 3, z, 0), np.concatenate([z, z]).shape, np.linalg.norm(z), np.fft.fft(z)[0], np.r_[z, z][:2], np.mgrid[0:2], np.ix_([0], [1]), np.polyfit(part, part, 1).round(9))",
    "own names": "print(sin(z), sum(z), sort(z), linspace(0, 1, 3), where(z > 0), meshgrid(z, z)[0].shape, einsum('i,i', z, z), piecewise(z, [z > 0], [1]), mk([1]) + 1, solve(np.eye(2), np.ones(2)), tile(z, 2), var(z), max(z))",
    "ufuncs": "print(add.reduce(z), add.outer(z, z).shape, np.add.accumulate(z), np.add.reduceat(z, [0, 1]), np.add(z, z, out=np.zeros(5)), np.multiply(z, 2, where=z > 1, out=np.zeros(5)), made(few), each(few))",
    "makers": "print(np.zeros(3), np.ndarray((2, 2)).shape, np.array(x).sum() == x.sum(), np.asarray(z)[0], np.full_like(z, 2), np.frombuffer(memory, np.uint8).sum(), isinstance(np.zeros(1), np.ndarray), isinstance(z, np.ndarray))",
    "random": "print(rng.normal(size=3), rng.integers(9, size=5000).sum(), rng.choice(few, 2), rng.permutation(few), np.random.default_rng(1).random(2), nr.RandomState(3).rand(2))",
    "errors": "for wrong in (lambda: few + part, lambda: locked.__setitem__(0, 1), lambda: few[9], lambda: np.zeros(-1)):\n    try: wrong()\n    except (ValueError, IndexError) as error: print(type(error).__name__, error)",
    "copies": "print(pickle.loads(pickle.dumps([z, few])), copy.deepcopy([z]), copy.copy(few)); b = io.BytesIO(); np.save(b, z); b.seek(0); print(np.load(b), f'{z[0]:.1f} {z}', repr(few), np.array2string(z))",
    "others": "import sys; P = np.polynomial; print(P.Polynomial([1, 2])(z), np.ma.masked_array(z, z > 1).mean(), np.matrix(few), np.testing.assert_allclose(z, z), np.lib.stride_tricks.sliding_window_view(few, 2).shape)",
    "subclasses": "class A(np.ndarray): pass\nprint(np.arange(3).view(A), z.view(A), type(few.view(A)).__name__)",
    "a child of the child": "pid = os.fork()\nif pid == 0: print(few + 1, np.ones(2), y[-1]); sys.stdout.flush(); os._exit(0)\nos.waitpid(pid, 0)",
}


def said(np, settings=None):
    """What the children print, by use."""
    done = run_python(PROGRAM.replace("{uses}", repr(list(USES.items()))).replace("{np}", np), env=settings)
    assert done.returncode == 0, done.stderr
    return dict(part.split("\n", 1) for part in done.stdout.split("## ")[1:]), done.stderr


@pytest.mark.parametrize("settings", [{}, {"WEFT_DEBUG": "noeager"}, {"WEFT_ARGS": "--gpus 2 --emulate"}], ids=["", "deferred", "gpus"])
def test_forked_children_mean_numpy(settings):
    (ours, errors), (numpys, _) = said("weft", settings), said("numpy")
    assert ours == numpys, errors
    assert list(ours) == list(USES)


def test_pools_just_work():
    code = """
import multiprocessing, threading
from concurrent.futures import ProcessPoolExecutor
import {np} as np
table = np.linspace(0, 1, 100_000).reshape(100, 1000) * 3
def row(i):
    return i, table[i].sum(), np.sqrt(table[i, :3]), (table[i] > 1).any()
def twice(a):
    return a * 2, isinstance(a, np.ndarray)
if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    with fork.Pool(2) as pool:
        print(pool.map(row, range(4)), pool.map(twice, [table[0, :4], np.arange(3)]))
        results = pool.map(row, range(100))
        print(np.stack([few for _, _, few, _ in results]).sum(axis=0), np.array([total for _, total, _, _ in results])[:3] + 1)
    with ProcessPoolExecutor(2, mp_context=fork) as pool:
        print(list(pool.map(row, range(2))), pool.submit(twice, table[1, 1:3]).result())
    queue = fork.Queue()
    worker = fork.Process(target=lambda: queue.put(table[:, 5] - 1))
    worker.start()
    print(queue.get()[:3], worker.join())
    print((table + 1).sum())
"""
    ours, numpys = (run_python(code.replace("{np}", np)) for np in ("weft", "numpy"))
    assert numpys.returncode == 0, numpys.stderr
    assert (ours.stdout, ours.returncode) == (numpys.stdout, 0), ours.stderr


def test_what_weft_alone_has_says_so_in_the_child():
    code = """
import os, weft
x = weft.arange(300_000) + 1
def child(use):
    pid = os.fork()
    if pid == 0:
        try:
            use()
        except RuntimeError as error:
            print(error, flush=True)
            os._exit(7)
        os._exit(8)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(child(lambda: weft.stats()), child(lambda: weft.sync()), child(lambda: x.sum()))
"""
    done = run_python(code)
    assert done.returncode == 0 and done.stdout.endswith("7 8 8\n") and "was forked" in done.stdout, (done.stdout, done.stderr)


def test_a_child_that_leaves_by_itself_ends_as_pythons_do(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\nimport numpy as np\na = np.arange(5)\npid = os.fork()\nif pid == 0:\n    print(a.sum(), flush=True)\n    sys.exit(3)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    done = run_python(f"import sys, weft.run; sys.exit(weft.run.main(['--profile', {str(script)!r}]))", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("10\n3\n", 0), done.stderr
    assert len(list(tmp_path.glob("*.weftprof"))) == 1
