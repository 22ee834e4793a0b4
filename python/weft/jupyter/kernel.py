"""The Python side of the Jupyter kernel. weft_kernel.py starts it.

The sockets, the signatures and everything that needs no Python belong to Go and answer
from the first moment, while IPython is still being imported. The main thread runs an
asyncio loop, in which one request after the other is answered: code in cells may await,
and the tasks that it leaves behind go on while the kernel is idle. Each other shell
(subshells of clients, questions beside a running cell, the debugger) has a thread with
a loop of its own; all share the variables.
"""

import asyncio
import contextvars
import inspect
import json
import os
import signal
import sys
import threading
import traceback

from .. import _array_names, _call_stacks, _core, settings
from . import comms, streams
from .costs import show_cost
from .dap import keep_out
from .encoding import encode
from .interrupts import Interrupts, undisturbed, unraisable
from .output_history import OutputHistory
from .shell import make_shell
from .streams import publish
from .subshells import Haste, Subshell

CELLS = ("execute_request",)  # they say themselves when the user's code runs
GRACE = 4.0  # seconds that exit handlers and threads get at the end


class Server:
    """Answers requests: one method for each kind, found through the table HANDLERS."""

    def __init__(self):
        self.interrupts = Interrupts(self)
        self.users = self.interrupts.users
        self.haste = Haste()
        stderr = _core.kernel_capture()
        streams.install()
        self.comms = comms.install()
        self.shell = make_shell(self.comms, self)
        self.output_history = OutputHistory(self.shell.history_manager)
        self.debugger = None
        self.fallen = ""  # the trace of the kernel that crashed before this one, until it has been shown
        self.early = tuple(sys.modules)
        self._enable_faulthandler(stderr)

    @staticmethod
    def _enable_faulthandler(fd):
        """Where all threads are goes to the kernel's log at SIGUSR2."""
        import faulthandler

        if hasattr(signal, "SIGUSR2"):
            faulthandler.register(signal.SIGUSR2, file=fd, all_threads=True)

    def serve(self):
        """Until a client asks for the end, or the user does with exit."""
        self.loop = asyncio.new_event_loop()
        self.task = None  # answers the request that is being answered
        self.ended = False
        # All cells of a shell share one context: what a cell sets in a context variable stays.
        self.context = contextvars.copy_context()
        self.subshells = {}  # threads of the other shells, by name
        self.answering = {}  # the requests that are being answered: the request, and the number of the thread
        self.asking = threading.Lock()  # IPython's completer and inspector answer one at a time
        asyncio.set_event_loop(self.loop)
        signal.signal(signal.SIGINT, self.interrupts.handle)
        sys.unraisablehook = unraisable
        thread = threading.Thread(target=self._receive, name="weft requests", daemon=True)
        keep_out(thread)
        thread.start()
        while not self.ended:
            try:
                self.loop.run_forever()
            except KeyboardInterrupt:  # raised in a task that the cell has started
                self.interrupts.cancel()
            except BaseException:  # SystemExit and the like of a task that no cell waits for; the loop goes on
                _core.kernel_log(traceback.format_exc())
        if self.debugger:
            self.debugger.close()

    def _receive(self):
        """Hand requests to the loops, in a thread; Go gives out a shell's next after the reply to its last."""
        while (item := _core.kernel_next()) is not None:
            shell, kind = item[1].decode(), item[2]
            if not shell:
                self.interrupts.begin(item[0])
                self.loop.call_soon_threadsafe(self._begin, item)
            elif kind == b"close_shell":
                if subshell := self.subshells.pop(shell, None):
                    subshell.end()
            else:
                if shell not in self.subshells:
                    self.subshells[shell] = Subshell(self, shell)
                if kind.decode() not in CELLS:
                    self.haste.begin()
                self.subshells[shell].begin(item)
        self.loop.call_soon_threadsafe(self._end)

    @undisturbed
    def _begin(self, item):
        self.task = self.loop.create_task(self.answer(item), context=self.context)

    @undisturbed
    def _end(self):
        self.ended = True
        self.loop.stop()

    async def answer(self, item):
        """Run the request's handler and reply, whatever happens."""
        number, shell, kind, content, metadata, parent, buffers = item
        request = token = None
        notes = b"{}"
        ends = False
        _core.kernel_begun(number)
        try:
            request = streams.Request(
                number, shell.decode(), kind.decode(), json.loads(content or b"{}"), json.loads(metadata or b"{}"), json.loads(parent or b"{}"), buffers
            )
            token = streams.enter(request)
            self.answering[number] = request, threading.get_ident()
            if request.kind in CELLS:
                reply = HANDLERS[request.kind](self, request)
            else:
                with self.users:
                    reply = HANDLERS[request.kind](self, request)
            if inspect.isawaitable(reply):
                reply = await reply
            reply = encode(reply or {"status": "ok"})
            notes = encode(request.reply_metadata)
        except (KeyboardInterrupt, asyncio.CancelledError):  # before the cell's code or after it
            if request and request.kind == "execute_request" and request.error is None:
                self.shell.show_plainly(KeyboardInterrupt())
            reply = encode(error_reply("KeyboardInterrupt", "", []))
        except BaseException as error:  # a fault of ours, of IPython's, of a hook's or widget's: the client must not wait for ever
            ends = isinstance(error, SystemExit)  # outside of a cell's own code, where it asks for the end
            reply = encode(self.failure(request, error))
        self.answering.pop(number, None)
        if token:
            streams.leave(token)
        if not shell:
            self.interrupts.end()
        elif kind.decode() not in CELLS:
            self.haste.end()
        _core.kernel_reply(number, reply, notes)
        if self.shell.exit_now or ends:
            self.loop.call_soon_threadsafe(self._end)

    @staticmethod
    def failure(request, error):
        """The reply when something else than a cell's own code has raised; what it was can be read below the cell too."""
        lines = traceback.format_exc().splitlines()
        _core.kernel_log("\n".join(lines))
        value = traceback.format_exception_only(error)[-1].strip()  # whatever its __str__ does
        reply = error_reply(type(error).__name__, value.partition(": ")[2], lines)
        if request and request.kind == "execute_request" and request.error is None:
            publish("error", {name: reply[name] for name in ("ename", "evalue", "traceback")})
            reply["execution_count"] = request.number or 0
        return reply

    async def execute(self, request):
        shell, content = self.shell, request.content
        silent = content.get("silent", False)
        store = content.get("store_history", not silent) and not silent
        code = content["code"]
        count = shell.execution_count
        if store:
            request.number = request.count = count = shell.take_number()
        if not silent:
            publish("execute_input", {"code": code, "execution_count": count})
        from IPython.core.inputtransformer2 import leading_empty_lines

        # IPython counts lines from the first one that is not empty.
        text = "".join(leading_empty_lines(code.splitlines(keepends=True)))
        lost = _core.leave_lost()
        if lost:
            print(f"weft: {lost}", file=sys.stderr, flush=True)
        if not silent:  # what front ends run for themselves is no cell of the user's
            _core.begin_cell(f"In[{count}]", text, request.shell)
        if self.fallen and not silent:
            print(f"weft: the kernel before this one crashed, and its variables are lost. Where it was:\n{self.fallen}", file=sys.stderr, flush=True)
            self.fallen = ""
        try:
            if self.debugger:
                self.debugger.cell_begins()
            result = await shell.run(code, store_history=store, silent=silent, cell_id=request.metadata.get("cellId"))
            failure = result.error_before_exec or result.error_in_exec
        except KeyboardInterrupt as interrupt:  # between IPython's own handlers
            failure = interrupt
            if request.error is None:
                shell.showtraceback()
        finally:
            if self.debugger:
                self.debugger.cell_ended()
            cost = None if silent else _core.end_cell(request.shell)
            failure = self.tell_floating(failure)
            if cost:
                _array_names.remember(shell.user_ns)
                request.reply_metadata["weft"] = shell.last_cost = json.loads(cost)
                if shell.show_costs:
                    show_cost(shell.last_cost)
            streams.flush()
            if store:
                self.output_history.add(count)
        expressions = content.get("user_expressions") or {}
        if failure is not None:
            if request.error is None:  # IPython's own report failed, or was interrupted
                shell.show_plainly(failure)
            reply = error_reply(*request.error)
        else:
            with self.users:
                reply = {"status": "ok", "user_expressions": shell.user_expressions(expressions)}
        # The number that the cell was shown with: IPython has counted on by now.
        return {**reply, "execution_count": count, "payload": request.payload}

    def tell_floating(self, failure):
        """Warn of what went wrong in operations that the cell did not wait for. Where warnings are errors, that is how it ended, unless it has failed already."""
        try:
            _core.tell_floating()
        except Warning as error:
            if failure is None:
                self.shell.showtraceback()
                return error
        return failure

    def complete(self, request):
        from IPython.core.completer import provisionalcompleter, rectify_completions

        code, cursor = request.content["code"], request.content["cursor_pos"]
        with self.asking, provisionalcompleter():
            raw = self.shell.Completer.completions(code, cursor)
            found = list(rectify_completions(code, raw))
        start, end = (found[0].start, found[0].end) if found else (cursor, cursor)
        typed = [
            {"start": c.start, "end": c.end, "text": c.text, "type": c.type, "signature": c.signature} for c in found
        ]
        return {
            "status": "ok",
            "matches": [c.text for c in found],
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": typed},
        }

    def inspect(self, request):
        from IPython.utils.tokenutil import token_at_cursor

        content = request.content
        name = token_at_cursor(content["code"], content["cursor_pos"])
        try:
            with self.asking:
                data = self.shell.object_inspect_mime(
                    name, detail_level=content.get("detail_level", 0), omit_sections=content.get("omit_sections", ())
                )
        except KeyError:
            return {"status": "ok", "found": False, "data": {}, "metadata": {}}
        if not self.shell.enable_html_pager:  # front ends would prefer it, and its headings fill a tip of theirs
            data.pop("text/html", None)
        return {"status": "ok", "found": True, "data": data, "metadata": {}}

    def is_complete(self, request):
        status, indent = self.shell.input_transformer_manager.check_complete(request.content["code"])
        reply = {"status": status}
        if status == "incomplete":
            reply["indent"] = " " * (indent or 0)
        return reply

    def history(self, request):
        c, manager = request.content, self.shell.history_manager
        raw, output = c.get("raw", True), c.get("output", False)
        kind = c["hist_access_type"]
        if kind == "tail":
            rows = manager.get_tail(c.get("n") or 1000, raw=raw, output=output, include_latest=True)
        elif kind == "range":
            rows = manager.get_range(c.get("session") or 0, c.get("start") or 1, c.get("stop") or None, raw=raw, output=output)
        elif kind == "search":
            pattern = c.get("pattern") or "*"
            rows = manager.search(pattern, raw=raw, output=output, n=c.get("n") or None, unique=c.get("unique", False))
        else:
            raise ValueError(f"hist_access_type must be range, tail or search, got {kind!r}")
        # IPython calls the running session 0; clients know it by its number.
        number = manager.session_number
        return {"status": "ok", "history": [(session or number, *rest) for session, *rest in rows]}

    def running(self):
        """The cells that run: the request, what to call it, and the number of its thread."""
        for request, thread in list(self.answering.values()):
            if request.kind == "execute_request":
                name = "a cell without a number" if request.number is None else f"In[{request.number}]"
                yield request, name + (" is running" if not request.shell else " is running in a subshell"), thread

    def main_runs(self):
        """Whether a cell of the main shell runs."""
        return any(not request.shell for request, _, _ in self.running())

    def where(self):
        """What the other cells that run are doing, as text."""
        own = streams.answering()
        return _call_stacks.text([(what, thread) for request, what, thread in self.running() if request is not own], self.shell.compile.title)

    def say_where(self, request):
        """Print below a cell what it is doing, since an interrupt has not ended it."""
        own = [(what, thread) for cell, what, thread in self.running() if cell.parent == request.parent]
        print(_call_stacks.text(own, self.shell.compile.title, tasks=False), file=sys.stderr, flush=True)

    def say_late(self, request):
        """Print below a request what keeps the main thread from coming to it."""
        main = [("Python's main thread is in", threading.main_thread().ident)]
        print(_call_stacks.text(main, self.shell.compile.title, tasks=False), file=sys.stderr, flush=True)

    def comm_info(self, request):
        return {"status": "ok", "comms": comms.info(self.comms, request.content.get("target_name"))}

    def comm(self, request):
        comms.receive(self.comms, request)

    def debug(self, request):
        """Answer a front end's debugger, in the control shell's thread."""
        if self.debugger is None:
            from .debugger import Debugger

            self.debugger = Debugger(self.shell, self.early, self._debug_event)
        self.debugging = request
        return self.debugger.process(request.content)

    def _debug_event(self, event):
        """Publish what happened, for those that watch the latest debug request."""
        request = self.debugging  # which must live until it is published: the next one may come meanwhile
        _core.kernel_publish(request.handle, "debug_event", encode(event), b"{}", [])


HANDLERS = {
    "execute_request": Server.execute,
    "complete_request": Server.complete,
    "inspect_request": Server.inspect,
    "is_complete_request": Server.is_complete,
    "history_request": Server.history,
    "comm_info_request": Server.comm_info,
    "comm_open": Server.comm,
    "comm_msg": Server.comm,
    "comm_close": Server.comm,
    "say_where": Server.say_where,
    "say_late": Server.say_late,
    "debug_request": Server.debug,
}


def error_reply(name, value, lines):
    """The content of a reply that reports an exception."""
    return {"status": "error", "ename": name, "evalue": value, "traceback": lines}


def run(flags, crash, fallen):
    """Serve until the end. The Go part has been started, and answers already.

    crash: the file for the trace of a crash, or ""; fallen: what the kernel before this one left there."""
    if crash:
        _core.kernel_log(f"should the process crash, the trace will be in {crash}")
    if fallen:
        _core.kernel_log(f"the kernel before this one crashed:\n{fallen}")
    try:
        settings.start(flags, kernel=True)
        server = Server()
        server.fallen = fallen
        server.serve()
    finally:
        if crash and os.path.getsize(crash) == 0:
            os.unlink(crash)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late to stop anything but the goodbye
        _core.kernel_close()
        # Python waits for the threads that cells left behind; an orphan must not wait for ever.
        last = threading.Timer(GRACE, os._exit, [0])
        last.daemon = True
        last.start()
