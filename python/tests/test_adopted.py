"""The memory of arrays that NumPy makes, and that nothing else has, becomes weft's: what is adopted, when it is given back, and what is copied instead."""

import gc
import sys
import weakref

import numpy
import pytest
import weft
from weft import _core, _fallback

from .sharing import run_python

N = 200_000  # elements, more than the eager tier takes


def address(x):
    return x.__array_interface__["data"][0]


def settled():
    weft.sync()
    gc.collect(0)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_has_the_memory_and_is_as_any_other(dtype, order):
    a = numpy.asarray(numpy.random.default_rng(3).integers(0, 2, (400, 500)), dtype, order=order)
    want, held = a + a, sys.getrefcount(a)
    x = _core.adopted(a)
    assert type(x) is weft.ndarray and address(x) == a.ctypes.data
    assert (x.dtype, x.shape, x.strides, x.base, x.flags.owndata) == (a.dtype, a.shape, a.strides, None, True)
    assert x.flags.writeable and x.flags.f_contiguous == a.flags.f_contiguous
    assert numpy.asarray(x + x).tobytes() == want.tobytes()
    x[3:300, 7] = x[5, 5:302]  # as deferred operations may be
    v = x[1:, ::2].T
    y = numpy.asarray(x).copy()
    assert numpy.asarray(v).tobytes() == y[1:, ::2].T.tobytes()
    assert sys.getrefcount(a) > held
    del x
    settled()
    assert numpy.asarray(v).tobytes() == y[1:, ::2].T.tobytes()  # a view has the memory
    del v
    for _ in range(100_000):  # a task that has ended may be letting the memory go yet
        if sys.getrefcount(a) == held:
            break
        settled()
    assert sys.getrefcount(a) == held


def test_what_has_no_memory_of_its_own_is_not_adopted():
    def fresh():
        return numpy.arange(float(N))

    locked = fresh()
    locked.flags.writeable = False
    odd = numpy.zeros(8 * N + 1, numpy.uint8)[1:].view(float)
    watched = fresh()
    watch = weakref.ref(watched)
    of = fresh()
    for a in (locked, odd, watched, of[:], of[::2], fresh().reshape(2, -1), fresh().view(numpy.recarray), fresh().astype(">f8"), fresh().astype("M8[s]"), numpy.empty(0), numpy.float64(1), [1.0] * N):
        assert _core.adopted(a) is None
    assert watch() is watched


CALLS = """
packbits(b) | packbits(b, axis=0) | unpackbits(u) | ndarray.byteswap(x) | lib.scimath.sqrt(x) | fix(x) | modf(x) | nextafter(x, 1) | polynomial.legendre.legvander(x[:N // 8], 3)
apply_along_axis(lambda row: row + 1, 1, x.reshape(400, 500)) | apply_over_axes(np.sum, x.reshape(400, 5, 100), [1]) | unstack(x.reshape(2, N // 2)) | histogram2d(x, x, 300) | vander(x[:N // 4], 5)
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("call", [call.strip() for call in CALLS if call.strip()])
def test_results_of_numpys_functions_are_numpys_and_stay_what_they_are(call):
    told = []
    for np in (numpy, weft):
        rng = numpy.random.default_rng(4)
        x = rng.normal(size=N)
        names = {"np": np, "N": N, "x": np.array(x), "b": np.array(x.reshape(400, 500) > 0), "u": np.array((x * 9).astype("u1"))}
        made = eval("np." + call, names)
        made = made if isinstance(made, (tuple, list)) else (made,)
        before = [numpy.asarray(item).tobytes() for item in made]
        junk = [np.array(x) + i for i in range(8)]  # other arrays get other memory
        again = [eval("np." + call, names) for _ in range(2)]
        del junk, again
        assert [numpy.asarray(item).tobytes() for item in made] == before
        told.append([(numpy.asarray(item).dtype, numpy.shape(item), data) for item, data in zip(made, before, strict=True)])
    assert told[0] == told[1]


def test_what_a_function_keeps_is_copied():
    kept = numpy.arange(float(N))
    pair = (numpy.arange(float(N)), numpy.arange(float(N)))
    x = _fallback.run("kept", lambda _: kept, (weft.arange(9.0),), {})
    y, z = _fallback.run("kept", lambda _: pair, (weft.arange(9.0),), {})
    x += 1
    y += 1
    z += 1
    weft.sync()
    assert kept[0] == pair[0][0] == pair[1][0] == 0
    held = numpy.arange(float(N))
    seen = held[3:]
    x = _fallback.run("kept", lambda _: seen, (weft.arange(9.0),), {})
    x += 1
    weft.sync()
    assert held[3] == 3


def test_nothing_is_adopted_where_memory_is_limited():
    code = "import numpy, weft; from weft import _core; weft.arange(9); print(_core.adopted(numpy.zeros(300_000)))"
    for argument, adopted in (("--sysmem 50", False), ("", True)):
        done = run_python(code, env={"WEFT_ARGS": argument, "WEFT_DEBUG": ""})
        assert (done.stdout.strip() != "None") is adopted, done.stderr
