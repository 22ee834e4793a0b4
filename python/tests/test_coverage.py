"""coverage() and advice(): which names of NumPy weft has, and what a program's lines do that arrays are slow at."""

import importlib
import pathlib
import pkgutil
import re
import warnings

import numpy
import pytest
import weft
from weft import _blocks, _composed, _core, _delegates, _parts, covered

from .sharing import run_python

NAMES = weft.coverage().names
ROOT = pathlib.Path(__file__).parents[2]

# Modules of NumPy whose names are no part of NumPy's interface, or stand in another module as well.
NOT_LOOKED_AT = {
    "compat", "conftest", "core", "distutils", "doc", "f2py", "ma.core", "ma.extras", "ma.mrecords", "ma.testutils", "ma.timer_comparison", "matlib", "matrixlib",
    "matrixlib.defmatrix", "polynomial.polyutils", "random.mtrand", "random.bit_generator", "testing.overrides", "testing.print_coercion_tables", "lib.recfunctions",
    "lib.user_array", "version", "fft.helper", "linalg.linalg", "linalg.lapack_lite", "typing.mypy_plugin",
}  # fmt: skip


def operands(np):
    """What calls are made with, anew for each."""
    return {
        "np": np,
        "x": np.array([0.75, 0.25, 0.5, 0.875, 0.125, 0.625]),
        "y": np.array([0.5, 0.5, 0.25, 0.75, 1.0, 0.125]),
        "i": np.array([3, 1, 2, 0, 4, 1]),
        "u": np.array([3, 1, 2, 0, 4, 1], dtype=np.uint8),
        "b": np.array([True, False, True, True, False, True]),
        "c": np.array([1 + 2j, 3 - 1j, 0.5j]),
        "m": np.array([[2.0, 0.5, 0.25], [0.5, 3.0, 0.5], [0.25, 0.5, 4.0]]),
        "t": np.arange(24.0).reshape(2, 3, 4),
    }


# Of functions that none of these fits, or that weft leaves to NumPy with the first of them that fits.
USUAL = ("x", "m", "x, x", "m, m", "i", "i, i", "3", "x, 2", "x, i", "2, 2", "m, 1", "2, x", "i, x", "b", "u", "c", "x, 0, 1", "x, x, x", "t", "x, 1, x", "(2, 2)", "(x, x)", "[x, x]", "m, x[:3]", "")
CALLS = {
    "astype": "x, 'f4'", "digitize": "x, np.sort(y)", "place": "x, x > 0.5, y", "einsum": "'ij,jk', m, m", "fromfunction": "lambda i, j: i + j, (3, 4)",
    "moveaxis": "t, 0, 1", "piecewise": "x, [x < 0.5, x >= 0.5], [0.0, 1.0]", "put_along_axis": "x, i, y, 0", "reshape": "x, (2, 3)",
    "select": "[x > 0.5, x > 0.25], [x, y]", "swapaxes": "t, 0, 1", "unravel_index": "i, (3, 4)", "apply_over_axes": "np.sum, t, [0, 1]", "dsplit": "t, 2",
    "einsum_path": "'ij,jk', m, m", "polyfit": "x, y, 2", "ravel_multi_index": "(i % 3, i % 4), (3, 4)", "apply_along_axis": "np.sum, 0, m",
    "mask_indices": "3, np.triu", "random.bytes": "3", "intersect1d": "i, i", "isin": "i, i", "lexsort": "(x, i)", "repeat": "x, 2", "roll": "x, 2", "tril": "m", "triu": "m",
    "linalg.tensorsolve": "m + 0, x[:3]", "kaiser": "3, 2.0", "row_stack": "(x, y)", "ndarray.compress": "x, b", "trim_zeros": "x", "unpackbits": "u", "packbits": "u",
    "linalg.matrix_rank": "m", "ndarray.repeat": "x, 2", "ndarray.astype": "x, 'f4'", "ndarray.reshape": "x, (2, 3)", "ndarray.swapaxes": "t, 0, 1",
}  # fmt: skip
# What NumPy may compute inside of functions that are put together.
INNER = {"kaiser": {"i0"}, "polymul": {"convolve"}}
MANY = "size=20_000"
DRAWS = {
    "hypergeometric": "10, 10, 5", "multinomial": "10, [0.5, 0.5]", "multivariate_normal": "[0.0, 1.0], np.eye(2)", "triangular": "0, 1, 2", "multivariate_hypergeometric": "[3, 4], 2",
    "beta": "2, 3", "binomial": "10, 0.5", "chisquare": "2", "dirichlet": "[1.0, 2.0]", "f": "2, 3", "gamma": "2", "geometric": "0.5", "logseries": "0.5", "negative_binomial": "3, 0.5",
    "noncentral_chisquare": "2, 1", "noncentral_f": "2, 3, 1", "pareto": "2", "poisson": "3", "power": "2", "rayleigh": "2", "standard_gamma": "2", "standard_t": "3", "vonmises": "0, 1",
    "wald": "1, 2", "weibull": "2", "zipf": "3", "integers": "0, 1000", "randint": "0, 1000", "random_integers": "1, 1000", "choice": "x",
    "permutation": None, "permuted": None, "shuffle": None, "rand": "5000", "randn": "5000",
}  # fmt: skip


def call_of(space, dotted, name):
    """The arguments of calls of a name: the first that NumPy takes counts."""
    if space.startswith("numpy.random"):
        given = DRAWS.get(name, "")
        # Of vectors, the core shuffles up to four million elements.
        return ["np.zeros(4_200_000)" if given is None else given if name in ("rand", "randn") else f"{given}, {MANY}".lstrip(", ")]
    if dotted in CALLS:
        return [CALLS[dotted]]
    if name.endswith("fit"):
        return ["x, y, 2"]
    if name.endswith("vander2d"):
        return ["x, y, [1, 2]"]
    if name.endswith("vander3d"):
        return ["x, y, x, [1, 2, 1]"]
    if name.endswith(("val3d", "grid3d")):
        return ["x, y, x, t"]
    return USUAL


def fits(np, space, name, arguments, seed=None):
    """The result of a call, or the error."""
    here = operands(np)
    if "Generator" in space or "RandomState" in space:
        kind = getattr(np.random, space.rpartition(".")[2])
        of = kind(seed) if "State" in space else np.random.default_rng(seed)
    elif space == "numpy.ndarray":
        first, _, arguments = arguments.partition(", ")
        of = here[first]
    else:
        of = importlib.import_module(np.__name__ + space.removeprefix("numpy"))
    here["f"] = getattr(of, name)
    return eval(f"f({arguments})", here)


@pytest.fixture
def any_size(monkeypatch):
    """Arrays of tests are small, and NumPy's global generator has no seed."""
    monkeypatch.setattr(_composed, "_MANY", 0)
    monkeypatch.setattr(_blocks, "_LEAST", 0)
    monkeypatch.setattr(_blocks, "_LEAST_BITS", 0)
    monkeypatch.setattr(_parts, "LEAST", 4096)  # and draw by parts on any machine, however long they take
    monkeypatch.setattr(_parts, "_WORTH", 1)
    monkeypatch.setattr(_parts, "_processors", lambda: 2)
    monkeypatch.setattr(weft._unseeded, "legacy_seen", False)
    monkeypatch.setattr(weft._unseeded, "legacy_is_free", lambda: True)
    before = _core.few(0)
    yield
    _core.few(before)


@pytest.mark.parametrize("space", [space for space in NAMES if space not in covered._OTHERS])
def test_a_name_is_of_the_class_that_it_says(space, any_size, monkeypatch):
    wrong = []
    prefix = covered._place(space)[2]
    for kind in covered.COMPUTING:
        for name in NAMES[space][kind]:
            for seed in (None, 3) if space.startswith("numpy.random") else (None,):
                if seed and space == "numpy.random":
                    monkeypatch.setattr(weft._unseeded, "legacy_is_free", lambda: False)
                grown = _by_numpy(space, prefix + name, name, seed) - INNER.get(name, set())
                monkeypatch.setattr(weft._unseeded, "legacy_is_free", lambda: True)
                if (kind == "fallback" or (kind == "unseeded" and seed is not None)) != bool(grown):
                    wrong.append((kind, name, seed, grown))
    assert not wrong


def _by_numpy(space, dotted, name, seed):
    """What NumPy computes of a call of a function of weft's that it takes itself, for generators with a seed or without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for arguments in call_of(space, dotted, name):
            try:
                fits(numpy, space, name, arguments)
            except Exception:
                continue
            before = dict(weft.coverage().fallback)
            few = _core.few(4096) if _delegates.DOES.get(dotted) == "shapes" else None  # views are laid out by NumPy, of any number of elements
            fits(weft, space, name, arguments, seed)
            if few is not None:
                _core.few(few)
            return {called for called, n in weft.coverage().fallback.items() if n > before.get(called, 0)}
    raise AssertionError(f"NumPy takes no call of {dotted} that this test knows: it needs a row in CALLS")


def test_each_callable_name_of_numpy_is_of_one_class():
    spaces, packages = {"numpy"}, [numpy]
    while packages:
        package = packages.pop()
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            inner = module.name.removeprefix("numpy.")
            if inner in NOT_LOOKED_AT or inner.rpartition(".")[2].startswith("_") or inner.endswith("tests"):
                continue
            spaces.add(module.name)
            if module.ispkg:
                packages.append(importlib.import_module(module.name))
    assert spaces <= NAMES.keys(), spaces - NAMES.keys()
    for space, rows in NAMES.items():
        theirs = covered._place(space)[0]
        listed = sorted(name for names in rows.values() for name in names)
        assert listed == sorted(name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name)))
        assert all(covered.why_apart(space, name) for name in rows["apart"])


def test_names_that_are_apart_are_names_of_numpy():
    known = {covered._place(space)[2] + name for space in covered._NUMERIC for name in NAMES[space]["apart"]}
    assert set(covered._WHY) <= known


def test_the_readme_has_the_figures():
    text = (ROOT / "README.md").read_text()
    every = covered.total(NAMES)
    computing = sum(len(every[kind]) for kind in covered.COMPUTING)
    always, unseeded = (f"{covered.share(every, unseeded):.1%}".replace("%", " %") for unseeded in (False, True))
    for said in (
        f"Of {computing} functions", f"weft computes {always}", f"{len(every['native'])} natively", f"{len(every['composed'])} put together", f"{len(_blocks.NAMES)} of NumPy's compiled loops",
        f"{len(every['unseeded'])} draws more", f"{unseeded} where no generator has a seed",
    ):  # fmt: skip
        assert said in text, said


def test_the_table_counts_what_is_listed(capsys):
    assert covered.main([]) == 0
    text = capsys.readouterr().out
    for space, shares in (("numpy.fft", "100% +100%"), ("numpy.random", "0% +96%")):
        row = re.search(rf"^{space} +(\d+) +(\d+) +(\d+) +(\d+) +{shares}$", text, re.MULTILINE)
        assert list(map(int, row.groups())) == [len(NAMES[space][kind]) for kind in covered.COMPUTING]
    assert covered.main(["--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert "numpy.sum  native" in listed and "numpy.unwrap  composed" in listed and "numpy.float64  apart (classes)" in listed
    assert len(listed) == sum(len(names) for rows in NAMES.values() for names in rows.values())


@pytest.mark.parametrize(("words", "fault"), [
    (["--list", "x"], "--list takes nothing behind it, got 'x'"), (["--nonsense"], "unknown flag --nonsense"), (["--cpus", "1"], "no program given"), (["nosuch.py"], "cannot open 'nosuch.py'"),
])  # fmt: skip
def test_wrong_command_lines_are_the_commands_own(words, fault, tmp_path):
    done = run_python(f"import os, sys; os.chdir({str(tmp_path)!r}); from weft import covered; sys.exit(covered.main({words}))")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith(f"weft coverage: {fault}") and "weft run" not in done.stderr, done.stderr


PROGRAM = """
import numpy as np
x = np.arange(2000.0)
for i in range(2000):
    x[0] = x[i] + i
y = np.zeros(2)
for i in range(2000):
    y = y + 1
z = np.zeros(0)
for i in range(60):
    z = np.hstack([z, y])
for i in range(150):
    if x[:5].sum() < 0:
        break
big = np.ones((2_100_000, 1))
np.apply_along_axis(np.sum, 0, big)
np.random.default_rng(1).gamma(1.0, size=5000)
"""


def test_a_report_names_what_to_change(tmp_path):
    (tmp_path / "slow.py").write_text(PROGRAM)
    done = run_python(f"import sys; from weft import covered; sys.exit(covered.main([{str(tmp_path / 'slow.py')!r}]))")
    assert done.returncode == 0, done.stderr
    report, _, told = done.stderr.partition("\n\n")
    assert re.search(r"slow.py line 16: np.apply_along_axis, 1 x, .* ms\n +call the function once, with axis=", report)
    for line, words in (
        (5, "reads 2,000 and writes 2,000"), (8, "calls add 2,000 times, for 2 elements each"), (11, "joins arrays"), (13, "asks 150 times for a number"), (16, "hands 17 MB to NumPy"),
    ):  # fmt: skip
        assert re.search(rf"slow.py line {line}: {words}.*\n    better: ", told), (line, told)
    assert "line 3:" not in told


NESTED = """
import weft as np
x = np.arange(1000.0)
def reads():
    for i in range(500):
        x[i]
with np.profile.counting():
    reads()
    with np.profile.counting():
        reads()
    with np.profile.lines() as report:
        reads()
    reads()
reads()
print(*np.advice().items[0][:2])
print(report.data["Lines"][5]["Reads"])
"""


def test_blocks_that_count_may_stand_in_each_other(tmp_path):
    """The outermost one tells of all, a profile by lines of its own part."""
    (tmp_path / "nested.py").write_text(NESTED)
    done = run_python(f"import runpy; runpy.run_path({str(tmp_path / 'nested.py')!r}, run_name='__main__')")
    assert done.stdout == "nested.py line 6 reads 2,000 single elements\n500\n", done.stdout + done.stderr


def test_a_good_program_gets_no_advice():
    done = run_python("import weft as np\nwith np.profile.counting():\n    x = np.arange(1e5)\n    print(float((x + 1).sum()))\nprint(np.advice(), np.advice().items)")
    assert "nothing to change" in done.stdout and done.stdout.endswith("[]\n"), done.stdout + done.stderr
