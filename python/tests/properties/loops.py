"""The methods of ufuncs, and the comparisons of np.testing, whose errors say how arrays differ."""

import numpy

from . import rows
from .rows import Undrawn, axes, axis, const, family, flag
from .scene import REAL

pairs = const("np.add", "np.multiply", "np.maximum", "np.minimum", "np.logical_or", "np.logical_and", "np.subtract", "np.hypot", "np.add", "np.true_divide", "np.bitwise_and", "np.less", "np.sqrt")
binary = const("np.add", "np.multiply", "np.maximum", "np.subtract", "np.logical_xor", "np.minimum", "np.negative")
places = const("[0, 1]", "[0]", "[0, 0]", "[]", "[0, 99]", "np.array([0, 0])", "[0, 0, 0]", "np.array([0, 0], 'u1')", "[[0, 1]]")
signature = const("(np.dtype('f8'), np.dtype('i4'), None)", "(np.dtype('f4'), float, None)", "(np.dtype('U3'), np.dtype('U2'), None)", "(int, int, None)", "(np.dtype('f8'), None)", "(None, None, None)", "(np.dtype('?'), np.dtype('?'), None)")
PLAIN = {"elements": "plain", "close": 64}
FOLD = {"axis": axes, "dtype": rows.dtype, "keepdims": flag, "initial": const("0", "1", "None", "2.5"), "where": rows.mask, "out": None}


def chosen(scene):
    """Where at() works: places along the first axis, pairs of them, a mask or slices."""
    return scene.pick("0", "[0, 0, 1]", "np.array([1, 1, -1])", "slice(None, 2)", "[0, 99]", "...", "([0, 1],)", "[True, False, True]", "np.array([], int)", "1.5")


def added(scene):
    return None if scene.chance(8) else scene.pick("1", "2", "[1, 2, 3]", "np.array([0.5])", "np.arange(2)", "True", "np.arange(3)[::-1]")


def beside(scene):
    """An array of the first one's shape, mostly equal to it."""
    a = scene.arrays[-1]
    return scene.pick(a, f"{a} + 1", f"{a} * 1.0", f"{a}[...]", f"np.array({a}).astype('f4')", "1", f"np.full({numpy.shape(scene.names[a])}, nan)", "[1, 2, 3]")


ROWS = {
    "ufunc.reduce": rows.Row((pairs, rows.like), FOLD, **PLAIN),
    "ufunc.accumulate": rows.Row((pairs, rows.array()), {"axis": axis, "dtype": rows.dtype, "out": rows.dimensions}, **PLAIN),
    "ufunc.reduceat": rows.Row((pairs, rows.of_rank(1), places), {"axis": axis, "dtype": rows.dtype, "out": rows.dimensions}, **PLAIN),
    "ufunc.outer": rows.Row((pairs, rows.like, rows.like), {"dtype": rows.dtype, "order": rows.order, "casting": rows.casting}, **PLAIN),
    "ufunc.at": rows.Row((binary, rows.array(*REAL, shape=(3,)), chosen, added), **PLAIN),
    "ufunc.resolve_dtypes": rows.Row((const("np.add", "np.ldexp", "np.less", "np.equal", "np.matmul"), signature), {"casting": rows.casting, "reduction": flag, "signature": const("(None, None, np.dtype('f4'))")}),
    **family("testing.assert_allclose", rows.array(*REAL), beside, keywords={"rtol": const("1e-3", "0"), "atol": const("1", "0"), "equal_nan": flag, "err_msg": const("'said'"), "verbose": flag, "strict": flag}, elements="tame"),
    **family("testing.assert_array_equal testing.assert_equal testing.assert_array_less", rows.array(*REAL), beside, keywords={"err_msg": const("'said'"), "verbose": flag, "strict": flag}, elements="tame"),
    **family("testing.assert_array_almost_equal testing.assert_almost_equal", rows.array(*REAL), beside, keywords={"decimal": const("2", "0"), "err_msg": const("'said'")}, elements="tame"),
    **family("testing.assert_array_almost_equal_nulp", rows.array("float64", "float32"), beside, rows.maybe(const("2", "1e6")), elements="plain"),
    **family("testing.assert_array_max_ulp", rows.array("float64", "float32"), beside, rows.maybe(const("2", "0")), elements="plain"),
    **family("testing.assert_approx_equal", const("1.0", "np.float32(2)", "nan"), const("1.0", "1.1", "nan"), keywords={"significant": const("1", "7")}),
    **{f"testing.{name}": Undrawn("compares no arrays, or is what others are made of: test_neighbours.py and NumPy's testing/test_utils.py of make numpy-tests") for name in """
        assert_ assert_array_compare assert_no_gc_cycles assert_no_warnings assert_raises assert_raises_regex assert_warns break_cycles build_err_msg check_support_sve clear_and_catch_warnings
        decorate_methods jiffies measure memusage print_assert_equal run_threaded rundocs runstring suppress_warnings tempdir temppath test TestCase IgnoreException KnownFailureException SkipTest
    """.split()},
    **family("testing.assert_string_equal", const("'a'", "'b\\n'"), const("'a'", "'b'")),
}  # fmt: skip
