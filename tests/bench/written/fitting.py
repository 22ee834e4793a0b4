"""Curves and clusters fitted to data."""

from .rows import Row


def polynomial(np, s):
    rng = np.random.default_rng(101)
    x = np.linspace(-1, 1, s.n)
    y = 1 - 2 * x + 0.5 * x**3 + 0.1 * rng.standard_normal(s.n)
    errors = []
    for degree in range(1, s.most):
        v = np.vander(x, degree + 1)
        c = np.linalg.solve(v.T @ v, v.T @ y)
        errors.append(np.sqrt(np.mean((v @ c - y) ** 2)))
    return np.array(errors), c, np.polyval(c, x)


def least_squares_loop(np, s):
    """Slope and intercept for many windows of a series."""
    y = np.cumsum(np.random.default_rng(102).standard_normal(s.n))
    t = np.arange(s.width, dtype=float)
    out = np.zeros((s.n - s.width, 2))
    for i in range(s.n - s.width):
        w = y[i : i + s.width]
        slope = ((t - t.mean()) * (w - w.mean())).sum() / ((t - t.mean()) ** 2).sum()
        out[i] = slope, w.mean() - slope * t.mean()
    return out


def k_means(np, s):
    rng = np.random.default_rng(103)
    x = rng.standard_normal((s.n, 2)) + rng.integers(0, s.k, (s.n, 1)) * 4
    centres = x[: s.k].copy()
    for _ in range(s.turns):
        d = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        label = d.argmin(axis=1)
        new = np.array([x[label == j].mean(axis=0) if (label == j).any() else centres[j] for j in range(s.k)])
        if np.allclose(new, centres):
            break
        centres = new
    return centres, label


def mixture(np, s):
    """Expectation and maximisation of Gaussians on a line."""
    rng = np.random.default_rng(104)
    x = np.concatenate([rng.normal(-2, 1, s.n), rng.normal(3, 0.5, s.n)])
    mean, deviation, weight = np.array([-1.0, 1.0]), np.ones(2), np.full(2, 0.5)
    history = []
    for _ in range(s.turns):
        density = weight * np.exp(-0.5 * ((x[:, None] - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
        total = density.sum(axis=1, keepdims=True)
        share = density / total
        count = share.sum(axis=0)
        mean = (share * x[:, None]).sum(axis=0) / count
        deviation = np.sqrt((share * (x[:, None] - mean) ** 2).sum(axis=0) / count)
        weight = count / len(x)
        history.append(np.log(total).sum())
    return mean, deviation, weight, np.array(history)


def levenberg(np, s):
    """A damped exponential fitted by Levenberg and Marquardt's steps."""
    t = np.linspace(0, 5, s.n)
    y = 3 * np.exp(-0.7 * t) + 0.5 + 0.01 * np.cos(40 * t)
    p, damping = np.array([1.0, -0.2, 0.0]), 1e-2

    def residual(p):
        return p[0] * np.exp(p[1] * t) + p[2] - y

    r = residual(p)
    for _ in range(s.turns):
        e = np.exp(p[1] * t)
        j = np.stack([e, p[0] * t * e, np.ones_like(t)], axis=1)
        h = j.T @ j
        step = np.linalg.solve(h + damping * np.diag(np.diag(h)), -j.T @ r)
        new = residual(p + step)
        if np.dot(new, new) < np.dot(r, r):
            p, r, damping = p + step, new, damping / 3
        else:
            damping *= 5
    return p


def principal(np, s):
    x = np.random.default_rng(105).standard_normal((s.n, s.m)) @ np.diag(np.arange(1.0, s.m + 1))
    x -= x.mean(axis=0)
    covariance = np.zeros((s.m, s.m))
    for i in range(s.m):
        for j in range(s.m):
            covariance[i, j] = np.sum(x[:, i] * x[:, j]) / (s.n - 1)
    values = np.linalg.eigvalsh(covariance)[::-1]
    return values, values / values.sum(), np.corrcoef(x.T)


def nearest_neighbours(np, s):
    rng = np.random.default_rng(106)
    x, label = rng.standard_normal((s.n, 4)), rng.integers(0, 3, s.n)
    guess = np.zeros(s.asked, dtype=int)
    for i in range(s.asked):
        d = np.sqrt(np.sum((x - x[i]) ** 2, axis=1))
        near = np.argsort(d)[1:6]
        guess[i] = np.argmax(np.bincount(label[near], minlength=3))
    return guess, np.mean(guess == label[: s.asked])


ROWS = [
    Row("polynomial fits", polynomial, {"n": 20_000, "most": 9}, {"n": 30, "most": 4}, rtol=1e-6, atol=1e-8),
    Row("windowed lines", least_squares_loop, {"n": 1_500, "width": 50}, {"n": 20, "width": 6}, atol=1e-9),
    Row("k-means", k_means, {"n": 5_000, "k": 5, "turns": 20}, {"n": 40, "k": 2, "turns": 4}),
    Row("mixture of Gaussians", mixture, {"n": 10_000, "turns": 30}, {"n": 20, "turns": 3}, rtol=1e-8),
    Row("Levenberg-Marquardt", levenberg, {"n": 2_000, "turns": 60}, {"n": 30, "turns": 5}, rtol=1e-6),
    Row("covariance by loops", principal, {"n": 2_000, "m": 30}, {"n": 20, "m": 3}, rtol=1e-8, atol=1e-9),
    Row("nearest neighbours", nearest_neighbours, {"n": 2_000, "asked": 200}, {"n": 30, "asked": 4}),
]
