"""Attacks on a kernel by processes that have no key: python tests/strangers.py PORTS ATTACK COUNT [ATTACK COUNT ...]

PORTS is JSON, the ports of a connection file. All that is sent goes to 127.0.0.1. The process says "begun" when the connections are on
their way, and goes on until its standard input ends. It stands beside the kernel and beside what measures: an attack from a thread
of the client's would hold up the client. tests/test_hostile.py, make soak and make bench-hostile use it.
"""

import contextlib
import json
import pathlib
import socket
import struct
import subprocess
import sys
import threading
from typing import NamedTuple

import zmq

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
PORTS = ("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port")
PEERS = {"iopub_port": b"SUB", "hb_port": b"REQ"}  # DEALER for the others


def ready(kind, identity=b""):
    body = b"\x05READY" + b"\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    body += b"\x08Identity" + struct.pack(">I", len(identity)) + identity
    return b"\x04" + bytes([len(body)]) + body


def long(size, more=False):
    """The header of a frame of size bytes."""
    return bytes([2 + more]) + struct.pack(">Q", size)


class Attack(NamedTuple):
    """What each connection of an attack does."""

    ports: tuple  # the connections take turns among them
    says: bytes  # again and again, as fast as it is taken
    pause: float = 0  # seconds between
    leaves: bool = False  # and comes again, behind each time
    reads: int = 0  # bytes a second; all others read nothing
    count: int = 30  # connections


NOT_SIGNED = b"\x01\x09<IDS|MSG>" + b"\x01\x40" + b"0" * 64 + b"\x01\x02{}" * 3 + b"\x00\x02{}"
SUBSCRIBE = b"\x00\x01\x01"
ATTACKS = {
    "pings that nobody reads": Attack(("shell_port",), (b"\x04\xff\x04PING\x00\x01" + bytes(248)) * 200),
    "heartbeats that nobody reads": Attack(("hb_port",), (long(60_000) + bytes(60_000)) * 4),
    "announced frames of 512 MB": Attack(("control_port",), long((512 << 20) - 1) + bytes(60)),
    "messages without an end": Attack(("stdin_port",), (b"\x01\xff" + bytes(255)) * 200),
    "half messages": Attack(("shell_port", "control_port"), b"\x01\xff" + bytes(255) + long(1 << 20) + bytes(200_000), pause=0.2, leaves=True),
    "large messages without a signature": Attack(("shell_port",), long(8 << 20) + bytes(8 << 20)),
    "small messages without a signature": Attack(("control_port",), NOT_SIGNED * 100),
    "large messages on the control port": Attack(
        ("control_port",), b"\x01\x09<IDS|MSG>" + b"\x01\x40" + b"0" * 64 + b"\x01\x02{}" * 3 + long(8 << 20) + bytes(8 << 20)
    ),
    "subscriptions": Attack(("iopub_port",), b"".join(b"\x00\xfb\x01" + str(n).encode().rjust(250) for n in range(500))),
    "subscribers that read nothing": Attack(("iopub_port",), SUBSCRIBE),
    "subscribers that read 64 KB/s": Attack(("iopub_port",), SUBSCRIBE, reads=65_536),
    "500 open connections": Attack(PORTS, b"\x00\x00", pause=1, count=500),
    "500 connections that flood the control port": Attack(("control_port",), NOT_SIGNED * 20, count=500),
    "messages of the kernel's sent back": None,  # Replay
}


class Stranger(threading.Thread):
    """One connection of an attack."""

    def __init__(self, port, kind, attack):
        super().__init__(daemon=True)
        self.port, self.kind, self.attack = port, kind, attack
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as s:
                    s.settimeout(0.5)
                    s.sendall(GREETING + ready(self.kind))
                    self.stay(s)
            except OSError:
                self.over.wait(0.05)  # it was thrown out, and comes again

    def stay(self, s):
        said = False
        while not self.over.is_set():
            if self.attack.reads:
                if not said:
                    s.sendall(self.attack.says)
                    said = True
                with contextlib.suppress(TimeoutError):
                    s.recv(self.attack.reads // 10)
                self.over.wait(0.1)
                continue
            with contextlib.suppress(TimeoutError):
                s.sendall(self.attack.says)
            if self.attack.pause:
                self.over.wait(self.attack.pause)
            if self.attack.leaves:
                return


class Replay(threading.Thread):
    """Sends each message that the kernel publishes back to it, as a request; all of them have good signatures."""

    def __init__(self, ports):
        super().__init__(daemon=True)
        self.ports = ports

    def run(self):
        context = zmq.Context()
        seen = context.socket(zmq.SUB)
        seen.subscribe(b"")
        seen.connect(f"tcp://127.0.0.1:{self.ports['iopub_port']}")
        back = []
        for name in ("shell_port", "control_port", "stdin_port"):
            back.append(context.socket(zmq.DEALER))
            back[-1].sndtimeo = 0
            back[-1].connect(f"tcp://127.0.0.1:{self.ports[name]}")
        while True:
            _, *frames = seen.recv_multipart()
            for s in back * 5:
                with contextlib.suppress(zmq.Again):
                    s.send_multipart(frames)


def begin(ports, name, count):
    """Starts the threads of an attack."""
    attack = ATTACKS[name]
    if attack is None:
        Replay(ports).start()
        return
    for i in range(count or attack.count):
        port = attack.ports[i % len(attack.ports)]
        Stranger(ports[port], PEERS.get(port, b"DEALER"), attack).start()


@contextlib.contextmanager
def beside(connection, *names, count=0):
    """Attacks the kernel of a connection file's content for as long as the context lasts; a count of 0 is each attack's own."""
    ports = json.dumps({name: connection[name] for name in PORTS})
    words = [word for name in names for word in (name, str(count))]
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), ports, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        try:
            yield
            assert process.poll() is None, "the attack has ended by itself"
        finally:
            process.kill()  # its threads wait for a kernel that takes nothing


def main(ports, *words):
    for name, count in zip(words[::2], words[1::2], strict=True):
        begin(json.loads(ports), name, int(count))
    print("begun", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
