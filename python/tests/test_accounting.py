"""A profile by lines accounts for the whole block: its lines' times add up to the block's, whatever it does."""

import importlib.util
import re
import signal
import threading
import time

import pytest
import weft
from weft import _core, profile

SPENDING = "Python calls arrays recording planning waiting unknown".split()


class Cell:
    """A program that ran under profile.lines()."""

    def __init__(self, tmp_path, source, names=None, error=None):
        path = str(tmp_path / "cell.py")
        with open(path, "w") as file:
            file.write(source)
        title = f"In[{abs(hash(source)) % 10**6}]"
        weft.sync()
        _core.name_source(path, title)
        code = compile(source, path, "exec")
        space = {"np": weft, "time": time, **(names or {})}
        report = profile.lines(title, source)
        before = time.perf_counter()
        report.__enter__()
        begun = time.perf_counter()
        failed = None
        try:
            exec(code, space)
            weft.sync()
        except Exception as raised:
            failed = raised
        ended = time.perf_counter()
        report.__exit__(type(failed), failed, None)
        after = time.perf_counter()
        assert (type(failed) if failed else None) is error, failed
        self.report, self.data, self.space = report, report.data, space
        self.least, self.most = ended - begun, after - before
        self.title = title
        self.lines = {number: row for number, row in enumerate(self.data["Lines"], 1)}

    def all(self):
        return [*self.data["Lines"], *(self.data["Elsewhere"] or []), self.data["Between"]]

    def spent(self, line, on):
        return self.lines[line]["Spent"][SPENDING.index(on)]

    def share(self, line):
        return self.lines[line]["Time"] / self.data["Wall"]

    def adds_up(self):
        wall = self.data["Wall"] / 1e9
        assert self.least <= wall <= self.most, (self.least, wall, self.most)
        total = sum(row["Time"] for row in self.all()) / 1e9
        assert 0.95 * self.least <= total <= wall * 1.0001, (total, self.least, self.report)
        for row in self.all():
            assert abs(sum(row["Spent"]) - row["Time"]) <= len(SPENDING), row
        assert sum(row["Spent"][SPENDING.index("unknown")] for row in self.all()) == 0, self.report
        return self


def calls(cell, line):
    return [call["Name"] for call in cell.lines[line]["Calls"] or []]


def test_sleep(tmp_path):
    cell = Cell(tmp_path, "x = 1\ntime.sleep(0.2)\ny = np.sqrt(np.arange(10.0))\n").adds_up()
    assert cell.lines[2]["Time"] >= 190_000_000 and calls(cell, 2)[:1] == ["time.sleep"], cell.report  # nanoseconds, but for what is measured around it
    # How much depends on what else the machine does: a thread that a look has woken may be kept off the processor, and then
    # take long to go back to sleep, which counts as running.
    assert 0 < cell.lines[2]["Asleep"] <= cell.lines[2]["Time"], cell.report
    assert "nothing stands out" not in cell.report.text and "line 2: time.sleep takes" in cell.report.text


def test_sleep_after_threads_that_were_in_the_runtime_by_turns(tmp_path):
    inside, leave = threading.Event(), threading.Event()

    class Theirs:
        def __index__(self):
            inside.set()
            assert leave.wait(60)
            return 0

    class Ours:
        def __index__(self):
            leave.set()
            thread.join()
            return 0

    x = weft.ones(3)
    thread = threading.Thread(target=lambda: x.item(Theirs()))
    thread.start()
    assert inside.wait(60)
    x.item(Ours())  # begins after the other thread's and ends after it
    test_sleep(tmp_path)


def test_python_loop(tmp_path):
    cell = Cell(tmp_path, "s = 0\nfor i in range(2_000_000):\n    s += i * i\nnp.sqrt(4.0)\n").adds_up()
    assert cell.spent(2, "Python") + cell.spent(3, "Python") > 0.5 * cell.data["Wall"], cell.report
    assert "Python itself runs for" in cell.report.text


def test_what_few_elements_cost_is_counted_by_lines(tmp_path):
    """Operations that are computed at once, and the values that are read of them."""
    cell = Cell(
        tmp_path,
        "x = np.ones(10)\nfor i in range(300):\n    x = x * 1.01\n    x[1:3] = 2\n    x[0] = float(x.sum())\ny = float((x + x).sum())\n",
    ).adds_up()
    counted = [
        tuple(cell.lines[n][what] for what in ("Operations", "Reads", "Writes", "Values")) for n in (1, 3, 4, 5, 6)
    ]
    assert counted == [(1, 0, 0, 0), (300, 0, 0, 0), (300, 0, 0, 0), (300, 0, 300, 300), (2, 0, 0, 1)], cell.report


def test_element_loop(tmp_path):
    cell = Cell(tmp_path, "a = np.arange(50_000.0)\nt = 0.0\nfor i in range(len(a)):\n    t += float(a[i])\n").adds_up()
    assert cell.lines[4]["Reads"] == 50_000, cell.lines[4]
    assert cell.share(3) + cell.share(4) > 0.5, cell.report
    first = cell.data["Advice"][0]
    assert first["Place"] == "line 4" and first["Text"].startswith("50,000 elements read one by one"), cell.report


def test_more_operations_than_are_logged(tmp_path):
    cell = Cell(tmp_path, "a = np.ones(4)\nfor i in range(70_000):\n    a = a + 1.0\n").adds_up()
    assert cell.lines[3]["Operations"] == 70_000, cell.report
    assert cell.data["Missing"] == "", cell.data["Missing"]


def test_array_work(tmp_path):
    cell = Cell(
        tmp_path,
        "x = np.arange(4_000_000.0)\nfor i in range(5):\n    x = np.sqrt(np.exp(np.sin(x)) + i)\nfloat(x.sum())\n",
    ).adds_up()
    assert sum(cell.spent(n, "arrays") for n in cell.lines) > 0.3 * cell.data["Wall"], cell.report
    assert cell.spent(3, "arrays") > 0, cell.report  # and not only line 4, which waits for it
    assert cell.lines[3]["Bytes"] > 0


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="needs SciPy")
def test_scipy(tmp_path):
    source = "data = np.arange(300_000.0) % 17\nout = gaussian(data, 30)\n"
    from scipy.ndimage import gaussian_filter1d

    cell = Cell(tmp_path, source, {"gaussian": lambda *a: [gaussian_filter1d(*a) for _ in range(10)]}).adds_up()
    rows = [row for row in cell.all() if any(call["Name"] == "scipy" for call in row["Calls"] or [])]
    assert rows and max(row["Time"] for row in rows) > 0.3 * cell.data["Wall"], cell.report


def test_library_of_c(tmp_path):
    cell = Cell(tmp_path, "import zlib\nx = np.ones(10)\nsmall = zlib.compress(b'abcdefgh' * 2_000_000, 9)\n").adds_up()
    assert cell.share(3) > 0.3 and "zlib.compress" in calls(cell, 3), cell.report


def test_native_code_has_the_name_of_its_shared_object(tmp_path):
    import numpy

    cell = Cell(
        tmp_path,
        "for i in range(3):\n    out = plain.linalg.svd(matrix)\n",
        {"plain": numpy, "matrix": numpy.sin(numpy.arange(160_000.0)).reshape(400, 400)},
    ).adds_up()
    inside = {one["Module"]: one["Time"] for one in cell.lines[2]["Within"] or [] if one["Call"] == "numpy"}
    native = sum(time for name, time in inside.items() if re.match("libscipy_openblas|libopenblas|_umath_linalg", name))
    assert native > 0.5 * cell.lines[2]["Time"], cell.report
    assert re.search(r"numpy [\d.]+ m?s, [\d.]+ m?s of it in \w*(openblas|linalg)", cell.report.text), cell.report


def test_library_of_python(tmp_path):
    cell = Cell(tmp_path, "import json\ntext = json.dumps([{'a': i} for i in range(60_000)], indent=1)\n").adds_up()
    assert "json" in calls(cell, 2), cell.report
    assert any("json takes" in advice["Text"] for advice in cell.data["Advice"]), cell.report


@pytest.mark.filterwarnings("ignore::weft._fallback.FallbackWarning")
def test_fallback(tmp_path):
    cell = Cell(tmp_path, "a = np.arange(400_000.0) % 1013\nb = np.unique_values(a)\n").adds_up()
    assert [row["Name"] for row in cell.lines[2]["Fallbacks"]] == ["unique_values"], cell.lines[2]
    assert "NumPy's unique_values" in calls(cell, 2), cell.report
    assert cell.data["Advice"][0]["Text"].startswith("unique_values is done by NumPy"), cell.report


def test_reads_in_a_loop(tmp_path):
    cell = Cell(
        tmp_path, "x = np.ones(50_000)\nn = 0\nwhile float((x * x).sum()) < 1e7:\n    x = x * 1.01\n    n += 1\n"
    ).adds_up()
    turns = cell.space["n"]
    assert turns > 100 and cell.lines[3]["Values"] == turns + 1, cell.lines[3]
    assert cell.data["Advice"][0]["Place"] == "line 3" and "values are read" in cell.data["Advice"][0]["Text"], (
        cell.report
    )


MIXED = """time.sleep(0.05)
def work(n):
    s = 0
    for i in range(n):
        s += i
    return s
work(500_000)
x = np.arange(1_000_000.0)
y = np.sqrt(x * 2 + 1)
print(float(y.sum()))
sorted(range(1_000_000), key=lambda v: -v)
"""


def test_mixed(tmp_path, capsys):
    cell = Cell(tmp_path, MIXED).adds_up()
    assert "time.sleep" in calls(cell, 1)
    assert cell.spent(4, "Python") + cell.spent(5, "Python") > 0, cell.report  # of a function, at its own lines
    assert all(cell.share(n) == 0 for n in (2, 3, 6)) or cell.share(2) + cell.share(3) + cell.share(6) < 0.2
    for line, other in ((8, 9), (9, 8)):
        assert f"line {other}" in cell.lines[line]["Joins"], cell.report
    assert abs(cell.lines[9]["Bytes"] - 3 * cell.lines[8]["Bytes"]) <= 3, cell.report  # three operations, and arange


def test_exception_in_the_middle(tmp_path):
    cell = Cell(tmp_path, "time.sleep(0.1)\nx = np.ones(5)\n1 / 0\ntime.sleep(10)\n", error=ZeroDivisionError).adds_up()
    assert cell.share(1) > 0.3 and cell.lines[4]["Time"] == 0, cell.report


def test_all_lines_of_a_pass_have_its_rate(tmp_path):
    """What is fused is shared among its lines, and each says with which others."""
    cell = Cell(tmp_path, "x = np.arange(1_000_000.0)\ny = x * 2\nz = np.sqrt(y + 1)\n").adds_up()
    rows = [cell.lines[n] for n in (1, 2, 3)]
    rates = [row["Bytes"] / row["Wall"] for row in rows if row["Wall"]]
    assert len(rates) == 3 and max(rates) <= 1.01 * min(rates), cell.report
    assert [row["Joins"] for row in rows] == ["lines 2-3", "lines 1, 3", "lines 1-2"], cell.report
    assert abs(rows[2]["Bytes"] - 2 * rows[1]["Bytes"]) <= 3, cell.report  # by operations


def records(cell, lane=None):
    """The records of the timeline at lines of a cell, as dicts."""
    names, *rows = (line.split(",") for line in _core.query("csv", "*").splitlines())
    found = [dict(zip(names, row, strict=False)) for row in rows]
    return [row for row in found if row["source"] == cell.title and lane in (None, row["lane"])]


def test_a_line_has_the_bytes_and_times_of_the_timeline(tmp_path):
    """And so the same rate: that of a lane."""
    cell = Cell(tmp_path, "x = np.arange(300_000.0) % 1013\ny = np.sort(x)\n").adds_up()
    row = cell.lines[2]
    tasks = [record for record in records(cell) if record["line"] == "2" and record["kind"] in ("run", "copy")]
    assert tasks and row["Bytes"] == sum(int(record["bytes"]) for record in tasks)
    assert row["Busy"] == sum(int(record["end_ns"]) - int(record["start_ns"]) for record in tasks)


def test_the_timeline_shows_what_python_did(tmp_path):
    cell = Cell(tmp_path, MIXED).adds_up()
    spans = records(cell, "python")
    assert {"python", "call"} <= {span["kind"] for span in spans}, spans
    assert "time.sleep" in {span["name"] for span in spans if span["line"] == "1"}, spans


def test_another_thread_is_not_sampled_and_says_so(tmp_path):
    reports = []

    def run():
        with profile.lines("block", "pass") as report:
            sum(range(1_000_000))
        reports.append(report)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert "not sampled" in reports[0].text


def test_signals_are_as_before(tmp_path):
    """A profile takes a signal that nothing handles, and gives it back; others reach their handlers meanwhile."""
    seen = []
    before = [signal.getsignal(n) for n in signal.valid_signals()]
    old = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        Cell(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGUSR1)\nx = sum(range(100_000))\n").adds_up()
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert seen == [1]
    assert [signal.getsignal(n) for n in signal.valid_signals()] == before


def test_an_interrupt_ends_a_cell_that_is_profiled():
    report = profile.lines("block", "time.sleep(60)")
    threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), report:
        time.sleep(60)
    assert report.data["Wall"] < 30e9 and "the program's time" in report.text


def test_profiles_nest():
    """The inner one has no samples, and takes none of the outer one's records."""
    with profile.lines("outer", "x") as outer:
        float(weft.ones(50_000).sum())
        with profile.lines("inner", "x") as inner:
            float(weft.ones(20_000).sum())
    unknown = SPENDING.index("unknown")
    assert inner.data["Spent"][unknown] > 0 and outer.data["Spent"][unknown] == 0
    assert 0 < inner.data["Bytes"] < outer.data["Bytes"]


def test_the_copy_speed_is_measured_before_the_clock_starts():
    """In a process whose first profile this is."""
    import subprocess
    import sys

    program = (
        "import weft, weft.profile as p, time\n"
        "x = weft.ones(1000); float(x.sum())\n"
        "r = p.lines('block', ''); r.__enter__(); t = time.perf_counter(); y = float((x + 1).sum()); t = time.perf_counter() - t; r.__exit__(None, None, None)\n"
        "q = p.lines('block', ''); b = time.perf_counter(); q.__enter__(); b = time.perf_counter() - b; q.__exit__(None, None, None)\n"
        "print(r.data['Limit'] > 0, r.data['Limit'] == q.data['Limit'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
