"""Ufuncs that weft has no loop of its own for, of few elements: values, types, layouts, warnings and errors are NumPy's, and those of the way without a shortcut."""

import random
import warnings

import numpy
import pytest
import weft
from weft import _core

UFUNCS = {"gcd": 2, "lcm": 2, "spacing": 1, "nextafter": 2, "ldexp": 2, "frexp": 1, "modf": 1, "bitwise_count": 1}
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split()
NUMBERS = [0, 3, -2, 1.5, 2**40, 2**70, True, float("inf"), float("nan"), numpy.float32(2), numpy.int8(3), 1j, "a"]


def array(r):
    dtype = numpy.dtype(r.choice(DTYPES))
    shape = r.choice([(3,), (2, 3), (1,), (), (0,), (40,), (2, 1, 3)])
    special = [0, 1, -1, 5, 12] + ([numpy.inf, -numpy.inf, numpy.nan, -0.0, 1e300, 5e-324] if dtype.kind == "f" else [])
    with warnings.catch_warnings(action="ignore"):
        made = numpy.array([r.choice(special) for _ in range(int(numpy.prod(shape)))]).astype(dtype).reshape(shape)
    return r.choice([lambda x: x, lambda x: x[::-1] if x.ndim else x, lambda x: x.T])(made)


def ours(value):
    if type(value) is not numpy.ndarray:
        return value
    base = value if value.base is None else value.base
    made = weft.array(base).reshape(value.T.shape) if base.ndim and value.ndim > 1 and not value.flags.c_contiguous and value.flags.f_contiguous else None
    return weft.array(value) if made is None or made.T.shape != value.shape or (numpy.asarray(made.T) != value).any() else made.T


def outcome(np, name, args):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            made = getattr(np, name)(*args)
        except Exception as error:
            return type(error).__name__, [str(w.message) for w in said if w.category is RuntimeWarning]
    results = [(type(x) in (weft.ndarray, numpy.ndarray) or type(x), numpy.asarray(x).dtype, numpy.shape(x), numpy.asarray(x).tobytes()) for x in (made if type(made) is tuple else (made,))]
    return type(made) is tuple, results, [str(w.message) for w in said if w.category is RuntimeWarning]


@pytest.mark.parametrize("name", UFUNCS)
def test_few_elements_are_numpys(name):
    for seed in range(400):
        r = random.Random(f"{name} {seed}")
        args = [array(r) for _ in range(UFUNCS[name])]
        if len(args) == 2 and r.random() < 0.5:
            args[1] = r.choice(NUMBERS) if r.random() < 0.5 else args[0][...]
        with numpy.errstate(all="warn", under="ignore"):
            want = outcome(numpy, name, args)
            got = outcome(weft, name, [ours(value) for value in args])
            assert got == want, (seed, args)
            before = _core.few(0)
            try:
                assert outcome(weft, name, [ours(value) for value in args]) == want, (seed, args)
            finally:
                _core.few(before)


def test_settings_of_errors_are_kept():
    x = weft.array([1.0, 1e300])
    with weft.errstate(over="raise"), pytest.raises(FloatingPointError, match="ldexp"):
        weft.ldexp(x, 5000)
    with weft.errstate(all="ignore"):
        assert weft.ldexp(x, 5000).tolist() == [float("inf")] * 2


def test_results_have_memory_of_their_own_and_the_calls_are_counted():
    x, k = weft.arange(4.0) + 0.5, weft.arange(4)
    fraction, whole = weft.modf(x)
    fraction[0] = 9
    assert x.tolist() == [0.5, 1.5, 2.5, 3.5] and whole.tolist() == [0, 1, 2, 3]
    before = weft.coverage().fallback.get("gcd", 0)
    assert weft.gcd(k, 2).tolist() == [2, 1, 2, 1] and weft.gcd(k[::-1], k).tolist() == [3, 1, 1, 3]
    assert weft.coverage().fallback["gcd"] == before + 2
    assert weft.gcd(k * 2, k, out=k) is k


def test_of_what_is_not_there_yet_and_of_many_the_results_are_the_same():
    x = weft.arange(300_000) % 30 + 1
    assert int(weft.gcd(x, 6).sum()) == int(numpy.gcd(numpy.arange(300_000) % 30 + 1, 6).sum())
    part = (x * 2)[:10]
    assert weft.lcm(part, 3).tolist() == numpy.lcm(numpy.arange(1, 11) * 2, 3).tolist()
