"""The types of what the methods of ufuncs combine, and how their results lie, beside Numba's own ufuncs of the same signatures."""

import time

import numba
import numpy
import pytest
import weft as np
from numpy.lib.stride_tricks import as_strided
from weft.compiled import combining
from weft.numba import vectorize

R = numpy.random.default_rng(53)
BODIES = {"divided": lambda a, b: a / b, "scaled": lambda a, b: a * 1.5 + b, "whole": lambda a, b: a * b + 1}
TYPES = ("int8", "uint8", "int32", "float32")


def add(a, b):
    return a + b


def multiply(a, b):
    return a * b


def beside(signatures, function, **options):
    """weft's ufunc, and Numba's."""
    return vectorize(signatures, **options)(function), numba.vectorize(signatures, **options)(function)


def same(got, want):
    got, want = numpy.asarray(got), numpy.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert numpy.array_equal(got, want, equal_nan=want.dtype.kind == "f"), (got, want)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("t", TYPES)
def test_a_body_of_another_type_than_the_signature(t, body):
    ours, numbas = beside([f"{t}({t},{t})"], BODIES[body])
    x = numpy.array([[9, 8, 3, 60], [20, 5, 2, 7]], t)  # what is no int8 as a float is undefined in Numba
    b = numpy.array([2, 3, 1, 5], t)
    for axis in 0, 1:
        same(ours.reduce(x, axis), numbas.reduce(x, axis))
        same(ours.accumulate(x, axis), numbas.accumulate(x, axis))
        same(ours.reduceat(x, [0, 1], axis), numbas.reduceat(x, [0, 1], axis))
    same(ours.outer(x, b), numbas.outer(x, b))
    want = x.copy()
    numbas.at(want, ([0, 0, 1, 0], [0, 0, 3, 2]), b)
    for make in numpy.array, np.array:
        held = make(x)
        ours.at(held, ([0, 0, 1, 0], [0, 0, 3, 2]), b)
        same(held, want)


@pytest.mark.parametrize("make", [numpy.array, np.array])
def test_at_takes_the_loop_of_the_signatures(make):
    ours, numbas = beside(["float32(float32,float32)", "float64(float64,float64)"], BODIES["divided"])
    for changed, given in ("f4", "f8"), ("f4", "i4"), ("f8", "f4"), ("f4", "i2"):
        want, b = numpy.array([9, 8], changed), numpy.array([3, 7, 3], given)
        held = make(want)
        numbas.at(want, [0, 1, 0], b)
        ours.at(held, [0, 1, 0], b)
        same(held, want)
    for signature, body, changed, b in (
        ("int64(int64,int64)", "divided", "f8", 2.0), ("uint8(uint8,uint8)", "whole", "i2", numpy.array([2], "i2")),
        ("float64(float64,float64)", "whole", "i4", numpy.array([2], "i4")),
    ):  # fmt: skip
        held = make([9, 8]).astype(changed)
        with pytest.raises(TypeError, match="did not contain a loop|Cannot cast"):
            vectorize([signature])(BODIES[body]).at(held, [0, 0], b)
        assert held.tolist() == [9, 8]
    negative = vectorize(["int16(int16)"])(lambda a: -a * 1.5)
    held = make([3, 5]).astype("i2")
    negative.at(held, [0, 0])
    assert held.tolist() == [6, 5]


@pytest.mark.parametrize("make", [numpy.array, np.array])
def test_numbers_of_pythons_follow_the_array_in_at(make):
    for t in "u1", "u8", "i1", "i4", "f4", "f8":
        want = numpy.zeros(2, t)
        held = make(want)
        numba.vectorize(add).at(want, [0, 0], 2)
        vectorize(add).at(held, [0, 0], 2)
        same(held, want)
    for t, b, signature in ("u1", 2, "uint8(uint8,uint8)"), ("f4", 2, "float32(float32,float32)"), ("f4", 0.5, "float32(float32,float32)"):
        held = make(numpy.ones(2, t))
        vectorize([signature])(add).at(held, [0, 0], b)
        assert held.tolist() == [1 + 2 * b, 1]
    with pytest.raises(OverflowError):
        vectorize(["uint8(uint8,uint8)"])(add).at(make(numpy.ones(2, "u1")), 0, 300)
    with pytest.raises(TypeError, match="Cannot cast"):
        vectorize(add).at(make(numpy.ones(2, "i4")), 0, 0.5)


def test_at_reads_and_writes_what_is_named_alone():
    """An index into a large array costs what it costs in a small one, and other elements may be another thread's."""
    plus, large = vectorize(["float64(float64,float64)"])(add), numpy.zeros(20_000_000)
    plus.at(large, 5, 1.0)
    begun = time.perf_counter()
    for _ in range(5):
        plus.at(large, [5, -1, 5], 1.0)
    assert (time.perf_counter() - begun) / 5 < 0.05  # all of it takes 100 times as long
    assert large[5] == 11 and large[-1] == 5 and large.sum() == 16


@pytest.mark.parametrize("held", [numpy.zeros(6), np.zeros(6)], ids=["numpy", "weft"])
def test_at_leaves_what_another_writes_meanwhile(held):
    class Between:
        """An operand that another element is written beside: as by a thread."""

        def __array__(self, dtype=None, copy=None):
            held[4] = 7.0
            return numpy.ones(2)

    vectorize(add).at(held, [1, 1], Between())
    assert held.tolist() == [0, 2, 0, 0, 7, 0]


def test_numbers_told_apart_by_a_table_and_by_sorting():
    for size, most in (0, 9), (1, 9), (50, 10), (50, 3000), (50, 3400), (50, 10**12):
        for _ in range(5):
            numbers = R.integers(-most, most, size) * 8
            first, turns = combining.told_apart(numbers)
            assert numpy.array_equal(numbers[first][turns], numbers) and len(first) == len({*numbers.tolist()}) and turns.dtype == "i8"


def test_at_by_all_kinds_of_indices():
    """Beside NumPy's, on arrays of each layout, those whose elements are in memory once for several positions among them."""
    plus = vectorize(["float64(float64,float64)"])(add)
    kinds = [
        2, -1, (1, 2), (-1, [0, 3, 0]), ([[0, 2], [0, 0]],), [0, 0, -1], slice(1, None), (slice(None), [1, 1, -1]), (Ellipsis, [0, 0]), (None, 1),
        ([0, 0], slice(None, None, 2)), R.random((3, 4)) < 0.5, (R.random(3) < 0.5, 1), [], (numpy.uint64(2), numpy.int8(-2)), (), (numpy.array([2, 0], "u1"),),
    ]  # fmt: skip
    for index in kinds:
        x = R.normal(size=(3, 4))
        b = R.normal(size=numpy.shape(x[index]))
        for held in x.copy(), numpy.asfortranarray(x), numpy.stack([x, x], 2)[..., 1], x[::-1].copy()[::-1], np.array(x), np.array(x.T.copy()).T:
            want = numpy.array(x)
            numpy.add.at(want, index, b)
            plus.at(held, index, b)
            assert numpy.array_equal(held, want), index
    for want in numpy.zeros(1), numpy.zeros(5):
        want, held = (as_strided(v, (4, 2), (v.itemsize if v.size > 1 else 0, 8)) if v.size > 1 else as_strided(v, (4,), (0,)) for v in (want, want.copy()))
        indices = [0, 1, 1, 3]
        numpy.add.at(want, indices, 1.0)
        plus.at(held, indices, 1.0)
        assert numpy.array_equal(held, want)
    for held in numpy.array(3.0), np.array(3.0):
        plus.at(held, (), 2.0)
        plus.at(held, ..., 2.0)
        assert held == 7.0
    for index, error in ((3, IndexError), ((0, [4]), IndexError), ((0, 0, 0), IndexError), (1.5, IndexError)):
        with pytest.raises(error):
            plus.at(numpy.zeros((3, 4)), index, 1.0)
    with pytest.raises(TypeError, match="first operand must be array"):
        plus.at([1.0], 0, 1.0)


@pytest.mark.parametrize("function", [add, multiply])
def test_sums_and_products_of_small_integers_are_of_64_bits(function):
    """Where there is a signature of them; NumPy knows these ufuncs by their names, and Numba's have them."""
    signatures = [f"{t}({t},{t})" for t in ("int8", "uint8", "int32", "int64", "uint64", "float32")]
    ours, numbas = beside(signatures, function)
    for t in "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f4":
        x = R.integers(0, 2 if t == "?" else 128, (3, 4)).astype(t)
        for axis in 0, 1:
            same(ours.reduce(x, axis), numbas.reduce(x, axis))
            same(ours.accumulate(np.array(x), axis), numbas.accumulate(x, axis))
            same(ours.reduceat(x, [0, 2, 1], axis), numbas.reduceat(x, [0, 2, 1], axis))
            same(vectorize(function).reduce(x, axis), numbas.reduce(x, axis))
    x, out = numpy.full((3, 4), 100, "i1"), numpy.zeros((3, 4), "i1")
    same(ours.accumulate(x, out=out), numbas.accumulate(x, out=out.copy()))
    assert vectorize(["int8(int8,int8)"])(function).reduce(numpy.ones(3, "i1")).dtype == "i1"
    total, numbas = beside(signatures, lambda a, b: a + b)
    same(total.reduce(x), numbas.reduce(x))


def test_axes_and_shapes_of_results():
    signatures = ["int64(int64,int64)", "float64(float64,float64)"]
    ours, numbas = beside(signatures, add)
    x = R.normal(size=(2, 3))
    assert ours.reduce(np.ones((2, 3)), None, keepdims=True).shape == (1, 1) and ours.reduce(x, None).shape == ()
    for axis in numpy.int64(1), -1, (1,), 0:
        for keepdims in False, True:
            same(ours.reduce(x, axis, keepdims=keepdims), numbas.reduce(x, axis, keepdims=keepdims))
    for axis in True, 1.0, numpy.True_, "0":
        for method in "reduce", "accumulate":
            with pytest.raises(TypeError):
                getattr(numbas, method)(x, axis)
            with pytest.raises(TypeError, match="integer"):
                getattr(ours, method)(x, axis)
    whole, numbas0 = beside(signatures, add, identity=0)
    for axis in 0, None:
        same(whole.reduce(numpy.zeros((0, 3)), axis, keepdims=True), numbas0.reduce(numpy.zeros((0, 3)), axis, keepdims=True))
    same(whole.reduce(numpy.zeros((2, 0, 3)), 1), numbas0.reduce(numpy.zeros((2, 0, 3)), 1))
    for shape in (0, 3), (0, 0):
        for ufunc in ours, numbas:
            with pytest.raises(ValueError, match="no identity"):
                ufunc.reduce(numpy.zeros(shape))
    same(ours.reduce(numpy.zeros((3, 0))), numbas.reduce(numpy.zeros((3, 0))))
    for number in numpy.float64(3), numpy.int32(3):
        for axis in 0, -1, None:
            same(ours.reduce(number, axis), numbas.reduce(number, axis))
            same(ours.reduce(number, axis, keepdims=True), numbas.reduce(number, axis, keepdims=True))
        with pytest.raises(numpy.exceptions.AxisError):
            ours.reduce(number, 1)
        with pytest.raises(TypeError, match="cannot accumulate on a scalar"):
            ours.accumulate(number)
        with pytest.raises(TypeError, match="cannot reduceat on a scalar"):
            ours.reduceat(number, [0])
    same(ours.accumulate(x[0], None), numbas.accumulate(x[0], None))
    for method, more in ("accumulate", ()), ("reduceat", ([0],)):
        with pytest.raises(ValueError, match="does not allow multiple axes"):
            getattr(ours, method)(x, *more, None)


@pytest.mark.parametrize("make", [numpy.zeros, np.zeros])
def test_out_is_of_the_shape_of_the_results(make):
    ours, numbas = beside(["float64(float64,float64)"], add)
    x = R.normal(size=(3, 4))
    for shape in (2, 3, 4), (3, 1), (4,), (1, 3, 4):
        for method, more in ("accumulate", ()), ("reduceat", ([0, 1, 2],)):
            with pytest.raises(ValueError):
                getattr(numbas, method)(x, *more, out=numpy.zeros(shape))
            with pytest.raises(ValueError, match="doesn't match the broadcast shape"):
                getattr(ours, method)(x, *more, out=make(shape))
    for out in make((3, 4)), (make((3, 4)),):
        same(ours.accumulate(x, out=out), numbas.accumulate(x))
    with pytest.raises(ValueError, match="exactly one entry"):
        ours.accumulate(x, out=(make((3, 4)), None))
    with pytest.raises(TypeError, match="output must be an array"):
        ours.accumulate(x, out=[0.0])


def test_results_of_accumulate_lie_as_the_array_does():
    ours, numbas = beside(["float64(float64,float64)", "float32(float32,float32)"], add)
    for shape in (5,), (3, 4), (2, 3, 4), (2, 3, 2, 4):
        for _ in range(6):
            a = R.normal(size=shape).astype(R.choice(["f4", "f8"])).transpose(R.permutation(len(shape)))
            for x in a, a[::-1], a.copy("K")[..., ::-1]:
                for axis in range(x.ndim):
                    got, want = ours.accumulate(x, axis), numbas.accumulate(x, axis)
                    numpy.testing.assert_array_equal(got, want)
                    assert got.strides == want.strides
