"""A scene: the statements that make the arguments of a call, as text that runs with np = numpy and with np = weft.

All that is chosen is chosen by one function of a count, which gives an integer below it: in the tests from bytes that hypothesis draws, so that
what fails shrinks to the first choices.
"""

import warnings

import numpy

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
NUMBERS = ["float64", "int64", "float32", "complex128", "bool", "uint8", "int32", "int8", "uint64", "float16", "complex64", "int16", "uint16", "uint32"]
REAL = [name for name in NUMBERS if name[0] != "c"]
WHOLE = ["bool", *INTEGERS]
INEXACT = [*FLOATS, *COMPLEX]
# Of dtypes that are NumPy's alone in weft.
FOREIGN = [">f8", ">i4", "O", "U2", "S3", "M8[D]", "m8[s]", "longdouble"]

# Arrays that few programs have: of records, of classes derived from ndarray, of many axes, of other byte orders, unaligned, of no elements in odd layouts.
UNUSUAL = [
    "np.array([(1, 2.5), (3, -0.5), (2, 1.5)], 'i4,f8')", "np.array([(1, 2.5), (3, -0.5)], 'i4,f8')[::-1]", "np.rec.array([(1, 'a'), (2, 'b')])", "np.array([((1, 2),)], [('p', 'i2', 2)])['p']",
    "np.matrix([[1, 2], [3, 4]])", "np.matrix([[1.5, -2, nan]])", "np.ma.array([1.0, 2, 3], mask=[0, 1, 0])", "np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]).T", "np.arange(3.0).view(type('Own', (np.ndarray,), {}))",
    "np.arange(6).reshape(2, 3).view(type('Own', (np.ndarray,), {}))[:, ::-1]", "np.array(['b', 'a', 'b']).view(np.char.chararray)", "np.arange(4.0).reshape((1,) * 31 + (2, 2))", "np.ones((1,) * 33 + (3,), 'i4')", "np.arange(2).reshape((1,) * 62 + (2, 1))",
    "np.arange(3.0).astype('>f8')[::-1]", "np.array([7, -2, 3], '>i4')", "np.array([1 + 2j, nan, 0], '>c16')", "np.array([True, False, True]).view('>u1')", "np.frombuffer(bytes(1) + np.arange(3.0).tobytes(), 'f8', offset=1)",
    "np.zeros((3, 0, 2), order='F')", "np.zeros((0, 3))[:, ::-2]", "np.broadcast_to(np.float32(2.5), (2, 3))", "np.lib.stride_tricks.as_strided(np.arange(5.0), (3, 3), (8, 8))", "np.array([1, 'a', None, 2.5], object)", "np.array(['2024-01-01', 'NaT'], 'M8[s]').reshape(2, 1)",
    "np.array(5, '>i8')", "np.array([0.1, nan], 'g')[::-1]",
]  # fmt: skip

SHAPES = ["(3,)", "(2, 3)", "(4,)", "(1,)", "()", "(0,)", "(3, 1)", "(2, 0)", "(2, 1, 3)", "(1, 3)", "(3, 3)", "(2, 2, 2)", "(17,)", "(40, 7)"]


def pool(dtype, kind):
    """The elements that arrays of a dtype are made of.

    "plain" are small multiples of 1/4, whose sums and products are exact in any order; "tame" has infinities, NaN and both zeros as well,
    of which the same is true; "special" has what is the largest, the smallest and next to them; "positive" those of the plain ones that are,
    "unit" is for probabilities and angles.
    """
    character = numpy.dtype(dtype).kind
    if character == "b":
        return [False, True]
    if character in "iu":
        plain = [1, 0, 2, 3, 5, 7] + ([-1, -2, -3] if character == "i" and kind != "positive" else [])
        if kind == "positive":
            return [1, 2, 3, 5]
        limits = numpy.iinfo(dtype)
        return plain + ([limits.max, limits.min, limits.max - 1, limits.min + 1] if kind == "special" else [])
    if kind == "positive":
        return [1.0, 2.0, 0.5, 3.0, 1.5]
    if kind == "unit":
        return [0.5, 0.25, 0.0, 1.0, 0.75]
    plain = [1.0, 0.0, -1.0, 2.0, 0.5, 3.0, -2.5, 4.0, -0.25]
    if kind == "plain":
        return plain
    tame = [*plain, -0.0, numpy.inf, -numpy.inf, numpy.nan]
    if kind == "tame":
        return tame
    limits = numpy.finfo(numpy.dtype(dtype).char.lower() if character == "c" else dtype)
    return [*tame, 0.1, -0.7, *(float(v) for v in (limits.max, -limits.max, limits.tiny, -limits.tiny, limits.smallest_subnormal)), 100.5, 1e4]


class Scene:
    """What one example is made of; choose(n) gives an integer from 0 to n - 1."""

    def __init__(self, choose, elements="special", unusual=False):
        self.choose = choose
        self.elements = elements
        self.unusual = unusual
        self.statements = []
        self.names = {"np": numpy, "nan": numpy.nan, "inf": numpy.inf}
        self.arrays = []  # their names, in order

    def pick(self, *options):
        return options[self.choose(len(options))]

    def chance(self, n):
        """Once in n."""
        return self.choose(n) == n - 1

    def state(self, name, text):
        """Add the statement that gives a name its value, which is evaluated here with NumPy."""
        self.statements.append(f"{name} = {text}")
        with warnings.catch_warnings(action="ignore"):
            self.names[name] = eval(text, self.names)
        self.arrays.append(name)
        return name

    def value(self, text):
        """NumPy's value of an expression of the scene, or None where it has none."""
        try:
            with warnings.catch_warnings(action="ignore"):
                return eval(text, self.names)
        except Exception as error:
            if isinstance(error, RecursionError):
                raise
            return None

    def shape(self, low=0, high=9):
        """A shape of so many dimensions."""
        return eval(self.pick(*(s for s in SHAPES if low <= len(eval(s)) <= high)))

    def literal(self, dtype, shape, kind=None):
        """An array of elements of the pool, as text."""
        kind = kind or self.elements
        if dtype in FOREIGN:
            return f"np.array({_FEW[dtype]}, {dtype!r}).repeat({int(numpy.prod(shape))} // 2 + 1)[:{int(numpy.prod(shape))}].reshape({shape})"
        elements = pool(dtype, kind)
        size = int(numpy.prod(shape))
        listed = min(size, 12)
        if numpy.dtype(dtype).kind == "c":
            parts = [f"complex({elements[self.choose(len(elements))]!r}, {elements[self.choose(len(elements))]!r})" for _ in range(listed)]
        else:
            parts = [repr(elements[self.choose(len(elements))]) for _ in range(listed)]
        text = f"[{', '.join(parts)}]"
        if size > listed:
            text = f"({text} * {-(-size // listed)})[:{size}]"
        text = f"np.array({text}, {dtype!r})"
        return text if len(shape) == 1 else f"{text}.reshape({shape})"

    def array(self, dtypes=NUMBERS, shape=None, kind=None, plain=False):
        """A new array in one of the layouts that arrays have; its name."""
        if self.unusual and kind is None and not plain and self.chance(2):
            return self.state(chr(ord("a") + len(self.arrays)), self.pick(*UNUSUAL))
        dtype = self.pick(*dtypes)
        if dtypes is NUMBERS and self.chance(25):
            dtype = self.pick(*FOREIGN)
        shape = self.shape() if shape is None else shape
        rank = len(shape)
        layout = "plain" if plain or not rank else self.pick("plain", "plain", "plain", "columns", "reversed", "steps", "broadcast", "offset", "moved")
        axis = self.choose(rank) if rank and layout in ("reversed", "steps", "broadcast", "offset", "moved") else 0
        first = ":, " * axis
        if layout == "columns":
            text = self.literal(dtype, shape[::-1], kind) + ".T"
        elif layout == "reversed":
            text = self.literal(dtype, shape, kind) + f"[{first}::-1]"
        elif layout == "steps":
            text = self.literal(dtype, (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]), kind) + f"[{first}::2]"
        elif layout == "broadcast":
            text = f"np.broadcast_to({self.literal(dtype, (*shape[:axis], 1, *shape[axis + 1 :]), kind)}, {shape})"
        elif layout == "offset":
            text = self.literal(dtype, (*shape[:axis], 1 + shape[axis], *shape[axis + 1 :]), kind) + f"[{first}1:]"
        elif layout == "moved":
            text = self.literal(dtype, (shape[axis], *shape[:axis], *shape[axis + 1 :]), kind)
            text += f".transpose({(*range(1, axis + 1), 0, *range(axis + 1, rank))})"
        else:
            text = self.literal(dtype, shape, kind)
        return self.state(chr(ord("a") + len(self.arrays)), text)

    def view(self, name):
        """A view of an array of the scene that has its shape: what overlaps it; its name."""
        rank = getattr(self.names[name], "ndim", 0)
        ways = ["[...]"] + (["[::-1]", "[..., ::-1]"] if rank else []) + ([".T"] if rank > 1 and len(set(self.names[name].shape)) == 1 else [])
        return self.state(chr(ord("a") + len(self.arrays)), name + self.pick(*ways))

    def number(self, kind=None):
        """A number of Python's or a scalar of NumPy's, as text."""
        kind = kind or self.elements
        special = ["300", "-(2**40)", "2**63", "nan", "inf", "-0.0", "1e300", "np.float16(0.1)"] if kind in ("special",) else []
        return self.pick("2", "0.5", "True", "-1", "0", "1 + 2j", "np.float32(1.5)", "np.int8(3)", "np.float64(0.25)", "np.uint64(7)", *special)

    def nested(self, dtypes=("float64", "int64", "bool")):
        """A list or a tuple, as text."""
        dtype = self.pick(*dtypes)
        made = self.literal(dtype, self.shape(1, 2), "plain")
        text = repr(eval(made, self.names).tolist())
        return f"tuple({text})" if self.chance(3) else text

    def like(self, *limits):
        """What functions take for an array: mostly an array, else a list or a number."""
        which = self.choose(10)
        if which < 8 or limits and limits[0] > 0:
            return self.array(shape=self.shape(*limits) if limits else None)
        return self.nested() if which == 8 else self.number()


_FEW = {
    ">f8": "[1.5, -2.0]", ">i4": "[7, -2]", "O": "[3, 2.5]", "U2": "['b', 'aa']", "S3": "[b'b', b'aaa']", "M8[D]": "['2024-01-01', 'NaT']", "m8[s]": "[5, -3]",
    "longdouble": "[0.5, 2.0]",
}  # fmt: skip

WRONG = ["None", "'x'", "1.5", "-7", "[]", "(0, 0)", "Ellipsis", "[[1, 2], [3]]", "99", "np.array([[1, 2]])", "np.array([])", "{}", "1j", "slice(2)"]
