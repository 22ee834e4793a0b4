"""Operators give NumPy's dtypes and bits, and NumPy's errors."""

import operator
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
