"""@stencil: functions of an element's neighbours, by their distances."""

import ast
import copy
import inspect

import numpy

from .. import _core
from .errors import UnsupportedError
from .operands import is_ours, ours
from .sources import rewritten, standing, unused


def stencil(func_or_mode="constant", *, neighborhood=None, standard_indexing=(), cval=None, **options):
    """Make a function of neighbours one of whole arrays: a[-1, 0] is the element before, along the first axis.

    Where a neighbour would lie outside of the array, the result is cval or 0; what out= holds there stays where there is no cval. The result's dtype is that of the function's expressions.
    """
    if options:
        raise TypeError(f"stencil() got an unexpected keyword argument {next(iter(options))!r}")
    if callable(func_or_mode):
        return Stencil(func_or_mode, neighborhood, standard_indexing, cval)
    if func_or_mode != "constant":
        raise ValueError(f"Unsupported mode style {func_or_mode}; want constant")
    return lambda function: Stencil(function, neighborhood, standard_indexing, cval)


class Stencil:
    """A function of neighbours. neighborhood is, for each axis, the least and the largest distance."""

    def __init__(self, function, neighborhood, standard_indexing, cval):
        from . import reading

        self.py_func = reading.python_function(function)
        self.__name__, self.__doc__ = self.py_func.__name__, self.py_func.__doc__
        self._origin = reading.read(self.py_func)
        self._tree = tree = _defined(self._origin.tree)
        self._params = [a.arg for a in tree.args.args]
        self._whole = set(standard_indexing)
        self.cval, self.neighborhood = cval, neighborhood
        self._made = {}

    def __call__(self, *args, out=None, **others):
        if others:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument {next(iter(others))!r}")
        if len(args) != len(self._params):
            raise TypeError(f"{self.__name__}() takes {len(self._params)} arguments but {len(args)} were given")
        on_device = any(map(is_ours, args))
        given = [ours(a, f"argument {i} of {self.__name__}") if hasattr(a, "shape") and a.shape else a for i, a in enumerate(args, 1)]
        arrays = [a for a, name in zip(given, self._params, strict=True) if is_ours(a) and name not in self._whole]
        if not arrays:
            raise UnsupportedError(f"{self.__name__} is a stencil of no array")
        shape = arrays[0].shape
        if any(a.shape != shape for a in arrays):
            raise ValueError(f"{self.__name__}: the arrays have shapes {', '.join(str(a.shape) for a in arrays)}; want one")
        key = tuple((str(a.dtype), a.ndim) if is_ours(a) else None for a in given)
        if key not in self._made:
            self._made[key] = self._make(given, len(shape))
        kernel, dtype = self._made[key]
        return self._run(kernel, given, shape, out.dtype if out is not None else dtype, out, on_device)

    def _run(self, kernel, given, shape, dtype, out, on_device):
        import weft

        if out is not None and out.shape != shape:
            raise ValueError(f"{self.__name__}: out has the shape {out.shape}; want {shape}, that of the arrays")
        made = weft.full(shape, 0 if self.cval is None else self.cval, dtype=dtype)
        low = [max(-lo, 0) for lo, _ in kernel.reach]
        high = [n - max(hi, 0) for n, (_, hi) in zip(shape, kernel.reach, strict=True)]
        if all(a < b for a, b in zip(low, high, strict=True)):
            blocks = tuple(-(-n // t) for n, t in zip(shape[::-1], _BLOCKS[len(shape)], strict=True))
            kernel.launch[blocks, _BLOCKS[len(shape)]](*given, made)
        if out is not None:
            part = ... if self.cval is not None else tuple(slice(lo, max(hi, lo)) for lo, hi in zip(low, high, strict=True))
            out[part] = made[part] if is_ours(out) else numpy.asarray(made)[part]
            return out
        return made if on_device else numpy.asarray(made)

    def _make(self, given, ndim):
        """The kernel for arguments of some types, and the dtype of its results."""
        from ..cuda import dispatch
        from . import intrinsics, reading

        if not 1 <= ndim <= 3:
            raise UnsupportedError(f"a stencil of {ndim} axes; want 1 to 3")
        relative = {n for n, a in zip(self._params, given, strict=True) if is_ours(a) and n not in self._whole}
        taken = {n.id for n in ast.walk(self._tree) if isinstance(n, ast.Name)} | {self.__name__, *self._params}
        element, cuda, out, *places = (unused(name, taken) for name in ("element", "cuda", "out", *(f"i{k}" for k in range(ndim))))
        moved = _Moved(relative, places)
        body = moved.visit(copy.deepcopy(self._tree))
        if self.neighborhood is None and moved.unknown:
            raise ValueError("stencil kernel index is not constant, 'neighborhood' option required")
        reach = self.neighborhood or [(min(d, default=0), max(d, default=0)) for d in moved.distances]
        if len(reach) != ndim:
            raise ValueError(f"{self.__name__}: {len(reach)} dimensional neighborhood specified for {ndim} dimensional input array")
        body.name, body.args.args = element, body.args.args + [ast.arg(p) for p in places]
        shaped = next(n for n in self._params if n in relative)
        inside = " and ".join(
            f"{max(-lo, 0)} <= {p} < {shaped}.shape[{k}] - {max(hi, 0)}" for k, (p, (lo, hi)) in enumerate(zip(places, reach, strict=True))
        )
        names = ", ".join(self._params)
        scope = dict(self.py_func.__globals__) | inspect.getclosurevars(self.py_func).nonlocals
        grid = f"{', '.join(reversed(places))} = {cuda}.grid({ndim})" if ndim > 1 else f"{places[0]} = {cuda}.grid(1)"
        name = self.__name__ if self.__name__.isidentifier() else "stencil"  # of a lambda
        launched = standing(
            f"def {name}({names}, {out}):\n    {grid}\n    if {inside}:\n"
            f"        {out}[{', '.join(places)}] = {element}({names}, {', '.join(places)})\n",
            self._origin.tree,
        )
        kernel = rewritten(launched, self._origin, {cuda: intrinsics, element: rewritten(body, self._origin, scope, self.__name__)})
        numbers = rewritten(_numbers(self._tree, relative | self._whole, element), self._origin, scope, self.__name__)
        number = _core.compiled("read", reading.unit(numbers))
        types = tuple(str(a.dtype) if hasattr(a, "dtype") else str(numpy.asarray(a).dtype) for a in given)
        dtype = _core.compiled("result", number, types, None)
        return _Kernel(dispatch.Dispatcher(kernel, [], False, dispatch.checks(None)), reach), dtype


def _defined(written):
    """The def statement of a function, without its decorators; one that returns what a lambda does."""
    tree = standing("def element():\n    pass", written)
    tree.args = written.args
    tree.body = [ast.Return(written.body)] if isinstance(written, ast.Lambda) else written.body
    return tree


_BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}


class _Kernel:
    def __init__(self, launch, reach):
        self.launch, self.reach = launch, reach


class _Moved(ast.NodeTransformer):
    """Has distances from the element be indices, and finds how far they reach."""

    def __init__(self, arrays, places):
        self.arrays, self.places, self.unknown = arrays, places, False
        self.distances = [set() for _ in places]

    def visit_Subscript(self, node):  # noqa: N802 - ast's name
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays:
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(parts) != len(self.places):
            raise ValueError(f"{len(parts)} indices of an array of {len(self.places)} axes in a stencil")
        for part, known in zip(parts, self.distances, strict=True):
            try:
                known.add(int(ast.literal_eval(part)))
            except (ValueError, TypeError):
                self.unknown = True
        node.slice = ast.Tuple(
            [ast.BinOp(ast.Name(p, ast.Load()), ast.Add(), part) for p, part in zip(self.places, parts, strict=True)], ast.Load()
        )
        if len(parts) == 1:
            node.slice = node.slice.elts[0]
        return node


class _Element(ast.NodeTransformer):
    """Has elements of arrays be the names of these."""

    def __init__(self, arrays):
        self.arrays = arrays

    def visit_Subscript(self, node):  # noqa: N802 - ast's name
        self.generic_visit(node)
        return node.value if isinstance(node.value, ast.Name) and node.value.id in self.arrays else node


def _numbers(tree, arrays, name):
    """The def statement of the function of numbers in place of elements: its result has the stencil's dtype."""
    made = _Element(arrays).visit(copy.deepcopy(tree))
    made.name = name
    return made
