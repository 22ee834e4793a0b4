"""A plugin of pytest: gives NumPy's test modules weft for their numpy, and writes down how each test ended.

Only the test modules themselves see weft, as in a notebook only the cells do; NumPy's own modules, private names
and what calls back (numpy.testing's assert_raises) remain NumPy's.
"""

import builtins
import functools
import importlib
import json
import os
import pathlib
import re
import types

import numpy
import numpy.testing
import pytest

from .outcomes import named

_TESTS = re.compile(re.escape(os.path.dirname(numpy.__file__)) + r"/.*/tests/test_[^/]*\.py$")

# Functions that read arrays by the C interface, which no array of weft's has.
_IN_C = "numpy._core._multiarray_tests"

# These call the function that they are given: weft's.
_CALLING = ("assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings", "assert_no_gc_cycles")


def pytest_addoption(parser):
    parser.addoption("--outcomes", help="the file that gets a line of JSON for each start and end of a test")
    parser.addoption("--numpy", action="store_true", help="leave the tests their NumPy")
    parser.addoption("--chosen", help="a file of JSON: the names of the tests to be run, only, or of all others, without")


def pytest_unconfigure(config):
    if not config.getoption("--numpy"):
        os._exit(0)  # without waiting for what a test may have recorded that takes for ever


def pytest_configure(config):
    if not config.getoption("--numpy"):
        _give_weft()
    config.pluginmanager.register(Outcomes(config.getoption("--outcomes"), **json.loads(pathlib.Path(config.getoption("--chosen")).read_text())))


class Outcomes:
    """Writes each test's name as it starts, and with its outcome as it ends: a crash leaves a start alone."""

    def __init__(self, path, without, only):
        self._file = open(path, "a", buffering=1)
        self._process = os.getpid()
        self._without = frozenset(without)
        self._only = only and re.compile("|".join(".*".join(map(re.escape, name.split("*"))) for name in only), re.DOTALL)

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self._is_chosen(_named(item.nodeid))]

    def _is_chosen(self, test):
        return test not in self._without and (self._only is None or self._only.fullmatch(test) is not None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self._write(item.nodeid, "started")
        return (yield)

    def pytest_runtest_logreport(self, report):
        if report.failed or (report.when == "call" or report.skipped):
            self._write(report.nodeid, report.outcome, report.longreprtext if report.failed else "")

    def pytest_collectreport(self, report):
        if report.failed:
            self._write(report.nodeid, "failed", report.longreprtext)

    def _write(self, test, outcome, text=""):
        if os.getpid() != self._process:  # a child that a test forked, and that came back from it by an exception
            os._exit(1)
        self._file.write(json.dumps([_named(test), outcome, text]) + "\n")


def _named(test):
    """A test's name, the same on NumPy and on weft: a module among its parameters is named in it."""
    return named(re.sub(r"(?<=[\[-])weft(?=\.)", "numpy", test))


def _give_weft():
    import weft

    weft._fallback._warned = _Everything()
    weft._fallback.SKIPPED = weft._composed.SKIPPED = _without_tests(weft._fallback.SKIPPED)
    testing = _testing()
    whole = _Whole(weft, testing)
    namespace = weft.ndarray.__array_namespace__
    weft.ndarray.__array_namespace__ = lambda array, **options: namespace(array, **options) and whole
    original = builtins.__import__

    def __import__(name, globals=None, locals=None, fromlist=(), level=0):
        first, *rest = name.split(".")
        theirs = any(part.startswith("_") or part == "tests" for part in rest)
        if name == _IN_C and fromlist and _TESTS.match((globals or {}).get("__file__") or ""):
            original(name, globals, locals, fromlist)
            return whole._core._multiarray_tests
        if level or first != "numpy" or theirs and fromlist or not _TESTS.match((globals or {}).get("__file__") or ""):
            return original(name, globals, locals, fromlist, level)
        if theirs:
            original(name, globals, locals)
        elif rest:
            importlib.import_module(".".join(["weft", *rest]))
        if not fromlist or not rest:
            return whole
        mirrored = whole
        for part in rest:
            mirrored = getattr(mirrored, part)
        for part in fromlist:
            if part != "*" and not hasattr(mirrored, part):
                importlib.import_module(".".join(["weft", *rest, part]))
        return mirrored

    builtins.__import__ = __import__


def _without_tests(skipped):
    """The files that are no program's. All of NumPy's are among them, but not its tests."""
    root = os.path.dirname(numpy.__file__)
    files = (str(file) for file in pathlib.Path(root).rglob("*.py") if file.parent.name != "tests")
    return (*(start for start in skipped if start != root + os.sep), *files)


class _Whole(types.ModuleType):
    """weft as a test module sees it: with NumPy's private names, and what compares arrays for it."""

    def __init__(self, weft, testing):
        super().__init__("weft")  # by which an object's own __array_function__ is known to be written for weft
        vars(self).update((name, getattr(weft, name)) for name in weft.__all__)
        vars(self).update(testing=testing, _weft=weft, _core=_Core(weft))

    def __getattr__(self, name):
        return getattr(numpy if name.startswith("_") else self._weft, name)

    def __setattr__(self, name, value):
        # What pickle looks for is looked for in NumPy.
        setattr(numpy, name, value) if name.startswith("_") else super().__setattr__(name, value)

    def __delattr__(self, name):
        delattr(numpy, name) if name.startswith("_") else super().__delattr__(name)

    def __dir__(self):
        return dir(numpy)  # which tests are made of, one for each ufunc


class _Core(types.ModuleType):
    """numpy._core, whose list of ufuncs has weft's."""

    def __init__(self, weft):
        super().__init__("numpy._core")
        self.umath = types.ModuleType("numpy._core.umath")
        for name, value in vars(numpy._core.umath).items():
            public = not name.startswith("_") and getattr(numpy, name, None) is value
            setattr(self.umath, name, getattr(weft, name) if public and isinstance(value, numpy.ufunc) else value)

    def __getattr__(self, name):
        if name != "_multiarray_tests":
            return getattr(numpy._core, name)
        module = types.ModuleType(_IN_C)
        for member, value in vars(numpy._core._multiarray_tests).items():
            if isinstance(value, types.BuiltinFunctionType):
                # A partial, as a builtin, is no method where a class has it; tests that have it as a parameter are named by its name.
                value = functools.partial(_comparing(value))
                value.__name__ = member
            setattr(module, member, value)
        self._multiarray_tests = module
        return module


class _Everything:
    """Where NumPy does something for weft, no test is to fail by the warning: each place has been warned of."""

    def __contains__(self, place):
        return True


def _testing():
    """numpy.testing as the tests see it: weft's arrays are compared as NumPy's; what calls gets weft's functions."""
    module = types.ModuleType("numpy.testing")
    for name in dir(numpy.testing):
        value = getattr(numpy.testing, name)
        compares = callable(value) and name.startswith("assert") and name not in _CALLING
        setattr(module, name, _comparing(value) if compares else value)
    return module


def _comparing(function):
    from weft._fallback import to_numpy

    @functools.wraps(function)
    def call(*args, **kwargs):
        __tracebackhide__ = True
        return function(*map(to_numpy, args), **{key: to_numpy(value) for key, value in kwargs.items()})

    return call
