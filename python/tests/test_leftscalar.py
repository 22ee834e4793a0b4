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
