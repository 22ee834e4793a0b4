"""Other libraries' arrays on a GPU as weft's, and weft's as theirs, without a copy: a stand-in for CuPy and PyTorch (tests/guest.py) in the same
process, over the fake driver, whose ledger says where two streams race. Nothing of it has run on a real GPU."""

import os
import subprocess
import sys
import textwrap

import pytest
from conftest import TIMEOUT


@pytest.fixture
def run(beside_guest):
    return beside_guest


def test_a_guests_array_is_shared(run):
    """Each sees what the other wrote before, whatever streams do in the meantime; the guest's memory is given back when weft's array is gone."""
    run("""
        g = guest.Array.of(numpy.arange(20_000.0))
        x = np.asarray(g)
        assert type(x) is np.ndarray and x.dtype == float and x.shape == (20_000,), x
        assert float(x[7]) == 7 and float((x * 2).sum()) == 2 * numpy.arange(20_000.0).sum()
        x[1:] = x[:-1] * 2                      # weft writes, and the guest reads
        assert g.get()[:4].tolist() == [0, 0, 2, 4]
        g.write(numpy.full(20_000, 3.0))        # the guest writes, in its time
        assert float(x.sum()) == 60_000
        g.write(numpy.full(20_000, 4.0))
        y = x + 1
        g.write(numpy.full(20_000, 5.0))        # y has the values of before
        assert float(y.sum()) == 100_000 and float(x[19_999]) == 5
        g.write(numpy.full(20_000, 6.0))
        assert numpy.asarray(x)[5] == 6 and not numpy.asarray(x).flags.writeable
        del g
        assert not guest.freed
        del x
        np.ones(3) + 1
        import gc; gc.collect(); cuda.synchronize(); numpy.zeros(1)
        assert guest.freed == [(20_000,)], guest.freed
    """)


@pytest.mark.parametrize("gpus", [1, 2])
def test_layouts_and_dtypes(run, gpus):
    run(
        """
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
            want = numpy.arange(24).reshape(4, 6).astype(name)
            g = guest.Array.of(want)
            x = np.asarray(g)
            assert x.dtype == want.dtype and (numpy.asarray(x) == want).all(), (name, x)
            t = guest.Tensor.of(want)
            y = np.from_dlpack(t)
            assert y.dtype == want.dtype and (numpy.asarray(y) == want).all(), (name, y)
        whole = guest.Array.of(numpy.arange(24.0).reshape(4, 6))
        x = np.asarray(whole)
        for view in (numpy.s_[::2, 1::3], numpy.s_[::-1, ::-2], numpy.s_[1:3]):
            of = numpy.arange(24.0).reshape(4, 6)[view]
            part = guest.Array(of.shape, of.dtype, address=whole.address + of.ctypes.data - of.base.ctypes.data, strides=of.strides, owner=whole)
            y = np.asarray(part)
            assert (numpy.asarray(y) == of).all(), (view, y)
            y += 100                             # a view of the same memory
            assert (numpy.asarray(x)[view] == of + 100).all()
            y -= 100
        assert (whole.get() == numpy.arange(24.0).reshape(4, 6)).all()
        turned = guest.Array((6, 4), float, address=whole.address, strides=(8, 48), owner=whole)
        assert (numpy.asarray(np.asarray(turned).T) == numpy.arange(24.0).reshape(4, 6)).all()
        assert np.asarray(guest.Array((0, 3), "f4")).shape == (0, 3) and np.asarray(guest.Array.of(numpy.ones((), "f4"))).shape == ()
        wide = guest.Array((5, 6), float, address=whole.address, strides=(0, 8), owner=whole)
        assert numpy.asarray(np.asarray(wide)).tolist() == [list(range(6))] * 5
        """,
        gpus=gpus,
        seeds=range(2),
    )


def test_an_array_for_guests(run):
    """What weft.cuda makes guests find, by either protocol, and write to."""
    run("""
        a = cuda.to_device(np.arange(20_000.0))
        g = guest.asarray(a)
        assert g.get()[5] == 5
        g.write(numpy.full(20_000, 2.0))
        assert float(a.sum()) == 40_000
        a += 1
        assert (g.get() == 3).all()
        b = cuda.device_array(20_000)
        h = guest.asarray(b)
        h.copied_from(g)                          # in h's stream
        assert float(b.max()) == 3
        v = guest.asarray(a[10:20:3])
        assert v.strides == (24,) and v.address == g.address + 80
        told = cuda.as_cuda_array(np.arange(6, dtype="f4").reshape(2, 3).T).__cuda_array_interface__
        assert told["shape"] == (3, 2) and told["strides"] == (4, 12) and told["typestr"] == "<f4" and told["version"] == 3 and told["stream"] is None
        assert cuda.is_cuda_array(g) and cuda.is_cuda_array(a)
        # DLPack: the guest lets go, and what it wrote last is there
        c = cuda.as_cuda_array(np.arange(20_000.0))
        assert c.__dlpack_device__() == (2, 0)
        for options in ({}, {"max_version": (1, 0)}):
            t = guest.from_dlpack(c, **options)
            t.write(numpy.full(20_000, 9.0))
            del t
            assert float(c.sum()) == 180_000
            c[:] = 1
        t = guest.from_dlpack(c, max_version=(1, 0), copy=True)
        assert t.flags == 2
        c[:] = 8
        assert (t.get() == 1).all()
        frozen = cuda.to_device(np.arange(3.0))
        frozen.flags.writeable = False
        assert guest.from_dlpack(frozen, max_version=(1, 0)).flags == 1
        assert frozen.__cuda_array_interface__["data"][1] is True
        # and the array lives for as long as a guest has it
        t = guest.from_dlpack(c)
        del c
        for _ in range(3):
            np.full(20_000, 5.0) + np.full(20_000, 6.0)
        cuda.synchronize()
        assert (t.get() == 8).all()
    """)


def test_addresses_in_both_memories(run):
    """An address in main memory that is given away takes nothing from the one on the GPU, however often either is asked for."""
    run("""
        a = cuda.to_device(np.arange(20_000.0))
        g = guest.asarray(a)
        for turn in range(4):
            assert numpy.asarray(numpy.ndarray(3, buffer=a))[1] == 1 + turn and a.__array_interface__["version"] == 3
            for _ in range(turn):
                assert guest.asarray(a).address == g.address
            g.write(numpy.full(20_000, 2.0))
            a += 1
            for _ in range(3):
                np.full(20_000, 5.0) + np.full(20_000, 6.0)
            assert (g.get() == 3).all() and float(a.sum()) == 60_000
            g.write(numpy.arange(20_000.0) + turn + 1)
    """)


@pytest.mark.parametrize("gpus", [1, 2])
def test_tensors(run, gpus):
    run(
        """
        for newest in ((1, 0), None):
            class Of(guest.Tensor):
                pass
            Of.newest = newest
            t = Of.of(numpy.arange(20_000.0))
            x = np.from_dlpack(t)
            assert guest.asked[-1] == 1 and float(x.sum()) == numpy.arange(20_000.0).sum()
            t.write(numpy.full(20_000, 2.0))
            assert float(x.sum()) == 40_000
            x *= 3
            assert (t.get() == 6).all()
            y = np.from_dlpack(t, copy=True) if newest else np.array(x)
            x[:] = 0
            assert float(y.sum()) == 120_000
            guest.freed.clear()
            del t, x
            np.ones(3) + 1
            cuda.synchronize(); numpy.zeros(1)
            assert guest.freed and not guest._given, guest.freed
        """,
        gpus=gpus,
    )


def test_kernels_take_guests_arrays(run):
    run("""
        @cuda.jit
        def scale(x, y, f):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = x[i] * f

        @cuda.jit
        def turn(x, y):                       # threads that are no lanes
            i = cuda.threadIdx.x
            s = cuda.shared.array(64, "float64")
            s[i] = x[i]
            cuda.syncthreads()
            y[63 - i] = s[i]

        x, y = guest.Array.of(numpy.arange(6400.0)), guest.Array((6400,), float)
        for k in range(3):
            scale[100, 64](x, y, 2.0 + k)
            assert (y.get() == (2 + k) * numpy.arange(6400.0)).all(), k
            x.write(numpy.arange(6400.0))
        a = cuda.device_array(6400)
        x.write(numpy.arange(6400.0) + 1)
        scale[100, 64](x, a, 10.0)
        assert float(a[3]) == 40
        turn[1, 64](x, y)
        assert y.get()[:3].tolist() == [64, 63, 62]
        b = cuda.as_cuda_array(x)
        assert float(b[0]) == 1 and cuda.as_cuda_array(b) is b
        c = cuda.from_cuda_array_interface(x.__cuda_array_interface__, owner=x)
        assert (c.copy_to_host() == x.get()).all()
        d = cuda.to_device(x)
        x.write(numpy.zeros(6400))
        assert float(d.max()) == 6400
    """)


def test_views_of_a_guests_array(run):
    """Parts of one array, that interleave or overlap, come in any order where the guest tells what they are views of; a copy needs no such word."""
    run("""
        of = numpy.arange(24.0).reshape(4, 6)
        w = guest.Array.of(of)
        def part(key, kind=guest.Array, whole=w):
            view = of[key]
            return kind(view.shape, view.dtype, address=w.address + view.ctypes.data - of.ctypes.data, strides=view.strides, owner=whole)

        @cuda.jit
        def scale(x, y):
            i = cuda.grid(1)
            if i < x.size and i < y.size:
                y[i] = x[i] * 2

        scale[1, 32](part(numpy.s_[:, 0]), part(numpy.s_[:, 1]))
        of[:, 1] = of[:, 0] * 2
        assert (w.get() == of).all(), w.get()
        scale[1, 32](part(numpy.s_[3, 1:]), part(numpy.s_[0]))         # both are gone: the whole comes again
        of[0, :5] = of[3, 1:] * 2
        assert (w.get() == of).all(), w.get()
        x = np.asarray(part(numpy.s_[1:]))
        y = np.asarray(w)                                              # the whole after its part
        y[2] = 7
        assert float(x[1, 3]) == 7
        of[2] = 7
        z = np.from_dlpack(part(numpy.s_[:, ::2], guest.Tensor))
        x[1:] = x[:-1]                                                 # they overlap, which weft sees
        of[2:] = of[1:-1].copy()
        assert (w.get() == of).all() and (numpy.asarray(z) == of[:, ::2]).all(), w.get()
        del x, y, z
        bytes_ = guest.Array((24,), "f4", address=w.address, strides=(8,), owner=w)
        assert np.asarray(bytes_).dtype == "f4"
        # A guest that tells no base: what overlaps cannot be shared, and can be copied.
        class Alone(guest.Array):
            base = None
        x = np.asarray(part(numpy.s_[:, 0], Alone))
        x[3] = 5
        of[3, 0] = 5
        odd = part(numpy.s_[:, 1], Alone)
        try:
            np.asarray(odd)
        except BufferError as error:
            assert "lies partly in the memory of another array" in str(error), error
        else:
            raise AssertionError("they overlap")
        for copy in (np.array(odd), cuda.to_device(odd), np.array(odd, dtype="f4")):
            assert (numpy.asarray(copy) == of[:, 1]).all(), copy
        w.write(of + 1)
        assert (numpy.asarray(np.array(odd)) == of[:, 1] + 1).all() and float(x[0]) == of[0, 0] + 1 and (numpy.asarray(copy) == of[:, 1]).all()
        t = part(numpy.s_[:, 1], guest.Tensor)
        t.owner = Alone((1,), float, address=w.address, owner=w)
        assert (numpy.asarray(np.from_dlpack(t, copy=True)) == of[:, 1] + 1).all()
    """)


def test_bases_that_cannot_be_asked(run):
    """Whatever is wrong with what an array is a view of, it is shared by itself."""
    run("""
        class Wrong(guest.Array):
            what, base = None, None
            @property
            def __cuda_array_interface__(self):
                if self.what == "raises":
                    raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
                told = super().__cuda_array_interface__ | {"lacks": {}, "typestr": {"typestr": "bfloat16"}, "elsewhere": {"data": (1 << 60, False)}}.get(self.what, {})
                if self.what == "lacks":
                    del told["shape"]
                return told

        class Asked(guest.Array):
            @property
            def base(self):
                raise RuntimeError("no base")

        for what in ("raises", "typestr", "lacks", "elsewhere"):
            w = Wrong.of(numpy.arange(100.0))
            w.what = what
            v = guest.Array((10,), float, address=w.address + 80, owner=w, stream=w.stream)
            x = np.asarray(v)
            x += 1
            assert v.get().tolist() == [k + 11 for k in range(10)], what
            assert float(np.array(v)[3]) == 14
        assert float(np.asarray(Asked.of(numpy.arange(3.0)))[2]) == 2
    """, seeds=range(2))


def test_elements_that_overlap_are_copied(run):
    """A window that slides over memory is read wherever a copy is asked for, into other arrays as well; to share it is refused."""
    run("""
        g = guest.Array.of(numpy.arange(10.0))
        s, want = guest.Array((8, 3), float, address=g.address, strides=(8, 8), stream=g.stream), numpy.arange(8)[:, None] + numpy.arange(3.0)
        into = cuda.device_array((8, 3))
        assert cuda.to_device(s, to=into) is into
        dst = np.zeros((8, 3))
        dst[...] = s
        dst[1:] = guest.Array((7, 3), float, address=g.address + 8, strides=(8, 8), stream=g.stream)
        t = guest.Tensor((8, 3), float, address=g.address, strides=(8, 8), stream=g.stream)
        for copy in (np.array(s), cuda.to_device(s), into, dst, np.array(s, dtype="f4"), np.from_dlpack(t, copy=True)):
            assert (numpy.asarray(copy) == want).all() and copy.flags.writeable, copy
        x = np.asarray(g)
        dst[...] = s                                # the memory is another array's, too
        x[:8] = guest.Array((8,), float, address=g.address + 16, stream=g.stream)
        assert (numpy.asarray(dst) == want).all() and g.get().tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 8, 9]
        try:
            np.asarray(s)
        except BufferError as error:
            assert "or copy it" in str(error), error
        else:
            raise AssertionError("its elements overlap")
    """, seeds=range(2))


def test_small_views_of_a_large_array(run):
    """What the host reads of a view is not all of what it is a view of, where the host has no room for that."""
    run("""
        g = guest.Array.of(numpy.arange(4_000_000.0))
        part = lambda k: guest.Array((1000,), float, address=g.address + 8 * k, stream=g.stream, owner=g)
        x, y = np.asarray(part(1000)), np.asarray(part(5000))
        assert numpy.asarray(x)[:2].tolist() == [1000, 1001] and float(np.median(x)) == 1499.5 and np.fft.fft(y)[0].real == numpy.arange(5000.0, 6000).sum()
        x += y
        assert g.get()[1000:1003].tolist() == [6000, 6002, 6004] and x.tolist()[:2] == [6000, 6002]
    """, seeds=range(2), WEFT_ARGS="--gpus 1 --sysmem 20")


def test_what_is_no_gpus(run):
    """Libraries that probe find no attribute where NumPy may write to an array's memory, and no tensor whose strides DLPack cannot say."""
    run("""
        a = cuda.to_device(np.arange(6.0))
        m = memoryview(a)
        assert not hasattr(a, "__cuda_array_interface__")
        try:
            a.__cuda_array_interface__
        except AttributeError as error:
            assert "copy the array" in str(error), error
        m[2] = 5.0
        assert float(a[2]) == 5
        del m
        assert guest.asarray(a).get()[2] == 5
        odd = cuda.to_device(np.arange(30.0)).reshape(10, 3)[:, :2].view("c16")[:, 0]
        assert odd.strides == (24,) and guest.asarray(odd).strides == (24,)
        t = guest.Tensor.of(numpy.ones(3))
        for code, words in (("odd.__dlpack__()", "only supports strides which are a multiple of itemsize"), ("np.from_dlpack(t, device='cpu', copy=False)", "copy alone")):
            try:
                eval(code)
            except BufferError as error:
                assert words in str(error), error
            else:
                raise AssertionError(code)
        assert guest.from_dlpack(odd[:1]).shape == (1,)
    """)


def test_memory_that_a_guest_still_uses(run):
    """Work that lacks it waits without the interpreter's lock, which a function that the guest's stream calls may want."""
    run("""
        import ctypes, threading
        go, ran = threading.Event(), []
        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def called(_):
            go.wait()
            ran.append(1)
        a = cuda.to_device(np.arange(50_000.0))
        g = guest.asarray(a)
        guest.call("cuLaunchHostFunc", ctypes.c_uint64(g.stream), called, None)
        g.made_stream = False
        del g, a
        made = [np.arange(50_000.0) * 2 + k for k in range(3)]
        assert not ran
        go.set()
        for k, x in enumerate(made):
            assert float(x[1]) == 2 + k
    """, debug="noeager,window=1,fbmem=900000", seeds=range(2))


def test_without_a_wait_streams_race(run):
    """sync=False is the program's word that there is nothing to wait for. Where that is wrong, the ledger says so: what the other tests find empty."""
    run(
        """
        g = guest.Array((20_000,), float)
        g.write(numpy.ones(20_000))
        cuda.as_cuda_array(g, sync=False)
        x = cuda.from_cuda_array_interface(g.__cuda_array_interface__ | {"stream": None}, owner=g)
        # Nothing has been waited for: a copy in another stream races with what the guest was told before.
        h = guest.Array((20_000,), float)
        h.copied_from(g)
        h.get()
        """,
        ledger="race",
        seeds=[0],
    )


def test_guests_on_two_gpus(run):
    """An array stays on its GPU, and operations of several bring what they need."""
    run(
        """
        a, b = guest.Array.of(numpy.arange(20_000.0)), None
        guest.on(1)
        b = guest.Array.of(numpy.ones(20_000), device=1)
        guest.on(0)
        x, y = np.asarray(a), np.asarray(b)
        y += x
        guest.on(1)
        assert (b.get() == numpy.arange(20_000.0) + 1).all()
        b.write(numpy.zeros(20_000))
        guest.on(0)
        x[:] = y - 1
        assert (a.get() == -1).all()
        z = cuda.as_cuda_array(y)
        assert y.__dlpack_device__() == (2, 1) and x.__dlpack_device__() == (2, 0)
        """,
        gpus=2,
    )


def test_the_current_context_stays(run):
    run(
        """
        for device in (1, 0):
            guest.on(device)
            x = np.arange(50_000.0)
            y = np.sqrt(x) + x[::-1]
            float(y.sum())
            g = guest.Array.of(numpy.ones(50_000), device=device)
            z = np.asarray(g) + y
            float(z[0])
            guest.asarray(cuda.as_cuda_array(z))
            assert guest.current() == guest.contexts[device]
        """,
        gpus=2,
        seeds=range(2),
    )


REFUSALS = {
    "version": ("np.asarray(with_({'version': 1}))", BufferError, "is of version 1; weft takes 2 and later"),
    "masked": ("np.asarray(with_({'mask': g}))", BufferError, "is masked"),
    "stream 0": ("np.asarray(with_({'stream': 0}))", BufferError, "names stream 0"),
    "records": ("np.asarray(with_({'typestr': '|V8', 'descr': [('a', '<f4'), ('b', '<f4')]}))", TypeError, "an array for each field"),
    "dates": ("np.asarray(with_({'typestr': '<M8[s]'}))", TypeError, "for which weft has no dtype"),
    "another order of bytes": ("np.asarray(with_({'typestr': '>f8'}))", TypeError, "for which weft has no dtype"),
    "no shape": ("cuda.from_cuda_array_interface({'version': 3})", BufferError, "lacks shape, typestr, data"),
    "beyond the allocation": ("np.asarray(with_({'shape': (1001,)}))", RuntimeError, "beyond what was allocated there"),
    "no address": ("np.asarray(with_({'data': (4096, False)}))", RuntimeError, "no address in a GPU's memory"),
    "another GPU": ("np.asarray(guest.Array.of(numpy.ones(3), device=1))", RuntimeError, "weft runs on gpu0; let it have that GPU, too, by --gpus"),
    "freed before": ("g.free(); np.asarray(g)", RuntimeError, "has been freed"),
    "freed meanwhile": ("x = np.asarray(g); g.free(); y = x + 1; float(y[0])", RuntimeError, "has been freed"),
    "freed meanwhile, and read": ("x = np.asarray(g); g.free(); float(x[0])", RuntimeError, "has been freed"),
    "read-only": ("x = np.asarray(with_({'data': (g.address, True)})); x[0] = 1", ValueError, "read-only"),
    "NumPy writes": ("x = np.asarray(g); numpy.asarray(x)[0] = 1", ValueError, "read-only"),
    "overlaps": ("x = np.asarray(with_({'shape': (500,)})); np.asarray(with_({'shape': (500,), 'data': (g.address + 800, False)}))", BufferError, "adopt the array that both are views of"),
    "bfloat16": ("t = guest.Tensor.of(numpy.ones(4, 'u2')); t.code = 4; np.from_dlpack(t)", TypeError, "elements of bfloat16"),
    "newer DLPack": ("t = guest.Tensor.of(numpy.ones(4)); t.newest = (2, 0); np.from_dlpack(t)", BufferError, "version 2.0 of DLPack"),
    "odd bools": ("odd = guest.Array.of(numpy.full(1000, 7, 'u1')); np.asarray(with_({'typestr': '|b1', 'data': (odd.address, False), 'stream': odd.stream}))", BufferError, "neither 0 nor 1"),
    "to another device": ("cuda.to_device(np.ones(3)).__dlpack__(dl_device=(2, 1))", BufferError, "cannot be had on GPU 1"),
    "to another kind": ("np.ones(3).__dlpack__(dl_device=(10, 0))", BufferError, "device of type 10"),
    "stream 0 of a consumer": ("cuda.to_device(np.ones(3)).__dlpack__(stream=0)", BufferError, "stream=0"),
    "an array that has no value": ("a = cuda.to_device(np.ones(30_000)); a += np.asarray(np.ones(2))[np.asarray([5] * 30_000)]", IndexError, ""),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals(run, what):
    code, kind, words = REFUSALS[what]
    run(
        f"""
        g = guest.Array.of(numpy.arange(1000.0))
        class Changed:
            def __init__(self, more): self.__dict__["told"] = g.__cuda_array_interface__ | more
            @property
            def __cuda_array_interface__(self): return self.told
        with_ = Changed
        kept = cuda.to_device(np.arange(5.0)) + 1
        try:
            {code}
            cuda.synchronize()
        except {kind.__name__} as error:
            assert {words!r} in str(error), error
        else:
            raise AssertionError("nothing was wrong")
        assert float(kept.sum()) == 15 and float((np.arange(30_000.0) * 2)[1]) == 2
        """,
        seeds=[0],
    )


@pytest.mark.parametrize("flags", ["", "--gpus 2 --emulate"])
def test_without_gpus_there_is_no_interface(flags):
    """Arrays are of the host then, as NumPy's are, whatever weft.cuda makes of them."""
    text = """
    import weft as np, numpy
    from weft import cuda
    a = cuda.to_device(np.arange(5.0))
    assert not hasattr(a, "__cuda_array_interface__") and not hasattr(np.ones(3), "__cuda_array_interface__")
    try:
        a.__cuda_array_interface__
    except AttributeError as error:
        assert "emulated GPUs" in str(error), error
    assert a.__dlpack_device__() == (1, 0)
    b = numpy.from_dlpack(a)
    a += 1
    assert b.tolist() == [1, 2, 3, 4, 5]
    class Far:
        def __dlpack_device__(self): return (2, 0)
        def __dlpack__(self, **more): raise BufferError("it is on a GPU")
    try:
        np.from_dlpack(Far())
    except BufferError as error:
        assert "it is on a GPU" in str(error)
    else:
        raise AssertionError("what is on a GPU was taken")
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "LEGATE_", "CUDA_"))}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env={**env, "WEFT_ARGS": flags}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr


def test_what_weft_makes_stays_numpys(run):
    """Arrays that are not said to be on a GPU have no interface: libraries take them for NumPy's, as they do elsewhere."""
    run("""
        x = np.arange(50_000.0) * 2
        assert float(x[1]) == 2 and not hasattr(x, "__cuda_array_interface__") and x.__dlpack_device__() == (1, 0)
        assert numpy.from_dlpack(x)[1] == 2
        u = guest.Array((50_000,), float, address=0, owner=x.__dlpack__(dl_device=(2, 0), max_version=(1, 0)))  # a consumer that asks for a GPU
        assert x.__dlpack_device__() == (1, 0) and float(x.sum()) == 2 * numpy.arange(50_000.0).sum()
        t = guest.asarray(cuda.as_cuda_array(x))
        assert x.__dlpack_device__() == (2, 0) and numpy.asarray(x)[1] == 2 and t.get()[1] == 2
        assert numpy.from_dlpack(x, device="cpu")[1] == 2
    """, seeds=range(2))


@pytest.mark.parametrize("flags", ["--gpus 1 --cpus 1", "--gpus 2", "--gpus 0"])
def test_other_settings(run, flags):
    """With another machine arrays of guests are shared as before; without GPUs they keep their values. What a guest has got stays where it is."""
    run(f"""
        from weft import settings
        g = guest.Array.of(numpy.arange(1000.0))
        x = np.asarray(g)
        a = cuda.to_device(np.arange(1000.0))
        h = guest.asarray(a)
        h.write(numpy.full(1000, 4.0))
        settings.configure({flags!r})
        assert float(x.sum()) == 499_500 and float(a.sum()) == 4000
        g.write(numpy.ones(1000))
        assert float(x.sum()) == (499_500 if {flags!r} == "--gpus 0" else 1000)
        g.get()
        a += 1
        assert float(a[0]) == 5 and h.get()[0] == 4
        a = x = None
        assert h.get()[0] == 4
    """, seeds=range(2))
