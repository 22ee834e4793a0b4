"""Rows of the tables: how the arguments of a function are drawn, and how nearly its results are NumPy's.

A form is a function of a scene that gives the text of an argument. The forms that many functions share stand here.
"""

from typing import NamedTuple

import numpy

from .scene import INTEGERS, NUMBERS, WRONG, Scene

METHODS = ("ndarray", "ufunc", "ma.MaskedArray")  # whose methods are called on the first argument


class Row(NamedTuple):
    """What a function is called with. units and close say how many units in the last place results may be away: of each element, or of the largest."""

    arguments: tuple = ()
    keywords: dict = {}
    elements: str = "special"
    units: float = 0
    close: float = 0
    tells: bool = False  # whether infinities, NaN and divisions by zero are warned of as NumPy warns of them
    empty: bool = False  # whether elements are what was in memory
    after: str = ""  # what is looked at after the call
    forced: dict = {}  # keywords that are always given
    wrong: int = 14  # once in how many calls an argument is a wrong one


class Undrawn(NamedTuple):
    """The row of a function that is not drawn."""

    reason: str


def family(names, *arguments, keywords=None, **more):
    """Rows of the same forms for several names."""
    return {name: Row(arguments, keywords or {}, **more) for name in names.split()}


def drawn(name, row, choose, unusual=False):
    """An example: the statements before the call, and the call. About every other array is an unusual one if that is asked for."""
    scene = Scene(choose, row.elements, unusual)
    given = [form(scene) for form in row.arguments]
    given = [text for text in given if text is not None]
    method = name.rpartition(".")[0] in METHODS
    if given[method:] and scene.chance(row.wrong):
        at = method + scene.choose(len(given) - method)
        given[at] = scene.pick(*WRONG)
    named = {}
    for keyword, form in row.keywords.items():
        if keyword not in ("out", "where") and scene.chance(4):
            named[keyword] = scene.pick(*WRONG) if scene.chance(row.wrong) else form(scene)
    named = {**row.forced, **{keyword: text for keyword, text in named.items() if text is not None}}
    if "where" in row.keywords and scene.chance(5):
        named["where"] = row.keywords["where"](scene)
    if "out" in row.keywords and (scene.chance(5) or "where" in named and row.keywords["where"] is masked):
        named["out"] = out(scene, row, "where" in named, written(name, given, {k: v for k, v in named.items() if k != "where"}))
    call = written(name, given, named)
    if name.startswith("random."):
        generator = {"random.Generator": "np.random.default_rng(7)", "random.RandomState": "np.random.RandomState(7)"}.get(name.rpartition(".")[0])
        if not generator:
            return scene.statements, f"(np.random.seed(7), {call}, np.random.random())"
        scene.statements.append(f"g = {generator}")
        return scene.statements, f"({call}, g.random())"
    return scene.statements, f"({call}, {row.after})" if row.after else call


def written(name, given, named):
    """The text of a call."""
    before, _, last = name.rpartition(".")
    if before in METHODS:
        target, given = f"{given[0]}.{last}", given[1:]
    elif before in ("random.Generator", "random.RandomState"):
        target = f"g.{last}"
    else:
        target = f"np.{name}"
    return f"{target}({', '.join([*given, *(f'{k}={v}' for k, v in named.items())])})"


# Forms.


def const(*options):
    """One of some texts."""
    return lambda scene: scene.pick(*options)


def maybe(form):
    """An argument that may be left out; only of the last ones."""
    return lambda scene: None if scene.chance(2) else form(scene)


def array(*dtypes, shape=None, rank=None, kind=None):
    """An array, of dtypes of a list and of so many dimensions."""

    def form(scene):
        made = shape if shape is not None else scene.shape(*rank) if rank else None
        return scene.array(dtypes or NUMBERS, made, kind)

    return form


def like(scene):
    return scene.like()


def of_rank(low, high=9):
    return lambda scene: scene.like(low, high)


def listed(*forms):
    """A list of arguments."""
    return lambda scene: f"[{', '.join(form(scene) for form in forms)}]"


def first(scene):
    """NumPy's value of the first array of the scene."""
    return scene.names[scene.arrays[0]] if scene.arrays else numpy.zeros(3)


def partner(scene):
    """What the first array can be combined with: of its shape or broadcast to it, a view of it, a number, or something else."""
    shape = numpy.shape(first(scene))
    which = scene.choose(10)
    if which < 4:
        return scene.array(shape=shape)
    if which == 4 and scene.arrays:
        return scene.view(scene.arrays[0])
    if which == 5:
        return scene.array(shape=shape[1:])
    if which == 6 and shape:
        return scene.array(shape=(*shape[:-1], 1))
    if which == 7:
        return scene.like()
    return scene.number()


def same(scene):
    """An array of the first one's shape and dtype."""
    a = first(scene)
    dtype = a.dtype.name if hasattr(a, "dtype") and a.dtype.name in NUMBERS else "float64"
    return scene.array([dtype], numpy.shape(a))


def axis(scene):
    rank = numpy.ndim(first(scene))
    return scene.pick("-1", "0", str(max(rank - 1, 0)), str(-rank), str(rank)) if rank else scene.pick("0", "-1", "1")


def axis_or_none(scene):
    return "None" if scene.chance(4) else axis(scene)


def axes(scene):
    """An axis, several or None."""
    rank = numpy.ndim(first(scene))
    if rank > 1 and scene.chance(3):
        return scene.pick("(0, 1)", "(1, 0)", "(-1,)", "()", "(0, 0)", "(0, 7)")
    return axis_or_none(scene)


def dtype(scene):
    return scene.pick("'f8'", "'i8'", "'f4'", "'c16'", "bool", "'u1'", "None", "float", "'f2'", "np.int16", "'U5'", "object")


flag = const("True", "False")
order = const("'C'", "'F'", "'A'", "'K'", "None", "'Q'")
casting = const("'same_kind'", "'no'", "'safe'", "'unsafe'", "'equiv'", "'none'")
whole = const("1", "0", "2", "-1", "3", "np.int64(2)")


def masked(scene):
    """Where a ufunc computes."""
    return scene.array(["bool"], numpy.shape(first(scene))) if scene.choose(3) else scene.pick("True", "False", "[True, False, True]", "None", "1")


def mask(scene):
    """What a reduction takes."""
    return scene.array(["bool"], numpy.shape(first(scene))) if scene.choose(3) else scene.pick("True", "False", "[True, False, True]")


def indices(scene):
    """Places along an axis, as an array or numbers."""
    which = scene.choose(8)
    if which < 3:
        return scene.state(chr(ord("a") + len(scene.arrays)), f"np.array([{', '.join(scene.pick('0', '1', '-1', '2', '-2') for _ in range(3))}])")
    return scene.pick("0", "[0, 1]", "[[1, 0], [0, -1]]", "-1", "[]", "[True, False]", "99", "np.array([0, 1], 'u1')") if which > 3 else "np.array([2, 0, 9])"


def shape(scene):
    """A shape to make."""
    return scene.pick("3", "(2, 3)", "()", "(0,)", "(2, 0, 3)", "[2, 2]", "np.int64(4)", "-1", "(2, -3)", "(1, 1)", "(40, 30)", "2.0", "True", "np.array([2, 3])")


def new_shape(scene):
    """A shape to give to what the first array has."""
    size = numpy.size(first(scene))
    return scene.pick("-1", str(size), f"({size}, 1)", "(1, -1)", "(-1, 2)", f"(1, {size}, 1)", "(2, 3)", "()", "(-1, -1)", f"[{size}]", "(0, -1)")


def dimensions(scene):
    """Marks an out that has dimensions: np.cumsum([1.0], out=np.array(0.0)) ends the process in NumPy."""


def out(scene, row, must, call):
    """What a result is written to, most often what fits; with dimensions where the row says so, and no None where there must be something."""
    made = scene.value(call)
    least = 1 if row.keywords["out"] is dimensions else 0
    there = [name for name in scene.arrays if numpy.ndim(scene.names[name]) >= least]
    several = made if isinstance(made, tuple) else (made,)
    texts = []
    for part in several:
        a = numpy.asarray(part) if isinstance(part, (numpy.ndarray, numpy.generic)) else numpy.zeros(numpy.shape(first(scene)))
        a = numpy.zeros((1,) * least, a.dtype) if a.ndim < least else a
        code = a.dtype.name if a.dtype.name in NUMBERS else "float64"
        which = scene.choose(12)
        if which < 5:
            name = scene.array([code], a.shape, "plain", plain=which < 2)
        elif which == 5 and there:
            name = scene.pick(*there)
        elif which == 6 and there:
            name = scene.view(scene.pick(*there))
        elif which == 7:
            name = scene.array(["float32", *INTEGERS[:4]], a.shape, "plain")
        elif which == 8:
            name = scene.array(["complex128"], a.shape, "plain")
        elif which == 9:
            name = scene.array([code], (2, *a.shape), "plain")
        elif which == 10 and not must:
            name = scene.pick("None", "[0.0]", "3", "()", "'x'")
        else:
            name = scene.array([code], scene.shape(least), "plain")
        texts.append(name)
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
