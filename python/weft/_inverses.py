"""The pseudo-inverse of a matrix of few elements: the steps that the deferred way records (arrays/linalg_rank.go), each computed at once."""

from . import _functions
from ._fallback import ndarray

_RCOND = 1e-15


def pinv(a):
    """What linalg.pinv gives for a matrix; None where the deferred way has to."""
    if type(a) is not ndarray or a.ndim != 2 or a.size == 0 or a.dtype.kind != "f":
        return None
    from .linalg import svd

    u, w, vh = svd(a, full_matrices=False)
    large = w > w.max(axis=-1, keepdims=True) * _RCOND
    kept = _functions.where(large, 1 / _functions.where(large, w, 1.0), 0.0)
    return vh.T @ (kept.reshape(-1, 1) * u.T)
