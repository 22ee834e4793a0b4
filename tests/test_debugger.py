"""Debugging cells, as a front end does it: debug_request on the control channel."""

import os

import pytest
from conftest import TIMEOUT, Kernel
from debugging import Debugging, by_name

pytest.importorskip("debugpy")

CELL = """import numpy as np

def area(radius):
    side = radius * 2
    grid = np.ones((2, 3)) * side
    return float(grid.sum())

total = area(3)
print(total)
"""


@pytest.fixture
def debugging(fresh_kernel):
    return Debugging(fresh_kernel())


@pytest.fixture
def session(debugging):
    debugging.begin()
    return debugging


def test_clients_are_told(debugging):
    info = debugging.client.kernel_info(reply=True, timeout=TIMEOUT)["content"]
    assert "debugger" in info["supported_features"]
    assert info["debugger"] is True


def test_a_breakpoint_in_a_cell(session):
    path = session.stop_at(CELL, 5)
    assert session.get("debugInfo")["breakpoints"] == [{"source": path, "breakpoints": [{"line": 5}]}]
    cell = session.client.execute(CELL)
    event = session.event("stopped")
    assert (event["reason"], event["allThreadsStopped"]) == ("breakpoint", True)
    thread = event["threadId"]
    frames = session.get("stackTrace", threadId=thread)["stackFrames"]
    # Nothing of weft, IPython or asyncio below the cell.
    assert [(f["name"], f["line"], f["source"]["path"]) for f in frames] == [("area", 5, path), ("<module>", 8, path)]
    assert session.get("debugInfo")["stoppedThreads"] == [thread]
    assert [t["name"] for t in session.get("threads")["threads"]] == ["MainThread"]
    found = session.variables(frames[0]["id"])
    assert {name: (v["value"], v["type"]) for name, v in found.items()} == {"radius": ("3", "int"), "side": ("6", "int")}
    assert session.get("evaluate", expression="side * 7", frameId=frames[0]["id"], context="repl")["result"] == "42"
    session.get("setVariable", variablesReference=scope_of(session, frames[0]["id"]), name="side", value="10")
    assert "999" in session.refusal("stackTrace", threadId=999)
    # The panel works meanwhile, and so do completions.
    assert "linspace" in session.client.complete("import numpy; numpy.lins", reply=True, timeout=TIMEOUT)["content"]["matches"]
    assert "area" in by_name(session.get("variables", variablesReference=session.get("inspectVariables")["variables"][0]["variablesReference"]))
    session.get("next", threadId=thread)
    assert session.stopped() == (thread, [("area", 6), ("<module>", 8)])
    session.get("continue", threadId=thread)
    reply, outputs = session.outcome(cell)
    assert reply["status"] == "ok"
    assert [content["text"] for kind, content in outputs if kind == "stream"] == ["60.0\n"]
    assert session.get("debugInfo")["stoppedThreads"] == []


def scope_of(debugging, frame, name="Locals"):
    scopes = debugging.get("scopes", frameId=frame)["scopes"]
    return next(s["variablesReference"] for s in scopes if s["name"] == name)


def test_stepping(session):
    session.stop_at(CELL, 8)
    cell = session.client.execute(CELL)
    thread, frames = session.stopped()
    assert frames == [("<module>", 8)]
    session.get("stepIn", threadId=thread)
    assert session.stopped()[1] == [("area", 4), ("<module>", 8)]
    session.get("next", threadId=thread)
    assert session.stopped()[1][0] == ("area", 5)
    session.get("stepIn", threadId=thread)  # weft's functions are not the user's
    assert session.stopped()[1][0] == ("area", 6)
    session.get("stepOut", threadId=thread)
    assert session.stopped()[1] == [("<module>", 8)]
    session.get("next", threadId=thread)
    assert session.stopped()[1] == [("<module>", 9)]
    session.get("next", threadId=thread)  # off the end
    assert session.outcome(cell)[0]["status"] == "ok"
    # The next cell does not stop for it.
    assert session.kernel.text("1 + 1") == "2"
    assert session.nothing_stopped()


def test_cells_that_ran_before_and_lines_that_are_empty(debugging):
    code = "\n\n\ndef doubled(x):\n\n    y = x * 2\n    return y\n"
    debugging.kernel.text("def tripled(x):\n    y = x * 3\n    return y\n")
    debugging.begin()
    debugging.stop_at("def tripled(x):\n    y = x * 3\n    return y\n", 2)
    debugging.stop_at(code, 6)
    debugging.kernel.text(code)
    cell = debugging.client.execute("tripled(doubled(1))")
    thread, frames = debugging.stopped()
    assert frames[0] == ("doubled", 6)
    debugging.get("continue", threadId=thread)
    assert debugging.stopped()[1][0] == ("tripled", 2)
    debugging.get("continue", threadId=thread)
    assert debugging.outcome(cell)[1][-1][1]["data"]["text/plain"] == "6"


def test_conditions_and_removed_breakpoints(session):
    code = "for i in range(10):\n    square = i * i\n"
    path = session.stop_at(code, 2, condition="i == 7")
    cell = session.client.execute(code)
    thread, _ = session.stopped()
    assert session.variables(session.frame(thread), "Globals")["i"]["value"] == "7"
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"
    session.get("setBreakpoints", source={"path": path}, breakpoints=[])
    assert session.get("debugInfo")["breakpoints"] == []
    session.kernel.text(code)
    assert session.nothing_stopped()


def test_exceptions(session):
    code = "def careless(n):\n    return 1 // n\n\ncareless(0)\n"
    session.get("setExceptionBreakpoints", filters=["raised"])
    cell = session.client.execute(code)
    event = session.event("stopped")
    assert event["reason"] == "exception"
    thread = event["threadId"]
    frames = session.get("stackTrace", threadId=thread)["stackFrames"]
    assert [(f["name"], f["line"]) for f in frames][0] == ("careless", 2)
    assert session.get("exceptionInfo", threadId=thread)["exceptionId"] == "ZeroDivisionError"
    session.get("setExceptionBreakpoints", filters=[])
    session.get("continue", threadId=thread)
    reply, _ = session.outcome(cell)
    assert reply["ename"] == "ZeroDivisionError"


def test_the_files_of_libraries(session, tmp_path):
    (tmp_path / "somelibrary.py").write_text("def thrice(x):\n    return x * 3\n")
    session.kernel.text(f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    path = str(tmp_path / "somelibrary.py")
    session.get("setBreakpoints", source={"path": path}, breakpoints=[{"line": 2}])
    cell = session.client.execute("import somelibrary\nsomelibrary.thrice(2)\n")
    thread, frames = session.stopped()
    assert frames == [("thrice", 2), ("<module>", 2)]
    assert "return x * 3" in session.get("source", source={"path": path})["content"]
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"
    assert "somelibrary" in [module["name"] for module in session.get("modules")["modules"]]


def test_one_session_after_the_other(session):
    session.stop_at(CELL, 5)
    cell = session.client.execute(CELL)
    session.stopped()
    session.get("disconnect", restart=False, terminateDebuggee=True)  # and yet the kernel lives
    assert session.outcome(cell)[0]["status"] == "ok"
    info = session.get("debugInfo")
    assert (info["isStarted"], info["breakpoints"], info["stoppedThreads"]) == (False, [], [])
    assert "no debug session" in session.refusal("threads")
    session.kernel.text(CELL)
    assert session.nothing_stopped()
    session.begin()
    session.stop_at(CELL, 6)
    cell = session.client.execute(CELL)
    thread, frames = session.stopped()
    assert frames == [("area", 6), ("<module>", 8)]
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"


def test_interrupt_while_stopped(session):
    session.stop_at(CELL, 5)
    for _ in range(3):
        cell = session.client.execute(CELL)
        session.stopped()
        session.kernel.manager.interrupt_kernel()
        reply, _ = session.outcome(cell)
        assert reply["ename"] == "KeyboardInterrupt"
        assert session.get("debugInfo")["stoppedThreads"] == []
        assert session.kernel.text("2 + 2") == "4"


def test_an_interrupt_ends_an_evaluation(session):
    """What is asked of the thread that is stopped may take for ever; the front end has to get an answer."""
    session.stop_at(CELL, 5)
    cell = session.client.execute(CELL)
    thread, _ = session.stopped()
    frame = session.frame(thread)
    expression = "print('evaluating', flush=True) or [0 for _ in iter(int, 1)]"
    content = {"type": "request", "seq": 1000, "command": "evaluate", "arguments": {"expression": expression, "frameId": frame, "context": "repl"}}
    request = session.client.session.msg("debug_request", content)
    session.client.control_channel.send(request)
    session.message(lambda m: m["msg_type"] == "stream" and "evaluating" in m["content"]["text"])
    session.kernel.manager.interrupt_kernel()
    while True:
        reply = session.client.get_control_msg(timeout=TIMEOUT)
        if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
            break
    assert not reply["content"]["success"]
    # That is all: the cell is where it was.
    assert session.get("evaluate", expression="side", frameId=frame)["result"] == "6"
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"


def test_a_session_that_begins_while_a_cell_runs(debugging, tmp_path):
    path = str(tmp_path / "end")
    code = f"import os\ndef look():\n    found = os.path.exists({path!r})\n    return found\n\nprint('running', flush=True)\nwhile not look():\n    pass\n"
    cell = debugging.client.execute(code)
    debugging.message(lambda m: m["msg_type"] == "stream" and "running" in m["content"]["text"])
    debugging.begin()
    path = debugging.stop_at(code, 4)
    thread, frames = debugging.stopped()
    assert frames == [("look", 4), ("<module>", 7)]
    debugging.get("setBreakpoints", source={"path": path}, breakpoints=[])
    (tmp_path / "end").touch()
    debugging.get("continue", threadId=thread)
    assert debugging.outcome(cell)[0]["status"] == "ok"


def test_the_function_breakpoint(session):
    code = "x = 1\nbreakpoint()\nx = 2\n"
    session.path(code)
    cell = session.client.execute(code)
    thread, frames = session.stopped()
    assert frames == [("<module>", 3)]
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"
    session.get("disconnect")
    assert session.kernel.text("import sys\nsys.breakpointhook is sys.__breakpointhook__") == "True"


def test_threads_of_the_user(session):
    code = "import threading\ndef work():\n    found = 5\n    done.append(found)\n\ndone = []\nthread = threading.Thread(target=work, name='mine')\nthread.start()\nthread.join()\n"
    session.stop_at(code, 4)
    cell = session.client.execute(code)
    thread, frames = session.stopped()
    assert frames[0] == ("work", 4)
    names = {t["id"]: t["name"] for t in session.get("threads")["threads"]}
    assert names[thread] == "mine"
    assert not [name for name in names.values() if name.startswith(("weft", "IPython", "pydevd"))]
    session.get("continue", threadId=thread)
    assert session.outcome(cell)[0]["status"] == "ok"


def test_variables_without_a_session(debugging):
    assert debugging.get("inspectVariables")["variables"] == []
    debugging.kernel.text(
        "import numpy as np\nx = np.arange(12.0).reshape(3, 4)\nbig = np.zeros((4000, 4000), dtype='f4')\n"
        "text = 'a' * 10000\nitems = [1, {'two': x}]\n_private = 1\ndef f(): pass\nclass Point:\n    def __init__(self): self.left = 3\n"
        "    @property\n    def boom(self): 1 / 0\np = Point()\nclass Bad:\n    def __repr__(self): raise ValueError\nbad = Bad()\n5"
    )
    found = by_name(debugging.get("inspectVariables"))
    assert set(found) == {"function variables", "class variables"} | {
        "np", "x", "big", "text", "items", "_private", "p", "bad",
    }  # fmt: skip
    assert (found["x"]["type"], found["x"]["value"][:9]) == ("ndarray float64 (3, 4)", "[[ 0. 1. ")
    assert (found["big"]["type"], found["big"]["value"][:14]) == ("ndarray float32 (4000, 4000)", "[[0. 0. 0. ...")
    assert len(found["text"]["value"]) < 400
    assert found["items"]["value"] == "[1, {'two': <ndarray float64 (3, 4)>}]"
    assert found["bad"]["value"].startswith("<Bad instance")

    def inside(variable):
        return by_name(debugging.get("variables", variablesReference=variable["variablesReference"]))

    x = inside(found["x"])
    assert (x["shape"]["value"], x["1"]["value"], x["1"]["evaluateName"]) == ("(3, 4)", "[4. 5. 6. 7.]", "x[1]")
    assert inside(inside(found["items"])["1"])["'two'"]["type"] == "ndarray float64 (3, 4)"
    assert set(inside(found["p"])) == {"left"}
    assert set(inside(found["function variables"])) == {"f"}
    debugging.get("inspectVariables")
    assert "outdated" in debugging.refusal("variables", variablesReference=found["x"]["variablesReference"])


@pytest.mark.parametrize("begun", [False, True], ids=["no session", "session"])
def test_what_an_array_looks_like(debugging, begun):
    if begun:
        debugging.begin()
    debugging.kernel.text("import numpy as np\nx = np.arange(3.0)")
    rich = debugging.get("richInspectVariables", variableName="x")
    assert rich["data"]["text/plain"] == "array([0., 1., 2.])"
    assert ">array([0., 1., 2.])</pre>" in rich["data"]["text/html"]
    for name in ("special variables", "missing"):
        assert debugging.get("richInspectVariables", variableName=name) == {"data": {}, "metadata": {}}


def test_arrays_in_a_frame(session):
    session.stop_at(CELL, 6)
    cell = session.client.execute(CELL)
    thread, _ = session.stopped()
    frame = session.frame(thread)
    grid = session.variables(frame)["grid"]
    assert (grid["type"], grid["value"]) == ("ndarray float64 (2, 3)", "[[6. 6. 6.] [6. 6. 6.]]")
    inside = by_name(session.get("variables", variablesReference=grid["variablesReference"]))
    assert inside["shape"]["value"] == "(2, 3)"
    for context, text in (("repl", "array([[6., 6., 6.],\n       [6., 6., 6.]])"), ("hover", "[[6. 6. 6.] [6. 6. 6.]]")):
        assert session.get("evaluate", expression="grid", frameId=frame, context=context)["result"] == text
    rich = session.get("richInspectVariables", variableName="grid", frameId=frame)
    assert rich["data"]["text/plain"] == "array([[6., 6., 6.],\n       [6., 6., 6.]])"
    assert f">{rich['data']['text/plain']}</pre>" in rich["data"]["text/html"]
    assert session.get("richInspectVariables", variableName="missing", frameId=frame)["data"] == {}
    names = set(session.variables(frame, "Globals"))
    assert "np" in names and not names & {"In", "Out", "exit", "quit", "get_ipython", "_ih"}
    session.get("copyToGlobals", srcVariableName="grid", dstVariableName="kept", srcFrameId=frame)
    assert "name" in session.refusal("copyToGlobals", srcVariableName="grid", dstVariableName="no name", srcFrameId=frame)
    session.get("continue", threadId=thread)
    session.outcome(cell)
    assert session.kernel.text("print(kept.sum())") == "36.0\n"


def test_what_cannot_be_served(debugging):
    assert "no debug session" in debugging.refusal("stackTrace", threadId=1)
    assert "nonsense" in debugging.refusal("nonsense")
    debugging.begin()
    assert "nonsense" in debugging.refusal("nonsense")
    assert "no thread is stopped" in debugging.refusal("continue", threadId=1)
    assert "no thread is stopped" in debugging.refusal("evaluate", expression="1", frameId=1)
    assert "/nowhere.py" in debugging.refusal("setBreakpoints", source={"path": "/nowhere.py"}, breakpoints=[{"line": 1}])
    path = debugging.path("1 + 1")
    assert "line" in debugging.refusal("setBreakpoints", source={"path": path}, breakpoints=[{"nope": 1}])
    assert "path" in debugging.refusal("setBreakpoints", breakpoints=[{"line": 1}])
    assert "code" in debugging.refusal("dumpCell")
    assert "variableName" in debugging.refusal("richInspectVariables")
    assert "/nowhere.py" in debugging.refusal("source", source={"path": "/nowhere.py"})
    debugging.refusal("variables", variablesReference="x")
    debugging.refusal("setExceptionBreakpoints")
    debugging.refusal("pause")
    debugging.refusal("gotoTargets", source=5, line="x")
    debugging.refusal("terminate")
    for content in ({}, {"seq": 1}, {"seq": "x", "command": 5}, {"seq": 2, "command": "variables", "arguments": [1]}):
        reply = debugging.reply(content)
        assert reply["type"] == "response" and not reply["success"] and reply["message"]
    assert debugging.kernel.text("print(1)") == "1\n"
    # Clients take lists out of a response before they look whether there are any.
    for command, name in (("stackTrace", "stackFrames"), ("scopes", "scopes"), ("variables", "variables"), ("completions", "targets")):
        reply = debugging.reply({"type": "request", "seq": 9, "command": command, "arguments": {"threadId": 1, "frameId": 1}})
        assert not reply["success"] and reply["message"] and reply["body"] == {name: []}
    cell = debugging.client.execute("1 + 1")
    assert debugging.outcome(cell)[0]["status"] == "ok"


def test_shutdown_while_stopped():
    kernel = Kernel()
    debugging = Debugging(kernel)
    debugging.begin()
    debugging.stop_at(CELL, 5)
    folder = debugging.get("debugInfo")["tmpFilePrefix"]
    assert os.listdir(folder)
    debugging.client.execute(CELL)
    debugging.stopped()
    pid = kernel.manager.provisioner.process.pid
    mark = kernel.manager.connection_file.encode()
    kernel.close()
    assert not os.path.isdir(folder)
    # Neither the kernel nor a process that it has started is left.
    assert not [p for p in os.listdir("/proc") if p.isdigit() and belongs(p, pid, mark)]


def belongs(process, kernel, mark):
    """Whether a process is the kernel, or was started by it or for it."""
    try:
        with open(f"/proc/{process}/stat") as stat, open(f"/proc/{process}/cmdline", "rb") as words:
            # The name in brackets may hold blanks.
            group = stat.read().rpartition(")")[2].split()[2]
            return int(group) == kernel or mark in words.read()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return False
