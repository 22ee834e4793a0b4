"""What is made of kernels and of functions that they call: PTX, without a launch and without a GPU, and what a kernel takes of a device.

    ptx, result = cuda.compile_ptx(axpy, "void(float64, float64[:], float64[:], float64[:])")

The PTX is weft's own. A kernel takes one parameter, a block of 8-byte words (threadsLayout in cuda/ptx/threads.go): for each array its
address, strides and extents. A function that kernels call takes numbers, by the ABI of C or of Numba.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec

from .. import _core
from ..compiled import reading, types
from ..compiled.errors import UnsupportedError
from . import directives
from .devices import Device

__all__ = [
    "compile",
    "compile_all",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
]

_OUTPUTS = ("ptx", "ltoir")


def compile(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=True,
    fastmath=False,
    cc=None,
    opt=None,
    abi="c",
    abi_info=None,
    output="ptx",
    forceinline=False,
    launch_bounds=None,
):
    """The PTX of a function for a signature, and the type of what it returns.

    With device=True it is one that other PTX calls, with a name of its own in abi_info["abi_name"]. cc is the compute capability, (7, 5)
    if it is not given. lineinfo has a kernel's PTX tell the function's lines. debug, fastmath, opt and forceinline are
    hints, and change nothing.
    """
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    if abi == "c" and not device:
        raise NotImplementedError("The C ABI is not supported for kernels")
    if output not in _OUTPUTS:
        raise NotImplementedError(f"Unsupported output type: {output}")
    if output == "ltoir":
        raise UnsupportedError("output='ltoir': weft compiles without LLVM, to PTX; want output='ptx'")
    args, result = types.normalized(sig)
    capability = capability_of(cc)
    function = reading.python_function(pyfunc)
    if function is None:
        raise TypeError(f"compile takes a Python function, not {pyfunc!r}")
    told = {} if device else {"launch_bounds": launch_bounds, "lineinfo": lineinfo}
    number = _core.compiled("read", reading.unit(function, directives.of(told)))
    if device:
        name = (abi_info or {}).get("abi_name") or re.sub(r"\W", _in_ascii, function.__name__, flags=re.ASCII)
        asked = None if result is None or result == types.void else result.name
        words = [word(t) for t in args]
        text, made = _core.compiled("device", number, name, abi, capability, asked, *words)
        return text, types.NAMES[str(made)]
    if result not in (None, types.void):
        raise TypeError("CUDA kernel must have void return type.")
    return described(number, signed(number, args), launch_bounds, capability)[0], types.void


def compile_ptx(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=False,
    fastmath=False,
    cc=None,
    opt=None,
    abi="numba",
    abi_info=None,
    forceinline=False,
    launch_bounds=None,
):
    """compile of a kernel, and by Numba's ABI: see there."""
    return compile(
        pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, "ptx", forceinline, launch_bounds
    )


def compile_all(pyfunc, sig, *args, **options):
    """compile, with a list of all parts that are to be linked: there is one."""
    text, result = compile(pyfunc, sig, *args, **options)
    return [text], result


def compile_for_current_device(pyfunc, sig, *args, **options):
    """compile for the compute capability of the device."""
    return compile(pyfunc, sig, *args, cc=Device.compute_capability, **options)


def compile_ptx_for_current_device(pyfunc, sig, *args, **options):
    """compile_ptx for the compute capability of the device."""
    return compile_ptx(pyfunc, sig, *args, cc=Device.compute_capability, **options)


def capability_of(cc) -> int:
    """A compute capability as a number: 75 of (7, 5), which None stands for."""
    major, minor = cc or (7, 5)
    return 10 * major + minor


def _in_ascii(character) -> str:
    """What stands for a character that no name in PTX has."""
    return "_" if character[0].isascii() else f"_u{ord(character[0]):x}"


def word(t) -> str:
    """A type as the compiler reads it."""
    if isinstance(t, types.Array):
        return f"{t.dtype}:{t.ndim}"
    if isinstance(t, types.Number):
        return t.name
    raise UnsupportedError(f"{t} in a signature; want numbers and arrays of them: float64, float64[:, :]")


def signed(number, args) -> int:
    """Compile a kernel for types; the position of the signature."""
    return _core.compiled("compile", number, None, *map(word, args))


def described(number, at, launch_bounds=None, capability=75):
    """PTX, name there, program, bytes of shared and of local memory, and names with types of a signature's kernel."""
    return _core.compiled("describe", number, at, directives.threads_of(launch_bounds), capability)


def occupancy(program, threads, dynamic=0):
    """What the GPU's driver knows of the function that a program's launches load (Occupancy in cuda/driver/report.go); None without a GPU."""
    return json.loads(_core.query("occupancy", json.dumps({"program": program, "threads": threads, "dynamic": dynamic})))


def tool(name, variable):
    """The path of one of NVIDIA's tools: that of an environment variable, of PATH, or of a wheel; None without one."""
    found = os.environ.get(variable) or shutil.which(name)
    wheel = find_spec("nvidia")
    for place in (wheel.submodule_search_locations or ()) if wheel and not found else ():
        for part in sorted(os.listdir(place)):
            path = os.path.join(place, part, "bin", name)
            if os.access(path, os.X_OK):
                return path
    return found


def assembled(ptx, capability=75):
    """What NVIDIA's assembler makes of PTX, and what it says of it."""
    ptxas = tool("ptxas", "WEFT_PTXAS")
    if not ptxas:
        raise RuntimeError(
            "ptxas has not been found, which knows what becomes of PTX. You may need to install the CUDA toolkit and ensure that it is "
            "available on your PATH, name it by WEFT_PTXAS, or install the wheel nvidia-cuda-nvcc-cu12."
        )
    with tempfile.TemporaryDirectory() as place:
        image = os.path.join(place, "kernel.cubin")
        lines = ["-lineinfo"] if "\n.file " in ptx else []  # otherwise these would be the lines of the PTX
        asked = [ptxas, "-v", *lines, f"-arch=sm_{capability}", "-o", image, "-"]
        done = subprocess.run(asked, input=ptx, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(asked)} failed: {done.stderr}")
        with open(image, "rb") as file:
            return file.read(), done.stderr


def registers(ptx) -> int:
    """How many registers a thread of the module's kernel has."""
    found = re.findall(r"Used (\d+) registers", assembled(ptx)[1])
    return max(map(int, found))


def disassembled(ptx, *options) -> str:
    """The instructions that a device of compute capability 7.5 has of PTX."""
    nvdisasm = tool("nvdisasm", "WEFT_NVDISASM")
    if not nvdisasm:
        raise RuntimeError(
            "nvdisasm has not been found. You may need to install the CUDA toolkit and ensure that it is available on your PATH, name it by "
            "WEFT_NVDISASM, or install the wheel nvidia-cuda-nvdisasm."
        )
    image, _ = assembled(ptx)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(image)
        file.flush()
        done = subprocess.run([nvdisasm, *options, file.name], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{nvdisasm} failed: {done.stderr}")
        return done.stdout
