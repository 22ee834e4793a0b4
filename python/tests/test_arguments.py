"""Odd arguments: what NumPy refuses, weft refuses with the same words, and what NumPy takes, weft takes.

arguments.txt has a call on each line, or statements behind "exec:". Each runs with NumPy and with weft, on the same arrays.
"""

import pathlib
import warnings

import numpy
import pytest
import weft

CASES = (pathlib.Path(__file__).parent / "arguments.txt").read_text().splitlines()

# Where weft differs, and why.
DIFFERENT = {
    "exec:v.real='a'": "the words of NumPy for a str, not for its scalar of one",
}


def flat(value):
    """What of a result is compared: types, dtypes, shapes and bytes."""
    if isinstance(value, (tuple, list)):
        yield type(value).__name__
        for item in value:
            yield from flat(item)
    elif isinstance(value, (numpy.ndarray, weft.ndarray, numpy.generic)):
        array = numpy.asarray(value)
        yield isinstance(value, numpy.generic), array.dtype.str, array.shape, array.tolist() if array.dtype.hasobject else array.tobytes()
    else:
        yield type(value).__name__, "" if callable(value) else repr(value)


def outcome(np, case):
    names = {
        "np": np,
        "a": np.arange(6.0).reshape(2, 3),
        "i": np.arange(6),
        "v": np.array([3.0, 1.0, 2.0]),
        "m": np.array([True, False, True]),
        "e": np.array([]),
        "c": np.array([1 + 2j, 3 - 1j]),
        "z": np.array(5.0),
        "o1": np.array([2.5]),
    }
    try:
        if case.startswith("exec:"):
            exec(case[5:], names)
            return list(flat(names.get("r")))
        return list(flat(eval(case, names)))
    except Exception as error:
        return type(error).__name__, str(error).replace("weft.ndarray", "numpy.ndarray")


@pytest.mark.parametrize("case", [case for case in CASES if case not in DIFFERENT])
def test_as_numpy(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(weft, case) == outcome(numpy, case)


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_differs_still_does(case):
    assert case in CASES
    assert outcome(weft, case) != outcome(numpy, case), "as NumPy now: the entry can go"
