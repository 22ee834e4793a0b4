"""Fill in what NumPy answers to the conformance cases.

Run in arrays/ with a Python that has NumPy 2 and SciPy:  python testdata/expect.py

A case file holds lines of Python; blank lines start over with no variables. Below each
expression, and each statement that fails, stands NumPy's answer, indented: "= dtype shape
elements" or "! Type: text". This script drops the old answers and writes new ones. A
remark on a line says what the Go test allows: "# ulp 4" (of the result's dtype), "# norm 8"
(ulps of the largest number of the result: linear algebra, whose library has other kernels for other
processors), "# fallback" (weft leaves it to NumPy).
"""

import ast
import glob
import json
import warnings

import numpy as np
import scipy.special

warnings.simplefilter("ignore")
np.special = scipy.special  # as weft has it


def rng(name, first, a, b, c, d):
    """A generator in the state of these words, which has drawn so many halves of numbers."""
    if name == "PCG64":
        bits = np.random.PCG64()
        state = {"state": a << 64 | b, "inc": c << 64 | d}
        bits.state = {"bit_generator": name, "state": state, "has_uint32": 0, "uinteger": 0}
        bits.advance(first // 2)
    else:
        block = first // 8 | a << 128 | b << 192
        bits = np.random.Philox(counter=(block - 1) % (1 << 256), key=c | d << 64)  # NumPy counts before it draws
        bits.random_raw(first // 2 % 4, output=False)
    if first % 2:
        np.random.Generator(bits).integers(1 << 32, size=1, dtype=np.uint32)
    return np.random.Generator(bits)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x))
    if isinstance(x, (complex, np.complexfloating)):
        return f"{float(x.real)!r},{float(x.imag)!r}"
    if isinstance(x, (float, np.floating)):
        return repr(float(x))
    return str(int(x))


def answer(x):
    if x is None:
        return "None"
    if isinstance(x, str):
        return "str " + json.dumps(x, ensure_ascii=False)
    if isinstance(x, tuple):
        return "tuple " + " ".join(number(i) for i in x)
    if isinstance(x, np.dtype):
        return "dtype " + x.name
    if isinstance(x, np.generic):
        return f"{x.dtype} scalar {number(x)}"
    if isinstance(x, np.ndarray):
        shape = str(x.shape).replace(" ", "")
        return f"{x.dtype} {shape} " + " ".join(number(i) for i in x.ravel())
    return f"{type(x).__name__} {number(x)}"


def run(line, names):
    tree = ast.parse(line)
    try:
        if isinstance(tree.body[0], ast.Expr):
            return "= " + answer(eval(line, names))
        exec(line, names)
    except Exception as error:  # the error is the answer
        return f"! {type(error).__mro__[0].__name__.lstrip('_')}: {error}"
    return None




for path in sorted(glob.glob("testdata/conformance/*.txt")):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    out, names = [], {"np": np, "rng": rng}
    for line in lines:
        if line.startswith("  "):
            continue
        out.append(line)
        if not line.strip():
            names = {"np": np, "rng": rng}
        elif not line.startswith("#"):
            got = run(line.split("  #")[0], names)
            if got is not None:
                out.append("  " + got.rstrip())
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out))
