"""What no handler of the package may hide: an interrupt, exhausted memory, exhausted stack.

A handler of Exception or wider that meets one of these goes on as if something else had been wrong. So each is
preceded by one that raises them again, or stands in EXPLAINED with what becomes of the exception.
"""

import ast
import builtins
import os

import pytest
import weft

FOLDERS = [os.path.dirname(weft.__file__), *(os.path.join(os.path.dirname(weft.__file__), "..", name) for name in ("cunumeric", "cupynumeric", "legate"))]
PRECIOUS = (RecursionError, MemoryError, KeyboardInterrupt)

# (file, function, what it catches): where the exception goes.
EXPLAINED = {
    ("_callers.py", "call", "BaseException"): "it is raised again, without the line of the stub in its traceback",
    ("_parts.py", "work", "BaseException"): "the thread that waits for all others raises it",
    ("_parts.py", "together", "BaseException"): "it is raised again when the other threads have ended",
    ("_guests.py", "_whole", "Exception"): "the view itself is adopted next, which has room or raises it",
    ("debugger.py", "process", "Exception"): "the client is told its type and text, as of every failed request",
    ("dap.py", "_read", "Exception"): "the thread ends, and its text is the answer to all requests that wait",
    ("debuggee.py", "start", "BaseException"): "the thread that started this one raises it",
    ("debuggee.py", "process_guarded", "Exception"): "the client is told its type and text",
    ("kernel.py", "answer", "BaseException"): "it is logged and is the reply to the request",
    ("kernel.py", "serve", "BaseException"): "it is logged; whatever a task in the event loop raised, the next request is answered",
    ("subshells.py", "_run", "BaseException"): "it is logged; whatever a task in the event loop raised, the next request is answered",
    ("notebook.py", "main", "RuntimeError"): "its text is printed, and the program ends with status 1",
    ("profile.py", "verify", "Exception"): "its type and text are part of what is returned",
    ("run.py", "main", "(OSError, RuntimeError)"): "its text is printed, and the program ends with status 2",
    ("run.py", "main", "Exception"): "it is printed as Python prints it, and the program ends with status 1",
    ("run.py", "run", "BaseException"): "it is printed as Python prints it, and the program ends with status 1",
    ("run.py", "leave_artifacts", "(OSError, RuntimeError, ValueError)"): "its text is printed, and the program ends with status 1",
    ("shell.py", "run", "Exception"): "run_cell gets it with its traceback, and shows it",
    ("variables.py", "describe", "Exception"): "the text of the value names it",
    ("variables.py", "describe_type", "Exception"): "a value whose own methods recurse is shown by its type",
    ("variables.py", "contents", "Exception"): "a value whose own methods recurse is shown without its contents",
}


def caught(node):
    """The exception classes of an expression behind except; None is everything."""
    if node is None:
        return (BaseException,)
    names = node.elts if isinstance(node, ast.Tuple) else [node]
    found = (getattr(builtins, name.id, None) for name in names if isinstance(name, ast.Name))
    return tuple(kind for kind in found if isinstance(kind, type) and issubclass(kind, BaseException))


def raises(handler):
    """Whether all that a handler does is to raise again."""
    return len(handler.body) == 1 and isinstance(handler.body[0], ast.Raise) and handler.body[0].exc is None


def hidden(attempt):
    """The handlers of a try statement that would take one of PRECIOUS for something else, each with its own text."""
    again = ()
    for handler in attempt.handlers:
        kinds = caught(handler.type)
        wide = tuple(kind for kind in kinds if kind not in PRECIOUS)
        if raises(handler):
            again += kinds
        elif any(issubclass(p, wide) and not issubclass(p, again) for p in PRECIOUS):
            yield "everything" if handler.type is None else ast.unparse(handler.type)


def offences(path):
    """The wide handlers of a file: (file, function, what it catches)."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    stack = [(tree, "")]
    while stack:
        node, function = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        if isinstance(node, ast.Try):
            for text in hidden(node):
                yield os.path.basename(path), function, text
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            wide = tuple(kind for argument in node.args for kind in caught(argument))
            if any(issubclass(p, wide) for p in PRECIOUS):
                yield os.path.basename(path), function, ast.unparse(node)
        stack += [(child, function) for child in ast.iter_child_nodes(node)]


def test_no_handler_hides_an_interrupt_or_exhaustion():
    found = set()
    for folder in FOLDERS:
        for where, _, files in os.walk(folder):
            found.update(row for name in files if name.endswith(".py") for row in offences(os.path.join(where, name)))
    new = found - EXPLAINED.keys()
    assert not new, f"raise {[p.__name__ for p in PRECIOUS]} again before these handlers, or explain them here: {sorted(new)}"
    assert EXPLAINED.keys() <= found, f"no longer there: {sorted(EXPLAINED.keys() - found)}"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("try: f()\nexcept Exception: pass", ["Exception"]),
        ("try: f()\nexcept: pass", ["everything"]),
        ("try: f()\nexcept (ValueError, RuntimeError): pass", ["(ValueError, RuntimeError)"]),
        ("try: f()\nexcept (RecursionError, MemoryError): raise\nexcept Exception: pass", []),
        ("try: f()\nexcept (RecursionError, MemoryError): raise\nexcept BaseException: pass", ["BaseException"]),
        ("try: f()\nexcept RecursionError: pass\nexcept MemoryError: raise\nexcept Exception: pass", ["Exception"]),
        ("try: f()\nexcept BaseException: raise", []),
        ("try: f()\nexcept (ValueError, TypeError): pass", []),
        ("with contextlib.suppress(Exception): f()", ["contextlib.suppress(Exception)"]),
    ],
)
def test_the_rule(text, wrong, tmp_path):
    (tmp_path / "some.py").write_text(text)
    assert [row[2] for row in offences(tmp_path / "some.py")] == wrong
