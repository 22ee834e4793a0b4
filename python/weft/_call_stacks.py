"""The call stacks of threads that run the program, and what the runtime has under way, as a text: what %where prints."""

import linecache
import os
import sys
import threading
import traceback

from . import _core

DEEPEST = 12  # lines of a call stack that are shown

# Functions of IPython's below which the user's code begins.
ENTRANCES = ("run_code", "run_ast_nodes")


def users(frame):
    """The entries of a call stack that are the user's, from the cell's line to the innermost."""
    entries = list(traceback.walk_stack(frame))[::-1]
    begin = 0
    for at, (one, _) in enumerate(entries):
        if one.f_code.co_name in ENTRANCES and os.sep + "IPython" + os.sep in one.f_code.co_filename:
            begin = at + 1
        elif one.f_code.co_name == "_run" and one.f_code.co_filename.endswith(os.sep + os.path.join("asyncio", "events.py")):
            begin = at + 1  # a callback in the event loop
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep
    return [(one, line) for one, line in entries[begin:] if not one.f_code.co_filename.startswith(here)]


def lines(frame, title):
    """A call stack in words."""
    entries = users(frame)
    left_out = max(0, len(entries) - DEEPEST)
    shown = entries[:1] + entries[1 + left_out :]
    for at, (one, line) in enumerate(shown):
        code = one.f_code
        name = title(code.co_filename)
        inside = "" if code.co_name == "<module>" else f", in {code.co_name}"
        yield f"  {name} line {line}{inside}"
        text = linecache.getline(code.co_filename, line).strip()
        if text:
            yield f"    {text}"
        if at == 0 and left_out:
            yield f"  ... {left_out} calls ..."


def text(running, title, tasks=True):
    """The report. running: (what it is, its thread's number) for each cell; title: from a file's name to what users call it."""
    frames = sys._current_frames()
    parts = []
    for what, thread in running:
        frame = frames.get(thread)
        body = list(lines(frame, title)) if frame else []
        parts.append("\n".join([f"{what}:", *(body or ["  between two lines of Python"])]))
    if not parts:
        parts.append("no other cell is running")
    if tasks and (under_way := _core.doing()):
        parts.append(under_way.rstrip())
    return "\n".join(parts)


def report():
    """What the cells that run are doing, which the kernel's shell is asked for; in a script, what the other threads are doing."""
    ipython = sys.modules.get("IPython")
    server = getattr(getattr(ipython and ipython.get_ipython(), "kernel", None), "server", None)
    if server is not None:
        return server.where()
    own = threading.get_ident()
    running = [(f"thread {t.name}", t.ident) for t in threading.enumerate() if t.ident not in (own, None) and not t.daemon]
    return text(running, os.path.basename)
