"""Decompositions of few elements, which are computed at once by NumPy's own loops: values, types and errors are NumPy's."""

import itertools

import numpy
import pytest
import weft

SHAPES = [(1, 1), (2, 2), (3, 3), (5, 3), (3, 5), (7, 1), (1, 7), (20, 20), (40, 12), (12, 40), (47, 47), (48, 48), (63, 64), (70, 60), (130, 3), (3, 130)]


def drawn(shape, kind):
    rng = numpy.random.default_rng(shape)
    made = rng.standard_normal(shape)
    if kind == "integers":
        return numpy.round(made * 5).astype(int)
    if kind == "fortran":
        return numpy.asfortranarray(made)
    if kind == "sliced":
        return rng.standard_normal((2 * shape[0], shape[1] + 3))[::2, 1:-2]
    return made


def parts(made):
    return made if isinstance(made, tuple) else (made,)


def same(call, *operands):
    """What both give, or the error that both raise."""
    sides = []
    for np, of in ((numpy, operands), (weft, [weft.array(x) if isinstance(x, numpy.ndarray) else x for x in operands])):
        try:
            sides.append(call(np, *of))
        except numpy.linalg.LinAlgError as e:
            sides.append(f"{type(e).__name__}: {e}")
    want, got = sides
    if isinstance(want, str):
        assert got == want
        return
    assert isinstance(got, tuple) == isinstance(want, tuple) and getattr(got, "_fields", None) == getattr(want, "_fields", None) and len(parts(got)) == len(parts(want))
    for w, g in zip(parts(want), parts(got), strict=True):
        assert type(g) is (weft.ndarray if isinstance(w, numpy.ndarray) else type(w)) and g.dtype == w.dtype and g.shape == w.shape
        assert numpy.allclose(numpy.asarray(g), w, rtol=1e-9, atol=1e-9, equal_nan=True)


CALLS = {
    "qr": lambda np, a: np.linalg.qr(a),
    "qr complete": lambda np, a: np.linalg.qr(a, mode="complete"),
    "qr r": lambda np, a: np.linalg.qr(a, "r"),
    "qr raw": lambda np, a: np.linalg.qr(a, mode="raw"),
    "svd": lambda np, a: np.linalg.svd(a),
    "svd thin": lambda np, a: np.linalg.svd(a, full_matrices=False),
    "svd values": lambda np, a: np.linalg.svd(a, compute_uv=False),
    "eigvals": lambda np, a: np.sort_complex(np.linalg.eigvals(a)),
    "eigh": lambda np, a: np.linalg.eigh(a),
    "eigh upper": lambda np, a: np.linalg.eigh(a, UPLO="U"),
    "eigvalsh": lambda np, a: np.linalg.eigvalsh(a),
    "eigvalsh upper": lambda np, a: np.linalg.eigvalsh(a, "U"),
    "eigvals of a symmetric one": lambda np, a: np.sort(np.linalg.eigvals(a @ a.T)),
    "cholesky": lambda np, a: np.linalg.cholesky(a @ a.T + np.eye(len(a))),
    "cholesky of none that has one": lambda np, a: np.linalg.cholesky(a - 9 * np.eye(*a.shape)),
}


@pytest.mark.parametrize(("name", "kind"), list(itertools.product(CALLS, ("floats", "integers", "fortran", "sliced"))))
def test_decompositions_are_numpys(name, kind):
    for shape in SHAPES:
        a = drawn(shape, kind)
        any_shape = name.startswith(("qr", "svd")) or name in ("cholesky", "eigvals of a symmetric one")
        if any_shape or a.shape[0] == a.shape[1]:
            same(CALLS[name], a)


@pytest.mark.parametrize("kind", ["floats", "integers", "fortran", "sliced"])
def test_least_squares_are_numpys(kind):
    for shape in SHAPES:
        a = drawn(shape, kind)
        for sides in ((), (1,), (3,)):
            b = numpy.random.default_rng(4).standard_normal((shape[0], *sides))
            same(lambda np, a, b: np.linalg.lstsq(a, b, rcond=None), a, b)
            same(lambda np, a, b: np.linalg.lstsq(a, b, rcond=0.3), a, b)
    a = numpy.outer(numpy.arange(6.0), numpy.arange(1.0, 4)) + 1  # of rank 2
    same(lambda np, a, b: np.linalg.lstsq(a, b, rcond=None), a, numpy.arange(6.0))


@pytest.mark.parametrize("odd", [numpy.nan, numpy.inf])
@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith(("svd", "eig"))])
def test_what_has_no_decomposition_is_numpys_error(name, odd):
    a = numpy.random.default_rng(8).standard_normal((5, 5))
    a[2, 3] = a[3, 2] = odd
    same(CALLS[name], a)


def test_operands_are_left_as_they_were():
    a, b = weft.array(drawn((6, 4), "floats")), weft.arange(6.0)
    for call in (weft.linalg.qr, weft.linalg.svd, lambda a: weft.linalg.lstsq(a, b, rcond=None), lambda a: weft.linalg.eigh(a[:4]), lambda a: weft.linalg.eigvals(a[:4])):
        call(a)
        assert numpy.array_equal(numpy.asarray(a), drawn((6, 4), "floats")) and b.tolist() == list(range(6))


def test_the_same_is_made_without_numpys_loops():
    """What is computed at once is what a stack of one matrix comes to."""
    for shape in ((4, 4), (9, 5), (5, 9)):
        a = weft.array(drawn(shape, "floats"))
        for name in ("qr", "svd"):
            for one, stacked in zip(getattr(weft.linalg, name)(a), getattr(weft.linalg, name)(a[None]), strict=True):
                assert numpy.allclose(numpy.asarray(one), numpy.asarray(stacked)[0], atol=1e-12)
