"""Calls of numbers and of arrays of few elements, which are answered without Python frames: value, type, warning and error are NumPy's."""

import itertools
import random
import warnings

import numpy
import pytest
import weft

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
        return "array", made.dtype, made.shape, made.tobytes(), told
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
