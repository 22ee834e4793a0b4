"""NumPy's namespace through weft: each expression gives what it gives with NumPy itself."""

import collections.abc
import copy
import inspect
import io
import math
import pickle
import warnings

import numpy
import pytest
import weft

from .sharing import host, run_python

# Evaluated twice: with np = numpy and with np = weft. Lines of one theme stand together.
EXPRESSIONS = """
np.r_[np.arange(3), 5, np.ones(2)]
np.c_[np.arange(3), np.ones(3)]
np.mgrid[0:3, 0:2]
np.ogrid[0:3, 0:2]
np.s_[1:2, ...]
np.vectorize(lambda x, y: x + y)(np.arange(3), np.arange(3))
np.frompyfunc(lambda x: x + 1, 1, 1)(np.arange(3))
np.apply_along_axis(np.sum, 0, np.arange(6).reshape(2, 3))
np.piecewise(np.arange(5.0), [np.arange(5) < 2], [1, 2])
np.fromfunction(lambda i, j: i + j, (2, 2))

np.add.reduce(np.arange(12.0).reshape(3, 4))
np.add.reduce(np.arange(12.0).reshape(3, 4), axis=None)
np.add.reduce([1, 2, 3])
np.maximum.reduce(np.arange(12.0).reshape(3, 4), axis=1, keepdims=True)
np.logical_and.reduce(np.arange(12.0).reshape(3, 4), axis=0)
np.subtract.reduce(np.arange(5))
np.add.accumulate(np.arange(5))
np.add.reduceat(np.arange(8), [0, 4, 1, 5])
np.multiply.outer(np.arange(3), np.arange(4.0))
np.multiply.outer([1, 2], [3, 4])
(np.add.nin, np.sqrt.nargs, np.add.identity, np.add.types[:3], np.add.__name__, np.arctan2.__name__)
[isinstance(x, np.ufunc) for x in (np.add, np.arctan2, np.sum, 3)]
isinstance(np.arange(3), np.ndarray)
[isinstance(x, np.ndarray) for x in (np.array([None]), np.array(["a"]), np.float64(1), [1])]
[issubclass(kind, np.ndarray) for kind in (np.matrix, np.ndarray, int)]
np.arange(0, 1, np.inf)
np.arange(0, 1, -np.inf)
np.arange(0, 5e-324, 1e300)
np.arange(0, 1, np.nan)
np.zeros(0).reshape(2**40, 2**40)
np.ones(20)[::2].reshape(2, 13, 419, 691, 823, 2977518503)
np.frombuffer(b"12345678").base
np.array([1, 2], copy="always")
np.ufunc.reduce(np.add, np.arange(4))
[str(inspect.signature(f)) for f in (np.sum, np.arange, np.empty, np.where, np.concatenate, np.linalg.norm, np.add, np.divmod, np.matmul)]
[str(inspect.signature(getattr(np.ndarray, name))) for name in ("sum", "view", "copy", "astype", "item", "tolist", "choose", "setflags")]
[np.dot.__signature__ == np.can_cast.__signature__, np.sin.__signature__.parameters["casting"].default, np.arange.__text_signature__]
np.hypot(3.0, np.array([4.0]))
np.modf(np.array([1.5]))
np.gcd(np.arange(4), 2)
np.sqrt(np.arange(3.0), where=True)

tuple(np.linalg.eigh(np.eye(3) * 2))
np.linalg.eigh(np.eye(3)).eigenvalues
tuple(np.linalg.svd(np.arange(6.0).reshape(2, 3)))
np.linalg.solve(np.eye(2) * 2, np.ones(2))
np.linalg.det(np.eye(3))
np.linalg.norm(np.arange(5.0))
np.linalg.inv(np.zeros((2, 2)))
np.fft.fft(np.arange(8.0))
np.fft.fftfreq(8)
np.einsum("ij,jk", np.ones((2, 3)), np.ones((3, 4)))
np.polynomial.Polynomial([1, 2])(np.arange(3))
np.polynomial.polynomial.polyval(np.arange(3), [1, 2])
np.lib.stride_tricks.sliding_window_view(np.arange(5), 2)
np.ma.masked_greater(np.arange(4), 2).sum()
np.ma.add.reduce(np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]))
np.ma.minimum.outer(np.arange(3), np.ma.array([1, 2], mask=[1, 0]))
np.ma.multiply.accumulate(np.ma.array([1, 2, 3]))
np.testing.assert_allclose(np.arange(3), [0, 1, 2])
np.char.upper(["a"])
np.strings.upper(np.array(["a"]))
np.emath.sqrt(-1)

np.meshgrid(np.arange(3), np.arange(2))
np.histogram(np.arange(10.0), bins=3)
np.unique(np.array([3, 1, 1]), return_counts=True)
np.sort(np.array([3, 1, 2]))
np.argsort(np.array([3, 1, 2]))
np.nonzero(np.array([3, 0, 2]))
np.where(np.array([3, 0, 2]))
np.take(np.arange(5), [0, 2])
np.isin(np.arange(5), [1, 2])
np.pad(np.arange(3), 2)
np.interp(np.array([0.5, 1.5]), [0, 1, 2], [0, 10, 20])
np.gradient(np.arange(5.0) ** 2)
np.cross([1, 2, 3], [4, 5, 6])
np.kron(np.eye(2), np.ones((2, 2)))
np.tensordot(np.ones((2, 3)), np.ones((3, 2)), 1)
np.median(np.arange(5.0))
np.percentile(np.arange(5.0), 30)
np.nanmean(np.array([1, np.nan]))
np.logspace(0, 2, 3)
np.triu_indices(3)
np.arange(9).reshape(3, 3)[np.ix_([0, 1], [1, 2])]
np.choose([0, 1], [np.arange(2), np.ones(2, int)])
np.select([np.arange(3) < 1], [np.arange(3)], 9)
np.bincount(np.array([0, 1, 1]))
np.cov(np.array([[1.0, 2, 3], [1, 2, 4]]))
np.convolve([1, 2, 3], [0, 1])
np.unravel_index(5, (2, 3))
np.insert(np.arange(3), 1, 9)
np.block([[np.eye(2), np.ones((2, 1))]])
np.hsplit(np.arange(6).reshape(2, 3), 3)
np.broadcast_arrays(np.arange(3), np.ones((2, 1)))
np.poly1d([1, 2])(np.arange(3))
[int(x) for x in np.nditer(np.arange(3))]
[(i, int(x)) for i, x in np.ndenumerate(np.arange(3))]
list(np.ndindex(2, 2))

np.array([{}, None], dtype=object)
np.array(["a", "bc"])
np.array(["2020-01-01"], dtype="M8[D]")
np.zeros(3, dtype=[("a", int)])
np.array([2**70])
np.array([np.arange(3), np.arange(3)])
np.array([np.arange(3).sum(), 2])
np.array([300], dtype=np.uint8)
np.array([0.1, 0.2], dtype="f4")
np.array([1, 2], ndmin=3)
np.array(5)
np.asarray((1, 2.5))
np.asarray([1, 2], dtype=float)
np.ascontiguousarray(np.arange(6).reshape(2, 3).T)
np.arange(0, 10, 3, np.float32)
np.arange()
np.arange(start=2, stop=5)
np.arange(5, dtype=float)
np.ndarray((2, 2)).shape

np.sum([1, 2, 3])
np.sum(np.arange(3), initial=10)
np.sum(np.arange(3), where=[True, False, True])
np.ones((2, 2)).sum(axis=5)
np.max([1, 5])
np.matmul([[1, 2], [3, 4]], [1, 1])
np.arange(5).clip(1, 3)
np.clip(np.arange(5), 1, None)
np.arange(3).astype(str)
np.arange(3).astype(float, casting="safe")
np.arange(3.0).astype(int, casting="safe")
np.arange(5.0).std(ddof=1)
np.arange(3.0).view(np.int64)
np.arange(4.0).view(complex)
np.arange(3).byteswap()
np.arange(5).searchsorted(3)
np.arange(5).cumsum()
np.arange(4).reshape(2, 2).tolist()
np.arange(3).tobytes()
(np.arange(3).item(1), np.arange(1).item(), np.arange(4).reshape(2, 2).item(1, 1))
np.arange(3).item()
np.ones((2, 3)).mT.shape
(np.ones((2, 3)).flags.c_contiguous, np.ones((2, 3)).T.flags["F_CONTIGUOUS"])
np.broadcast_to(np.arange(3), (2, 3)).flags.writeable

[1, 2, 3] + np.arange(3)
np.arange(3) * [1, 2, 3]
np.arange(3) == None
np.arange(3) == "a"
(3 in np.arange(5), 7 in np.arange(5))
numpy.float64(3) * np.arange(3)
numpy.arange(3) + np.arange(3)
numpy.sqrt(np.arange(3.0))
numpy.sum(np.arange(3.0))
numpy.concatenate([np.arange(3.0), numpy.ones(2)])
numpy.arctan2(np.arange(3.0), 1.0)
[float(x) for x in np.arange(3.0)]
[float(r.sum()) for r in np.ones((2, 3))]
float(sum(np.arange(4.0)))
[int(i) for i in sorted(np.array([3, 1, 2]))]
f"{np.arange(4.0).sum():.3f} {np.arange(3)} {np.arange(4).sum():d}"
float(round(np.arange(4.0).mean(), 1))
int(round(np.arange(4.0).mean()))
(math.sqrt(np.arange(5.0).sum()), math.floor(np.arange(4.0).mean()), math.isnan(np.arange(3.0).sum()))
[10, 20, 30][np.arange(2).sum()]
list(range(np.arange(3).sum()))
pickle.loads(pickle.dumps(np.arange(3)))
copy.deepcopy(np.arange(3))
bytes(memoryview(np.arange(3)))
hash(np.arange(3))
bool(np.arange(3))
len(np.array(3))
np.arange(3)[1.5]
np.arange(3)["a"]

np.ones(3).sum().reshape(1)
np.add.accumulate(np.ones(3).sum())
np.asarray(np.ones(3).sum(), copy=False)
(np.true_divide.__name__, np.mod.__name__, np.abs.__name__, np.bitwise_not.__name__, np.conj.__name__, np.asin.__name__)
(np.true_divide is np.divide, np.absolute is np.abs, np.asin is np.arcsin, np.concat is np.concatenate)
np.asfortranarray(np.arange(6).reshape(2, 3)).strides
np.array(np.arange(6).reshape(2, 3), order="F").flags.f_contiguous
np.asfortranarray(np.arange(6).reshape(2, 3)).ravel()

(lambda a: [x.base is a for x in (a[1:-1], a[1:][1:], a.T, a.reshape(2, 3), a[None], a[...], a.copy(), a + 1, a, a[0])])(np.arange(6))
(lambda a: [a.base is None, a[0].base is None, (a + 1).base is None, a[:].flags.owndata, a.flags.owndata])(np.zeros(6))

(np.dtype("f4"), np.float32(3), np.pi, np.newaxis, np.finfo(float).eps, np.iinfo(int).max)
(np.can_cast("i4", "i8"), np.result_type(np.arange(3), 1.0), np.issubdtype(np.int32, np.integer))
np.result_type(np.arange(3, dtype="f4"), np.arange(3))
np.array2string(np.arange(3))
np.allclose(np.arange(3), [0, 1, 2])
(np.isscalar(3.0), np.isscalar(np.arange(3)), np.iterable(np.arange(3)))
np.nosuch
np.float_

(np.random.rand(3), np.random.randint(0, 5, 4), np.random.choice(np.arange(5), 2), np.random.permutation(5))
(np.random.seed(5), np.random.random(3), np.random.normal())
np.random.default_rng(1).normal(size=(2, 2))
np.random.default_rng(2).permutation(np.arange(4))
np.random.default_rng(2).choice([1, 2, 3], 2)
np.random.default_rng(7).spawn(2)[1].random(2)
np.random.RandomState(3).rand(2)
np.random.Generator(np.random.PCG64(3)).random(2)
pickle.loads(pickle.dumps(np.random.default_rng(3))).random(2)
"""

# Statements that change a, which is [[3, 1, 2], [9, 7, 8]] as float64.
STATEMENTS = """
np.add.at(a, ([0, 1, 0], [1, 1, 1]), 5.0)
np.copyto(a, 7)
np.copyto(a, [1, 2, 3], where=[True, False, True])
np.copyto(a, 1j)
np.fill_diagonal(a, 0)
np.put(a, [0, 3], [-1, -2])
np.place(a, a > 2, [0])
np.putmask(a, a > 2, 0)
np.arctan(a, out=a)
np.sqrt(a, out=a)
np.sqrt(a, out=(a,))
np.sqrt(a, out=a, where=a > 5)
np.cumsum(a, axis=1, out=a)
np.nan_to_num(a, copy=False, nan=1.0)
np.random.shuffle(a)
np.random.default_rng(3).shuffle(a, axis=1)
np.split(a, 3, axis=1)[1][...] = 0
np.rot90(a)[0, 0] = 77
np.rollaxis(a, 1)[0, 1] = 77
numpy.multiply(a, 2, out=a)
a.sort()
a.partition(1)
a.fill(4)
a.put([1], [5])
a.T[0, 1] = 5
a.flat[2] = 9
a.flat = [1, 2]
a.real = 1
a.shape = (3, 2)
a.shape = (4, 2)
a.imag = 3
a[a > 2] = 0
a[[0, 1], [1, 2]] = [5, 6]
a[[0, 0]] += 1
a += [1, 2, 3]
a @= np.eye(3)
a[0] = a[::-1][0]
a.resize((3, 2), refcheck=False)
a.resize(4, refcheck=False)
a.resize((3, 3), refcheck=False)
a.resize((-1, 3))
a.resize("a")
b = a[:]; a.resize((3, 3))
b = numpy.asarray(a); a.resize((3, 3))
a[:1].resize((3, 3))
a[:, :1].resize((3, 3))
a.flags.writeable = False; a[0] = 1
a.flags["WRITEABLE"] = False; a += 1
a.setflags(write=False); a[:1][0, 0] = 1
a.setflags(write=False); np.add(a, 1, out=a)
a.setflags(write=False); a[[0, 1]] = 5
a.setflags(write=False); numpy.asarray(a)[0] = 5
a.setflags(write=False); a.setflags(write=True); a[0] = 5
a.setflags(write=False); a[:].flags.writeable = True
a.flags["NONSENSE"] = 1
s = a.sum(); np.atleast_1d(s)[0] = 5; np.ravel(s)[0] = 5; s[...][...] = 5; s[None][0] = 5; numpy.asarray(s)[...] = 5; a[0, 0] = s
s = a.sum(); x = np.asarray(s); x[...] = 5; y = x; x += 1; a[0, 0] = y; a[0, 1] = s
s = a.sum(); s.shape = (1,)
"""


def lines(text):
    return [line for line in text.splitlines() if line]


def outcome(function):
    """The result of a call, or its exception."""
    numpy.random.seed(1)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function()
        except Exception as error:
            return error


def assert_alike(got, want):
    """Equal in kind and value, where weft's arrays stand for NumPy's arrays and scalars."""
    if isinstance(want, BaseException):
        assert (type(got), str(got)) == (type(want), str(want))
    elif isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_alike(one, other)
    elif isinstance(want, numpy.ma.MaskedArray):
        assert_alike(got.data, want.data)
    elif isinstance(want, (numpy.ndarray, numpy.generic)):
        assert host(got).dtype == want.dtype and host(got).shape == want.shape
        if want.dtype.kind in "fc":
            numpy.testing.assert_allclose(host(got), want, rtol=1e-14, atol=1e-14)
        else:
            assert (host(got) == want).all()
    else:
        assert got == want


@pytest.mark.parametrize("expression", lines(EXPRESSIONS))
def test_expression(expression):
    names = {"numpy": numpy, "math": math, "pickle": pickle, "copy": copy, "io": io}
    want = outcome(lambda: eval(expression, {**names, "np": numpy}))
    got = outcome(lambda: eval(expression, {**names, "np": weft}))
    assert_alike(got, want)


@pytest.mark.parametrize("statement", lines(STATEMENTS))
def test_statement(statement):
    def run(np):
        space = {"np": np, "numpy": numpy, "a": np.array([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])}
        done = outcome(lambda: exec(statement, space))
        return (done, space["a"]) if isinstance(done, Exception) else space["a"]

    assert_alike(run(weft), run(numpy))


def test_names_of_matrices_are_the_callers():
    np, a, b = weft, weft.array([[1, 2]]), weft.array([[3, 4]])
    assert np.bmat("a; b").tolist() == np.r_["a; b"].tolist() == np.bmat("x; y", {"x": a, "y": b}, {}).tolist() == [[1, 2], [3, 4]]


def test_arrays_are_objects_of_arrays_of_objects():
    def made(np):
        a, b = np.arange(2), np.arange(3)
        ragged, alone = np.array([a, b, None], dtype=object), np.array([np.array(5)], dtype="O")
        return ragged[0] is a and ragged[1] is b, alone.shape, np.array([a, a], dtype=object).tolist(), np.asarray([a, None], object).shape

    assert made(weft) == made(numpy)


def test_results_are_weft_arrays():
    np = weft
    rng = np.random.default_rng(1)
    for made in (
        np.array([1, 2]),
        np.linalg.inv(np.eye(2)),
        np.fft.fft(np.arange(4.0)),
        np.unique([1, 1]),
        rng.normal(size=3),
        np.random.rand(2),
        np.arange(5)[np.arange(5) > 2],
        np.split(np.arange(4), 2)[0],
        np.meshgrid([1], [2])[0],
        np.linalg.eigh(np.eye(2)).eigenvectors,
        numpy.arange(3) + np.arange(3),
        numpy.sin(np.arange(3.0)),
    ):
        assert type(made) is np.ndarray


def test_every_public_name_of_numpy_is_there():
    for name in numpy.__all__:
        getattr(weft, name)
    missing = [name for name in dir(numpy.ndarray) if not name.startswith("_") and not hasattr(weft.ndarray, name)]
    assert missing == []


def test_lists_are_shuffled_in_place():
    for shuffle in (weft.random.shuffle, weft.random.default_rng(1).shuffle, weft.random.RandomState(1).shuffle):
        items = [weft.arange(i) for i in range(20)]
        before = list(items)
        shuffle(items)
        assert [x.size for x in items] != [x.size for x in before]
        assert sorted(map(id, items)) == sorted(map(id, before))


def test_dir_and_star():
    assert set(dir(numpy)) <= set(dir(weft))
    space = {}
    exec("from weft import *", space)
    assert space["add"] is weft.add and space["linalg"] is weft.linalg and space["pi"] == numpy.pi


def test_functions_say_what_they_take():
    assert str(inspect.signature(weft.sum)).startswith("(a, axis=None, dtype=None, out=None")
    assert weft.sum.__doc__ == numpy.sum.__doc__
    assert "casting='same_kind'" in weft.add.__doc__
    assert inspect.signature(weft.unique) == inspect.signature(numpy.unique)
    assert weft.ndarray.sum.__doc__ and weft.ndarray.sort.__doc__


SAME_ELEMENT = """
s.copy() s.astype(int) s.T s.transpose() s.reshape(()) s.squeeze() s.real s.view() s[()] np.transpose(s) np.squeeze(s) np.flip(s)
np.reshape(s,()) np.astype(s,int) np.moveaxis(s,[],[]) np.copy(s) np.asarray(s) np.asanyarray(s) np.array(s) np.ravel(s) s[...] s[None]
s.flatten() np.expand_dims(s,()) np.atleast_1d(s) np.ascontiguousarray(s) np.broadcast_to(s,()) s.reshape(1)
"""


@pytest.mark.parametrize("expression", SAME_ELEMENT.split())
def test_functions_of_scalars_give_scalars_where_numpys_do(expression):
    want = eval(expression, {"np": numpy, "s": numpy.ones(3).sum()})
    got = eval(expression, {"np": weft, "s": weft.ones(3).sum()})
    assert repr(got) == repr(want)


class Measured:
    """What a user's program has: a class with __array__, which np, that is weft, makes the array for."""

    def __array__(self, dtype=None, copy=None):
        return weft.arange(3)


class Preferred(Measured):
    __array_priority__ = 10

    def __radd__(self, other):
        return "asked"


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        ("np.asarray(m)", [0, 1, 2]),
        ("np.array(m)", [0, 1, 2]),
        ("np.sum(m)", 3),
        ("np.arange(3) + m", [0, 2, 4]),
        ("m * np.arange(3)", [0, 1, 4]),
        ("np.array([m, m])", [[0, 1, 2], [0, 1, 2]]),
        ("np.searchsorted(m, 1)", 1),
        ("np.arange(5)[m]", [0, 1, 2]),
        ("np.cbrt(m)", [0, 1, numpy.cbrt(2)]),
    ],
)
def test_objects_whose_array_method_gives_weft_arrays(expression, want):
    got = eval(expression, {"np": weft, "m": Measured()})
    numpy.testing.assert_allclose(host(got), want)


def test_array_method_and_priority():
    shared = weft.arange(3)
    m = Measured()
    m.__class__ = type("Shared", (), {"__array__": lambda self, dtype=None, copy=None: shared.copy() if copy else shared})
    assert weft.asarray(m) is shared and weft.array(m) is not shared
    assert weft.arange(3) + Preferred() == "asked"


MODULES = "", "linalg", "fft", "random", "char", "strings", "ma", "rec", "testing", "lib.stride_tricks", "lib.format", "polynomial.polynomial", "polynomial.hermite"


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_functions_are_pickled_by_their_public_names(name):
    module = weft
    for part in name.split(".") if name else ():
        module = getattr(module, part)
    functions = {key: getattr(module, key) for key in dir(module) if not key.startswith("_") and hasattr(module, key)}
    for key, function in functions.items():
        if callable(function) and not isinstance(function, type):
            for protocol in (0, 5):
                assert pickle.loads(pickle.dumps(function, protocol)) is function, key
            if isinstance(function, weft._core.function_type) and not hasattr(function, "nin") and hasattr(function, "_numpy"):
                assert function.__module__ == function._numpy.__module__, key


def test_pickled_functions_load_in_another_process(tmp_path):
    path = tmp_path / "functions"
    path.write_bytes(pickle.dumps([weft.percentile, weft.linalg.norm, weft.polynomial.polynomial.polyval, weft.ma.median, weft.random.normal]))
    code = f"import pickle; print([function.__module__ for function in pickle.load(open({str(path)!r}, 'rb')) if type(function).__module__ == 'weft._core'])"
    assert run_python(code).stdout.split() == "['numpy', 'numpy.linalg', 'numpy.polynomial.polynomial', 'numpy.ma.extras', 'weft.random']".split()


def test_arrays_are_not_hashable():
    assert not isinstance(weft.ones(2), collections.abc.Hashable)
    with pytest.raises(TypeError, match="unhashable type: 'numpy.ndarray'"):
        hash(weft.ones(2))


def test_an_array_namespace_of_a_version():
    x = weft.ones(2)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2024.12") is weft
    for version in ("2031.12", 2024):
        with pytest.raises(ValueError) as want:
            numpy.ones(2).__array_namespace__(api_version=version)
        with pytest.raises(ValueError) as got:
            x.__array_namespace__(api_version=version)
        assert str(got.value) == str(want.value)


@pytest.mark.parametrize("call", [lambda np: np.arange(start=4), lambda np: np.arange(step=3), lambda np: np.arange(dtype="i8"), lambda np: np.putmask(a=np.ones(2), mask=[0, 1], values=[1])])
def test_arguments_that_numpy_wants_by_position(call):
    with pytest.raises(TypeError):
        call(numpy)
    with pytest.raises(TypeError):
        call(weft)
    assert weft.arange(start=1, stop=3).tolist() == [1, 2]


def test_signatures_that_are_told_in_texts():
    for ours, theirs in ((weft.frompyfunc, numpy.frompyfunc), (weft.ndarray.__array_ufunc__, numpy.ndarray.__array_ufunc__)):
        assert inspect.signature(ours) == inspect.signature(theirs)
