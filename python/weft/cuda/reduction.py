"""cuda.reduce: the elements of an array combined by a function of the user's."""

import numpy

from ..compiled.elementwise import Elementwise
from ..compiled.operands import is_ours, ours


class Reduce:
    """A reduction: sum_reduce = cuda.reduce(lambda a, b: a + b); sum_reduce(array).

    Elements are combined in halves: the first half with the second, and so on, the same way each time and on all devices.
    """

    def __init__(self, functor):
        self._functor = functor
        self._combine = Elementwise(functor, [], None, "cuda")

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """Combine the first size elements and init; the result goes to res[0], or is returned."""
        if arr.ndim != 1:
            raise TypeError("only support 1D array")
        if size is not None and size > arr.size:
            raise ValueError("size is greater than array size")
        array = ours(arr, "what is reduced")[: arr.size if size is None else size]
        if array.size == 0:
            total = init
        else:
            total = self._combine(arr.dtype.type(init), self._halved(array))
            total = total.astype(arr.dtype) if is_ours(total) else arr.dtype.type(total)
        if res is None:
            return total if array.size == 0 else numpy.asarray(total)[()]
        res[0] = total
        return None

    def _halved(self, array):
        dtype = array.dtype
        while array.size > 1:
            half = array.size // 2
            made = self._combine(array[:half], array[half : 2 * half])
            if made.dtype != dtype:
                made = made.astype(dtype)
            if array.size % 2:
                made = _joined(made, array[-1:])
            array = made
        return array[0]


def _joined(a, b):
    import weft

    return weft.concatenate([a, b])


reduce = Reduce
