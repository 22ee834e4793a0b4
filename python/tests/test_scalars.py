# ruff: noqa: F401 - the idioms are evaluated
"""What NumPy returns as a scalar is a real NumPy scalar: every idiom that takes one takes weft's."""

import collections
import copy
import csv
import datetime
import decimal
import fractions
import functools
import io
import itertools
import json
import math
import operator
import pickle
import random
import sqlite3
import statistics
import string
import struct
import textwrap
import time
import types

import numpy
import pytest
import weft

from .sharing import run_python

# One idiom a line, on f = np.arange(6) * 0.5 + 0.25, i = np.array([2, 3, 5, 7]), b = i > 3, g = f.reshape(2, 3),
# h = f.astype(np.float32), c = f + 1j, z = an array without dimensions. Under weft and under NumPy it has the same type
# and text, or raises the same.
IDIOMS = """
[0] * i[1]
(0,) * i[0]
"ab" * i[1]
b"ab" * i[0]
list(range(i[2]))
list(range(i[0], i[3], i[0]))
["a", "b", "c", "d", "e", "f"][i[1]]
("a", "b", "c", "d")[i[0]:i[1]]
"abcdefgh"[i[2]]
{2: "two", 3: "three"}[i[0]]
{i[0]: 1, i[1]: 2}
{i[0], i[0] + 0, 2}
i[0] in {2, 3}
i[0] in [1, 2]
f[1] in (0.75, 1)
hash(f[1]) == hash(0.75)
hash(i[3])
isinstance(f[0], float)
isinstance(f.mean(), float)
isinstance(h[0], float)
isinstance(i[0], int)
isinstance(f.sum(), np.floating)
isinstance(i.sum(), np.integer)
isinstance(b[0], np.bool_)
isinstance(c[0], complex)
isinstance(c.sum(), np.complexfloating)
isinstance(h.max(), np.generic)
isinstance(z, np.ndarray)
isinstance(f[0], np.ndarray)
np.isscalar(f.sum())
np.isscalar(z)
type(f.sum())
type(h.sum())
type(i.mean())
type(b.any())
type(b.sum())
type(f.argmin())
type(c.real[0])
type(f[0] + i[0])
type(h[0] * 2)
type(h[0] * f[0])
type(i[0] / i[1])
type(2 * h.sum())
type(f[0] > 0)
type(z + 1)
type(z[()])
type(z[...])
type(np.dot(f, f))
type(f @ f)
type(np.vdot(f, f))
type(np.trace(g))
type(np.linalg.norm(f))
type(np.linalg.det(g[:, :2]))
type(np.median(f))
type(np.std(h))
type(np.allclose(f, f))
type(np.array_equal(f, f))
type(np.count_nonzero(f))
type(np.searchsorted(i, 3))
type(np.sqrt(f[0]))
type(np.exp(2))
type(np.add(1, 2))
type(np.where(f[0] > 0, 1, 2))
type(np.real(f[0]))
type(np.real(2j))
type(np.ptp(f))
type(np.average(f))
type(np.percentile(f, 50))
type(np.max(f))
type(np.add.reduce(f))
type(i.item(0))
type(f.tolist()[0])
type(next(iter(f)))
[type(x) for x in g[0]]
type(max(f))
type(sum(i))
type(sorted(f)[0])
type(round(f[1]))
type(round(f[1], 1))
round(f[1], 1)
round(f.mean())
f[0].is_integer()
f.sum().as_integer_ratio()
f[1].hex()
i[3].bit_count()
i[0].bit_length()
f[0].item()
f.mean().tolist()
f[1].astype(int)
f[1].dtype, f[1].shape, f[1].ndim, f[1].size
f[1].copy()
f[1].T
f[1].real, f[1].imag
c[1].conjugate()
abs(c[1])
-f[1]
+f[1]
~i[1]
divmod(i[3], i[1])
pow(i[1], i[0])
pow(i[1], 3, 5)
i[3] // i[1]
i[3] % i[1]
i[0] << i[1]
i[0] ** 2
2 ** i[0]
f[1] == 0.75
f[1] < f[2] < f[3]
not f[0]
f[0] and 3
b[0] or b[1]
b[2] is np.True_
bool(b[0])
int(f[3])
float(i[0])
complex(f[1])
str(f[1])
repr(f[1])
repr(h[1]), str(h[1])
repr(b.all())
"%d" % i[1]
"%.2f %s" % (f[1], i[0])
"{:.3f}".format(f[1])
"{:>6d}|{!r}".format(i[1], f[1])
f"{f.mean():8.3f}|{i[0]:04d}|{b[0]}"
f"{i.sum():,}"
format(f[1], "e")
string.Template("$x").substitute(x=f[1])
textwrap.indent(str(f[1]), " " * i[0])
json.dumps({"m": f.mean()})
json.dumps([float(x) for x in f])
json.dumps({"n": int(i.sum())})
json.dumps({"n": i.sum()})
json.dumps({"ok": bool(b.any())})
json.dumps(h.mean())
json.dumps({str(i[0]): f[0]})
pickle.loads(pickle.dumps(f.sum()))
copy.copy(f[1])
copy.deepcopy([f[1]])
math.sqrt(f[1])
math.floor(f[3])
math.ceil(f[3])
math.trunc(f[3])
math.isnan(f[0])
math.isclose(f[0], 0.25)
math.factorial(i[2])
math.comb(i[3], i[0])
math.gcd(i[0], i[1])
math.fsum(f)
math.prod(i)
math.hypot(f[0], f[1])
math.log(f.sum(), 2)
math.copysign(1, -f[0])
operator.index(i[0])
operator.index(f[0])
operator.add(f[0], i[0])
datetime.timedelta(seconds=f[1])
datetime.timedelta(days=float(f[1]))
datetime.timedelta(days=int(i[0]))
datetime.date(2020, int(i[0]), int(i[1]))
datetime.datetime.fromtimestamp(f[1], datetime.timezone.utc)
decimal.Decimal(f[1])
decimal.Decimal(str(f[1]))
fractions.Fraction(f[1])
fractions.Fraction(int(i[0]), int(i[1]))
statistics.mean([f[0], f[1], f[2]])
statistics.median(list(f))
statistics.stdev([float(x) for x in f])
statistics.mode(list(i))
random.Random(int(i[0])).random()
random.Random(1).randint(i[0], i[3])
random.Random(1).sample(range(10), i[1])
random.Random(1).choice(list(i))
random.Random(1).uniform(f[0], f[1])
default_rng(i[0]).random()
default_rng(int(i[0])).integers(i[3])
list(itertools.repeat("x", i[0]))
list(itertools.islice(range(10), i[0], i[3]))
list(itertools.accumulate(i))
collections.Counter(i)
collections.Counter(b)
collections.deque([1, 2, 3, 4], maxlen=i[1])
dict(zip("abcd", i))
sorted(i, key=lambda x: -x)
max(i, key=lambda x: x % 5)
min(f, default=0)
any(b), all(b)
list(map(int, f))
list(filter(None, i - 2))
[*i]
list(enumerate(f))[1]
list(zip(i, f))[1]
struct.pack("d", f[1])
struct.pack("i", i[1])
struct.pack("f", h[1])
int.from_bytes(bytes([i[0], i[1]]), "big")
bytes(i[0])
bytearray(i[1])
chr(i[3] + 60)
hex(i[3]), bin(i[3]), oct(i[3])
"abc".center(i[3])
"abc".zfill(i[3])
"x".join(str(x) for x in i)
slice(i[0], i[1]).indices(i[2])
time.sleep(f[0] * 0)
io.BytesIO(b"abcdef").read(i[0])
sql(f[1], i[0])
sql(h.mean(), b.any())
rows(f[1], i[0])
described(f[1]), described(i[0]), described("x")
matched(i[0]), matched(f[1]), matched(h[1])
matched(b[0])
types.SimpleNamespace(x=f[1])
functools.reduce(operator.mul, i)
np.zeros(i[0]).shape
np.zeros((i[0], i[1])).shape
np.full(i[0], f[1])
np.arange(i[1])
np.linspace(f[0], f[1], i[1])
np.eye(i[0])
np.repeat(f[:2], i[0])
np.tile(i, i[0])
f.reshape(i[0], i[1])
f[i[0]]
f[i[0]:i[1]]
g[i[0] - 1, i[1] - 1]
f[f.argmax()]
f[i[0] - 3]
f.take(i[0])
f.sum(axis=i[0] - 2)
f * f[1]
f[1] * f
i * i[1]
h * f[1]
h * h[1]
h + i[1]
i + f[1]
f - c[1]
i ** i[0]
f == f[1]
i[1] < i
np.float32(3) * h
np.int8(3) + i
np.uint8(200) + h
np.maximum(f, f[2])
np.clip(f, f[1], f[4])
np.array([f[0], i[0]])
np.array(f[1])
np.array([f.sum(), f.mean()])
np.stack([f[0], f[1]])
np.concatenate([[f[0]], f[:2]])
np.append(f, f[1])
np.sum([f.sum(), i.sum()])
np.float32(f[1])
np.int64(i[0])
np.isnan(f[0])
np.isfinite(f.sum())
np.round(f[1], 1)
np.sign(-f[1])
np.transpose(f[0])
np.asarray(f[1])
np.shape(f[1]), np.ndim(f[1]), np.size(f[1])
np.result_type(f[0], h)
np.dtype(type(h[0]))
np.finfo(f.sum().dtype).eps
np.unravel_index(f.argmax(), (2, 3))
np.ravel_multi_index((i[0] - 1, i[0]), (2, 3))
np.bincount(i, minlength=i[3] + 2)
np.histogram(f, bins=i[0])
np.interp(f[1], f, f)
np.polyval([1, 2], f[1])
np.random.default_rng(3).normal(f[0], f[1])
np.datetime64("2020-01-01") + i[0]
np.divmod(i[3], i[1])
np.array_str(f[1])
f[0].fill(9)
f[0][0]
f[0][...]
f[0][()]
f[0][None]
iter(f[0])
len(f[0])
"""


def columns(np):
    f = np.arange(6) * 0.5 + 0.25
    i = np.array([2, 3, 5, 7])
    return {
        "f": f, "i": i, "b": i > 3, "g": f.reshape(2, 3), "h": f.astype(np.float32), "c": f + 1j, "z": np.array(1.5)
    }  # fmt: skip


def sql(*values):
    base = sqlite3.connect(":memory:")
    base.execute(f"create table t ({', '.join(f'c{i}' for i in range(len(values)))})")
    base.execute(f"insert into t values ({', '.join('?' * len(values))})", values)
    names = ", ".join(f"typeof(c{i}), c{i}" for i in range(len(values)))
    return base.execute(f"select {names} from t").fetchall()


def rows(*values):
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue()


@functools.singledispatch
def described(value):
    return "anything"


@described.register
def _(value: float):
    return "a float"


@described.register
def _(value: numpy.integer):
    return "an integer of NumPy's"


def matched(value):
    match value:
        case float():
            return "float"
        case int():
            return "int"
        case numpy.integer():
            return "integer"
        case numpy.bool_():
            return "bool"
    return "other"


def outcome(np, idiom):
    space = {**globals(), "np": np, "default_rng": numpy.random.default_rng, **columns(np)}
    try:
        value = eval(idiom, space)
    except Exception as error:  # noqa: BLE001 - compared by the caller
        return type(error), str(error)
    if isinstance(value, type):
        return numpy.ndarray if value is weft.ndarray else value
    return repr(value).replace("weft.", "numpy."), numpy.ndarray if type(value) is weft.ndarray else type(value)


def idioms():
    return [line for line in IDIOMS.splitlines() if line]


@pytest.mark.parametrize("idiom", idioms())
def test_idiom(idiom):
    assert outcome(weft, idiom) == outcome(numpy, idiom)


def test_there_are_enough_idioms():
    assert len(set(idioms())) == len(idioms()) >= 150


def test_a_scalar_does_not_change_with_what_it_came_from():
    a = weft.arange(3.0)
    x, total = a[1], a.sum()
    a[1] = 9
    assert (x, total) == (1, 3) and a[1] == 9
    y = x
    y += 1
    assert (x, y) == (1, 2)


def test_numbers_of_numpys_types_are_operands_as_arrays_of_them_are():
    """They go into the op as uniforms: the same bits, dtypes and errors as NumPy's for all pairs of dtypes."""
    kinds = [numpy.dtype(t) for t in "?bhilBHILefdFD"]
    operators = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.lt, operator.eq,
                 operator.and_, operator.lshift, operator.iadd, operator.imul, operator.itruediv)  # fmt: skip
    for one, other, f in itertools.product(kinds, kinds, operators):
        a = numpy.array([1, 0, 3, 2], one)
        s = other.type(3)
        for x, y in ((a, s), (s, a)):
            results = []
            for array in (lambda v: v, weft.array):
                given = [array(v.copy()) if isinstance(v, numpy.ndarray) else v for v in (x, y)]
                with numpy.errstate(all="ignore"):
                    try:
                        value = f(*given)
                        results.append((str(value.dtype), numpy.asarray(value).tolist(), type(value) in (numpy.ndarray, weft.ndarray)))
                    except Exception as error:  # noqa: BLE001 - compared
                        results.append((isinstance(error, TypeError), str(error)))
            assert repr(results[0]) == repr(results[1]), (f, x, y)


def test_elements_and_slices_take_numbers_of_numpys_types():
    for kind, other in itertools.product("?bhilBHILefdFD", repeat=2):
        s = numpy.dtype(other).type(3)
        for index in (1, slice(1, 3)):
            results = []
            for np in (numpy, weft):
                a = np.zeros(4, kind)
                try:
                    a[index] = s
                    results.append(a.tolist())
                except Exception as error:  # noqa: BLE001 - compared
                    results.append((type(error), str(error)))
            assert results[0] == results[1], (kind, other, index)


def test_pandas_takes_scalars():
    pandas = pytest.importorskip("pandas")
    f, i = weft.arange(6) * 0.5, weft.array([3, 1, 2])
    frame = pandas.DataFrame([{"m": f.mean(), "n": i.sum()}, {"m": f.max(), "n": i.argmin()}])
    assert frame.dtypes.tolist() == [numpy.float64, numpy.int64]
    assert list(frame.describe().columns) == ["m", "n"]
    table = pandas.DataFrame({"x": [10, 20, 30]})
    assert table.iloc[weft.argmin(i)]["x"] == 20
    assert table.loc[i[1], "x"] == 20
    table.loc[0, "x"] = i[0]
    assert table["x"].dtype == numpy.int64 and table["x"][0] == 3
    assert pandas.Series([f[0], f[1]]).dtype == numpy.float64
    assert pandas.Timedelta(f[1], "s") == pandas.Timedelta(0.5, "s")
    assert table["x"].sum() + i[0] == 56 and isinstance(table["x"].mean() * f[1], float)


def test_scikit_learn_takes_scalars():
    cluster = pytest.importorskip("sklearn.cluster")
    labels = weft.array([0, 1, 1, 2])
    points = numpy.random.default_rng(1).random((30, 2))
    model = cluster.KMeans(n_clusters=labels.max() + 1, n_init=1, random_state=labels[1]).fit(points)
    assert model.cluster_centers_.shape == (3, 2)


def test_matplotlib_takes_scalars():
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    a, f = weft.array([2, 3]), weft.arange(4) * 0.5
    figure, axes = pyplot.subplots(a[0], a[1], figsize=(f.sum(), f[3]))
    axes[0, 0].set_xlim(f[0], f.max())
    axes[0, 0].axvline(f.mean(), lw=f[1])
    axes[0, 0].set_title(f"{f.mean():.2f}")
    assert axes.shape == (2, 3) and axes[0, 0].get_xlim() == (0, 1.5)
    pyplot.close(figure)


def test_deferred_scalars_wait_for_nobody():
    """--defer-scalars makes arrays without dimensions of them, and can be turned on and off while weft runs."""
    script = """
import numpy, weft as np
a = np.arange(1000.0)
assert type(a.sum()) is numpy.float64
np.settings.configure("--defer-scalars")
np.sync()
before = np.stats()["waits"]
total = a.sum()
step = total * 2 + a[3]
b = a * step
assert np.stats()["waits"] == before
assert type(total) is type(step) is type(a[3]) is np.ndarray and step.shape == () and step.dtype == float
assert float(step) == 999003 and float(b[1]) == 999003
view = total[...]
view[...] = 1
assert float(total) == 1
for shape in (3, 3), (3, 2, 2, 2, 2), (3, 300, 200):
    x = np.zeros(shape)
    x[np.arange(3)[1]][...] = 5  # a view, as of the integer that it stands for
    x[np.array(0)][...] = 7
    assert float(x.sum()) == 5 * x[1].size
np.settings.configure("")
assert type(a.sum()) is type(a[3]) is type(a @ a) is type(total + 1) is numpy.float64
assert np.settings.current()["defer-scalars"] is False
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr


def test_functions_take_numbers_of_numpys_types_as_operands():
    kinds = [numpy.dtype(t) for t in "?bhilBHILefdFD"]
    names = ("add", "divide", "maximum", "hypot", "arctan2", "power", "equal", "logical_and", "copysign", "left_shift", "true_divide")
    for one, other, name in itertools.product(kinds, kinds, names):
        s, a = other.type(3), numpy.array([1, 0, 3, 2], one)
        for given in ((a, s), (s, a)):
            results = []
            for np in (numpy, weft):
                with numpy.errstate(all="ignore"):
                    try:
                        value = getattr(np, name)(*(np.array(x) if isinstance(x, numpy.ndarray) else x for x in given))
                        results.append((value.dtype, value.tolist()))
                    except Exception as error:  # noqa: BLE001 - compared
                        results.append((isinstance(error, TypeError), str(error)))
            if "hypot" in name or "arctan2" in name:
                assert results[0][0] == results[1][0]
            else:
                assert repr(results[0]) == repr(results[1]), (name, given)


def test_what_dies_with_a_reduction_is_not_stored():
    """The same bytes move whether the scalar is waited for or not; what has a name, or another holder, stays whole."""
    script = """
import itertools, operator, re
import weft as np
x, y = np.arange(300_000.0), np.ones(300_000)
np.sync()
def megabytes():
    return float(re.search("over ([0-9.]+) MB", str(np.plan("*"))).group(1))
def moved(f):
    before = megabytes()
    f()
    np.sync()
    return round(megabytes() - before, 1)
def named():
    z = np.abs(x - y)
    assert z.max() == 299_998 and z[5] == 4
one = moved(lambda: np.abs(x - y).max())
assert moved(lambda: np.max(np.abs(x - y))) == one, "by name"
assert moved(lambda: (x - y).reshape(600, 500).max()) <= one
assert moved(named) > one
held = [(x - y,), (x + y,)]
assert list(itertools.starmap(np.sum, held)) == [float((x - y).sum()), float((x + y).sum())]
assert held[0][0][3] == 2 and held[1][0][3] == 4
assert list(map(np.max, [x - y, x + y])) == [299_998, 300_000]
assert list(map(np.ndarray.max, [x - y])) == [299_998]
keep = []
def through(a):
    keep.append(a)
    return a
assert through(x - y).max() == 299_998 and keep[0][3] == 2
bound = (x - y).max
assert bound() == bound() == 299_998
pairs = [(np.arange(3.0), np.ones(3))]
assert list(itertools.starmap(operator.matmul, pairs)) == [3] and pairs[0][0][2] == 2
view = (x - y)[1:]
assert view.max() == 299_998 and view[1] == 1
base = x - y
assert base[1:].max() == 299_998 and base[3] == 2
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr
