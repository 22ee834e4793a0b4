"""numpy.linalg on weft arrays: NumPy's answers, exceptions and named tuples."""

import os
import subprocess
import sys

import numpy
import pytest
import weft

from .sharing import run_python

rng = numpy.random.default_rng(5)
GONUM = os.environ.get("WEFT_BLAS") == "gonum"  # without a library: it has no complex factorizations
DTYPES = ("float32", "float64") if GONUM else ("float32", "float64", "complex64", "complex128")
SHAPES = ((1, 1), (3, 3), (2, 5, 5), (2, 1, 40, 40), (101, 101))


def matrices(shape, dtype):
    a = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def close(got, want, scale=1.0):
    got, want = numpy.asarray(got), numpy.asarray(want)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    tolerance = {"float32": 2e-5, "complex64": 2e-5}.get(want.dtype.name, 1e-9)
    numpy.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_solving(shape, dtype):
    a = matrices(shape, dtype) + numpy.eye(shape[-1], dtype=dtype) * shape[-1]
    b = matrices(shape[:-1] + (2,), dtype)
    w = weft.asarray(a)
    close(weft.linalg.solve(w, weft.asarray(b)), numpy.linalg.solve(a, b))
    close(weft.linalg.inv(w), numpy.linalg.inv(a))
    close(weft.linalg.slogdet(w).logabsdet, numpy.linalg.slogdet(a).logabsdet)
    close(weft.linalg.slogdet(w).sign, numpy.linalg.slogdet(a).sign)
    h = a @ a.conj().swapaxes(-1, -2)
    close(weft.linalg.cholesky(weft.asarray(h)), numpy.linalg.cholesky(h), shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES + ((3, 7, 4), (4, 9)))
def test_factorising(shape, dtype):
    a = matrices(shape, dtype)
    w = weft.asarray(a)
    q, r = weft.linalg.qr(w)
    close(q @ r, a, 10)
    for full in (False, True):
        u, s, vh = weft.linalg.svd(w, full_matrices=full)
        for got, want in zip((u, s, vh), numpy.linalg.svd(a, full_matrices=full), strict=True):
            assert got.shape == want.shape
            assert got.dtype == want.dtype
        k = s.shape[-1]
        close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, 10)
    close(s, numpy.linalg.svdvals(a), 10)
    close(weft.linalg.pinv(w), numpy.linalg.pinv(a), 1000)
    assert numpy.array_equal(weft.linalg.matrix_rank(w), numpy.linalg.matrix_rank(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(shape, dtype):
    a = matrices(shape, dtype)
    w = weft.asarray(a)
    values, vectors = weft.linalg.eig(w)
    want = numpy.linalg.eig(a)
    assert values.dtype == want.eigenvalues.dtype
    assert vectors.dtype == want.eigenvectors.dtype
    close(w @ vectors, numpy.asarray(vectors * values[..., None, :]), 20 * shape[-1])
    h = weft.asarray(a + a.conj().swapaxes(-1, -2))
    values, vectors = weft.linalg.eigh(h)
    close(h @ vectors, numpy.asarray(vectors * values[..., None, :]), 20 * shape[-1])
    close(weft.linalg.eigvalsh(h, "U"), numpy.linalg.eigvalsh(numpy.asarray(h)), shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares(dtype):
    a, b = matrices((30, 4), dtype), matrices((30, 3), dtype)
    for got, want in zip(weft.linalg.lstsq(weft.asarray(a), weft.asarray(b)), numpy.linalg.lstsq(a, b), strict=True):
        close(got, want, 10)


@pytest.mark.parametrize("layout", ["C", "F", "reversed", "steps"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_large_products(dtype, layout):
    """Products that a library computes: equal to rounding, whatever the strides."""
    a, b = matrices((300, 200), dtype), matrices((200, 260), dtype)
    w, v = weft.asarray(a), weft.asarray(b)
    if layout == "F":
        a, w = a.copy(order="F"), weft.asarray(a.T.copy()).T
    elif layout == "reversed":
        a, w = a[::-1, ::-1], w[::-1, ::-1]
    elif layout == "steps":
        a, w, b, v = a[::2, ::2], w[::2, ::2], b[::2], v[::2]
    close(w @ v, a @ b, 300)
    close(w @ v[:, 0], a @ b[:, 0], 300)
    close(v.T @ w.T, b.T @ a.T, 300)


def test_exceptions_are_raised_at_the_call_and_lose_nothing():
    a = weft.ones((3, 3))
    with pytest.raises(numpy.linalg.LinAlgError, match="^Singular matrix$"):
        weft.linalg.inv(a)
    with pytest.raises(weft.linalg.LinAlgError, match="^Matrix is not positive definite$"):
        weft.linalg.cholesky(-a)
    with pytest.raises(weft.linalg.LinAlgError, match="^SVD did not converge$"):
        weft.linalg.svd(a * numpy.nan)
    weft.sync()  # what was raised is not raised again
    assert a.sum() == 9
    assert weft.linalg.det(a) == 0


def test_empty_and_odd_arguments_are_numpys():
    assert weft.linalg.inv(weft.ones((0, 0))).shape == (0, 0)
    assert weft.linalg.det(weft.ones((0, 0))) == 1
    assert weft.linalg.solve(weft.ones((0, 0)), weft.ones((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="Unrecognized mode 'x'"):
        weft.linalg.qr(weft.eye(2), "x")
    assert weft.linalg.pinv(weft.eye(2), hermitian=True).shape == (2, 2)


def test_tuples_have_numpys_names():
    a = weft.eye(2)
    assert weft.linalg.eigh(a).eigenvalues.shape == (2,)
    assert weft.linalg.eig(a).eigenvectors.shape == (2, 2)
    assert weft.linalg.svd(a).Vh.shape == (2, 2)
    assert weft.linalg.qr(a).Q.shape == (2, 2)
    assert weft.linalg.slogdet(a).sign == 1


@pytest.mark.skipif(GONUM, reason="this is the run that the test starts")
def test_everything_real_works_without_a_library():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, __file__],
        env=os.environ | {"WEFT_BLAS": "gonum"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_missing_without_a_library_says_what_to_install():
    code = """
import weft
a = weft.eye(3) * 1j
print((weft.full((40, 40), 1j) @ weft.ones((40, 40)))[0, 0])
try:
    weft.linalg.eigvals(a)
except Exception as e:
    print(type(e).__name__, "install OpenBLAS" in str(e), (a + 1)[0, 0])
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"WEFT_BLAS": "gonum"}, capture_output=True, text=True, timeout=60)
    assert done.stdout == "40j\nRuntimeError True (1+1j)\n", done.stdout + done.stderr


SYSTEMS = """
import numpy, weft as np
r = numpy.random.default_rng(3)
for n in (60, 64, 65, 81, 99, 100, 101, 113, 127, 128, 129):
    for whole in (False, True):
        m = np.array(r.integers(-9, 9, (n, n)) if whole else r.random((n, n)))
        v, w = np.array(r.random(n)), np.array(r.random((n, 7)))
        for x in (np.linalg.inv(m), np.linalg.det(m / 10), np.linalg.solve(m, v), np.linalg.solve(m, w), np.linalg.solve(m, m.T), np.linalg.cholesky(m @ m.T + np.eye(n))):
            print(numpy.asarray(x).tobytes().hex())
        m[3] = 0
        print(np.linalg.det(m))
        for f in (np.linalg.inv, np.linalg.cholesky, lambda m: np.linalg.solve(m, v)):
            try:
                f(m)
            except np.linalg.LinAlgError as e:
                print(e)
"""


@pytest.mark.skipif(GONUM, reason="NumPy's loops, which the smallest go through, have a library")
def test_small_systems_have_the_bits_of_planned_ones():
    told = []
    for debug in ("", "noeager"):
        done = run_python(SYSTEMS, env={"WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.splitlines())
    assert [i for i, (a, b) in enumerate(zip(*told, strict=True)) if a != b] == []


@pytest.mark.skipif(GONUM, reason="NumPy's loops, which the smallest go through, have a library")
def test_determinants_of_stacks_have_the_bits_of_planned_ones():
    code = """
import numpy, weft as np
r = numpy.random.default_rng(5)
for turn in range(60):
    n, side = int(r.integers(1, 9)), int(r.integers(1, 50))
    s = np.array(r.integers(-9, 9, (n, side, side)) if turn % 3 == 0 else r.standard_normal((n, side, side)))
    if turn % 5 == 0:
        s[0] = 0
    for of in (s, s[::-1], s.transpose(0, 2, 1), s[None], s[0]):
        made = np.linalg.det(of)
        print(type(made).__name__, made.shape, made.tobytes().hex())
        assert numpy.allclose(made, numpy.linalg.det(numpy.asarray(of)))
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") == 300, eager.stderr
    assert eager.stdout == deferred.stdout


def test_chains_of_products_have_the_bits_of_the_deferred_way():
    code = """
import numpy, weft
rng = numpy.random.default_rng(7)
for _ in range(150):
    a, b, c, d = (int(v) for v in rng.choice([1, 2, 3, 5, 8, 30, 70], 4))
    x, y, z = (weft.array(rng.random(shape)) for shape in ((a, b), (b, c), (c, d)))
    v, w = weft.array(rng.random(b)), weft.array(rng.random(1500))
    for made in (weft.linalg.multi_dot([x, y, z]), weft.linalg.multi_dot((x, y)), weft.linalg.multi_dot([x, v]), weft.linalg.multi_dot([x, y, z[:, 0]]), weft.linalg.multi_dot([x, y[::-1], z[:, ::-1]]),
            weft.einsum("i,i", w, w[::-1].copy()), weft.einsum("i,i->", v, v)):
        print(numpy.asarray(made).tobytes().hex())
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") == 1050, eager.stderr
    assert eager.stdout == deferred.stdout


@pytest.mark.parametrize("shapes", [[(2, 3), (3, 4), (5, 6)], [(2, 3), (4, 5)], [(2, 3)], [(2, 3, 4), (4, 5), (5, 6)], [(3,), (3, 4), (4,)], [(0, 3), (3, 4), (4, 2)]])
def test_chains_that_do_not_fit_are_refused_as_numpy_does(shapes):
    def outcome(np):
        try:
            return np.linalg.multi_dot([np.ones(shape) for shape in shapes]).tolist()
        except Exception as error:
            return type(error).__name__, str(error)

    assert outcome(weft) == outcome(numpy)


def test_products_of_several_and_pseudo_inverses_have_the_bits_of_the_deferred_way():
    code = """if 1:
        import numpy, weft as np
        rng = numpy.random.default_rng(3)
        for round in range(60):
            sides = rng.integers(1, 9, 5)
            factors = [np.array(rng.standard_normal((sides[i], sides[i + 1])).astype(("f8", "f4")[round % 2])) for i in range(4)]
            factors = [f if rng.random() < 0.5 else f.T.copy().T for f in factors]
            for made in np.linalg.multi_dot(factors), np.linalg.multi_dot([factors[0][0], *factors[1:]]), np.linalg.multi_dot(factors[:2]), np.linalg.pinv(factors[0]), np.linalg.pinv(factors[1].T):
                print(made.dtype, made.shape, made.tobytes().hex())
            low = np.outer(factors[0][0], factors[1][0])
            print(np.linalg.pinv(low).tobytes().hex(), np.linalg.pinv(np.zeros((2, 3))).tolist())
        """
    ours, general = (run_python(code, env={"WEFT_DEBUG": debug}) for debug in ("", "noeager"))
    assert ours.stdout == general.stdout and len(ours.stdout) > 10_000, ours.stderr + general.stderr


def stacks_at_random(rng):
    """Stacks of small matrices in layouts that programs have."""
    for _ in range(60):
        n, sides = (int(k) for k in rng.integers(1, [9, 5]))
        stack = tuple(int(k) for k in rng.integers(1, [[40], [400]][int(rng.integers(2))], int(rng.integers(1, 3))))
        kind = ("f8", "f4", "f8" if GONUM else "c16")[int(rng.integers(3))]
        a = rng.standard_normal((*stack, n, n)).astype(kind)
        b = rng.standard_normal((*stack, n, sides)).astype(kind)
        how = int(rng.integers(4))
        if how == 1:
            a, b = a.swapaxes(-1, -2), b[..., ::-1]
        elif how == 2:
            a, b = numpy.moveaxis(a, 0, -1).copy(), b[:1]
            a = numpy.moveaxis(a, -1, 0)
        elif how == 3:
            a, b = a[::-1], numpy.ascontiguousarray(b)[..., :1]
        yield a, b


def test_stacks_have_the_values_of_their_members():
    rng = numpy.random.default_rng(8)
    for a, b in stacks_at_random(rng):
        x, y = weft.asarray(a), weft.asarray(b)
        solved, inverse, (sign, log) = (numpy.asarray(weft.linalg.solve(x, y)), numpy.asarray(weft.linalg.inv(x)), weft.linalg.slogdet(x))
        b = numpy.broadcast_to(b, (*a.shape[:-1], b.shape[-1]))
        about = {"rtol": 5e-2, "atol": 5e-2} if a.dtype == "f4" else {"rtol": 1e-6, "atol": 1e-9}
        for at in [tuple(int(rng.integers(0, k)) for k in a.shape[:-2]) for _ in range(5)]:
            where = str((a.shape, b.shape, a.dtype, a.strides, at))
            numpy.testing.assert_allclose(solved[at], numpy.linalg.solve(a[at], b[at]), **about, err_msg=where)
            numpy.testing.assert_allclose(inverse[at], numpy.linalg.inv(a[at]), **about, err_msg=where)
            want = numpy.linalg.slogdet(a[at])
            numpy.testing.assert_allclose(sign[at], want[0], 1e-4, err_msg=where)
            numpy.testing.assert_allclose(log[at], want[1], 1e-3, 1e-3, err_msg=where)


def test_one_singular_matrix_of_a_stack():
    a = numpy.random.default_rng(9).standard_normal((5, 700, 3, 3))
    a[3, 411, 1] = a[3, 411, 2]
    x = weft.asarray(a)
    for call in (weft.linalg.inv, lambda m: weft.linalg.solve(m, m)):
        with pytest.raises(weft.linalg.LinAlgError, match="Singular matrix"):
            numpy.asarray(call(x))
    sign, log = weft.linalg.slogdet(x)
    assert float(sign[3, 411]) == 0 and float(log[3, 411]) == -numpy.inf and numpy.count_nonzero(sign) == 3499
