"""Launches by inputs and outputs, tasks, and configurations that are chosen by their time."""

import collections
import json

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors

from .sharing import run_python

R = numpy.random.default_rng(41)


@cuda.jit
def axpy(x, y, out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def writes_its_input(x, out):
    i = cuda.grid(1)
    if i < out.size:
        x[i] = out[i] = 1


def test_launch():
    x, y = R.normal(size=100), R.normal(size=100)
    out = np.zeros(100)
    cuda.launch(axpy, 4, 32, inputs=(np.array(x), np.array(y)), outputs=(out,), scalars=(2.0,))
    assert numpy.array_equal(out, 2.0 * x + y)
    with pytest.raises(ValueError, match="has written to x, which is an input"):
        cuda.launch(writes_its_input, 4, 32, inputs=(np.array(x),), outputs=(out,))
    with pytest.raises(errors.CudaAPIError, match="2048"):
        cuda.launch(axpy, 1, 2048, inputs=(out, out), outputs=(out,), scalars=(2.0,))


Pair = collections.namedtuple("Pair", "first second")


@cuda.jit
def of_pairs(x, more, m):
    i = cuda.grid(1)
    if i < m.size:
        m[i] = x[i] if more is None else x[i] + more.second[i]


@cuda.jit
def writes_to_a_pair(pair, out):
    i = cuda.grid(1)
    if i < out.size:
        pair.second[i] = out[i] = pair.first[i]


def test_each_launch_tells_what_it_writes():
    """The first launch of a kernel reads it; the next ones take their arguments at once."""
    x, out = np.array(R.normal(size=100)), np.zeros(100)
    for a in (2.0, 3.0, 4.0):
        cuda.launch(axpy, 4, 32, inputs=(x, x), outputs=(out,), scalars=(a,))
        assert numpy.array_equal(out, a * numpy.asarray(x) + numpy.asarray(x))
    for _ in range(3):
        with pytest.raises(ValueError, match="has written to x, which is an input"):
            cuda.launch(writes_its_input, 4, 32, inputs=(np.zeros(100),), outputs=(out,))


def test_inputs_of_no_array_and_of_several():
    x, y, m = (R.normal(size=100) for _ in range(3))
    for more, want in ((None, x), (Pair(np.array(y), np.array(y)), x + y)):
        out = np.array(m)
        cuda.launch(of_pairs, 4, 32, inputs=(np.array(x), more), outputs=(out,))
        assert numpy.array_equal(out, want)
    with pytest.raises(ValueError, match="has written to pair, which is an input"):
        cuda.launch(writes_to_a_pair, 4, 32, inputs=(Pair(np.array(x), np.array(y)),), outputs=(np.array(m),))


@cuda.task(inputs=["u"], outputs=["out"], scalars=["c"])
def diffused(u, out, c):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        out[i, j] = c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def test_tasks():
    u, out = R.normal(size=(50, 70)), np.zeros((50, 70))
    diffused(np.array(u), out, c=0.25)
    want = numpy.zeros((50, 70))
    want[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    for _ in range(2):
        numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-14)
        out = np.zeros((50, 70))
        diffused(np.array(u), out, 0.25)
    with pytest.raises(TypeError, match="is no array of 1 to 3 axes"):
        diffused(np.array(u), 3, 0.25)


def test_declarations():
    with pytest.raises(TypeError, match="has the parameters x, out; declared are y, out"):
        cuda.task(inputs=["y"], outputs=["out"])(writes_its_input.py_func)
    with pytest.raises(ValueError, match="there is no output"):
        cuda.task(inputs=["x"])
    with pytest.raises(ValueError, match="the halo of y, which is no input: x"):
        cuda.task(inputs=["x"], outputs=["out"], halo={"y": 1})(writes_its_input.py_func)
    with pytest.raises(ValueError, match="out is reduced by 'mean'; want one of sum, prod, min, max"):
        cuda.task(inputs=["x"], reduces={"out": "mean"})(writes_its_input.py_func)


@np.task(inputs=["u"], outputs=["out"], reduces={"change": "max", "heat": "sum"}, halo={"u": 1}, scalars=["c"])
def heated(u, out, change, heat, c):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        new = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        out[i, j] = new
        change[i, j] = abs(new - u[i, j])
        heat[i, j] = new


def test_reductions():
    u = R.random((60, 50))
    new, out = u.copy(), np.array(u)
    inner = u[1:-1, 1:-1]
    new[1:-1, 1:-1] = inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
    change, heat = heated(np.array(u), out, c=0.2)
    numpy.testing.assert_allclose(numpy.asarray(out), new, rtol=1e-14)
    assert float(change) == abs(numpy.asarray(out) - u).max()
    numpy.testing.assert_allclose(float(heat), numpy.asarray(out)[1:-1, 1:-1].sum(), rtol=1e-13)
    here = u.copy()  # arrays of the host's get back what was written
    assert float(heated(u, here, 0.2)[0]) == float(change) and numpy.array_equal(here, out)

    @np.task(inputs=["x"], reduces={"least": ("min", "int64")})
    def least_odd(x, least):
        i = cuda.grid(1)
        if i < x.size and x[i] % 2 == 1:
            least[i] = x[i]

    assert int(least_odd(np.array([8, 5, 2, 3, 9]))) == 3
    assert int(least_odd(np.array([8, 2]))) == numpy.iinfo(int).max

    def shares(x, share):
        i = cuda.grid(1)
        if i < x.size:
            share[i] = x[i] / 255.0

    bytes_ = np.full(10, 100, dtype="u1")  # whose dtype has no room for what the threads set
    with pytest.raises(TypeError, match='share has no dtype, and the threads\' array is of uint8; write reduces={"share"'):
        np.task(inputs=["x"], reduces={"share": "sum"})(shares)(bytes_)
    share = np.task(inputs=["x"], reduces={"share": ("sum", float)}, halo={"x": numpy.int64(0)})(shares)
    assert abs(float(share(bytes_)) - 1000 / 255) < 1e-12


def reads_turned(u, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = u[j, i]


def test_halo_of_another_axis():
    with pytest.raises(ValueError, match="u is read along axis 0 by the thread's position along axis 1"):
        np.task(inputs=["u"], outputs=["out"], halo={"u": 1})(reads_turned)(np.zeros((4, 3)), np.zeros((3, 4)))


def reads_two_away(u, out):
    i = cuda.grid(1)
    if 2 <= i < u.size:
        out[i] = u[i - 2]


def reads_anywhere(u, out):
    i = cuda.grid(1)
    if i < u.size:
        out[i] = u[int(u[i])]


def reads_the_first(u, out):
    i = cuda.grid(1)
    if i < u.size:
        out[i] = u[0]


def counts(u, out):
    i = cuda.grid(1)
    if i < u.size:
        cuda.atomic.add(out, int(u[i]), 1)


def test_halos_are_held_against_the_kernel():
    u, out = np.zeros(100), np.zeros(100)
    for function, error, says in (
        (reads_two_away, ValueError, "u is read 2 elements from the thread's position along axis 0; declared are 1"),
        (reads_anywhere, ValueError, "u is read at an index that is not known before the kernel runs"),
        (reads_the_first, ValueError, "u is read at index 0 along axis 0, wherever the thread is"),
        (counts, errors.UnsupportedError, "an array of|atomic"),
    ):
        with pytest.raises(error, match=says):
            np.task(inputs=["u"], outputs=["out"], halo={"u": 1})(function)(u, out)
    np.task(inputs=["u"], outputs=["out"], halo={"u": 2})(reads_two_away)(np.arange(100.0), out)
    assert numpy.array_equal(numpy.asarray(out)[2:], numpy.arange(98.0))
    with pytest.raises(ValueError, match="has 2 numbers; want one, or one for each of its 1 axes"):
        np.task(inputs=["u"], outputs=["out"], halo={"u": (1, 1)})(reads_two_away)(u, out)
    np.launch(axpy, 4, 32, (np.ones(100), np.ones(100)), (out,), (2.0,))
    assert (out == 3).all()


PROGRAM = """
import hashlib, json, numpy, weft as np
from weft import cuda

@np.task(inputs=["u"], outputs=["out"], reduces={"change": "max", "heat": "sum"}, halo={"u": 1}, scalars=["c"])
def heated(u, out, change, heat, c):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        new = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        out[i, j] = new
        change[i, j] = abs(new - u[i, j])
        heat[i, j] = new

u = np.array(numpy.random.default_rng(3).random((999, 801)))
v = u.copy()
told = []
for _ in range(6):
    told += [float(x).hex() for x in heated(u, v, 0.2)]
    u, v = v, u
print(json.dumps([told, hashlib.sha256(numpy.asarray(u).tobytes()).hexdigest()]))
"""


def test_tasks_give_the_same_bits_on_any_number_of_devices(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    made = [
        run_python(f"import runpy; runpy.run_path({str(file)!r})", env={"WEFT_ARGS": machine})
        for machine in ("--cpus 1", "--cpus 3", "--gpus 1 --emulate", "--gpus 4 --emulate")
    ]
    assert all(m.stdout for m in made), made
    assert len({m.stdout for m in made}) == 1


MOVED = """
import json, numpy, weft as np
from weft import cuda

@np.task(inputs=["u"], outputs=["out"], halo={"u": 1}, scalars=["c"])
def heated(u, out, c):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        out[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])

u = np.array(numpy.random.default_rng(3).random((999, 801)))
v = u.copy()
for turn in range(6):
    heated(u, v, 0.2)
    u, v = v, u
    np.sync()
    if turn in (3, 5):
        print(json.dumps(np.stats()["moved_bytes"]))
"""


def test_a_tasks_halo_is_all_that_moves(tmp_path):
    """Between four GPUs: in each of two turns, a row each way over three borders."""
    file = tmp_path / "program.py"
    file.write_text(MOVED)
    done = run_python(f"import runpy; runpy.run_path({str(file)!r})", env={"WEFT_ARGS": "--gpus 4 --emulate"})
    before, after = map(json.loads, done.stdout.splitlines())
    moved = {cause: n - before.get(cause, 0) for cause, n in after.items() if n > before.get(cause, 0)}
    assert moved == {"halo": 2 * 6 * 799 * 8}


@cuda.jit
def counted(x, runs):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(x, i, 1)
        cuda.atomic.add(runs, 0, cuda.blockDim.x)


WRAPPED = """
import weft as np, numpy
from weft import cuda

@cuda.task(inputs=["u"], outputs=["out"], halo={"u": 1})
def behind(u, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = u[i - 1]

@cuda.task(inputs=["u"], outputs=["out"], halo={"u": 1})
def corner(u, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = u[i - 1, j - 1]

for task, shape in (behind, (1 << 21,)), (corner, (1500, 1400)):
    n = numpy.prod(shape)
    u = np.arange(n, dtype="f8").reshape(shape) + 1
    out = np.zeros(shape)
    task(u, out)
    want = numpy.roll(numpy.arange(1.0, n + 1).reshape(shape), 1, tuple(range(len(shape))))
    assert numpy.array_equal(numpy.asarray(out), want), task
print(np.stats()["copies_by_cause"].get("halo", 0) > 0)
"""


@pytest.mark.parametrize("machine, moves", [("--cpus 2", False), ("--gpus 1 --emulate", False), ("--gpus 4 --emulate", True)])
def test_halos_behind_the_beginning_are_at_the_end(machine, moves, tmp_path):
    """Index -1 is the last element of the whole array, as Numba has it, and not of the part that a device has."""
    file = tmp_path / "wrapped.py"
    file.write_text(WRAPPED)
    done = run_python(f"import runpy; runpy.run_path({str(file)!r})", env={"WEFT_ARGS": machine})
    assert done.stdout == f"{moves}\n", done.stderr


def test_tuning():
    """Each configuration is tried on copies; the best is remembered, and used for the call itself."""
    x, runs = np.zeros(256, dtype=int), np.zeros(1, dtype=int)
    tuned = cuda.tune(counted, [(4, 64), (2, 128), lambda x, runs: (x.size // 32, 32)])
    tuned(x, runs)
    assert (numpy.asarray(x) == 1).all() and len(tuned.best) == 1
    ((config, taken),) = tuned.best.values()
    assert len(taken) == 3 and min(taken) == taken[tuned.configs.index(config)]
    width = 32 if callable(config) else config[1]
    assert int(runs[0]) == 256 * width
    tuned(x, runs)
    assert (numpy.asarray(x) == 2).all() and len(tuned.best) == 1
    with pytest.raises(ValueError, match="no configuration"):
        cuda.tune(counted, [])


@cuda.jit
def counted_in_a_pair(pair, more):
    i = cuda.grid(1)
    if i < pair.first.size:
        cuda.atomic.add(pair.first, i, 1)
        cuda.atomic.add(more[0], i, 1)


def test_tuning_with_tuples():
    """Arrays within tuples stay as they are while configurations are timed, and their shapes are told apart."""
    tuned = cuda.tune(counted_in_a_pair, [(8, 64), (4, 128)])
    for n in (256, 500):
        pair, more = Pair(np.zeros(n, dtype=int), 3), (np.zeros(n, dtype=int),)
        tuned(pair, more)
        assert (numpy.asarray(pair.first) == 1).all() and (numpy.asarray(more[0]) == 1).all()
    assert len(tuned.best) == 2
