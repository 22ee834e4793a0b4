"""Where an interrupt hits: in the user's code, and nowhere else.

An exception in the wrong line of IPython, of the event loop or of ours leaves a lock locked for ever, a request without
a reply, or an import that cannot be repeated. So SIGINT is raised only while the user's code runs:

    a request comes      IDLE -> ANSWERING    noted, for the statement that follows; also before Python has all of the request
    with users:          ANSWERING -> RUNNING raised; where the cell waits in the loop, its task is cancelled by way of the loop
    the reply is made    RUNNING -> ANSWERING noted, and forgotten with the request
"""

import asyncio
import sys
import threading

from .. import _core
from .shell import ZMQInteractiveShell

# What the main shell does: nothing; it answers a request; in the course of that, the user's code runs.
IDLE, ANSWERING, RUNNING = range(3)


class Interrupts:
    """The handler of SIGINT for a Server: its loop, its task and its debugger."""

    def __init__(self, server):
        self.server = server
        self.stage = IDLE
        self.request = 0  # the handle of the main shell's request
        self.noted = False  # an interrupt has come that was not raised
        self.early = 0  # the handle of a request that is on its way here, and to be interrupted
        self.users = Users(self)

    def begin(self, request):
        """A request of the main shell has come. One that came too late for the last is forgotten."""
        self.noted = False
        self.request = request
        if self.early == request:
            self.noted = True
        self.stage = ANSWERING

    def end(self):
        """Its reply is about to be sent."""
        self.server.shell.interrupted = False
        self.users.depth = 0
        self.stage = IDLE

    def handle(self, number, frame):
        """SIGINT."""
        about = _core.kernel_attended()
        if about > self.request:
            self.early = about
            return
        if about and about != self.request:
            return  # it was for a request that has been answered meanwhile
        task = asyncio.current_task(self.server.loop)
        if frame is None or called(frame, OURS):
            self.noted = True
        elif task is not None and task is self.server.task:
            if self.stage == RUNNING:
                if self.server.debugger:
                    self.server.debugger.interrupted(frame)
                raise KeyboardInterrupt
            self.noted = True
        elif task is not None or called(frame.f_back, (asyncio.Handle._run.__code__,)):
            raise KeyboardInterrupt  # of a task or callback that a cell has left in the loop, and not of the loop itself
        elif self.stage == RUNNING:
            # The cell waits. An exception here, inside the loop, could lose the call that wakes it.
            self.server.loop.call_soon_threadsafe(self.cancel)
        else:
            self.noted = True

    # Tells the extension that what an interrupted cell has queued may be given up.
    handle.raises_keyboard_interrupt = True

    def cancel(self):
        """Interrupt a cell that waits in the loop."""
        if self.stage == RUNNING and not self.server.task.done():
            self.server.shell.interrupted = True
            self.server.task.cancel()


class Users:
    """with users: the user's code runs. Other threads than the main one are not interrupted, and pass through."""

    def __init__(self, interrupts):
        self.interrupts = interrupts
        self.depth = 0  # a cell may run another one

    def __enter__(self):
        if threading.current_thread() is not threading.main_thread():
            return
        self.depth += 1
        if self.depth == 1:
            if self.interrupts.noted:
                self.interrupts.noted = False
                self.depth = 0
                raise KeyboardInterrupt
            self.interrupts.stage = RUNNING

    def __exit__(self, *error):
        if threading.current_thread() is not threading.main_thread():
            return
        self.depth -= 1
        if self.depth == 0:
            self.interrupts.stage = ANSWERING


# Functions that an interrupt leaves alone, with all that they call. Server adds its own.
OURS = {f.__code__ for f in (Interrupts.cancel, Users.__enter__, Users.__exit__, ZMQInteractiveShell._showtraceback)}


def undisturbed(function):
    """Make a function one that an interrupt leaves alone."""
    OURS.add(function.__code__)
    return function


def called(frame, codes):
    """Whether a frame is of one of the functions, or was called by one at any depth."""
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def unraisable(found):
    """Python drops an exception of __del__. An interrupt that hit there has to come again."""
    if found.exc_type is KeyboardInterrupt:
        _core.kernel_interrupt()
    else:
        sys.__unraisablehook__(found)
