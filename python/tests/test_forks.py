"""Forked children: weft's names mean NumPy's there, and arrays are what NumPy sees of their memory."""

import functools

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
from {np}.random import shuffle, permutation
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
table = np.arange(12).reshape(6, 2)
big = np.arange(200_000).reshape(-1, 2) * 2
floats = np.zeros((3, 4))
state = np.random.RandomState(1)
shuffled, permute, toss = rng.shuffle, rng.permuted, state.shuffle
rows, cells, both, wide = iter(table), iter(few), zip(few, part), iter(big)
next(rows), next(cells), next(both), next(wide)
long = iter(x)
run, ran, strides = few.flat, big.flat, table[:, ::-1].flat
next(run), next(ran)
later, compared, counted, walked, taken = (few.flat for _ in range(5))
[next(long) for _ in range(20)]
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
    "shuffles": "np.random.seed(3); np.random.shuffle(table); print(table.tolist()); shuffle(table); rng.shuffle(table); state.shuffle(table); print(table.tolist()); np.random.default_rng(1).shuffle(table, axis=0); np.random.Generator(np.random.PCG64(3)).shuffle(table); np.random.RandomState(2).shuffle(table); print(table.tolist(), permutation(table).tolist(), rng.permutation(table).tolist())",
    "shuffles by own names": "shuffled(table); toss(table); permute(table, axis=0, out=table); print(table.tolist()); shuffled(few); print(few)",
    "large shuffles": "np.random.default_rng(1).shuffle(big); print(big.sum(), len(set(big[:, 0].tolist())), len(set((big[:, 1] - big[:, 0]).tolist()))); w = [table, few, 3]; np.random.seed(1); np.random.shuffle(w); print([type(v).__name__ for v in w])",
    "random out": "print(rng.permuted(table, axis=0, out=table) is table, table.tolist()); rng.random(out=floats); print(floats); rng.standard_normal(out=floats); new = np.zeros(2); rng.standard_exponential(out=new); print(floats, new, isinstance(np.random.default_rng(3), np.random.Generator), np.random.default_rng(rng) is rng)",
    "random pickles": "print(pickle.loads(pickle.dumps(np.random.shuffle)).__name__, pickle.loads(pickle.dumps(rng)).random(2), pickle.loads(pickle.dumps(np.random.default_rng(2))).random(2), np.random.shuffle.__name__, np.random.default_rng(few).random(1), np.random.PCG64(few).random_raw())",
    "iterators": "print([row.tolist() for row in rows], list(cells), list(both), next(wide), next(long), long.__length_hint__(), len(list(long)), list(map(int, cells)))",
    "flat iterators": "run[0], ran[1:3] = 7, [8, 9]; strides[np.array([True, False] * 6)] = few[1]; print(run[1], run[:2], run[few > 3], few, len(ran), big[:2].tolist(), ran[5], table.tolist(), (run == few).tolist(), run.copy(), np.asarray(run), next(run), next(ran), run.index, list(strides))",
    "flat iterators that have not begun": "later[0] = 7; print(later[1], list(walked), len(counted), later.index)\n"
    "print((compared == few).tolist(), taken.copy(), few)",
    "errors": "for wrong in (lambda: few + part, lambda: locked.__setitem__(0, 1), lambda: few[9], lambda: np.zeros(-1)):\n    try: wrong()\n    except (ValueError, IndexError) as error: print(type(error).__name__, error)",
    "copies": "print(pickle.loads(pickle.dumps([z, few])), copy.deepcopy([z]), copy.copy(few)); b = io.BytesIO(); np.save(b, z); b.seek(0); print(np.load(b), f'{z[0]:.1f} {z}', repr(few), np.array2string(z))",
    "others": "import sys; P = np.polynomial; print(P.Polynomial([1, 2])(z), np.ma.masked_array(z, z > 1).mean(), np.matrix(few), np.testing.assert_allclose(z, z), np.lib.stride_tricks.sliding_window_view(few, 2).shape)",
    "subclasses": "class A(np.ndarray): pass\nprint(np.arange(3).view(A), z.view(A), type(few.view(A)).__name__)",
    "a child of the child": "pid = os.fork()\nif pid == 0: print(few + 1, np.ones(2), y[-1]); sys.stdout.flush(); os._exit(0)\nos.waitpid(pid, 0)",
}


@functools.cache
def numpys():
    """What they print under NumPy, which knows no settings."""
    return said("numpy")[0]


def said(np, settings=None):
    """What the children print, by use."""
    done = run_python(PROGRAM.replace("{uses}", repr(list(USES.items()))).replace("{np}", np), env=settings)
    assert done.returncode == 0, done.stderr
    return dict(part.split("\n", 1) for part in done.stdout.split("## ")[1:]), done.stderr


@pytest.mark.parametrize("settings", [{}, {"WEFT_DEBUG": "noeager"}, {"WEFT_ARGS": "--gpus 2 --emulate"}], ids=["", "deferred", "gpus"])
def test_forked_children_mean_numpy(settings):
    ours, errors = said("weft", settings)
    assert ours == numpys(), errors
    assert list(ours) == list(USES)


def test_a_child_shuffles_where_the_parent_has_drawn_nothing():
    code = """
import multiprocessing
import {np} as np
table = np.arange(20).reshape(10, 2)
def shuffled(seed):
    np.random.default_rng(seed).shuffle(table)
    return table.tolist()
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(shuffled, range(3)))
"""
    ours, numpys = (run_python(code.replace("{np}", np)) for np in ("weft", "numpy"))
    assert numpys.returncode == 0, numpys.stderr
    assert (ours.stdout, ours.stderr) == (numpys.stdout, "")


LOOP = """
import os
import {np} as np
for table in (np.arange(12).reshape(3, 4), np.arange(300_000.0).reshape(3, -1) * 2, np.arange(40)):
    for i, row in enumerate(table):
        if i in (1, 20):
            print(i, flush=True)
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
    if not pid:
        print(i, row.sum(), flush=True)
        os._exit(0)
    print(i, row.sum(), flush=True)
"""


def test_a_loop_over_an_array_goes_on_in_the_child():
    ours, numpys = (run_python(LOOP.replace("{np}", np)) for np in ("weft", "numpy"))
    assert numpys.returncode == 0, numpys.stderr
    assert (ours.stdout, ours.returncode) == (numpys.stdout, 0), ours.stderr


def test_threads_fork_one_after_the_other():
    code = """
import os, threading
import weft as np
x = np.arange(300_000) * 2.0
wrong = []
def forks(k):
    for i in range(8):
        y = x + i + k
        pid = os.fork()
        if pid == 0:
            try:
                good = y.shape == (300_000,) and y[1] == 2 + i + k and y.sum() == 89999700000.0 + 300_000 * (i + k)
            except BaseException as error:
                print(error, flush=True)
                good = False
            os._exit(0 if good else 3)
        if os.waitpid(pid, 0)[1]:
            wrong.append((k, i))
threads = [threading.Thread(target=forks, args=(k,)) for k in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(wrong, (x + 1).sum())
"""
    done = run_python(code)
    assert (done.stdout, done.stderr, done.returncode) == ("[] 90000000000.0\n", "", 0)


# A signal that comes when a fork begins, so that its handler runs while the fork waits: the C library sends it, and no line of Python is run before.
WAITING = """
import ctypes, functools, os, signal
import weft as np
import weft.random
{handler}
signal.signal(signal.SIGALRM, handler)
y = np.arange(3_000_000.0)
for _ in range(60):
    y = np.sin(y)
os.register_at_fork(before=functools.partial(getattr(ctypes.CDLL(None), "raise"), signal.SIGALRM))
try:
    pid = os.fork()
    if pid == 0:
        print("child", y.shape == (3_000_000,), 0 <= y[1] < 1, flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
    print("nothing was raised")
except TimeoutError as error:
    print("raised", error)
print(0 <= y[1] < 1)
"""


def test_what_a_signal_handler_raises_while_a_fork_waits_is_raised_in_the_parent():
    done = run_python(WAITING.replace("{handler}", "done = []\ndef handler(*_):\n    done.append(1)\n    raise TimeoutError('time is over')"))
    assert done.returncode == 0 and done.stdout.endswith("raised time is over\nTrue\n"), (done.stdout, done.stderr)
    assert "Exception ignored" not in done.stderr


def test_a_signal_handler_may_fork_while_a_fork_waits():
    handler = """
def handler(*_):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        print("inner", y.shape == (3_000_000,), 0 <= y[1] < 1, flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
"""
    done = run_python(WAITING.replace("{handler}", handler))
    assert done.returncode == 0 and done.stderr == "", (done.stdout, done.stderr)
    assert sorted(done.stdout.splitlines()) == ["True", "child True True", "inner True True", "nothing was raised"]


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
