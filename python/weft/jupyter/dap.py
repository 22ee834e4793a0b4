"""A client of the Debug Adapter Protocol, connected to the debugger in this process.

The debugger (debugpy's pydevd) is the one that connects, to a socket that listens only until it
has: other users of the machine find no port at which a kernel could be told what to run.
"""

import concurrent.futures
import itertools
import json
import socket
import threading


class Refused(Exception):
    """A request that cannot be served; its text says why."""


class Lost(Refused):
    """A request that debugpy will not answer any more."""


def keep_out(thread):
    """Make the debugger neither trace, stop nor show a thread."""
    thread.pydev_do_not_trace = True
    thread.is_pydev_daemon_thread = True


def frame(message):
    """A message as it goes over the wire."""
    body = json.dumps(message).encode("utf-8")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_messages(file):
    """The messages of a stream of bytes, until it ends."""
    while True:
        length = None
        while (line := file.readline()) not in (b"\r\n", b"\n"):
            if not line:
                return
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        if length is None:
            raise ValueError("a message of the debugger has no Content-Length")
        yield json.loads(file.read(length))


class Link:
    """Sends requests, each of which waits for its response. Events go to a function, in the reader's thread."""

    def __init__(self, on_event):
        self._on_event = on_event
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pending = {}  # by number: the command and the future of its response
        self._end = None  # why there is no connection any more

    def connect(self, dial):
        """dial(host, port) makes the debugger connect; it returns the address of the debugger's end."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            wanted = dial(*server.getsockname())
            while True:
                connection, address = server.accept()
                if address == wanted:
                    break
                connection.close()  # another process found the port while it was open
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        reader = threading.Thread(target=self._read, name="weft debugger", daemon=True)
        keep_out(reader)
        reader.start()

    def request(self, command, arguments):
        """The response to a request, whenever it comes."""
        future = concurrent.futures.Future()
        with self._lock:
            if self._end:
                raise Lost(self._end)
            number = next(self._numbers)
            self._pending[number] = command, future
            self._connection.sendall(
                frame({"type": "request", "seq": number, "command": command, "arguments": arguments})
            )
        return future.result()

    def settle(self, commands, outcome):
        """Answer what is pending of certain commands in the debugger's stead: with a response, or a Lost to raise."""
        with self._lock:
            for number, (command, _) in list(self._pending.items()):
                if command in commands:
                    self._answer(number, outcome)

    def lose(self, number, why):
        """The debugger failed at a request, so that no response will come."""
        with self._lock:
            self._answer(number, Lost(why))

    def close(self):
        """End the connection, and with it the debugger."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended already
            return

    def _answer(self, number, outcome):
        """Called with the lock held. What was answered before stays answered."""
        _, future = self._pending.pop(number, (None, None))
        if future is None:
            return
        if isinstance(outcome, Lost):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    def _read(self):
        end = "the debugger has closed its connection; restart the kernel to debug again"
        try:
            with self._connection.makefile("rb") as file:
                for message in read_messages(file):
                    if message.get("type") == "event":
                        self._on_event(message)
                    elif message.get("type") == "response":
                        with self._lock:
                            self._answer(message.get("request_seq"), message)
        except Exception as error:
            end = f"the connection to the debugger broke: {type(error).__name__}: {error}"
        finally:
            with self._lock:
                self._end = end
                for number in list(self._pending):
                    self._answer(number, Lost(end))
