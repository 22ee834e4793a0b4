"""Elements that masks and integers choose of arrays of any size: as NumPy has them, in its order, with its errors."""

import os
import random
import subprocess
import sys

import numpy
import pytest

from .sharing import TIMEOUT, weft

SHAPES = (
    (7,),
    (64,),
    (2049,),
    (30_011,),
    (3, 5),
    (41, 67),
    (300, 201),
    (2001, 3),
    (5, 6, 7),
    (40, 30, 20),
    (3, 4, 5, 6),
)
DTYPES = ("float64", "float32", "int64", "int32", "int16", "uint8", "bool", "complex128", "complex64", "float16")
LAYOUTS = ("C", "F", "step", "back", "wide")
SEEDS = [41, 42, 43, 44, 45, 46]  # the same in each run: what fails is found again


def laid(np, values, layout):
    """An array of these values, in some layout, and what it is a part of."""
    if layout == "C":
        return np.array(values)
    if layout == "F":
        return np.array(numpy.ascontiguousarray(values.T)).T
    if layout == "step":
        return np.array(numpy.repeat(values, 2, axis=0))[::2]
    if layout == "back":
        return np.array(numpy.ascontiguousarray(values[::-1]))[::-1]
    return np.array(numpy.concatenate([values, values], axis=-1))[..., : values.shape[-1]]


def values_of(r, shape, dtype):
    rng = numpy.random.default_rng(r.randrange(1 << 30))
    if dtype == "bool":
        return rng.random(shape) < 0.5
    return rng.integers(0, 100, shape).astype(dtype)


def mask_of(r, shape):
    rng = numpy.random.default_rng(r.randrange(1 << 30))
    kind = r.randrange(5)
    if kind == 0:
        return rng.random(shape) < r.choice((0.02, 0.5, 0.97))
    if kind == 1:  # in runs, as comparisons of smooth data are
        n = int(numpy.prod(shape))
        return (numpy.sin(numpy.arange(n) * r.random()) > 0.3).reshape(shape)
    return numpy.full(shape, kind == 2) if kind < 4 else rng.random(shape) < 0.2


def integers_of(r, n, shape):
    rng = numpy.random.default_rng(r.randrange(1 << 30))
    dtype = r.choice(("int64", "int64", "int32", "int16" if n < 1 << 15 else "int64", "uint32"))
    return rng.integers(0 if dtype == "uint32" else -n, n, shape).astype(dtype)


def index_of(np, r, shape):
    kind = r.randrange(7)
    if kind < 3:
        axes = r.randint(1, len(shape))
        return laid(np, mask_of(r, shape[:axes]), r.choice(LAYOUTS))
    if kind == 3:
        return laid(
            np,
            integers_of(r, shape[0], r.choice(((1,), (9,), (700,), (31, 70), (5000,)))),
            r.choice(("C", "step", "back")),
        )
    if kind == 4:
        axes, n = r.randint(1, len(shape)), r.choice((1, 40, 3000))
        parts = [np.array(integers_of(r, m, n)) for m in shape[:axes]]
        if axes > 1 and r.random() < 0.4:
            parts[r.randrange(axes)] = r.randint(-1, 0)
        return tuple(parts)
    if kind == 5:
        return [r.randint(-shape[0], shape[0] - 1) for _ in range(r.randint(1, 50))]
    return np.array(integers_of(r, shape[0], 20).astype("int64"))


def both(seed):
    """The same arrays and index for weft and for NumPy."""
    for np in (weft, numpy):
        r = random.Random(seed)
        shape, dtype, layout = r.choice(SHAPES), r.choice(DTYPES), r.choice(LAYOUTS)
        yield np, r, laid(np, values_of(r, shape, dtype), layout), index_of(np, r, shape)


def same(mine, want, about):
    assert type(want).__module__ != "numpy" or isinstance(mine, weft.ndarray) == isinstance(want, numpy.ndarray), about
    assert mine.dtype == want.dtype, about
    assert mine.shape == want.shape, about
    if want.size:
        steps = [[s for s, n in zip(x.strides, x.shape, strict=True) if n > 1] for x in (mine, want)]
        assert steps[0] == steps[1], about
    assert numpy.asarray(mine).tobytes() == want.tobytes(), about


@pytest.mark.parametrize("seed", range(12))
def test_what_is_chosen(seed):
    for step in range(25):
        about = f"seed {seed}, step {step}"
        (_, _, a, index), (_, _, b, other) = both(1000 * seed + step)
        same(a[index], b[other], about)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_assigned(seed):
    for step in range(25):
        about = f"seed {seed}, step {step}"
        made = []
        for np, r, a, index in both(1000 * seed + step):
            kind = r.randrange(4)
            if kind == 0:
                a[index] = 3
            elif kind == 1:
                chosen = a[index]
                a[index] = chosen[::-1] + chosen.dtype.type(1)
            elif kind == 2:
                chosen = a[index]
                a[index] = np.array([2.0])
            else:
                a[index] = a[index]
            made.append(numpy.ascontiguousarray(a))
        same(weft.array(made[0]), made[1], about)


@pytest.mark.parametrize("seed", range(6))
def test_which_are_not_zero(seed):
    for step in range(20):
        about = f"seed {seed}, step {step}"
        (_, _, a, _), (_, _, b, _) = both(77_000 + 1000 * seed + step)
        assert int(weft.count_nonzero(a)) == numpy.count_nonzero(b), about
        same(weft.flatnonzero(a), numpy.flatnonzero(b), about)
        for mine, want in zip(weft.nonzero(a), numpy.nonzero(b), strict=True):
            same(mine, want.copy(), about)  # NumPy's are columns of one array
        for mine, want in zip(weft.where(a > 5), numpy.where(b > 5), strict=True):
            same(mine, want.copy(), about)


@pytest.mark.parametrize("shape", [(3,), (2049,), (41, 67), (300, 201), (700, 601), (7, 5, 6)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_known_of_masks_that_are_counted(shape, layout):
    r = random.Random(7)
    for values in [mask_of(r, shape) for _ in range(6)] + [numpy.full(shape, truth) for truth in (False, True)]:
        mine, want = laid(weft, values, layout), laid(numpy, values, layout)
        for name in ("sum", "mean", "any", "all", "count_nonzero"):
            for a, b in ((mine, want), (~mine, ~want), (mine & (mine == False), want & False)):  # noqa: E712 (which is computed later)
                got, wanted = getattr(weft, name)(a), getattr(numpy, name)(b)
                assert got == wanted, name
                assert type(got) is type(wanted), name


@pytest.mark.parametrize("size", [9, 3000, 300_000])
def test_wrong_indices_write_nothing(size):
    a = weft.arange(size)
    wanted = numpy.arange(size)
    for bad, words in (
        (weft.array([0, size, 1]), f"index {size} is out of bounds for axis 0 with size {size}"),
        (weft.array([0, -size - 1]), f"index {-size - 1} is out of bounds for axis 0 with size {size}"),
        (weft.ones(size + 1, dtype=bool), "boolean index did not match indexed array along axis 0"),
        (weft.array([0.5]), "arrays used as indices must be of integer"),
    ):
        with pytest.raises(IndexError, match=words):
            a[bad]
        with pytest.raises(IndexError, match=words):
            a[bad] = 5
        assert (numpy.asarray(a) == wanted).all()
    with pytest.raises(ValueError, match="cannot assign 2 input values to the"):
        a[a >= 0] = weft.array([1, 2])
    with pytest.raises(ValueError, match="shape mismatch"):
        a[weft.array([1, 2, 3])] = weft.array([1, 2])
    assert (numpy.asarray(a) == wanted).all()
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a[weft.array([1])] = 1
    with pytest.raises(ValueError, match="read-only"):
        a[weft.ones(size, dtype=bool)] = 1


@pytest.mark.parametrize("size", [50, 5000, 100_000])
def test_an_index_in_the_memory_that_is_written(size):
    for np in (weft, numpy):
        a = np.arange(size)[::-1].copy()
        float(a[0])
        a[a] = a[::-1]
        b = np.arange(size) % 3 == 0
        bool(b[0])
        b[b] = False
        c = np.arange(size) % 2 == 0
        c[c] = c[c] & (np.arange(int(c.sum())) % 5 == 0)
        if np is weft:
            mine = [numpy.asarray(x) for x in (a, b, c)]
        else:
            for x, y in zip(mine, (a, b, c), strict=True):
                assert (x == y).all()


def test_repeated_places_keep_the_last_value():
    n = 20_000
    at = numpy.random.default_rng(3).integers(0, 50, n)
    a, b = weft.zeros(n), numpy.zeros(n)
    a[weft.array(at)] = weft.arange(n) * 1.0
    b[at] = numpy.arange(n) * 1.0
    assert (numpy.asarray(a) == b).all()


AT = ("add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor")


@pytest.mark.parametrize("name", AT)
@pytest.mark.parametrize("dtype", [*DTYPES, "uint64", "int8"])
def test_operations_at_places_that_are_named_again(name, dtype):
    if name.startswith("bitwise") and numpy.dtype(dtype).kind in "fc":
        pytest.skip("integers only")
    if name == "subtract" and dtype == "bool":
        pytest.skip("not for bools")
    rng = numpy.random.default_rng(4)
    for shape, places in (((11,), 30), ((3000,), 700), ((5, 3), 20), ((200, 20), 4000)):
        values, change = (
            rng.integers(-3, 9, shape).astype(dtype),
            rng.integers(0, 3, (places, *shape[1:])).astype(dtype),
        )
        if numpy.dtype(dtype).kind == "f" and dtype != "float16":
            change[::7], values[::5] = numpy.nan, -0.0
        at = rng.integers(-shape[0], shape[0], places)
        mine, want = weft.array(values), values.copy()
        for np, a in ((weft, mine), (numpy, want)):
            operation = getattr(np, name)
            operation.at(a, np.array(at), np.array(change))
            operation.at(a, np.array(at[:50]), change.dtype.type(2) if np is weft else change.dtype.type(2))
            operation.at(a[::-1], [0, 1, 0, -1], np.array(change[:4]))
            operation.at(a[:, 0] if a.ndim > 1 else a[::2], np.array(at[:9] % 4), np.array(change.ravel()[:9]))
            if a.ndim == 1 and dtype in ("int64", "float64"):
                operation.at(a, np.array([1, 1]), 3)
            operation.at(a, a[:3].astype(int) % 3 if a.ndim == 1 else np.array([0]), a.dtype.type(1))
        same(mine, want, f"{name}.at of {dtype} {shape}")


def test_operations_at_places_outside_change_nothing():
    for n in (8, 5000):
        a = weft.arange(n)
        with pytest.raises(IndexError, match=f"index {n} is out of bounds"):
            weft.add.at(a, weft.array([0, n]), 1)
        with pytest.raises(ValueError, match="not broadcastable"):
            weft.add.at(a, weft.array([0, 1]), weft.array([1, 2, 3]))
        assert (numpy.asarray(a) == numpy.arange(n)).all()


def test_what_is_chosen_of_work_under_way():
    """The mask and the array are computed by other threads when they are asked for."""
    for n in (40_000, 400_000):
        x, y = weft.linspace(0, 1, n), numpy.linspace(0, 1, n)
        for _ in range(3):
            x, y = x * 1.25 - 0.125, y * 1.25 - 0.125
            inside, within = (x > 0.2) & (x < 0.9), (y > 0.2) & (y < 0.9)
            x, y = x[inside], y[within]
            assert len(x) == len(y)
            at, places = weft.flatnonzero(x > 0.5), numpy.flatnonzero(y > 0.5)
            x[at] = x[at] - 0.25
            y[places] = y[places] - 0.25
        assert (numpy.asarray(x) == y).all()


def test_a_result_is_an_array_of_its_own():
    a = weft.arange(10_000)
    b = a[a > 100]
    b[0] = -1
    b += 1
    assert int(a[101]) == 101
    assert int(b[0]) == 0
    assert b.base is None
    assert b.flags.writeable
    assert int((b * 2).sum()) == int((numpy.arange(101, 10_000)[1:] + 1).sum() * 2)


PROGRAM = """
import sys
import numpy
import weft
from python.tests.test_choosing import both
for seed in map(int, sys.argv[1:]):
    np, r, a, index = next(both(seed))
    chosen = a[index]
    print(chosen.dtype, chosen.shape, numpy.asarray(chosen).tobytes().hex()[:4000])
    a[index] = chosen[::-1]
    print(numpy.asarray(a).tobytes().hex()[:4000], [x.shape for x in np.nonzero(a)])
"""


def lines(seeds, debug):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join([root, os.path.join(root, "python"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, seeds)], check=False, capture_output=True, text=True, timeout=TIMEOUT,
        env={**os.environ, "WEFT_DEBUG": debug, "PYTHONPATH": path}, cwd=root,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_general_functions_choose_the_same():
    seeds = [*range(20), *SEEDS]
    for k, (mine, general) in enumerate(zip(lines(seeds, ""), lines(seeds, "noeager"), strict=True)):
        assert mine == general, f"line {k} of seeds {seeds}"


@pytest.mark.parametrize("mode", ["clip", "wrap", "raise"])
def test_what_is_beyond_the_ends_is_brought_between_them(mode):
    rng = numpy.random.default_rng(9)
    for n in (1, 5, 513, 2000, 100_000, 300_000):
        for extent in (1, 7, 4000, 250_000):
            for dtype in ("f8", "i2", "c16", "?"):
                of = rng.integers(0, 99, (extent, 3) if extent < 4000 else extent).astype(dtype)
                far = 1 if mode == "raise" else rng.choice((1, 2, 1000))
                at = rng.integers(-extent * far, extent * far, n).astype("i4" if extent < 4000 else "i8")
                ours, places = weft.array(of), weft.array(at)
                for axis in (None, 0):
                    assert numpy.array_equal(weft.take(ours, places, axis, mode=mode), numpy.take(of, at, axis, mode=mode)), (n, extent, dtype, axis)
                if far == 1 and mode == "raise":
                    places[n // 2] = extent
                    with pytest.raises(IndexError, match=f"index {extent} is out of bounds for axis 0 with size {extent}"):
                        weft.take(ours, places, 0, mode=mode)
