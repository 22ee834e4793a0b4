"""A Jupyter client that is as fast as pyzmq allows: what it measures is the kernel."""

import hashlib
import hmac
import json
import os
import signal
import subprocess
import tempfile
import time
import uuid

import zmq
from jupyter_client.connect import write_connection_file

DELIMITER = b"<IDS|MSG>"
PATIENCE = 120  # s; only ever reached by a kernel that hangs
GLANCE = 500  # ms between looks at whether the process is still there


class Message:
    """One received message."""

    def __init__(self, frames):
        at = frames.index(DELIMITER)
        header, parent, _, content = frames[at + 2 : at + 6]
        self.kind = json.loads(header)["msg_type"]
        self.parent = (json.loads(parent or b"{}") or {}).get("msg_id")
        self.content = json.loads(content)


class Kernel:
    """A kernel process and the sockets to it. started is when it was launched."""

    def __init__(self, argv):
        self.folder = tempfile.TemporaryDirectory(prefix="weft-bench-")
        self.key = uuid.uuid4().hex.encode()
        self.file, info = write_connection_file(os.path.join(self.folder.name, "kernel.json"), key=self.key)
        self.session = uuid.uuid4().hex
        env = {**os.environ, "IPYTHONDIR": self.folder.name, "JPY_PARENT_PID": str(os.getpid())}
        self.log = open(os.path.join(self.folder.name, "log"), "wb")
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [word.format(connection_file=self.file) for word in argv],
            env=env, stdout=self.log, stderr=self.log, start_new_session=True,
        )  # fmt: skip
        self.context = zmq.Context()
        self.sockets = {}
        for name, kind in (("shell", zmq.DEALER), ("control", zmq.DEALER), ("iopub", zmq.SUB)):
            socket = self.sockets[name] = self.context.socket(kind)
            socket.linger = 0
            socket.reconnect_ivl = 1  # ms: the default's 100 would be in the time of the start
            socket.rcvhwm = 0
            socket.rcvtimeo = GLANCE
            socket.identity = self.session.encode()
            if kind == zmq.SUB:
                socket.subscribe(b"")
            socket.connect(f"tcp://127.0.0.1:{info[name + '_port']}")

    def send(self, channel, kind, content):
        """Send a request; returns its identifier."""
        number = uuid.uuid4().hex
        header = {
            "msg_id": number, "session": self.session, "username": "bench", "date": "2026-01-01T00:00:00.000000Z",
            "msg_type": kind, "version": "5.3",
        }  # fmt: skip
        parts = [json.dumps(part).encode() for part in (header, {}, {}, content)]
        mac = hmac.new(self.key, digestmod=hashlib.sha256)
        for part in parts:
            mac.update(part)
        self.sockets[channel].send_multipart([DELIMITER, mac.hexdigest().encode(), *parts])
        return number

    def receive(self, channel, patience=PATIENCE):
        end = time.monotonic() + patience
        while True:
            try:
                return Message(self.sockets[channel].recv_multipart())
            except zmq.Again:
                if self.process.poll() is not None:
                    with open(self.log.name) as log:
                        raise RuntimeError(f"the kernel ended with {self.process.returncode}:\n{log.read()}") from None
                if time.monotonic() > end:
                    raise

    def reply(self, channel, number):
        while (message := self.receive(channel)).parent != number:
            pass
        return message

    def until_idle(self, number, patience=PATIENCE):
        """What is published for a request, up to its idle."""
        seen = []
        while True:
            message = self.receive("iopub", patience)
            if message.parent != number:
                continue
            seen.append(message)
            if message.kind == "status" and message.content["execution_state"] == "idle":
                return seen

    def until_busy(self, number):
        while True:
            message = self.receive("iopub")
            if message.parent == number and message.content.get("execution_state") == "busy":
                return

    def execute(self, code):
        """Run a cell that must succeed; returns what it publishes."""
        number = self.send("shell", "execute_request", {"code": code, "silent": False, "store_history": False, "allow_stdin": False})
        published = self.until_idle(number)
        reply = self.reply("shell", number)
        if reply.content["status"] != "ok":
            raise RuntimeError(f"{code!r} fails: {reply.content}")
        return published

    def kernel_info(self, channel="shell"):
        return self.reply(channel, self.send(channel, "kernel_info_request", {}))

    def subscribed(self):
        """Waits until what the kernel publishes arrives here."""
        self.sockets["iopub"].rcvtimeo = 50
        while True:
            number = self.send("shell", "kernel_info_request", {})
            self.reply("shell", number)
            try:
                self.until_idle(number, patience=0.05)
                break
            except zmq.Again:
                continue
        self.sockets["iopub"].rcvtimeo = GLANCE

    def resident(self):
        """Bytes of the process and its children."""
        import psutil

        process = psutil.Process(self.process.pid)
        return sum(p.memory_info().rss for p in (process, *process.children(recursive=True)))

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for socket in self.sockets.values():
            socket.close()
        self.context.term()
        self.log.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
