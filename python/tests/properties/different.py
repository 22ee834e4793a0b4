"""Where weft differs from NumPy, and why: a table that only gets shorter.

An entry has an example, which test_properties.py runs: where it no longer differs, the test fails, and the entry has to go.
"""

import fnmatch
import re
from typing import NamedTuple


class Different(NamedTuple):
    """For functions of these names (* for any part), these kinds of differences, where an expression is found in an example and how it differs.

    name and example are a function and a call of it that differs.
    """

    names: str
    kinds: str
    when: str
    name: str
    example: str
    reason: str

    def holds(self, name, kind, text):
        return (
            (self.kinds == "any" or kind in self.kinds.split())
            and any(fnmatch.fnmatchcase(name, pattern) for pattern in self.names.split())
            and re.search(self.when, text, re.DOTALL) is not None
        )


SORTED_BY_PARTS = "partition ndarray.partition argpartition ndarray.argpartition ma.MaskedArray.partition ma.MaskedArray.argpartition"
FILLS = "full full_like sum prod mean ndarray.mean"
DIFFERENT = [
    # What is wrong with a call.
    Different("ma.* rec.*", "error", r"Cannot construct a dtype from an array", "ma.masked_array", "np.ma.masked_array([1.5], dtype=np.array([[1, 2]]))", "numpy.dtype takes what has a dtype, as weft's arrays have, for one"),
    Different("ndarray.fill", "error", r"i4,f8|rec\.", "ndarray.fill", "a = np.zeros(2, 'i4,f8'); a.fill(np.array([2.5]))", "a record takes an array of NumPy's of one element, and no other object that is none of its parts"),
    # Values.
    Different("square sqrt power pow float_power multiply reciprocal lib.scimath.power", "values arguments warnings", r"complex|c16|\dj", "float_power", "a = np.array([complex(2.2250738585072014e-308, -1.7976931348623157e308)]); np.float_power(a, a)", "complex numbers whose parts are lost or overflow: NumPy's loops differ by processor (RATIONALE.md, float errors; KNOWN in test_elementary.py)"),
    Different("fmin fmax maximum minimum max min amax amin nanmax nanmin ndarray.max ndarray.min", "values arguments", r"-0\.", "fmin", "np.fmin(np.zeros(3, bool), np.array([-0.0, 1, 2]))", "of both zeros one (RATIONALE.md, canonical order of reductions)"),
    Different("max min amax amin nanmax nanmin ndarray.max ndarray.min", "values arguments", r"complex", "amin", "a = np.array([complex(-2, -1), complex(nan, -1), complex(-1, 1), complex(-3, 3), complex(nan, -2), complex(3, nan)] * 10); np.amin(a)", "of several NaNs one (RATIONALE.md, copysign)"),
    Different("prod nanprod *.prod *cumprod cumulative_prod", "values arguments", r"complex", "prod", "np.prod(np.array([3 + 3j, complex(-np.inf, 2), 2 + 2j]))", "complex infinities (RATIONALE.md, canonical order of reductions)"),
    Different("unique* union1d setxor1d intersect1d", "values", r"-0\.0", "unique", "np.unique(np.array([0.0, -0.0, -0.25]))", "of equal numbers the one of least rank (RATIONALE.md, one quicksort of integers)"),
    Different("unique unique_values union1d", "values", r"sorted=|unique_values", "unique", "np.unique(np.array([7, 1, 5], 'uint8'), sorted=False)", "NumPy's order is that of a table of its own"),
    Different(SORTED_BY_PARTS, "values arguments", r"partition", "argpartition", "np.argpartition(np.array([7, -3, -2, 0, 0, 1, 3, 1]), [0, 2])", "what a partition leaves in the rest (RATIONALE.md, one quicksort of integers)"),
    Different("arccos acos arccosh acosh arcsin asin arcsinh asinh arctan* atan* *cos *sin *tan *cosh *sinh *tanh exp* log* *sqrt cbrt hypot angle rad2deg deg2rad degrees radians", "values arguments", r"(int16|int8|bool|float16|float32|complex64).*out=", "tan", "np.tan(np.arange(1, 99, dtype='uint16'), out=np.zeros(98, complex))", "a float32 by another way, in an array that tells more digits"),
    Different("median nanmedian quantile nanquantile percentile nanpercentile", "arguments", r"overwrite_input", "median", "a = np.array([3, 1, 2]); np.median(a, overwrite_input=True)", "the elements of what may be overwritten are undefined after it"),
    Different("ma.inner ma.innerproduct", "arguments halfway", r"a = ", "ma.inner", "a = np.array(4.0); b = np.arange(3.0); np.ma.inner(a, b)", "NumPy gives an array of no axes, which it is to read, one axis: filled() is the array itself there"),
    # Where results lie.
    Different("nonzero ndarray.nonzero ma.nonzero ma.MaskedArray.nonzero where mask_indices tri*_indices* diag_indices* argwhere unravel_index", "strides", r"", "where", "np.where(np.ones((2, 2)))", "NumPy's are columns of one array; as weft's own they lie on their own"),
    Different("einsum", "strides", r"optimize=True", "einsum", "np.einsum('ij,jk', np.ones((2, 3)), np.ones((3, 3)), optimize=True)", "NumPy multiplies the transposes, with BLAS, and gives what that made, transposed; here it lies as without optimize="),
    # Warnings.
    Different("*", "warnings", r"(dtype=|out=|where=|^np\.|2\*\*|1e300).*RuntimeWarning", "arctanh", "np.arctanh(np.array([0, 1, 7], 'u4'), out=[0.0])", "floating-point errors of results that are cast, or that nothing takes (RATIONALE.md, float errors)"),
    Different("*", "warnings", r"ComplexWarning", "cumprod", "a = np.zeros(0, complex); np.cumprod([], dtype='f8', out=a)", "NumPy's buffers of out, or of a number, lose imaginary parts that are zero"),
]  # fmt: skip

# What NumPy itself does in another way on another processor, or from call to call: no example differs on all of them.
BY_PROCESSOR = [
    Different("fft.hfft fft.irfft*", "values", r"\[\]|reshape\(\(2, 0\)\)", "fft.hfft", "np.fft.hfft([], n=4)", "NumPy transforms memory that it has not written, where there are no elements"),
    Different("fromstring", "values", r"count=2", "fromstring", "np.fromstring('', sep=' ', count=2)", "NumPy gives elements that it has not read"),
    Different("sort ndarray.sort", "values arguments", r"-0\.", "sort", "np.sort(np.array([0.0, -0.0, 1.0]))", "the order of both zeros is that of the vector sort that NumPy chooses"),
]  # fmt: skip


def text(statements, call, found):
    """What the expressions of the table are looked for in."""
    return "\n".join(["; ".join([*statements, call]), *(f"{kind}: {detail}" for kind, detail in found)])


def unknown(name, statements, call, found):
    """The differences that are none of the table's."""
    written = text(statements, call, found)
    return [
        (kind, detail) for kind, detail in found if not any(entry.holds(name, kind, written) for entry in DIFFERENT + BY_PROCESSOR)
    ]
