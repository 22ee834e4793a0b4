"""Images and convolution layers."""

from .rows import Row, exact


def picture(np, n):
    y, x = np.mgrid[0:n, 0:n]
    return (127 * (1 + np.sin(x / 7.0) * np.cos(y / 11.0))).astype(np.uint8)


def convolution_layer(np, s):
    """Loops over images, filters and places."""
    rng = np.random.default_rng(81)
    x, w = rng.standard_normal((s.batch, 3, s.n, s.n)), rng.standard_normal((s.filters, 3, 3, 3))
    out = np.zeros((s.batch, s.filters, s.n - 2, s.n - 2))
    for b in range(s.batch):
        for f in range(s.filters):
            for i in range(s.n - 2):
                for j in range(s.n - 2):
                    out[b, f, i, j] = np.sum(x[b, :, i : i + 3, j : j + 3] * w[f])
    return np.maximum(out, 0)


def pooling(np, s):
    rng = np.random.default_rng(82)
    x = rng.random((s.channels, s.n, s.n))
    out = np.zeros((s.channels, s.n // 2, s.n // 2))
    for i in range(s.n // 2):
        for j in range(s.n // 2):
            out[:, i, j] = x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max(axis=(1, 2))
    return out


def sobel(np, s):
    a = picture(np, s.n).astype(float)
    for _ in range(s.turns):
        gx = a[:-2, 2:] + 2 * a[1:-1, 2:] + a[2:, 2:] - a[:-2, :-2] - 2 * a[1:-1, :-2] - a[2:, :-2]
        gy = a[2:, :-2] + 2 * a[2:, 1:-1] + a[2:, 2:] - a[:-2, :-2] - 2 * a[:-2, 1:-1] - a[:-2, 2:]
        edge = np.hypot(gx, gy)
    return edge, edge > edge.mean()


def blur(np, s):
    """A Gaussian by its two axes, written as sums of shifted slices."""
    a = picture(np, s.n).astype(float)
    k = np.exp(-0.5 * (np.arange(-4, 5) / 2.0) ** 2)
    k /= k.sum()
    for axis in (0, 1):
        p = np.pad(a, [(4, 4) if i == axis else (0, 0) for i in (0, 1)], mode="edge")
        a = sum(k[i] * (p[i : i + s.n, :] if axis == 0 else p[:, i : i + s.n]) for i in range(9))
    return a


def median_filter(np, s):
    a = picture(np, s.n)
    p = np.pad(a, 1, mode="reflect")
    return np.median(np.stack([p[i : i + s.n, j : j + s.n] for i in range(3) for j in range(3)]), axis=0)


def equalize(np, s):
    a = picture(np, s.n)
    counts = np.zeros(256, dtype=int)
    for level in range(256):
        counts[level] = np.sum(a == level)
    total = np.cumsum(counts)
    low = total[total > 0][0]
    table = np.clip((total - low) * 255 // max(1, a.size - low), 0, 255).astype(np.uint8)
    return table[a], counts


def histogram_masks(np, s):
    x = np.random.default_rng(83).standard_normal(s.n)
    edges = np.linspace(-4, 4, s.bins + 1)
    counts = np.zeros(s.bins, dtype=int)
    means = np.zeros(s.bins)
    for i in range(s.bins):
        inside = (x >= edges[i]) & (x < edges[i + 1])
        counts[i] = inside.sum()
        if inside.any():
            means[i] = x[inside].mean()
    return counts, means


def dither(np, s):
    """Floyd and Steinberg's diffusion of the error, element by element."""
    a = picture(np, s.n).astype(float)
    for i in range(s.n - 1):
        for j in range(1, s.n - 1):
            old = a[i, j]
            new = 255.0 if old > 127 else 0.0
            a[i, j] = new
            e = old - new
            a[i, j + 1] += e * 7 / 16
            a[i + 1, j - 1] += e * 3 / 16
            a[i + 1, j] += e * 5 / 16
            a[i + 1, j + 1] += e * 1 / 16
    return a


ROWS = [
    Row("convolution", convolution_layer, {"batch": 2, "filters": 4, "n": 34}, {"batch": 1, "filters": 1, "n": 5}),
    exact("max pooling by loops", pooling, {"channels": 16, "n": 150}, {"channels": 2, "n": 6}),
    Row("Sobel", sobel, {"n": 400, "turns": 8}, {"n": 12, "turns": 2}),
    Row("Gaussian blur", blur, {"n": 600}, {"n": 12}),
    exact("median filter", median_filter, {"n": 120}, {"n": 8}),
    exact("equalized histogram", equalize, {"n": 600}, {"n": 12}),
    Row("histogram by masks", histogram_masks, {"n": 100_000, "bins": 100}, {"n": 60, "bins": 5}),
    Row("dithering by elements", dither, {"n": 100}, {"n": 7}),
]
