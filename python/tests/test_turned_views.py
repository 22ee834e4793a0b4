"""Views with axes elsewhere: moveaxis, rollaxis and rot90, beside NumPy's."""

import numpy
import weft as np


def drawn(rng):
    """A shape, whether the array is turned, and a call; some axes are none of the array's."""
    n = int(rng.integers(1, 5))
    shape = tuple(int(rng.choice([0, 1, 1, 2, 3, 4])) for _ in range(n))
    one, other = (int(k) for k in rng.integers(-n - 1, n + 2, 2))
    calls = [
        ("moveaxis", (one, other), {}), ("moveaxis", ([0], [other]), {}), ("rollaxis", (one,), {}), ("rollaxis", (one, other), {}), ("rollaxis", (one,), {"start": other}),
        ("rot90", (), {}), ("rot90", (int(rng.integers(-6, 7)),), {}), ("rot90", (), {"k": int(rng.integers(-5, 6))}), ("rot90", (1, (one, other)), {}), ("rot90", (1.5,), {}),
    ]  # fmt: skip
    return shape, rng.random() < 0.3, *calls[rng.integers(len(calls))]


def told(np, shape, turned, name, args, words):
    """What is seen through the view, and what its array has when it has been written to."""
    owner = np.array(numpy.arange(numpy.prod(shape)).reshape(shape))
    try:
        view = getattr(np, name)(owner.T if turned else owner, *args, **words)
    except (TypeError, ValueError) as e:
        return type(e), str(e)
    seen = view.shape, view.strides, view.tolist(), view.base is owner, view.flags.owndata
    view[...] = 7
    return *seen, owner.tolist()


def test_turned_views_are_numpys():
    rng = numpy.random.default_rng(29)
    for _ in range(2500):
        call = drawn(rng)
        assert told(np, *call) == told(numpy, *call), call
