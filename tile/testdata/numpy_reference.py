"""Writes numpy.txt: what NumPy gives for every scalar opcode on chosen operands.

    python numpy_reference.py > numpy.txt

Lines, all numbers being the hexadecimal bits of elements:

    values DTYPE x0 x1 ...          the operands of that dtype
    OPCODE DTYPE RESULT r0 r1 ...   results; binary opcodes take every pair (x0,x0) (x0,x1) ...,
                                    and opcodes of five operands x0,x1,x0,x1,x0 and so on

Every vector is long enough that NumPy's vector loops run, not their scalar tails.
"""

import math

import numpy as np

np.seterr(all="ignore")



def elementwise(f):
    """Makes a function of Python's math module one of arrays, where NumPy has none. Poles and overflow follow C99."""

    def one(x):
        try:
            return f(x)
        except OverflowError:
            return math.inf
        except ValueError:
            if f is math.lgamma:
                return math.inf
            return math.copysign(math.inf, x) if x == 0 else math.nan

    return lambda x: np.array([one(v) for v in x.tolist()]).astype(x.dtype)


DTYPES = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "l", "uint8": "B", "uint16": "H",
    "uint32": "I", "uint64": "L", "float16": "e", "float32": "f", "float64": "d", "complex64": "F", "complex128": "D",
}  # fmt: skip
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "floordiv": np.floor_divide,
    "rem": np.remainder, "pow": np.power, "min": np.minimum, "max": np.maximum, "eq": np.equal, "ne": np.not_equal,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift,
    "atan2": np.arctan2, "hypot": np.hypot, "copysign": np.copysign,
}  # fmt: skip
UNARY = {
    "neg": np.negative, "abs": np.absolute, "sign": np.sign, "not": np.invert, "sqrt": np.sqrt, "exp": np.exp,
    "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "rint": np.rint, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "conj": np.conjugate,
    "real": np.real, "imag": np.imag, "exp2": np.exp2, "expm1": np.expm1, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "cbrt": np.cbrt,
    "erf": elementwise(math.erf), "erfc": elementwise(math.erfc), "gamma": elementwise(math.gamma),
    "lgamma": elementwise(math.lgamma),
}  # fmt: skip


def pcg64(a, b):
    """Number a of the generator whose state and increment have the halves b and a."""
    generator = np.random.PCG64()
    results = []
    for n, high in zip(a.tolist(), b.tolist(), strict=True):
        word = high << 64 | n
        generator.state = {"bit_generator": "PCG64", "state": {"state": word, "inc": word}, "has_uint32": 0, "uinteger": 0}
        results.append(int(generator.advance(n).random_raw()))
    return np.array(results, np.uint64)


def philox(a, b):
    """Number a of the generator whose counter ends in, and whose key has, the words b and a."""
    results = []
    for n, high in zip(a.tolist(), b.tolist(), strict=True):
        counter = (n >> 2) | high << 128 | n << 192
        before = (counter - 1) % (1 << 256)  # NumPy counts before it draws
        results.append(int(np.random.Philox(counter=before, key=n << 64 | high).random_raw(4)[n & 3]))
    return np.array(results, np.uint64)


KINDS = {  # NumPy accepts more than the opcodes do
    **dict.fromkeys(["div", "sqrt", "exp", "log", "sin", "cos", "isnan", "isinf", "isfinite"], "fc"),
    **dict.fromkeys(["floordiv", "rem", "sign"], "iuf"),
    **dict.fromkeys(["tanh", "floor", "ceil", "trunc", "rint", "exp2", "expm1", "log2", "log10", "log1p", "tan"], "f"),
    **dict.fromkeys(["asin", "acos", "atan", "atan2", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "hypot", "copysign"], "f"),
    **dict.fromkeys(["erf", "erfc", "gamma", "lgamma"], "f"),
    **dict.fromkeys(["add", "sub", "mul", "pow", "neg", "abs"], "iufc"),
    **dict.fromkeys(["and", "or", "xor", "not"], "biu"),
    **dict.fromkeys(["shl", "shr"], "iu"),
    **dict.fromkeys(["conj", "real", "imag"], "c"),
}


def values(name):
    t = np.dtype(DTYPES[name])
    if t.kind == "b":
        return np.array([False, True])
    if t.kind in "iu":
        top = np.iinfo(t)
        small = [0, 1, 2, 3, 7, 63, 100] + ([-1, -2, -7, -100] if t.kind == "i" else [])
        return np.array(sorted({int(top.min), int(top.min) + 1, int(top.max) - 1, int(top.max), *small}), t)
    if t.kind == "f":
        top = np.finfo(t)
        wide = [300.7, -300.7, 40000.5, -40000.5]
        if t.itemsize > 2:
            wide += [3e9, -3e9, 1e19, -1e19, 2.0**31, 2.0**63]
        small = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3]
        ends = [np.inf, -np.inf, np.nan, top.max, top.tiny, top.smallest_subnormal]
        return np.array([*small, *ends, *wide], t)
    parts = [(0, 0), (-0.0, 0), (0, -0.0), (1, 0), (0, 1), (1, 1), (1, -2), (-2.5, 0.5), (3, 4), (300.7, -1), (-3e9, 2),
             (2, 0), (-1, 0), (np.inf, 1), (-1, np.inf), (np.nan, 1), (1, np.nan), (-np.inf, np.nan)]  # fmt: skip
    return np.array([complex(a, b) for a, b in parts], t)


def bits(x):
    x = np.ascontiguousarray(x)
    n = x.dtype.itemsize
    return " ".join(x.tobytes()[i : i + n][::-1].hex().lstrip("0") or "0" for i in range(0, len(x) * n, n))


def emit(op, operand, result):
    name = next(n for n, c in DTYPES.items() if np.dtype(c) == result.dtype)
    print(op, operand, name, bits(result))


def main():
    for name in DTYPES:
        print("values", name, bits(values(name)))
    for name, char in DTYPES.items():
        x = values(name)
        a, b = np.repeat(x, len(x)), np.tile(x, len(x))
        for op, f in BINARY.items():
            if x.dtype.kind not in KINDS.get(op, "biufc"):
                continue
            if op == "pow" and x.dtype.kind in "iu":
                emit(op, name, f(a, np.where(b < 0, np.zeros_like(b), b)))  # NumPy refuses negative exponents
            elif op in ("mul", "pow") and x.dtype.kind == "c":
                # Element by element, because the vector loops fuse.
                emit(op, name, np.array([f(p, q) if op == "pow" else p * q for p, q in zip(a, b, strict=True)], char))
            else:
                emit(op, name, f(a, b))
        if name == "uint64":
            emit("pcg64", name, pcg64(a, b))
            emit("philox", name, philox(a, b))
        for op, f in UNARY.items():
            if x.dtype.kind in KINDS.get(op, "biufc"):
                emit(op, name, f(np.tile(x, 64))[: len(x)])
        for char in DTYPES.values():
            emit("cast", name, np.tile(x, 64).astype(char)[: len(x)])


if __name__ == "__main__":
    main()
