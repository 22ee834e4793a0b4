"""Operations on few elements that were computed at once are in counts, plans, graphs and profiles."""

import json
import re

import pytest

from .sharing import run_python


def answer(code, **env):
    """What a program in a process of its own prints last, which is JSON."""
    done = run_python(code, env={"WEFT_DEBUG": "", **env})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


START = """
import json
import weft
import weft as np
from weft import _core
np.ones(2) + 1  # the runtime starts
weft.sync()
def cell(number, source):
    _core.begin_cell(f"In[{number}]", source)
    _core.name_source(f"<cell {number}>", f"In[{number}]")
    exec(compile(source, f"<cell {number}>", "exec"), globals())
    return json.loads(_core.end_cell() or "null")
"""


def edges(dot):
    """The names of what an edge leads from and to."""
    name = dict(re.findall(r"(n[0-9]+) \[.*?<B>(.+?)</B>", dot))
    return {(name[a], name[b]) for a, b in re.findall(r"(n[0-9]+) -> (n[0-9]+)", dot)}


COUNTED = """
before, calls = weft.stats()["operations"], json.loads(_core.query("counts"))
a, c = np.arange(5.0), np.ones(4)
for i in range(7):
    a = a * 2 + np.sqrt(a)
    a += 1
    a[1:] = c
    a = -a
b = a.copy(); a.sum(); a.max(); np.minimum(a, b); a < b
after = json.loads(_core.query("counts"))
print(json.dumps([weft.stats()["operations"] - before, {name: n - calls.get(name, 0) for name, n in after.items() if n != calls.get(name, 0)}]))
"""


def test_counts_are_those_of_submitted_operations():
    assert answer(START + COUNTED) == answer(START + COUNTED, WEFT_DEBUG="noeager")


def test_a_cell_of_few_elements_is_known():
    cost, plan, dot, events, unknown = answer(
        START
        + """
cost = cell(1, "a = np.ones(5)\\nb = a * 2\\nfor i in range(3):\\n    b += a\\nc = b[1:]\\nd = c - 1\\nfloat(d.sum())")
cell(2, "pass")
try:
    weft.profile.dataflow("In[2]"); unknown = ""
except RuntimeError as error:
    unknown = str(error)
print(json.dumps([cost, repr(weft.plan("In[1]")), weft.profile.dataflow("In[1]").dot, weft.profile.events("In[1]").dot, unknown]))
"""
    )
    assert cost["operations"] == 7 and cost["tasks"] == 0
    assert "7 small operations at once" in plan and "add (3)  In[1] line 4" in plan, plan
    assert {("b = a * 2", "b += a"), ("b += a", "d = c - 1"), ("d = c - 1", "float(d.sum())")} <= edges(dot), dot
    assert "t4294967" not in events and "In[1] lines " in events  # a run is no task, and stands at several lines
    assert "7 small operations" in events and "In[2] is not among the cells" in unknown, events


def test_arrays_that_are_settled_keep_their_edges():
    dot, verified = answer(
        START
        + """
cell(1, "a = np.arange(8.0)\\nb = a * 2\\nc = np.ones((3000, 8)) * b\\nd = c[5].copy()\\nfloat(d[1])\\ne = np.emath.sqrt(b)\\nf = e + 1\\ng = np.convolve(b, b)\\nh = g + 1")
print(json.dumps([weft.profile.dataflow("In[1]").dot, str(weft.verify("In[1]"))]))
"""
    )
    assert {("b = a * 2", "c = np.ones((3000, 8)) * b"), ("b = a * 2", "e = np.emath.sqrt(b)"), ("e = np.emath.sqrt(b)", "f = e + 1"), ("b = a * 2", "g = np.convolve(b, b)"), ("g = np.convolve(b, b)", "h = g + 1")} <= edges(
        dot
    ), dot
    assert "no violation" in verified and re.search(r"not checked: \d+ small operations", verified), verified


@pytest.mark.parametrize("turns", [100, 40_000])
def test_the_newest_are_kept_and_all_are_counted(turns):
    plan, whole, dot, records = answer(
        START
        + f"""
cell(1, "x = np.ones(4)\\nfor i in range({turns}):\\n    x = x + 1.0")
print(json.dumps([repr(weft.plan("In[1]")), repr(weft.plan("*")), weft.profile.dataflow("In[1]").dot, _core.query("json", "In[1]")]))
"""
    )
    assert f"add ({turns})  In[1] line 3" in whole and f"{turns + 1:,} small operations at once" in plan, (plan, whole)
    assert ("before these: the newest are kept" in plan) == ("operations are missing" in dot) == (turns > 10_000), (
        plan,
        dot,
    )
    assert turns < 10_000 or "40,000 small operations" in records


def test_what_displaying_computes_is_hidden():
    before, after = answer(
        START
        + """
cell(1, "a = np.arange(6.0)\\nb = a * 2")
before = weft.profile.dataflow("In[1]").dot
cell(2, "repr(b); str(b[1:])")
after = weft.plan("*")
print(json.dumps([before, repr(after)]))
"""
    )
    assert "b = a * 2" in before and "In[2]" not in after and "display" not in after
