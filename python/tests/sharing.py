"""What the tests of the package share. They use the installed weft, or the tree's own if there is none."""

import gc
import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np

TREE = pathlib.Path(__file__).resolve().parent.parent
if importlib.util.find_spec("weft") is None:
    sys.path.insert(0, str(TREE))

import weft  # noqa: E402 - found only now
from weft import _core  # noqa: E402

TIMEOUT = 120  # seconds; only ever reached by something that hangs

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


def host(value):
    """A result as a NumPy array, whatever it is."""
    return np.asarray(value)


def assert_same(got, want, exact=True):
    """The result has NumPy's dtype, shape and values; exact means the same bits, NaNs aside."""
    if isinstance(want, np.generic):
        assert type(got) is type(want)
    else:
        assert type(got) is weft.ndarray, type(got)
    got, want = host(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if exact:
        np.testing.assert_array_equal(got, want)
    else:
        eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, want, rtol=64 * eps, atol=64 * eps)


def sample(dtype, shape=(3, 4), seed=1):
    """A NumPy array of small numbers, of both signs where there are any."""
    rng = np.random.default_rng(seed)
    numbers = np.asarray(rng.integers(-5, 6, shape))
    if dtype == "bool":
        return np.asarray(numbers > 0)
    if dtype.startswith("u"):
        return np.asarray(np.abs(numbers), dtype=dtype)
    if dtype.startswith("c"):
        return np.asarray(numbers + 1j * rng.integers(-5, 6, shape), dtype=dtype)
    return np.asarray(numbers * (0.5 if dtype.startswith("f") else 1), dtype=dtype)


def counters():
    """The runtime's counters, after everything that can be freed has been."""
    gc.collect()
    weft.sync()
    return json.loads(_core.query("stats"))


def run_python(code, *flags, env=None, **options):
    """Run a script in a fresh interpreter; returns the completed process."""
    import os

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **(env or {})}
    return subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, timeout=TIMEOUT, env=environment, **options)
