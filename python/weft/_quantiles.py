"""Quantiles of a vector of some thousand elements: NumPy's text, over the few elements that it looks at.

    np.quantile(x, [0.1, 0.5])    places 0, 9999, 10000, 49999, 50000 and the last one, of 100,000

The text partitions the array around the places that it wants and reads these alone. weft's partition has one result for all ways
there, which for several places is most of a sort; here the core finds what a sort would have at those places, and nothing
else is written.
"""

import numpy

from . import _core, _delegates

# What quantile, percentile and their like all call; where a NumPy has none of this name, its text runs as all others do.
TEXT = getattr(numpy.lib._function_base_impl, "_quantile", None)

_MOST = 1 << 17  # elements, and
_PLACES = 64  # places: of more the general way orders the array


class _NotAtHand(Exception):
    """The array is where the core does not look, such as in a GPU's memory."""


class _Ordered(numpy.ndarray):
    """Memory for as many elements as an array of weft's, of which a partition writes those at its places."""

    of = None  # the array of weft's

    def partition(self, kth, axis=-1):
        places = sorted({k + self.size if k < 0 else k for k in numpy.ravel(kth).tolist()})  # a handful: numpy.unique takes as long as finding them
        values = _core.order_statistics(self.of, places)
        if values is None:
            raise _NotAtHand
        self[places] = numpy.asarray(memoryview(values))


def found(text, to_weft, arr, quantiles, axis=-1, method="linear", out=None, weights=None, **others):
    """_quantile(arr, quantiles, ...) of NumPy; text computes it on arrays of weft's."""
    fits = (
        type(arr) is _core.ndarray
        and arr.ndim == 1
        and 0 < arr.size <= _MOST
        and arr.dtype.kind in "fiu"
        and arr.dtype.itemsize >= 4
        and arr.flags.writeable  # else it is the program's own, which a partition would raise for
        and 2 * numpy.size(quantiles) + 2 <= _PLACES
        and out is None
        and weights is None
    )

    def general():
        return text(arr, quantiles, axis=axis, method=method, out=out, weights=weights, **others)

    if not fits:
        return general()
    wanted = numpy.asarray(memoryview(quantiles)) if type(quantiles) is _core.ndarray else quantiles
    over = numpy.empty(arr.shape, arr.dtype).view(_Ordered)
    over.of = arr
    try:
        made = _delegates.computing(TEXT)(over, wanted, axis=0, method=method, **others)
    except _NotAtHand:
        return general()
    return to_weft(made.view(numpy.ndarray)) if isinstance(made, numpy.ndarray) else made
