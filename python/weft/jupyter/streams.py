"""Which cell output belongs to, and the text streams and prompts of cells.

Output goes below the cell that caused it: the running request of the main thread and of
asyncio tasks is kept in a context variable, and a thread keeps the request of the thread
that started it. What belongs to none goes to the cell that ran last.
"""

import builtins
import contextvars
import getpass
import io
import os
import sys
import threading

from .. import _core
from .encoding import encode


class Request:
    """One message that Python answers. Output may be sent for it as long as it lives."""

    def __init__(self, handle, shell, kind, content, metadata, parent, buffers):
        self.handle = handle
        self.shell = shell  # where it is answered; "" is the main shell
        self.kind = kind
        self.content = content
        self.metadata = metadata
        self.parent = parent  # the header of the request, a dict
        self.buffers = buffers
        self.reply_metadata = {}
        self.number = None  # of a cell that is stored
        self.count = None  # of a cell that is stored: its number, one more when IPython has done with it
        self.error = None  # (ename, evalue, traceback lines) of the cell's exception
        self.payload = []

    def __del__(self, release=_core.kernel_release):
        if self.handle:
            release(self.handle)


_request = contextvars.ContextVar("weft_request", default=None)


def current():
    """The request that the calling code works for; None for the last one that ran."""
    request = _request.get()
    if request is None:
        request = getattr(threading.current_thread(), "_weft_request", None)
    return request


def handle():
    """The current request's handle; 0 stands for the last cell."""
    request = current()
    return request.handle if request else 0


def answering():
    """The request that the calling code answers; None in threads that cells have started."""
    return _request.get()


def publish(kind, content, metadata=None, buffers=()):
    """Send one message below the cell that the calling code works for."""
    _core.kernel_publish(handle(), kind, encode(content), encode(metadata or {}), list(buffers))


def enter(request):
    """Make request the current one; returns what leave() takes."""
    return _request.set(request)


def leave(token):
    _request.reset(token)


def flush():
    """Send what the cell has written. A cell may have put anything for sys.stdout and sys.stderr, None included."""
    _core.kernel_flush(handle())
    for stream in (sys.stdout, sys.stderr):
        if method := getattr(stream, "flush", None):
            method()


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a notebook: text goes to the cell that wrote it."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name, fd):
        super().__init__()
        self._name = name
        self._fd = fd
        self._pid = os.getpid()
        self.buffer = Bytes(self)
        # For print(), which looks here before it looks at the class: text that is simple is collected in C.
        self.write = _core.kernel_writer(name == "stderr", _request.get, self.write)

    @property
    def name(self):
        return f"<{self._name}>"

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if os.getpid() != self._pid:  # a forked child has no Go runtime; the parent reads the descriptor
            os.write(self._fd, text.encode(self.encoding, self.errors))
        elif text:
            if not text.isascii():
                text = text.encode(self.encoding, self.errors).decode(self.encoding)
            _core.kernel_stream(handle(), self._name, text)
        return len(text)

    def flush(self):
        if os.getpid() == self._pid:
            _core.kernel_flush(handle())

    def fileno(self):
        return self._fd

    def isatty(self):
        return False

    def writable(self):
        return True

    def close(self):
        """Does nothing: a notebook's streams last as long as the kernel."""


class Bytes(io.RawIOBase):
    """The .buffer of a Stream: bytes are decoded and written as text."""

    def __init__(self, stream):
        super().__init__()
        self._stream = stream

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._stream.write(data.decode(self._stream.encoding, "replace"))
        return len(data)

    def fileno(self):
        return self._stream.fileno()


def ask(prompt="", password=False):
    """Ask the user of the running cell for a line."""
    try:
        return _core.kernel_input(handle(), str(prompt), password)
    except NotImplementedError as error:
        from IPython.core.error import StdinNotImplementedError

        raise StdinNotImplementedError(str(error)) from None


def _input(prompt="", /):
    """Read a line from the user of the notebook."""
    return ask(prompt)


def _getpass(prompt="Password: ", stream=None):
    """Read a line from the user of the notebook without showing it."""
    return ask(prompt, password=True)


def install():
    """Replace the process's streams and prompts by the notebook's."""
    sys.stdout = Stream("stdout", 1)
    sys.stderr = Stream("stderr", 2)
    builtins.input = _input
    getpass.getpass = _getpass
    start = threading.Thread.start

    def start_with_request(thread):
        thread._weft_request = current()
        start(thread)

    threading.Thread.start = start_with_request
