"""All functions that kernels call by name, of halves, of math and cmath, and all vector types: a kernel for each family, made of its names."""

import cmath
import math

import numpy
from weft import cuda
from weft.compiled import sources

from .row import LANES, F, Row

NAMES = {"cuda": cuda, "math": math, "cmath": cmath}


def kernel(name, params, expressions):
    """A kernel whose threads write the values of expressions of x and y, elements of in_x and in_y, to a row of out."""
    lines = [f"    out[i, {k}] = {text}\n" for k, text in enumerate(expressions)]
    elements = "".join(f"    {p[-1]} = {p}[i]\n" for p in params.split(", "))
    text = f"def {name}({params}, out):\n    i = cuda.grid(1)\n{elements}" + "".join(lines) + "    cuda.syncwarp()\n"
    return cuda.jit(sources.define(name, text, NAMES))


# fp16: the functions by what NumPy has for them.
HALVES_OF_ONE = {
    "habs": numpy.abs, "hneg": numpy.negative, "hsin": numpy.sin, "hcos": numpy.cos, "hlog": numpy.log, "hlog10": numpy.log10, "hlog2": numpy.log2,
    "hexp": numpy.exp, "hexp10": lambda x: 10**x, "hexp2": numpy.exp2, "hfloor": numpy.floor, "hceil": numpy.ceil, "hsqrt": numpy.sqrt,
    "hrsqrt": lambda x: 1 / numpy.sqrt(x), "hrcp": numpy.reciprocal, "hrint": numpy.rint, "htrunc": numpy.trunc,
}  # fmt: skip
HALVES_OF_TWO = {
    "hadd": numpy.add, "hsub": numpy.subtract, "hmul": numpy.multiply, "hdiv": numpy.divide, "heq": numpy.equal, "hne": numpy.not_equal,
    "hgt": numpy.greater, "hge": numpy.greater_equal, "hlt": numpy.less, "hle": numpy.less_equal, "hmax": numpy.maximum, "hmin": numpy.minimum,
}  # fmt: skip
half_functions = kernel(
    "half_functions", "in_x, in_y",
    [f"cuda.fp16.{name}(x)" for name in HALVES_OF_ONE] + [f"cuda.fp16.{name}(x, y)" for name in HALVES_OF_TWO] + ["cuda.fp16.hfma(x, y, x)"],
)  # fmt: skip


def half_functions_want(x, y, out):
    """In float64, rounded: what is exact then is exact, and the rest is within half's last digit."""
    a, b = x.astype("f8"), y.astype("f8")
    out[:] = numpy.stack([*(f(a) for f in HALVES_OF_ONE.values()), *(f(a, b) for f in HALVES_OF_TWO.values()), a * b + a], 1)


# math, over (0, 1) and with a second number.
MATH_OF_ONE = (
    "acos asin atan acosh asinh atanh cos sin tan cosh sinh tanh erf erfc exp exp2 expm1 fabs gamma lgamma log log2 log10 log1p sqrt cbrt "
    "ceil floor trunc degrees radians isnan isinf isfinite"
).split()
MATH_OF_TWO = "atan2 hypot copysign fmod pow remainder nextafter log".split()
OTHERS = {
    "math.frexp(x)[0]": lambda v: math.frexp(v)[0], "math.frexp(x)[1]": lambda v: math.frexp(v)[1], "math.ldexp(x, 3)": lambda v: v * 8,
    "math.modf(x)[0]": lambda v: math.modf(v)[0], "math.modf(x)[1]": lambda v: math.modf(v)[1],
}  # fmt: skip


def within(name):
    """The argument of a function: where it has a value."""
    return "x + 1" if name == "acosh" else "x"


math_functions = kernel(
    "math_functions", "in_x",
    [f"math.{name}({within(name)})" for name in MATH_OF_ONE] + [f"math.{name}(x, 2.5)" for name in MATH_OF_TWO] + list(OTHERS),
)  # fmt: skip


def math_functions_want(x, out):
    for i, v in enumerate(x.tolist()):
        one = [getattr(math, name)(v + 1 if name == "acosh" else v) for name in MATH_OF_ONE]
        out[i] = [*one, *(getattr(math, name)(v, 2.5) for name in MATH_OF_TWO), *(f(v) for f in OTHERS.values())]


CMATH = "acos asin atan acosh asinh atanh cos sin tan cosh sinh tanh exp log log10 sqrt phase isnan isinf isfinite".split()
complex_functions = kernel(
    "complex_functions", "in_x",
    [f"cmath.{name}(x)" for name in CMATH] + ["cmath.polar(x)[0] + 1j * cmath.polar(x)[1]", "cmath.rect(x.real, x.imag)", "cmath.log(x, 3)"],
)  # fmt: skip


def complex_functions_want(x, out):
    for i, v in enumerate(x.tolist()):
        out[i] = [*(getattr(cmath, name)(v) for name in CMATH), complex(*cmath.polar(v)), cmath.rect(v.real, v.imag), cmath.log(v, 3)]


# Vector types, with what their numbers are.
VECTORS = {f"{kind}{bits}x": f"{kind[0]}{bits // 8}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {"float32x": "f4", "float64x": "f8"}
VECTORS |= {"char": "i1", "short": "i2", "int": "i4", "long": "i8", "longlong": "i8", "float": "f4", "double": "f8"}
VECTORS |= {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "ulonglong": "u8"}
vector_types = kernel(
    "vector_types", "in_x",
    [f"cuda.{name}{n}({', '.join(f'x + {k}' for k in range(n))}).{'xyzw'[n - 1]}" for name in VECTORS for n in range(1, 5)],
)  # fmt: skip


def vector_types_want(x, out):
    out[:] = numpy.stack([(x + n).astype(t) for t in VECTORS.values() for n in range(4)], 1)


HALF = (LANES + 1).astype("f2") / numpy.float16(8)
ROWS = {
    "half_functions": Row(half_functions, 2, 32, lambda: [HALF.copy(), HALF[::-1] + numpy.float16(0.25), numpy.zeros((64, 30), "f2")], half_functions_want, tolerance=2e-3),
    "math_functions": Row(math_functions, 2, 32, lambda: [(LANES + 0.5) / 64, numpy.zeros((64, len(MATH_OF_ONE + MATH_OF_TWO) + len(OTHERS)))], math_functions_want, tolerance=1e-13),
    "complex_functions": Row(complex_functions, 2, 32, lambda: [F * 0.1 + 1j * F[::-1] * 0.07 + 0.05, numpy.zeros((64, len(CMATH) + 3), complex)], complex_functions_want, tolerance=1e-12),
    "vector_types": Row(vector_types, 2, 32, lambda: [LANES * 37 % 120, numpy.zeros((64, 88))], vector_types_want),
}  # fmt: skip
