"""Functions that NumPy's own code answers where the elements are few, called from C (python/core/delegate.c).

Each has NumPy's bits, or has them anyway: selections, positions, orders, comparisons and integers, what weft always leaves
to NumPy, and what it leaves to NumPy below some thousand elements. A function whose sums weft adds up in an order of its own is not
among them, but for average, nansum, nanmean and trapezoid: floats of these weft adds up itself, in its order, and NumPy answers
the rest. What would be a view of an argument the general functions make.
"""

import functools
import sys
import types

import numpy

from . import _core, _fallback, _functions

_READS = """
    append argwhere array_equal array_equiv average bincount bitwise_count block choose column_stack compress convolve corrcoef
    correlate cov cross delete diag diagflat ndarray.choose ndarray.item ndarray.tobytes digitize dstack ediff1d extract gradient histogram histogram2d histogramdd
    histogram_bin_edges insert intersect1d isin kron lexsort median meshgrid nan_to_num nanargmax nanargmin nancumprod nancumsum
    nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar percentile piecewise poly polyadd polyder
    polydiv polyfit polyint polymul polysub polyval ptp quantile ravel_multi_index roots searchsorted select setdiff1d setxor1d
    take_along_axis tensordot tile trapezoid tril tril_indices tril_indices_from triu triu_indices triu_indices_from union1d
    unique unique_all unique_counts unique_inverse unique_values unravel_index unwrap vander angle i0 iscomplex isreal isneginf
    isposinf real_if_close packbits unpackbits
 hanning hamming blackman bartlett kaiser
    fft.fftfreq fft.rfftfreq
    testing.assert_allclose testing.assert_almost_equal testing.assert_array_almost_equal testing.assert_array_equal testing.assert_equal testing.assert_array_less
    array2string array_repr array_str save savez savetxt modf reciprocal fix can_cast promote_types issubdtype isscalar mintypecode
    linalg.matrix_rank linalg.cond linalg.cholesky linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.lstsq linalg.qr linalg.slogdet linalg.svd
    linalg.svdvals linalg.inv linalg.solve linalg.cross linalg.tensordot linalg.tensorinv linalg.tensorsolve row_stack ndarray.compress asarray_chkfinite sort_complex nextafter spacing
""".split()
# Those of numpy.polynomial, by the words for their kinds: what computes coefficients, and values at places.
_OF_COEFFICIENTS = "add sub mul mulx div pow der int roots companion fromroots line".split()
_OF_PLACES = "val val2d val3d grid2d grid3d vander vander2d vander3d fit".split()
_POLYNOMIALS = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
_READS += [
    f"polynomial.{module}.{name}"
    for module, kind in _POLYNOMIALS.items()
    for name in (
        *(kind + what for what in _OF_COEFFICIENTS + _OF_PLACES),
        *(() if kind == "poly" else (f"poly2{kind}", f"{kind}2poly", f"{kind}weight")),
    )
] + ["polynomial.polynomial.polyvalfromroots"]
_READS += [f"polynomial.polyutils.{name}" for name in "trimcoef trimseq as_series getdomain mapdomain mapparms".split()]
_READS += [f"lib.scimath.{name}" for name in "arccos arcsin arctanh log log10 log2 logn power sqrt".split()]
# Of more elements too: what is some passes or a dozen operations, of which none is worth a second thread. Those that order elements, or look for them
# in order, are not among these: weft's own take less time than NumPy's.
_LONGER = frozenset("""
    append array_equal array_equiv compress cross delete digitize ediff1d extract gradient
    histogram2d insert isin iscomplex isreal median nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax
    nanmedian nanmin nanpercentile nanprod nanquantile nanstd nanvar ndarray.tobytes pad percentile piecewise polyfit polyval
    quantile select take_along_axis unique_all unique_counts unique_inverse unravel_index unwrap
    block column_stack dstack row_stack polyadd polysub histogram_bin_edges isneginf isposinf fix real_if_close
""".split()) | {name for name in _READS if name.startswith("lib.scimath.") or name.startswith("polynomial.") and name.endswith((*_OF_PLACES, "weight", "valfromroots"))}  # fmt: skip
# And how many times as many of those that take NumPy no longer than a copy takes, or are a dozen operations of which some are no passes.
_LONGEST = dict.fromkeys("packbits unpackbits bitwise_count".split(), 32) | dict.fromkeys(
    "cov corrcoef frexp ldexp spacing nextafter asarray_chkfinite".split(), 8
)
_GROWS = "geomspace logspace pad repeat resize".split()
# Those that make views: of the first argument, of whose elements they look at none, and of arguments by their types.
_SHAPES = """
    array_split broadcast_to dsplit hsplit moveaxis ndarray.getfield ndarray.view rollaxis rot90 split vsplit lib.stride_tricks.as_strided
    lib.stride_tricks.sliding_window_view
""".split()
_FRAMES = ["broadcast_arrays"]  # the same, of all arguments
# Those whose results are as long as the product of their integers.
_GRIDS = "diag_indices indices".split()
_VIEWS = "atleast_1d atleast_2d atleast_3d ix_ trim_zeros unstack".split()
# Those that look at dtypes alone.
_DTYPES = "result_type iscomplexobj isrealobj common_type min_scalar_type".split()
_WRITES = "copyto fill_diagonal ndarray.setfield place putmask".split()
_WRITES_FLAT = "put put_along_axis".split()

_MAKE = frozenset("array asarray asanyarray".split())

# Those that only call the method of their name of the array that is their first argument, whose other parameters are called the same.
_METHODS = frozenset("choose repeat searchsorted".split())

if not _core.has_numpys_library():
    _READS = [name for name in _READS if not name.startswith("linalg.")]

# Functions that the core computes itself for most arguments, of more elements too.
CUTS = {
    "fill_diagonal": ("diagonal", None),
    "append": ("append", None),
    "average": ("average", None),
    "piecewise": ("piecewise", None),
    "polyval": ("polyval", None),
    "select": ("select", None),
    "tensordot": ("tensordot", None),
    "trapezoid": ("trapezoid", None),
    "nansum": ("nansum", False),
    "nanmean": ("nansum", True),
    "nanmax": ("nanextreme", True),
    "nanmin": ("nanextreme", False),
    "nanvar": ("nanspread", False),
    "nanstd": ("nanspread", True),
    "packbits": ("packbits", None),
    "ndarray.compress": ("chosen", None),
    "cross": ("cross", None),
    "linalg.cross": ("cross", None),
    "kron": ("kron", None),
    "convolve": ("correlate", True),
    "correlate": ("correlate", False),
    "isin": ("isin", None),
    "median": ("quantile", 0),
    "quantile": ("quantile", 1),
    "percentile": ("quantile", 100),
    "nanmedian": ("nanquantile", 0),
    "nanquantile": ("nanquantile", 1),
    "nanpercentile": ("nanquantile", 100),
    "rollaxis": ("turned", 0),
    "rot90": ("turned", 1),
    "intersect1d": ("intersect", None),
    "nan_to_num": ("finite", None),
    "vander": ("powers", None),
    "delete": ("splice", False),
    "insert": ("splice", True),
    "gradient": ("gradient", None),
    "pad": ("pad", None),
    "unravel_index": ("unravel", None),
    "ndarray.byteswap": ("byteswap", None),
    "vecdot": ("vectors", 0),
    "linalg.vecdot": ("vectors", 0),
    "matvec": ("vectors", 1),
    "vecmat": ("vectors", 2),
    "may_share_memory": ("overlap", False),
    "shares_memory": ("overlap", True),
}

DOES = {
    name: does
    for does, names in {
        "reads": _READS,
        "grows": _GROWS,
        "grids": _GRIDS,
        "writes": _WRITES,
        "writes flat": _WRITES_FLAT,
        "shapes": _SHAPES,
        "frames": _FRAMES,
        "views": _VIEWS,
        "dtypes": _DTYPES,
    }.items()
    for name in names
}


# Elements that the largest array of a call has fewer than; one that is only looked at may have any number.
FEW, ANY = 4096, 1 << 48


def few(name):
    """How many elements those of a call of a function have at least that NumPy does not answer."""
    if DOES.get(name) in ("shapes", "frames", "dtypes"):
        return ANY
    if name in ("diag", "diagflat") or name.endswith(
        ("grid2d", "grid3d")
    ):  # whose results have the square of as many, or more
        return FEW // 64
    return FEW * (_LONGEST.get(name) or (4 if name in _LONGER else 1))


# Modules of NumPy whose functions call each other without a look at whose arrays they get.
_SPACES = ("numpy._core", "numpy.lib", "numpy.linalg", "numpy.fft")
_modules = {}


def _direct(module):
    """A module of NumPy as code sees it whose arguments are NumPy's: each name of a function means what computes it.

    np.append is an object that asks all arguments whether they have an __array_function__ before NumPy's text runs, and so are the functions which that
    text calls. The text is NumPy's own: the code objects are bound to another namespace.
    """
    made = _modules.get(module.__name__)
    if made is None:
        made = _modules[module.__name__] = types.ModuleType(module.__name__)
        space = vars(made)

        def late(name):  # what NumPy imports when it is first used, such as np.ma
            value = space[name] = computing(getattr(module, name))
            return value

        space.update(vars(module))
        space.update((name, computing(value)) for name, value in vars(module).items())
        space["__getattr__"] = late
    return made


@functools.cache
def _bound(function):
    space = vars(_direct(sys.modules[function.__globals__["__name__"]]))
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def computing(value):
    """What computes a function of NumPy; other values are themselves."""
    value = getattr(value, "_implementation", value)
    if isinstance(value, types.ModuleType):
        return _direct(value) if value is numpy or value.__name__.startswith(_SPACES) else value
    if isinstance(value, types.FunctionType) and value.__globals__["__name__"].startswith(_SPACES):
        return _bound(value)
    return value


def _public(name):
    value = numpy
    for part in name.split("."):
        value = getattr(value, part)
    return value


# Those whose look at other types of arrays raises what is wrong with an argument.
_LOOKING = frozenset("histogramdd poly roots select".split())


def original(name):
    """NumPy's function of a name, without the look at other types of arrays that stands before it."""
    return _public(name) if name in _LOOKING else computing(_public(name))


# Those of which NumPy's text, without the look, raises with other words.
_WORDED = frozenset(
    "choose column_stack dstack min_scalar_type packbits ravel_multi_index repeat result_type row_stack unpackbits unravel_index".split()
)


def told(name):
    """What the core is told of a function of DOES, or of a ufunc: how many arguments without names stand before those that it writes to, or 0, is the last."""
    method = getattr(numpy.ndarray, name.removeprefix("ndarray.")) if name in _METHODS else None
    function = original(name)
    return (
        function,
        method,
        name,
        DOES.get(name, "makes" if name in _MAKE else "reads"),
        few(name),
        _fallback.reads(function),
        *((_public(name),) if name in _WORDED else ()),
    )


def shortcut(name, function):
    """A function of weft's that is not in the table, with NumPy's in front of it for few elements (what is in DOES, and ufuncs that the core has not), and the core's before that."""
    answered = name in DOES or (name not in CUTS and isinstance(getattr(function, "_numpy", None), numpy.ufunc))
    if not answered and name not in CUTS:
        return function
    value = getattr(numpy.ndarray, name[8:]) if name.startswith("ndarray.") else function._numpy
    binds = hasattr(type(value), "__get__")
    made = _core.shortcut(function, "few", told(name), binds) if answered else function
    if isinstance(value, numpy.ufunc) and name not in CUTS:
        elements = _core.elements(value, name)
        made = _core.shortcut(made, "elements", elements, binds) if elements else made
    return _core.shortcut(made, *CUTS[name], binds) if name in CUTS else made


def fitting(function):
    """A function, which NumPy answers for where a call's arguments do not fit its parameters: the core knows that of functions that it calls."""
    if not isinstance(function, types.FunctionType) or not hasattr(function, "_odd"):
        return function
    return _core.shortcut(
        function, "nothing", None, 2 if isinstance(getattr(function, "_numpy", None), types.BuiltinFunctionType) else 1
    )


# Functions that give words, numbers and the like, of types, words, numbers, and NumPy's own arrays.
_ASKED = frozenset(
    """
    base_repr binary_repr broadcast_shapes can_cast datetime_data format_float_positional format_float_scientific isdtype issubdtype mintypecode promote_types typename
    lib.array_utils.normalize_axis_index lib.array_utils.normalize_axis_tuple lib.recfunctions.get_names lib.recfunctions.get_names_flat ma.common_fill_value ma.default_fill_value
    ma.isMA ma.isMaskedArray ma.is_mask ma.is_masked ma.isarray ma.make_mask_descr ma.maximum_fill_value ma.minimum_fill_value ma.ndim ma.shape ma.size
""".split()
)


def asked(name, function, original):
    """The function of a name, with NumPy's own in front of it where it is such a one."""
    return (
        _core.shortcut(function, "asked", original, hasattr(type(original), "__get__"))
        if name.replace("ma.core.", "ma.") in _ASKED
        else function
    )


# Those of the table that have only their arrays looked at, and nothing said about arguments in the look but what does not fit the parameters: called without it.
_UNLOOKED = frozenset(
    """
    all any argmax argmin argpartition argsort clip concatenate copy count_nonzero cumprod cumsum diagonal dot empty_like flip full_like inner max mean min nonzero
    ones_like outer partition prod ravel reshape roll round searchsorted sort squeeze std sum swapaxes take trace transpose unique var vdot where zeros_like
""".split()
)


def _plain(name):
    """What the core is told of a function that it calls where no array of weft's is among the arguments. To look at other types of arrays, of which there are none,
    takes NumPy as long as some of its functions take. Where arguments do not fit, the function with the look says so."""
    function, public = original(name) if name in _UNLOOKED else _public(name), _public(name)
    text = original(name)
    return (
        function,
        None,
        name,
        _answers(name),
        FEW,
        0,
        None if function is public else public,
        None if text is function else text,
    )


def plainly(name, function, does="plain"):
    """A function of weft's that hands all to NumPy's of a name, called without Python's frames where no array of weft's is among the arguments; or where they have few elements, if it does "wrapped"."""
    value = function._numpy
    text = computing(value)
    told = (value, None, name, does, 4 * FEW, 0, None, None if text is value else text)
    return _core.shortcut(function, "few", told, hasattr(type(value), "__get__"))


# Functions that are one of the table's for arrays of so many axes: which one, how many arrays they have, of how many axes, and what else the row is given.
_ROWS = {
    "linalg.matmul": ("matmul", 2, 2, {}),
    "linalg.outer": ("outer", 2, 1, {}),
    "linalg.matrix_transpose": ("matrix_transpose", 1, 2, {}),
    "linalg.diagonal": ("diagonal", 1, 2, {}),
    "linalg.trace": ("trace", 1, 2, {}),
    "linalg.matrix_norm": ("linalg.norm", 1, 2, {"axis": (-2, -1)}),  # which tells what goes wrong as NumPy's do
    "linalg.vector_norm": ("linalg.norm", 1, 1, {"axis": 0}),
    "cumulative_sum": ("cumsum", 1, 1, {}),
    "cumulative_prod": ("cumprod", 1, 1, {}),
}


def row(name, function):
    """The function of a name, with the table's in front of it where that is the same."""
    if name not in _ROWS:
        return function
    of, arrays, axes, given = _ROWS[name]
    rows = [row for row, _, _ in _functions.TABLE]
    python = getattr(_functions.FUNCTIONS[of], "_python", _functions.FUNCTIONS[of])
    names, usual = python.__code__.co_varnames[: python.__code__.co_argcount], python.__defaults__ or ()
    known = dict(zip(names[len(names) - len(usual) :], usual, strict=True)) | (python.__kwdefaults__ or {}) | given
    index = rows.index(of)
    rest = tuple(known.get(param.lstrip("/*"), numpy._NoValue) for param in _functions.TABLE[index][2][arrays:])
    return _core.shortcut(function, "row", (index, arrays, axes, rest), True)


# Functions that look at shapes and dtypes, by the numbers that the core has for them.
_EXTENTS = {"shape": 0, "ndim": 1, "size": 2, "iterable": 3, "iscomplexobj": 4, "isrealobj": 5, "isscalar": 6}


def extent(name, function, row=-1):
    """The function of a name, or of a row of the table, with the core's answer in front of it."""
    return _core.shortcut(function, "extent", (_EXTENTS[name], row), True) if name in _EXTENTS else function


def grid(name, function, original):
    """What np.r_, np.c_, np.mgrid and np.ogrid make of a key, with NumPy's own in front of it for few elements."""
    made = _core.shortcut(function, "few", (original.__getitem__, None, name, "grids", few(name), 0), 0)
    if name == "mgrid":
        return _core.shortcut(made, "grid", None, 0)
    return _core.shortcut(made, "lined", name == "c_", 0) if name in ("r_", "c_") else made


# Functions of the table for which there is weft's own text where it does not do a call itself: see _composed.py. And those that NumPy computes from numbers as weft does.
OTHERWISE = frozenset("all any diff einsum interp linspace max mean meshgrid min prod sum".split())
_OF_NUMBERS = frozenset("all amax amin any clip divmod max mean min prod round std sum var".split())
_ALSO_OF_NUMBERS = frozenset("dot inner vdot".split())


def _answers(name):
    """For which calls of a function of the table NumPy answers that weft does not do itself."""
    if name in _OF_NUMBERS:
        return "numbers"
    if name in _ALSO_OF_NUMBERS:
        return "both"
    return (
        "plain"
        if name in OTHERWISE
        or name.endswith(".at")
        or name in _WRITES + _WRITES_FLAT
        or isinstance(_public(name), numpy.ufunc)
        else "falls"
    )


def install(names):
    """Tell the core of those that are rows of the table. names are those of its rows, in order."""
    for index, name in enumerate(names):
        if name in DOES:
            _core.delegate(index, told(name))
        if not name.startswith(("ndarray.", "special.")):
            _core.delegate(index, _plain(name))
