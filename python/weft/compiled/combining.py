"""What ufuncs do besides elements: reduce, accumulate, reduceat, outer and at, for functions of the user's."""

import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from .. import _core
from . import reading
from .errors import UnsupportedError
from .operands import is_ours, ours


class Combining:
    """The methods of ufuncs. Where NumPy leaves the order open, elements are combined from the first to the last."""

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, stream=0):
        """Combine all elements along an axis, from the first to the last: f(f(a[0], a[1]), a[2]) ..."""
        axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
        if dtype is not None or out is not None or initial is not None or isinstance(axis, tuple):
            raise UnsupportedError(f"{self.__name__}.reduce: dtype=, out=, initial= and several axes are not supported")
        whole, axis, shape, made, step = self._combined("reduce", array, axis)
        rest = [] if axis is None else [*shape[:axis], *([1] if keepdims else []), *shape[axis + 1 :]]
        if axis is None and keepdims:
            rest = [1] * len(shape)
        rows = _in_front(whole, axis or 0)
        if len(rows) == 0:
            if self.identity is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            return ours(numpy.full(rest, self.identity, made), "")[()]
        result = ours(numpy.empty(rows.shape[1], made), "")
        if result.size:
            self._launch(reduction, step, rows.shape[1], rows, result)
        return result.reshape(rest)[()]

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """All that reduce comes to on the way: a[0], f(a[0], a[1]), f(f(a[0], a[1]), a[2]) ..."""
        if dtype is not None or isinstance(axis, tuple):
            raise UnsupportedError(f"{self.__name__}.accumulate: dtype= and several axes are not supported")
        out = self._out(out)
        whole, axis, shape, made, step = self._combined("accumulate", array, axis, out)
        _want_shape(out, shape, f"{self.__name__}.accumulate")
        rows, result = _in_front(whole, axis), _laid_like(whole, made)
        # The columns of up to two axes are a view of the result; those of more are put together, and copied to their places.
        direct = whole.ndim <= 2
        columns = _in_front(result, axis) if direct else ours(numpy.empty(rows.shape, made), "")
        if rows.size:
            self._launch(accumulation, step, rows.shape[1], rows, columns)
            if not direct:
                result[...] = _behind(columns, whole, axis)
        return _given(result, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """reduce of the elements from each index to the next; of the one at it, where the next is not behind it."""
        if dtype is not None or isinstance(axis, tuple):
            raise UnsupportedError(f"{self.__name__}.reduceat: dtype= and several axes are not supported")
        out = self._out(out)
        whole, axis, shape, made, step = self._combined("reduceat", array, axis, out)
        rows, begins = _in_front(whole, axis), numpy.asarray(indices)
        if begins.ndim != 1 or begins.dtype.kind not in "iu":
            raise TypeError(f"{self.__name__}.reduceat: the indices are an array of {begins.dtype} of {begins.ndim} axes; want integers along one")
        outside = begins[(begins < 0) | (begins >= len(rows))]
        if outside.size:
            raise IndexError(f"index {outside[0]} out-of-bounds in {self.__name__}.reduceat [0, {len(rows)})")
        _want_shape(out, (*shape[:axis], len(begins), *shape[axis + 1 :]), f"{self.__name__}.reduceat")
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
        """Set a[indices] to the function of it, and of b where it takes two; positions that are there twice are set twice, in turn.

        No element that the indices do not name is read or written.
        """
        if self.nin > 2 or (self.nin == 2) != (b is not None):
            raise ValueError(f"{self.__name__}.at: {self.nin} operands; want a, indices{' and b' if self.nin == 2 else ''}")
        if not _is_array(a):
            raise TypeError(f"first operand must be array: {self.__name__}.at got {type(a).__name__}")
        types, made, steps = self._updating(a.dtype, b)
        if not numpy.can_cast(made, a.dtype, "same_kind"):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from {made!r} to {a.dtype!r} with casting rule 'same_kind'")
        where = named(a.shape, tuple(map(_plainly, indices)) if isinstance(indices, tuple) else _plainly(indices))
        shape, given = where[0].shape if where else numpy.empty(())[indices].shape, ()
        if b is not None:
            b = numpy.asarray(types[1].type(b) if _is_weak(b) else b)
            given = (ours(numpy.broadcast_to(b, shape).reshape(-1).astype(types[1]), "b"),)
        # Where elements begin in memory tells apart those that two positions share, as positions of as_strided's arrays do.
        begins = sum((w.astype(numpy.int64) * n for w, n in zip(where, a.strides, strict=True)), numpy.zeros(shape, numpy.int64))
        first, turns = told_apart(begins.reshape(-1))
        places = tuple(w.reshape(-1)[first] for w in where)
        if not len(turns):
            return
        values = ours(a[places] if places else a.reshape(1), f"what {self.__name__}.at changes")
        values = values.copy() if values is a or not places else values
        self._launch(updates if given else updates_alone, steps, 1, values, ours(turns, ""), *given)
        values = values if is_ours(a) else numpy.asarray(values)
        if places:
            a[places] = values
        else:
            a[...] = values[0]

    def _updating(self, changed, b):
        """What operands of at are converted to, the dtype of results, and what converts the first operand and each result."""
        weak = [False] if b is None else [False, _is_weak(b)]
        types = [changed] if b is None else [changed, numpy.asarray(b).dtype if not is_ours(b) else b.dtype]
        if self._loops:
            types, made = self._loop(types, weak)
            return types, made, (types[0].type, made.type)
        made = self._result(types)
        if weak[-1] and not numpy.can_cast(made, changed, "same_kind") and fits(types[1], changed, True):
            types = [changed] * 2  # a number of Python's is of the array's type, as NumPy has it
            made = self._result(types)
        return types, made, None

    def _want_two(self, method):
        if self.nin != 2:
            raise ValueError(f"{method} only supported for binary functions")

    def _out(self, out):
        """out as an array: methods take it in a tuple, too."""
        if isinstance(out, tuple):
            if len(out) != 1:
                raise ValueError(f"The 'out' tuple must have exactly one entry per ufunc output: {self.__name__} got {len(out)}")
            (out,) = out
        if out is not None and not _is_array(out):
            raise TypeError(f"output must be an array: {self.__name__} got {type(out).__name__}")
        return out

    def _combined(self, method, array, axis, out=None):
        """The array as one along whose axis elements are combined, the axis, its shape, the dtype of results, and what converts to it.

        The axis is counted from the front; that of all axes of reduce stays None, and its array has one.
        """
        self._want_two(method)
        array = ours(array, f"what {self.__name__}.{method} combines")
        shape = array.shape
        if method != "reduce" and not shape:
            raise TypeError(f"cannot {method} on a scalar")
        if axis is None and method != "reduce":
            if len(shape) > 1:
                raise ValueError(f"{method} does not allow multiple axes")
            axis = 0
        if axis is not None:
            if isinstance(axis, bool | numpy.bool_):
                raise TypeError(f"an integer is required: axis of {self.__name__}.{method} is {axis}")
            axis = operator.index(axis)
            axis = None if not shape and axis in (0, -1) else normalize_axis_index(axis, len(shape))
        whole = array.reshape(-1) if axis is None else array
        wide = self._wide(whole.dtype) if out is None else None
        whole = whole if wide is None else whole.astype(wide)
        if not self._loops:
            return whole, axis, shape, self._result([whole.dtype] * 2), None
        types, made = ([wide] * 2, wide) if wide is not None else self._loop([whole.dtype] * 2, [False] * 2)
        if any(t != made for t in types):
            raise UnsupportedError(
                f"{self.__name__}.{method}: the signature takes {types[0]} and {types[1]}, and returns {made}; want one type"
            )
        return whole if whole.dtype == made else whole.astype(made), axis, shape, made, made.type

    def _wide(self, dtype):
        """The dtype in which NumPy's ufuncs of sums and products combine small integers; None for others, or without a signature."""
        if self.__name__ not in _WIDENED or dtype.kind not in "biu" or dtype.itemsize == 8:
            return None
        wide = numpy.dtype("uint64" if dtype.kind == "u" else "int64")
        return wide if not self._loops or any(list(args) == [wide] * 2 and made == wide for args, made in self._loops) else None

    def _launch(self, kernel, step, threads, *args):
        """Launch one of the kernels below, for so many threads."""
        if (kernel, step) not in self._reductions:
            self._reductions[kernel, step] = _core.compiled("read", reading.unit(kernel(self.py_func, step)))
        _core.compiled("launch", self._reductions[kernel, step], (threads,), (1,), 0, None, *args)


# The ufuncs whose results of integers NumPy widens, known by their names.
_WIDENED = ("add", "multiply")


def _is_array(value):
    """Whether a value is an array, weft's or NumPy's."""
    return is_ours(value) or isinstance(value, numpy.ndarray)


def _is_weak(b):
    """Whether it is a number of Python's, whose type follows that of the array."""
    return type(b) in (bool, int, float, complex)


def fits(of, to, weak):
    """Whether an argument of a dtype becomes another one without loss; a number of Python's by its kind alone."""
    if weak:
        return "biufc".index(to.kind if to.kind != "u" else "i") >= "biufc".index(of.kind)
    return numpy.can_cast(of, to, "safe")


def named(shape, indices):
    """What indices of an array of a shape name, in their order: an array of numbers along each axis, of the shape of a[indices]."""
    parts = indices if isinstance(indices, tuple) else (indices,)
    plain = not any(part is None or part is Ellipsis or isinstance(part, slice | bool) for part in parts)
    numbers = [numpy.asarray(part) for part in parts] if plain else []
    if not numbers or len(numbers) > len(shape) or any(number.dtype.kind not in "iu" for number in numbers):
        axes = (numpy.arange(n).reshape([-1, *[1] * (len(shape) - i - 1)]) for i, n in enumerate(shape))
        return [numpy.asarray(numpy.broadcast_to(axis, shape)[indices]) for axis in axes]
    found = []
    for axis, (number, n) in enumerate(zip(numbers, shape, strict=False)):
        outside = number[(number < -n) | (number >= n)]
        if outside.size:
            raise IndexError(f"index {outside.flat[0]} is out of bounds for axis {axis} with size {n}")
        number = number.astype(numpy.int64)
        found.append(numpy.where(number < 0, number + n, number))
    rest = shape[len(found) :]
    found = [number.reshape([*number.shape, *[1] * len(rest)]) for number in numpy.broadcast_arrays(*found)]
    found += [numpy.arange(n).reshape([-1, *[1] * (len(rest) - i - 1)]) for i, n in enumerate(rest)]
    return list(numpy.broadcast_arrays(*found))


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


def told_apart(numbers):
    """Where each number is once, and which of these each of the numbers is: by a table where they lie close together, else by sorting."""
    if not numbers.size or (span := int(numbers.max()) - (low := int(numbers.min()))) > 64 * numbers.size:
        _, first, turns = numpy.unique(numbers, return_index=True, return_inverse=True)
        return first, turns.astype(numpy.int64)
    table, every = numpy.empty(span + 1, numpy.int64), numpy.arange(numbers.size)
    numbers = numbers - low
    table[numbers] = every
    first = numpy.flatnonzero(table[numbers] == every)
    table[numbers[first]] = every[: first.size]
    return first, table[numbers]


def _laid_like(whole, dtype):
    """A new array of the shape of another one, whose axes lie in the same order."""
    order = sorted(range(whole.ndim), key=lambda axis: -abs(whole.strides[axis]))
    return ours(numpy.empty([whole.shape[axis] for axis in order], dtype), "").transpose([order.index(axis) for axis in range(whole.ndim)])


def _want_shape(out, shape, what):
    """Raise a ValueError for an out of another shape: methods do not broadcast to it."""
    if out is not None and out.shape != tuple(shape):
        raise ValueError(f"{what}: non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {tuple(shape)}")


def _given(result, out):
    """The result, or out with it."""
    if out is None:
        return result
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


def updates(combine, steps=None):
    """A kernel of one thread, which changes elements one after the other.

    steps are the types that the first operand and each result are converted to; None leaves them as they are.
    """

    def updated(a, positions, b):
        for k in range(positions.size):
            a[positions[k]] = combine(a[positions[k]], b[k])

    if steps is None:
        return updated
    first, step = steps

    def converted(a, positions, b):
        for k in range(positions.size):
            a[positions[k]] = step(combine(first(a[positions[k]]), b[k]))

    return converted


def updates_alone(change, steps=None):
    """The same by a function of one element."""

    def updated(a, positions):
        for k in range(positions.size):
            a[positions[k]] = change(a[positions[k]])

    if steps is None:
        return updated
    first, step = steps

    def converted(a, positions):
        for k in range(positions.size):
            a[positions[k]] = step(change(first(a[positions[k]])))

    return converted
