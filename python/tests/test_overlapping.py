"""Views whose elements overlap each other, written to: random programs end with NumPy's bytes and answers."""

import random

import numpy
import pytest
import weft

from .sharing import DTYPES

pytestmark = pytest.mark.filterwarnings("ignore::weft.FallbackWarning", "ignore::RuntimeWarning", "ignore::DeprecationWarning")

STEPS = [
    "y[...] = v", "y[0] = v", "y[-1:] = v", "y += 1", "y *= y", "y.fill(2)", "np.add(y, 1, out=y)", "np.copyto(y, v)", "y[y > 2] = 1", "x += 1", "x[1:3] = 5",
    "np.negative(y, out=y)", "y[..., 0] = y[..., -1]", "y.sort()", "y.put([0, 1], 3)", "np.putmask(y, y < 4, 6)", "z = y[1:]; z[...] = 3", "y.T[...] = v", "y = y[::-1]",
    "np.cumsum(y.reshape(-1)[: y.shape[-1]], out=y[0]) if y.ndim > 1 else None", "y.flat[2] = 9", "y[0, ...] -= 3", "y.real[...] = 2", "y.flat = [1, 2, 3]", "y.byteswap(True)",
]  # fmt: skip
READS = ["x.tolist()", "y.tolist()", "(y + 1).tolist()", "y.sum().tolist()", "y.flags.num", "y.strides", "y.copy().strides", "y.max()"]


def program(seed):
    """The layout of a view of as many elements, and some steps."""
    r = random.Random(seed)
    size = r.choice((13, 13, 5000))
    shape = tuple(r.randint(2, 3) for _ in range(r.randint(1, 3)))
    steps = tuple(r.randint(0, 2) for _ in shape)
    return size, r.choice([name for name in DTYPES if name != "bool"]), shape, steps, r.choices(STEPS, k=r.randint(2, 8)), r.choices(READS, k=3)


def outcome(module, size, dtype, shape, steps, does, reads):
    space = {"np": module, "v": 7}
    x = space["x"] = module.arange(size).astype(dtype)
    space["y"] = module.lib.stride_tricks.as_strided(x, shape, tuple(step * x.itemsize for step in steps))
    found = []
    for text in [*does, *reads]:
        try:
            found.append(repr(eval(text, space)) if text in reads else exec(text, space))  # noqa: S102, S307
        except (ValueError, TypeError, IndexError) as error:
            found.append((type(error).__name__, str(error)))
    return found, x[:20].tolist()


@pytest.mark.parametrize("begins", range(0, 400, 50))
def test_writing_elements_that_overlap_each_other(begins):
    for seed in range(begins, begins + 50):
        told = program(seed)
        assert outcome(weft, *told) == outcome(numpy, *told), (seed, told)


def test_what_is_broadcast_may_be_written_where_its_array_may():
    x = weft.zeros(3)
    y = weft.broadcast_to(x, (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1
    y.flags.writeable = True
    y[0] = weft.arange(3)
    y += 1
    assert x.tolist() == [1, 2, 3] and y.flags.writeable
    x.flags.writeable = False
    z = weft.broadcast_to(x, (2, 3))
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        z.flags.writeable = True
