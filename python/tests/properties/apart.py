"""What computes with no array of numbers: text, types and states are drawn as well; of the rest it is said where it is tested."""

from . import rows
from .rows import Undrawn, const, family, flag
from .scene import NUMBERS, REAL


def undrawn(names, reason):
    return {name: Undrawn(reason) for name in names.split()}


text = {"precision": const("2", "0", "None"), "suppress_small": flag, "max_line_width": const("20", "None")}
digits = {"precision": const("3", "0", "None"), "unique": flag, "trim": const("'k'", "'.'", "'0'", "'-'"), "sign": flag}
number = const("1.5", "0.1", "1e22", "-0.0", "np.float32(0.1)", "nan", "3", "np.float16(7)", "1e-5")
dates = const("'2024-01-31'", "np.datetime64('2023-12-29')", "np.array(['2024-02-29', '2024-03-02'], 'M8[D]')", "'NaT'", "['2024-01-01']")

ROWS = {
    **family("array2string", rows.array(), keywords={**text, "separator": const("', '", "' '"), "threshold": const("5"), "prefix": const("'ab'"), "floatmode": const("'fixed'", "'unique'")}),
    **family("array_repr array_str", rows.array(), keywords=text),
    **family("format_float_positional format_float_scientific", number, keywords=digits),
    **family("typename", const("'d'", "'i'", "'?'", "'x'")),
    **family("mintypecode", const("['d', 'f']", "'fi'", "[np.ones(2, 'f4')]"), keywords={"default": const("'d'", "'f'")}),
    **family("busday_count", dates, dates, keywords={"weekmask": const("'1111100'", "[1, 1, 1, 1, 1, 1, 0]"), "holidays": const("['2024-01-01']")}),
    **family("busday_offset", dates, const("1", "-3", "[0, 5]"), keywords={"roll": const("'forward'", "'backward'", "'raise'", "'x'")}),
    **family("is_busday", dates, keywords={"weekmask": const("'1111100'")}),
    **family("datetime_as_string", const("np.datetime64('2024-01-31T12')", "np.array(['2024-02-29'], 'M8[D]')"), keywords={"unit": const("'D'", "'h'", "'auto'"), "timezone": const("'naive'", "'UTC'")}),
    **family("datetime_data", const("np.dtype('M8[D]')", "np.dtype('m8[25s]')", "'f8'")),
    **family("fromstring", const("'1 2 3'", "'1,2'", "''"), keywords={"dtype": const("float", "'i4'", "bool"), "sep": const("' '", "','", "'x'"), "count": const("2", "-1")}),
    **family("fromiter", const("[1, 2, 3]", "range(5)", "(x * 0.5 for x in range(3))", "[]"), rows.dtype, keywords={"count": const("-1", "2", "9")}),
    **family("frompyfunc", const("abs", "len"), const("1", "0"), const("1", "2")),
    **family("bmat asmatrix", const("'1 2; 3 4'", "[[1, 2], [3, 4]]")),
    **family("ndarray.getfield", rows.array(*REAL), const("'u1'", "'f4'", "'i2'"), rows.maybe(const("0", "1", "-1", "99"))),
    **family("ndarray.setfield", rows.array("float64", "int64", "complex128"), const("1", "2.5", "[1, 2, 3]"), const("'i2'", "'u1'"), rows.maybe(const("0", "2"))),
    # Not uic=, which lets go of the memory of an array that is a view.
    **family("ndarray.setflags", rows.array(), keywords={"write": const("False", "0"), "align": const("True")}),
    **family("ndarray.to_device", rows.array(), const("'cpu'", "'gpu'", "None")),
    **family("ndarray.dumps", rows.array(*NUMBERS, shape=(0,)), wrong=10**6),
    **family("random.bytes random.Generator.bytes random.RandomState.bytes", const("3", "0", "-1", "17")),
    **family("random.Generator.spawn", const("0"), wrong=10**6),
    **undrawn("test fft.test linalg.test random.test", "runs NumPy's own tests; NumPy's, as it is"),
    **undrawn("fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed ndarray.dump ndarray.tofile", "files: test_wrapped.py, test_routines.py and NumPy's lib/io of make numpy-tests"),
    **undrawn("get_include show_config show_runtime info", "tell of NumPy itself: NumPy's, as they are"),
    **undrawn("get_printoptions set_printoptions printoptions getbufsize setbufsize geterr seterr geterrcall seterrcall errstate", "settings of the process: test_errstate.py and test_values.py"),
    **undrawn("random.default_rng random.get_bit_generator random.set_bit_generator random.get_state random.set_state random.seed random.RandomState.get_state random.RandomState.set_state random.RandomState.seed", "states of generators: every row of draws.py makes one and looks at what is drawn next; test_random.py"),
    **undrawn("nested_iters nditer ndenumerate ndindex flatiter broadcast", "iterators: test_iteration.py"),
    **undrawn("random.BitGenerator random.Generator random.MT19937 random.PCG64 random.PCG64DXSM random.Philox random.RandomState random.SFC64 random.SeedSequence", "classes of generators: their methods are drawn in draws.py, their states tested in test_random.py"),
    **undrawn("ndarray ufunc vectorize poly1d matrix memmap recarray record dtype finfo iinfo busdaycalendar linalg.LinAlgError", "classes: test_classes.py, test_ufuncs.py, test_namespace.py, and NumPy's own in weft where weft has none"),
    **undrawn("""
        bool bool_ byte bytes_ cdouble character clongdouble complex128 complex256 complex64 complexfloating csingle datetime64 double flexible float128 float16
        float32 float64 floating generic half inexact int16 int32 int64 int8 int_ intc integer intp long longdouble longlong number object_ short signedinteger
        single str_ timedelta64 ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort void
    """, "types of scalars, which are NumPy's own: test_scalars.py"),
    **undrawn(" ".join(f"polynomial.{module}.{name}" for module, kind in (
        ("chebyshev", "Chebyshev"), ("hermite", "Hermite"), ("hermite_e", "HermiteE"), ("laguerre", "Laguerre"), ("legendre", "Legendre"), ("polynomial", "Polynomial"),
    ) for name in ("ABCPolyBase", kind)), "classes, which are NumPy's own and call the functions of polynomials.py"),
}  # fmt: skip
