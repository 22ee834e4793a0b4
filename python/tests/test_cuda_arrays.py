"""Arrays within kernels: their attributes and methods, other shapes of them, and loops over them. Each row is executed by Python, too, on
NumPy's arrays."""

import math
import operator
import re

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors, reading, sources
from weft.numba import float32, int64, literal_unroll

N = 6
R = numpy.random.default_rng(11)


BODIES = """
out[i] = x.T[i % 4, 2] + x.T.T[2, i % 4]
out[i] = x[i % 3].T[1] + x.transpose()[i % 4, 1] + x.T[1:, ::2][i % 3, 0]
out[i] = x.size + 10 * x.ndim + 100 * x.itemsize + 1000 * x.nbytes + 1e6 * x.strides[0] + 1e9 * x.strides[1] + len(x)
out[i] = x[:, ::2].strides[1] + 100 * x.T.strides[0] + 1e5 * x[1].strides[0] + x[1].size + x.T.shape[0]
out[i] = np.size(x) + 100 * np.ndim(x[0]) + 1000 * np.shape(x)[1]
out[i] = x.reshape(12)[i] + x.reshape((2, 6))[1, i] + x.reshape(2, -1)[0, i] + x.reshape(2, 3, 2)[1, i % 3, -1]
out[i] = x.ravel()[i + 3] + x.flat[i] + x[1:].reshape(-1)[i] + x.T.ravel()[i] + x.reshape(4, 3)[1:, 1][i % 3]
x.reshape(-1)[i] = i; out[i] = x.T[i % 4, i // 4] + x.item(i)
out[i] = x.item(i) + x[i % 3].item(-1) + x.item(i % 3, 2) + x[:1, :1].item()
out[i] = x[i % 3].sum() + 2 * x[:, i % 4].sum() + x.sum() + np.sum(x[1:])
out[i] = x.mean() + x[i % 3].var() + x.std() + np.mean(x.T[i % 4])
out[i] = x[i % 3].prod() + x.min() + 3 * x.max() + np.min(x[i % 3]) + np.amax(x[1])
out[i] = x.argmin() + 10 * x.argmax() + 100 * np.argmin(x[i % 3]) + 1000 * x.T.argmax()
for row in x:|    out[i] += row[i % 4]
for row in x:|    for v in row:|        out[i] = 2 * out[i] + v
for a in x.T:|    out[i] += a[0] * a.size
for row in x:|    for v in row:|        if v > 5:|            break|        out[i] += v
for j, v in enumerate(x[i % 3]):|    out[i] += j * v
for j, row in enumerate(x, 5):|    out[i] += j * row[0]
for j, row in enumerate(x, start=i):|    out[i] += j * row[1]
for a, b in zip(x[0], x[1]):|    out[i] += a * b
for a, b, k in zip(x[0], range(9, 0, -2), (1, 2.5, 3)):|    out[i] = out[i] * 3 + a * b * k
for (j, k), v in np.ndenumerate(x[:, 1:]):|    out[i] += v * (j + 10 * k)
for j, k in np.ndindex(x.shape):|    out[i] += x[j, k] * j
for j, k, m in np.ndindex(2, 3, i + 1):|    out[i] += x[k, j] * m
for v in np.nditer(x[1:, ::2]):|    out[i] = out[i] * 2 + v.item()
for v in np.nditer(x.T):|    out[i] = out[i] * 2 + v.item()
for v in np.nditer(x.T[:, 1:]):|    out[i] = out[i] * 2 + v.item()
for v in np.nditer(x[i % 3, 1:]):|    out[i] = out[i] * 2 + v.item()
for v in x.flat:|    out[i] = out[i] / 2 + v
for j, k in enumerate(range(np.uint64(2**63), np.uint64(2**63 + 7), np.uint64(3))):|    out[i] += k / 2 + j
for j, k in zip(range(np.uint64(i), np.uint64(4)), range(np.uint64(9), np.uint64(5))):|    out[i] += k + j + 1
for j, k in zip(range(np.uint64(2**64 - 3), np.uint64(2**64 - 1)), range(np.int32(5), np.int32(-5), np.int32(-2))):|    out[i] += j / 4 - k
for j in range(np.uint64(i), np.uint64(9), np.uint64(2)):|    out[i] = out[i] * 3 + j
for j in range(np.int32(2147483640), np.int32(2147483645), np.int32(10)):|    out[i] += j
for j in range(np.int32(-2147483640), np.int32(-2147483647 - i % 2), np.int32(-3)):|    out[i] = out[i] / 2 + j
for j in range(np.uint64(2**64 - 2), np.uint64(2**64 - 1), np.uint64(i + 1)):|    out[i] += j / 4
for j in range(np.uint64(i), np.uint64(2**64 - 1), np.uint64(2**63 + 5)):|    out[i] += j / 4
for j in range(2**63 - 9, 2**63 - 1 - i, 3 * i + 2):|    out[i] += 2**63 - j
for j in range(-2**63 + 9, -2**63 + i, -4 - i):|    out[i] += 2**63 + j
for j in reversed(range(i)):|    out[i] = out[i] * 2 + j
for v in reversed(x[1]):|    out[i] = out[i] * 2 + v
for a, b in zip((1, 2), (3.5, i)):|    out[i] = out[i] * 2 + a * b
for v in literal_unroll((1, 2.5, i)):|    out[i] += v
match i:|    case 0:|        out[i] = 5|    case 1 | 2:|        out[i] = 6|    case k if k > 4:|        out[i] = 10 * k|    case _:|        out[i] = -1
match i * 0.5:|    case 0.5 as h:|        out[i] = h|    case h:|        out[i] = 2 * h
match i > 2:|    case True:|        out[i] = 1|    case False:|        out[i] = 2
match i:|    case k if k > 4:|        out[i] = k|    case k if k > 3:|        out[i] = 10 * k|    case 1 | 2 as k if k == 2:|        out[i] = 7 + k|    case j:|        out[i] = j - 1
match i * 2.5:|    case k if k > 6:|        if k > 9:|            out[i] = 1|        else:|            return|    case k if i:|        k = i|        out[i] = k + 0.5
match i * 2:|    case v if (v := v + 5) > 11:|        out[i] = v|    case 0 | 2 as v if (v := v * 3) and i:|        out[i] = v + 0.5|    case v:|        out[i] = -v
match i:|    case k if match_of(k) > 1:|        out[i] = match_of(k) * k|    case _:|        out[i] = -9
out[i] = isinstance(x, np.ndarray) + 2 * isinstance(i * 0.5, int) + 4 * isinstance(i, (float, int)) + 8 * isinstance((i, 2), tuple) + 16 * isinstance(1j, complex)
if isinstance(x, tuple):|    out[i] = x.nothing|elif isinstance(np.float32(i), np.float32):|    out[i] = 4
match i % 2:|    case True:|        out[i] = 1|    case 1:|        out[i] = 2|    case False:|        out[i] = 3|    case _:|        out[i] = 4
out[i] = 1 if (i > 2) is True else 2 if (i > 1) is not False else 3; out[i] += 10 * (i is True) + 20 * (i is not True)
if i > 2:|    y = x[0]|else:|    y = x[i % 3]|out[i] = y[1] + y.sum()
y = x[1:] if i % 2 else x[:2]|out[i] = y[1, 0] + y.shape[0]
y = x.T[i % 4] if i > 1 else x.T[0]|out[i] = y[2]
np.add(x[0, :2], x[1, 1:3], x[2, 2:]); out[i] = x[2, 3] if i == 0 else 0
if i == 0:|    np.sqrt(x, x)|    np.multiply(x[0], 2, out[:4])
if i == 0:|    x.T[:, 0] = 7|    x[1:, 1:].fill(2)|    out[0] = x.sum()
a, b, c = x.T[i % 4]; out[i] = a + b * c
a, (b, c), d = x[0, 0], x[1, 1:3], x[i % 3]; e, _, f, _ = d; out[i] = a + 2 * b + 3 * c + 5 * e + 7 * f
a, b = range(2); (c, d), (e, f) = enumerate(range(i, i + 4, 2), 3); out[i] = a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f
(a, b), c = x.reshape(2, 6)[:, i], x.ravel()[2:4]; c, d = c; out[i] = a + 2 * b + 3 * c + 5 * d
(a, b), (c, d), (e, f) = zip(x[i % 3], x.T[1]); out[i] = a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f
for (a, b, c), d in zip(x.T, x[i % 3]):|    out[i] = 2 * out[i] + a + b * c * d
out[i] = operator.add(x[i % 3, 0], i) * operator.sub(7, i) + operator.mod(operator.mul(i, 5), 4) + operator.truediv(i, 4) + operator.floordiv(-i, 2) + operator.pow(i, 2)
j = operator.and_(i, 6) | operator.or_(i, 1) ^ operator.xor(i, 3); out[i] = operator.lshift(j, 2) + operator.rshift(j, 1) + operator.neg(i) * operator.pos(3) + operator.invert(j) + operator.inv(i)
k = operator.iadd(i, 2); k = operator.imul(k, operator.isub(k, 1)); k = operator.ixor(operator.ior(k, 1), operator.iand(i, 3)); out[i] = operator.ipow(operator.ilshift(k, 1), operator.irshift(i, 2)) + operator.itruediv(k, 2) + operator.ifloordiv(k, 3) + operator.imod(k, 5)
out[i] = operator.lt(i, 2) + 2 * operator.le(i, 2) + 4 * operator.gt(x[0, 0], i) + 8 * operator.ge(i, 2) + 16 * operator.eq(i, 2) + 32 * operator.ne(i, 2) + 64 * operator.not_(i) + 128 * operator.truth(i)
y = None if i < 2 else i; out[i] = 1 if operator.is_(y, None) else operator.getitem(x, (i % 3, 1)) + operator.contains((1, 3), i) + (10 if operator.is_not(y, None) else 0) + operator.getitem(operator.add((i, 2), (3, 4)), -1)
out[i] = add(operator.getitem(x[i % 3], 2), i)
if i == 0:|    x[0, 0], x[0, 1], x[0, 2] = x[:, 0]|    (a, b), (c, d) = reversed(x[:2, :2])|    ((j, k), e), _, _, _ = np.ndenumerate(x[1:, 1:3])|    out[0] = a + 2 * b + 3 * c + 5 * d + 7 * j + 11 * k + 13 * e
for v in x.ravel():|    out[i] = 2 * out[i] + v; a, b = x[:2, 1].ravel(); out[i] += a * b
"""
ROWS = BODIES.strip().split("\n")


def match_of(k):
    match k:
        case v if v % 3 == 0:
            return v
        case v if v % 3 == 1:
            return v * 2
    return 1


def function(body):
    lines = [line for part in body.split("; ") for line in re.split(r"(?<! )\|", part)]
    return sources.define("body", "def body(x, out, i):\n" + "".join(f"    {line}\n" for line in lines), {"np": np, "operator": operator, "add": operator.add, "literal_unroll": literal_unroll, "match_of": match_of})


def executed(body, x, out):
    """What Python makes of it, thread by thread."""
    twin = function(body)
    twin.__globals__["np"] = numpy
    for i in range(len(out)):
        twin(x, out, i)


@pytest.mark.parametrize("body, dtype", [(body, dtype) for body in ROWS for dtype in ("f8", "f4", "i4") if dtype != "i4" or "sqrt" not in body])  # of floats
def test_rows(body, dtype):
    host, result = R.integers(1, 9, (3, 4)).astype(dtype), numpy.zeros(N)
    x, out = np.array(host), np.zeros(N)
    kernel = cuda.jit(sources.define("each", LAUNCHED, {"cuda": cuda, "body": function(body)}))
    kernel[2, 4](x, out)
    executed(body, host, result)
    numpy.testing.assert_allclose(numpy.asarray(out), result, rtol=1e-6 if dtype == "f4" else 1e-12)
    numpy.testing.assert_allclose(numpy.asarray(x), host, rtol=1e-6)


LAUNCHED = "def each(x, out):\n    i = cuda.grid(1)\n    if i < out.size:\n        body(x, out, i)\n"


def launched(body, x, out, threads=1):
    cuda.jit(sources.define("each", LAUNCHED, {"cuda": cuda, "body": function(body)}))[1, threads](x, out)
    return numpy.asarray(out)


def test_a_match_of_many_guards_is_no_longer_than_its_cases():
    """Each case is in the text once, and not once for each case before it as well."""
    of = {}
    for n in 4, 8, 16:
        cases = "".join(f"    case k if k > {n - c}:|        out[i] = k + {c}|" for c in range(n))
        of[n] = len(reading.Unit(function(f"match i:|{cases}    case _:|        out[i] = -1")).text)
    assert of[16] - of[8] < 2.5 * (of[8] - of[4])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (1, 5, 3), (4, 1), (0, 3)])
def test_elements_as_they_lie(shape, order):
    host = numpy.arange(math.prod(shape), dtype="f8").reshape(shape, order=order)
    got = launched("for k, v in enumerate(np.nditer(x)):|    out[k] = v.item()", np.array(host, order=order), np.zeros(max(host.size, 1)))
    assert got.tolist() == ([v.item() for v in numpy.nditer(host)] if host.size else [0])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "i8", "u8"])
def test_divisors_and_multiples_have_numpys_dtype(dtype):
    limits = numpy.iinfo(dtype)
    a = R.integers(limits.min, limits.max, 60, dtype, endpoint=True)
    b = R.integers(limits.min, limits.max, 60, dtype, endpoint=True)
    b[::2] = R.integers(0, 30, 30)
    a[:8], b[:8] = [limits.max, limits.min, 0, 100, 6, limits.min, limits.min, 0], [7, 3, 0, 60, limits.min, 6, limits.min, limits.min]
    body = "out[i] = np.lcm(a[i], b[i]); more[i] = np.gcd(a[i], b[i])".replace("; ", "\n        ")
    kernel = cuda.jit(sources.define("each", f"def each(a, b, out, more):\n    i = cuda.grid(1)\n    if i < a.size:\n        {body}\n", {"cuda": cuda, "np": np}))
    out, more = np.zeros(60), np.zeros(60)
    kernel.forall(60)(np.array(a), np.array(b), out, more)
    with numpy.errstate(over="ignore"):
        assert out.tolist() == numpy.lcm(a, b).astype("f8").tolist() and more.tolist() == numpy.gcd(a, b).astype("f8").tolist()


def test_dtypes_of_sums():
    """As Numba has them: integers in 64 bits, floats in their own dtype, means of floats in float64."""

    @cuda.jit
    def sums(x, y, out):
        out[0] = x.sum()
        out[1] = y.sum() / 3
        out[2] = y.mean() * 3

    x, y = np.array([2**31 - 1, 5], dtype="i4"), np.array([0.1, 0.2, 0.4], dtype="f4")
    out = np.zeros(3)
    sums[1, 1](x, y, out)
    third = numpy.float32(numpy.float32(0.1) + numpy.float32(0.2)) + numpy.float32(0.4)
    assert out[0] == 2**31 + 4 and out[1] == numpy.float64(third) / 3 and out[2] == numpy.float64(third) / 3 * 3


def test_what_is_no_number_comes_first():
    x, out = np.array([[3.0, numpy.nan, 1.0], [5.0, 0.0, numpy.nan]]), np.zeros(4)
    got = launched("out[0] = x.argmin(); out[1] = x.argmax(); out[2] = x.min(); out[3] = x[1, :2].max()", x, out)
    assert got[0] == got[1] == 1 and numpy.isnan(got[2]) and got[3] == 5


@pytest.mark.parametrize(
    "body, error, text",
    [
        ("out[i] = x.reshape(5)[0]", ValueError, "total size of new array must be unchanged: 12 elements for 5"),
        ("out[i] = x.reshape(2, 6)[i + 2, 0]", IndexError, "index 2 is out of bounds for an axis of 'x' of another shape, with size 2"),
        ("out[i] = x[:0].max()", ValueError, "of an empty array"),
        ("out[i] = x.item()", ValueError, "12 elements for 1"),
        ("out[i] = x.reshape(-1, -1)[0, 0]", ValueError, "multiple negative shape values"),
        ("out[i] = x.transpose(0, 0)[0, 0]", ValueError, "axes don't match array"),
        ("out[i] = x.flatten()[0]", errors.UnsupportedError, "flatten.*Use ravel"),
        ("out[i] = x.copy()[0, 0]", errors.UnsupportedError, "would be a new array"),
        ("out[i] = x.nothing", errors.TypingError, "Unknown attribute 'nothing' of type array"),
        ("out[i] = x.nothing()", errors.TypingError, "Unknown attribute 'nothing' of type array"),
        ("out[i] = np.add(x, x)[0, 0]", errors.UnsupportedError, "which would give a new array"),
        ("np.add(x, x[0], x)", errors.TypingError, "arrays of as many axes"),
        ("np.add(x[0], x[1], x.T[0])", ValueError, "operands of 4 and 3 elements"),
        ("for v in x.ndim:|    out[i] = v", errors.TypingError, "a loop over int64"),
        ("for v in np.nditer(out[0]):|    out[i] = v", errors.TypingError, "elements of float64"),
        ("for a, b in enumerate(x, stop=2):|    out[i] = a", errors.TypingError, "no argument stop"),
        ("for j in np.ndindex(1.5):|    out[i] = 1", errors.TypingError, "Write integers"),
        ("match x:|    case [1, 2]:|        out[i] = 1", errors.UnsupportedError, "a pattern of match"),
        ("a, b = x|out[i] = a[0] + b[0]", ValueError, r"too many values to unpack \(expected 2, got 3\)"),
        ("a, b = x.T[i]|out[i] = a", ValueError, r"too many values to unpack \(expected 2, got 3\)"),
        ("if x[0, 0] < 1:|    a, b, c, d = zip(x[0], range(3 - i))|    out[i] = a[0]", ValueError, r"not enough values to unpack \(expected 4, got 3\)"),
        ("a, b = (1, 2, 3)|out[i] = a", errors.TypingError, "wrong tuple length: expected 2, got 3"),
        ("a, *b = x|out[i] = a[0]", errors.UnsupportedError, "a starred expression"),
        ("a, b = x.shape[0]|out[i] = a", errors.TypingError, "failed to unpack int64"),
        ("out[i] = operator.add(i)", errors.TypingError, r"operator.add takes 2 arguments \(1 given\)"),
        ("out[i] = operator.add(i, b=1)", errors.TypingError, "the argument b is given by name"),
        ("out[i] = operator.add(x, i)", errors.TypingError, "Index arrays: an operator takes single elements"),
        ("out[i] = operator.matmul(x, x)", errors.UnsupportedError, "operator.matmul is not supported"),
        ("y = x|if i:|    y = out|out[i] = y[0]", errors.TypingError, "Cannot unify array.float64, 1d. and array.float64, 2d. for 'y'"),
    ],
)
def test_refused(body, error, text):
    x, out = np.array(numpy.arange(12.0).reshape(3, 4)), np.zeros(N)
    with pytest.raises(error) as caught:
        launched(body, x, out)
        numpy.asarray(x)
    assert re.search(text, str(caught.value).replace("\n", " "))
    if issubclass(error, errors.NumbaError):
        assert "^" in str(caught.value) and "Types of names there" in str(caught.value)


def test_own_arrays_have_these_too():
    @cuda.jit
    def reversed_rows(x, out):
        tile = cuda.shared.array((3, 4), float32)
        own = cuda.local.array((2, 3), int64)
        i = cuda.threadIdx.x
        tile.T[i, :] = x[:, i]
        own.reshape(6)[i] = i
        cuda.syncthreads()
        out[i] = tile[2].sum() + 1000 * own.ravel()[i] + 1e5 * tile.strides[0] + 1e8 * own.nbytes

    host = R.integers(0, 9, (3, 4)).astype("f4")
    out = np.zeros(4)
    reversed_rows[1, 4](np.array(host), out)
    numpy.testing.assert_array_equal(out, host[2].sum() + 1000.0 * numpy.arange(4) + 16e5 + 48e8)


def test_indices_are_computed_once():
    """A function whose arguments are arrays for some calls and numbers for others does what they do once."""

    @cuda.jit
    def counts(n, out):
        out[0] = np.abs(cuda.atomic.add(n, 0, 1)) + np.maximum(cuda.atomic.add(n, 0, 1), 0)

    n, out = np.zeros(1, dtype="i8"), np.zeros(1)
    counts[1, 1](n, out)
    assert n[0] == 2 and out[0] == 1


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0, 0)])
def test_matrices_without_elements(shape):
    @cuda.jit
    def total(x, made):
        n = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                n += x[i, j]
        made[0] = n + x.sum() + 1

    made = np.zeros(1)
    total[1, 1](np.zeros(shape), made)
    assert made[0] == 1


@pytest.mark.parametrize("line", ["x[0, 1:] = x[0, :-1]", "x[i] = x[i][::-1]", "x[:] = x.T", "x[:] = x.T.reshape(4, 4)", "np.add(x[0, :-1], x[0, 1:], x[0, 1:])", "x[:, -1] = x[3]"])
def test_parts_of_an_array_are_not_written_from_parts_that_they_overwrite(line):
    x = np.arange(16.0).reshape(4, 4)
    cuda.jit(sources.define("over", f"def over(x, i):\n    {line}\n", {"np": np}))[1, 1](x, 1)
    with pytest.raises(ValueError, match="a part of 'x' is written from another part of it that has elements in common"):
        x.sum().item()


@pytest.mark.parametrize(
    "line",
    ["x[0] = x[1]", "x[:, 0] = x[:, 3]", "x[i] = x[i]", "x[i] = x[i + 1][::-1]", "x[i, :2] = x[i, 2:]", "x[-1, 1:] = x[i, :-1]", "x[1:, i] = x[1:, 0]", "x[2:] = x[:2]",
     "np.add(x[2], x[3], x[2])", "np.add(x[i, ::2], x[2, 1::2], x[i, ::2])"],
)  # fmt: skip
def test_parts_without_elements_in_common_are_written_from_each_other(line):
    text, x, want = f"def over(x, i):\n    {line}\n", np.arange(16.0).reshape(4, 4), numpy.arange(16.0).reshape(4, 4)
    cuda.jit(sources.define("over", text, {"np": np}))[1, 1](x, 1)
    sources.define("over", text, {"np": numpy})(want, 1)
    assert x.tolist() == want.tolist()


@pytest.mark.parametrize("part, copies", [("x", False), ("x[1:]", False), ("x[1]", False), ("x[:, 1:3]", True), ("x.T", True), ("x[::2]", True)])
def test_other_shapes_of_what_has_gaps_are_not_written(part, copies):
    """NumPy has a copy there, which the array would not see."""
    kernel = cuda.jit(sources.define("over", f"def over(x):\n    z = {part}.reshape(-1)\n    z[0] = 9\n", {}))
    x, want = np.arange(16.0).reshape(4, 4), numpy.arange(16.0).reshape(4, 4)
    if copies:
        with pytest.raises(errors.TypingError, match="Cannot modify readonly array"):
            kernel[1, 1](x)
    else:
        kernel[1, 1](x)
        eval(part, {"x": want}).reshape(-1)[0] = 9
    assert x.tolist() == want.tolist()
