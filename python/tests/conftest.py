"""Fixtures of the package's tests; their functions are in sharing.py."""

import gc
import warnings

import numpy as np
import pytest
import weft
from weft import _fallback

# Whether a call of NumPy's is warned of depends on how long it took, and so on what else the machine does: tests of the warning lower this.
_fallback.LEAST = 1 << 60  # nanoseconds


def pytest_collection_finish(session):
    """Looks at the tests themselves, a million objects, once: many tests ask the collector what is left of theirs."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def quiet_numpy():
    """NumPy's warnings about infinities and NaNs are not what is tested."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.fixture
def general():
    """Calls with few elements are not NumPy's, so that weft's own functions are tested."""
    before = weft._core.few(0)
    yield
    weft._core.few(before)
