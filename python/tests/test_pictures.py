"""What pictures and reports of one run say agrees."""

import json
import re

import pytest

from .sharing import run_python


def answer(code):
    """What a program in a process of its own prints last, which is JSON."""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_counts_of_tasks_agree():
    code = """
import json
import weft
import weft as np
from weft import _core
_core.begin_cell("In[1]", "", "")
a = np.arange(3_000_000.0)
for turn in range(20):
    a = np.sqrt(a + turn)
    a[1:] += a[:-1]
b = a.sum()
float(b)
del a
_core.sync()
cost = json.loads(_core.end_cell(""))
flow = weft.profile.dataflow("In[1]")
plan = weft.profile.plan("In[1]").text.splitlines()[0]
drawn = weft.profile.timeline("In[1]").text
print(json.dumps([cost["tasks"], plan, flow.dot, drawn, weft.stats()["runs"]]))
"""
    tasks, plan, dot, drawn, runs = answer(code)
    assert f" {tasks} tasks," in plan and tasks == runs
    rows = drawn.split("\nline ")[0]
    assert sum(int(n) for n in re.findall(r" lines? \d[\d, -]* {2,}[\d.]+ \w+ +(\d+) ", rows)) == tasks, drawn
    # A node says how many tasks each of its operations has, and how many operations it stands for.
    assert dot.count(" tasks") > 0


def test_memory_of_a_cell_counts_from_what_was_there_before():
    code = """
import json
import weft
import weft as np
from weft import _core
_core.begin_cell("In[1]", "", "")
a = np.ones(1_000_000); float(a[0])
_core.sync(); _core.end_cell("")
_core.begin_cell("In[2]", "", "")
b = np.ones(500_000); float(b[0])
_core.sync(); _core.end_cell("")
held = weft.profile.memory("In[2]", {})
print(json.dumps([held.memories, held.svg, weft.profile.timeline("In[2]").page]))
"""
    memories, svg, page = answer(code)
    (host,) = [row for row in memories if row["name"] == "host"]
    assert 12_000_000 <= host["live"] < 13_000_000
    assert "12.0 MB at the end" in svg and "+4.00 MB since In[2] began" in svg
    meta = json.loads(re.search(r'id="meta">(.*?)</script>', page, re.S)[1])
    (lane,) = [i for i, lane in enumerate(meta["lanes"]) if lane["name"] == "host memory"]
    assert 8_000_000 <= meta["held"][lane] < 9_000_000


@pytest.mark.parametrize("memories", ["", "--gpus 2 --emulate"])
@pytest.mark.parametrize("shape", [(2000, 2000), (3, 4)])
def test_what_displaying_copies_is_no_part_of_a_graph(shape, memories):
    code = f"""
import json, os
os.environ["WEFT_ARGS"] = {memories!r}
os.environ["WEFT_DEBUG"] = "noeager"  # few elements are computed on the host at once, and nothing is copied
import weft
import weft as np
from weft import _core
from weft._display import bundle
a = np.arange({shape[0] * shape[1]}.0).reshape{shape}
b = a * 2.0
weft.sync()
before = [weft.profile.dataflow("*"), weft.profile.events("*")]
texts = [repr(b), str(b), f"{{b}}", bundle(b)["text/plain"]]
after = [weft.profile.dataflow("*"), weft.profile.events("*")]
first = float(b[0, 1])  # which is no display
print(json.dumps([texts[0], [[drawn.dot.count("[shape="), drawn.text] for drawn in before + after], weft.profile.events("*").dot]))
"""
    text, counts, dot = answer(code)
    assert ("..." in text) == (shape[0] > 1000)  # of the large one only corners were printed
    assert counts[2:] == counts[:2], counts
    assert ("gather" in dot) == bool(memories)


def test_nodes_have_the_names_of_lines_and_variables(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import json
import weft
import weft as np
def step(field):
    fresh = np.sin(field) + 0.5
    return fresh
x = np.ones(3_000_000)
for turn in range(8):
    x = step(x)
    y = x[::-1] + x
total = float(y.sum())
drawn = weft.profile.dataflow("*")
print(json.dumps(drawn.svg))
""")
    svg = answer(f"import runpy; runpy.run_path({str(program)!r})")
    text = re.sub(r"(?s)<title>.*?</title>|<style>.*?</style>|<[^>]*>", "\n", svg)
    for line in ("fresh = np.sin(field) + 0.5", "y = x[::-1] + x", "total = float(y.sum())"):
        assert line in text, text
    assert re.search(r"^y( |$)", text, re.M) and not re.search(r"\bs\d+\b|\bo\d+\b", text), text


def test_nothing_is_called_lost_that_a_cell_has():
    code = """
import json, os
os.environ["WEFT_DEBUG"] = "noeager"  # a task for each operation
import weft
import weft as np
from weft import _core
x = np.ones(30_000)
for turn in range(90_000):
    x = x + 1.0
    float(x[0])
_core.sync()
_core.begin_cell("In[2]", "", "")
y = np.ones(30_000) * 2; float(y[0])
_core.sync(); _core.end_cell("")
print(json.dumps([weft.profile.summary("*"), weft.profile.summary("In[2]"), weft.profile.timeline("In[2]").page]))
"""
    whole, cell, page = answer(code)
    assert "LOST" in whole  # else this shows nothing
    meta = json.loads(re.search(r'id="meta">(.*?)</script>', page, re.S)[1])
    assert "LOST" not in cell and meta["notes"] == []


def test_a_line_has_one_rate_in_all_pictures(tmp_path):
    """Profile, timeline and graphs take it from one place, and name all the lines of a fused pass."""
    program = tmp_path / "program.py"
    program.write_text(
        "x = np.arange(2_000_000.0)\ny = x * 2\nz = np.sqrt(y + 1)\ntotal = float(z.sum())\nw = np.sort(x % 1013)\n"
    )
    code = f"""
import base64, gzip, json, re
import weft
import weft as np
from weft import _core, profile
source = open({str(program)!r}).read()
np.ones(3) + 1; weft.sync()
_core.begin_cell("In[1]", source, "")
_core.name_source({str(program)!r}, "In[1]")
with profile.lines("In[1]", source) as report:
    exec(compile(source, {str(program)!r}, "exec"))
    weft.sync()
_core.end_cell("")
flow, drawn = profile.dataflow("In[1]"), profile.timeline("In[1]")
data = re.search(r'id="data">(.*?)</script>', flow.page, re.S)[1]
outline = json.loads(gzip.decompress(base64.b64decode(data)))["outline"]
print(json.dumps([report.data["Lines"], outline["parts"], drawn.page, drawn.text, flow.dot]))
"""
    lines, parts, page, text, dot = answer(code)
    meta = json.loads(re.search(r'id="meta">(.*?)</script>', page, re.S)[1])
    timeline = {place["line"]: place["rate"] for place in meta["places"] if place.get("rate")}
    assert set(timeline) == {1, 2, 3, 4, 5}, meta["places"]
    fused = {row["place"]: row for part in parts for row in part.get("fused", ())}
    for number, line in enumerate(lines, 1):
        assert re.fullmatch(r"[\d.]+ [kMG]?B/s in a lane, \d+%( \([a-z ]+\))? of the copy speed", line["Rate"]), line
        share = int(re.search(r"(\d+)%", line["Rate"])[1])
        assert share <= 101 or "(" in line["Rate"], line  # above the limit, there is a reason
        place = f"In[1] line {number}"
        graph = (
            fused[place]["rate"]
            if place in fused
            else next(p["rate"] for p in parts if p.get("rate") and p["place"]["line"] == number)
        )
        assert line["Rate"] == timeline[number] == graph, (line["Rate"], timeline[number], graph)
        speed = float(re.search(rf"\n{re.escape(place)} .* ([\d.]+) GB/s", text)[1])  # of the table below the timeline
        said, unit = re.match(r"([\d.]+) (\w+)/s", line["Rate"]).groups()
        assert abs(speed - float(said) * {"MB": 1e-3, "GB": 1}[unit]) <= 0.011 * speed + 0.005, (text, line)
    # The pass of lines 1 to 4, in the bars' form, in the node and in the picture's tooltip.
    (form,) = [form for form in meta["forms"] if form.get("parts") and len(form["parts"]) >= 3]
    assert [meta["places"][place]["line"] for place, _ in form["parts"]][:3] == [1, 2, 3] and form["lines"].startswith(
        "In[1] lines 1-"
    )
    node = next(part for part in parts if len(part.get("fused", ())) >= 3)
    assert [row["text"] for row in node["fused"]][1:3] == ["y = x * 2", "z = np.sqrt(y + 1)"] and node["where"] == form[
        "lines"
    ]
    assert "1 of In[1] line 2: y = x * 2" in dot
