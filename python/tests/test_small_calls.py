"""Calls of numbers and of arrays of few elements, which are answered without Python frames: value, type, warning and error are NumPy's."""

import itertools
import random
import sys
import warnings

import numpy
import pytest
import weft

from .sharing import run_python

UFUNCS = sorted(
    name
    for name in dir(numpy)
    if isinstance(getattr(numpy, name), numpy.ufunc) and getattr(numpy, name).nout == 1 and getattr(numpy, name).signature is None
)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e-310, 5e-324, 1e308, -1e308, numpy.inf, -numpy.inf, numpy.nan, 700.0, -800.0, 1e22]
WHOLE = [0, 1, -1, 2, 3, 7, -5, 63, 64, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**70]


def outcome(function, *args, **options):
    """Type and bits of what a call gives, and what it warns of; or its error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            made = function(*args, **options)
        except Exception as e:
            made = f"{type(e).__name__}: {e}"
    told = [str(w.message) for w in said if w.category is not weft.FallbackWarning]
    if type(made) in (weft.ndarray, numpy.ndarray):
        made = numpy.asarray(made)
        return "array", made.dtype, made.shape, repr(made.tolist()) if made.dtype == object else made.tobytes(), told
    bits = made.tobytes() if isinstance(made, numpy.generic) else repr(made)
    return type(made), bits, told


def numbers(seed):
    draw = random.Random(seed)
    values = [*SPECIAL, *(draw.gauss(0, 10 ** draw.randint(-3, 3)) for _ in range(8))]
    whole = [*WHOLE, *(draw.randint(-1000, 1000) for _ in range(4))]
    made = [*values, *map(numpy.float64, values), *whole, *(numpy.int64(i) for i in whole if -(2**63) <= i < 2**63)]
    return [*made, True, numpy.bool_(False), numpy.float32(1.5), numpy.uint64(2**63), numpy.int8(-3), 1 + 2j, numpy.complex128(1j), numpy.float16(2)]


@pytest.mark.parametrize("name", UFUNCS)
def test_a_ufunc_of_numbers(name):
    ours, theirs = getattr(weft, name), getattr(numpy, name)
    given = numbers(name)
    operands = [(x,) for x in given]
    if theirs.nin == 2:
        operands = random.Random(name).sample(list(itertools.product(given, repeat=2)), 500)
    if name in ("left_shift", "power", "gcd", "lcm"):  # numbers of Python's that are too large take NumPy too long, or are its errors
        operands = [pair for pair in operands if all(abs(x) < 1e6 for x in pair if isinstance(x, int))]
    for x in operands:
        assert outcome(ours, *x) == outcome(theirs, *x), (name, x)


def test_a_warning_of_a_number_follows_the_state():
    for state in ("ignore", "warn", "raise"):
        with numpy.errstate(all=state):
            for call in (lambda np: np.log(0.0), lambda np: np.exp(1e4), lambda np: np.sqrt(numpy.float64(-1)), lambda np: np.exp(-800.0), lambda np: np.divide(1, 0)):
                assert outcome(call, weft) == outcome(call, numpy)


DRAWS = [
    "random()", "random(5)", "random(size=3)", "random((2, 3))", "random(size=(2, 2))", "random(None)", "random(dtype=np.float32)", "random(4, np.float32)",
    "random(numpy.int64(3))", "random(0)", "random([2, 3])", "random(-1)", "random((2, -1))", "random(())", "random(2.5)", "random('a')",
    "integers(10)", "integers(0, 10)", "integers(-5, 5, 7)", "integers(0, 60, 2)", "integers(0, 2**32, 3)", "integers(0, 2**32 - 1, 3)", "integers(0, 2**33, 3)",
    "integers(5, 6, 4)", "integers(5, 5)", "integers(6, 5)", "integers(0, 10, size=3)", "integers(0, high=10, size=3)", "integers(0, 10, (2, 2))",
    "integers(numpy.int64(3), numpy.int64(9), 5)", "integers(0, 10, 3, numpy.int32)", "integers(0, 10, dtype=numpy.uint8)", "integers(0, 10, endpoint=True)",
    "integers(0.5, 10)", "integers(1.0, 10.0)", "integers(-2**63, 2**63 - 1)", "integers(-2**63, -2**63 + 5, 3)", "integers(0, 10, None)", "integers(low=0, high=4)",
    "integers([1, 2], [3, 4])", "integers(3_000_000_000, size=20)", "integers(0, 2**31 + 11, 50)", "integers(True)", "integers(low=3)",
    "uniform()", "uniform(1, 2)", "uniform(2, 1)", "uniform(-1.5, numpy.float64(2.5), 6)", "uniform(size=3)", "uniform(0, numpy.inf)", "uniform(3, 3)", "uniform(high=2.0)",
    "normal()", "normal(0, 1)", "normal(3.5, 2)", "normal(1, -1)", "normal(0, -0.0)", "normal(0, 0)", "normal(0, numpy.nan)", "normal(numpy.inf, 1)", "normal(0, 1, 5)",
    "normal(size=4)", "normal(0, 1, (2, 2))", "normal([1.0, 2.0], 1)", "normal(scale=2)", "exponential()", "exponential(2.5)", "exponential(-1)", "exponential(1, 4)",
    "standard_normal()", "standard_normal(4)", "standard_exponential()", "standard_exponential(3, method='inv')", "poisson(3)", "poisson(3, 70)", "binomial(10, 0.5)",
    "binomial(10, 0.5, 5)", "gamma(2.0)", "beta(1, 2, 3)", "geometric(0.3)", "lognormal()", "laplace(0, 1)", "chisquare(2)", "triangular(0, 1, 2)", "choice(5)",
    "choice(5, 3)", "permutation(5)", "random(4095)", "integers(0, 10, 4095)", "random(4096)", "integers(0, 10, 5000)",
]  # fmt: skip


@pytest.mark.parametrize("make", [numpy.random.PCG64, numpy.random.MT19937, numpy.random.Philox, numpy.random.SFC64])
def test_few_numbers_of_a_generator(make):
    """All from one generator, so that each call has to leave it as NumPy's does."""
    order = random.Random(make.__name__)
    for turn in range(3):
        ours, theirs = weft.random.Generator(make(turn)), numpy.random.Generator(make(turn))
        calls = order.sample(DRAWS, len(DRAWS))
        for call in calls:
            got = outcome(lambda: eval(f"rng.{call}", {"rng": ours, "np": weft, "numpy": numpy}))  # noqa: B023
            want = outcome(lambda: eval(f"rng.{call}", {"rng": theirs, "np": numpy, "numpy": numpy}))  # noqa: B023
            assert got == want, call
        assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)


LEGACY = [
    "rand()", "rand(3)", "rand(2, 2)", "rand(-1)", "random()", "random(3)", "random_sample(2)", "randn()", "randn(3)", "randint(10)", "randint(0, 10, 5)",
    "randint(5, 5)", "randint(0, 10, size=(2, 2))", "uniform()", "uniform(1, 2)", "uniform(0, 1, 4)", "normal()", "normal(1, 2)", "normal(0, 1, 3)", "normal(0, -1)",
    "exponential()", "exponential(2, 3)", "standard_normal()", "standard_normal(2)", "poisson(2)", "poisson(2, 3)", "binomial(5, 0.5)", "gamma(2)", "beta(1, 2)",
    "choice(5)", "permutation(4)",
]  # fmt: skip


def test_few_numbers_of_the_global_generator():
    for turn in range(3):
        calls = random.Random(turn).sample(LEGACY, len(LEGACY))
        numpy.random.seed(turn)
        want = [outcome(lambda: eval(f"np.random.{call}", {"np": numpy})) for call in calls]  # noqa: B023
        weft.random.seed(turn)
        got = [outcome(lambda: eval(f"np.random.{call}", {"np": weft})) for call in calls]  # noqa: B023
        assert got == want


def test_a_generator_over_another_bit_generator_draws_from_that():
    rng = weft.random.default_rng(1)
    rng.random()
    rng.__init__(numpy.random.PCG64(7))
    assert rng.random() == numpy.random.Generator(numpy.random.PCG64(7)).random()
    assert weft.random.Generator.random(numpy.random.default_rng(3)) == numpy.random.default_rng(3).random()


def test_a_generator_goes_on_after_its_copy():
    import copy
    import pickle

    rng = weft.random.default_rng(5)
    rng.random()
    for other in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert other.random(3).tolist() == copy.deepcopy(rng).random(3).tolist()


FEW = [
    "np.sort(x)", "np.sort(w)", "np.sort(m)", "np.sort(m, axis=0)", "np.sort(s)", "np.sort(u)", "np.sort(x, kind='stable')", "np.sort(x[::2])", "np.sort(b)",
    "np.argsort(x)", "np.argsort(m)", "x.argsort()", "(lambda y: (y.sort(), y)[1])(x.copy())", "(lambda y: (y.sort(axis=0), y)[1])(m.copy())",
    "(lambda y: (y[1:].sort(), y)[1])(x.copy())", "np.sort(3)", "np.sort(x, axis=1)", "np.sort(x, axis=None)", "np.sort(np.array([]))", "np.sort(c)",
    "np.linalg.solve(q, x[:3])", "np.linalg.solve(q, w[:3])", "np.linalg.solve(q.T, m[:3])", "np.linalg.solve(q, x)", "np.linalg.solve(m, x)", "np.linalg.solve(q * 0, x[:3])",
    "np.linalg.solve(q.astype(np.float32), x[:3])", "np.linalg.solve(q + 1j, x[:3])", "np.linalg.solve(q[::-1], x[:6:2])", "np.linalg.inv(q)", "np.linalg.inv(q * 0)",
    "np.linalg.inv(q.astype(int))", "np.linalg.inv(m)", "np.linalg.inv(x)", "np.linalg.inv(q.astype(np.float32))", "np.linalg.inv(q.T)",
    "np.roll(x, 1)", "np.roll(x, -1)", "np.roll(x, 100)", "np.roll(m, 2)", "np.roll(m, 1, axis=0)", "np.roll(m, -3, axis=1)", "np.roll(m, 1, axis=-1)", "np.roll(m.T, 1, axis=0)",
    "np.roll(x[::2], 2)", "np.roll(x, 1.5)", "np.roll(x, 1, axis=3)", "np.roll(m, (1, 2), axis=(0, 1))", "np.roll(u, 1)", "np.roll(np.zeros(0), 1)",
    "x * 2j", "2j * x", "x + (1 - 2j)", "w * 1j", "u * 1j", "s * 2j", "c * 2j", "c / (1 + 1j)", "1j / c", "c ** 2j", "x ** 1j", "-2j * x[:0]", "c == 1j", "x < 1j", "c - 1j",
    "(lambda y: (y.__imul__(2j), y)[1])(c.copy())", "(lambda y: (y.__iadd__(2j), y)[1])(x.copy())", "c * numpy.complex128(2 + 1j)", "c * numpy.complex64(2 + 1j)", "s * complex('nan')",
    "x[:0] * 2", "x[:0] + x[:0]", "m[:0] + x[:4]", "m[:0] + x", "x[:0] < 1", "np.exp(x[:0])", "-x[:0]", "x[:0] @ x[:0]", "w[:0] @ x[:0]", "b[:0] @ b[:0]", "s[:0].dot(s[:0])",
    "c[:0] @ c[:0]", "x[:0] @ x", "np.vdot(c[:0], c[:0])", "np.inner(w[:0], w[:0])", "x[:0] @ m[:0]", "(lambda y: (y.__iadd__(1), y)[1])(x[:0].copy())", "u[:0] + s[:0]",
    "x[numpy.int64(2)]", "x[numpy.uint8(2)]", "x[numpy.int64(-1)]", "x[numpy.int64(99)]", "m[numpy.int64(1), 2]", "m[numpy.int32(1), numpy.int64(-1)]", "x[numpy.bool_(True)]",
    "m[True, 1]", "x[numpy.uint64(1)]", "(lambda y: (y.__setitem__(numpy.int64(1), numpy.int64(7)), y)[1])(x.copy())",
    "(lambda y: (y.__setitem__((numpy.int64(1), 0), 7.5), y)[1])(m.copy())", "np.array([numpy.float64(1), 2.0])", "np.array([x[0], -x[1]])", "np.array([w[0], 1])",
    "np.array([w[0], 1.5])", "np.array([[x[0], 1], [2, x[1]]])", "np.array([numpy.bool_(True), 1])", "np.array([numpy.float32(1), 2.0])", "np.array([x, x])", "np.array([])",
    "np.array([[1], [2, 3]])", "np.array(3.5)", "np.array([2**70])", "np.array(['a'])", "np.array((1, 2))", "np.asarray([1, 2.5])", "np.asarray(x) is x", "np.asarray(3)",
    "np.array([1], foo=2)", "np.array([1, 2], float)", "np.array([1, 2], dtype=numpy.int8)", "np.array([None])", "np.array([1j])", "np.array(x, copy=False) is x",
    "np.abs(c)", "np.cumsum(x)", "np.diff(x)", "np.where(b, x, 0)", "np.clip(x, 0, 1)", "np.concatenate([x, w])", "np.stack([x, x])", "np.vstack([x, x])", "np.hstack([x, 1.0])",
    "np.linspace(0, 1, 5)", "np.eye(3)", "np.zeros(3)", "np.ones((2, 2))", "np.full(3, 7)", "np.arange(5)", "np.arange(0, 1, 0.25)", "np.zeros_like(x)", "np.outer(x, x)",
    "np.dot(x, x)", "m @ q.T[:, :3] if 0 else m @ m.T", "np.interp(0.5, np.sort(x), x)", "np.take(x, [1, 2])", "np.nonzero(b)", "np.count_nonzero(b)", "x.sum()", "x.mean()",
    "x.max()", "m.min(axis=0)", "x.argmax()", "b.any()", "b.all()", "x.prod()", "np.linalg.norm(x)", "x.reshape(3, 4)", "m.T", "m.ravel()", "np.expand_dims(x, 0)",
    "np.squeeze(x)", "x.astype(int)", "x.copy()", "x.tolist()", "np.fft.fft(x)", "np.fft.ifft(c)", "np.maximum(x, 0.5)", "np.sqrt(2.0)", "np.exp(numpy.float64(1))",
    "np.polyval([1.0, 2.0], 0.5)", "np.searchsorted(np.sort(x), 0.5)", "np.bincount(u)", "np.unique(w)", "np.trace(q)", "np.diag(x[:3])", "np.repeat(x, 2)", "np.tile(x, 2)",
    "np.median(x)", "np.isclose(x, x)", "np.array_equal(x, x)", "np.append(x, 1.0)", "np.round(x, 1)", "float(x[0])", "int(w[0])", "bool(b[0])", "len(x)", "x.item(0)",
]  # fmt: skip
FEW += [f"np.{name}({given}, {option})" for name, given in [("add", "x, x"), ("multiply", "w, w"), ("subtract", "u, u"), ("add", "x, w"), ("multiply", "s, 2.5"), ("add", "w, 1.5"),
    ("maximum", "w, 3"), ("divide", "w, w"), ("power", "w, 2"), ("logical_and", "b, b"), ("sqrt", "w"), ("negative", "u"), ("absolute", "w"), ("add", "b, b"), ("add", "c, 1"),
    ("add", "u, 300"), ("bitwise_and", "w, 3"), ("sqrt", "m.T"), ("add", "x[::2], x[:6]"), ("add", "m, m[:, :1]"), ("less", "x, 0.5"), ("equal", "w, w"), ("isnan", "x"), ("logical_not", "x"), ("signbit", "s")]
    for option in ["dtype=np.float32", "dtype='f8'", "dtype=float", "dtype=int", "dtype=np.uint8", "dtype=bool", "dtype=complex", "dtype='f2'", "casting='unsafe'", "casting='no'", "casting='same_kind'",
        "order='K'", "order='F'", "subok=False", "dtype=object", "dtype=None", "casting='nonsense'", "dtype=np.int16, casting='unsafe'"]]  # fmt: skip
FEW += [f"(lambda o: (np.{call.format('o')}, o))({out})" for call, out in [("dot(q, q, out={})", "np.zeros((3, 3))"), ("dot(q, q, out={})", "np.zeros((3, 3), 'f4')"), ("dot(q, q, out={})", "np.zeros((3, 4))"),
    ("matmul(q, q, out={})", "np.zeros((3, 3))"), ("matmul(q, m[:3], {})", "np.zeros((3, 4))"), ("cumsum(w, out={})", "np.zeros(9, int)"), ("cumsum(w, out={})", "np.zeros(9)"), ("cumsum(w, out={})", "np.zeros(8, int)"),
    ("cumsum(m, axis=0, out={})", "np.zeros((3, 4))"), ("sum(m, axis=0, out={})", "np.zeros(4)"), ("sum(m, axis=1, out={})", "np.zeros(3, 'f4')"), ("sum(m, 1, None, {})", "np.zeros(3)"), ("sum(w, out={})", "np.zeros((), int)"),
    ("mean(m, axis=0, out={})", "np.zeros(4)"), ("mean(u, axis=0, out={})", "np.zeros(())"), ("max(m, axis=1, out={})", "np.zeros(3)"), ("max(m, axis=1, out={}, keepdims=True)", "np.zeros((3, 1))"), ("argmax(m, axis=1, out={})", "np.zeros(3, int)"),
    ("argmax(m, axis=1, out={})", "np.zeros(3)"), ("take(x, [1, 2], out={})", "np.zeros(2)"), ("take(w, [1, 20], out={})", "np.zeros(2, int)"), ("round(x, 2, out={})", "np.zeros(12)"), ("var(m, axis=0, out={})", "np.zeros(4)"),
    ("outer(w, w, {})", "np.zeros((9, 9), int)"), ("concatenate([x, x], out={})", "np.zeros(24)"), ("stack([x, x], out={})", "np.zeros((2, 12))"), ("clip(x, 0, 1, out={})", "np.zeros(12)"), ("compress(b, w, out={})", "np.zeros(3, int)"),
    ("add(x, x, {}, where=x > 0)", "np.zeros(12)"), ("add(w, w, {}, casting='unsafe')", "np.zeros(9, 'i2')"), ("add(w, w, {}, dtype=float)", "np.zeros(9)"), ("add(w, w, {}, dtype=float)", "np.zeros(9, int)"),
    ("sum(m, axis=0, out={})", "np.zeros(8)[::2]"), ("any(m > 1, axis=0, out={})", "np.zeros(4, bool)"), ("prod(m, axis=0, out={})", "np.broadcast_to(np.zeros(1), 4)")]]  # fmt: skip
FEW += ["(lambda o: np.dot(o, o, out=o))(q.copy())", "(lambda o: np.cumsum(o, out=o))(w.copy())", "x.sum(dtype=np.float32)", "w.sum(dtype=float)", "s.mean(dtype=float)", "w.mean(dtype='f4')",
    "u.sum(dtype=np.uint8)", "x.sum(dtype=int)", "b.sum(dtype=np.float32)", "w.prod(dtype=float)", "m.sum(axis=0, dtype='f4')", "m.sum(axis=1, dtype='f2')", "x.sum(dtype=complex)", "m.T.sum(axis=0, dtype='f4')", "c.sum(dtype='F')",
    "np.linalg.norm(m, 'fro')", "np.linalg.norm(w.reshape(3, 3), 'fro')", "np.linalg.norm(c.reshape(2, 2), 'fro')", "np.linalg.norm(m, 'fro', keepdims=True)", "np.linalg.norm(x, 'fro')", "np.linalg.norm(m, 'nuc')",
    "x.astype(float, copy=False) is x", "w.astype(np.int64, copy=False) is w", "x.astype(object)", "b.astype(object)", "m.T.astype(object)", "x.astype(float, copy=True) is x", "w.astype('f4', copy=False)", "x.astype('nonsense', copy=False)",
    "np.zeros(3, dtype=object)", "np.empty(3, object)", "np.ones((2, 2), dtype=object)", "np.full(2, None, dtype=object)", "np.full(2, 1.5, object)",
    "np.abs(c, dtype=float)", "np.abs(c, dtype='f4')", "np.abs(c, dtype='f8')", "np.abs(c, dtype=complex)"]  # fmt: skip
CLOSE = ("fft", "solve", "inv(", "norm", "exp", "median", "polyval", "interp", "abs(c", "/ (", "1j / c", "** ", "mean", "m @ m", "linspace", "prod", "x.sum", "np.dot", "vdot", "outer")


def few(np):
    """Arrays of few elements, the same for both."""
    draw = numpy.random.default_rng(12)
    x = numpy.round(draw.normal(size=12), 3)
    x[3], x[7] = numpy.nan, -numpy.inf
    m, q = draw.random((3, 4)), draw.random((3, 3)) + 2 * numpy.eye(3)
    w, u = draw.integers(-5, 6, 9), draw.integers(0, 9, 7).astype(numpy.uint8)
    given = {"x": x, "m": m, "q": q, "w": w, "u": u, "s": x[:6].astype(numpy.float32), "b": w > 0, "c": m[0] + 1j * m[1]}
    return {name: np.array(value) for name, value in given.items()} | {"np": np, "numpy": numpy}


@pytest.mark.parametrize("call", FEW)
def test_a_call_of_few_elements(call):
    got, want = outcome(lambda: eval(call, few(weft))), outcome(lambda: eval(call, few(numpy)))
    if any(word in call for word in CLOSE) and want[0] in ("array", numpy.float64, numpy.complex128) and got[0] == want[0]:
        a, b = (numpy.asarray(eval(call, few(np))) for np in (weft, numpy))
        assert a.dtype == b.dtype and a.shape == b.shape and numpy.allclose(a, b, rtol=1e-6 if a.dtype.char in "fF" else 1e-12, equal_nan=True)
        return
    if call.startswith("np.vdot") or "matmul" in str(want) or "operand" in str(want):
        assert got[0] == want[0] or str(got)[:20] == str(want)[:20]
        return
    assert got == want


def test_few_elements_are_those_of_the_deferred_way():
    """The twin, which has no eager tier, has the same bits."""
    calls = [call for call in FEW if "is x" not in call] + ["np.argsort(w)", "np.argsort(u)"]
    code = f"""
import warnings; warnings.simplefilter("ignore")
import python.tests.test_small_calls as t
for call in {calls!r}:
    print(call, t.outcome(lambda: eval(call, t.few(t.weft)))[:4])
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") >= len(calls), eager.stderr
    assert eager.stdout.splitlines() == deferred.stdout.splitlines()


def test_what_is_missing_and_what_is_no_index_is_told_as_numpy_does():
    for call in (
        lambda np, x: np.array(), lambda np, x: np.asarray(), lambda np, x: np.array(dtype=float), lambda np, x: x[numpy.float64(1)], lambda np, x: x[numpy.float32(1), 0],
        lambda np, x: x[numpy.complex128(1)], lambda np, x: x[np.array(1.0)], lambda np, x: x.__setitem__(numpy.float64(1), 2), lambda np, x: np.array(object=[1, 2]),
    ):  # fmt: skip
        assert outcome(call, weft, weft.arange(3.0)) == outcome(call, numpy, numpy.arange(3.0))


def test_values_of_elements_that_are_there_take_no_frame():
    x, m = weft.arange(10.0), weft.ones((3, 4))
    calls = [
        lambda: x.sum(), lambda: weft.sum(x), lambda: x.max(), lambda: weft.min(m, axis=0), lambda: m.mean(1), lambda: weft.std(x),
        lambda: weft.dot(x, x), lambda: x.dot(x), lambda: weft.vdot(x, x), lambda: weft.any(x > 3), lambda: (x > 3).all(), lambda: weft.argmax(m, axis=1), lambda: weft.count_nonzero(x),
    ]  # fmt: skip
    for call in calls:
        entered = []
        call()
        sys.setprofile(lambda frame, event, _: entered.append(frame.f_code) if event == "call" else None)  # noqa: B023
        try:
            call()
        finally:
            sys.setprofile(None)
        assert entered[:1] == [call.__code__] and [code.co_name for code in entered[1:]] == []


def test_values_are_the_same_of_elements_that_are_not_there_yet():
    many = numpy.random.default_rng(2).random((400, 500))
    names = "sum prod min max any all mean var std argmin argmax count_nonzero".split()
    for name in names:
        there, later = weft.array(many), weft.array(many)
        weft.sync()
        pending = later * 1.0
        want = outcome(getattr(weft, name), there)
        assert outcome(getattr(weft, name), pending) == want == outcome(getattr(weft, name), later * 1.0)
        assert outcome(getattr(weft, name), there, axis=1) == outcome(getattr(weft, name), later * 1.0, axis=1) == outcome(getattr(weft, name), a=there, axis=1)
        assert outcome(getattr(weft, name), there, 5)[1][:13] in ("'AxisError: a", "'TypeError: c", "'TypeError: a")


def test_arrays_in_a_row_and_beside_each_other():
    parts = [numpy.arange(3.0), numpy.arange(4), numpy.ones((3, 2)), numpy.zeros((2, 2), "f4"), numpy.array([True, False, True]), numpy.array(2.5), 1, 2.5, True, 1 + 2j, 2**70, numpy.float32(3), [1, 2], slice(0, 3), "r", None]
    for n in (1, 2, 3):
        for key in itertools.product(parts, repeat=n):
            ours = tuple(weft.array(x) if isinstance(x, numpy.ndarray) else x for x in key)
            for name in ("r_", "c_"):
                want, got = (outcome(getattr(np, name).__getitem__, k[0] if n == 1 else k) for np, k in ((numpy, key), (weft, ours)))
                assert got[1:] == want[1:] or "Error" in want[1] and "Error" in got[1], (name, key)


def test_means_and_sums_of_few_are_those_of_many():
    """The sums of few elements are in the order that those of many have, and what is odd is NumPy's."""
    rng = numpy.random.default_rng(9)
    for n in (1, 2, 5, 100, 1000, 4000):
        x, w = weft.array(rng.standard_normal(n)), weft.array(rng.random(n))
        assert weft.average(x).tobytes() == x.mean().tobytes() and weft.nansum(x).tobytes() == x.sum().tobytes()
        assert numpy.isclose(weft.average(x, weights=w), numpy.average(x, weights=w)) and numpy.isclose(weft.trapezoid(x, w), numpy.trapezoid(numpy.asarray(x), numpy.asarray(w)))
    for text in ("nanmean({a})", "nansum({a})", "average({a})", "average({a}, weights={a} * 0)", "trapezoid({a})", "nanmean({a}[:0])", "average({a}[:0])", "trapezoid({a}[:1])", "nansum({a}[:0])"):
        for values in ([numpy.nan, numpy.nan], [1.0, numpy.nan, 3.0], [numpy.inf, -numpy.inf, 0.0], [1e308, 1e308, 1e308]):
            sides = [outcome(lambda np=np, text=text, values=values: eval("np." + text.format(a="np.array(values)"), {"np": np, "values": values})) for np in (numpy, weft)]
            assert sides[0][:2] == sides[1][:2] and sorted(set(sides[0][-1])) == sorted(set(sides[1][-1])), (text, values)
