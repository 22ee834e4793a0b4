"""What is wrong with a kernel is shown where it is written: the line, what in it is wrong, and the types of the names there."""

import inspect
import re
import traceback

import numpy
import pytest
import weft as np
from weft import cuda
from weft.compiled import errors, sources
from weft.numba import njit, prange, stencil

# Lines of a kernel that are not compiled; | begins another line.
WRONG = r"""
try:|    out[0] = 1|except ValueError:|    pass
with x:|    out[0] = 1
yield 1
d = {1: 2}
d = {1, 2}
d = [1, 2]
d = [v for v in x]
d = {v for v in x}
d = {v: 1 for v in x}
d = (v for v in x)
class A:|    pass
x, *y = (1, 2, 3)
out[0] = foo
out[0] = math.nothing(1)
out[0] = x.real + "a"
out[0] = f"{x}"
del x
out[0] = (lambda *a: 1)(1)
async def f():|    pass
def f(*a):|    return a|out[0] = f(1)
def f(a, *, b):|    return a|out[0] = f(1, b=2)
out[0] = print
out[0] = x @ x
out[0] = x < x
out[0] = not x
out[0] = -x
out[0] = x and 1
out[0] = x[1.5]
out[0] = x["a"]
out[0] = (1, 2)[x]
out[0] = abs(x)
out[0] = np.zeros(3)
out[0] = int("3")
out[0] = open("f")
out[0] = x.foo
out[0] = (1).foo
x.foo = 1
x = 5|x[0] = 1
while x:|    pass
for i in 5:|    pass
assert x
raise
raise x
raise KeyError
return 5
out[0] = range(5)
out[0] = cuda.nothing
out[0] = cuda.grid(4)
cuda.shared.array(x, np.float32)
cuda.atomic.add(1, 2, 3)
out[0] = numpy.linalg.norm(x)
out[0] = cuda.threadIdx.w
out[0] = x[0](3)
if x[0] > 2:|    y = x|out[0] = y[0]
print(x)
print(1, sep='')
out[0] = x if x[0] else 1
out[0], y = 5
out[0] = cuda.fma(1, 2)
out[0] = np.sin(x=3)
out[0] = sorted(x)
out[0] = issubclass(x, int)
y = x|y += 1
x[0] += "a"
out[0] = 1 if x[0] > 1 else "a"
y = 1|if x[0] > 1:|    y = (1, 2)
out[0] = np.float32
match x[0]:|    case {"a": 1}:|        pass
import os
from os import path
"""


@pytest.mark.parametrize("body", WRONG.strip("\n").split("\n"))
def test_it_is_shown_where_it_is_written(body):
    lines = re.split(r"(?<! )\|", body)
    text = "def k(x, out):\n    i = cuda.grid(1)\n" + "".join(f"    {line}\n" for line in lines)
    kernel = cuda.jit(sources.define("k", text, {"cuda": cuda, "np": np, "numpy": numpy}))
    x, out = np.ones(3), np.zeros(3)
    with pytest.raises((errors.NumbaError, TypeError, ValueError)) as caught:
        kernel[1, 4](x, out)
    said = str(caught.value)
    shown = re.search(r'File "<weft k \d+>", line (\d+), in (k|f|<lambda>):\n    (.*)\n    ( *\^+)', said)
    assert shown, said
    assert shown[3] in text and text.splitlines()[int(shown[1]) - 1].rstrip() == shown[3].rstrip()
    assert len(shown[4]) <= len(shown[3]) and "Types of names there: " in said and "out: array(float64, 1d)" in said
    assert (out == 0).all() and (x == 1).all()


def starred(x, *rest):
    x[0] = 1


def named(x, *, größe):
    x[0] = größe


@pytest.mark.parametrize("function, at", [(starred, "rest"), (named, "größe")])
def test_parameters(function, at):
    with pytest.raises(errors.UnsupportedError) as caught:
        cuda.jit(function)[1, 1](np.ones(3), 1)
    said = str(caught.value).splitlines()
    line, marks = said[-4:-2]
    assert said[-5].startswith('File "') and said[-5].endswith(f"line {function.__code__.co_firstlineno}, in {function.__name__}:")
    assert line[marks.index("^") : len(marks)] == at and said[-1] == "Name each parameter."


def test_declared_functions():
    outside = cuda.declare_device("outside", "float32(float32)", link="outside.ptx")
    assert repr(outside) == "<declared function 'outside': (float32) -> float32>"

    @cuda.jit
    def calls(x):
        x[0] = outside(x[0])

    with pytest.raises(errors.TypingError, match="outside, which declare_device declares: it is code of another compiler") as caught:
        calls[1, 1](np.ones(3, dtype="f4"))
    assert "^^^^^^^" in str(caught.value)
    with pytest.raises(errors.UnsupportedError, match="link=.'a.cu'.: code of other compilers"):
        cuda.jit(link=["a.cu"])(calls.py_func)
    with pytest.raises(TypeError, match="Return type must be provided"):
        cuda.declare_device("outside", "(float32,)")
    with pytest.raises(NotImplementedError, match="Unsupported ABI"):
        cuda.declare_device("outside", "float32(float32)", abi="fortran")
    with pytest.raises(RuntimeError, match="outside is for kernels"):
        outside(1.0)


def test_starred_targets_are_not_counted():
    def kernel(out):
        a, *b = (1, 2, 3)
        out[0] = a + b[0]

    with pytest.raises(errors.UnsupportedError, match="a starred expression is not supported") as caught:
        cuda.jit(kernel)[1, 1](np.zeros(1))
    assert "\n           ^^\n" in str(caught.value)


class Wrong:
    """Functions with a line that is wrong, which says so behind it: what is said, of what in the line."""

    def loop(x, out):
        weight = 2.0
        for i in prange(out.shape[0]):
            if i % 2:
                continue
            first, second = x[i]  # ValueError: too many values to unpack (expected 2, got 3)
            out[i] = weight * first + second

    def loop_of_a_list(x, out):
        for i in prange(3):
            out[i] = (
                [1, 2][0] + x  # UnsupportedError: [1, 2]
            )

    def loop_in_a_loop(x, out):
        total = 0
        for j in range(2):
            for i in prange(3):
                total = total + x[i, j]
            for i in prange(5):  # of which the second
                out[i] = total + x[i + 4, j]  # IndexError: index 4 is out of bounds for axis 0 of x with size 3
        return total

    def neighbours(x, out):
        y = x[0, 1] * 2
        return x[-1, 0] + inspect + out[0, 0] * y  # TypingError: inspect

    def behind_a_loop(x, out):
        for i in prange(3):
            out[i] = 1
        raise KeyError(x.shape)  # KeyError: raise KeyError(x.shape)


@pytest.mark.parametrize("name", [name for name in vars(Wrong) if name[0] != "_"])
def test_loops_and_stencils_are_shown_where_they_are_written(name):
    function = vars(Wrong)[name]
    lines, first = inspect.getsourcelines(function)
    ((line, text),) = ((first + k, text.rstrip()) for k, text in enumerate(lines) if "Error: " in text)
    kind, said = re.search(r"# (\w+): (.*)", text).groups()
    with pytest.raises((ArithmeticError, LookupError, ValueError, errors.NumbaError)) as caught:
        x, out = numpy.ones((3, 3)), numpy.zeros(9)
        if name == "neighbours":
            stencil(function)(x, x)
        else:
            njit(parallel=True)(function)(x, out)
    assert caught.type.__name__ == kind
    if issubclass(caught.type, errors.NumbaError):
        _, where, shown, marks, *_ = str(caught.value).split("\n")[1:]
        assert where == f'File "{__file__}", line {line}, in {name}:' and shown.strip() == text.strip()
        assert shown[marks.index("^") : len(marks)] == said
    elif kind == "KeyError":
        at = traceback.extract_tb(caught.tb)[-1]
        assert (at.filename, at.lineno, at.name) == (__file__, line, name)
        assert text.encode()[at.colno : at.end_colno].decode() == said
    else:
        assert said in str(caught.value) and re.search(rf"kernel {name}_loop, line {line},", str(caught.value)), str(caught.value)
