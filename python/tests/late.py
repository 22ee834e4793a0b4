"""Programs whose operations are computed later than they are asked for, and the warnings of them."""

import warnings

import numpy
import pytest

N = 500_000  # elements that are too many to be computed at once


@pytest.fixture(autouse=True)
def usual():
    """NumPy's own settings, which other tests ignore."""
    with numpy.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        yield


def told(code, np):
    """The texts of the warnings of a program, and the file and line that each is of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, "<program>", "exec"), {"np": np, "N": N})
    return sorted((str(w.message), w.filename, w.lineno) for w in caught if w.category is RuntimeWarning)
