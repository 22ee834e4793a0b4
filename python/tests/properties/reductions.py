"""Reductions, running sums, extremes, statistics and sets."""

from . import rows
from .rows import axes, axis, axis_or_none, family, flag
from .scene import REAL, WHOLE

initial = rows.const("0", "3", "2.5", "-1", "inf", "None", "1j")
FOLD = {"axis": axes, "dtype": rows.dtype, "keepdims": flag, "initial": initial, "where": rows.mask, "out": None}
EXTREME = {"axis": axes, "keepdims": flag, "initial": initial, "where": rows.mask, "out": None}
MEAN = {"axis": axes, "dtype": rows.dtype, "keepdims": flag, "where": rows.mask, "out": None}
SPREAD = {**MEAN, "ddof": rows.const("1", "0", "0.5", "9"), "correction": rows.const("1", "0")}
RUNNING = {"axis": axis_or_none, "dtype": rows.dtype, "out": rows.dimensions}
PLACE = {"axis": axis_or_none, "keepdims": flag, "out": None}
METHODS = rows.const("'linear'", "'lower'", "'higher'", "'midpoint'", "'nearest'", "'hazen'", "'inverted_cdf'", "'averaged_inverted_cdf'", "'weibull'", "'median_unbiased'", "'x'")
QUANTILE = {"axis": axes, "keepdims": flag, "method": METHODS, "overwrite_input": flag, "out": None}
fractions = rows.const("0.5", "[0.25, 0.75]", "0", "1.0", "[[0.1], [0.9]]", "2", "np.array([0.5, 0.0])", "nan")
percents = rows.const("50", "[25, 75]", "0", "100.0", "[[10], [90]]", "200", "np.array([50.0, 0.0])")


def methods(names, **more):
    """Rows of functions that are methods of arrays as well."""
    keywords = more.pop("keywords")
    return {**family(names, rows.like, keywords=keywords, **more), **family(" ".join("ndarray." + n for n in names.split()), rows.array(), keywords=keywords, **more)}


def weights(scene):
    import numpy

    return scene.array(["float64", "int64"], numpy.shape(rows.first(scene)), "positive")


def ordered(scene):
    """A sorted array."""
    made = scene.array(REAL, scene.shape(1, 1), "plain", plain=True)
    scene.statements[-1] += f"; {made}.sort()"
    scene.names[made].sort()
    return made


bins = rows.const("5", "3", "[0, 1, 2]", "[0.0, 0.5, 5]", "1", "'auto'", "'sturges'", "0", "[2, 1]", "np.array([0, 1.0, 3.0])")
limits = rows.const("None", "(0, 3)", "(-1.0, 1.0)", "(2, 1)", "(0, inf)")

ROWS = {
    **methods("sum prod", keywords=FOLD, elements="tame", close=4),
    **methods("max min", keywords=EXTREME),
    **family("amax amin", rows.like, keywords=EXTREME),
    **methods("mean", keywords=MEAN, elements="tame", close=4),
    **methods("std var", keywords=SPREAD, elements="tame", close=16),
    **methods("any all", keywords={"axis": axes, "keepdims": flag, "where": rows.mask, "out": None}),
    **methods("argmax argmin", keywords=PLACE),
    **methods("cumsum cumprod", keywords=RUNNING, elements="tame", close=4),
    **family("cumulative_sum cumulative_prod", rows.of_rank(0), keywords={**RUNNING, "include_initial": flag}, elements="tame", close=4),
    **family("ptp", rows.like, keywords={"axis": axes, "keepdims": flag, "out": None}),
    **family("count_nonzero", rows.like, keywords={"axis": axes, "keepdims": flag}),
    **family("nansum nanprod", rows.like, keywords=FOLD, elements="tame", close=4),
    **family("nanmax nanmin", rows.like, keywords=EXTREME),
    **family("nanmean", rows.like, keywords=MEAN, elements="tame", close=4),
    **family("nanstd nanvar", rows.like, keywords=SPREAD, elements="tame", close=16),
    **family("nanargmax nanargmin", rows.like, keywords=PLACE),
    **family("nancumsum nancumprod", rows.like, keywords=RUNNING, elements="tame", close=4),
    **family("median nanmedian", rows.like, keywords={"axis": axes, "keepdims": flag, "overwrite_input": flag, "out": None}, elements="tame", close=4),
    **family("quantile nanquantile", rows.like, fractions, keywords=QUANTILE, elements="tame", close=16),
    **family("percentile nanpercentile", rows.like, percents, keywords=QUANTILE, elements="tame", close=16),
    **family("average", rows.like, keywords={"axis": axes, "weights": weights, "returned": flag, "keepdims": flag}, elements="plain", close=8),
    **family("trapezoid", rows.like, keywords={"x": rows.same, "dx": rows.const("0.5", "2"), "axis": axis}, elements="plain", close=8),
    **family("diff", rows.like, keywords={"n": rows.whole, "axis": axis, "prepend": rows.const("0", "[1, 2]", "2.5"), "append": rows.const("0", "[3]")}),
    **family("ediff1d", rows.like, keywords={"to_begin": rows.const("0", "[1, 2]", "2.5", "None"), "to_end": rows.const("0", "[3]")}, elements="tame"),
    **family("gradient", rows.of_rank(1), rows.maybe(rows.const("2", "0.5", "[0.0, 1.0, 3.0]")), keywords={"axis": axes, "edge_order": rows.const("1", "2", "3")}, elements="plain", close=8),
    **family("histogram", rows.like, keywords={"bins": bins, "range": limits, "density": flag, "weights": weights}, elements="plain", close=8),
    **family("histogram_bin_edges", rows.like, keywords={"bins": bins, "range": limits, "weights": weights}, elements="plain", close=8),
    **family("histogram2d", rows.array(*REAL, shape=(5,)), rows.array(*REAL, shape=(5,)), keywords={
        "bins": rows.const("3", "[2, 3]", "[[0, 1, 2], [0, 2, 4]]", "[[0, 1], 2]"), "density": flag, "weights": rows.array("float64", shape=(5,)), "range": rows.const("[[0, 1], [0, 2]]", "None"),
    }, elements="plain", close=8),
    **family("histogramdd", rows.array(*REAL, shape=(5, 2)), keywords={"bins": rows.const("3", "[2, 3]", "(2, 2, 2)"), "density": flag, "weights": rows.array("float64", shape=(5,))}, elements="plain", close=8),
    **family("bincount", rows.array(*WHOLE, rank=(1, 1), kind="plain"), keywords={"weights": rows.same, "minlength": rows.const("0", "9", "-1")}, elements="plain", close=4),
    **family("digitize", rows.like, ordered, keywords={"right": flag}, elements="tame"),
    **family("cov", rows.of_rank(0, 2), keywords={
        "rowvar": flag, "bias": flag, "ddof": rows.const("0", "1", "2", "0.5"), "y": rows.same, "fweights": rows.const("[1, 2, 3]"), "aweights": rows.const("[1.0, 2, 3]"), "dtype": rows.const("'f4'", "'f8'"),
    }, elements="plain", close=64),
    **family("corrcoef", rows.of_rank(0, 2), keywords={"rowvar": flag, "y": rows.same, "dtype": rows.const("'f4'", "'f8'")}, elements="plain", close=64),
    **family("convolve correlate", rows.of_rank(1, 1), rows.of_rank(1, 1), keywords={"mode": rows.const("'full'", "'same'", "'valid'", "'x'")}, elements="plain", close=8),
    **family("interp", rows.like, ordered, rows.array(*REAL, "complex128", shape=(4,)), keywords={"left": rows.const("-9", "nan"), "right": rows.const("7", "1j"), "period": rows.const("3", "0")}, elements="plain", close=8),
    **family("unique", rows.like, keywords={"return_index": flag, "return_inverse": flag, "return_counts": flag, "axis": axis_or_none, "equal_nan": flag, "sorted": flag}, elements="tame"),
    **family("unique_all unique_counts unique_inverse unique_values", rows.like, elements="tame"),
    **family("union1d intersect1d setdiff1d setxor1d", rows.like, rows.partner, elements="plain"),
    **family("isin", rows.like, rows.partner, keywords={"assume_unique": rows.const("False"), "invert": flag, "kind": rows.const("None", "'sort'", "'table'", "'x'")}, elements="tame"),
}  # fmt: skip
ROWS["intersect1d"] = ROWS["intersect1d"]._replace(keywords={"return_indices": flag})
