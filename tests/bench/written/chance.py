"""Random numbers: every generator is seeded, so that both sides draw the same."""

from .rows import Row, exact


def pi(np, s):
    rng = np.random.default_rng(91)
    inside = 0
    for _ in range(s.batches):
        x, y = rng.random(s.n), rng.random(s.n)
        inside += np.sum(x * x + y * y < 1)
    return 4.0 * inside / (s.n * s.batches)


def pi_scalars(np, s):
    rng = np.random.default_rng(92)
    inside = 0
    for _ in range(s.n):
        if rng.random() ** 2 + rng.random() ** 2 < 1:
            inside += 1
    return 4 * inside / s.n


def option(np, s):
    """An Asian option: the mean of each path, priced over paths."""
    rng = np.random.default_rng(93)
    price = np.full(s.paths, 100.0)
    total = np.zeros(s.paths)
    for _ in range(s.steps):
        price = price * np.exp(-0.0001 + 0.02 * rng.standard_normal(s.paths))
        total += price
    gain = np.maximum(total / s.steps - 100, 0)
    return gain.mean(), gain.std() / np.sqrt(s.paths)


def metropolis(np, s):
    rng = np.random.default_rng(94)
    x, taken = 0.0, 0
    chain = np.zeros(s.n)
    for i in range(s.n):
        y = x + rng.normal(0, 1)
        if np.log(rng.random()) < (x**2 - y**2) / 2:
            x = y
            taken += 1
        chain[i] = x
    return chain, taken / s.n


def ising(np, s):
    rng = np.random.default_rng(95)
    a = np.where(rng.random((s.n, s.n)) < 0.5, 1, -1)
    for _ in range(s.flips):
        i, j = rng.integers(0, s.n, 2)
        around = a[(i + 1) % s.n, j] + a[i - 1, j] + a[i, (j + 1) % s.n] + a[i, j - 1]
        change = 2 * a[i, j] * around
        if change <= 0 or rng.random() < np.exp(-0.6 * change):
            a[i, j] *= -1
    return a, abs(int(a.sum()))


def walks(np, s):
    rng = np.random.default_rng(96)
    steps = rng.choice([-1, 1], size=(s.walkers, s.steps))
    place = np.cumsum(steps, axis=1)
    crossed = (np.abs(place) >= s.far).any(axis=1)
    first = np.abs(place[crossed]).argmax(axis=1)
    return place[:, -1], crossed.sum(), first


def bootstrap(np, s):
    rng = np.random.default_rng(97)
    data = rng.exponential(size=s.n)
    means = np.zeros(s.turns)
    for i in range(s.turns):
        means[i] = data[rng.integers(0, s.n, s.n)].mean()
    return np.percentile(means, [2.5, 50, 97.5]), means


def annealing(np, s):
    """A round trip through points: a piece is turned around where that helps, or by chance."""
    rng = np.random.default_rng(98)
    p = rng.random((s.n, 2))
    d = np.sqrt(((p[:, None] - p[None]) ** 2).sum(axis=2))
    tour = np.arange(s.n)
    heat = 0.5
    for _ in range(s.turns):
        i, j = np.sort(rng.integers(1, s.n, 2))
        if i == j:
            continue
        a, b, c, e = tour[i - 1], tour[i], tour[j], tour[(j + 1) % s.n]
        change = d[a, c] + d[b, e] - d[a, b] - d[c, e]
        if change < 0 or rng.random() < np.exp(-change / heat):
            tour[i : j + 1] = tour[i : j + 1][::-1]
        heat *= 0.999
    return tour, d[tour, np.roll(tour, -1)].sum()


ROWS = [
    exact("Monte Carlo pi", pi, {"n": 20_000, "batches": 50}, {"n": 40, "batches": 3}),
    exact("Monte Carlo pi by scalars", pi_scalars, {"n": 50_000}, {"n": 40}),
    Row("Monte Carlo option", option, {"paths": 10_000, "steps": 60}, {"paths": 12, "steps": 5}),
    Row("Metropolis sampling", metropolis, {"n": 15_000}, {"n": 30}),
    exact("Ising model", ising, {"n": 32, "flips": 5_000}, {"n": 5, "flips": 20}),
    exact("random walks", walks, {"walkers": 1_000, "steps": 1_000, "far": 30}, {"walkers": 6, "steps": 20, "far": 4}),
    Row("bootstrap", bootstrap, {"n": 500, "turns": 2_000}, {"n": 12, "turns": 5}),
    Row("annealed round trip", annealing, {"n": 60, "turns": 4_000}, {"n": 8, "turns": 20}),
]
