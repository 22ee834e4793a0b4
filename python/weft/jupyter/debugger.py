"""Jupyter's debug_request: the Debug Adapter Protocol, and what Jupyter adds to it for notebooks.

Most requests are handed to debugpy, which is imported when a session begins. The others are
answered here, those about variables also without a session. process() is called on a thread of
the kernel's own, since the main thread is the one that stops at breakpoints.
"""

import contextlib
import itertools
import linecache
import os
import re
import sys

import weft
from IPython.core.inputtransformer2 import leading_empty_lines

from . import cellfiles, debuggee, variables
from .dap import Lost, Refused

# Requests of the protocol that the debugger is asked as they are.
FORWARDED = frozenset(
    ("threads", "scopes", "setVariable", "setExpression", "setExceptionBreakpoints", "setFunctionBreakpoints", "stackTrace")
    + ("continue", "next", "stepIn", "stepOut", "stepInTargets", "pause", "gotoTargets", "goto")
    + ("evaluate", "completions", "exceptionInfo", "setDebuggerProperty")
)
# The thread that is stopped answers these. Once it goes on, nothing does.
ANSWERED = frozenset(
    ("scopes", "setVariable", "setExpression", "stackTrace", "variables", "evaluate", "completions", "exceptionInfo")
    + ("stepInTargets",)
)
# These make it go on, and have been obeyed when it does.
OBEYED = frozenset(("continue", "next", "stepIn", "stepOut", "goto"))
# The lists of responses: those that refuse have them, too, and empty. A thread that goes on can no longer be asked what it was about
# to be asked, and clients take these lists without a look at whether they were refused: JupyterLab ends up with an error in its page.
LISTS = {
    "threads": "threads",
    "stackTrace": "stackFrames",
    "scopes": "scopes",
    "variables": "variables",
    "inspectVariables": "variables",
    "modules": "modules",
    "completions": "targets",
    "setBreakpoints": "breakpoints",
}
HIDDEN_NAMES = frozenset(("In", "Out", "exit", "quit", "get_ipython", "debugpy", "special variables"))
HISTORY = re.compile(r"_{1,3}|_i{1,3}|_i?\d+|_[dio]h")  # IPython's names for what was entered and shown


class Debugger:
    """Answers debug requests, one at a time."""

    def __init__(self, shell, early, send_event):
        self.shell = shell
        self.early = early  # names of modules that the kernel has loaded for itself, which are not debugged
        self.send_event = send_event  # called from any thread
        self.files = shell.compile.files
        self.explorer = variables.Explorer()
        self.link = None  # to debugpy, from the first session on
        self.started = False  # whether a session is open
        self.breakpoints = {}  # by file
        self._stopped = set()  # ids of the threads that were reported as stopped
        self._all_stopped = False
        self._scopes = set()  # numbers of the scopes and groups of variables in which IPython's names are hidden
        self._lines_go_at = 0  # where the transformation belongs that drops empty lines, and so moves the others

    def process(self, message):
        """The response to one request. It is a response of the protocol whatever the request is."""
        try:
            command, arguments = self._understand(message)
            handler = getattr(self, "_on_" + command, None)
            if handler:
                found = handler(arguments)
            elif command in FORWARDED:
                found = self._ask(command, arguments)
            else:
                raise Refused(f"unknown command {command!r}")
            response = {"success": True, "body": found}
        except (Refused, Lost) as problem:
            response = {"success": False, "message": str(problem), "body": {}}
        except Exception as error:  # of the debugger, or of a file: the client has to get an answer
            response = {"success": False, "message": f"{type(error).__name__}: {error}", "body": {}}
        known = message if isinstance(message, dict) else {}
        number = known.get("seq")
        number = number if isinstance(number, int) else 0
        command = str(known.get("command", ""))
        if not response["success"] and command in LISTS:
            response["body"] = {LISTS[command]: []}
        return {"type": "response", "seq": number, "request_seq": number, "command": command, **response}

    @staticmethod
    def _understand(message):
        if not isinstance(message, dict):
            raise Refused(f"a debug request is an object, got {type(message).__name__}")
        command, arguments = message.get("command"), message.get("arguments") or {}
        if not isinstance(command, str):
            raise Refused(f"field command of a debug request: got {command!r}, want a text")
        if not isinstance(arguments, dict):
            raise Refused(f"field arguments of {command}: got {arguments!r}, want an object")
        return command, arguments

    def _ask(self, command, arguments):
        """Have debugpy answer; returns the body of its response."""
        if not self.started:
            raise Refused(f"{command}: no debug session; initialize starts one")
        if command in ANSWERED | OBEYED and not self._stopped:
            raise Refused(f"{command}: no thread is stopped")
        if command == "stackTrace" and arguments.get("threadId") not in self._all_stopped_threads():
            raise Refused(f"stackTrace: thread {arguments.get('threadId')!r} is not stopped")
        response = self.link.request(command, arguments)
        if command in OBEYED:
            debuggee.hurry()
        if not response.get("success"):
            raise Refused(response.get("message") or f"{command} failed")
        body = response.get("body") or {}
        for described in (body, *body.get("variables", ())):
            debuggee.split_type(described)
        return body

    # ---- the session ----

    def _on_initialize(self, arguments):
        if self.link is None:
            _ = weft.ndarray  # the package is loaded before anything is traced: stepping would lead into what it imports
            self.link = debuggee.connect(self._happened)
        if not self.started:
            debuggee.trace()
            self.started = True
        transforms = self.shell.input_transformer_manager.cleanup_transforms
        if leading_empty_lines in transforms:
            self._lines_go_at = transforms.index(leading_empty_lines)
            transforms.remove(leading_empty_lines)
        found = self._ask("initialize", arguments)
        # One event for all threads that stop; and what goes wrong in conditions is no reason to stop.
        self._ask(
            "setDebuggerProperty",
            {
                "multiThreadsSingleNotification": True,
                "skipSuspendOnBreakpointException": ["BaseException"],
                "skipPrintBreakpointException": ["NameError"],
            },
        )
        return found

    def _on_attach(self, arguments):
        # Libraries are open to the debugger; the kernel is not. What draws windows is not for notebooks.
        ours = [{"path": path, "include": False} for path in debuggee.hidden_paths(self.early)]
        self._ask("attach", {"justMyCode": False, "guiEventLoop": "none", **arguments, "rules": ours})
        return self._ask("configurationDone", {})

    def _on_configurationDone(self, arguments):
        """Done with attach: clients know only then which breakpoints there are, which must not keep cells waiting."""
        if not self.started:
            raise Refused("configurationDone: no debug session; initialize starts one")
        return {}

    def _on_disconnect(self, arguments):
        # The kernel goes on, whatever the client proposes: shutdown_request ends it.
        try:
            return self._ask("disconnect", {"terminateDebuggee": False})
        finally:
            if self.started:
                self.started = False
                debuggee.untrace()
            self.breakpoints.clear()
            self._goes_on()
            transforms = self.shell.input_transformer_manager.cleanup_transforms
            if leading_empty_lines not in transforms:
                transforms.insert(self._lines_go_at, leading_empty_lines)

    def _happened(self, event):
        """In the link's thread."""
        body = event.get("body") or {}
        if event.get("event") == "stopped":
            self._all_stopped = bool(body.get("allThreadsStopped"))
            self._stopped.add(body.get("threadId"))
        elif event.get("event") == "continued":
            if body.get("allThreadsContinued", True):
                self._goes_on()
            else:
                self._stopped.discard(body.get("threadId"))
        event.pop("pydevd_cmd_id", None)  # no part of the protocol
        self.send_event(event)

    def close(self):
        """At the kernel's end."""
        if self.link:
            debuggee.end(self.link)

    def cell_begins(self):
        """On the thread that a cell runs on, as are the next two."""
        if self.link:
            debuggee.prepare_thread(self.started)

    def interrupted(self, frame):
        """In the handler of SIGINT."""
        if self.started:
            debuggee.interrupt(frame)

    def cell_ended(self):
        if self.started:
            debuggee.resume_thread()

    def _goes_on(self):
        self._stopped.clear()
        self._all_stopped = False
        self._scopes.clear()
        if self.link:
            self.link.settle(OBEYED, {"success": True, "body": {"allThreadsContinued": True}})
            self.link.settle(ANSWERED, Lost("the thread is not stopped any more"))

    def _all_stopped_threads(self):
        stopped = set(self._stopped)
        if self._all_stopped:
            stopped.update(thread["id"] for thread in self._ask("threads", {})["threads"])
        return stopped

    def _on_debugInfo(self, arguments):
        return {
            "isStarted": self.started,
            "hashMethod": "Murmur2",
            "hashSeed": cellfiles.SEED,
            "tmpFilePrefix": self.files.prefix,
            "tmpFileSuffix": cellfiles.SUFFIX,
            "breakpoints": [{"source": source, "breakpoints": found} for source, found in self.breakpoints.items()],
            "stoppedThreads": sorted(self._all_stopped_threads()),
            "richRendering": True,
            "exceptionPaths": ["Python Exceptions"],
            "copyToGlobals": True,
        }

    # ---- sources and breakpoints ----

    def _on_dumpCell(self, arguments):
        return {"sourcePath": self.files.dump(text_of(arguments, "code"))}

    def _on_setBreakpoints(self, arguments):
        source, wanted = arguments.get("source"), arguments.get("breakpoints") or []
        path = text_of(source if isinstance(source, dict) else {}, "path")
        if not isinstance(wanted, list) or not all(isinstance(b, dict) and isinstance(b.get("line"), int) for b in wanted):
            raise Refused("field breakpoints: want a list of objects, each with a line")
        if wanted and not os.path.isfile(path) and path not in linecache.cache:
            raise Refused(f"no file {path}; dumpCell makes the one of a cell")
        kept = ("line", "condition", "hitCondition", "logMessage")
        wanted = [{key: b[key] for key in kept if b.get(key) is not None} for b in wanted]
        found = self._ask("setBreakpoints", {"source": {"path": path}, "breakpoints": wanted})
        # The debugger may have moved them, to the next line that has code.
        placed = [{**b, "line": at.get("line", b["line"])} for b, at in zip(wanted, found["breakpoints"], strict=True)]
        self.breakpoints[path] = placed
        if not placed:
            del self.breakpoints[path]
        return found

    def _on_source(self, arguments):
        source = arguments.get("source")
        path = source.get("path") if isinstance(source, dict) else None
        if not isinstance(path, str):
            return self._ask("source", arguments)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                return {"content": file.read()}
        if path in linecache.cache:
            return {"content": "".join(linecache.getlines(path))}
        raise Refused(f"no source of {path}")

    def _on_modules(self, arguments):
        found = list(sys.modules.items())
        first, count = number_of(arguments, "startModule"), number_of(arguments, "moduleCount") or len(found)
        shown = []
        for i, (name, module) in itertools.islice(enumerate(found), first, first + count):
            path = getattr(getattr(module, "__spec__", None), "origin", None)
            if isinstance(path, str) and path.endswith(".py"):
                shown.append({"id": i, "name": name, "path": path})
        return {"modules": shown, "totalModules": len(found)}

    # ---- variables ----

    def _users(self, name, value):
        """Whether a variable is the program's, and none that IPython puts among them."""
        hidden = name.startswith("__") or name in HIDDEN_NAMES or HISTORY.fullmatch(name)
        return not hidden and self.shell.user_ns_hidden.get(name, self) is not value

    def _on_inspectVariables(self, arguments):
        namespace = {name: value for name, value in self.shell.user_ns.copy().items() if self._users(name, value)}
        return {"variables": self.explorer.list(namespace)}

    def _on_variables(self, arguments):
        number = number_of(arguments, "variablesReference")
        found = self.explorer.children(number)
        if found is not None:
            return {"variables": found}
        if number >= variables.FIRST:
            raise Refused("these variables are outdated; ask inspectVariables again")
        inner = self._ask("variables", arguments)
        if number in self._scopes:
            known = self.shell.user_ns
            inner["variables"] = [v for v in inner["variables"] if self._users(v["name"], known.get(v["name"]))]
            self._scopes.update(v["variablesReference"] for v in inner["variables"] if not v.get("type"))
        return inner

    def _on_scopes(self, arguments):
        found = self._ask("scopes", arguments)
        self._scopes.update(scope["variablesReference"] for scope in found["scopes"])
        return found

    def _on_richInspectVariables(self, arguments):
        """What a notebook would show of a variable. Nothing of one that is gone: front ends ask after each step for those in view."""
        name, frame = text_of(arguments, "variableName"), arguments.get("frameId")
        shown.clear()
        if not name.isidentifier():
            pass  # one of the debugger's groups, such as "special variables"
        elif self._stopped and frame is not None:
            # The thread that is stopped formats it, with the frame's names; the result stays in this process.
            how = f"__import__('sys').modules[{__name__!r}].show({name})"
            with contextlib.suppress(Refused):
                self._ask("evaluate", {"expression": how, "frameId": frame, "context": "repl"})
        elif name in self.shell.user_ns:
            show(self.shell.user_ns[name])
        return shown.pop() if shown else {"data": {}, "metadata": {}}

    def _on_copyToGlobals(self, arguments):
        source, target = text_of(arguments, "srcVariableName"), text_of(arguments, "dstVariableName")
        for name in (source, target):
            if not name.isidentifier():
                raise Refused(f"copyToGlobals: got {name!r}, want a variable's name")
        where = {"frameId": number_of(arguments, "srcFrameId")}
        return self._ask("setExpression", {"expression": f"globals()[{target!r}]", "value": source, **where})


shown = []  # what show() has formatted, for the request that waits for it


def show(value):
    """Format a value as a notebook would show it."""
    from IPython import get_ipython

    if hasattr(type(value), "_ipython_display_"):  # it publishes messages of its own, below the running cell
        data, metadata = {"text/plain": repr(value)}, {}
    else:
        data, metadata = get_ipython().display_formatter.format(value)
    shown[:] = [{"data": data, "metadata": {kind: note for kind, note in metadata.items() if kind in data}}]


def text_of(fields, name):
    if not isinstance(fields.get(name), str):
        raise Refused(f"field {name}: got {fields.get(name)!r}, want a text")
    return fields[name]


def number_of(fields, name):
    value = fields.get(name, 0)
    if not isinstance(value, int):
        raise Refused(f"field {name}: got {value!r}, want a whole number")
    return value
