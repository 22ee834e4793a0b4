"""python tests/kernels/numbas_names.py, where numba and numba-cuda are installed: the text of numbas_names.txt.

A line for each thing that programs hold: its name, as in names.txt, and those of its attributes, by dir(), that do not begin with
an underscore. Modules that are not Numba's are left out, and so are the classes of cudadrv that are no errors.
"""

import sys
import textwrap
import types
import warnings
from importlib.metadata import version

IMPORTED = (
    "GridGroupClass HAS_NUMBA config cuda float32 float64 from_dtype grid_group int64 intrinsic jit nvvmutils overload overload_method "
    "signature target_registry types typing_registry uint32 uint64"
).split()


def attributes(value):
    """The names of an object's attributes."""
    made = []
    for name in dir(value):
        found = getattr(value, name, None)
        foreign = isinstance(found, types.ModuleType) and not found.__name__.startswith("numba")
        if not name.startswith("_") and not foreign:
            made.append(name)
    return made


def of(names, wanted):
    """Those attributes of a module that a condition holds for."""
    return [name for name in attributes(names) if wanted(getattr(names, name))]


def owners():
    """The names of attributes, by what has them. None of it needs a GPU."""
    import numba
    from numba import cuda
    from numba.cuda.cudadrv import devicearray, devices, driver, error, runtime
    from numba.cuda.dispatcher import _Kernel, _LaunchConfiguration
    from numba.cuda.vectorizers import CUDAGeneralizedUFunc, CUDAUFuncDispatcher

    @cuda.jit
    def kernel(x):
        x[0] = 1

    yield "cuda", attributes(cuda)
    for name in ("atomic", "const", "local", "shared", "libdevice"):
        yield f"cuda.{name}", attributes(getattr(cuda, name))
    from numba.cuda import bf16, cg, fp16, random

    for module in (cg, fp16, bf16, random):  # without what they import, and what tells the compiler of them
        yield f"cuda.{module.__name__.split('.')[-1]}", [name for name in attributes(module) if not (name.endswith("_ol") or name in IMPORTED)]
    for module in (driver, error):
        failures = of(module, lambda value: isinstance(value, type) and issubclass(value, Exception))
        yield f"cuda.cudadrv.{module.__name__.split('.')[-1]}", failures
    yield "cuda.runtime", attributes(runtime.runtime)
    yield "Dispatcher", attributes(kernel)
    classes = {
        "Overload": _Kernel, "Launch": _LaunchConfiguration, "Array": devicearray.DeviceNDArray, "Mapped": devicearray.MappedNDArray,
        "Managed": devicearray.ManagedNDArray, "Records": devicearray.DeviceRecord, "Stream": driver.Stream, "Event": driver.Event,
        "Device": driver.Device, "Context": driver.Context, "Devices": type(devices.gpus), "Reduce": cuda.Reduce,
        "Ufunc": CUDAUFuncDispatcher, "Gufunc": CUDAGeneralizedUFunc,
    }  # fmt: skip
    for name, made in classes.items():
        yield name, attributes(made)
    yield "numba", attributes(numba)
    yield "Njit", attributes(numba.njit(lambda x: x))
    yield "DUFunc", attributes(numba.vectorize(lambda x: x))
    yield "GUFunc", attributes(numba.guvectorize("(n)->(n)")(lambda x, out: None))


def main():
    warnings.simplefilter("ignore")
    print("# numba " + version("numba") + ", numba-cuda " + version("numba-cuda") + ": by numbas_names.py")
    for owner, names in owners():
        print(textwrap.fill(f"{owner}: {' '.join(names)}", 118, subsequent_indent=" ", break_on_hyphens=False))


if __name__ == "__main__":
    sys.exit(main())
