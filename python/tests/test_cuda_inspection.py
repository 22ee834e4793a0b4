"""What is shown of kernels: PTX without a launch, signatures, types of names, and what a kernel takes of a device."""

import io
import re
import shutil

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors, sources
from weft.cuda import inspection
from weft.numba import complex64, float16, float32, float64, int8, int32, int64, uint8, void

STEPS = 3


@cuda.jit
def walk(x, out):
    tile = cuda.shared.array(64, float32)
    own = cuda.local.array(5, int64)
    i = cuda.grid(1)
    total = 0
    for k in range(STEPS):
        own[k] = k
        total += x[i] * own[k]
    tile[cuda.threadIdx.x] = total
    cuda.syncthreads()
    out[i] = tile[63 - cuda.threadIdx.x]


def ratio(x, n):
    return x / n


def launched(dtype="f4"):
    x, out = np.arange(64, dtype=dtype), np.zeros(64)
    kernel = cuda.jit(walk.py_func)
    kernel[1, 64](x, out)
    return kernel, out


def test_signatures_are_those_that_were_launched():
    kernel, out = launched()
    assert kernel.signatures == [(float32[:], float64[:])]
    numpy.testing.assert_array_equal(out, 3.0 * numpy.arange(64)[::-1])
    kernel[1, 64](np.arange(64.0), out)
    assert kernel.signatures == [(float32[:], float64[:]), (float64[:], float64[:])]
    one = kernel.overloads[float32[:], float64[:]]
    assert one.signature == void(float32[:], float64[:]) and "kernel_walk" == one.entry_name
    assert kernel.definitions.keys() == kernel.overloads.keys()
    assert not kernel.specialized and kernel.stats.cache_path is None


def test_what_a_kernel_takes():
    kernel, _ = launched()
    types = (float32[:], float64[:])
    assert kernel.get_shared_mem_per_block() == {types: 64 * 4}
    assert kernel.get_local_mem_per_thread(types) == 40
    assert kernel.get_const_mem_size(types) == 0
    assert kernel.get_max_threads_per_block() == {types: 1024}
    assert kernel.overloads[types].max_cooperative_grid_blocks(64) == (1 << 18) // 64
    assert kernel.overloads[types].max_cooperative_grid_blocks((8, 8)) == (1 << 18) // 64
    with pytest.raises(KeyError, match="has not been compiled for"):
        kernel.get_const_mem_size((float32[:], float32[:]))
    bound = cuda.jit("void(float32[:], float64[:])", launch_bounds=(128, 2))(walk.py_func)
    assert bound.get_max_threads_per_block() == 128 and ".maxntid 128" in bound.inspect_asm()[types]


def test_kernels_of_one_signature():
    x, out = np.arange(64, dtype="f4"), np.zeros(64)
    one = walk.specialize(x, out)
    assert one.specialized and one.signatures == [(float32[:], float64[:])]
    assert one.get_shared_mem_per_block() == 256 and one.definition.signature.args == (float32[:], float64[:])
    one[1, 64](x, out)
    assert out[0] == 63 * 3
    with pytest.raises(RuntimeError, match="already specialized"):
        one.specialize(x, out)
    with pytest.raises(RuntimeError, match="of kernels of one signature"):
        walk.definition  # noqa: B018
    with pytest.raises(errors.TypingError, match="Unknown attribute"):  # where it is written, not where it is launched
        cuda.jit("void(float32[:])")(spells)
    with pytest.raises(TypeError, match="must have void return type"):
        walk.compile("int32(float32[:], float64[:])")


def spells(x):
    x[0] = x.nothing


def test_recompiling_reads_names_anew(monkeypatch):
    kernel, out = launched()
    monkeypatch.setitem(globals(), "STEPS", 2)
    kernel[1, 64](np.arange(64, dtype="f4"), out)
    assert out[0] == 63 * 3
    kernel.recompile()
    assert kernel.signatures == [(float32[:], float64[:])]
    kernel[1, 64](np.arange(64, dtype="f4"), out)
    assert out[0] == 63


def plus(x, t):
    x[0] += t[0]


def test_recompiling_leaves_signatures_with_tuples_to_their_launches():
    kernel, x = cuda.jit(plus), np.zeros(1)
    kernel[1, 1](x, (1, 2))
    kernel.recompile()
    assert kernel.signatures == []
    kernel[1, 1](x, (3, 4))
    assert x[0] == 4 and len(kernel.signatures) == 1


def test_types_of_names():
    kernel, _ = launched("i4")
    file = io.StringIO()
    kernel.inspect_types(file)
    text = file.getvalue()
    lines = text.splitlines()
    assert lines[0] == "walk (array(int32, 1d), array(float64, 1d))"
    before = {line.strip(): lines[i - 1].strip() for i, line in enumerate(lines)}
    assert before["total = 0"] == "#  total: int64" and before["i = cuda.grid(1)"] == "#  i: int64"
    assert before["tile = cuda.shared.array(64, float32)"] == "#  tile: array(float32, 1d)"


def test_programs_in_place_of_llvm():
    kernel, _ = launched()
    (text,) = kernel.inspect_llvm().values()
    assert text.startswith("; weft compiles without LLVM") and "element float32 a0" in text and "barrier" in text
    assert kernel.inspect_llvm((float32[:], float64[:])) == text


def test_compile_ptx():
    text, result = cuda.compile_ptx(walk, "void(float32[:], float64[:])", cc=(9, 0))
    assert result == void and ".version 7.8\n.target sm_90" in text and ".visible .entry kernel_walk" in text
    assert ".target sm_75" in cuda.compile_ptx_for_current_device(walk, (float32[:], float64[:]))[0]
    assert cuda.compile_all(walk, (float32[:], float64[:]), device=False, abi="numba")[0] == [
        cuda.compile_ptx(walk, (float32[:], float64[:]))[0]
    ]
    for wrong, error, said in [
        ({"abi": "x"}, NotImplementedError, "Unsupported ABI: x"),
        ({"abi": "c", "device": False}, NotImplementedError, "The C ABI is not supported for kernels"),
        ({"output": "exe"}, NotImplementedError, "Unsupported output type: exe"),
        ({"output": "ltoir"}, errors.UnsupportedError, "without LLVM"),
        ({"cc": (3, 5)}, ValueError, r"compute capability 3.5; want one of \[70 "),
    ]:
        with pytest.raises(error, match=said):
            cuda.compile(ratio, (float32, float32), **wrong)
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.compile_ptx(ratio, "float32(float32, float32)")
    with pytest.raises(errors.UnsupportedError, match="argument 1 is array.*take numbers"):
        cuda.compile(spells, (float32[:],))
    with pytest.raises(errors.UnsupportedError, match="want numbers and arrays"):
        cuda.compile_ptx(spells, (void,))


def turns(x, n):
    y = x
    for _ in range(n):
        y = y * 0.5 if y > 1 else y + 1j.imag
    return y


@pytest.mark.parametrize(
    "function, args, result, declared",
    [
        (ratio, (float32, float32), float32, ".func (.param .b32 func_retval0) ratio(.param .b32 ratio_param_0, .param .b32 "),
        (ratio, (int8, int32), float64, ".func (.param .b64 func_retval0) ratio(.param .b32 ratio_param_0, .param .b32 "),
        (ratio, (complex64, float32), complex64, ".func (.param .align 4 .b8 func_retval0[8]) ratio(.param .align 4 .b8 ratio_param_0[8], "),
        (lambda x, y: x, (float16, float64), float16, ".func (.param .align 2 .b8 func_retval0[2]) _lambda_(.param .align 2 .b8 "),
        (lambda x: x > 2, (uint8,), inspection.types.boolean, ".func (.param .b32 func_retval0) _lambda_(.param .b32 "),
        (turns, (float64, int64), float64, ".func (.param .b64 func_retval0) turns(.param .b64 "),
    ],
)  # fmt: skip
def test_functions_that_other_ptx_calls(function, args, result, declared):
    text, made = cuda.compile(function, args)
    assert made == result and declared in text
    other, made = cuda.compile_ptx(function, args, device=True)
    assert made == result and ".func (.param .b32 func_retval0)" in other and "st.weak" in other
    assert ".func (.param .b32 func_retval0) other(" in cuda.compile(ratio, (float32, float32), abi_info={"abi_name": "other"})[0]
    if inspection.tool("ptxas", "WEFT_PTXAS"):
        for code in text, other:
            inspection.assembled(code)


def test_a_result_that_is_asked_for():
    text, made = cuda.compile(ratio, "float32(float64, float64)")
    assert made == float32 and "cvt.rn.f32.f64" in text


def test_machine_code():
    kernel, _ = launched()
    if not inspection.tool("ptxas", "WEFT_PTXAS") or not inspection.tool("nvdisasm", "WEFT_NVDISASM"):
        pytest.skip("needs ptxas and nvdisasm: the wheels nvidia-cuda-nvcc-cu12 and nvidia-cuda-nvdisasm")
    types = (float32[:], float64[:])
    assert 8 <= kernel.get_regs_per_thread(types) <= 255
    assert "BAR.SYNC" in kernel.inspect_sass(types)


def test_registers_of_a_kernel_that_needs_many():
    if not inspection.tool("ptxas", "WEFT_PTXAS"):
        pytest.skip("needs ptxas: the wheel nvidia-cuda-nvcc-cu12")
    names = [f"v{k}" for k in range(60)]
    body = "".join(f"    {name} = x[{k}]\n" for k, name in enumerate(names)) + "    cuda.syncthreads()\n" + "".join(f"    x[{k}] = {name} * {name}\n" for k, name in enumerate(reversed(names)))
    text = f"def many(x):\n{body}"
    free, bound = cuda.jit("(float64[:],)")(sources.define("many", text, {"cuda": cuda})), cuda.jit("(float64[:],)", launch_bounds=1024)(sources.define("many", text, {"cuda": cuda}))
    assert free.get_regs_per_thread() > 64 >= bound.get_regs_per_thread()


def doubled(v):
    return v + v


def lines_of(text):
    return re.findall(r"^\t\.loc 1 (\d+) 0$", text, re.MULTILINE)


def test_lines_of_a_kernel():
    def scaled(x, out):
        i = cuda.grid(1)
        v = x[i] * 3
        cuda.syncthreads()
        out[i] = doubled(v)

    first = scaled.__code__.co_firstlineno
    wanted = {first + 1, first + 2, first + 3, first + 4, doubled.__code__.co_firstlineno + 1}
    kernel = cuda.jit(lineinfo=True)(scaled)
    x, out = np.arange(64.0), np.zeros(64)
    kernel[1, 64](x, out)
    assert out[5] == 30
    (text,) = kernel.inspect_asm().values()
    assert f'.file 1 "{__file__}"\n' in text and "threads lines\n" in text
    assert set(map(int, lines_of(text))) == wanted
    assert set(map(int, lines_of(cuda.compile_ptx(scaled, (float64[:], float64[:]), lineinfo=True)[0]))) == wanted
    plain = cuda.jit(scaled)
    plain[1, 64](x, out)
    assert ".loc" not in "".join(plain.inspect_asm().values())
    if inspection.tool("ptxas", "WEFT_PTXAS"):
        assert b".debug_line" in inspection.assembled(text)[0] and __file__.rsplit("/")[-1].encode() in inspection.assembled(text)[0]


def test_directives():
    args = (float32[:], float64[:])
    for options, said in [
        ({"launch_bounds": 96}, "\n.maxntid 96, 1, 1\n{"),
        ({"launch_bounds": (128, 4)}, "\n.maxntid 128, 1, 1\n.minnctapersm 4\n{"),
        ({"max_registers": 40}, "\n.maxntid 1024, 1, 1\n.maxnreg 40\n{"),
        ({"max_registers": 300}, "\n.maxntid 1024, 1, 1\n{"),
        ({"max_registers": 0}, "\n.maxntid 1024, 1, 1\n{"),
        ({"launch_bounds": (128, None)}, "\n.maxntid 128, 1, 1\n{"),
        ({"launch_bounds": numpy.array([128, 2])}, "\n.maxntid 128, 1, 1\n.minnctapersm 2\n{"),
    ]:
        kernel = cuda.jit("(float32[:], float64[:])", **options)(walk.py_func)
        text = kernel.inspect_asm()[args]
        assert said in text
        if inspection.tool("ptxas", "WEFT_PTXAS"):
            inspection.assembled(text)
    assert "\n.maxntid 64, 1, 1\n" in cuda.compile_ptx(walk, args, launch_bounds=64)[0]
    for options, error, said in [
        ({"launch_bounds": 0}, ValueError, "launch_bounds, threads of a block: 0; want 1 to 1024"),
        ({"launch_bounds": (128, 65)}, ValueError, "launch_bounds, blocks: 65; want 1 to 64"),
        ({"launch_bounds": (1, 2, 3)}, ValueError, "want 1 or 2 numbers"),
        ({"launch_bounds": 1.5}, TypeError, "1.5 is no integer"),
        ({"max_registers": True}, TypeError, "max_registers: True is no integer"),
        ({"max_registers": -1}, ValueError, "max_registers: -1; want 0 or more"),
    ]:
        with pytest.raises(error, match=re.escape(said)):
            cuda.jit(**options)(walk.py_func)
    bound = cuda.jit(launch_bounds=32)(walk.py_func)
    out = np.zeros(64)
    with pytest.raises(errors.CudaAPIError, match="a block of 64 threads; its launch_bounds say 32 at most"):
        bound[1, 64](np.arange(64, dtype="f4"), out)
    assert not out.any()
    for bounds, threads in (32, 32), ((96, 2), 96), (1024, 256), (None, 256):
        launch = cuda.jit(launch_bounds=bounds)(walk.py_func).forall(64)
        assert launch.blockdim == (threads, 1, 1) and launch.griddim == (-(-64 // threads), 1, 1)


def test_names_that_are_not_ascii():
    """What NVIDIA's assembler reads is."""
    text = "def π(é, out):\n    i = cuda.grid(1)\n    ä = é[i] * 2\n    cuda.syncthreads()\n    out[i] = ä\n"
    kernel = cuda.jit("(float64[:], float64[:])", lineinfo=True)(sources.define("π", text, {"cuda": cuda}))
    (ptx,) = kernel.inspect_asm().values()
    assert ptx.isascii() and 'program "\\u03c0"' in ptx
    called = cuda.compile_ptx(sources.define("π", "def π(é):\n    return é + 1\n", {}), (float64,), device=True, abi="c")[0]
    assert called.isascii()
    if inspection.tool("ptxas", "WEFT_PTXAS"):
        inspection.assembled(ptx)
        inspection.assembled(called)
    x, out = np.arange(64.0), np.zeros(64)
    kernel[1, 64](x, out)
    assert out[5] == 10


def test_lines_of_loops():
    """What counts a loop on is of the line of the for, not of the last one of its body."""

    def summed(x, out):
        i = cuda.grid(1)
        total = 0.0
        for k in range(x.size):
            total += x[k]
            cuda.syncthreads()
        out[i] = total

    first = summed.__code__.co_firstlineno
    lines = [int(n) - first for n in lines_of(cuda.compile_ptx(summed, (float64[:], float64[:]), lineinfo=True)[0])]
    assert 3 in lines[lines.index(4) :], lines
    assert lines[-1] == 6 and lines.index(6) > max(k for k, n in enumerate(lines) if n == 3)


def test_without_the_tools(monkeypatch):
    monkeypatch.setattr(inspection, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    for name in "WEFT_PTXAS", "WEFT_NVDISASM":
        monkeypatch.delenv(name, raising=False)
    kernel, _ = launched()
    with pytest.raises(RuntimeError, match="ptxas has not been found"):
        kernel.get_regs_per_thread()
    with pytest.raises(RuntimeError, match="nvdisasm has not been found"):
        kernel.inspect_sass()


class Doubled:
    """Gives a kernel an array in place of a list, and takes it back."""

    def __init__(self):
        self.seen, self.done = [], 0

    def prepare_args(self, ty, val, stream, retr):
        self.seen.append(ty)
        if isinstance(val, list):
            retr.append(self.finish)
            return float64[:], np.array(val, dtype=float)
        return ty, val

    def finish(self):
        self.done += 1


def test_extensions_of_arguments():
    extension = Doubled()
    kernel = cuda.jit(extensions=[extension])(walk.py_func)
    out = np.zeros(64)
    kernel[1, 64]([1.0] * 64, out)
    assert out[5] == 3 and extension.done == 1 and extension.seen == [None, float64[:]]

