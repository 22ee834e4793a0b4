"""The package around the arrays: import hook, fallback and coverage, settings, profiles, running programs."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy
import pytest
import weft
from weft import profilefiles

from .sharing import TIMEOUT, run_python

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fallbacks(function):
    """The FallbackWarnings that a call causes."""
    with warnings.catch_warnings(record=True) as caught, pytest.MonkeyPatch.context() as patch:
        patch.setattr(weft._fallback, "LEAST", 0)
        warnings.simplefilter("always")
        function()
    return [str(w.message) for w in caught if w.category is weft.FallbackWarning]


def test_fallback_is_warned_of_once_for_each_place():
    def twice():
        for _ in range(2):
            weft.unique_values(weft.arange(30_000.0))
        weft.unique_values(weft.arange(30_000.0))

    texts = fallbacks(twice)
    assert len(texts) == 2 and "np.unique_values" in texts[0] and "coverage" in texts[0]
    assert fallbacks(twice) == []


def test_functions_on_one_line_are_one_place():
    before = weft.coverage().fallback.get("apply_along_axis", 0)
    assert len(fallbacks(lambda: weft.unique_values(weft.arange(30_000.0)) + weft.apply_along_axis(weft.sum, 0, weft.ones((30_000, 1))))) == 1
    assert weft.coverage().fallback["apply_along_axis"] == before + 1


def test_fallback_of_a_native_function_says_why():
    x = weft.arange(30_000.0)
    (text,) = fallbacks(lambda: weft.var(x, mean=x.mean(keepdims=True)))
    assert "np.var" in text and "mean=" in text


def test_no_warning_where_nothing_is_missing():
    def fine():
        rng = weft.random.default_rng(1)
        x = rng.random(5)
        weft.sqrt(x + weft.arange(5))[1:] * 2
        weft.result_type(x, 1)
        weft.can_cast("i4", "i8")
        weft.testing.assert_array_equal(x, x)
        print(x, repr(x), x.tolist(), weft.finfo(x.dtype).eps)

    assert fallbacks(fine) == []


def test_warning_names_the_users_line(monkeypatch):
    monkeypatch.setattr(weft._fallback, "LEAST", 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weft.unique_values(weft.arange(31_000.0))
    (warning,) = [w for w in caught if w.category is weft.FallbackWarning]
    assert warning.filename == __file__ and warning.lineno == warnings_line()


def warnings_line():
    with open(__file__, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.strip().startswith("weft.unique_values(weft.arange(31"))


def test_a_short_fallback_is_counted_and_not_warned_of(monkeypatch):
    monkeypatch.setattr(weft._fallback, "LEAST", 1 << 60)
    before = weft.coverage().fallback.get("unique_values", 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weft.unique_values(weft.arange(30_000.0))
    assert caught == [] and weft.coverage().fallback["unique_values"] == before + 1


@pytest.mark.parametrize("category", [Warning, RuntimeWarning, weft.FallbackWarning])
def test_only_a_filter_for_fallbacks_makes_an_exception_of_one(category, monkeypatch):
    monkeypatch.setattr(weft._fallback, "LEAST", 0)
    weft._fallback._warned.clear()
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("error", category)
        if category is weft.FallbackWarning:
            with pytest.raises(weft.FallbackWarning, match="unique_values"):
                weft.unique_values(weft.arange(30_000.0))
        else:
            assert weft.unique_values(weft.arange(30_000.0)).shape == (30_000,)
            assert [w.category for w in shown] == [weft.FallbackWarning]


def test_a_filter_of_another_text_or_module_is_passed_by(monkeypatch):
    monkeypatch.setattr(weft._fallback, "LEAST", 0)
    for passed in ({"message": "another"}, {"module": "another"}, {"lineno": 1}):
        weft._fallback._warned.clear()
        with warnings.catch_warnings():
            warnings.filterwarnings("error", category=weft.FallbackWarning)
            warnings.filterwarnings("error", category=RuntimeWarning, **passed)
            with pytest.raises(weft.FallbackWarning, match="unique_values"):
                weft.unique_values(weft.arange(30_000.0))
        weft._fallback._warned.clear()
        with warnings.catch_warnings(record=True) as shown:
            warnings.filterwarnings("error", category=RuntimeWarning)
            warnings.filterwarnings("error", category=weft.FallbackWarning, **passed)
            weft.unique_values(weft.arange(30_000.0))
        assert [w.category for w in shown] == [weft.FallbackWarning]


def test_errors_that_are_asked_for_are_one_reason_for_all_that_numpy_computes(monkeypatch):
    """np.seterr(all="raise") at the head of a program: one warning, which says why, instead of one at each line."""
    monkeypatch.setattr(weft._fallback, "LEAST", 0)
    weft._fallback._warned.clear()
    x, y = weft.arange(1.0, 500_000.0) + 0j, weft.zeros(499_999) + 0j  # of complex numbers weft knows less than NumPy
    with warnings.catch_warnings(record=True) as caught, weft.errstate(all="raise"):
        warnings.simplefilter("always")
        kept = [x + x, -x, weft.sqrt(x)]
        y += x
        y[...] = x
    assert [str(w.message).partition(":")[0] for w in caught] == ["np.errstate asks for errors at the call"] and len(kept) == 3


def test_coverage_counts_both():
    before = weft.coverage()
    for _ in range(3):
        weft.tanh(weft.arange(4.0))
    weft.frexp(weft.arange(3.0))
    after = weft.coverage()
    assert after.native["tanh"] - before.native.get("tanh", 0) == 3
    assert after.fallback["frexp"] - before.fallback.get("frexp", 0) == 1
    assert any(name == "frexp" and "test_package.py line" in where for name, where, _, _ in after.sites)
    assert "native" in repr(after) and "frexp" in repr(after)


def test_arrays_inside_of_containers_are_converted():
    seen = []
    weft.testing.assert_equal({"a": [weft.arange(3)]}, {"a": [[0, 1, 2]]})
    weft.apply_along_axis(lambda row: seen.append(type(row)) or 0, 1, weft.ones((2, 2)))
    assert seen[0] is numpy.ndarray


def test_errors_of_numpy_come_through():
    with pytest.raises(weft.linalg.LinAlgError):
        weft.linalg.inv(weft.zeros((2, 2)))
    with pytest.raises(TypeError):
        weft.unique(weft.arange(3), nonsense=1)


def test_classes_of_other_libraries_are_asked():
    class Other:
        def __array_function__(self, func, types, args, kwargs):
            return "asked"

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "ufunc"

    assert numpy.concatenate([weft.arange(3), Other()]) == "asked"
    assert weft.arange(3) + Other() == "ufunc"


def test_settings():
    code = """
import weft
weft.settings.configure("--gpus 2 --emulate")
assert "gpu1" in weft.settings.describe()
assert weft.settings.current()["gpus"] == 2
x = weft.arange(10)
for wrong, words in (("--cups 1", ("--cups", "--cpus")), ("--cpus x", ("--cpus", "x")), ("--gpus 63", ("63", "--emulate"))):
    try:
        weft.settings.configure(wrong)
    except (ValueError, RuntimeError) as error:
        assert all(word in str(error) for word in words), error
    else:
        raise SystemExit("no error for " + wrong)
    assert weft.settings.current()["gpus"] == 2, weft.settings.current()
    assert int(x.sum()) == 45
weft.settings.configure(["--cpus", "1"])
assert weft.settings.current()["cpus"] == 1 and int(x.sum()) == 45
assert "--emulate" in weft.settings.help()
print(sorted(weft.stats())[0])
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_flags_of_legate_are_taken_and_listed():
    done = run_python(
        "import weft; print(weft.settings.current()['cpus'], weft.settings.describe())",
        env={"LEGATE_CONFIG": "--cpus 2 --omps 4", "WEFT_ARGS": "--cpus 1"},
    )
    assert done.returncode == 0 and done.stdout.startswith("1 ") and "--omps 4" in done.stdout, done.stderr


def test_wrong_environment_is_an_error_that_names_the_variable():
    done = run_python("import weft; weft.arange(3)", env={"WEFT_ARGS": "--cups 3"})
    assert done.returncode == 1 and "ValueError: WEFT_ARGS: unknown flag --cups; did you mean --cpus?" in done.stderr


def test_profile_objects(tmp_path):
    code = f"""
import os, weft
from weft import profile
os.chdir({str(tmp_path)!r})
x = weft.arange(100000.0)
print(float((x * 2 + 1).sum()))
timeline = profile.timeline()
assert {{"text/plain", "image/svg+xml", "text/html"}} <= set(timeline._repr_mimebundle_())
timeline.save("t.html"); timeline.save("t.svg"); timeline.save("t.txt")
assert "<svg" in open("t.svg").read() and "<html" in open("t.html").read().lower()
graph = profile.dataflow()
graph.save("d.dot")
assert "digraph" in open("d.dot").read() and "multiply" in graph.dot
assert "nodes" in repr(profile.events())
try:
    timeline.save("t.png")
except ValueError as error:
    assert ".svg" in str(error)
try:
    profile.timeline(99)
except RuntimeError as error:
    assert "99" in str(error) or "cell" in str(error)
profile.save("run.weftprof")
assert os.path.getsize("run.weftprof") > 100
assert "multiply" in profile.summary()
if graph.svg:
    graph.save("d.svg"); graph.save("d.html")
    assert "<iframe" in graph._repr_mimebundle_()["text/html"]
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def weft_run(tmp_path, script, *words, **options):
    """Run a script by python -m weft.run in tmp_path; words may hold SCRIPT, which stands for it."""
    (tmp_path / "program.py").write_text(textwrap.dedent(script))
    line = [("program.py" if word == "SCRIPT" else word) for word in (words or ("SCRIPT",))]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-m", "weft.run", *line]
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=TIMEOUT, **options)


def test_run_is_like_python(tmp_path):
    script = """
        import os, sys
        import numpy as np
        print(np.__name__, __name__, sys.argv, os.path.basename(__file__), os.path.samefile(sys.path[0], "."))
        print(sys.modules["__main__"].__dict__ is globals(), float(np.arange(4.0).sum()))
    """
    done = weft_run(tmp_path, script, "--cpus", "1", "SCRIPT", "--cpus", "x")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "weft __main__ ['program.py', '--cpus', 'x'] program.py True\nTrue 6.0\n"
    assert weft_run(tmp_path, script, "--no-numpy", "SCRIPT").stdout.startswith("numpy __main__")
    done = weft_run(tmp_path, script, "-m", "program", "a")
    assert done.returncode == 0 and done.stdout.startswith("weft __main__"), done.stderr
    assert "program.py', 'a']" in done.stdout


@pytest.mark.parametrize(
    ("script", "status", "error"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit()", 0, ""),
        ("raise SystemExit('goodbye')", 1, "goodbye\n"),
    ],
)
def test_run_gives_the_programs_status(tmp_path, script, status, error):
    done = weft_run(tmp_path, script)
    assert (done.returncode, done.stderr) == (status, error)


def test_run_shows_pythons_traceback(tmp_path):
    script = "import numpy as np\ndef f():\n    return np.ones(3) + np.ones(4)\nf()\n"
    ours = weft_run(tmp_path, script)
    plain = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert ours.returncode == plain.returncode == 1
    assert ours.stderr == plain.stderr
    wrong = weft_run(tmp_path, "x = (1,\n")
    assert wrong.returncode == 1 and "SyntaxError" in wrong.stderr and "weft" not in wrong.stderr


def test_run_leaves_what_the_flags_ask_for(tmp_path):
    script = "import numpy as np\nx = np.arange(1_000_000.0)\nprint(float(x[3]))\nprint(float((x[:10] * 2).sum()))\n"
    done = weft_run(tmp_path, script, "--profile", "--gpus", "2", "--emulate", "SCRIPT")
    assert done.returncode == 0 and done.stdout == "3.0\n90.0\n", done.stderr
    assert (tmp_path / "program.weftprof").stat().st_size > 100
    assert "weft view program.weftprof" in done.stderr and "program.py line 2" in done.stderr
    # Also when the program fails: that is when one wants to know. The profile of before is kept.
    before = (tmp_path / "program.weftprof").read_bytes()
    script = script.replace("1_000_000", "10")
    done = weft_run(tmp_path, script + "1/0\n", "--profile", "SCRIPT")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "wrote program-2.weftprof" in done.stderr
    assert "3 small operations at once\n        2  program.py line 4\n" in done.stderr, done.stderr  # no task, but counted by lines
    assert "weft view program-2.weftprof" in done.stderr and (tmp_path / "program-2.weftprof").stat().st_size > 100
    assert (tmp_path / "program.weftprof").read_bytes() == before
    # Wherever the program goes, and also where it runs no array operation.
    done = weft_run(tmp_path, f"import os\nos.chdir('/')\n{script}", "--profile", "SCRIPT")
    assert done.returncode == 0 and (tmp_path / "program-3.weftprof").stat().st_size > 100, done.stderr
    done = weft_run(tmp_path, "print(1)", "--profile", "SCRIPT")
    assert done.stdout == "1\n" and "nothing to write" in done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.weftprof")) == ["program-2.weftprof", "program-3.weftprof", "program.weftprof"]


def test_runs_at_the_same_time_have_profiles_of_their_own(tmp_path):
    names = [profilefiles.claim(str(tmp_path / "run")) for _ in range(3)]
    assert [os.path.basename(name) for name in names] == ["run", "run-2", "run-3"]
    (tmp_path / "book-2.timeline.html").touch()
    assert [os.path.basename(profilefiles.claim(str(tmp_path / "book"), ".timeline.html")) for _ in range(2)] == ["book", "book-3"]
    (tmp_path / "run-2.weftprof").write_text("records")
    for name in names:
        profilefiles.release(name)
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run-2.weftprof"]
    with pytest.raises(FileNotFoundError):
        profilefiles.claim(str(tmp_path / "no" / "run"))


def exported(tmp_path, *form):
    """A form of program.weftprof, by the weft binary."""
    done = subprocess.run([ROOT / "bin" / "weft", "export", "program.weftprof", *form], cwd=tmp_path, capture_output=True, text=True, check=True)
    return done.stdout


RANGES = """
import os, sys
import weft as np
with np.profile.range("outer"):
    x = np.arange(100_000.0)

    @np.profile.range("inner")
    def twice():
        return float((x * 2).sum())
    twice()
    twice()
"""


def test_profiles_hold_ranges_and_what_tasks_waited_for(tmp_path):
    done = weft_run(tmp_path, RANGES, "--profile", "--gpus", "2", "--emulate", "SCRIPT")
    assert done.returncode == 0, done.stderr
    text = exported(tmp_path, "--text")
    assert text.count("record range") == 3 and 'label' in text and '"outer" 1:4' in text and '"inner"' in text
    assert " after t" in text and "gpu0" in text and not text.endswith("cut\n")
    assert exported(tmp_path, "--check").startswith("nothing contradicts itself among ")


def test_a_part_of_a_profile_is_exported(tmp_path):
    """Times count from the first start on, as in the timeline."""
    assert weft_run(tmp_path, RANGES, "--profile", "--gpus", "2", "--emulate", "SCRIPT").returncode == 0
    columns = exported(tmp_path, "--csv").splitlines()
    rows = [(int(row[2]), int(row[3]), row) for row in csv.reader(columns[1:])]
    first, last = min(start for start, _, _ in rows), max(end for _, end, _ in rows)
    begin, end = (last - first) // 3, (last - first) // 2
    part = exported(tmp_path, "--csv", "--from", f"{begin}ns", "--to", f"{end}ns").splitlines()
    assert list(csv.reader(part[1:])) == [row for start, stop, row in rows if start < first + end and stop >= first + begin]
    assert 1 < len(part) < len(columns)
    assert json.loads(exported(tmp_path, "--chrome", "--to", "1h"))["traceEvents"]
    for wrong, why in (["--from", "soon"], "want a time from the first start on"), (["--from", "2s", "--to", "1s"], "is empty"), (["--check", "--to", "1s"], "for all of a profile"):
        done = subprocess.run([ROOT / "bin" / "weft", "export", "program.weftprof", "--csv", *wrong], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2 and why in done.stderr, (wrong, done)
    done = subprocess.run([ROOT / "bin" / "weft", "export", "program.weftprof", "--csv", "--from", "9h"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "nothing happened in the part of program.weftprof" in done.stderr and done.stdout == ""


def test_a_killed_program_leaves_its_profile(tmp_path):
    """Recording writes while the program runs: nothing but the end is missing."""
    kill = """
import os, signal, time
deadline = time.monotonic() + 60
while os.path.getsize("program.weftprof") < 1000 and time.monotonic() < deadline:
    time.sleep(0.05)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = weft_run(tmp_path, RANGES + kill, "--profile", "SCRIPT")
    assert done.returncode == -signal.SIGKILL, done.stderr
    text = exported(tmp_path, "--text")
    assert text.endswith("cut\n") and text.count("record range") == 3 and "record run" in text


def test_recordings_follow_the_runtime(tmp_path):
    script = """
import csv
import json
import os
import pathlib
import shutil
import weft as np
from weft import profile
profile.record("run.weftprof")
print(float(np.arange(1000.0).sum()))
np.settings.configure("--cpus 1")
print(float(np.arange(1000.0).sum()))
profile.save("run.2.weftprof")
profile.save("other.weftprof")
print([os.path.getsize(name) > 100 for name in ("run.weftprof", "run.2.weftprof", "other.weftprof")])
try:
    profile.record("no/such/folder/run.weftprof")
except RuntimeError as error:
    print("no such file or directory" in str(error))
print(profile.contradictions())
"""
    done = weft_run(tmp_path, script)
    assert done.stdout.splitlines() == ["499500.0", "499500.0", "[True, True, True]", "True", "[]"], done.stderr


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (["--cups", "3", "SCRIPT"], ["--cups", "--cpus"]),
        (["--cpus", "many", "SCRIPT"], ["--cpus", "many", "from 1"]),
        (["--nodes", "2", "SCRIPT"], ["--nodes 2", "not available yet"]),
        (["nosuch.py"], ["nosuch.py", "no such file"]),
        (["--cpus", "1"], ["no program given"]),
        (["-m"], ["-m needs"]),
    ],
)
def test_run_explains_wrong_command_lines(tmp_path, words, texts):
    done = weft_run(tmp_path, "print('ran')", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("weft run: ") and all(text in done.stderr for text in texts), done.stderr


def test_run_ends_by_the_signal_that_interrupted_it(tmp_path):
    script = """
        import os, signal
        import numpy as np
        x = np.arange(10)
        os.kill(os.getpid(), signal.SIGINT)
        print("not reached", float(x.sum()))
    """
    done = weft_run(tmp_path, script)
    assert done.returncode == -signal.SIGINT
    assert done.stdout == "" and done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_exec_finds_wrong_flags_before_it_starts_a_kernel(tmp_path):
    command = [sys.executable, "-m", "weft.notebook", "--cups", "3", "nb.ipynb"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 2 and "--cups" in done.stderr and "--cpus" in done.stderr


def test_kernel_starts_with_wrong_flags_and_says_so():
    code = """
import sys
from weft import settings
settings.start(["--cups", "3"], kernel=True)
import numpy as np
assert np.__name__ == "weft"
for _ in range(2):
    try:
        np.arange(3)
        sys.exit("no error")
    except ValueError as error:
        assert "--cups" in str(error)
settings.configure("--cpus 1")
print(int(np.arange(3).sum()))
"""
    done = run_python(code)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
    assert "weft kernel: unknown flag --cups" in done.stderr


def test_the_kernel_loads_the_package_when_it_is_used():
    done = run_python(
        "import sys, weft_kernel\n"
        "core = weft_kernel.prepare()\n"
        "import weft, weft.settings, weft._core\n"
        "from weft.jupyter import kernel, streams\n"
        "assert weft._core is core and weft.settings.help()\n"
        "assert kernel.run and 'numpy' not in sys.modules and 'weft._functions' not in sys.modules\n"
        "try: weft.__no_such_thing__\n"
        "except AttributeError: pass\n"
        "assert 'numpy' not in sys.modules\n"
        "assert 'arange' in dir(weft) and 'numpy' in sys.modules\n"
        "assert weft.arange(4).sum() == 6 and weft.jupyter.streams is streams\n"
        "import weft.linalg\n"
        "assert weft.settings.describe()\n"
        "try: weft.no_such_thing\n"
        "except AttributeError as error: assert 'no_such_thing' in str(error)\n"
        "else: raise SystemExit('no error')\n"
    )
    assert done.returncode == 0, done.stderr
    # Settings are enough to start what needs the package.
    done = run_python(
        "import weft_kernel\nweft_kernel.prepare()\nimport weft.settings\n"
        "weft.settings.configure('--cpus 1')\nprint(weft.settings.current()['cpus'])\n"
    )
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("name", ["cupynumeric", "weft.linalg", "weft.random", "weft.special", "weft.notebook", "weft._methods"])
def test_any_module_may_be_the_first_that_a_kernel_imports(name):
    """Unpickling an array, for one, starts with a module inside the package."""
    done = run_python(f"import sys, weft_kernel\nweft_kernel.prepare()\nimport {name} as first\nassert first is sys.modules[{name!r}]\nimport weft\nprint(weft.arange(4).sum())\n")
    assert (done.returncode, done.stdout) == (0, "6\n"), done.stderr


def test_a_module_that_is_not_there_is_said_so():
    done = run_python("import weft_kernel\nweft_kernel.prepare()\nimport weft.no_such_module\n")
    assert "ModuleNotFoundError: No module named 'weft.no_such_module'" in done.stderr


def test_an_environment_without_a_python_says_what_lacks(tmp_path):
    copied = tmp_path / "install" / "bootstrap.sh"
    copied.parent.mkdir()
    shutil.copy(ROOT / "install" / "bootstrap.sh", copied)
    done = subprocess.run(["bash", copied, "environment"], env={**os.environ, "PYTHON": str(tmp_path / "python")}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "this machine lacks:" in done.stderr and "was not found; PYTHON=... names another" in done.stderr
