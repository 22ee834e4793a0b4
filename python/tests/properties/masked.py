"""Masked arrays: the functions of np.ma, and the methods of its class. The arrays are NumPy's, as weft's of numbers become when they are masked."""

import numpy

from . import rows
from .rows import Undrawn, axes, axis, axis_or_none, const, family, flag
from .scene import REAL

DTYPES = ["float64", "int64", "float32", "complex128", "bool", "uint8", "int32"]
PLAIN = {"elements": "plain", "close": 64}


def masked(*dtypes, shape=None, rank=None):
    """An array with a mask, or with none, or without one; sometimes an array, a list or a number."""

    def form(scene):
        which = scene.choose(12)
        if which == 11:
            return scene.pick("np.ma.masked", "2.5", "[1, 2, 3]", "np.ma.array(3.0)", "np.ma.array([1, 2], mask=[1, 0], fill_value=7)", "np.ma.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')], mask=[(1, 0)])")
        name = scene.array(list(dtypes or DTYPES), shape or (scene.shape(*rank) if rank else None))
        if which > 8:
            return name
        mask = scene.pick("np.ma.nomask", "True", "False", f"{name} == {name}.flat[0]" if scene.names[name].size else "False", f"{name} > 0", f"np.arange({name}.size).reshape({name}.shape) % 2 == 0", f"np.arange({name}.size).reshape({name}.shape) % 3 == 1")
        more = scene.pick("", "", "", ", fill_value=9", ", hard_mask=True", ", shrink=False")
        return scene.state(chr(ord("a") + len(scene.arrays)), f"np.ma.array({name}, mask={mask}{more})")

    return form


def partner(scene):
    """What goes with the first argument."""
    which = scene.choose(6)
    if which < 3 and scene.arrays:
        return masked(shape=numpy.shape(scene.names[scene.arrays[-1]]))(scene)
    return scene.pick("2", "0.5", "np.ma.masked", "np.arange(3)") if which < 5 else masked()(scene)


a, real, vector, matrix = masked(), masked(*[d for d in DTYPES if d in REAL]), masked(rank=(1, 1)), masked(rank=(2, 2))
value = const("1", "0", "2.0", "-1", "nan", "np.int8(3)")
ONE = "abs absolute angle arccos arccosh arcsin arcsinh arctan arctanh ceil conjugate cos cosh exp fabs floor log log10 log2 logical_not negative sin sinh sqrt tan tanh"
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
TWO = "add arctan2 divide equal floor_divide fmod greater greater_equal hypot less less_equal logical_and logical_or logical_xor mod multiply not_equal remainder subtract true_divide maximum minimum power"
FOLD = {"axis": axis_or_none, "dtype": const("'f8'", "'i8'", "None"), "keepdims": flag}
BOTH = {  # functions, and methods of the class, of the same arguments
    **family("sum prod mean", a, keywords=FOLD, **PLAIN),
    **family("std var", a, keywords={**FOLD, "ddof": const("1", "0")}, **PLAIN),
    **family("all any", a, keywords={"axis": axis_or_none, "keepdims": flag}),
    **family("max min ptp", a, keywords={"axis": axis_or_none, "fill_value": value, "keepdims": flag}),
    **family("argmax argmin", a, keywords={"axis": axis_or_none, "fill_value": value}),
    **family("count", a, keywords={"axis": axes, "keepdims": flag}),
    **family("cumsum cumprod", a, keywords={"axis": axis_or_none, "dtype": const("'f8'", "None")}, **PLAIN),
    **family("anom", a, keywords={"axis": axis_or_none}, **PLAIN),
    **family("argsort", a, keywords={"axis": axis, "endwith": flag, "fill_value": value}, forced={"kind": "'stable'"}),
    **family("compress", const("[True, False, True]", "[0, 1]", "np.array([True])", "[]"), a, keywords={"axis": axis_or_none}),
    **family("ravel", a, keywords={"order": rows.order}),
    **family("reshape", a, rows.new_shape),
    **family("diagonal", matrix, keywords={"offset": rows.whole}),
    **family("trace", matrix, keywords={"offset": rows.whole}, **PLAIN),
    **family("dot", a, partner, **PLAIN),
    **family("nonzero", a),
    **family("repeat", a, const("2", "0", "[1, 2]"), rows.maybe(axis)),
    **family("squeeze", a, keywords={"axis": axis}),
    **family("swapaxes", a, axis, axis),
    **family("take", a, rows.indices, keywords={"axis": axis_or_none, "mode": const("'clip'", "'wrap'", "'raise'")}),
    **family("transpose", a, rows.maybe(const("(1, 0)", "None", "(0, 1, 2)"))),
    **family("filled", a, rows.maybe(value)),
    **family("round", a, keywords={"decimals": const("1", "0", "-1")}),
    **family("clip", real, const("0", "None", "np.ma.masked"), const("2", "None"), elements="plain"),
}  # fmt: skip
ROWS = {
    **family(ONE, a, **PLAIN),
    **family(TWO, a, partner, **PLAIN),
    **family(BITS, masked("int64", "uint8", "bool"), const("1", "2", "np.ma.array([1, 0, 2], mask=[1, 0, 0])", "True", "np.ma.masked", "np.arange(3)"), **PLAIN),
    **BOTH,
    **family("alltrue sometrue", real, rows.maybe(axis)),
    **family("product", a, rows.maybe(axis), **PLAIN),
    **family("amax amin", a, keywords={"axis": axis_or_none, "keepdims": flag}),
    **family("around round_", a, rows.maybe(const("1", "0"))),
    **family("anomalies", a, rows.maybe(axis), **PLAIN),
    **family("sort", a, keywords={"axis": axis, "endwith": flag, "fill_value": value}),
    **family("average", a, keywords={"axis": axis_or_none, "weights": partner, "returned": flag, "keepdims": flag}, **PLAIN),
    **family("median", real, keywords={"axis": axis_or_none, "keepdims": flag}, **PLAIN),
    **family("allclose allequal", a, partner, rows.maybe(flag)),
    **family("append", a, partner, rows.maybe(axis)),
    **family("apply_along_axis", const("np.ma.sum", "np.sum", "lambda x: x * 2"), axis, a, **PLAIN),
    **family("apply_over_axes", const("np.ma.sum", "np.sum"), a, const("0", "[0, -1]", "(0,)", "-1"), **PLAIN),
    **family("arange", const("3", "0", "2.5"), rows.maybe(const("7", "0")), keywords={"fill_value": value, "hardmask": flag}),
    **family("array masked_array MaskedArray", a, keywords={"mask": const("True", "[1, 0, 1]", "np.ma.nomask", "False"), "dtype": const("'f8'", "'i4'", "None"), "copy": flag, "fill_value": value, "keep_mask": flag, "hard_mask": flag, "shrink": flag, "ndmin": const("2", "0")}),
    **family("asarray asanyarray", a, keywords={"dtype": const("'f8'", "'i4'", "None"), "order": rows.order}),
    **family("atleast_1d atleast_2d atleast_3d", a, rows.maybe(partner)),
    **family("choose", const("[0, 1, 0]", "np.ma.array([0, 1, 0], mask=[1, 0, 0])", "[5]"), const("[[1, 2, 3], [4, 5, 6]]", "[10, 20]"), keywords={"mode": const("'clip'", "'wrap'")}),
    **family("clump_masked clump_unmasked flatnotmasked_contiguous flatnotmasked_edges", vector),
    **family("notmasked_contiguous notmasked_edges", a, rows.maybe(axis)),
    **family("column_stack dstack hstack vstack row_stack", rows.listed(a, partner)),
    **family("stack concatenate", rows.listed(a, partner), rows.maybe(axis)),
    **family("common_fill_value", a, partner),
    **family("compress_cols compress_rows compress_rowcols mask_cols mask_rows mask_rowcols compress_nd", matrix),
    **family("compressed copy count_masked default_fill_value getdata getmask getmaskarray isMA isMaskedArray isarray is_mask is_masked maximum_fill_value minimum_fill_value ndim shape size masked_all_like ones_like zeros_like", a),
    **family("empty_like", a, empty=True),
    **family("convolve correlate", vector, vector, keywords={"mode": const("'full'", "'same'", "'valid'"), "propagate_mask": flag}, **PLAIN),
    **family("cov corrcoef", masked("float64", rank=(1, 2)), keywords={"rowvar": flag, "allow_masked": flag}, elements="plain", close=1024),
    **family("diag diagflat", a, rows.maybe(rows.whole)),
    **family("diff", a, keywords={"n": rows.whole, "axis": axis}),
    **family("ediff1d", a, keywords={"to_end": const("9", "None"), "to_begin": const("[1, 2]")}),
    **family("expand_dims", a, axis),
    **family("fix_invalid", a, keywords={"copy": flag, "fill_value": value}),
    **family("flatten_mask", const("np.array([0, 0, 1])", "np.array([(0, 0), (1, 0)], dtype=[('a', bool), ('b', bool)])")),
    **family("flatten_structured_array", const("np.array([(1, 2.5)], dtype=[('a', 'i4'), ('b', 'f8')])", "np.ma.array([(1, 2)], dtype='i4, i4', mask=[(1, 0)])")),
    **family("frombuffer", const("b'12345678'", "np.arange(3)"), keywords={"dtype": const("'u1'", "'i4'"), "count": const("1", "-1")}),
    **family("fromflex", const("np.zeros(2, [('_data', 'f8'), ('_mask', bool)])", "np.ma.array([1, 2], mask=[1, 0]).toflex()")),
    **family("fromfunction", const("lambda i, j: i + j"), const("(2, 3)", "(0, 1)"), keywords={"dtype": const("int", "float")}),
    **family("harden_mask soften_mask", masked(rank=(1, 2))),
    **family("hsplit", a, const("2", "[1]", "1", "0")),
    **family("identity", const("2", "0", "3"), rows.maybe(const("int", "'f4'"))),
    **family("in1d isin", a, partner, keywords={"assume_unique": const("False"), "invert": flag}),
    **family("indices", const("(2, 3)", "(0,)"), keywords={"sparse": flag}),
    **family("inner innerproduct outer outerproduct", a, partner, **PLAIN),
    **family("intersect1d setdiff1d setxor1d union1d", vector, vector),
    **family("unique", a, keywords={"return_index": flag, "return_inverse": flag}),
    **family("make_mask", const("[0, 1, 2]", "[True]", "np.zeros(3)", "np.array([(0, 1)], 'i4, i4')"), keywords={"copy": flag, "shrink": flag}),
    **family("make_mask_descr", const("np.dtype('f8')", "[('a', 'i4'), ('b', 'f8')]", "'U3'")),
    **family("make_mask_none", const("(2, 3)", "3", "()"), rows.maybe(const("None", "np.dtype('i4, f8')"))),
    **family("mask_or", const("[True, False]", "np.ma.nomask", "np.array([1, 0], bool)"), const("[True, True]", "np.ma.nomask", "np.array([True, False])"), rows.maybe(flag)),
    **family("masked_all", const("(2, 3)", "3", "()"), const("float", "'i4'", "'i4, f8'"), empty=True),
    **family("masked_equal masked_greater masked_greater_equal masked_less masked_less_equal masked_not_equal", a, value, rows.maybe(flag)),
    **family("masked_inside masked_outside", real, value, value, rows.maybe(flag)),
    **family("masked_invalid", a, rows.maybe(flag)),
    **family("masked_object", const("np.array(['a', 'b', 1], object)"), const("'a'", "1"), rows.maybe(flag)),
    **family("masked_values", real, value, rows.maybe(const("1e-3")), keywords={"shrink": flag, "copy": flag}),
    **family("masked_where", const("[True, False, True]", "True", "np.array([0, 1, 0])", "np.ma.array([1, 0, 1], mask=[1, 0, 0])"), masked(shape=(3,)), rows.maybe(flag)),
    **family("ones zeros", const("(2, 3)", "0", "()"), rows.maybe(const("int", "'f4'"))),
    **family("empty", const("(2, 3)", "0"), empty=True),
    **family("polyfit", const("np.ma.array([0., 1., 2., 3.], mask=[0, 0, 1, 0])", "np.arange(4.0)"), const("np.ma.array([1., 2., 5., 4.], mask=[0, 1, 0, 0])", "np.arange(4.0)"), const("1", "0", "2"), elements="plain", close=1e6),
    **family("put", masked("float64", rank=(1, 1)), const("[0, 1]", "0", "[9]"), const("[5, 6]", "np.ma.array([7, 8], mask=[1, 0])", "1"), keywords={"mode": const("'clip'", "'wrap'")}),
    **family("putmask", masked("float64", shape=(3,)), const("[True, False, True]", "True"), const("[5, 6, 7]", "np.ma.array([7, 8, 9], mask=[1, 0, 0])", "1")),
    **family("resize", a, const("(2, 3)", "3", "(0,)")),
    **family("set_fill_value", a, value),
    **family("vander", vector, rows.maybe(const("2", "0", "3")), **PLAIN),
    **family("where", const("[True, False, True]", "True", "np.array([0, 1, 0])", "np.ma.array([1, 0, 1], mask=[1, 0, 0])"), masked(shape=(3,)), partner),
    **family("ndenumerate", a, rows.maybe(flag), after="None"),
    "ids": Undrawn("addresses of memory"),
    "test": Undrawn("runs NumPy's own tests"),
    "mvoid": Undrawn("a class of scalars: NumPy's ma/test_core.py of make numpy-tests"),
    "MAError": Undrawn("a class"), "MaskError": Undrawn("a class"), "MaskType": Undrawn("np.bool"), "bool_": Undrawn("np.bool"),
}  # fmt: skip
METHODS = {  # of the class alone, and those that are functions as well
    **{name: row for name, row in BOTH.items() if name not in ("compress", "anom", "clip")},
    **family("anom", a, rows.maybe(axis), **PLAIN),
    **family("compress", a, const("[True, False, True]", "[0, 1]", "[]"), keywords={"axis": axis_or_none}),
    **family("compressed copy get_fill_value harden_mask soften_mask iscontiguous shrink_mask unshare_mask tolist toflex torecords get_real get_imag flatten", a),
    **family("sort", a, keywords={"axis": axis, "endwith": flag, "fill_value": value}, after="a"),
    **family("put", masked("float64", rank=(1, 1)), const("[0, 1]", "0", "[9]"), const("[5, 6]", "1"), keywords={"mode": const("'clip'", "'wrap'")}),
    **family("resize", a, const("(2, 3)", "3")),
    **family("set_fill_value", a, value),
    **family("view", a, rows.maybe(const("np.ndarray", "'u1'", "np.ma.MaskedArray"))),
    **family("partition", vector, const("0"), empty=True),
    **family("argpartition", vector, const("0"), empty=True),
    **family("product", a, rows.maybe(axis), **PLAIN),
    **family("tobytes", a, keywords={"fill_value": value, "order": rows.order}),
    "ids": Undrawn("addresses of memory"), "tofile": Undrawn("raises NotImplementedError: NumPy's ma/test_core.py of make numpy-tests"),
}  # fmt: skip
ROWS = {**{"ma." + name: row for name, row in ROWS.items()}, **{"ma.MaskedArray." + name: row for name, row in METHODS.items()}}
