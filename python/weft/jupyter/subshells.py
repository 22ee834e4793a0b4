"""The shells beside the main one: subshells of clients, questions beside a running cell, the debugger."""

import asyncio
import sys
import threading
import traceback

from .. import _core
from .dap import keep_out

NOT_DEBUGGED = ("control", "beside")  # shells that must answer while cells stand at breakpoints


class Subshell:
    """The thread of a shell that is not the main one. It has a loop of its own, and shares the variables."""

    def __init__(self, server, name):
        self.server = server
        self.loop = asyncio.new_event_loop()
        self.ended = False
        self.context = server.context.copy()
        thread = threading.Thread(target=self._run, name=f"weft shell {name}", daemon=True)
        if name in NOT_DEBUGGED:
            keep_out(thread)
        thread.start()

    def begin(self, item):
        """Answer a request in the thread."""
        self.loop.call_soon_threadsafe(self._begin, item)

    def end(self):
        """End the thread."""
        self.loop.call_soon_threadsafe(self._end)

    def _begin(self, item):
        self.task = self.loop.create_task(self.server.answer(item), context=self.context)

    def _end(self):
        self.ended = True
        self.loop.stop()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        while not self.ended:
            try:
                self.loop.run_forever()
            except BaseException:  # raised by a task that no cell waits for; the loop goes on
                _core.kernel_log(traceback.format_exc())
        self.loop.close()


class Haste:
    """While questions are answered beside a cell, threads take turns more often: each file that a completion reads
    gives the interpreter's lock away, and a cell that computes keeps it for a whole turn."""

    TURN = 2e-4  # seconds; Python's is 5e-3, and front ends stop waiting for completions after a second

    def __init__(self):
        self.lock = threading.Lock()
        self.questions = 0

    def begin(self):
        """A question has come."""
        with self.lock:
            self.questions += 1
            if self.questions == 1:
                self.before = sys.getswitchinterval()
                sys.setswitchinterval(self.TURN)

    def end(self):
        """A question has been answered."""
        with self.lock:
            self.questions -= 1
            if self.questions == 0:
                sys.setswitchinterval(self.before)
