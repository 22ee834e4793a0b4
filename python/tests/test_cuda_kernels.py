"""@cuda.jit kernels against Python's own execution of the function, thread by thread."""

import importlib.util
import linecache
import math
import subprocess
import sys
import textwrap
import types

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors


class Place:
    """threadIdx and the like of the thread that runs."""

    def __init__(self):
        self.x = self.y = self.z = 0


class Twin(types.ModuleType):
    """cuda for kernels that Python runs, one thread after the other."""

    def __init__(self):
        super().__init__("cuda")
        self.threadIdx, self.blockIdx, self.blockDim, self.gridDim = Place(), Place(), Place(), Place()

    def grid(self, n):
        at = [getattr(self.blockIdx, a) * getattr(self.blockDim, a) + getattr(self.threadIdx, a) for a in "xyz"[:n]]
        return at[0] if n == 1 else tuple(at)

    def gridsize(self, n):
        sizes = [getattr(self.gridDim, a) * getattr(self.blockDim, a) for a in "xyz"[:n]]
        return sizes[0] if n == 1 else tuple(sizes)

    def run(self, function, blocks, block, args):
        """Run the function once for each thread."""
        mine = types.FunctionType(
            function.__code__, function.__globals__ | {"cuda": self}, closure=function.__closure__
        )
        blocks, block = ((*v, 1, 1)[:3] if isinstance(v, tuple) else (v, 1, 1) for v in (blocks, block))
        for place, size in ((self.blockDim, block), (self.gridDim, blocks)):
            place.x, place.y, place.z = size
        for b in numpy.ndindex(*blocks):
            for t in numpy.ndindex(*block):
                (
                    (self.blockIdx.x, self.blockIdx.y, self.blockIdx.z),
                    (self.threadIdx.x, self.threadIdx.y, self.threadIdx.z),
                ) = b, t
                mine(*args)


def axpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def by_hand(x, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i >= x.shape[0]:
        return
    out[i] = cuda.threadIdx.x * 100 + cuda.blockIdx.x + x[i]


def stride(x, out):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, x.size, step):
        if x[i] < 0:
            continue
        out[i] = math.sqrt(x[i])


def heat(u, out):
    i, j = cuda.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and j >= 1 and j < m - 1:
        out[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def borders(u, out):
    i, j = cuda.grid(2)
    if i < u.shape[0] and j < u.shape[1]:
        if i == 0 or j == 0 or i == u.shape[0] - 1:
            out[i, j] = 0
        else:
            out[i, j] = u[i - 1, j - 1] + u[i, j]


def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def mandelbrot(lo, hi, image, most):
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        c = complex(lo + x * (hi - lo) / image.shape[1], -1 + y * 2 / image.shape[0])
        z = 0j
        for k in range(most):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                image[y, x] = k
                return
        image[y, x] = most


def update(x, v, dt):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for axis in range(3):
            x[i, axis] += v[i, axis] * dt


def particles(x, v, dt):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i, 0] += v[i, 0] * dt
        if x[i, 0] > 1:
            x[i, 0] -= 1
            v[i, 0] = -v[i, 0]
        x[i, 1] += v[i, 1] * dt


def lookup(table, at, out):
    i = cuda.grid(1)
    if i < out.size:
        if at[i] >= 0:
            out[i] = table[at[i]] + table[-1]


def volume(out, n):
    i, j, k = cuda.grid(3)
    if i < out.shape[0] and j < out.shape[1] and k < n:
        out[i, j, k] = i * 100 + j * 10 + k


def life(old, new):
    i, j = cuda.grid(2)
    n, m = old.shape
    if i < n and j < m:
        around = 0
        for a in range(-1, 2):
            for b in range(-1, 2):
                if a != 0 or b != 0:
                    around += old[(i + a) % n, (j + b) % m]
        new[i, j] = 1 if around == 3 or (around == 2 and old[i, j] == 1) else 0


def argmax(x, out):
    i = cuda.grid(1)
    if i < out.size:
        best = -1e30
        for k in range(x.shape[1]):
            if x[i, k] > best:
                best = x[i, k]
                arg = k
        out[i] = arg


def differences(x, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0.0
        for k in range(x.shape[1]):
            if k > 0:
                total += abs(x[i, k] - before)  # noqa: F821 - it is set in an earlier turn
            before = x[i, k]  # noqa: F841
        out[i] = total


def stride_of_threads(x, out):
    t = cuda.grid(1)
    v = t * 2.0
    for i in range(t, x.size, cuda.gridsize(1)):
        out[i] = v


def stride_of_some(x, out):
    t = cuda.grid(1)
    if t < 3:
        for i in range(t, x.size, cuda.gridsize(1)):
            out[i] = x[i]


def wrapped(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i - 1] = x[i]


def data(seed=3):
    return numpy.random.default_rng(seed)


R = data()
CASES = {
    "axpy": (axpy, 4, 32, (2.5, R.normal(size=100), R.normal(size=100), numpy.zeros(100))),
    "axpy of float32": (
        axpy,
        4,
        32,
        (2.5, R.normal(size=100).astype("f"), R.normal(size=100).astype("f"), numpy.zeros(100, "f")),
    ),
    "axpy of few threads": (axpy, 1, 32, (2.5, R.normal(size=100), R.normal(size=100), numpy.zeros(100))),
    "by hand": (by_hand, 4, 32, (numpy.arange(100), numpy.zeros(100, int))),
    "by hand, one block": (by_hand, 1, 128, (numpy.arange(100), numpy.zeros(100, int))),
    "by hand, one thread each": (by_hand, 128, 1, (numpy.arange(100), numpy.zeros(100, int))),
    "stride": (stride, 2, 16, (R.normal(size=200), numpy.full(200, -1.0))),
    "heat": (heat, (3, 5), (8, 8), (R.normal(size=(20, 37)), numpy.ones((20, 37)))),
    "borders": (borders, (3, 5), (8, 8), (R.normal(size=(20, 37)), numpy.ones((20, 37)))),
    "matmul": (matmul, (2, 1), (4, 8), (R.normal(size=(6, 9)), R.normal(size=(9, 7)), numpy.zeros((6, 7)))),
    "mandelbrot": (mandelbrot, (4, 3), (8, 8), (-2.0, 1.0, numpy.zeros((20, 30), numpy.int32), 30)),
    "particles": (particles, 3, 16, (R.random((40, 2)), R.normal(size=(40, 2)), 0.5)),
    "lookup": (lookup, 3, 16, (R.normal(size=10), R.integers(-3, 10, 40), numpy.zeros(40))),
    "volume": (volume, (1, 2, 3), (4, 2, 2), (numpy.zeros((3, 4, 7), int), 5)),
    "argmax": (argmax, 1, 16, (R.normal(size=(10, 6)), numpy.zeros(10, int))),
    "differences": (differences, 1, 16, (R.normal(size=(10, 6)), numpy.zeros(10))),
    "stride of threads": (stride_of_threads, 2, 8, (R.normal(size=40), numpy.zeros(40))),
    "stride of some": (stride_of_some, 2, 8, (R.normal(size=40), numpy.zeros(40))),
    "wrapped": (wrapped, 3, 16, (R.normal(size=40), numpy.zeros(40))),
    "life": (life, (2, 2), (8, 8), (R.integers(0, 2, (12, 13)), numpy.zeros((12, 13), int))),
}


@pytest.mark.parametrize("case", CASES)
def test_kernels(case):
    """Each kernel gives what Python gives, thread by thread."""
    function, blocks, block, given = CASES[case]
    args = [a.copy() if isinstance(a, numpy.ndarray) else a for a in given]
    Twin().run(function, blocks, block, args)
    mine = [np.array(a) if isinstance(a, numpy.ndarray) else a for a in given]
    cuda.jit(function)[blocks, block](*mine)
    for got, want in zip(mine, args, strict=True):
        if isinstance(want, numpy.ndarray):
            numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-5 if want.dtype == numpy.float32 else 1e-13)


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
@pytest.mark.parametrize("case", ["axpy", "by hand", "stride", "heat", "matmul", "particles", "volume", "life"])
def test_kernels_under_numbas_simulator(case):
    """Each kernel gives what Numba's own simulator gives, which runs in a process of its own."""
    function, blocks, block, given = CASES[case]
    import inspect

    text = textwrap.dedent(f"""
        import math, pickle, sys
        from numba import cuda
        {textwrap.indent(inspect.getsource(function), "        ").strip()}
        args = pickle.load(sys.stdin.buffer)
        cuda.jit({function.__name__})[{blocks}, {block}](*args)
        pickle.dump(args, sys.stdout.buffer)
    """)
    import os
    import pickle

    done = subprocess.run(
        [sys.executable, "-c", text],
        input=pickle.dumps(list(given)),
        capture_output=True,
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    mine = [np.array(a) if isinstance(a, numpy.ndarray) else a for a in given]
    cuda.jit(function)[blocks, block](*mine)
    for got, want in zip(mine, pickle.loads(done.stdout), strict=True):
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-13)


def test_layouts():
    """Views, orders and dtypes of all kinds are arguments."""
    kernel = cuda.jit(heat)
    u = R.normal(size=(20, 37))
    for make in (
        lambda a: a,
        lambda a: numpy.asfortranarray(a),
        lambda a: numpy.repeat(a, 2, 0)[::2],
        lambda a: a[::-1, ::-1],
    ):
        want = numpy.ones((20, 37))
        Twin().run(heat, (3, 5), (8, 8), (numpy.array(make(u)), want))
        got = np.ones((37, 20)).T
        kernel[(3, 5), (8, 8)](np.asarray(make(u)), got)
        numpy.testing.assert_array_equal(numpy.asarray(got), want)


def test_in_place_and_between_operations():
    """A launch reads what operations before it wrote, and they read what it wrote; it changes views of other arrays."""

    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    a = np.arange(1000.0)
    b = a[100:200]
    for _ in range(3):
        a += 1
        double.forall(b.size)(b)
    want = numpy.arange(1000.0)
    for _ in range(3):
        want += 1
        want[100:200] *= 2
    assert numpy.array_equal(a, want)
    same = cuda.jit(by_hand)
    x = np.arange(64)
    same[2, 32](x, x)
    want = numpy.arange(64)
    Twin().run(by_hand, 2, 32, (want, want))
    assert numpy.array_equal(x, want)
    both = cuda.jit(written("def f(x, out):\n    i = cuda.grid(1)\n    if i < 8:\n        out[i] = x[i] = 1\n"))
    both[1, 8](x[:10], x[5:15])
    want[:8] = want[5:13] = 1
    assert numpy.array_equal(x, want)


def test_arrays_of_the_host():
    """NumPy's arrays are copied there and back, with Numba's warning; In, Out and InOut tell which way."""
    import warnings

    kernel = cuda.jit(axpy)
    x, y, out = numpy.ones(10), numpy.arange(10.0), numpy.zeros(10)
    with pytest.warns(errors.NumbaPerformanceWarning, match="copy overhead"):
        kernel[1, 32](2.0, x, y, out)
    assert numpy.array_equal(out, numpy.arange(10) + 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[1, 32](3.0, cuda.In(x), cuda.In(y), cuda.Out(out))
        assert numpy.array_equal(out, numpy.arange(10) + 3)
        both = cuda.InOut(out)
        kernel[1, 32](2.0, cuda.In(x), both, both)
        assert numpy.array_equal(out, numpy.arange(10) + 5)
        d = cuda.to_device(x)
        result = cuda.device_array_like(d)
        kernel[1, 32](4, d, d, result)
    assert numpy.array_equal(result.copy_to_host(), numpy.full(10, 5.0))
    assert cuda.device_array((2, 3), numpy.float32).dtype == numpy.float32


def test_device_functions():
    """Functions that a kernel calls, with the decorator or without."""

    @cuda.jit(device=True)
    def clamp(x, lo=0.0, hi=1.0):
        return min(max(x, lo), hi)

    def scale(x):
        return clamp(x * factor, hi=limit)

    factor, limit = 3, 2.0

    @cuda.jit("void(float64[:], float64[:])")
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = scale(x[i])

    x, out = np.linspace(-1, 1, 50), np.zeros(50)
    kernel[1, 64](x, out)
    assert numpy.array_equal(out, numpy.clip(numpy.asarray(x) * 3, 0, 2))
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 64](x.astype("f"), out)
    with pytest.raises(TypeError, match="device function"):
        clamp(1.0)


def test_configurations():
    """Launches are configured as Numba has it, with its errors."""
    kernel = cuda.jit(axpy)
    args = (1.0, np.ones(4), np.ones(4), np.zeros(4))
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        kernel(*args)
    with pytest.raises(ValueError, match="at least the griddim and blockdim"):
        kernel[1](*args)
    with pytest.raises(ValueError, match="griddim must be a sequence of 1, 2 or 3 integers"):
        kernel[(1, 1, 1, 1), 1](*args)
    with pytest.raises(TypeError, match="blockdim must be a sequence of integers"):
        kernel[1, 1.5](*args)
    with pytest.raises(ValueError, match="negative task count"):
        kernel.forall(-1)
    for wrong in ((1, 2048), (1, (1, 1, 65)), (0, 1), (1, 1, 0, 1 << 20)):
        with pytest.raises(errors.CudaAPIError):
            kernel[wrong](*args)
    for wrong, said in (
        ((1, 1, "s"), "a launch's stream is one of cuda.stream"),
        ((1, 1, 0, 1.5), "sharedmem is a number of bytes, got 1.5"),
    ):
        with pytest.raises(TypeError, match=said):
            kernel[wrong](*args)
    with pytest.raises(errors.CudaAPIError, match="-4 bytes of shared memory; want 0 to 49152"):
        kernel[1, 1, 0, -4](*args)
    with pytest.raises(TypeError, match="axpy: kernels take their arguments by position alone, got a=, y="):
        kernel[1, 1](a=1, y=2)
    with pytest.raises(TypeError, match="too many arguments: expected 4, got 5"):
        kernel[1, 4](*args, 1)
    with pytest.raises(TypeError, match="not enough arguments: expected 4, got 3"):
        kernel[1, 4](*args[:3])
    kernel[numpy.int64(1), (4,), cuda.stream(), 0](*args)
    assert numpy.array_equal(args[3], numpy.full(4, 2.0))
    kernel.forall(0)(*args)
    for wrong, error in (
        ({"boundscheck": True}, NotImplementedError),
        ({"argtypes": []}, errors.DeprecationError),
        ({"nothing": 1}, TypeError),
    ):
        with pytest.raises(error):
            cuda.jit(**wrong)


def test_streams_and_events():
    start, end = cuda.event(), cuda.event()
    stream = cuda.stream()
    start.record(stream)
    x = np.ones(1000)
    with stream.auto_synchronize():
        cuda.jit(axpy)[4, 256, stream](2.0, x, x, x)
    end.record(stream)
    end.synchronize()
    assert end.query() and start.elapsed_time(end) > 0 and cuda.event_elapsed_time(start, end) > 0
    assert x[0] == 3 and x[999] == 3


def test_indices_outside():
    """Nothing is read or written outside of an array: the error names what and where."""
    out = np.zeros(100)
    with pytest.raises(IndexError, match="index 127 is out of bounds for axis 0 of 'out' with size 100") as told:
        cuda.jit(written("def f(out):\n    i = cuda.grid(1)\n    out[i] = 1\n"))[4, 32](out)
    assert "out[i] = 1" in str(told.value) and numpy.array_equal(out, numpy.zeros(100))
    with pytest.raises(IndexError):
        cuda.jit(lookup)[1, 32](np.ones(3), np.full(32, 7), out[:32])
        cuda.synchronize()


def test_an_index_is_computed_once():
    """Also where an element is changed in place."""

    @cuda.jit
    def taken(places, count):
        places[cuda.atomic.add(count, 0, 1)] += 1

    places, count = np.zeros(8, dtype=int), np.zeros(1, dtype=int)
    taken[1, 4](places, count)
    assert count.tolist() == [4] and places.tolist() == [1] * 4 + [0] * 4


def test_unsigned_indices():
    """One of 64 bits that wraps is outside, and does not count from the end; a narrow one is what it was cast to."""

    @cuda.jit
    def before(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[a[i] - np.uint64(1)] = 7

    with pytest.raises(IndexError, match="out of bounds for axis 0"):
        before[1, 2](np.array([0, 1], dtype="u8"), np.zeros(4))
        cuda.synchronize()

    @cuda.jit
    def narrow(table, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = table[np.uint8(i)]

    out = np.zeros(300)
    narrow[3, 128](np.arange(300.0), out)
    assert out.tolist() == [float(i % 256) for i in range(300)]


def test_names_of_arrays_keep_them_within_loops():
    def f(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            a, b = x, y
            for _ in range(3):
                a, b = b, a
            out[i] = a[i]

    out = np.zeros(3)
    with pytest.raises(errors.UnsupportedError, match="given to another array"):
        cuda.jit(f)[1, 3](np.ones(3), np.ones(3), out)
    with pytest.raises(errors.TypingError, match="Cannot unify"):
        cuda.jit(f)[1, 3](np.ones(3), np.ones(3, dtype=int), out)
    assert not out.any()


class Holder:
    """Has a kernel as an attribute, which gets no instance."""

    @cuda.jit
    def fill(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i


def test_a_kernel_is_an_attribute_of_instances():
    out = np.zeros(5)
    Holder().fill[1, 32](out)
    assert out.tolist() == [0, 1, 2, 3, 4]


def written(text):
    """The function f of a text, the lines of which are known as those of a cell are."""
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"math": math, "np": np, "cuda": cuda}
    exec(compile(text, name, "exec"), names)
    return names["f"]


REFUSED = [
    ("out[i] = [1, 2][0]", "a list is not supported"),
    ("out[::i] = 1", "the step of a slice"),
    ("import os", "import is not supported"),
]


@pytest.mark.parametrize(("body", "text"), REFUSED, ids=[body.split("\n")[0] for body, _ in REFUSED])
def test_refused(body, text):
    """What is not compiled is refused by name, and the arguments stay as they were."""
    kernel = cuda.jit(written(f"def f(x, out):\n    i = cuda.grid(1)\n    if i < x.size:\n        {body}\n"))
    x, out = np.zeros(32, dtype=int), np.zeros(64)
    with pytest.raises(errors.UnsupportedError, match=text):
        kernel[1, 32](x, out)
    assert not out.any()


def test_cells_by_their_names(monkeypatch):
    """What is wrong with a function of a cell is told with the cell's name."""

    class Shell:
        compile = types.SimpleNamespace(
            format_code_name=lambda name: ("Cell", "In[7]") if name.startswith("<") else None
        )

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=Shell))
    with pytest.raises(errors.UnsupportedError, match=r'File "In\[7\]", line 2, in f'):
        cuda.jit(written("def f(x):\n    x[0] = [1]\n"))[1, 1](np.ones(3))


def test_numba_in_programs(tmp_path):
    """Where Numba is not installed, or has no driver, "from numba import cuda" in a script is weft's."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        from numba import cuda, vectorize
        import numba.cuda

        @cuda.jit
        def double(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] *= 2

        @vectorize
        def plus(a, b):
            return a + b

        x = np.arange(5)
        double[1, 32](x)
        print(plus(x, 1), cuda.__name__, numba.cuda.__name__)
        """)
    )
    done = subprocess.run(
        [sys.executable, "-m", "weft.run", str(script)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "[1 3 5 7 9] weft.cuda weft.cuda\n", done.stderr


def test_configurations_are_kept():
    """What configures a launch is looked at once; sequences of numbers are taken whatever they are."""
    kernel = cuda.jit(by_hand)
    assert kernel[2, 32] is kernel[2, 32] and kernel[2, 32] is not kernel[(2, 1), 32]
    for grid in ([2], (2,), numpy.int64(2), (numpy.int64(2), 1)):
        x = np.arange(64)
        kernel[grid, 32](x, x)
        want = numpy.arange(64)
        Twin().run(by_hand, 2, 32, (want, want))
        assert numpy.array_equal(x, want)
    for grid in (2.5, (1, 2, 3, 4), "2"):
        for _ in range(2):
            with pytest.raises((TypeError, ValueError)):
                kernel[grid, 32]
    for blocks in range(1, 100):
        assert kernel[blocks, 32].griddim == (blocks, 1, 1)
