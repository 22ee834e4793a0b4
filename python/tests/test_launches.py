"""Operators, basic indexing and assignments over layouts that were met before take a short way
(python/core/launch.c). Random programs compare it with NumPy, with and without it."""

import inspect
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import weft

from .sharing import TIMEOUT, counters, run_python


def random_program(np, weft, seed, steps):
    """Runs the same random statements on NumPy's arrays and weft's; returns how many failed alike."""
    import operator
    import random

    def square(x, y):  # of other powers the last bits differ
        return x**2 if isinstance(y, type(x)) else x + y

    def square_in_place(x, y):
        x **= 2
        return x

    r = random.Random(seed)
    binary = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq, operator.floordiv, square]
    in_place = [operator.iadd, operator.isub, operator.imul, operator.itruediv, square_in_place]
    unary = [operator.neg, abs, operator.pos, operator.invert]
    shapes = [(4, 6), (4, 6), (6,), (4, 1), (1,), (), (0, 6), (2, 4, 6), (2, 1, 3, 4), (1, 2, 1, 2, 3)]
    dtypes = ["f8", "f8", "f8", "f4", "i8", "i1", "u1", "?", "c16", "f2"]
    numbers = [2, 2.0, -1, 0.5, True, 0, 3, 300, -129, 2**62, float("nan"), 1j]

    def fresh():
        a = np.asarray(np.arange(max(1, int(np.prod(r.choice(shapes))) * 7)) % 11)
        shape = r.choice(shapes)
        a = np.resize(a, shape).astype(r.choice(dtypes))
        return [a, weft.array(a)]

    def part(n):
        k = r.randrange(8)
        if k == 0:
            return r.randrange(-n - 1, n + 1)
        if k == 1:
            return r.choice([None, Ellipsis])
        if k == 2:
            return slice(None, None, r.choice([-1, 2, -2, 10**6, None]))
        return slice(*(r.choice([None, r.randrange(-n - 2, n + 3)]) for _ in range(2)), r.choice([None, None, 1, 2, -1, -3, 0 if r.random() < 0.1 else 1]))

    def index(a):
        if r.random() < 0.3:
            return part(max(len(a) if a.ndim else 1, 1))
        return tuple(part(a.shape[i] if i < a.ndim else 2) for i in range(r.randrange(a.ndim + 2)))

    def attempt(f, *operands):
        try:
            return f(*operands), None
        except Exception as e:
            return None, type(e).__name__

    def check(x, y, what):
        y = np.asarray(y)
        x = np.asarray(x)
        assert x.dtype == y.dtype and x.shape == y.shape, (seed, what, x.dtype, y.dtype, x.shape, y.shape)
        assert np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"), (seed, what, x, y)

    pool = [fresh() for _ in range(6)]
    failures = 0
    for step in range(steps):
        kind = r.choice("bbbbbiivvvvvttsssuofkq")
        a = r.choice(pool)
        b = r.choice(pool)
        number = r.choice(numbers)
        with_number = r.random() < 0.4
        at, from_ = index(a[0]), index(b[0])
        result = None
        if kind == "b":
            f = r.choice(binary)
            swap = r.random() < 0.5
            args = [(a[k], number if with_number else b[k]) for k in (0, 1)]
            result = [attempt(f, *(reversed(p) if swap else p)) for p in args]
            what = f.__name__, args[0], swap
        elif kind == "i":
            f = r.choice(in_place)
            result = [attempt(f, a[k], number if with_number else b[k]) for k in (0, 1)]
            what = f.__name__, at
        elif kind == "v":
            result = [attempt(operator.getitem, a[k], at) for k in (0, 1)]
            what = "view", at
        elif kind == "t":
            order = r.sample(range(a[0].ndim), a[0].ndim)
            result = [attempt(lambda x, order: x.transpose(order), a[k], order) for k in (0, 1)]
            what = "turn", order
        elif kind == "o":  # between views of one array
            result = [attempt(lambda x, at, from_: operator.setitem(x, at, x[from_]), a[k], at, from_) for k in (0, 1)]
            what = "overlap", at, from_
        elif kind == "s":
            result = [attempt(operator.setitem, a[k], at, number if with_number else b[k]) for k in (0, 1)]
            what = "set", at
        elif kind == "u":
            f = r.choice(unary)
            result = [attempt(f, a[k]) for k in (0, 1)]
            what = f.__name__,
        elif kind == "f":  # something else than the short ways sees a view
            result = [attempt(lambda x: x.T.copy(), a[k]) for k in (0, 1)]
            what = "transpose",
        elif kind == "k":
            if not isinstance(a[0], np.ndarray) or a[0].base is not None:
                continue
            on = r.random() < 0.7
            a[0].flags.writeable = on
            a[1].flags.writeable = on
            continue
        else:
            pool[r.randrange(len(pool))] = fresh()
            continue
        (x, wrong), (y, wrong_too) = result
        # Of two mistakes at once weft may tell the other one.
        assert (wrong is None) == (wrong_too is None), (seed, step, what, wrong, wrong_too)
        failures += wrong is not None
        if wrong is None and x is not None:
            if r.random() < 0.2:
                check(x, y, (step, what))
            if isinstance(x, np.ndarray):
                longer = [i for i, n in enumerate(x.shape) if n > 1]
                assert x.size == 0 or [x.strides[i] for i in longer] == [y.strides[i] for i in longer], (seed, step, what)
                if kind == "v":
                    assert x.shape == y.shape, (seed, step, what)
                    assert (y.base is None) == (x.base is None)
                    assert y.flags.writeable == x.flags.writeable
                pool[r.randrange(len(pool))] = [x, y]
    for n, (x, y) in enumerate(pool):
        check(x, y, ("pool", n))
    return failures


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_match_numpy(seed):
    random_program(np, weft, seed, 150)


TWIN = """
import warnings, numpy as np, weft
warnings.simplefilter("ignore")
np.seterr(all="ignore")
{source}
failures = [random_program(np, weft, seed, 150) for seed in range(20)]
assert sum(failures) > 20, failures
assert weft.stats()["operations"] > 300
"""


@pytest.mark.parametrize("setting", ["noeager", "nolaunches", "check,window=7", "check,nolaunches,window=7"])
def test_random_programs_match_numpy_under(setting):
    done = run_python(TWIN.format(source=inspect.getsource(random_program)), env={**os.environ, "WEFT_DEBUG": setting})
    assert done.returncode == 0, done.stderr[-2000:]


def looping_program(np, weft, seed, turns):
    """A loop with random statements over small arrays, which trade places in it."""
    import random

    r = random.Random(seed)
    rows, names = 6, ["a", "b", "c", "d"]
    parts = ["[1:-1]", "[:-2]", "[2:]", "[1:-1, ::-1]"]
    lines = []

    def operand():
        return r.choice(names) + (r.choice(parts) if inner else "")

    for _ in range(r.randrange(3, 14)):
        inner = r.random() < 0.6
        op, kind = r.choice("+-*"), r.randrange(9)
        if kind < 4:
            inner = True
            lines.append(f"{r.choice(names)}[1:-1] = {operand()} {op} {operand()} * {r.choice(['0.5', 'k', 'turn', '2'])}")
        elif kind == 4:
            inner = False
            lines.append(f"{r.choice(names)} = {operand()} {op} {operand()}")
        elif kind == 5:
            inner = True
            lines.append(f"{r.choice(names)}[1:-1] {op}= {operand()} * 0.25")
        elif kind == 6:
            lines.append(f"{r.choice(names)} = {r.choice(names)}.copy()")
        elif kind == 7:
            lines.append(f"{r.choice(names)}[{r.choice(['0', '-1', ':, 0'])}] = {r.choice(['1', 'k', 'turn'])}")
        else:
            x, y = r.sample(names, 2)
            lines.append(f"{x}, {y} = {y}, {x}")
    lines.append(f"if turn % {r.choice([1, 7, 50])} == 0: seen.append(float({r.choice(names)}[2, 3]))")
    if r.random() < 0.3:
        lines.append(f"if turn == {turns // 2}: held = memoryview({r.choice(names)})")
    if r.random() < 0.3:
        lines.append(f"if turn == {turns // 3}: kept.append({r.choice(names)}[1:])")
    lines += ["for x in (a, b, c, d): x *= 0.3"]
    program = "\n".join(["for turn in range(turns):", *("    " + line for line in lines)])
    results = []
    for numpy in (np, weft):
        held, seen, kept = None, [], []
        space = {"turns": turns, "k": 0.125, "seen": seen, "kept": kept, "held": held}
        for i, name in enumerate(names):
            space[name] = numpy.array(np.arange(rows * 8.0).reshape(rows, 8) % (7 + i))
        exec(compile(program, f"loop{seed}", "exec"), space)
        results.append([seen, *(np.asarray(space[name]).tolist() for name in names), *(np.asarray(x).tolist() for x in kept)])
    assert repr(results[0]) == repr(results[1]), (seed, program)


LOOPS = """
import warnings, numpy as np, weft
warnings.simplefilter("ignore")
np.seterr(all="ignore")
{source}
for seed in range(60):
    looping_program(np, weft, seed, 120)
report = weft.verify()
assert report.ok, str(report)
print(weft.stats()["known_plans"])
"""


@pytest.mark.parametrize("setting", ["", "noeager", "window=7", "check", "nofuse"])
def test_loops_match_numpy_under(setting):
    done = run_python(LOOPS.format(source=inspect.getsource(looping_program)), env={**os.environ, "WEFT_DEBUG": setting})
    assert done.returncode == 0, done.stderr[-3000:]
    if setting in ("noeager", "window=7"):  # else most are computed at once, or nothing is fused
        assert int(done.stdout) > 500, done.stdout


@pytest.mark.parametrize("index", [np.s_[1:], np.s_[::-1, None], np.s_[2:1, ::3], np.s_[..., 1:], np.s_[1:-1, ::-2], np.s_[-1], np.s_[:, 9:0:-4, ...], np.s_[1:2, 3:900:7]])
def test_views_have_numpys_strides(index):
    for shape in ((4, 6), (4, 6, 2)):
        for _ in range(2):
            x, y = np.zeros(shape)[index], weft.zeros(shape)[index]
            assert x.shape == y.shape and x.strides == y.strides


def test_views_keep_their_memory_when_all_else_is_gone():
    views = []
    for i in range(200):
        a = weft.arange(20.0) + i
        views.append(a[5:][::-2])
    del a
    for i, v in enumerate(views):
        assert np.asarray(v).tolist() == (np.arange(20.0) + i)[5:][::-2].tolist()


def test_views_are_seen_by_resize():
    a = weft.arange(6.0)
    v = a[1:3]
    with pytest.raises(ValueError, match="references"):
        a.resize(3)
    a.resize(8, refcheck=False)
    a += 1
    assert np.asarray(v).tolist() == [1, 2] and a.shape == (8,)
    w = v[1:]  # of the old memory
    w += 10
    assert np.asarray(v).tolist() == [1, 12] and float(a[2]) == 3
    del v, w
    a.resize(2)
    assert np.asarray(a).tolist() == [1, 2]


def test_a_view_outlives_another_shape_of_its_base():
    a = weft.arange(6.0)
    v = a[2:]
    a.shape = 2, 3
    a[0] = 7
    v[0] = 5
    assert np.asarray(a).tolist() == [[7, 7, 5], [3, 4, 5]] and a[1:].shape == (1, 3)


def test_flags_are_those_of_the_moment():
    a = weft.arange(6.0)
    before = a[1:]
    a += 1
    a.flags.writeable = False
    with pytest.raises(ValueError):
        a += 1
    with pytest.raises(ValueError):
        a[1:] += 1
    with pytest.raises(ValueError):
        a[0] = 1
    before += 1
    a.flags.writeable = True
    a += 1
    assert np.asarray(a).tolist() == [2, 4, 5, 6, 7, 8]


def test_whoever_maps_an_array_sees_what_is_done_to_it_at_once():
    a = weft.zeros(4)
    v = a[1:]
    m = memoryview(a)
    for i in range(5):
        a += 1
        assert m[0] == i + 1
        v[0] = 50
        assert m[1] == 50
    m[3] = 9
    assert float((a * 1)[3]) == 9
    del m


def test_more_forms_than_there_is_room_for():
    """Forms are forgotten all at once; the views that were made before keep their layouts."""
    a = weft.arange(400.0)
    b = np.arange(400.0)
    early = a[3:9]
    doubled = early * 2
    for i in range(200):
        for j in range(i, 200):
            a[i : j + 1 : j - i + 1]
            if j % 50 == 0:
                (a[i:j] + 1)[0:0]
    for i in range(1, 180):
        for j in range(i, 180):
            a[None, i:j, None]
            a[None, None, i:j]
    assert np.asarray(early).tolist() == b[3:9].tolist() and np.asarray(doubled).tolist() == (b[3:9] * 2).tolist()
    early += doubled
    assert float((a[3:9] + 1)[1]) == 13


def test_threads_share_one_order():
    failures = []

    def work(n):
        try:
            x = weft.zeros(100) + n
            y = x[10:90]
            for _ in range(300):
                y += 1
                x[10:90] = y
                z = y * 2 - y
            assert (np.asarray(z) == n + 300).all() and float(x[0]) == n and float(y.sum()) == 80 * (n + 300)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures, failures


def test_what_is_dropped_is_freed():
    weft.arange(3.0).sum()
    before = counters()["arrays"]
    a = weft.arange(10_000.0)
    for _ in range(300):
        b = a[1:] + a[:-1]
        b[3:] *= 2
        a[1:] = b
    assert counters()["arrays"] == before + 2
    del a, b
    assert counters()["arrays"] == before


def test_an_index_may_run_programs_of_its_own():
    a = weft.arange(12.0).reshape(3, 4)

    class Odd:
        def __index__(self):
            a.shape = 12
            return 1

    v = a[Odd() :]
    assert v.shape == (11,) and float(v[0]) == 1


VALUES = """
import numpy as np, weft, sys

def values(np, n, turns):
    x, told = np.arange(n * 1.0) % 13, []
    for turn in range(turns):
        y = x * 0.5 + turn  # kept: its sum reads it
        told.append(y.sum())
        told.append((x * 0.25 + turn).sum())  # gone: goes together with its sum
        y += 1
        told.append(y[1:].max())
        z = y[::2] * 2
        told.append(z.reshape(-1, 1).min())
        told.append(z.mean())
        x = y
        x[turn] = 7
    return told

for n in (2100, 20_000, 50_000, 300_000):
    ours, theirs = values(weft, n, 6), values(np, n, 6)
    np.testing.assert_allclose(np.array(ours), np.array(theirs), 1e-13)
    print([float(v).hex() for v in ours])
before = weft.stats()
x = weft.arange(20_000.0)
for turn in range(50):
    y = x * 0.5 + turn
    y.sum()
print(weft.stats()["runs"] - before["runs"])
report = weft.verify()
assert report.ok, str(report)
"""


def test_values_of_arrays_that_are_kept():
    told = {}
    for setting in ("", "noeager", "check", "notemplates", "window=3"):
        done = run_python(VALUES, env={**os.environ, "WEFT_DEBUG": setting})
        assert done.returncode == 0, done.stderr[-3000:]
        *told[setting], runs = done.stdout.splitlines()
        assert told[setting] == told[""], setting
        if setting == "" and sys.version_info < (3, 14):  # later ones do not say that a variable has it
            assert int(runs) <= 52, "the sum of an array that the program keeps was planned"


LAYOUTS = """
import numpy as np, weft, os
x, h, want = weft.arange(400.0 * 400), weft.ones((3, 4)), np.arange(400.0 * 400)

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

sizes, seen = [], 0
for step in range(1, 321):
    for n in range(1, 321):
        part = x[::step][:n] if n * step < 400 * 400 else x[:n]
        y = part + n
        hot = h * 2.0
        seen += 1
        if seen % 997 == 0:
            assert np.array_equal(y, (want[::step][:n] if n * step < 400 * 400 else want[:n]) + n), (step, n)
            assert float(hot[2, 3]) == 2.0
    if step % 80 == 0:
        sizes.append(resident())
report = weft.verify()
assert report.ok, str(report)
print(seen, *sizes)
"""


def test_a_hundred_thousand_layouts_take_bounded_memory():
    done = run_python(LAYOUTS, env={**os.environ, "WEFT_DEBUG": "noeager"})
    assert done.returncode == 0, done.stderr[-3000:]
    seen, *sizes = map(int, done.stdout.split())
    assert seen > 100_000
    # Caches fill up, and the profile keeps the text of each form; a launch for each layout would take 60 MB.
    assert sizes[3] - sizes[1] < 48 << 20, [size >> 20 for size in sizes]


READS = """
import random, sys
import numpy as np, weft

def program(seed, statements=60):
    r, lines = random.Random(seed), []
    part = lambda: r.choice(["", "", "[3:-3]", "[6:]", "[:-6]", "[::-1][6:]"])
    for _ in range(statements):
        x, y, z = (r.choice("abcd") for _ in range(3))
        p, q, s = ("[6:]", "[:-6]", "[3:-3]") if r.random() < .4 else ("", "", "")
        lines.append(r.choice([
            f"{x}{s or '[:]'} = {y}{p} * .5 + {z}{q}", f"{x} = {y} * .25 + {z} * .5", f"{x}{s or '[:]'} += {y}{p} * .125",
            f"{x} = {y}", f"{x} = {y}.copy()", f"{x}[{r.randrange(99)}] = {r.randrange(5)}", f"v = {x}{part()}", f"{x} *= .5",
            f"k = {y}.max(); {x} = {y} - k", f"v = {x}[5:]; v *= .75", f"{x}, {y} = {y}, {x}", "v = None",
        ]))
        for _ in range(r.choice([0, 1, 1, 2])):
            lines.append("told.append(" + r.choice([
                f"{x}{part()}.sum()", f"np.max({x})", f"{y}{part()}.min()", f"{x} @ {y}", f"({x} * {y}).sum()", f"np.linalg.norm({z})", f"{z}.mean()", f"{x}.std()",
                f"({x} > {y}).sum()", f"{x}.argmax()", f"{y}[{r.randrange(99)}]", f"np.sum({x} - {y})", f"{x}.reshape(-1, 10).sum(1)[3]", f"(0 if v is None else v.sum())",
            ]) + ")")
    return "\\n".join(lines)

first, count = map(int, sys.argv[1:])
for seed in range(first, first + count):
    told = {}
    for np_ in (weft, np):
        n = random.Random(seed).choice([2500, 20_000, 30_000])
        space = {"np": np_, "told": [], "v": None, **{k: np_.arange(n * 1.) % (7 + i) * .125 for i, k in enumerate("abcd")}}
        exec(program(seed), space)
        told[np_] = [float(x) for x in space["told"]] + [np.asarray(space[k]).tolist()[:50] for k in "abcd"]
    for mine, want in zip(told[weft], told[np], strict=True):
        np.testing.assert_allclose(mine, want, 1e-9, 1e-9, err_msg=f"{seed}\\n{program(seed)}")
    print(seed, [x.hex() for x in told[weft] if isinstance(x, float)])
report = weft.verify()
assert report.ok, str(report)
"""


def test_programs_that_read_values_of_large_arrays(tmp_path):
    (tmp_path / "reads.py").write_text(READS)
    told = {}
    for setting in ("", "noeager", "check", "notemplates"):
        done = subprocess.run(
            [sys.executable, tmp_path / "reads.py", "4711" if not told else told["first"], "12"],
            check=False, env={**os.environ, "WEFT_DEBUG": setting}, capture_output=True, text=True, timeout=TIMEOUT,
        )  # fmt: skip
        assert done.returncode == 0, (setting, done.stderr[-3000:])
        told.setdefault("first", done.stdout.split()[0])
        assert told.setdefault("values", done.stdout) == done.stdout, (setting, told["first"])
