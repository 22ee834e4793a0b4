"""Names of Numba's that weft lacks, and why: what is said where a program asks for one.

tests/kernels/numbas_names.txt has all names of Numba's; those that neither weft nor this table has fail the tests.
"""

_COMPILER = "it is a part of Numba's compiler, and weft has one of its own"
_LLVM = "weft compiles without LLVM; inspect_llvm() tells the program in weft's own form, inspect_sass_cfg() the flow of the machine's instructions"
_FOREIGN = "code of other compilers runs on GPUs alone, and weft's kernels run wherever weft does; write it in Python, with @cuda.jit(device=True)"
_MANAGED = "arrays are in weft's memory, which has no other manager"
_ADDRESS = "arrays move between devices, so that none has an address to keep; cuda.device_array(), cuda.pinned_array() and cuda.managed_array() make arrays"
_TYPES = "signatures are of numbers and arrays of them: float64, float64[:, :]; all else has the type of the argument that is given"
_TYPING = "the compiler's types are its own: signatures and overloads say which ones a function has been compiled for"
_DRIVER = "nothing of weft's raises it: there is no such part of CUDA between a kernel and what runs it"
_FIXED = "give the signatures to the decorator, as a list: no others are compiled then"

# For each owner, as numbas_names.txt has them: names, and why weft has none.
_WHY = {
    "cuda": (
        ("Archive CUSource Cubin Fatbin LTOIR LinkableCode Object PTXSource", _FOREIGN),
        ("BaseCUDAMemoryManager GetIpcHandleMixin HostOnlyCUDAMemoryManager IpcHandle MappedMemory MemoryPointer PinnedMemory", _MANAGED),
        ("Dim3 GridGroup deferred_type dim3 ffi ffi_forced_object grid_group literal optional", _TYPES),
        ("bfloat16", "NumPy has no bfloat16, and neither has weft; compute in float32, or in float16 with cuda.fp16"),
        ("HAS_NUMBA config simulator", "weft is neither Numba nor its simulator; its settings are weft.settings"),
        (
            "alias api api_util args cache_hints cext cgutils cloudpickle codegen compiler config_default_cc core cpython cuda_paths datamodel "
            "debuginfo decorators descriptor device_init deviceufunc dispatcher extending flags implementation initialize intrinsics "
            "itanium_mangler kernels launchconfig locks lowering mathimpl memory_management misc models numba_cuda_default_ptx_cc nvvm nvvmutils "
            "prepare_shape_strides_dtype serialize stubs target typeconv typing ufuncs utils vectorizers",
            _COMPILER,
        ),
    ),
    "cuda.random": (("TWO_PI_FLOAT32 TWO_PI_FLOAT64 init_xoroshiro128p_states_cpu xoroshiro128p_type", _COMPILER),),
    "cuda.cudadrv.driver": (("CudaDriverError DeadMemoryError", _DRIVER),),
    "cuda.cudadrv.error": (
        (
            "CCSupportError CudaDriverError CudaRuntimeError NvrtcBuiltinOperationFailure NvrtcCompilationError NvrtcError NvrtcSupportError "
            "NvvmError NvvmWarning",
            _DRIVER,
        ),
    ),
    "Dispatcher": (
        ("inspect_cfg inspect_disasm_cfg", _LLVM),
        ("disable_compile", _FIXED),
        (
            "add_overload call compile_device doc dump fold_argument_types get_annotation_info get_call_template get_compile_result "
            "get_function_type get_metadata get_overload is_compiling specializations targetctx targetdescr typeof_pyval typingctx",
            _TYPING,
        ),
    ),
    "Overload": (
        ("NRT_functions bind codegen initialize_once launch library maybe_link_nrt type_annotation", "kernel[blocks, threads](...) launches a kernel"),
    ),
    "Array": (("as_cuda_arg device_ctypes_pointer device_setup", _ADDRESS),),
    "Records": (
        ("as_cuda_arg device_ctypes_pointer get_ipc_handle", _ADDRESS),
        ("T flags split squeeze transpose view", "records are an array for each field: records['x'] is one"),
    ),
    "Context": (
        ("create_module_image create_module_ptx unload_module", _FOREIGN),
        ("get_ipc_handle memalloc memallocmanaged memhostalloc mempin open_ipc_handle", _ADDRESS),
        (
            "get_active_blocks_per_multiprocessor get_max_potential_block_size",
            "overload.max_cooperative_grid_blocks() tells how many blocks run at once, kernel.forall() chooses a block, and cuda.tune() finds the fastest",
        ),
    ),
    "numba": (
        ("carray cfunc farray", "compiled functions have no pointers, and nothing of C calls them; give them arrays"),
        ("experimental typed", "containers and classes are not compiled; give functions arrays, numbers and tuples of them"),
        ("objmode", "no Python runs in compiled functions; do it before or behind the call"),
        ("gdb gdb_breakpoint gdb_init", "compiled functions are not in a debugger's reach; @cuda.jit(debug=True) checks kernels, @njit functions run as Python by py_func"),
        ("jit_module literally pndindex", "functions are compiled one by one, for the types of their arguments, and their parallel loops are those over prange"),
        ("deferred_type ffi ffi_forced_object optional", _TYPES),
        ("test version_info", "weft is not Numba: weft.__version__ tells what it is"),
        ("config", "weft's settings are weft.settings, and the variables that begin with WEFT_"),
        ("cloudpickle cpython extending misc np numba parfors stencils", _COMPILER),
    ),
    "Njit": (
        ("inspect_asm inspect_cfg inspect_disasm_cfg inspect_llvm inspect_types", "weft compiles without LLVM; %plan and %%prof tell what a call runs"),
        ("parallel_diagnostics", "%plan and %%prof tell what became of a function's loops"),
        ("disable_compile", "functions are compiled for the types of their arguments when they are called"),
        (
            "add_overload compile doc dump enable_caching fold_argument_types get_annotation_info get_call_template get_compile_result "
            "get_function_type get_metadata get_overload is_compiling locals overloads recompile stats targetctx targetdescr typeof_pyval typingctx",
            _TYPING,
        ),
    ),
    "Ufunc": (("add build_ufunc disable_compile find_ewise_function match_signature reorderable ufunc", _FIXED),),
    "Gufunc": (
        ("add build_ufunc disable_compile expected_ndims find_ewise_function gufunc_builder is_dynamic match_signature ufunc", _FIXED),
        ("accumulate at outer reduce reduceat", "functions of whole arrays combine no elements; @vectorize makes functions that do"),
    ),
}  # fmt: skip


def why(owner, name):
    """Why weft has no such attribute; None where it is not known of."""
    return next((reason for names, reason in _WHY.get(owner, ()) if name in names.split()), None)


def owners():
    """What lacks something."""
    return list(_WHY)


def names(owner):
    """All that an owner lacks."""
    return [name for listed, _ in _WHY.get(owner, ()) for name in listed.split()]


def error(owner, name, said):
    """The AttributeError for an attribute that what is said has not got."""
    reason = why(owner, name)
    return AttributeError(f"{said} has no attribute {name!r}" + (f": {reason}" if reason else ""), name=name)
