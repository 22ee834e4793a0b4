"""What of cuda is called outside of kernels: devices, contexts, streams, events, memory and reductions."""

import asyncio
import subprocess
import sys

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors

R = numpy.random.default_rng(3)


def test_devices(capsys):
    assert cuda.is_available() and len(cuda.gpus) == 1 and list(cuda.list_devices()) == [cuda.gpus[0]]
    device = cuda.get_current_device()
    assert device.WARP_SIZE == 32 and device.MAX_THREADS_PER_BLOCK == 1024 and device.MULTIPROCESSOR_COUNT >= 1
    with cuda.gpus[0] as selected:
        assert selected.id == 0
    assert cuda.select_device(0) is cuda.current_context()
    with pytest.raises(IndexError, match="no device 3"):
        cuda.select_device(3)
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total == cuda.current_context().get_memory_info().total
    assert cuda.detect() and "Found 1 CUDA devices" in capsys.readouterr().out
    cuda.close()


def test_what_needs_a_context():
    @cuda.require_context
    def f(a, b=1):
        return a + b

    assert f(1, b=4) == 5
    with cuda.defer_cleanup(), cuda.profiling():
        cuda.device_array(3)
    with pytest.raises(errors.UnsupportedError, match="set_memory_manager"):
        cuda.set_memory_manager(None)
    assert cuda.is_float16_supported() and not cuda.is_bfloat16_supported()


@cuda.jit
def doubled(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2


def test_memory():
    host = numpy.arange(5.0)
    with cuda.pinned(host), cuda.mapped(host) as a:
        doubled.forall(5)(a)
    assert host.tolist() == [0, 2, 4, 6, 8]
    device = cuda.to_device(host)
    doubled.forall(5)(device)
    out = numpy.zeros(5)
    assert device.copy_to_host(out) is out and out.tolist() == [0, 4, 8, 12, 16]
    device.copy_to_device(numpy.ones(5))
    assert device.copy_to_host().tolist() == [1] * 5
    assert cuda.as_cuda_array(device) is device and not cuda.is_cuda_array(host)
    with pytest.raises(TypeError, match="cuda array interface"):
        cuda.as_cuda_array(host)
    for make in (cuda.device_array, cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        assert make((2, 3), dtype=numpy.float32).shape == (2, 3)
        assert cuda.device_array_like(make(4)).shape == (4,)


def test_streams_and_events():
    stream, seen = cuda.stream(), []
    begin, end = cuda.event(), cuda.event()
    begin.record(stream)
    a = cuda.to_device(numpy.ones(1000), stream=stream)
    with stream.auto_synchronize():
        doubled[4, 256, stream](a)
    end.record(stream)
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) > 0 and end.query()
    stream.add_callback(lambda *args: seen.append(args), 7)
    assert seen == [(stream, 0, 7)]
    assert a.copy_to_host(stream=stream).tolist() == [2] * 1000


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 1000, 100001])
def test_reductions(n):
    add = cuda.reduce(lambda a, b: a + b)
    largest = cuda.Reduce(lambda a, b: a if a > b else b)
    x, k = R.normal(size=n), R.integers(-1000, 1000, n)
    assert add(np.array(x)) == pytest.approx(x.sum(), rel=1e-12, abs=1e-12)
    assert add(np.array(k), init=5) == k.sum() + 5
    assert add(k, size=n // 2 + 1) == k[: n // 2 + 1].sum()
    assert largest(np.array(k), init=-5000) == k.max()
    res = np.zeros(1)
    assert add(np.array(x), res=res) is None and float(res[0]) == add(np.array(x))


def test_reductions_of_nothing():
    add = cuda.reduce(lambda a, b: a + b)
    assert add(np.zeros(0), init=3) == 3
    with pytest.raises(TypeError, match="only support 1D array"):
        add(np.zeros((2, 2)))


def test_arrays_have_what_numbas_have():
    a = cuda.to_device(numpy.arange(10.0))
    assert a.is_c_contiguous() and a.is_f_contiguous() and a.bind(cuda.stream()) is a
    assert [part.copy_to_host().tolist() for part in a.split(4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    a.setitem(slice(2, 4), 7, stream=0)
    assert float(a.getitem(3)) == 7 and a.getitem(slice(3)).copy_to_host().tolist() == [0, 1, 7]
    square = cuda.to_device(numpy.ones((3, 4)))
    assert square.is_c_contiguous() and not square.is_f_contiguous() and not square.T.is_c_contiguous()
    with pytest.raises(NotImplementedError, match="only support 1d array"):
        square.split(2)
    with pytest.raises(ValueError, match="want 1 or more"):
        a.split(0)
    for refused in (
        a.get_ipc_handle,
        lambda: cuda.open_ipc_array(None, 3, "f8"),
        lambda: cuda.from_cuda_array_interface({"shape": (3,), "typestr": "<f8", "data": (0, False), "version": 3}),
    ):
        with pytest.raises(errors.UnsupportedError):
            refused()


def test_options_of_arrays_that_are_made():
    """strides= says how far elements are apart; what CUDA's kinds of memory are asked with is taken."""
    for shape, strides in ((3, 4), (8, 24)), ((3, 4), (64, 16)), ((5,), (24,)), ((2, 3), (0, 8)), (4, 8):
        made = cuda.device_array(shape, strides=strides)
        assert (made.shape, made.strides) == tuple((v,) if isinstance(v, int) else v for v in (shape, strides))
    made = cuda.device_array((3, 4), numpy.float32, strides=(4, 12))
    made.copy_to_device(numpy.arange(12, dtype="f4").reshape(3, 4))
    doubled.forall(4)(made[1])
    assert made.is_f_contiguous() and made.copy_to_host()[1].tolist() == [8, 10, 12, 14] and made.alloc_size == 48
    for strides in (8,), (8, -8), (8, 4):
        with pytest.raises(ValueError, match="want a multiple of 8 for each axis"):
            cuda.device_array((3, 4), strides=strides)
    with pytest.raises(errors.UnsupportedError, match="strides= of an array of records"):
        cuda.device_array(3, numpy.dtype([("x", "f4")]), strides=(4,))
    like = numpy.zeros((3, 4), order="F")
    assert cuda.pinned_array(3, numpy.float32, strides=None, order="C").dtype == "f4"
    assert cuda.mapped_array(3, dtype="f4", strides=None, order="C", stream=0, portable=False, wc=False).shape == (3,)
    assert cuda.managed_array((3, 4), strides=None, order="F", stream=0, attach_global=True).flags.f_contiguous
    for made in cuda.mapped_array_like(like, stream=0, portable=False, wc=True), cuda.pinned_array_like(like), cuda.device_array_like(like, stream=0):
        assert made.shape == (3, 4) and made.flags.f_contiguous


def test_copies_between_what_is_unlike():
    """As Numba has it: another dtype is a TypeError, axes of one element do not count, and nothing is copied from what is empty."""
    want = numpy.arange(12.0).reshape(3, 4)
    a = cuda.to_device(want)
    for other, error, said in (
        (numpy.zeros(5), ValueError, r"shape: \(3, 4\) vs. \(5,\)"), (numpy.zeros(12), ValueError, r"shape: \(3, 4\) vs. \(12,\)"),
        (numpy.zeros((3, 4), "f4"), TypeError, "dtype: float64 vs. float32"),
    ):  # fmt: skip
        for copy in a.copy_to_host, a.copy_to_device:
            with pytest.raises(error, match=f"incompatible {said}"):
                copy(other)
    a.copy_to_device(numpy.zeros((0, 7), "f4"))
    assert a.copy_to_host().tolist() == want.tolist()
    long = numpy.zeros((1, 3, 1, 4))
    assert a.copy_to_host(long) is long and long[0, :, 0].tolist() == want.tolist()
    a.copy_to_device(long + 1)
    assert a.copy_to_host().tolist() == (want + 1).tolist()


def test_copies_between_records_that_are_unlike():
    dtype = numpy.dtype([("x", "f4")])
    records = cuda.to_device(numpy.zeros(3, dtype))
    with pytest.raises(ValueError, match="incompatible shape"):
        records.copy_to_device(numpy.zeros(4, dtype))
    with pytest.raises(TypeError, match="incompatible dtype"):
        records.copy_to_device(numpy.zeros(3, [("x", "f8")]))
    records.copy_to_device([(1.0,), (2.0,), (3.0,)])
    records.copy_to_device(numpy.zeros(0, dtype))
    column = numpy.zeros((3, 1), dtype)
    assert records.copy_to_host(column)["x"].tolist() == [[1], [2], [3]]
    records.copy_to_device(column[::-1])
    assert records.copy_to_host()["x"].tolist() == [3, 2, 1]


def test_numbers_of_the_device():
    device = cuda.get_current_device()
    for name, number in (("MAX_BLOCK_DIM_Z", 64), ("MAX_SHARED_MEMORY_PER_BLOCK", 48 << 10), ("COOPERATIVE_LAUNCH", 1), ("MAX_THREADS_PER_MULTI_PROCESSOR", 1024)):
        assert getattr(device, name) == number
    assert device.compute_capability == (7, 5) and device.name == b"weft" and device.uuid.startswith("GPU-") and device.supports_float16
    device.reset()
    context = cuda.cudadrv.devices.get_context()
    assert context is cuda.current_context() and isinstance(device, cuda.cudadrv.driver.Device) and cuda.cudadrv.devices.gpus is cuda.gpus
    context.push()
    context.pop()
    context.reset()
    assert cuda.is_supported_version() and cuda.cuda_error() is None and not cuda.is_fp8_supported()


def test_streams_of_all_kinds():
    for stream in cuda.stream(), cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream():
        assert isinstance(stream, cuda.cudadrv.driver.Stream) and int(stream) == stream.handle == 0 and "CUDA stream" in repr(stream)
    assert int(cuda.external_stream(1234)) == 1234
    event = cuda.event(timing=False)
    assert isinstance(event, cuda.cudadrv.driver.Event) and not event.timing
    event.wait(cuda.stream())
    with pytest.warns(UserWarning, match="Exception in stream callback: division by zero"):
        cuda.stream().add_callback(lambda *_: 1 / 0)


def test_names_below_kernels():
    assert cuda.runtime.get_version() == (11, 0) and cuda.runtime.is_supported_version()
    assert cuda.cudadrv.driver.CudaAPIError is errors.CudaAPIError and issubclass(cuda.cudadrv.driver.LinkerError, RuntimeError)
    assert cuda.cudadrv.error.CudaSupportError is cuda.CudaSupportError
    assert isinstance(cuda.device_array(3), cuda.cudadrv.devicearray.DeviceNDArray)
    assert isinstance(cuda.mapped_array(3), cuda.cudadrv.devicearray.MappedNDArray) and isinstance(cuda.managed_array(3), cuda.cudadrv.devicearray.ManagedNDArray)
    cuda.cudadrv.devicearray.verify_cuda_ndarray_interface(cuda.device_array(3))
    with pytest.raises(TypeError, match="Expecting a cuda_ndarray: got list"):
        cuda.cudadrv.devicearray.verify_cuda_ndarray_interface([1])


def test_streams_are_awaited():
    async def run():
        stream = cuda.stream()
        a = cuda.to_device(numpy.ones(4), stream=stream)
        return await stream.async_done() is stream and a.copy_to_host().tolist()

    assert asyncio.run(run()) == [1] * 4


MODULES = """
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from numba.cuda.cudadrv.driver import CudaAPIError, LinkerError
from numba.cuda.cudadrv import devicearray
from numba.cuda.compiler import compile_ptx
import numba.cuda.random
print(CudaAPIError.__module__, compile_ptx.__module__, create_xoroshiro128p_states.__module__, devicearray.__name__)
"""


def test_modules_of_numbas(tmp_path):
    """Programs name what lies in modules of numba.cuda by these."""
    script = tmp_path / "modules.py"
    script.write_text("import weft.settings; weft.settings.numba('on')\n" + MODULES)
    done = subprocess.run([sys.executable, "-m", "weft.run", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["weft.compiled.errors", "weft.cuda.inspection", "weft.cuda.random", "weft.cuda.cudadrv.devicearray"]


def plus_one(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + 1


def test_callbacks_before_launches():
    """They see the kernel and the configuration, and the launch does not happen where they fail."""
    kernel, seen, x = cuda.jit(plus_one), [], np.zeros(64, dtype=int)
    stream = cuda.stream()
    configured = kernel[2, (32, 1), stream, 16]
    configured.pre_launch_callbacks.append(lambda *given: seen.append(given))
    configured(np.arange(64), x)
    assert seen == [(kernel, configured)] and x.any()
    assert (configured.dispatcher, configured.griddim, configured.blockdim) == (kernel, (2, 1, 1), (32, 1, 1))
    assert (configured.stream, configured.sharedmem) == (stream, 16)

    def refuse(*_):
        raise LookupError("not now")

    for threads in range(1, 200):  # more configurations than are kept
        kernel[1, threads]
    del configured
    kernel[(2, 1), 32, stream, 16](np.arange(64), x)
    assert len(seen) == 2 and seen[1][1].pre_launch_callbacks is seen[0][1].pre_launch_callbacks
    kernel[2, 32](np.arange(64), x)  # configured otherwise
    assert len(seen) == 2
    configured = kernel[2, [32, 1], stream, 16]
    configured.pre_launch_callbacks = [refuse]
    x[:] = 0
    with pytest.raises(LookupError):
        configured(np.arange(64), x)
    assert not x.any()
