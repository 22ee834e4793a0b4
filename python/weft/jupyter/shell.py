"""IPython's shell with its output going to the Go kernel.

The class is named ZMQInteractiveShell because libraries (tqdm, widgets, plotting) look for
that name to find out that they run in a notebook.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import traceback
import types

from IPython.core.async_helpers import _asyncio_runner
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.events import EventManager, available_events
from IPython.core.history import HistoryOutput
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.payload import PayloadManager
from traitlets import Instance, Type, default
from traitlets.config import Config

from .. import _core
from . import parsing, streams
from .cellfiles import CellFiles
from .formatters import KernelDisplayFormatter
from .inspection import KernelInspector
from .streams import publish

HIDDEN = os.path.dirname(os.path.abspath(_core.__file__)) + os.sep  # the package: not shown in tracebacks


class KernelDisplayHook(DisplayHook):
    """Publishes the value of a cell's last expression. Cells of several shells may end at once."""

    def __init__(self, *args, **keys):
        self._own = threading.local()
        super().__init__(*args, **keys)

    @property
    def exec_result(self):
        return getattr(self._own, "exec_result", None)

    @exec_result.setter
    def exec_result(self, result):
        self._own.exec_result = result

    @property
    def _result(self):
        return self._own.result

    @_result.setter
    def _result(self, result):
        self._own.result = result

    def __call__(self, result=None):
        before = self.shell.last_error
        if result is not None:
            self.shell._note_printed(self.prompt_count)  # the history has what was printed before the value
        super().__call__(result)
        if self.shell.last_error is not before and self.exec_result is not None:
            self.exec_result.error_in_exec = sys.last_value  # the formatters have reported it, and go on

    def start_displayhook(self):
        self._result = {}

    def write_output_prompt(self):
        self._result["execution_count"] = self.prompt_count

    def write_format_data(self, format_dict, md_dict=None):
        self._result["data"] = format_dict
        self._result["metadata"] = md_dict or {}

    def finish_displayhook(self):
        if self._result.get("data"):
            publish("execute_result", self._result)


class KernelDisplayPublisher(DisplayPublisher):
    """Publishes what display() shows."""

    def publish(self, data, metadata=None, *, transient=None, update=False, **kwargs):
        publish(
            "update_display_data" if update else "display_data",
            {"data": data, "metadata": metadata or {}, "transient": transient or {}},
        )

    def clear_output(self, wait=False):
        publish("clear_output", {"wait": wait})


class CellCompiler(CachingCompiler):
    """Names the files that cells are compiled as, and tells the runtime which cell a name stands for."""

    def __init__(self):
        super().__init__()
        self.files = CellFiles()
        self.users = contextlib.nullcontext()  # see the shell's

    def get_code_name(self, raw_code, transformed_code, number):
        return self.files.name(raw_code)

    def cache(self, transformed_code, number=0, raw_code=None):
        name = super().cache(transformed_code, number, raw_code)
        _core.name_source(name, f"In[{number}]")
        return name

    def ast_parse(self, source, filename="<unknown>", symbol="exec"):
        """A cell's syntax tree. It is made in pieces, between which an interrupt is taken."""
        return parsing.parse(source, lambda text: super(CellCompiler, self).ast_parse(text, filename, symbol), lambda: self.users, self.tell)

    @staticmethod
    def tell(length):
        print(f"weft: Python compiles {length / 1e6:.1f} MB that it takes in one piece; it takes an interrupt after that", file=sys.stderr, flush=True)

    def title(self, name):
        """What users call a file: In[3], or its name."""
        number = self._filename_map.get(name)
        return os.path.basename(name) if number is None else f"In[{number}]"


class CellEvents(EventManager):
    """Calls what is registered to run around cells."""

    def trigger(self, event, *args, **keys):
        """A widget's message on a subshell must not flush the figures that a cell of the main shell is drawing."""
        request = streams.answering()
        if request and request.kind == "comm_msg" and request.shell and self.shell.kernel.server.main_runs():
            return
        with self.shell.users:
            super().trigger(event, *args, **keys)


class CellPayloads(PayloadManager):
    """What a cell's reply carries for consoles (pages to show, the next cell's text), kept by cell."""

    def write_payload(self, data, single=True):
        request = streams.current()
        if request is None:
            return
        if single:
            request.payload = [one for one in request.payload if one.get("source") != data.get("source")]
        request.payload.append(data)

    def read_payload(self):
        request = streams.current()
        return request.payload if request else []

    def clear_payload(self):
        if request := streams.current():
            request.payload = []


class KernelHandle:
    """What libraries expect to find at get_ipython().kernel."""

    def __init__(self, shell, comm_manager, server):
        self.shell = shell
        self.comm_manager = comm_manager
        self.server = server
        self.session = types.SimpleNamespace(session="", username=os.environ.get("USER", "user"))

    def get_parent(self, channel=None):
        request = streams.current()
        if request is None:
            return {}
        header = request.parent
        return {
            "header": header,
            "msg_id": header.get("msg_id", ""),
            "msg_type": header.get("msg_type", ""),
            "parent_header": {},
            "metadata": request.metadata,
            "content": request.content,
        }

    @property
    def _parent_header(self):
        return self.get_parent()

    def do_one_iteration(self):
        """Nothing: messages are received by Go at all times."""


class ZMQInteractiveShell(InteractiveShell):
    """InteractiveShell for a kernel."""

    displayhook_class = Type(KernelDisplayHook)
    display_pub_class = Type(KernelDisplayPublisher)
    compiler_class = Type(CellCompiler)
    inspector_class = Type(KernelInspector)
    kernel = Instance(object, allow_none=True)

    last_cost = None  # of the last cell that used the runtime
    show_costs = False  # a line below each cell: %cost on
    next_number = 1  # of the next cell that is stored
    keepkernel_on_exit = None
    users = contextlib.nullcontext()  # what runs the user's code does so in here; see interrupts.py
    interrupted = False  # the running cell's task was cancelled in place of a KeyboardInterrupt
    exiter = Instance(ZMQExitAutocall)  # exit and quit, with keep_kernel=True

    @default("banner1")
    def _no_banner(self):
        return ""

    def get_parent(self):
        """The message that the calling code works for, as a dict; libraries ask here for the cell's identifier."""
        return self.kernel.get_parent()

    parent_header = property(get_parent)

    @default("exiter")
    def _exiter(self):
        return ZMQExitAutocall(self)

    @property
    def execution_count(self):
        """The number of the calling cell; elsewhere that of the next one. Cells of several shells have each their own."""
        request = streams.answering()
        return self.next_number if request is None or request.count is None else request.count

    @execution_count.setter
    def execution_count(self, number):
        request = streams.answering()
        if request is None or request.count is None or number != request.count + 1:
            self.next_number = number  # %reset begins anew
        if request is not None and request.count is not None:
            request.count = number

    @property
    def last_error(self):
        """(ename, evalue, traceback lines) of the calling cell, None if it has not failed."""
        request = streams.answering()
        return request.error if request else None

    @last_error.setter
    def last_error(self, error):
        if request := streams.answering():
            request.error = error

    def take_number(self):
        """The number of a cell that begins."""
        number = self.next_number
        self.next_number += 1
        return number

    def transform_cell(self, raw_cell):
        """Make Python of IPython's syntax, which takes long for a long cell, and calls what the user has registered for it."""
        with self.users:
            return super().transform_cell(raw_cell)

    def should_run_async(self, raw_cell, *, transformed_cell=None, preprocessing_exc_tuple=None):
        """Whether a cell may await. IPython compiles it once more to find out, in one piece."""
        if transformed_cell is not None and preprocessing_exc_tuple is None:
            if "await" not in transformed_cell and "async" not in transformed_cell:
                return False
            if len(transformed_cell) > parsing.SIZE:
                return self.autoawait
        return super().should_run_async(raw_cell, transformed_cell=transformed_cell, preprocessing_exc_tuple=preprocessing_exc_tuple)

    async def run(self, code, **options):
        """run_cell for a caller that runs in the loop, where a cell that awaits must be awaited."""
        try:
            transformed, problem = self.transform_cell(code), None
        except Exception:  # run_cell shows it
            transformed, problem = code, sys.exc_info()
        if self.loop_runner is not _asyncio_runner or not self.should_run_async(
            code, transformed_cell=transformed, preprocessing_exc_tuple=problem
        ):
            return self.run_cell(code, **options)
        result = None
        try:
            result = await self.run_cell_async(
                code, transformed_cell=transformed, preprocessing_exc_tuple=problem, **options
            )
        finally:
            self.events.trigger("post_execute")
            if result is not None and not options.get("silent"):
                self.events.trigger("post_run_cell", result)
        return result

    @contextlib.contextmanager
    def _tee(self, channel):
        """Note in the history what a cell prints, for %notebook. IPython would wrap write(), which costs more than printing."""
        number = self.execution_count
        try:
            yield
        finally:
            if channel == "stdout":  # both at once, in their order
                self._note_printed(number)

    def _note_printed(self, number):
        for piece in json.loads(_core.kernel_printed(streams.handle())):
            kind = "out_stream" if piece["name"] == "stdout" else "err_stream"
            self.history_manager.outputs[number].append(HistoryOutput(kind, {"stream": [piece["text"]]}))

    def init_display_formatter(self):
        self.display_formatter = KernelDisplayFormatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_magics(self):
        super().init_magics()
        from .magics import WeftMagics
        from .pager_magics import PagerMagics

        self.register_magics(WeftMagics, PagerMagics)

    async def run_code(self, *args, **keys):
        """Run a statement of a cell. Only here, and in what is registered to run around cells, do interrupts hit."""
        with self.users:
            return await super().run_code(*args, **keys)

    def init_events(self):
        self.events = CellEvents(self, available_events)
        self.events.register("pre_execute", self._clear_warning_registry)

    def init_payload(self):
        self.payload_manager = CellPayloads(parent=self)
        self.configurables.append(self.payload_manager)

    def init_environment(self):
        """Make programs that cells start behave as if written to a file with colours."""
        env = os.environ
        env["TERM"] = "xterm-color"
        env["CLICOLOR"] = "1"
        env["FORCE_COLOR"] = "1"
        env["CLICOLOR_FORCE"] = "1"
        env["PAGER"] = "cat"
        env["GIT_PAGER"] = "cat"

    def init_hooks(self):
        super().init_hooks()
        from IPython.core import page, payloadpage

        self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    def enable_gui(self, gui=None):
        """Nothing to do: there is no event loop of a toolkit here."""

    def ask_exit(self):
        """Ask the client to end the kernel, which is its to end."""
        self.exit_now = not self.keepkernel_on_exit
        self.payload_manager.write_payload({"source": "ask_exit", "keepkernel": bool(self.keepkernel_on_exit)})

    def set_next_input(self, text, replace=False):
        """Propose the text of the next cell."""
        self.payload_manager.write_payload({"source": "set_next_input", "text": text, "replace": replace})

    def _get_exc_info(self, exc_tuple=None):
        """The exception to show. What a user interrupts is interrupted, not cancelled."""
        kind, value, trace = super()._get_exc_info(exc_tuple)
        # The package's own frames say nothing to the user: those of functions that hand a call
        # on, the import hook between an import and the line that asks for it, and the handler
        # of SIGINT below every line that is interrupted. A frame that was interrupted before its
        # first line has no line number, which IPython's formatter does not expect.
        entry = trace
        while entry is not None and entry.tb_next is not None:
            after = entry.tb_next
            if after.tb_lineno is None or after.tb_frame.f_code.co_filename.startswith(HIDDEN):
                entry.tb_next = entry.tb_next.tb_next
            else:
                entry = entry.tb_next
        if self.interrupted and issubclass(kind, asyncio.CancelledError):
            return KeyboardInterrupt, KeyboardInterrupt().with_traceback(trace), trace
        return kind, value, trace

    def showtraceback(self, exc_tuple=None, **options):
        """Report an exception. IPython's formatters hand over what a printer has raised, and go on as if nothing had been."""
        error = exc_tuple and exc_tuple[1]
        while error is not None and not isinstance(error, KeyboardInterrupt):
            error = error.__context__
        if exc_tuple and error is not None:
            raise error from None  # the printer was interrupted and failed to clean up: the interrupt is what counts
        super().showtraceback(exc_tuple, **options)

    def show_usage_error(self, exc):
        """Say in one line what a magic was not given; that is all of the report."""
        super().show_usage_error(exc)
        self.last_error = (type(exc).__name__, str(exc), [f"{type(exc).__name__}: {exc}"])

    def show_plainly(self, error):
        """Report an exception without IPython's colours and context."""
        lines = "".join(traceback.format_exception(error)).splitlines()
        self._showtraceback(type(error), error, lines)

    def _showtraceback(self, etype, evalue, stb):
        if etype is KeyboardInterrupt and self.last_error and self.last_error[0] == etype.__name__:
            return  # interrupted once more while that was shown
        streams.flush()
        lines = stb if isinstance(stb, list) else [stb]
        publish("error", {"ename": etype.__name__, "evalue": str(evalue), "traceback": lines})
        self.last_error = (etype.__name__, str(evalue), lines)


def make_shell(comm_manager, server):
    """The process's shell, ready to run cells."""
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    # Progress bars look for this module to find out whether widgets can be shown.
    sys.modules.setdefault("ipykernel.zmqshell", sys.modules[__name__])
    config = Config()
    config.IPKernelApp.connection_file = ""  # libraries look for the section's presence
    shell = ZMQInteractiveShell.instance(config=config)
    shell.kernel = KernelHandle(shell, comm_manager, server)
    shell.users = shell.compile.users = server.users
    shell.displayhook.pub_socket = None
    shell.autoawait = True
    shell.extension_manager.load_extension("storemagic")  # as in every IPython
    shell.user_ns["__name__"] = "__main__"
    return shell
