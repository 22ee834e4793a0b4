"""Ufuncs and other functions of each element."""

import numpy

from . import rows
from .rows import family
from .scene import INTEGERS, REAL, WHOLE

KEYWORDS = {"where": rows.masked, "out": None, "dtype": rows.dtype, "casting": rows.casting, "order": rows.order, "subok": rows.flag}

# Whose results are those of the exact value rounded, or of a rule: NumPy's bits. All others are of a few units (cpu/ACCURACY.md).
EXACT = set("""
    negative positive fabs floor ceil trunc rint sign sqrt conj conjugate isnan isinf isfinite signbit maximum minimum fmax fmin copysign
    nextafter spacing ldexp frexp modf heaviside gcd lcm equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
    logical_not bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_invert invert bitwise_count left_shift right_shift bitwise_left_shift
    bitwise_right_shift floor_divide remainder mod fmod divmod isnat
""".split())  # fmt: skip
# Of several arguments and results that are not those of each element.
OF_VECTORS = set("matmul vecdot matvec vecmat".split())


# Their loops in NumPy end the process where a number that the integers cannot hold meets a mask: np.less(np.array([1], "u1"), -1, where=[True], out=...).
COMPARE = set("equal not_equal less less_equal greater greater_equal".split())


def dated(scene):
    return scene.array(["M8[D]", "m8[s]", "float64"])


def ufunc_rows():
    for name in sorted(n for n in dir(numpy) if isinstance(getattr(numpy, n), numpy.ufunc)):
        ufunc = getattr(numpy, name)
        if name in OF_VECTORS:
            continue
        others = (rows.partner,) * (ufunc.nin - 1)
        keywords = {k: v for k, v in KEYWORDS.items() if k != "where" or name not in COMPARE}
        if name == "isnat":
            yield name, rows.Row((dated,), keywords)
        else:
            yield name, rows.Row((rows.like, *others), keywords, units=0 if name in EXACT else 4, tells=True)


def small(scene):
    """The exponents of ldexp, and others that may not be large."""
    return scene.array(WHOLE[1:5], numpy.shape(rows.first(scene)), "plain")


ROWS = {
    **dict(ufunc_rows()),
    "ldexp": rows.Row((rows.array(*REAL), small), KEYWORDS, tells=True),
    **family("fix isneginf isposinf", rows.like, keywords={"out": None}),
    **family("isreal iscomplex real imag iscomplexobj isrealobj", rows.like),
    **family("angle", rows.like, keywords={"deg": rows.flag}, units=4),
    **family("real_if_close", rows.like, keywords={"tol": rows.const("100", "1", "0")}),
    **family("nan_to_num", rows.like, keywords={"copy": rows.flag, "nan": rows.const("1.5", "0", "None"), "posinf": rows.const("9.0", "None"), "neginf": rows.const("-9", "None")}),
    **family("sinc i0", rows.like, units=8, elements="tame"),
    **family("round around", rows.like, keywords={"decimals": rows.const("0", "1", "-1", "2", "5", "-400"), "out": None}, elements="tame"),
    **family("ndarray.round", rows.array(), keywords={"decimals": rows.const("0", "1", "-1", "2", "5"), "out": None}, elements="tame"),
    **family(
        "clip", rows.like, rows.partner, rows.partner, keywords={"out": None, "dtype": rows.dtype, "casting": rows.casting, "where": rows.masked},
    ),
    **family("ndarray.clip", rows.array(), rows.partner, rows.maybe(rows.partner), keywords={"out": None, "dtype": rows.dtype}),
    **family("isclose allclose", rows.like, rows.partner, keywords={"rtol": rows.const("0.1", "0", "nan"), "atol": rows.const("0.5", "0"), "equal_nan": rows.flag}),
    **family("array_equal", rows.like, rows.partner, keywords={"equal_nan": rows.flag}),
    **family("array_equiv", rows.like, rows.partner),
    **family("ndarray.conj ndarray.conjugate ndarray.byteswap", rows.array()),
    **family("unwrap", rows.like, keywords={"axis": rows.axis, "discont": rows.const("None", "4.0", "1"), "period": rows.const("6.5", "4", "2")}, elements="plain", close=8),
    **family("packbits", rows.array("bool", "uint8", "int64"), keywords={"axis": rows.axis_or_none, "bitorder": rows.const("'big'", "'little'", "'x'")}),
    **family("unpackbits", rows.array("uint8", "uint8", "uint8", "int8"), keywords={
        "axis": rows.axis_or_none, "count": rows.const("None", "3", "-2", "20", "0"), "bitorder": rows.const("'big'", "'little'"),
    }),
    **family("where", rows.array("bool", "bool", "int64", "float64"), rows.maybe(rows.partner)),
    **family("select", rows.listed(rows.array("bool", shape=(3,)), rows.array("bool", shape=(3,))), rows.listed(rows.array(shape=(3,)), rows.partner), rows.maybe(rows.const("0", "7.5", "[1, 2, 3]"))),
    **family("piecewise", rows.array(shape=(4,)), rows.listed(rows.array("bool", shape=(4,)), rows.array("bool", shape=(4,))), rows.const("[1, 2]", "[1, 2, 3]", "[lambda v: v * 2, 5.5]", "[abs, np.negative, 0]", "[1]")),
    **family("copyto", rows.array(), rows.partner, keywords={"casting": rows.casting, "where": rows.mask}),
    **{"lib.scimath." + name: rows.Row((rows.like,), units=4) for name in "arccos arcsin arctanh log log10 log2 sqrt".split()},
    **{"lib.scimath." + name: rows.Row((rows.like, rows.partner), units=4) for name in "power logn".split()},
    **family("bitwise_count", rows.array(*INTEGERS), keywords=KEYWORDS),
}  # fmt: skip
