"""Who writes is seen by all who share the memory: NumPy's arrays, weft's, and other objects with a buffer."""

import operator
import re
import warnings

import numpy as np
import pytest
import weft

from .sharing import DTYPES, assert_same, run_python, sample

IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
]


@pytest.mark.parametrize("update", IN_PLACE)
def test_in_place_operators_on_numpy_arrays_write_into_them(update):
    x, theirs = np.arange(1.0, 7), np.arange(1.0, 7)
    y = update(x, weft.full(6, 2.0))
    assert y is x
    y = update(y, weft.arange(1, 7))
    update(theirs, np.full(6, 2.0))
    update(theirs, np.arange(1, 7))
    assert y is x
    np.testing.assert_array_equal(x, theirs)


def test_what_is_given_as_out_comes_back():
    x = np.zeros(3)
    assert np.add(weft.ones(3), 1, out=x) is x and x.tolist() == [2, 2, 2]
    assert weft.multiply(weft.ones(3), 5, x) is x and x.tolist() == [5, 5, 5]
    assert weft.add(np.ones(3), np.ones(3), out=x) is x and x.tolist() == [2, 2, 2]


@pytest.mark.parametrize("of", ["bool", "uint8", "int16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("to", DTYPES)
def test_views_of_other_dtypes_are_numpys(of, to):
    for shape in [(16,), (3, 8), (2, 1), (4, 3), (), (0,), (2, 0)]:
        for pick in [(), (..., slice(None, None, 2)), (..., slice(4, None)), (..., slice(None, None, -1))]:
            if not shape and pick:
                continue
            theirs = sample(of, shape)[pick]
            ours = weft.array(sample(of, shape))[pick]
            try:
                want = theirs.view(to)
            except ValueError as error:
                with pytest.raises(ValueError) as caught:
                    ours.view(to)
                assert str(caught.value) == str(error)
                continue
            got = ours.view(to)
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            assert want.size == 0 or got.strides == want.strides
            assert np.asarray(got).tobytes() == want.tobytes()


def test_views_of_other_dtypes_share_memory():
    v = weft.zeros(5, "uint32")
    f = v.view("float32")
    assert type(f) is weft.ndarray and f.base is v
    f += weft.ones(5, bool)
    f += 2
    assert v.tolist() == np.full(5, 3, "float32").view("uint32").tolist()
    v[1:] = 0
    assert f.tolist() == [3, 0, 0, 0, 0]
    halves = v.view(dtype="uint16")
    halves[1::2] = 0x3F80
    assert f.tolist() == np.array([0x3F800000 | 0x0, *[0x3F800000] * 4], "uint32").view("float32").tolist()
    wide = weft.arange(6, dtype="int16")[:4].view("int64")
    wide[0] = -1
    assert wide.base.tolist() == [-1, -1, -1, -1, 4, 5]
    locked = weft.arange(3)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        locked.view("float64")[0] = 1


def test_dtype_views_that_weft_cannot_have_are_numpys_and_share_memory():
    a = weft.zeros(16, "uint8")
    for view in (a.view(bool), a[1:9].view("int64"), a.view(">i4"), a.view("S4"), a.view(np.matrix)):
        assert isinstance(view, np.ndarray) and np.may_share_memory(view, np.asarray(a))


def _some_view(x, choose):
    """Slices of a matrix, by numbers that are drawn, so that two libraries make the same."""
    rows, columns = (slice(*sorted(choose.integers(0, 9, 2)), choose.integers(1, 4)) for _ in range(2))
    view = x[rows, columns]
    for turn in (lambda v: v[::-1], lambda v: v.T, lambda v: v[:, ::-1], lambda v: v.reshape(-1), lambda v: v.view("uint16")[..., :1]):
        if choose.random() < 0.2 and view.ndim == 2 and view.shape[1] and view.strides[-1] == 4:
            view = turn(view)
    return view


@pytest.mark.parametrize("lent", [False, True])
def test_whether_memory_is_shared_is_what_numpy_says(lent):
    seen = set()
    for seed in range(400):
        x = np.arange(64, dtype="int32").reshape(8, 8)
        a = weft.asarray(x) if lent else weft.arange(64, dtype="int32").reshape(8, 8)
        pairs = []
        for of in (x, a):
            choose = np.random.default_rng(seed)
            pairs.append([_some_view(of, choose), _some_view(of, choose)])
        for name in ("may_share_memory", "shares_memory"):
            want = getattr(np, name)(*pairs[0])
            assert getattr(weft, name)(*pairs[1]) is want, (seed, name)
            seen.add((name, want))
    assert len(seen) == 4
    a = weft.arange(8.0)
    for name in ("may_share_memory", "shares_memory"):
        ask = getattr(weft, name)
        assert ask(a, a) is True and ask(a, a.copy()) is False and ask(a, a[3:4], max_work=1) is True and ask(a[:0], a) is False
        assert ask(a[2], a) is False and ask(a + 1, a) is False and ask(np.asarray(a)[2:], a) is True
        x = np.arange(8.0)
        assert ask(weft.asarray(x), x[1:]) is True and ask(weft.asarray(x), weft.asarray(x[4:])) is True
        for wrong in ((a,), (a, a, 1, 2)):
            with pytest.raises(TypeError) as raised:
                ask(*wrong)
            with pytest.raises(TypeError, match=re.escape(str(raised.value))):
                getattr(np, name)(*(np.arange(8.0) if w is a else w for w in wrong))


def test_results_that_are_views_of_weft_arrays_are_wefts():
    a = weft.arange(12)
    views = [
        *np.ix_(a, a[:3]),
        weft.lib.stride_tricks.sliding_window_view(a, 3),
        weft.lib.stride_tricks.as_strided(a, (3, 2), (32, 8)),
        weft.trim_zeros(a),
        weft.rot90(a.reshape(3, 4)),
    ]
    a[5] = 77
    for view in views[3:] + views[:1]:
        assert type(view) is weft.ndarray and 77 in view
    assert (views[2][:, 1] == 77).any()
    with pytest.raises(ValueError, match="read-only"):
        views[2][0] = 1
    views[3][0, 1] = -5
    assert a[1] == -5


@pytest.mark.parametrize("count", [6, 9000])
@pytest.mark.parametrize("trim", ["fb", "f", "b"])
def test_trimmed_arrays_are_views(count, trim):
    b = weft.zeros(count)
    b[2:4] = 1
    a = weft.trim_zeros(b, trim)
    a[...] = 7
    theirs = np.zeros(count)
    theirs[2:4] = 1
    np.trim_zeros(theirs, trim)[...] = 7
    assert type(a) is weft.ndarray and a.base is b and b.tolist() == theirs.tolist()


def test_trimmed_to_nothing_is_still_read_only():
    for array in weft.diagonal(weft.zeros((3, 3))), weft.broadcast_to(weft.zeros(9000), (2, 9000))[1]:
        assert not weft.trim_zeros(array).size and not weft.trim_zeros(array).flags.writeable
    assert weft.trim_zeros(weft.zeros(3)).flags.writeable


def test_programs_that_lost_their_sharing():
    def program(np):
        v2 = np.ediff1d(((np.arange(18000) * 91 + 13) % 71).astype("uint32").reshape((40, 50, 9)))
        v5 = v2[::1].astype("float16")
        v13 = np.broadcast_to(v5, (1, *v5.shape))
        v5[15624:17548] += v5[2090:4014][::-1]
        return v5, v13

    for ours, theirs in zip(program(weft), program(np), strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("name", ["ediff1d", "trim_zeros", "gradient", "unwrap", "apply_over_axes"])
def test_numpys_own_text_gives_weft_arrays(name):
    a = weft.arange(1, 9001) % 7
    arguments = (weft.sum, a.reshape(3, -1), (0,)) if name == "apply_over_axes" else (a,)
    assert type(getattr(weft, name)(*arguments)) is weft.ndarray


def numpy_views():
    x = np.arange(24.0).reshape(2, 3, 4)
    return {
        "asarray": (x, weft.asarray),
        "asanyarray": (x, weft.asanyarray),
        "ascontiguousarray": (x, weft.ascontiguousarray),
        "array": (x, lambda a: weft.array(a, copy=None)),
        "array without copy": (x, lambda a: weft.array(a, copy=False)),
        "ravel": (x, weft.ravel),
        "reshape": (x, lambda a: weft.reshape(a, (4, 6))),
        "transpose": (x, weft.transpose),
        "permute_dims": (x, lambda a: weft.permute_dims(a, (1, 0, 2))),
        "squeeze": (x[:1], weft.squeeze),
        "swapaxes": (x, lambda a: weft.swapaxes(a, 0, 1)),
        "moveaxis": (x, lambda a: weft.moveaxis(a, 0, 1)),
        "atleast_1d": (x[0, 0], weft.atleast_1d),
        "atleast_2d": (x[0, 0], weft.atleast_2d),
        "atleast_3d": (x[0, 0], weft.atleast_3d),
        "flip": (x, weft.flip),
        "flipud": (x, weft.flipud),
        "fliplr": (x, weft.fliplr),
        "rot90": (x, weft.rot90),
        "expand_dims": (x, lambda a: weft.expand_dims(a, 1)),
        "matrix_transpose": (x, weft.matrix_transpose),
        "real": (x, weft.real),
        "real of complex": (x + 1j, weft.real),
        "frombuffer": (x, weft.frombuffer),
        "from_dlpack": (x, weft.from_dlpack),
        "from_dlpack without copy": (x, lambda a: weft.from_dlpack(a, copy=False)),
        "ndarray": (x, lambda a: weft.ndarray((4, 3), float, a, 8, (32, 8))),
        "slices": (x[::-1, 1:, ::2], weft.asarray),
        "columns": (np.asfortranarray(x), weft.asarray),
    }


@pytest.mark.parametrize("name", numpy_views())
def test_views_of_numpy_arrays_share_their_memory(name):
    x, function = numpy_views()[name]
    view = function(x)
    assert isinstance(view, (weft.ndarray, np.ndarray))
    x[...] = 3
    assert view.tolist() == np.full(view.shape, 3).tolist()
    view += 1
    view[...] = view * 2
    seen = np.asarray(x)
    assert seen.ravel()[-1] == 8 or seen.ravel()[0] == 8 or (seen == 8).any()
    assert (view == 8).all()


@pytest.mark.parametrize("name", ["broadcast_to", "diagonal"])
def test_views_that_numpy_gives_to_be_read(name):
    x = np.arange(9.0).reshape(3, 3)
    view = weft.broadcast_to(x, (2, 3, 3)) if name == "broadcast_to" else weft.diagonal(x)
    x[...] = 5
    assert type(view) is weft.ndarray and (view == 5).all() and not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_buffers_of_others_are_shared():
    import array

    memory = bytearray(range(16))
    a, b = weft.frombuffer(memory, "uint16"), weft.asarray(memoryview(memory)[4:])
    memory[4] = 200
    assert a[2] == 200 + 5 * 256 and b[0] == 200
    b += 1
    assert a[2] == 201 + 6 * 256 and memory[4] == 201
    a[1:] += a[:-1].view("uint16")  # overlapping, and known to be so
    want = np.frombuffer(bytes(memory), "uint16")
    assert a.tolist() == want.tolist()
    numbers = array.array("d", [1, 2, 3])
    w = weft.asarray(numbers)
    w *= 2
    assert numbers.tolist() == [2, 4, 6]
    with pytest.raises(BufferError):
        numbers.append(1)
    del w
    numbers.append(1)  # nothing has the memory any more


def test_two_arrays_over_one_memory_know_that_they_overlap():
    x, y = np.arange(20000), np.arange(20000)
    a, b = weft.asarray(x[1:]), weft.asarray(x[:-1])
    a += b
    y[1:] += y[:-1]
    np.testing.assert_array_equal(x, y)
    w = weft.arange(20000)
    again = weft.asarray(np.asarray(w))  # weft's own memory comes back
    w[1:] += again[:-1]
    np.testing.assert_array_equal(np.asarray(w), x)
    assert not w._lent and not again._lent


def test_memory_that_may_only_be_read_stays_so():
    x = np.arange(4.0)
    x.flags.writeable = False
    for a in (weft.asarray(x), weft.ravel(x), weft.frombuffer(bytes(32)), weft.from_dlpack(x)):
        assert not a.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            a[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            a += 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True of this array"):
            a.setflags(write=True)


def test_copies_stay_copies():
    x = np.arange(4.0)
    for a in (weft.array(x), weft.asarray(x, dtype="float32"), weft.asarray(x, copy=True), weft.from_dlpack(x, copy=True), weft.array(x, ndmin=2)):
        assert not a._lent
        a[...] = 9
    assert x.tolist() == [0, 1, 2, 3]
    assert not weft.asarray([1, 2])._lent and not weft.asarray(range(3))._lent


def test_what_weft_cannot_share_is_numpys_own():
    x = np.frombuffer(bytearray(33), "float64", offset=1)
    a = weft.asarray(x)
    assert a is x
    odd = np.frombuffer(b"\xff" * 8, bool)
    assert weft.asarray(odd) is odd
    steps = np.lib.stride_tricks.as_strided(np.arange(8), (6, 3), (8, 8))
    assert np.shares_memory(weft.asarray(steps), steps)


def test_arrays_over_lent_memory_do_not_own_it():
    a = weft.asarray(np.arange(4))
    assert not a.flags.owndata and not a.flags["OWNDATA"]
    with pytest.raises(ValueError, match="does not own its data"):
        a.resize(8)


AT_READ_ONLY = """
import numpy, weft as np
a = np.arange(16.0).reshape(4, 4)
row = a[1]
row.flags.writeable = False
for read in (np.diagonal(a), row):
    b = a * 2  # a device has it
    float(b.sum())
    np.add.at(read, [0, 1], 1)
    print((a + 0).tolist(), float((a * 2).sum()))
view = numpy.asarray(np.broadcast_to(a[0], (2, 4)))
a += 1
print(view.tolist())
"""


@pytest.mark.parametrize("flags", ["--cpus 1", "--gpus 2 --emulate"])
def test_writes_by_and_behind_read_only_views_are_seen_everywhere(flags):
    done = run_python(AT_READ_ONLY, "-W", "ignore", env={"WEFT_ARGS": flags})
    wanted = run_python(AT_READ_ONLY.replace("weft as np", "numpy as np"))
    assert done.returncode == 0 and done.stdout == wanted.stdout, done.stdout + done.stderr


def test_only_operations_on_lent_memory_are_done_at_once():
    code = """
import numpy, weft as np
theirs = numpy.arange(200.)
lent, own = np.asarray(theirs), np.ones(200)
x = own
for _ in range(10):
    x = x + own
lent += own
print(theirs[:3])
y = lent * 2
theirs[:] = 0
z = own * lent[1:3].sum()
part = lent[5:]
part[0] = 7
print(theirs[5], y[:3].tolist(), z[0], x[0])
"""
    done = run_python(code)
    assert done.stdout == "[1. 2. 3.]\n7.0 [2.0, 4.0, 6.0] 0.0 11.0\n", (done.stdout, done.stderr)


def test_bytes_are_read_as_their_base_and_never_written():
    raw = bytes(range(48))
    for call in ("np.frombuffer(raw)", "np.frombuffer(raw, 'u1', 5, 3)", "np.frombuffer(raw, dtype=np.float32, count=4)", "np.frombuffer(raw, 'i2', offset=3)", "np.frombuffer(raw, offset=8)",
                 "np.frombuffer(raw, 'f8', 7)", "np.frombuffer(raw, 'f8', -1, 3)", "np.frombuffer(raw, bool, 2)", "np.frombuffer(raw, '>i4')"):  # fmt: skip
        both = []
        for xp in (np, weft):
            try:
                made = eval(call, {"np": xp, "raw": raw})
                both.append((made.tolist(), made.dtype, made.base is raw or type(made.base), made.flags.writeable, made.flags.owndata))
            except Exception as e:
                both.append((type(e), str(e)))
        assert both[0] == both[1] or ">i4" in call, call
    x = weft.frombuffer(raw, "u1")
    whole = x + 1
    for settle in (lambda: None, lambda: memoryview(x)):
        settle()
        for array in (x, x[2:]):
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True of this array"):
                array.flags.writeable = True
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
            with pytest.raises(ValueError):
                weft.add(array, 1, out=array)
        assert memoryview(x).readonly and x[2:].base is x and x.base is raw
    assert (x + 1).tolist() == whole.tolist() and x.tolist() == list(raw)


@pytest.mark.parametrize("sparse", [False, True])
def test_grids_of_views_warn_where_they_are_written(sparse):
    """Not where they are made, and are looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x, y = weft.meshgrid(weft.arange(3), weft.arange(2), copy=False, sparse=sparse)
        assert x.strides == np.meshgrid(np.arange(3), np.arange(2), copy=False, sparse=sparse)[0].strides
        assert int(x.sum()) == (3 if sparse else 6) and y.shape == ((2, 1) if sparse else (2, 3))
