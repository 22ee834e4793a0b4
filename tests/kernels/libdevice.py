"""All functions of libdevice: what the PTX of each is, and that it gives the same bits wherever it runs.

    python -m kernels.libdevice            the digest of what they give, as JSON
    python -m kernels.libdevice --write    writes libdevice.txt anew, where Numba says what they take

libdevice.txt has a line for each: its name, the dtypes that it takes, those that it gives, and a digest of the PTX of a kernel that calls it.
"""

import hashlib
import json
import pathlib
import sys

import numpy
import weft as np
from weft import cuda
from weft.compiled import sources, types

TABLE = pathlib.Path(__file__).parent / "libdevice.txt"
KERNELS = 12  # functions of a kernel
R = numpy.random.default_rng(11)
WHOLE = ("int32", "int64", "uint32", "uint64", "int16", "uint16", "boolean")


def known():
    """The functions with the dtypes that they take and give, as libdevice.txt has them."""
    return [(name, args.split(","), results.split(","), digest) for name, args, results, digest in map(str.split, TABLE.read_text().splitlines())]


def calling(functions):
    """A kernel that writes what functions of the same arguments give to rows of out, which has a column for each result."""
    args = functions[0][1]
    given = ", ".join(f"np.{dtype}(x{k}[i])" for k, dtype in enumerate(args))
    lines, column = [], 0
    for name, _, results, _ in functions:
        lines.append(f"    made = cuda.libdevice.{name}({given})\n")
        for k in range(len(results)):
            lines.append(f"    out[i, {column}] = made{f'[{k}]' if len(results) > 1 else ''}\n")
            column += 1
    columns = ", ".join(f"x{k}" for k in range(len(args)))
    text = f"def called({columns}, out):\n    i = cuda.grid(1)\n" + "".join(lines) + "    cuda.syncwarp()\n"
    return cuda.jit(sources.define("called", text, {"cuda": cuda, "np": np})), column


def ptx(function):
    """A digest of the PTX of a kernel that calls a function, but for the names of files."""
    kernel, _ = calling([function])
    signature = (*(types.NAMES[t][:] for t in function[1]), _kind(function)[:, :])
    return hashlib.sha256(cuda.compile_ptx(kernel, signature)[0].encode()).hexdigest()[:16]


def _kind(function):
    """The type of the array that takes what a function gives."""
    return types.int64 if all(t in WHOLE for t in function[2]) else types.float64


def numbers(dtype, n=64):
    """Some of each kind: small, large, and those at the ends."""
    t = numpy.dtype(dtype)
    if t.kind in "iu":
        limits = numpy.iinfo(t)
        x = R.integers(limits.min, limits.max, n, t, endpoint=True) >> R.integers(0, limits.bits - 1, n).astype(t)
        x[:3] = limits.max, limits.min, 0
        return x
    x = numpy.ldexp(R.uniform(-1, 1, n), R.integers(-60, 60, n)).astype(t)
    x[:32] = R.uniform(-1.5, 1.5, 32)
    x[[3, 17, 33, 40, 41, 42]] = 0.0, 1.0, -0.0, numpy.inf, -numpy.inf, numpy.nan
    return x


def groups():
    """The functions by what they take and give, at most KERNELS in each."""
    made = {}
    for function in known():
        made.setdefault((tuple(function[1]), _kind(function)), []).append(function)
    for (args, kind), functions in made.items():
        for at in range(0, len(functions), KERNELS):
            yield args, kind, functions[at : at + KERNELS]


def digests():
    """What the functions of each group give for the same numbers."""
    made = {}
    for args, kind, functions in groups():
        kernel, columns = calling(functions)
        out = cuda.to_device(numpy.zeros((64, columns), kind.dtype))
        kernel[2, 32](*(cuda.to_device(numbers(dtype)) for dtype in args), out)
        got = out.copy_to_host()
        if kind == types.float64:
            got[numpy.isnan(got)] = numpy.nan  # of which there are many
        made[" ".join(f[0] for f in functions)] = hashlib.sha256(got.tobytes()).hexdigest()[:16]
    return made


def listed():
    """The lines of libdevice.txt, by what Numba knows of libdevice."""
    import numba.cuda.libdevicefuncs as numba

    refused = set("j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf".split())
    for name, (result, args) in sorted(numba.functions.items()):
        name = name.removeprefix("__nv_")
        if name in refused:
            continue
        results = [str(result)] if str(result) != "none" else []
        results += [str(a.ty) for a in args if a.is_ptr]
        function = (name, [str(a.ty) for a in args if not a.is_ptr], results, "")
        yield f"{name} {','.join(function[1])} {','.join(results)} {ptx(function)}\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        TABLE.write_text("".join(listed()))
    print(json.dumps(digests()))
