"""Print, for each elementary function, sums over the bits of its results for arguments of all signs and sizes.

The first number is over the results that are numbers, the second over the bits of NaNs. Arguments have all exponents: every so-manieth float32
in the order of their bits, and float64 whose bits are those of a multiplicative sequence.
"""

import sys

import weft as np

UNARY = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt "
    "floor ceil trunc rint absolute negative reciprocal square sign"
).split()
BINARY = "add subtract multiply divide floor_divide remainder power arctan2 hypot minimum maximum fmin fmax fmod copysign".split()
WORDS = {"float32": np.uint32, "float64": np.uint64}


def arguments(dtype, n, factor):
    """n numbers of a dtype, of all signs and exponents."""
    i = np.arange(n, dtype=np.uint64) * np.uint64(factor)
    if dtype == "float64":
        return i.view(np.float64)
    return (i & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32)


def sums(result):
    """Two sums over the bits of an array, of its numbers and of its NaNs, in which the place of each counts."""
    words = WORDS[str(result.dtype)]
    bits = result.view(words).astype(np.uint64)
    weight = np.arange(result.size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    nan = result != result
    zero = np.uint64(0)
    return [int(np.where(keep, bits, zero).__mul__(weight).sum()) for keep in (~nan, nan)]


def main(n):
    for dtype in WORDS:
        step = {"float32": (1 << 32) // n | 1, "float64": 0x9E3779B97F4A7C15}[dtype]
        x, y = arguments(dtype, n, step), arguments(dtype, n, step * 0xD1342543DE82EF95 % (1 << 64))
        for names, inputs in ((UNARY, (x,)), (BINARY, (x, y))):
            for name in names:
                try:
                    numbers, nans = sums(getattr(np, name)(*inputs))
                    print(f"{name} {dtype}\t{numbers:016x}", f"{name} {dtype}, NaNs\t{nans:016x}", sep="\n", flush=True)
                except Exception as error:  # the next functions shall run all the same
                    print(f"{name} {dtype}\t{type(error).__name__}: {error}".splitlines()[0], flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20)
