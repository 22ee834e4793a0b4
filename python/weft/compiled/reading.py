"""Functions as text for the compiler: the syntax tree of a function, and what its names that are not local were when it was read.

The text form is that of weft/jit (jit/doc.go): (kind position word node...).
"""

import ast
import builtins
import enum
import inspect
import re
import sys
import types

import numpy

from .errors import TypingError, UnsupportedError
from .operands import is_ours, ours
from .syntax import Syntax, atom, constant, node, odd, place, word

_MODULES = {
    "math": "math",
    "cmath": "cmath",
    "numpy": "np",
    "weft": "np",
    "weft.cuda": "cuda",
    "weft.compiled.intrinsics": "cuda",
    "weft.numba": "numba",
    "numba": "numba",
    "numba.cuda": "cuda",
    "operator": "operator",
}
_DTYPES = {
    numpy.dtype(t): str(numpy.dtype(t))
    for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
}


def python_function(function):
    """The Python function that an object is or stands for; None for anything else."""
    function = getattr(function, "py_func", function)
    return function if isinstance(function, types.FunctionType) else None


def unit(function, directives="") -> str:
    """The text of a function with all functions that it calls, which names no arrays but its arguments."""
    return Unit(function, directives=directives).text


class Unit:
    """A function with all functions that it calls, as text; with the arrays and the texts that it names.

    Arrays are frozen as they are now. The texts are those that it prints.
    checks are what its kernels look for besides wrong indices: "guards", "divides", "nans" (jit/checks.go). directives
    are what a device's compiler is told: "bound 128 registers 32" (tile/directives.go).
    """

    def __init__(self, function, checks=(), directives=""):
        made = _Unit(function)
        self.text, self.source = made.text(checks, directives), made.source
        self.arrays, self.texts, self.prints = [array for _, array, _ in made.arrays], made.texts, made.prints


def _title(filename):
    """The file of a function as its writer knows it: that of a cell is In[3]."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    told = shell.compile.format_code_name(filename) if shell else None
    return told[1] if told else filename


def _names(tree):
    """Names that a function sets, but for those that functions within it set."""
    args = tree.args
    yield from (a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    left = list(tree.body) if isinstance(tree.body, list) else [tree.body]
    while left:
        match n := left.pop():
            case ast.Name():
                if not isinstance(n.ctx, ast.Load):
                    yield n.id
            case ast.FunctionDef():
                yield n.name
                continue
            case ast.Lambda():
                continue
            case ast.MatchAs() if n.name:
                yield n.name
        left.extend(ast.iter_child_nodes(n))


def _statement(lines):
    """The lines of the def statement that they begin with, by their margin: where that is wrong, in texts of several lines, these are no statement.

    inspect.getblock takes a third of the time that reading a function takes.
    """
    margin, begun, end = len(lines[0]) - len(lines[0].lstrip()), False, 0
    for i, line in enumerate(lines):
        text = line.lstrip()
        inside = len(line) - len(text) > margin
        if not text or text[0] == "#" and not inside:
            continue
        if not inside:
            if begun and text[0] not in ")]}":
                break
            begun = begun or text.startswith(("def ", "async def "))
        end = i + 1
    return lines[:end]


class _Unit:
    """The functions of one unit, which are numbered in the order in which they are found."""

    def __init__(self, function):
        self.functions = [function]
        self.numbers = {function: 0}
        self.arrays, self.texts, self.prints = [], [], False
        self.source = None  # file, first line and text of the first function

    def text(self, checks, directives):
        done = []
        while len(done) < len(self.functions):
            read = _Function(self.functions[len(done)], self)
            if not done:
                self.source = _title(read.function.__code__.co_filename), read.line, read.source
            done.append(read.text())
        arrays = [
            node("array", "0", word(name), node("dtype", "0", str(a.dtype)), node("int", "0", str(a.ndim)))
            for name, a, _ in self.arrays
        ]
        parts = [node("arrays", "0", "-", *arrays)] if arrays else []
        if checks:
            parts.append(node("checks", "0", "-", *(node("check", "0", check) for check in checks)))
        if directives:
            parts.append(node("directives", "0", "-", *(node("directive", "0", word) for word in directives.split())))
        return node("unit", "0", "-", *done, *parts)

    def array(self, name, value):
        """The number of an array outside of the functions, which is copied."""
        for i, (_, _, known) in enumerate(self.arrays):
            if known is value:
                return i
        self.arrays.append((name, value.copy() if is_ours(value) else ours(numpy.array(value), name), value))
        return len(self.arrays) - 1

    def number(self, function):
        if function not in self.numbers:
            self.numbers[function] = len(self.functions)
            self.functions.append(function)
        return self.numbers[function]


def read(function):
    """A function as it is written: its source without its margin, from a line on, and the tree of that: a def statement or a lambda."""
    return _Function(function, None)


class _Function(Syntax):
    """One function: its source, its tree, and what its names are frozen as."""

    def __init__(self, function, unit):
        self.function, self.unit, self.frozen = function, unit, {}
        self.resolved = set()  # attributes of modules that the compiler resolves
        if hasattr(function, "rewritten"):
            self.tree, origin = function.rewritten
            self.source, self.line, self.margin = origin.source, origin.line, origin.margin
        else:
            self._find(function)
        code = self.function.__code__
        self.local = {*code.co_varnames, *code.co_cellvars}  # all other names are frozen

    def _find(self, function):
        """Find where it is written."""
        try:
            rest, first = inspect.findsource(inspect.unwrap(function))
            if first:
                rest = rest[first:]
            tree = self._read(rest, _statement(rest)) if function.__name__ != "<lambda>" else None
            if not (tree and len(tree.body) == 1 and self._is_it(tree.body[0])):
                tree = self._read(rest, inspect.getblock(rest))
            self.line = first + 1
        except (OSError, TypeError) as error:
            raise UnsupportedError(
                f"the source of {function.__name__} is not known, which it is compiled from: {error}"
            ) from None
        found = []
        if tree and tree.body:  # most often it is the one statement that there is
            found = tree.body if self._is_it(tree.body[0]) else [n for n in ast.walk(tree) if self._is_it(n)]
        if len(found) > 1 and function.__name__ == "<lambda>":
            found = [n for n in found if self._ends_in(n.body)]
            if len(found) != 1:
                raise UnsupportedError("there are several lambdas on a line; write def statements, or each on its own line")
        self.tree = found[0] if found else None
        if self.tree is None:
            raise UnsupportedError(
                f"{function.__name__} is written within an expression; write it as a def statement of its own, or name the lambda"
            )

    def _read(self, rest, lines):
        """The tree of some of the lines from the function on, without their margin; None where they are no statements."""
        self.margin = margin = len(rest[0]) - len(rest[0].lstrip())
        self.source = "".join(line[margin:] if not line[:margin].strip() else line for line in lines)
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return None

    def within(self, n, body):
        """What a function within this one comes to, whose names hide others there alone."""
        params = self.params(n.args)  # defaults are of the outer names
        around, self.local = self.local, self.local | set(_names(n))
        made = body()
        self.local = around
        return params, made

    def _ends_in(self, body):
        """Whether the code has instructions of an expression as a whole."""
        margin = self.margin
        whole = (
            body.lineno + self.line - 1,
            body.end_lineno + self.line - 1,
            body.col_offset + margin,
            body.end_col_offset + margin,
        )
        return whole in set(self.function.__code__.co_positions())

    def _is_it(self, n):
        name = self.function.__name__
        return isinstance(n, ast.Lambda) if name == "<lambda>" else isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == name

    def text(self):
        code, tree = self.function.__code__, self.tree
        if isinstance(tree, ast.AsyncFunctionDef):
            raise UnsupportedError(f"{self.function.__name__} is a coroutine, which cannot be compiled")
        params = self.params(tree.args, self.function.__defaults__ or ())
        body = (
            self.body(tree.body)
            if isinstance(tree, ast.FunctionDef)
            else node("body", "0", "-", self.returned(tree.body))
        )
        return node(
            "function", "0", word(self.function.__name__), node("file", "0", word(_title(code.co_filename))), node("line", "0", str(self.line)),
            node("source", "0", word(self.source)), params, body, *(node("frozen", "0", word(name), text) for name, text in self.frozen.items()),
        )  # fmt: skip

    def params(self, args, defaults=None):
        if strange := odd(args):
            raise UnsupportedError(
                f"{self.function.__name__} has parameters that take any number of arguments, or are given by name alone, which is not supported"
                + self.shown(strange)
                + "\n\nName each parameter."
            )
        names = [*args.posonlyargs, *args.args]
        kids = [[] for _ in names]
        for i in range(len(args.defaults)):
            at = len(names) - len(args.defaults) + i
            kids[at] = [
                self.known(defaults[i], names[at].arg) if defaults is not None else self.expression(args.defaults[i])
            ]
        return node(
            "params",
            "0",
            "-",
            *(node("param", place(name), word(name.arg), *kid) for name, kid in zip(names, kids, strict=True)),
        )

    def shown(self, n):
        """The line of a node, with what it is of that: as the compiler shows it."""
        line = self.source.splitlines()[n.lineno - 1]
        file = _title(self.function.__code__.co_filename)
        until = n.end_col_offset if n.end_lineno == n.lineno else len(line.encode())
        before, marked = (len(line.encode()[slice(*part)].decode()) for part in ((0, n.col_offset), (n.col_offset, until)))
        where = f'File "{file}", line {self.line + n.lineno - 1}, in {self.function.__name__}:'
        return f"\n\n{where}\n    {line}\n    {' ' * before}{'^' * max(marked, 1)}"

    def printing(self, n):
        """Whether a call is one of Python's print."""
        if isinstance(n.func, ast.Name) and n.func.id == "print" and "print" not in self.local and self.find("print") == (True, print):
            self.unit.prints = True
            return True
        return False

    def printed(self, n):
        """What is printed: texts are numbers of the unit's."""
        if isinstance(n, ast.Constant) and isinstance(n.value, str):
            self.unit.texts.append(n.value)
            return node("str", place(n), f"#{len(self.unit.texts) - 1}")
        return self.expression(n)

    def attribute(self, n):
        """An attribute; where it is one of an object outside of the function that the compiler does not know, what it is there.

        So is a type or None that modules have, by whatever name: np.intp, numba.types.f4, cuda.boolean, np.newaxis.
        """
        names, base = [n.attr], n.value
        while isinstance(base, ast.Attribute):
            names.append(base.attr)
            base = base.value
        if isinstance(base, ast.Name) and base.id not in self.local:
            whole = ".".join([base.id, *reversed(names)])
            if whole not in self.frozen and whole not in self.resolved:
                self._resolve(whole, base.id, names[::-1], n)
            if whole in self.frozen:
                return node("name", place(n), atom(whole))
        return node("attribute", place(n), atom(n.attr), self.expression(n.value))

    def _resolve(self, whole, name, names, n):
        """Freeze what attributes of a name outside of the function lead to, or leave them to the compiler."""
        found, value = self.find(name)
        known = _of_module(value, names)
        if known is None or _dtype_of(known):
            self.frozen[whole] = self.described(known)
        elif found and (self.described(value) is None or names[0] in getattr(type(value), "_fields", ())):
            for name in names:
                if not hasattr(value, name):
                    raise TypingError(
                        f"Unknown attribute '{name}' of {value!r}, in {self.function.__name__}, line {self.line + n.lineno - 1}"
                    )
                value = getattr(value, name)
            self.frozen[whole] = self.known(value, whole)
        else:
            self.resolved.add(whole)

    def find(self, name):
        """Whether a name that is not local is known, and what it is."""
        code = self.function.__code__
        if name in code.co_freevars:
            try:
                return True, self.function.__closure__[code.co_freevars.index(name)].cell_contents
            except ValueError:
                return False, None
        for names in (self.function.__globals__, vars(builtins)):
            if name in names:
                return True, names[name]
        return False, None

    def freeze(self, name):
        if name in self.frozen or name in self.local:
            return
        found, value = self.find(name)
        if found:
            self.frozen[name] = self.known(value, name)

    def known(self, value, name):
        if (is_ours(value) or isinstance(value, numpy.ndarray)) and value.dtype in _DTYPES and value.ndim and value.size:
            at = self.unit.array(name, value)
            return node("array", "0", str(at), node("dtype", "0", str(value.dtype)), node("int", "0", str(value.ndim)))
        why = getattr(value, "compiled_refusal", None)
        if isinstance(why, str):
            return node("unknown", "0", word(why))
        return self.described(value) or node("unknown", "0", word(f"{name}, of type {type(value).__name__}"))

    def described(self, value):
        """What a name stands for, as text; None where the compiler has no word for it."""
        if isinstance(value, numpy.generic) and value.dtype in _DTYPES:
            plain = value.item()
            return (
                node("scalar", "0", _DTYPES[value.dtype], constant(plain))
                if not isinstance(plain, numpy.generic)
                else None
            )
        if value is None or isinstance(value, int | float | complex | str):
            return constant(value)
        if isinstance(value, enum.Enum):
            inner = self.described(value.value)
            return inner and node("member", "0", word(enumeration(value)), inner)
        if type(value) is tuple or isinstance(value, tuple) and hasattr(value, "_fields"):
            items = [self.described(item) for item in value]
            return None if None in items else node("tuple", "0", "-", *items)
        if isinstance(value, types.ModuleType):
            known = _MODULES.get(value.__name__)
            return node("module", "0", known) if known else None
        known = getattr(value, "compiled_name", None)  # of weft.cuda's own, which say what the compiler calls them
        if isinstance(known, str):
            return node("known", "0", known)
        dtype = _dtype_of(value)
        if dtype:
            return node("dtype", "0", dtype)
        function = python_function(value)
        if function is not None and function.__module__ not in ("numpy", "weft", "weft._functions"):
            return node("called", "0", str(self.unit.number(function)))
        name = _name_of(value)
        return node("known", "0", name) if name else None


def _of_module(value, names):
    """What names lead to within a module, and modules in it; an ellipsis where they lead nowhere, or beyond modules."""
    for name in names:
        value = getattr(value, name, ...) if isinstance(value, types.ModuleType) else ...
    return value


def enumeration(member) -> str:
    """The name of a member's enumeration, as jit/members.go and Structure in jit/arguments.go have it."""
    return re.sub(r"\W", " ", f"{type(member).__module__}.{type(member).__qualname__}")


def _dtype_of(value):
    """The dtype that a class of NumPy's, a dtype or one of Numba's types is."""
    if isinstance(value, type) and issubclass(value, numpy.generic) or isinstance(value, numpy.dtype):
        try:
            return _DTYPES.get(numpy.dtype(value))
        except TypeError:
            return None
    name = getattr(value, "name", None)
    return name if name in _DTYPES.values() and hasattr(value, "bitwidth") else None


def _name_of(value):
    """The name by which the compiler knows a function of Python's or NumPy's."""
    name = getattr(value, "__name__", None)
    module = getattr(value, "__module__", None)
    if not isinstance(name, str):
        return None
    if (
        isinstance(value, numpy.ufunc)
        or type(value).__name__ == "ufunc"
        or module
        and module.split(".")[0] in ("numpy", "weft")
        and callable(value)
    ):
        return f"np.{name}"
    if module in ("builtins", "math", "cmath", "_operator") and callable(value):
        return f"{module.removeprefix('_')}.{name}"
    return None
