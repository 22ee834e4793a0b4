"""Cellular automata."""

from .rows import exact


def soup(np, n):
    return (np.random.default_rng(71).random((n, n)) < 0.3).astype(np.uint8)


def life_roll(np, s):
    a = soup(np, s.n)
    for _ in range(s.steps):
        around = sum(np.roll(np.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        a = ((around == 3) | ((a == 1) & (around == 2))).astype(np.uint8)
    return a


def life_slices(np, s):
    a = soup(np, s.n).astype(int)
    for _ in range(s.steps):
        n = a[:-2, :-2] + a[:-2, 1:-1] + a[:-2, 2:] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, :-2] + a[2:, 1:-1] + a[2:, 2:]
        birth = (n == 3) & (a[1:-1, 1:-1] == 0)
        stay = ((n == 2) | (n == 3)) & (a[1:-1, 1:-1] == 1)
        a[...] = 0
        a[1:-1, 1:-1][birth | stay] = 1
    return a


def life_statistics(np, s):
    """Alive cells, births and the tallest row, read in every generation."""
    a = soup(np, s.n).astype(bool)
    rows = []
    for _ in range(s.steps):
        p = np.pad(a.astype(int), 1, mode="wrap")
        n = sum(p[i : i + s.n, j : j + s.n] for i in range(3) for j in range(3)) - a
        new = (n == 3) | (a & (n == 2))
        rows.append([int(new.sum()), int((new & ~a).sum()), int(np.argmax(new.sum(axis=1)))])
        a = new
    return np.array(rows)


def rule30(np, s):
    rows = np.zeros((s.steps, s.n), dtype=np.uint8)
    rows[0, s.n // 2] = 1
    for t in range(1, s.steps):
        left, here, right = np.roll(rows[t - 1], 1), rows[t - 1], np.roll(rows[t - 1], -1)
        rows[t] = left ^ (here | right)
    return rows


def any_rule(np, s):
    table = np.array([int(b) for b in f"{110:08b}"[::-1]], dtype=np.uint8)
    cells = np.zeros(s.n, dtype=np.uint8)
    cells[-1] = 1
    history = [cells]
    for _ in range(s.steps):
        number = 4 * np.roll(cells, 1) + 2 * cells + np.roll(cells, -1)
        cells = table[number]
        history.append(cells)
    return np.array(history)


def sandpile(np, s):
    a = np.zeros((s.n, s.n), dtype=int)
    a[s.n // 2, s.n // 2] = s.grains
    while a.max() >= 4:
        over = a // 4
        a -= 4 * over
        a[1:] += over[:-1]
        a[:-1] += over[1:]
        a[:, 1:] += over[:, :-1]
        a[:, :-1] += over[:, 1:]
    return a


def forest_fire(np, s):
    rng = np.random.default_rng(72)
    a = np.ones((s.n, s.n), dtype=np.int8)
    a[s.n // 2, s.n // 2] = 2
    burning = []
    for _ in range(s.steps):
        fire = a == 2
        near = np.zeros_like(fire)
        near[1:] |= fire[:-1]
        near[:-1] |= fire[1:]
        near[:, 1:] |= fire[:, :-1]
        near[:, :-1] |= fire[:, 1:]
        catch = near & (a == 1) & (rng.random((s.n, s.n)) < 0.7)
        a[fire] = 0
        a[catch] = 2
        burning.append(np.count_nonzero(catch))
    return a, np.array(burning)


ROWS = [
    exact("life by roll", life_roll, {"n": 200, "steps": 30}, {"n": 9, "steps": 4}),
    exact("life by slices", life_slices, {"n": 200, "steps": 30}, {"n": 9, "steps": 4}),
    exact("statistics of life", life_statistics, {"n": 150, "steps": 40}, {"n": 9, "steps": 4}),
    exact("rule 30", rule30, {"n": 1_001, "steps": 1_000}, {"n": 15, "steps": 8}),
    exact("rule 110 by a table", any_rule, {"n": 1_000, "steps": 1_000}, {"n": 15, "steps": 8}),
    exact("sandpile", sandpile, {"n": 41, "grains": 3_000}, {"n": 9, "grains": 60}),
    exact("forest fire", forest_fire, {"n": 150, "steps": 120}, {"n": 9, "steps": 6}),
]
