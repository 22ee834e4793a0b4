"""What goes wrong in floating-point operations is told as NumPy tells it: by np.errstate, at the call where it is computed at once."""

import io
import random
import warnings

import numpy
import pytest
import weft

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.5, 800.0, -800.0, 1e30, -1e-30, float("inf"), float("-inf"), float("nan")]
WHOLE = [0, 1, -1, 2, -3, 7, -128, 127]

# NumPy's loops for complex powers, and for powers with infinite exponents, tell what depends on the machine.
UNSURE = ("power", "pow", "float_power")


def told(function, *args):
    """The texts of the RuntimeWarnings of a call, or of its FloatingPointError."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        warnings.simplefilter("always")
        function(*args)
    places = {w.filename for w in caught if w.category is RuntimeWarning}
    assert places <= {__file__, "<string>"}, places
    return [str(w.message) for w in caught if w.category is RuntimeWarning]


def ufuncs(nin):
    found = (name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc))
    return sorted(name for name in found if getattr(numpy, name).nin == nin and getattr(numpy, name).signature is None and "shift" not in name)


def both(dtype, *values):
    theirs = [numpy.full(9, value).astype(dtype) for value in values]
    return theirs, [weft.array(array.tolist(), dtype=dtype) for array in theirs]


def supported(name, dtype):
    try:
        getattr(numpy, name)(*[numpy.ones(1, dtype)] * getattr(numpy, name).nin)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16", "i8", "i1", "u1"])
@pytest.mark.parametrize("name", ufuncs(1))
def test_ufuncs_of_one_operand_tell_what_numpys_tell(name, dtype):
    if not supported(name, dtype):
        return
    for value in SPECIAL if dtype[0] in "fc" else WHOLE:
        theirs, ours = both(dtype, value)
        assert told(getattr(weft, name), *ours) == told(getattr(numpy, name), *theirs), value


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16", "i8", "i1", "u1"])
@pytest.mark.parametrize("name", ufuncs(2))
def test_ufuncs_of_two_operands_tell_what_numpys_tell(name, dtype):
    if not supported(name, dtype) or (name in UNSURE and dtype == "c16"):
        return
    values = SPECIAL if dtype[0] in "fc" else WHOLE
    for x in values:
        for y in values:
            if name in UNSURE and (y < 0 and dtype[0] in "iu" or y - y != 0):
                continue
            if name == "multiply" and dtype == "c16" and x != x + 1 and y != y:
                continue
            if name == "multiply" and dtype == "c16" and x - x != 0:
                continue
            theirs, ours = both(dtype, x, y)
            assert told(getattr(weft, name), *ours) == told(getattr(numpy, name), *theirs), (x, y)


@pytest.mark.parametrize("seed", range(40))
def test_operators_tell_of_layouts_and_numbers_as_numpys(seed):
    chosen = random.Random(seed)
    operators = ["x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "-x", "x < y", "x ** 2", "1 / x", "x / 0", "x * 1e308", "divmod(x, y)"]
    for code in operators:
        shape = chosen.choice([(4,), (3, 4), (1, 4), (4, 3)])
        values = [chosen.choice([0.0, 1.0, -1.0, 2.5, 1e200]) for _ in range(numpy.prod(shape))]
        theirs = numpy.array(values).reshape(shape)
        ours = weft.array(values).reshape(shape)
        cut = chosen.choice(["x", "x[::2]", "x.T", "x[..., ::-1]"])
        said = []
        for x in (ours, theirs):
            x = eval(cut, {"x": x})
            said.append(told(eval, code, {"x": x, "y": x + chosen.choice([0])}))
        said = [[text for text in texts] for texts in said]
        assert said[0] == said[1], (code, cut, values)


@pytest.mark.parametrize("code", ["x /= 0", "x //= 0", "x %= 0", "x **= 4000", "x -= np.inf", "x[:] = np.log(x)", "np.log(x, out=x)", "np.divide(x, x, out=x)"])
def test_what_is_written_in_place_is_told_of(code):
    def run(module):
        x = module.array([0.0, 1.0, -2.0, module.inf])
        exec(code, {"x": x, "np": module})
        return x

    assert told(run, weft) == told(run, numpy) != []


@pytest.mark.parametrize(
    "code",
    [
        "np.full(5, 1e308).sum()", "np.full((5, 5), 1e308).sum(axis=0)", "np.full(50, 1e308).prod()", "np.array([np.inf, -np.inf]).sum()",
        "np.full(5, 1e308).mean()", "np.add.reduce(np.full(5, 1e308))", "np.full(5, 1e300).astype('f4')", "np.array([np.nan, 1]).astype('i8')",
        "np.array([1e10]).astype('i4')", "np.array([70000.0]).astype('f2')", "np.zeros(3, 'f4').__setitem__(0, 1e300)", "np.zeros(3, 'i4').__setitem__(slice(2), np.array([np.inf, 1]))",
        "np.zeros(3, 'f2').fill(1e9)", "np.full(5, 1e308).cumsum()", "np.add.accumulate(np.full(5, 1e308))", "np.full((400, 3), 10.0).cumprod(axis=0)", "np.add.reduceat(np.full(5, 1e308), [0, 3])",
        "np.zeros(0).mean()", "np.zeros(0).var()", "np.zeros(1).var(ddof=1)", "np.mean(np.zeros((0, 3)), axis=0)",
    ],
)  # fmt: skip
def test_reductions_and_casts_tell_what_numpys_tell(code):
    def texts(module):
        with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="warn"):
            warnings.simplefilter("always")
            eval(code, {"np": module})
        return [str(w.message) for w in caught if w.category is not weft.FallbackWarning]

    assert texts(weft) == texts(numpy) != []


def test_nothing_is_told_of_what_where_leaves_out():
    for use in (
        lambda np, x: np.divide(1, x, where=x != 0, out=np.zeros(3)), lambda np, x: np.log(x, where=x > 0, out=x), lambda np, x: np.divide(x, x, where=x > 0, out=None),
        lambda np, x: np.divide(1, x, where=[True, False, True], out=np.zeros(3)),
        lambda np, x: np.log(x, where=x >= 0, out=np.zeros(3)), lambda np, x: np.divide(x, 0, where=x > 1, out=x),
    ):  # fmt: skip
        said = [told(use, module, module.array([1.0, 0.0, 2.0])) for module in (weft, numpy)]
        assert said[0] == said[1]


def test_errors_are_raised_at_the_call_and_leave_results_elsewhere_alone():
    x = weft.array([0.0, 1.0])
    with weft.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            1 / x
        with pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
            weft.log(x)
        with pytest.raises(FloatingPointError, match="divide by zero encountered in floor_divide"):
            weft.arange(3) // 0
        assert (x + 1).tolist() == [1.0, 2.0]
    with weft.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow encountered in multiply"):
        weft.array([1e-300]) * 1e-300
    with weft.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow encountered in cast"):
        weft.array([1e300]).astype("f4")
    with weft.errstate(all="ignore"):
        assert told(lambda: None) == [] and (1 / x).tolist() == [weft.inf, 1.0]


def test_a_callback_a_log_and_the_error_stream_are_told(capsys):
    x, seen, log = weft.zeros(3), [], io.StringIO()
    with weft.errstate(divide="call", invalid="call", call=lambda *args: seen.append(args)):
        1 / x
        x / x
    with weft.errstate(divide="log", call=log):
        weft.log(x)
    with weft.errstate(invalid="print"):
        weft.sqrt(x - 1)
    assert seen == [("divide by zero", 1), ("invalid value", 8)]
    assert log.getvalue() == "Warning: divide by zero encountered in log\n"
    assert capsys.readouterr().err == "Warning: invalid value encountered in sqrt\n"


def test_settings_are_numpys_and_a_decorator_has_them():
    @weft.errstate(all="ignore")
    def quiet():
        before = weft.seterr(invalid="raise")
        return before, weft.geterr()

    before, after = quiet()
    assert set(before.values()) == {"ignore"} and after["invalid"] == "raise"
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        weft.ones(2) / 0


def test_stale_flags_of_others_are_nobodys():
    x = weft.arange(1.0, 5.0)
    for _ in range(3):
        assert float("1e308") * 10 == float("inf")
        assert told(weft.add, x, x) == told(weft.sum, x) == told(weft.exp, x) == []
        x += 1
    numpy.ones(2) / numpy.ones(2)
    with numpy.errstate(all="ignore"):
        numpy.ones(2) / 0
    assert told(lambda: x * 2) == []


@pytest.mark.parametrize(
    "code",
    ["1 / x", "x // 0", "x.__itruediv__(0)", "np.log(x)", "np.divide(x, x)", "np.sqrt(x - 1)", "(x * 1e308 * 1e308)[3]", "np.exp(x + 1000)", "(x + 1e308).sum()", "(x + 1e308).astype('f4')", "np.add(x, 1) / 0"],
)
def test_errors_of_large_arrays_are_raised_at_the_call(code):
    x = weft.arange(500_000.0)
    with weft.errstate(all="raise"), pytest.raises(FloatingPointError, match=" encountered in "):
        eval(code, {"x": x, "np": weft})
    with weft.errstate(all="raise"):
        assert float((weft.arange(500_000.0) + 1).max()) == 500_000.0
    assert type(x + 1) is weft.ndarray
