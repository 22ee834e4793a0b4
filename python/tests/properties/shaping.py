"""Functions that make arrays, lay them out anew, join, split and repeat them."""

import numpy

from . import rows
from .rows import axes, axis, axis_or_none, const, dtype, family, flag, new_shape, order, shape
from .scene import NUMBERS, REAL

LIKE = {"dtype": dtype, "order": order, "subok": flag, "shape": shape}
MADE = {"dtype": dtype, "order": const("'C'", "'F'", "'K'", "'x'"), "device": const("None", "'cpu'", "'gpu'")}
copied = const("None", "True", "False")


def parts(scene):
    """A list of arrays that may be joined."""
    made = scene.array()
    rank = numpy.ndim(scene.names[made])
    given = [made] + [scene.pick(made, scene.array(shape=scene.names[made].shape)) for _ in range(scene.choose(3))]
    if scene.chance(5):
        given.append(scene.pick("[1, 2, 3]", "2.5", "[[1.0, 2.0]]"))
    if rank and scene.chance(5):
        given.append(f"{made}[:1]")
    return scene.pick(f"[{', '.join(given)}]", f"({', '.join(given)},)", made)


def separately(form):
    """Arguments of a function that takes any number."""

    def made(scene):
        return ", ".join(form(scene) for _ in range(1 + scene.choose(3)))

    return made


def moved(scene):
    rank = numpy.ndim(rows.first(scene))
    return scene.pick(str(tuple(range(rank))[::-1]), "None", str((*range(1, rank), 0) if rank else ()), "(0, 0)", "(1, 0)")


number = const("0", "1", "5", "2.5", "-3", "np.float32(4)", "1e300", "10", "7")
count = const("5", "1", "0", "50", "-1", "2.0")
sections = const("2", "3", "[1]", "[1, 2]", "0", "1", "[5, 2]", "np.array([1])")
repeats = const("2", "0", "[1, 2, 0]", "np.array([2])", "-1", "[2, 1]")
width = const("1", "(1, 2)", "((1, 2), (0, 1))", "0", "((1,), (2,))", "-1", "{0: 1}", "{-1: (2, 1)}")

ROWS = {
    **family("zeros ones", shape, keywords=MADE),
    **family("empty", shape, keywords=MADE, empty=True),
    **family("full", shape, rows.like, keywords=MADE),
    **family("zeros_like ones_like", rows.like, keywords=LIKE),
    **family("empty_like", rows.like, keywords=LIKE, empty=True),
    **family("full_like", rows.like, rows.partner, keywords=LIKE),
    **family("array", rows.like, keywords={"dtype": dtype, "copy": copied, "order": order, "subok": flag, "ndmin": const("0", "3", "2")}),
    **family("asarray asanyarray", rows.like, keywords={"dtype": dtype, "order": order, "copy": copied, "device": const("'cpu'", "None", "'x'")}),
    **family("asarray_chkfinite", rows.like, keywords={"dtype": dtype, "order": order}),
    **family("ascontiguousarray asfortranarray", rows.like, keywords={"dtype": dtype}),
    **family("require", rows.like, keywords={"dtype": dtype, "requirements": const("'C'", "['F', 'W']", "None", "'x'", "['O']")}),
    **family("copy", rows.like, keywords={"order": order, "subok": flag}),
    **family("ndarray.copy", rows.array(), keywords={"order": order}),
    **family("astype", rows.array(), dtype, keywords={"copy": flag, "device": const("'cpu'", "None", "'x'")}, elements="plain"),
    **family("ndarray.astype", rows.array(), dtype, keywords={"order": order, "casting": rows.casting, "subok": flag, "copy": flag}, elements="plain"),
    **family("ndarray.view", rows.array(), rows.maybe(const("'f8'", "'i4'", "'u1'", "'c8'", "np.ndarray", "bool", "'f2'", "'i8'"))),
    **family("frombuffer", const("b'12345678'", "bytes(16)", "b''", "b'123'", "bytearray(8)"), keywords={"dtype": const("'u1'", "'f8'", "'i2'", "bool", "'>i4'"), "count": const("-1", "1", "3"), "offset": const("0", "2", "99")}),
    **family("from_dlpack", rows.array(), keywords={"copy": copied, "device": const("None", "'cpu'", "'x'")}),
    **family("fromfunction", const("lambda i, j: i + j", "lambda i, j: i * 0.5", "lambda i, j: 3"), const("(2, 3)", "(0, 2)", "(3,)"), keywords={"dtype": dtype}),
    **family("arange", number, rows.maybe(number), keywords={"step": const("1", "2", "0.5", "-1", "0", "0.3"), "dtype": dtype, "device": const("'cpu'", "None")}),
    **family("linspace", number, rows.like, keywords={"num": count, "endpoint": flag, "retstep": flag, "dtype": dtype, "axis": const("0", "-1", "1")}, elements="plain", close=4),
    **family("logspace", const("0", "1", "-1.5", "[0, 1]"), const("2", "3", "0.5"), keywords={"num": count, "endpoint": flag, "base": const("2", "10.0", "[2, 3]"), "dtype": dtype, "axis": const("0", "-1")}, close=16),
    **family("geomspace", const("1", "2.5", "-1", "1j", "[1, 2]"), const("8", "256.0", "-9", "0"), keywords={"num": count, "endpoint": flag, "dtype": dtype, "axis": const("0", "-1")}, close=16),
    **family("eye", count, keywords={"M": count, "k": rows.whole, "dtype": dtype, "order": order, "device": const("'cpu'")}),
    **family("identity", count, keywords={"dtype": dtype}),
    **family("tri", count, keywords={"M": count, "k": rows.whole, "dtype": dtype}),
    **family("tril triu", rows.like, keywords={"k": rows.whole}),
    **family("diag diagflat", rows.like, keywords={"k": rows.whole}),
    **family("vander", rows.of_rank(0, 2), keywords={"N": const("None", "3", "0", "-1"), "increasing": flag}, elements="plain"),
    **family("indices", const("(2, 3)", "()", "(0, 2)", "(3,)", "[2, 2]", "3"), keywords={"dtype": dtype, "sparse": flag}),
    **family("meshgrid", separately(rows.like), keywords={"copy": flag, "sparse": flag, "indexing": const("'xy'", "'ij'", "'x'")}),
    **family("ix_", separately(rows.of_rank(0, 2))),
    **family("diag_indices", count, keywords={"ndim": const("2", "3", "1")}),
    **family("tril_indices triu_indices", count, keywords={"k": rows.whole, "m": count}),
    **family("tril_indices_from triu_indices_from", rows.like, keywords={"k": rows.whole}),
    **family("diag_indices_from", rows.like),
    **family("mask_indices", count, const("np.triu", "np.tril"), rows.maybe(rows.whole)),
    **family("bartlett blackman hamming hanning", const("5", "1", "0", "-2", "7.5", "100", "np.array(4)"), close=4),
    **family("kaiser", const("5", "1", "0", "12"), const("0", "8.6", "14.0"), close=8),
    **family("reshape", rows.like, new_shape, keywords={"order": order, "copy": copied}),
    **family("ndarray.reshape", rows.array(), new_shape, keywords={"order": order, "copy": copied}),
    **family("ravel", rows.like, keywords={"order": order}),
    **family("ndarray.ravel", rows.array(), keywords={"order": order}),
    **family("ndarray.flatten", rows.array(), keywords={"order": order}),
    **family("transpose permute_dims", rows.like, keywords={"axes": moved}),
    **family("ndarray.transpose", rows.array(), rows.maybe(moved)),
    **family("matrix_transpose", rows.of_rank(1)),
    **family("swapaxes", rows.like, axis, axis),
    **family("ndarray.swapaxes", rows.array(), axis, axis),
    **family("moveaxis", rows.like, axes, axes),
    **family("rollaxis", rows.like, axis, rows.maybe(axis)),
    **family("squeeze", rows.like, keywords={"axis": axes}),
    **family("ndarray.squeeze", rows.array(), rows.maybe(axes)),
    **family("expand_dims", rows.like, axes),
    **family("atleast_1d atleast_2d atleast_3d broadcast_arrays", separately(rows.like)),
    **family("broadcast_to", rows.like, const("(3,)", "(2, 3)", "(4, 2, 3)", "()", "3", "(0,)", "(2, 1)", "-1"), keywords={"subok": flag}),
    **family("flip", rows.like, keywords={"axis": axes}),
    **family("fliplr flipud", rows.like),
    **family("rot90", rows.like, keywords={"k": rows.whole, "axes": const("(0, 1)", "(1, 0)", "(0, 0)", "(-1, -2)")}),
    **family("roll", rows.like, const("1", "-2", "(1, 2)", "[0, 1]", "100", "1.5"), keywords={"axis": axes}),
    **family("repeat", rows.like, repeats, keywords={"axis": axis_or_none}),
    **family("ndarray.repeat", rows.array(), repeats, rows.maybe(axis_or_none)),
    **family("tile", rows.like, const("2", "(2, 1)", "(1, 2, 2)", "0", "()", "[1, 3]", "-1", "1")),
    **family("resize", rows.like, shape),
    **family("ndarray.resize", rows.array(), shape, keywords={"refcheck": const("False")}),
    **family("pad", rows.like, width, keywords={
        "mode": const("'constant'", "'edge'", "'wrap'", "'reflect'", "'symmetric'", "'mean'", "'maximum'", "'linear_ramp'", "'median'", "'minimum'", "'empty'", "'x'"),
        "constant_values": const("3", "(1, 2)"), "stat_length": const("2", "None"), "reflect_type": const("'odd'", "'even'"), "end_values": const("1"),
    }, elements="plain"),
    **family("trim_zeros", rows.like, keywords={"trim": const("'fb'", "'f'", "'b'", "'x'"), "axis": axes}),
    **family("concatenate concat", parts, keywords={"axis": axis_or_none, "out": None, "dtype": dtype, "casting": rows.casting}, elements="plain"),
    **family("stack", parts, keywords={"axis": axis, "out": None, "dtype": dtype, "casting": rows.casting}, elements="plain"),
    **family("vstack row_stack hstack", parts, keywords={"dtype": dtype, "casting": rows.casting}, elements="plain"),
    **family("dstack column_stack", parts),
    **family("block", const("[[np.ones((2, 2)), np.zeros((2, 1))], [np.arange(3)]]", "[1, 2, [3]]", "[]", "[[1, 2], [3.5, 4]]", "np.arange(3)", "[np.arange(2), 5]", "[[np.ones(2)], [np.ones(3)]]")),
    **family("append", rows.like, rows.like, keywords={"axis": axis_or_none}),
    **family("insert", rows.like, const("1", "[0, 1]", "slice(0, 2)", "-1", "[True, False]", "99", "[]", "np.array(0)"), rows.like, keywords={"axis": axis_or_none}),
    **family("delete", rows.like, const("1", "[0, 1]", "slice(0, 2)", "-1", "[True, False, True]", "99", "[]", "[0, 0]"), keywords={"axis": axis_or_none}),
    **family("split array_split", rows.like, sections, keywords={"axis": axis}),
    **family("hsplit vsplit dsplit", rows.like, sections),
    **family("unstack", rows.like, keywords={"axis": axis}),
    **family("shape size ndim", rows.like),
    **family("isfortran", rows.array()),
    **family("may_share_memory shares_memory", rows.array(), rows.partner, wrong=40),
    **family("lib.stride_tricks.sliding_window_view", rows.array(), const("2", "(1, 2)", "1", "9", "-1"), keywords={"axis": axes, "subok": flag, "writeable": flag}),
    **family("lib.stride_tricks.as_strided", rows.array(*REAL, shape=(3, 3)), keywords={"shape": const("(2, 2)", "(3,)"), "strides": const("(0, 0)", "(1, 1)"), "writeable": const("False")}, wrong=10**6),
    **family("apply_along_axis", const("np.sum", "lambda v: v[:2]", "np.sort"), const("0", "-1", "1"), rows.of_rank(1), elements="plain", close=4, wrong=10**6),
    **family("apply_over_axes", const("np.sum", "np.max"), rows.like, axes, elements="plain", close=4, wrong=10**6),
    **family("ndarray.tolist ndarray.tobytes", rows.array(*NUMBERS)),
    **family("ndarray.item", rows.array(), rows.maybe(const("0", "-1", "(0, 0)", "5", "(1,)"))),
    **family("broadcast_shapes", separately(const("(3,)", "(2, 1)", "()", "3", "(4, 1, 3)", "(0,)"))),
    **family("result_type common_type", separately(rows.like)),
    **family("can_cast", dtype, dtype, keywords={"casting": rows.casting}),
    **family("promote_types", dtype, dtype),
    **family("min_scalar_type", rows.like),
    **family("isscalar iterable", rows.like),
    **family("issubdtype", dtype, const("np.integer", "np.floating", "'f8'", "np.number")),
    **family("isdtype", const("np.dtype('f8')", "np.dtype(bool)", "np.int8"), const("'numeric'", "'bool'", "'real floating'", "('bool', 'integral')", "np.float64")),
    **family("base_repr binary_repr", const("5", "-5", "0", "255"), keywords={"base": const("2", "16")}),
}  # fmt: skip
ROWS["binary_repr"] = ROWS["binary_repr"]._replace(keywords={"width": const("3", "10")})
