"""Records, and what is apart from arrays: the functions of np.rec, np.lib.array_utils and np.ctypeslib that take some."""

from . import rows
from .rows import Undrawn, const, family

columns = const("[np.arange(3), np.array([1.5, 2.0, 0.5])]", "[np.array(['a', 'bb']), np.arange(2)]", "[np.zeros((2, 2)), np.ones(2)]", "[[1, 2], [3.0, 4.0]]", "[]", "[np.arange(3), np.arange(2)]", "[np.arange(3)[::-1], np.arange(6.0)[::2]]", "np.arange(6).reshape(2, 3)")
lines = const("[(1, 2.5), (3, 4.0)]", "[(1, 'a'), (2, 'bcd')]", "[[1, 2], [3, 4]]", "[(1,)]", "[]", "((1, 2), (3, 4))", "[(1, 2), (3,)]")
data = const("np.zeros(3, [('a', 'i4'), ('b', 'f8')])", "[(1, 2.5), (3, 4.0)]", "np.arange(4)", "b'12345678' * 4", "np.rec.fromrecords([(1, 'a')])", "np.zeros(2, '>f8, S2')[::-1]", "[np.arange(2), np.ones(2)]")
DTYPE = const("[('x', 'i8'), ('y', 'f8')]", "'i4, f4'", "np.dtype([('s', 'U3'), ('t', 'i2', 2)])", "'f8'", "None")
FORMAT = {
    "formats": const("'i8, f8'", "['i4', 'U3']", "'i2'", "None"), "names": const("'x, y'", "['p', 'q']", "'a,a'", "None"), "titles": const("['X', 'Y']"),
    "aligned": rows.flag, "byteorder": const("'>'", "'<'", "'x'"), "dtype": DTYPE,
}  # fmt: skip

ROWS = {
    **family("rec.fromarrays", columns, keywords={**FORMAT, "shape": const("3", "(2,)", "None")}),
    **family("rec.fromrecords", lines, keywords={**FORMAT, "shape": const("2", "(1, 2)", "None")}),
    **family("rec.fromstring", const("b'12345678' * 4", "np.arange(4)", "b''", "bytearray(16)"), keywords={"shape": const("1", "(2,)", "-1"), "offset": const("0", "8"), "names": const("'x, y'")}, forced={"formats": "'i4, f4'"}),
    **family("rec.array", data, keywords={**FORMAT, "shape": const("2", "(1,)", "None"), "copy": rows.flag}),
    **family("rec.find_duplicate", const("['a', 'b', 'a']", "[1, 1, 2, 2]", "[]", "np.array([1, 2, 1])")),
    **family("rec.format_parser", FORMAT["formats"], const("'x, y'", "[]", "['p']"), const("[]", "['X', 'Y']"), after="None"),
    "lib.array_utils.byte_bounds": Undrawn("addresses of memory"),
    **family("lib.array_utils.normalize_axis_index", const("0", "-1", "1", "2", "-4"), const("2", "3", "1")),
    **family("lib.array_utils.normalize_axis_tuple", const("0", "(0, -1)", "[1, 1]", "(0, 0)", "'x'", "9", "np.array([0, 1])"), const("2", "3", "0"), keywords={"argname": const("'axes'"), "allow_duplicate": rows.flag}),
    **family("ctypeslib.as_array", rows.array(), keywords={"shape": const("(2,)", "None")}),
    **family("ctypeslib.as_ctypes", rows.array(), after="None"),
    **family("ctypeslib.as_ctypes_type", const("'i4'", "'f8'", "'>f8'", "[('a', 'i4')]", "'c16'", "np.dtype(('i2', (2, 3)))")),
    **family("ctypeslib.ndpointer", keywords={"dtype": const("'f8'", "'i4'"), "ndim": const("1", "2"), "shape": const("(3,)"), "flags": const("'C'", "['W', 'A']", "'x'")}),
    "rec.recarray": Undrawn("a class: test_classes.py; the functions of np.rec make them"),
    "rec.record": Undrawn("a class of scalars: test_scalars.py"),
    "rec.fromfile": Undrawn("files: NumPy's core/test_records.py of make numpy-tests"),
    "ctypeslib.c_intp": Undrawn("a type of ctypes"),
    "ctypeslib.load_library": Undrawn("loads a library of C"),
}  # fmt: skip
