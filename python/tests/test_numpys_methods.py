"""Methods of NumPy's own arrays, those of dtypes that weft has not, with arrays of weft's among their arguments."""

import numpy
import pytest
import weft as np
from weft import _derived

CALLS = {
    "all": {}, "any": {}, "argmax": {}, "argmin": {}, "max": {}, "mean": {}, "min": {}, "prod": {}, "std": {}, "sum": {}, "var": {}, "trace": {},
    "clip": {"min": 0}, "cumsum": {}, "cumprod": {}, "round": {}, "take": {"indices": [0, 1]}, "compress": {"condition": [True, True]}, "dot": {"b": numpy.eye(2)},
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [">f8", "longdouble"])
def test_they_write_into_weft_arrays(name, dtype):
    array = numpy.array([[1.5, -2.0], [0.25, 3.0]], dtype)
    options = CALLS[name] if name in ("clip", "take", "compress", "dot") else {"axis": 0} if name in ("cumsum", "cumprod") else {}
    want = getattr(array, name)(**options)
    kind = want.dtype if want.dtype.kind in "bi" else float
    theirs, ours = numpy.zeros(want.shape, kind), np.zeros(want.shape, kind)
    results = []
    for out in (theirs, ours):
        try:
            results.append(getattr(array, name)(**options, out=out) is out)
        except (TypeError, ValueError) as error:  # of a cast that NumPy does not make
            results.append(str(error))
    assert results[1] == results[0]
    assert ours.tolist() == theirs.tolist()


def test_all_that_write_are_known():
    assert sorted([*CALLS, "choose"]) == sorted(_derived._INTO)


def test_long_longs_are_other_integers_than_longs():
    for made in (np.zeros(3, np.longlong), np.arange(3, dtype="q"), np.ones(2).astype(np.ulonglong), np.array([np.longlong(3)]), np.array([1]) + np.longlong(1)):
        assert made.dtype.char in "qQ"
    assert np.zeros(2, int).dtype.char == np.zeros(2, np.int64).dtype.char == "l"
    a = np.zeros(2, int)
    same = a
    a += np.longlong(1)
    assert a is same and type(a) is np.ndarray and a.tolist() == [1, 1]
    assert np.ones(3)[np.array([1], "q")].tolist() == [1.0]
