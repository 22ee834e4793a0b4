"""How few elements lie in memory, and what a program asks of it: orders, flags, the flat iterator and the buffer are NumPy's, and what is a view stays one."""

import warnings

import numpy
import pytest
import weft

from .sharing import DTYPES, run_python, sample

LAYOUTS = [
    lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[1], lambda a: a[:, 2], lambda a: a[0, ::2], lambda a: a[:1], lambda a: a[:, :1], lambda a: a[:0], lambda a: a[1, 1, ...],
    lambda a: a.reshape(2, 3, 2), lambda a: a.reshape(2, 3, 2).transpose(1, 2, 0), lambda a: a.T.reshape(2, 3, 2, order="F"),
]  # fmt: skip
CALLS = """
a.copy(order="F") | a.copy("F") | a.copy("C") | a.copy(order="K") | a.copy(order="A") | a.flatten("F") | a.flatten(order="F") | a.flatten("C") | a.flatten("K") | a.ravel("F") | a.ravel(order="F") | a.ravel("C") | a.ravel(order="K")
a.reshape(-1, order="F") | a.reshape((-1,), order="F") | a.reshape(2, -1, order="F") | a.reshape((3, -1), order="F") | a.reshape([2, -1], order="F") | a.reshape(1, -1, 1, order="F") | a.reshape(-1, order="C") | a.reshape(5, -1, order="F")
a.reshape(2, 3, order="A") | a.reshape(-1, -1, order="F") | a.reshape(order="F") | a.copy(order="X") | a.copy(order=3) | a.ravel("F", "F") | a.reshape(-1, order=None) | a.imag | a.real | a.flat[1] | a.flat[-1] | a.flat[1:3] | a.flat[[0, 1]] | list(a.flat)
a.flat[99] | a.flat.base is not None | len(a.flat) | a.data.shape | a.data.strides | a.data.format | a.data.readonly | bytes(a.data) | a.astype("f4", copy=False) | a.astype("c16", copy=False)
np.asfortranarray(a) | np.ascontiguousarray(a) | np.cumulative_sum(a) | np.cumulative_prod(a) | np.cumulative_sum(a, axis=0) | np.linalg.matrix_transpose(a) | np.linalg.diagonal(a) | np.linalg.trace(a) | np.linalg.outer(a, a)
np.diag(a, k=1) | np.diag(a, -1) | np.diag(a, 9) | a.diagonal(1) | a.diagonal(-2) | np.diagonal(a, 1) | np.diagonal(a, -1, 0, 1) | np.trace(a, 1) | np.trace(a, -1) | a.trace(2) | np.array(a, order="F")
np.array(a, order="C") | np.array(a, order="K") | np.array(a, ndmin=3) | np.array(a, ndmin=1) | np.array(a, ndmin=0) | np.array(a, ndmin=-1) | np.asarray(a, order="C") | np.asarray(a, order="F") | np.asanyarray(a, order="C") | np.array(a, copy=False) is a | np.array(a, copy=None) is a | np.array(a.T) | np.array(a, copy=True)
np.require(a) | np.require(a, "f4") | np.require(a, None, "C") | np.require(a, requirements=["F", "W"]) | np.require(a, requirements="O") | np.require(a, requirements="X") | a.byteswap() | a.byteswap(False) | np.astype(a, np.float32) | np.astype(a, a.dtype, copy=False) is a
np.array([1, "a", None], dtype=object) | np.array([a.size, 1.5], dtype=object) | np.array([a[:1], 1], dtype=object).shape | np.arange("2020-01", "2020-04", dtype="M8[M]") | np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-05"))
np.arange("a", "b") | np.arange("2020-01", "2020-03", "x", dtype="M8[D]") | (np.copyto(a, 1, where=a == a[0]), a)[1] | (np.copyto(a, a[::-1], where=a > 0), a)[1] | (np.copyto(a, 2.5, "same_kind", a > 0), a)[1] | (np.copyto(a, 1, "no", a > 0), a)[1]
(a.byteswap(True), a)[1] | np.linalg.diagonal(a, offset=1) | np.linalg.trace(a, dtype=float) | np.linalg.matmul(a, a) | np.cumulative_sum(a, include_initial=True, axis=0) | np.linalg.matrix_transpose(a, a)
np.isclose(a, a) | np.isclose(a, a, equal_nan=True) | np.isclose(a, 1) | np.tile(a, 1) | np.tile(a, ()) | np.tile(a, (1, 1, 1)) | np.tile(a, 2)
np.dot(a, np.array(2.0)) | np.dot(np.array(2, "f4"), a) | a.dot(2) | a.dot(2.5) | np.dot(np.array(2, "i8"), a[:1]) | np.inner(3.0, a[::-1]) | np.dot(a.T, 2.0)
""".replace("\n", "|").split("|")


def told(value):
    if isinstance(value, numpy.ndarray | weft.ndarray):
        strides = [step for step, n in zip(value.strides, value.shape, strict=True) if n > 1] if value.size else None
        return (
            value.dtype,
            value.shape,
            strides,
            repr(value.tolist()) if value.dtype == object else numpy.asarray(value).tobytes(),
            value.flags.writeable or not value.size,
        )
    return type(value).__name__, repr(value)


def outcome(call, names):
    try:
        return told(eval(call, names))
    except Exception as error:
        return ("raises", *[kind.__name__ for kind in (ValueError, TypeError, IndexError) if isinstance(error, kind)])


@pytest.mark.parametrize("call", [call.strip() for call in CALLS if call.strip()])
def test_orders_are_numpys(call):
    for dtype in ("float64", "int32", "bool", "complex128"):
        for layout in LAYOUTS:
            theirs, ours = layout(sample(dtype)), layout(weft.array(sample(dtype)))
            with numpy.errstate(all="ignore"):
                want = outcome(call, {"np": numpy, "a": theirs})
                got = outcome(call, {"np": weft, "a": ours})
            assert got == want, (dtype, theirs.shape, theirs.strides)


@pytest.mark.parametrize(
    "call",
    [
        "a.ravel('F')",
        "a.reshape(-1, order='F')",
        "a.reshape(2, 6, order='F')",
        "a.reshape(12, 1, order='F')",
        "a.flatten('F')",
        "a.copy('F')",
        "a.ravel('C')",
        "a.astype(float, copy=False)",
    ],
)
def test_views_are_views_where_numpys_are(call):
    for layout in LAYOUTS[:4]:
        theirs, ours = layout(sample("float64")), layout(weft.array(sample("float64")))
        try:
            want = eval(call, {"a": theirs})
        except ValueError:
            continue
        made = eval(call, {"a": ours})
        assert weft.shares_memory(made, ours) == numpy.shares_memory(want, theirs)
        made[...] = want[...] = 7
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [12, 300_000])
def test_what_is_written_by_flat_is_there(dtype, n):
    ours, theirs = weft.zeros((2, n // 2), dtype), numpy.zeros((2, n // 2), dtype)
    for a in (ours, theirs, ours.T, theirs.T, ours[:, ::2], theirs[:, ::2]):
        a.flat[1] = 1
        a.flat[2:4] = [1, 0]
        for at in range(4, 6):
            a.flat[at] = at
        it = a.flat
        next(it)
        assert it.index == 1 and it[1] == a.flat[1] and it.index == 0
        it = a.flat
        assert it[0] == a[0, 0] and it[-1] == a[-1, -1] and next(it) == a[0, 0] and it.index == 1
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    ours.flat, theirs.flat = [1, 0, 1], [1, 0, 1]
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    ours.flat = weft.ones(3, dtype)
    assert bool((ours == 1).all())
    fixed = ours[:]
    fixed.flags.writeable = False
    with pytest.raises((ValueError, RuntimeError)):
        fixed.flat[0] = 1
    with pytest.raises(AttributeError):
        del ours.flat


@pytest.mark.parametrize("code", ["f[Begins(1)]", "f[:1] = Begins(7)", "f[Begins(1)] = 7", "f == Begins(1)"])
def test_an_iterator_may_begin_anew_while_an_argument_of_a_call_is_read(code):
    class Begins:
        def __init__(self, value):
            self.value = value

        def __array__(self, dtype=None, copy=None):
            x.flags.writeable = not x.flags.writeable
            f[1:2]
            x.flags.writeable = True
            return numpy.array(self.value)

    x = weft.arange(6)
    f = x.flat
    f[1:2]
    space = {"f": f, "Begins": Begins}
    for _ in range(20):
        exec(code, space)
    want = {"f[:1] = Begins(7)": [7, 1, 2, 3, 4, 5], "f[Begins(1)] = 7": [0, 7, 2, 3, 4, 5]}
    assert x.tolist() == want.get(code, list(range(6)))
    assert not code.startswith("f ==") or eval(code, space).tolist() == [False, True, False, False, False, False]


def test_flags_are_numpys():
    for layout in LAYOUTS:
        for dtype in ("float64", "bool"):
            theirs, ours = layout(sample(dtype).copy()), layout(weft.array(sample(dtype)))
            names = [name for name in dir(theirs.flags) if not name.startswith("_") and name not in ("num", "owndata")]
            for name in names:
                assert getattr(ours.flags, name) is getattr(theirs.flags, name), (name, theirs.shape, theirs.strides)
                assert ours.flags[name.upper()] is getattr(theirs.flags, name)
            assert (
                ours.flags["C"] is theirs.flags["C"]
                and ours.flags["W"] is True
                and repr(ours.flags)[:12] == repr(theirs.flags)[:12]
            )
            for wrong in ("", "NONE", "c", 3):
                with pytest.raises(KeyError):
                    ours.flags[wrong]
    a = weft.arange(5.0)
    assert a.flags.owndata and not a[1:].flags.owndata and not weft.asarray(numpy.zeros(3)).flags.owndata
    a.flags.writeable = True
    a.setflags(write=True)
    a.flags["WRITEABLE"] = False
    assert not a.flags.writeable
    with pytest.raises(ValueError):
        a[0] = 1
    a.setflags(write=True)
    a[0] = 9
    assert a.tolist()[0] == 9 and a.flags == a.flags and not a.flags == a.reshape(1, 5)[:, ::2].flags


def test_the_deferred_way_has_the_same_bits():
    code = """
import numpy, weft, python.tests.test_memory_layout as t
for call in t.CALLS:
    for layout in t.LAYOUTS:
        if call.strip():
            print(call, t.outcome(call.strip(), {"np": weft, "a": layout(weft.array(t.sample("float64")))}))
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") > 500, eager.stderr
    assert eager.stdout == deferred.stdout


# Results that are views of what NumPy has made on its way to them, and lie as these do.
VIEWS = """
np.rot90([[1, 5, 7]], k=2) | np.flip([1, 2, 3]) | np.flip([[1, 2], [3, 4]], 1) | np.tile([[1, 2]], (2, 1)).T | np.histogram2d(np.arange(3), np.arange(3)) | np.histogramdd([[1, 2, 3], [2, 3, 4]], 3)
np.linalg.eigvals(np.eye(2)) | np.linalg.eigvals(np.stack([np.eye(3), np.ones((3, 3))])) | np.linalg.eigvals(np.eye(2, dtype="f4")) | np.linalg.eig(np.eye(3)) | np.roots([1, -3, 2]) | np.linalg.qr(np.eye(2), mode="raw") | np.linalg.qr(np.ones((2, 3, 2)), mode="raw")
np.linalg.qr(np.array([[1, 2], [3, 4], [5, 7]], "f4"), mode="raw") | np.diag([[], []]) | np.diag([[1, 2], [3, 4]]) | np.expand_dims(np.ones(2), 0) | np.expand_dims(np.ones(2), 1) | np.expand_dims(np.ones((2, 3)).T, (0, 2)) | np.expand_dims(np.ones((4, 4))[::2], 1) | np.expand_dims(np.array(2.0), 0)
np.apply_over_axes(np.sum, np.ones((2, 2)), [0]) | np.fft.fftshift(np.broadcast_to(np.ones((1, 3)), (3, 3)), axes=()) | np.isclose(np.broadcast_to(np.ones((1, 3)), (2, 3)), np.broadcast_to(np.ones((1, 3)), (2, 3)))
""".replace("\n", "|").split("|")


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    host = numpy.asarray(value)
    elements = host.tolist() if host.dtype == bool else host.round(4).tolist()
    return [(value.dtype, value.shape, value.strides if value.size else None, value.flags.writeable, elements)]


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("call", [call.strip() for call in VIEWS if call.strip()])
def test_what_is_made_of_lists_and_factors_lies_as_numpys(call, few):
    before = weft._core.few(few)
    try:
        assert leaves(eval(call, {"np": weft})) == leaves(eval(call, {"np": numpy}))
    finally:
        weft._core.few(before)


def test_flags_of_what_is_broadcast_warn_by_every_name_as_numpys():
    asked = [f"flags['{name}']" for name in "C F O W A X B CA FA FNC FORC WRITEABLE CARRAY FARRAY BEHAVED".split()]
    asked += [
        f"flags.{name}"
        for name in "behaved carray farray fnc forc writeable aligned c_contiguous owndata _writeable_no_warn num".split()
    ]
    warned = {}
    for module in (numpy, weft):
        a = module.broadcast_arrays(module.ones((2, 3)), module.ones(3))[1]
        for what in asked:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                eval(f"a.{what}", {"a": a})
            warned.setdefault(what, []).append([w.category for w in caught])
    assert all(theirs == ours for theirs, ours in warned.values()), warned


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("key", ["[0:3]", "[0:3, 0:4]", "[0:3, 0:2:5j]", "[0:2, 0:3, 1:2]", "[0:3000, 0:2]"])
def test_open_grids_are_views_of_vectors_as_numpys(key, few):
    def lies(made):
        arrays = made if isinstance(made, tuple) else (made,)
        return [(a.dtype, a.shape, a.strides, a.flags.num, numpy.asarray(a).tolist()) for a in arrays]

    before = weft._core.few(few)
    try:
        assert lies(eval(f"np.ogrid{key}", {"np": weft})) == lies(eval(f"np.ogrid{key}", {"np": numpy}))
    finally:
        weft._core.few(before)


@pytest.mark.parametrize("shape", [(4, 1), (1, 4), (2, 1, 3), (6, 1, 1), (1, 2, 1, 3, 1), (70000, 1)], ids=str)
@pytest.mark.parametrize("function", ["logical_not", "isnan", "negative"])
def test_axes_of_one_element_keep_their_steps(shape, function):
    """NumPy looks at those steps, too, where it asks whether an operand is out= itself: it copies all of another one, also where the mask does not hold."""
    for view in ("a", "a[...]", "a.reshape(a.shape)", "a.reshape(list(a.shape))", "a.T.T"):
        for mask in ("False", "np.array(False)", "np.zeros(a.shape, bool)"):
            said = []
            for np in (numpy, weft):
                a = np.array(np.arange(numpy.prod(shape), dtype=float).reshape(shape) + 2, order="F")
                v = eval(view, {"a": a})
                before = a.strides, v.strides
                getattr(np, function)(v, out=a, where=eval(mask, {"np": np, "a": a}))
                said.append((before, a.strides, v.strides, numpy.asarray(a).strides, a.shape, a.dtype, numpy.asarray(a).tobytes()))
            assert said[0] == said[1], (view, mask)


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("vectors", ["[a, b]", "[a, [1, 2]]", "[a]", "[a, b, b]"])
@pytest.mark.parametrize("options", ["copy=False", "copy=False, indexing='ij'", "copy=False, sparse=True"])
def test_grids_of_views_warn_of_writing_as_numpys(options, vectors, few):
    """Nothing else of a write to such a grid is compared: its elements share memory."""

    def told(np):
        a, b = np.arange(3.0), np.arange(4.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # of other tests' processes, which the collector finds now and then
            grids = eval(f"np.meshgrid(*{vectors}, {options})", {"np": np, "a": a, "b": b})
            lies = [(g.strides, g.flags.num, np.shares_memory(g, a), np.shares_memory(g, b)) for g in grids]
            for g in grids:
                g[..., 0] = 5
        return lies, a.tolist(), b.tolist(), [(w.category, str(w.message), w.filename) for w in caught]

    before = weft._core.few(few)
    try:
        assert told(weft) == told(numpy)
    finally:
        weft._core.few(before)


def layouts(rng, np, shape, kind):
    """An array of a shape whose axes lie in some order of memory, the same for each module."""
    order = rng.permutation(len(shape))
    array = np.arange(numpy.prod(shape, dtype=int)).astype(kind).reshape([shape[i] for i in order]).transpose(numpy.argsort(order))
    return [array, array.copy("C"), array.copy("F")][rng.integers(3)]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("extents", [(1, 2, 3), (1, 40, 30)], ids=str)
def test_what_is_computed_where_a_mask_holds_lies_as_numpys(extents, seed):
    """NumPy asks the mask as well for the order of the axes; alone, an operand says it even where an axis has one element."""
    said = []
    for np in (numpy, weft):
        rng = numpy.random.default_rng(seed)
        shape = tuple(rng.choice(extents, rng.integers(1, 4)).tolist())
        a, b, mask = layouts(rng, np, shape, float), layouts(rng, np, shape, float), layouts(rng, np, shape, int) % 2 == 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = np.add(a, 1, where=mask, out=None), np.add(a, b, where=mask, out=None), np.sqrt(a, where=mask, out=None), np.less(a, b, where=mask, out=None)
        said.append([(x.strides, numpy.asarray(x)[numpy.asarray(mask)].tolist()) for x in made])
    assert said[0] == said[1]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("extents", [(1, 2, 3), (1, 40, 30)], ids=str)
def test_what_is_computed_of_broadcast_operands_where_a_mask_holds_lies_as_numpys(extents, seed):
    """Of axes along which no operand has steps the mask alone tells the order."""
    said = []
    for np in (numpy, weft):
        rng = numpy.random.default_rng(seed)
        shape = tuple(rng.choice(extents, rng.integers(1, 4)).tolist())

        def given(np=np, rng=rng, shape=shape):
            array = layouts(rng, np, [1 if rng.random() < 0.4 else n for n in shape], float)
            return np.broadcast_to(array, shape) if rng.random() < 0.4 else array

        a, b = given(), given()
        masks = layouts(rng, np, shape, int) % 2 == 0, layouts(rng, np, [1 if rng.random() < 0.3 else n for n in shape], int) % 2 == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", weft.FallbackWarning)
            made = [
                (made, mask)
                for mask in masks
                for made in (np.add(a, 1, where=mask, out=None), np.add(a, b, where=mask, out=None), np.sqrt(a, where=mask, out=None), np.less(b, a, where=mask, out=None))
            ]
        said.append([(x.strides, numpy.asarray(x)[numpy.broadcast_to(numpy.asarray(mask), x.shape)].tolist()) for x, mask in made])
    assert said[0] == said[1]


@pytest.mark.parametrize("shape", [(2, 3), (200, 300)], ids=str)
@pytest.mark.parametrize("code", ["np.add(a, b, where=m, out=None)", "np.sqrt(np.broadcast_to(a, m.shape), where=m, out=None)", "np.add(a, [[1.0] * b.size], where=m, out=None)"])
def test_a_mask_of_fortrans_order_tells_the_order_of_what_a_column_and_a_row_make(code, shape):
    said = []
    for np in (numpy, weft):
        names = {"np": np, "a": np.ones((shape[0], 1)), "b": np.ones((1, shape[1])), "m": np.asfortranarray(np.ones(shape, bool))}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", weft.FallbackWarning)
            said.append(eval(code, names).strides)
    assert said[0] == said[1]


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_new_arrays_of_no_elements_have_no_steps(shape, few):
    def steps(np):
        a = np.zeros(shape)
        return [x.strides for x in (np.zeros(shape, order="F"), np.full(shape, 1.0, order="F"), a.flatten("F"), a.flatten(), a.T.flatten(), np.repeat(a, 2, axis=0), np.repeat(a, 2))]

    before = weft._core.few(few)
    try:
        assert steps(weft) == steps(numpy)
    finally:
        weft._core.few(before)
