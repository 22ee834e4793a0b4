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
