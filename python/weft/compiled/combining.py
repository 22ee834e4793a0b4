"""What ufuncs do besides elements: reduce, accumulate, reduceat, outer and at, for functions of the user's."""

import math

import numpy

from .. import _core
from . import reading
from .errors import UnsupportedError
from .operands import is_ours, ours


class Combining:
    """The methods of ufuncs. Where NumPy leaves the order open, elements are combined from the first to the last."""

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, stream=0):
        """Combine all elements along an axis, from the first to the last: f(f(a[0], a[1]), a[2]) ..."""
        if dtype is not None or out is not None or initial is not None or not (axis is None or isinstance(axis, int)):
            raise UnsupportedError(f"{self.__name__}.reduce: dtype=, out=, initial= and several axes are not supported")
        whole, axis, made, step = self._combined("reduce", array, axis)
        n = whole.shape[axis]
        if n == 0:
            if self.identity is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            rest = whole.shape[:axis] + whole.shape[axis:][1:]
            return ours(numpy.full(rest, self.identity, made), "")[()]
        rows = _in_front(whole, axis)
        result = ours(numpy.empty(rows.shape[1], made), "")
        self._launch(reduction, step, rows.shape[1], rows, result)
        shape, axis = list(whole.shape), axis % whole.ndim
        shape[axis : axis + 1] = [1] if keepdims else []
        return result.reshape(shape)[()]

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """All that reduce comes to on the way: a[0], f(a[0], a[1]), f(f(a[0], a[1]), a[2]) ..."""
        if dtype is not None or not isinstance(axis, int):
            raise UnsupportedError(f"{self.__name__}.accumulate: dtype= and several axes are not supported")
        whole, axis, made, step = self._combined("accumulate", array, axis)
        rows = _in_front(whole, axis)
        result = ours(numpy.empty(rows.shape, made), "")
        if rows.size:
            self._launch(accumulation, step, rows.shape[1], rows, result)
        return _given(_behind(result, whole, axis), out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """reduce of the elements from each index to the next; of the one at it, where the next is not behind it."""
        if dtype is not None or not isinstance(axis, int):
            raise UnsupportedError(f"{self.__name__}.reduceat: dtype= and several axes are not supported")
        whole, axis, made, step = self._combined("reduceat", array, axis)
        rows, begins = _in_front(whole, axis), numpy.asarray(indices)
        if begins.ndim != 1 or begins.dtype.kind not in "iu":
            raise TypeError(f"{self.__name__}.reduceat: the indices are an array of {begins.dtype} of {begins.ndim} axes; want integers along one")
        outside = begins[(begins < 0) | (begins >= len(rows))]
        if outside.size:
            raise IndexError(f"index {outside[0]} out-of-bounds in {self.__name__}.reduceat [0, {len(rows)})")
        ends = numpy.append(begins[1:], len(rows))
        result = ours(numpy.empty((len(begins), rows.shape[1]), made), "")
        if result.size:
            spans = (ours(v.astype(numpy.int64), "") for v in (begins, numpy.maximum(ends, begins + 1)))
            self._launch(segments, step, result.size, rows, *spans, result)
        return _given(_behind(result, whole, axis), out)

    def outer(self, a, b, **options):
        """The function of each element of a with each of b."""
        self._want_two("outer")
        a, b = (ours(v, f"an argument of {self.__name__}.outer") for v in (a, b))
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    def at(self, a, indices, b=None):
        """Set a[indices] to the function of it, and of b where it takes two; positions that are there twice are set twice, in turn."""
        if self.nin > 2 or (self.nin == 2) != (b is not None):
            raise ValueError(f"{self.__name__}.at: {self.nin} operands; want a, indices{' and b' if self.nin == 2 else ''}")
        indices = tuple(map(_plainly, indices)) if isinstance(indices, tuple) else _plainly(indices)
        positions = numpy.arange(a.size).reshape(a.shape)[indices]
        array = ours(a, f"what {self.__name__}.at changes")
        made = self._result([array.dtype] * 1 if b is None else [array.dtype, ours(b, "b").dtype])
        if not numpy.can_cast(made, array.dtype, "same_kind"):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from {made!r} to {array.dtype!r} with casting rule 'same_kind'")
        flat = array.reshape(-1) if is_ours(a) and a.flags.c_contiguous else array.flatten()
        given = () if b is None else (ours(numpy.broadcast_to(numpy.asarray(b), positions.shape).reshape(-1), "b"),)
        if positions.size:
            self._launch(updates if given else updates_alone, None, 1, flat, ours(positions.reshape(-1), ""), *given)
        if not (is_ours(a) and a.flags.c_contiguous):
            a[...] = flat.reshape(a.shape) if is_ours(a) else numpy.asarray(flat).reshape(a.shape)

    def _want_two(self, method):
        if self.nin != 2:
            raise ValueError(f"{method} only supported for binary functions")

    def _combined(self, method, array, axis):
        """The array as one along whose axis elements are combined, the axis, the dtype of results, and what converts to it."""
        self._want_two(method)
        array = ours(array, f"what {self.__name__}.{method} combines")
        whole = array.reshape(-1) if axis is None else array
        axis = 0 if axis is None else axis
        if not -whole.ndim <= axis < whole.ndim:
            raise numpy.exceptions.AxisError(axis, whole.ndim)
        if not self._loops:
            return whole, axis, self._result([whole.dtype] * 2), None
        types, made = self._loop([whole.dtype] * 2, [False] * 2)
        if any(t != made for t in types):
            raise UnsupportedError(
                f"{self.__name__}.{method}: the signature takes {types[0]} and {types[1]}, and returns {made}; want one type"
            )
        return whole if whole.dtype == made else whole.astype(made), axis, made, made.type

    def _launch(self, kernel, step, threads, *args):
        """Launch one of the kernels below, for so many threads."""
        if (kernel, step) not in self._reductions:
            self._reductions[kernel, step] = _core.compiled("read", reading.unit(kernel(self.py_func, step)))
        _core.compiled("launch", self._reductions[kernel, step], (threads,), (1,), 0, None, *args)


def _plainly(index):
    """An index as NumPy takes it."""
    return numpy.asarray(index) if is_ours(index) else index


def _in_front(whole, axis):
    """The array with two axes, the first of which is that along which elements are combined."""
    if whole.ndim == 2 and axis == 0:
        return whole
    axis %= whole.ndim
    others = [i for i in range(whole.ndim) if i != axis]
    return whole.transpose([axis, *others]).reshape(whole.shape[axis], math.prod(whole.shape[i] for i in others))


def _behind(result, whole, axis):
    """A result of rows in front with the axes of the array."""
    axis %= whole.ndim
    others = whole.shape[:axis] + whole.shape[axis + 1 :]
    return result.reshape(result.shape[0], *others).transpose([*range(1, axis + 1), 0, *range(axis + 1, whole.ndim)])


def _given(result, out):
    """The result, or out with it."""
    if out is None:
        return result
    (out,) = out if isinstance(out, tuple) else (out,)
    out[...] = result if is_ours(out) else numpy.asarray(result)
    return out


def reduction(combine, step=None):
    """A kernel each thread of which combines the elements of a column, from the first to the last.

    step is the type that each result is converted to; None leaves it as it is.
    """
    from . import intrinsics as cuda

    def reduced(a, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = a[0, i]
            for k in range(1, a.shape[0]):
                total = combine(total, a[k, i])
            out[i] = total

    def converted(a, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            total = a[0, i]
            for k in range(1, a.shape[0]):
                total = step(combine(total, a[k, i]))
            out[i] = total

    return reduced if step is None else converted


def accumulation(combine, step=None):
    """A kernel each thread of which writes all that the elements of a column come to."""
    from . import intrinsics as cuda

    def accumulated(a, out):
        i = cuda.grid(1)
        if i < out.shape[1]:
            total = a[0, i]
            out[0, i] = total
            for k in range(1, a.shape[0]):
                total = combine(total, a[k, i])
                out[k, i] = total

    def converted(a, out):
        i = cuda.grid(1)
        if i < out.shape[1]:
            total = a[0, i]
            out[0, i] = total
            for k in range(1, a.shape[0]):
                total = step(combine(total, a[k, i]))
                out[k, i] = total

    return accumulated if step is None else converted


def segments(combine, step=None):
    """A kernel each thread of which combines a part of a column."""
    from . import intrinsics as cuda

    def reduced(a, begin, end, out):
        at = cuda.grid(1)
        if at < out.size:
            s, i = at // out.shape[1], at % out.shape[1]
            total = a[begin[s], i]
            for k in range(begin[s] + 1, end[s]):
                total = combine(total, a[k, i])
            out[s, i] = total

    def converted(a, begin, end, out):
        at = cuda.grid(1)
        if at < out.size:
            s, i = at // out.shape[1], at % out.shape[1]
            total = a[begin[s], i]
            for k in range(begin[s] + 1, end[s]):
                total = step(combine(total, a[k, i]))
            out[s, i] = total

    return reduced if step is None else converted


def updates(combine, step=None):
    """A kernel of one thread, which changes elements one after the other."""

    def updated(a, positions, b):
        for k in range(positions.size):
            a[positions[k]] = combine(a[positions[k]], b[k])

    return updated


def updates_alone(change, step=None):
    """The same by a function of one element."""

    def updated(a, positions):
        for k in range(positions.size):
            a[positions[k]] = change(a[positions[k]])

    return updated
