"""What goes wrong in sums, products of matrices, conversions, complex numbers and divisions of integers that are computed later is told as NumPy tells it."""

import io
import warnings

import numpy
import pytest
import weft

from .late import N, told, usual  # noqa: F401  (the settings hold for all tests here)
from .sharing import run_python

# Programs whose second line is the one that is told of, if any is. NumPy tells of some by a line of its own.
KINDS = {
    "sums": [
        ("x = np.full(N, 1e308)", "s = x.sum()"),
        ("x = np.full(N, 1e308)", "s = x.mean()"),
        ("x = np.full((N // 100, 100), 1e308)", "s = x.sum(0)"),
        ("x = np.full((N // 100, 100), 1e308)", "s = x.sum(1)"),
        ("x = np.full((N // 100, 100), 1e308); x[:, 5] = np.inf", "s = x.sum(1)"),
        ("x = np.full((3, N), 1e308)", "s = np.add.reduce(x, 0)"),
        ("x = np.ones(N); x[7] = np.inf; x[N - 7] = -np.inf", "s = x.sum()"),
        ("x = np.ones(N); x[7] = np.inf", "s = x.sum()"),
        ("x = np.ones(N); x[7] = np.nan", "s = x.sum(); t = np.sin(x).sum()"),
        ("x = np.full(N, 1e200)", "s = x.prod()"),
        ("x = np.full(N, 1e200); x[: N // 2] = 0", "s = x.var()"),
        ("x = np.full(N, 1e200); x[: N // 2] = 0", "s = x.std()"),
        ("x = np.full(N, 1e308)", "s = x.sum(dtype='f4')"),
        ("x = np.full(N, 6e4, 'f2')", "s = x.sum()"),
        ("x = np.full(N, 3e38, 'f4')", "s = x.sum()"),
        ("x = np.full(N, 1e308); x[0] = -1e308", "s = np.ptp(x)"),
        ("x = np.full((400, 400), 1e308)", "s = np.trace(x)"),
        ("x = np.full(N, 1e300); y = np.arange(N) * 1e10; y[3]", "s = (x * y).sum()"),
        ("x = np.linspace(0, 1, N); x[3]", "s = (1 / x).sum()"),
        ("x = np.linspace(-1, 1, N); x[3]", "s = np.sqrt(x).sum()"),
        ("x = np.full(N, 1e308 + 1e308j)", "s = x.sum()"),
    ],
    "running sums": [
        ("x = np.full(N, 1e308)", "s = np.cumsum(x)"),
        ("x = np.full(N, 1e308)", "s = np.cumprod(x)"),
        ("x = np.full((10, N), 1e308)", "s = np.cumsum(x, 0)"),
        ("x = np.full((10, N // 10), 1e308)", "s = np.cumsum(x, 1)"),
        ("x = np.ones(N); x[9] = np.inf; x[12] = -np.inf", "s = np.cumsum(x)"),
        ("x = np.ones(N); x[9] = np.inf; x[12] = np.nan", "s = np.cumsum(x)"),
        ("x = np.full(N, 1e308); x[3] *= -1", "s = np.diff(x)"),
    ],
    "conversions": [
        ("x = np.full(N, np.nan)", "s = x.astype(int)"),
        ("x = np.full(N, 1e20)", "s = x.astype(int)"),
        ("x = np.full(N, 3e9)", "s = x.astype('i4')"),
        ("x = np.full(N, 3e9)", "s = x.astype('u4')"),
        ("x = np.full(N, -2.0**31)", "s = x.astype('i4')"),
        ("x = np.full(N, -2.0**63)", "s = x.astype('i8')"),
        ("x = np.full(N, 3e9)", "s = x.astype('u1')"),
        ("x = np.full(N, 300.7, 'f4')", "s = x.astype('u1')"),
        ("x = np.full(N, np.inf, 'f4')", "s = x.astype('i2')"),
        ("x = np.full(N, np.nan, 'f2')", "s = x.astype('i2')"),
        ("x = np.full(N, np.nan)", "s = x.astype(bool)"),
        ("x = np.full(N, 1e308)", "s = x.astype('f4')"),
        ("x = np.full(N, np.nan)", "s = x.astype('f4')"),
        ("x = np.full(N, 1e6, 'f4')", "s = x.astype('f2')"),
        ("x = np.full(N, 1e6)", "s = x.astype('f2')"),
        ("x = np.full(N, 1e308 + 1e308j)", "s = x.astype('c8')"),
        ("x = np.full(N, 1e308); y = np.ones(N, 'f4')", "y[:] = x; s = y"),
        ("x = np.full(N, 1e308); y = np.ones(N, 'f4')", "y += x; s = y"),
        ("x = np.full(N, 1e308); y = np.ones(N, 'f4')", "np.copyto(y, x); s = y"),
        ("x = np.full(N, np.inf); y = np.zeros((N, 2), int)", "y[:, 1] = x; s = y"),
    ],
    "integers": [
        ("x = np.arange(N)", "s = x // 0"),
        ("x = np.arange(N)", "s = x % 0"),
        ("x = np.arange(N)", "s = 1 // x"),
        ("x = np.arange(N)", "s = np.fmod(x, x)"),
        ("x = np.arange(N)", "s = np.divmod(x, x)[1]"),
        ("x = np.arange(N) * 1.0", "s = np.divmod(x, x)[1]"),
        ("x = np.full(N, -(2**63))", "s = x // -1"),
        ("x = np.full(N, -(2**63)); x[5] = 3", "s = x // x"),
        ("x = np.full(N, -128, 'i1')", "s = x // np.int8(-1)"),
        ("x = np.full(N, -128, 'i1')", "s = x % np.int8(-1)"),
        ("x = np.arange(N, dtype='i4') - 7", "s = x // x"),
        ("x = np.arange(N, dtype='u4')", "s = x % x"),
        ("x = np.arange(N)", "x //= 0; s = x"),
        ("x = np.arange(N); x[3]; x += 1", "x %= 0; s = x"),
        ("x = np.arange(1, N)", "s = N // x + N % x"),
        ("x = np.zeros(N, 'u1')", "s = x // x"),
    ],
    "products": [
        ("x = np.full((400, 400), 1e308)", "s = x @ x"),
        ("x = np.full((400, 400), 1e308)", "s = x @ x.T"),
        ("x = np.full((400, 400), 1e308)", "s = x.dot(x[0])"),
        ("x = np.ones((400, 400)); x[3, 4] = np.inf; x[3, 5] = -np.inf", "s = x @ x"),
        ("x = np.ones((400, 400)); x[3, 4] = np.inf", "s = x @ x"),
        ("x = np.ones((400, 400)); x[3, 4] = np.nan", "s = x @ x"),
        ("x = np.ones((400, 400)); x[3, 4] = 1e200", "s = x @ x.T"),
        ("x = np.full((400, 400), 1e300, 'c16')", "s = x @ x"),
        ("x = np.full((400, 400), 1e30, 'f4')", "s = np.dot(x, x)"),
        ("x = np.full((400, 400), 1e30, 'f4')", "s = np.inner(x, x)"),
        ("x = np.full((400, 400), 1e308)", "s = np.outer(x[0], x[1])"),
        ("x = np.full((400, 400), 1e308)", "s = np.tensordot(x, x, 1)"),
        ("x = np.full(N, 1e308)", "s = x @ x"),
        ("x = np.full(N, 1e308)", "s = x.dot(x)"),
        ("x = np.full((N, 2), 1e308)", "s = x @ np.array([[1.0, 3.0], [2.0, 5.0]])"),
        ("x = np.arange(160_000).reshape(400, 400)", "s = x @ x"),
    ],
    "complex": [
        ("x = np.zeros(N, complex)", "s = 1 / x"),
        ("x = np.zeros(N, complex)", "s = x / x"),
        ("x = np.zeros(N, complex)", "s = np.reciprocal(x)"),
        ("x = np.full(N, 1 + 1j); x[4] = 0", "s = (1 + 2j) / x"),
        ("x = np.full(N, 1e200 + 1j)", "s = x * x"),
        ("x = np.full(N, 1e308 + 1e308j)", "s = x + x"),
        ("x = np.full(N, np.inf + 1j)", "s = x - x"),
        ("x = np.full(N, 1 + 1j); x[4] = np.nan", "s = x * x + x / x"),
        ("x = np.zeros(N, complex)", "s = np.log(x)"),
        ("x = np.full(N, 1000 + 1j)", "s = np.exp(x)"),
        ("x = np.full(N, 1.5e308 + 1.5e308j)", "s = np.abs(x)"),
    ],
    "in place": [
        ("x = np.full(N, 1e308); x[3]", "x *= 2; x += 1; s = x"),
        ("x = np.full(N, 1e308); x[3]", "x += x; x *= 0; s = x"),
        ("x = np.full(N, 1e308); x[3]", "x += 1; x *= 0.5; x *= 10; s = x"),
        ("x = np.full(N, 1e-308); x[3]", "x /= 2; x /= 1e-320; s = x"),
        ("x = np.ones(N); x[3] = 0", "x *= 3; np.divide(1, x, out=x); s = x"),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ignored", [{}, {"invalid": "ignore"}, {"over": "ignore", "divide": "ignore"}], ids=str)
def test_each_kind_is_told_as_numpys(kind, ignored):
    for given, line in KINDS[kind]:
        code = f"{given}\nwith np.errstate(**{ignored}):\n    {line}\ns if isinstance(s, float) else s.ravel()[-1], s if isinstance(s, float) else s.ravel()[0]"
        theirs = sorted({text for text, _, _ in told(code, numpy)})
        assert told(code, weft) == [(text, "<program>", 3) for text in theirs], (given, line)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_an_error_at_the_line_where_it_is_asked_for(kind):
    for given, line in KINDS[kind]:
        ends = []
        for np in (numpy, weft):
            names = {"np": np, "N": N}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(given, names)
                with np.errstate(all="raise", under="ignore"):
                    try:
                        exec(line, names)
                        ends.append("")
                    except FloatingPointError as e:
                        ends.append(str(e))
        assert bool(ends[0]) == bool(ends[1]), (given, line, ends)


MODES = {
    "call": lambda said, log: {"call": lambda what, flags: said.append((what, flags))},
    "log": lambda said, log: {"call": log},
    "print": lambda said, log: {},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_called_logged_and_printed_as_numpys(kind, mode, capfd):
    for given, line in KINDS[kind]:
        ends = []
        for np in (numpy, weft):
            names, said, log = {"np": np, "N": N}, [], io.StringIO()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(given, names)
                capfd.readouterr()
                with np.errstate(all=mode, under="ignore", **MODES[mode](said, log)):
                    exec(line, names)
                s = names["s"]
                _ = s if isinstance(s, float) else s.ravel()[-1]  # after the line nothing is to come
            ends.append(sorted({*said, *log.getvalue().splitlines(), *capfd.readouterr().err.splitlines()}))
        assert ends[0] == ends[1], (given, line, ends)


def test_what_vanishes_is_told_where_it_is_asked_for():
    code = "\n".join(
        [
            "x = np.full(N, 1e-200); w = np.full(N, 2.0); k = np.full(N, 2.0, 'f4')",
            "with np.errstate(all='warn'):",
            "    a = x * x",
            "    b = x / 1e200",
            "    c = x**2",
            "    d = np.exp(-x * 1e203)",
            "    e = x.astype('f4')",
            "    f = k * np.float32(1e-45)",
            "    g = w * w + w / 3 + w * 2.0**-1060 + w.astype('f4')",
            "[v[-1] for v in (a, b, c, d, e, f, g)]",
        ]
    )
    assert told(code, weft) == told(code, numpy)


# Random numbers with some special ones, in a process where all is computed later.
RANDOM = """
import random, sys, warnings
import numpy
import weft

SPECIAL = [0.0, -0.0, 1e300, -1e308, 3e38, 1e20, float("inf"), float("-inf"), float("nan"), -1e-310]
CALLS = [
    "np.add.reduce(x, None)", "np.add.reduce(x + x, 0)", "np.add.reduce(x, 1)", "np.add.accumulate(x, 1)", "np.multiply.reduce(y, 1)", "x.astype('i8')", "x.astype('i4')",
    "x.astype('u2')", "(x * 2).astype('f4')", "x.astype('f2')", "k // m", "k % m", "np.fmod(k, m)", "k // m + k % 3", "np.matmul(x, y.T)", "np.matmul(y, y.T)", "x.dot(y[0])", "c + c", "c - c",
    "c / c", "1 / c", "np.log(c)", "(c + 1).astype('c8')",
]


def run(code, np, given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = {k: np.array(v) for k, v in given.items()}
        names["np"] = np
        exec("r = " + code, names)
        made = numpy.asarray(names["r"])
    return {str(w.message) for w in caught if w.category is RuntimeWarning}, made


found = 0
for seed in range(*map(int, sys.argv[1:3])):
    r = random.Random(seed)
    shape = r.choice([1, 3, 40]), r.choice([1, 7, 33, 900])
    dtype = r.choice(["f4", "f8"])
    draw = numpy.random.default_rng(seed)
    with numpy.errstate(all="ignore"):
        x, y = draw.uniform(0.5, 2, shape).astype(dtype), draw.uniform(0.9, 1.1, shape).astype(dtype)
        for _ in range(r.choice([0, 1, 1, 2])):
            x[r.randrange(shape[0]), r.randrange(shape[1])] = r.choice(SPECIAL)
        k, m = (draw.integers(-100, 100, shape).astype(r.choice(["i1", "i4", "i8"])) for _ in range(2))
        m[m == 0] = 1
        for _ in range(r.choice([0, 1, 2])):
            m[r.randrange(shape[0]), r.randrange(shape[1])] = r.choice([0, -1])
            k[r.randrange(shape[0]), r.randrange(shape[1])] = r.choice([0, numpy.iinfo(k.dtype).min])
        c = numpy.zeros(shape, "c16")
        (c.real if r.randrange(2) else c.imag)[:] = x
    given = {"x": x, "y": y, "k": k, "m": m, "c": c}
    for code in CALLS:
        if "add" in code and numpy.isnan(x).any():
            continue  # in which order what is met decides
        (theirs, expected), (ours, got) = run(code, numpy, given), run(code, weft, given)
        assert got.dtype.kind not in "iu" or (got == expected).all(), (seed, code)
        found += len(ours)
        if expected.dtype.kind in "fc" and not numpy.isnan(expected).any():
            theirs -= {"invalid value encountered in matmul"}  # of what a library's kernels pad short rows with, as OpenBLAS's for AVX2 do
        if ours != theirs:
            print(f"seed {seed}, {code}, {dtype}, {shape}: told {sorted(ours - theirs)}, not told {sorted(theirs - ours)}")
print("found", found, file=sys.stderr)
assert found
"""


@pytest.mark.parametrize("debug", ["", "noeager", "noeager,nofuse"])
def test_random_numbers_are_told_of_as_numpys(debug):
    done = run_python(f"import sys; sys.argv[1:] = ['0', '60']\n{RANDOM}", env={"WEFT_DEBUG": debug})
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("arguments", ["--cpus 1", "--cpus 2", "--gpus 2 --emulate"])
def test_machines_tell_the_same(arguments):
    done = run_python(
        f"import sys; sys.argv[1:] = ['100', '130']\n{RANDOM}", env={"WEFT_DEBUG": "noeager", "WEFT_ARGS": arguments}
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
