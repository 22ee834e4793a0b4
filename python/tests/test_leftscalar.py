"""Operators whose left operand is a scalar of NumPy's: what NumPy computes, whatever the types, and NumPy's own operands as ever."""

import operator
import warnings

import numpy
import pytest
import weft

KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lshift,
    operator.rshift,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    divmod,
    operator.iadd,
    operator.imul,
]


def outcome(compute):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = compute()
        except Exception as e:
            return type(e), str(e)
    return [
        (
            numpy.asarray(part).dtype,
            numpy.asarray(part).shape,
            type(part) in (weft.ndarray, numpy.ndarray),
            numpy.asarray(part).tolist(),
        )
        for part in (made if isinstance(made, tuple) else [made])
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operate", OPERATORS, ids=lambda f: f.__name__)
def test_scalars_on_the_left(kind, operate):
    scalar = numpy.dtype(kind).type(3)
    for other in KINDS:
        for values in ([1, 2, 5, 7], [[1, 1], [4, 3]], 2, []):
            ours, numpys = weft.array(values, dtype=other), numpy.array(values, dtype=other)
            got, want = (
                outcome(lambda ours=ours: operate(scalar, ours)),
                outcome(lambda numpys=numpys: operate(scalar, numpys)),
            )
            if isinstance(want, tuple):
                assert isinstance(got, tuple) and got[0] is want[0], (kind, operate, other, values, got, want)
            elif (
                operate in (operator.pow, operator.truediv, divmod, operator.floordiv, operator.mod)
                or "c" in kind + other
            ):
                assert [g[:3] for g in got] == [w[:3] for w in want], (kind, operate, other, values)
                for g, w in zip(got, want, strict=True):
                    numpy.testing.assert_allclose(g[3], w[3], rtol=2e-3 if "2" in w[0].str[2:] else 1e-6)
            else:
                assert got == want, (kind, operate, other, values)


def test_numpys_own_operands():
    z = numpy.float64(2.5)
    assert z * 2 == 5.0 and type(z * 2) is numpy.float64 and type(numpy.float32(1) + z) is numpy.float64
    assert type(z * numpy.arange(3.0)) is numpy.ndarray and (z < numpy.arange(4)).tolist() == [
        False,
        False,
        False,
        True,
    ]
    assert (z + [1, 2]).tolist() == [3.5, 4.5] and type(z * 1j) is numpy.complex128
    with pytest.raises(TypeError):
        z * object()
    with pytest.raises(TypeError, match="unsupported operand|not supported"):
        z << 1
    assert (z == "a") is not True and z.__mul__(2) == 5.0 and pow(numpy.int64(3), 2) == 9


def test_a_class_of_scalars_with_operators_of_its_own():
    class Metres(numpy.float64):
        def __mul__(self, other):
            return "metres"

    class Plain(numpy.float64):
        pass

    x = weft.arange(3.0)
    assert Metres(2) * x == "metres"
    assert numpy.asarray(Plain(2) * x).tolist() == [0.0, 2.0, 4.0]


def test_shared_memory_and_large_arrays():
    z, x = numpy.float64(0.5), weft.arange(200_000.0)
    assert float((z * x)[-1]) == 199_999 * 0.5 and float((z - x[::2]).sum()) == float(
        (0.5 - numpy.arange(200_000.0)[::2]).sum()
    )
    y = x[:5]
    y *= z
    assert numpy.asarray(x[:5]).tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    with numpy.errstate(divide="ignore"):
        assert numpy.asarray(z / weft.zeros(2)).tolist() == [float("inf")] * 2


def told(compute):
    """The bits and type of a result, what was warned of, or what was raised."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = compute()
        except Exception as e:
            return type(e), str(e)
    return type(made), numpy.asarray(made).tobytes(), [(w.category, str(w.message)) for w in heard]


def test_numbers_have_numpys_bits_and_warnings():
    r = numpy.random.default_rng(3)
    edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        numpy.inf,
        -numpy.inf,
        numpy.nan,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        1e-200,
        1e200,
        1.7976931348623157e308,
        3.0,
    ]
    numbers = [
        *edges,
        0,
        1,
        -3,
        2**53 - 1,
        2**53,
        2**53 + 1,
        -(2**60) - 1,
        2**64,
        10**400,
        True,
        2j,
        None,
        numpy.int64(3),
        numpy.float32(0.1),
        numpy.uint8(200),
    ]
    bits = r.integers(0, 2**63, 400, dtype=numpy.int64).view("f8")
    pairs = [(numpy.float64(x), y) for x in edges for y in [*numbers, *map(numpy.float64, edges)]]
    pairs += [(y, numpy.float64(x)) for x in edges for y in numbers]
    pairs += [(numpy.float64(x), numpy.float64(y)) for x, y in zip(bits[:200], bits[200:], strict=True)]
    pairs += [
        (numpy.float64(x), float(y)) for x, y in r.standard_normal((200, 2)) * 10.0 ** r.integers(-160, 160, (200, 2))
    ]
    for operate in OPERATORS:
        for settings in ({}, {"all": "raise"}, {"all": "ignore"}):
            with numpy.errstate(**settings):
                for x, y in pairs:
                    got = told(lambda operate=operate, x=x, y=y: operate(x, y))
                    weft._core.left(False)
                    want = told(lambda operate=operate, x=x, y=y: operate(x, y))
                    weft._core.left(True)
                    assert got == want, (operate, settings, x, y)
