"""Products of matrices, linear algebra and Fourier transforms. Elements are plain, so that products are exact and no matrix is nearly singular by a rounding."""

import numpy

from . import rows
from .rows import axes, axis, const, family, flag
from .scene import INEXACT, NUMBERS

MATRIX = ["float64", "float32", "complex128", "int64", "complex64", "bool", "int8"]
SHAPES = [(2, 2), (3, 3), (1, 1), (2, 3, 3), (0, 0), (2, 3), (0, 2, 2), (3,)]
SQUARE = [(2, 2), (3, 3), (1, 1), (2, 3, 3), (4, 4), (0, 0)]


def factor(scene):
    return scene.array(NUMBERS, scene.pick((3,), (2, 3), (3, 2), (3, 3), (2, 2, 3), (0,), (3, 0), (), (1, 3), (17,), (40, 7)))


def other(scene):
    """A factor whose extents mostly fit the first one."""
    a = rows.first(scene)
    n = a.shape[-1] if numpy.ndim(a) else 3
    return scene.array(NUMBERS, scene.pick((n,), (n, 2), (n, 4), (2, n, 2), (2, 3), ())) if scene.choose(8) else scene.like()


def matched(scene):
    """A vector, or vectors, of the extent of the first factor's last axis."""
    a = rows.first(scene)
    n = a.shape[-1] if numpy.ndim(a) else 3
    return scene.array(NUMBERS, scene.pick((n,), (2, n), a.shape if hasattr(a, "shape") else (), (1, n), (2,)))


def square(scene):
    """A matrix, or several, mostly regular: the identity times four is added to small elements."""
    shape = scene.pick(*SQUARE)
    name = scene.array(MATRIX[:5], shape, "unit" if scene.choose(2) else "plain")
    if scene.choose(5):
        dtype = scene.names[name].dtype.name
        return scene.state(chr(ord("a") + len(scene.arrays)), f"{name} + np.diag(np.arange({shape[-1]}) + 6).astype({dtype!r})")
    return name


def symmetric(scene):
    name = square(scene)
    return scene.state(chr(ord("a") + len(scene.arrays)), f"{name} + np.swapaxes({name}, -1, -2).conj()")


def anyhow(scene):
    return scene.array(MATRIX, scene.pick(*SHAPES)) if scene.choose(3) else square(scene)


def right(scene):
    a = scene.names[scene.arrays[-1]]
    n = a.shape[-1] if numpy.ndim(a) else 3
    return scene.array(MATRIX[:5], scene.pick((n,), (n, 2), (2, n, 1), (5,)))


def subscripts(scene):
    return scene.pick("'ij,jk'", "'ij,jk->ik'", "'ii'", "'ij->ji'", "'i,i'", "'...i,i->...'", "'ij,kl'", "'ij->'", "'i,j->ij'", "'ij,ij->j'")


def operands(scene):
    return ", ".join(scene.array(NUMBERS, scene.pick((3, 3), (3,), (2, 3))) for _ in range(1 + scene.choose(2)))


CALLED = {"out": None, "dtype": rows.dtype, "casting": rows.casting, "order": rows.order}
norms = const("None", "2", "1", "'fro'", "inf", "-inf", "0", "'nuc'", "-2", "3", "-1", "0.5", "'x'")
length = const("None", "4", "3", "8", "1", "0", "5")
FFT = {"n": length, "axis": axis, "norm": const("None", "'ortho'", "'forward'", "'backward'", "'x'"), "out": None}
FFTN = {"s": const("None", "(2, 3)", "(4,)", "[2, 2]"), "axes": const("None", "(0, 1)", "(-1,)", "(0, 0)"), "norm": FFT["norm"], "out": None}


def transformed(scene):
    """No float16, of which NumPy computes the factor 1/n with eleven bits."""
    return scene.array(["float64", "complex128", "float32", "int64", "complex64", "bool"], scene.shape(1)) if scene.choose(9) else scene.like()


PLAIN = {"elements": "plain"}
ROWS = {
    **family("matmul", factor, other, keywords=CALLED, close=8, **PLAIN),
    **family("vecdot", factor, matched, keywords={**CALLED, "axis": axis}, close=8, **PLAIN),
    **family("matvec", rows.array(rank=(2, 3)), matched, keywords=CALLED, close=8, **PLAIN),
    **family("vecmat", matched, rows.array(shape=(3, 2)), keywords=CALLED, close=8, **PLAIN),
    **family("dot", factor, other, keywords={"out": None}, close=8, **PLAIN),
    **family("ndarray.dot", factor, other, keywords={"out": None}, close=8, **PLAIN),
    **family("vdot inner", factor, matched, close=8, **PLAIN),
    **family("outer", rows.like, rows.partner, keywords={"out": None}, close=8, **PLAIN),
    **family("kron", rows.like, rows.partner, close=8, **PLAIN),
    **family("tensordot", factor, other, keywords={"axes": const("1", "0", "2", "([0], [0])", "(-1, 0)", "([0, 1], [0, 1])")}, close=8, **PLAIN),
    **family("cross", rows.array(shape=(2, 3)), rows.array(shape=(2, 3)), keywords={"axisa": axis, "axisb": axis, "axisc": axis, "axis": axis}, close=8, **PLAIN),
    **family("einsum", subscripts, operands, keywords={"optimize": flag, "dtype": rows.dtype, "casting": rows.casting, "order": rows.order, "out": None}, close=8, **PLAIN),
    **family("einsum_path", subscripts, operands, keywords={"optimize": const("True", "'greedy'", "'optimal'", "False")}, **PLAIN),
    **family("linalg.matmul", factor, other, close=8, **PLAIN),
    **family("linalg.outer", rows.array(rank=(1, 1)), rows.array(rank=(1, 1)), close=8, **PLAIN),
    **family("linalg.cross", rows.array(shape=(2, 3)), rows.array(shape=(2, 3)), keywords={"axis": axis}, close=8, **PLAIN),
    **family("linalg.vecdot", factor, matched, keywords={"axis": axis}, close=8, **PLAIN),
    **family("linalg.tensordot", factor, other, keywords={"axes": const("1", "0", "2", "([0], [0])")}, close=8, **PLAIN),
    **family("linalg.matrix_transpose", rows.of_rank(1)),
    **family("linalg.diagonal", rows.array(rank=(1, 3)), keywords={"offset": rows.whole}),
    **family("linalg.trace", rows.array(rank=(1, 3)), keywords={"offset": rows.whole, "dtype": rows.dtype}, close=8, **PLAIN),
    **family("linalg.norm", anyhow, keywords={"ord": norms, "axis": axes, "keepdims": flag}, close=64, **PLAIN),
    **family("linalg.matrix_norm", anyhow, keywords={"ord": norms, "keepdims": flag}, close=64, **PLAIN),
    **family("linalg.vector_norm", rows.like, keywords={"ord": norms, "axis": axes, "keepdims": flag}, close=64, **PLAIN),
    **family("linalg.inv linalg.det linalg.slogdet", square, close=256, **PLAIN),
    **family("linalg.solve", square, right, close=256, **PLAIN),
    **family("linalg.lstsq", square, right, keywords={"rcond": const("None", "0.1")}, close=256, **PLAIN),
    **family("linalg.cholesky", symmetric, keywords={"upper": flag}, close=256, **PLAIN),
    **family("linalg.qr", anyhow, keywords={"mode": const("'reduced'", "'complete'", "'r'", "'raw'", "'x'")}, close=256, **PLAIN),
    **family("linalg.eigvalsh", symmetric, keywords={"UPLO": const("'L'", "'U'", "'x'")}, close=256, **PLAIN),
    **family("linalg.eigh", symmetric, keywords={"UPLO": const("'L'", "'U'", "'x'")}, close=1e6, **PLAIN),
    **family("linalg.eigvals", square, close=1e7, **PLAIN),
    **family("linalg.eig", square, close=1e8, **PLAIN),
    **family("linalg.svdvals", anyhow, close=256, **PLAIN),
    **family("linalg.svd", anyhow, keywords={"full_matrices": flag, "compute_uv": flag, "hermitian": const("False")}, close=1e6, **PLAIN),
    **family("linalg.pinv", square, keywords={"rcond": const("None", "0.1"), "hermitian": const("False")}, close=1e4, **PLAIN),
    **family("linalg.cond", square, keywords={"p": const("None", "1", "'fro'", "2", "-2", "inf")}, close=1e4, **PLAIN),
    **family("linalg.matrix_rank", anyhow, keywords={"tol": const("None", "0.5"), "hermitian": const("False")}, **PLAIN),
    **family("linalg.matrix_power", square, const("2", "0", "-1", "3", "1", "1.5"), close=256, **PLAIN),
    **family("linalg.multi_dot", rows.listed(rows.array(shape=(2, 3)), rows.array(shape=(3, 2)), rows.array(shape=(2, 3))), close=64, **PLAIN),
    **family("linalg.tensorinv", rows.array(*INEXACT[1:], shape=(2, 1, 2)), keywords={"ind": const("1", "2", "0")}, close=1e4, **PLAIN),
    **family("linalg.tensorsolve", square, right, close=1e4, **PLAIN),
    **family("fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft", transformed, keywords=FFT, close=16, **PLAIN),
    **family("fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2", transformed, keywords=FFTN, close=16, **PLAIN),
    **family("fft.fftfreq fft.rfftfreq", const("5", "8", "1", "0", "2.0", "-3"), keywords={"d": const("0.5", "2", "0"), "device": const("'cpu'", "None", "'x'")}, close=2),
    **family("fft.fftshift fft.ifftshift", rows.like, keywords={"axes": axes}),
}  # fmt: skip
