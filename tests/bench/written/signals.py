"""Recurrences, filters, transforms, interpolation."""

from .rows import Row


def decay(np, s):
    """z[i] = z[i-1]*.5 + 1, element by element."""
    z = np.zeros(s.n)
    for i in range(1, s.n):
        z[i] = z[i - 1] * 0.5 + 1
    return z


def smoothing(np, s):
    """Exponential smoothing of many series along the first axis."""
    x = np.random.default_rng(41).standard_normal((s.n, s.m))
    y = np.empty_like(x)
    y[0] = x[0]
    for t in range(1, s.n):
        y[t] = 0.3 * x[t] + 0.7 * y[t - 1]
    return y


def biquad(np, s):
    """A filter of the second order along an axis, in direct form."""
    x = np.random.default_rng(42).standard_normal((s.m, s.n))
    y = np.zeros_like(x)
    for i in range(2, s.n):
        y[:, i] = 0.1 * x[:, i] + 0.2 * x[:, i - 1] + 0.1 * x[:, i - 2] + 1.1 * y[:, i - 1] - 0.5 * y[:, i - 2]
    return y


def moving_average(np, s):
    x = np.random.default_rng(43).random(s.n)
    total = np.cumsum(np.insert(x, 0, 0.0))
    fast = (total[s.width :] - total[: -s.width]) / s.width
    slow = np.array([x[i : i + s.width].mean() for i in range(s.few)])
    weights = np.convolve(x, np.ones(s.width) / s.width, mode="valid")
    return fast, slow, weights


def low_pass(np, s):
    t = np.linspace(0.0, 1.0, s.n, endpoint=False)
    x = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 120 * t)
    for cut in range(20, 20 + s.cuts):
        f = np.fft.fft(x)
        k = np.fft.fftfreq(s.n, 1.0 / s.n)
        f[np.abs(k) > cut] = 0
        y = np.real(np.fft.ifft(f))
    return y, np.abs(f)[: s.n // 2]


def own_fft(np, s):
    """Cooley and Tukey's recursion."""

    def transform(x):
        n = len(x)
        if n <= 8:
            k = np.arange(n)
            return np.exp(-2j * np.pi * np.outer(k, k) / n) @ x
        even, odd = transform(x[::2]), transform(x[1::2])
        turn = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turn, even - turn])

    return transform(np.random.default_rng(44).random(s.n))


def spectrogram(np, s):
    x = np.sin(np.linspace(0, 1000, s.n) ** 1.5)
    window = np.hanning(256)
    rows = []
    for start in range(0, s.n - 256, 64):
        rows.append(np.abs(np.fft.rfft(x[start : start + 256] * window)) ** 2)
    return np.array(rows).T


def spectral_derivative(np, s):
    """The inviscid part of Burgers' equation, with derivatives in wave numbers."""
    x = 2 * np.pi * np.arange(s.n) / s.n
    k = np.fft.fftfreq(s.n, 1.0 / s.n) * 1j
    u = np.sin(x)
    for _ in range(s.steps):
        ux = np.real(np.fft.ifft(k * np.fft.fft(u)))
        uxx = np.real(np.fft.ifft(k**2 * np.fft.fft(u)))
        u = u + 1e-4 * (0.05 * uxx - u * ux)
    return u


def runge(np, s):
    """Lagrange's interpolation at equal steps and at Chebyshev's points."""
    t = np.linspace(-1.0, 1.0, s.n)
    results = []
    for nodes in (np.linspace(-1, 1, 15), np.cos(np.pi * (2 * np.arange(15) + 1) / 30)):
        f = 1 / (1 + 25 * nodes**2)
        p = np.zeros_like(t)
        for i in range(15):
            basis = np.ones_like(t)
            for j in range(15):
                if i != j:
                    basis *= (t - nodes[j]) / (nodes[i] - nodes[j])
            p += f[i] * basis
        results.append(np.max(np.abs(p - 1 / (1 + 25 * t**2))))
    return np.array(results), p


def spline(np, s):
    """A natural cubic spline by Thomas's algorithm, evaluated by a search."""
    n = s.n
    x = np.linspace(0.0, 10.0, n + 1)
    y, h = np.sin(x), np.diff(np.linspace(0.0, 10.0, n + 1))
    c, d = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(1, n):
        right = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
        m = 2 * (h[i - 1] + h[i]) - h[i - 1] * c[i - 1]
        c[i] = h[i] / m
        d[i] = (right - h[i - 1] * d[i - 1]) / m
    k = np.zeros(n + 1)
    for i in range(n - 1, 0, -1):
        k[i] = d[i] - c[i] * k[i + 1]
    t = np.linspace(0.0, 10.0, s.points)
    i = np.clip(np.searchsorted(x, t) - 1, 0, n - 1)
    a, b = x[i + 1] - t, t - x[i]
    return (k[i] * a**3 + k[i + 1] * b**3) / (6 * h[i]) + (y[i] / h[i] - k[i] * h[i] / 6) * a + (
        y[i + 1] / h[i] - k[i + 1] * h[i] / 6
    ) * b


def autocorrelation(np, s):
    x = np.random.default_rng(45).standard_normal(s.n)
    x = x - x.mean()
    return np.array([np.sum(x[: s.n - lag] * x[lag:]) for lag in range(s.lags)]) / np.sum(x * x)


def kalman(np, s):
    a = np.array([[1.0, 0.1], [0.0, 1.0]])
    h, q, r = np.array([[1.0, 0.0]]), 0.01 * np.eye(2), np.array([[0.5]])
    x, p = np.zeros((2, 1)), np.eye(2)
    measured = np.cumsum(np.random.default_rng(46).standard_normal(s.n))
    track = np.zeros((s.n, 2))
    for t in range(s.n):
        x = a @ x
        p = a @ p @ a.T + q
        gain = p @ h.T @ np.linalg.inv(h @ p @ h.T + r)
        x = x + gain @ (measured[t] - h @ x)
        p = (np.eye(2) - gain @ h) @ p
        track[t] = x[:, 0]
    return track, p


ROWS = [
    Row("z[i] = z[i-1]*.5 + 1", decay, {"n": 100_000}, {"n": 30}),
    Row("exponential smoothing", smoothing, {"n": 4_000, "m": 200}, {"n": 12, "m": 3}),
    Row("filter along an axis", biquad, {"m": 200, "n": 1_500}, {"m": 3, "n": 12}),
    Row("moving averages", moving_average, {"n": 200_000, "width": 50, "few": 3_000}, {"n": 60, "width": 5, "few": 9}),
    Row("low pass by FFT", low_pass, {"n": 32_768, "cuts": 10}, {"n": 512, "cuts": 2}, atol=1e-8),
    Row("FFT by recursion", own_fft, {"n": 8_192}, {"n": 64}, atol=1e-9),
    Row("spectrogram", spectrogram, {"n": 80_000}, {"n": 1_000}, atol=1e-9),
    Row("spectral derivative", spectral_derivative, {"n": 1_024, "steps": 200}, {"n": 32, "steps": 4}, atol=1e-10),
    Row("Runge's phenomenon", runge, {"n": 20_000}, {"n": 30}, rtol=1e-7, atol=1e-10),
    Row("cubic spline", spline, {"n": 5_000, "points": 100_000}, {"n": 12, "points": 30}),
    Row("autocorrelation", autocorrelation, {"n": 10_000, "lags": 1_000}, {"n": 60, "lags": 9}, atol=1e-11),
    Row("Kalman filter", kalman, {"n": 1_500}, {"n": 8}),
]
