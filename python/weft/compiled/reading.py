"""Functions as text for the compiler: the syntax tree of a function, and what its names that are not local were when it was read.

The text form is that of weft/jit (jit/doc.go): (kind position word node...).
"""

import ast
import builtins
import enum
import inspect
import json
import re
import sys
import types

import numpy

from .errors import TypingError, UnsupportedError
from .operands import is_ours, ours

_ATOM = re.compile(r"[!#-'*-\[\]-~]+")
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
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
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


def _word(text):
    return text if _ATOM.fullmatch(text) and text != "-" else json.dumps(text, ensure_ascii=False)


def _node(kind, position, word, *kids):
    return f"({' '.join([kind, position, word, *kids])})"


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
            _node("array", "0", _word(name), _node("dtype", "0", str(a.dtype)), _node("int", "0", str(a.ndim)))
            for name, a, _ in self.arrays
        ]
        parts = [_node("arrays", "0", "-", *arrays)] if arrays else []
        if checks:
            parts.append(_node("checks", "0", "-", *(_node("check", "0", check) for check in checks)))
        if directives:
            parts.append(_node("directives", "0", "-", *(_node("directive", "0", word) for word in directives.split())))
        return _node("unit", "0", "-", *done, *parts)

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


def written(function):
    """The tree of a function, a def statement or a lambda, as it is written."""
    return _Function(function, None).tree


class _Function:
    """One function: its source, its tree, and what its names are frozen as."""

    def __init__(self, function, unit):
        self.function, self.unit, self.frozen = function, unit, {}
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
        self.local = set(_names(self.tree))  # all other names are frozen

    def _read(self, rest, lines):
        """The tree of some of the lines from the function on, without their margin; None where they are no statements."""
        self.margin = margin = len(rest[0]) - len(rest[0].lstrip())
        self.source = "".join(line[margin:] if not line[:margin].strip() else line for line in lines)
        try:
            return ast.parse(self.source)
        except SyntaxError:
            return None

    def within(self, node, body):
        """What a function within this one comes to, whose names hide others there alone."""
        params = self.params(node.args)  # defaults are of the outer names
        around, self.local = self.local, self.local | set(_names(node))
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

    def _is_it(self, node):
        name = self.function.__name__
        return (
            isinstance(node, ast.Lambda)
            if name == "<lambda>"
            else isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
        )

    def text(self):
        code, tree = self.function.__code__, self.tree
        if isinstance(tree, ast.AsyncFunctionDef):
            raise UnsupportedError(f"{self.function.__name__} is a coroutine, which cannot be compiled")
        params = self.params(tree.args, self.function.__defaults__ or ())
        body = (
            self.body(tree.body)
            if isinstance(tree, ast.FunctionDef)
            else _node("body", "0", "-", self.returned(tree.body))
        )
        return _node(
            "function", "0", _word(self.function.__name__), _node("file", "0", _word(_title(code.co_filename))), _node("line", "0", str(self.line)),
            _node("source", "0", _word(self.source)), params, body, *(_node("frozen", "0", _word(name), text) for name, text in self.frozen.items()),
        )  # fmt: skip

    def params(self, args, defaults=None):
        if odd := self.odd(args):
            raise UnsupportedError(
                f"{self.function.__name__} has parameters that take any number of arguments, or are given by name alone, which is not supported"
                + self.shown(odd)
                + "\n\nName each parameter."
            )
        names = [*args.posonlyargs, *args.args]
        kids = [[] for _ in names]
        for i in range(len(args.defaults)):
            at = len(names) - len(args.defaults) + i
            kids[at] = [
                self.known(defaults[i], names[at].arg) if defaults is not None else self.expression(args.defaults[i])
            ]
        return _node(
            "params",
            "0",
            "-",
            *(_node("param", self.at(name), _word(name.arg), *kid) for name, kid in zip(names, kids, strict=True)),
        )

    @staticmethod
    def odd(args):
        """The first parameter that takes any number of arguments, or is given by name alone."""
        return next((p for p in (args.vararg, *args.kwonlyargs, args.kwarg) if p), None)

    def shown(self, node):
        """The line of a node, with what the node is of it: as the compiler shows it."""
        line = self.source.splitlines()[node.lineno - 1]
        file = _title(self.function.__code__.co_filename)
        until = node.end_col_offset if node.end_lineno == node.lineno else len(line.encode())
        before, marked = (len(line.encode()[slice(*part)].decode()) for part in ((0, node.col_offset), (node.col_offset, until)))
        where = f'File "{file}", line {self.line + node.lineno - 1}, in {self.function.__name__}:'
        return f"\n\n{where}\n    {line}\n    {' ' * before}{'^' * max(marked, 1)}"

    @staticmethod
    def at(node):
        if node.end_lineno == node.lineno:
            return f"{node.lineno}.{node.col_offset}-{node.end_col_offset}"
        return f"{node.lineno}.{node.col_offset}-{node.end_lineno}.{node.end_col_offset}"

    def body(self, statements):
        return _node("body", "0", "-", *map(self.statement, statements))

    def returned(self, value):
        return _node("return", self.at(value), "-", self.expression(value))

    def statement(self, n):
        at, e = self.at(n), self.expression
        match n:
            case ast.Assign():
                return _node("set", at, "-", *map(e, n.targets), e(n.value))
            case ast.AnnAssign() if n.value is not None:
                return _node("set", at, "-", e(n.target), e(n.value))
            case ast.AugAssign():
                return _node("augment", at, _BINARY[type(n.op)], e(n.target), e(n.value))
            case ast.If():
                return _node("if", at, "-", e(n.test), self.body(n.body), self.body(n.orelse))
            case ast.While():
                return _node("while", at, "-", e(n.test), self.body(n.body), self.body(n.orelse))
            case ast.For():
                return _node("for", at, "-", e(n.target), e(n.iter), self.body(n.body), self.body(n.orelse))
            case ast.Return():
                return _node("return", at, "-", *([e(n.value)] if n.value else []))
            case ast.Break():
                return _node("break", at, "-")
            case ast.Continue():
                return _node("continue", at, "-")
            case ast.Pass() | ast.AnnAssign():
                return _node("pass", at, "-")
            case ast.Expr():
                return _node("do", at, "-", e(n.value))
            case ast.Assert():
                return _node("assert", at, "-", e(n.test), *([e(n.msg)] if n.msg else []))
            case ast.Raise():
                return _node("raise", at, "-", *([e(n.exc)] if n.exc else []))
            case ast.Match():
                return self.match(n)
            case ast.FunctionDef() if self.odd(n.args):
                return _node("other", self.at(self.odd(n.args)), "Parameter")
            case ast.FunctionDef() if not n.decorator_list:
                return _node("define", at, _word(n.name), *self.within(n, lambda: self.body(n.body)))
        return _node("other", at, type(n).__name__)

    def match(self, n):
        """A match statement over numbers, as the if statements that it is."""
        subject = _node("name", self.at(n.subject), "subject?")
        whole = _node("body", "0", "-")
        for case in reversed(n.cases):
            test, named = self.pattern(case.pattern, subject)
            if test is None:
                refused = _node("other", self.at(case.pattern), "Pattern")
                return _node("do", self.at(n), "-", refused)
            if case.guard and not named:
                test = _node("and", self.at(case.pattern), "-", test, self.expression(case.guard))
            before = ()
            if case.guard and named:  # whose names it may use
                before, test = self.guarded(case, test, named)
            if before:  # the names are set, and the guard may have set them anew
                named = ()
            taken = _node("body", "0", "-", *named, *map(self.statement, case.body))
            whole = _node("body", "0", "-", *before, _node("if", self.at(case.pattern), "-", test, taken, whole))
        first = _node("set", self.at(n.subject), "-", subject, self.expression(n.subject))
        always, nothing = _node("bool", "0", "1"), _node("body", "0", "-")
        return _node("if", self.at(n), "-", always, _node("body", "0", "-", first, _node("if", self.at(n), "-", always, whole, nothing)), nothing)

    def guarded(self, case, test, named):
        """The statements that find whether a case with names and a guard is taken, and that as an expression."""
        taken, nothing = _node("name", self.at(case.guard), "taken?"), _node("body", "0", "-")
        first, last = (_node("set", self.at(case.guard), "-", taken, _node("bool", "0", known)) for known in "01")
        inner = _node("if", self.at(case.guard), "-", self.expression(case.guard), _node("body", "0", "-", last), nothing)
        return (first, _node("if", self.at(case.pattern), "-", test, _node("body", "0", "-", *named, inner), nothing)), taken

    def pattern(self, p, subject):
        """When a pattern matches, and what it names; None for one that is not of numbers."""
        always = _node("bool", self.at(p), "1")
        match p:
            case ast.MatchValue():
                return _node("compare", self.at(p), "==", subject, self.expression(p.value)), ()
            case ast.MatchSingleton():
                return _node("compare", self.at(p), "is", subject, self.constant(p.value, self.at(p))), ()
            case ast.MatchOr():
                tests = [self.pattern(part, subject) for part in p.patterns]
                return None if any(t is None or named for t, named in tests) else _node("or", self.at(p), "-", *(t for t, _ in tests)), ()
            case ast.MatchAs(pattern=None, name=None):
                return always, ()
            case ast.MatchAs():
                test, named = (always, ()) if p.pattern is None else self.pattern(p.pattern, subject)
                return test, (*named, _node("set", self.at(p), "-", _node("name", self.at(p), _word(p.name)), subject))
        return None, ()

    def expression(self, n):
        at, e = self.at(n), self.expression
        match n:
            case ast.Constant():
                return self.constant(n.value, at)
            case ast.Name():
                self.freeze(n.id)
                return _node("name", at, _word(n.id))
            case ast.BinOp():
                return _node("binary", at, _BINARY[type(n.op)], e(n.left), e(n.right))
            case ast.UnaryOp():
                return _node("unary", at, _UNARY[type(n.op)], e(n.operand))
            case ast.BoolOp():
                return _node("and" if isinstance(n.op, ast.And) else "or", at, "-", *map(e, n.values))
            case ast.Compare():
                return _node(
                    "compare",
                    at,
                    _word(",".join(_COMPARE[type(op)] for op in n.ops)),
                    e(n.left),
                    *map(e, n.comparators),
                )
            case ast.IfExp():
                return _node("choose", at, "-", e(n.test), e(n.body), e(n.orelse))
            case ast.Tuple():
                return _node("tuple", at, "-", *map(e, n.elts))
            case ast.NamedExpr():
                return _node("walrus", at, _word(n.target.id), e(n.value))
            case ast.Attribute():
                return self.attribute(n)
            case ast.Subscript():
                return _node("item", at, "-", e(n.value), e(n.slice))
            case ast.Slice():
                parts = (n.lower, n.upper, n.step)
                return _node("slice", at, "-", *(e(part) if part else _node("none", "0", "-") for part in parts))
            case ast.Lambda() if self.odd(n.args):
                return _node("other", self.at(self.odd(n.args)), "Parameter")
            case ast.Lambda():
                return _node("lambda", at, "-", *self.within(n, lambda: e(n.body)))
            case ast.Call(ast.Name("print")) if "print" not in self.local and self.find("print") == (True, print):
                self.unit.prints = True
                self.freeze("print")
                named = [_node("keyword", self.at(k), _word(k.arg or "**"), e(k.value)) for k in n.keywords]
                return _node("call", at, "-", e(n.func), _node("args", "0", "-", *map(self.printed, n.args), *named))
            case ast.Call() if all(k.arg for k in n.keywords):
                named = [_node("keyword", self.at(k), _word(k.arg), e(k.value)) for k in n.keywords]
                return _node("call", at, "-", e(n.func), _node("args", "0", "-", *map(e, n.args), *named))
        return _node("other", at, type(n).__name__)

    def printed(self, n):
        """What is printed: texts are numbers of the unit's."""
        if isinstance(n, ast.Constant) and isinstance(n.value, str):
            self.unit.texts.append(n.value)
            return _node("str", self.at(n), f"#{len(self.unit.texts) - 1}")
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
            found, value = self.find(base.id)
            whole = ".".join([base.id, *reversed(names)])
            known = _of_module(value, reversed(names))
            if known is None or _dtype_of(known):
                self.frozen[whole] = self.described(known)
                return _node("name", self.at(n), _word(whole))
            if found and self.described(value) is None:
                for name in reversed(names):
                    if not hasattr(value, name):
                        raise TypingError(
                            f"Unknown attribute '{name}' of {value!r}, in {self.function.__name__}, line {self.line + n.lineno - 1}"
                        )
                    value = getattr(value, name)
                self.frozen[whole] = self.known(value, whole)
                return _node("name", self.at(n), _word(whole))
        return _node("attribute", self.at(n), _word(n.attr), self.expression(n.value))

    def constant(self, value, at="0"):
        match value:
            case bool():
                return _node("bool", at, str(int(value)))
            case int():
                return _node("int", at, str(int(value)))
            case float():
                return _node("float", at, _float(value))
            case complex():
                return _node(
                    "complex", at, "-", _node("float", "0", _float(value.real)), _node("float", "0", _float(value.imag))
                )
            case None:
                return _node("none", at, "-")
            case str():
                return _node("str", at, _word(value))
        return _node("ellipsis", at, "-") if value is ... else _node("other", at, type(value).__name__)

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
            return _node("array", "0", str(at), _node("dtype", "0", str(value.dtype)), _node("int", "0", str(value.ndim)))
        why = getattr(value, "compiled_refusal", None)
        if isinstance(why, str):
            return _node("unknown", "0", _word(why))
        return self.described(value) or _node("unknown", "0", _word(f"{name}, of type {type(value).__name__}"))

    def described(self, value):
        """What a name stands for, as text; None where the compiler has no word for it."""
        if isinstance(value, numpy.generic) and value.dtype in _DTYPES:
            plain = value.item()
            return (
                _node("scalar", "0", _DTYPES[value.dtype], self.constant(plain))
                if not isinstance(plain, numpy.generic)
                else None
            )
        if value is None or isinstance(value, int | float | complex | str):
            return self.constant(value)
        if isinstance(value, enum.Enum):
            inner = self.described(value.value)
            return inner and _node("member", "0", _word(enumeration(value)), inner)
        if type(value) is tuple or isinstance(value, tuple) and hasattr(value, "_fields"):
            items = [self.described(item) for item in value]
            return None if None in items else _node("tuple", "0", "-", *items)
        if isinstance(value, types.ModuleType):
            known = _MODULES.get(value.__name__)
            return _node("module", "0", known) if known else None
        known = getattr(value, "compiled_name", None)  # of weft.cuda's own, which say what the compiler calls them
        if isinstance(known, str):
            return _node("known", "0", known)
        dtype = _dtype_of(value)
        if dtype:
            return _node("dtype", "0", dtype)
        function = python_function(value)
        if function is not None and function.__module__ not in ("numpy", "weft", "weft._functions"):
            return _node("called", "0", str(self.unit.number(function)))
        name = _name_of(value)
        return _node("known", "0", name) if name else None


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
    if module in ("builtins", "math", "cmath") and callable(value):
        return f"{module}.{name}"
    return None


def _float(value):
    """The text of a float from which Go reads the same."""
    return {"inf": "inf", "-inf": "-inf", "nan": "nan"}.get(repr(value)) or value.hex()
