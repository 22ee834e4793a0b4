"""Functions whose text is NumPy's own: the same results, on weft arrays, and not by NumPy."""

import inspect
import re
import warnings

import numpy
import pytest
import weft
from weft import _composed, _core

A = numpy.arange(12.0).reshape(3, 4) % 5
N = numpy.where(A == 3, numpy.nan, A)
V = numpy.array([3.0, 1.0, 2.5, 7.0, -1.0, 4.0])
X = numpy.arange(6.0)
I = numpy.array([4, 1, 0, 3, 1, 5])  # noqa: E741
M = numpy.arange(9.0).reshape(3, 3) + 4 * numpy.eye(3)
B = V > 2
C = V + 1j * X
LONG = numpy.cos(numpy.arange(5000.0))

# What weft runs all of.
NATIVE = """
    gradient(A) | gradient(V, 2.0) | gradient(A, axis=1) | trapezoid(V) | trapezoid(V, X)
    interp(X * 0.7 - 1, X, V) | interp(V, X, V, left=-1, right=9) | interp(numpy.array([0.5, numpy.nan, 5.0]), X, V)
    interp(LONG * 6, X, V) | interp(V, X[:1], V[:1]) | interp(X + 0.5, X, numpy.array([0, 1, numpy.inf, numpy.inf, 2, 3])) | interp(V, [-numpy.inf, numpy.inf], [2, 2]) | interp(1.5, [-numpy.inf, 2], [3, 4])
    convolve(V, X) | convolve(V, X[:2], 'same') | convolve(V[:2], X, 'valid') | convolve(V[:3], X[:2], 'valid') | convolve(I, I)
    convolve(LONG, V, 'same') | correlate(V, X) | correlate(V, X[:3], 'full') | correlate(X[:3], V, 'same') | correlate(C, C[:2], 'full')
    correlate(V[:2], C, 'full') | convolve(LONG.astype('f4'), X[:3].astype('f4'))
    einsum('ij,kj->ik', A, A) | einsum('ii', M) | einsum('ii->i', M) | einsum('ij->j', A) | einsum('ij->ji', A) | einsum('i,i', V, X)
    einsum('ij,j', A, V[:4]) | einsum('ij,jk,kl->il', M, M, M) | einsum(A, [0, 1], [1, 0]) | einsum('...i,...i->...', A, A)
    einsum('i,j->ij', V, X) | einsum('bij,bjk->bik', A.reshape(3, 2, 2), A.reshape(3, 2, 2)) | einsum('ij,ij->', A, A)
    einsum('ij,jk,kl->il', M, M, M, optimize=True) | einsum('i,ij,j->', V[:3], A, V[:4]) | einsum('ij,k->k', A, V) | einsum('i->', I)
    einsum('iij->j', A.reshape(3, 2, 2).T) | einsum('ij,jk', I.reshape(2, 3), I.reshape(3, 2)) | einsum('ij,i->ij', A, C[:3])
    nansum(N) | nansum(N, axis=0) | nanprod(N, axis=1) | nanmin(N) | nanmax(N, axis=0) | nanmin(I) | nanmax(N, axis=1, keepdims=True)
    nancumsum(N) | nancumprod(N, axis=1) | nan_to_num(N) | nan_to_num(N, nan=-1.0) | nanargmin(N) | nanargmax(N, axis=1) | nanmedian(N)
    median(A) | median(A, axis=1) | median(V, keepdims=True) | average(V, weights=X) | average(A, axis=0, returned=True)
    average(LONG.reshape(50, 100), axis=1) | average(LONG.reshape(2, 2500), axis=-1, weights=None, returned=True) | average(LONG.reshape(5, 10, 100), axis=1, returned=True) | average(LONG.reshape(100, 50), axis=0, returned=False)
    cov(LONG[:4900].reshape(2, 2450)) | cov(numpy.tile(LONG, 8), numpy.tile(LONG, 8)[::-1]) | corrcoef(numpy.tile(LONG, 9).reshape(3, 15000))
    cumulative_sum(V) | cumulative_prod(V) | diff(A, axis=0, prepend=0) | ediff1d(V) | ediff1d(V, to_end=1) | angle(C) | unwrap(V * 3)
    real_if_close(C) | fix(V) | isposinf(V) | isneginf(V) | iscomplex(C) | isreal(C) | array_equiv(V, V)
    pad(A, 1) | pad(A, 1, mode='edge') | pad(A, 1, mode='reflect') | pad(A, ((1, 2), (0, 3)), constant_values=5) | pad(A, 2, mode='symmetric')
    pad(A, 1, mode='wrap') | pad(V, 2, mode='mean') | pad(V, 2, mode='maximum') | block([[M, M], [M, M]]) | ix_(I, I) | vander(V) | vander(V, 3)
    diag_indices(3) | diag_indices_from(M) | indices((2, 3)) | logspace(0, 1, 5000) | geomspace(1, 10, 5000)
    linspace(V, X, 5) | linspace(0, V, 3, axis=1) | tensordot(A, A, axes=([1], [1]))
    tensordot(A, A) | kron(V, X) | cumulative_sum(A, axis=1, include_initial=True) | require(A, None, "F") | require(A.T, requirements=["C", "W"]) | diagflat(V) | append(V, 3) | append(A, A, axis=0)
    insert(V, 1, 5) | insert(A, 1, 5, axis=1) | delete(V, 1) | delete(A, [0, 1], axis=1) | delete(V, slice(1, 3)) | resize(V, (3, 3))
    sum(A, where=[True, False, True, True])
    unstack(A) | piecewise(V, [V < 2, V >= 2], [-1, 1]) | select([B, ~B], [V, -V])
    select([V > 5, V > 2], [V, V * 2], 9.0) | broadcast_arrays(V, A[:, :1]) | polyadd(V, V[:3]) | polysub(V[:3], V) | polyder(V) | polyint(V)
    polyfit(X, V, 2) | apply_over_axes(np.sum, A, [0, 1]) | histogram_bin_edges(V) | r_[V, X] | r_[V, 1:3, 5] | c_[V, X] | mgrid[0:3, 0:3]
    ogrid[0:3, 0:2:5j] | vecdot(A, A) | vecdot(C, C) | matvec(M, M[0]) | vecmat(C[:3], M) | sum(V, where=B) | mean(A, axis=0, where=A > 1)
    prod(I, where=I > 0) | max(V, where=B, initial=0) | any(A, axis=1, where=A > 2) | min(A, axis=0, where=A > 1, initial=50.0) | rot90(A) | rot90(A, 2)
    linalg.cross(M, M) | cross(M, M[::-1]) | linalg.outer(V, X) | linalg.diagonal(M) | linalg.trace(M) | linalg.matrix_norm(M) | linalg.vector_norm(V)
    linalg.vecdot(V, X) | linalg.matmul(M, M) | linalg.tensordot(M, M) | linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2)) | linalg.matrix_transpose(M)
    percentile(V, 30) | percentile(A, [10, 50], axis=0) | quantile(V, 0.3) | quantile(V, 0.3, method='median_unbiased') | nanpercentile(N, 20)
    nanmean(N) | nanmean(N, axis=0) | nanvar(N, axis=0) | nanstd(N) | ravel_multi_index((I[:3] % 3, I[:3] % 4), (3, 4))
    unravel_index(I, (3, 4)) | add(V, X, where=B, out=np.ones(6)) | subtract(V, 1, out=np.ones(6, "f4"), where=B, casting="unsafe")
    modf(V / 2) | modf(np.array([-0.0, numpy.inf, -numpy.inf, numpy.nan, -2.5])) | modf(LONG.astype('f4') * 9)
    divide(V, X, where=X > 0, out=np.zeros(6))
    asarray_chkfinite(V) | bartlett(7) | blackman(7) | hamming(7) | hanning(7) | hanning(1) | bartlett(0) | corrcoef(V, X) | corrcoef(A) | cov(V, X) | cov(A) | cov(A, rowvar=False, ddof=0)
    cov(V, fweights=I) | cov(A, aweights=X[:4]) | cov(C, V) | corrcoef(C, V) | intersect1d(I, I[2:]) | intersect1d(V, X) | isin(V, X) | isin(I, [1, 3], invert=True)
    intersect1d(I, X, return_indices=True) | setdiff1d(I, X[:3]) | setdiff1d(V, X, assume_unique=True) | setxor1d(I, X) | union1d(V, I) | union1d(A, X) | unique_all(I) | unique_all(N)
    unique_counts(V) | unique_inverse(A) | unique_counts(N) | poly(V) | poly(M) | polydiv(V, X[1:3]) | roots(V) | roots(np.array([0.0, 1, 2, 0])) | row_stack((V, X))
    sort_complex(V) | sort_complex(C) | trim_zeros(X) | trim_zeros(X[::-1], 'b') | trim_zeros(X * 0) | trim_zeros(X, 'f') | tril_indices(4) | tril_indices(3, 1, 5) | triu_indices(4, -1)
    tril_indices_from(A) | triu_indices_from(M, k=1) | mask_indices(3, np.triu) | mask_indices(4, np.tril, -1) | lib.scimath.sqrt(V) | lib.scimath.sqrt(X) | lib.scimath.log(V)
    lib.scimath.log2(V) | lib.scimath.log10(X + 1) | lib.scimath.logn(2, V) | lib.scimath.power(V, 2) | lib.scimath.power(V, X - 3) | lib.scimath.power(I - 2, 3) | lib.scimath.power(X, -1)
    lib.scimath.power(V.astype('f4'), 2) | lib.scimath.power(C, 1.5) | lib.scimath.arcsin(X / 9)
"""

# Where something is still NumPy's.
OTHERS = """
    kaiser(7, 14.0) | lib.scimath.arccos(V) | lib.scimath.arctanh(V) | polymul(V, X[:3]) | trim_zeros(A) | unique_all([1, 2]) | tril_indices(3.0) | linalg.tensorsolve(M + 0, V[:3])
    nanquantile(N, 0.2, axis=0) | quantile(V, 0.3, method='lower') | polyval(V[:3], X)
    einsum_path('ij,jk', M, M) | histogram2d(V, X) | histogramdd(A.T) | i0(V) | gradient(V, X**2) | pad(A, 1, mode='linear_ramp')
    polynomial.polynomial.polyval(V, X) | polynomial.chebyshev.chebval(V, X) | einsum('ij,j', A, V[:1])
    convolve(LONG, LONG[:80]) | interp(V, X, C) | pad(V, 2, mode='median') | linalg.tensorsolve(numpy.eye(4).reshape(2, 2, 2, 2), numpy.ones((2, 2)))
"""

HERE = {"A": A, "N": N, "V": V, "X": X, "I": I, "M": M, "B": B, "C": C, "LONG": LONG}


def cases(text):
    return [case.strip() for line in text.strip().splitlines() for case in line.split(" | ")]


def test_each_name_has_a_case():
    said = NATIVE + OTHERS + inspect.getsource(test_arguments_change_as_in_numpy)
    for name in _composed.ALL:
        assert re.search(rf"(?<![\w.]){re.escape(name)}\(|np\.{re.escape(name)}\(|weft\.{re.escape(name)}\(", said), (
            name
        )


def equal(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            equal(one, other)
        return
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if theirs.dtype.kind in "fc":
        tolerance = 1e-5 if theirs.dtype.itemsize == 4 else 1e-12
        numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    else:
        numpy.testing.assert_array_equal(ours, theirs)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Arrays of tests are small."""
    monkeypatch.setattr(_composed, "_MANY", 0)
    before = _core.few(0)
    yield
    _core.few(before)


def both(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = eval("np." + case, HERE | {"np": numpy, "numpy": numpy})
        names = {name: weft.array(value) for name, value in HERE.items()}
        before = dict(weft.coverage().fallback)
        ours = eval("np." + case, names | {"np": weft, "numpy": numpy})
        after = weft.coverage().fallback
    equal(ours, theirs)
    return {name for name, count in after.items() if count > before.get(name, 0)}


@pytest.mark.parametrize("case", cases(NATIVE))
def test_weft_runs_all_of(case):
    assert both(case) == set()


@pytest.mark.parametrize("case", cases(OTHERS))
def test_results_are_numpys(case):
    both(case)


@pytest.mark.parametrize("case", [
    "gradient(V, X, X)", "convolve(V, X, 'never')", "convolve(A, V)", "interp(V, X, X[:2])", "einsum('ij,jk', A, A)", "einsum('ij', V)",
    "delete(V, 9)", "insert(V, 9, 1)", "median(V, axis=3)", "percentile(V, 101)", "cross(V, V)", "kron(V)", "nanargmin(N * numpy.nan)",
    "matvec(M, V)", "sum(V, where=V)", "max(V, where=B)", "mean(V, where=A > 0)", "block([[A], [V]])", "r_[A, V]", "pad(V, -1)",
    "select([V], [V])", "linspace(A, V, 3)", "vecdot(V, A)", "unwrap(V, axis=4)", "modf(C)",
])  # fmt: skip
def test_errors_are_numpys(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as wanted:
            eval("np." + case, HERE | {"np": numpy, "numpy": numpy})
        names = {name: weft.array(value) for name, value in HERE.items()}
        with pytest.raises(type(wanted.value)) as got:
            eval("np." + case, names | {"np": weft, "numpy": numpy})
    assert str(got.value) == str(wanted.value)


def test_arguments_change_as_in_numpy():
    ours, theirs = weft.array(M), M.copy()
    weft.fill_diagonal(ours, 3)
    numpy.fill_diagonal(theirs, 3)
    equal(ours, theirs)
    out = weft.zeros(4)
    assert weft.median(weft.array(A), axis=0, out=out) is out
    equal(out, numpy.median(A, axis=0))


def test_libraries_reach_them_through_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = numpy.gradient(weft.array(V))
    assert type(got) is weft.ndarray
    equal(got, numpy.gradient(V))


def test_without_weft_arrays_numpy_runs():
    assert type(weft.gradient([1.0, 2.0, 4.0])) is weft.ndarray
    assert weft.unwrap([0.0, 7.0]).shape == (2,)


def test_numpy_runs_few_elements_without_a_word(monkeypatch):
    monkeypatch.setattr(_composed, "_MANY", 4096)
    _core.few(4096)
    before = weft.coverage().fallback.get("ediff1d", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = weft.ediff1d(weft.array(V))
        weft.ediff1d(weft.arange(20_000.0))
    equal(got, numpy.ediff1d(V))
    assert weft.coverage().fallback["ediff1d"] == before + 1


def warned(call, np):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = eval(call, {"np": np})
    said = [
        str(one.message)
        for one in caught
        if one.category is RuntimeWarning and not str(one.message).startswith("invalid value")
    ]
    return said, type(made).__module__ == "numpy" and type(made).__name__, repr(numpy.asarray(made).tolist())


@pytest.mark.parametrize("call", """
np.nanmin(np.full(5000, np.nan)) | np.nanmax(np.full((2, 2500), np.nan), axis=1).sum() | np.nanmin(np.arange(5000.0))
np.interp(0.3, np.arange(5000.0), np.arange(5000.0)) | np.interp(np.array(0.3), np.arange(5000.0), np.arange(5000.0))
np.mean(np.zeros(0)) | np.zeros((0, 3)).mean(0).sum() | np.zeros((3, 0)).mean(axis=0).sum() | np.median(np.zeros(0)) | np.mean(np.zeros(0, int))
np.var(np.zeros(0)) | np.std(np.ones(3), ddof=3) | np.var(np.ones((3, 1)), axis=1, ddof=1).sum() | np.var(np.ones(3), ddof=5)
""".replace("\n", " | ").strip(" |").split(" | "))  # fmt: skip
def test_warnings_and_scalars_are_numpys(call):
    assert warned(call, weft) == warned(call, numpy)
