"""einsum against NumPy's: forms of all kinds, random ones, out=, and what stays a view."""

import random
import warnings

import numpy
import pytest
import weft

from .sharing import run_python

RNG = numpy.random.default_rng(5)


def made(shape, dtype="f8"):
    values = RNG.random(shape) * 9 - 2
    return (values > 2 if dtype == "?" else values).astype(dtype)


def ours(array, way):
    """The array as one of weft's, which lies in memory in one of several ways."""
    if array.ndim == 0 or way == 0:
        return weft.array(array)
    if way == 1:
        return weft.array(numpy.ascontiguousarray(array.T)).T
    return weft.array(numpy.ascontiguousarray(array[::-1]))[::-1]


def same(got, want):
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    near = {"f2": (2e-2, 0.5), "f4": (1e-4, 1e-3), "c8": (1e-4, 1e-3)}.get(want.dtype.str[1:], (1e-10, 1e-9))
    numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=near[0], atol=near[1])


NATIVE = [
    ("kac,kbc->kab", (7, 3, 3), (7, 3, 3)), ("kij,kj->ki", (7, 3, 4), (7, 4)), ("ijk,kl->ijl", (5, 6, 7), (7, 8)),
    ("bqhd,bkhd->bhqk", (2, 5, 3, 4), (2, 6, 3, 4)), ("ijb,jkb->ikb", (3, 4, 5), (4, 6, 5)), ("ijkl,klm->ijm", (2, 3, 4, 5), (4, 5, 6)),
    ("ijkl,lkm->ijm", (2, 3, 4, 5), (5, 4, 6)), ("ij,ij->", (6, 7), (6, 7)), ("ij,ji->", (6, 7), (7, 6)), ("ij,ij->j", (6, 7), (6, 7)),
    ("ii", (5, 5)), ("ii->i", (5, 5)), ("kii->k", (4, 5, 5)), ("iij->j", (4, 4, 3)), ("ij->", (4, 3)), ("ij->j", (4, 3)), ("ij->ji", (4, 3)),
    ("i,j->ij", (3,), (4,)), ("i,j,k->ijk", (3,), (4,), (5,)), ("i,ij,j->", (3,), (3, 4), (4,)), ("ij,kl,jk->il", (3, 4), (5, 6), (4, 5)),
    ("ij,j", (3, 4), (1,)), ("...j,j->...", (2, 3, 4), (4,)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)), ("i...->...", (3, 4, 2)),
    (" i j , j k -> i k ", (2, 3), (3, 4)), ("aB,Bc", (2, 3), (3, 4)), ("ij,jk->ik", (0, 3), (3, 4)), ("ij,jk->ik", (2, 0), (0, 4)),
    (",i->i", (), (4,)), ("i,k->", (3,), (4,)), ("ij,k->k", (3, 4), (5,)), ("ab,ab,ab->a", (3, 4), (3, 4), (3, 4)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "i1", "?"])
@pytest.mark.parametrize("text, shapes", [(text, shapes) for text, *shapes in NATIVE])
@pytest.mark.filterwarnings("error")  # of calls that go through NumPy
def test_common_forms_are_native(text, shapes, dtype):
    operands = [made(shape, dtype) for shape in shapes]
    for way in range(3):
        same(weft.einsum(text, *(ours(a, way) for a in operands)), numpy.einsum(text, *operands))


EMPTY = """
import itertools, numpy, weft

for text, *kept in (("be,eb->",), ("dbe,eb->d",), ("eab,ae->b",), ("ebac,dae",), ("abc,cab->",), ("ab,ab->",)):
    labels = sorted(set(text) - set(",->"))
    for none in itertools.product((0, 3), repeat=len(labels)):
        extents = dict(zip(labels, none))
        shapes = [[extents[l] for l in term] for term in text.partition("->")[0].split(",")]
        for dtype in ("f8", "i8", "c8"):
            for n in 1, 3, 9, 27, 81:  # what the result may lie in has other numbers
                weft.full(n, 7.5).sum(), weft.full(n, 7.5, dtype=dtype) + 1
            got = weft.einsum(text, *(weft.ones(shape, dtype) for shape in shapes))
            want = numpy.einsum(text, *(numpy.ones(shape, dtype) for shape in shapes))
            assert got.dtype == want.dtype and got.shape == want.shape, text
            assert (numpy.asarray(got) == want).all(), (text, shapes, got, want)
print("equal")
"""


@pytest.mark.parametrize("debug", ["", "noeager"])
def test_sums_over_no_elements_are_zeros(debug):
    """Two axes and more are summed over, in orders that no single step goes through, and some of them have no elements."""
    assert run_python(EMPTY, env={"WEFT_DEBUG": debug}).stdout == "equal\n"


@pytest.mark.filterwarnings("error")
def test_out_is_written_where_it_lies():
    a, b = made((6, 3, 4)), made((6, 5, 4))
    want = numpy.einsum("kac,kbc->kab", a, b)
    for out in (weft.zeros((6, 3, 5)), weft.zeros((5, 3, 6)).T, weft.zeros((6, 3, 10))[:, :, ::-2], weft.zeros((12, 3, 5))[3:9]):
        assert weft.einsum("kac,kbc->kab", weft.array(a), weft.array(b), out=out) is out
        same(out, want)
    x = weft.array(made((4, 4)))
    want = numpy.einsum("ij,jk->ik", numpy.array(x), numpy.array(x))
    assert weft.einsum("ij,jk->ik", x, x, out=x) is x  # which is read to the end before
    same(x, want)
    want = numpy.array(x).T
    weft.einsum("ij->ji", x, out=x)
    same(x, want)


@pytest.mark.filterwarnings("ignore")
def test_out_that_does_not_fit_is_numpys():
    a = weft.array(made((3, 3)))
    with pytest.raises(ValueError, match="could not be broadcast"):
        weft.einsum("ij,jk->ik", a, a, out=weft.zeros((3, 4)))
    with pytest.raises(TypeError, match="could not be cast"):
        weft.einsum("ij,jk->ik", a, a, out=weft.zeros((3, 3), "i8"))


def test_one_array_may_be_several_operands():
    a = made((4, 4))
    x = weft.array(a)
    same(weft.einsum("ij,jk,kl->il", x, x, x), a @ a @ a)
    same(weft.einsum("ij,ik,il->i", x, x, x), a.sum(1) ** 3)


def test_without_sums_it_is_a_view():
    a = weft.zeros((3, 3))
    weft.einsum("ii->i", a)[...] = 2
    weft.einsum("ij->ji", a)[0, 1] = 5
    assert a.tolist() == [[2, 0, 0], [5, 2, 0], [0, 0, 2]]


def test_a_product_of_many_never_makes_more_than_it_must():
    n = 60  # taken from the left, the first product alone would have 13 million elements
    a, b, c = (made((n, n)) for _ in range(3))
    weft.sync()
    before = weft.stats()["memories"]["host"]["peak"]
    same(weft.einsum("ij,kl,jk->il", *map(weft.array, (a, b, c))), a @ c @ b)
    assert weft.stats()["memories"]["host"]["peak"] - before < n**4


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore")
def test_random_forms(seed):
    dice = random.Random(seed)
    for _ in range(60):
        letters = "abcdE"[: dice.randrange(1, 6)]
        extents = {letter: dice.choice([1, 2, 3, 4, 5, 7]) for letter in letters}
        if dice.random() < 0.05:
            extents[letters[0]] = 0
        terms = ["".join(dice.choice(letters) for _ in range(dice.randrange(4))) for _ in range(dice.choice([1, 1, 2, 2, 2, 3, 4]))]
        dtypes = dice.choice([["f8"], ["f8"], ["f4"], ["i8"], ["i4", "f4"], ["?"], ["c16", "f8"], ["f2"], ["i1", "f8"]])
        dots = dice.random() < 0.2
        texts, operands = [], []
        for term in terms:
            shape = [extents[letter] for letter in term]
            if dots:
                more, at = dice.choice([(), (2,), (3, 2), (1, 2)]), dice.randrange(len(term) + 1)
                term, shape = term[:at] + "..." + term[at:], shape[:at] + list(more) + shape[at:]
            if shape and dice.random() < 0.05:
                shape[dice.randrange(len(shape))] = 1
            texts.append(term)
            operands.append(made(tuple(shape), dice.choice(dtypes)))
        text = ",".join(texts)
        if dice.random() < 0.8:
            used = sorted(set("".join(terms)))
            kept = dice.sample(used, dice.randrange(len(used) + 1))
            if dots:
                kept.insert(dice.randrange(len(kept) + 1), "...")
            text += "->" + "".join(kept)
        both(text, operands, dice)


def both(text, operands, dice):
    theirs = [ours(a, dice.randrange(3)) for a in operands]
    try:
        want = numpy.einsum(text, *operands)
    except ValueError as error:
        with pytest.raises(ValueError) as got:
            weft.einsum(text, *theirs)
        assert str(got.value) == str(error), text
        return
    out = weft.zeros(want.shape, want.dtype) if want.ndim and dice.random() < 0.3 else None
    got = weft.einsum(text, *theirs, out=out)
    assert out is None or got is out
    same(got, want)


def test_lists_of_numbers_and_paths_take_numpys_text():
    a, b = made((70, 80)), made((80, 90))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(weft.einsum(weft.array(a), [0, 1], weft.array(b), [1, 2], [0, 2]), a @ b)
        path = weft.einsum("ij,jk,kl->il", *map(weft.array, (a, b, b.T.copy())), optimize=True)
    same(path, a @ b @ b.T)


@pytest.mark.parametrize("seed", range(40))
def test_products_of_rows_have_the_bits_of_the_deferred_way(seed):
    rng = numpy.random.default_rng(seed)
    rows, n = int(rng.integers(1, 60)), int(rng.choice([1, 2, 31, 32, 33, 64, 100, 129, 260]))
    a, b = (rng.choice([0.0, -0.0, 1e300, -1.5], (rows, n)) if seed % 4 == 0 else rng.standard_normal((rows, n)) for _ in range(2))
    x, y = weft.array(a), weft.array(b)
    for text, p, q in (("ij,ij->i", x, y), ("ij,ij->i", x, x), ("ij,ij->j", x, y), ("ij,ij->i", x.T, y.T), ("ij,ij->i", x[:, ::-1], y)):
        here = numpy.asarray(weft.einsum(text, p, q))
        before = weft._core.few(0)
        deferred = numpy.asarray(weft.einsum(text, p, q))
        weft._core.few(before)
        assert here.tobytes() == deferred.tobytes(), (text, rows, n)


@pytest.mark.parametrize("seed", range(40))
def test_products_of_matrices_have_the_bits_of_the_deferred_way(seed):
    rng = numpy.random.default_rng(100 + seed)
    i, j, k = (int(n) for n in rng.choice([1, 2, 7, 31, 33, 64, 100, 150], 3))
    a, b, v = (weft.array(rng.standard_normal(shape)) for shape in ((i, j), (j, k), (j,)))
    for text, p, q in (
        ("ij,j->i", a, v), ("j,ij->i", v, a), ("ji,j", a.T, v), ("ij,jk->ik", a, b), ("ij,kj->ik", a, b.T), ("ji,jk->ik", a.T.copy(), b), ("ij,jk", a[::-1], b),
    ):  # fmt: skip
        here = numpy.asarray(weft.einsum(text, p, q))
        before = weft._core.few(0)
        deferred = numpy.asarray(weft.einsum(text, p, q))
        weft._core.few(before)
        assert here.tobytes() == deferred.tobytes(), (text, i, j, k)


@pytest.mark.parametrize("seed", range(3))
def test_traces_and_products_of_all_elements_have_the_bits_of_the_deferred_way(seed):
    code = f"""
import numpy, weft
rng = numpy.random.default_rng({seed})
for _ in range(60):
    n, p, q, s = (int(v) for v in rng.integers(1, 30, 4))
    a, b, c = (weft.array(rng.random(shape)) for shape in ((n, p), (n, p), (n, n)))
    many, one = weft.array(rng.random((s % 9 + 1, p, q))), weft.array(rng.random((q, p)))
    narrow = many.astype("f4")
    for made in (weft.einsum("ii", c), weft.einsum("ii->", c.T), weft.einsum("ij->ji", a), weft.einsum("ij,ij->", a, b), weft.einsum("ij,ij->", a.T, b.T), weft.einsum("ij,ij->", a, b[:, ::-1]),
            many @ one, narrow @ one.astype("f4"), weft.matmul(many, one[:, ::-1]), weft.matmul(many[::-1], one), many @ many.transpose(0, 2, 1)):
        print(numpy.asarray(made).tobytes().hex())
"""
    eager, deferred = run_python(code), run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert eager.returncode == 0 and eager.stdout.count("\n") == 660, eager.stderr
    assert eager.stdout == deferred.stdout


@pytest.mark.parametrize("few", [0, 4096])
def test_products_lie_in_memory_as_numpys(few):
    dice, before = random.Random(7), weft._core.few(few)
    try:
        for _ in range(300):
            letters = "abcde"[: dice.randint(2, 5)]
            extents = {letter: dice.choice([1, 2, 3, 4]) for letter in letters}
            terms = ["".join(dice.sample(letters, dice.randint(1, min(3, len(letters))))) for _ in range(dice.choice([2, 3, 3, 4]))]
            used = sorted(set("".join(terms)))
            text = ",".join(terms) + "->" + "".join(dice.sample(used, dice.randint(0, min(3, len(used)))))
            operands = [numpy.asarray(made(tuple(extents[letter] for letter in term)), order=dice.choice("CF")) for term in terms]
            want, got = numpy.einsum(text, *operands), weft.einsum(text, *(weft.array(a, order="K") for a in operands))
            same(got, want)
            if want.ndim:
                assert got.strides == want.strides, (text, [a.strides for a in operands])
    finally:
        weft._core.few(before)
