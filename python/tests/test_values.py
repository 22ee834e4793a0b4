"""Results that were other than NumPy's, each by an expression that is evaluated under both."""

import contextlib
import hashlib  # noqa: F401, for expressions
import io  # noqa: F401
import itertools
import warnings

import numpy
import pytest
import weft

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning")

T, F = True, False
A = [1.5, 2.5, 3.5, 3.9]
BYTES = b"\xff\x02\x01\x00" * 50


def told(expression, np):
    """What an expression comes to: the dtype, shape and elements (the sign of zeros too), or the error."""
    try:
        value = eval(expression, {**globals(), "np": np})
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        return type(error).__name__, str(error)
    if not hasattr(value, "dtype"):
        return value
    array = numpy.asarray(value)
    large = array.size > 1000 and array.dtype.kind in "iufc"  # bytes, since texts of many numbers take longer than all else
    return array.dtype, array.shape, array.tobytes() if large else repr(array.tolist())


def check(expression):
    assert told(expression, weft) == told(expression, numpy)


PROTOTYPES = ("arange(3)", "ones((3,4),order='F')", "ones((3,4,5),order='F')", "ones((3,4,5),order='F').transpose(1,0,2)", "ones((1,3))")


@pytest.mark.parametrize("order", "ACFK")
@pytest.mark.parametrize("maker", ["ones_like(np.{0},", "zeros_like(np.{0},", "empty_like(np.{0},", "full_like(np.{0},7,"])
def test_order_of_another_shape(maker, order):
    for prototype in PROTOTYPES:
        for shape in ((), (3,), (2, 3), (2, 3, 4), (2, 1, 3, 4)):
            check(f"np.{maker.format(prototype)} shape={shape}, order='{order}').strides")


def test_zero_steps_of_broadcast_views():
    check("np.broadcast_to(np.zeros((1,3)),(2,1,3)).strides")
    check("np.zeros_like(np.broadcast_to(np.zeros((1,3)),(2,1,3)).T).strides")


@pytest.mark.parametrize("function", ["sum", "prod", "cumsum", "cumprod"])
@pytest.mark.parametrize("out", ["int", "'f4'", "'i1'", "complex"])
def test_accumulates_before_it_converts(function, out):
    shape = 4 if function.startswith("cum") else ()
    check(f"np.{function}(np.array(A), out=np.zeros({shape}, {out}))")
    check(f"np.{function}(np.array(A), dtype=int, out=np.zeros({shape}, {out}))")
    check(f"np.{function}(np.array([100, 100, 100, 3], 'i1'), out=np.zeros({shape}, {out}))")
    check(f"np.{function}(np.array([1e10, 1, 1e10, 3]), out=np.zeros({shape}, 'f4'))")


@pytest.mark.parametrize("count", [5, 5000])
@pytest.mark.parametrize("dtype", ["np.int32", "'i1'", "'u8'"])
def test_means_that_are_integers(count, dtype):
    check(f"np.mean(np.arange({count}) + .7, dtype={dtype})")
    check(f"np.mean(np.arange({count}).reshape(5, -1), axis=1, dtype={dtype})")
    check(f"np.nanmean(np.arange({count}), dtype={dtype})")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "i4"])
def test_chosen_means_keep_their_dtype(dtype):
    check(f"np.mean(np.arange(3).astype('{dtype}'), where=np.array([T, F, T]))")


@pytest.mark.parametrize("arguments", ["None, None", "None, 1", "np.array([1, 2]), None", "1"])
def test_where_of_none(arguments):
    check(f"np.where(np.array([T, F]), {arguments})")


@pytest.mark.parametrize("axes", [(1, 0, 1), (0, 0), (1, 1), (0,), (-1, 1, 0)])
def test_axes_that_are_transformed_twice(axes):
    for function in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
        ours, theirs = (getattr(np.fft, function)(np.arange(12.0).reshape(3, 4), axes=axes) for np in (weft, numpy))
        assert ours.shape == theirs.shape
        numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=1e-12)


@pytest.mark.parametrize("function", "fft ifft rfft irfft ihfft fft2 rfft2 fftn ifftn rfftn irfftn".split())
def test_transforms_into_out_have_the_same_bits(function):
    transform = getattr(weft.fft, function)
    x = weft.asarray(numpy.random.default_rng(1).normal(size=(7, 30)))
    plain = transform(x)
    out = weft.empty(plain.shape, plain.dtype)
    assert transform(x, out=out) is out
    assert out.tobytes() == plain.tobytes()


def test_out_of_hfft_is_not_looked_at():
    out = weft.zeros(6)
    made = weft.fft.hfft(weft.arange(1.0, 5.0), out=out)
    numpy.testing.assert_allclose(numpy.asarray(made), numpy.fft.hfft(numpy.arange(1.0, 5.0)))
    assert made is not out and not numpy.asarray(out).any()
    x = numpy.arange(12.0).reshape(3, 4)
    for name in ("ifft2", "irfft2"):
        theirs = getattr(numpy.fft, name)(x, out=(unused := numpy.zeros_like(getattr(numpy.fft, name)(x))))
        made = getattr(weft.fft, name)(weft.array(x), out=(out := weft.zeros(theirs.shape, theirs.dtype)))
        numpy.testing.assert_allclose(numpy.asarray(made), theirs, atol=1e-12)
        assert not unused.any() and made is not out and not numpy.asarray(out).any()


@pytest.mark.parametrize("function", ["np.prod", "np.sum", "np.max", "np.add.reduce"])
@pytest.mark.parametrize("initial", ["[2, 3]", "[2]", "np.array([2])", "np.array(2)", "7"])
def test_initial_is_one_number(function, initial):
    check(f"{function}(np.arange(3.) + 1, initial={initial})")


@pytest.mark.parametrize("base", ["u8", "u4", "i8", "?"])
@pytest.mark.parametrize("exponent", ["-1", "np.array([-1, 2])", "np.array([-1, 2], 'i1')", "np.int64(-1)", "2"])
def test_negative_powers(base, exponent):
    check(f"np.array([2, 3], '{base}') ** {exponent}")


@pytest.mark.parametrize("numbers", ["np.array([1, 2, 3], 'f4'), 0.1", "np.array([1, 2, 3], 'i1'), 5", "np.array([1, 2, 3], 'i1'), 500",
                                     "1, 2.5", "np.array([1, 2, 3], 'i1'), 2.5", "np.array([1, 2, 3], 'f4'), 3j", "T, np.array([1, 2, 3], 'i1')",
                                     "np.array([1, 2, 3], 'i1'), np.float32(2.5), 3"])  # fmt: skip
def test_numbers_of_python_are_weak(numbers):
    check(f"np.choose(np.array([0, 1, 0]), [{numbers}])")
    check(f"np.concatenate(({numbers}), axis=None)")


@pytest.mark.parametrize("number", ["0.1", "1", "float('nan')", "float('inf')", "T", "np.float32(.1)"])
@pytest.mark.parametrize("options", ["", ", equal_nan=True, rtol=0, atol=0", ", rtol=0, atol=1e-9", ", rtol=np.array([0, 0, 1, 1], 'f4')"])
def test_numbers_of_python_are_weak_in_isclose(number, options):
    a = "np.array([.1, np.nan, np.inf, 1], 'f4')"
    check(f"np.isclose({a}, {number}{options})")
    check(f"np.isclose({number}, {a}{options})")
    check(f"np.isclose(np.array([1, 2, 0, 3], 'i1'), {number}{options})")


@pytest.mark.parametrize("where", ["[T, F, T]", "[[T, F, T]]", "T", "[T]"])
@pytest.mark.parametrize("shape", [(3,), (1, 3), (1, 1, 3), (2, 3)])
def test_copyto_drops_leading_axes_of_one_point(shape, where):
    check(f"(x := np.zeros(3), np.copyto(x, np.arange({numpy.prod(shape)}.).reshape({shape}), where=np.array({where})))[0]")


@pytest.mark.parametrize("shapes", ["(0, 3), (3, 2)", "(2, 3), (3, 0)", "(2, 0), (0, 2)", "(0,), (0,)"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "?"])
def test_products_of_nothing_keep_their_dtype(shapes, dtype):
    a, b = eval(shapes)
    check(f"np.zeros({a}, '{dtype}') @ np.zeros({b}, '{dtype}')")
    check(f"np.dot(np.zeros({a}, '{dtype}'), np.zeros({b}, '{dtype}'))")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("limits", ["0., 0.", "0., -0.", "-0., 0.", "-0., -0.", "-0., 1", "-1, -0.", "np.array(-0., x.dtype), None", "None, 0.", "-0., None"])
def test_sign_of_clipped_zeros(dtype, limits):
    check(f"(x := np.array([0., -0., -1, 1], '{dtype}'), np.clip(x, {limits}))[1]")


@pytest.mark.parametrize("call", """
np.add(np.zeros(3), np.zeros(4), out=np.zeros(3, int))
np.zeros(3, int).__iadd__(np.zeros(4))
np.subtract(np.zeros(3, bool), np.zeros(4, bool))
np.bitwise_and(np.zeros(3), np.zeros(4))
np.left_shift(np.zeros(3), np.zeros(4, int))
np.add(np.zeros(3), np.zeros(4))
np.add(np.zeros(3), np.zeros(3), out=np.zeros(4, int))
""".strip().splitlines())  # fmt: skip
def test_dtypes_are_checked_before_shapes(call):
    check(call)


BOOLS = """
a.sum()
a.mean()
a.std()
a.nonzero()[0]
a.astype(int)
a == T
a & T
~a
a ^ a
np.where(a, 1, 2)
np.count_nonzero(a)
np.arange(200)[a]
a.cumsum()
a + 1
a * 3.0
a < a[3]
np.sort(a)
np.unique(a)
np.bincount(a)
np.packbits(a)
np.logical_xor(a, T)
np.diff(a)
np.concatenate((a, a)).sum()
np.nonzero(a[::2])[0]
np.left_shift(a, 1)
np.take(np.arange(300), a)
np.invert(a).sum()
np.isin(a, [T])
a.tolist()
"""


@pytest.mark.parametrize("expression", BOOLS.strip().splitlines())
def test_every_byte_but_zero_is_true(expression):
    check(f"(lambda a: {expression})(np.frombuffer(BYTES, bool))")


@pytest.mark.parametrize("shape", [(4, 3, 2), (3, 1, 5), (2, 3, 4, 2), (70, 80, 9)])
def test_what_joins_arrays_that_lie_otherwise_lies_as_numpys(shape):
    for axes in itertools.permutations(range(len(shape))):
        for axis in range(len(shape)):
            strides = []
            for np in (weft, numpy):
                a = np.zeros(shape).transpose(axes)
                one = np.broadcast_to(np.array(0.5), (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
                joined = [np.concatenate([one, a], axis), np.concatenate([a, one], axis), np.concatenate([a, a], axis), np.diff(a, axis=axis, prepend=0.5)]
                for along in range(len(shape)):
                    still = np.broadcast_to(a[(slice(None),) * along + (slice(1),)], a.shape)
                    joined += [np.concatenate([still, still], axis), np.concatenate([a, still], axis)]
                strides.append([[step for step, n in zip(x.strides, x.shape, strict=True) if n > 1] for x in joined])
            assert strides[0] == strides[1], (axes, axis)


def test_bytes_of_bools_are_settled_wherever_one_is_odd():
    for count in (1, 7, 8, 9, 16, 17):
        for at in range(count):
            data = bytearray(count)
            data[at] = 64
            made = weft.array(numpy.frombuffer(data, bool))
            assert made.tobytes() == bytes(int(i == at) for i in range(count))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "u8", "f4", "?", "c8"])
@pytest.mark.parametrize("value", ["np.inf", "-np.inf", "np.nan", "1e300", "300.7", "-3.5", "1000", "-1", "2+3j", "np.float64(3e9)", "T"])
def test_fill_values_are_cast_as_arrays_are(value, dtype):
    check(f"np.full((2,), {value}, dtype='{dtype}')")
    check(f"np.full_like(np.zeros(2, '{dtype}'), {value})")


def test_private_modules_below_public_ones_are_numpys():
    assert weft.linalg._umath_linalg is numpy.linalg._umath_linalg


@pytest.mark.parametrize("array", ["np.zeros((3, 4))", "np.zeros((3, 4)).T", "np.zeros(3)", "np.broadcast_to(np.zeros(3), (2, 3))"])
def test_flags_are_compared(array):
    ours, theirs = (eval(array, {"np": np}).flags for np in (weft, numpy))
    assert ours == theirs and theirs == ours and ours == eval(array, {"np": weft}).flags
    assert ours != weft.zeros((3, 4, 5)).transpose(1, 0, 2).flags and ours != 7


@pytest.mark.parametrize("call", """
np.var(np.arange(4.0), dtype=np.complex64)
np.std(np.arange(6).reshape(2, 3), axis=0, dtype=complex)
np.histogram([1, 1 + 2e-16] * 10)
np.histogram(np.array([1, 1 + 1e-12] * 10))[0]
np.put_along_axis(np.zeros((2, 3)), np.array([[0], [1]]), 7, axis=None)
np.put_along_axis(np.zeros((2, 3)), np.array([0, 1]), 7, axis=0)
np.zeros((3,) * 5)[np.ix_(*[np.zeros(7132, int)] * 5)]
np.zeros((3,) * 5).__setitem__(np.ix_(*[np.zeros(7132, int)] * 5), 0)
hashlib.sha256(np.arange(6).reshape(2, 3)).hexdigest()
hashlib.sha256(np.arange(6).reshape(2, 3).T).hexdigest()
io.BytesIO().write(np.arange(6)[::2])
np.float64(0).data.tobytes() == memoryview(np.array(0.0)).tobytes()
""".strip().splitlines())  # fmt: skip
def test_what_numpys_own_tests_found(call):
    check(call)


NEGATIVE = "np.full({0}, complex(-0., -0.), '{1}')", "np.full({0}, complex(-0., -0.), '{1}').T", "np.full({0}, complex(-0., -0.), '{1}')[::-1]"
SIZES = ["0", "1", "2", "9", "70000", "(1, 1)", "(3, 1)", "(2, 33)", "(300, 300)", "(2, 0)"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_sums_of_negative_zeros(dtype, size):
    for array in NEGATIVE:
        x = array.format(size, dtype)
        for axis in None, 0, -1, ():
            for function in "np.sum({0}, {1})", "{0}.mean({1})", "np.add.reduce({0}, {1}, keepdims=T)", "np.nansum({0}, {1})", "np.sum({0}, {1}, initial=-0.)", "np.sum({0}, {1}, initial=0.)":
                check(function.format(x, axis))
        for function in "{0}.cumsum()", "np.add.accumulate({0}, -1)", "np.einsum('...i->...', {0})", "np.sum({0}, where=np.ones({1}, bool).T.reshape({0}.shape))":
            check(function.format(x, size))
        if size not in ("0", "(2, 0)"):
            check(f"np.add.reduceat({x}, [0])")
        if size.isdigit():
            for function in "dot", "inner", "vdot", "matmul":
                check(f"np.{function}({x}, np.ones({size}, '{dtype}'))")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("array", ["[complex(np.inf, 0)]", "[complex(-0., -0.)]", "[complex(1, np.inf)]", "[complex(np.inf, 0), 2]"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_products_begin_at_one(array, dtype):
    check(f"np.prod(np.array({array}, '{dtype}'))")
    check(f"np.prod(np.array([{array}], '{dtype}').T, axis=0)")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", "hypot logaddexp logaddexp2 arctan2 power float_power fmin fmax".split())
@pytest.mark.parametrize("array", ["[3., -0., 2.]", "[np.nan, 1., -2.]", "[np.nan, np.nan]", "[np.inf, -np.inf, 0.]", "[[1., 2.], [np.nan, 4.]]", "[3, 1, 2]", "[]"])
def test_reductions_of_other_ufuncs(name, array):
    check(f"np.{name}.reduce(np.array({array}))")
    check(f"np.{name}.accumulate(np.array({array}))")


OUTPUTS = """
    np.matmul(np.ones((2,3)), np.ones((2,2)), out=np.zeros((2,2),int))
    np.matmul(np.ones((2,3)), np.ones((2,2)), out=np.zeros((2,2)))
    np.matmul(np.ones((2,3)), 3, out=np.zeros((2,2),int))
    np.power(np.arange(3), -1, out=np.zeros(2))
    np.power(np.arange(3), -1, out=np.zeros(3,'?'))
    np.power(np.arange(3), np.array([-1,0,1]), out=np.zeros(4))
    np.power(np.arange(3), np.array([-1,0,1]), out=np.zeros(3))
    np.power(np.arange(3.), 2, out=np.zeros(3,'i4'))
    np.power(np.arange(3,dtype='u4'), -1, out=np.zeros(2,'u4'))
    np.power(np.zeros(3,'?'), -1, out=np.zeros(2))
"""


@pytest.mark.parametrize("call", OUTPUTS.strip().splitlines())
def test_outputs_are_looked_at_before_operands(call):
    check(call.strip())


WRITES = ("u[3] = 2", "u[5:9] = 255", "u += 1", "u[[1, 4]] = 64", "u |= 6", "u[::3] *= 2", "np.add.at(u, [0, 0, 1], 5)", "b.view(np.int8)[7] = -3")


@pytest.mark.parametrize("count", [24, 20_000])
@pytest.mark.parametrize("write", WRITES)
def test_bytes_that_views_of_bools_write_are_true(write, count):
    for expression in ("a.all()", "a.any()", "a.item(3)", "[bool(x) for x in a[:9]]", "bool(a[3])", "a[None, 3:9].sum()", "a[::-2].argmax()", *BOOLS.strip().splitlines()):
        if expression == "a.std()":
            continue  # sums of squares have other roundings
        expression = expression.replace("arange(200)", "arange(a.size)").replace("arange(300)", "arange(a.size)")
        check(f"(lambda b: ((lambda u: exec({write!r}, {{'np': np, 'u': u, 'b': b}}))(b.view(np.uint8)), (lambda a: {expression})(b))[1])(np.zeros({count}, bool))")


@pytest.mark.parametrize("update", ["b &= T", "b |= c", "b ^= c", "b[2:] &= b[:-2]", "np.logical_not(b, out=b)", "b[...] = b[::-1]", "b[c] = False"])
def test_bools_with_odd_bytes_are_updated(update):
    def made(np):
        b, c = np.zeros(50, bool), np.arange(50) % 3 == 0
        b.view(np.uint8)[::2] = 2
        exec(update, {"np": np, "b": b, "c": c, "T": T})
        return b.tolist(), (~b).tolist(), int(b.sum())

    assert made(weft) == made(numpy)


def test_odd_bytes_are_seen_in_loops_and_shown_by_their_view():
    def made(np):
        sums = []
        for i in range(40):
            b = np.zeros(30, bool)
            u = b.view(np.uint8)
            for k in range(8):
                u[k] = u[k] + i % 5
                u += i % 2
                c = b ^ (np.arange(30) % 2 == 0)
                sums.append((int(c.sum()), (b & c).tolist(), u.tolist()))
        return sums

    assert made(weft) == made(numpy)


@pytest.mark.parametrize(
    "call", ["a.astype('f8')", "a.astype('i4')", "x.__setitem__(slice(None), a)", "x.__setitem__([0, 1], a)", "np.copyto(x, a, casting='unsafe')", "np.full(2, a, float)", "np.full(2, 1j, 'i4')", "np.full_like(x, a)",
     *(f"np.{name}({of}, {dtype})" for name in ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require") for of in ("a", "np.resize(a, 9000)") for dtype in ("float", "'i2'", "bool", "'F'")),
     *(f"np.{name}({of}, dtype=float)" for name in ("sum", "prod", "mean", "cumsum", "cumprod") for of in ("a", "np.resize(a, 9000)"))]
)
def test_discarding_imaginary_parts_warns(call):
    seen = []
    for space in (numpy, weft):
        a, x = space.array([1 + 2j, 3j]), space.zeros(2)
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            eval(call, {"np": space, "a": a, "x": x})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bools = a.astype(bool).tolist()
            y = space.zeros(2)
            with contextlib.suppress(numpy.exceptions.ComplexWarning):
                y[:] = a
        seen.append(([(one.category, str(one.message)) for one in given], x.tolist(), bools, y.tolist()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_of_any_size_become_the_nearest_float(dtype):
    rng = numpy.random.default_rng(21)
    for bits in range(1, 65):
        whole = (rng.integers(0, 2**64, 500, dtype="uint64") >> (64 - bits)).astype(dtype)
        edges = [0, 2**53 - 1, 2**53 + 1, 2**54 + 2, 2**54 + 6, 2**63 - 1, 2**63 - 513]
        both = numpy.concatenate([whole, numpy.array(edges, dtype), (0 - whole).astype(dtype)])
        for few in (both, numpy.tile(both, 20)):
            assert numpy.array_equal(numpy.array(weft.array(few).astype(float)), few.astype(float)), (dtype, bits)


def test_linspace_of_many_elements_is_numpys():
    for n in (1, 2, 3, 1000, 12345, 300_000):
        for given in ({}, {"endpoint": False}, {"dtype": int}):
            assert numpy.array_equal(numpy.array(weft.linspace(-5.1, 9.3, n, **given)), numpy.linspace(-5.1, 9.3, n, **given))


_NOT_CAST = """
    np.add(a, 1, out=i) | a.__iadd__(1j) | i.__iadd__(1.5) | i.__itruediv__(2) | np.add(a, a, dtype=int) | np.sqrt(a, dtype=int) | np.sqrt(a, out=i) | np.maximum(a, a, out=i) | np.exp(a, out=s) | i.__ipow__(0.5)
    t.__iadd__(1) | np.multiply(a, 1j, out=a) | np.absolute(c, out=i) | np.round(a, out=i) | np.sign(t) | np.positive(t) | np.power(i, 2.5, out=i) | np.add(a, "x") | np.add(a, a, casting="no", out=i) | np.modf(a, i, i) | np.subtract(t, t)
"""


@pytest.mark.parametrize("many", [1, 1000])
@pytest.mark.parametrize("call", [call.strip() for call in _NOT_CAST.replace("\n", "|").split("|") if call.strip()])
def test_what_cannot_be_cast_has_numpys_error(call, many):
    seen = []
    for np in (numpy, weft):
        n = 10 * many
        a, i, t, c, s = np.arange(n) * 1.0, np.arange(n), np.arange(n) > 3, np.arange(n) + 1j, np.zeros(n, "i2")
        with pytest.raises(TypeError) as given:
            eval(call, {"np": np, "a": a, "i": i, "t": t, "c": c, "s": s})
        seen.append((given.type, str(given.value), [getattr(of, "_numpy", of) for of in vars(given.value).values()]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("call", ["b'abcdefgh', offset=8", "bytearray(8), 'f4', offset=8", "bytearray(8), count=0", "b'12345678', 'i4', 0", "memoryview(b'12345678'), count=0"])
def test_nothing_of_a_buffer_is_a_view_of_it_all_the_same(call):
    seen = []
    for np in (numpy, weft):
        made = eval(f"np.frombuffer({call})", {"np": np})
        seen.append((made.dtype, made.shape, made.flags.writeable, made.flags.owndata, type(made.base)))
    assert seen[0] == seen[1]
