"""einsum and tensordot of few elements, which are computed at once, bit for bit as it is planned."""

from .sharing import run_python

PROGRAM = """
import numpy, weft as np
r = numpy.random.default_rng(3)
FORMS = "ij,j->i ij,jk->ik i,ij->j ji,i->j ij,kj->ik i,i-> ij,ij->i ij,ij->j ji,ji->i ij,ij->ij".split()
for turn in range(150):
    i, j, k = (int(n) for n in r.integers(1, [140, 140, 60]))
    if turn % 4 == 0:
        i, j, k = 3, int(r.integers(1000, 12000)), 2
    given = {"ij": (i, j), "jk": (j, k), "kj": (k, j), "ji": (j, i), "i": (i,), "j": (j,)}
    given = {labels: [np.array(r.random(shape)) for _ in range(2)] for labels, shape in given.items()}
    given["ij"][turn % 2] = given["ji"][0].T if turn % 3 == 0 else given["ij"][0]
    for form in FORMS:
        operands = [given[labels][number] for number, labels in enumerate(form.split("->")[0].split(","))]
        print(form, i, j, k, numpy.asarray(np.einsum(form, *operands)).tobytes().hex())
for n in (20, 63, 64, 65, 100, 130):
    m, w = np.array(r.random((n, n))), np.array(r.random((n, 100)))
    for operands in ((m, m, 1), (m[::-1], m.T[:, ::2], 1), (m, w, 1), (m, m, 2)):
        print("tensordot", n, numpy.asarray(np.tensordot(*operands)).tobytes().hex())
    print("tensordot", n, numpy.asarray(np.tensordot(m, w, axes=1)).tobytes().hex())
"""


def test_few_elements_have_the_bits_of_planned_ones():
    told = []
    for debug in ("", "noeager"):
        done = run_python(PROGRAM, env={"WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.splitlines())
    assert [a[:40] for a, b in zip(*told, strict=True) if a != b] == []
