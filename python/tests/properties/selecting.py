"""Functions that choose, order, look for and put elements."""

import numpy

from . import rows
from .rows import axis, axis_or_none, const, family, flag, indices
from .scene import REAL, WHOLE

mode = const("'raise'", "'wrap'", "'clip'", "'x'")
kind = const("None", "'quicksort'", "'stable'", "'heapsort'", "'mergesort'", "'x'")
side = const("'left'", "'right'", "'x'")
kth = const("0", "1", "-1", "[0, 2]", "99", "(1,)")


def condition(scene):
    size = numpy.size(rows.first(scene)) if scene.arrays else 3
    return scene.pick("[True, False, True]", "[0, 1]", scene.array(["bool"], (min(size, 17),)), "True", "[]")


def table(scene):
    """A sorted vector to look in."""
    name = scene.array(REAL, scene.shape(1, 1), "plain", plain=True)
    scene.statements.append(f"{name}.sort()")
    scene.names[name].sort()
    return name


def places(scene):
    """As many places as the first array has elements along an axis, of its dimensions."""
    a = rows.first(scene)
    return scene.array(["int64"], numpy.shape(a), "plain", plain=True) if scene.choose(3) else f"np.argsort({scene.arrays[0]}, kind='stable')"


def masked(scene):
    return scene.array(["bool", "bool", "int64"], numpy.shape(rows.first(scene)))


ORDERS = {"axis": axis_or_none, "kind": kind, "stable": const("True", "False", "None")}

ROWS = {
    **family("take", rows.like, indices, keywords={"axis": axis_or_none, "mode": mode, "out": None}),
    **family("ndarray.take", rows.array(), indices, keywords={"axis": axis_or_none, "mode": mode, "out": None}),
    **family("take_along_axis", rows.array(), places, axis_or_none),
    **family("put_along_axis", rows.array(), places, rows.partner, axis_or_none, elements="plain"),
    **family("put", rows.array(), indices, rows.partner, keywords={"mode": mode}, elements="plain"),
    **family("ndarray.put", rows.array(), indices, rows.partner, keywords={"mode": mode}, elements="plain"),
    **family("place putmask", rows.array(), masked, rows.partner, elements="plain"),
    **family("choose", rows.array("int64", "uint8", shape=(3,), kind="plain"), rows.listed(rows.array(shape=(3,)), rows.like, const("7")), keywords={"mode": mode, "out": None}),
    **family("ndarray.choose", rows.array("int64", "uint8", shape=(3,), kind="plain"), rows.listed(rows.array(shape=(3,)), const("7")), keywords={"mode": mode, "out": None}),
    **family("compress", condition, rows.like, keywords={"axis": axis_or_none, "out": None}),
    **family("ndarray.compress", rows.array(), condition, keywords={"axis": axis_or_none, "out": None}),
    **family("extract", condition, rows.like),
    **family("diagonal ndarray.diagonal", rows.array(rank=(1, 3)), keywords={"offset": rows.whole, "axis1": axis, "axis2": axis}),
    **family("trace ndarray.trace", rows.array(rank=(1, 3)), keywords={"offset": rows.whole, "axis1": axis, "axis2": axis, "dtype": rows.dtype, "out": None}, elements="tame"),
    **family("fill_diagonal", rows.array(rank=(1, 3)), rows.partner, keywords={"wrap": flag}),
    **family("ndarray.fill", rows.array(), rows.partner),
    **family("sort", rows.like, keywords=ORDERS),
    **family("argsort", rows.like, keywords={"axis": axis_or_none}, forced={"kind": "'stable'"}),
    **family("ndarray.sort", rows.array(), keywords={"axis": axis, "kind": kind, "stable": const("True", "False", "None")}),
    **family("ndarray.argsort", rows.array(), keywords={"axis": axis_or_none}, forced={"kind": "'stable'"}),
    **family("sort_complex", rows.like),
    **family("partition", rows.like, kth, keywords={"axis": axis_or_none, "kind": const("'introselect'", "'x'")}),
    **family("argpartition", rows.like, kth, keywords={"axis": axis_or_none, "kind": const("'introselect'", "'x'")}),
    **family("ndarray.partition", rows.array(), kth, keywords={"axis": axis}),
    **family("ndarray.argpartition", rows.array(), kth, keywords={"axis": axis_or_none}),
    **family("lexsort", rows.listed(rows.array(shape=(4,)), rows.array(shape=(4,))), keywords={"axis": const("-1", "0", "1", "None")}),
    **family("searchsorted", table, rows.like, keywords={"side": side, "sorter": const("None", "[0, 1, 2]")}),
    **family("ndarray.searchsorted", table, rows.like, keywords={"side": side}),
    **family("nonzero argwhere flatnonzero", rows.like),
    **family("ndarray.nonzero", rows.array()),
    **family("unravel_index", rows.array(*WHOLE[1:], kind="plain"), const("(2, 3)", "10", "(4, 5, 6)", "()"), keywords={"order": const("'C'", "'F'", "'x'")}),
    **family("ravel_multi_index", rows.listed(rows.array("int64", shape=(3,), kind="plain"), rows.array("int64", shape=(3,), kind="plain")), const("(9, 9)", "(2, 3)", "9"), keywords={
        "mode": const("'raise'", "'wrap'", "'clip'", "('wrap', 'clip')"), "order": const("'C'", "'F'"),
    }),
}  # fmt: skip
