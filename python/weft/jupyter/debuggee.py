"""This process as what debugpy debugs: how its debugger, pydevd, comes into it, and what it must leave alone.

pydevd traces threads by a function that Python calls at each line, or from Python 3.12 on by
events that cost next to nothing. All that is known here of pydevd's insides is in this file.
"""

import atexit
import json
import os
import socket
import sys
import threading
from importlib.machinery import PathFinder

from .. import _core
from . import variables
from .dap import Link, Refused, keep_out

# What weft and IPython load only when a cell needs it, the latter to show errors.
LATER = ("numpy", "stack_data", "executing", "pure_eval", "asttokens", "pygments", "jedi", "parso")
RUNS = 1  # pydevd's number for the state of a thread that is not stopped

# pydevd knows types by their names alone. What it cannot be told goes before the value, up to this; see split_type.
TYPE_ENDS = "\N{INFORMATION SEPARATOR ONE}"

_traced = set()  # numbers of the threads that a cell has run on since tracing began


def connect(on_event):
    """Bring debugpy into this process; returns the link to it."""
    named = os.environ.get("PYDEVD_DISABLE_FILE_VALIDATION")
    # Python's own frozen modules cannot be stepped through, which debugpy warns of on the cell's error stream.
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    try:
        import debugpy.server.api  # noqa: F401 - makes its own pydevd the one that is found
        import pydevd
    finally:
        if named is None:
            del os.environ["PYDEVD_DISABLE_FILE_VALIDATION"]
        else:
            os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = named
    if pydevd.get_global_debugger() is not None:
        raise Refused("a cell has started debugpy by itself, and a process has one debugger only; restart the kernel")

    def dial(host, port):
        _settrace(host=host, port=port)
        end = pydevd.get_global_debugger().reader.sock
        # It sends a message in pieces, each of which would wait 40 ms for the acknowledgement of the last.
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return end.getsockname()

    link = Link(on_event)
    link.connect(dial)
    _guard(pydevd.get_global_debugger().reader, link)
    _show_arrays()
    return link


def trace():
    """Begin to trace all threads but the kernel's own, and let breakpoint() stop for the front end."""
    import debugpy

    sys.breakpointhook = debugpy.breakpoint
    for thread in threading.enumerate():
        if thread.name == "IPythonHistorySavingThread":
            keep_out(thread)
    if not _by_events():
        _settrace()


def untrace():
    """Leave the threads alone: each line would cost until the kernel's end. breakpoint() asks below the cell again."""
    sys.breakpointhook = sys.__breakpointhook__
    if not _by_events():
        from _pydev_bundle.pydev_monkey import undo_patch_thread_modules

        undo_patch_thread_modules()
        threading.settrace(None)


def prepare_thread(session):
    """Before a cell: trace the current thread, or end that, as it is needed."""
    if _by_events():
        return
    number = threading.get_ident()
    if session:
        _traced.add(number)
        # An exception in the debugger, such as the one of an interrupt, makes Python end tracing for the thread.
        if sys.gettrace() is None:
            _debugger().enable_tracing()
    elif number in _traced:
        import pydevd_tracing

        _traced.discard(number)
        pydevd_tracing.SetTrace(None)


def resume_thread():
    """After a cell: end what the debugger has in mind for the current thread, a step that the end cut short, say."""
    from _pydevd_bundle import pydevd_constants, pydevd_thread_lifecycle

    pydevd_thread_lifecycle.resume_threads(pydevd_constants.get_current_thread_id(threading.current_thread()))


def hurry():
    """Make threads that are stopped look whether they should go on, which they do five times a second otherwise."""
    for event in list(_debugger()._thread_events.values()):
        event.set()


def interrupt(frame):
    """In a signal's handler: a thread that is stopped goes on, to end the cell; unless it evaluates something, which ends then."""
    import pydevd
    from _pydevd_bundle import pydevd_comm

    evaluating = pydevd_comm.InternalThreadCommand.do_it.__code__
    while frame is not None and frame.f_code is not evaluating:
        if frame.f_code is pydevd.PyDB._do_wait_suspend.__code__:
            # As resume_thread, without the locks, which this thread may hold.
            info = threading.current_thread().additional_info
            info.pydev_original_step_cmd = info.pydev_step_cmd = -1
            info.pydev_step_stop = None
            info.pydev_state = RUNS
            break
        frame = frame.f_back


def end(link):
    """At the end of the process, which would wait for half a second for pydevd's threads."""
    import pydevd

    atexit.unregister(pydevd.stoptrace)
    if _by_events():
        from _pydevd_sys_monitoring import pydevd_sys_monitoring

        pydevd_sys_monitoring.stop_monitoring(all_threads=True)
    else:
        untrace()
        prepare_thread(False)
    if debugger := pydevd.get_global_debugger():
        debugger.dispose_and_kill_all_pydevd_threads(wait=False)
    link.close()


def split_type(described):
    """Put the type of an array that pydevd has described where it belongs: that of a variable, or of what an evaluation gave."""
    for field in ("value", "result"):
        if TYPE_ENDS in described.get(field, ""):
            described["type"], _, described[field] = described[field].partition(TYPE_ENDS)


def hidden_paths(modules):
    """Folders and files that are not debugged: those of the packages that the named modules belong to, and the kernel's."""
    package = os.path.dirname(os.path.abspath(_core.__file__))
    found = {package, os.path.join(os.path.dirname(package), "weft_kernel.py")}
    for name in LATER:
        spec = PathFinder.find_spec(name)
        if spec and spec.origin:
            found.add(os.path.dirname(spec.origin))
    for name in {name.partition(".")[0] for name in modules}:
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None)
        if path:
            found.add(os.path.dirname(path) if getattr(module, "__path__", None) else path)
    return sorted(found)


def _debugger():
    import pydevd

    return pydevd.get_global_debugger()


def _by_events():
    from _pydevd_bundle import pydevd_constants

    return pydevd_constants.PYDEVD_USE_SYS_MONITORING


def _settrace(**where):
    """Have pydevd trace all threads, and first connect if there is a place to. The thread that calls it is traced too: one that ends."""
    import debugpy
    import pydevd

    failures = []

    def start():
        try:
            pydevd.settrace(
                suspend=False,
                wait_for_ready_to_run=False,
                notify_stdin=False,
                dont_trace_start_patterns=(os.path.dirname(os.path.abspath(debugpy.__file__)),),
                **where,
            )
        except BaseException as error:
            failures.append(error)

    starter = threading.Thread(target=start, name="weft debugger", daemon=True)
    keep_out(starter)
    starter.start()
    starter.join()
    if failures:
        raise Refused(f"debugpy did not start: {failures[0]}")


def _guard(reader, link):
    """A request that is not as pydevd expects ends its reader, and no request is answered any more. Here it costs that request."""
    process = reader.process_net_command_json

    def process_guarded(py_db, text):
        try:
            process(py_db, text)
            hurry()
        except Exception as error:
            link.lose(json.loads(text).get("seq"), f"debugpy failed: {type(error).__name__}: {error}")

    reader.process_net_command_json = process_guarded


def _show_arrays():
    """Make pydevd show weft's arrays as the panel does; by itself it would fetch them whole to list their attributes."""
    from _pydevd_bundle.pydevd_extension_api import StrPresentationProvider, TypeResolveProvider
    from _pydevd_bundle.pydevd_extension_utils import extensions_of_type

    class Arrays(TypeResolveProvider, StrPresentationProvider):
        def can_provide(self, kind, name):
            return kind is _core.ndarray

        def get_str(self, value):
            return f"{variables.describe_type(value)}{TYPE_ENDS}{variables.describe(value)}"

        def get_str_in_context(self, value, context):
            # What the user asks for in words is answered in full.
            return repr(value) if context in ("repl", "clipboard") else self.get_str(value)

        def get_dictionary(self, value):
            return {name: item for name, item, _ in variables.contents(value)}

        def get_contents_debug_adapter_protocol(self, value, fmt=None):
            return list(variables.contents(value))

        def resolve(self, value, name):
            return self.get_dictionary(value)[name]

    for kind in (StrPresentationProvider, TypeResolveProvider):
        extensions_of_type(kind).append(Arrays())
