"""Statements and expressions of Python as text for the compiler: (kind position word node...), the form of weft/jit (jit/doc.go)."""

import ast
import functools
import json
import re

_ATOM = re.compile(r"[!#-'*-\[\]-~]+")
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def word(text):
    """A text as one word of a node."""
    return text if _ATOM.fullmatch(text) and text != "-" else json.dumps(text, ensure_ascii=False)


atom = functools.lru_cache(1024)(word)  # of names, which come again and again


def node(kind, position, text, *kids):
    """A node, of a word that is written already, and of nodes."""
    return f"({' '.join([kind, position, text, *kids])})"


def place(n):
    """Where a node of Python's is in the text of its function: line.column-column, or to line.column."""
    line, end = n.lineno, n.end_lineno
    if line == end:
        return f"{line}.{n.col_offset}-{n.end_col_offset}"
    return f"{line}.{n.col_offset}-{end}.{n.end_col_offset}"


def decimal(value):
    """The text of a float from which Go reads the same."""
    return {"inf": "inf", "-inf": "-inf", "nan": "nan"}.get(repr(value)) or value.hex()


def constant(value, at="0"):
    """A number, a text, None or an ellipsis."""
    match value:
        case bool():
            return f"(bool {at} {int(value)})"
        case int():
            return f"(int {at} {int(value)})"
        case float():
            return f"(float {at} {decimal(value)})"
        case complex():
            return node("complex", at, "-", node("float", "0", decimal(value.real)), node("float", "0", decimal(value.imag)))
        case None:
            return f"(none {at} -)"
        case str():
            return f"(str {at} {word(value)})"
    return node("ellipsis", at, "-") if value is ... else node("other", at, type(value).__name__)


def odd(args):
    """The first parameter that takes any number of arguments, or is given by name alone."""
    return next((p for p in (args.vararg, *args.kwonlyargs, args.kwarg) if p), None)


class Syntax:
    """A function's statements and expressions. What is around it says what its names are: see _Function in reading.py.

    freeze(name) is told of each name that is used, printing(n) says whether a call prints, and attribute(n) and within(n, body) write
    attributes, and functions within the function.
    """

    def body(self, statements):
        return node("body", "0", "-", *map(self.statement, statements))

    def returned(self, value):
        return node("return", place(value), "-", self.expression(value))

    def statement(self, n):
        write = _STATEMENTS.get(type(n))
        return (write and write(self, n, place(n))) or node("other", place(n), type(n).__name__)

    def expression(self, n):
        write = _EXPRESSIONS.get(type(n))
        return (write and write(self, n, place(n))) or node("other", place(n), type(n).__name__)

    # Statements; None for what has no form.

    def _assign(self, n, at):
        return node("set", at, "-", *map(self.expression, n.targets), self.expression(n.value))

    def _annotated(self, n, at):
        return node("pass", at, "-") if n.value is None else node("set", at, "-", self.expression(n.target), self.expression(n.value))

    def _augmented(self, n, at):
        return node("augment", at, _BINARY[type(n.op)], self.expression(n.target), self.expression(n.value))

    def _if(self, n, at):
        return node("if", at, "-", self.expression(n.test), self.body(n.body), self.body(n.orelse))

    def _while(self, n, at):
        return node("while", at, "-", self.expression(n.test), self.body(n.body), self.body(n.orelse))

    def _for(self, n, at):
        return node("for", at, "-", self.expression(n.target), self.expression(n.iter), self.body(n.body), self.body(n.orelse))

    def _return(self, n, at):
        return node("return", at, "-", *([self.expression(n.value)] if n.value else []))

    def _assert(self, n, at):
        return node("assert", at, "-", self.expression(n.test), *([self.expression(n.msg)] if n.msg else []))

    def _raise(self, n, at):
        return node("raise", at, "-", *([self.expression(n.exc)] if n.exc else []))

    def _define(self, n, at):
        if strange := odd(n.args):
            return node("other", place(strange), "Parameter")
        return None if n.decorator_list else node("define", at, atom(n.name), *self.within(n, lambda: self.body(n.body)))

    def _match(self, n, _):
        """A match statement over numbers, as the if statements that it is."""
        subject = node("name", place(n.subject), "subject?")
        whole = node("body", "0", "-")
        for case in reversed(n.cases):
            test, named = self.pattern(case.pattern, subject)
            if test is None:
                refused = node("other", place(case.pattern), "Pattern")
                return node("do", place(n), "-", refused)
            if case.guard and not named:
                test = node("and", place(case.pattern), "-", test, self.expression(case.guard))
            before = ()
            if case.guard and named:  # whose names it may use
                before, test = self.guarded(case, test, named)
            if before:  # the names are set, and the guard may have set them anew
                named = ()
            taken = node("body", "0", "-", *named, *map(self.statement, case.body))
            whole = node("body", "0", "-", *before, node("if", place(case.pattern), "-", test, taken, whole))
        first = node("set", place(n.subject), "-", subject, self.expression(n.subject))
        always, nothing = node("bool", "0", "1"), node("body", "0", "-")
        return node("if", place(n), "-", always, node("body", "0", "-", first, node("if", place(n), "-", always, whole, nothing)), nothing)

    def guarded(self, case, test, named):
        """The statements that find whether a case with names and a guard is taken, and that as an expression."""
        taken, nothing = node("name", place(case.guard), "taken?"), node("body", "0", "-")
        first, last = (node("set", place(case.guard), "-", taken, node("bool", "0", known)) for known in "01")
        inner = node("if", place(case.guard), "-", self.expression(case.guard), node("body", "0", "-", last), nothing)
        return (first, node("if", place(case.pattern), "-", test, node("body", "0", "-", *named, inner), nothing)), taken

    def pattern(self, p, subject):
        """When a pattern matches, and what it names; None for one that is not of numbers."""
        always = node("bool", place(p), "1")
        match p:
            case ast.MatchValue():
                return node("compare", place(p), "==", subject, self.expression(p.value)), ()
            case ast.MatchSingleton():
                return node("compare", place(p), "is", subject, constant(p.value, place(p))), ()
            case ast.MatchOr():
                tests = [self.pattern(part, subject) for part in p.patterns]
                return None if any(t is None or named for t, named in tests) else node("or", place(p), "-", *(t for t, _ in tests)), ()
            case ast.MatchAs(pattern=None, name=None):
                return always, ()
            case ast.MatchAs():
                test, named = (always, ()) if p.pattern is None else self.pattern(p.pattern, subject)
                return test, (*named, node("set", place(p), "-", node("name", place(p), atom(p.name)), subject))
        return None, ()


    # Expressions.

    def _name(self, n, at):
        self.freeze(n.id)
        return f"(name {at} {atom(n.id)})"

    def _binary(self, n, at):
        return f"(binary {at} {_BINARY[type(n.op)]} {self.expression(n.left)} {self.expression(n.right)})"

    def _boolean(self, n, at):
        return node("and" if isinstance(n.op, ast.And) else "or", at, "-", *map(self.expression, n.values))

    def _compare(self, n, at):
        how = atom(",".join(_COMPARE[type(op)] for op in n.ops))
        return node("compare", at, how, self.expression(n.left), *map(self.expression, n.comparators))

    def _slice(self, n, at):
        return node("slice", at, "-", *(self.expression(part) if part else "(none 0 -)" for part in (n.lower, n.upper, n.step)))

    def _lambda(self, n, at):
        if strange := odd(n.args):
            return node("other", place(strange), "Parameter")
        return node("lambda", at, "-", *self.within(n, lambda: self.expression(n.body)))

    def _call(self, n, at):
        prints = self.printing(n)
        if not prints and not all(k.arg for k in n.keywords):
            return None
        by_name = [node("keyword", place(k), atom(k.arg or "**"), self.expression(k.value)) for k in n.keywords]
        function, given = self.expression(n.func), map(self.printed if prints else self.expression, n.args)
        return node("call", at, "-", function, node("args", "0", "-", *given, *by_name))


_STATEMENTS = {
    ast.Assign: Syntax._assign, ast.AnnAssign: Syntax._annotated, ast.AugAssign: Syntax._augmented, ast.If: Syntax._if, ast.While: Syntax._while,
    ast.For: Syntax._for, ast.Return: Syntax._return, ast.Assert: Syntax._assert, ast.Raise: Syntax._raise, ast.Match: Syntax._match,
    ast.FunctionDef: Syntax._define, ast.Expr: lambda self, n, at: node("do", at, "-", self.expression(n.value)),
    ast.Break: lambda self, n, at: f"(break {at} -)", ast.Continue: lambda self, n, at: f"(continue {at} -)", ast.Pass: lambda self, n, at: f"(pass {at} -)",
}  # fmt: skip
_EXPRESSIONS = {
    ast.Constant: lambda self, n, at: constant(n.value, at), ast.Name: Syntax._name, ast.BinOp: Syntax._binary,
    ast.UnaryOp: lambda self, n, at: node("unary", at, _UNARY[type(n.op)], self.expression(n.operand)),
    ast.BoolOp: Syntax._boolean, ast.Compare: Syntax._compare,
    ast.IfExp: lambda self, n, at: node("choose", at, "-", self.expression(n.test), self.expression(n.body), self.expression(n.orelse)),
    ast.Tuple: lambda self, n, at: node("tuple", at, "-", *map(self.expression, n.elts)),
    ast.NamedExpr: lambda self, n, at: node("walrus", at, atom(n.target.id), self.expression(n.value)),
    ast.Attribute: lambda self, n, at: self.attribute(n),
    ast.Subscript: lambda self, n, at: f"(item {at} - {self.expression(n.value)} {self.expression(n.slice)})",
    ast.Slice: Syntax._slice, ast.Lambda: Syntax._lambda, ast.Call: Syntax._call,
}  # fmt: skip
