"""The runtime tells what ran, where it came from, and what it cost."""

import gc
import html
import json
import os
import re
import shutil
import subprocess
import sys

import numpy
import weft
from weft import _core

from .sharing import run_python

SCRIPT = """
import json
import weft as np
from weft import _core
x = np.arange(100_000.0)
y = (x * 2).sum()
float(y)
np.sync()
{ask}
"""


def test_graphs_of_a_script():
    ask = "for what in ('dataflow', 'events'):\n    print(json.dumps(json.loads(_core.query(what, ''))))"
    done = run_python(SCRIPT.format(ask=ask))
    assert done.returncode == 0, done.stderr
    flow, events = (json.loads(line) for line in done.stdout.splitlines())
    assert flow["dot"].startswith("digraph") and "multiply" in flow["dot"] and "line 6" in flow["dot"]
    assert "sum" in flow["dot"] and flow["nodes"] >= 4
    assert events["dot"].startswith("digraph") and events["nodes"] >= 2


def test_calls_of_numpy_stand_between_what_they_read_and_made():
    code = """
import json
import weft as np
from weft import profile
a = np.ones((200, 200)) * 2
b = np.convolve(a[0], a[1]) + 1
print(float(b.sum()))
print(profile.dataflow("*").dot)
"""
    done = run_python(code)
    nodes = dict(re.findall(r"(n[0-9]+) .*?<B>(.+?)</B>", done.stdout))
    edges = {(nodes[a], nodes[b]) for a, b in re.findall(r"(n[0-9]+) -> (n[0-9]+)", done.stdout)}
    assert ("fill+multiply", "convolve") in edges and ("convolve", "add") in edges, done.stdout
    assert "op-fallback" in done.stdout and 'class="store-input"' not in done.stdout


def test_graphs_of_weft_run(tmp_path):
    """The files are called as Legate calls them: PDF where there is a program for it, else SVG."""
    (tmp_path / "small.py").write_text("import numpy as np\nprint(float((np.ones(1000) + 1).sum()))\n")
    command = [sys.executable, "-m", "weft.run", "--dataflow", "--event", "small.py"]
    for path, suffix, magic in ((os.environ["PATH"], "pdf", b"%PDF"), ("/nonexistent", "svg", b"<svg")):
        if suffix == "pdf" and not shutil.which("dot"):
            continue
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        for name in ("dataflow_weft", "event_graph_weft"):
            assert (tmp_path / f"{name}.{suffix}").read_bytes().startswith(magic)
        assert ("PDF needs" in done.stderr) == (suffix == "svg")


def test_timeline_of_a_script():
    ask = "t = json.loads(_core.query('timeline', '*'))\nprint(t['svg'][:4], t['html'][:7], '<iframe' in t['html'], t['page'][:15], 'multiply' in t['text'], 'line 6' in t['text'])"
    done = run_python(SCRIPT.format(ask=ask))
    assert done.stdout == "<svg <style> True <!DOCTYPE html> True True\n", (done.stdout, done.stderr)


def test_cells_are_told_apart():
    code = """
import json
import weft as np
from weft import _core
for number, source in enumerate(["a = np.ones(30_000) * 2", "b = 1", "c = np.ones(50_000).sum()\\nfloat(c)"], 1):
    _core.begin_cell(f"In[{number}]", source)
    name = f"<cell {number}>"
    _core.name_source(name, f"In[{number}]")
    exec(compile(source, name, "exec"))
    _core.end_cell()
np.sync()
def words(cell):
    dot = json.loads(_core.query("dataflow", cell))["dot"]
    return [word for word in ("a = np.ones(30_000) * 2", "sum", "2 operations", "c = np.ones(50_000)") if word in dot]
print(words("In[1]"), words("In[3]"), words("") == words("In[3]"))
try:
    _core.query("dataflow", "In[2]")
except RuntimeError as error:
    print(error)
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert (
        lines[0] == "['a = np.ones(30_000) * 2', '2 operations'] ['sum', '2 operations', 'c = np.ones(50_000)'] True"
    )  # the ones die with the call of sum
    assert lines[1].startswith("In[2] is not among the cells") and "In[3], In[1]" in lines[1]


def test_functions_of_earlier_cells_keep_their_text():
    code = """
import weft as np
from weft import _core
def cell(number, source):
    _core.begin_cell(f"In[{number}]", source)
    _core.name_source(f"<cell {number}>", f"In[{number}]")
    exec(compile(source, f"<cell {number}>", "exec"), globals())
    _core.end_cell()
cell(1, "def double(x):\\n    return x * 2  # the doubling")
cell(2, "a = double(np.ones(3))")
np.settings.configure("--cpus 1")
cell(3, "a = double(np.ones(3))")
np.sync()
print("# the doubling" in _core.query("json", "In[3]"))
"""
    done = run_python(code)
    assert done.stdout == "True\n", (done.stdout, done.stderr)


def test_saved_profiles_are_whole(tmp_path):
    path = tmp_path / "run.weftprof"
    done = run_python(SCRIPT.format(ask=f"_core.query('save', {str(path)!r})"))
    assert done.returncode == 0, done.stderr
    assert path.stat().st_size > 100


def test_native_calls_are_counted():
    before = json.loads(_core.query("counts")) if _core.started() else {}
    a = weft.arange(4.0)
    (a + a).sum()
    a @ a
    after = json.loads(_core.query("counts"))
    for name, more in {"add": 1, "sum": 1, "matmul": 1, "arange": 1}.items():
        assert after[name] == before.get(name, 0) + more


def test_stats_are_numbers():
    stats = weft.stats()
    for key in ("operations", "tasks", "arrays", "mappings"):
        assert stats[key] >= 0
    assert stats["memories"]
    for memory in stats["memories"].values():
        assert memory["peak"] >= memory["live"] >= 0
        assert 0 <= memory["fragmentation"] <= 1


def test_every_key_of_stats_is_explained():
    stats = weft.stats()
    explained = [line.split()[0] for line in stats.explain().splitlines()]
    wanted = set(stats) | {key for memory in stats["memories"].values() for key in memory}
    assert sorted(explained) == sorted(wanted)


def test_stats_count_what_happens():
    gc.collect()  # arrays of other tests, in circles
    weft.sync()
    weft.zeros(1000)  # blocks that other threads have returned are taken back with the next one
    before = weft.stats()
    a = weft.zeros(1 << 17)  # a mebibyte
    for _ in range(10):
        a += 1
    weft.sync()
    after = weft.stats()
    assert after["operations"] - before["operations"] >= 11
    assert after["tasks"] > before["tasks"]
    assert after["plans"] > before["plans"]
    assert after["arrays"] == before["arrays"] + 1
    host, was = after["memories"]["host"], before["memories"]["host"]
    assert host["live"] - was["live"] + after["block_bytes"] - before["block_bytes"] >= a.nbytes  # a block that was kept may be the array's
    assert host["mapped"] >= host["live"] <= host["peak"]
    assert host["mapped"] - host["idle"] >= host["live"]  # blocks are rounded up


def test_stats_count_the_bytes_of_blocks():
    gc.collect()
    weft.sync()
    weft.zeros(1000)  # what other threads have returned is taken back with the next one
    before = weft.stats()["block_bytes"]
    few = [weft.zeros(1000) for _ in range(20)]
    assert weft.stats()["block_bytes"] - before >= sum(a.nbytes for a in few)
    del few, before


def test_loops_find_their_plans_again():
    code = """
import weft as np
a, b = np.zeros(50_000), np.ones(50_000)
np.sync()
before = np.stats()
for _ in range(300):  # with new temporaries in every turn, and buffers that swap
    b[1:-1] = 0.5 * (a[:-2] + a[2:]) - b[1:-1]
    a, b = b, a
np.sync()
after = np.stats()
known, new = (after[key] - before[key] for key in ("known_plans", "new_plans"))
print(known > 5, known / (known + new) >= 0.7, 0 < after["plan_hit_rate"] <= 1)
for n in range(200):  # the same with sizes that never repeat
    c = np.ones(150_000 + n)  # more than is computed at once wherever values are read
    d = c[1:] * 2 + c[:-1]
    np.sync()
print(np.stats()["new_plans"] - after["new_plans"] >= 190)
"""
    done = run_python(code)
    assert done.stdout == "True True True\nTrue\n", (done.stdout, done.stderr)


def test_copies_are_counted_by_cause():
    script = """
import json, weft as np
a = np.ones(100_000)
(a + a).sum()
float(a[7])
np.sync()
print(json.dumps(np.stats()))
"""
    done = run_python(script, env={"WEFT_ARGS": "--gpus 2 --emulate", "WEFT_DEBUG": ""})
    assert done.returncode == 0, done.stderr
    stats = json.loads(done.stdout)
    assert stats["copies"] == sum(stats["copies_by_cause"].values()) > 0
    assert stats["moved_bytes"].keys() == stats["copies_by_cause"].keys()
    assert stats["moved_bytes"]["gather"] >= 8
    assert set(stats["memories"]) == {"host", "gpu0", "gpu1"}


OUT_OF_CORE = """
import json, weft as np
n = 1_500_000
x = np.arange(n, dtype=np.float64)           # 11 MiB each
y = np.sqrt(x) * 0.5 + 1
z = x[::-1] * y - np.cos(y)
for _ in range(3):
    z[1:-1] = 0.25 * (z[:-2] + 2 * z[1:-1] + z[2:])
m = z.reshape(500, 3000)
w = m[1:] - m[:-1]
parts = [float(z.sum()), float(w.max()), float(m.sum(axis=0)[17]), float(m.sum(axis=1)[5]), float(m.T.copy()[7, 9]),
    float(np.sort(w[:, 3])[5]), float(z[123456]), float((x[::2] + y[1::2]).mean())]
print(json.dumps([[p.hex() for p in parts], np.stats()]))
"""


def test_arrays_larger_than_all_gpus_together():
    wanted = json.loads(run_python(OUT_OF_CORE, env={"WEFT_ARGS": "--cpus 2"}).stdout)[0]
    for debug in ("", "seed=3", "check"):
        done = run_python(OUT_OF_CORE, env={"WEFT_ARGS": "--gpus 2 --emulate --fbmem 4", "WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        values, stats = json.loads(done.stdout)
        assert values == wanted
        assert stats["evictions"] > 0
        assert stats["copies_by_cause"]["spill"] > 0 < stats["moved_bytes"]["spill"]
        for name in ("gpu0", "gpu1"):
            assert 0 < stats["memories"][name]["peak"] <= stats["memories"][name]["total"] == 4 << 20


def test_what_fits_a_gpu_is_not_evicted():
    done = run_python(OUT_OF_CORE, env={"WEFT_ARGS": "--gpus 2 --emulate --fbmem 200", "WEFT_DEBUG": ""})
    assert done.returncode == 0, done.stderr
    stats = json.loads(done.stdout)[1]
    assert stats["evictions"] == 0
    assert "spill" not in stats["moved_bytes"]


def test_memory_errors_name_arrays_and_lines():
    script = """
import weft as np
kept = np.arange(5000)
large = np.ones(2_000_000)
large += 1
try:
    print(float((large * 3)[7]))
    big = np.ones(20_000_000) * kept[3:4]
    print(float(big[-1]))
except MemoryError as error:
    print(error)
del big
np.sync()  # the error was told
print(int(kept.sum()), float(large.sum()))
print(np.stats()["memories"]["host"]["peak"] <= 60 << 20)
"""
    for machine in ("", " --gpus 2 --emulate --fbmem 30"):
        done = run_python(script, env={"WEFT_ARGS": "--sysmem 60" + machine, "WEFT_DEBUG": ""})
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0] == "6.0" and lines[2:] == ["12497500 4000000.0", "True"], done.stdout
        assert "at <string> line 8: unable to allocate 160 MB on host" in lines[1], lines[1]
        assert "16.0 MB made by add at <string> line 5" in lines[1], lines[1]


def test_the_plan_says_what_is_fused_and_what_is_not():
    code = """
import weft as np
u = np.ones((600, 600))
v = np.ones(50_000)
np.sync()
u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
w = v[1:] - v[:-1]
v[:-1] = w * 2 + v[1:]
v[0] = float(v.sum())
text = repr(np.plan("*"))
assert "add+...+copy (5)" in text and "carry" in text, text
assert "apart from" in text and "reads" not in text.split()[0], text
print(text)
"""
    done = run_python(code)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "operations in" in done.stdout and "no copies" in done.stdout


def printed(array):
    """What a notebook shows of an array: the text of its page without tags, as (values, small print), and the plain text."""
    bundle = array._repr_mimebundle_()
    values, small = re.fullmatch(
        r"<pre[^>]*>(.*)</pre><small[^>]*>(.*)</small>", bundle["text/html"], re.DOTALL
    ).groups()
    assert array._repr_html_() == bundle["text/html"]
    return html.unescape(values), html.unescape(small), bundle["text/plain"]


def test_notebooks_show_arrays_as_numpy_prints_them():
    for made in (
        lambda np: np.arange(10),
        lambda np: np.array([1000000.25, 1000000.5]),
        lambda np: np.arange(12.0).reshape(3, 4) / 7,
        lambda np: np.arange(24).reshape(2, 3, 4) < 7,
        lambda np: np.arange(2000).reshape(20, 100).T[:, ::7],
        lambda np: np.array([1e-300, np.nan, -np.inf]),
        lambda np: np.ones((0, 3), np.float32),
        lambda np: np.ones(()),
        lambda np: np.arange(3) + 1j,
    ):
        want = made(numpy)
        for options in (
            {},
            {"precision": 3, "suppress": True},
            {"threshold": 8, "edgeitems": 1},
            {"threshold": 10**6, "linewidth": 200},
            {"legacy": "1.13"},
        ):
            with numpy.printoptions(**options):
                values, small, plain = printed(made(weft))
                assert values == plain == repr(want)
            assert small.startswith(f"shape {want.shape}, {want.dtype}, "), small
    with numpy.printoptions(formatter={"int": lambda n: f"<{n}&amp;>"}):
        assert printed(weft.arange(2))[0] == "array([<0&amp;>, <1&amp;>])"


def test_the_small_print_of_arrays_says_how_large_they_are_and_where():
    assert printed(weft.arange(12.0).reshape(3, 4))[1] == "shape (3, 4), float64, 96 B on host"
    assert printed(weft.arange(2000.0)[::2])[1] == "shape (1000,), float64, 8 kB; 16 kB on host"
    assert printed(weft.ones((0, 3)))[1] == "shape (0, 3), float64, 0 B"


def test_showing_a_large_array_moves_what_is_shown():
    done = run_python(
        "import numpy, weft\n"
        "a = weft.arange(2_000_000.0).reshape(1000, 2000) / 3\n"
        "b = a * 2\n"
        "weft.sync()\n"
        "before = sum(weft.stats()['moved_bytes'].values())\n"
        "shown = repr(b), str(b[::2, 1:]), repr(b.T), b._repr_mimebundle_(), repr(b[:, :2]), repr(b.reshape(10, 100, 2000))\n"
        "moved = sum(weft.stats()['moved_bytes'].values()) - before\n"
        "assert moved < 100_000, moved\n"
        "assert 'shape (1000, 2000), float64, 16 MB; 8 MB on gpu0, 8 MB on gpu1' in shown[3]['text/html'], shown[3]\n"
        "n = numpy.arange(2_000_000.0).reshape(1000, 2000) / 3 * 2\n"
        "assert shown[0] == repr(n) and shown[1] == str(n[::2, 1:]) and shown[2] == repr(n.T)\n"
        "assert shown[3]['text/plain'] == repr(n) and repr(n) in shown[3]['text/html']\n"
        "assert shown[4] == repr(n[:, :2]) and shown[5] == repr(n.reshape(10, 100, 2000))\n"
        "with numpy.printoptions(edgeitems=1): assert repr(b) == repr(n)\n",
        env={**os.environ, "WEFT_ARGS": "--gpus 2 --emulate"},
    )
    assert done.returncode == 0, done.stderr


def test_graphs_have_what_only_the_profile_still_knows():
    """The runtime's log keeps 32,768 tasks; this run has more."""
    code = """
import weft as np
from weft import profile
x = np.ones(400_000)
for _ in range(1100):
    x = x * 0.5
    x = x + 1.0
print(float(x[0]), np.stats()["tasks"])
for graph in (profile.events(), profile.dataflow()):
    print(graph.dot)
    print("END", graph.text)
"""
    done = run_python(code, env={"WEFT_DEBUG": "tile=500,nofuse", "LEGATE_ARGS": "--cpus 8"})
    assert done.returncode == 0, done.stderr
    value, tasks = done.stdout.splitlines()[0].split()
    assert float(value) == 2.0 and int(tasks) > 35_000
    events, flow = re.split(r"^END .*$", done.stdout.replace("\xa0", " "), flags=re.MULTILINE)[:2]
    assert "missing" not in done.stdout
    assert "repeats ×1100" in events and "<B>fill</B> ×16" in events and "<B>multiply</B> ×16" in events
    assert "repeats ×1100" in flow and "(400000,) · 16 tasks" in flow
