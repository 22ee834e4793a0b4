"""The programs that people use beside JupyterLab: nbclient, papermill, jupyter execute, nbconvert, consoles, VS Code."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest
from conftest import TIMEOUT
from jupyter_client.manager import KernelManager


def notebook(*sources, **metadata):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "weft", "display_name": "weft", "language": "python"}, **metadata})


def jupyter(*words, cwd):
    """Run a command of Jupyter's; returns what it said."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT)
    return done.returncode, done.stdout + done.stderr


# ---- programs that execute notebooks ----


def test_nbclient_keeps_the_order(tmp_path):
    made = notebook(
        "import numpy as np, os, sys\nfrom IPython.display import display\n"
        "print('one')\nprint('two', file=sys.stderr)\ndisplay(3)\nos.system('echo four')\nnp.arange(5)",
        "print('a', end='')\nfrom IPython.display import clear_output\nclear_output(wait=True)\nprint('b')",
        "handle = display('first', display_id=True)",
        "handle.update('second')",
    )
    client = nbclient.NotebookClient(made, timeout=TIMEOUT, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    first, cleared, updated, _ = made.cells
    said = [out.get("name") or out.output_type for out in first.outputs]
    assert said == ["stdout", "stderr", "display_data", "stdout", "execute_result"]
    assert first.outputs[-1].data["text/plain"] == "array([0, 1, 2, 3, 4])"
    assert ">array([0, 1, 2, 3, 4])</pre>" in first.outputs[-1].data["text/html"]
    assert first.execution_count == first.outputs[-1].execution_count == 1
    assert [out.text for out in cleared.outputs] == ["b\n"]
    assert updated.outputs[0].data["text/plain"] == "'second'"
    assert made.metadata.language_info.name == "python"
    assert "shell.execute_reply" in first.metadata.execution


def test_nbclient_sees_errors(tmp_path):
    made = notebook("before = 1\n1 / 0", "print('never')")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="division by zero"):
        nbclient.NotebookClient(made, timeout=TIMEOUT).execute()
    assert made.cells[0].outputs[0].ename == "ZeroDivisionError"
    assert made.cells[1].outputs == []
    allowed = notebook("1 / 0", "print('goes on')", "import sys; sys.exit(2)", "print('still')")
    nbclient.NotebookClient(allowed, timeout=TIMEOUT, allow_errors=True).execute()
    assert [cell.outputs[0].get("text", cell.outputs[0].get("ename")) for cell in allowed.cells] == [
        "ZeroDivisionError",
        "goes on\n",
        "SystemExit",
        "still\n",
    ]


def test_nbclient_interrupts_what_takes_too_long():
    made = notebook("while True: pass", "print('after')")
    seconds = {made.cells[0].id: 1, made.cells[1].id: TIMEOUT}
    nbclient.NotebookClient(made, timeout_func=lambda cell: seconds[cell.id], interrupt_on_timeout=True, allow_errors=True).execute()
    assert made.cells[0].outputs[0].ename == "KeyboardInterrupt"
    assert made.cells[1].outputs[0].text == "after\n"


def test_papermill(tmp_path):
    papermill = pytest.importorskip("papermill")
    made = notebook("count = 2\nwords = ['x']", "import numpy as np\nprint(words, np.arange(count).sum())", "count * 2")
    made.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(made, tmp_path / "in.ipynb")
    done = papermill.execute_notebook(
        tmp_path / "in.ipynb", tmp_path / "out.ipynb", {"count": 5, "words": ["a", "b"]}, kernel_name="weft", progress_bar=False, cwd=tmp_path
    )
    saved = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert [cell.source for cell in saved.cells] == [cell.source for cell in done.cells]
    assert "injected-parameters" in saved.cells[1].metadata.tags
    assert saved.cells[2].outputs[0].text == "['a', 'b'] 10\n"
    assert saved.cells[3].outputs[0].data["text/plain"] == "10"
    assert saved.metadata.papermill.exception is None
    nbformat.write(notebook("raise ValueError('no such day')"), tmp_path / "in.ipynb")
    with pytest.raises(papermill.PapermillExecutionError, match="no such day"):
        papermill.execute_notebook(tmp_path / "in.ipynb", tmp_path / "out.ipynb", kernel_name="weft", progress_bar=False)


def test_jupyter_execute(tmp_path):
    nbformat.write(notebook("import numpy as np\nprint(np.__name__, np.arange(4).sum())"), tmp_path / "in.ipynb")
    status, said = jupyter("jupyter", "execute", "in.ipynb", "--inplace", cwd=tmp_path)
    assert status == 0, said
    assert nbformat.read(tmp_path / "in.ipynb", as_version=4).cells[0].outputs[0].text == "weft 6\n"
    nbformat.write(notebook("raise ValueError('the message')"), tmp_path / "bad.ipynb")
    status, said = jupyter("jupyter", "execute", "bad.ipynb", cwd=tmp_path)
    assert status != 0 and "the message" in said


@pytest.mark.skipif(importlib.util.find_spec("nbconvert") is None, reason="nbconvert comes with JupyterLab, which is not installed")
def test_nbconvert(tmp_path):
    nbformat.write(notebook("import numpy as np\nnp.eye(2)", "print('\\x1b[31mred\\x1b[0m')"), tmp_path / "in.ipynb")
    status, said = jupyter("nbconvert", "--execute", "--to", "html", "in.ipynb", cwd=tmp_path)
    assert status == 0, said
    page = (tmp_path / "in.html").read_text()
    assert ">array([[1., 0.],\n       [0., 1.]])</pre>" in page and 'class="ansi-red-fg"' in page and "shape (2, 2), float64" in page


# ---- consoles ----


def ask(client, message, channel="shell"):
    """The content of the reply to a message that was sent."""
    get = {"shell": client.get_shell_msg, "control": client.get_control_msg}[channel]
    while (reply := get(timeout=TIMEOUT))["parent_header"].get("msg_id") != message:
        pass
    return reply["content"]


def test_what_a_console_asks(fresh_kernel):
    kernel = fresh_kernel()
    client = kernel.client
    for code, status, indent in (
        ("x = 1", "complete", None),
        ("for i in range(3):", "incomplete", "    "),
        ("def f():\n    return 1\n", "complete", None),
        ("x = (1,", "incomplete", ""),
        ("1 +* 2", "invalid", None),
        ("%timeit", "complete", None),
    ):
        reply = ask(client, client.is_complete(code))
        assert (reply["status"], reply.get("indent")) == (status, indent), code
    for code in ("first = 1", "second = 2"):
        kernel.text(code)
    tail = ask(client, client.history(hist_access_type="tail", n=2, raw=True, output=False))["history"]
    assert [entry[2] for entry in tail] == ["first = 1", "second = 2"]
    found = ask(client, client.history(hist_access_type="search", pattern="sec*", n=1, raw=True, output=False))["history"]
    assert [entry[2] for entry in found] == ["second = 2"]
    kernel.text("6 * 7")
    with_output = ask(client, client.history(hist_access_type="range", session=0, start=3, stop=4, raw=True, output=True))["history"]
    assert [(number, *rest) for _, number, rest in with_output] == [(3, "6 * 7", "42")]
    content, _ = kernel.run("exit(keep_kernel=True)")
    assert content["payload"] == [{"source": "ask_exit", "keepkernel": True}]
    assert kernel.text("print(first)") == "1\n"


def test_jupyter_console(tmp_path):
    """The console itself, fed as from a pipe."""
    if importlib.util.find_spec("jupyter_console") is None:
        pytest.skip("jupyter-console is not installed (make lab installs it)")
    code = "import numpy as np\nnp.arange(3).sum() + 39\n1 / 0\nexit\n"
    env = {**os.environ, "TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_console", "--kernel", "weft", "--simple-prompt"],
        cwd=tmp_path, env=env, input=code, capture_output=True, text=True, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "42" in done.stdout and "ZeroDivisionError" in done.stderr


# ---- VS Code ----


def test_hidden_and_visible_requests_mixed(kernel):
    """VS Code runs code of its own, silently and without a place in the history, between the user's cells."""
    kernel.text("import numpy as np\nmine = np.arange(3)")
    start = kernel.run("0")[0]["execution_count"]
    content, outputs = kernel.run("hidden = 5\nprint('shown')\nhidden", silent=True, store_history=False)
    assert content["status"] == "ok"
    assert [kind for kind, _ in outputs] == ["stream"]  # no input, no value
    content, outputs = kernel.run("print('seen')\nmine.sum()", store_history=False)
    assert [kind for kind, _ in outputs] == ["execute_input", "stream", "execute_result"]
    content, outputs = kernel.run("1 / 0", silent=True, store_history=False)
    assert (content["status"], content["ename"]) == ("error", "ZeroDivisionError")
    content, outputs = kernel.run("'visible'")
    assert content["execution_count"] == start + 1
    history = ask(kernel.client, kernel.client.history(hist_access_type="tail", n=3, raw=True, output=False))["history"]
    assert [entry[2] for entry in history][-2:] == ["0", "'visible'"]
    assert kernel.text("hidden") == "5"


def test_silent_errors_do_not_abort_the_users_cells(kernel):
    client = kernel.client
    bad = client.execute("1 / 0", silent=True, store_history=False)
    good = client.execute("print('runs')")
    assert ask(client, bad)["status"] == "error"
    assert ask(client, good)["status"] == "ok"


def test_expressions(kernel):
    kernel.text("import numpy as np\nmine = np.arange(3)")
    content, _ = kernel.run("", user_expressions={"a": "mine.sum()", "b": "no_such_name", "c": "str(mine)"}, silent=True)
    got = content["user_expressions"]
    assert got["a"]["data"]["text/plain"] == "np.int64(3)"
    assert (got["b"]["status"], got["b"]["ename"]) == ("error", "NameError")
    assert got["c"]["data"]["text/plain"] == "'[0 1 2]'"


def test_completion_as_one_types(kernel):
    """A request per key, the earlier ones not waited for."""
    kernel.text("import numpy as np\nlong_name = {'key one': 1, 'key two': 2}")
    client = kernel.client
    code = "np.linspace"
    asked = [client.complete(code[:i], i) for i in range(1, len(code) + 1)]
    replies = {}
    while len(replies) < len(asked):
        reply = client.get_shell_msg(timeout=TIMEOUT)
        replies[reply["parent_header"]["msg_id"]] = reply["content"]
    assert "linspace" in replies[asked[-2]]["matches"]
    last = replies[asked[5]]  # np.lin
    assert code[: last["cursor_start"]] == "np." and last["cursor_end"] == 6 and "linalg" in last["matches"]
    typed = {entry["text"]: entry["type"] for entry in last["metadata"]["_jupyter_types_experimental"]}
    assert typed["linspace"] == "function" and typed["linalg"] == "module"
    reply = ask(client, client.complete("x = 1\nlong_name['key", len("x = 1\nlong_name['key")))
    assert {match.strip("']") for match in reply["matches"]} >= {"key one", "key two"}
    reply = ask(client, client.complete("'äöü😀'; long_na", len("'äöü😀'; long_na")))
    assert (reply["matches"], reply["cursor_start"]) == (["long_name"], len("'äöü😀'; "))
    assert ask(client, client.complete("%time", 5))["matches"][:1] == ["%time"]


def uncoloured(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_inspection_inside_calls(kernel):
    kernel.text("import numpy as np\ndef documented(a, b=2):\n    'Says what it does.'")
    client = kernel.client
    for code, cursor, want in (("documented(1, ", 14, "Says what it does."), ("np.sqrt(4)", 3, r"Signature:\s+np\.sqrt\(x"), ("x = documented", 7, "b=2")):
        reply = ask(client, client.inspect(code, cursor))
        text = reply["data"]["text/plain"]
        assert reply["found"] and re.search(want, uncoloured(text)) and set(reply["data"]) == {"text/plain"}
    reply = ask(client, client.inspect("documented", 4, detail_level=1))
    assert "def documented(a, b=2):" in uncoloured(reply["data"]["text/plain"])
    reply = ask(client, client.inspect("nothing_there", 3))
    assert reply["status"] == "ok" and not reply["found"]


def test_interrupt_by_message(kernel):
    client = kernel.client
    running = client.execute("print('started', flush=True)\nwhile True: pass")
    while client.get_iopub_msg(timeout=TIMEOUT)["content"].get("text") != "started\n":
        pass
    request = client.session.msg("interrupt_request", {})
    client.control_channel.send(request)
    assert ask(client, request["header"]["msg_id"], "control")["status"] == "ok"
    assert ask(client, running)["ename"] == "KeyboardInterrupt"
    assert kernel.text("print('after')") == "after\n"


def test_cell_ids_and_the_language(kernel):
    """Cells carry their identifier; the kernel says that it speaks Python."""
    kernel.text("seen = []\nget_ipython().events.register('pre_run_cell', lambda info: seen.append(info.cell_id))")
    client = kernel.client
    message = client.session.msg("execute_request", {"code": "1", "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": False}, metadata={"cellId": "vscode-notebook-cell:abc", "deletedCells": []})
    client.shell_channel.send(message)
    assert ask(client, message["header"]["msg_id"])["status"] == "ok"
    assert kernel.text("seen[0]") == "'vscode-notebook-cell:abc'"
    info = ask(client, client.kernel_info())
    language = info["language_info"]
    assert (language["name"], language["file_extension"], language["mimetype"]) == ("python", ".py", "text/x-python")
    assert language["codemirror_mode"] == {"name": "ipython", "version": 3} and language["pygments_lexer"] == "ipython3"
    assert kernel.manager.kernel_spec.language == "python"
    weft = Path(__file__).parent.parent / "bin" / "weft"  # the build stamps the command and the extension alike
    assert subprocess.run([weft, "version"], capture_output=True, text=True).stdout == f"weft {info['implementation_version']}\n"


SLOW_START = """
import os, sys

class Gate:
    @staticmethod
    def find_spec(name, path=None, target=None):
        while name == "weft.jupyter.kernel" and not os.path.exists({gate!r}): pass

sys.meta_path.insert(0, Gate)
"""


def test_an_interrupt_while_the_kernel_starts(tmp_path):
    """Servers interrupt a kernel that has died before they start another, and the message reaches that one."""
    gate = tmp_path / "gate"
    (tmp_path / "sitecustomize.py").write_text(SLOW_START.format(gate=str(gate)))
    manager = KernelManager(kernel_name="weft")
    # A process that a shell started in the background ignores this signal, and so do its children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    manager.start_kernel(env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])})
    signal.signal(signal.SIGINT, before)
    client = manager.client()
    client.start_channels()
    try:
        message = client.session.msg("interrupt_request", {})
        client.control_channel.send(message)
        assert ask(client, message["header"]["msg_id"], "control")["status"] == "ok"
        gate.touch()
        client.wait_for_ready(timeout=TIMEOUT)
        assert ask(client, client.execute("1"))["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
