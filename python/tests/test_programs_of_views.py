"""Random programs that write through views of each other: other dtypes, indices of all kinds, out= with casts and masks, np.errstate. Values, strides, errors and warnings are NumPy's.

Reductions and elementary functions have tests of their own: here are statements whose results are the same bits in any case.
"""

import random
import warnings

import numpy
import pytest
import weft
from weft import _core

PROGRAMS, BLOCKS = 360, 12
DTYPES = "f8 f4 i8 i4 u1 ? c16 f2 i1 u2".split()
SHAPES = [(), (1,), (5,), (3, 4), (2, 3, 4), (0, 3), (1, 4), (4, 1), (6, 6), (3, 1, 4)]
NUMBERS = [0, 1, 2, 3, 7, 100, 2.5, 4]
INDICES = [":", "::-1", "1:", ":-1", "::2", "2:0:-1", "1:1", "-2:", ":10", "...", "None", "0", "1", "-1", "2", "-3"]
PICKS = ["[0, 1]", "[-1, 0, 0]", "[True, False, True]", "[]", "[[0], [1]]", "np.array([1, 0])", "np.array(1)", "np.bool_(True)", "True", "False", "numpy.array([0, 2])", "np.int8(1)"]
VALUES = ["1", "2.5", "-3", "True", "1e5", "np.float32(2)", "np.int64(-1)", "numpy.float16(3)", "300", "None", "'5'", "np.uint8(200)", "[1, 2, 3, 4]", "[1.5]", "[[1], [2], [3]]", "(1, 2, 3, 4, 5)",
    "[True]", "[]", "[[1, 2], [3]]", "numpy.arange(4.0)", "numpy.arange(4)[::-1]", "numpy.arange(4.0)[:, None]"]  # fmt: skip
VIEWS = ["{v}.T", "{v}.ravel()", "{v}.reshape(-1)", "{v}[::-1]", "np.broadcast_to({v}, (2,) + {v}.shape)", "np.expand_dims({v}, 0)", "{v}.real", "{v}.view('u1')", "{v}.diagonal()", "{v}.squeeze()", "np.swapaxes({v}, 0, -1)", "{v}.copy()",
    "{v}.astype('f4')", "{v}[...]", "{v}.flat[1:]", "np.atleast_2d({v})", "np.moveaxis({v}, 0, -1)", "np.flip({v})", "np.rot90({v})", "np.asfortranarray({v})", "np.split({v}, 2)[1]", "np.lib.stride_tricks.sliding_window_view({v}, 2, 0)"]  # fmt: skip
BINARY = "add subtract multiply maximum minimum fmax logical_and bitwise_xor less equal copysign".split()
UNARY = "negative absolute square floor sign isnan conjugate invert logical_not rint signbit".split()
ASSIGNED = ["+=", "-=", "*=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="]
SETTINGS = ["all='raise'", "all='ignore'", "all='warn', under='ignore'", "over='raise'", "invalid='raise', divide='ignore'"]
CALLS = ["np.copyto({v}, {x}, casting={c!r}, where={w} > 0)", "np.putmask({v}, {w} > 0, {x})", "{v}.fill({x})", "{v}.sort(axis={a})", "np.take({v}, [0, 1], axis=0, out={w}, mode='clip')", "np.clip({v}, 0, {x}, out={w})",
    "np.concatenate([{v}, {w}], out={w}, casting='unsafe')", "{v}.flat[{i}] = {x}", "{v}.shape = (-1,)", "np.maximum.reduce({v}, axis={a}, out={w})", "np.maximum.accumulate({v}, 0)", "np.add.at({v}, {i}, 2)", "np.put({v}, [0, 1], {x})", "np.place({v}, {v} > 0, {x})"]  # fmt: skip
MADE = ["{v} {o} {x}", "{x} {o} {v}", "np.where({v} > 0, {x}, {w})", "-{v}", "abs({v})", "{v}.astype({d!r}, casting={c!r})", "~{v}", "np.stack([{v}, {v}], -1)", "np.repeat({v}, 2)"]


class Writer:
    """Writes a program: statements, and settings for those that follow, as tuples."""

    def __init__(self, seed):
        self.random, self.names = random.Random(seed), []

    def pick(self, of):
        return of[self.random.randrange(len(of))]

    def likely(self, part):
        return self.random.random() < part

    def named(self, expression):
        self.names.append(f"v{len(self.names)}")
        return f"{self.names[-1]} = {expression}"

    def array(self):
        shape, dtype = self.pick(SHAPES), self.pick(DTYPES)
        values = [self.pick(NUMBERS) for _ in range(numpy.prod(shape, dtype=int))]
        made = f"np.array({values!r}, float).reshape({shape!r}).astype({dtype!r})"
        if self.likely(0.15):
            made = f"np.array({made}, order='F')"
        return self.named(made)

    def index(self):
        parts = [self.pick(INDICES) if self.likely(0.8) else f"{self.pick(self.names)} > 0" if self.likely(0.4) else self.pick(PICKS) for _ in range(self.pick([1, 1, 1, 2, 2, 3]))]
        return ", ".join(parts)

    def value(self):
        return self.pick(self.names) if self.likely(0.5) else self.pick(VALUES) if self.likely(0.8) else f"{self.pick(self.names)}[{self.index()}]"

    def said(self, text):
        return text.format(v=self.pick(self.names), w=self.pick(self.names), x=self.value(), c=self.pick(["unsafe", "same_kind"]), a=self.pick(["0", "-1", "None"]), i=self.pick(["1", "::2", "[0, 1]", ":"]), d=self.pick(DTYPES), o=self.pick(["+", "-", "*", "<", "==", "&", "|", "//", "%"]))

    def options(self):
        text = f", casting={self.pick(['unsafe', 'same_kind', 'safe', 'no', 'equiv'])!r}" if self.likely(0.3) else ""
        if self.likely(0.2):
            text += f", where={self.pick([self.pick(self.names) + ' > 0', 'True', 'False', 'np.array([True, False])[:1]'])}"
        return text + (f", dtype={self.pick(DTYPES)!r}" if self.likely(0.1) else "") + (f", order={self.pick('CFKA')!r}" if self.likely(0.1) else "")

    def statement(self):
        kind, name = self.random.random(), self.pick(self.names)
        if kind < 0.2:
            return self.named(f"{name}[{self.index()}]" if self.likely(0.4) else self.said(self.pick(VIEWS)))
        if kind < 0.42:
            return f"{name}[{self.index()}] = {self.value()}"
        if kind < 0.56:
            return f"{name}[{self.index()}] {self.pick(ASSIGNED)} {self.value()}"
        if kind < 0.64:
            return f"{name} {self.pick(ASSIGNED)} {self.value()}"
        if kind < 0.8:
            call = f"np.{self.pick(BINARY)}({self.value()}, {self.value()}" if self.likely(0.7) else f"np.{self.pick(UNARY)}({self.value()}"
            return f"{call}, out={name}{self.options()})"
        return self.said(self.pick(CALLS)) if kind < 0.9 else self.named(self.said(self.pick(MADE)))

    def program(self):
        made = [self.array() for _ in range(3)]
        for _ in range(12):
            made.append(self.array() if self.likely(0.06) else self.statement())
            if self.likely(0.08):
                made.append((self.pick(SETTINGS),))
        return made


def seen(value):
    if not isinstance(value, numpy.ndarray | weft.ndarray):
        return type(value).__name__, repr(value)
    array = numpy.asarray(value)
    strides = [step for step, n in zip(value.strides, value.shape, strict=True) if n > 1] if value.size else None
    return value.dtype.str, value.shape, strides, repr(array.tolist()).replace("-nan", "nan"), bool(value.flags.writeable)


def outcomes(module, program):
    """After each statement: the error, what was warned of, and the program's arrays. Of two wrong indices either may be named."""
    names, settings, told = {"np": module, "numpy": numpy}, {}, []
    for statement in program:
        if isinstance(statement, tuple):
            settings = eval(f"dict({statement[0]})")
            continue
        error = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with module.errstate(**settings):
                    exec(statement, names)
                    if module is weft:  # what is computed later is told of by then
                        [numpy.asarray(value) for value in names.values() if type(value) is weft.ndarray]
                        _core.tell_floating()
            except Exception as raised:
                error = type(raised).__name__, "" if isinstance(raised, IndexError) else str(raised).replace("weft.ndarray", "numpy.ndarray")
        warned = sorted({str(one.message) for one in caught if issubclass(one.category, RuntimeWarning) and one.category is not weft.FallbackWarning})
        told.append((statement, error, warned, {name: seen(value) for name, value in names.items() if name[:1] == "v"}))
    return told


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("few", [None, 0], ids=["few", "native"])
def test_programs_are_numpys(block, few):
    usual = _core.few(0)
    _core.few(usual if few is None else few)
    try:
        for seed in range(block, PROGRAMS, BLOCKS):
            program = Writer(seed).program()
            for want, got in zip(outcomes(numpy, program), outcomes(weft, program), strict=True):
                assert got == want, "; ".join(map(str, program[: program.index(want[0]) + 1]))
    finally:
        _core.few(usual)
