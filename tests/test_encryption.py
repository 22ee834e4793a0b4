"""Encrypted connections: libzmq is the other side, as Jupyter's client configures it."""

import json
import subprocess
import sys

import pytest
import zmq
from conftest import TIMEOUT
from jupyter_client.manager import KernelManager


@pytest.fixture(params=["tcp", "ipc"])
def manager(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the sockets of ipc are
    manager = KernelManager(kernel_name="weft", transport=request.param, transport_encryption="required")
    if request.param == "ipc":
        manager.ip = "sockets"
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


def test_a_client_that_asks_for_encryption_gets_it(manager):
    info = json.loads(open(manager.connection_file).read())
    assert info["curve_publickey"] and info["curve_secretkey"]
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT)
    printed = []
    reply = client.execute_interactive(
        "import numpy as np\nprint(np.arange(5).sum())\nprint('x' * 3_000_000)\ninput('?')",
        output_hook=lambda message: printed.append(message),
        stdin_hook=lambda message: client.input("answer"),
        timeout=TIMEOUT,
    )
    assert reply["content"]["status"] == "ok", reply
    text = "".join(m["content"]["text"] for m in printed if m["msg_type"] == "stream")
    assert text.startswith("10\n") and len(text) == 3_000_004
    assert client.hb_channel.is_beating()
    client.stop_channels()


def test_who_has_not_the_key_hears_nothing(manager):
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=TIMEOUT)
    context = zmq.Context()
    url = client._make_url("iopub")
    strangers = [context.socket(zmq.SUB) for _ in range(2)]
    strangers[1].curve_publickey, strangers[1].curve_secretkey = zmq.curve_keypair()
    strangers[1].curve_serverkey = zmq.curve_keypair()[0]  # of another kernel
    for socket in strangers:
        socket.subscribe(b"")
        socket.connect(url)
    client.execute_interactive("print('secret')", output_hook=lambda message: None, timeout=TIMEOUT)
    client.execute_interactive("print('secret')", output_hook=lambda message: None, timeout=TIMEOUT)
    assert not any(socket.poll(0) for socket in strangers)
    context.destroy(linger=0)
    client.stop_channels()


def test_half_a_pair_of_keys_is_named(tmp_path):
    file = tmp_path / "kernel.json"
    ports = {name + "_port": port for port, name in enumerate(("shell", "iopub", "stdin", "control", "hb"), 50_001)}
    public, _ = zmq.curve_keypair()
    file.write_text(json.dumps({"ip": "127.0.0.1", "key": "k", "curve_publickey": public.decode(), **ports}))
    done = subprocess.run([sys.executable, "-m", "weft_kernel", "-f", str(file)], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode != 0
    assert "curve_secretkey is no key: it has 0 characters, wanted 40" in done.stderr
    assert public.decode() not in done.stderr
