"""Starts the Jupyter kernel: ``python -m weft_kernel -f connection.json FLAGS``.

The compiled part is loaded first and by itself, so that heartbeats and kernel_info are answered while Python
imports IPython. The weft package, and NumPy with it, is loaded when it is used: the first answer does not
wait for that. This module is not in the package, since running a module of a package imports the package.
"""

import _signal
import importlib
import os
import sys
import threading
import types
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder

# What the kernel itself needs of the package: Jupyter's face, and the modules that this imports. None of them uses arrays.
EARLY = frozenset("jupyter settings _array_names _call_stacks _redirection _units".split())


class LatePackage(types.ModuleType):
    """A package whose __init__ runs when a name that it defines is asked for. Its modules can be imported before."""

    def __getattr__(self, name):
        if name in EARLY or name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self._load()
        return getattr(self, name)

    def __dir__(self):
        self._load()
        return dir(self)

    def _load(self):
        with loading, uninterrupted():
            if type(self) is LatePackage:
                self.__class__ = types.ModuleType
                try:
                    self.__spec__.loader.exec_module(self)
                except BaseException:
                    self.__class__ = LatePackage  # the next one who asks gets the same answer
                    raise


class LatePart:
    """Finds and loads the package's other modules while it is late, by way of the package: they need one another in its order."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, part = name.rpartition(".")
        if package != "weft" or part in EARLY or type(sys.modules["weft"]) is not LatePackage:
            return None
        return ModuleSpec(name, LatePart)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        del sys.modules[module.__name__]  # a stand-in, which the real one replaces
        sys.modules["weft"]._load()
        importlib.import_module(module.__name__)


loading = threading.RLock()


class uninterrupted:
    """Keep an interrupt for the end: an import of NumPy's that is left in its middle can't be repeated in the process."""

    def __enter__(self):
        self.before, self.noted = None, False
        if threading.current_thread() is threading.main_thread():
            self.before = _signal.signal(_signal.SIGINT, self.note)

    def note(self, number, frame):
        self.noted = True

    def __exit__(self, *error):
        if self.before is not None:
            _signal.signal(_signal.SIGINT, self.before)
            if self.noted and callable(self.before):
                self.before(_signal.SIGINT, sys._getframe())


def prepare():
    """Make weft a LatePackage that has the compiled part; returns that."""
    spec = PathFinder.find_spec("weft")
    package = LatePackage("weft")
    package.__spec__, package.__file__, package.__path__ = spec, spec.origin, spec.submodule_search_locations
    package.__package__ = package.__name__
    path = os.path.join(os.path.dirname(spec.origin), "_core.abi3.so")
    loader = ExtensionFileLoader("weft._core", path)
    core_spec = ModuleSpec("weft._core", loader, origin=path)
    core = loader.create_module(core_spec)
    core.__spec__, core.__file__, core.__loader__ = core_spec, path, loader
    loader.exec_module(core)
    sys.modules["weft"], sys.modules["weft._core"] = package, core
    package._core = core
    sys.meta_path.insert(0, LatePart)
    return core


def parse(argv):
    """Split the command line: returns the connection file and the runtime's flags."""
    file, flags = "", []
    words = iter(argv)
    for word in words:
        if word == "-f":
            file = next(words, "")
            if not file:
                raise SystemExit("weft kernel: -f needs the connection file's name")
        elif word.startswith("-f="):
            file = word[3:]
        else:
            flags.append(word)
    return file, flags


def watch_for_crashes(file):
    """Have Python write a trace when C code crashes; returns the file for it, and what the kernel before this one left there.

    Before the compiled part is loaded: Go's runtime has SIGSEGV for itself, and hands on what is not Go's to the handler
    that it found. A kernel that Jupyter starts again gets the connection file of the one that fell.
    """
    import faulthandler

    if not file:
        return "", ""
    path = os.path.splitext(os.path.abspath(file))[0] + ".crash.txt"
    try:
        with open(path, encoding="utf-8", errors="replace") as before:
            left = before.read(20_000)
    except FileNotFoundError:
        left = ""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    except OSError as error:  # a folder that is not writable: traces go to standard error
        print(f"weft kernel: no file for the trace of a crash: {error}", file=sys.stderr)
        faulthandler.enable()
        return "", left
    faulthandler.enable(descriptor)
    return path, left


def main():
    """Start the kernel and serve until the end."""
    file, flags = parse(sys.argv[1:])
    crash, fallen = watch_for_crashes(file)
    core = prepare()
    # An interrupt that comes before anything runs means nothing, and must not end the start. The module behind signal
    # is built in; signal itself takes longer to import than the rest of this.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    version = sys.version.split()[0]
    # Found, but not imported: that takes a third of a second, which only a debugger's session has to wait for.
    debugger = PathFinder.find_spec("debugpy") is not None
    core.kernel_start(file, crash, version, f"weft on Python {version}", debugger)
    import weft.jupyter.kernel

    weft.jupyter.kernel.run(flags, crash, fallen)


if __name__ == "__main__":
    main()
