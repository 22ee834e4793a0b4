"""What is said while a cell or a script goes on for long."""

import os
import pty
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT, TIMEOUT

# Work is long by the clock here: on one core it costs half of what it would on two.
ONE = {**os.environ, "WEFT_PROGRESS": "on", "WEFT_ARGS": "--cpus 1"}

# A chain of products that takes longer than a strip waits for.
LONG = "import numpy as np\nx = np.ones((1500, 1500))\nfor _ in range(16): x = (x @ x) * 1e-4\nprint(int(x[0, 0]) * 0)"


@pytest.fixture
def kernel(fresh_kernel):
    return fresh_kernel(env=ONE)


def strips(outputs):
    """The text, HTML and id of what showed progress, in order."""
    return [
        (kind, out["data"]["text/plain"], out["data"]["text/html"], out["transient"]["display_id"])
        for kind, out in outputs
        if kind in ("display_data", "update_display_data") and out.get("transient", {}).get("display_id", "").startswith("weft-strip")
    ]


def test_long_cells_show_what_they_do(kernel):
    """The cell goes on until its strip has been seen to change."""
    kernel.run("import numpy as np\nnp.ones(3).sum()")
    seen = []

    def watch(message):
        outputs = [(message["msg_type"], message["content"])]
        seen.extend(strips(outputs))
        if len(seen) == 2:
            # Not by the manager, which numbers its messages as the client does: idle of one would be taken for the cell's.
            client = kernel.client
            client.control_channel.send(client.session.msg("interrupt_request", {}))

    forever = "x = np.ones((1500, 1500))\nwhile True:\n    for _ in range(20): x = (x @ x) * 1e-4\n    float(x[0, 0])"
    reply = kernel.client.execute_interactive(forever, timeout=TIMEOUT, output_hook=watch)
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert [kind for kind, *_ in seen[:2]] == ["display_data", "update_display_data"]
    assert len({where for *_, where in seen}) == 1
    _, text, html, _ = seen[1]
    assert re.match(r"[\d.]+ m?s: \d+% of \d+ tasks?, ", text) and "cpu" in text and "host memory" in text, text
    assert html.startswith("<div ") and "<script" not in html and "timeline</a>" in html
    assert "<a " not in seen[-1][2] and "token" not in seen[-1][2]  # this one stays in the notebook


# A cell whose statements end when its strip has been seen, and whose work goes on for seconds.
BEHIND = """import os, time
import numpy as np
x = np.ones((1500, 1500))
for _ in range(40): x = (x @ x) * 1e-4
while not os.path.exists({seen!r}): time.sleep(0.01)"""
RUNNING, ENDED = r"[\d.]+ m?s: \d+% of \d+ tasks?, ", r"[\d.]+ m?s: \d+ tasks?, "


def test_the_strip_goes_on_behind_its_cell_and_ends_with_its_work(kernel, tmp_path):
    kernel.run("import numpy as np\nnp.ones(3).sum()")
    seen = []

    def watch(message):
        seen.extend(strips([(message["msg_type"], message["content"])]))
        if seen:
            (tmp_path / "seen").touch()

    kernel.client.execute_interactive(BEHIND.format(seen=str(tmp_path / "seen")), timeout=TIMEOUT, output_hook=watch)
    assert re.match(RUNNING, seen[-1][1]), seen[-1]
    before = len(seen)
    # nbclient, which saves notebooks, heeds only what belongs to the cell that it runs.
    kernel.client.execute_interactive("float(x[0, 0])", timeout=TIMEOUT, output_hook=watch)
    later = [strip for strip in seen[before:] if strip[3] == seen[0][3]]  # the second cell may have a strip of its own
    assert [kind for kind, *_ in later] == ["update_display_data"] * len(later)
    assert re.match(ENDED, later[-1][1]) and "<a " not in later[-1][2], later[-1]


def test_a_saved_notebook_says_how_the_work_ended(tmp_path):
    (tmp_path / "seen").touch()
    source = BEHIND.format(seen=str(tmp_path / "seen")) + "\ntime.sleep(1.6)"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbformat.write(notebook, tmp_path / "long.ipynb")
    command = [ROOT / "bin" / "weft", "exec", tmp_path / "long.ipynb"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=ONE, check=False)
    assert done.returncode == 0, done.stderr
    (cell,) = nbformat.read(tmp_path / "long.ipynb", as_version=4).cells
    (strip,) = cell.outputs
    assert re.match(ENDED, strip["data"]["text/plain"]), strip


def test_short_cells_and_those_without_arrays_show_nothing(kernel):
    _, outputs = kernel.run("import numpy as np\nfloat(np.ones(10).sum())")
    assert not strips(outputs)
    _, outputs = kernel.run("import time; time.sleep(1.5)")
    assert not strips(outputs)


def test_progress_can_be_turned_off(kernel):
    content, _ = kernel.run("%progress perhaps")
    assert content["ename"] == "UsageError"
    kernel.run("%progress off")
    _, outputs = kernel.run(LONG)
    assert not strips(outputs)


def in_terminal(script, tmp_path, seen=None, **env):
    """What a script writes to a terminal. When it has written the pattern seen, there is a file of that name."""
    (tmp_path / "script.py").write_text(script)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.environ.update(env, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        os.execv(sys.executable, [sys.executable, "-m", "weft.run", "script.py"])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        text += piece
        if seen and re.search(seen, text.decode(errors="replace")):
            (tmp_path / "seen").touch()
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, text
    return text.decode()


# Each wait is twice as long as the one before, until one was long enough for the line.
SCRIPT = """
import os
import numpy as np
x = np.ones((800, 800))
n = 1
while not os.path.exists("seen") and n < 1 << 20:
    for _ in range(n):
        x = (x @ x) * 1e-4
    float(x[0, 0])
    n *= 2
print("done")
"""


def test_scripts_in_a_terminal_say_what_they_wait_for(tmp_path):
    line = r"\r\x1b\[Kweft: waiting [\d.]+ m?s: "
    text = in_terminal(SCRIPT, tmp_path, line, WEFT_PROGRESS="on")
    assert re.search(line, text), text
    assert text.rstrip().endswith("done")
    assert "weft: waiting" not in in_terminal("import numpy as np\nprint(np.ones(3).sum())", tmp_path, WEFT_PROGRESS="on")
