"""Functions that weft has not, called with few elements: NumPy gets arrays over the memory of weft's, so that what keeps it, or writes to it, has the array's."""

import gc
import warnings

import numpy
import pytest

from .sharing import weft

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning")

# v is a vector, m a matrix, k integers, p a mask, f a masked array of NumPy's.
CALLS = """
ma.array(v, mask=v > 2) | ma.array(v) | ma.masked_where(p, v) | ma.masked_invalid(m) | ma.masked_equal(k, 2) | ma.mean(f) | ma.add(f, v) | ma.add(v, v) | ma.getdata(v) | ma.getdata(f) | ma.getmaskarray(v)
ma.median(f) | ma.average(v, weights=v) | ma.concatenate([f, v]) | ma.where(p, v, 0) | ma.compress([True], v) | ma.sort(v) | ma.masked_array([v, v]) | ma.dot(m, m) | ma.array(m.T, copy=True) | ma.array(v[::2]) | ma.filled(v, 1)
rec.fromarrays([v, k], names="x,y") | rec.fromarrays([v[:2], k[:2]]).f0 | rec.array(v) | apply_along_axis(lambda x: x.sum(), 0, m) | apply_along_axis(lambda x: x[::-1], 1, m) | apply_along_axis(np.sum, 0, m) | apply_along_axis(sum, 1, m)
apply_along_axis(lambda x, y: x + y, 0, m, 3) | apply_along_axis(lambda x: 1 / 0, 0, m) | apply_along_axis(lambda x: x, 5, m) | ma.masked_where(p, v[:1]) | ma.array(v, mask=[1]) | ma.nonsense(v) | ma.array(v, dtype="x") | ma.array()
char.add(np.array(["a"]), "b") | char.multiply(np.array(["a", "b"]), k[:2]) | lib.stride_tricks.as_strided(v, (2, 2), (8, 8)) | ma.array({"a": v}) | ma.array(v, fill_value=3).fill_value | nditer(v).shape | nditer([v, k]).nop | ndenumerate(v)
ma.vander(v) | ma.polyfit(v, v, 1) | ma.cov(m) | ma.unique(k) | ma.isin(k, [1]) | ma.in1d(k, k) | ma.ndenumerate(v) | ma.notmasked_edges(f) | ma.clump_masked(f) | ma.flatnotmasked_contiguous(f) | ma.stack((v, v)) | ma.hstack([v, f])
""".replace("\n", "|").split("|")
CALLS = [call.strip() for call in CALLS if call.strip()]


def given(np):
    v = np.array([1.0, 2.5, 3.0, 4.0, -1.0])
    return {"np": np, "v": v, "m": np.array([[1.0, 2.0], [3.0, 4.0]]), "k": np.array([1, 2, 2, 0, 3]), "p": v > 2, "f": numpy.ma.array([1.0, 2.0, 3.0, 4.0, 5.0], mask=[0, 1, 0, 0, 1])}


def told(value):
    if type(value) in (list, tuple):
        return [told(item) for item in value]
    if isinstance(value, numpy.ma.MaskedArray):
        return type(value), value.dtype, value.shape, repr(value)
    if isinstance(value, (weft.ndarray, numpy.ndarray)):
        at = numpy.asarray(value)
        return type(value) in (weft.ndarray, numpy.ndarray) or type(value), at.dtype, at.shape, repr(at.tolist())
    return type(value), value if isinstance(value, (int, float, str, slice, type(None))) else None


def outcome(np, call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            made = told(eval("np." + call, given(np)))
        except Exception as error:
            made = type(error), str(error).replace("weft", "numpy")
    return made, [str(w.message) for w in said if w.category is not weft.FallbackWarning]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_numpys(call):
    for _ in range(2):  # the second is no news
        assert outcome(weft, call) == outcome(numpy, call)


def test_what_is_kept_is_the_arrays_memory():
    for make in (lambda np: np.arange(6.0), lambda np: np.arange(12.0)[::2], lambda np: np.arange(6.0).reshape(2, 3), lambda np: np.arange(6.0).reshape(2, 3).T, lambda np: np.arange(1_000_000.0)[3:9]):
        seen = []
        for np in (numpy, weft):
            x = make(np)
            kept = np.ma.array(x, copy=False)
            x += 1
            found = [kept.tolist()]
            kept[(0,) * x.ndim] = 70
            found.append(x.tolist())
            y = x * 2  # and when Go has the array
            big = np.zeros(100_000)
            big[: x.size] += x.reshape(-1)
            x[...] = 5
            found += [kept.tolist(), y.tolist(), big[:9].tolist()]
            kept[...] = 3
            found.append(x.tolist())
            del x
            gc.collect()
            seen.append([*found, kept.sum(), kept.tolist()])
        assert seen[0] == seen[1]


def test_what_may_not_be_written_is_not():
    x = weft.arange(3.0)
    x.flags.writeable = False
    kept = weft.ma.array(x, copy=False)
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1
    assert x.tolist() == [0, 1, 2]


def test_an_argument_that_comes_back_is_itself_and_a_view_is_one():
    x, theirs = weft.arange(6.0), numpy.arange(6.0)
    assert weft.ma.getdata(x) is x
    assert weft.ma.getdata(theirs) is theirs
    part = weft.lib.stride_tricks.as_strided(x, (2, 3), (24, 8))
    x[0] = 9
    assert part[0, 0] == 9 and weft.shares_memory(part, x)
    fresh = weft.apply_along_axis(lambda row: row * 1, 0, x.reshape(2, 3))
    want = numpy.apply_along_axis(lambda row: row * 1, 0, theirs.reshape(2, 3))
    assert type(fresh) is weft.ndarray and not weft.shares_memory(fresh, x) and fresh.flags.owndata == want.flags.owndata


def test_what_masked_arrays_give_of_an_arrays_memory_is_a_view_of_it():
    x = weft.arange(6.0)
    masked = weft.ma.array(x, mask=x > 3, copy=False)
    data = weft.ma.getdata(masked)
    data[1] = 7
    assert type(data) is weft.ndarray and x[1] == masked[1] == 7 and weft.shares_memory(data, x)
    part = weft.ma.getdata(masked[4:])
    part[0] = 8
    assert x[4] == 8 and part.tolist() == [8, 5]
    places = weft.ma.nonzero(masked)
    assert type(places) is tuple and type(places[0]) is weft.ndarray and places[0].tolist() == [1, 2, 3]
    weft.ma.harden_mask(masked)
    x.flags.writeable = False
    assert not weft.ma.getdata(weft.ma.array(x, copy=False)).flags.writeable


def test_questions_about_types_are_answered_of_classes_that_derive_from_numpys_too():
    class Known(numpy.ndarray):
        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    x, own = weft.arange(3.0), numpy.arange(3.0).view(Known)
    assert weft.ma.isMaskedArray(weft.ma.array(x)) and not weft.ma.isMaskedArray(x)
    assert weft.ma.size(weft.ma.array(x)) == 3 and weft.ma.size(x) == 3
    assert weft.broadcast_shapes((3, 1), (1, 4)) == (3, 4)
    assert weft.can_cast(own, "f4") == numpy.can_cast(own, "f4")
    with pytest.raises(TypeError, match="binary_repr"):
        weft.binary_repr()


def test_programs_functions_may_use_weft_and_raise():
    x = weft.arange(6.0).reshape(2, 3)
    calls = []

    def function(row):
        calls.append(1)
        if len(calls) == 3:
            raise KeyError("mine")
        return float(weft.sum(weft.asarray(row) * 2))

    with pytest.raises(KeyError, match="mine"):
        weft.apply_along_axis(function, 0, x)
    assert len(calls) == 3  # and not called again
    calls[:] = [1] * 9
    assert weft.apply_along_axis(function, 1, x).tolist() == [6.0, 24.0]


def test_calls_are_counted():
    x = weft.arange(3.0)
    before = weft.coverage().fallback.get("ma.core.masked_less", 0)
    for _ in range(4):
        weft.ma.masked_less(x, 1)
    assert weft.coverage().fallback["ma.core.masked_less"] == before + 4


@pytest.mark.parametrize("np", [numpy, weft])
def test_frompyfunc_calls_the_function_once_for_each_element(np):
    seen = []
    add = np.frompyfunc(lambda a, b: seen.append((a, b)) or a + b, 2, 1)
    x = np.arange(3.0)
    assert isinstance(add, np.ufunc) and repr(add) == "<ufunc '<lambda> (vectorized)'>" and (add.nin, add.nout, add.identity) == (2, 1, None)
    assert add(x, 1).tolist() == [1.0, 2.0, 3.0] and seen == [(0.0, 1), (1.0, 1), (2.0, 1)] and type(seen[0][0]) is float
    assert add(x, x).dtype == object and add("a", "b") == "ab" and add.reduce(x) == 3.0 and add.outer(x, x).shape == (3, 3)
    into = numpy.empty(3, object)
    assert add(x, x, out=into) is into and into.tolist() == [0.0, 2.0, 4.0]
    both = np.frompyfunc(divmod, 2, 2)(np.arange(4), 2)
    assert [part.tolist() for part in both] == [[0, 0, 1, 1], [0, 1, 0, 1]]
    assert np.frompyfunc(int, 1, 1)(np.arange(5000.0)).sum() == 12_497_500
    seen.clear()
    with pytest.raises(ZeroDivisionError):
        np.frompyfunc(lambda a: seen.append(a) or 1 / 0, 1, 1)(x)
    assert seen == [0.0]
    with pytest.raises(TypeError, match="from 2 to 3 positional arguments but 1 was given"):
        add(x)


LISTS = "broadcast_to([0], (3, 1024)) | broadcast_to([1, 2], (3, 2)) | broadcast_to(5, (3, 2)) | broadcast_to([[1.5], [2]], (2, 2)) | broadcast_to((True, False), (2, 2)) | lib.stride_tricks.sliding_window_view([1, 2, 3], 2)"


@pytest.mark.parametrize("call", [*LISTS.split(" | "), "broadcast_to([0], (1 << 32, 2))", "array_split(broadcast_to([0], (1 << 32, 2)), 4)[3]"])
def test_views_of_lists_take_no_more_memory(call):
    got, want = (eval(call, {name: getattr(np, name) for name in ("array_split", "broadcast_to", "lib")}) for np in (weft, numpy))
    assert type(got) is weft.ndarray and (got.shape, got.dtype, got.strides, got.flags.writeable, got.flags.owndata) == (want.shape, want.dtype, want.strides, want.flags.writeable, want.flags.owndata)
    assert want.size > 5000 or got.tolist() == want.tolist()
