"""What goes wrong in operations that are computed later than they were asked for is told where the program waits for values, as NumPy tells it at the line."""

import subprocess
import sys
import threading
import warnings

import numpy
import pytest
import weft

from .late import N, told, usual  # noqa: F401  (the settings hold for all tests here)
from .sharing import run_python

PROGRAMS = [
    "x = np.zeros(N)\ny = 1 / x\nprint(y[0])",
    "x = np.zeros(N)\ny = 1 / x\nfloat(y[5])\nfloat(y[6])",
    "x = np.arange(N) - 3.0\ny = np.log(x)\nz = np.sqrt(x)\nw = y + z\nw[7], z[0]",
    "x = np.arange(N) * 1e304\ny = x * 10\nz = y - y\nz[N - 1]",
    "x = np.arange(float(N))\ny = np.exp(x)\ny[4]",
    "x = np.arange(float(N))\nx /= 0\nx[4]",
    "x = np.arange(float(N)) - 1\nx **= -1\nx[4]",
    "x = np.arange(float(N)) * 3e302\ny = np.arange(float(N)) * 1e302\nx[0]\ny[0]\nx += 2 * y\nx[3]",
    "x = np.ones(N)\ny = np.arange(float(N)) * 3e302\nx[0]\ny[0]\nx += 2 * y\nx[3]",
    "x = np.ones(N)\ny = np.arange(float(N))\nx[0]\ny[0]\nx -= 2 / y\nx *= 3\nx[3]",
    "x = np.arange(float(N))\ny = np.power(x * 1e200, 2)\ny[4]",
    "x = np.arange(float(N))\ny = (x * 1e200) ** 2\ny[4]",
    "x = np.arange(float(N))\ny = (x * 1e200) ** 2.0\nz = (x * 0) ** -1.0\ny[4], z[5]",
    "x = np.full(3, 1e200)\ny = x ** 2.0\nz = (x * 0) ** -1.0\nw = x ** 2\nx **= 2.0",
    "x = np.full(3, 6e4, 'f2')\ny = x / np.full(3, 1e-4, 'f2')",
    "x = np.linalg.pinv(np.zeros((3, 3)))",
    "x = np.full((700, 800), -1.0)[:, ::2]\ny = np.sqrt(x)\ny[4, 4]",
    "x = np.arange(float(N))\nx[3] = np.nan\ny = np.where(x > 5, x, 0) + 1\ny[4], y[9]",
    "x = np.arange(float(N))\nx[3] = np.nan\ny = (x < 5) | (x >= 7)\nz = np.maximum(x, 3)\nz[4], y[9]",
    "x = np.arange(N) - 1\ny = x / x\ny[4]",
    "x = np.arange(N, dtype='f4') * 1e38\ny = x * x\ny[4]",
    "x = np.zeros(N)\nwith np.errstate(divide='ignore'):\n    y = 1 / x\ny[4]",
    "x = np.zeros(N)\nwith np.errstate(divide='ignore', invalid='ignore'):\n    y = x / x\n    z = x - x / 0\nz[4]\nw = 1 / x\nw[3]",
    "x = np.zeros(N)\nwith np.errstate(divide='ignore'):\n    y = 1 / x\nz = np.sqrt(x - 1)\ny[4], z[5]",
    # NaNs raise flags for nothing, among which something may have gone wrong.
    "x = np.full(N, np.nan)\ny = np.exp(x) * x + 1\nz = np.sin(x) ** 2.5\nfloat(y[3]), float(z[4])",
    "x = np.full(N, np.nan)\nx[7] = 1000\ny = np.exp(x) * 0.5 - 2\nfloat(y[3])",
    "x = np.full(N, np.nan)\nx[N - 7] = -1\ny = np.sqrt(x) * 2 + x\nfloat(y[3])",
    "x = np.full(N, np.nan)\nx[N - 7] = -1\ny = np.sqrt(x)\nfloat(y[3])",
    "x = np.full((500, N // 500), np.nan, 'f4')\nx[40, 30] = 1e30\ny = np.sin(x[::2, 3:])\nz = np.sin(x[::2, 3:]) * (x * x)[::2, 3:]\nfloat(y[3, 3]), float(z[3, 3])",
    "x = np.full(N, np.nan)\nx[9] = 0\ny = np.log(x)\nz = 1 / np.log(x)\nw = x ** -0.5\nfloat(y[3]), float(z[3]), float(w[3])",
    # What is computed on the thread that waits raises flags of its own.
    "x = np.full(N, np.nan)\nint((x > 0).sum())",
    "x = np.full(N, np.nan)\nbool((x <= 1).any())\nfloat(np.fmax(x, 2).sum())\nfloat(np.tanh(x * 0 + 30).mean())",
]


@pytest.mark.parametrize("code", PROGRAMS)
def test_warnings_are_numpys(code, capsys):
    assert told(code, weft) == told(code, numpy)


def test_the_steps_of_a_thread_name_no_other_threads_operations():
    x, small = weft.full(N, 1e300), weft.full(3, 1e300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def other():
            small * small
            float((x * 1e200)[4])

        def steps():
            y = x * x
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            return weft.sum(y * 1e300)

        float(weft._core.within("vecdot", steps))
    names = [str(w.message).removeprefix("overflow encountered in ") for w in caught]
    assert sorted(names) == ["multiply", "multiply", "vecdot"]


def test_steps_that_were_given_up_tell_nothing():
    x = weft.full(3, 1e300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        def steps():
            x * x
            return NotImplemented

        assert weft._core.within("vecdot", steps) is NotImplemented


def test_an_interrupt_ends_the_steps():
    x = weft.full(3, 1e300)

    def interrupted():
        x * x
        raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            weft._core.within("vecdot", interrupted)
        x * x
    assert [str(w.message) for w in caught] == ["overflow encountered in multiply"]


def test_steps_within_steps_are_those_of_the_outer_ones():
    x = weft.full(3, 1e300)

    def steps():
        return x + x, weft._core.within("matvec", lambda: x * x), x + x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weft._core.within("vecdot", steps)
        x * x
    assert [str(w.message) for w in caught] == [f"overflow encountered in {name}" for name in ("vecdot", "multiply")]


def test_a_variance_of_halves_leaves_the_steps_under_way():
    x = weft.full(N, 60000, "f2")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spread, square = weft._core.within("vecdot", lambda: (weft.var(x), x * x))
        float(spread), float(square[3])
    assert {str(w.message).rpartition(" ")[2] for w in caught} == {"vecdot"}


def test_arrays_that_are_never_read_are_never_told_of():
    x = weft.zeros(N)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = 1 / x
        del y
        z = x + 1
        assert z[3] == 1


def test_a_warning_that_is_an_error_is_raised_at_the_read_and_later_reads_go_on():
    x = weft.zeros(N)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = 1 / x
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in divide") as raised:
            float(y[3])
        line = test_a_warning_that_is_an_error_is_raised_at_the_read_and_later_reads_go_on.__code__.co_firstlineno + 4
        assert raised.value.__notes__ == [f"by the operation of line {line} of {__file__}, which was computed later"]
        assert float(y[3]) == float("inf")


def test_what_was_said_at_the_call_holds_at_the_read():
    x = weft.zeros(N)
    y = 1 / x
    with warnings.catch_warnings(record=True) as caught, weft.errstate(divide="ignore"):
        warnings.simplefilter("always")
        assert float(y[3]) == float("inf")
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    with weft.errstate(divide="ignore"):
        y = 1 / x
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(y[3]) == float("inf")


def test_modules_that_load_others_when_they_are_asked_are_not_asked(monkeypatch):
    class Loads:
        def __getattr__(self, name):
            raise ImportError(name)

    monkeypatch.setitem(sys.modules, "loads", Loads())
    monkeypatch.setitem(sys.modules, "gone", None)
    assert told("x = np.zeros(N)\ny = 1 / x\nprint(y[0])", weft) == [("divide by zero encountered in divide", "<program>", 2)]


def test_a_line_is_told_of_once_as_numpys(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import NUMPY as np\nx = np.zeros(500_000)\nfor i in range(3):\n    y = 1 / x\n    print(y[3])\nz = np.zeros(500_000) / x\nprint(z[1])\n")
    seen = []
    for name in ("numpy", "weft"):
        path = tmp_path / f"{name}_is" / "program.py"
        path.parent.mkdir()
        path.write_text(program.read_text().replace("NUMPY", name))
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        seen.append((done.stdout, done.stderr.replace(str(path.parent), "")))
    assert seen[0] == seen[1]
    assert seen[1][1].count("divide by zero") == 1 and "y = 1 / x" in seen[1][1]


# Random programs, in a process where all is computed later: what they are told is what NumPy tells of the same program.
RANDOM = """
import random, sys, warnings
import numpy
import weft

SPECIAL = [0.0, -0.0, 1.0, -1.0, 800.0, -800.0, 1e30, -1e-30, 1e38, 3e300, float("inf"), float("-inf"), float("nan")]
UNARY = "sqrt exp log log2 log10 log1p expm1 exp2 reciprocal square sin cos tan tanh arcsin arctanh arccosh arcsinh sinh cosh floor negative absolute sign isnan cbrt".split()
BINARY = "add subtract multiply divide hypot arctan2 maximum fmin floor_divide remainder fmod less greater_equal equal logaddexp copysign power".split()
OPERATORS = ["+", "-", "*", "/", "//", "%", "<", ">"]


def program(r, in_place):
    lines, live = [], ["a", "b"]
    for k in range(r.randint(1, 12)):
        name = f"v{k}"
        x, y = r.choice(live), r.choice(live)
        y = r.choice([y, y, y, repr(r.choice(SPECIAL[:9]))])
        kind = r.randrange(6 if in_place else 5)
        if kind == 0:
            lines.append(f"{name} = np.{r.choice(UNARY)}({x} + 0.0)")
        elif kind == 1:
            lines.append(f"{name} = np.{r.choice(BINARY)}({x} + 0.0, {y})")
        elif kind == 2:
            lines.append(f"{name} = np.where({x} > 0, {x}, {y})")
        elif kind == 3:
            lines.append(f"{name} = {x} ** {r.choice([2, 0.5, -1.0, 3, 2.0])}" if r.randrange(3) == 0 else f"{name} = {x} {r.choice(OPERATORS)} {y}")
        elif kind == 4:
            lines.append(f"with np.errstate({r.choice(['divide', 'over', 'invalid', 'all'])}='ignore'):\\n    {name} = ({x} * 1.0) {r.choice(OPERATORS[:4])} {y}")
        else:
            lines.append(f"{r.choice(live[:2])} {r.choice(OPERATORS[:4])}= {y if y[0] != 'v' else repr(2.5)}")
            continue
        live.append(name)
    return "\\n".join(lines), live


def run(code, live, np, given):
    names = {"np": np, "inf": float("inf"), "nan": float("nan")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names.update({k: np.array(v) for k, v in given.items()})
        exec(compile(code, "<program>", "exec"), names)
        for name in live:
            numpy.asarray(names[name])
    return {(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning}


found = missed = 0
for seed in range(*map(int, sys.argv[1:3])):
    r = random.Random(seed)
    in_place = seed % 3 == 0
    code, live = program(r, in_place)
    n, dtype = r.choice([1, 5, 700, 5000]), r.choice(["f4", "f8", "f8"])
    given = {}
    for name in "ab":
        values = numpy.array([r.uniform(0.5, 2) for _ in range(n)], dtype)
        for _ in range(r.choice([0, 1, 1, 3])):
            with numpy.errstate(all="ignore"):
                values[r.randrange(n)] = r.choice(SPECIAL)
        given[name] = values
    theirs, ours = run(code, live, numpy, given), run(code, live, weft, given)
    found, missed = found + len(ours), missed + len(theirs - ours)
    if ours - theirs or (theirs != ours and not in_place):
        print(f"seed {seed}, {dtype}, {n} elements: told {sorted(ours - theirs)}, not told {sorted(theirs - ours)}\\n{code}")
print("found", found, "missed", missed, file=sys.stderr)
"""


@pytest.mark.parametrize("debug", ["noeager", "noeager,nofuse", "noeager,window=5"])
def test_random_programs_are_told_what_numpys_tell(debug):
    done = run_python(f"import sys; sys.argv[1:] = ['0', '120']\n{RANDOM}", env={"WEFT_DEBUG": debug})
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("arguments", ["--cpus 1", "--cpus 3", "--gpus 2 --emulate"])
def test_machines_tell_the_same(arguments):
    done = run_python(f"import sys; sys.argv[1:] = ['200', '260']\n{RANDOM}", env={"WEFT_DEBUG": "noeager", "WEFT_ARGS": arguments})
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_an_interrupt_while_the_settings_are_asked_for_reaches_the_program(monkeypatch):
    x, geterr = weft.zeros(N), numpy.geterr

    def struck():
        monkeypatch.setattr(numpy, "geterr", geterr)
        raise KeyboardInterrupt

    with numpy.errstate(over="ignore"):  # settings that were not asked for before
        monkeypatch.setattr(numpy, "geterr", struck)
        with pytest.raises(KeyboardInterrupt):
            for _ in range(3):  # Python looks for signals in loops
                x + 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            float((1 / x)[3])
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
