"""@njit and @jit: functions whose prange loops are kernels, and functions of numbers that are compiled.

A call of a function with prange loops runs the function in Python, on weft's arrays, but for these loops: each is a kernel whose
threads are its turns. Names that a turn sets are its own, but for sums, products, minima and maxima, which are combined behind the
loop. A function of numbers alone is compiled as a whole. All others run in Python, with a warning that says so.
"""

import ast
import functools
import inspect
import operator
import os
import textwrap
import warnings

import numpy

from .. import _core
from .errors import NumbaError, NumbaPerformanceWarning, UnsupportedError
from .lent import Lent
from .sources import define

_OPTIONS = (
    "nopython", "forceobj", "nogil", "parallel", "fastmath", "error_model", "inline", "debug", "cache", "boundscheck", "locals",
    "pipeline_class", "looplift", "no_cpython_wrapper", "no_cfunc_wrapper", "forceinline", "writable_args",
)  # fmt: skip


class prange:  # noqa: N801 - Numba's name
    """range whose turns may run at the same time, in functions that @njit(parallel=True) decorates; plain range elsewhere."""

    compiled_name = "numba.prange"

    def __new__(cls, *args):
        return range(*args)


def jit(signature_or_function=None, **options):
    """Compile a function: @jit, @njit, @njit(parallel=True). Signatures are accepted; types are those of each call."""
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise KeyError(f"Unrecognized options: {{{unknown[0]!r}}}. Known options are {_OPTIONS}")
    if inspect.isfunction(signature_or_function):
        return Compiled(signature_or_function, options)
    return lambda function: Compiled(function, options)


njit = jit


def get_num_threads() -> int:
    """How many processors there are."""
    return os.cpu_count() or 1


def set_num_threads(n) -> None:
    """Refuse numbers of threads beyond that of the processors. How many weft uses is a setting: --cpus."""
    if not 1 <= n <= get_num_threads():
        raise ValueError(f"The number of threads must be between 1 and {get_num_threads()}")


class Compiled:
    """A function that @njit decorates. py_func is the function."""

    def __init__(self, function, options):
        from . import reading

        self.py_func, self.options = reading.python_function(function), options
        functools.update_wrapper(self, self.py_func)
        self._number = self._checked = self._loops = self._seen = None
        self._signature = inspect.signature(self.py_func)
        self.nopython_signatures = []

    def __repr__(self):
        return f"CPUDispatcher({self.py_func!r})"

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    @property
    def signatures(self):
        return list(self.nopython_signatures)

    def __call__(self, *args, **kwargs):
        named = {}
        if kwargs or len(args) != len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, named = bound.args, bound.kwargs
        if args and not named and all(type(a) in (bool, int, float, complex) or isinstance(a, numpy.number | numpy.bool_) for a in args):
            try:
                return self._of_numbers(args)
            except NumbaError as error:
                if self._is_parallel:
                    return self._in_parallel(args)
                return self._plain(error, args)
        if self._is_parallel:
            return self._in_parallel(args, named)
        why = "its arguments are not numbers alone" if not named else "it has parameters that are given by name alone"
        return self._plain(f"{why}, and it has no prange loop", args, named)

    @property
    def _is_parallel(self):
        if self._loops is None:
            self._loops = _Split(self.py_func) if self.options.get("parallel") else False
        return bool(self._loops and self._loops.kernels)

    def _of_numbers(self, args):
        from . import divisors, reading

        if self._checked is None and self.options.get("error_model", "python") == "python":
            checking = divisors.checked(self.py_func)
            self._checked = divisors.Checked(self.py_func, checking) if checking else False
        if self._checked:
            return self._checked(args)
        if self._number is None:
            self._number = _core.compiled("read", reading.unit(self.py_func))
        made = _core.compiled("apply", self._number, None, None, None, *args)
        made = numpy.asarray(made)[()]
        return made.item()

    def _in_parallel(self, args, named=None):
        """The function, with its prange loops as kernels, on weft's arrays; arrays of the host's get back what was written."""
        lent = Lent((*args, *(named or {}).values()), self.__name__)
        try:
            values = dict(zip(named or (), lent.args[len(args) :], strict=True))
            result = self._loops.function(*lent.args[: len(args)], **values)
        finally:
            lent.give_back()
        return lent.at_home(result)

    def _plain(self, why, args, named=None):
        if self._seen is None:
            self._seen = True
            said = str(why).split("\n")[0]
            warnings.warn(
                NumbaPerformanceWarning(f"{self.__name__} runs as plain Python: {said}"), stacklevel=3
            )
        return self.py_func(*args, **(named or {}))


_COMBINED = {ast.Add: "sum", ast.Sub: "sum", ast.Mult: "prod"}
_NEUTRAL = {"sum": 0, "prod": 1}


class _Split:
    """A function taken apart: its prange loops are kernels, and function is the rest, which launches them."""

    def __init__(self, function):
        self.kernels = []
        try:
            text = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError) as error:
            raise UnsupportedError(f"the source of {function.__name__} is not known: {error}") from None
        tree = ast.parse(text).body[0]
        tree.decorator_list = []
        self.scope = dict(function.__globals__) | inspect.getclosurevars(function).nonlocals
        self.local = {n.arg for n in ast.walk(tree.args) if isinstance(n, ast.arg)} | {
            n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        self.name = function.__name__
        tree.body = [self._statement(s) for s in tree.body]
        self.function = None
        if self.kernels:
            tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
            scope = self.scope | {f"launch{i}_": k for i, k in enumerate(self.kernels)}
            self.function = define(self.name, ast.unparse(ast.fix_missing_locations(tree)) + "\n", scope)

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
        return found is prange or getattr(found, "__module__", "").startswith("numba") and getattr(found, "__name__", "") == "prange"

    def _kernel(self, loop):
        """The statement that runs a prange loop as a kernel."""
        if loop.orelse or not isinstance(loop.target, ast.Name):
            raise UnsupportedError(f"{self.name}: a prange loop has one name, and no else")
        loop.body = _augmented(loop.body)
        combined = _combined(loop.body)
        private = {
            n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        } | {loop.target.id}
        used = [n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name)]
        given = [n for n in dict.fromkeys(used) if n in self.local and n not in private]
        self.kernels.append(_Loop(f"{self.name}_loop", loop, given, combined, self.scope))
        call = ast.Call(
            ast.Name(f"launch{len(self.kernels) - 1}_", ast.Load()),
            [
                ast.Tuple(loop.iter.args, ast.Load()),
                ast.Tuple([ast.Name(n, ast.Load()) for n in combined], ast.Load()),
                *(ast.Name(n, ast.Load()) for n in given),
            ],
            [],
        )
        if not combined:
            return ast.Expr(call)
        return ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in combined], ast.Store())], call)


def _augmented(body):
    """The statements, with s = s + x as s += x where a turn sets s like this alone: its turns combine it then."""
    sets = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Assign) and _addends(n)]
    added = {id(n.targets[0]) for n in sets}
    augmented = {id(n.target) for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign)}
    others = {
        n.id
        for s in body
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in added | augmented
    }
    return _Augmented(others).statements(body)


def _addends(n):
    """The operators and operands of s = s + x - y, in turn; None of any other statement."""
    if len(n.targets) != 1 or not isinstance(n.targets[0], ast.Name):
        return None
    name, value, found = n.targets[0].id, n.value, []
    while isinstance(value, ast.BinOp) and type(value.op) in _COMBINED:
        left, right = value.left, value.right
        if isinstance(right, ast.Name) and right.id == name and not isinstance(value.op, ast.Sub):
            left, right = right, left
        found.insert(0, (value.op, right))
        value = left
    one = len({_COMBINED[type(op)] for op, _ in found}) == 1
    if not one or not isinstance(value, ast.Name) or value.id != name:
        return None
    if any(isinstance(v, ast.Name) and v.id == name for _, x in found for v in ast.walk(x)):
        return None
    return found


class _Augmented(ast.NodeTransformer):
    """Has s = s + x be s += x, but for some names."""

    def __init__(self, others):
        self.others = others

    def statements(self, body):
        return self.visit(ast.Module(body, [])).body

    def visit_Assign(self, node):  # noqa: N802 - ast's name
        found = _addends(node)
        if not found or node.targets[0].id in self.others:
            return node
        return [ast.copy_location(ast.AugAssign(node.targets[0], op, value), node) for op, value in found]


def _combined(body):
    """The names that turns combine: how each is."""
    made = {}
    for n in (n for s in body for n in ast.walk(s)):
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and type(n.op) in _COMBINED:
            made[n.target.id] = _COMBINED[type(n.op)]
        elif isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Call):
            name, call = n.targets[0].id, n.value
            of = call.func.id if isinstance(call.func, ast.Name) else ""
            if of in ("min", "max") and any(isinstance(a, ast.Name) and a.id == name for a in call.args):
                made[name] = of
    for n in (n for s in body for n in ast.walk(s)):  # a name that a turn sets first is the turn's own
        if isinstance(n, ast.Assign | ast.NamedExpr):
            for target in (t for whole in getattr(n, "targets", None) or [n.target] for t in ast.walk(whole)):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store) and made.get(target.id) in ("sum", "prod"):
                    del made[target.id]
        elif isinstance(n, ast.For):
            for target in ast.walk(n.target):
                if isinstance(target, ast.Name):
                    made.pop(target.id, None)
    for n in (n for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign)):
        how = made.get(n.target.id) if isinstance(n.target, ast.Name) else None
        if how and _COMBINED.get(type(n.op)) != how:
            raise UnsupportedError(f"turns of a prange loop combine {n.target.id} in several ways; use a name for each")
    return made


_BEHIND = {"sum": operator.add, "prod": operator.mul, "min": min, "max": max}


class _Loop:
    """A prange loop as a kernel. Called with the range, what its turns combine, and what they use, it returns the former."""

    def __init__(self, name, loop, given, combined, scope):
        from ..cuda import dispatch
        from . import intrinsics

        self.name, self.combined, self._turn, self._given = name, combined, loop.target.id, given
        self._sets = _sets(loop.body)
        body = _Continue(combined).statements(loop.body)
        result = ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in combined], ast.Load()))
        turn = ast.parse(f"def turn({', '.join((loop.target.id, *given, *combined))}):\n    pass").body[0]
        turn.body = [*body, *([result] if combined else [])]
        text = ast.unparse(ast.fix_missing_locations(ast.Module([turn], []))) + "\n"
        scope = scope | {"cuda": intrinsics}
        scope["turn"] = define("turn", text, scope)
        outs = [f"{n}_out" for n in combined]
        call = f"turn({', '.join(['i_', *given, *(f'{n}_in' for n in combined)])})"
        self._dispatcher = dispatch.Dispatcher(
            define(
                name,
                f"def {name}({', '.join(['first_', 'step_', 'count_', *given, *(f'{n}_in' for n in combined), *outs])}):\n"
                f"    k_ = cuda.grid(1)\n    if k_ < count_:\n        i_ = first_ + k_ * step_\n"
                + (f"        {', '.join(f'{n}[k_]' for n in outs)}{',' if len(outs) == 1 else ''} = {call}\n" if outs else f"        {call}\n"),
                scope,
            ),
            [],
            False,
        )

    def __call__(self, limits, before, *given):
        import weft

        turns = range(*(int(n) for n in limits))
        if not turns:
            return before
        neutral = [type_of(b)(_NEUTRAL[how]) if how in _NEUTRAL else b for b, how in zip(before, self.combined.values(), strict=True)]
        outs = [weft.empty(len(turns), dtype=self._dtype(name, b, given)) for name, b in zip(self.combined, before, strict=True)]
        self._dispatcher.forall(len(turns))(turns.start, turns.step, len(turns), *given, *neutral, *outs)
        return tuple(
            _BEHIND[how](b, getattr(a, how)()) for b, a, how in zip(before, outs, self.combined.values(), strict=True)
        )


    def _dtype(self, name, before, given):
        """The dtype of what turns give for a name: that which it has before the loop, as a float where it may become one."""
        dtype = _dtype_of(before)
        if dtype.kind not in "iub":
            return dtype
        names = {n: _dtype_of(v).kind in "iub" for n, v in zip(self._given, given, strict=True) if not isinstance(v, tuple)}
        names |= dict.fromkeys((self._turn, *self._sets), True)
        fell = True
        while fell:  # a name that is set to a float is one, and so are those that are set to it
            fell = [n for n, values in self._sets.items() if names[n] and not all(_is_whole(v, names) for v in values)]
            names |= dict.fromkeys(fell, False)
        return numpy.int64 if names[name] else numpy.float64


def _sets(body):
    """The names that statements set: the expressions that each is set to, or None where what it is set to is not known."""
    made = {}

    def add(target, value):
        if isinstance(target, ast.Name):
            made.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple):
            values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else [None] * len(target.elts)
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
            add(n.target, n.iter)
    return made


def _dtype_of(value):
    """The dtype of a number or an array, which is not waited for."""
    return getattr(value, "dtype", None) or numpy.asarray(value).dtype


def type_of(value):
    """The type of a number."""
    return value.dtype.type if hasattr(value, "dtype") else type(value)


def _is_whole(n, names):
    """Whether an expression of names, of which some are known to be integers, is one."""
    if isinstance(n, ast.Constant):
        return isinstance(n.value, int)
    if isinstance(n, ast.Name):
        return names.get(n.id, False)
    if isinstance(n, ast.Attribute):
        return n.attr in ("shape", "size", "ndim")
    if isinstance(n, ast.Subscript):
        return _is_whole(n.value, names)
    if isinstance(n, ast.BinOp):
        return not isinstance(n.op, ast.Div) and _is_whole(n.left, names) and _is_whole(n.right, names)
    if isinstance(n, ast.UnaryOp):
        return isinstance(n.op, ast.Not) or _is_whole(n.operand, names)
    if isinstance(n, ast.Call):
        of = n.func.id if isinstance(n.func, ast.Name) else ""
        return of in ("int", "len", "range", "prange") or of in ("abs", "min", "max") and all(_is_whole(a, names) for a in n.args)
    return isinstance(n, ast.Compare)


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
        return ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in self.names], ast.Load()) if self.names else None)
