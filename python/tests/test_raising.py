"""While np.errstate asks for errors, operations on many elements are computed on all cores, and raise what NumPy raises, at the call."""

import random
import re
import sys
import threading
import warnings

import numpy
import pytest
import weft

N = 300_000  # elements that are too many to be computed at once

ODD = [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 5e-324, 1e-310, float("inf"), float("nan"), 1e154, 1e-160, 700.0, -745.0, -800.0, 0.5, 2.0, 1.7e308, 4e-308, -2.5]
ODD_SINGLES = [0.0, -0.0, 1.0, -1.0, 1e38, -3e38, 1e-38, 1e-45, 1e-40, float("inf"), float("nan"), 1e19, 1e-20, 80.0, -90.0, -110.0, 0.5, 2.0, 3.4e38, 1e-30, -2.5]
UNARY = "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal negative absolute floor rint isnan sign".split()
BINARY = "add subtract multiply divide power float_power floor_divide remainder fmod hypot arctan2 logaddexp logaddexp2 maximum less copysign".split()
SETTINGS = [{"all": "raise"}, {"all": "raise", "under": "ignore"}, {"divide": "raise"}, {"over": "raise", "invalid": "ignore"}, {"invalid": "raise"}, {"under": "raise"}, {"all": "call"}, {"all": "log"}]
OTHERS = [
    "x + y", "x * 2.5", "3 / x", "x // y", "x % y", "x ** 3", "x ** y", "x ** -1", "-x", "abs(x)", "x > y", "x == y", "x.sum()", "x.mean()", "x.std()", "x.var(ddof=1)", "np.sum(x, axis=0)", "x.reshape(300, -1).sum(1)",
    "x.reshape(-1, 300).mean(axis=0, keepdims=True)", "x.astype('f4')", "x.astype('i4')", "x.astype('f8')", "np.where(x > y, x, y)", "np.where(x > 0, x, 0)", "np.clip(x, -1, 1)", "np.clip(x, None, y)", "x[::2] * y[1::2]",
    "x.__iadd__(y)", "x.__imul__(2)", "x.__itruediv__(y)", "x.__ipow__(y)", "x.__ipow__(3)", "np.exp(x, out=x)", "np.exp(x, x)", "np.add(x, y, out=z)", "np.sin(x, out=z)", "np.divide(x, y, out=z, where=y != 0)", "np.multiply(x[1:], y[1:], out=x[:-1])",
    "np.sqrt(x[1:], out=x[:-1])", "np.log(x[1:], out=x[:-1])", "z.__setitem__(slice(None), x / 3)", "z.__setitem__(slice(2, None), x[:-2])", "x.reshape(300, -1) / y.reshape(300, -1)[:, :1]", "x.reshape(300, -1) @ y.reshape(-1, 300)", "np.dot(x, y)",
    "np.add(x, y, dtype='f4')", "i // j", "i % j", "i + j", "i / j", "i * 2 - j", "x + i", "i // 0", "(x * 1j) * 2", "np.diff(x)", "np.cumsum(x)", "x.prod()", "np.nansum(x)", "np.linalg.norm(x)", "np.convolve(x[:500], y[:500])", "x.copy() + y", "np.hypot(x, 3)",
    "f(x) + f(y)", "np.add.reduce(x)", "np.maximum(x, y) * np.minimum(x, y)", "np.abs(x) ** 0.5",
]  # fmt: skip


def outcome(module, code, given, settings):
    names = {name: module.array(value) for name, value in given.items()}
    said = []

    class Log:
        def write(self, text):
            said.append(text)

    before = numpy.seterrcall(Log() if "log" in settings.values() else lambda what, flags: said.append((what, flags)))
    stderr, sys.stderr = sys.stderr, Log()
    try:
        with warnings.catch_warnings(record=True) as caught, numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"), module.errstate(**settings):
            warnings.simplefilter("always", RuntimeWarning)
            try:
                made = eval(code, {"np": module, "f": lambda v: v * v, **names})
                names["made"] = made
            except FloatingPointError as error:
                said.append(str(error))
            found = {name: (str(numpy.asarray(value).dtype), numpy.asarray(value)) for name, value in names.items()}
        said += sorted(str(w.message) for w in caught if w.category is RuntimeWarning)
    finally:
        sys.stderr = stderr
        numpy.seterrcall(before)
    return said, found


def given(rng, dtype, odd):
    """Arrays of ordinary numbers, among which a few are not."""
    numbers = numpy.random.default_rng(rng.randrange(2**32))
    made = {name: numbers.uniform(0.5, 2, N).astype(dtype) for name in "xy"}
    for value in made.values():
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            value[rng.randrange(N)] = rng.choice(odd)
    made["z"] = numpy.zeros(N, dtype)
    made["i"] = numbers.integers(-50, 50, N).astype(rng.choice(["i8", "i4", "u1"]))
    made["j"] = numbers.integers(1, 50, N).astype(made["i"].dtype)
    if rng.random() < 0.5:
        made["j"][rng.randrange(N)] = 0
    return made


def compare(code, values, settings, dtype):
    ours, theirs = outcome(weft, code, values, settings), outcome(numpy, code, values, settings)
    assert ours[0] == theirs[0], (code, settings, dtype)
    assert ours[1].keys() == theirs[1].keys()
    for name, (kind, value) in theirs[1].items():
        assert ours[1][name][0] == kind, (code, name)
        numpy.testing.assert_allclose(ours[1][name][1].astype("c16"), value.astype("c16"), rtol=1e-4 if dtype == "f4" else 1e-9, atol=1e-30, err_msg=f"{code} {name}")


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_errors_and_what_is_left_behind_are_numpys(dtype, rounds=40):
    rng = random.Random(f"raising {dtype}")
    codes = [f"np.{name}(x)" for name in UNARY] + [f"np.{name}(x, y)" for name in BINARY] + OTHERS
    for _ in range(rounds):
        code, settings = rng.choice(codes), rng.choice(SETTINGS)
        if any(word in code for word in ("@", "dot", "prod", "norm", "//")):  # whose underflows depend on NumPy's order, and library
            settings = settings | {"under": "ignore"}
        compare(code, given(rng, dtype, ODD if dtype == "f8" else ODD_SINGLES), settings, dtype)


# Statements that leave work pending, and what is asked for behind them in the same launch, were the call not planned by itself; what is odd in which array.
PENDING = [
    ("t = np.maximum(x, y)", "y /= y", "y", 0), ("t = abs(x); u = np.where(x > y, x, y)", "x /= x", "x", 0), ("x[y > 5] = -1", "x // 3", "x", "inf"), ("x[y > 5] = -1", "np.sin(x)", "x", "inf"),
    ("np.maximum(x, y, out=x)", "x // 3", "x", "inf"), ("t = y + z", "z *= z", "z", 1e300), ("x /= y", "x /= z", "z", 0), ("x -= y", "np.log(x)", "x", -9), ("x *= 2", "np.exp(x)", "x", 5e3),
    ("t = (x * y).mean(axis=0, keepdims=True)", "x *= x", "x", 1e300),
]  # fmt: skip


@pytest.mark.parametrize("before", ["raise", "ignore"])
@pytest.mark.parametrize(("pending", "statement", "name", "odd"), PENDING)
def test_what_is_pending_hides_nothing(pending, statement, name, odd, before):
    said = []
    for module in (numpy, weft):
        names = {"np": module} | {key: numpy.linspace(0.5, 2, N) for key in "xyz"}
        names[name][1000] = float(odd)
        names |= {key: module.array(names[key]) for key in "xyz"}
        weft.sync()
        with module.errstate(all=before, under="ignore"):
            exec(pending, names)
        with module.errstate(all="raise", under="ignore"), pytest.raises(FloatingPointError) as raised:
            exec(statement, names)
        said.append((str(raised.value), [numpy.asarray(names[key]).tobytes() for key in "xyz" if key not in statement]))
    assert said[0] == said[1]


def test_underflows_of_products_and_of_numpys_own_arrays_are_told_of():
    a, tiny = numpy.full(N, 1e-200), numpy.ones(N)
    tiny[7] = 1e-310
    for code, values in ("np.dot(a, a)", a), ("a @ a", a), ("a.reshape(300, -1) @ a.reshape(-1, 300)", a), ("np.sin(a)", tiny), ("np.exp(a - 1)", tiny * 0 - 744):
        for module in (numpy, weft):
            with module.errstate(all="raise"), pytest.raises(FloatingPointError, match="underflow encountered"):
                eval(code, {"np": module, "a": module.array(values)})
    with weft.errstate(all="raise"), pytest.raises(FloatingPointError, match="underflow encountered in sin"):
        weft.sin(tiny)


def test_a_result_that_overlaps_an_operand_elsewhere_is_not_written():
    for module in (numpy, weft):
        x = module.ones(N)
        x[7] = 0
        with module.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            x[1:] /= x[:-1]
        assert float(x[8]) == 1


def test_weft_computes_while_errors_are_asked_for():
    x, y = weft.linspace(0.1, 1, N), weft.linspace(1, 2, N)
    weft.sync()
    with weft.errstate(all="raise"):
        for code in ("x * y + 1", "np.sin(x)", "np.exp(x) ** 2.5", "np.where(x > y, x, y) / 2", "x.sum(axis=0)", "x.std()", "np.clip(x, 0, 1) + y", "(x + y).astype('f4')", "x.__imul__(1.5)", "np.log(x, out=y)"):
            by_numpy, before = re.search(r"(\d+) by NumPy", str(weft.coverage()))[1], weft.stats()["operations"]
            eval(code, {"np": weft, "x": x, "y": y})
            assert weft.stats()["operations"] > before, code
            assert re.search(r"(\d+) by NumPy", str(weft.coverage()))[1] == by_numpy, code


def test_what_went_wrong_before_is_warned_of_and_raises_nothing():
    with numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        x, y = weft.zeros(N), weft.ones(N)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RuntimeWarning)
            later = y / x
            with weft.errstate(all="raise"):
                fine = y + y
            assert float(fine[5]) == 2 and float(later[3]) == float("inf")
        assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]


def test_each_thread_is_told_of_its_own_calls():
    x, ends = weft.zeros(N), threading.Barrier(2)
    said = {}

    def compute(name, wanted):
        with numpy.errstate(divide=wanted, invalid="ignore"):
            ends.wait()
            for _ in range(10):
                try:
                    float((1 / x if name == "divides" else x * 3 + 1)[5])
                    said.setdefault(name, set()).add("computed")
                except FloatingPointError:
                    said.setdefault(name, set()).add("raised")

    with weft.errstate(divide="raise"):  # the program has asked for it
        pass
    threads = [threading.Thread(target=compute, args=(name, "raise")) for name in ("divides", "adds")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"divides": {"raised"}, "adds": {"computed"}}


def test_a_program_that_has_asked_once_is_deferred_again():
    x = weft.zeros(10 * N)  # more than one operation alone computes at once
    with weft.errstate(all="raise"):
        x + 1
    with numpy.errstate(divide="warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        y = 1 / x
        assert not caught
        assert float(y[3]) == float("inf") and len(caught) == 1
