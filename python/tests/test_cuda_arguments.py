"""What kernels take and name beside numbers and whole arrays: slices, tuples, records, vectors, constant arrays; and what they print."""

import collections
import enum
import itertools
import subprocess
import sys

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors
from weft.numba import float32

R = numpy.random.default_rng(5)


@cuda.jit(device=True)
def total(row):
    s = 0.0
    for k in range(row.size):
        s += row[k]
    return s


@cuda.jit
def slices(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = a[i]
        out[i, 0] = total(a[i, :])
        out[i, 1] = total(a[i, 1:-1])
        out[i, 2] = total(row[::2])
        out[i, 3] = total(a[i, 5:1:-1])
        out[i, 4] = a[i, 2:][1:][-1]
        out[i, 5] = a[i : i + 1, 3:].size
        out[i, 6] = a[i, 100:].shape[0] + len(a[..., i % 4][-3:])
        out[i, 7] = total(a[:, i % 4][1:3])


def test_slices():
    a = R.normal(size=(9, 8))
    out = np.zeros((9, 8))
    slices.forall(9)(np.array(a), out)
    want = [
        [r.sum(), r[1:-1].sum(), r[::2].sum(), r[5:1:-1].sum(), r[2:][1:][-1], a[i : i + 1, 3:].size, 3, a[:, i % 4][1:3].sum()]
        for i, r in enumerate(a)
    ]  # fmt: skip
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-13)


@cuda.jit
def filled(a, b):
    i = cuda.grid(1)
    if i < a.shape[0]:
        a[i, 1:3] = i
        a[i, ::4] = b[i, 2:4]
        a[i][7] = -1


def test_slices_that_are_written():
    a, b = R.normal(size=(6, 8)), R.normal(size=(6, 5))
    got = np.array(a)
    filled.forall(6)(got, np.array(b))
    for i in range(6):
        a[i, 1:3], a[i, ::4], a[i][7] = i, b[i, 2:4], -1
    assert numpy.array_equal(numpy.asarray(got), a)


@cuda.jit
def unequal(a, b, n):
    a[0:3] = b[0:n]


def test_a_slice_is_as_long_as_what_is_written_to_it():
    a, b = np.zeros(5), np.arange(5.0) + 1
    unequal[1, 1](a, b, 3)
    assert numpy.array_equal(a, [1, 2, 3, 0, 0])
    unequal[1, 1](a, b, 5)
    with pytest.raises(ValueError, match=r"cannot assign slice of shape \(3,\) from input of shape \(5,\)"):
        a.sum()


def test_an_index_beyond_a_slice():
    @cuda.jit
    def kernel(a, n):
        part = a[2:5]
        part[n] = 1

    a = np.zeros(10)
    kernel[1, 1](a, -3)
    assert numpy.asarray(a)[2] == 1
    for n in (3, -4):
        with pytest.raises(IndexError, match=f"index {n} is out of bounds for an axis of a slice of 'a' with size 3"):
            a = np.zeros(10)
            kernel[1, 1](a, n)
            cuda.synchronize()


@cuda.jit
def two_views(out):
    i = cuda.threadIdx.x
    whole = cuda.shared.array(0, float32)
    first, second = whole[:8], whole[8:]
    first[i] = i
    second[7 - i] = 10 * i
    cuda.syncthreads()
    out[i] = first[7 - i] + second[i]


def test_views_of_dynamic_shared_memory():
    out = np.zeros(8)
    two_views[1, 8, 0, 64](out)
    assert numpy.array_equal(out, (7 - numpy.arange(8)) * 11.0)


Point = collections.namedtuple("Point", "x y")
CORNER = Point(1.5, 2)


@cuda.jit
def tuples(pair, point, nested, offsets, none, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        a, k = pair
        (p, q), r = nested
        s = 0
        for o in offsets:
            s += o
        out[i, 0] = a[i] * k + point.x * CORNER.y + CORNER[0] - CORNER.x
        out[i, 1] = p + q + r + s
        out[i, 2] = offsets[i % 3] + offsets[-1 - i % 3] * 100
        out[i, 3] = len(offsets[1:]) + (i in offsets) * 10
        if none is None:
            out[i, 4] = 1
        if none is not None:
            out[i, 4] = none


def test_tuples_as_arguments():
    a = R.normal(size=7)
    out = np.zeros((7, 5))
    tuples.forall(7)((np.array(a), 2), Point(1.5, 2), ((1, 2), 3.5), (5, 1, 3), None, out)
    offsets = (5, 1, 3)
    want = [[a[i] * 2 + 3, 6.5 + 9, offsets[i % 3] + offsets[-1 - i % 3] * 100, 2 + (i in offsets) * 10, 1] for i in range(7)]
    numpy.testing.assert_allclose(numpy.asarray(out), want)
    tuples.forall(7)((np.array(a), 2), Point(1.5, 2), ((1, 2), 3.5), (5, 1, 3), 8, out)
    assert (numpy.asarray(out)[:, 4] == 8).all()


@cuda.jit(device=True)
def swapped(t):
    return t[1], t[0]


@cuda.jit
def returned_tuples(out):
    i = cuda.grid(1)
    t = (i, 1.5)
    for _ in range(3):
        t = swapped(t) if False else (t[0] + 1, t[1] * 2)
    a, b = swapped(t)
    out[i] = a + b


class Colour(enum.Enum):
    RED = 3
    BLUE = 4.5


class Order(enum.IntEnum):
    FIRST = 1
    LAST = 9


def test_members_of_enumerations():
    @cuda.jit
    def kernel(colour, order, out):
        if colour == Colour.RED:
            out[0] = Colour.BLUE.value + order
        else:
            out[0] = -Order.LAST

    out = np.zeros(1)
    kernel[1, 1](Colour.RED, Order.LAST, out)
    assert out[0] == 13.5
    kernel[1, 1](Colour.BLUE, Order.LAST, out)
    assert out[0] == -9


class Paint(enum.Enum):
    RED = 3
    LIKE_RED = 3.0
    GREEN = 7


def compared(colour, paint, order, out):
    out[0] = colour == Colour.RED
    out[1] = colour == Paint.RED
    out[2] = colour != Paint.RED
    out[3] = colour == 3
    out[4] = paint is Paint.LIKE_RED
    out[5] = paint in (Colour.RED, Paint.GREEN)
    out[6] = Colour.RED == Paint.RED
    out[7] = Order.FIRST == 1
    out[8] = order == paint.value
    best = Paint.GREEN
    for k in range(3):
        if k == order:
            best = paint
    out[9] = best is not Paint.GREEN
    out[10] = 3 != colour


def test_members_are_equal_to_themselves_alone():
    """As Python has it, of all arguments."""
    for given in itertools.product(Colour, Paint, Order):
        want, out = numpy.full(11, -1), np.full(11, -1)
        compared(*given, want)
        cuda.jit(compared)[1, 1](*given, out)
        numpy.testing.assert_array_equal(numpy.asarray(out), want, err_msg=str(given))


def test_members_are_no_numbers():
    def plus(out):
        out[0] = Colour.RED + 1

    def both(out):
        sum = Colour.RED + Colour.RED
        out[0] = sum[0]

    def either(out):
        mixed = Colour.RED if out[0] > 0 else Paint.RED
        out[0] = mixed == Colour.RED

    for function in plus, both, either:
        with pytest.raises(errors.TypingError):
            cuda.jit(function)[1, 1](np.zeros(1))


def test_tuples_that_functions_return():
    out = np.zeros(4)
    returned_tuples[1, 4](out)
    assert numpy.array_equal(out, numpy.arange(4) + 3 + 12.0)


PARTICLE = numpy.dtype([("x", "f8"), ("v", "f4"), ("kind", "i4")])


@cuda.jit
def moved(p, dt):
    i = cuda.grid(1)
    if i < p.size:
        p[i].x += p[i]["v"] * dt
        if p[i].kind == 2:
            p[i]["v"] = -p.v[i]
        p["kind"][i] += 1


@pytest.mark.parametrize("where", ["host", "device"])
def test_records(where):
    p = numpy.zeros(20, PARTICLE)
    p["x"], p["v"], p["kind"] = R.normal(size=20), R.normal(size=20), R.integers(0, 4, 20)
    want = p.copy()
    want["x"] += want["v"].astype(float) * 0.5
    want["v"] = numpy.where(p["kind"] == 2, -p["v"], p["v"])
    want["kind"] += 1
    if where == "host":
        with pytest.warns(errors.NumbaPerformanceWarning, match="Host array"):
            moved.forall(20)(p, 0.5)
    else:
        on_device = cuda.to_device(p)
        moved.forall(20)(on_device, 0.5)
        p = on_device.copy_to_host()
        assert on_device[3] == want[3] and len(on_device) == 20
    assert numpy.array_equal(p, want)


def test_a_record_as_an_argument():
    @cuda.jit
    def kernel(record, out):
        out[0] = record.x + record["kind"]

    out = np.zeros(1)
    kernel[1, 1](numpy.array((1.5, 0, 3), PARTICLE)[()], out)
    assert out[0] == 4.5


@cuda.jit
def vectors(out):
    i = cuda.grid(1)
    a = cuda.float32x3(i, 0.1, 3)
    b = cuda.float4(a, 2.5) if i >= 0 else cuda.float4(0, 0, 0, 0)
    out[i] = a.x + a.y * 0 + b.w + cuda.int2(7.9, 1).x + b.z


def test_vector_types():
    out = np.zeros(4)
    vectors[1, 4](out)
    assert numpy.array_equal(out, numpy.arange(4) + 2.5 + 7 + 3)


TABLE = numpy.arange(12.0).reshape(3, 4)
ON_DEVICE = np.arange(4.0) * 100


@cuda.jit
def constants(out):
    i = cuda.grid(1)
    table = cuda.const.array_like(TABLE)
    if i < 4:
        out[i] = table[2, i] + TABLE[0, i] + ON_DEVICE[i]


def test_arrays_that_are_not_arguments():
    out = np.zeros(4)
    constants[1, 4](out)
    assert numpy.array_equal(out, TABLE[2] + TABLE[0] + numpy.arange(4) * 100)
    TABLE[2] = 0  # frozen at the first launch, as ON_DEVICE is
    ON_DEVICE[:] = -1
    constants[1, 4](out)
    assert numpy.array_equal(out, numpy.arange(8.0, 12) + TABLE[0] + numpy.arange(4) * 100)

    @cuda.jit
    def writes():
        TABLE[0, 0] = 1

    with pytest.raises(errors.TypingError, match="Cannot modify readonly array"):
        writes[1, 1]()


LIMITS = numpy.arange(4.0) * 100


def test_arrays_that_are_not_arguments_stand_behind_those_that_are_none(capsys):
    """None stands for no array, wherever it is among the arguments: as lanes, as threads, and where a kernel prints."""

    def limited(before, x, scale, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] * (2 if scale is None else scale) + LIMITS[i] + (0 if before is None else 1)

    def crosswise(before, x, scale, out):
        i = cuda.threadIdx.x
        out[3 - i] = x[i] * (2 if scale is None else scale) + LIMITS[3 - i] + (0 if before is None else 1)
        if i == 0:
            print("first", x.dtype.type(1) / 2)

    x = np.arange(4.0)
    for kernel, last in (cuda.jit(limited), slice(None)), (cuda.jit(crosswise), slice(None, None, -1)):
        for before, scale in (None, None), (None, 3), (1, None), (1, 3):
            out = np.zeros(4)
            kernel[1, 4](before, x, scale, out)
            assert out.tolist() == (numpy.arange(4.0)[last] * (scale or 2) + numpy.arange(4) * 100 + (before or 0)).tolist()
    assert capsys.readouterr().out == "first 0.500000\n" * 4


@cuda.jit
def printing(x, n):
    i = cuda.grid(1)
    if i < n:
        print("thread", i, x[i], x[i] > 1, (i, 2.5), np.uint64(2**63 + i))
        if i == 1:
            print()
            print("done:", cuda.blockIdx.x)


def test_print(capsys):
    printing[2, 2](np.array([0.5, 2.0, 3.25]), 3)
    assert capsys.readouterr().out.splitlines() == [
        "thread 0 0.500000 False (0, 2.500000) 9223372036854775808",
        "thread 1 2.000000 True (1, 2.500000) 9223372036854775809",
        "",
        "done: 0",
        "thread 2 3.250000 True (2, 2.500000) 9223372036854775810",
    ]


def test_lines_without_room_are_counted(capsys):
    @cuda.jit
    def kernel():
        for k in range(400):
            print(cuda.grid(1), k)

    kernel[2, 64]()
    said = capsys.readouterr()
    shown = len(said.out.splitlines())
    assert shown + int(said.err.split()[1]) == 400 * 128 and shown > 10000


def test_views_cannot_be_what_a_loop_hands_on():
    @cuda.jit
    def kernel(a):
        row = a[0]
        for i in range(3):
            row[0] = 1
            row = a[i]

    with pytest.raises(errors.UnsupportedError, match="the name row is given to another"):
        kernel[1, 1](np.zeros((3, 3)))


TWIN = """
import numpy as np
from numba import cuda, float32

@cuda.jit
def kernel(a, offsets, p, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        row = a[i, 1:4]
        s = 0.0
        for k in range(row.shape[0]):
            s += row[k] * offsets[k]
        p[i].x += s
        v = cuda.float32x2(i, 2)
        out[i] = s + v.y * p[i]["n"]

a = np.arange(40.0).reshape(8, 5)
p = np.zeros(8, [("x", "f8"), ("n", "i4")])
p["n"] = np.arange(8)
out = np.zeros(8)
import warnings; warnings.simplefilter("ignore")
kernel[2, 4](a, (1, 2, 3), p, out)
print(out.tolist(), p["x"].tolist())
"""


def test_the_same_under_numbas_simulator(tmp_path):
    pytest.importorskip("numba")
    answers = []
    for first in ("", "import sys, weft.numba, weft.cuda; sys.modules.update({'numba': weft.numba, 'numba.cuda': weft.cuda})\n"):
        script = tmp_path / "twin.py"
        script.write_text(first + TWIN)
        done = subprocess.run([sys.executable, script], env={"NUMBA_ENABLE_CUDASIM": "1", "PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[0] == answers[1]


