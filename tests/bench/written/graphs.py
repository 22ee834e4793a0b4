"""Graphs and sparse matrices."""

from .rows import Row, exact


def sparse(np, n, each):
    """A matrix of n rows with each entries a row: values, columns, and where rows begin."""
    rng = np.random.default_rng(31)
    return rng.random(n * each), rng.integers(0, n, n * each), np.arange(0, n * each + 1, each)


def csr_rows(np, s):
    data, columns, start = sparse(np, s.n, s.each)
    x = np.linspace(0.0, 1.0, s.n)
    y = np.zeros(s.n)
    for i in range(s.n):
        y[i] = np.dot(data[start[i] : start[i + 1]], x[columns[start[i] : start[i + 1]]])
    return y


def csr_elements(np, s):
    data, columns, start = sparse(np, s.n, s.each)
    x = np.linspace(0.0, 1.0, s.n)
    y = np.zeros(s.n)
    for i in range(s.n):
        for k in range(start[i], start[i + 1]):
            y[i] += data[k] * x[columns[k]]
    return y


def csr_sums(np, s):
    data, columns, start = sparse(np, s.n, s.each)
    x = np.ones(s.n)
    for _ in range(s.turns):
        x = np.add.reduceat(data * x[columns], start[:-1])
        x /= np.abs(x).max()
    return x


def pagerank(np, s):
    rng = np.random.default_rng(32)
    links = (rng.random((s.n, s.n)) < 0.02).astype(float)
    out = links.sum(axis=0)
    out[out == 0] = 1
    m = links / out
    rank = np.ones(s.n) / s.n
    for _ in range(100):
        new = 0.85 * (m @ rank) + 0.15 / s.n
        change = np.abs(new - rank).sum()
        rank = new
        if change < 1e-10:
            break
    return rank, np.argsort(rank)[::-1][:5]


def floyd_warshall(np, s):
    d = np.random.default_rng(33).uniform(1, 10, (s.n, s.n))
    np.fill_diagonal(d, 0)
    for k in range(s.n):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def dijkstra(np, s):
    w = np.random.default_rng(34).integers(1, 100, (s.n, s.n))
    distance = np.full(s.n, 10**9)
    done = np.zeros(s.n, dtype=bool)
    distance[0] = 0
    for _ in range(s.n):
        u = np.argmin(np.where(done, 10**9, distance))
        done[u] = True
        distance = np.minimum(distance, distance[u] + w[u])
    return distance


def breadth_first(np, s):
    rng = np.random.default_rng(35)
    a = rng.random((s.n, s.n)) < 3.0 / s.n
    level = np.full(s.n, -1)
    frontier = np.array([0])
    depth = 0
    while frontier.size:
        level[frontier] = depth
        reached = a[frontier].any(axis=0)
        frontier = np.where(reached & (level < 0))[0]
        depth += 1
    return level


def components(np, s):
    """Labels of connected parts, by passing the smaller one on."""
    rng = np.random.default_rng(36)
    one, other = rng.integers(0, s.n, s.edges), rng.integers(0, s.n, s.edges)
    label = np.arange(s.n)
    while True:
        before = label.copy()
        low = np.minimum(label[one], label[other])
        np.minimum.at(label, one, low)
        np.minimum.at(label, other, low)
        if np.array_equal(before, label):
            return label


def viterbi(np, s):
    rng = np.random.default_rng(37)
    move, emit = np.log(rng.random((s.k, s.k))), np.log(rng.random((s.k, 6)))
    seen = rng.integers(0, 6, s.n)
    score = np.zeros((s.n, s.k))
    back = np.zeros((s.n, s.k), dtype=int)
    score[0] = emit[:, seen[0]]
    for t in range(1, s.n):
        total = score[t - 1][:, None] + move
        back[t] = np.argmax(total, axis=0)
        score[t] = np.max(total, axis=0) + emit[:, seen[t]]
    path = np.zeros(s.n, dtype=int)
    path[-1] = np.argmax(score[-1])
    for t in range(s.n - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score[-1]


def forward(np, s):
    rng = np.random.default_rng(38)
    move, emit = rng.random((s.k, s.k)), rng.random((s.k, 6))
    move /= move.sum(axis=1, keepdims=True)
    emit /= emit.sum(axis=1, keepdims=True)
    seen = rng.integers(0, 6, s.n)
    alpha = np.full(s.k, 1.0 / s.k) * emit[:, seen[0]]
    likelihood = 0.0
    for t in range(1, s.n):
        alpha = (alpha @ move) * emit[:, seen[t]]
        scale = alpha.sum()
        likelihood += np.log(scale)
        alpha /= scale
    return likelihood, alpha


ROWS = [
    Row("sparse product by rows", csr_rows, {"n": 5_000, "each": 10}, {"n": 20, "each": 3}),
    Row("sparse product by elements", csr_elements, {"n": 3_000, "each": 8}, {"n": 12, "each": 3}),
    Row("sparse product, reduceat", csr_sums, {"n": 20_000, "each": 10, "turns": 10}, {"n": 12, "each": 3, "turns": 3}),
    Row("PageRank", pagerank, {"n": 700}, {"n": 40}),
    Row("Floyd-Warshall", floyd_warshall, {"n": 200}, {"n": 9}),
    exact("Dijkstra on a matrix", dijkstra, {"n": 600}, {"n": 9}),
    exact("breadth-first search", breadth_first, {"n": 2_000}, {"n": 40}),
    exact("connected parts", components, {"n": 20_000, "edges": 20_000}, {"n": 20, "edges": 14}),
    Row("Viterbi", viterbi, {"n": 2_000, "k": 20}, {"n": 12, "k": 3}),
    Row("forward algorithm", forward, {"n": 2_000, "k": 20}, {"n": 12, "k": 3}),
]
