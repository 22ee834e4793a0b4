"""Whatever user code raises where no cell runs, each request is answered, and the next one too."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import TIMEOUT
from jupyter_client import BlockingKernelClient

RAISES = """
import sys, asyncio
from IPython import get_ipython
class Odd(BaseException):
    def __str__(self): raise ValueError("this too")
"""


def alive(kernel):
    assert kernel.text("print('alive')").endswith("alive\n")  # asyncio may have said something before


def comm(kernel, name):
    """Open a comm to a target that the user has registered; returns when its request is idle."""
    session = kernel.client.session
    message = session.msg("comm_open", {"comm_id": "c", "target_name": name, "data": {}})
    kernel.client.shell_channel.send(message)
    while True:
        said = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        if said["parent_header"].get("msg_id") == message["header"]["msg_id"] and said["content"].get("execution_state") == "idle":
            return


@pytest.mark.parametrize("raised", ["Odd()", "asyncio.CancelledError()", "GeneratorExit()", "KeyboardInterrupt()"])
def test_what_hooks_and_handlers_raise(fresh_kernel, raised):
    kernel = fresh_kernel()
    kernel.text(RAISES + f"def fall(*a, **k): raise {raised}\n")
    kernel.text("get_ipython().kernel.comm_manager.register_target('t', fall)")
    comm(kernel, "t")
    alive(kernel)
    kernel.text("class Asked:\n    __doc__ = property(fall)\n    def __repr__(self): fall()\nasked = Asked()")
    assert kernel.client.inspect("asked", reply=True, timeout=TIMEOUT)["content"]["status"] in ("ok", "error")
    alive(kernel)
    kernel.run("asked")
    alive(kernel)
    kernel.run("get_ipython().events.register('post_run_cell', fall)")
    content, _ = kernel.run("1")
    assert content["status"] in ("ok", "error")
    kernel.run("get_ipython().events.unregister('post_run_cell', fall)")
    alive(kernel)
    kernel.run("get_ipython().input_transformers_cleanup.append(fall)")
    content, _ = kernel.run("1")
    assert content["status"] == "error"
    kernel.run("get_ipython().input_transformers_cleanup.remove(fall)")
    # What transforms cells is broken for good, but requests are answered.
    assert kernel.client.kernel_info(reply=True, timeout=TIMEOUT)["content"]["status"] == "ok"
    assert kernel.client.complete("pri", reply=True, timeout=TIMEOUT)["content"]["status"] in ("ok", "error")


@pytest.mark.parametrize("raised", ["Odd()", "SystemExit(1)", "KeyboardInterrupt()"])
def test_what_is_left_in_the_loop_raises(fresh_kernel, raised):
    kernel = fresh_kernel()
    kernel.text(RAISES + f"def fall(*a, **k): raise {raised}\nasyncio.get_event_loop().call_soon(fall)\nasync def falls(): fall()\ntask = asyncio.ensure_future(falls())")
    alive(kernel)
    alive(kernel)


def test_exit_in_a_comm_ends_the_kernel(fresh_kernel):
    kernel = fresh_kernel()
    kernel.text("get_ipython().kernel.comm_manager.register_target('t', lambda *a: __import__('sys').exit())")
    comm(kernel, "t")
    kernel.manager.provisioner.process.wait(TIMEOUT)


def test_streams_that_are_none(fresh_kernel):
    kernel = fresh_kernel()
    content, _ = kernel.run("import sys\nsys.stdout = sys.stderr = None\nprint('nowhere')")
    assert content["status"] == "ok"
    content, _ = kernel.run("sys.stdout, sys.stderr = sys.__stdout__, object()\n1 + 1")
    assert content["status"] == "ok"


def test_a_loop_that_does_not_come_back_is_named(fresh_kernel):
    kernel = fresh_kernel()
    kernel.text("import asyncio, time\ndef busy():\n    while True:\n        pass\nh = asyncio.get_event_loop().call_later(0, busy)")
    said = []
    end = threading.Event()

    def interrupt():
        end.wait(TIMEOUT)
        kernel.manager.interrupt_kernel()

    helper = threading.Thread(target=interrupt)
    helper.start()

    def hear(message):
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])
            if "in busy" in "".join(said):
                end.set()

    kernel.client.execute_interactive("1 + 1", output_hook=hear, timeout=TIMEOUT)
    helper.join()
    text = "".join(said)
    assert "Python has not come back to its event loop" in text and "in busy" in text, text
    alive(kernel)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_the_kernel_leave_no_files(tmp_path, number):
    env = os.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path)}

    def kernel(*words):  # below nohup, programs inherit that SIGHUP is ignored, and keep to it
        return subprocess.Popen([sys.executable, "-m", "weft_kernel", *words], env=env, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))

    process, ipc = kernel(), kernel("-f", str(connection_file(tmp_path)))
    client = BlockingKernelClient(connection_file=str(tmp_path / "ipc.json"))
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT)
    # A forked child has none of the kernel's files, and ends by the signal too.
    code = f"import os\nif not (pid := os.fork()):\n    import time; time.sleep(600)\nos.kill(pid, {int(number)})\nprint(os.waitpid(pid, 0)[1])"
    said = []
    client.execute_interactive(code, output_hook=said.append, timeout=TIMEOUT)
    assert "".join(m["content"]["text"] for m in said if m["msg_type"] == "stream") == f"{int(number)}\n"
    assert len(list(tmp_path.glob("sockets-*"))) == 5
    client.stop_channels()
    while not list(tmp_path.glob("kernel-*.json")):
        assert process.poll() is None
        time.sleep(0.01)
    for one in (process, ipc):
        one.send_signal(number)
        assert one.wait(TIMEOUT) == -number
    assert [p.name for p in tmp_path.iterdir()] == ["ipc.json"]  # its client's


def connection_file(folder):
    path = folder / "ipc.json"
    ports = {name + "_port": port for port, name in enumerate(("shell", "iopub", "stdin", "control", "hb"), 1)}
    path.write_text(json.dumps({"transport": "ipc", "ip": str(folder / "sockets"), "key": "k", **ports}))
    return path


def test_a_crash_leaves_a_trace(fresh_kernel):
    kernel = fresh_kernel()
    file = pathlib.Path(kernel.manager.connection_file)
    trace = file.with_suffix(".crash.txt")
    assert trace.stat().st_size == 0
    kernel.client.execute("def falls():\n    import ctypes\n    ctypes.string_at(0)\nfalls()")
    kernel.manager.provisioner.process.wait(TIMEOUT)
    assert "Segmentation fault" in trace.read_text() and "in falls" in trace.read_text()
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=TIMEOUT)
    content, outputs = kernel.run("1")
    text = "".join(out["text"] for kind, out in outputs if kind == "stream")
    assert content["status"] == "ok" and "the kernel before this one crashed" in text and "in falls" in text
    assert not any(kind == "stream" for kind, _ in kernel.run("2")[1])
    kernel.client.shutdown()
    kernel.manager.provisioner.process.wait(TIMEOUT)
    assert not trace.exists()
