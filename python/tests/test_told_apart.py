"""Calls at the edges of what NumPy takes, where its results, arguments and errors tell how it goes about them: weft's are the same."""

import numpy
import pytest
import weft

from .properties import outcomes
from .test_properties import ROWS

CALLS = {
    "a number that stands alone has no kind to give up": ["negative", "np.negative(99, dtype='u1')", "np.ceil(99, dtype='u1')", "np.floor(True, dtype='u1')", "np.sqrt(3, dtype='f4')", "np.ceil(70000, dtype='i2')"],
    "a float among integers is none of them": ["add", "np.add(np.arange(3), 1.5, dtype='i2', out=np.zeros(3))", "np.fmin(1.5, np.arange(3), dtype='i2', out=np.zeros(3))", "np.add(np.arange(3), 1.5, dtype='i2', casting='unsafe', out=np.zeros(3))"],
    "what a copy is given up with": ["put", "a = np.arange(6.)", "np.put(a, [0, 1, 9], [7, 8, 9])", "np.put(a[::2], [0, 1, 9], [7, 8, 9])", "np.put(a[::-1], [0, 1, 9], [7, 8, 9])", "a[::-1].put([0, 9], [7, 8])"],
    "all of an array with gaps": ["put_along_axis", "a = np.zeros(8)", "np.put_along_axis(a, np.arange(4), np.arange(4.), None)", "np.put_along_axis(a[::2], np.arange(4), np.arange(4.), None)", "np.put_along_axis(a.reshape(2, 4).T, np.arange(4), np.arange(4.), None)"],
    "what is not to be written": ["nan_to_num", "a = np.broadcast_to(np.array([1.0, nan]), (3, 2))", "np.nan_to_num(a, copy=False)", "np.nanquantile(a[:, 0][:1], 0.5, overwrite_input=True)", "np.nanmedian(a, overwrite_input=True)", "np.nan_to_num(a)"],
    "no elements": ["tile", "np.tile(np.broadcast_to(np.zeros((1, 0)), (2, 0)), 2)", "np.tile(np.zeros((2, 0)), (2, 2))", "np.tile(np.zeros((2, 0)), 1)", "np.broadcast_to(2, (0,))"],
    "a result that does not hold the elements": ["amin", "a = np.array([[200, 1, 2**62 + 7], [1, 200, 300]]); b = np.zeros(2, 'i1')", "np.amin(a, axis=-1, out=b)", "np.amax(a, axis=-1, out=b)", "a.max(axis=1, out=b)", "np.minimum.reduce(a, axis=-1, out=b)", "np.amax(a * 1.1, axis=0, out=np.zeros(3, 'f4'))"],
    "a rule that is no name": ["copyto", "a = np.ones((3, 3))", "np.copyto(a, 2, casting=1.5)", "np.copyto(a, 2, casting=None)", "np.copyto(a, 2, casting='no')"],
    "tolerances that are not finite": ["isclose", "a = np.arange(3.); b = np.array([inf, nan, 1.0])", "np.isclose(a, a, atol=b[0], rtol=b[1])", "np.isclose(a, a, atol=b)", "np.isclose(a, a + 1e-9, atol=b[2])", "np.allclose(np.ones(9000), np.ones(9000), b[0])"],
    "an order of memory that the operands have": ["einsum", "a = np.arange(6.).reshape(2, 3); b = np.arange(12.).reshape(3, 4); c = np.arange(24.).reshape(2, 3, 4); d = np.arange(30.).reshape(5, 2, 3); e = np.arange(60.).reshape(5, 3, 4)", "np.einsum('ijn,jn->ni', c, b)", "np.einsum('ij,jk->ki', a, b)", "np.einsum('nij,njk->ink', d, e)", "np.einsum('bij,bjk->bki', d, e)", "np.einsum('bij,bjk->kbi', d, e)", "np.einsum('...ij,...jk->...ki', d, e)", "np.einsum('ijk,k->ji', c, b[0])", "np.einsum('ij,jk->ik', a.T.copy().T, b.T.copy().T)", "np.einsum('ij,jk->ki', a.T.copy().T, b.T.copy().T)", "np.einsum('ij,ij->ji', a, a)", "np.einsum('ij,ij->ij', a.T, a.T)", "np.einsum('ij,ij->ij', a.T.copy(), a.T)", "np.einsum('ij,ij,ij->ij', a.T, a.T, a.T)", "np.einsum('i,j->ji', a[0], a[1])", "np.einsum('ij,jk->ki', a.astype(int), b.astype(int))", "np.einsum('ijn,jn->ni', c.astype('f4'), b.astype('f4'))", "np.einsum('ijn,jn->ni', np.ones((50, 30, 40)), np.ones((30, 40)))", "np.einsum('ij,jk->ki', np.ones((200, 300)), np.ones((300, 400)))", "np.einsum('ij,jk,kl->li', a, b, b.T)", "np.einsum('abc,c->ba', c[::-1, :, ::2], b[0, ::2])", "np.einsum('ij->ji', a)", "np.einsum('iij->ji', np.ones((2, 2, 3)))"],
    "past the integers of int64": ["ptp", *(f"(lambda x: (x, x.dtype.char))(np.{call})" for call in ("ptp(2**63)", "flip(2**63)", "atleast_1d(2**63)", "cumsum(2**63)", "repeat(2**63, 2)", "tile(2**63, 2)", "stack([2**63, 2**63])", "vstack([2**63, 2**64 - 1])", "ravel(2**63)", "ones_like(2**63)", "full(3, 2**63)", "broadcast_to(2**63, 3)", "clip(np.uint64(5), 0, 2**63)", "where([True, False], 2**63, np.arange(2, dtype='u8'))", "add(np.arange(3, dtype='u8'), 2**63)", "full(3, 2**64)"))],
    "what has no length to choose from": ["choose", "a = np.array([1, 0]); o = np.zeros(2, int)", "a.choose(1j, out=o)", "a.choose(1.5, out=3)", "a.choose(1.5)", "a.choose(3, out=o)", "a.choose([5, 6], out=o)", "a.choose(7, 8, out=o)", "a.choose(np.array([7, 8]), out=o)"],
    "an initial value of what has none of its own": ["any", "a = np.array([[2, 0], [0, 0]])", "np.logical_or.reduce(a, initial=None)", "np.logical_or.reduce(a, initial=2.5, keepdims=True)", "np.logical_and.reduce(a, axis=1, initial=0)", "np.logical_and.reduce(a, initial=np._NoValue)", "np.maximum.reduce(a, initial=9)", "np.logical_or.reduce(np.zeros((0, 2)), initial=True)"],
    "products of a class of its own": ["vecdot", "a = np.matrix([[1.0, 2], [3, 4]]); b = np.ones(2); r = np.arange(2.0).view(np.recarray)", "np.matvec(a, b)", "np.vecmat(b, a)", "np.vecdot(a, b)", "np.linalg.vecdot(a, b)", "np.vecdot(r, b)", "np.matmul(a, b)"],
    "the parts of a complex copy": ["round", "a = np.broadcast_to(np.array([1.26 + 2j, 2.34j, 0.5]).reshape(1, 1, 3), (2, 1, 3)); b = np.ones((2, 3, 4), complex).transpose(2, 0, 1)", "a.round()", "np.round(a, 1)", "b.round()", "np.round(b, 1)", "np.round(b[::-1, :, ::2])", "np.round(a[0, 0, 1])", "np.round(b, out=b.copy())"],
    "no elements to be like": ["zeros_like", "a = np.zeros((0, 3))[:, ::-2]", "np.zeros_like(a, shape=(4, 3))", "np.empty_like(a, order='A', shape=(4, 3)).strides", "a.copy('A')", "np.asfortranarray(a)", "np.ascontiguousarray(a)"],
    "factors of columns": ["linalg.qr", "a = np.array([[1.0, 2, 0], [3, 4, 1]])", "np.linalg.qr(a.T, mode='raw')", "np.linalg.qr(a.astype('f4').T, mode='raw')", "np.linalg.qr(a.astype(int).T, mode='raw')", "np.linalg.qr(a, mode='raw')", "np.linalg.qr(a.T)"],
    "an index of a class of its own": ["take", "m = np.matrix([1, 2]); i = np.arange(3).view(np.matrix); x = np.arange(4.); y = np.arange(12).reshape(3, 4); f = np.matrix([1.5])", "x[m]", "y[m]", "y[m, 1]", "y[1, m]", "x[i > 1]", "y[np.array(m)[0] > 1]", "x[f]", "x[np.ma.array([1, 2])]", "x[np.array(1).view(np.recarray)]", "(x.__setitem__(m, 7), x)", "(y.__setitem__((m, 1), m), y)", "(y.__setitem__((0, m), 5), y)", "[0, 1, 2][m]"],
}  # fmt: skip


@pytest.mark.parametrize("what", CALLS)
def test_as_numpy(what):
    name, *calls = CALLS[what]
    statements = calls.pop(0).split("; ") if " = " in calls[0] else []
    for call in calls:
        of_numpy, of_weft = (outcomes.Outcome(module, statements, call) for module in (numpy, weft))
        assert not list(outcomes.differences(of_weft, of_numpy, ROWS[name])), call


EMPTY = """
np.zeros((0, 3)) + 1 | (np.zeros((3, 0, 2)).T + 1) | np.zeros((3, 0, 2)).sum(0) | np.zeros((3, 0, 2)).T.copy() | np.zeros((3, 0, 2)).T.astype(int) | np.zeros((3, 4))[[]] | np.zeros((3, 4))[np.zeros(3, bool)]
np.concatenate([np.zeros((0, 3))] * 2) | np.stack([np.zeros((0, 3))] * 2) | np.empty_like(np.zeros((3, 0, 2)).T) | np.cumsum(np.zeros((0, 3)), 0) | np.sort(np.zeros((0, 3)), 0) | np.dot(np.zeros((0, 3)), np.zeros((3, 2)))
np.array([]) | np.array([[], []]) | np.arange(0) | np.linspace(0, 1, 0) | np.random.default_rng(0).random((0, 3)) | np.zeros((0, 4)).view('c16') | np.zeros((0, 2), complex).imag | np.outer([], [1, 2]) | np.take(np.zeros((2, 3)), [], 0)
np.zeros((3, 0, 2)).reshape(0, 6) | np.zeros((3, 4))[:0] | np.zeros((3, 4))[:, :0] | np.zeros((3, 4))[:0].T | np.flip(np.zeros((0, 3)), 0) | np.zeros((1, 0, 3)).squeeze() | np.broadcast_to(np.zeros((1, 0)), (3, 0)) | np.zeros((3, 0)).T
np.linalg.svd(np.zeros((0, 3)))[0] | np.fft.fft(np.zeros((0, 3))) | np.einsum('ij,jk', np.zeros((0, 3)), np.zeros((3, 2))) | np.where(np.zeros((0, 3), bool), 1, 2) | np.indices((0, 3)) | np.diag(np.zeros(0))
""".replace("\n", "|").split("|")  # fmt: skip


@pytest.mark.parametrize("call", [call.strip() for call in EMPTY if call.strip()])
def test_strides_where_there_are_no_elements(call):
    want, got = (eval(call, {"np": np}) for np in (numpy, weft))
    assert (got.shape, got.strides, got.dtype) == (want.shape, want.strides, want.dtype)
