"""Arrays of dtypes that weft has not: NumPy's own, which stay NumPy's, also beside weft's arrays."""

import datetime
import warnings

import numpy
import pytest
import weft

CASES = """
l + x | x + l | l * 2 | 2 * l | l - l | x ** l | l // x | x % l | l < x | x == l | l @ x | x @ l | x + g | g * x | o + x | x * o | o == x | o + o | o - k | k + o | o @ o
s == s | s + s | s < s | d + k | k + d | d - d | d > d | d + 1 | s + x | x + s | s == x | d + x | x < d | l + big | big * l | big + l[:1] | o[:1] * big | x + s[:3] | l + m | m + l
np.add(l, x) | np.add(x, l) | np.add(o, x) | np.multiply(x, o) | np.equal(s, s) | np.add(s, x) | np.less(d, d) | np.maximum(l, x) | np.power(x, o) | np.add(l, x, dtype='f8')
np.add(l, x, where=x > 2) is not None | np.add(l, x, out=l) is l | np.arctan2(l, x) | np.add(o, big[:6]) | np.logical_and(o, x) | np.add(l, [1, 2, 3, 4, 5, 6]) | np.add([1] * 6, l) | np.add(l, 1j)
np.asarray(s) is s | np.asarray(o) is o | np.asanyarray(l) is l | np.array(o) is o | np.array(l) | np.array(s[::2]) | np.asarray(l, dtype=float) | np.array(o, dtype=int) | np.array(d, copy=False) is d
np.asarray(w) | np.array(w) | np.asarray(w).dtype.str | np.ravel(o) | np.ravel(o).base is o | np.reshape(s, (2, 3)) | np.reshape(s, (2, 3)).base is s | np.transpose(l) | np.squeeze(l) | np.nonzero(s)
np.sort(s) | np.copy(o) | np.where(x > 2, l, x) | np.take(s, [1, 2]) | np.concatenate([l, x]) | np.sum(l) | np.mean(l) | np.sum(o) | np.max(d) | np.unique(s) | np.argsort(s) | np.clip(l, 1, 2)
x == s | x != s | x < s | k == s[:1] | x[2] == s | s[0] == x | x[:1] != o[:1] | abs(l) | -l | np.sqrt(l) | l.sum() | l.mean() | divmod(l, x) | divmod(x, l) | x.dot(l) | np.dot(l, x) | (x > 1) & (l > 2) | o & k | k | o | l << x
x + [1, 2, 3, 4, 5, 6] | [1.5] * 6 * x | x - (2,) | k == [1, 2, 3, 4, 5, 7] | [True] * 6 + k | k + [] | x + [[1], [2]] | x + [[1], [2, 3]] | x + ["a"] * 6 | x + [None] * 6 | k << [1] * 6 | x @ [1, 2, 3, 4, 5, 6] | k ** [2] | k & [1.0] | x + [o, o] | x + [l[0]] | x < [np.nan]
k.__iadd__([1] * 6) is k | x.__imul__((2.0,)) is x | k.__iadd__([1.5] * 6) | k.__iadd__([1, 2]) | x.__iadd__([1j]) | x.__iadd__(["a"]) | x.__iadd__([[1], [2]]) | k.__ifloordiv__([0] * 6) | divmod(k, [2] * 6) | [7] * 6 // k
np.where(x > 2, s, "no") | np.where(x > 2, d, d[0]) | np.where(x > 2, o, None) | np.where(s == "a", x, o) | np.where([True] * 6, x, l) | np.concatenate([x, o]) | np.concatenate([d, k]) | np.concatenate([x, x, x, x, x, x, x, x, x, l]) | np.stack([k, o], axis=1)
np.atleast_1d(o) is o | np.atleast_2d(o).base is o | np.atleast_3d(s, d) | np.atleast_2d(o, x) | np.atleast_1d(numpy.datetime64("2024-01-01")) | np.zeros(3, "M8[D]") | np.empty(2, "U5").dtype | np.ones(2, "g") | np.full(2, "ab", "U1") | np.zeros(2, "nonsense") | np.zeros(2, "O")
np.meshgrid(d, s[:2], indexing="ij") | np.meshgrid(d, d[:2], sparse=True) | np.meshgrid(o, o[:2], copy=False)[0].base is o | np.meshgrid(d, s[:2]) | np.broadcast_arrays(d, d[:1]) | np.broadcast_arrays(d, d[:1], subok=True)
np.array([(1, 2.0, "a")], dtype=[("a", "i4"), ("b", "f8"), ("c", "U4")]) | np.array([(1, 2.0), (3, 4)], dtype=numpy.dtype([("a", "i4"), ("b", "f8")])) | np.array([(1, 2)], dtype=object) | np.array([(1, x[0])], dtype=object) | np.array([(1,)], dtype=numpy.dtype("i4,f8"))
"""


def operands(np):
    return {
        "np": np, "numpy": numpy, "datetime": datetime, "l": numpy.arange(6, dtype=numpy.longdouble) + 1, "g": numpy.arange(6, dtype=numpy.clongdouble), "o": numpy.array([3, 1, 2, 5, 4, 6], dtype=object),
        "s": numpy.array(["a", "bc", "", "d", "e", "a"]), "d": numpy.arange(6).astype("M8[D]"), "w": numpy.arange(6.0).astype(">f8"),
        "x": np.arange(6.0) + 1, "k": np.arange(6) + 1, "m": np.ones((3, 6)), "big": np.arange(9000.0).reshape(1500, 6),
    }  # fmt: skip


def outcome(np, case):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = eval(case, operands(np))
        except Exception as error:
            return type(error), str(error).replace("weft.ndarray", "numpy.ndarray")
    told = sorted({str(one.message) for one in caught if one.category is not weft.FallbackWarning})
    return [described(one) for one in (made if isinstance(made, tuple) else (made,))], told


def described(made):
    array = numpy.asarray(made)
    assert type(made) is not weft.ndarray or array.dtype.isnative
    return isinstance(made, (numpy.ndarray, weft.ndarray)), array.dtype.str, array.shape, array.strides if array.size > 1 else (), array.tolist()


@pytest.mark.parametrize("case", [case.strip() for line in CASES.strip().splitlines() for case in line.split(" | ")])
def test_as_numpy(case):
    assert outcome(weft, case) == outcome(numpy, case)


def test_their_operators_are_counted():
    before = weft.coverage().fallback.get("add", 0)
    made = weft.arange(3.0) + numpy.ones(3, numpy.longdouble)
    assert type(made) is numpy.ndarray and made.dtype == numpy.longdouble
    assert weft.coverage().fallback["add"] == before + 1
