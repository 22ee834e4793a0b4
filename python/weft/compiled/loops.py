"""prange loops, taken out of their function: each is a kernel whose threads are its turns."""

import ast
import inspect

import numpy

from .errors import UnsupportedError
from .reductions import BEHIND, NEUTRAL, augmented, combined
from .sources import rewritten, standing, unused


class Split:
    """A function taken apart: its prange loops are kernels, and function is the rest, which launches them."""

    def __init__(self, function, prange, debug=False):
        self.kernels, self._prange, self._debug = [], prange, debug
        if function.__name__ == "<lambda>":  # an expression has no loops
            return
        from . import reading

        self._origin = reading.read(function)
        tree = self._origin.tree
        tree.decorator_list = []
        self.scope = dict(function.__globals__) | inspect.getclosurevars(function).nonlocals
        self.local = {n.arg for n in ast.walk(tree.args) if isinstance(n, ast.arg)} | {
            n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        self.name = function.__name__
        self._taken = {self.name, *self.local, *(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))}
        self._launches = []  # the kernels' names in the rest of the function
        tree.body = [self._statement(s) for s in tree.body]
        self.function = None
        if self.kernels:
            tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
            scope = self.scope | dict(zip(self._launches, self.kernels, strict=True))
            self.function = rewritten(tree, self._origin, scope)

    def _statement(self, s):
        if isinstance(s, ast.For) and self._is_prange(s.iter):
            return self._kernel(s)
        for field in ("body", "orelse"):
            if getattr(s, field, None) and not isinstance(s, ast.FunctionDef | ast.ClassDef):
                setattr(s, field, [self._statement(x) for x in getattr(s, field)])
        return s

    def _is_prange(self, n):
        if not isinstance(n, ast.Call):
            return False
        f = n.func
        if isinstance(f, ast.Name):
            found = self.scope.get(f.id)
        elif isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
            found = getattr(self.scope.get(f.value.id), f.attr, None)
        else:
            return False
        return found is self._prange or getattr(found, "__module__", "").startswith("numba") and getattr(found, "__name__", "") == "prange"

    def _kernel(self, loop):
        """The statement that runs a prange loop as a kernel."""
        if loop.orelse or not isinstance(loop.target, ast.Name):
            raise UnsupportedError(f"{self.name}: a prange loop has one name, and no else")
        loop.body = augmented(loop.body)
        names = combined(loop.body)
        private = {
            n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        } | {loop.target.id}
        used = [n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name)]
        given = [n for n in dict.fromkeys(used) if n in self.local and n not in private]
        self.kernels.append(_Loop(f"{self.name}_loop", loop, given, names, self.scope, self._debug, self._origin))
        self._launches.append(unused(f"launch{len(self.kernels) - 1}", self._taken))
        call = ast.Call(
            ast.Name(self._launches[-1], ast.Load()),
            [
                ast.Tuple(loop.iter.args, ast.Load()),
                ast.Tuple([ast.Name(n, ast.Load()) for n in names], ast.Load()),
                *(ast.Name(n, ast.Load()) for n in given),
            ],
            [],
        )
        done = ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], call) if names else ast.Expr(call)
        done.lineno, done.col_offset = loop.lineno, loop.col_offset
        done.end_lineno, done.end_col_offset = loop.iter.end_lineno, loop.iter.end_col_offset
        return done


class _Loop:
    """A prange loop as a kernel. Called with the range, what its turns combine, and what they use, it returns the former."""

    def __init__(self, name, loop, given, combined, scope, debug, origin):
        from ..cuda import dispatch
        from . import intrinsics

        self.name, self.combined, self._turn, self._given = name, combined, loop.target.id, given
        self._sets = _sets(loop.body)
        result = ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in combined], ast.Load()))
        taken = {loop.target.id, *given, *combined, *(n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name))}
        turn, cuda, start, step, count, k, i = (unused(n, taken) for n in ("turn", "cuda", "start", "step", "count", "k", "i"))
        ins, outs = ([unused(f"{n}_{way}", taken) for n in combined] for way in ("in", "out"))
        body = standing(f"def {turn}({', '.join((loop.target.id, *given, *combined))}):\n    pass", loop, loop.iter)
        body.body = [*_Continue(combined).statements(loop.body), *([result] if combined else [])]
        call = f"{turn}({', '.join([i, *given, *ins])})"
        launched = standing(
            f"def {name}({', '.join([start, step, count, *given, *ins, *outs])}):\n"
            f"    {k} = {cuda}.grid(1)\n    if {k} < {count}:\n        {i} = {start} + {k} * {step}\n"
            + (f"        {', '.join(f'{n}[{k}]' for n in outs)}{',' if len(outs) == 1 else ''} = {call}\n" if outs else f"        {call}\n"),
            loop,
            loop.iter,
        )
        self._dispatcher = dispatch.Dispatcher(
            rewritten(launched, origin, {cuda: intrinsics, turn: rewritten(body, origin, scope, origin.function.__name__)}),
            [],
            False,
            dispatch.checks(debug),
        )

    def __call__(self, limits, before, *given):
        import weft

        turns = range(*(int(n) for n in limits))
        if not turns:
            return before
        self.before = dict(zip(self.combined, before, strict=True))
        neutral = [_type_of(b)(NEUTRAL[how]) if how in NEUTRAL else b for b, how in zip(before, self.combined.values(), strict=True)]
        outs = [weft.empty(len(turns), dtype=self._dtype(name, b, given)) for name, b in zip(self.combined, before, strict=True)]
        self._dispatcher.forall(len(turns))(turns.start, turns.step, len(turns), *given, *neutral, *outs)
        return tuple(
            BEHIND[how](b, getattr(a, how)()) for b, a, how in zip(before, outs, self.combined.values(), strict=True)
        )

    def _dtype(self, name, before, given):
        """The dtype of what turns give for a name: that which it has before the loop, or a wider one that it may get."""
        dtype = _d_type_of(before)
        names = {n: _rank_of(v) for n, v in zip(self._given, given, strict=True) if not isinstance(v, tuple)}
        names |= dict.fromkeys((self._turn, *self._sets), 0)
        for n, b in self.before.items():
            names[n] = _rank_of(b)
        rose = True
        while rose:  # a name that is set to a float, or a complex number, is one, and so are those that are set to it
            ranks = {n: max(names[n], *(_rank(v, names) for v in values)) for n, values in self._sets.items()}
            rose = any(names[n] != r for n, r in ranks.items())
            names |= ranks
        rank = names.get(name, 0)
        if rank <= max(_RANKS.get(dtype.kind, 2), 1) and dtype.kind not in "iub":
            return dtype
        return (numpy.int64, numpy.float64, numpy.complex128)[max(rank, _RANKS.get(dtype.kind, 2))]


# How far numbers are from integers: floats, complex ones.
_RANKS = {"i": 0, "u": 0, "b": 0, "f": 1}


def _sets(body):
    """The names that statements set: the expressions that each is set to, or None where what it is set to is not known."""
    made = {}

    def add(target, value):
        if isinstance(target, ast.Name):
            made.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple):
            values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else [_item(value)] * len(target.elts)
            for t, v in zip(target.elts, values, strict=True):
                add(t, v)

    for n in (n for s in body for n in ast.walk(s)):
        if isinstance(n, ast.Assign):
            for target in n.targets:
                add(target, n.value)
        elif isinstance(n, ast.AugAssign):
            add(n.target, ast.BinOp(n.target, n.op, n.value))
        elif isinstance(n, ast.AnnAssign | ast.NamedExpr):
            add(n.target, n.value)
        elif isinstance(n, ast.For):
            add(n.target, _item(n.iter))
    return made


def _item(n):
    """An expression that has the rank of the items of another one; None where that is not known."""
    if isinstance(n, ast.Name | ast.Subscript | ast.Attribute):
        return n
    of = n.func.id if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) else ""
    if of == "zip":
        return ast.Tuple([_item(a) for a in n.args])
    if of == "enumerate" and n.args:
        return ast.Tuple([ast.Constant(0), _item(n.args[0])])
    return n if of in ("range", "prange") else None


def _d_type_of(value):
    """The dtype of a number or an array, which is not waited for."""
    return getattr(value, "dtype", None) or numpy.asarray(value).dtype


def _type_of(value):
    """The type of a number."""
    return value.dtype.type if hasattr(value, "dtype") else type(value)


def _rank_of(value):
    return _RANKS.get(_d_type_of(value).kind, 2)


def _rank(n, names):
    """The rank of an expression of names whose ranks are known; what is not known is a float."""
    if isinstance(n, ast.Constant):
        return _rank_of(n.value) if isinstance(n.value, bool | int | float | complex) else 1
    if isinstance(n, ast.Name):
        return names.get(n.id, 1)
    if isinstance(n, ast.Attribute):
        return 0 if n.attr in ("shape", "size", "ndim") else 1
    if isinstance(n, ast.Subscript):
        return _rank(n.value, names)
    if isinstance(n, ast.BinOp):
        return max(_rank(n.left, names), _rank(n.right, names), int(isinstance(n.op, ast.Div)))
    if isinstance(n, ast.UnaryOp):
        return 0 if isinstance(n.op, ast.Not) else _rank(n.operand, names)
    if isinstance(n, ast.IfExp):
        return max(_rank(n.body, names), _rank(n.orelse, names))
    if isinstance(n, ast.Call):
        of = n.func.id if isinstance(n.func, ast.Name) else n.func.attr if isinstance(n.func, ast.Attribute) else ""
        ranks = [_rank(a, names) for a in n.args]
        if of in ("int", "len", "range", "prange"):
            return 0
        if of == "abs":
            return min(*ranks, 1) if ranks else 1
        if of in ("min", "max"):
            return max(ranks, default=1)
        if of == "complex" or of in _COMPLEX and 2 in ranks:
            return 2
        return 1
    return 0 if isinstance(n, ast.Compare) else 1


# Functions that give complex numbers for such.
_COMPLEX = frozenset("exp log log2 log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arctan conj conjugate square".split())


class _Continue(ast.NodeTransformer):
    """Has continue of the loop end the turn; inner loops keep theirs."""

    def __init__(self, combined):
        self.names = list(combined)

    def statements(self, body):
        return [self.visit(s) for s in body]

    def visit_For(self, node):  # noqa: N802 - ast's name
        return node

    visit_While = visit_FunctionDef = visit_For  # noqa: N815 - ast's names

    def visit_Continue(self, node):  # noqa: N802 - ast's name
        return ast.copy_location(ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in self.names], ast.Load()) if self.names else None), node)
