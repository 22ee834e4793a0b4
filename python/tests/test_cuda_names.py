"""Options and members that Numba has, one by one: those that no other test looks at. tests/kernels/names.txt says what covers which name."""

import math
import warnings

import numpy
import pytest
import weft as np
from weft import cuda, numba
from weft.compiled import errors
from weft.cuda import random
from weft.numba import float32, float64, guvectorize, int32, njit, prange, stencil, vectorize, void

N = 64


def more(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def axpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def product(x, y):
    return x * y


def answers(x):
    return 1


def test_options_of_jit():
    """A signature, a text, a list of these, and func_or_sig= by name."""
    for sig in void(float64[:]), "void(float64[:])", [void(float64[:])], (float64[:],):
        kernel, x = cuda.jit(func_or_sig=sig)(more), np.zeros(4)
        kernel[1, 4](x)
        assert x.tolist() == [1] * 4 and kernel.signatures == [(float64[:],)]
    several = cuda.jit(["void(int32[:])", "void(float64[:])"])(more)
    assert len(several.signatures) == 2
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) array\(float32, 1d\)"):
        several[1, 4](np.zeros(4, dtype="f4"))
    for made in lambda: cuda.jit("int32(int32[:])")(more), lambda: cuda.jit(answers)[1, 1](np.zeros(3)):
        with pytest.raises(TypeError, match="CUDA kernel must have void return type."):
            made()


def test_hints():
    """Options that change nothing have the values that they have in Numba, and no others."""
    x, y, out = np.arange(4.0), np.ones(4), np.zeros(4)
    for hints in (
        *({"shared_memory_carveout": v} for v in ("MaxL1", "maxshared", "default", -1, 0, 100)),
        {"lto": True}, {"opt": True}, {"opt": 3}, {"cache": True}, {"forceinline": True}, {"inline": "always"}, {"fastmath": True}, {"fastmath": {"nnan", "arcp"}},
    ):  # fmt: skip
        kernel = cuda.jit(**hints)(axpy)
        kernel.mark_launch_config_sensitive()
        kernel[1, 4](2.0, x, y, out)
        assert out.tolist() == [1, 3, 5, 7]
        out[:] = 0
    for wrong, error, said in (
        ({"shared_memory_carveout": 101}, ValueError, "shared_memory_carveout: 101; want -1 to 100"),
        ({"shared_memory_carveout": -2}, ValueError, "shared_memory_carveout: -2"),
        ({"shared_memory_carveout": "most"}, ValueError, "shared_memory_carveout: 'most'; want 'MaxL1', 'MaxShared', 'default', or -1 to 100"),
        ({"shared_memory_carveout": 1.5}, TypeError, "shared_memory_carveout: 1.5 is no integer"),
        ({"inline": "perhaps"}, ValueError, "inline: 'perhaps'; want 'never' or 'always'"),
        ({"restype": 1}, errors.DeprecationError, "Deprecated keyword argument `restype`"),
        ({"bind": 1}, errors.DeprecationError, "Deprecated keyword argument `bind`"),
        ({"link": ["a.ptx"]}, errors.UnsupportedError, "code of other compilers is not supported"),
    ):
        with pytest.raises(error, match=said):
            cuda.jit(**wrong)(axpy)
    for hint, said in ("opt", "debug=True with opt=True"), ("lineinfo", "debug and lineinfo are mutually exclusive"):
        with pytest.warns(errors.NumbaInvalidConfigWarning, match=said):
            cuda.jit(debug=True, **{hint: True})(axpy)


def test_times_are_refused():
    x = numpy.array(["2020-01-01", "2021-01-01"], "M8[s]")
    for given in cuda.In(x), x[0]:
        with pytest.raises(TypeError, match="datetime64"):
            cuda.jit(more)[1, 2](given)
    y = np.array(x.view("i8"))
    cuda.jit(more)[1, 2](y)
    assert y.tolist() == (x.view("i8") + 1).tolist()


def test_declarations():
    """declare_device is accepted; a kernel that calls the function is refused where it does."""
    declared = cuda.declare_device(name="outside", sig="int32(int32)", link="f.cu", use_cooperative=True, abi="c")
    assert declared.name == "outside" and "outside" in repr(declared)

    def calls(x):
        x[0] = declared(3)

    with pytest.raises(errors.TypingError, match="outside, which declare_device declares: it is code of another compiler"):
        cuda.jit(calls)[1, 1](np.zeros(1))
    with pytest.raises(TypeError, match="Return type must be provided for device declarations"):
        cuda.declare_device("f", (int32,))
    with pytest.raises(NotImplementedError, match="Unsupported ABI: x"):
        cuda.declare_device("f", "int32(int32)", abi="x")
    with pytest.raises(RuntimeError, match="for kernels"):
        declared(3)


def test_options_of_compile():
    text, result = cuda.compile(
        pyfunc=product, sig=(float32, float32), debug=False, lineinfo=False, device=True, fastmath=True, cc=(8, 0), opt=True, abi="c",
        abi_info={"abi_name": "scaled"}, output="ptx", forceinline=True, launch_bounds=None,
    )  # fmt: skip
    assert result == float32 and ".target sm_80" in text and " scaled(" in text
    text, result = cuda.compile_ptx(
        pyfunc=more, sig="void(float32[:])", debug=False, lineinfo=True, device=False, fastmath=False, cc=(9, 0), opt=None, abi="numba",
        abi_info=None, forceinline=False, launch_bounds=(64, 2),
    )  # fmt: skip
    assert result == void and ".entry kernel_more" in text and ".maxntid 64" in text and ".loc" in text and ".target sm_90" in text
    assert cuda.compile_for_current_device(product, (float32, float32)) == cuda.compile(product, (float32, float32))


def test_each_signature():
    kernel = cuda.jit(more)
    for dtype in "f4", "f8":
        kernel[1, 4](np.zeros(4, dtype=dtype))
    for ask in kernel.inspect_asm, kernel.inspect_lto_ptx, kernel.inspect_llvm:
        texts = ask()
        assert list(texts) == [(float32[:],), (float64[:],)]
        assert ask((float32[:],)) == texts[float32[:],] != texts[float64[:],]
    for ask in kernel.get_shared_mem_per_block, kernel.get_const_mem_size, kernel.get_local_mem_per_thread, kernel.get_max_threads_per_block:
        assert ask() == {(t[:],): ask((t[:],)) for t in (float32, float64)}
        with pytest.raises(KeyError, match="has not been compiled for"):
            ask((int32[:],))
    overload = kernel.overloads[float32[:],]
    assert overload.max_cooperative_grid_blocks(blockdim=64, dynsmemsize=16) == overload.max_cooperative_grid_blocks((8, 8), 16) >= 1
    with pytest.raises(errors.CudaAPIError, match="a block of 2048 threads"):
        overload.max_cooperative_grid_blocks(2048)
    try:
        assert "digraph" in kernel.inspect_sass_cfg((float32[:],))
    except RuntimeError as error:  # without NVIDIA's tools, or with one that does not take what the other made
        assert "nvdisasm" in str(error) or "ptxas" in str(error)


def test_members_of_kernels(capsys):
    kernel, x, seen = cuda.jit(more, opt=True), np.zeros(4), []
    kernel.enable_caching()
    launch = kernel[1, 4]
    launch.pre_launch_callbacks.append(lambda kernel, launch: seen.append(launch.args))
    assert launch.args is None and not kernel.specialized and kernel.extensions == [] and kernel.func_code is more.__code__
    launch(x)
    assert seen[0][0] is x and launch.args is None and kernel.targetoptions == {"device": False, "opt": True}
    assert kernel.nopython_signatures == [void(float64[:])]
    (overload,) = kernel.overloads.values()
    assert overload.argument_types == (float64[:],) and ".entry" in overload.inspect_asm() == overload.inspect_lto_ptx()
    assert "weft" in overload.inspect_llvm() and (overload.const_mem_size, overload.local_mem_per_thread, overload.shared_mem_per_block) == (0, 0, 0)
    overload.inspect_types()
    assert "x[i] += 1" in capsys.readouterr().out and overload.max_threads_per_block == 1024
    for ask in lambda: overload.regs_per_thread, overload.inspect_sass, overload.inspect_sass_cfg:
        try:
            assert ask()
        except RuntimeError as error:  # without NVIDIA's tools, or with one that does not take what the other made
            assert "nvdisasm" in str(error) or "ptxas" in str(error)


def test_members_of_devices():
    device, context = cuda.gpus[0], cuda.current_context()
    assert type(device).from_identity(device.get_device_identity()) is device and device.get_primary_context() is context
    with pytest.raises(RuntimeError, match="Target device may not be visible"):
        type(device).from_identity({"pci_bus_id": 7})
    assert (device.supports_float16, device.supports_bfloat16, device.supports_fp8) == (True, False, False)
    x = np.zeros(4)
    stream, before, behind = context.create_stream(), context.create_event(timing=True), context.create_event()
    before.record(stream)
    with context.defer_cleanup():
        cuda.jit(more)[1, 4, stream](x)
    behind.record(stream)
    context.synchronize()
    assert before.elapsed_time(behind) > 0 and x.tolist() == [1] * 4
    assert context.create_external_stream(8).handle == 8 and context.prepare_for_use() is None
    assert context.get_default_stream() is context.get_legacy_default_stream() is context.get_per_thread_default_stream() is cuda.default_stream()
    assert not context.can_access_peer(context) and isinstance(context.get_memory_info(), cuda.MemoryInfo)
    with pytest.raises(errors.CudaAPIError, match="217.*of no other device"):
        context.enable_peer_access(context)
    device.release_primary_context()
    assert cuda.runtime.is_supported_version()


def test_types_by_name():
    """The types are numba's and cuda's; cuda.float32 is a dtype in kernels and out of them."""
    for name in numba.types.__all__:
        assert getattr(numba, name) is getattr(cuda, name) is getattr(cuda.types, name)
    assert cuda.bool is numba.bool == numba.boolean and numba.size_t == numba.uint64 and numba.char == numba.int8
    assert numba.from_dtype(numpy.dtype("f4")) == float32 and numba.typeof(1.5) == float64 and numba.typeof(numpy.ones((2, 2))) == float64[:, :]

    def kernel(out):
        some = cuda.shared.array(4, cuda.float32)
        some[cuda.threadIdx.x] = cuda.int8(300)
        for v in cuda.literal_unroll((1, 0.5)):
            some[cuda.threadIdx.x] += v
        out[cuda.threadIdx.x] = some[cuda.threadIdx.x]

    assert run(kernel, cuda.device_array(4, cuda.float32), threads=4).tolist() == [45.5] * 4

    def named(out):
        out[0], out[1], out[2] = numpy.intp(2.5), numba.types.f4(0.1), cuda.types.boolean(7)
        out[3] = numpy.int_(numpy.half(0.1) == numpy.float16(0.1)) + (numpy.newaxis is None)

    assert run(named, np.zeros(4)).tolist() == [2, float(numpy.float32(0.1)), 1, 2]


def test_configurations_by_name():
    kernel, x = cuda.jit(more), np.zeros(N)
    kernel.configure(griddim=2, blockdim=(32, 1), stream=cuda.stream(), sharedmem=16)(x)
    kernel.forall(ntasks=N, tpb=32, stream=0, sharedmem=0)(x)
    kernel[numpy.int32(2), [numpy.int64(32)]](x)
    kernel[math.ceil(N / 32), 32](x)
    for _ in range(2):  # also where (2, 32), which is equal, is known
        kernel[2, 32](x), kernel[(2, 1), (32, 1)](x)
        for wrong in (2.0, 32), (2, 32.0), ((2.0, 1), (32, 1)), (True, 32), ((2, 1), (32, True)):
            with pytest.raises(TypeError, match="dim must be a sequence of integers"):
                kernel[wrong]
        for wrong in (None, 32), (2, None):
            with pytest.raises(ValueError, match="launch configuration was not specified"):
                kernel[wrong]
    assert x.tolist() == [8] * N


def test_hosts_arrays():
    x = numpy.zeros(4)
    with pytest.warns(errors.NumbaPerformanceWarning, match="Host array used in CUDA kernel will incur copy overhead to/from device."):
        cuda.jit(more)[1, 4](x)
    assert x.tolist() == [1] * 4


def test_small_grids_are_not_warned_of():
    """Of CPUs a block or two are as busy as more: "Grid size 1 will likely result in GPU under-utilization" would not be true."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cuda.jit(more)[1, 4](np.zeros(4))


def test_options_of_arrays():
    held = cuda.device_array(shape=(3, 4), dtype=float, strides=None, order="F", stream=cuda.stream())
    assert cuda.to_device(obj=numpy.ones((3, 4)), stream=0, copy=True, to=held) is held and held.copy_to_host().sum() == 12
    assert cuda.to_device(held, copy=False) is held and cuda.to_device(held) is not held
    like = cuda.device_array_like(ary=held, stream=0)
    assert like.shape == (3, 4) and like.flags.f_contiguous


def test_members_of_arrays():
    a = cuda.to_device(numpy.arange(12.0).reshape(3, 4))
    assert (a.shape, a.strides, a.dtype, a.size, a.ndim, a.nbytes, a.alloc_size) == ((3, 4), (32, 8), float, 12, 2, 96, 96)
    assert a.flags["C_CONTIGUOUS"] and a.T.shape == a.transpose().shape == (4, 3) and a.T.flags["F_CONTIGUOUS"]
    assert not hasattr(a, "gpu_data") and not hasattr(a, "stream")
    host = numpy.zeros((3, 4))
    assert a.copy_to_host(ary=host, stream=cuda.stream()) is host and host[2, 3] == 11
    a.copy_to_device(ary=host + 1, stream=0)
    assert a.reshape(4, 3, order="C").shape == (4, 3) and a.ravel(order="F").copy_to_host()[1] == 5 and a[None].squeeze(axis=0).shape == (3, 4)
    with pytest.raises(TypeError, match="stream"):
        a.ravel(stream=0)
    assert a.view(numpy.int64).dtype == "i8" and a.bind(stream=cuda.stream()) is a
    assert [part.tolist() for part in a[0].split(section=3, stream=0)] == [[1, 2, 3], [4]]
    a.setitem(key=(1, 2), value=-5, stream=0)
    assert float(a.getitem(item=(1, 2), stream=0)) == -5 and len(a) == 3 and (a + 1)[1, 2] == -4
    assert a[::-1, ::-2].copy_to_host().tolist() == a.copy_to_host()[::-1, ::-2].tolist()
    assert numpy.from_dlpack(a).tolist() == a.__array__().tolist() and a.__dlpack__() is not None


def test_records():
    host = numpy.array([(1.5, 2), (3.5, 4)], [("x", "f8"), ("n", "i4")])
    a = cuda.to_device(host)
    assert isinstance(a, cuda.cudadrv.devicearray.DeviceRecord) and a.copy_to_host().tolist() == host.tolist()
    a.copy_to_device(host[::-1])
    assert a.copy_to_host().tolist() == host[::-1].tolist() and a[0].tolist() == (3.5, 4)
    a.setitem(key=1, value=(0.5, 7), stream=0)
    assert a.getitem(item=1, stream=0).tolist() == (0.5, 7) and a.bind() is a and a.nbytes == host.nbytes
    assert cuda.device_array(2, [("x", "f8"), ("n", "i4")]).dtype == host.dtype


def test_events():
    stream, before, behind = cuda.stream(), cuda.event(), cuda.event()
    with pytest.raises(errors.CudaAPIError, match="elapsed_time of an event that was not recorded"):
        before.elapsed_time(behind)
    cuda.profile_start()
    before.record(stream=stream)
    cuda.jit(more)[1, 4, stream](np.zeros(4))
    stream.synchronize()
    behind.record()
    cuda.synchronize()
    cuda.profile_stop()
    assert 0 < before.elapsed_time(behind) < 1e5
    assert cuda.gpus.current is cuda.gpus[0] is cuda.gpus.lst[0]


def test_classes_of_errors():
    assert issubclass(cuda.CudaSupportError, ImportError) and issubclass(cuda.KernelRuntimeError, RuntimeError)
    assert issubclass(cuda.TypingError, cuda.NumbaError) and issubclass(cuda.UnsupportedError, cuda.NumbaError) and issubclass(cuda.DeprecationError, cuda.NumbaError)
    for name in numba.errors.__all__:
        assert getattr(cuda, name) is getattr(numba.errors, name) and issubclass(getattr(cuda, name), Exception)
    assert issubclass(numba.NumbaDeprecationWarning, DeprecationWarning) and issubclass(numba.NumbaTypeError, numba.TypingError)
    warnings.simplefilter("ignore", category=numba.errors.NumbaPendingDeprecationWarning)
    assert issubclass(cuda.NumbaPerformanceWarning, cuda.NumbaWarning) and issubclass(cuda.NumbaInvalidConfigWarning, cuda.NumbaWarning)


def test_states():
    states = random.create_xoroshiro128p_states(n=4, seed=7, subsequence_start=2, stream=0)
    assert states.dtype == random.xoroshiro128p_dtype
    assert states.copy_to_host().tolist() == random.create_xoroshiro128p_states(6, 7).copy_to_host()[2:].tolist()
    first = states.copy_to_host()[0]

    def next_one(states, out):
        out[0] = random.xoroshiro128p_next(states, 0)

    assert int(run(next_one, states, np.zeros(1, dtype="u8"))[0]) == (int(first["s0"]) + int(first["s1"])) % 2**64
    host = numpy.zeros(4, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states=host, seed=7)
    assert host.tolist() == random.create_xoroshiro128p_states(4, 7).copy_to_host().tolist()

    def seeded(states, out):
        random.init_xoroshiro128p_state(states, 2, 7)
        word = random.rotl(states[2]["s0"], 1)
        out[0], out[1] = random.uint64_to_unit_float32(word), random.uint64_to_unit_float64(word)

    out = run(seeded, states, np.zeros(2)).tolist()
    word = int(host[0]["s0"])
    assert states.copy_to_host()[2] == host[0] and out[1] == ((word << 1 | word >> 63) % 2**64 >> 11) / 2**53 == pytest.approx(out[0], rel=1e-7)


def test_ufuncs_of_cuda():
    """stream=, out=, scalars, broadcasting; what an argument of the host's gives, and one of weft's."""
    add = cuda.vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")(lambda a, b: a + b)
    assert cuda.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")(sums)(numpy.arange(4.0)) == 6
    x = numpy.arange(3.0)
    assert add(x, x, stream=cuda.stream()).tolist() == add(cuda.to_device(x), x).tolist() == [0, 2, 4]
    assert add(x.astype("f4"), 2).dtype == "f4" and add(x[:, None], x).shape == (3, 3)
    assert add.reduce(x, stream=0) == 3 and add(x, x, out=x).tolist() == [0, 2, 4]
    total = guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")(sums)
    total.max_blocksize = 32
    assert total.max_blocksize == 32 and total(numpy.ones((5, 3))).tolist() == [3] * 5
    assert cuda.reduce(lambda a, b: a + b)(np.arange(5), size=4, res=None, init=1, stream=cuda.stream()) == 7
    with pytest.raises(ValueError, match="size is greater than array size"):
        cuda.reduce(lambda a, b: a + b)(np.arange(5), size=6)


def sums(x, out):
    out[0] = 0
    for v in x:
        out[0] += v


def halved(x, out):
    for i in prange(x.size):
        out[i] = x[i] / 2


def test_options_of_njit():
    x = np.arange(4.0)
    for options in (
        {}, {"nopython": True}, {"nogil": True}, {"fastmath": True}, {"fastmath": {"nnan"}}, {"error_model": "numpy"}, {"inline": "always"}, {"debug": False},
        {"boundscheck": True}, {"cache": True}, {"parallel": {"prange": True}},
    ):  # fmt: skip
        out = np.zeros(4)
        njit(**({"parallel": True} | options))(halved)(x, out)
        assert out.tolist() == [0, 0.5, 1, 1.5]
        assert numba.jit(signature_or_function="float64(float64, float64)", **options)(product)(2.0, 3.0) == 6
    with pytest.raises(KeyError, match="Unrecognized options"):
        njit(nothing=True)


def test_members_of_functions():
    """What Numba's compiled functions, ufuncs and generalized ufuncs tell of themselves."""
    of_numbers = njit(product, fastmath=True)
    assert of_numbers(2.0, 3.0) == 6 and of_numbers.signatures == of_numbers.nopython_signatures and len(of_numbers.signatures) <= 1
    assert of_numbers.py_func is product and of_numbers.func_code is product.__code__ and of_numbers.targetoptions == {"fastmath": True}
    made = vectorize(["float64(float64, float64)"], identity=1)(product)
    assert (made.nin, made.nout, made.nargs, made.ntypes, made.identity, made.signature, made.types) == (2, 1, 3, 1, 1, None, ["dd->d"])
    assert made.targetoptions == {"target": "cpu"}
    made = guvectorize(["void(float64[:], float64[:])", "void(int64[:], int64[:])"], "(n)->()")(sums)
    assert (made.nin, made.nout, made.nargs, made.ntypes, made.identity, made.signature) == (1, 1, 2, 2, None, "(n)->()") and made.types == ["d->d", "l->l"]


def test_what_numba_has_beyond():
    """What is not there says why, of modules, of kernels and of arrays; what Numba has not either just is not there."""
    for name in "numba.objmode", "numba.typed", "numba.experimental", "numba.cfunc":
        with pytest.raises(AttributeError, match=r"weft.numba has no attribute '\w+': .*(compiled|behind)"):
            getattr(numba, name.removeprefix("numba."))
    for owner, name, said in (
        (cuda, "PTXSource", "weft.cuda has no attribute 'PTXSource': code of other compilers runs on GPUs alone"),
        (cuda.current_context(), "memalloc", "arrays move between devices"), (cuda.jit(more), "inspect_disasm_cfg", "without LLVM"),
        (np.ones(3), "device_ctypes_pointer", "arrays move between devices"), (cuda.device_array(1, [("x", "f4")]), "squeeze", "an array for each field"),
        (vectorize(product), "build_ufunc", "as a list"), (njit(product), "parallel_diagnostics", "%plan"),
        (cuda.cudadrv.driver, "DeadMemoryError", "nothing of weft's raises it"), (guvectorize("(n)->()")(sums), "reduce", "combine no elements"),
    ):  # fmt: skip
        for asked, answer in (name, said), ("nothing", "has no attribute 'nothing'$"):
            with pytest.raises(AttributeError, match=answer):
                getattr(owner, asked)


def test_options_of_vectorize():
    a, b = numpy.arange(4.0), numpy.arange(4.0) + 1
    for options in {"target": "cpu"}, {"target": "parallel"}, {"identity": 1}, {"nopython": True}, {"cache": True}, {"fastmath": True}, {"target": "cuda"}:
        made = vectorize(["float64(float64, float64)"], **options)(product)
        assert made(a, b).tolist() == (a * b).tolist()
    out = np.zeros(4)
    assert made(a, b, out=out, where=[True, True, False, True], casting="same_kind", dtype=float) is out and out.tolist() == [0, 2, 0, 12]
    assert made.reduce(np.array([[1.0, 2], [3, 4]]), axis=1).tolist() == [2, 12]
    for options in {"cache": True}, {"target": "parallel"}, {"nopython": True}:
        assert guvectorize(["void(float64[:], float64[:])"], "(n)->()", **options)(sums)(a) == 6
    with pytest.raises(errors.UnsupportedError, match="writable_args are not supported"):
        guvectorize(["void(float64[:], float64[:])"], "(n)->()", writable_args=(0,))(sums)
    for made in stencil(behind), stencil("constant")(behind), stencil(func_or_mode="constant")(behind):
        assert made(a).tolist() == [1, 2, 3, 0]


def behind(x):
    return x[1]


def run(function, *args, threads=1):
    cuda.jit(function)[1, threads](*args)
    return args[-1]


def store(x, out):
    out[0] = x[0]
    out[1] = -x[0]
    out[2] = x[0] > 1


def test_stores_are_casts():
    """What is stored becomes the array's dtype, towards zero; a complex number is not stored as a real one."""
    assert run(store, np.array([1.75]), np.zeros(3, dtype="i4")).tolist() == [1, -1, 1]
    assert run(store, np.array([300.5]), np.zeros(3, dtype="f4")).tolist() == [300.5, -300.5, 1]
    with pytest.raises(errors.TypingError, match="complex128"):
        run(store, np.array([1j]), np.zeros(3))


def shift(x, n, out):
    for k in range(x.size):
        out[k, 0] = x[k] << n[k]
        out[k, 1] = x[k] >> n[k]


def test_shifts_by_more_than_there_are_bits():
    x, n = [5, -5, 5, -5, 1], [64, 64, 100, 63, 3]
    assert run(shift, np.array(x), np.array(n), np.zeros((5, 2), dtype="i8")).tolist() == [[0, 0], [0, -1], [0, 0], [-(2**63), -1], [8, 0]]


def negative(x, out):
    for k in range(x.size):
        out[k] = x[-k - 1] + x[k - x.size]


def test_indices_wrap_once():
    x = numpy.arange(5)
    assert run(negative, np.array(x), np.zeros(5, dtype=int)).tolist() == (x[::-1] + x).tolist()

    def beyond(x, out):
        out[0] = x[-x.size - 1]

    with pytest.raises(IndexError, match="index -6 is out of bounds"):
        float(run(beyond, np.array(x), np.zeros(1))[0])


def acc(x, out):
    total = 0  # float64 in the loop, by what is added
    single = np.float32(0)
    for v in x:
        total += v
        single += v
    v = 1  # an integer again
    out[0] = total
    out[1] = single
    out[2] = v // 2


def test_names_that_are_set_again():
    x = numpy.full(1000, 0.1, "f4")
    got = run(acc, np.array(x), np.zeros(3)).tolist()
    one, several = numpy.float32(0), 0.0
    for v in x:
        one, several = one + v, several + float(v)
    assert got == [several, float(one), 0]


def unset(x, out):
    if x[0] > 1:
        y = 3
    out[0] = y


def test_names_that_some_paths_do_not_set():
    """They are zero there, as they are in Numba; where no path sets them, that is said."""
    assert run(unset, np.zeros(1), np.ones(1)).tolist() == [0] and run(unset, np.full(1, 2.0), np.ones(1)).tolist() == [3]

    def never(x, out):
        out[0] = y  # noqa: F821
        y = 1  # noqa: F841

    with pytest.raises(errors.TypingError, match="UnboundLocalError: local variable 'y' referenced before assignment"):
        run(never, np.zeros(1), np.zeros(1))


def undecorated(x):
    return x + 1


def test_functions_of_all_kinds():
    """Nested ones, lambdas, closures, ones without a decorator; those that call themselves are refused: this is no recursion that ends in time."""
    three = 3

    def kernel(x, out):
        def scaled(v, by=2):
            return v * by + three

        twice = lambda v: scaled(scaled(v, by=1))  # noqa: E731
        out[0] = twice(x[0])
        out[1] = undecorated(x[0])
        out[2] = (lambda v: v - 1)(x[0])

    assert run(kernel, np.array([5.0]), np.zeros(3)).tolist() == [19, 6, 4]

    @cuda.jit(device=True)
    def recursion(n):
        return 1 if n <= 1 else n * recursion(n - 1)

    def calls(x, out):
        out[0] = recursion(x[0])

    with pytest.raises(errors.NumbaError, match="recurs|calls itself"):
        run(calls, np.array([5]), np.zeros(1))
