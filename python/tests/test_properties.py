"""Random programs of views, operators and assignments do what NumPy does."""

import numpy as np
import weft
from hypothesis import given, settings
from hypothesis import strategies as st

from .sharing import assert_same

DTYPES = ["int8", "uint16", "int64", "float32", "float64"]


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
