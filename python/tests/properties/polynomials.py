"""Polynomials: numpy's own, and those of the modules of numpy.polynomial, which are alike."""

from . import rows
from .rows import const, family
from .scene import REAL

coefficients = rows.array(*REAL, "complex128", rank=(1, 1))
PLAIN = {"elements": "plain", "close": 64}


def powers(scene):
    return scene.array(REAL, scene.pick((3,), (2, 3), (2, 2), (3, 2, 2)))


def points(scene):
    return scene.array(REAL, scene.pick((3,), (2, 2), (), (0,))) if scene.choose(5) else scene.pick("2", "0.5", "[1, 2]", "(1.5, 0)")


POINTS = "np.array([0.0, 1.0, 2.0, 3.0])"
degree = const("2", "1", "0", "[0, 2]", "-1", "3")
KINDS = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "hermite": "herm", "hermite_e": "herme", "laguerre": "lag"}


def of(module, p):
    """The rows of a module of numpy.polynomial whose functions begin with p."""
    before = f"polynomial.{module}.{p}"
    made = {
        **family("add sub mul div", coefficients, coefficients, **PLAIN),
        **family("mulx", coefficients, **PLAIN),
        **family("pow", coefficients, const("2", "0", "3", "-1", "1.5"), **PLAIN),
        **family("val", points, powers, keywords={"tensor": rows.flag}, **PLAIN),
        **family("val2d grid2d", points, points, powers, **PLAIN),
        **family("val3d grid3d", points, points, points, powers, **PLAIN),
        **family("der", powers, keywords={"m": rows.whole, "scl": const("2", "0.5"), "axis": rows.axis}, **PLAIN),
        **family("int", powers, keywords={"m": rows.whole, "k": const("[1]", "1", "[1, 2]"), "lbnd": const("0", "1"), "scl": const("2"), "axis": rows.axis}, **PLAIN),
        **family("vander", points, const("2", "0", "3", "-1"), **PLAIN),
        **family("vander2d", points, points, const("[1, 2]", "[0, 0]", "(2,)"), **PLAIN),
        **family("vander3d", points, points, points, const("[1, 2, 1]", "[0, 0, 0]"), **PLAIN),
        **family("fromroots", coefficients, **PLAIN),
        **family("roots companion", coefficients, elements="plain", close=1e7),
        **family("trim", coefficients, keywords={"tol": const("0", "1", "-1")}, **PLAIN),
        **family("fit", const(POINTS), const("np.array([1.0, 2.0, 0.5, 3.0])", "np.arange(8.0).reshape(4, 2)", "np.arange(3)"), degree, keywords={"full": rows.flag, "w": const("[1, 2, 1, 2]"), "rcond": const("1e-9")}, elements="plain", close=1e4),
    }  # fmt: skip
    rows_of = {before + name: row for name, row in made.items()}
    if p == "poly":
        rows_of[before + "valfromroots"] = rows.Row((points, coefficients), {"tensor": rows.flag}, **PLAIN)
    else:
        rows_of[f"polynomial.{module}.{p}2poly"] = rows_of[f"polynomial.{module}.poly2{p}"] = rows.Row((coefficients,), **PLAIN)
        rows_of[before + "weight"] = rows.Row((points,), **PLAIN)
    return rows_of


ROWS = {
    **family("poly", rows.of_rank(0, 2), **PLAIN),
    **family("roots", coefficients, elements="plain", close=1e7),
    **family("polyadd polysub polymul polydiv", coefficients, coefficients, **PLAIN),
    **family("polyval", coefficients, points, **PLAIN),
    **family("polyder", coefficients, keywords={"m": rows.whole}, **PLAIN),
    **family("polyint", coefficients, keywords={"m": rows.whole, "k": const("None", "1", "[1, 2]")}, **PLAIN),
    **family("polyfit", const(POINTS, "[0, 1, 2, 3]"), const("np.array([1.0, 2.0, 0.5, 3.0])", "np.arange(8.0).reshape(4, 2)"), const("1", "2", "0", "-1", "7"), keywords={
        "full": rows.flag, "w": const("[1, 2, 1, 2]"), "cov": const("True", "'unscaled'"), "rcond": const("1e-9"),
    }, elements="plain", close=1e6),
}  # fmt: skip
for _module, _p in KINDS.items():
    ROWS.update(of(_module, _p))
for _module, _p in KINDS.items():
    ROWS.update(
        {f"polynomial.{_module}.{n}": rows.Row((const("0", "1", "2.5"), const("1", "0", "-2", "[1, 2]")), **PLAIN) for n in (_p + "line",)}
        if _module != "polynomial"
        else {"polynomial.polynomial.polyline": rows.Row((const("0", "1", "2.5"), const("1", "0", "-2")), **PLAIN)}
    )
    if _module != "polynomial":
        ROWS[f"polynomial.{_module}.{_p}gauss"] = rows.Row((const("1", "3", "5", "0", "-1"),), elements="plain", close=1e4)
ROWS.update(family("polynomial.chebyshev.chebpts1 polynomial.chebyshev.chebpts2", const("1", "2", "5", "0", "2.5"), **PLAIN))
ROWS.update(family("polynomial.chebyshev.chebinterpolate", const("np.cos", "lambda x: x * x"), const("2", "0", "-1", "5"), **PLAIN))
