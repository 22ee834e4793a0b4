"""Operations on as many elements as are computed at once, and on a few more, for test_eager_sizes: the same steps for NumPy and weft.

Each step is a name and a result. Values are such that NumPy's sums, in another order, differ in the last bits only.
"""

import numpy

LENGTHS = (2048, 2049, 4097, 8191, 8192, 8193, 16_384, 16_385, 32_768, 32_769, 65_536, 65_537, 131_072, 131_073)
LONG = (5000, 65_537, 131_072, 131_073, 1_048_576, 1_048_577)
SHAPES = (
    (300, 300),
    (100, 1300),
    (5000, 3),
    (701, 7),
    (300, 16),
    (257, 31),
    (40, 9, 32),
    (129, 90),
    (2, 4097),
    (3, 5000),
    (70, 40, 30),
    (40, 129, 9),
    (2, 2, 4100),
    (30, 8, 20, 20),
    (700, 400),
    (300, 70, 10),
    (130, 90, 64),
    (1100, 1000),
)
DTYPES = ("float64", "float32", "int32", "uint8", "bool", "complex128")


def spread(np, shape, dtype, seed=1):
    """Elements without a pattern, the same in both."""
    size = int(numpy.prod(shape))
    whole = (
        numpy.arange(seed, size + seed, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15) >> numpy.uint64(40)
    ).astype(numpy.int64)
    if dtype == "bool":
        return np.array((whole % 3 == 0).reshape(shape))
    if dtype.startswith("c"):
        return np.array((whole / 2**24 + 1j * (whole % 7)).reshape(shape))
    if dtype.startswith("f"):
        return np.array((whole / 2**24 + 0.5).astype(dtype).reshape(shape))
    return np.array((whole % 101).astype(dtype).reshape(shape))


def elementwise(np):
    for n in LENGTHS:
        for dtype in DTYPES:
            x, y = spread(np, n, dtype), spread(np, n, dtype, 7)
            yield f"add {n} {dtype}", x + y
            yield f"less {n} {dtype}", np.equal(x, y)
            yield f"number {n} {dtype}", x * 2
            yield f"copy {n} {dtype}", x[::-1].copy()
            yield f"astype {n} {dtype}", x.astype("complex64")
            yield f"where {n} {dtype}", np.where(x == y, x, y)
            x[1:] = x[:-1]
            yield f"overlap {n} {dtype}", x
            x[::2] += y[: (n + 1) // 2] if dtype != "bool" else x[::2]
            yield f"strided {n} {dtype}", x
            x[3:-3] = 1
            yield f"fill {n} {dtype}", x
            yield f"joined {n} {dtype}", np.concatenate([x[: n // 2], y[n // 2 :]])
    for n in (63, 64, 65, 1000):
        rows = [spread(np, 33, ("float64", "float32", "int32")[i % 3 if n > 64 else 0], i + 1) for i in range(n)]
        yield f"rows {n}", np.array(rows)
        yield f"stacked {n}", np.stack(rows, axis=1)
        yield f"concatenated {n}", np.concatenate([x[3:30] for x in rows])
    for k in (np.int64(5), np.uint8(2), np.int32(-1)):
        a = spread(np, (9, 700), "float64", 11)
        yield f"chosen {k}", a[[1, k]]
        yield f"chosen of an axis {k}", a[k, [4, k, 600]]
        a[[1, k]] = a[[k, 1]]
        yield f"swapped {k}", a
    for shape in ((128, 128), (129, 128), (2, 5000), (5, 3000)):
        a, row, column = (
            spread(np, shape, "float64"),
            spread(np, shape[1], "float64", 3),
            spread(np, (shape[0], 1), "float64", 5),
        )
        yield f"row {shape}", a + row
        yield f"column {shape}", a * column
        yield f"turned {shape}", a.T - column.T
        yield f"inside {shape}", a[1:, 1:-1] * 0.5 + a[:-1, 2:]
        yield f"exp {shape}", np.exp(a[:, ::2])
        a[1:, 1:-1] = a[:-1, 2:] - a[:-1, :-2]
        yield f"in place {shape}", a
        yield f"outer {shape}", np.outer(row[:100], column[:, 0][:100])
        yield f"cumsum {shape}", np.cumsum(a)
        yield f"diff {shape}", np.diff(a)
        yield f"diff from {shape}", np.diff(a.ravel(), prepend=a[-1, -1])
        for axis in (None, 0, -1):
            yield f"roll {shape} {axis}", np.roll(a, -3, axis)


def folds(np):
    for shape in (*((n,) for n in LONG), *SHAPES):
        for dtype in DTYPES:
            x = spread(np, shape, dtype)
            for axis in (None, *range(len(shape))):
                for name in ("sum", "min", "max", "any", "all", "mean") if dtype != "complex128" else ("sum", "mean"):
                    yield f"{name} {shape} {dtype} {axis}", getattr(x, name)(axis)
            yield f"none {shape} {dtype}", np.any(x == 113)
            if dtype != "complex128":
                yield f"places {shape} {dtype}", (int(np.argmax(x)), int(np.argmin(x)))
                yield f"spread {shape} {dtype}", np.std(x)
                yield f"spread of a part {shape} {dtype}", np.var(x[..., 1:], ddof=1)
        x = spread(np, shape, "float64")
        yield f"zeros {shape}", np.signbit((x * -0.0).sum(-1)) if len(shape) > 1 else x
        yield f"norm {shape}", np.linalg.norm(x)
        yield f"norm of f4 {shape}", np.linalg.norm(x.astype("float32"))
        yield f"every other {shape}", x[::2].sum()
        yield f"turned {shape}", x.T.sum(0)
        x.reshape(-1)[3] = float("nan")
        yield f"norm of NaN {shape}", np.linalg.norm(-x)
        yield f"product {shape}", (x**0.001).prod()


def places(np):
    for n in (1, 31, 1023, 1024, 1025, 5000, 100_000):
        for dtype in ("float64", "float32", "int16"):
            for at in {0, n // 3, n - 1}:
                x = np.zeros(n, dtype)
                x[at:] = 3
                yield f"first of equals {n} {dtype} {at}", int(x.argmax())
                yield f"least {n} {dtype} {at}", int(x.argmin())
                if dtype != "int16":
                    x[at] = float("nan")
                    yield f"NaN {n} {dtype} {at}", (int(x.argmax()), int(x.argmin()))
                    x[at:] = -0.0
                    yield f"zeros {n} {dtype} {at}", (int(x.argmax()), int(x.argmin()))


def drawn(rng, shape, dtype):
    """Elements of which many are equal, some zeros of either sign, and now and then one is NaN."""
    x = rng.integers(-9, 10, shape)
    x = abs(x) if dtype.startswith("u") else x > 8 if dtype == "bool" else x
    x = x.astype(dtype)
    if dtype.startswith("f"):
        x[rng.random(shape) < 0.1] *= -1
        x[rng.random(shape) < 0.3 / max(1, x.shape[-1])] = numpy.nan
    return x


def along(np):
    rng = numpy.random.default_rng(3)
    for dtype in (
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float32",
        "float64",
    ):
        for shape in (
            (3, 70),
            (70, 3),
            (5, 63),
            (4, 64),
            (3, 65),
            (2, 129),
            (6, 1000),
            (1000, 6),
            (7, 5, 40),
            (3, 200, 70),
            (130, 1030),
        ):
            x = np.array(drawn(rng, shape, dtype))
            for axis in range(len(shape)):
                yield f"most along {shape} {dtype} {axis}", x.argmax(axis)
                yield f"least along {shape} {dtype} {axis}", x.argmin(axis)
                yield f"most backwards {shape} {dtype} {axis}", x[..., ::-1].argmax(axis)


def counted(np):
    rng = numpy.random.default_rng(4)
    for n in (1, 3, 5000, 16_385, 262_144, 262_145, 700_000, 1_100_000):
        for dtype, bins in (("int64", 3), ("uint8", 200), ("int32", 1500), ("int64", 3000)):
            k, w = np.array(rng.integers(0, bins, n).astype(dtype)), np.array(rng.random(n))
            yield f"bincount {n} {dtype} {bins}", np.bincount(k)
            yield f"bincount with weights {n} {dtype} {bins}", np.bincount(k, w)
            yield f"bincount of some {n} {dtype} {bins}", np.bincount(k[::2], minlength=bins // 2)
        b = np.array(rng.random(n) < 0.3)
        yield f"argwhere {n}", np.argwhere(b)
        yield f"few of {n}", np.flatnonzero(w > 0.98)
        yield f"columns {n}", np.column_stack([w[:9999], k[:9999], w[-1:-10_000:-1]])
        yield f"covariances {n}", np.cov(w[: n // 4 * 4][:9000].reshape(-1, 4)[:, :3].T) if n > 9 else n
        yield f"extract {n}", np.extract(b, w)
        yield f"compress {n}", np.compress(b, k[::-1])
    for shape in ((70, 80), (3, 4, 500), (2, 3, 4, 90)):
        x = np.array(rng.integers(0, 3, shape))
        yield f"argwhere {shape}", np.argwhere(x)
        yield f"argwhere turned {shape}", np.argwhere(x.T > 1)


def sought(np):
    rng = numpy.random.default_rng(6)
    for dtype in ("float64", "float32", "int64", "int32", "uint8", "int16", "uint64"):
        for n in (1, 50, 20_000, 300_000):
            whole = np.array(numpy.sort(drawn(rng, n, dtype)))
            for keys in (drawn(rng, 40, dtype), drawn(rng, (2, 3), "int8"), drawn(rng, 5, "float64")):
                for side in ("left", "right"):
                    yield f"searchsorted {dtype} {n} {keys.dtype} {side}", np.searchsorted(whole, np.array(keys), side)
            for key in (3, 2.5, -1, True, float("nan")):
                yield f"searchsorted {dtype} {n} {key}", whole.searchsorted(key, side="right")


def close(np):
    rng = numpy.random.default_rng(8)
    odd = numpy.array([0.0, -0.0, 1.0, numpy.inf, -numpy.inf, numpy.nan, 1e308, 5e-324])
    for n in (1, 5, 4096, 4097, 20_000):
        x = rng.random(n)
        for put in (0, 1, 2):
            y = x * (1 + 1e-5 * (rng.random(n) - 0.5) * (2 + put))
            for _ in range(put):
                y[rng.integers(n)], x[rng.integers(n)] = odd[rng.integers(8)], odd[rng.integers(8)]
            a, b = np.array(x), np.array(y)
            for given in ({}, {"equal_nan": True}, {"rtol": 3e-5}, {"atol": 1, "rtol": 0}):
                yield f"allclose {n} {put} {given}", np.allclose(a, b, **given)
                yield f"allclose to one {n} {put} {given}", np.allclose(a, 0.5, **given)
                yield f"allclose to itself {n} {put} {given}", np.allclose(b, b, **given)
    for x in odd:
        for y in odd:
            for nan in (True, False):
                yield (
                    f"allclose {x} {y} {nan}",
                    (
                        np.allclose(np.array([x]), np.array([y]), equal_nan=nan),
                        np.allclose(np.array([x]), float(y), equal_nan=nan),
                    ),
                )


def spliced(np):
    rng = numpy.random.default_rng(9)
    for n in (1, 2, 9, 100, 5000, 16_385, 70_000):
        for dtype in ("float64", "float32", "int64", "int32", "uint8", "complex128"):
            x = np.array(drawn(rng, n, "int8" if dtype[0] == "c" else dtype).astype(dtype))
            for at in {0, n // 2, n - 1, -1, -n}:
                yield f"insert {n} {dtype} {at}", np.insert(x, at, 3)
                yield f"insert backwards {n} {dtype} {at}", np.insert(x[::-1], at, 3.0)
                if n > 1:
                    yield f"delete {n} {dtype} {at}", np.delete(x, at)
                    yield f"delete of every other {n} {dtype} {at}", np.delete(np.append(x, x)[::2], at)
            yield f"insert at the end {n} {dtype}", np.insert(x, n, 1)


def correlated(np):
    rng = numpy.random.default_rng(10)
    for n in (1, 2, 5, 1000, 1025, 16_384, 70_000):
        for m in (1, 2, 4, 5, 9, 10, 64, 65):
            for dtypes in (
                ("float64", "float64"),
                ("float32", "float32"),
                ("int64", "int64"),
                ("int64", "float64"),
                ("float32", "float64"),
                ("uint8", "int64"),
            ):
                x, v = (
                    np.array((rng.random(k) * 99 - 9 * (t[0] != "u")).astype(t))
                    for k, t in zip((n, m), dtypes, strict=True)
                )
                for mode in ("full", "same", "valid"):
                    yield f"convolve {n} {m} {dtypes} {mode}", np.convolve(x, v, mode)
                    if m <= n:
                        yield f"correlate {n} {m} {dtypes} {mode}", np.correlate(x, v[::-1], mode=mode)
            yield f"convolve backwards {n} {m}", np.convolve(x[::-1], v)
            yield f"convolve with a list {n} {m}", np.convolve(x, [1.5] * m, mode="same")


def weighed(np):
    rng = numpy.random.default_rng(11)
    for n in (1, 2, 3, 40, 100, 1000, 4095, 4096, 4097, 8192, 8193, 16_383, 16_384, 16_385, 100_001, 1_048_576, 1_048_577):
        for dtype in ("float64", "float32"):
            x, w = np.array(drawn(rng, n, dtype) + rng.random(n).astype(dtype)), np.array(rng.random(n).astype(dtype))
            for name in ("nansum", "nanmean"):
                yield f"{name} {n} {dtype}", getattr(np, name)(x)
                yield f"{name} of rows {n} {dtype}", getattr(np, name)(x[: n // 30 * 30].reshape(-1, 5, 6))
            x = np.nan_to_num(x)
            yield f"means {n} {dtype}", (np.average(x), np.average(x[::-1]), np.average(x[: n // 10 * 10].reshape(-1, 10).T) if n > 9 else 0)
            yield f"average {n} {dtype}", np.average(x, weights=w)
            yield f"average of a view {n} {dtype}", np.average(x[::-1], weights=w)
            yield f"trapezoid {n} {dtype}", np.trapezoid(x)
            yield f"trapezoid at places {n} {dtype}", (np.trapezoid(x, w.cumsum()), np.trapezoid(x, x=w))
            yield f"trapezoid of steps {n} {dtype}", (np.trapezoid(x, dx=0.1), np.trapezoid(x, dx=2))


def polynomials(np):
    rng = numpy.random.default_rng(12)
    odd = numpy.array([numpy.inf, -numpy.inf, numpy.nan, -0.0, 0.0, 1e200, -3.0])
    for n in (1, 7, 1000, 1025, 4097, 16_384, 16_385, 131_072, 131_073):
        x = np.array(numpy.concatenate([odd, rng.random(n) * 4 - 2])[:n])
        for terms in (1, 2, 4, 5, 6, 9, 10, 64, 65):
            yield f"polyval {n} {terms}", np.polyval(np.array(rng.random(terms) - 0.5), x)
            yield f"polyval of integers {n} {terms}", np.polyval(np.array(rng.integers(-3, 3, terms)), x)
        yield f"polyval of a list {n}", np.polyval([1, -2, 0.5], x.reshape(1, -1))
        yield f"polyval of zeros {n}", np.polyval([-0.0], x[::-1])


PASSES = """
np.append(x, y) | np.append(x, 1) | np.array_equal(x, x) | np.array_equal(x, y) | np.average(x) | np.average(x, weights=y) | np.bitwise_count(k) | np.compress(b, x)
np.convolve(x, x[:9]) | np.correlate(x, x[:9], "same") | np.corrcoef(x, y) | np.cov(x) | np.delete(x, 5) | np.digitize(x, x[:5].cumsum()) | np.ediff1d(x) | np.gradient(x)
np.insert(x, 3, 1.5) | np.isin(k, k[:5]) | np.median(x) | np.nan_to_num(x) | np.nanmean(x) | np.nanstd(x) | np.nansum(x) | np.nanmax(x) | np.percentile(x, 30) | np.quantile(x, [0.2, 0.7])
np.piecewise(x, [b, ~b], [1, 2]) | np.polyval([1.0, 2.0, 3.0], x) | np.select([b, x > 1], [x, y]) | np.take_along_axis(x, k % 9, 0) | np.trapezoid(x) | np.unwrap(x) | np.pad(x, 2) | np.packbits(b)
""".replace("\n", "|").split("|")


def passes(np):
    for n in (4095, 4096, 10_000, 16_383, 16_384):
        x, y, k = spread(np, n, "float64"), spread(np, n, "float64", 5), spread(np, n, "int64")
        for call in filter(str.strip, PASSES):
            yield f"{call.strip()} {n}", eval(call.strip(), {"np": np, "x": x, "y": y, "k": k, "b": k % 3 == 1})


def products(np):
    for n in (4095, 4096, 8191, 8192, 10_000, 100_000, 1_048_576, 1_048_577):
        for dtype in ("float64", "float32", "complex128"):
            x, y = spread(np, n, dtype), spread(np, n, dtype, 9)
            yield f"matmul {n} {dtype}", x @ y
            yield f"dot {n} {dtype}", np.dot(x, y)
            yield f"inner {n} {dtype}", np.inner(x, y)
            yield f"backwards {n} {dtype}", np.dot(x[: n // 8], y[n // 8 - 1 :: -1][: n // 8])
        whole = spread(np, n, "int32")
        yield f"integers {n}", whole @ whole[::-1]
    for n, m in ((5, 9000), (40, 800), (9, 4097), (3, 100)):
        a, x = spread(np, (n, m), "float64"), spread(np, m, "float64", 3)
        yield f"matrix {n} {m}", a @ x
        yield f"turned {n} {m}", x @ a.T
        yield f"square {n} {m}", a @ a.T
        yield f"integers {n} {m}", a.astype("int64") @ x.astype("int64")


def steps(np):
    for part in (
        elementwise,
        folds,
        places,
        along,
        counted,
        sought,
        close,
        spliced,
        correlated,
        weighed,
        passes,
        products,
    ):
        yield from part(np)


if __name__ == "__main__":
    import warnings
    import zlib

    import weft
    from eagerprogram import steps as strides

    warnings.simplefilter("ignore")
    for name, made in steps(weft):
        value = numpy.asarray(made)
        bits = zlib.crc32(value.tobytes())
        print(
            name, value.dtype, value.shape, strides(made) if hasattr(made, "strides") else "", type(made).__name__, bits
        )
