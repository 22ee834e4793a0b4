"""@vectorize against Python's own execution of the function, element by element, and against Numba where it is installed."""

import importlib.util
import linecache
import math
import operator
import re

import numpy
import pytest
import weft as np
from weft.numba import errors, float32, int32, int64, vectorize

N = 4


def twin(function, *args):
    """The function of each element, as Python runs it."""
    return numpy.vectorize(function, otypes=[object])(*map(numpy.asarray, args))


def branches(x, y):
    if x > y:
        z = x * 2
    elif x < -1.0:
        return -5.0
    else:
        z = y + N
    while z > 10:
        z -= 3
    return z


def escape(re, im):
    z = c = complex(re, im)
    for i in range(40):
        if abs(z) > 2.0:
            return i
        z = z * z + c
    return 40


def nested(x, n):
    total = 0.0
    for i in range(n):
        if i == 3:
            continue
        for k in range(2, i + 2, 2):
            if k > x * 3:
                break
            total += i * k + x
        else:
            total -= 1
        if total > 200:
            break
    return total


def helper(a, b=2.0):
    if a < b:
        return a * b, 1
    return a - b, 2


def calls(x, y):
    def twice(v):
        return v + v

    first, which = helper(x, y)
    second, _ = helper(x)
    scale = (lambda v: v * which)(y)
    return twice(first) + second * scale if x != y and not (y == 0 or x == 0) else math.pi


def functions(x, y):
    return (
        math.sqrt(abs(x))
        + math.exp(-y * y)
        + np.sin(x) * math.hypot(x, y)
        + math.atan2(y, x)
        + max(x, y, 0.5)
        - min(x, y)
        + math.floor(x)
        + math.fmod(x, 3.0)
    )


def rotations(x, n):
    return ((x << n) ^ (x >> 2)) & 0xFFFF | ~n


def floats(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(0, 3, shape).round(2)


@pytest.mark.parametrize("function", [branches, calls, functions], ids=lambda f: f.__name__)
def test_floats(function):
    x, y = floats(7, 50), floats(50, seed=1)
    got = vectorize(function)(np.array(x), np.array(y))
    assert type(got) is np.ndarray and got.dtype == numpy.float64
    numpy.testing.assert_allclose(numpy.asarray(got), twin(function, x, y).astype(float), rtol=1e-13)


def test_loops():
    x, n = floats(300), numpy.arange(300) % 12
    got = vectorize(nested)(np.array(x), np.array(n))
    numpy.testing.assert_allclose(numpy.asarray(got), twin(nested, x, n).astype(float), rtol=1e-13)


def test_complex_and_return_in_a_loop():
    re, im = numpy.meshgrid(numpy.linspace(-2, 1, 30), numpy.linspace(-1, 1, 20))
    got = vectorize(escape)(np.array(re), np.array(im))
    assert got.dtype == numpy.int64
    assert numpy.array_equal(numpy.asarray(got), twin(escape, re, im).astype(int))


def test_integers():
    x, n = numpy.arange(-40, 40), numpy.arange(80) % 7
    got = vectorize(rotations)(np.array(x), np.array(n))
    assert numpy.array_equal(numpy.asarray(got), twin(rotations, x, n).astype(int))


def test_random_programs():
    """Functions that are put together at random give what Python gives."""
    random = numpy.random.default_rng(5)
    for _ in range(12):
        text = program(random)
        function = written(text)
        x, y = random.normal(0, 2, 64).round(1), random.integers(-4, 5, 64)
        got = numpy.asarray(vectorize(function)(np.array(x), np.array(y)))
        want = twin(function, x.tolist(), y.tolist()).astype(float)
        numpy.testing.assert_allclose(got, want, rtol=1e-9, err_msg=text)


def program(random):
    """The text of a function of a float and an integer: assignments, branches and loops over floats a, b, c and integers i, j."""

    def pick(*options):
        return options[random.integers(len(options))]

    def real(depth=0):
        if depth > 2 or random.random() < 0.3:
            return pick("a", "b", "c", "x", "1.5", "-0.25")
        return pick(
            f"({real(depth + 1)} {pick('+', '-', '*')} {real(depth + 1)})",
            f"min({real(depth + 1)}, {real(depth + 1)})",
            f"({real(depth + 1)} if {truth()} else {real(depth + 1)})",
            f"math.tanh({real(depth + 1)})",
            f"({whole()} * 0.5)",
        )

    def whole():
        return pick("i", "j", "y", "3", "(i + j)", "(y // 2)", "(j % 5)", "(i - y)")

    def truth():
        return pick(
            f"{real(3)} < {real(3)}",
            f"{whole()} >= {whole()}",
            f"({real(3)} > 0 and {whole()} != 2)",
            f"not {whole()} == 1",
            "0 <= j < 3",
        )

    def lines(depth, loops):
        for _ in range(random.integers(1, 4)):
            kind = random.random()
            if kind < 0.5 or depth > 2:
                yield pick(
                    f"a = math.tanh({real()})",
                    f"b = math.tanh({real()})",
                    f"c = math.tanh({real()})",
                    f"i = {whole()} % 7",
                    f"j = {whole()} % 7",
                )
            elif kind < 0.75:
                yield f"if {truth()}:"
                yield from ("    " + line for line in lines(depth + 1, loops))
                if loops and random.random() < 0.3:
                    yield "    " + pick("break", "continue")
                if random.random() < 0.6:
                    yield "else:"
                    yield from ("    " + line for line in lines(depth + 1, loops))
                elif random.random() < 0.2:
                    yield f"    return {real()}"
            else:
                yield f"for k{depth} in range({pick('2', '3', 'abs(y)', '1, 4')}):"
                yield from ("    " + line for line in lines(depth + 1, True))

    body = ["a = 0.5", "b = x", "c = 1.0", "i = 1", "j = y % 7", *lines(0, False), "return a + 2 * b + 4 * c + i + j"]
    return "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)


def written(text, **names):
    """The function f of a text, the lines of which are known as those of a cell are."""
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names |= {"math": math, "np": np, "operator": operator}
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.parametrize(
    ("expression", "types", "result"),
    [
        ("x * 2", "f", "d"), ("x * 2.0", "f", "d"), ("x**2", "f", "f"), ("x**0.5", "f", "d"), ("x**2", "F", "D"), ("x**y", "Fb", "F"), ("x**y", "Fi", "D"), ("x**y", "FH", "D"), ("x + y", "bb", "l"), ("x + y", "IB", "L"),
        ("x + y", "lL", "l"), ("x + y", "hf", "f"), ("x + y", "Hf", "d"), ("x * y", "FH", "D"), ("x + y", "if", "d"), ("x / y", "ll", "d"), ("x / y", "fi", "d"), ("x // y", "ff", "f"),
        ("max(x, y)", "fi", "d"), ("abs(x)", "i", "i"), ("int(x)", "i", "i"), ("int(x)", "f", "l"), ("float(x)", "f", "f"), ("float(x)", "i", "d"),
        ("math.sin(x)", "f", "f"), ("math.sin(x)", "i", "d"), ("x + y", "Fd", "D"), ("abs(x)", "F", "f"), ("x < y", "lL", "?"),
        ("x if x > 1 else 0", "f", "d"), ("~x", "?", "?"), ("-x", "I", "L"), ("math.floor(x)", "d", "l"), ("round(x, 2)", "f", "f"),
        ("round(x)", "?", "l"), ("round(x)", "I", "l"), ("round(x, 1)", "h", "f"), ("round(x, 1)", "H", "d"), ("math.floor(x)", "B", "L"), ("math.ceil(x)", "h", "l"),
        ("abs(x)", "?", "b"), ("complex(x)", "F", "D"), ("complex(x)", "f", "F"), ("x**y", "?i", "f"), ("x**y", "?b", "l"), ("x**y", "?l", "l"), ("np.true_divide(x, y)", "bb", "f"),
        ("np.true_divide(x, y)", "il", "d"), ("np.add(x, y)", "fl", "f"), ("np.add(x, 1)", "b", "l"), ("np.add(x, y)", "lL", "d"), ("np.power(x, 2)", "f", "f"), ("np.floor(x)", "?", "?"),
    ],
)  # fmt: skip
def test_types(expression, types, result):
    """The dtypes of results, which Numba's rules decide."""
    function = written(f"def f({', '.join('xyz'[: len(types)])}):\n    return {expression}\n")
    assert vectorize(function)(*(np.ones(3, dtype=t) for t in types)).dtype == numpy.dtype(result)
    if importlib.util.find_spec("numba"):
        import numba

        assert numba.vectorize(function)(*(numpy.ones(3, dtype=t) for t in types)).dtype == numpy.dtype(result)


# Of numbers of the dtypes that the names are the letters of: the dtype of what an expression gives.
NUMBERS = """
math.copysign(b, B) f | math.copysign(h, f) f | math.copysign(H, H) d | math.copysign(b, l) d | math.copysign(b, 1) d | math.copysign(f, i) d
divmod(l, L)[0] d | divmod(L, b)[1] d | divmod(l, I)[0] l | divmod(B, L)[1] L | divmod(b, f)[0] f | np.divmod(b, b)[0] b | np.divmod(L, b)[1] d | np.divmod(i, f)[0] f
np.rint(F) F | np.rint(b) f | np.exp2(F) F | np.expm1(D) D | np.log1p(D) D | np.log2(F) F | np.log10(D) D | np.sign(F) F | np.sign(b) b | np.tan(F) F | np.arccosh(F) F
np.angle(F) d | np.angle(f) d | np.angle(F, True) d | np.angle(b, deg=True) d | np.sinc(f) d | np.sinc(F) D | np.nan_to_num(f) d | np.nan_to_num(F, nan=1.5) D | np.nan_to_num(h) h
np.round(f) d | np.around(f, 2) d | np.round(F) D | np.round(i, decimals=1) l | np.round(B) l | np.around(L) d | np.round(D, 2) D
operator.add(b, b) l | operator.itruediv(i, i) d | operator.pow(f, 2) f | operator.neg(I) L | operator.not_(f) ? | operator.lt(l, L) ? | operator.mod(L, l) l
"""


def test_types_of_functions():
    """The dtypes of functions' results, which Numba compiles all at once."""
    rows = [row.strip().rsplit(" ", 1) for row in re.split(r"[|\n]", NUMBERS.strip())]
    for expression, result in rows:
        used = [t for t in "bBhHiIlLfdFD" if re.search(rf"[(\s]{t}[,)]", expression)]
        function = written(f"def f({', '.join(used)}):\n    return {expression}\n")
        assert vectorize(function)(*(np.ones(3, dtype=t) for t in used)).dtype == numpy.dtype(result), expression
    if importlib.util.find_spec("numba"):
        import numba

        letters = "bBhHiIlLfdFD"
        function = written(f"def f({', '.join(letters)}):\n    return ({', '.join(expression for expression, _ in rows)})\n")
        function.__globals__["np"] = numpy
        compiled = numba.njit(function)
        compiled(*(numpy.dtype(t).type(1) for t in letters))
        types = [str(t) for t in compiled.nopython_signatures[0].return_type]
        assert types == [str(numpy.dtype(result)) for _, result in rows]


def test_signs_are_turned_in_as_many_bits_as_there_are():
    """-x and ~x of integers are of their own bits, and of 64 then, as in Numba."""
    for dtype in "bBhHiIlL":
        lowest = numpy.iinfo(dtype).min or 3
        x = numpy.array([lowest, 5, 0], dtype)
        for expression, made in ("-x", -x), ("~x", ~x):
            function = written(f"def f(x):\n    return {expression}\n")
            want = made.astype("L" if x.dtype.kind == "u" else "l")
            assert vectorize(function)(np.array(x)).tolist() == want.tolist()
            if importlib.util.find_spec("numba"):
                import numba

                assert numba.njit(function)(x[0]) == want[0]


def test_numpys_functions_have_numpys_loops():
    """In kernels NumPy's functions give what they do in NumPy, where floats are no float16: np.add of int8 is of int8, as in Numba."""
    values = numpy.array([1, 2, 100, 5, 3]), numpy.array([2, 1, 5, 3, 5])
    names = (
        "add subtract multiply power floor_divide remainder fmod maximum fmin bitwise_and bitwise_xor left_shift right_shift arctan2 hypot copysign "
        "negative positive square reciprocal conjugate absolute sign invert floor ceil trunc sqrt exp2 cbrt rint fabs deg2rad"
    )
    for name in names.split():
        ufunc = getattr(numpy, name)
        letters = [loop[0] for loop in ufunc.types if len({*loop} - {*"->"}) == 1 and loop[0] in "?bBhHiIlLfdFD"]
        function = written(f"def f({', '.join('xy'[: ufunc.nin])}):\n    return np.{name}({', '.join('xy'[: ufunc.nin])})\n")
        for types in ("b", "B", "?"), ("H", "H", "h"), ("i", "b", "f"), ("l", "L"), ("d",), ("f", "i"):
            for x, y in zip(types, types[1:] or types, strict=False):
                given = [v.astype(t) for v, t in zip(values, (x, y), strict=True)][: ufunc.nin]
                mixed = ufunc.nin == 2 and {a.dtype.kind for a in given} in ({"f", "i"}, {"f", "u"})
                loop = next((t for t in letters if all(numpy.can_cast(a.dtype, t) or mixed and t in "fd" for a in given)), None)
                if loop is None:
                    continue
                want = ufunc(*given, dtype=loop, casting="unsafe")
                got = numpy.asarray(vectorize(function)(*map(np.array, given)))
                assert got.dtype == want.dtype, (name, x, y)
                numpy.testing.assert_allclose(got, want, rtol=1e-6, err_msg=f"{name} of {x}, {y}")


def test_signatures():
    @vectorize([float32(float32, float32), "float64(float64, float64)"])
    def f(x, y):
        return x * y + 1

    assert f.types == ["ff->f", "dd->d"]
    assert f(np.ones(3, dtype="f"), np.ones(3, dtype="f")).dtype == numpy.float32
    assert f(np.ones(3, dtype="i"), 2).dtype == numpy.float64
    with pytest.raises(TypeError, match="did not contain a loop"):
        f(np.ones(3, dtype="D"), 1.0)
    with pytest.raises(TypeError, match="invalid signature"):
        vectorize(["float64 of float64"])
    assert (
        vectorize([int64(int32)], target="cuda")(written("def f(x):\n    return x + 1\n"))(
            np.arange(3, dtype="i")
        ).dtype
        == numpy.int64
    )


def test_order_of_signatures():
    """As NumPy chooses for ufuncs that are added to it, the first one that fits; the GPU's, which Numba chooses, those that match."""
    for target, result in ("cpu", numpy.float64), ("parallel", numpy.float64), ("cuda", numpy.float32):
        f = vectorize(["f8(f8, f8)", "f4(f4, f4)"], target=target)(written("def f(x, y):\n    return x * y\n"))
        assert f(np.ones(3, dtype="f"), np.ones(3, dtype="f")).dtype == result
        assert f(np.ones(3, dtype="f"), np.ones(3)).dtype == numpy.float64


def test_calls():
    @vectorize
    def f(x, y):
        return x - 2 * y

    a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    assert numpy.array_equal(f(a, b), numpy.asarray(a) - 2 * numpy.asarray(b))
    assert numpy.array_equal(f(a.T, 1.0), numpy.asarray(a).T - 2)
    assert f(3.0, 4) == -5.0 and f(np.float32(1), np.float32(2)).dtype == numpy.float64
    assert numpy.array_equal(f([1, 2], numpy.array([3.0, 4.0])), [-5.0, -6.0])
    out = np.empty((2, 3))
    assert f(a, b, out) is out and numpy.array_equal(out, f(a, b))
    assert f(a, b, out=out[::-1]) is not None and numpy.array_equal(out[::-1], f(a, b))
    host = numpy.empty((2, 3))
    assert f(a, b, out=host) is host and numpy.array_equal(host, f(a, b))
    f(a, 1.0, out=a)
    assert numpy.array_equal(a, numpy.arange(6.0).reshape(2, 3) - 2)
    assert f(np.ones((0, 3)), b).shape == (0, 3)
    with pytest.raises(ValueError, match="broadcast"):
        f(a, np.ones(4))
    with pytest.raises(TypeError, match="takes 2 positional arguments but 1"):
        f(a)
    with pytest.raises(TypeError, match="Cannot cast"):
        f(a, b, out=np.empty((2, 3), dtype=int))
    with pytest.raises(TypeError):
        f(a, "text")


def test_reduce():
    @vectorize
    def f(x, y):
        return 2 * x - y

    a = numpy.arange(24).reshape(2, 3, 4)
    want = numpy.frompyfunc(lambda x, y: 2 * x - y, 2, 1)
    for axis in (0, 1, 2, -1):
        assert numpy.array_equal(f.reduce(np.array(a), axis), want.reduce(a, axis).astype(int))
    assert f.reduce(np.array(a[0, 0])) == want.reduce(a[0, 0])
    with pytest.raises(ValueError, match="no identity"):
        f.reduce(np.empty(0))


def test_reduce_with_signatures():
    """Each step gives the signature's type."""
    add = vectorize(["float32(float32, float32)", "float64(float64, float64)"])(lambda a, b: a + b)
    assert add.reduce(np.arange(5.0)) == 10
    total = add.reduce(np.arange(5).astype("int16"))
    assert total == 10 and total.dtype == "float32"


def test_lambdas_on_a_line():
    """Each is told from the others by where it stands."""
    f, g = vectorize(lambda x: x + 1), vectorize(lambda x: x * 10)
    assert f(np.ones(1))[0] == 2 and g(np.ones(1))[0] == 10


def test_fuses():
    """A call is an operation like any other: one pass over memory with its neighbours, though it has branches."""

    @vectorize
    def f(x):
        return x * x + 1 if x > 0 else -x

    a = np.linspace(-1, 1, 200_000)
    np.sync()
    before = np.stats()["fused_operations"]
    b = np.sqrt(f(a * 2.0) + 3.0)
    np.sync()
    assert np.stats()["fused_operations"] - before >= 3
    x = 2 * numpy.asarray(a)
    numpy.testing.assert_allclose(numpy.asarray(b), numpy.sqrt(numpy.where(x > 0, x * x + 1, -x) + 3), rtol=1e-14)


ERRORS = [
    ("return x + None", errors.TypingError, r"operator \+ found for signature: \(float64, none\)"),
    ("return undefined(x)", errors.TypingError, "NameError: name 'undefined' is not defined"),
    ("return [x]", errors.UnsupportedError, "a list is not supported"),
    ("y = 1 if x > 0 else (1, 2)\n    return 0", errors.TypingError, r"Cannot unify int64 and UniTuple\(int64 x 2\)"),
    ("if x > 0:\n        return 1", errors.TypingError, "Cannot unify int64 and none"),
    (
        "try:\n        return x\n    except ValueError:\n        return 1",
        errors.UnsupportedError,
        "try is not supported",
    ),
    ("raise ValueError", errors.UnsupportedError, "raise is not supported"),
    ("z = y\n    y = 1\n    return z", errors.TypingError, "local variable 'y' referenced before assignment"),
    ("return f(x)", errors.UnsupportedError, "a function that calls itself"),
    ("return math.comb(x, 2)", errors.UnsupportedError, "math.comb is not supported"),
    ("return (1, 2)[x]", errors.TypingError, "an index is float64"),
    ("return x & 1", errors.TypingError, "operator &"),
    ("print(x)\n    return x", errors.UnsupportedError, "print is not supported"),
]


@pytest.mark.parametrize(("body", "error", "text"), ERRORS, ids=[body.split("\n")[0] for body, _, _ in ERRORS])
def test_errors(body, error, text):
    """What is wrong is told with its line, a mark under it, and the types of the names."""
    f = vectorize(written(f"def f(x):\n    {body}\n"))
    with pytest.raises(error, match=text) as told:
        f(np.ones(3))
    assert issubclass(error, errors.NumbaError)
    assert "^" in str(told.value) and "x: float64" in str(told.value) and ", in f:" in str(told.value)
