"""Every public function of NumPy, called with drawn arguments, does in weft what it does in NumPy; so do random programs of views and assignments.

The tables of the functions are in properties/. The tests run the same examples of each function each time; make properties draws others, as many as it is
told (PROPERTIES=1000 in the environment).
"""

import inspect
import os
import random

import numpy as np
import pytest
import weft
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weft import _core, covered

from .properties import (
    apart,
    different,
    draws,
    elementwise,
    linear,
    loops,
    masked,
    outcomes,
    polynomials,
    records,
    reductions,
    rows,
    selecting,
    shaping,
    texts,
)
from .sharing import assert_same, run_python

FAMILIES = (elementwise, reductions, shaping, selecting, linear, polynomials, draws, apart)
BESIDE = (texts, masked, records, loops)  # whose arrays are NumPy's, mostly, or which are methods of ufuncs
ROWS = {name: row for family in FAMILIES for name, row in family.ROWS.items()}
OTHER_ROWS = {name: row for family in BESIDE for name, row in family.ROWS.items()}
# Namespaces and classes whose callables none of the tables has.
EXEMPT = {
    "numpy.exceptions": "classes of errors, which are NumPy's own", "numpy.dtypes": "classes of dtypes, which are NumPy's own: test_array_objects.py", "numpy.typing": "names for annotations",
    "numpy.polynomial": "classes, which are NumPy's own and call the functions of polynomials.py", "numpy.lib": "classes and texts of NumPy's own", "numpy.lib.format": "files: NumPy's lib/test_format.py of make numpy-tests",
    "numpy.lib.introspect": "tells of NumPy itself", "numpy.lib.npyio": "classes of files", "numpy.lib.mixins": "a class to derive from: NumPy's lib/test_mixins.py of make numpy-tests",
}  # fmt: skip
DRAWN = sorted(name for name, row in ROWS.items() if isinstance(row, rows.Row))
OTHERS_DRAWN = sorted(name for name, row in OTHER_ROWS.items() if isinstance(row, rows.Row))
MANY = int(os.environ.get("PROPERTIES", 0))
EXAMPLES = 15
UNUSUAL_EXAMPLES = 2  # of each function with arrays that few programs have
NEVER_UNUSUAL = ("lib.stride_tricks.as_strided",)  # which may read beyond them
FEW_EXAMPLES = 4  # of functions that are NumPy's, mostly
DTYPES = ["int8", "uint16", "int64", "float32", "float64"]


@pytest.fixture(autouse=True)
def quiet_numpy():
    """Warnings are compared here: they are told as they are to a program that changes nothing."""
    with np.errstate(all="warn", under="ignore"):
        yield


def public():
    """The names of the namespaces that compute with arrays of numbers, as the tables have them, with NumPy's function and weft's."""
    for space, classes in covered.names().items():
        if space in covered._NUMERIC:
            theirs, ours, before = covered._place(space)
            for name in sorted(name for names in classes.values() for name in names):
                yield before + name, getattr(theirs, name), getattr(ours, name)


def test_every_function_has_a_row():
    known = {name for name, _, _ in public()}
    assert known - ROWS.keys() == set(), "without a row in python/tests/properties"
    assert ROWS.keys() - known == set(), "rows of no function of NumPy"


def beside():
    """The other public callables: those of namespaces of strings, records and masked arrays, the methods of ufuncs and those that masked arrays have of their own."""
    found = covered.names()
    for space in covered._OTHERS.keys() - EXEMPT.keys():
        yield from (f"{space.removeprefix('numpy.')}.{name}" for names in found[space].values() for name in names)
    for before, cls in (("ufunc", np.ufunc), ("ma.MaskedArray", np.ma.MaskedArray)):
        yield from (f"{before}.{name}" for name, value in vars(cls).items() if name[0] != "_" and callable(value))


def test_every_other_callable_has_a_row():
    known = set(beside())
    assert known - OTHER_ROWS.keys() == set(), "without a row in python/tests/properties"
    assert OTHER_ROWS.keys() - known == set(), "rows of no callable of NumPy"
    assert covered._OTHERS.keys() >= EXEMPT.keys()


def compared(name, statements, call):
    """How weft differs from NumPy in an example, with few elements as NumPy's code has them and as weft's has them."""
    row = ROWS.get(name) or OTHER_ROWS.get(name, rows.Row())
    theirs = outcomes.Outcome(np, statements, call)
    found = []
    usual = _core.few(0)
    for few in (0, usual):
        _core.few(few)
        try:
            found += outcomes.differences(outcomes.Outcome(weft, statements, call), theirs, row)
        finally:
            _core.few(usual)
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_as_numpy(name):
    compare_drawn(name, ROWS[name], EXAMPLES)


@pytest.mark.parametrize("name", OTHERS_DRAWN)
def test_others_as_numpy(name):
    compare_drawn(name, OTHER_ROWS[name], FEW_EXAMPLES)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2])
def test_unusual_arrays_as_numpy(family):
    """Records, classes derived from ndarray, many axes, other byte orders, what is not aligned: about every other array of an example is one of them."""
    for name, row in family.ROWS.items():
        if not isinstance(row, rows.Row) or name in NEVER_UNUSUAL:
            continue
        for k in range(MANY // 4 or UNUSUAL_EXAMPLES):
            choose = random.Random(f"{name} {k}").randrange
            statements, call = rows.drawn(name, row, choose, unusual=True)
            theirs, ours = (outcomes.Outcome(module, statements, call) for module in (np, weft))
            found = different.unknown(name, statements, call, outcomes.differences(ours, theirs, row))
            assert not found, "\n".join(["; ".join([*statements, call]), *(f"{kind}: {detail}" for kind, detail in found)])


def compare_drawn(name, row, examples):
    """Draw examples of a row, and compare."""

    @settings(
        max_examples=MANY or examples, derandomize=not MANY, database=None, deadline=None, report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.binary(min_size=150, max_size=150))
    def example(drawn):
        choices = iter(drawn)  # one draw for all: those of hypothesis take longer than the calls that are compared
        statements, call = rows.drawn(name, row, lambda n: next(choices, 0) * n >> 8)
        found = different.unknown(name, statements, call, compared(name, statements, call))
        assert not found, "\n".join(["; ".join([*statements, call]), *(f"{kind}: {detail}" for kind, detail in found)])

    example()


@pytest.mark.parametrize("entry", different.DIFFERENT, ids=lambda entry: entry.example)
def test_what_differs_still_does(entry):
    *statements, call = entry.example.split("; ")
    found = compared(entry.name, statements, call)
    assert any(entry.holds(entry.name, kind, different.text(statements, call, found)) for kind, _ in found), f"as NumPy now: the entry can go, it has {found}"


def told(function):
    """The text of a function and its signature, or None where it tells none."""
    try:
        return inspect.getdoc(function), str(inspect.signature(function))
    except ValueError:
        return inspect.getdoc(function), None


def strangers():
    """The functions whose texts or signatures are not NumPy's."""
    differ = []
    for name, theirs, ours in public():
        want, got = told(theirs), told(ours)
        if name == "ndarray":
            want, got = want[0], got[0]  # the signature of a type in C is in its text
        if want != got and want[1] is not None:
            differ.append((name, want, got))
    return differ


def test_signatures_and_texts_are_numpys():
    # In a process of its own, as scipy.special writes into the text of numpy.sinc.
    done = run_python(f"from {__name__} import strangers; print(strangers())")
    assert done.stdout == "[]\n", done.stdout + done.stderr


# Programs of views, operators and assignments.


@st.composite
def indexes(draw, shape):
    """A basic index that is valid for the shape."""
    index = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["slice", "slice", "slice", "integer", "newaxis"]))
        if kind == "newaxis":
            index.append(None)
        if kind == "integer" and extent > 0:
            index.append(draw(st.integers(-extent, extent - 1)))
        else:
            bound = st.none() | st.integers(-extent - 2, extent + 2)
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            index.append(slice(draw(bound), draw(bound), step))
    if draw(st.booleans()):
        index.append(Ellipsis)
    return tuple(index)


@st.composite
def steps(draw, shapes):
    """One step of a program over a growing list of arrays; shapes are those of its arrays."""
    which = draw(st.integers(0, len(shapes) - 1))
    shape = shapes[which]
    kind = draw(st.sampled_from(["view", "transpose", "flip", "add", "multiply", "assign", "in-place", "sum", "ravel"]))
    if kind == "view":
        return kind, which, draw(indexes(shape))
    if kind in ("add", "multiply", "assign", "in-place"):
        return kind, which, draw(st.integers(0, len(shapes) - 1) | st.integers(-3, 3).map(float).map(int).map(lambda n: ("number", n)))
    if kind == "sum":
        return kind, which, draw(st.integers(0, len(shape) - 1)) if shape else None
    return kind, which, None


def run(step, arrays):
    """Run a step on a list of arrays; returns the new array, or None where one was changed."""
    kind, which, argument = step
    a = arrays[which]
    if kind in ("add", "multiply", "assign", "in-place"):
        other = argument[1] if isinstance(argument, tuple) else arrays[argument]
    if kind == "view":
        return a[argument]
    if kind == "transpose":
        return a.T
    if kind == "flip":
        return a[::-1] if a.ndim else a[...]
    if kind == "add":
        return a + other
    if kind == "multiply":
        return a * other
    if kind == "sum":
        return a.sum(axis=argument, keepdims=True)
    if kind == "ravel":
        return a.ravel()
    if kind == "assign":
        a[...] = other
    else:
        a += other
    return None


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_random_programs(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
    start = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7, dtype=dtype)
    theirs, ours = [start.copy()], [weft.array(start)]
    for _ in range(data.draw(st.integers(1, 8))):
        step = data.draw(steps([a.shape for a in theirs]))
        outcomes = []
        for arrays in (theirs, ours):
            try:
                outcomes.append(run(step, arrays))
            except (ValueError, TypeError, OverflowError) as error:
                outcomes.append(error)
        want, got = outcomes
        if isinstance(want, Exception):
            assert isinstance(got, type(want).__mro__[-3] if isinstance(want, TypeError) else type(want)), (step, want, got)
            continue
        assert not isinstance(got, Exception), (step, got)
        if want is not None:
            if not isinstance(want, np.ndarray):  # NumPy's scalars are copies: nothing more to do with them
                continue
            theirs.append(want)
            ours.append(got)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b, exact=a.dtype.kind != "f")
