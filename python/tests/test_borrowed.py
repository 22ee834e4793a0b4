"""Arrays over memory that others own, before and after Go knows of it: what either side writes is seen by the other, and the owner lives as long as it is used."""

import gc
import sys
import weakref

import numpy
import pytest
import weft

from .sharing import run_python


def drawn(rng, owner):
    """Two equal views of an owner and its double, most of them without gaps."""
    low = int(rng.integers(0, len(owner[0]) - 1))
    n = int(rng.integers(1, len(owner[0]) - low + 1))
    step = int(rng.choice([1, 1, 1, 2, -1]))
    pick = slice(low, low + n)
    mine, theirs = owner[0][pick][::step], owner[1][pick][::step]
    if n % 2 == 0 and step == 1 and rng.random() < 0.3:
        mine, theirs = mine.reshape(2, -1), theirs.reshape(2, -1)
    if rng.random() < 0.15:
        mine.flags.writeable = theirs.flags.writeable = False
    if rng.random() < 0.2:
        mine, theirs = mine.view("i8"), theirs.view("i8")
    return mine, theirs


def step(rng, owner, arrays):
    """One thing that happens to NumPy's owner, weft's arrays over it, and to the double of all."""
    mine, theirs = arrays[rng.integers(0, len(arrays))]
    what = rng.integers(0, 13)
    if what == 0:
        at, value = int(rng.integers(0, len(owner[0]))), float(rng.integers(0, 9))
        owner[0][at] = owner[1][at] = value
    elif what in (1, 2):
        of, also = arrays[rng.integers(0, len(arrays))]
        n = min(mine.size, of.size)
        if mine.ndim == of.ndim == 1 and mine.dtype == of.dtype and mine.flags.writeable:
            mine[:n] += of[:n] if what == 1 else of[of.size - n :]
            theirs[:n] += also[:n] if what == 1 else also[also.size - n :]
        else:
            assert float(mine.sum()) == pytest.approx(float(theirs.sum()), nan_ok=True)
    elif what == 3:
        if mine.flags.writeable:
            mine[...] = theirs[...] = 3
        else:
            with pytest.raises(ValueError, match="read-only"):
                mine[...] = 3
    elif what == 4:
        big = weft.zeros((300, 1000)) + mine.ravel()[0]  # which wants a handle
        assert big[0, 0] == theirs.ravel()[0]
    elif what == 5:
        mine[1:], theirs[1:]
        arrays.append((mine[::-1], theirs[::-1]))
    elif what == 6:
        held = numpy.asarray(mine)
        if held.flags.writeable:
            held[:1] = 5
            theirs[:1] = 5
        arrays.append((weft.asarray(held), theirs))
    elif what == 7 and len(arrays) > 2:
        arrays.pop(rng.integers(0, len(arrays)))
    elif what == 8:
        assert mine._store >= 0 and mine.flags.owndata is False
    elif what == 9 and mine.ndim == 1:
        arrays.append((mine.reshape(-1, 1), theirs.reshape(-1, 1)))
    elif what == 10 and mine.flags.writeable and mine.size > 1 and mine.ndim == 1:
        mine[1:] = mine[:-1]
        theirs[1:] = theirs[:-1]
    else:
        a, b = drawn(rng, owner)
        arrays.append((weft.asarray(a), b))
        assert type(arrays[-1][0]) is weft.ndarray or not a.flags.c_contiguous


@pytest.mark.parametrize("seed", range(40))
def test_arrays_over_the_same_memory(seed):
    rng = numpy.random.default_rng(seed)
    start = rng.integers(0, 9, 24).astype(float)
    if seed % 2:
        kept = bytearray(start.tobytes())
        owner = numpy.frombuffer(kept), start.copy()
        arrays = [(weft.frombuffer(kept), owner[1])]
    else:
        owner = start.copy(), start.copy()
        arrays = [(weft.asarray(owner[0]), owner[1])]
    for _ in range(60):
        with numpy.errstate(all="ignore"):
            step(rng, owner, arrays)
        numpy.testing.assert_array_equal(*owner)
        for mine, theirs in arrays:
            assert numpy.asarray(mine.copy()).tobytes() == theirs.tobytes()
            assert mine.flags.writeable == theirs.flags.writeable


def test_the_same_programs_without_the_eager_tier():
    code = """
import numpy, python.tests.test_borrowed as t
for seed in range(6):
    t.test_arrays_over_the_same_memory(seed)
"""
    made = run_python(code, env={"WEFT_DEBUG": "noeager,check"})
    assert made.returncode == 0, made.stderr


def test_the_owner_lives_as_long_as_what_has_its_memory():
    class Owner(numpy.ndarray):
        pass

    for settles in (False, True):
        owner = numpy.arange(6.0).view(Owner)
        gone = weakref.ref(owner)
        x = weft.asarray(numpy.asarray(owner)[1:])
        del owner
        y = x[1:]
        if settles:
            weft.sync()
            assert (weft.zeros((400, 1000)) + y[0])[1, 1] == 2.0
            assert x._placed
        del x
        gc.collect()
        assert y.tolist() == [2, 3, 4, 5]
        del y
        weft.sync()
        gc.collect()
        assert gone() is None or settles
    raw = bytes(range(64))
    before = sys.getrefcount(raw)
    x = weft.frombuffer(raw)
    assert sys.getrefcount(raw) > before and not x.flags.writeable
    with pytest.raises(ValueError):
        x.flags.writeable = True
    del x
    assert sys.getrefcount(raw) == before


def test_what_is_read_twice_of_bytes_is_a_view_of_the_first():
    raw = bytes(range(64)) * 50
    before = sys.getrefcount(raw)
    told = []
    for np in (numpy, weft):
        first, part = np.frombuffer(raw, numpy.uint8), np.frombuffer(raw, "<u2", count=20, offset=4)
        assert type(part.base) is bytes and not part.flags.writeable and not part.flags.owndata
        for x in (first, part):
            for change in (lambda x: x.__setitem__(0, 1), lambda x: x.sort(), lambda x: x.setflags(write=True)):
                with pytest.raises(ValueError) as error:
                    change(x)
                told.append(str(error.value))
        del first, x
        told.append((part.tolist(), float((np.zeros((400, 1000)) + part[0])[3, 3]), np.frombuffer(raw, "<u2")[3:].tolist()))
        with pytest.raises(ValueError):
            part.flags.writeable = True
        del part
    assert told[: len(told) // 2] == told[len(told) // 2 :]
    weft.sync()
    gc.collect()
    assert raw == bytes(range(64)) * 50 and sys.getrefcount(raw) >= before


def test_a_buffer_that_is_borrowed_may_not_grow():
    buffer = bytearray(80)
    x = weft.frombuffer(buffer, dtype="i4", count=3, offset=4)
    with pytest.raises(BufferError):
        buffer.append(1)
    buffer[4] = 9
    x[1] = 7
    assert x.tolist() == [9, 7, 0] and buffer[8] == 7
    del x
    buffer.append(1)


@pytest.mark.parametrize("call", ["frombuffer(b'123')", "frombuffer(b'1234', 'f4', 2)", "frombuffer(b'12345678', offset=9)", "frombuffer(3)", "frombuffer(b'ab', 'S1')", "frombuffer(b'\\x02\\x00', bool)",
    "frombuffer(memoryview(bytearray(16))[::2])", "frombuffer(b'123456789', dtype='f8', offset=1)", "frombuffer(b'12', dtype='>i2')", "frombuffer(b'abcd', count=-1, dtype='u1')", "asarray(numpy.arange(3), dtype='nonsense')",
    "asarray(numpy.arange(3), copy=True)", "asarray(numpy.zeros(0))", "asarray(numpy.arange(3)[::2])", "asarray(numpy.broadcast_to(1.0, (2, 2)))", "asarray(numpy.arange(4).reshape(2, 2).T)"])  # fmt: skip
def test_what_is_unusual_is_as_numpys(call):
    def outcome(np):
        try:
            made = eval("np." + call, {"np": np, "numpy": numpy})
        except Exception as error:
            return type(error), str(error)
        return made.dtype, made.shape, made.tolist(), made.flags.writeable, made.flags.owndata, type(made.base)

    assert outcome(weft) == outcome(numpy)
