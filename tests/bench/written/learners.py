"""Machines that learn, from scratch."""

from .rows import Row


def logistic(np, s):
    rng = np.random.default_rng(111)
    x = np.hstack([np.ones((s.n, 1)), rng.standard_normal((s.n, s.m))])
    y = (x @ np.linspace(-1, 1, s.m + 1) + rng.standard_normal(s.n) > 0).astype(float)
    w = np.zeros(s.m + 1)
    losses = []
    for _ in range(s.turns):
        p = 1 / (1 + np.exp(-x @ w))
        losses.append(-np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
        w -= 0.5 * x.T @ (p - y) / s.n
    return w, np.array(losses)


def network(np, s):
    """Two layers, minibatches, backward by hand."""
    rng = np.random.default_rng(112)
    x = rng.standard_normal((s.n, 8))
    y = np.sin(x[:, :1]) + x[:, 1:2] ** 2
    w1, b1 = 0.3 * rng.standard_normal((8, s.hidden)), np.zeros(s.hidden)
    w2, b2 = 0.3 * rng.standard_normal((s.hidden, 1)), np.zeros(1)
    for _ in range(s.epochs):
        for start in range(0, s.n, 32):
            a, t = x[start : start + 32], y[start : start + 32]
            h = np.tanh(a @ w1 + b1)
            out = h @ w2 + b2
            d = 2 * (out - t) / len(a)
            dw2, db2 = h.T @ d, d.sum(axis=0)
            dh = d @ w2.T * (1 - h**2)
            w2 -= 0.05 * dw2
            b2 -= 0.05 * db2
            w1 -= 0.05 * a.T @ dh
            b1 -= 0.05 * dh.sum(axis=0)
    return w1, b1, w2, np.mean((np.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)


def xor(np, s):
    """The smallest network, on four rows."""
    x, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0], [1], [1], [0]])
    rng = np.random.default_rng(113)
    a, b = 2 * rng.random((2, 4)) - 1, 2 * rng.random((4, 1)) - 1
    for _ in range(s.turns):
        h = 1 / (1 + np.exp(-np.dot(x, a)))
        o = 1 / (1 + np.exp(-np.dot(h, b)))
        do = (y - o) * (o * (1 - o))
        dh = do.dot(b.T) * (h * (1 - h))
        b += h.T.dot(do)
        a += x.T.dot(dh)
    return o, a, b


def perceptron(np, s):
    rng = np.random.default_rng(114)
    x = rng.standard_normal((s.n, 2))
    y = np.where(x[:, 0] + 2 * x[:, 1] > 0.3, 1, -1)
    w, b = np.zeros(2), 0.0
    for _ in range(s.epochs):
        wrong = 0
        for i in range(s.n):
            if y[i] * (np.dot(w, x[i]) + b) <= 0:
                w += y[i] * x[i]
                b += y[i]
                wrong += 1
        if wrong == 0:
            break
    return w, b


def q_learning(np, s):
    """A walk on a line with a prize at its end; a table of values."""
    rng = np.random.default_rng(115)
    q = np.zeros((s.n, 2))
    for _ in range(s.episodes):
        place = 0
        for _ in range(s.most):
            if rng.random() < 0.2 or q[place, 0] == q[place, 1]:
                act = int(rng.integers(0, 2))
            else:
                act = int(np.argmax(q[place]))
            new = min(s.n - 1, place + 1) if act else max(0, place - 1)
            reward = 1.0 if new == s.n - 1 else 0.0
            q[place, act] += 0.5 * (reward + 0.9 * np.max(q[new]) - q[place, act])
            place = new
            if reward:
                break
    return q


def recurrent(np, s):
    """A recurrent layer, forward in time, with a softmax on each step."""
    rng = np.random.default_rng(116)
    wx, wh, wy = (0.1 * rng.standard_normal(shape) for shape in ((s.k, s.h), (s.h, s.h), (s.h, s.k)))
    marks = rng.integers(0, s.k, s.n + 1)
    h, loss = np.zeros(s.h), 0.0
    for t in range(s.n):
        x = np.zeros(s.k)
        x[marks[t]] = 1
        h = np.tanh(x @ wx + h @ wh)
        o = h @ wy
        p = np.exp(o - o.max())
        p /= p.sum()
        loss -= np.log(p[marks[t + 1]])
    return loss, h


def attention(np, s):
    rng = np.random.default_rng(117)
    x = rng.standard_normal((s.n, s.d))
    for _ in range(s.layers):
        q, k, v = (x @ (rng.standard_normal((s.d, s.d)) / np.sqrt(s.d)) for _ in range(3))
        a = q @ k.T / np.sqrt(s.d)
        a = np.where(np.tril(np.ones((s.n, s.n))) == 1, a, -1e9)
        a = np.exp(a - a.max(axis=-1, keepdims=True))
        a /= a.sum(axis=-1, keepdims=True)
        x = x + a @ v
        x = (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 1e-5)
    return x


ROWS = [
    Row("logistic regression", logistic, {"n": 2_000, "m": 20, "turns": 150}, {"n": 20, "m": 3, "turns": 4}),
    Row("neural net", network, {"n": 640, "hidden": 16, "epochs": 25}, {"n": 64, "hidden": 4, "epochs": 2}, rtol=1e-7),
    Row("xor net", xor, {"turns": 1_500}, {"turns": 5}, rtol=1e-6),
    Row("perceptron", perceptron, {"n": 1_000, "epochs": 20}, {"n": 15, "epochs": 3}),
    Row("Q-learning", q_learning, {"n": 12, "episodes": 60, "most": 60}, {"n": 4, "episodes": 3, "most": 9}),
    Row("recurrent layer", recurrent, {"k": 30, "h": 64, "n": 800}, {"k": 4, "h": 5, "n": 6}),
    Row("attention", attention, {"n": 128, "d": 64, "layers": 6}, {"n": 8, "d": 4, "layers": 2}, atol=1e-9),
]
