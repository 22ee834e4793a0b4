"""Which callable names of NumPy weft has itself: what "weft coverage" prints, and coverage().names holds.

    weft coverage                  how many there are of each class, and which NumPy computes
    weft coverage --list           every name
    weft coverage script.py ARGS   runs a program, then says what NumPy computed at which line, and what to change

Classes follow from what stands under a name in weft's namespaces: a row of the function table and code of weft's own are native,
NumPy's text bound to weft's functions (or weft's text on them) is composed, and what hands its arrays over is fallback.
Draws that are weft's without a seed only are counted on their own. A name that computes with no array of numbers is apart, and says why.
"""

import importlib
import os
import sys

import numpy

from . import _core, _coverage, _delegates, _draws, _functions, _mirror, advising, profile, run

# What the classes mean.
CLASSES = {
    "native": "weft's own code",
    "composed": "NumPy's own Python text, or weft's, on weft's functions, views that NumPy lays out, and NumPy's compiled loops, block by block or draw by draw on all processors",
    "unseeded": "draws that are weft's, or in parts on all processors, as long as the generator has no seed; with one they are NumPy's loop on one processor",
    "fallback": "NumPy, on the memory of weft's arrays",
    "apart": "computes with no array of numbers",
}

COMPUTING = ("native", "composed", "unseeded", "fallback")  # with arrays of numbers

# Namespaces that compute with numeric arrays. The last two are classes.
_NUMERIC = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks", "numpy.lib.scimath",
    "numpy.polynomial.polynomial", "numpy.polynomial.chebyshev", "numpy.polynomial.legendre", "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e", "numpy.polynomial.laguerre", "numpy.ndarray", "numpy.random.Generator", "numpy.random.RandomState",
)  # fmt: skip

# Namespaces that are NumPy's by their nature: their arrays are of classes or dtypes that weft has not, or they compute nothing.
_OTHERS = {
    "numpy.ma": "masked arrays",
    "numpy.strings": "strings",
    "numpy.char": "strings",
    "numpy.rec": "records",
    "numpy.ctypeslib": "memory of C",
    "numpy.testing": "tests, which compare on the host",
    "numpy.exceptions": "classes",
    "numpy.dtypes": "classes",
    "numpy.typing": "classes",
    "numpy.polynomial": "classes",
    "numpy.lib": "classes",
    "numpy.lib.array_utils": "shapes and memory",
    "numpy.lib.format": "files",
    "numpy.lib.introspect": "about NumPy itself",
    "numpy.lib.npyio": "files",
    "numpy.lib.mixins": "classes",
}

# Functions of the numeric namespaces that compute with no array of numbers, by their subject.
_APART = {
    "dates": "busday_count busday_offset is_busday datetime_as_string datetime_data isnat",
    "text": "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific info fromstring",
    "bytes": "random.bytes random.Generator.bytes random.RandomState.bytes",
    "files": "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed ndarray.tofile ndarray.dump ndarray.dumps",
    "about NumPy itself": """
        get_include get_printoptions getbufsize geterr geterrcall printoptions set_printoptions setbufsize seterr seterrcall show_config
        show_runtime test linalg.test fft.test random.test
        """,
    "dtypes and shapes": """
        broadcast_shapes can_cast common_type isdtype isscalar issubdtype iterable min_scalar_type mintypecode promote_types result_type
        typename iscomplexobj isrealobj ndarray.getfield ndarray.setfield ndarray.setflags ndarray.to_device
        """,
    "few points and weights, of numbers alone": """
        polynomial.polynomial.polyline polynomial.chebyshev.chebline polynomial.chebyshev.chebgauss polynomial.chebyshev.chebpts1 polynomial.chebyshev.chebpts2 polynomial.chebyshev.chebinterpolate
        polynomial.legendre.legline polynomial.legendre.leggauss polynomial.hermite.hermline polynomial.hermite.hermgauss polynomial.hermite_e.hermeline
        polynomial.hermite_e.hermegauss polynomial.laguerre.lagline polynomial.laguerre.laggauss
        """,
    "objects of Python": "fromiter frompyfunc nested_iters asmatrix bmat",
    "states of generators": """
        random.default_rng random.get_bit_generator random.get_state random.seed random.set_bit_generator random.set_state
        random.Generator.spawn random.RandomState.get_state random.RandomState.seed random.RandomState.set_state
        """,
}
_WHY = {name: why for why, names in _APART.items() for name in names.split()}


def _place(namespace):
    """NumPy's module or class of a name, and weft's, and what comes before a name of theirs in weft's tables: "" or "linalg."."""
    inner = namespace.removeprefix("numpy").lstrip(".")
    before, _, last = namespace.rpartition(".")
    if before and isinstance(getattr(importlib.import_module(before), last, None), type):
        ours = importlib.import_module("weft" + before.removeprefix("numpy"))
        return getattr(importlib.import_module(before), last), getattr(ours, last), inner + "."
    return importlib.import_module(namespace), importlib.import_module("weft" + namespace.removeprefix("numpy")), inner + "." if inner else ""


def class_of(dotted: str, function, original) -> str:
    """The class of a name, "linalg.inv" or "ndarray.sort", by weft's function under it and NumPy's."""
    if isinstance(original, type) or dotted in _WHY:
        return "apart"
    if dotted in _functions.FUNCTIONS or dotted in _delegates.CUTS:
        return "native"
    if _delegates.DOES.get(dotted) == "shapes":
        return "composed"
    way = _mirror.way(function) or "fallback"  # which is NumPy's own object
    return "unseeded" if way != "fallback" and _is_unseeded(dotted) else way


def _is_unseeded(dotted):
    """Whether a draw is weft's without a seed only: the Mersenne twister's, and what takes halves of a Generator's numbers."""
    module, _, name = dotted.partition(".")
    return module == "random" and (not name.startswith("Generator.") or name.removeprefix("Generator.") in _draws.UNSEEDED)


def names() -> dict[str, dict[str, list[str]]]:
    """The public callable names of NumPy: for each namespace the names of each class."""
    found = {}
    for namespace in (*_NUMERIC, *_OTHERS):
        theirs, ours, prefix = _place(namespace)
        rows = found[namespace] = {kind: [] for kind in CLASSES}
        for name in sorted(dir(theirs)):
            original = None if name.startswith("_") else getattr(theirs, name)
            if callable(original):
                apart = namespace in _OTHERS
                rows["apart" if apart else class_of(prefix + name, getattr(ours, name), original)].append(name)
    return found


def why_apart(namespace: str, name: str) -> str:
    """What a name of the class apart is about."""
    theirs, _, prefix = _place(namespace)
    if isinstance(getattr(theirs, name), type):
        return "classes"
    return _OTHERS.get(namespace) or _WHY[prefix + name]


def share(rows: dict[str, list[str]], unseeded: bool = False) -> float:
    """Which part of the names that compute with numeric arrays weft computes: always, or where no generator has a seed."""
    ours = len(rows["native"]) + len(rows["composed"]) + (len(rows["unseeded"]) if unseeded else 0)
    return ours / max(1, sum(len(rows[kind]) for kind in COMPUTING))


def total(found: dict[str, dict[str, list[str]]]) -> dict[str, list[str]]:
    """The names of all namespaces, by class."""
    return {kind: [f"{space}.{name}" for space, rows in found.items() for name in rows[kind]] for kind in CLASSES}


# What the classes of generators' methods stand for.
_DRAWS = "draws: of many numbers, and of Generators over PCG64 and Philox"


def table(found: dict[str, dict[str, list[str]]]) -> str:
    """The figures in lines, and the names of the class fallback."""
    every = total(found)
    counted = {space: rows for space, rows in found.items() if any(rows[kind] for kind in COMPUTING)}
    wide = max(map(len, counted))
    computing = sum(len(every[kind]) for kind in COMPUTING)
    lines = [
        f"weft computes {share(every):.1%} of the {computing} functions of NumPy {numpy.__version__} that compute with arrays of numbers,",
        f"and {share(every, unseeded=True):.1%} where no generator has a seed", "",
    ]  # fmt: skip
    lines.append(f"{'namespace':{wide}}  native  composed  unseeded  fallback  share  without seeds")
    for space, rows in (*counted.items(), ("all", every)):
        figures = [len(rows[kind]) for kind in COMPUTING]
        lines.append(f"{space:{wide}}  {figures[0]:6}  {figures[1]:8}  {figures[2]:8}  {figures[3]:8}  {share(rows):5.0%}  {share(rows, unseeded=True):13.0%}")
    lines += ["", *(f"{kind}: {CLASSES[kind]}" for kind in COMPUTING)]
    lines.append(_DRAWS)
    reasons = {}
    for name in every["apart"]:
        space, _, last = name.rpartition(".")
        why = why_apart(space, last)
        reasons[why] = reasons.get(why, 0) + 1
    lines.append(f"apart: {len(every['apart'])} names compute with no array of numbers: " + ", ".join(f"{why} {n}" for why, n in sorted(reasons.items(), key=lambda row: -row[1])))
    left = [f"  {space}: {' '.join(rows['fallback'])}" for space, rows in counted.items() if rows["fallback"]]
    return "\n".join([*lines, *(["", "by NumPy:", *left] if left else [])])


def listing(found: dict[str, dict[str, list[str]]]) -> str:
    """Every name, with its class."""
    lines = []
    for space, rows in found.items():
        lines += [f"{space}.{name}  {kind}" + (f" ({why_apart(space, name)})" if kind == "apart" else "") for name, kind in sorted((n, k) for k in rows for n in rows[k])]
    return "\n".join(lines)


USAGE = "usage: weft coverage [--list] | weft coverage [FLAGS] script.py ARGS"


def main(argv: list[str] | None = None) -> int:
    """What a command line asks for; returns the exit status."""
    words = sys.argv[1:] if argv is None else argv
    if words and set(words) <= {"-h", "--help"}:
        print(USAGE, __doc__, sep="\n\n")
        return 0
    if words[:1] == ["--list"] and len(words) > 1:
        print(f"weft coverage: --list takes nothing behind it, got {words[1]!r}\n{USAGE}", file=sys.stderr)
        return 2
    try:
        if not words:
            print(table(names()))
        elif words == ["--list"]:
            print(listing(names()))
        else:
            return _program(words)
        sys.stdout.flush()
    except BrokenPipeError:  # head had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _program(words):
    """Run a program as weft run does, and say what NumPy computed."""
    with profile.counting():
        status = run.main(words, "coverage", USAGE)
    if _core.started():
        print(_coverage.coverage().report(), advising.advice(), sep="\n\n", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
