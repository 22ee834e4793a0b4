"""Random numbers with a seed: the functions of np.random, and the methods of Generator and RandomState. What is drawn next is looked at, too."""

from . import rows
from .rows import const, family
from .scene import REAL

size = const("None", "3", "(2, 3)", "()", "0", "(40, 7)", "-1", "(2, 0)", "1.5")
SIZE = {"size": size}
single = const("'f4'", "'f8'", "np.float32", "'i8'", "'f2'")


def parameter(*numbers):
    """A parameter of a distribution: a number, or an array of them."""

    def form(scene):
        if scene.choose(4):
            return scene.pick(*numbers)
        return scene.state(chr(ord("a") + len(scene.arrays)), f"np.array([{', '.join(scene.pick(*numbers) for _ in range(3))}])")

    return form


positive = parameter("1", "2.5", "0.5", "10", "0", "-1", "100.0", "nan")
anything = parameter("0", "-2.5", "10", "inf", "nan")
chance = parameter("0.5", "0.1", "0.9", "1", "0", "1.5", "nan")
whole = parameter("5", "0", "30", "1", "-1", "1000", "2.5")
shuffled = rows.array(*REAL)

# The parameters of the distributions by their names, as they are the same for functions and methods.
DISTRIBUTIONS = {
    "beta f": (positive, positive), "binomial": (whole, chance), "chisquare standard_gamma standard_t pareto power weibull zipf": (positive,),
    "exponential rayleigh poisson": (positive,), "gamma wald": (positive, positive), "geometric logseries": (chance,),
    "gumbel laplace logistic normal": (anything, positive), "lognormal": (anything, positive), "hypergeometric": (whole, whole, whole),
    "negative_binomial": (whole, chance), "noncentral_chisquare": (positive, positive), "noncentral_f": (positive, positive, positive),
    "standard_cauchy standard_exponential standard_normal": (), "triangular": (const("0", "-1"), const("0", "0.5"), const("1", "2", "-3")),
    "uniform": (anything, anything), "vonmises": (anything, positive),
}  # fmt: skip
COMMON = {
    **{name: rows.Row(given, SIZE) for names, given in DISTRIBUTIONS.items() for name in names.split()},
    **family("dirichlet", const("[1, 2]", "[0.5, 1.5, 3]", "[]", "[-1, 2]", "(10, 0.1)"), keywords=SIZE),
    **family("multinomial", whole, const("[0.5, 0.5]", "[0.2, 0.3, 0.5]", "[1.0]", "[0.9, 0.9]", "[]"), keywords=SIZE),
    **family("multivariate_normal", const("[0, 1]", "[0.0]", "np.zeros(2)"), const("np.eye(2)", "[[2, 0.5], [0.5, 1]]", "[[1.0]]", "[[1, 2], [3, -4]]"), keywords={**SIZE, "check_valid": const("'warn'", "'raise'", "'ignore'", "'x'"), "tol": const("1e-8")}),
    **family("choice", const("5", "[1, 2, 3]", "np.arange(6.0)", "0", "np.arange(6).reshape(3, 2)", "1000", "-1"), keywords={**SIZE, "replace": rows.flag, "p": const("[0.2, 0.3, 0.5]", "[0.5, 0.5, 0.5]", "None")}),
    **family("permutation", const("5", "0", "np.arange(5.0)", "[1, 2, 3]", "np.arange(6).reshape(3, 2)", "1.5", "1000")),
    **family("shuffle", shuffled),
}  # fmt: skip
LEGACY = {
    **COMMON,
    **family("rand randn", rows.maybe(const("3", "2, 3", "0", "-1", "()"))),
    **family("random random_sample", rows.maybe(size)),
    **family("randint", const("5", "0", "-3", "[1, 2, 3]", "2**31", "300"), rows.maybe(const("10", "None", "[5, 6, 7]", "-5")), keywords={**SIZE, "dtype": const("int", "'u1'", "'i2'", "bool", "'i8'", "'f8'", "'u8'")}),
    **family("random_integers", const("5", "0", "3"), rows.maybe(const("10", "None")), keywords=SIZE),
}  # fmt: skip
GENERATOR = {
    **COMMON,
    **family("integers", const("5", "0", "-3", "[1, 2, 3]", "2**31", "300"), rows.maybe(const("10", "None", "[5, 6, 7]", "-5")), keywords={
        **SIZE, "dtype": const("int", "'u1'", "'i2'", "bool", "'i8'", "'f8'", "'u8'"), "endpoint": rows.flag,
    }),
    **family("random standard_normal", rows.maybe(size), keywords={"dtype": single, "out": None}),
    **family("standard_exponential", rows.maybe(size), keywords={"dtype": single, "out": None, "method": const("'zig'", "'inv'", "'x'")}),
    **family("standard_gamma", positive, keywords={**SIZE, "dtype": single, "out": None}),
    **family("permuted", rows.like, keywords={"axis": rows.axis_or_none, "out": None}),
    **family("shuffle", shuffled, keywords={"axis": rows.axis}),
    **family("permutation", const("5", "np.arange(5.0)", "[1, 2, 3]", "np.arange(6).reshape(3, 2)"), keywords={"axis": rows.axis}),
    **family("multivariate_hypergeometric", const("[3, 4, 5]", "[1000, 2]", "[]", "[-1, 3]"), whole, keywords={**SIZE, "method": const("'marginals'", "'count'", "'x'")}),
}  # fmt: skip
GENERATOR["choice"] = COMMON["choice"]._replace(keywords={**COMMON["choice"].keywords, "axis": const("0", "1", "-1"), "shuffle": rows.flag})
GENERATOR["multivariate_normal"] = COMMON["multivariate_normal"]._replace(
    keywords={**COMMON["multivariate_normal"].keywords, "method": const("'svd'", "'eigh'", "'cholesky'", "'x'")}, close=1e4
)
LEGACY["multivariate_normal"] = COMMON["multivariate_normal"]._replace(close=1e4)

ROWS = {
    **{"random." + name: row for name, row in LEGACY.items()},
    **{"random.RandomState." + name: row for name, row in LEGACY.items()},
    **{"random.Generator." + name: row for name, row in GENERATOR.items()},
    **{name: row for other in ("ranf", "sample") for name, row in {"random." + other: LEGACY["random_sample"]}.items()},
    "random.RandomState.tomaxint": rows.Row((rows.maybe(size),)),
}
