"""All functions of libdevice: each is computed, or refused with a reason; and roundings into a direction, which fractions say."""

import decimal
import math
from fractions import Fraction

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors, sources

R = numpy.random.default_rng(5)


def kernel(name, args, results=1):
    """A kernel that calls a function with columns of x, of the dtypes that the arguments have."""
    given = ", ".join(f"np.{dtype}(x{k}[i])" for k, dtype in enumerate(args))
    columns = ", ".join(f"x{k}" for k in range(len(args)))
    text = f"def called({columns}, out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = cuda.libdevice.{name}({given})"
    return cuda.jit(sources.define("called", text + ("[0]\n" if results > 1 else "\n"), {"cuda": cuda, "np": np}))


def test_each_name_is_a_function_or_refused_with_a_reason():
    known = pytest.importorskip("numba.cuda.libdevicefuncs").functions
    assert len(known) > 300
    refused = {}
    for name, (result, args) in known.items():
        name = name.removeprefix("__nv_")
        plain = [str(a.ty) for a in args if not a.is_ptr]
        pointers = len(args) - len(plain) + (str(result) != "none")
        try:
            kernel(name, plain, pointers)[1, 1](*(np.ones(1) for _ in plain), np.zeros(1))
        except errors.UnsupportedError as error:
            refused[name] = str(error)
    assert not [name for name, why in refused.items() if "no function of this name" in why or "Types of names" not in why]
    assert set(refused) == {*"j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf".split()}


def test_a_name_that_libdevice_does_not_have():
    with pytest.raises(errors.UnsupportedError, match="libdevice has no function of this name"):
        kernel("sinn", ["float64"])[1, 1](np.ones(1), np.zeros(1))


def numbers(dtype, n):
    if numpy.dtype(dtype).kind != "f":
        limits = numpy.iinfo(dtype)
        x = R.integers(limits.min, limits.max, n, dtype, endpoint=True) >> R.integers(0, limits.bits - 1, n).astype(dtype)
        x[:4] = [limits.max, limits.min, 0, limits.max - 1]
        return x
    limits = numpy.finfo(dtype)
    x = numpy.ldexp(R.uniform(-2, 2, n), R.integers(-8, 8, n)).astype(dtype)
    far = R.random(n) < 0.3
    x[far] = numpy.ldexp(R.uniform(-1, 1, far.sum()), R.integers(limits.minexp - limits.nmant, limits.maxexp, far.sum())).astype(dtype)
    special = R.random(n) < 0.2
    x[special] = R.choice([0.0, -0.0, limits.max, -limits.max, limits.smallest_subnormal, -limits.tiny, 1, -1, numpy.inf, -numpy.inf, numpy.nan], special.sum())
    return x


def root(a):
    """A square root between two fractions that are closer to it than any two floats."""
    scale = 1 << 1200
    low = math.isqrt(a.numerator * scale * scale // a.denominator)
    return Fraction(low, scale) if low * low * a.denominator == a.numerator * scale * scale else Fraction(2 * low + 1, 2 * scale)


# By name: the dtypes of the arguments and of the result, and what it is of fractions.
DIRECTED = {
    "fadd": (["float32"] * 2, "float32", lambda a, b: a + b), "fsub": (["float32"] * 2, "float32", lambda a, b: a - b),
    "fmul": (["float32"] * 2, "float32", lambda a, b: a * b), "fmaf": (["float32"] * 3, "float32", lambda a, b, c: a * b + c),
    "fdiv": (["float32"] * 2, "float32", lambda a, b: a / b), "frcp": (["float32"], "float32", lambda a: 1 / a), "fsqrt": (["float32"], "float32", root),
    "dadd": (["float64"] * 2, "float64", lambda a, b: a + b), "dmul": (["float64"] * 2, "float64", lambda a, b: a * b),
    "ddiv": (["float64"] * 2, "float64", lambda a, b: a / b), "drcp": (["float64"], "float64", lambda a: 1 / a),
    "fma": (["float64"] * 3, "float64", lambda a, b, c: a * b + c), "dsqrt": (["float64"], "float64", root), "double2float": (["float64"], "float32", lambda a: a),
    "int2float": (["int32"], "float32", lambda a: a), "uint2float": (["uint32"], "float32", lambda a: a), "ll2float": (["int64"], "float32", lambda a: a),
    "ull2float": (["uint64"], "float32", lambda a: a), "ll2double": (["int64"], "float64", lambda a: a), "ull2double": (["uint64"], "float64", lambda a: a),
}  # fmt: skip


def rounded(exact, dtype, direction):
    """The largest float that is not more, or the least that is not less."""
    limits = numpy.finfo(dtype)
    down = direction == "rd" or direction == "rz" and exact >= 0
    if abs(exact) > Fraction(float(limits.max)):
        outward = down == (exact < 0)
        return dtype(math.copysign(math.inf if outward else float(limits.max), 1 if exact > 0 else -1))
    near = dtype(float(exact))  # of float32, it may be rounded twice: a neighbour at most
    while Fraction(float(near)) > exact:
        near = numpy.nextafter(near, dtype(-math.inf))
    while near < limits.max and Fraction(float(numpy.nextafter(near, dtype(math.inf)))) <= exact:
        near = numpy.nextafter(near, dtype(math.inf))
    return near if down or Fraction(float(near)) == exact else numpy.nextafter(near, dtype(math.inf))


@pytest.mark.parametrize("direction", ["rd", "ru", "rz"])
@pytest.mark.parametrize("name", DIRECTED)
def test_roundings_into_a_direction(name, direction):
    dtypes, result, exact = DIRECTED[name]
    columns = [numbers(dtype, 600) for dtype in dtypes]
    out = np.zeros(600, dtype=result)
    kernel(f"{name}_{direction}", dtypes).forall(600)(*map(np.array, columns), out)
    dtype = numpy.dtype(result).type
    for got, *given in zip(numpy.asarray(out), *columns, strict=True):
        if not all(map(numpy.isfinite, given)):
            continue  # such have no fraction: the next test has them
        fractions = [Fraction(v.item()) for v in given]
        try:
            value = exact(*fractions)
        except (ZeroDivisionError, ValueError):
            assert not numpy.isfinite(got), given
            continue
        want = rounded(value, dtype, direction)
        assert got == want and (want != 0 or value == 0 or numpy.signbit(got) == (value < 0)), (given, got, want)


@pytest.mark.parametrize("direction, zero", [("rd", -0.0), ("ru", 0.0), ("rz", 0.0)])
def test_sums_that_are_nothing(direction, zero):
    a, b = numpy.array([1, 0, -0.0, 0, -0.0], "f4"), numpy.array([-1, 0, -0.0, -0.0, 0], "f4")
    for name, dtype in ("fadd", "float32"), ("dadd", "float64"):
        out = np.zeros(5, dtype=dtype)
        kernel(f"{name}_{direction}", [dtype] * 2)[1, 8](np.array(a), np.array(b), out)
        assert [math.copysign(1, v) for v in out.tolist()] == [math.copysign(1, v) for v in (zero, 0.0, -0.0, zero, zero)]


@pytest.mark.parametrize("direction", ["rd", "ru", "rz"])
@pytest.mark.parametrize("name", ["fadd", "fmul", "fdiv", "fsqrt", "fma", "dadd", "dmul", "ddiv", "dsqrt", "double2float"])
def test_what_is_not_finite_is_as_it_is_without_a_direction(name, direction):
    dtypes, result, _ = DIRECTED[name]
    columns = [numbers(dtype, 600) for dtype in dtypes]
    columns = [c[[not all(map(numpy.isfinite, row)) for row in zip(*columns, strict=True)]] for c in columns]
    plain, out = np.zeros(columns[0].size, dtype=result), np.zeros(columns[0].size, dtype=result)
    kernel(f"{name}_{direction}", dtypes).forall(out.size)(*map(np.array, columns), out)
    kernel(f"{name}_rn", dtypes).forall(out.size)(*map(np.array, columns), plain)
    assert numpy.array_equal(numpy.asarray(out), numpy.asarray(plain), equal_nan=True)


@pytest.mark.parametrize("direction", ["rd", "ru", "rz", "rn"])
def test_products_that_overflow_are_no_more_than_what_is_infinite(direction):
    inf, nan = math.inf, math.nan
    rows = [
        (1e300, 1e300, -inf, -inf), (1e300, -1e300, inf, inf), (1e300, 1e300, inf, inf), (-1e300, 1e300, nan, nan), (2, 3, -inf, -inf),
        (inf, 1, -inf, nan), (inf, 2, inf, inf), (inf, 0, 1, nan), (0, inf, inf, nan), (nan, 1, inf, nan), (-inf, 2, 1e308, -inf),
    ]  # fmt: skip
    a, b, c, want = numpy.array(rows, float).T.copy()
    out = np.zeros(len(rows))
    kernel(f"fma_{direction}", ["float64"] * 3).forall(len(rows))(np.array(a), np.array(b), np.array(c), out)
    numpy.testing.assert_array_equal(numpy.asarray(out), want)


def test_bytes_and_whole_powers():
    x, y, s = (R.integers(0, 2**32, 200, dtype="u4") for _ in range(3))
    out = np.zeros(200, dtype="i8")
    kernel("byte_perm", ["uint32"] * 3).forall(200)(np.array(x), np.array(y), np.array(s), out)
    for a, b, c, got in zip(x.tolist(), y.tolist(), s.tolist(), out.tolist(), strict=True):
        given = (a | b << 32).to_bytes(8, "little")
        assert got % 2**32 == int.from_bytes(bytes(given[c >> 4 * k & 7] for k in range(4)), "little")
    base, n = R.uniform(-3, 3, 200), R.integers(-20, 20, 200).astype("i4")
    for name, dtype, tolerance in ("powi", "float64", 1e-13), ("powif", "float32", 2e-7):
        out = np.zeros(200, dtype=dtype)
        kernel(name, [dtype, "int32"]).forall(200)(np.array(base), np.array(n), out)
        want = [float(v) ** k for v, k in zip(base.astype(dtype), n.tolist(), strict=True)]
        with numpy.errstate(over="ignore"):  # of float32, from which what is too large is infinite
            numpy.testing.assert_allclose(numpy.asarray(out), numpy.array(want).astype(dtype), rtol=tolerance)


ROUNDS = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}
WHOLE = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
CONVERSIONS = [
    (f"{source}2{name}_{suffix}", f"{'float32' if source == 'float' else 'float64'}", dtype, by)
    for source in ("float", "double") for name, dtype in WHOLE.items() for suffix, by in ROUNDS.items()
] + [
    (name + suffix, dtype, "int64", by)
    for name, by in (("llrint", round), ("llround", lambda x: math.trunc(x + Fraction(1 if x > 0 else -1, 2))))
    for suffix, dtype in (("", "float64"), ("f", "float32"))
]  # fmt: skip


@pytest.mark.parametrize("name, source, dtype, by", CONVERSIONS)
def test_integers_of_floats_end_at_the_last_of_their_dtype(name, source, dtype, by):
    """And what is no number is what PTX's cvt makes of it."""
    limits, bits = numpy.iinfo(dtype), numpy.iinfo(dtype).bits
    ends = [float(2**k) for k in (31, 32, 63, 64)]
    x = numpy.array([0.5, 1.5, -0.5, -3.5, -0.0, 2.5, 1e20, -1e20, numpy.inf, -numpy.inf, numpy.nan, *ends, *(-e for e in ends), 1e9, 5e9, -5e9], source)
    x = numpy.concatenate([x, numpy.nextafter(x, x.dtype.type(numpy.inf)), numpy.nextafter(x, x.dtype.type(-numpy.inf)), numbers(source, 200)])
    out = np.zeros(x.size, dtype=dtype)
    kernel(name, [source]).forall(x.size)(np.array(x), out)
    nothing = 0 if source == "float32" and bits == 32 else limits.min or 2 ** (bits - 1)
    for v, got in zip(x.tolist(), out.tolist(), strict=True):
        if math.isfinite(v):
            want = min(max(by(Fraction(v)), limits.min), limits.max)
        else:
            want = nothing if math.isnan(v) else limits.max if v > 0 else limits.min
        assert got == want, v


@pytest.mark.parametrize("direction", ["rd", "ru", "rz"])
def test_sums_that_take_most_of_a_product_away(direction):
    """Of numbers of all sizes: the product, rounded, is subtracted from it, and up to two neighbours of it."""
    n = 600
    a, b = numbers("float64", n), numbers("float64", n)
    with numpy.errstate(all="ignore"):
        c = -(a * b)
    for way in R.choice([-numpy.inf, numpy.inf], 2):
        c = numpy.where(R.random(n) < 0.5, numpy.nextafter(c, way), c)
    out = np.zeros(n)
    kernel(f"fma_{direction}", ["float64"] * 3).forall(n)(np.array(a), np.array(b), np.array(c), out)
    seen = 0
    for x, y, z, got in zip(a.tolist(), b.tolist(), c.tolist(), out.tolist(), strict=True):
        if not all(map(math.isfinite, (x, y, z))):
            continue
        value = Fraction(x) * Fraction(y) + Fraction(z)
        want = rounded(value, numpy.float64, direction)
        if value == 0 and x * y != 0:
            assert math.copysign(1, got) == (-1 if direction == "rd" else 1), (x, y, z)
        assert got == want, (x, y, z)
        seen += 0 < abs(value) < abs(Fraction(z)) / 2**40
    assert seen > 50


def patterns(dtype):
    bits = numpy.dtype(dtype).itemsize * 8
    edge = [0, 1, 2, 2 ** (bits - 1), 2 ** (bits - 1) + 1, 2**bits - 1]
    x = numpy.concatenate([R.integers(0, 2**bits, 2000, dtype=f"u{bits // 8}"), numpy.array(edge, f"u{bits // 8}")])
    some = numpy.finfo(dtype)
    made = [some.tiny, some.smallest_subnormal, some.max, numpy.inf, -numpy.inf, some.tiny - some.smallest_subnormal, 1, -1, some.eps]
    return numpy.concatenate([x, numpy.array(made, dtype).view(x.dtype)])


@pytest.mark.parametrize("to, back, dtype, whole", [("double_as_longlong", "longlong_as_double", "f8", "int64"), ("float_as_int", "int_as_float", "f4", "int32"), ("float2half_rn", "half2float", "f2", "int16")])
def test_bits_of_floats(to, back, dtype, whole):
    bits = patterns(dtype)
    x = bits.view(dtype)
    wide = {"f2": "float32", "f4": "float32", "f8": "float64"}[dtype]
    floats = np.zeros(x.size, dtype=wide)
    kernel(back, [whole]).forall(x.size)(np.array(bits.view(whole)), floats)
    want = x.astype(wide)
    numpy.testing.assert_array_equal(numpy.asarray(floats), want)
    assert numpy.array_equal(numpy.signbit(floats)[~numpy.isnan(want)], numpy.signbit(want)[~numpy.isnan(want)])
    again = np.zeros(x.size, dtype=whole)
    kernel(to, [wide]).forall(x.size)(floats, again)
    quiet = numpy.array(numpy.nan, dtype).view(bits.dtype)  # the only pattern of what is no number
    numpy.testing.assert_array_equal(numpy.asarray(again).view(bits.dtype), numpy.where(numpy.isnan(x), quiet, bits))


def test_words_of_doubles():
    x = patterns("f8").view("f8")
    x = x[~numpy.isnan(x)]
    high, low, out = np.zeros(x.size, dtype="i4"), np.zeros(x.size, dtype="i4"), np.zeros(x.size)
    kernel("double2hiint", ["float64"]).forall(x.size)(np.array(x), high)
    kernel("double2loint", ["float64"]).forall(x.size)(np.array(x), low)
    words = x.view("i4").reshape(-1, 2)
    numpy.testing.assert_array_equal(numpy.asarray(low), words[:, 0])
    numpy.testing.assert_array_equal(numpy.asarray(high), words[:, 1])
    kernel("hiloint2double", ["int32", "int32"]).forall(x.size)(high, low, out)
    assert numpy.asarray(out).tobytes() == x.tobytes()


@pytest.mark.parametrize("name, dtype", [("remquo", "float64"), ("remquof", "float32")])
def test_remainders_with_the_quotients_lowest_bits(name, dtype):
    x, y = numbers(dtype, 800), numbers(dtype, 800)
    near = R.random(800) < 0.5
    x[near] = (y[near].astype("f8") * R.integers(-40, 40, near.sum()) / 2).astype(dtype)
    largest = numpy.finfo(dtype).max
    x[:200] = R.choice([-largest, largest], 200)  # of which multiples of a divisor are no numbers
    y[:200] = (largest * R.uniform(0.01, 1, 200)).astype(dtype)
    text = f"def f(x, y, rest, quotient):\n    i = cuda.grid(1)\n    if i < x.size:\n        rest[i], quotient[i] = cuda.libdevice.{name}(x[i], y[i])\n"
    rest, quotient = np.zeros(800, dtype=dtype), np.zeros(800, dtype="i4")
    cuda.jit(sources.define("f", text, {"cuda": cuda})).forall(800)(np.array(x), np.array(y), rest, quotient)
    for a, b, r, q in zip(x.tolist(), y.tolist(), rest.tolist(), quotient.tolist(), strict=True):
        if not math.isfinite(a) or math.isnan(b) or b == 0:
            assert math.isnan(r), (a, b)
        elif math.isinf(b):
            assert (r, q) == (a, 0)
        else:
            whole = round(Fraction(a) / Fraction(b))
            assert r == math.remainder(a, b) and q == (abs(whole) & 7) * (-1 if (a < 0) != (b < 0) else 1), (a, b)


def scaled_erfc(special):
    """SciPy's rounds the square before it takes the exponential function of it, which decimals do not."""

    def of(x):
        want = special.erfcx(x)
        for k in numpy.flatnonzero((x < -1) & (x > -26.6)):
            want[k] = float((decimal.Decimal(x[k]) ** 2).exp() * decimal.Decimal(math.erfc(x[k])))
        return want

    return of


def test_inverses_of_errors_of_the_least_numbers():
    """Whose halves are none. SciPy's are wrong there: these are by decimals of fifty digits."""
    x = numpy.array([1, 3, 7, 0, -1]) * 5e-324
    out = np.zeros(x.size)
    kernel("erfcinv", ["float64"]).forall(x.size)(np.array(x), out)
    want = [27.213293210812948815, 27.193114126203969564, 27.177540913435536118, numpy.inf, numpy.nan]
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1.2e-15)


def test_inverses_of_distributions():
    """SciPy's are other approximations: both are within some units of the last place."""
    special = pytest.importorskip("scipy.special")
    p = numpy.concatenate([R.uniform(0, 1, 300), 10.0 ** R.uniform(-300, 0, 300), 1 - 10.0 ** R.uniform(-15, -1, 100), [0, 1, 0.5, 1e-310, 0.075, 0.925, -0.5, 1.5, numpy.nan]])
    signed = numpy.concatenate([R.uniform(-1, 1, 300), 10.0 ** R.uniform(-300, 0, 100), [0.0, 1, -1, 1.5, -2, numpy.nan]])
    line = numpy.concatenate([R.uniform(-26, 30, 400), 10.0 ** R.uniform(0, 200, 100), [0.0, -0.0, 25, -27, numpy.inf, -numpy.inf, numpy.nan]])
    for name, x, want in ("normcdfinv", p, special.ndtri), ("erfcinv", 2 * p, special.erfcinv), ("erfinv", signed, special.erfinv), ("erfcx", line, scaled_erfc(special)):
        for suffix, dtype, digits in ("", "f8", 1.2e-15 if name == "erfcinv" else 4e-15), ("f", "f4", 1.2e-7):
            given = x.astype(dtype)
            out = np.zeros(x.size, dtype=dtype)
            kernel(name + suffix, [str(given.dtype)]).forall(x.size)(np.array(given), out)
            with numpy.errstate(over="ignore"):
                numpy.testing.assert_allclose(numpy.asarray(out), want(given.astype("f8")).astype(dtype), rtol=digits, err_msg=name + suffix)


def nearest(value, dtype):
    """A fraction other than 0 as the nearest number of a dtype, of two that are as near that whose last digit is even."""
    limits, size = numpy.finfo(dtype), abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    step = Fraction(2) ** max(exponent - limits.nmant, limits.minexp - limits.nmant)
    made = round(size / step) * step
    return math.copysign(float(made) if made <= Fraction(float(limits.max)) else math.inf, 1 if value > 0 else -1)


def fused(a, b, c, dtype):
    """a * b + c, rounded once."""
    if all(map(math.isfinite, (a, b, c))) and (exact := Fraction(a) * Fraction(b) + Fraction(c)):
        return nearest(exact, dtype)
    return c if math.isfinite(a) and math.isfinite(b) and not math.isfinite(c) else a * b + c


@pytest.mark.parametrize("name, dtype", [("libdevice.fma_rn", "float64"), ("libdevice.fmaf_rn", "float32"), ("fp16.hfma", "float16")])
def test_sums_of_products_are_rounded_once(name, dtype):
    """Among them those whose product is beyond the largest number, or below the least, and those that cancel it."""
    n, limits = 6000, numpy.finfo(dtype)
    x, y, z = (numbers(dtype, n) for _ in range(3))
    with numpy.errstate(all="ignore"):
        for part in x, y:  # whose product is near the ends
            few = R.random(n) < 0.3
            part[few] = numpy.ldexp(R.integers(1, 1 << limits.nmant, few.sum()), R.integers(limits.minexp // 2 - 2 * limits.nmant, limits.maxexp // 2, few.sum())).astype(dtype)
        product, near = x * y, R.random(n) < 0.6
        z[near] = (numpy.ldexp(product, R.integers(-110, 110, n)) * R.choice([-1, 1, 0.5], n)).astype(dtype)[near]
        z[R.random(n) < 0.1] *= -1
        z[:200] = -product[:200]
    out = np.zeros(n, dtype=dtype)
    text = f"def called(x, y, z, out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = cuda.{name}(x[i], y[i], z[i])\n"
    cuda.jit(sources.define("called", text, {"cuda": cuda})).forall(n)(*map(np.array, (x, y, z)), out)
    got = numpy.asarray(out)
    want = numpy.array([fused(*v, dtype) for v in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)], dtype)
    tiny = (want != 0) & (abs(want) < limits.tiny)
    assert tiny.sum() > 20 and numpy.isinf(want).sum() > 20
    numpy.testing.assert_array_equal(got, want)
    assert not (numpy.signbit(got) != numpy.signbit(want))[~numpy.isnan(want)].any()
