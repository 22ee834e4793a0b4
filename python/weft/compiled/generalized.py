"""@guvectorize: functions of arrays, called for each element of the axes before those that they take."""

import re

import numpy

from . import lacking
from .errors import UnsupportedError
from .operands import is_ours, ours
from .sources import define, unused
from .types import Array, Number, signatures

_TARGETS = ("cpu", "parallel", "cuda")


def guvectorize(*args, target="cpu", identity=None, cache=False, nopython=True, writable_args=(), fastmath=False):
    """Make a function of arrays one of more axes: @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)").

    The function gets an array for each argument, and writes to those behind the arrow. Arguments without axes are numbers; results
    without are arrays of one element. Each element of the axes before is a thread.
    """
    if target not in _TARGETS:
        raise ValueError(f"Unsupported target: {target}; want one of {', '.join(_TARGETS)}")
    if writable_args:
        raise UnsupportedError("guvectorize: writable_args are not supported; results are those behind the arrow")
    loops, layout = ((), args[0]) if len(args) == 1 else args
    return lambda function: Generalized(function, signatures(loops) if loops else [], layout)


def _layout(text):
    """The names of the axes of each input and output."""
    found = re.fullmatch(r"\s*(.*?)\s*->\s*(.*?)\s*", text)
    if not found:
        raise ValueError(f"the layout {text!r} has no arrow; write (m,n),(n,p)->(m,p), say")
    sides = []
    for side in found.groups():
        groups = re.findall(r"\(([^()]*)\)", side)
        if re.sub(r"\([^()]*\)|,|\s", "", side) or not groups:
            raise ValueError(f"the layout {text!r} is not one of axes in parentheses; write (m,n),(n,p)->(m,p), say")
        sides.append([tuple(a.strip() for a in g.split(",") if a.strip()) for g in groups])
    return sides


class Generalized:
    """A function of arrays with its layout. signature is the latter."""

    max_blocksize = 128

    def __init__(self, function, loops, layout):
        from . import reading

        self.py_func = reading.python_function(function)
        self.__name__, self.__doc__, self.signature = self.py_func.__name__, self.py_func.__doc__, layout
        self._inputs, self._outputs = _layout(layout)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs, self.identity = self.nin + self.nout, None  # as ufuncs have it
        known = {name for axes in self._inputs for name in axes}
        for axes in self._outputs:
            for name in axes:
                if name not in known:
                    raise ValueError(f"the axis {name} of {layout!r} is no input's")
        self._loops = [self._dtypes(loop) for loop in loops]
        self._kernel = None

    def __getattr__(self, name):
        raise lacking.error("Gufunc", name, "a generalized function")

    def __repr__(self):
        return f"<vectorized function {self.__name__!r} of {self.signature}>"

    @property
    def types(self):
        """The signatures that it was given, in NumPy's letters."""
        sides = ((loop[: self.nin], loop[self.nin :]) for loop in self._loops)
        return ["->".join("".join(t.char for t in side) for side in pair) for pair in sides]

    @property
    def ntypes(self):
        return len(self._loops)

    def _dtypes(self, loop):
        if len(loop.args) != self.nin + self.nout:
            raise TypeError(f"the signature {loop} has {len(loop.args)} arguments, and the layout {self.signature} {self.nin + self.nout}")
        return [t.dtype for t in loop.args if isinstance(t, Array | Number)]

    def _made(self):
        """The kernel that calls the function with the arrays of its thread."""
        if self._kernel is None:
            from ..cuda import dispatch
            from . import intrinsics

            name = self.__name__ if self.__name__.isidentifier() else "generalized"  # of a lambda
            taken = {name}
            cuda, called, i = (unused(word, taken) for word in ("cuda", "called", "i"))
            names = [unused(f"a{k}", taken) for k in range(self.nin + self.nout)]
            given = [
                f"{n}[{i}]" + ("" if axes or k < self.nin else "[:]")
                for k, (n, axes) in enumerate(zip(names, self._inputs + self._outputs, strict=True))
            ]
            text = (
                f"def {name}({', '.join(names)}):\n    {i} = {cuda}.grid(1)\n"
                f"    if {i} < {names[-1]}.shape[0]:\n        {called}({', '.join(given)})\n"
            )
            function = define(name, text, {cuda: intrinsics, called: self.py_func})
            self._kernel = dispatch.Dispatcher(function, [], False, dispatch.checks(None))
        return self._kernel

    def _loop(self, types):
        """The dtypes of the first signature to which arguments can be converted safely."""
        if not self._loops:
            return None
        for loop in self._loops:
            if all(numpy.can_cast(t, to, "safe") for t, to in zip(types, loop, strict=False)):
                return loop
        raise TypeError(f"No matching version. {self.__name__} has none for {', '.join(map(str, types))}")

    def __call__(self, *args, out=None, stream=0):
        if len(args) == self.nin + self.nout and out is None:
            args, out = args[: self.nin], args[self.nin :]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments but {len(args)} were given")
        on_device = any(map(is_ours, args))
        arrays = [ours(a, f"argument {i} of {self.__name__}") for i, a in enumerate(args, 1)]
        sizes, outer = {}, []
        for i, (a, axes) in enumerate(zip(arrays, self._inputs, strict=True), 1):
            if a.ndim < len(axes):
                raise ValueError(f"{self.__name__}: argument {i} has {a.ndim} axes; the layout {self.signature} wants {len(axes)}")
            core = a.shape[a.ndim - len(axes) :]
            for name, n in zip(axes, core, strict=True):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"{self.__name__}: argument {i} has {n} along {name}, an earlier one {sizes[name]}")
            outer.append(a.shape[: a.ndim - len(axes)])
        outer = numpy.broadcast_shapes(*outer)
        outs = out if isinstance(out, tuple) else (out,) if out is not None else (None,) * self.nout
        loop = self._loop([a.dtype for a in arrays])
        if loop is None and None in outs:
            raise TypeError(f"{self.__name__} has no signatures; give it out=")
        outer = self._broadened(outer, outs, sizes)
        return self._launch(arrays, outs, loop, sizes, outer, on_device)

    def _broadened(self, outer, outs, sizes):
        """The axes before those of the layout, with those of the outputs that are given, whose shapes are checked."""
        cores = [tuple(sizes[name] for name in axes) for axes in self._outputs]
        for out, core in zip(outs, cores, strict=True):
            if out is not None and out.ndim >= len(core):
                outer = numpy.broadcast_shapes(outer, out.shape[: out.ndim - len(core)])
        for k, (out, core) in enumerate(zip(outs, cores, strict=True), 1):
            if out is not None and out.shape != outer + core:
                raise ValueError(f"{self.__name__}: output {k} has the shape {out.shape}; the arguments want {outer + core}")
        return outer

    def _launch(self, arrays, outs, loop, sizes, outer, on_device):
        import weft

        n = int(numpy.prod(outer))
        flat = []
        for a, axes in zip(arrays, self._inputs, strict=True):
            core = tuple(sizes[name] for name in axes)
            a = weft.broadcast_to(a, outer + core).reshape((n, *core))
            flat.append(a if loop is None or a.dtype == loop[len(flat)] else a.astype(loop[len(flat)]))
        made = []
        for k, axes in enumerate(self._outputs):
            core = tuple(sizes[name] for name in axes)
            dtype = loop[self.nin + k] if loop else outs[k].dtype
            shape = n, *(core or (1,))
            if outs[k] is None:
                made.append(weft.zeros(shape, dtype=dtype))
            else:  # the function sees what the output holds
                made.append(ours(outs[k], f"output {k + 1} of {self.__name__}").reshape(shape).astype(dtype))
        if n:
            self._made().forall(n, self.max_blocksize)(*flat, *made)
        results = []
        for a, axes, given in zip(made, self._outputs, outs, strict=True):
            a = a.reshape(outer + tuple(sizes[name] for name in axes))
            if given is not None:
                given[...] = a if is_ours(given) else numpy.asarray(a)
                a = given
            elif not on_device:
                a = numpy.asarray(a)
            results.append(a[()] if given is None else a)
        return results[0] if len(results) == 1 else tuple(results)
