"""einsum, tensordot, products of stacks and with vectors of few elements, which are computed at once, bit for bit as it is planned."""

import numpy
import weft

from .sharing import run_python

PROGRAM = """
import numpy, weft as np
r = numpy.random.default_rng(3)
FORMS = "ij,j->i ij,jk->ik i,ij->j ji,i->j ij,kj->ik i,i-> ij,ij->i ij,ij->j ji,ji->i ij,ij->ij i,ij,j ij,j,i-> ij,jk,kj->i jk,j,ij ij,jk,kj,j->i i,i,i->i".split()
for turn in range(150):
    i, j, k = (int(n) for n in r.integers(1, [140, 140, 60]))
    if turn % 4 == 0:
        i, j, k = 3, int(r.integers(1000, 12000)), 2
    given = {"ij": (i, j), "jk": (j, k), "kj": (k, j), "ji": (j, i), "i": (i,), "j": (j,)}
    given = {labels: [np.array(r.random(shape)) for _ in range(2)] for labels, shape in given.items()}
    given["ij"][turn % 2] = given["ji"][0].T if turn % 3 == 0 else given["ij"][0]
    for form in FORMS:
        operands = [given[labels][number % 2] for number, labels in enumerate(form.split("->")[0].split(","))]
        print(form, i, j, k, numpy.asarray(np.einsum(form, *operands)).tobytes().hex())
STACKS = "nij,nj->ni nij,njk->nik nij,nkj->nik nj,nij->ni ni,nij->nj ijn,jn->ni nij,j->ni nij,jk->nik nij,nij->ni in,nij->nj nij,nj nij,njk jni,njk->nik".split()
for turn in range(60):
    n, i, j, k = int(r.integers(1, 40)), *(int(side) for side in r.integers(1, [20, 40, 20]))
    extents = {"n": n, "i": i, "j": j, "k": k}
    for form in STACKS:
        operands = [np.array(r.random([extents[label] for label in labels])) for labels in form.split("->")[0].split(",")]
        print(form, n, i, j, k, numpy.asarray(np.einsum(form, *operands)).tobytes().hex())
    l = int(r.integers(1, 8))
    a, b, c = (np.array(r.random(shape)) for shape in ((i, j, l), (l, j, k), (n, l)))
    made = np.tensordot(a, b, ([1, 2], [1, 0])), np.tensordot(a, b, 1), np.tensordot(a, b, [(2,), (-3,)]), np.tensordot(a, b, axes=(2, 0)), np.tensordot(a, a[::-1] * 2, ((0, 1), (0, 1))), np.tensordot(c, a, ([1], [2])), np.tensordot(a[::2], b[:, :, ::-1], 1), np.tensordot(c.T, c + 0, (1, 0)), np.tensordot(a[0], b, ([0, 1], [1, 0]))
    for number, product in enumerate(made):
        print("tensordot", n, i, j, k, l, number, product.shape, numpy.asarray(product).tobytes().hex())
for turn in range(60):
    n, i, j, k = int(r.integers(1, 7)), *(int(side) for side in r.integers(1, [20, 60, 20]))
    kind = ("f8", "f4")[turn % 2]
    s, t, m, v = (np.array(r.random(shape).astype(kind)) for shape in ((n, i, j), (n, j, k), (i, j), (j,)))
    given = [(s, t), (s, v), (s, t[0]), (s[::-1], t), (s.transpose(0, 2, 1), s), (s[:, ::2], t), (s, np.broadcast_to(t[:1], t.shape))]
    for left, right in given:
        print("matmul", left.shape, right.shape, numpy.asarray(np.matmul(left, right)).tobytes().hex())
    # of a thousand multiplications a device may make a product of matrices of sum(x * y, -1)
    for made in (np.vecdot(v, v), np.vecdot(m[:15], v), np.vecdot(s[:, :2], v), np.vecdot(m, m[::-1]), np.matvec(m, v), np.matvec(s, v), np.vecmat(m[:, 0], m), np.vecmat(v, m.T), np.linalg.vecdot(m, m, axis=0)):
        print("vectors", i, j, numpy.asarray(made).tobytes().hex())
    z, w = np.array(r.random((i, j)) + 1j * r.random((i, j))), m.copy()
    w[r.random((i, j)) < 0.5] = 0
    for made in (np.linalg.norm(z), np.linalg.norm(z, axis=turn % 2), np.linalg.norm(z, 1, 0), np.linalg.norm(z[0], 3), np.linalg.norm(z, numpy.inf, 1, True), np.linalg.norm(z, "fro"), np.linalg.norm(z, axis=(0, 1)), np.linalg.norm(z, 1), np.linalg.norm(z[:, 0], 0), np.vecdot(z, z[::-1]), np.vecdot(z[:15], v),
                 np.linalg.norm(w, 0, 1), np.linalg.norm(w[0], 0), np.linalg.norm(w[0], 0, keepdims=True), np.linalg.norm(m, axis=(0, 1)), np.linalg.norm(s, axis=(1, 2)), np.linalg.norm(s, axis=(2, 0), keepdims=True), np.linalg.norm(s, axis=(-1, 1))):
        print("norms", type(made).__name__, made.dtype, numpy.asarray(made).tobytes().hex())
    for order in (0.5, 1.5, 3, 4.0, 2.0):
        print("norm", order, [numpy.asarray(made).tobytes().hex() for made in (np.linalg.norm(v, order), np.linalg.norm(m - 0.5, order, axis=turn % 2), np.linalg.norm(m, order, axis=0, keepdims=True))])
for n in (20, 63, 64, 65, 100, 130):
    m, w = np.array(r.random((n, n))), np.array(r.random((n, 100)))
    for operands in ((m, m, 1), (m[::-1], m.T[:, ::2], 1), (m, w, 1), (m, m, 2)):
        print("tensordot", n, numpy.asarray(np.tensordot(*operands)).tobytes().hex())
    print("tensordot", n, numpy.asarray(np.tensordot(m, w, axes=1)).tobytes().hex())
"""


def test_products_with_the_own_transpose_are_numpys():
    """NumPy computes half of such a product where it sees one matrix, which it does not where it gets a copy of each factor, as of few elements: with
    kernels for AVX2 the last bits differ."""
    r = numpy.random.default_rng(4)
    for n, j in ((3, 2), (30, 5), (8, 7), (40, 20), (5, 60)):
        c = r.random((n, j))
        w = weft.array(c)
        for made in (weft.tensordot(w.T, w, (1, 0)), weft.tensordot(w, w, ((0,), (0,)))):
            numpy.testing.assert_allclose(numpy.asarray(made), c.T @ c, rtol=1e-14, strict=True)


def test_few_elements_have_the_bits_of_planned_ones():
    told = []
    for debug in ("", "noeager"):
        done = run_python(PROGRAM, env={"WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.splitlines())
    assert [a[:40] for a, b in zip(*told, strict=True) if a != b] == []


def test_a_sum_of_products_alone_has_numpys_bits():
    rng = numpy.random.default_rng(11)
    for n in [3, 999, 1000, 2000, 4000]:
        for _ in range(20):
            x, y = rng.normal(size=(1, n)), rng.normal(size=(n, 1))
            got, want = weft.tensordot(weft.array(x), weft.array(y), 1), numpy.tensordot(x, y, 1)
            assert got.shape == want.shape and numpy.asarray(got).tobytes() == want.tobytes()
