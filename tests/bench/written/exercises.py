"""Exercises as notebooks of courses have them: loops that read values, lists of arrays, masks that grow."""

from .rows import Row, exact


def queens(np, s):
    """Ways to place queens, row by row: columns and diagonals that are taken are bools."""
    columns, rising, falling = np.zeros(s.n, dtype=bool), np.zeros(2 * s.n, dtype=bool), np.zeros(2 * s.n, dtype=bool)

    def place(row):
        if row == s.n:
            return 1
        ways, at = 0, np.arange(s.n)
        for c in np.flatnonzero(~(columns | rising[row + at] | falling[row - at])):
            columns[c] = rising[row + c] = falling[row - c] = True
            ways += place(row + 1)
            columns[c] = rising[row + c] = falling[row - c] = False
        return ways

    return np.array(place(0))


def queue(np, s):
    """Customers at a counter: who waits how long, and how many stand there when each comes."""
    rng = np.random.default_rng(121)
    comes = np.cumsum(rng.exponential(1.0, s.n))
    takes = rng.exponential(0.9, s.n)
    leaves, waits, standing = np.zeros(s.n), [], []
    for i in range(s.n):
        begins = max(comes[i], leaves[i - 1]) if i > 0 else comes[i]
        leaves[i] = begins + takes[i]
        waits.append(begins - comes[i])
        standing.append(np.sum(leaves[max(0, i - 20) : i] > comes[i]))
    return np.array(waits), np.array(standing), np.mean(waits)


def flood(np, s):
    """Regions of a picture of two colours, filled from a stack of places."""
    rng = np.random.default_rng(122)
    picture = rng.random((s.n, s.n)) < 0.6
    labels = np.zeros(picture.shape, dtype=int)
    label = 0
    for i, j in np.argwhere(picture):
        if labels[i, j]:
            continue
        label += 1
        stack = [(int(i), int(j))]
        labels[i, j] = label
        while stack:
            y, x = stack.pop()
            for p, q in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= p < s.n and 0 <= q < s.n and picture[p, q] and labels[p, q] == 0:
                    labels[p, q] = label
                    stack.append((p, q))
    return labels, np.bincount(labels.ravel())


def density(np, s):
    """DBSCAN: clusters grow from points with enough neighbours."""
    rng = np.random.default_rng(123)
    centres = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 3.0]])
    x = np.concatenate(
        [c + 0.4 * rng.standard_normal((s.each, 2)) for c in centres] + [4 * rng.random((s.each // 4, 2))]
    )
    near = [np.where(np.sqrt(((x - p) ** 2).sum(axis=1)) < s.radius)[0] for p in x]
    labels, cluster = np.full(len(x), -1), 0
    for i in range(len(x)):
        if labels[i] != -1 or len(near[i]) < s.least:
            continue
        labels[i] = cluster
        todo = near[i]
        while len(todo):
            fresh = todo[labels[todo] == -1]
            labels[fresh] = cluster
            grown = [near[k] for k in fresh if len(near[k]) >= s.least]
            todo = np.unique(np.concatenate(grown)) if grown else np.array([], dtype=int)
        cluster += 1
    return labels, np.array([np.sum(labels == k) for k in range(cluster)])


def radix(np, s):
    """Numbers in order, digit by digit, in buckets that are joined."""
    x = np.random.default_rng(124).integers(0, 16**4, s.n)
    for shift in range(0, 16, 4):
        digit = (x >> shift) & 15
        x = np.concatenate([x[digit == d] for d in range(16)])
    return x


def maze(np, s):
    """How far each place of a maze is from a corner: a front that moves in all directions at once."""
    free = np.random.default_rng(125).random((s.n, s.n)) < 0.75
    free[0, 0] = True
    far = np.full((s.n, s.n), -1)
    front, step = np.zeros((s.n, s.n), dtype=bool), 0
    front[0, 0] = True
    while front.any():
        far[front] = step
        step += 1
        beside = np.zeros_like(front)
        beside[1:] |= front[:-1]
        beside[:-1] |= front[1:]
        beside[:, 1:] |= front[:, :-1]
        beside[:, :-1] |= front[:, 1:]
        front = beside & free & (far < 0)
    return far


def stumps(np, s):
    """AdaBoost of thresholds."""
    rng = np.random.default_rng(126)
    x = rng.standard_normal((s.n, s.m))
    y = np.where(x[:, 0] * x[:, 1] + 0.3 * x[:, 2] > 0, 1, -1)
    w, total, chosen = np.ones(s.n) / s.n, np.zeros(s.n), []
    for _ in range(s.turns):
        best = (np.inf, 0, 0.0, 1)
        for j in range(s.m):
            for threshold in np.percentile(x[:, j], [10, 30, 50, 70, 90]):
                error = round(float(w[np.where(x[:, j] > threshold, 1, -1) != y].sum()), 9)  # of equal ones the first
                best = min(best, (error, j, float(threshold), 1), (1 - error, j, float(threshold), -1))
        error, j, threshold, sign = best
        alpha = 0.5 * np.log((1 - error) / max(error, 1e-10))
        says = sign * np.where(x[:, j] > threshold, 1, -1)
        w *= np.exp(-alpha * y * says)
        w /= w.sum()
        total += alpha * says
        chosen.append((j, threshold, alpha))
    return np.array(chosen), np.mean(np.sign(total) == y)


def binary_elimination(np, s):
    """The rank of a matrix of bits, and which rows made it."""
    a = np.random.default_rng(127).integers(0, 2, (s.n, s.m)).astype(np.uint8)
    rank, pivots = 0, []
    for c in range(s.m):
        below = np.nonzero(a[rank:, c])[0]
        if len(below) == 0:
            continue
        p = rank + below[0]
        if p != rank:
            a[[rank, p]] = a[[p, rank]]
        others = np.nonzero(a[:, c])[0]
        others = others[others != rank]
        a[others] ^= a[rank]
        pivots.append(c)
        rank += 1
        if rank == s.n:
            break
    return a, np.array(pivots)


def triangles(np, s):
    """Triangles drawn into a picture with depths, each where its box is."""
    rng = np.random.default_rng(128)
    picture, depth = np.zeros((s.n, s.n, 3)), np.full((s.n, s.n), np.inf)
    for _ in range(s.many):
        centre, z, colour = rng.random(2) * s.n, rng.random(), rng.random(3)
        a, b, c = centre + (rng.random((3, 2)) - 0.5) * s.size
        (x0, y0), (x1, y1) = np.floor(np.minimum(np.minimum(a, b), c)), np.ceil(np.maximum(np.maximum(a, b), c))
        x0, y0, x1, y1 = max(int(x0), 0), max(int(y0), 0), min(int(x1), s.n), min(int(y1), s.n)
        if x0 >= x1 or y0 >= y1:
            continue
        x, y = np.meshgrid(np.arange(x0, x1) + 0.5, np.arange(y0, y1) + 0.5)
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
        v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (z < depth[y0:y1, x0:x1])
        depth[y0:y1, x0:x1][inside] = z
        picture[y0:y1, x0:x1][inside] = colour
    return picture, np.isfinite(depth).sum()


def crossings(np, s):
    """A strategy on prices: bought where a short average crosses a long one, day by day."""
    steps = 0.01 * np.random.default_rng(129).standard_normal(s.n)
    price = 100 * np.exp(np.cumsum(steps))
    cash, held, worth, trades = 1000.0, 0.0, np.zeros(s.n), []
    for day in range(s.n):
        if day >= s.long:
            short, long = price[day - s.short : day].mean(), price[day - s.long : day].mean()
            if held == 0 and short > 1.001 * long:
                held, cash = cash / price[day], 0.0
                trades.append(day)
            elif held > 0 and short < 0.999 * long:
                cash, held = held * price[day], 0.0
                trades.append(day)
        worth[day] = cash + held * price[day]
    fall = 1 - worth / np.maximum.accumulate(worth)
    return worth, np.array(trades), fall.max(), np.argmax(fall)


ROWS = [
    exact("queens", queens, {"n": 7}, {"n": 4}),
    Row("queue at a counter", queue, {"n": 2_000}, {"n": 30}),
    exact("flood fill", flood, {"n": 60}, {"n": 7}),
    exact("DBSCAN", density, {"each": 250, "radius": 0.3, "least": 5}, {"each": 12, "radius": 0.6, "least": 3}),
    exact("radix sort by buckets", radix, {"n": 50_000}, {"n": 40}),
    exact("maze by a front", maze, {"n": 80}, {"n": 6}),
    Row("boosted stumps", stumps, {"n": 1_000, "m": 6, "turns": 20}, {"n": 30, "m": 3, "turns": 3}),
    exact("elimination of bits", binary_elimination, {"n": 200, "m": 260}, {"n": 6, "m": 8}),
    Row("triangles with depths", triangles, {"n": 200, "many": 300, "size": 40}, {"n": 12, "many": 6, "size": 8}),
    Row("averages that cross", crossings, {"n": 3_000, "short": 10, "long": 50}, {"n": 60, "short": 3, "long": 8}),
]
