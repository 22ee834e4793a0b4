"""Operators give NumPy's dtypes and bits, and NumPy's errors."""

import operator
import traceback
import warnings

import numpy as np
import pytest
import weft

from .sharing import DTYPES, assert_same, sample

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.iand, operator.ior]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert]


def both(function, *arguments):
    """The results, or the exceptions, of the same call on weft's and on NumPy's arrays."""
    results = []
    for convert in (weft.array, np.array):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(function(*[convert(a) if isinstance(a, np.ndarray) else a for a in arguments]))
        except Exception as error:  # noqa: BLE001 - compared below
            results.append(error)
    return results


def compare(function, *arguments, exact=True):
    got, want = both(function, *arguments)
    if isinstance(want, Exception):
        assert isinstance(got, Exception), f"NumPy raises {want!r}, weft gives {got!r}"
        # NumPy's private classes show the name of their public base.
        assert type(got).__name__ == type(want).__name__, (got, want)
        assert str(got) == str(want)
    else:
        if isinstance(got, Exception):
            raise got
        assert_same(got, want, exact)


@pytest.mark.parametrize("op", ARITHMETIC + BITWISE + COMPARISONS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("x", DTYPES)
@pytest.mark.parametrize("y", ["bool", "int8", "uint16", "int64", "float32", "complex128"])
def test_binary(op, x, y):
    a, b = sample(x), sample(y, seed=2)
    if op in (operator.lshift, operator.rshift):
        b = np.abs(b) if b.dtype.kind in "iu" else b
    compare(op, a, b, exact=op is not operator.truediv or "complex" not in x + y)


@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.__name__)
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(op, dtype):
    compare(op, sample(dtype), exact=not (op is operator.abs and "complex" in dtype))


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("number", [True, 3, -2, 2.5, 1 + 2j, np.float32(1.5), np.int8(3), np.float64(0.25), 300, 2**63, -(2**40)], ids=repr)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64"])
def test_numbers_are_weak_as_in_numpy(op, number, dtype):
    if dtype == "bool" and number == 2**63 and op in COMPARISONS:
        pytest.skip("NumPy overflows where the answer is known")
    exact = not (op is operator.truediv and ("complex" in dtype or isinstance(number, complex)))
    compare(op, sample(dtype), number, exact=exact)
    compare(op, number, sample(dtype), exact=exact)


@pytest.mark.parametrize("op", IN_PLACE, ids=lambda op: op.__name__)
@pytest.mark.parametrize("x", ["int16", "uint8", "float32", "float64", "bool"])
@pytest.mark.parametrize("y", ["int8", "int64", "float64"])
def test_in_place(op, x, y):
    compare(op, sample(x), sample(y, seed=3))


def test_in_place_keeps_the_object_and_its_views():
    a = weft.arange(6.0)
    view, other = a[::-1], a
    a += 1
    assert other is a
    assert view.tolist() == [6, 5, 4, 3, 2, 1]


def test_in_place_on_a_scalar_makes_a_new_one():
    total = weft.arange(4.0).sum()
    kept = total
    total += 1
    assert (float(kept), float(total)) == (6, 7)


@pytest.mark.parametrize("exponent", [2, 0, 1, 3, -1, 0.5, 2.0, np.int64(2)], ids=repr)
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32", "float64", "complex128"])
def test_power(dtype, exponent):
    compare(operator.pow, sample(dtype), exponent, exact=False)


def test_divmod_and_matmul():
    a, b = sample("int64"), np.abs(sample("int64", seed=2)) + 1
    for got, want in zip(divmod(weft.array(a), weft.array(b)), divmod(a, b), strict=True):
        assert_same(got, want)
    compare(operator.matmul, sample("float64"), sample("float64", (4, 2)), exact=False)
    compare(operator.matmul, sample("int32", (2, 3, 4)), sample("int32", (4, 2)))
    compare(operator.matmul, sample("float64"), sample("float64", (3, 2)))


@pytest.mark.parametrize(
    ("x", "y"), [((3, 1), (1, 4)), ((2, 3, 4), (4,)), ((), (3,)), ((1,), (2, 0)), ((3, 4), (5,)), ((2, 3), (3, 2)), ((4, 1, 2), (3, 1))]
)
def test_broadcasting(x, y):
    compare(operator.add, sample("float64", x), sample("float64", y))


def test_other_operands():
    a = np.arange(3.0)
    w = weft.array(a)
    assert_same(w + [1, 2, 3], a + [1, 2, 3])
    assert_same((1, 2, 3) * w, (1, 2, 3) * a)
    assert_same(w + a, a + a)
    assert_same(a + w, a + a)  # NumPy's operator hands over to weft
    assert_same(np.float64(2) * w, np.float64(2) * a)
    assert (w == None).tolist() == (a == None).tolist()  # noqa: E711 - the comparison is the test
    with pytest.raises(TypeError):
        w + object()
    with pytest.raises((TypeError, np._core._exceptions._UFuncNoLoopError)):
        w + "text"


def test_dates_are_answered_by_numpy():
    day, two = np.datetime64("2024-01-01"), np.timedelta64(2, "s")
    for got, want in [
        (day + weft.arange(3), day + np.arange(3)),
        (weft.arange(3) * two, np.arange(3) * two),
        (weft.add(weft.arange(3), two), np.add(np.arange(3), two)),
    ]:
        assert got.dtype == want.dtype and (np.asarray(got) == want).all()


class Partner:
    """An object that wants to handle operators with arrays itself."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __lt__(self, other):
        return "lt"


def test_objects_that_refuse_arrays_are_asked():
    a = weft.arange(3)
    assert a + Partner() == "radd"
    assert a @ Partner() == "rmatmul"
    assert (a > Partner()) == "lt"


def test_numbers_from_arrays():
    a = weft.arange(5)
    assert bool(weft.array([1])) and not bool(weft.zeros(1))
    assert float(a[3]) == 3.0 and int(a[3]) == 3 and complex(a[3]) == 3 + 0j
    assert [10, 20, 30, 40][a[2]] == 30
    assert list(range(a[4])) == [0, 1, 2, 3]
    for function in (bool, float, int, operator.index, len):
        values = [np.arange(2), np.arange(0), np.array(1.5), np.array([[3]]), np.array(7)]
        for value in values:
            outcomes = []
            for convert in (weft.array, np.array):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        outcomes.append(function(convert(value)))
                except Exception as error:  # noqa: BLE001 - compared below
                    outcomes.append((type(error), str(error)))
            assert outcomes[0] == outcomes[1], (function, value)


def test_hash_and_membership():
    a = weft.arange(5)
    assert {a[2]: "two"}[2] == "two"
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert 3 in a and 9 not in a


class Refuses:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    __rmatmul__ = __radd__


class Stands:
    __array_priority__ = 10.0

    def __radd__(self, other):
        return "radd"


class Fails:
    def __radd__(self, other):
        raise KeyError(self.__class__.__name__)


def outcome(module, code, **names):
    """What a program comes to: its x and its error's type, text and lines, or its value."""
    names = {"np": module, "numpy": np, "Refuses": Refuses, "Stands": Stands, "Fails": Fails, "x": module.arange(9.0).reshape(3, 3), "u": module.ones(10, "u1"), "many": module.ones(70_000, "u1"), **names}
    made = said = lines = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(code, "a program", "exec"), names)
            made = names.get("made")
        except Exception as error:  # noqa: BLE001 - compared below
            said = type(error).__name__, str(error)
            lines = [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)[1:]]
    told = sorted(str(one.message) for one in caught if one.category is not weft.FallbackWarning)
    parts = [repr(np.asarray(part).tolist()) if not isinstance(part, str) else part for part in (made if isinstance(made, tuple) else (made,))]
    return parts, np.asarray(names["x"]).tolist() if not isinstance(names["x"], str) else names["x"], said, lines, told


@pytest.mark.parametrize("other", ["[1, 2, 3]", "(1, 2, 3)", "[]", "[[1, 2, 3]] * 3", "[[1], [2]]", "np.arange(3.)", "2", "None", "Refuses()"])
def test_matmul_in_place(other):
    assert outcome(weft, f"x @= {other}") == outcome(np, f"x @= {other}")


@pytest.mark.parametrize("code", ["x += Refuses()", "x -= Refuses()", "made = x + Refuses()", "x += Stands()", "made = x + Stands()", "x @= Refuses()", "made = x @ Refuses()"])
def test_operands_that_leave_operators_or_refuse_them(code):
    assert outcome(weft, code) == outcome(np, code)


OPERANDS = ["object()", "bytearray(b'abc')", "None", "'a'", "b'a'", "{}", "[1, 2, 3]", "[1, 2, 3, 4]", "[0, None, 2]", "1j", "2 ** 70", "np.float64(0)", "np.int8(0)", "np.ma.array([1, 2, 0])", "numpy.arange(3.)", "numpy.arange(3).astype('O')", "numpy.timedelta64(3, 's')", "numpy.arange(3, dtype='g')", "Refuses()", "x.astype('f4')", "x > 2"]  # fmt: skip


@pytest.mark.parametrize("other", OPERANDS)
@pytest.mark.parametrize("code", ["divmod(x, {})", "divmod({}, x)", "divmod(x.astype('i8'), {})", "divmod({}, x.astype('u1') + 1)", "divmod(x[0], {})"])
def test_divmod_with_what_is_no_array(code, other):
    code = "made = " + code.format(other)
    assert outcome(weft, code) == outcome(np, code)


def test_divmod_of_many_elements_is_no_numpys():
    x = weft.arange(20_000)
    before = weft.coverage().fallback.get("divmod", 0)
    for got, want in zip(divmod(x, 7), divmod(np.arange(20_000), 7), strict=True):
        assert_same(got, want)
    assert_same(divmod(np.arange(20_000), x + 1)[1], np.arange(20_000))
    assert weft.coverage().fallback.get("divmod", 0) == before


FAILING = ["x + None", "None + x", "x < None", "x - 'a'", "x + [1, 2]", "~x", "-(x > 1)", "u + 300", "x @ None", "x @ x[0, :2]", "divmod(x, None)", "divmod(x, [1, 2])", "divmod(x, x[0, :2])", "x + [Fails()]", "x + Fails()", "(x > 1) - (x > 2)"]


@pytest.mark.parametrize("code", [*FAILING, "\nx += None", "\nx += [1, 2]", "\nx += 1j", "\nx += [Fails()]"])
def test_errors_of_operators_begin_at_the_programs_line(code):
    code = f"def f(x):\n    return {code}\nf(x)" if code[0] != "\n" else f"def f(x):{code.replace(chr(10), chr(10) + '    ')}\nf(x)"
    got = outcome(weft, code)
    assert got == outcome(np, code) and got[2]


@pytest.mark.parametrize("code", ["{} @ 300", "300 @ {}", "{} @ -1", "{} @ 3", "{} @ 2.5", "{} @ np.int64(300)", "{} + 300", "-1 * {}", "divmod({}, 1j)", "divmod({}.astype('c8'), 2)", "divmod({}, 300)"])
@pytest.mark.parametrize("name", ["u", "many"])
def test_which_error_it_is_does_not_depend_on_how_many_elements_there_are(name, code):
    assert outcome(weft, code.format(name)) == outcome(np, code.format(name))
