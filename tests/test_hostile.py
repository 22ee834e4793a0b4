"""A kernel among strangers: they have no key, and do what they like. The owner's cells are answered, and memory is bounded."""

import contextlib
import pathlib
import socket
import struct
import subprocess
import sys
import threading

import pytest

LIMIT = 256 << 20  # bytes of the kernel's resident memory under any load without the key
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)


def ready(kind, identity=b""):
    body = b"\x05READY" + b"\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
    body += b"\x08Identity" + struct.pack(">I", len(identity)) + identity
    return b"\x04" + bytes([len(body)]) + body


class Stranger(threading.Thread):
    """One connection, which says something again and again and reads nothing, or little."""

    def __init__(self, port, kind, says, identity=b""):
        super().__init__(daemon=True)
        self.port, self.kind, self.says, self.identity = port, kind, says, identity
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as s:
                    s.settimeout(0.5)
                    s.sendall(GREETING + ready(self.kind, self.identity))
                    while not self.over.is_set():
                        try:
                            s.sendall(self.says)
                        except TimeoutError:
                            continue
            except OSError:
                self.over.wait(0.05)  # it was thrown out, and comes again


def resident(pid):
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096


LONG = b"\x02" + struct.pack(">Q", 400 << 20)  # the header of a frame of 400 MiB
ATTACKS = {
    "pings that nobody reads": ("shell_port", b"DEALER", (b"\x04\xff\x04PING\x00\x01" + bytes(248)) * 200),
    "heartbeats that nobody reads": ("hb_port", b"REQ", (b"\x02" + struct.pack(">Q", 60_000) + bytes(60_000)) * 4),
    "announced frames": ("control_port", b"DEALER", LONG + bytes(60)),
    "a message without an end": ("stdin_port", b"DEALER", (b"\x01\xff" + bytes(255)) * 200),
    "large messages without a signature": ("shell_port", b"DEALER", b"\x02" + struct.pack(">Q", 8 << 20) + bytes(8 << 20)),
    "subscriptions": ("iopub_port", b"SUB", b"".join(b"\x00\xfb\x01" + str(n).encode().rjust(250) for n in range(500))),
    "subscribers that read nothing": ("iopub_port", b"SUB", b"\x00\x01\x01"),
}


@contextlib.contextmanager
def under_attack(kernel, attack, count):
    """Connections that attack a kernel, from a process of their own: here they would hold up the client."""
    port, _, _ = ATTACKS[attack]
    command = [sys.executable, __file__, str(kernel.manager.get_connection_info()[port]), attack, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"begun\n"
        yield
        process.stdin.close()


def main(port, attack, count):
    _, kind, says = ATTACKS[attack]
    for _ in range(int(count)):
        Stranger(int(port), kind, says).start()
    print("begun", flush=True)
    sys.stdin.read()


@pytest.mark.parametrize("attack", ATTACKS)
def test_strangers_are_bounded(fresh_kernel, attack):
    kernel = fresh_kernel()
    pid = kernel.manager.provisioner.pid
    before = worst = resident(pid)
    with under_attack(kernel, attack, 30):
        # 24 MB of output: more than waits for a subscriber before its publisher does.
        for _ in range(6):
            content, _ = kernel.run("print('x' * 4_000_000)")
            assert content["status"] == "ok"
            worst = max(worst, resident(pid))
        stop = threading.Timer(0.5, kernel.manager.interrupt_kernel)
        stop.start()
        content, _ = kernel.run("while True: print('y' * 1000)")
        assert content["ename"] == "KeyboardInterrupt"
        worst = max(worst, resident(pid))
        assert kernel.client.is_alive()
    assert worst <= LIMIT, f"{worst >> 20} MiB, {before >> 20} before"
    assert kernel.text("print('alive')") == "alive\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
