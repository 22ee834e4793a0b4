"""Calls with arrays of NumPy's of dtypes that weft has not, which reach NumPy without a look at other types of arrays: values, kinds, errors and warnings are NumPy's."""

import warnings

import numpy
import pytest
import weft

from .sharing import run_python

N = 6
TEXT = numpy.array([f" w{i % 4} " for i in range(N)])
GIVEN = {
    "s": TEXT, "s2": TEXT[::-1], "u": TEXT.astype(numpy.dtypes.StringDType()), "z": TEXT.astype("S5"), "words": list(TEXT),
    "d": numpy.datetime64("2024-01-01") + numpy.arange(N), "h": numpy.arange(N).astype("m8[D]"), "nat": numpy.array(["NaT", "2024-01-02"], "M8[s]"),
    "rec": numpy.zeros(N, [("a", "i4"), ("b", "f8"), ("c", "U4")]), "o": numpy.arange(N).astype(object), "mixed": numpy.array([1, "a", None], object),
    "l": numpy.arange(-2, N - 2).astype(numpy.longdouble), "l2": numpy.linspace(0.5, 3, N).astype(numpy.longdouble), "lc": numpy.arange(N).astype(numpy.clongdouble),
    "q": numpy.arange(N).astype("q"), "swapped": numpy.arange(N).astype(numpy.dtype("g").newbyteorder()), "gaps": numpy.arange(2.0 * N).astype("g")[::2],
    "square": numpy.arange(9.0).astype("g").reshape(3, 3), "none": numpy.array([], "g"), "one": numpy.array(2, "g"),
}  # fmt: skip

CALLS = """
np.strings.str_len(s) | np.strings.str_len(u) | np.strings.str_len(z) | np.strings.strip(s) | np.strings.find(s, '1') | np.strings.startswith(s, ' w') | np.strings.add(s, s2) | np.strings.add(s, '!')
np.strings.add(s, 3) | np.strings.upper(s) | np.strings.multiply(s, 2) | np.strings.multiply(s, 'x') | np.strings.replace(s, 'w', 'v', count=1) | np.strings.partition(s, 'w') | np.strings.isdigit(s)
np.char.add(s, 'x') | np.char.equal(s, s2) | np.char.split(s) | np.char.isdigit(s) | np.char.compare_chararrays(s, s2, '==', True) | np.strings.str_len() | np.strings.str_len(s, s, s) | np.strings.strip(s, bad=1)
np.isnat(d) | np.isnat(h) | np.isnat(nat) | np.isnat(s) | np.isnat(l) | np.isfinite(d) | np.sqrt(l) | np.sqrt(l2) | np.exp(l) | np.log(l) | np.abs(l) | np.sign(l) | np.floor(l2) | np.isnan(l) | np.signbit(l)
np.sqrt(lc) | np.abs(lc) | np.conjugate(lc) | np.sqrt(swapped) | np.sqrt(gaps) | np.sqrt(square) | np.sqrt(square.T) | np.sqrt(none) | np.sqrt(one) | np.sqrt(q) | np.sqrt(o) | np.sqrt(mixed) | np.square(l, dtype='f8', casting='unsafe')
np.add(l, l2) | np.add(l, 1) | np.add(l, square[:2, 0]) | np.add(square, square[0]) | np.divide(l2, l) | np.power(l2, l) | np.hypot(l, l2) | np.matmul(square, square) | np.vecdot(l, l2) | np.maximum(l, l2) | np.maximum(o, o)
np.less(l, l2) | np.arctan2(l, l2) | np.ldexp(l, 2) | np.frexp(l) | np.modf(l2) | np.divmod(l, l2) | np.copysign(l, l2) | np.nextafter(l, l2) | np.add(l, l2, out=l2.copy()) | np.sqrt(l2, where=l > 0, out=l2.copy())
np.zeros(3, rec.dtype) | np.zeros((2, 2), 'U3') | np.ones(3, object) | np.empty(0, rec.dtype) | np.full(3, 'a') | np.full(3, None) | np.zeros_like(rec) | np.arange('2024-01', '2024-03', dtype='datetime64[D]') | np.arange(3, dtype='m8[s]')
np.arange('a', 'b', dtype='M8[D]') | np.array(s) | np.asarray(s) | np.asarray(s) is s | np.array(['a', 'b']) | np.array(words, dtype=object) | np.array(o, dtype=float) | np.array(rec['b']) | np.asarray(q, dtype=int)
np.concatenate([s, s2]) | np.stack([s, s2]) | np.stack([s, s2[:2]]) | np.vstack((s, s2)) | np.append(s, 'end') | np.hstack([d, d]) | np.split(s, 2) | np.array_equal(s, s2) | np.unique(s, return_counts=True) | np.unique(d)
np.sort(s) | np.argsort(s) | np.argsort(s, axis=3) | np.searchsorted(np.sort(s), ' w2 ') | np.isin(s, [' w1 ', 'q']) | np.where(s == ' w1 ', s, s2) | np.dot(o, o) | np.dot(l, l2) | np.sum(l) | np.sum(o) | np.mean(l) | np.max(d)
np.is_busday(d) | np.busday_count(d, d[::-1]) | np.busday_offset(d, 1, roll='bad') | np.datetime_as_string(d) | np.diff(d) | np.ndim(s) | np.shape(s) | np.size(s) | np.count_nonzero(s) | np.nonzero(o) | np.real(lc) | np.imag(lc) | np.real(l)
np.amin(2**63) | np.amax(2**63) | np.sum(2**64) | np.broadcast_arrays(s, s2) | np.squeeze(square) | np.transpose(square) | np.take(s, [0, 1]) | np.repeat(s, 2) | np.tile(s, 2) | np.flip(s) | np.copy(s) | np.ravel(square)
weft_floats + o | weft_floats + l | l + weft_floats | weft_floats * o | weft_floats == s | weft_floats < l | weft_floats + s | weft_floats - d | weft_floats @ l | weft_floats ** l2
""".replace("\n", "|").split("|")


def outcome(call, np):
    names = {name: value.copy() if isinstance(value, numpy.ndarray) else value for name, value in GIVEN.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = eval(call, {"np": np, "weft_floats": np.arange(float(N)), **names})
        except Exception as error:
            made = type(error), str(error)
    return made, sorted(
        {(w.category, str(w.message), w.filename) for w in caught if w.category is not weft.FallbackWarning}
    )


def assert_alike(got, want):
    if isinstance(want, tuple | list):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            assert_alike(g, w)
    elif isinstance(want, numpy.ndarray):
        native = type(want) is numpy.ndarray and weft._fallback.is_native(want.dtype)
        assert type(got) is (weft.ndarray if native else type(want))
        assert (got.dtype, got.shape, got.strides, got.flags.writeable) == (
            want.dtype,
            want.shape,
            want.strides,
            want.flags.writeable,
        )
        numpy.testing.assert_array_equal(numpy.asarray(got), want)
    else:
        assert type(got) is type(want) and repr(got) == repr(want)


@pytest.mark.parametrize("call", [call.strip() for call in CALLS if call.strip()])
def test_calls_give_what_numpys_give(call):
    got, want = outcome(call, weft), outcome(call, numpy)
    assert_alike(got[0], want[0])
    assert got[1] == want[1]


def test_methods_of_elements_are_called_once():
    class Counts:
        calls = 0

        def __add__(self, other):
            Counts.calls += 1
            raise TypeError("no sum")

        def sqrt(self):
            Counts.calls += 1
            raise ValueError("no root")

    o = numpy.array([Counts()], dtype=object)
    for call in (lambda: weft.add(o, 1), lambda: weft.sum(numpy.array([Counts(), 1], object)), lambda: weft.sqrt(o)):
        Counts.calls = 0
        with pytest.raises((TypeError, ValueError), match="no "):
            call()
        assert Counts.calls == 1


def test_results_are_the_programs_own():
    kept = weft.sqrt(GIVEN["l2"])
    assert kept.flags.owndata and kept is not weft.sqrt(GIVEN["l2"])
    text = TEXT.copy()
    assert weft.asarray(text) is text and weft.ravel(text).base is text
    record = GIVEN["rec"].copy()
    view = weft.real(record["b"])
    view[0] = 5
    assert record["b"][0] == 5


MODULES = "strings char ma linalg fft random rec polynomial testing"


def test_modules_have_all_names_from_the_first_one_on():
    """Each is asked for first in a process of its own; which one it is makes no difference."""
    code = f"""
import sys, numpy, weft, importlib
for module in "{MODULES}".split():
    theirs, ours = importlib.import_module("numpy." + module), importlib.import_module("weft." + module)
    names = [name for name in vars(theirs) if not name.startswith("__")]
    for name in names[::-1] if sys.argv[1:] else names:
        getattr(ours, name)
    assert not "__getattr__" in vars(theirs)
    try:
        ours.no_such_name
    except AttributeError as error:
        assert "no_such_name" in str(error)
    else:
        raise SystemExit(module)
    if module not in ("strings", "char"):
        theirs.added_later = 7
        assert ours.added_later == 7, module
print(weft.ma.count is weft.ma.core.count, weft.char.upper is weft.strings.upper, weft.strings.str_len(numpy.array(["ab"])))
"""
    said = {run_python(f"import sys; sys.argv[1:] = {more}\n{code}").stdout for more in ([], ["backwards"])}
    assert said == {"True True [2]\n"}
