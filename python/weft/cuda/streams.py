"""Streams and events. weft's operations are in order by what they read and write, so that streams need not order them."""

import operator
import time
import warnings

from .. import _core
from ..compiled.errors import CudaAPIError

__all__ = [
    "default_stream",
    "event",
    "event_elapsed_time",
    "external_stream",
    "legacy_default_stream",
    "per_thread_default_stream",
    "stream",
    "synchronize",
]


def synchronize() -> None:
    """Wait until everything that was launched has run; raises what went wrong in it."""
    _core.sync()


class Stream:
    """A queue of launches, as programs for CUDA know it. All streams are one order here."""

    handle = 0

    def synchronize(self):
        synchronize()

    def auto_synchronize(self):
        """A context that ends with a wait for all that was launched in it."""
        return _Synchronizing(self)

    def add_callback(self, callback, arg=None):
        """Call callback(stream, status, arg) when what was launched so far has run: at once, after a wait for it.

        What it raises is a warning, as it is where the callback has a thread of its own.
        """
        self.synchronize()
        try:
            callback(self, 0, arg)
        except (RecursionError, MemoryError):
            raise
        except Exception as error:
            warnings.warn(f"Exception in stream callback: {error}", stacklevel=2)

    async def async_done(self):
        """The stream, when what was launched so far has run: to be awaited."""
        self.synchronize()
        return self

    def __bool__(self):
        return True

    def __int__(self):
        return self.handle

    def __repr__(self):
        return f"<CUDA stream {self.handle} of weft's>"


class _Synchronizing:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream

    def __exit__(self, *_):
        self.stream.synchronize()


def stream() -> Stream:
    """A new stream."""
    return Stream()


_default = Stream()


def default_stream() -> Stream:
    """The stream that launches are in which name none."""
    return _default


legacy_default_stream = per_thread_default_stream = default_stream


class _External(Stream):
    """A stream of another library's. What weft does to arrays that are shared is in order with all that their libraries do, in any stream."""

    def __init__(self, ptr: int):
        self.handle = ptr

    def synchronize(self):
        synchronize()
        if _core.shares():
            _core.await_stream(self.handle)


def external_stream(ptr) -> Stream:
    """The stream of another library's that CUDA knows by this number, of the GPUs that weft runs on: to wait for it is to wait for both."""
    return _External(operator.index(ptr))


class Event:
    """A moment in the order of launches. Its time is that at which all before it had run: recording it waits for that."""

    def __init__(self, timing=True):
        self.timing, self._at = timing, None

    def record(self, stream=0):
        (stream or default_stream()).synchronize()
        self._at = time.perf_counter_ns()

    def query(self) -> bool:
        return True

    def wait(self, stream=0):
        synchronize()

    def synchronize(self):
        synchronize()

    def elapsed_time(self, evtend: "Event") -> float:
        """Milliseconds from this event to another one."""
        if self._at is None or evtend._at is None:
            raise CudaAPIError(400, "elapsed_time of an event that was not recorded")
        return max(evtend._at - self._at, 1) / 1e6


def event(timing=True) -> Event:
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two events."""
    return evtstart.elapsed_time(evtend)
