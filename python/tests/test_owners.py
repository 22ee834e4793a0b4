"""Whose memory a result is: flags.owndata of what each function gives is NumPy's, and so is whether it has a base."""

import random

import numpy
import pytest
import weft

from .properties import outcomes, rows
from .test_properties import DRAWN, ROWS

EXAMPLES = 3
# Where weft differs, and why.
DIFFERENT = dict.fromkeys(
    "nonzero ndarray.nonzero where mask_indices".split(), "NumPy's are columns of one array; as weft's own they lie on their own"
) | {
    "vecmat": "a row of a product of matrices",
    "trim_zeros": "a view of no elements is an array of none",
    "from_dlpack": "NumPy's copy is the exporter's",
} | {
    f"polynomial.{name}vander{axes}d": "NumPy gives a view of an array that is many times as long, and weft a copy of the part"
    for name in "chebyshev.cheb hermite.herm hermite_e.herme laguerre.lag legendre.leg polynomial.poly".split()
    for axes in (2, 3)
}  # fmt: skip


class Owned(outcomes.Leaf):
    def __init__(self, value, arguments):
        super().__init__(value, arguments)
        self.owns = self.kind != "array" or (bool(value.flags.owndata), value.base is None, getattr(value.base, "shape", None))


@pytest.mark.parametrize("name", sorted(set(DRAWN) - set(DIFFERENT)))
def test_results_own_what_numpys_own(name, monkeypatch):
    monkeypatch.setattr(outcomes, "Leaf", Owned)
    row, r = ROWS[name]._replace(wrong=10**9), random.Random(5)
    for k in range(EXAMPLES):
        statements, call = rows.drawn(name, row, r.randrange if k else lambda n: 0)
        ours, theirs = ({path: getattr(leaf, "owns", None) for path, leaf in outcomes.Outcome(module, statements, call).leaves.items()} for module in (weft, numpy))
        assert ours == theirs, "; ".join([*statements, call])


@pytest.mark.parametrize("few", [0, 4096])
def test_arrays_of_numbers_and_places_are_views_as_numpys(few):
    """Of few elements, and of as many as weft computes later."""

    def lies(np, call):
        made = eval(call, {"np": np, "n": np.float64(2.5), "v": np.arange(4.0), "m": np.arange(60_000.0).reshape(200, 300)})
        return made.shape, made.strides, made.flags.num, getattr(made.base, "shape", None)

    before = weft._core.few(few)
    try:
        for call in (
            "np.array(n, ndmin=2)", "np.array(3, ndmin=3, order='F')", "np.atleast_1d(n)", "np.atleast_2d(n)", "np.atleast_3d(n)", "np.atleast_2d(v)", "np.expand_dims(2.5, 0)", "np.argwhere(v)", "np.argwhere(m)", "np.nonzero(v)[0]", "np.flatnonzero(m)",
            "np.where(v)[0]", "np.tile(m, 2)", "np.tile(v, (2, 1))", "np.roll(m, 1)", "np.linspace(0, 1, 60_000)", "m.T.reshape(-1)", "m.reshape(300, 200, order='F')", "np.isclose(m, m)", "np.isin(v.astype(int), [1, 2])", "np.kron(v, v)", "v.imag",
            "np.histogram(v, 3)[1]", "np.histogram(v)[0]", "np.histogram(m, bins=5)[1]", "np.linspace(0, 1, 5, retstep=True)[0]",
        ):  # fmt: skip
            assert lies(weft, call) == lies(numpy, call), call
    finally:
        weft._core.few(before)
