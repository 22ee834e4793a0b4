"""How often an object is asked for its array by __array__: as often as NumPy asks it."""

import numpy
import pytest
import weft as np


class Counting:
    """What has __array__ alone, and says how often it is asked for its array."""

    def __init__(self, array):
        self.array, self.asked = array, 0

    def __array__(self, dtype=None, copy=None):
        self.asked += 1
        return self.array


class Long(Counting):
    """The same, of a length of its own."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (3, 4)[index]


@pytest.mark.parametrize("kind", [Counting, Long])
@pytest.mark.parametrize("of", [np, numpy])
@pytest.mark.parametrize(
    "call",
    [
        "gcd(a, 2)",
        "unwrap(a)",
        "split(m.arange(6), a)",
        "nanmean(a)",
        "lexsort([a])",
        "spacing(a)",
        "i0(a)",
        "cov(a)",
        "percentile(a, 30)",
        "kron(a, a)",
        "sort(a)",
        "copy(a)",
    ],
)
def test_an_object_is_asked_for_its_array_as_often_as_numpy_asks(call, of, kind):
    ends = []
    for module, made in ((np, of.arange(6.0)), (numpy, numpy.arange(6.0))):
        a = kind(made.astype(int) if "gcd" in call else made)
        try:
            result = repr(eval(f"m.{call}", {"m": module, "a": a}))
        except (TypeError, ValueError) as error:
            result = type(error).__name__
        ends.append((result, a.asked))
    assert ends[0] == ends[1]


def test_what_stands_for_an_object_is_it_in_all_that_is_asked_of_it():
    class Sums(Counting):
        label = "mine"

        def argsort(self, *args, **kwargs):
            return self.label

    a = Sums(numpy.arange(3.0))
    assert np.lexsort([a]).tolist() == [0, 1, 2]
    assert np.unwrap(a).tolist() == [0, 1, 2] and a.asked == 2
