"""Between weft's arrays and host memory: buffers, NumPy, pickles, text."""

import copy
import pickle
import weakref

import numpy as np
import pytest
import weft

from .sharing import DTYPES, assert_same, counters, run_python, sample


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 3, 4)])
def test_round_trip(dtype, shape):
    a = sample(dtype, shape)
    w = weft.array(a)
    assert_same(w, a)
    assert w.dtype is not None and w.dtype == a.dtype and w.itemsize == a.itemsize and w.nbytes == a.nbytes
    assert (w.ndim, w.size) == (a.ndim, a.size)
    assert a.size == 0 or w.strides == a.strides  # of nothing, they mean nothing


def test_non_contiguous_and_foreign_layouts():
    a = sample("int32", (4, 6))
    for layout in (a[::2, ::-1], a.T, np.asfortranarray(a), np.broadcast_to(a[0], (3, 6))):
        assert_same(weft.array(layout), np.array(layout, dtype="int32"))


def test_numpy_sees_the_same_memory():
    w = weft.arange(12.0).reshape(3, 4)
    view = np.asarray(w)
    view[1, 1] = -1
    assert float(w[1, 1]) == -1
    w[2] = 7
    assert view[2].tolist() == [7, 7, 7, 7]
    assert np.asarray(w[::-1, 1:3]).strides == (-32, 8)


@pytest.mark.parametrize("n", [1 << 18, 1000, 10])
def test_buffers_pin_the_memory(n):
    baseline = counters()["mappings"]
    w = weft.arange(16.0 + n)
    view = np.asarray(w)[10:]
    if n > 1000:  # memory of Go's, not the object's own
        assert counters()["mappings"] == baseline + 1
    del w
    assert view[0] == 10
    junk = [weft.zeros(16 + n) + i for i in range(50)]
    assert view[5] == 15
    del view, junk
    assert counters()["mappings"] == baseline


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 200])
def test_what_is_exported_stays_the_arrays_memory(dtype, n):
    """Before Go takes the memory over, and afterwards: by views, by arrays over the address, and when all that held it is gone."""
    baseline = counters()["mappings"]
    w = weft.array(sample(dtype, (n, 4)))
    part = w[1:, ::2]
    view, second = np.asarray(w), np.asarray(part)
    assert second.strides == view[1:, ::2].strides and np.shares_memory(view, second)
    one = np.ones((), dtype)[()]
    view[1, 0] = one
    assert part[0, 0] == one and w[1, 0] == one
    part[1, 1] = one
    assert view[2, 2] == one and second[1, 1] == one
    again = weft.asarray(second)  # looks for arrays over the address
    assert weft.shares_memory(again, w)
    view[1, 2] = one
    assert again[0, 1] == one and w[1, 2] == one
    w[:] = 0
    assert not view.any() and not second.any() and not weft.any(again) and not weft.any(part)
    if dtype != "bool":
        w[1:] += w[:-1] + one  # also where both are at other addresses
        assert view.tolist() == np.where(np.arange(n)[:, None] > 0, one, 0 * one).astype(dtype).repeat(4, 1).tolist()
    deferred = weft.zeros((400, n, 4)) + w.astype("f8")  # an operation that wants a handle
    view[0] = one
    assert not deferred[:, 0].any() and w[0].tolist() == [one] * 4
    del again, w, part
    assert view[0].tolist() == [one] * 4
    del view, second
    assert counters()["mappings"] == baseline


def test_exported_memory_is_read_only_where_the_array_is():
    w = weft.arange(5.0)
    w.flags.writeable = False
    assert memoryview(w).readonly and not np.asarray(w).flags.writeable
    fixed = weft.broadcast_to(weft.arange(3), (2, 3))
    assert memoryview(fixed).readonly and np.asarray(fixed).strides == (0, 8)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(fixed)[0, 0] = 1


def test_an_exported_array_is_not_resized():
    w = weft.arange(5.0)
    view = np.asarray(w)
    with pytest.raises(ValueError, match="cannot resize"):
        w.resize(9)
    assert view.tolist() == [0, 1, 2, 3, 4]
    del view
    w.resize(7)
    assert w.tolist() == [0, 1, 2, 3, 4, 0, 0]


@pytest.mark.parametrize(("dtype", "code"), [("float64", "d"), ("int32", "i"), ("bool", "?"), ("uint8", "B")])
def test_memoryview(dtype, code):
    m = memoryview(weft.array(sample(dtype)))
    assert (m.format, m.shape, m.readonly) == (code, (3, 4), False)
    assert m.tobytes() == sample(dtype).tobytes()


def test_array_protocol():
    w = weft.arange(4)
    assert w.__array__().tolist() == [0, 1, 2, 3]
    assert w.__array__(np.float32).dtype == np.float32
    assert np.array(w, dtype="f4").dtype == np.float32
    interface = w.__array_interface__
    assert interface["shape"] == (4,) and interface["typestr"] == "<i8"
    reversed_view = w[::-1].__array_interface__
    assert reversed_view["strides"] == (-8,) and reversed_view["data"] == (interface["data"][0] + 24, False)
    copied = np.array(w)
    copied[0] = 9
    assert int(w[0]) == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_pickle_and_copy(dtype):
    w = weft.array(sample(dtype))
    for other in (pickle.loads(pickle.dumps(w)), copy.copy(w), copy.deepcopy(w), w.copy()):
        assert_same(other, sample(dtype))
        other[0, 0] = not bool(host_first(w))
        assert_same(w, sample(dtype))


def host_first(w):
    return np.asarray(w)[0, 0]


def test_pickles_load_as_numpys_arrays_where_there_is_no_weft(tmp_path):
    arrays = [weft.arange(5.0), weft.zeros((3, 4), int)[:, ::2], weft.ones(100_000) * 2]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        text = pickle.dumps([*arrays, arrays[0]], protocol)
        assert b"weft._" not in text
        again = pickle.loads(text)
        assert {type(a) for a in again} == {weft.ndarray} and again[0] is again[-1]
    path = tmp_path / "arrays"
    path.write_bytes(pickle.dumps(arrays))
    code = f"import pickle, sys; x = pickle.load(open({str(path)!r}, 'rb')); print(x[0], x[1].shape, x[2].sum(), type(x[0]), 'weft' in sys.modules)"
    done = run_python(code, env={"PYTHONPATH": ""})
    assert done.stdout == "[0. 1. 2. 3. 4.] (3, 2) 200000.0 <class 'numpy.ndarray'> False\n", done.stderr


def test_pickled_scalars_stay_scalars():
    total = weft.arange(4.0).sum()
    again = pickle.loads(pickle.dumps({"total": total}))["total"]
    assert repr(again) == repr(np.float64(6.0)) and hash(again) == hash(6.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_text_is_numpys(dtype):
    for shape in [(), (0, 3), (3,), (3, 4), (40, 50), (2000,)]:
        a = sample(dtype, shape)
        assert repr(weft.array(a)) == repr(a)
        assert str(weft.array(a)) == str(a)


def test_print_options_are_honoured():
    a = np.arange(3000.0).reshape(100, 30) / 7
    for options in ({"precision": 2}, {"threshold": 5, "edgeitems": 1}, {"linewidth": 40}, {"threshold": 10**6}):
        with np.printoptions(**options):
            assert repr(weft.array(a)) == repr(a)


def test_scalars_print_as_numpys():
    w = weft.arange(4.0)
    assert repr(w.sum()) == "np.float64(6.0)" and str(w[2]) == "2.0"
    assert repr(w[1] > 0) == "np.True_"
    assert f"{w.sum():.3f}" == "6.000" and f"{w[1]}" == "1.0"
    assert repr(weft.arange(3, dtype="int8")[1]) == "np.int8(1)"
    with pytest.raises(TypeError):
        f"{w:.2f}"


def test_weak_references():
    w = weft.arange(3)
    seen = weakref.ref(w)
    assert seen() is w
    del w
    assert seen() is None


def test_dtypes_that_are_not_native_stay_numpys():
    dates = np.array(["2020-01-01"], dtype="datetime64[D]")
    words = np.array(["a", "b"])
    assert isinstance(weft.asarray(dates), np.ndarray)
    assert isinstance(weft.array(words), np.ndarray)
    assert isinstance(weft.array(np.arange(3, dtype=">i4")), np.ndarray)


@pytest.mark.parametrize("size", [1, 10, 20_000])
def test_what_is_pickled_beside_the_rest_is_the_arrays_memory(size):
    x, beside = weft.arange(size) * 1.0, []
    text = pickle.dumps({"x": x, "turned": weft.ones((3, 2)).T, "steps": weft.arange(12.0).reshape(3, 4)[:, :2]}, 5, buffer_callback=beside.append)
    assert len(beside) == 2  # what does not lie in one piece goes with the rest, as NumPy's
    again = pickle.loads(text, buffers=beside)
    assert again["turned"].flags.f_contiguous and again["steps"].tolist() == [[0, 1], [4, 5], [8, 9]]
    x[0] = -1
    assert type(again["x"]) is weft.ndarray and float(again["x"][0]) == -1
    del x, beside
    again["x"] += 1
    assert float(again["x"][0]) == 0
