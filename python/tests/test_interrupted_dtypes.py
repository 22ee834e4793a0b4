"""An interrupt that comes while weft reads a dtype is the program's: it is raised, and not taken for a dtype that there is not."""

import numpy
import pytest
import weft
from weft import _hooks

CALLS = """
x.sum(dtype=d) | np.mean(x, dtype=d) | np.array(x, dtype=d) | np.array([1, 2], dtype=d) | np.asarray(x, d) | np.asarray([1.0], d) | np.zeros(3, d) | np.ones((2, 2), d) | np.full(3, 1, d) | np.zeros_like(x, d)
np.full_like(x, 1, d) | np.eye(3, dtype=d) | np.identity(3, d) | np.arange(3, dtype=d) | np.linspace(0, 1, 3, dtype=d) | x.astype(d) | x.astype(d, copy=False) | np.astype(x, d) | c.astype(d) | np.add(x, x, dtype=d)
np.add(x, x, dtype=d, out=np.zeros(6, "f4")) | np.cumsum(x, dtype=d) | np.var(x, dtype=d) | np.trace(np.eye(3), dtype=d) | np.concatenate([x, x], dtype=d) | many.sum(dtype=d) | many.astype(d) | np.add(many, many, dtype=d)
np.tri(3, dtype=d) | np.asarray(numpy.arange(3.0), d) | np.einsum("i->", x, dtype=d) | np.indices((2,), dtype=d) | np.ascontiguousarray(x, d) | np.matmul(c, c, dtype=d)
"""


class Described:
    """What numpy.dtype takes for a dtype; each is another one."""

    dtype = numpy.dtype("f4")


class Hashed(Described):
    def __hash__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["while NumPy is asked", "while it is looked up"])
@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")])
def test_an_interrupt_while_a_dtype_is_read_is_raised(call, where, monkeypatch):
    names = {"np": weft, "numpy": numpy, "x": weft.arange(6.0), "c": weft.ones(3, complex), "many": weft.arange(200_000.0)}
    code = compile(call, "a program", "eval")

    def interrupted(_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    if where == "while NumPy is asked":
        monkeypatch.setattr(_hooks, "is_native", interrupted)
    with pytest.raises(KeyboardInterrupt):
        eval(code, names, {"d": Described() if where == "while NumPy is asked" else Hashed()})
    assert eval("np.zeros(3, d).dtype == 'f4'", names, {"d": Described()})
