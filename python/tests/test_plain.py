"""Calls without an array of weft's that NumPy answers, and functions that look at no elements: values, types, errors and identities are NumPy's."""

import io
import pickle

import numpy
import pytest

from .sharing import weft

# What NumPy has of its own for weft: strings, records, dates and objects.
GIVEN = {
    "s": numpy.array(["b", "a", "b"]),
    "r": numpy.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i8"), ("b", "f8")]),
    "d": numpy.array(["2020-01-03", "2020-01-01"], dtype="M8[D]"),
    "o": numpy.array([None, 1, "x"], dtype=object),
    "f": numpy.array([1.5, 2.5]),
    "io": io,
    "day": numpy.timedelta64(1, "D"),
}
CALLS = """
np.char.upper(s) | np.char.add(s, "x") | np.char.multiply(s, 2) | np.strings.find(s, "a") | np.unique(s) | np.unique(s, return_counts=True) | np.sort(s) | np.argsort(d) | np.concatenate([s, s]) | np.where(s == "a")
np.full(3, "a") | np.full((2, 2), "ab") | np.zeros(3, dtype=[("a", "i8"), ("b", "f8")]) | np.ones(2, [("a", "u1")]) | np.empty(0, [("a", "u1")]) | np.zeros(2, "U3") | np.zeros(2, dtype="i4,f8") | np.full(2, "2020", dtype="M8[Y]")
np.diff(d) | np.add(d, day) | np.subtract(d, d) | np.isnat(d) | np.isnat(np.datetime64("NaT")) | np.busday_count("2020-01", "2020-02") | np.is_busday(d) | np.datetime_as_string(d) | np.arange("2020-01", "2020-03", dtype="M8[M]")
np.binary_repr(5) | np.base_repr(10, 3) | np.broadcast_shapes((3, 1), (1, 4)) | np.broadcast_shapes((3,), (4,)) | np.loadtxt(io.StringIO("1 2\n3 4")) | np.genfromtxt(io.StringIO("1,2\n3,x"), delimiter=",") | np.fromstring("1 2", sep=" ")
np.array(range(4)) | np.array(range(0)) | np.array(["a", "bc"]) | np.array([("a", 1)], dtype=[("n", "U3"), ("k", int)]) | np.array(b"ab") | np.asarray(s) is s | np.asarray(b"ab") | np.array(s) is s | np.array(day) | np.asarray(day)
np.split(s, [1])[0] | np.squeeze(s) is s | np.reshape(s, (3, 1)).base is s | np.expand_dims(s, 0).base is s | np.ravel(o) | np.atleast_1d(s) is s | np.broadcast_to(s, (2, 3)) | np.rec.array(r).a | np.take(s, [0, 1]) | np.lexsort((d,))
np.testing.assert_equal(3, 3) | np.testing.assert_equal(3, 4) | np.testing.assert_equal({"a": s}, {"a": s}) | np.concatenate(3) | np.stack(3) | np.linalg.multi_dot(3) | np.unique(s, axis=7) | np.char.upper(3) | np.full(-1, "a") | np.base_repr("a")
np.polynomial.polynomial.polyval(0.5, [1, 2.0]) | np.polynomial.polynomial.polyval([1, 2], [1, 2.0]) | np.polynomial.polynomial.polyadd([1], [1, 2]) | np.polynomial.chebyshev.chebval(0.5, [1, 2, 3]) | np.polynomial.polynomial.polyval(1) | np.cumulative_sum([1, 2]) | np.polyval([1, 2], "x")
np.iterable(f) | np.iterable(3) | np.iterable(s) | np.iterable("ab") | np.ndim(3) | np.ndim(s) | np.ndim([[1]]) | np.shape(s) | np.shape([1, 2]) | np.size(s) | np.size([[1, 2]], 1) | np.isscalar(3) | np.isscalar("a") | np.isscalar(s) | np.isscalar(None)
np.isscalar(np.float64(2)) | np.isscalar(day) | np.iscomplexobj(s) | np.iscomplexobj(1j) | np.isrealobj(s) | np.iterable() | np.ndim() | np.shape(a=s) | np.iterable(y=s) | np.result_type(s, "U1") | np.common_type(f) | np.min_scalar_type("a")
""".replace("\n", "|").split("|")
CALLS = [call.strip() for call in CALLS if call.strip()]


def told(value):
    if isinstance(value, (weft.ndarray, numpy.ndarray)):
        at = numpy.asarray(value)
        return "array", at.dtype, at.shape, at.strides if at.size else None, at.tolist()
    return (type(value), [told(item) for item in value]) if isinstance(value, (list, tuple)) else (type(value), repr(value))


def outcome(xp, call):
    try:
        return told(eval(call, {"np": xp, **GIVEN}))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_numpys(call):
    for _ in range(2):  # what is remembered of types says the same
        assert outcome(weft, call) == outcome(numpy, call)


def test_results_that_weft_has_a_dtype_for_are_wefts():
    for call in ('np.strings.find(s, "a")', "np.isnat(d)", 'np.loadtxt(io.StringIO("1 2"))', "np.array(range(3))", "np.unique(s, return_counts=True)[1]"):
        assert type(eval(call, {"np": weft, **GIVEN})) is weft.ndarray, call


def test_views_of_given_arrays_share_their_memory():
    f = numpy.arange(6.0)
    for call in ("np.split(f, 2)[1]", "np.asarray(f)", "np.atleast_2d(f)", "np.lib.stride_tricks.as_strided(f, (2,), (8,))", "np.asarray_chkfinite(f)"):
        view = eval(call, {"np": weft, "f": f})
        view[...] = 7.0
        assert (f == 7.0).any(), call
        f[:] = numpy.arange(6.0)


def test_shapes_are_told_of_arrays_of_all_kinds():
    for shape in ((), (3,), (0,), (2, 0), (1, 2, 3), (1,) * 6, (2,) * 5):
        for dtype in ("f8", "c8", "?", "u2"):
            for a, b in ((weft.zeros(shape, dtype), numpy.zeros(shape, dtype)), (weft.zeros(shape, dtype).T, numpy.zeros(shape, dtype).T), (weft.zeros(shape, dtype) + 1, numpy.zeros(shape, dtype) + 1)):
                for name in ("shape", "ndim", "size", "iterable", "iscomplexobj", "isrealobj", "isscalar"):
                    assert told(getattr(weft, name)(a)) == told(getattr(numpy, name)(b)), (name, shape, dtype)
                for name in ("shape", "ndim", "size", "nbytes", "itemsize"):
                    assert getattr(a, name) == getattr(b, name), (name, shape, dtype)
                assert a.dtype is a.dtype == b.dtype
    a = weft.arange(6)
    a.shape = (2, 3)
    assert (a.shape, a.strides, a.ndim, a.size) == ((2, 3), (24, 8), 2, 6)


def test_what_is_printed_follows_the_options():
    a, b = weft.arange(5) / 3, numpy.arange(5) / 3
    with numpy.printoptions(precision=2, sign="+", linewidth=20):
        assert (repr(a), str(a), f"{a}") == (repr(b), str(b), f"{b}")
    with numpy.printoptions(formatter={"float": lambda x: f"<{x:.1f}>"}):
        assert (repr(a), str(a)) == (repr(b), str(b))
    with numpy.printoptions(override_repr=lambda x: f"mine {x.shape}"):
        assert (repr(a), str(a)) == (repr(b), str(b))
    with numpy.printoptions(legacy="1.13"):
        assert (repr(a), str(a), repr(a[0]), str(weft.array(2.5))) == (repr(b), str(b), repr(b[0]), str(numpy.array(2.5)))
    assert repr(a) == repr(b)


def test_settings_of_errors_are_numpys():
    with weft.errstate(divide="ignore", over=None):
        assert numpy.geterr()["divide"] == "ignore"
    was = weft.seterr(all="warn")
    now = numpy.geterr()
    assert now == dict.fromkeys(now, "warn") == weft.seterr(**was) and numpy.geterr() == was
    with weft.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        weft.ones(3) / 0
    was = weft.seterr("raise")
    with pytest.raises(FloatingPointError, match="invalid value"):
        weft.zeros(100_000) / 0
    weft.seterr(**was)
    for setting in ({"nonsense": 1}, {"divide": "nonsense"}):
        with pytest.raises((TypeError, ValueError)), weft.errstate(**setting):
            pass
    decorated = weft.errstate(divide="ignore")(lambda: numpy.geterr()["divide"])
    assert decorated() == "ignore"


def test_arrays_are_pickled_and_saved_as_numpys_lie():
    for a in (numpy.arange(6.0), numpy.arange(6).reshape(2, 3).T, numpy.arange(12)[::2], numpy.array(2.5), numpy.zeros((0, 2)), numpy.arange(6000)):
        mine = weft.array(a) if a.flags.c_contiguous or a.ndim < 2 else weft.array(a.T).T
        back = pickle.loads(pickle.dumps(mine))
        assert type(back) is weft.ndarray and back.tolist() == a.tolist() and back.dtype == a.dtype
        assert a.size == 0 or back.strides == pickle.loads(pickle.dumps(a)).strides
        files = io.BytesIO(), io.BytesIO()
        weft.save(files[0], mine)
        numpy.save(files[1], a)
        assert files[0].getvalue() == files[1].getvalue()


def test_numpys_own_functions_call_wefts():
    x = weft.arange(5.0)
    for made, want in ((numpy.poly1d([1.0, 2.0])(x), numpy.poly1d([1.0, 2.0])(numpy.arange(5.0))), (numpy.polyval([1, 2], x), numpy.polyval([1, 2], numpy.arange(5.0))),
        (numpy.sum(x), 10.0), (numpy.fft.fft(x).real, numpy.fft.fft(numpy.arange(5.0)).real), (numpy.linalg.norm(x), numpy.linalg.norm(numpy.arange(5.0))), (numpy.split(x, [2])[0], [0.0, 1.0])):  # fmt: skip
        assert numpy.allclose(numpy.asarray(made), want) and isinstance(made, weft.ndarray | numpy.generic)


def test_flags_are_told_by_name():
    a, b = weft.arange(6).reshape(2, 3).T, numpy.arange(6).reshape(2, 3).T
    for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "C", "F", "OWNDATA", "WRITEABLE", "ALIGNED", "W", "FORC", "FNC", "CARRAY", "BEHAVED"):
        assert a.flags[name] == b.flags[name], name
    for name in ("NONSENSE", "_array", "__init__", 3):
        with pytest.raises(KeyError):
            a.flags[name]
