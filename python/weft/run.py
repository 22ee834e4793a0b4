"""Runs a NumPy program on weft, unchanged: what "weft run" and "python -m weft.run" do.

    weft run [FLAGS] script.py ARGS
    weft run [FLAGS] -m module ARGS

The program sees what it would see under Python: sys.argv, sys.path, __main__, exit statuses
and tracebacks. "import numpy" in it gives weft, unless --no-numpy says otherwise.
"""

import os
import runpy
import signal
import sys
import types

USAGE = "usage: weft run [FLAGS] script.py ARGS | weft run [FLAGS] -m module ARGS"


class UsageError(Exception):
    """The command line names no program that can be run."""


def main(argv: list[str] | None = None, command: str = "run", usage: str = USAGE) -> int:
    """Run the program of a command line, that of "weft run" or of another command that runs programs; returns the exit status."""
    from weft import _core, _redirection, profile, profilefiles, settings

    words = sys.argv[1:] if argv is None else argv
    if words[:1] in (["-h"], ["--help"]):
        print(usage, "\n", settings.help(), sep="\n")
        return 0
    try:
        rest = settings.parse(words)
        program = find(rest, usage)
    except (ValueError, UsageError) as error:
        print(f"weft {command}: {error}", file=sys.stderr)
        return 2
    asked = settings.current()
    if asked["numpy"] != "off":
        _redirection.install()
    _core.name_source(program.path, program.title)
    name = None  # of the profile
    if asked["profile"]:
        try:
            name = profilefiles.claim(os.path.abspath(os.path.splitext(program.title)[0]))
            profile.record(name + profilefiles.PROFILE)
        except (OSError, RuntimeError) as error:
            print(f"weft {command}: --profile: {error}", file=sys.stderr)
            return 2
    _core.begin_cell(program.title, program.text())
    process = os.getpid()
    try:
        status = program.run()
        try:
            _core.sync()
        except Exception:  # of operations whose values the program never asked for
            report()
            status = status or 1
    finally:
        _core.end_cell()
    flush()
    if os.getpid() != process:  # a child that the program has forked, which came here by itself
        return status
    if any(asked[flag] for flag in ("profile", "dataflow", "event")):
        status = leave_artifacts(asked, program.title, name) or status
    if program.interrupted:
        # As Python does it: the shell sees that the signal ended the program.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        flush()
        os.kill(os.getpid(), signal.SIGINT)
    return status


def find(rest: list[str], usage: str = USAGE) -> "Program":
    """The program that the words behind the flags name."""
    if not rest:
        raise UsageError(f"no program given\n{usage}")
    if rest[0] == "-m":
        if len(rest) < 2:
            raise UsageError(f"-m needs the name of a module\n{usage}")
        return Module(rest[1], rest[2:])
    path = rest[0]
    if not os.path.exists(path):
        raise UsageError(f"cannot open {path!r}: no such file")
    if os.path.isdir(path) or path.endswith((".pyz", ".zip")):
        return Folder(path, rest[1:])
    return Script(path, rest[1:])


class Program:
    """A program and its arguments. path is the file that it starts in, title what it is called."""

    interrupted = False

    def __init__(self, path, args):
        self.path = path
        self.title = os.path.basename(path)
        self.args = args

    def text(self):
        """The source, for the profile."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def execute(self):
        raise NotImplementedError

    def run(self):
        """Run to the end; returns the exit status."""
        try:
            self.execute()
        except SystemExit as end:
            return exit_status(end.code)
        except KeyboardInterrupt:
            report()
            self.interrupted = True
            return 130
        except BaseException:
            report()
            return 1
        return 0


class Script(Program):
    """A file."""

    def __init__(self, path, args):
        super().__init__(os.path.abspath(path), args)
        self.given = path

    def execute(self):
        path = self.path  # absolute, as Python makes it; sys.argv has it as it was given
        sys.argv[:] = [self.given, *self.args]
        sys.path[0] = os.path.dirname(os.path.realpath(path))
        with open(path, "rb") as file:
            source = file.read()
        module = types.ModuleType("__main__")
        module.__file__ = path
        module.__builtins__ = sys.modules["builtins"]
        module.__annotations__ = {}
        module.__loader__ = None
        sys.modules["__main__"] = module
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))


class Module(Program):
    """-m module."""

    def __init__(self, name, args):
        super().__init__(name, args)
        self.name = self.title = name

    def execute(self):
        sys.argv[:] = [self.name, *self.args]
        sys.path[0] = os.getcwd()
        runpy.run_module(self.name, run_name="__main__", alter_sys=True)


class Folder(Program):
    """A folder or an archive with a __main__.py."""

    def execute(self):
        sys.argv[:] = [self.path, *self.args]
        del sys.path[0]
        runpy.run_path(self.path, run_name="__main__")


def exit_status(code) -> int:
    """What sys.exit(code) makes of its argument; a message goes to standard error."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    flush()
    print(code, file=sys.stderr)
    return 1


def report() -> None:
    """Show the exception that is being handled as Python does, without the frames of this file."""
    flush()
    kind, value, trace = sys.exc_info()
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in ours:
        trace = trace.tb_next
    sys.excepthook(kind, value.with_traceback(trace), trace)


def flush() -> None:
    """Put what was printed before what comes next."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or a pipe without a reader
            pass


def leave_artifacts(asked: dict, title: str, name: str | None) -> int:
    """Write the files that the flags ask for, into the current folder; returns an exit status.

    name is the profile's, where one is asked for: absolute, since the program may have changed the folder.
    """
    from weft import _core, graphfiles, profile, profilefiles

    if not _core.started():
        if name:
            profilefiles.release(name)
        print("weft run: the program ran no array operations; there is nothing to write", file=sys.stderr)
        return 0
    status = 0
    if (asked["dataflow"] or asked["event"]) and not graphfiles.can_pdf():
        print('weft run: the graphs are written as SVG; PDF needs the program "dot" of Graphviz', file=sys.stderr)
    graph = ".pdf" if graphfiles.can_pdf() else ".svg"
    for flag, path, write in (
        ("profile", f"{name}{profilefiles.PROFILE}", profile.save),
        ("dataflow", "dataflow_weft" + graph, lambda path: profile.dataflow(title).save(path)),  # as Legate calls it
        ("event", "event_graph_weft" + graph, lambda path: profile.events(title).save(path)),
    ):
        if not asked[flag]:
            continue
        try:
            write(path)
        except (OSError, RuntimeError, ValueError) as error:
            print(f"weft run: --{flag}: {error}", file=sys.stderr)
            status = 1
            continue
        short = os.path.relpath(path)
        print(f"weft run: wrote {short}", file=sys.stderr)
        if flag == "profile":
            print(profile.summary(), file=sys.stderr)
            print(f"weft run: to open it: weft view {short}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
