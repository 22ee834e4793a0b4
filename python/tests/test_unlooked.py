"""Functions of NumPy's that the core calls without the look at other types of arrays: what they give and raise with arrays of what weft has no dtype for, and whom they ask."""

import warnings

import numpy
import pytest
import weft
from weft import _delegates


class Asked(numpy.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return "asked", function.__name__


WORDS, OBJECTS, DAYS = numpy.array(["b", "a"]), numpy.array([1, "a"], object), numpy.array(["2024-01-02", "2024-01-01"], "M8[D]")
RECORDS, ASKED, MASKED = numpy.zeros(3, [("a", int)]), numpy.zeros(3).view(Asked), numpy.ma.array([1.0, 2], mask=[0, 1])
CALLS = [
    ((), {}), ((5,), {}), ((None,), {}), (("abc",), {}), ((range(3),), {}), ((b"abc",), {}),
    *(((array,), {}) for array in (WORDS, OBJECTS, DAYS, RECORDS, ASKED, MASKED)), *(((array, array), {}) for array in (WORDS, OBJECTS, DAYS)),
    (([WORDS, WORDS],), {}), (([ASKED, ASKED],), {}), ((WORDS, ASKED), {}), ((WORDS, 1), {}), ((WORDS, 1, 2, 3, 4, 5, 6, 7, 8), {}), ((WORDS == "a", WORDS, WORDS), {}),
    ((WORDS,), {"unknown": 1}), ((WORDS,), {"axis": 7}), ((WORDS,), {"axis": "x"}), ((OBJECTS,), {"out": OBJECTS}), ((WORDS,), {"like": WORDS}), ((DAYS,), {"axis": 0}),
]  # fmt: skip


def outcome(function, args, kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - compared
            return type(error), str(error)
    told = [w.category for w in caught if not issubclass(w.category, weft.FallbackWarning)]
    shape, dtype = getattr(made, "shape", None), getattr(made, "dtype", None)
    known = None if function.__name__ == "empty_like" else str(made)
    return isinstance(made, numpy.ndarray | weft.ndarray), shape, dtype, known, told


@pytest.mark.parametrize("name", sorted(_delegates._UNLOOKED))
def test_functions_give_and_raise_what_numpys_do(name):
    for args, kwargs in CALLS:
        assert outcome(getattr(weft, name), args, kwargs) == outcome(getattr(numpy, name), args, kwargs), (args, kwargs)


@pytest.mark.parametrize("error", [TypeError, ValueError, KeyError])
@pytest.mark.parametrize("call", ["sort(x)", "max(x)", "argsort(x)", "searchsorted(x, x)", "sum(x)", "unique(x)", "dot(x, x)", "prod(x, axis=0)"])
def test_what_the_programs_elements_raise_they_raise_once(call, error):
    ran = []

    class Element:
        def refuse(self, *_):
            ran.append(self)
            raise error("refused")

        __lt__ = __gt__ = __le__ = __ge__ = __add__ = __mul__ = __radd__ = __rmul__ = refuse

    x = numpy.array([Element(), Element()], object)
    times = []
    for np in (numpy, weft):
        ran.clear()
        with pytest.raises(error, match="refused"):
            eval(call, {name: getattr(np, name) for name in ("sort", "max", "argsort", "searchsorted", "sum", "unique", "dot", "prod")}, {"x": x})
        times.append(len(ran))
    assert times[0] == times[1]


@pytest.mark.parametrize("call", ["dot(x, x)", "inner(x, x)", "vdot(x, x)", "dot(x, y)", "inner(y, x)", "dot(x, x, unknown=1)", "inner(x, x, x)", "concatenate([x, x], dtype=float)", "where(x, 1)"])
def test_what_functions_of_c_compute_with_the_programs_elements_they_compute_once(call):
    """They raise without a traceback, also after elements' methods have run."""
    ran, said = [], []

    class Element:
        def counted(self, *_):
            ran.append(self)
            return 1

        def conjugate(self):
            return self

        __mul__ = __rmul__ = __bool__ = __float__ = counted

    x, y = numpy.array([Element(), Element(), None, None], object), numpy.array([Element(), "a", [], None], object)
    for np in (numpy, weft):
        ran.clear()
        with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
            eval(call, {name: getattr(np, name) for name in ("dot", "inner", "vdot", "concatenate", "where")}, {"x": x, "y": y})
        said.append((len(ran), caught.type, str(caught.value)))
    assert said[0] == said[1]
