"""Subshells, and what is answered while a cell runs, as Jupyter's own client sees them."""

import pytest
from conftest import TIMEOUT

# A cell that waits until another one lets it go on.
HOLD = f"import threading; gate = threading.Event(); print('held', flush=True); gate.wait({TIMEOUT}); print('went on')"


class Talk:
    """Messages by their parents: several requests are under way at once."""

    def __init__(self, kernel):
        self.kernel, self.client = kernel, kernel.client
        self.replies, self.outputs, self.idle = {}, {}, set()

    def control(self, kind, content=None):
        msg = self.client.session.msg(kind, content or {})
        self.client.control_channel.send(msg)
        while True:
            reply = self.client.get_control_msg(timeout=TIMEOUT)
            if reply["parent_header"].get("msg_id") == msg["header"]["msg_id"]:
                return reply["content"]

    def subshell(self):
        return self.control("create_subshell_request")["subshell_id"]

    def send(self, kind, content, subshell=None):
        msg = self.client.session.msg(kind, content)
        if subshell:
            msg["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(msg)
        return msg["header"]["msg_id"]

    def execute(self, code, subshell=None, **options):
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": True, "stop_on_error": True, "user_expressions": {}}
        return self.send("execute_request", content | options, subshell)

    def reply(self, msg_id):
        while msg_id not in self.replies:
            msg = self.client.get_shell_msg(timeout=TIMEOUT)
            self.replies[msg["parent_header"].get("msg_id")] = msg["content"]
        return self.replies[msg_id]

    def _take(self):
        msg = self.client.get_iopub_msg(timeout=TIMEOUT)
        parent = msg["parent_header"].get("msg_id")
        if msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle":
            self.idle.add(parent)
        elif msg["msg_type"] != "status":
            self.outputs.setdefault(parent, []).append((msg["msg_type"], msg["content"]))

    def said(self, msg_id):
        return "".join(
            c["text"] if kind == "stream" else c["data"].get("text/plain", "")
            for kind, c in self.outputs.get(msg_id, ())
            if kind in ("stream", "execute_result", "display_data")
        )

    def until(self, msg_id, text):
        while text not in self.said(msg_id):
            self._take()

    def all(self, msg_id):
        """Everything that the request shows, as text."""
        while msg_id not in self.idle:
            self._take()
        return self.said(msg_id)


@pytest.fixture
def talk(fresh_kernel):
    return Talk(fresh_kernel())


@pytest.fixture
def held(talk):
    """A kernel whose main shell runs a cell, and the cell."""
    cell = talk.execute(HOLD)
    talk.until(cell, "held")
    talk.held = cell
    return talk


def test_cells_of_subshells_run_beside_the_main_shell(held):
    assert "kernel subshells" in held.client.kernel_info(reply=True, timeout=TIMEOUT)["content"]["supported_features"]
    one, other = held.subshell(), held.subshell()
    assert held.control("list_subshell_request")["subshell_id"] == [one, other]
    shown = held.execute("import numpy as np\nnp.arange(4.0).sum()", one)
    assert held.all(shown) == repr(__import__("numpy").arange(4.0).sum())
    assert held.reply(shown)["execution_count"] == 2
    failed = held.execute("1 / 0", other)
    assert held.reply(failed)["ename"] == "ZeroDivisionError"
    awaited = held.execute("import asyncio; await asyncio.sleep(0); print('awaited', _2)", other)
    assert held.all(awaited).startswith("awaited ")
    last = held.execute("gate.set()", one)
    assert held.reply(last)["status"] == "ok"
    assert held.all(held.held) == "held\nwent on\n"
    reply = held.reply(held.held)
    assert (reply["status"], reply["execution_count"]) == ("ok", 1)
    after = held.execute("In[1] == " + repr(HOLD) + " and sorted(Out)")
    assert held.all(after) == "[2]"


def test_output_goes_below_its_own_cell(held):
    sub = held.subshell()
    code = "import os\nprint('python')\nos.system('echo process')\nos.write(1, b'descriptor\\n');"
    beside = held.execute("import threading\nt = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\nprint('main')", sub)
    assert held.all(beside) == "thread\nmain\n"
    free = held.execute("gate.set()", sub)
    held.reply(free)
    assert held.all(held.held) == "held\nwent on\n"
    alone = held.execute(code, sub)  # nothing else runs: what is written to the descriptors is this cell's
    assert held.all(alone) == "python\nprocess\ndescriptor\n"


def test_interrupts_are_for_the_main_shell(held):
    sub = held.subshell()
    other = held.execute(f"threading.Event().wait(0) or print('other held', flush=True); free = threading.Event(); free.wait({TIMEOUT})", sub)
    held.until(other, "other held")
    held.kernel.manager.interrupt_kernel()
    assert held.reply(held.held)["ename"] == "KeyboardInterrupt"
    held.execute("free.set()")
    assert held.reply(other)["status"] == "ok"


def test_both_shells_may_ask_at_once(held):
    sub = held.subshell()
    asks = held.execute("print('got', input('sub? '))", sub)
    question = held.client.get_stdin_msg(timeout=TIMEOUT)
    assert question["content"]["prompt"] == "sub? "
    held.execute("gate.set()", held.subshell())
    second = held.execute("print('got', input('main? '))")
    other = held.client.get_stdin_msg(timeout=TIMEOUT)
    assert other["content"]["prompt"] == "main? "
    for msg, value, cell in ((other, "m", second), (question, "s", asks)):
        held.client.stdin_channel.send(held.client.session.msg("input_reply", {"value": value}, parent=msg))
        assert held.all(cell) == f"got {value}\n"


def test_a_deleted_subshell_is_gone(talk):
    sub = talk.subshell()
    assert talk.all(talk.execute("import threading; print(threading.current_thread().name)", sub)).startswith("weft shell")
    assert talk.control("delete_subshell_request", {"subshell_id": sub}) == {"status": "ok"}
    assert talk.control("list_subshell_request")["subshell_id"] == []
    late = talk.execute("1", sub)
    assert "there is no subshell" in talk.reply(late)["evalue"]
    assert talk.control("delete_subshell_request", {"subshell_id": sub})["status"] == "error"


def test_questions_are_answered_while_a_cell_runs(held):
    completed = held.reply(held.send("complete_request", {"code": "gat", "cursor_pos": 3}))
    assert "gate" in completed["matches"]
    assert held.reply(held.send("inspect_request", {"code": "gate", "cursor_pos": 2}))["found"]
    assert held.reply(held.send("is_complete_request", {"code": "if x:"}))["status"] == "incomplete"
    history = held.reply(held.send("history_request", {"hist_access_type": "tail", "n": 1, "raw": True, "output": False}))
    assert history["history"][0][2] == HOLD
    assert held.reply(held.send("comm_info_request", {})) == {"status": "ok", "comms": {}}


def test_comms_live_in_a_subshell(held):
    sub = held.subshell()
    made = held.execute(
        "import comm\nc = comm.create_comm(target_name='t')\nc.on_msg(lambda m: (print('heard', m['content']['data']), c.send({'back': 1})))", sub
    )
    held.all(made)
    comm_id = next(c["comm_id"] for kind, c in held.outputs[made] if kind == "comm_open")
    told = held.send("comm_msg", {"comm_id": comm_id, "data": {"x": 7}}, sub)
    assert held.all(told) == "heard {'x': 7}\n"
    assert [c["data"] for kind, c in held.outputs[told] if kind == "comm_msg"] == [{"back": 1}]


def test_a_widget_does_not_take_a_figure_away(talk):
    """Figures are shown when their cell has ended, even if a message of a widget comes in between."""
    sub = talk.subshell()
    made = talk.execute("import comm\nc = comm.create_comm(target_name='t')\nc.on_msg(lambda m: print('heard'))")
    talk.all(made)
    comm_id = next(c["comm_id"] for kind, c in talk.outputs[made] if kind == "comm_open")
    cell = talk.execute("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\n" + HOLD)
    talk.until(cell, "held")
    told = talk.send("comm_msg", {"comm_id": comm_id, "data": {}}, sub)
    assert talk.all(told) == "heard\n"
    talk.reply(talk.execute("gate.set()", sub))
    talk.all(cell)
    assert [kind for kind, c in talk.outputs[cell] if "image/png" in c.get("data", ())] == ["display_data"]


def test_where_says_what_a_stuck_cell_does(talk):
    talk.reply(talk.execute("def deep(n):\n    if n:\n        return deep(n - 1)\n    print('deep', flush=True)\n    gate.wait(1000)"))
    stuck = talk.execute("import threading\ngate = threading.Event()\n\ndeep(3)")
    talk.until(stuck, "deep")
    for report in (talk.all(talk.execute("%where")), talk.all(talk.execute("%where", talk.subshell()))):
        assert "In[2] is running:" in report
        assert "In[2] line 4\n    deep(3)" in report
        assert "In[1] line 5, in deep\n    gate.wait(1000)" in report
        assert "IPython" not in report
    talk.kernel.manager.interrupt_kernel()
    assert talk.reply(stuck)["ename"] == "KeyboardInterrupt"
    assert talk.all(talk.execute("%where")).startswith("no other cell is running")


def test_where_says_what_arrays_are_waited_for(talk):
    # More work than any machine does during the test.
    stuck = talk.execute("import numpy as np\nx = np.ones((3000, 3000))\nprint('begun', flush=True)\nfor _ in range(10**6):\n    x = (x @ x) * 1e-3\nprint(x.sum())")
    talk.until(stuck, "begun")
    while True:
        report = talk.all(talk.execute("%where"))
        if "matmul at In[1] line 5" in report:
            break
    assert "tasks: " in report
    assert "In[1] is running:" in report
    talk.kernel.manager.interrupt_kernel()
    assert talk.reply(stuck)["ename"] == "KeyboardInterrupt"


def test_a_cell_that_ignores_an_interrupt_says_where_it_is(talk):
    code = (
        "import threading\ngate = threading.Event()\n"
        "while not gate.is_set():\n    try:\n        print('begun', flush=True)\n        gate.wait(1000)\n    except KeyboardInterrupt:\n        print('ignored', flush=True)"
    )
    stuck = talk.execute(code)
    talk.until(stuck, "begun")
    talk.kernel.manager.interrupt_kernel()
    talk.until(stuck, "this cell still runs")
    talk.until(stuck, "In[1] line 6\n    gate.wait(1000)")
    talk.reply(talk.execute("gate.set()", talk.subshell()))
    assert talk.reply(stuck)["status"] == "ok"


def test_a_wait_inside_a_function_leaves_the_others_alone(talk):
    """nonzero needs a value to know its result's shape. While it waits, other threads go on."""
    code = (
        "import numpy as np\nx = np.ones((3000, 3000))\nfor _ in range(100):\n    x = (x @ x) * 1e-3\n"
        "print('begun', flush=True)\nn = len(np.nonzero(x)[0])"
    )
    stuck = talk.execute(code)
    talk.until(stuck, "begun")
    assert talk.all(talk.execute("6 * 7", talk.subshell())) == "42"
    assert talk.all(talk.execute("np.arange(3.0)[np.arange(3) > 0].sum()", talk.subshell())) != ""
    assert stuck not in talk.idle
    talk.kernel.manager.interrupt_kernel()
    assert talk.reply(stuck)["ename"] == "KeyboardInterrupt"
