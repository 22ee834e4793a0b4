"""The kernel as Jupyter's own client sees it."""

import inspect
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest
import zmq
from conftest import TIMEOUT


def test_numpy_in_a_cell_is_weft(kernel):
    assert kernel.text("import numpy as np\nprint(np.__name__, type(type(np.arange(3))).__module__)").split() == ["weft", "weft"]


def test_printing_is_numpys(kernel):
    assert kernel.text("import numpy as np; np.arange(6.0).reshape(2, 3) / 3") == repr(np.arange(6.0).reshape(2, 3) / 3)
    assert kernel.text("print(np.arange(5))") == "[0 1 2 3 4]\n"
    assert kernel.text("np.arange(4.0).sum()") == repr(np.arange(4.0).sum())


@pytest.mark.parametrize(
    ("code", "name", "text"),
    [
        ("np.ones((3, 4)) + np.ones(5)", "ValueError", "operands could not be broadcast together with shapes (3,4) (5,) "),
        ("np.arange(3)[7]", "IndexError", "index 7 is out of bounds for axis 0 with size 3"),
        ("np.arange(6).reshape(4)", "ValueError", "cannot reshape array of size 6 into shape (4,)"),
        ("np.ones((2, 3)).sum(axis=2)", "AxisError", "axis 2 is out of bounds for array of dimension 2"),
        ("np.ones(3) @ np.ones(4)", "ValueError", "matmul: Input operand 1 has a mismatch in its core dimension 0"),
        ("np.nosuchfunction", "AttributeError", "nosuchfunction"),
        ("1 +", "SyntaxError", "invalid syntax"),
        ("undefined_name", "NameError", "name 'undefined_name' is not defined"),
    ],
)
def test_errors_are_pythons_and_lose_nothing(kernel, code, name, text):
    kernel.text("import numpy as np\nkept = np.arange(10) * 2")
    content, outputs = kernel.run("before = 1\n" + code)
    assert content["status"] == "error"
    assert content["ename"] == name
    assert text in content["evalue"]
    errors = [out for kind, out in outputs if kind == "error"]
    assert len(errors) == 1
    assert "line 2" in "\n".join(errors[0]["traceback"])
    assert kernel.text("print(int(kept.sum()))") == "90\n"


def interrupt_when_running(kernel, code):
    """Start code that prints "started" and then takes for ever; interrupt it; return the error's name."""
    client = kernel.client
    msg_id = client.execute(code)
    names, asked = [], False
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        msg = client.get_iopub_msg(timeout=TIMEOUT)
        if msg["parent_header"].get("msg_id") != msg_id:
            continue
        if msg["msg_type"] == "stream" and "started" in msg["content"]["text"]:
            if not asked:
                kernel.manager.interrupt_kernel()
            asked = True
        elif msg["msg_type"] == "error":
            names.append(msg["content"]["ename"])
        elif msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle":
            break
    while client.get_shell_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != msg_id:
        pass
    return names


@pytest.mark.parametrize(
    "code",
    [
        "print('started', flush=True)\nwhile True: pass",
        "import time\nprint('started', flush=True)\ntime.sleep(1000)",
        "import subprocess\nprint('started', flush=True)\nsubprocess.run(['sleep', '1000'])",
        # More multiplications than any machine ends during the test: a long array computation.
        "x = np.ones((2000, 2000))\nprint('started', flush=True)\n"
        "for _ in range(100000):\n    x = (x @ x) * 0.5\nprint(float(x.sum()))",
        "x = np.ones(10_000_000)\nprint('started', flush=True)\nwhile True:\n    x = x * 1.0\n    float(x[0])",
        # NumPy, which asks for the buffer here, drops the exception of a failed request.
        "x = np.ones((2000, 2000))\nprint('started', flush=True)\n"
        "for _ in range(100000):\n    x = (x @ x) * 0.5\nprint(x)",
        "import asyncio\nprint('started', flush=True)\nawait asyncio.sleep(1000)",
        "import asyncio\nasync def busy():\n    print('started', flush=True)\n    while True: pass\nawait asyncio.create_task(busy())",
    ],
    ids=["loop", "sleep", "subprocess", "matmuls", "reads", "printed array", "await", "task"],
)
def test_interrupt(fresh_kernel, code):
    kernel = fresh_kernel()
    kernel.text("import numpy as np\nkept = np.arange(10)")
    assert interrupt_when_running(kernel, code) == ["KeyboardInterrupt"]
    assert kernel.text("print(int(kept.sum()))") == "45\n"


SHORTLY = [
    "import time\nprint('started', flush=True)\ntime.sleep(1000)",
    "import subprocess\nprint('started', flush=True)\nsubprocess.run(['sleep', '1000'])",
    "import threading\nprint('started', flush=True)\nthreading.Event().wait()",
    "x = np.ones(1000)\nprint('started', flush=True)\nwhile True:\n    x = x * 1.0\n    float(x[0])",
    "import numpy\nx = np.ones((300, 300))\nprint('started', flush=True)\nwhile True:\n    numpy.asarray(x @ x)",
    # Python drops what is raised in __del__, an interrupt as well.
    "class Dying:\n    def __del__(self):\n        print('started', flush=True)\n        for _ in range(100000): pass\n"
    "Dying()\nwhile True: pass",
]


def test_no_interrupt_is_lost_at_any_moment(fresh_kernel):
    """The interrupt comes when the text does: before the call that waits, while it begins, or in it."""
    kernel = fresh_kernel()
    kernel.text("import numpy as np\nkept = np.arange(10)")
    for i in range(36):
        code = SHORTLY[i % len(SHORTLY)]
        assert interrupt_when_running(kernel, code) == ["KeyboardInterrupt"], (i, code)
    assert kernel.text("print(int(kept.sum()))") == "45\n"


def test_no_interrupt_is_lost_while_a_large_cell_is_on_its_way(fresh_kernel):
    """busy is published before the content is decoded and handed to Python, which takes a while for 10 MB."""
    kernel = fresh_kernel()
    code = "while True: pass\n#" + 10_000_000 * "x"
    for i in range(6):
        asked = kernel.client.execute(code)
        while True:
            message = kernel.client.get_iopub_msg(timeout=TIMEOUT)
            if message["msg_type"] == "status" and message["parent_header"].get("msg_id") == asked:
                break
        time.sleep(i * 0.05)  # the moments differ; no outcome depends on them
        kernel.manager.interrupt_kernel()
        reply = kernel.client.get_shell_msg(timeout=TIMEOUT)
        assert (reply["parent_header"]["msg_id"], reply["content"].get("ename")) == (asked, "KeyboardInterrupt"), i


def test_interrupts_of_one_cell_after_the_other(fresh_kernel):
    """Each cell has a grace time of its own: that an earlier one's still runs makes none the second of a cell."""
    kernel = fresh_kernel()
    kernel.text("import numpy as np")
    for i in range(60):
        assert interrupt_when_running(kernel, SHORTLY[3]) == ["KeyboardInterrupt"], i


def test_interrupt_gives_up_what_is_queued(fresh_kernel):
    kernel = fresh_kernel()
    kernel.text("import numpy as np\nkept = np.arange(10)")
    # Thousands of sines of a large array are queued when the interrupt comes: minutes of work.
    code = "x = np.ones(50_000_000)\nfor _ in range(4000): x = np.sin(x)\nprint('started', flush=True)\nwhile True:\n    x = np.sin(x)"
    assert interrupt_when_running(kernel, code) == ["KeyboardInterrupt"]
    assert kernel.text("print(int(kept.sum()))") == "45\n"
    content, _ = kernel.run("float(x[0])")
    assert content["status"] == "error" and "cancelled" in content["evalue"]


def test_too_many_gpus_is_an_error_that_says_what_to_do(fresh_kernel):
    kernel = fresh_kernel()
    content, _ = kernel.run("%weft_config --gpus 63\nimport numpy as np\nnp.ones(3).sum()")
    message = content["ename"] + content["evalue"]
    assert content["status"] == "error"
    assert "--emulate" in message and "63" in message


def test_the_switch_of_numbas_cuda(kernel):
    assert "numba.cuda is weft's" in kernel.text("%weft_numba on")
    assert "numba.cuda is " in kernel.text("%weft_numba auto\nfrom numba import cuda")
    content, _ = kernel.run("%weft_numba perhaps")
    assert content["status"] == "error" and "want one of on, off, auto" in content["evalue"]


def test_wrong_flag_is_named(fresh_kernel):
    kernel = fresh_kernel()
    content, _ = kernel.run("%weft_config --cups 3")
    assert content["status"] == "error"
    assert "--cups" in content["evalue"] and "--cpus" in content["evalue"]


def test_reconfiguring_carries_arrays_over(fresh_kernel):
    kernel = fresh_kernel()
    kernel.text("import numpy as np\na = np.arange(1000.0)\nview = a[::-2]")
    kernel.text("%weft_config --gpus 3 --emulate")
    assert kernel.text("view[0] = -5\nprint(float(a[-1]), float((a * 2).sum()))") == f"-5.0 {2 * (999 * 1000 / 2 - 999 - 5)}\n"


def test_a_cell_warns_of_operations_that_it_left_to_be_computed_later(kernel):
    kernel.text("import numpy as np, warnings\nx = np.zeros(1_000_000)\nfloat(x[0])")
    outputs = [out for code in ("y = x + 1\nz = 1 / x", "float(z[3])") for out in kernel.run(code)[1]]
    warned = "".join(out["text"] for kind, out in outputs if kind == "stream" and out["name"] == "stderr")
    assert "py:2: RuntimeWarning: divide by zero encountered in divide\n  z = 1 / x\n" in warned
    kernel.text("warnings.simplefilter('error')")
    codes = ("with np.errstate(divide='ignore'):\n    z = 1 / x\nfloat(z[3])", "w = np.log(x)\nfloat(w[3])", "warnings.simplefilter('default')\nfloat(w[3])")
    ended = [kernel.run(code)[0] for code in codes]
    assert [content["status"] for content in ended] == ["ok", "error", "ok"]
    assert (ended[1]["ename"], ended[1]["evalue"]) == ("RuntimeWarning", "divide by zero encountered in log")


def test_stop_on_error_aborts_what_is_queued(kernel, tmp_path):
    client = kernel.client
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    first = client.execute(f"open({str(gate)!r}).read(); 1/0")  # reading waits for a writer
    second = client.execute("never = 1")
    client.kernel_info(reply=True, timeout=TIMEOUT)  # messages are received in order: the second waits by now
    gate.write_text("go")
    replies = {}
    while len(replies) < 2:
        msg = client.get_shell_msg(timeout=TIMEOUT)
        if msg["parent_header"].get("msg_id") in (first, second):
            replies[msg["parent_header"]["msg_id"]] = msg["content"]["status"]
    assert replies == {first: "error", second: "aborted"}


def test_input(kernel):
    client = kernel.client
    msg_id = client.execute("name = input('who? ')", allow_stdin=True)
    request = client.get_stdin_msg(timeout=TIMEOUT)
    assert request["content"]["prompt"] == "who? "
    client.input("weft")
    while client.get_shell_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != msg_id:
        pass
    assert kernel.text("print(name)") == "weft\n"


def test_rich_display_magics_and_threads(kernel):
    _, outputs = kernel.run("from IPython.display import HTML, display\ndisplay(HTML('<b>x</b>'))")
    assert any(out["data"].get("text/html") == "<b>x</b>" for kind, out in outputs if kind == "display_data")
    assert "CPU times" in kernel.text("%time sum(range(10))")
    assert kernel.text("import threading\nt = threading.Thread(target=lambda: print('from a thread'))\nt.start(); t.join()") == "from a thread\n"
    assert kernel.text("import os\n_ = os.system('echo from a child')") == "from a child\n"


def test_dataflow_and_timeline_are_inline(kernel):
    kernel.text("import numpy as np\nx = np.arange(100000.0)\ny = (x * 2 + 1).sum()\nprint(float(y))")
    _, outputs = kernel.run("%dataflow")
    graph = next(out["data"] for kind, out in outputs if kind in ("display_data", "execute_result"))
    assert "<svg" in graph["image/svg+xml"] and "y = (x * 2 + 1).sum()" in graph["image/svg+xml"]  # called by its line
    _, outputs = kernel.run("%timeline")
    timeline = next(out["data"] for kind, out in outputs if kind in ("display_data", "execute_result"))
    assert "<iframe" in timeline["text/html"] and "<svg" in timeline["image/svg+xml"]
    assert "multiply" in timeline["text/plain"] or "task" in timeline["text/plain"]


def test_tasks_go_on_between_cells(kernel, tmp_path):
    gate = tmp_path / "gate"
    code = f"""
import asyncio, pathlib, contextvars
kept = contextvars.ContextVar("kept"); _ = kept.set(5)
async def work():
    while not pathlib.Path({str(gate)!r}).exists():
        await asyncio.sleep(0.001)
    pathlib.Path({str(gate) + "2"!r}).write_text("reached")
task = asyncio.create_task(work())
"""
    assert kernel.text(code) == ""
    gate.write_text("")  # no cell runs while the task finds it
    deadline = time.monotonic() + TIMEOUT
    reached = tmp_path / "gate2"
    while not (reached.exists() and reached.read_text()) and time.monotonic() < deadline:
        pass
    assert (tmp_path / "gate2").read_text() == "reached"
    assert kernel.text("await task\nprint(task.done(), kept.get())") == "True 5\n"


def test_exit_ends_the_kernel_even_when_threads_stay(fresh_kernel):
    kernel = fresh_kernel()
    content, _ = kernel.run("import threading\nthreading.Thread(target=threading.Event().wait).start()\nexit()")
    assert content["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    assert kernel.manager.provisioner.process.wait(timeout=TIMEOUT) == 0


def test_tracebacks_do_not_show_the_kernel(kernel):
    for code in ("import nosuchmodule", "import signal; signal.raise_signal(signal.SIGINT)"):
        _, outputs = kernel.run(code)
        text = "\n".join(next(out for kind, out in outputs if kind == "error")["traceback"])
        assert "python/weft/" not in text


def test_tracebacks_do_not_show_the_package(kernel):
    for code in ("np.arange(3, dtype='nonsense')", "np.linalg.inv(np.zeros((2, 2)))"):
        _, outputs = kernel.run("import numpy as np\n" + code)
        text = "\n".join(next(out for kind, out in outputs if kind == "error")["traceback"])
        assert "line 2" in text and "python/weft/" not in text


def streamed(outputs):
    """What was printed, the streams in the order of their messages."""
    return [(out["name"], out["text"]) for kind, out in outputs if kind == "stream"]


def test_print_stays_in_order_with_all_other_output(kernel):
    content, outputs = kernel.run(
        "import os, subprocess, sys\n"
        "from IPython.display import display\n"
        "for i in range(3):\n"
        "    print('print', i)\n"
        "    os.write(1, b'descriptor\\n')\n"
        "    print('again', i, end='')\n"
        "    print()\n"
        "    os.system('echo child')\n"
        "print('half of a pair: \\ud800')\n"
        "sys.stdout.buffer.write(b'bytes\\n')\n"
        "print('error', file=sys.stderr)\n"
        "print('before display'); display(1); print('after display')\n"
        "sys.stdout.write(5)"
    )
    assert content["ename"] == "TypeError"
    said = [(out["name"], out["text"]) if kind == "stream" else (kind, "") for kind, out in outputs if kind != "execute_input"]
    merged = []
    for name, text in said:
        if merged and merged[-1][0] == name and text:
            merged[-1] = (name, merged[-1][1] + text)
        else:
            merged.append((name, text))
    lines = "".join(f"print {i}\ndescriptor\nagain {i}\nchild\n" for i in range(3))
    assert merged == [
        ("stdout", lines + "half of a pair: ?\nbytes\n"),
        ("stderr", "error\n"),
        ("stdout", "before display\n"),
        ("display_data", ""),
        ("stdout", "after display\n"),
        ("error", ""),
    ]


def test_what_is_printed_is_seen_while_the_cell_runs(kernel, tmp_path):
    go_on = tmp_path / "seen"
    message = kernel.client.execute(f"print('working'); import os\nwhile not os.path.exists({str(go_on)!r}): pass\nprint('done')")
    text = ""
    while True:
        published = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        if published["parent_header"].get("msg_id") != message:
            continue
        if published["msg_type"] == "stream":
            text += published["content"]["text"]
            if text == "working\n":
                go_on.touch()
        if published["content"].get("execution_state") == "idle":
            break
    assert text == "working\ndone\n"
    assert kernel.client.get_shell_msg(timeout=TIMEOUT)["content"]["status"] == "ok"


def test_nothing_printed_is_lost(kernel):
    _, outputs = kernel.run("for i in range(100_000): print(i)")
    assert "".join(text for _, text in streamed(outputs)) == "".join(f"{i}\n" for i in range(100_000))
    assert len(outputs) < 1000
    _, outputs = kernel.run("print('x' * 3_000_000)")
    assert "".join(text for _, text in streamed(outputs)) == "x" * 3_000_000 + "\n"


def test_the_end_of_a_cell_does_not_overtake_what_waits_for_a_slow_client(kernel):
    slow = zmq.Context.instance().socket(zmq.SUB)
    slow.set(zmq.RCVHWM, 1)
    slow.set(zmq.LINGER, 0)
    slow.subscribe("")
    port = kernel.manager.get_connection_info()["iopub_port"]
    with slow, slow.connect(f"tcp://127.0.0.1:{port}"):
        kernel.client.kernel_info()
        assert slow.poll(TIMEOUT * 1000), "the slow client is subscribed"
        # More than may be unread before who publishes has to wait; what is printed then is taken after a twentieth of a second.
        _, outputs = kernel.run("display({'text/plain': 'x' * 32_000_000}, raw=True)\nprint('last')\nimport time; time.sleep(.5)")
    assert streamed(outputs) == [("stdout", "last\n")]


def test_threads_and_forked_children_print(kernel):
    _, outputs = kernel.run(
        "import os, threading\n"
        "def say():\n"
        "    for i in range(100): print('thread')\n"
        "threads = [threading.Thread(target=say) for _ in range(3)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "print('parent')\n"
        "pid = os.fork()\n"
        "if not pid:\n"
        "    print('child')\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
        "print('end')"
    )
    text = "".join(text for _, text in streamed(outputs))
    assert text.count("thread") == 300
    assert text.count("\n") == 303  # threads write words and line ends in any order
    assert text.endswith("parent\nchild\nend\n")


def test_the_workers_of_pools_read_what_cells_have_computed(kernel):
    _, outputs = kernel.run(
        "import multiprocessing\n"
        "import numpy as np\n"
        "table = np.arange(400_000).reshape(4, -1) * 2\n"
        "def row(i):\n"
        "    print('worker ', end='', flush=True)\n"  # one piece, which no other worker's comes into
        "    return table[i, :2] + np.ones(2), isinstance(table, np.ndarray)\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    out = pool.map(row, range(4))\n"
        "print(np.stack([made for made, _ in out]), all(known for _, known in out))"
    )
    text = "".join(text for _, text in streamed(outputs))
    assert text.count("worker") == 4
    assert text.replace("worker ", "") == "[[1.00000e+00 3.00000e+00]\n [2.00001e+05 2.00003e+05]\n [4.00001e+05 4.00003e+05]\n [6.00001e+05 6.00003e+05]] True\n"


def test_threads_that_know_their_cell_print_below_it(kernel):
    """asyncio.to_thread hands the cell on: both cells print at the same time, and each keeps its own."""
    first = kernel.client.execute(
        "import asyncio, threading\n"
        "go = threading.Event()\n"
        "def say(word, n):\n"
        "    for i in range(n): print(word)\n"
        "task = asyncio.create_task(asyncio.to_thread(lambda: (go.wait(), say('first', 20_000))))\n"
        "await asyncio.sleep(0)"
    )
    second = kernel.client.execute("go.set(); say('second', 20_000); await task")
    text = {first: "", second: ""}
    idle = 0
    while idle < 2 or sum(map(len, text.values())) < 20_000 * len("first\nsecond\n"):  # a cell's text may follow its idle
        published = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        number = published["parent_header"].get("msg_id")
        if published["msg_type"] == "stream":
            text[number] += published["content"]["text"]
        idle += number in text and published["content"].get("execution_state") == "idle"
    assert text == {first: "first\n" * 20_000, second: "second\n" * 20_000}
    for _ in text:
        assert kernel.client.get_shell_msg(timeout=TIMEOUT)["content"]["status"] == "ok"


def test_printed_text_is_in_the_history(kernel, tmp_path):
    kernel.run("import sys; print('for the record'); print('and this', file=sys.stderr)")
    kernel.run("print('y' * 100_000)")
    kernel.text(f"%notebook {tmp_path / 'saved.ipynb'}")
    saved = json.loads((tmp_path / "saved.ipynb").read_text())
    texts = ["".join(out["text"]) for cell in saved["cells"] for out in cell.get("outputs", []) if out["output_type"] == "stream"]
    assert "for the record\n" in texts
    assert "and this\n" in texts
    long = next(text for text in texts if text.startswith("yyy"))
    assert len(long) < 70_000
    assert long.endswith("[the rest is not kept]\n")


def test_replies_carry_what_the_cell_cost(fresh_kernel):
    started = fresh_kernel()

    def cost(code):
        reply = started.client.execute_interactive(code, timeout=TIMEOUT, output_hook=lambda _: None)
        assert reply["content"]["status"] == "ok", reply["content"]
        return reply["metadata"].get("weft")

    assert "no cell has used arrays yet" in started.text("%cost")
    assert cost("x = 1") is None
    cost("%weft_config --gpus 2 --emulate")
    cost("import numpy as np\nx = np.ones(1_000_000)\nfloat(x[0])")
    found = cost("y = x * 2 + 1; z = x.sum(); print(float(z))")
    assert found["operations"] >= 3
    assert found["fused_operations"] >= 2
    assert found["waits"] >= 1
    assert found["tasks"] > 0
    assert found["fallbacks"] == 0
    assert found["wall_seconds"] > 0
    assert set(found["busy_seconds"]) >= {"gpu0", "gpu1"}
    assert sum(found["busy_seconds"].values()) > 0
    assert cost("x = 1") is None
    assert cost("import warnings; warnings.simplefilter('ignore'); np.apply_along_axis(len, 0, np.ones(30_000))")["fallbacks"] == 1
    assert cost("half = y[:500_000] + y[500_000:]; float(half[0])")["moved_bytes"] > 0
    assert "operation" in started.text("%cost")
    started.text("%cost on")
    line = started.text("y = np.ones(1_000_000) + 1; print(y[0])")
    assert line.startswith("2.0\n") and "operations (" in line and "task" in line
    assert started.text("print(3)") == "3\n"
    started.text("%cost off")
    assert started.text("print((np.ones(10) + 1)[0])") == "2.0\n"
    content, _ = started.run("%cost maybe")
    assert content["ename"] == "UsageError"


def test_time_says_when_arrays_are_complete(kernel):
    kernel.text("import numpy as np\nx = np.ones((400, 400))")
    text = kernel.text("%time y = x @ x")
    assert "Wall time" in text and "Arrays complete after: " in text and "(1 operation)" in text
    assert kernel.text("float(y[0, 0])") == "400.0"
    text = kernel.text("%%time\nz = y + 1\nz = z * 2")
    assert "(2 operations)" in text and kernel.text("float(z[0, 0])") == "802.0"
    assert "Arrays complete" not in kernel.text("%time sum(range(10))")
    content, outputs = kernel.run("%time x + np.ones(3)")
    assert content["ename"] == "ValueError"


def test_inspection_says_where_a_function_runs(kernel):
    kernel.text("import numpy as np\ndef mine(): pass")

    def about(name):
        message = kernel.client.inspect(name, len(name))
        while (reply := kernel.client.get_shell_msg(timeout=TIMEOUT))["parent_header"]["msg_id"] != message:
            pass
        assert reply["content"]["found"], name
        return reply["content"]["data"]["text/plain"]

    ways = {"np.sqrt": "natively", "np.apply_along_axis": "in NumPy", "np.nextafter": "NumPy's own loop", "np.nanmean": "NumPy's own Python text"}
    for name, where in ways.items():
        assert "Runs:" in about(name) and where in about(name).partition("Runs:")[2], about(name)
    assert "Runs:" not in about("mine") and "Runs:" not in about("len")
    # Before that comes NumPy's documentation, all of it.
    import numpy

    for name, original in {"np.sin": numpy.sin, "np.mean": numpy.mean, "np.linalg.inv": numpy.linalg.inv, "np.ndarray.sum": numpy.ndarray.sum}.items():
        document, _, where = about(name).partition("Runs:")
        assert inspect.getdoc(original) in document and "natively" in where, about(name)


def test_the_viewer_shows_what_the_kernel_does(fresh_kernel):
    kernel = fresh_kernel()
    address = kernel.text("import weft\nprint(weft.profile.viewer().url)").strip()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def show(path=""):
        with browser.open(address if not path else urllib.parse.urljoin(address, path), timeout=TIMEOUT) as answer:
            return answer.read().decode()

    assert "No array operation has run yet" in show()
    kernel.text("import numpy as np\nx = np.ones(1_000_000) + 1\nfloat(x.sum())")
    assert 'id="canvas"' in show()
    assert 'id="data"' in show("timeline.html")
    assert "digraph" in show("dataflow.dot")
    assert show("dataflow.svg").lstrip().startswith("<")
    assert "In[" in show("summary.txt")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urllib.parse.urljoin(address, "trace.json"), timeout=TIMEOUT)  # without the cookie
    shown = kernel.run("%viewer")[1]
    assert address in next(out["data"]["text/html"] for kind, out in shown if kind == "execute_result")


def report_of(text):
    """The file that an error names."""
    return pathlib.Path(text.rsplit("a report is in ", 1)[1].strip())


def test_a_panic_in_a_function_is_an_error_in_the_cell(fresh_kernel):
    kernel = fresh_kernel(env=os.environ | {"WEFT_DEBUG": "panic=sort"})
    kernel.text("import numpy as np\nx = np.arange(5.0) * 2")
    content, _ = kernel.run("np.sort(x)")
    assert content["ename"] == "RuntimeError"
    assert "internal error" in content["evalue"]
    report = report_of(content["evalue"])
    assert "panic in a function: asked for by the name sort" in report.read_text()
    assert "goroutine" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600
    report.unlink()
    assert kernel.text("print(float(x.sum()))") == "20.0\n"


def test_a_panic_in_the_runtime_leaves_the_kernel_alive(fresh_kernel):
    kernel = fresh_kernel(env=os.environ | {"WEFT_DEBUG": "panic=multiply"})
    kernel.text("import numpy as np\nx = np.arange(5.0)\nsmall = x.copy()\nlarge = np.zeros((100_000, 5))\nkept = 'a variable'")
    content, _ = kernel.run("float((x * 2).sum())")
    assert content["ename"] == "RuntimeError"
    report = report_of(content["evalue"])
    assert "panic in the runtime: asked for by the name multiply" in report.read_text()
    report.unlink()
    for later in "float(x.sum())", "large + small", "small[:3] + large[:, :3]", "np.sort(small, kind='stable')":
        again, _ = kernel.run(later)
        assert again["evalue"] == content["evalue"], later
    assert kernel.text("print(kept)") == "a variable\n"


def test_a_panic_ends_a_script_with_an_error(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np\nprint((np.arange(5.0) * 2).sum())\n")
    env = os.environ | {"WEFT_DEBUG": "panic=multiply"}
    ran = subprocess.run([sys.executable, "-m", "weft.run", str(script)], env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert ran.returncode == 1
    assert "RuntimeError: weft: internal error in the runtime" in ran.stderr
    report_of(ran.stderr.strip().splitlines()[-1]).unlink()


LONG = """
import os, signal
from IPython import get_ipython
parsed = []
class Seen:
    def visit(self, tree):
        parsed.append(len(tree.body))
        return tree
def interrupts(lines):
    if len(lines) > 10_000:
        os.kill(os.getpid(), signal.SIGINT)
    return lines
get_ipython().ast_transformers.append(Seen())
"""


def test_a_long_cell_is_interrupted_before_it_is_compiled(fresh_kernel):
    kernel = fresh_kernel()
    kernel.run(LONG)
    lines = "\n".join(f"x = {i}" for i in range(15_000))
    assert kernel.text(lines + "\nx + 1") == "15000"
    kernel.run("get_ipython().input_transformers_post.append(interrupts)")
    content, _ = kernel.run("ran = 1\n" + lines)
    assert content["ename"] == "KeyboardInterrupt"
    kernel.run("get_ipython().input_transformers_post.remove(interrupts)")
    assert kernel.text("print([n for n in parsed if n > 10_000], 'ran' in globals())") == "[15001] False\n"
    content, _ = kernel.run("ran = 1\n" + lines + "\nx = = 1\n")
    assert content["ename"] == "SyntaxError" and "line 15002" in "".join(content["traceback"])
    assert kernel.text("print('ran' in globals())") == "False\n"
    assert kernel.text(lines + "\nimport asyncio\nprint(await asyncio.sleep(0, 5), x)\n") == "5 14999\n"
