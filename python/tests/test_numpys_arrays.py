"""NumPy's own arrays of few elements as operands and arguments: results are weft's, have NumPy's bits, and share nothing with what was only read."""

import operator

import numpy
import pytest
import weft

from .sharing import DTYPES, assert_same, run_python, sample

LAYOUTS = {
    "plain": lambda a: a, "turned": lambda a: a.T, "gaps": lambda a: a[:, ::2], "backwards": lambda a: a[::-1], "a line": lambda a: a[0], "every other": lambda a: a[0, ::2],
    "a column": lambda a: a[:, 1], "one": lambda a: a[1, 1:2], "no axes": lambda a: a[1, 1, ...], "nothing": lambda a: a[:0], "fixed": lambda a: fixed(a), "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
}  # fmt: skip
OPERATORS = [operator.add, operator.sub, operator.mul, operator.lt, operator.eq, operator.and_, operator.floordiv]
CALLS = """
add(x, a) | add(a, x) | add(a, a) | maximum(a, 1) | negative(a) | isfinite(a) | sum(a) | sum(a, axis=0) | max(a) | argmax(a) | sort(a) | argsort(a, axis=0) | concatenate([x, a]) | concatenate((a, a))
stack([a, x]) | vstack([a, a]) | where(a > 1, a, 0) | where(x > 1, a, x) | cumsum(a) | diff(a) | array(a) | array(a, dtype=float) | array([a, a]) | any(a) | count_nonzero(a) | nonzero(a) | clip(a, 0, 2)
take(a, [0], axis=0) | take(x, numpy.array([0, 1])) | repeat(a, 2) | roll(a, 1) | unique(a) | zeros_like(a) | full_like(a, 2) | array_equal(a, x) | outer(a, [1, 2]) | flip(a) | transpose(a) | copy(a) | tile(a, 2)
searchsorted(numpy.array([0, 1, 2]), a) | bincount(numpy.array([1, 2, 2])) | interp(numpy.array([.5]), [0, 1], numpy.array([2., 3.])) | round(a) | trace(a) | expand_dims(a, 0) | squeeze(a) | ravel(a) | append(a, 1)
median(a) | percentile(a, 30) | histogram(a.real, 3) | add(x, a, out=numpy.zeros(x.shape, a.dtype)) | multiply(a, a, dtype=complex) | dot(a, a.T) | matmul(x, a.T)
""".replace("\n", "|").split("|")


def fixed(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error), str(error)


def compare(got, want, about):
    if isinstance(want, tuple | list) and isinstance(got, tuple | list) and not isinstance(want[0], type):
        assert len(got) == len(want), about
        for g, w in zip(got, want, strict=True):
            compare(g, w, about)
    elif isinstance(want, numpy.ndarray | numpy.generic):
        assert_same(got, want)
    else:
        assert repr(got) == repr(want), about


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators(dtype, layout):
    for other in {dtype, "float64", "int64", "bool"}:
        a, theirs = LAYOUTS[layout](sample(dtype)), LAYOUTS[layout](sample(other, seed=2))
        if layout == "swapped":
            theirs = sample(other, seed=2)
        ours = weft.array(theirs)
        with numpy.errstate(all="ignore"):
            for f in OPERATORS:
                if layout != "no axes":
                    compare(outcome(f, ours, a), outcome(f, theirs, a), f)
                if layout != "nothing":
                    compare(outcome(f, a, ours), outcome(f, a, theirs), f)
            mine, want = ours.copy(), theirs.copy()
            if layout != "no axes":
                for f in (operator.iadd, operator.imul):
                    compare(outcome(f, mine, a), outcome(f, want, a), f)
                mine[...], want[...] = a.real, a.real
                assert_same(mine, want)


@pytest.mark.parametrize("call", [call.strip() for call in CALLS if call.strip()])
def test_calls(call):
    for dtype in ("bool", "int64", "uint8", "float32", "float64", "complex128"):
        for layout in LAYOUTS.values():
            a, x = layout(sample(dtype)), layout(sample(dtype, seed=3))
            before = a.tobytes()
            with numpy.errstate(all="ignore"):
                got = outcome(eval, "np." + call, {"np": weft, "numpy": numpy, "a": a, "x": weft.array(x)})
                want = outcome(eval, "np." + call, {"np": numpy, "numpy": numpy, "a": a, "x": x})
            if isinstance(want, tuple) and isinstance(want[0], type):
                assert isinstance(got, tuple) and got[0] is want[0], (got, want)
                continue
            if "out=" in call or not a.dtype.isnative:
                for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
                    numpy.testing.assert_array_equal(numpy.asarray(g), w)
            elif want is a or call.startswith(("dot", "matmul", "percentile", "median")):
                numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-6)
            else:
                compare(got, want, (call, dtype, a.strides))
            if call.startswith(("add", "sort", "array", "copy", "where", "round", "clip", "cumsum")) and type(got) is weft.ndarray:
                got[...] = 0
                assert a.tobytes() == before


def test_views_share():
    a = numpy.arange(6.0)
    for view in (weft.ravel(a), weft.reshape(a, (2, 3)), weft.asarray(a), weft.atleast_2d(a), weft.transpose(a), weft.squeeze(a), weft.expand_dims(a, 0)):
        a[1] = 7
        assert 7 in view.tolist() or 7 in view.tolist()[0] or [7] in view.tolist()
        view[...] = 3
        assert a.tolist() == [3] * 6


def test_bools_of_other_bytes_are_true():
    a = numpy.frombuffer(b"\x02\x00\xff", bool)
    assert (weft.zeros(3, bool) | a).tolist() == [True, False, True]
    assert weft.sum(a) == 2 and weft.array(a).view("u1").tolist() == [1, 0, 1]
    assert weft.where(a, 1, 2).tolist() == [1, 2, 1]


def test_subclasses_and_what_weft_has_no_dtype_for_stay_numpys():
    m = numpy.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    assert type(weft.ones(3) + m) is numpy.ma.MaskedArray and type(m + weft.ones(3)) is numpy.ma.MaskedArray
    dates = numpy.array(["2020-01-02", "2020-01-01"], "M8[D]")
    for made, want in [(weft.sort(dates), numpy.sort(dates)), (weft.concatenate([dates, dates]), numpy.concatenate([dates, dates])), (weft.where(weft.array([True, False]), "a", "bc"), numpy.array(["a", "bc"])),
        (weft.argsort(numpy.array(["b", "a"])), numpy.array([1, 0])), (weft.array(["a"]), numpy.array(["a"]))]:  # fmt: skip
        assert made.dtype == want.dtype and numpy.asarray(made).tolist() == want.tolist()
    records = numpy.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])
    assert (records["b"] + weft.ones(1)).tolist() == [3.0] and weft.sort(records, order="b").dtype == records.dtype


def test_what_numpy_gives_back_of_its_arrays_is_the_same_memory():
    a = numpy.array([0.0, 1.0, 2.0, 0.0])
    part = weft.trim_zeros(a)
    part[0] = 5
    assert a[1] == 5
    assert weft.polyfit(numpy.arange(4.0), a, 1).shape == (2,)
    real = weft.real_if_close(a)
    real[0] = 8
    assert a[0] == 8


def test_the_deferred_way_has_the_same_bits():
    code = """
import numpy, weft, warnings
warnings.simplefilter("ignore")
draw = numpy.random.default_rng(4)
for n in (1, 9, 300, 5000):
    for dtype in ("f8", "f4", "i8", "u1", "?", "c16"):
        a = (draw.random(n) * 9).astype(dtype)
        x = weft.array((draw.random(n) * 9).astype(dtype))
        made = [x + a, a * x, x == a, weft.sum(a), weft.cumsum(a), weft.sqrt(a), weft.dot(x, a), weft.sort(a), weft.concatenate([a, x]), weft.where(a, x, a), weft.mean(a), weft.std(a), weft.stack([a, a])]
        x[...] = a
        x += a
        print(n, dtype, [numpy.asarray(m).tobytes().hex() for m in [*made, x]])
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") == 24, eager.stderr
    assert eager.stdout == deferred.stdout


MADE = "ones(3, d) | zeros(5000, d) | arange(3, dtype=d) | array([1, 2], d) | full(3, 1, d) | ones(3).astype(d) | ones_like(ones(3), d) | ndarray(3, d) | eye(3, dtype=d) | ones(3, d) + 1 | ones(3).view(d)"


@pytest.mark.parametrize("call", MADE.split(" | "))
def test_what_is_attached_to_a_dtype_is_kept(call):
    d = numpy.dtype(int, metadata={"unit": "m"})
    made, want = (eval(call, {"d": d, **{name: getattr(np, name) for name in "arange array eye full ndarray ones ones_like zeros".split()}}) for np in (weft, numpy))
    assert type(made) is numpy.ndarray and dict(made.dtype.metadata) == dict(want.dtype.metadata) == {"unit": "m"}


UNKNOWN = {
    "text": numpy.array(["b", "a", "c"]), "dates": numpy.array(["2024-01-03", "2024-01-01", "2024-02-01"], "M8[D]"), "objects": numpy.array([3, 1.5, 2], dtype=object),
    "long": numpy.array([3, 1, 2], numpy.longdouble), "masked": numpy.ma.array([3.0, 1.0, 2.0], mask=[0, 1, 0]), "matrix": numpy.arange(3.0).view(numpy.matrix),
    "date": numpy.datetime64("2024-01-01"), "span": numpy.timedelta64(2, "D"), "a long double": numpy.longdouble(2),
}  # fmt: skip


@pytest.mark.parametrize("n", [3, 5000])
@pytest.mark.parametrize("name", UNKNOWN)
def test_operators_with_what_weft_has_no_dtype_for_give_numpys_results(name, n):
    other = UNKNOWN[name]
    for dtype in (float, int):
        for operator_ in (*OPERATORS[:5], operator.truediv, operator.ne):
            ours, theirs = weft.arange(n, dtype=dtype).reshape(-1, 1), numpy.arange(n, dtype=dtype).reshape(-1, 1)
            for turned in (False, True):
                got, want = (outcome(operator_, *((other, x) if turned else (x, other))) for x in (ours, theirs))
                about = (name, n, dtype, operator_, turned)
                assert type(got) is type(want) or (type(got) is weft.ndarray and type(want) is numpy.ndarray), about
                if isinstance(want, tuple):
                    assert got == want, about
                    continue
                same = numpy.asarray(got) == numpy.asarray(want)
                assert getattr(got, "dtype", None) == getattr(want, "dtype", None) and (same | (numpy.asarray(got) != numpy.asarray(got))).all(), about
            assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16", "?"])
@pytest.mark.parametrize("step", [2, -1, 3])
def test_a_line_with_gaps_is_read(dtype, step):
    theirs = numpy.arange(40).astype(dtype)[::step]
    assert_same(weft.ones(theirs.size, dtype) * theirs, numpy.ones(theirs.size, dtype) * theirs)


@pytest.mark.parametrize("n", [4, 3000, 50_000])
def test_numpys_bools_and_integers_choose_elements(n):
    a = numpy.arange(3.0 * n).reshape(n, 3)
    x = weft.array(a)
    for index in (a[:, 0] % 2 == 0, a > 4, numpy.arange(n)[::-1], numpy.array([0, -1, 2]), numpy.arange(n)[::2]):
        assert_same(x[index], a[index])
    with pytest.raises(IndexError, match=f"index {n} is out of bounds for axis 0 with size {n}"):
        x[numpy.array([n])]
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[numpy.ones(n + 1, bool)]


def test_masks_and_results_that_are_numpys_stay_the_programs_own():
    m = weft.ma.array(weft.arange(3.0), mask=[0, 1, 0])
    assert weft.ma.getmaskarray(m) is m._mask and weft.ma.getmask(m) is m._mask
    x = weft.arange(3.0)
    kept = weft.ma.array(x, copy=False)
    x[0] = 9
    assert kept[0] == 9
    assert type(weft.mean(m)) is type(numpy.mean(m)) and weft.mean(m) == 1
    out = weft.zeros(3)
    assert weft.add(m, x, out=out) is not None and out[2] == 4


def test_calls_of_arrays_that_stay_numpys_are_counted():
    before = weft.coverage().fallback
    m = numpy.ma.array([1.0, 2.0], mask=[0, 1])
    weft.ma.count(m)
    weft.strings.upper(UNKNOWN["text"])
    weft.arange(3.0) + UNKNOWN["long"]
    after = weft.coverage().fallback
    assert [after[name] - before.get(name, 0) for name in ("ma.core.count", "strings.upper", "add")] == [1, 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda np: np.zeros(3, "i4,i4"),
        lambda np: np.array(["a", "bc"]),
        lambda np: np.rec.array(np.ones(4, "f4,i4")),
        lambda np: np.rec.array(np.arange(4.0)),
        lambda np: np.matrix([[1.0, 2], [3, 4]]),
    ],
)
def test_the_class_that_numpys_arrays_are_viewed_as(make):
    want, mine = make(numpy), make(weft)
    for view in (lambda x, kind: x.view(kind), lambda x, kind: x.view(type=kind), lambda x, kind: x.view(x.dtype.fields or x.dtype, kind)):
        got, wanted = view(mine, weft.ndarray), view(want, numpy.ndarray)
        assert isinstance(got, weft.ndarray)
        assert type(got) in (weft.ndarray, numpy.ndarray)
        assert got.dtype == wanted.dtype and got.tolist() == wanted.tolist()
        assert numpy.shares_memory(numpy.asarray(got), numpy.asarray(mine))
    assert type(view(mine, type(want))) is type(mine)
    with pytest.raises(TypeError):
        mine.view(1, 2, 3)


def test_view_tells_what_numpys_tells():
    code = "import inspect, numpy; print(inspect.signature(numpy.ndarray.view), inspect.signature(numpy.ndarray.__array_wrap__), hash(numpy.ndarray.view.__doc__))"
    hashing = {"PYTHONHASHSEED": "0"}
    assert run_python(code, env=hashing).stdout == run_python("import weft; " + code, env=hashing).stdout != ""


def test_a_class_hands_weft_arrays_to_numpys_wrap():
    class Wrapping(weft.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return super().__array_wrap__(array, context, return_scalar)

    a = weft.arange(3).view(Wrapping)
    made = a.__array_wrap__(weft.arange(4))
    assert type(made) is Wrapping and made.tolist() == [0, 1, 2, 3]
    assert type(a + 1) is Wrapping
