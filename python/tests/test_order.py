"""New arrays lie in memory as NumPy's do: in K order, so that ravel() and reshape() are views where NumPy's are."""

import numpy
import pytest
import weft


def numpy_of(a):
    return numpy if isinstance(a, numpy.ndarray) else weft


LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.T,
    "swapped": lambda a: a.swapaxes(0, 1),
    "rotated": lambda a: a.transpose(2, 0, 1),
    "inner swapped": lambda a: a.swapaxes(1, 2),
    "backwards": lambda a: a.T[::-1, :, ::-1],
    "every other": lambda a: a.T[::2, :, ::2],
    "one row": lambda a: a.T[:1],
    "one column": lambda a: a.T[:, :1],
    "matrix": lambda a: a[0].T,
    "turned rows": lambda a: a[:, 1].T,
    "one matrix again": lambda a: numpy_of(a).broadcast_to(a[0], a.shape),
    "rows again": lambda a: numpy_of(a).broadcast_to(a[:, :1], a.shape),
    "columns again": lambda a: numpy_of(a).broadcast_to(a[:, :, :1], a.shape),
    "a turned matrix again": lambda a: numpy_of(a).broadcast_to(a[0].T, (2, 4, 3)),
}

# Of one array.
ONE = """
-a
a + 1
2 * a
a == 1
numpy.sqrt(a)
a ** 2
(a > 1) ** 2
a.copy()
numpy.copy(a)
a.copy("K")
+a
a.astype(int)
a.astype(a.dtype)
a.astype("f4")
numpy.array(a)
numpy.ascontiguousarray(a)
numpy.zeros_like(a)
numpy.ones_like(a, dtype=int)
numpy.empty_like(a)
numpy.full_like(a, 3)
a.sum(0)
a.sum(1)
a.sum(-1)
a.sum(0, keepdims=True)
a.mean(1)
a.prod(0)
a.max(0)
a.min(-1)
a.any(0)
a.all(1)
a.argmax(0)
a.argmin(1)
a.std(0)
a.var(-1)
numpy.ptp(a, 0)
numpy.count_nonzero(a, 0)
numpy.median(a, 0)
numpy.where(a > 3, a, 0)
numpy.where(a > 3, 1.0, 0.0)
numpy.clip(a, 1, 3)
a.clip(1)
a.round(1)
numpy.round(a)
numpy.round(a.astype(int))
numpy.round(numpy.flip(a.astype("u1"), -1), 2)
a.imag
a.astype(bool).imag
numpy.power(a > 1, 2)
numpy.cumsum(a, 0)
a.cumsum(1)
numpy.cumprod(a, -1)
numpy.diff(a, axis=0)
numpy.sort(a)
numpy.sort(a, 0)
numpy.argsort(a)
numpy.argsort(a, 0)
numpy.partition(a, 1)
numpy.take(a, [0, 1], axis=0)
a[[0, 0]]
a[:, [0, 0]]
a[..., [0, 0]]
a[a > 3]
numpy.concatenate([a, a])
numpy.concatenate([a, a], axis=1)
numpy.stack([a, a])
numpy.vstack([a, a])
numpy.hstack([a, a])
numpy.repeat(a, 2, axis=0)
numpy.tile(a, 2)
numpy.triu(a)
numpy.tril(a, -1)
a.T.copy("K")
a.ravel("K")
a[::-1] + a
numpy.flip(a).copy("K")
numpy.append(a, a[:1], 0)
numpy.diff(a, axis=0, prepend=1.0)
numpy.delete(a, 0, 0)
numpy.insert(a, 0, 1, 0)
numpy.nancumsum(a, 0)
numpy.apply_along_axis(numpy.sort, 0, a)
numpy.compress([True], a, 0)
numpy.nanmax(a, -1)
numpy.roll(a, 1, 0)
numpy.roll(a, 1)
numpy.pad(a, 1)
numpy.flip(a, 0) + 1
numpy.isnan(a)
numpy.isfinite(a)
numpy.maximum(a, 1)
numpy.nan_to_num(a)
numpy.exp(a) * a + 2
abs(a) // 2
divmod(a, 2)[0]
numpy.modf(a)[0]
numpy.add.accumulate(a)
numpy.maximum.accumulate(a, axis=1)
numpy.average(a, axis=0)
numpy.nansum(a, 0)
numpy.angle(a)
numpy.real(a) + 1
(a + 1j).real
(a + 1j).imag
numpy.searchsorted(numpy.arange(5.0), a)
numpy.take_along_axis(a, numpy.zeros_like(a, dtype=int), 0)
numpy.isin(a, [1, 2])
numpy.interp(a, [0.0, 1.0], [0.0, 1.0])
numpy.broadcast_to(a, (2,) + a.shape) + 1
a[None] + 1
a[:, None] * 2
a.sum(0)[None] + a
a - a.mean(0)
a - a.mean(-1, keepdims=True)
numpy.fft.fft(a)
numpy.fft.ifft(a, axis=0)
numpy.digitize(a, [1.0, 2.0])
numpy.linalg.norm(a, axis=0)
a.copy("F")
a.copy("A")
numpy.array(a, order="F")
numpy.asarray(a, order="F")
numpy.asarray(a, order="C")
numpy.asarray(a, order="A")
numpy.zeros(a.shape, order="F")
numpy.full(a.shape, 2, order="F")
a.astype(int, order="A")
a.astype(int, order="F")
numpy.full_like(a, 1, order="F")
numpy.ones_like(a, order="C")
numpy.zeros_like(a, shape=(5, *a.shape[1:]))
numpy.zeros_like(a, shape=(5, 2, 3, 2))
a < 2**70
numpy.gradient(a, axis=0) if a.shape[0] > 1 else a
""".strip().splitlines()

# Of two arrays of one shape: the second is in C order, or in that of the first.
TWO = """
a + b
b + a
a * b - 1
numpy.where(a > 1, a, b)
numpy.where(b > 1, b, a)
numpy.clip(a, b, b + 1)
numpy.maximum(b, a)
a == b
numpy.arctan2(b, a)
a + b[:1]
b[:1] + a
a[..., :1] + b
a + b[0]
b[0] * a
""".strip().splitlines()


def layout(x):
    """Strides of the axes that are more than one long: others mean nothing."""
    return [s for s, n in zip(x.strides, x.shape, strict=True) if n > 1]


def pairs(xp, name):
    base = xp.arange(24.0).reshape(2, 3, 4)
    a = LAYOUTS[name](base)
    c = xp.ones(a.shape)
    return [(a, c), (a, a + 1), (a, LAYOUTS["F"](xp.ones(a.shape[::-1])))]


def evaluate(xp, text, a, b):
    return eval(text, {"numpy": xp, "a": a, "b": b, "divmod": divmod, "abs": abs})


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("text", ONE)
def test_one_array(name, text):
    try:
        want = evaluate(numpy, text, *pairs(numpy, name)[0])
    except (IndexError, ValueError) as error:  # the layout is too short for it
        with pytest.raises(type(error)):
            evaluate(weft, text, *pairs(weft, name)[0])
        return
    got = evaluate(weft, text, *pairs(weft, name)[0])
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if got.size:
        assert layout(got) == layout(want), f"{text} of {name}"
    if "empty" not in text:
        assert numpy.allclose(numpy.asarray(got), want, equal_nan=True)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("text", TWO)
def test_two_arrays(name, text):
    for want, got in zip(pairs(numpy, name), pairs(weft, name), strict=True):
        wanted, result = evaluate(numpy, text, *want), evaluate(weft, text, *got)
        assert layout(result) == layout(wanted), f"{text} of {name}"
        assert numpy.allclose(numpy.asarray(result), wanted)


def test_the_conjugate_of_what_is_not_complex_is_the_array_itself():
    for xp in (numpy, weft):
        for dtype in ("f8", "i4", "?"):
            a = xp.ones((2, 3), dtype)
            assert a.conj() is a and a.conjugate() is a
        z = xp.ones(2, "c16") * 1j
        assert z.conj() is not z and z.conj().imag.tolist() == [-1, -1]
        assert z[0].conj() == -1j and z[0].real.conj() == 0
        zero = xp.asarray(xp.zeros(3)[0] * 0)
        assert zero.conj().ndim == 0


def test_copies_of_what_is_broadcast_lie_as_numpys():
    """Axes that take no steps become the fastest, but of what an operation makes they stay where they are."""
    for shape, to in (((3, 2), (4, 3, 2)), ((3, 1), (3, 5)), ((2, 1, 3), (2, 4, 3)), ((1,), (2, 3)), ((3,), (2, 2, 3))):
        theirs = numpy.broadcast_to(numpy.arange(float(numpy.prod(shape))).reshape(shape), to)
        ours = weft.broadcast_to(weft.arange(float(numpy.prod(shape))).reshape(shape), to)
        for text in ("numpy.array(a)", "a.astype('f4')", "a.astype(a.dtype)", "numpy.copy(a)", "a.copy('K')", "a.copy('A')", "a.copy()", "a + 1", "a.T.astype(int)"):
            want, got = eval(text, {"numpy": numpy, "a": theirs}), eval(text, {"numpy": weft, "a": ours})
            assert got.strides == want.strides and got.tolist() == want.tolist(), f"{text} of {shape} as {to}"


def test_what_numpy_indexes_is_a_copy_where_there_are_no_axes():
    for xp in (numpy, weft):
        x = xp.zeros(1)
        turned = xp.flip(xp.squeeze(x))
        x += 1
        assert isinstance(turned, numpy.float64) and turned == 0


def test_equal_steps_along_two_axes_are_no_reason_for_columns_first():
    for text in ("d + w", "w + d", "w * w", "w + d.copy()", "-w", "numpy.where(d > 1, w, d)", "numpy.maximum(w, d)"):
        made = []
        for xp in (numpy, weft):
            d = xp.diagonal(xp.arange(48.0).reshape(2, 3, 8))[:, :2]
            d, w = xp.concatenate([d.T] * 4, 1).T[:8], xp.lib.stride_tricks.sliding_window_view(xp.arange(9), 2)
            made.append(eval(text, {"numpy": xp, "d": d, "w": w}))
        assert (made[0].shape, layout(made[0])) == (made[1].shape, layout(made[1])), text
