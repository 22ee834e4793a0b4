"""What NumPy warns of names the user's line, is said once for each, and leaves no trace in errors."""

import gc
import inspect
import sys
import traceback
import warnings
import weakref

import numpy
import pytest
import weft

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning")

N = numpy.full(20_000, numpy.nan)  # too many for NumPy alone
CALLS = {
    "composed": lambda np: np.nanmax(np.array(N)),
    "composed, with few": lambda np: np.nanmax(np.array(N[:3])),
    "wrapped": lambda np: np.random.shuffle({0: 1, 1: 2}),
    "a method": lambda np: np.ones(20_000, "c16").astype("f8"),
}


def said(function, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args)
    return [w for w in found if w.category is not weft.FallbackWarning]


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_is_of_the_line_that_calls(name):
    call = CALLS[name]
    (got,), (want,) = said(call, weft), said(call, numpy)
    assert got.filename == want.filename == __file__
    assert got.lineno == want.lineno == inspect.getsourcelines(call)[1]
    assert (got.category, str(got.message)) == (want.category, str(want.message))


def test_each_line_warns_once():
    x = weft.array(N)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            weft.nanmax(x)
        weft.nanmax(x)
    lines = [w.lineno for w in found if w.category is not weft.FallbackWarning]
    assert len(lines) == 2 and lines[1] == lines[0] + 1


@pytest.mark.parametrize("call", [lambda x: weft.polyfit(x, x, -1), lambda x: weft.apply_along_axis(lambda y: 1 / 0, 0, x), lambda x: weft.ma.array(x, dtype="x")])
def test_an_error_has_the_users_line_once(call):
    with pytest.raises(Exception) as raised:
        call(weft.ones(20_000))
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert sum(frame.name == "numpy" for frame in frames) == 0
    assert [frame.filename for frame in frames].count(__file__) in (2, 3)  # this function, the call, and what is called back


def test_who_follows_lines_sees_each_once():
    """A debugger stops once at a line that calls NumPy."""
    seen = []

    def trace(frame, event, _):
        if event == "line" and frame.f_code.co_filename == __file__:
            seen.append(frame.f_lineno)
        return trace

    x = weft.array(N)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            weft.nanmax(x)
    finally:
        sys.settrace(before)
    line = inspect.currentframe().f_lineno
    assert all(seen.count(n) <= 1 for n in range(line - 8, line)), seen


def test_functions_that_are_kept_by_what_they_call_are_collected():
    class Holder:
        def double(self, x):
            return 2 * x

    seen = []
    for make in (lambda held: weft.frompyfunc(held.double, 1, 1), lambda held: weft.vectorize(held.double)):
        held = Holder()
        held.call = make(held)
        assert list(held.call([1, 2])) == [2, 4]
        seen.append(weakref.ref(held))
    del held
    gc.collect()
    assert [ref() for ref in seen] == [None, None]
    assert gc.is_tracked(weft.add) and gc.is_tracked(weft.linspace)


@pytest.mark.parametrize(
    "fails",
    [
        lambda a: a[object()],
        lambda a: a + object(),
        lambda a: weft.ones((8, 4)).take(a, axis=0, mode="clip", out=a),
        lambda a: weft.interp(a, a, a[:3]),
        lambda a: weft.random.default_rng(1).normal(a, -1),
        lambda a: a.__setitem__(slice(None), "abc"),
    ],
)
def test_an_error_of_numpys_keeps_no_array(fails):
    a = weft.arange(20_000.0)
    watch = weakref.ref(a)
    gc.collect()
    gc.disable()
    try:
        try:
            fails(a)
        except (TypeError, IndexError, ValueError):
            failed = True
        del a
        assert failed
        assert watch() is None
    finally:
        gc.enable()


def test_names_that_numpy_warns_of_are_of_the_users_line():
    for _ in range(2):
        found = said(lambda: weft.chararray)
        assert [(w.category, w.filename) for w in found] == [(DeprecationWarning, __file__)]


def test_three_arguments_of_an_extremum():
    x = numpy.arange(3.0)
    for np in (numpy, weft):
        a, b, c = np.array(x), np.array(x[::-1].copy()), np.array(x)
        (w,) = said(lambda a, b, c, np=np: np.maximum(a, b, c), a, b, c)
        assert w.category is DeprecationWarning and "2 positional arguments to np.maximum and np.minimum" in str(w.message) and w.filename == __file__
        assert c.tolist() == [2, 1, 2]
        assert not said(lambda a, b, c, np=np: np.minimum(a, b, out=c), a, b, c)
