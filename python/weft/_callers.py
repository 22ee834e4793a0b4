"""Calling NumPy from the program's line.

What NumPy warns of is of the line that calls it: of the frame below, or, where a function of NumPy's is written in Python, of that function's own caller.
That would be a line of weft's, and Python shows what a line warns of but once. So a function is called by a stub whose code is of the program's file and line.
"""

import sys
import types

_STUB = (lambda function, args, kwargs: function(*args, **kwargs)).__code__
_stubs = {}  # (id of the caller's code, place in it): (stub, the code, which stays what it is called)
_monitoring = getattr(sys, "monitoring", None)


def _stub(frame):
    """The stub of the line that a frame is at, which is looked up in the code's table only once."""
    code = frame.f_code
    key = id(code), frame.f_lasti
    found = _stubs.get(key)
    if found is None:
        if len(_stubs) == 4096:
            _stubs.clear()
        made = _STUB.replace(co_filename=code.co_filename, co_firstlineno=frame.f_lineno or code.co_firstlineno, co_name="numpy", co_qualname="numpy")
        found = _stubs[key] = made, code
    return found[0]


def _is_stepped():
    """Whether the program's lines are followed, as by a debugger, which would show the line twice."""
    return sys.gettrace() is not None or (_monitoring is not None and _monitoring.get_tool(_monitoring.DEBUGGER_ID) is not None)


def call(frame, function, args, kwargs):
    """function(*args, **kwargs), as if the line that a frame is at had called it."""
    if _is_stepped():
        return function(*args, **kwargs)
    stub = types.FunctionType(_stub(frame), frame.f_globals)
    try:
        return stub(function, args, kwargs)
    except BaseException as error:
        here = error.__traceback__
        if here.tb_next is not None:
            here.tb_next = here.tb_next.tb_next  # without the stub, which is no line of the program
        del here  # of which this frame is a part: until the collector came, the two would keep the arguments
        raise
