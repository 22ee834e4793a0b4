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


ROOTS = "roots linalg.eig linalg.eigvals polynomial.*roots"
SORTED_BY_PARTS = "partition ndarray.partition argpartition ndarray.argpartition"
FILLS = "full full_like sum prod mean ndarray.mean"
DIFFERENT = [
    # What is wrong with a call.
    Different("*", "any", r"casting must be str, not NoneType", "add", "np.add(np.ones(2), 1, casting=None)", "None is what a keyword is that was not given"),
    Different("*", "any", r"Cannot construct a dtype from an array|array\(\S*\) as a data type", "zeros", "np.ones(2).astype(np.array([]))", "an array that is given as a dtype has one"),
    Different("*", "error words", r"and not \('\w+', '(output|partition|assignment destination)[^']* read-only", "sum", "a = np.ones(2); b = np.broadcast_to(np.ones(1), (1,)); np.sum(a, axis=1, out=b)", "of two mistakes the other is named first"),
    Different("*", "any", r"only 'C' or 'F' order is permitted|Device not understood", "eye", "np.eye(2, order='A')", "a keyword that changes nothing is not looked at, or another mistake of the call is named first"),
    Different("poly roots concat* *stack polyval", "error words", r"did not return an iterable|must be passed as a \"sequence\" type", "poly", "np.poly(2)", "what is asked for its protocol first is no list"),
    Different("take compress choose put ndarray.take ndarray.compress ndarray.choose ndarray.put", "error words", r"\) and not \(.*(does not match result|invalid shape for output|according to the rule 'safe'|output must be an array|out of bounds)", "take", "np.take(np.ones(2), 9, out=np.zeros(3))", "the indexes are looked at first, out after them"),
    Different("compress ndarray.compress", "error", r"reshape\(\(\)\).*AxisError|np\.compress\([^,]*, [^ab].*AxisError", "compress", "np.compress([True], np.array(1.0), axis=0)", "an array without dimensions has no axis"),
    Different("ndarray.std ndarray.var", "any", r"correction", "ndarray.std", "a = np.ones(2); a.std(correction=1)", "the methods take what the functions take"),
    Different("mean std var *.mean *.std *.var", "any", r"AxisError', 'axis -?[01] is out of bounds for array of dimension 0", "mean", "np.mean(np.array(5.0), axis=-1)", "an array without dimensions has the axes 0 and -1, as it has in sums"),
    Different("cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod ndarray.cumsum ndarray.cumprod", "any", r"AxisError', 'axis -?[01] is out of bounds for array of dimension 0", "cumsum", "np.cumsum(np.array(5.0), axis=0)", "an array without dimensions has no axis to run along"),
    Different("*", "error words", r"output must be an array'\) and not", "ndarray.cumsum", "a = np.array([0.5, 2.0], 'longdouble'); b = np.zeros(2); a.cumsum(out=b)", "the methods of NumPy's C know no array of weft's as out"),
    Different("ndarray.*", "any", r"repeat\(.*out=", "ndarray.mean", "a = np.array([1.5, -2.0], '>f8').repeat(2); b = np.zeros(()); a.mean(out=b)", "arrays of other dtypes are NumPy's, and its methods do not write to weft's (RATIONALE.md, NumPy arrays that are instances)"),
    Different("random.random_integers random.RandomState.random_integers", "type", r"size=\(\)", "random.RandomState.random_integers", "g = np.random.RandomState(7); (g.random_integers(5, None, size=()), g.random())", "a number of no size is an int"),
    Different("argmin argmax ndarray.argmin ndarray.argmax", "any", r"of dimension [01]|keepdims=True", "argmax", "np.argmax(np.array(1.0), keepdims=True)", "an array without dimensions is none of one dimension"),
    Different("amax amin max min", "type flags sharing", r"reshape\(\(\)\)|np\.\w+\([^ab]", "amax", "a = np.array(0.0); np.amax(np.uint64(7), out=a)", "the result is out, or an array where keepdims= says so; NumPy gives a scalar"),
    Different("min max amin amax nanmin nanmax", "any", r"out of bounds for u?int\d+'\) and not None|ulonglong", "min", "a = np.array([-9223372036854775808]); b = np.array(2, 'int16'); np.min(a, out=b)", "a number that the dtype of out cannot hold is an error"),
    Different("ptp", "any", r"out=|ulonglong", "ptp", "np.ptp(np.array([1, 1], 'uint64'), out=np.array([7], 'int32'), keepdims=True)", "NumPy subtracts a float64 of the two dtypes"),
    Different("var std nanvar nanstd *.var *.std", "error words", r"can't be provided simultaneously|must match the operand's when keepdims", "var", "np.var(np.ones(2), axis=2, ddof=0.5, correction=1)", "of two mistakes the other is named first"),
    Different("histogramdd", "error words", r"object is not iterable", "histogramdd", "np.histogramdd(1j)", "what is asked for its protocol first is no list"),
    Different("round around ndarray.round", "any", r"invalid output shape|imaginary part to set", "round", "np.round(1.5, out=np.zeros(2))", "results are broadcast to out, as those of ufuncs"),
    Different("*", "any", r"'out' must be a tuple of arrays|'out' must be an array", "frexp", "np.frexp([[1, 2], [3]], out=np.zeros(2))", "of two mistakes the other is named first"),
    Different("logical_*", "any", r"OverflowError", "logical_and", "np.logical_and([1.0], 2**63)", "a number is true or not whatever it is"),
    Different("abs absolute square conj conjugate negative positive reciprocal", "any", r"np\.\w+\(-?[\d(].*(OverflowError|UFuncTypeError)", "abs", "np.abs(-1, dtype='u1')", "a number alone has the dtype that it is computed in"),
    Different("copyto", "error", r"assignment destination is read-only'\) and not None", "copyto", "a = np.broadcast_to(np.ones(1), (3,)); np.copyto(a, a[...])", "a read-only array is not copied onto itself"),
    Different("copyto ndarray.astype astype", "words", r"Cannot cast scalar from", "ndarray.astype", "a = np.array(1j); a.astype(float, casting='no')", "an array without dimensions is called one"),
    Different("radians degrees deg2rad rad2deg", "words", r"ufunc '(deg2rad|rad2deg)'", "radians", "np.radians(np.ones(2, complex))", "one function under two names"),
    Different("divmod", "words", r"ufunc 'floor_divide'", "divmod", "np.divmod(np.array(1j), np.array(1j))", "a quotient and a remainder, of which the first names itself"),
    Different("select choose ndarray.choose", "words", r"has no len\(\)", "select", "np.select([np.ones(2, bool)], -7)", "one word of Python's for another"),
    Different("isinf isnan isfinite multiply right_shift left_shift", "error words", r"too large to convert to C long", "isinf", "np.isinf(2**63, casting='same_kind')", "a number alone has the dtype of an int"),
    Different("ndarray.resize resize", "any", r"resize\((True|2\.0)|expected a sequence of integers", "ndarray.resize", "a = np.ones(3); a.resize(2.0)", "the words of reshape"),
    Different("*_like ndarray.astype", "error", r"subok=", "ones_like", "np.ones_like(np.ones(2), subok=[])", "arrays of weft's have no subclass, and subok= says nothing of them"),
    Different("astype", "error", r"has no attribute 'astype'", "astype", "np.astype(99, bool)", "a number is as good as an array"),
    Different("arange", "any", r"Maximum allowed size|ZeroDivision|1e300", "arange", "np.arange(1e300, 99)", "the extent is computed in another way where it is nonsense"),
    Different("roll", "words", r"shape mismatch", "roll", "np.roll(np.ones(3), [0, 1], axis=())", "one word for another"),
    Different("concatenate concat vstack hstack stack row_stack", "error words", r"Cannot cast array data|data type|out. or .dtype|casting must be", "concatenate", "np.concatenate([np.ones(2, 'c8'), [1, 2]], dtype='f8')", "the elements have their common dtype first"),
    Different("put ndarray.put where swapaxes ndarray.swapaxes std var ndarray.std ndarray.var meshgrid identity eye full diagonal trace ndarray.diagonal ndarray.trace dot put_along_axis ndarray.fill", "error words", r"and not \(", "swapaxes", "np.swapaxes(np.ones(2), 2, None)", "of two mistakes the other is named first"),
    Different("meshgrid", "error", r"indexing=", "meshgrid", "np.meshgrid(np.ones((2, 2)), np.ones(3), indexing=np.array([[1, 2]]))", "what is no word is none of the words"),
    Different("sort ndarray.sort argsort ndarray.argsort", "error", r"can't be provided at the same time", "sort", "np.ones(2).sort(kind='mergesort', stable=False)", "a kind and stable= that agree, or say nothing"),
    Different("linalg.norm", "error", r"axis=\(\)", "linalg.norm", "np.linalg.norm(np.ones((2, 2)), axis=())", "no axis: each element's size"),
    Different("linalg.eig* linalg.cond linalg.solve linalg.qr", "error words", r"UPLO|at least two-dimensional", "linalg.eigh", "np.linalg.eigh(np.eye(2), UPLO=7)", "one word for another"),
    Different("fft.fftshift fft.ifftshift", "error", r"not enough values to unpack", "fft.fftshift", "np.fft.fftshift(300)", "a number is shifted by nothing"),
    Different("ndarray.to_device", "error words", r"device", "ndarray.to_device", "np.ones(2).to_device('gpu')", "weft has other devices"),
    Different("ndarray.view", "error", r"view\(None\)", "ndarray.view", "np.ones((2, 2), 'f2').view(None)", "None is no dtype"),
    # Values.
    Different("square sqrt power pow float_power multiply reciprocal lib.scimath.power", "values arguments warnings", r"complex", "float_power", "a = np.array([complex(2.2250738585072014e-308, -1.7976931348623157e308)]); np.float_power(a, a)", "complex numbers whose parts are lost or overflow: NumPy's loops differ by processor (RATIONALE.md, float errors; KNOWN in test_elementary.py)"),
    Different("fmin fmax maximum minimum max min amax amin nanmax nanmin ndarray.max ndarray.min", "values arguments", r"-0\.", "fmin", "np.fmin(np.zeros(3, bool), np.array([-0.0, 1, 2]))", "of both zeros one (RATIONALE.md, canonical order of reductions)"),
    Different("max min amax amin nanmax nanmin ndarray.max ndarray.min", "values arguments", r"complex", "amin", "a = np.array([complex(-2, -1), complex(nan, -1), complex(-1, 1), complex(-3, 3), complex(nan, -2), complex(3, nan)] * 10); np.amin(a)", "of several NaNs one (RATIONALE.md, copysign)"),
    Different("prod nanprod *.prod *cumprod cumulative_prod", "values arguments", r"complex", "prod", "np.prod(np.array([3 + 3j, complex(-np.inf, 2), 2 + 2j]))", "complex infinities (RATIONALE.md, canonical order of reductions)"),
    Different("unique* union1d setxor1d intersect1d", "values", r"-0\.0", "unique", "np.unique(np.array([0.0, -0.0, -0.25]))", "of equal numbers the one of least rank (RATIONALE.md, one quicksort of integers)"),
    Different("unique unique_values union1d", "values", r"sorted=|unique_values", "unique", "np.unique(np.array([7, 1, 5], 'uint8'), sorted=False)", "NumPy's order is that of a table of its own"),
    Different(SORTED_BY_PARTS, "values arguments", r"partition", "argpartition", "np.argpartition(np.array([7, -3, -2, 0, 0, 1, 3, 1]), [0, 2])", "what a partition leaves in the rest (RATIONALE.md, one quicksort of integers)"),
    Different("arccos acos arccosh acosh arcsin asin arcsinh asinh arctan* atan* *cos *sin *tan *cosh *sinh *tanh exp* log* *sqrt cbrt hypot angle", "values arguments", r"(int16|int8|bool|float16|float32|complex64).*out=", "tan", "np.tan(np.array([3], 'uint16'), out=np.zeros(1, complex))", "a float32 by another way, in an array that tells more digits"),
    Different("*", "values arguments", r"where=.*out=", "absolute", "a = np.array([1 + 1j, 2j]); c = a[::-1]; np.absolute(a, where=np.array([True, False]), out=c)", "NumPy's buffers cast what is not written, too, where out has another dtype"),
    Different("conj conjugate positive negative", "any", r"2\*\*63", "conj", "a = np.array(1, 'uint64'); np.conj(2**63, out=a)", "a number alone has the dtype of an int"),
    Different("isclose allclose", "values type", r"float16|2\*\*63|1e300", "allclose", "np.allclose(np.ones(2, 'f2'), 2**63)", "a number that the dtype cannot hold is infinite"),
    Different("put ndarray.put put_along_axis place putmask copyto", "halfway", r"", "put", "a = np.ones(3); np.put(a, [0, 9], 2)", "an array is as it was after an error"),
    Different("place put ndarray.put putmask put_along_axis", "arguments", r"\w = \w\[|a\[\.\.\.\]", "place", "a = np.array([3, 1, 6]); b = np.array([False, True, True]); c = a[...]; np.place(a, b, c)", "values that overlap the array are read first"),
    Different("median nanmedian quantile nanquantile percentile nanpercentile", "arguments", r"overwrite_input", "median", "a = np.array([3, 1, 2]); np.median(a, overwrite_input=True)", "the elements of what may be overwritten are undefined after it"),
    Different("fft.ifft2 fft.fft2 fft.irfft2", "any", r"out=", "fft.ifft2", "b = np.zeros((2, 2), complex); np.fft.ifft2(np.ones((2, 2)), out=b)", "NumPy's ifft2 writes nothing into out"),
    Different("bincount", "dtype type", r"\[\]", "bincount", "np.bincount(np.array([], int), weights=np.array([]))", "sums of weights are float64, also of none"),
    Different("std ndarray.std var ndarray.var", "dtype type", r"dtype='c16'", "std", "np.std(np.ones(3, 'c8'), dtype='c16')", "deviations are real"),
    # Where results lie.
    Different("histogram2d histogramdd", "strides", r"", "histogram2d", "np.histogram2d(np.arange(3), np.arange(3))", "NumPy's is a view of a larger array"),
    Different("nonzero ndarray.nonzero where mask_indices tri*_indices* diag_indices* argwhere unravel_index", "strides", r"", "where", "np.where(np.ones((2, 2)))", "NumPy's are columns of one array; as weft's own they lie on their own"),
    Different(ROOTS, "strides", r"", "linalg.eigvals", "np.linalg.eigvals(np.eye(2))", "NumPy's are the real parts of complex numbers"),
    Different("linalg.qr", "strides type", r"mode='raw'", "linalg.qr", "np.linalg.qr(np.eye(2), mode='raw')", "the factors lie by rows, and have names"),
    Different("linalg.matrix_power", "strides sharing", r", [01]\)", "linalg.matrix_power", "np.linalg.matrix_power(np.array([[1.0, 2], [3, 4]]).T, 0)", "powers of 0 and 1 are new arrays, by rows"),
    Different("dot inner fft.irfft* tile rot90 flip* split *split broadcast_arrays meshgrid", "strides flags", r"reshape\(\(\)\)|\.T|transpose|\[\[|\(\(|\]", "rot90", "np.rot90([[1, 5, 7]], k=2)", "of a list, or a number, that NumPy makes an array first"),
    Different("broadcast_arrays meshgrid", "warnings flags", r"FutureWarning|WRITEABLE", "broadcast_arrays", "np.broadcast_arrays(-1, [3, 1, 0])", "a number or a list that is broadcast is read-only, without a warning"),
    Different("diag", "flags", r"\[\[\], \[\]\]|\[\]", "diag", "np.diag([[], []])", "an empty diagonal of a list may be written"),
    # Warnings.
    Different("*", "warnings", r"(float16|dtype=|out=|where=|^np\.|2\*\*|1e300).*RuntimeWarning", "arctanh", "np.arctanh(np.array([0, 1, 7], 'u4'), out=[0.0])", "floating-point errors of results that are cast, or that nothing takes, and of float16 (RATIONALE.md, float errors)"),
    Different("*", "warnings", r"ComplexWarning", "cumprod", "a = np.zeros(0, complex); np.cumprod([], dtype='f8', out=a)", "NumPy's buffers of out, or of a number, lose imaginary parts that are zero"),
]  # fmt: skip


def text(statements, call, found):
    """What the expressions of the table are looked for in."""
    return "\n".join(["; ".join([*statements, call]), *(f"{kind}: {detail}" for kind, detail in found)])


def unknown(name, statements, call, found):
    """The differences that are none of the table's."""
    written = text(statements, call, found)
    return [(kind, detail) for kind, detail in found if not any(entry.holds(name, kind, written) for entry in DIFFERENT)]
