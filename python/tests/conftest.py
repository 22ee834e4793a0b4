"""Fixtures of the package's tests; their functions are in sharing.py."""

import warnings

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet_numpy():
    """NumPy's warnings about infinities and NaNs are not what is tested."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield
