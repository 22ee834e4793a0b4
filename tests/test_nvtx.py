"""Ranges for tools that know NVTX, such as Nsight Systems. The tool is a library in C that writes down what it hears;
NVIDIA's own package for Python says whether it listens as the interface wants it."""

import json
import os
import shlex
import subprocess
import sys
from collections import Counter

import pytest
from conftest import ROOT, Kernel

SCRIPT = """
import threading
import numpy as np
import weft

with weft.profile.range("before the runtime starts"):
    pass

@weft.profile.range("twice ✓")
def twice(again):
    grid = np.ones((400, 400))
    return float((grid + 1.0).sum()) + (twice(False) if again else 0.0)

with weft.profile.range("outer"):
    with weft.profile.range("inner"):
        print(twice(True))
    try:
        with weft.profile.range("raises"):
            raise ValueError("on purpose")
    except ValueError:
        pass

begun = threading.Barrier(2)

def left():
    with weft.profile.range("left"):
        begun.wait()
        begun.wait()  # right has begun

def right(other):
    begun.wait()
    with weft.profile.range("right"):
        begun.wait()
        other.join()

one = threading.Thread(target=left)
two = threading.Thread(target=right, args=[one])
one.start()
two.start()
two.join()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    made = tmp_path_factory.mktemp("nvtx") / "libtool.so"
    source = ROOT / "cuda" / "nvtx" / "testdata" / "faketool.c"
    compiler = shlex.split(os.environ.get("CC") or "cc")
    subprocess.run([*compiler, "-shared", "-fPIC", "-pthread", "-o", made, source], check=True, timeout=60)
    return made


class Heard:
    """What a tool was told: calls as (thread, what, ...), in their order."""

    def __init__(self, library, folder, mode=""):
        self.log = folder / "heard"
        self.env = {**os.environ, "NVTX_INJECTION64_PATH": str(library), "FAKETOOL": mode, "FAKETOOL_LOG": str(self.log)}

    def calls(self):
        return [line.split(" ", 3) for line in self.log.read_text().splitlines()]

    def ranges(self):
        """The ranges that began and ended, as (name, thread, begin, end): each began once and ended once, after that."""
        begun, ended = {}, {}
        for at, (thread, what, *rest) in enumerate(self.calls()):
            if what == "start":
                begun[rest[0]] = (rest[1], thread, at)
            elif what == "end":
                assert rest[0] in begun and rest[0] not in ended
                ended[rest[0]] = at
        assert begun.keys() == ended.keys()
        return [(*begun[id], ended[id]) for id in begun]


def run(heard, folder, *flags, script=SCRIPT):
    (folder / "run.py").write_text(script)
    command = [ROOT / "bin" / "weft", "run", *flags, "run.py"]
    return subprocess.run(command, check=True, cwd=folder, env=heard.env, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("flags", [["--gpus=2", "--emulate"], ["--gpus=2"]])
def test_ranges_cells_and_tasks(library, tmp_path, fakecuda, flags):
    """With emulated GPUs, and with those of a driver, whose tasks end on its goroutines."""
    heard = Heard(library, tmp_path)
    heard.env |= {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4"}
    done = run(heard, tmp_path, *flags, "--profile")
    assert "NVTX" not in done.stderr
    ranges = heard.ranges()
    names = Counter(name for name, *_ in ranges)
    assert names["twice ✓"] == 2
    assert all(names[name] == 1 for name in ("run.py", "before the runtime starts", "outer", "inner", "raises", "left", "right"))
    span = {name: (begin, end) for name, _, begin, end in ranges}
    assert span["run.py"][0] < span["outer"][0] < span["inner"][0] < span["inner"][1]
    assert span["inner"][1] < span["raises"][0] < span["raises"][1] < span["outer"][1] < span["run.py"][1]
    assert span["left"][0] < span["right"][0] < span["left"][1] < span["right"][1]
    thread = {name: thread for name, thread, *_ in ranges}
    assert len({thread["outer"], thread["left"], thread["right"]}) == 3
    # Of tasks there are as many as the profile says, by the same names.
    command = [ROOT / "bin" / "weft", "export", "run.weftprof", "--json", "-o", "run.json"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    rows = json.loads((tmp_path / "run.json").read_text())["records"]
    tasks = Counter(row["name"] for row in rows if row["kind"] in ("run", "copy"))
    assert tasks
    own = {"run.py", "before the runtime starts", "twice ✓", "outer", "inner", "raises", "left", "right"}
    assert {name: n for name, n in names.items() if name not in own} == tasks


def test_tool_of_ranges_that_nest(library, tmp_path):
    """Tasks overlap, so such a tool is not told of them."""
    heard = Heard(library, tmp_path, "nesting")
    run(heard, tmp_path)
    open_ranges, most = {}, 0
    for thread, what, *rest in heard.calls():
        stack = open_ranges.setdefault(thread, [])
        if what == "push":
            stack.append(" ".join(rest))
            most = max(most, len(stack))
        elif what == "pop":
            stack.pop()
    assert most == 5  # the script, outer, inner, twice and twice
    assert not any(open_ranges.values())
    told = {" ".join(rest) for _, what, *rest in heard.calls() if what == "push"}
    assert told == {"run.py", "before the runtime starts", "twice ✓", "outer", "inner", "raises", "left", "right"}


def test_cells(library, tmp_path):
    heard = Heard(library, tmp_path)
    kernel = Kernel(env=heard.env)
    try:
        kernel.text("import weft")
        kernel.text("with weft.profile.range('assemble'):\n    print(1)")
        content, _ = kernel.run("with weft.profile.range('fails'):\n    1 / 0")
        assert content["status"] == "error"
    finally:
        kernel.close()
    told = [(name, begin, end) for name, _, begin, end in heard.ranges() if name in ("In[1]", "In[2]", "In[3]", "assemble", "fails")]
    assert [name for name, *_ in told] == ["In[1]", "In[2]", "assemble", "In[3]", "fails"]
    span = {name: (begin, end) for name, begin, end in told}
    assert span["In[2]"][0] < span["assemble"][0] < span["assemble"][1] < span["In[2]"][1]
    assert span["In[3]"][0] < span["fails"][0] < span["fails"][1] < span["In[3]"][1]


@pytest.mark.parametrize(
    ("name", "mode", "why"),
    [
        ("missing.so", "", "cannot open shared object file"),
        ("libtool.so", "deaf", "it wants to know of no ranges"),
        ("libtool.so", "broken", "InitializeInjectionNvtx2 returned 0"),
    ],
)
def test_tool_that_is_none(library, tmp_path, name, mode, why):
    heard = Heard(library.parent / name, tmp_path, mode)
    done = run(heard, tmp_path)
    assert done.stdout == "640000.0\n"
    assert done.stderr.count("NVTX_INJECTION64_PATH") == 1
    assert why in done.stderr and name in done.stderr


def test_no_tool(tmp_path):
    """Where the variable is not set, nothing is loaded and nothing is said."""
    heard = Heard("", tmp_path)
    del heard.env["NVTX_INJECTION64_PATH"]
    done = run(heard, tmp_path)
    assert (done.stdout, done.stderr) == ("640000.0\n", "")
    assert not heard.log.exists()


def test_the_tool_hears_nvidias_own_package(library, tmp_path):
    """The library that the other tests believe is one that NVIDIA's implementation of the interface loads and fills."""
    pytest.importorskip("nvtx")
    heard = Heard(library, tmp_path)
    script = """
import nvtx
with nvtx.annotate("outer", domain="test"):
    with nvtx.annotate("inner", domain="test"):
        pass
id = nvtx.start_range("apart", domain="test")
nvtx.end_range(id)
"""
    subprocess.run([sys.executable, "-c", script], check=True, env=heard.env, cwd=tmp_path, timeout=60)
    calls = [call[1:] for call in heard.calls()]
    assert calls[0] == ["version", "3"]
    assert ["domain", "test"] in calls
    pushed = [call for call in calls if call[0] in ("push", "pop")]
    assert pushed == [["push", "outer"], ["push", "inner"], ["pop"], ["pop"]]
    assert [(name, begin < end) for name, _, begin, end in heard.ranges()] == [("apart", True)]
