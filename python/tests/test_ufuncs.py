"""Ufuncs are objects of one type, as NumPy's: their attributes, the arguments that they take, and what they say of wrong ones."""

import inspect
import pickle
import warnings

import numpy
import pytest
import weft

NAMES = sorted(name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc))


@pytest.mark.parametrize("name", NAMES)
def test_all_are_of_the_type_that_np_ufunc_names(name):
    ours, theirs = getattr(weft, name), getattr(numpy, name)
    assert type(ours) is weft.ufunc and isinstance(ours, weft.ufunc) and isinstance(theirs, weft.ufunc)
    assert repr(ours) == repr(theirs) and ours.__name__ == theirs.__name__ and ours.__doc__ == theirs.__doc__
    for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
        with pytest.raises(AttributeError, match="not writable"):
            setattr(ours, attribute, 1)
    assert pickle.loads(pickle.dumps(ours)) is ours
    try:
        expected = str(inspect.signature(theirs))
    except ValueError:
        return
    assert str(inspect.signature(ours)) == expected
    assert type("A", (), {"f": ours})().f is ours  # no method


def test_the_type_is_like_numpys():
    assert repr(weft.ufunc) == repr(numpy.ufunc) and weft.ufunc.__doc__ == numpy.ufunc.__doc__ and weft.ufunc.__name__ == "ufunc"
    assert issubclass(weft.ufunc, weft.ufunc) and not isinstance(weft.sum, weft.ufunc) and not isinstance(len, weft.ufunc)
    with pytest.raises(TypeError, match="cannot create 'numpy.ufunc' instances"):
        weft.ufunc()
    assert weft.ufunc.reduce(weft.add, weft.arange(4)) == 6 == weft.ufunc.reduce(numpy.add, weft.arange(4))
    assert type(weft.frompyfunc(abs, 1, 1)) is weft.ufunc


def test_a_text_that_is_set_is_kept_until_it_is_deleted():
    text = weft.add.__doc__
    weft.add.__doc__ = "another"
    assert weft.add.__doc__ == weft.add.__dict__["__doc__"] == "another"
    del weft.add.__doc__
    assert weft.add.__doc__ == text


CALLS = """
    np.add(x, x, sig="dd->d")
    np.add(x, x, sig=("d", "d", "d"))
    np.add(x, x, signature="dd->d")
    np.add(x, x, sig="dd->d", signature="dd->d")
    np.add(x, x, sig="dd->d", dtype="f8")
    np.add(x)
    np.add()
    np.hypot(x)
    np.add(x, x, foo=1)
    np.add(1, 2, ...)
    np.add(1, 2, out=...)
    np.add(x, x, x, out=x)
    np.add(x, x, x, x)
    np.sin(x, x, x)
    np.add(x, x, axis=1)
    np.add(x, x, extobj=[1])
    np.add(x, x, where=False, out=np.ones(3))
    np.add(x, x, where=x > 0, out=np.ones(3))
    np.add(x, x, casting="no", dtype="i4")
    np.add(x, x, casting="foo")
    np.add(x, x, order="F")
    np.add(x, x, order="Q")
    np.add(x, x, subok=False)
    np.add(x, x, out=(np.zeros(3),))
    np.add(x, x, out=[np.zeros(3)])
    np.add(x, x, out=np.zeros(4))
    np.add(x, np.ones(2))
    np.bitwise_and(x, x)
    np.matmul(m, m, axes=[(0, 1), (0, 1), (0, 1)])
    np.matmul(m, m, axis=1)
    np.vecdot(m, m, axis=0)
    np.vecdot(m, m, keepdims=True)
    np.matmul(x, 1)
    np.divmod(x, 2, out=(np.zeros(3), None))
    np.modf(x, np.zeros(3), np.zeros(3))
    np.add.reduce(x, axis=5)
    np.add.reduce(m, axis=(0, 1))
    np.add.reduce(m, axis=(0, 0))
    np.add.reduce(x, 0, None, None, True)
    np.add.reduce(x, keepdims=True, initial=3.0, where=x > 0)
    np.add.reduce(x, dtype="i4")
    np.subtract.reduce(m, axis=1)
    np.minimum.reduce(np.zeros(0))
    np.sin.reduce(x)
    np.matmul.reduce(x)
    np.add.accumulate(x, axis=0, out=np.zeros(3))
    np.multiply.accumulate(m, 1)
    np.add.reduceat(x, [0, 2, 1])
    np.add.reduceat(x, [5])
    np.add.outer(x, x)
    np.add.outer(x, x, where=x > 0, out=np.zeros((3, 3)))
    np.add.at(x, [0, 0], 1)
    np.add.at(x, [9], 1)
    np.add.resolve_dtypes((np.dtype("i4"), np.dtype("f4"), None))
    np.add.foo
""".strip().splitlines()


@pytest.mark.parametrize("call", [call.strip() for call in CALLS])
def test_calls_are_answered_as_numpy_answers_them(call):
    said = []
    for module in (weft, numpy):
        names = {"np": module, "x": module.arange(3.0), "m": module.arange(4.0).reshape(2, 2)}
        try:
            made = eval(call, names)
            parts = made if isinstance(made, tuple) else (made,)
            said.append([(str(part), getattr(part, "dtype", None), getattr(part, "shape", None)) for part in (*parts, names["x"])])
        except Exception as error:
            said.append((type(error), str(error)))
    assert said[0] == said[1]


def test_where_without_out_warns_as_numpy_does():
    x = weft.arange(3.0)
    for use, expected in ((dict(where=x > 0), 1), (dict(where=x > 0, out=None), 0), (dict(where=True), 0), (dict(where=x > 0, out=x + 0), 0)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            weft.add(x, x, **use)
        assert [w.category for w in caught] == [UserWarning] * expected and all(w.filename == __file__ for w in caught)


@pytest.mark.parametrize(
    "call",
    [
        "negative(x, out=(...,))", "negative(1, out=(...,))", "add.reduce(x, out=(...,))", "add(x, 2, ...)",
        "add.accumulate(x, out=(...,))", "divmod(x, 2, out=(x, ...))", "add.reduce(x, out=...)", "negative(x, out=...)",
        "add.reduce(x, 0, None, ...)", "add.reduce(1, (), None, ...)", "maximum.reduce(x, 0, None, ...)", "fmin.reduce(x, 0, None, ...)", "add.accumulate(x, 0, None, ...)",
        "add.reduce(x, 0, None, None, True)", "add.reduce(x, 0, None, np.zeros(()), False, 3.0)", "add.reduce(x, 0, None, None, False, 3.0, x > 2)", "add.reduce(x, 0, None, None, out=x)",
        "add.reduce(x, 0, None, None, False, 0.0, True, 5)", "add.accumulate(x, 0, None, x.copy())", "add.accumulate(x, 0, None, None, None)",
    ],
)  # fmt: skip
def test_ellipses_for_outputs_are_refused_as_numpys(call):
    def outcome(xp):
        try:
            return repr(eval(f"np.{call}", {"np": xp, "x": xp.ones(3)}))
        except TypeError as error:
            return str(error)

    assert outcome(weft) == outcome(numpy)


@pytest.mark.parametrize("length", [6, 600000])
@pytest.mark.parametrize("operands", [numpy, weft], ids=["numpys", "ours"])
@pytest.mark.parametrize("name", ["divmod", "modf", "frexp"])
def test_ufuncs_of_two_results_compute_where_a_mask_holds(name, operands, length):
    """NumPy takes no None for results of which there are two, but a tuple of them."""
    x, y = operands.arange(length) * 1.5, operands.arange(length) % 7 + 1.0
    said = []
    for np in (numpy, weft):
        mask = np.arange(length) % 3 > 0
        given = [v if np is weft else numpy.asarray(v) for v in ((x, y) if name == "divmod" else (x,))]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = getattr(np, name)(*given, where=mask)
        told = [w.category for w in caught if "used without 'out'" in str(w.message)]
        said.append((told, [(numpy.asarray(v).dtype, numpy.asarray(v)[numpy.asarray(mask)].tolist()) for v in made]))
    assert said[0] == said[1]


@pytest.mark.parametrize("code", [
    "np.add.reduce(x, 0, None, (o,))", "np.add.reduce(x, 0, None, (o, o))", "np.add.reduce(x, 0, None, ())", "np.maximum.reduce(x, 0, None, (o,))", "np.fmax.reduce(x, 0, None, (o,))",
    "np.add.reduce(x, 0, None, None, False, keepdims=False)", "np.add.reduce(x, 0, None, None, out=None)", "np.fmin.reduce(x, 0, None, None, False, keepdims=False)",
    "np.add.reduce(x, 0, None, None, False, numpy._NoValue, initial=numpy._NoValue)", "np.add.reduce(x, out=(None,))", "np.add.accumulate(x, 0, None, (y,))",
    "np.add.accumulate(x, 0, None, (y, y))", "np.add.accumulate(x, 0, None, ())", "np.add.accumulate(x, 0, None, None, out=None)", "np.add.reduce(x, 0, None, o, True)",
    "np.add.reduce(x, 0, None, None, True, 5.0, x > 1)", "np.add.reduce(x, out=(o,))", "np.add.accumulate(x, 0, None, y)", "np.add.accumulate(x, out=(y,))", "np.fmax.reduce(x, 0, None, None, True)",
])  # fmt: skip
def test_methods_take_by_place_and_by_name_what_numpys_take(code):
    said = []
    for np in (numpy, weft):
        names = {"np": np, "numpy": numpy, "x": np.arange(6.0), "y": np.zeros(6), "o": np.zeros(())}
        try:
            made = numpy.asarray(eval(code, names)).tolist()
        except (TypeError, ValueError) as error:
            made = type(error), str(error)
        said.append((made, names["o"].tolist(), names["y"].tolist()))
    assert said[0] == said[1]


@pytest.mark.parametrize("code", ["np.add(a, 1, None, where=m)", "np.sqrt(a, None, where=m)", "np.add(a, 1, o, where=m)", "np.add(a, 1, where=m, out=None)", "np.add(a, 1, None)"])
def test_none_by_place_says_no_more_of_where_results_go_than_nothing(code):
    said = []
    for np in (numpy, weft):
        names = {"np": np, "a": np.ones(3), "m": np.array([True, False, True]), "o": np.zeros(3)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = eval(code, names)
        said.append((len([w for w in caught if "used without 'out'" in str(w.message)]), made[::2].tolist()))
    assert said[0] == said[1]
