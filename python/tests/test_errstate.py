"""What goes wrong in floating-point operations is told as NumPy tells it: by np.errstate, at the call where it is computed at once."""

import io
import random
import threading
import warnings

import numpy
import pytest
import weft
from weft import _core

from .sharing import run_python

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.5, 800.0, -800.0, 1e30, -1e-30, float("inf"), float("-inf"), float("nan")]
WHOLE = [0, 1, -1, 2, -3, 7, -128, 127]

# NumPy's loops for complex powers, and for powers with infinite exponents, tell what depends on the machine.
UNSURE = ("power", "pow", "float_power")


def told(function, *args):
    """The texts of the RuntimeWarnings of a call, or of its FloatingPointError."""
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        warnings.simplefilter("always")
        function(*args)
        before = len(caught)
        weft.array([1.0]) + 1
        assert len(caught) == before, f"told late: {caught[before:]}"
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
            said.append(told(eval, code, {"x": x, "y": x + 0}))
        assert said[0] == said[1], (code, cut, values)


@pytest.mark.parametrize("code", ["x /= 0", "x //= 0", "x %= 0", "x **= 4000", "x -= np.inf", "x[:] = np.log(x)", "np.log(x, out=x)", "np.divide(x, x, out=x)", "x *= 1e300; x **= x", "x //= x", "x %= x",
    "np.power(x + 1000, x + 1000, out=x)", "x[1:] //= x[:-1]", "y = np.array([[1e3, -2], [0.5, 0]]); y **= y.T", "h = (x[:3] * 300).astype('f2'); h *= h", "i = np.arange(3); i //= i", "i = np.arange(3); i %= i",
    "np.multiply(x[1:3] * 1e200, 2, out=np.zeros(2, 'f4'), casting='unsafe')", "np.multiply(x[1:3] * 1e200, 2, out=np.zeros(2, 'f4'))", "f = x.astype('f4'); f *= 1e300",
    "f = x.astype('f4'); f.flat[1] = 1e300"])
def test_what_is_written_in_place_is_told_of(code):
    def run(module):
        x = module.array([0.0, 1.0, -2.0, module.inf])
        exec(code, {"x": x, "np": module})
        return x

    assert told(run, weft) == told(run, numpy) != []


@pytest.mark.parametrize(
    "code",
    [
        "np.asarray(np.array([1e300]), dtype='f4')", "np.array(np.array([1e300]), dtype='f4')", "np.asarray(numpy.array([1e300]), dtype='f4')",
        "np.array(numpy.array([1e300]), dtype='f4')", "np.ascontiguousarray(np.array([1e300]), 'f4')", "numpy.array([1e308]) * np.full(2, 10.0)", "numpy.array([1.0]) / np.zeros(2)",
        "numpy.array(1.0) / np.zeros(2)", "np.ones(2) / numpy.array(0.0)", "numpy.array(1e308) * np.full(2, 10.0)", "np.ones(1, 'f4') * 1e300", "np.ones(1, 'f4') < 1e300",
        "np.ones(2, 'f4').flat.__setitem__(1, 1e300)",
        "np.int8(-128) // np.array([-1, 3], 'i1')", "-128 // np.array([-1, 3], 'i1')",
        "np.int16(-32768) // np.array([-1, 3], 'i2')", "np.int32(-2**31) // np.array([-1, 3], 'i4')",
        "np.zeros(4, 'f2').__setitem__(slice(None), np.array([1e300]))", "np.zeros(4, 'f2').__setitem__(slice(None, None, 2), np.array([1e300, 1]))", "np.zeros(4, 'f2')[::-1].__setitem__(slice(None), np.array([1e300]))",
        "np.zeros((4, 4), 'f2').__setitem__(slice(None), np.array([1e300, 1, 2, 3]))",
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_at_the_call_that_it_is_of(code):
    def run(module):
        eval(code, {"np": module, "numpy": numpy})

    assert told(run, weft) == told(run, numpy) != []
    with weft.errstate(all="raise"), pytest.raises(FloatingPointError, match="encountered in"):
        run(weft)


@pytest.mark.parametrize(
    "code",
    [
        "np.full(5, 1e308).sum()", "np.full((5, 5), 1e308).sum(axis=0)", "np.full(50, 1e308).prod()", "np.array([np.inf, -np.inf]).sum()",
        "np.full(5, 1e308).mean()", "np.add.reduce(np.full(5, 1e308))", "np.full(5, 1e300).astype('f4')", "np.array([np.nan, 1]).astype('i8')",
        "np.array([1e10]).astype('i4')", "np.array([70000.0]).astype('f2')", "np.zeros(3, 'f4').__setitem__(0, 1e300)", "np.zeros(3, 'i4').__setitem__(slice(2), np.array([np.inf, 1]))",
        "np.zeros(3, 'f2').fill(1e9)", "np.full(5, 1e308).cumsum()", "np.add.accumulate(np.full(5, 1e308))", "np.full((400, 3), 10.0).cumprod(axis=0)", "np.add.reduceat(np.full(5, 1e308), [0, 3])",
        "np.require(np.array([1e300]), dtype='f4')", "np.full(3, 1e300, 'f4')", "np.zeros(4, 'f2').__setitem__(np.array([True, False] * 2), 1e300)", "np.zeros(4, 'f2').__setitem__([0, 1], np.float64(1e300))",
        "np.multiply(np.ones(1, 'f4'), 1e300)", "np.multiply(np.full(1, 1e300), np.full(1, 1e300), dtype='f4')", "np.full(5, 1e308 + 0j).cumsum()", "np.full((5, 2), 1e38 + 1e38j).astype('c8').cumsum(axis=0)", "np.full(5, 1e300).sum(dtype='f4')", "np.full(5, 1e300).mean(dtype='f4')",
        "np.dot(np.full(3, 1e300), np.full(3, 1e300))", "np.full((3, 3), 1e300) @ np.full((3, 3), 1e300)", "np.full((3, 3), 1e300).dot(np.full(3, 1e300))", "np.full((30, 30), 1e300) @ np.full((30, 30), 1e300)",
        "np.inner(np.full(3, 1e300), np.full(3, 1e300))", "np.array([np.inf, 1]) @ np.array([0.0, 1])", "np.full((2, 3, 3), 1e300) @ np.full((2, 3, 3), 1e300)", "np.array([1e300, -1e300]).var()", "np.array([1e300, -1e300]).std()",
        "np.array([1.0, np.inf]).var()", "np.full(3, 1e308).std()", "np.polyval(np.full(3, 1e300), np.full(3, 1e300))", "np.outer(np.full(3, 1e300), np.full(3, 1e300))", "np.diff(np.array([1e308, -1e308]))", "np.ptp(np.array([1e308, -1e308]))",
        "np.full(3, 1e308).sum(where=np.array([True, False, True]))", "np.full((3, 2), 1e308).sum(axis=0, where=np.array([[True, False]] * 3))", "np.full(3, 1e308).mean(where=np.array([True, False, True]))",
        "np.full(3, 1e308).sum(initial=1.0)", "np.array([1e308]).sum(initial=1e308)", "np.full((2, 3), 1e308).sum(axis=0, initial=1e308)", "np.full(3, 1e308).prod(initial=2.0)", "np.array([1e308]).prod(initial=10.0)",
        "np.array([np.inf]).sum(initial=-np.inf)", "np.trace(np.full((3, 3), 1e308))", "np.full((3, 3), 1e308).trace()", "np.full((5, 3), 1e308).var(axis=0)", "np.full((5, 3), 1e308).std(axis=0)", "np.linalg.norm(np.full(3, 1e300))",
        "np.linalg.norm(np.full((3, 3), 1e30, 'f4'))", "np.nansum(np.full(5000, 1e308))", "np.nanmean(np.full(5000, 1e308))", "np.average(np.full(5000, 1e308))", "np.average(np.full(5000, 1e308), weights=np.full(5000, 1.0))",
        "np.average(np.full(5000, 1e308), weights=np.full(5000, 1e308))", "np.average(np.array([np.inf, -np.inf] * 3000), weights=np.ones(6000))", "np.trapezoid(np.full(5000, 1e308))", "np.trapezoid(np.full(5000, 8e307))",
        "np.trapezoid(np.full(5000, 1e10), dx=1e300)", "np.trapezoid(np.full(5000, 1e10), x=np.arange(5000) * 1e301)", "np.trapezoid(np.array([np.inf, -np.inf] * 2500))", "np.where(np.array([True, False]), np.ones(2, 'f4'), 1e300)",
        "np.clip(np.ones(3, 'f4'), 0.0, 1e300)", "np.add.at(np.full(3, 1e308), [0, 1], 1e308)", "np.multiply.at(np.full(3, 1e308), np.array([0, 0]), np.full(2, 1e308))", "np.subtract.at(np.full(3, 3e38, 'f4'), [0, 1], np.full(2, -3e38, 'f4'))",
        "np.vecdot(np.full((2, 300), 1.1e154), np.full((2, 300), 1.1e154))", "np.vecdot(np.full(3, 1e300), np.full(3, 1e300))", "np.matvec(np.full((3, 3), 1e300), np.full(3, 1e300))",
        "np.matvec(np.full((300, 400), 1e300), np.full(400, 1e300))[0].item()", "np.vecmat(np.full(300, 1e300), np.full((300, 400), 1e300))[0].item()", "np.vecdot(np.full((9, 9), 1e300), np.full((9, 9), 1e300), axis=0)",
        "repr(np.linalg.vector_norm(np.full((300, 400), 1e300)[:2, :3], axis=1))", "np.linalg.vector_norm(np.full(3, 1e300))", "float(np.linalg.vector_norm(np.full(100000, 1e300)))", "np.linalg.matrix_norm(np.full((2, 3), 1e300))",
        "np.multiply.at(np.full(3, 6e4, 'f2'), [0, 0], np.full(2, 2, 'f2'))", "np.add.at(np.full(3, 6e4, 'f2'), np.array([0, 0]), np.full(2, 6e4))", "np.floor_divide.at(np.full(3, 6e4, 'f2'), [0, 0], np.full(2, 0, 'f2'))", "np.divide.at(np.full(3, 6e4, 'f2'), [0, 1], 0.1)",
        "np.full(3, 6e4, 'f2') @ np.full(3, 6e4, 'f2')", "np.full((300, 300), 6e4, 'f2').dot(np.full((300, 300), 6e4, 'f2'))[0, 0].item()", "np.diff(np.array([6e4, -6e4] * 3, 'f2'), n=2)", "np.diff(np.array([6e4, -6e4] * 30000, 'f2').reshape(3, -1))[0, 0].item()",
        "np.reciprocal(np.array([0, 1e-7], 'f2'))", "np.reciprocal(np.full(3, 1e-7, 'f2'))", "np.floor_divide(np.full(3, 6e4, 'f2'), np.full(3, 0.01, 'f2'))", "np.floor_divide(np.full(100000, 6e4, 'f2'), np.full(100000, 0.01, 'f2'))[0].item()", "np.divmod(np.full(3, 6e4, 'f2'), np.array([0.01, 0, 1], 'f2'))",
        "np.linalg.norm(np.full((2, 3), 1e300), 'fro')", "float(np.linalg.norm(np.full((300, 400), 1e300), 'fro'))", "float(np.linalg.norm(np.full((300, 400), 1e300), 'f', axis=(0, 1)))", "float(np.linalg.norm(np.full(100000, 1e300), 2))",
        "np.linalg.multi_dot([np.full((300, 400), 1e300), np.full((400, 300), 1e300)])[0, 0].item()", "np.linalg.matrix_power(np.full((300, 300), 1e300), 3)[0, 0].item()",
        "np.array([1 + 2j, np.inf]).astype(int)", "np.astype(np.array([np.nan * 1j]), 'i4')", "np.array([1e300 + 2j]).astype('f2')", "np.full((5, 4), complex('inf'))[:, ::2].astype('u8')", "np.full((5, 4), complex('nan')).T.astype('i1', copy=False)",
        "np.divide.at(np.ones(2), np.array([0, 1]), np.zeros(2))", "np.floor_divide.at(np.arange(3), [1, 1], 0)", "np.floor_divide.at(np.arange(3.0), [0, 1, 1], np.array([0.0, 1.0, 0.0]))",
        "np.floor_divide.at(np.array([5, -128], 'i1'), [1, 0], np.array([-1, 0], 'i1'))", "np.remainder.at(np.arange(3), [1, 2], 0)", "np.remainder.at(np.arange(6.0).reshape(3, 2), [1, 1], np.array([[1.0, 0.0], [2.0, 3.0]]))",
        "np.zeros(3, 'u1').__setitem__(0, np.complex128(np.inf))", "np.zeros(3, 'u8').fill(np.complex64(np.nan))", "np.zeros(3).fill(np.complex128(1 + 2j))", "np.zeros(3, 'f4').__setitem__(slice(None), np.complex128(1e300))",
        "np.full(3, np.inf, int)", "np.full((2, 2), np.float32('nan'), 'u2')", "np.full_like(np.arange(3), -1e30)",
        "np.array([1, 2]) // np.longlong(0)", "np.floor_divide(np.array([-2**63]), np.longlong(-1))", "np.array([1, 2]) % np.ulonglong(0)",
        "np.array([6e4, 2], 'f2') * 2", "np.array([6e4, 2], 'f2') + 6e4", "1e10 * np.array([1, 2], 'f2')", "np.array([1, 2], 'f2') + 70000", "np.array(1, 'f2') + 131008", "2 / np.zeros(2, 'f2')", "np.array([1, 2], 'f2') // 0", "np.hypot(np.array([6e4], 'f2'), 60000)",
        "np.array([1, 2], 'f2') > 1e6", "np.hypot(np.ones(2, 'f4'), 1e300)", "np.array([6e4, 6e4], 'f2').sum()", "np.sum(np.arange(1, 1024, dtype='f2'))", "np.full((3, 4), 6e4, 'f2').prod(axis=1, keepdims=True)", "np.add.reduce(np.full((3, 4), 6e4, 'f2'))", "np.array([np.inf, -np.inf], 'f2').sum()",
        "np.isclose(np.ones(2), np.ones(2), atol=np.inf)", "np.isclose(np.ones(2), 1.0, rtol=np.nan)", "np.allclose(np.ones(2), np.ones(2), rtol=np.inf)",
        "np.linalg.norm(np.zeros(4), ord=-1)", "np.linalg.norm(np.zeros(4), ord=-1.0)", "np.linalg.norm(np.full(4, 1e308), ord=0.5)", "np.linalg.norm(np.full((2, 4), 1e308), ord=0.5, axis=0)", "np.linalg.norm(np.full(4, 1e308), ord=1)",
        "np.linalg.norm(np.full(4, np.inf), ord=-1)", "repr(np.maximum.accumulate(np.array([1e300, 2.0]), dtype='f4'))", "repr(np.minimum.accumulate(np.array([np.nan, 2.0]), dtype='i4'))", "np.maximum.accumulate(np.full(50000, 1e300), dtype='f4')[0].item()",
        "np.sum(np.array([1e300, np.nan]), dtype='i4')", "np.put(np.ones(3, 'f4'), [0], 1e300)", "np.ones(3, 'c8').put([0], 1e300)", "np.where(np.ones(3), 1e300, np.ones(3, 'f4'))", "np.where(np.ones(3), np.ones(3, 'c8'), 1e300)",
        "np.copyto(np.ones(300000, 'f4'), 1e300)", "np.putmask(np.ones(300000, 'f4'), np.ones(300000, bool), 1e300)", "repr(np.full((4, 1), 1e300).astype('c8', order='A'))",
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


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_errors_of_few_elements_are_raised_at_the_call(dtype):
    most = float(numpy.finfo(dtype).max)
    for code in (
        "np.inner(x, x)", "np.outer(x, x)", "np.trace(np.full((3, 3), x[0]))", "np.linalg.norm(x)", "np.add.accumulate(x)", "np.multiply.accumulate(x)", "np.round(x, 3)", "np.add.at(x, [0], x[:1])", "np.sum(x, where=np.array([True] * 3))",
        "np.sum(x, initial=x[0])", "np.isclose(x, -x)", "np.sinc(x)", "np.linalg.multi_dot([np.full((3, 3), x[0])] * 2)", "x.trace() if x.ndim > 1 else x.sum()", "np.linspace(x[0], -x[0], 5)",
    ):  # fmt: skip
        said = []
        for module in (weft, numpy):
            try:
                with weft.errstate(divide="raise", over="raise", invalid="raise"):
                    eval(code, {"np": module, "x": module.full(3, most, dtype)})
                said.append("")
            except FloatingPointError as error:
                said.append(str(error))
        assert said[0] == said[1], code


def test_nothing_is_told_where_numpys_loops_tell_nothing():
    for code in ("np.einsum('i,i->i', x, x)", "np.einsum('i,i', x, x)", "np.einsum('i->', x)", "np.einsum('ij,jk', np.full((2, 2), x[0]), np.full((2, 2), x[0]))", "np.maximum.at(x + 0j, [0], np.nan)"):
        assert [told(eval, code, {"np": module, "x": module.full(5, 1e308)}) for module in (weft, numpy)] == [[], []], code


def test_what_complex_numbers_lose_is_warned_of_at_the_call_and_may_be_an_error():
    x = weft.array([1 + 2j, numpy.inf])
    for cast in (lambda: x.astype(float), lambda: x.astype("f4", copy=False), lambda: weft.astype(x, int)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cast()
        assert [w.filename for w in caught] == [__file__] * len(caught) and caught[0].category is numpy.exceptions.ComplexWarning
        with warnings.catch_warnings(), pytest.raises(numpy.exceptions.ComplexWarning):
            warnings.simplefilter("error")
            cast()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weft.array([1.0]).astype(int)[0] == 1  # what the error kept from being told is not told later


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_powers_of_finite_numbers_tell_what_numpys_tell(dtype):
    most = 1e200 if dtype == "c16" else 1e25
    for base in (0j, 1 + 2j, -0.5 + 0.25j, 3 + 0j, most + 0j):
        for exponent in (0, 1, 2, 3, 4, 7, -1, -2, 0.5, -1 + 1j, 1 - 1j, 1j, 1 + 4j, 0j, 2 + 0j, -3 + 0j):
            for use in (lambda np, x, y: x**y, lambda np, x, y: np.power(x, np.array([y, y], dtype=x.dtype))):
                said = [told(use, module, module.array([base, base], dtype=dtype), exponent) for module in (weft, numpy)]
                assert said[0] == said[1], (base, exponent)


def test_what_no_integer_is_made_of_is_an_error_where_it_is_written():
    for value in (numpy.complex128("inf"), numpy.complex64("nan"), numpy.float64("inf"), numpy.float32("nan"), numpy.complex128(300 + 1j), numpy.float64(300.5), numpy.complex128(3 + 1j)):
        for write in (lambda x, v: x.fill(v), lambda x, v: x.__setitem__(1, v), lambda x, v: x.__setitem__(slice(1, None), v)):
            found = []
            for module in (weft, numpy):
                x, error = module.zeros(3, "i1"), None
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        write(x, value)
                    except (OverflowError, ValueError) as raised:
                        error = repr(raised)
                found.append((x.tolist(), error, [str(w.message) for w in caught]))
            assert found[0] == found[1], value


def test_divisions_at_places_are_numpys():
    chosen = random.Random(3)
    for _ in range(200):
        dtype, name = chosen.choice(["i1", "u2", "i8", "f4", "f8"]), chosen.choice(["divide", "floor_divide", "remainder"])
        name = name if dtype[0] == "f" else name.removeprefix("floor_").replace("divide", "floor_divide")  # what divides integers
        start, places = [chosen.randint(0, 100) for _ in range(6)], [chosen.randrange(6) for _ in range(chosen.randint(1, 9))]
        divisors = [chosen.choice([0, 1, 2, 3, 7]) for _ in places]
        found = []
        for module in (weft, numpy):
            x = module.array(start, dtype=dtype)
            found.append((told(getattr(module, name).at, x, places, module.array(divisors, dtype=dtype)), x.tolist()))
        assert repr(found[0]) == repr(found[1]), (name, dtype, start, places, divisors)


def test_nothing_is_told_of_what_where_leaves_out():
    for use in (
        lambda np, x: np.divide(1, x, where=x != 0, out=np.zeros(3)), lambda np, x: np.log(x, where=x > 0, out=x), lambda np, x: np.divide(x, x, where=x > 0, out=None),
        lambda np, x: np.divide(1, x, where=[True, False, True], out=np.zeros(3)),
        lambda np, x: np.divide(np.ones((2, 3)), x, where=np.array([[True, False, True]] * 2), out=np.zeros((2, 3))), lambda np, x: np.divide(np.ones((2, 3)), x, where=np.array([[True] * 3, [False] * 3]), out=np.zeros((2, 3))),
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
    with weft.errstate(invalid="call", divide="ignore", call=lambda *args: seen.append(args)):  # which is told of what is ignored, too
        weft.arange(3.0) / x
        weft.arange(300_000.0) / 0
    assert seen == [("divide by zero", 1), ("invalid value", 8), ("invalid value", 9), ("invalid value", 9)]
    assert log.getvalue() == "Warning: divide by zero encountered in log\n"
    assert capsys.readouterr().err == "Warning: invalid value encountered in sqrt\n"


def test_a_callback_may_compute_and_what_is_missing_is_named():
    x, seen = weft.array([0.0, 1.0, -1.0]), []

    def again(*args):
        seen.append(args)
        if len(seen) < 3:
            weft.log(x)

    with weft.errstate(all="call", call=again):
        weft.log(x)
    assert [flags for _, flags in seen] == [1 + 8, 1 + 8, 1 + 8, 8 + 1, 8 + 1, 8 + 1]
    for module in (numpy, weft):
        zero = module.zeros(3)
        with module.errstate(divide="call"), pytest.raises(NameError, match=r"^python callback specified for divide by zero \(in  divide\) but no function found\.$"):
            1 / zero
        with module.errstate(divide="log"), pytest.raises(NameError, match=r"^log specified for divide by zero \(in divide\) but no object with write method found\.$"):
            1 / zero


@pytest.mark.parametrize(
    "code",
    [
        "np.log2(f, where=f == f, out=np.zeros((2, 1)))", "np.exp(u, where=u == u, out=np.zeros((3, 1)))", "np.arctanh(u, where=u < 2, out=np.zeros((3, 1)))", "np.log(u > 1, where=u == u, out=np.zeros((3, 1)))",
        "np.fmin(x, 0.0, where=x == x, out=np.zeros((2, 3), 'f4'))", "np.add(x, x, where=x == x, out=np.zeros((2, 3), 'f4'))", "np.divide(u, 0, where=u > 1, out=np.zeros((3, 1), 'i8'), casting='unsafe')",
        "np.copysign(x, x, where=x == x, out=np.zeros((2, 3), 'i8'), casting='unsafe')", "np.exp(x, dtype='f4')", "np.arctanh(x, dtype='f4')", "np.subtract(x, 2, dtype='f4')", "np.exp(x[0], dtype='f4')", "np.floor(x, dtype='f4')",
        "divmod(f, 1e300)", "np.divmod(u, 0, casting='unsafe')", "np.add(f, np.full((2, 1), 1e300), out=f, where=f < 0)",
    ],
)  # fmt: skip
def test_casts_of_a_ufunc_are_told_once_and_of_what_is_written(code):
    said = []
    for module in (weft, numpy):
        given = {"np": module, "f": module.array([[0.0], [-3e38]], dtype="f4"), "u": module.array([[255], [1], [0]], dtype="u1"), "x": module.array([[1e300, 2.0, -1.0], [-1e300, 1.0, module.inf]])}
        said.append(told(eval, code, given))
    assert said[0] == said[1] != []


def test_nothing_is_told_of_what_is_not_written_or_refused():
    for code in (
        "np.log2(f, where=f > 0, out=np.zeros((2, 1)))", "np.exp(u, where=u < 2, out=np.zeros((3, 1)))", "np.add(x, x, where=abs(x) < 3, out=np.zeros((2, 3), 'f4'))", "np.divmod(u, 0, out=u)",
        "np.copysign(x, x, where=abs(x) < 3, out=np.zeros((2, 3), 'i8'), casting='unsafe')",
    ):  # fmt: skip
        said = []
        for module in (weft, numpy):
            given = {"np": module, "f": module.array([[0.0], [-3e38]], dtype="f4"), "u": module.array([[255], [1], [0]], dtype="u1"), "x": module.array([[1e300, 2.0, -1.0], [-1e300, 1.0, module.inf]])}

            def run(code=code, given=given):
                try:
                    eval(code, given)
                except TypeError:
                    pass

            said.append(told(run))
        assert said == [[], []], code


@pytest.mark.parametrize("few", [0, 4096])
def test_what_has_another_shape_is_refused_before_it_is_cast_or_computed(few):
    before = weft._core.few(few)
    try:
        for code in ("a[[0, 1]] = x", "a[a == 0] = x[:2]", "a[:2] = x", "np.divide(x, 0, out=a[:1])", "np.divide(x, 0, out=np.zeros(2))", "np.logical_and(a, 1e300)"):
            said = []
            for module in (weft, numpy):
                given = {"np": module, "a": module.zeros(4, "f4"), "x": module.array([1e300, module.nan, 2.0])}
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        exec(code, given)
                        error = ""
                    except ValueError as e:
                        error = str(e)
                said.append((error, [str(w.message) for w in caught if w.category is not weft.FallbackWarning]))
            assert said[0] == said[1] and not said[1][1], code
    finally:
        weft._core.few(before)


def test_each_thread_has_settings_of_its_own():
    said = {}

    def compute(wanted):
        with weft.errstate(all=wanted), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(200):
                try:
                    1 / weft.zeros(3)
                    said.setdefault(wanted, set()).add("computed")
                except FloatingPointError:
                    said.setdefault(wanted, set()).add("raised")

    threads = [threading.Thread(target=compute, args=(wanted,)) for wanted in ("raise", "ignore")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"raise": {"raised"}, "ignore": {"computed"}}


@pytest.mark.parametrize("code", ["np.add([1.0, 2], [1.0, 2], where=[True, False])", "np.add(np.array([1, 2], object), 1, where=[True, False])", "np.add(np.ones(2), 1, where=np.array([True, False]))"])
def test_elements_that_are_not_written_are_warned_of_once(code):
    for module in (numpy, weft):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(code, {"np": module})
        assert len([w for w in caught if "used without 'out'" in str(w.message)]) == 1


def test_settings_are_numpys_and_a_decorator_has_them():
    @weft.errstate(all="ignore")
    def quiet():
        before = weft.seterr(invalid="raise")
        return before, weft.geterr()

    before, after = quiet()
    assert set(before.values()) == {"ignore"} and after["invalid"] == "raise"
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        weft.ones(2) / 0


def test_flags_that_others_raised_are_not_told():
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
    ["1 / x", "x // 0", "x.__itruediv__(0)", "np.log(x)", "np.divide(x, x)", "np.sqrt(x - 1)", "(x * 1e308 * 1e308)[3]", "np.exp(x + 1000)", "(x + 1e308).sum()", "(x + 1e308).astype('f4')", "np.add(x, 1) / 0",
     "np.zeros(len(x), 'f4').__setitem__(slice(None), x + 1e300)", "np.dot(x + 1e300, x + 1e300)", "(x[::2] - x[1::2] * 1e300).std()", "np.asarray(x + 1e300, 'f4')", "np.array(x + 1e300, dtype='f4')", "np.full(len(x), 1e300, 'f4')",
     "np.full_like(x, 1e300, 'f4')", "np.copyto(np.zeros(len(x), 'f4'), x + 1e300, casting='same_kind')", "np.put(np.zeros(len(x), 'f4'), [0], np.array([1e300]))", "np.add.accumulate(x + 1e308)", "np.multiply.accumulate(x + 1e308)",
     "np.inner(x + 1e300, x + 1e300)", "np.outer(x[:1000] + 1e300, x[:1000] + 1e300)", "np.diff(x * 0 + np.tile([1e308, -1e308], len(x) // 2))", "np.ptp(x * 1e305 - 8e307 + np.tile([1e308, -1e308], len(x) // 2))", "np.round(x + 1e308, 3)",
     "np.trace(np.full((800, 800), 1e308))", "np.clip(x.astype('f4'), 0, 1e300)", "np.where(x > 0, x.astype('f4'), 1e300)", "np.linalg.norm(x + 1e300)", "np.isclose(x + 1e308, -x - 1e308)", "np.fft.fft(x + 1e308)", "np.sinc(x + 1e308)",
     "np.add.at(x + 1e308, [0, 1], 1e308)", "np.linspace(1.7e308, -1.7e308, 500_000)", "np.nansum(x + 1e308)", "np.average(x + 1e308)", "np.trapezoid(x + 1e308)", "x.sum(initial=1e308, where=x > 5) + (x + 1e308).sum(where=x > 5)"],
)
def test_errors_of_large_arrays_are_raised_at_the_call(code):
    x = weft.arange(500_000.0)
    with weft.errstate(all="raise"), pytest.raises(FloatingPointError, match=" encountered in "):
        eval(code, {"x": x, "np": weft})
    with weft.errstate(all="raise"):
        assert float((weft.arange(500_000.0) + 1).max()) == 500_000.0
    assert type(x + 1) is weft.ndarray


HALVES = (6e-8, 1e-7, 6.2e-5, 1e-4, 0.01, 0.3, 1, 3, 300, 65504, 0, -6e-8, -0.01, -2)  # some of which are no normal numbers
VANISH = """
np.square(x); np.reciprocal(x); np.expm1(x); np.log1p(x); np.radians(x); np.exp(-abs(x)); np.sin(x); -x; x + y; x * y; x / y; x // y; x * 0.01; x / 300; np.hypot(x, y); np.arctan2(x, y); np.logaddexp(x, y)
np.float16(0.01) * x; x.prod(); np.cumprod(x[3:5]); np.mean(x[:3]); np.var(x[:5]); np.dot(x[:5], x[:5]); np.matmul(x[:4].reshape(2, 2), x[:4].reshape(2, 2)); np.outer(x[:6], x[:6]); np.multiply.outer(x[:6], x[:6])
np.multiply.reduce(x[:3]); np.linalg.norm(x[:4]); np.inner(x[:4], x[:4]); np.vecdot(x[:4], x[:4]); np.einsum("i,i", x[:4], x[:4]); np.multiply(x, x, where=x < 1, out=x.copy()); x.astype("f4"); np.clip(x, 1e-9, 1)
x.__imul__(0.01); x.__itruediv__(300); x.__setitem__(slice(None), d); x.__setitem__(0, 1e-9); x.__setitem__([0, 1], d[:2]); x.__setitem__(x == 0, 1e-9); x.fill(1e-9); x.put([0, 1], d[:2]); np.copyto(x, d, casting="unsafe")
np.where(x > 1, x, d); d.astype("f2"); d.astype("f4").astype("f2"); np.multiply(d, d, out=x, casting="unsafe"); np.multiply(d, d, dtype="f2", casting="unsafe"); np.sum(d, dtype="f2"); np.full(5, 1e-9, "f2"); np.linspace(0, 1e-7, 5, dtype="f2")
np.array(1e-4, "f2") * np.array(1e-2, "f2"); np.multiply.at(x, [0, 1], np.float16(0.1)); d * d; np.exp(-d)
divmod(x, y); divmod(x, 0.01); divmod(3, y); divmod(d, d[::-1]); divmod(x[:3], y[:2, None]); np.matvec(x[:4].reshape(2, 2), x[3:5]); np.vecmat(x[3:5], x[:4].reshape(2, 2)); np.square(numpy.full(4, 1e-4, "f2")); x[:4] * numpy.full(4, 1e-4, "f2")
np.multiply(numpy.full(4, 1e-2, "f2"), x[:4]); np.square(x[:4].reshape(1, 1, 1, 2, 2)); x[:4].reshape(1, 1, 1, 2, 2) * x[3]; x[:8].reshape(2, 1, 1, 2, 2).__setitem__(..., 1e-9); x[:4].reshape(1, 1, 1, 2, 2).__imul__(0.01)
"""


@pytest.mark.parametrize("code", [code.strip() for code in VANISH.replace("\n", ";").split(";") if code.strip()])
@pytest.mark.parametrize("length", [len(HALVES), 70_000])
@pytest.mark.parametrize("wanted", ["warn", "raise", "ignore"])
def test_halves_that_underflow_are_told_of_as_numpys_are(code, length, wanted):
    def outcome(module):
        x = module.array(numpy.resize(numpy.array(HALVES, "f2"), length))
        y = module.array(numpy.resize(numpy.roll(numpy.array(HALVES, "f2"), 3), length))
        d = module.array(numpy.resize(numpy.array([1e-9, 1e-7, 1, 1e-5]), length))
        with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="ignore"), module.errstate(under=wanted):
            warnings.simplefilter("always", RuntimeWarning)
            warnings.simplefilter("ignore", weft.FallbackWarning)
            try:
                numpy.asarray(eval(code, {"x": x, "y": y, "d": d, "np": module, "numpy": numpy}))
            except FloatingPointError as error:
                return str(error), numpy.asarray(x).tobytes()
        return sorted({str(w.message) for w in caught}), numpy.asarray(x).tobytes()

    assert outcome(weft) == outcome(numpy)


@pytest.mark.parametrize("dtype", ["f8", "f2"])
@pytest.mark.parametrize("length", [5, 70_000, 500_000])
@pytest.mark.parametrize("code", ["divmod(x, y)", "divmod(x, 0)", "divmod(1, y)", "divmod(x[:400], y[:400, None])"])
def test_divmod_is_told_of_by_its_name(code, length, dtype):
    for settings in ({}, {"divide": "raise"}, {"all": "raise"}, {"under": "warn"}):
        said = []
        for module in (weft, numpy):
            x, y = (module.array(numpy.resize(numpy.array(values, dtype), length)) for values in ([1, 2, 1e-4, 3], [0, 1, 2, 3e-3]))
            with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="warn", under="ignore"), module.errstate(**settings):
                warnings.simplefilter("always")
                try:
                    [numpy.asarray(part) for part in eval(code, {"x": x, "y": y})]
                    _core.tell_floating()
                    said.append(sorted({str(one.message) for one in caught if one.category is not weft.FallbackWarning}))
                except FloatingPointError as error:
                    said.append(str(error))
        assert said[0] == said[1] != [], settings


@pytest.mark.parametrize("name", ["fmax", "maximum", "add", "multiply", "copysign"])
@pytest.mark.parametrize("options", ["", "out=x", "out=x, where=np.array([True])", "out=x, where=np.array([False])", "out=np.zeros(1)", "out=np.zeros(1), where=np.array([True])"])
def test_numbers_that_overflow_are_told_of_as_casts(name, options):
    said = []
    for module in (weft, numpy):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(f"np.{name}(x, 1e5, {options})", {"np": module, "x": module.array([3.0], "f2")})
        said.append(sorted(str(one.message) for one in caught if one.category is not weft.FallbackWarning))
    assert said[0] == said[1]


MATRICES = {
    "no numbers": lambda np, n: np.full((n, n), np.nan), "one that is none": lambda np, n: np.eye(n) + np.where(np.arange(n * n).reshape(n, n) == n // 2, np.nan, 0), "infinite": lambda np, n: np.full((n, n), np.inf),
    "large": lambda np, n: np.eye(n) * 1e200, "singular": lambda np, n: np.zeros((n, n)), "small": lambda np, n: np.eye(n) * 1e-200, "complex": lambda np, n: np.full((n, n), complex(np.nan, 1)), "wide": lambda np, n: (np.eye(n) * 1e30).astype("f4"),
    "several": lambda np, n: np.ones((2, n, n)) * np.array([1, np.nan])[:, None, None], "large among several": lambda np, n: np.stack([np.eye(n) * np.inf, np.eye(n) * 1e200]) if n == 1 else np.stack([np.eye(n), np.eye(n) * 1e200]),
}  # fmt: skip


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("n", [1, 2, 5, 60, 100, 200])
def test_determinants(n, kind):
    def said(module, name):
        with numpy.errstate(all="ignore"):
            a = MATRICES[kind](module, n)
            numpy.asarray(a)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = getattr(module.linalg, name)(a)
            for part in made if isinstance(made, tuple) else (made,):
                numpy.asarray(part)
            _core.tell_floating()
        return [str(one.message) for one in caught if one.category is not weft.FallbackWarning]

    for name in ("det", "slogdet"):
        assert said(weft, name) == said(numpy, name), name


def test_functions_of_scipys_need_no_scipy_while_halves_underflow():
    code = """
import sys
sys.modules["scipy"] = None
import weft
x = weft.full(4, 1e-4, "f2")
usual = weft.special.erf(x)
with weft.errstate(under="raise"):
    made = weft.special.erf(x)
print(made.dtype == usual.dtype, made.tolist() == usual.tolist())
"""
    done = run_python(code)
    assert done.stdout.split() == ["True", "True"], done.stderr


@pytest.mark.parametrize("code", ["np.square(x, dtype=o)", "np.sum(x, dtype=o)", "x.astype(o)", "np.full(4, 1.0, o)", "np.add(x, x, dtype=o)"])
def test_what_a_dtype_raises_goes_on_while_the_program_is_told_of_underflows(code):
    asked = []

    class Once:
        @property
        def dtype(self):
            asked.append(1)
            if len(asked) == 1:
                raise KeyboardInterrupt
            return numpy.dtype("f8")

    for module in (numpy, weft):
        asked.clear()
        with module.errstate(under="warn"), pytest.raises(KeyboardInterrupt):
            eval(code, {"np": module, "x": module.ones(3), "o": Once()})
