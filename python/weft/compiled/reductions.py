"""What the turns of a prange loop combine: names that all of them add to, multiply, or take the least or the greatest of."""

import ast
import operator

from .errors import UnsupportedError

COMBINED = {ast.Add: "sum", ast.Sub: "sum", ast.Mult: "prod"}
NEUTRAL = {"sum": 0, "prod": 1}
# What the turns gave is put together so with what was before the loop.
BEHIND = {"sum": operator.add, "prod": operator.mul, "min": min, "max": max}


def augmented(body):
    """The statements, with s = s + x as s += x where a turn sets s like this alone: its turns combine it then."""
    sets = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Assign) and _addends(n)]
    added = {id(n.targets[0]) for n in sets}
    steps = {id(n.target) for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign)}
    others = {
        n.id
        for s in body
        for n in ast.walk(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in added | steps
    }
    return _Augmented(others).statements(body)


def _addends(n):
    """The operators and operands of s = s + x - y, in turn; None of any other statement."""
    if len(n.targets) != 1 or not isinstance(n.targets[0], ast.Name):
        return None
    name, value, found = n.targets[0].id, n.value, []
    while isinstance(value, ast.BinOp) and type(value.op) in COMBINED:
        left, right = value.left, value.right
        if isinstance(right, ast.Name) and right.id == name and not isinstance(value.op, ast.Sub):
            left, right = right, left
        found.insert(0, (value.op, right))
        value = left
    one = len({COMBINED[type(op)] for op, _ in found}) == 1
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


def combined(body):
    """The names that turns combine: how each is."""
    made = {}
    for n in (n for s in body for n in ast.walk(s)):
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and type(n.op) in COMBINED:
            made[n.target.id] = COMBINED[type(n.op)]
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
        if how and COMBINED.get(type(n.op)) != how:
            raise UnsupportedError(f"turns of a prange loop combine {n.target.id} in several ways; use a name for each")
    return made
