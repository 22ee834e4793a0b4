"""Functions of numbers that fail where they divide by zero, as Python's do; without checks they are inf, nan or 0 there."""

import ast
import inspect
import textwrap

import numpy

from .. import _core
from . import reading
from .errors import UnsupportedError
from .sources import define

_DIVIDE = ast.Div | ast.FloorDiv | ast.Mod


def divisor_(by):
    """What is divided by."""
    if by == 0:
        raise ZeroDivisionError("division by zero")
    return by


def checked(function):
    """The function with its divisors checked, and with those of the functions that it calls; None where nothing divides."""
    return _checked(function, {})


def _checked(function, made):
    if function in made:
        return made[function]
    made[function] = None  # a function that calls itself, which the compiler refuses
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError) as error:
        raise UnsupportedError(f"the source of {function.__name__} is not known: {error}") from None
    if function.__name__ == "<lambda>":  # its text is the whole statement, which may be another function's
        tree = ast.Tuple([n for n in ast.walk(tree) if isinstance(n, ast.Lambda)], ast.Load())
    divisors = _Divisors(function, tree, made)
    tree = divisors.visit(tree)
    if not divisors.found:
        return None
    if not isinstance(tree, ast.FunctionDef):
        raise UnsupportedError(f"{function.__name__} divides, which is checked in functions that def defines")
    tree.decorator_list, tree.returns = [], None
    tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
    for arg in (n for n in ast.walk(tree.args) if isinstance(n, ast.arg)):
        arg.annotation = None
    new = define(function.__name__, ast.unparse(ast.fix_missing_locations(tree)) + "\n", divisors.scope)
    new.__defaults__ = function.__defaults__
    made[function] = new
    return new


class _Divisors(ast.NodeTransformer):
    """Has divisors be checked, and functions that divide be those that check theirs. found says whether there were any."""

    def __init__(self, function, tree, made):
        self.found, self._made = False, made
        self.scope = dict(function.__globals__) | inspect.getclosurevars(function).nonlocals | {"divisor_": divisor_}
        self._local = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)} | {
            n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }

    def _divisor(self, n):
        if isinstance(n, ast.Constant) and n.value:
            return n
        self.found = True
        return ast.Call(ast.Name("divisor_", ast.Load()), [n], [])

    def visit_BinOp(self, node):  # noqa: N802 - ast's name
        self.generic_visit(node)
        if isinstance(node.op, _DIVIDE):
            node.right = self._divisor(node.right)
        return node

    def visit_AugAssign(self, node):  # noqa: N802 - ast's name
        self.generic_visit(node)
        if isinstance(node.op, _DIVIDE):
            node.value = self._divisor(node.value)
        return node

    def visit_FunctionDef(self, node):  # noqa: N802 - ast's name
        node.body = [self.visit(s) for s in node.body]
        return node

    def visit_Call(self, node):  # noqa: N802 - ast's name
        self.generic_visit(node)
        called = self._meant(node.func)
        function = reading.python_function(called)
        if function is None or hasattr(called, "compiled_name") or function.__module__.split(".")[0] in ("numpy", "weft"):
            return node
        new = _checked(function, self._made)
        if new is not None:
            self.found = True
            name = f"checked{len(self.scope)}_"
            self.scope[name] = new
            node.func = ast.Name(name, ast.Load())
        return node

    def _meant(self, n):
        """What a name stands for, or an attribute of what one does; None where it is not known before the function runs."""
        if isinstance(n, ast.Name):
            return None if n.id in self._local else self.scope.get(n.id)
        return getattr(self._meant(n.value), n.attr, None) if isinstance(n, ast.Attribute) else None


class Checked:
    """A function of numbers whose divisors are checked: a kernel of one thread, as functions of elements cannot fail."""

    def __init__(self, function, checking):
        from ..cuda import dispatch

        self._number, self._dtypes = _core.compiled("read", reading.unit(function)), {}
        names = ", ".join(f"a{i}_" for i in range(function.__code__.co_argcount))
        text = f"def {function.__name__}({names}, out_):\n    out_[0] = checking({names})\n"
        self._kernel = dispatch.Dispatcher(define(function.__name__, text, {"checking": checking}), [], False)

    def __call__(self, args):
        import weft

        types = tuple(str(numpy.asarray(a).dtype) for a in args)
        if types not in self._dtypes:
            self._dtypes[types] = _core.compiled("result", self._number, types, None)
        out = weft.empty(1, dtype=self._dtypes[types])
        try:
            self._kernel[1, 1](*args, out)
            return out[0].item()
        except ZeroDivisionError:
            raise ZeroDivisionError("division by zero") from None
