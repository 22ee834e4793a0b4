"""Ordinary differential equations of a few unknowns, and quadrature."""

from .rows import Row


def rk4_oscillator(np, s):
    def f(y):
        return np.array([y[1], -y[0]])

    y, h = np.array([1.0, 0.0]), 0.01
    path = np.zeros((s.steps, 2))
    for i in range(s.steps):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.5 * h * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[i] = y
    return path


def lorenz_euler(np, s):
    p = np.zeros((s.steps + 1, 3))
    p[0] = 1.0, 1.0, 1.05
    for i in range(s.steps):
        x, y, z = p[i]
        p[i + 1] = p[i] + np.array([10 * (y - x), 28 * x - y - x * z, x * y - 2.667 * z]) * 0.001
    return p


def rk45(np, s):
    """Fehlberg's pair with steps by an error estimate, on van der Pol's oscillator."""

    def f(t, y):
        return np.array([y[1], 2.0 * (1 - y[0] ** 2) * y[1] - y[0]])

    t, y, h = 0.0, np.array([2.0, 0.0]), 0.01
    times, values = [t], [y]
    while t < s.end:
        h = min(h, s.end - t)
        k1 = h * f(t, y)
        k2 = h * f(t + h / 4, y + k1 / 4)
        k3 = h * f(t + 3 * h / 8, y + 3 * k1 / 32 + 9 * k2 / 32)
        k4 = h * f(t + 12 * h / 13, y + 1932 * k1 / 2197 - 7200 * k2 / 2197 + 7296 * k3 / 2197)
        k5 = h * f(t + h, y + 439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104)
        k6 = h * f(t + h / 2, y - 8 * k1 / 27 + 2 * k2 - 3544 * k3 / 2565 + 1859 * k4 / 4104 - 11 * k5 / 40)
        error = np.max(np.abs(k1 / 360 - 128 * k3 / 4275 - 2197 * k4 / 75240 + k5 / 50 + 2 * k6 / 55))
        if error < 1e-8:
            t += h
            y = y + 25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5
            times.append(t)
            values.append(y)
        h *= min(4.0, max(0.1, 0.84 * (1e-8 / max(error, 1e-20)) ** 0.25))
    return np.array(times), np.array(values)


def pendulum(np, s):
    """Two coupled angles, by symplectic Euler on float64 scalars."""
    a = np.array([1.0, 0.5])
    v = np.zeros(2)
    energy = np.zeros(s.steps)
    for i in range(s.steps):
        force = -np.sin(a) - 0.3 * (a - a[::-1])
        v += 0.01 * force
        a += 0.01 * v
        energy[i] = 0.5 * np.dot(v, v) + np.sum(1 - np.cos(a)) + 0.15 * (a[0] - a[1]) ** 2
    return energy, a


def predators(np, s):
    n, p = np.empty(s.steps), np.empty(s.steps)
    n[0], p[0] = 10.0, 5.0
    for i in range(s.steps - 1):
        n[i + 1] = n[i] + 0.001 * (1.1 * n[i] - 0.4 * n[i] * p[i])
        p[i + 1] = p[i] + 0.001 * (0.1 * n[i] * p[i] - 0.4 * p[i])
    return n, p


def reactions(np, s):
    """Backward Euler with Newton's method on Robertson's stiff reactions."""
    y = np.array([1.0, 0.0, 0.0])
    h = 1e-3
    path = []
    for _ in range(s.steps):
        z = y.copy()
        for _ in range(10):
            a, b, c = z
            f = np.array([-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b])
            j = np.array([[-0.04, 1e4 * c, 1e4 * b], [0.04, -1e4 * c - 6e7 * b, -1e4 * b], [0, 6e7 * b, 0]])
            d = np.linalg.solve(np.eye(3) - h * j, y + h * f - z)
            z += d
            if np.abs(d).max() < 1e-12:
                break
        y = z
        h *= 1.01
        path.append(y)
    return np.array(path)


def quaternions(np, s):
    """A vector turned by quaternions, one small turn after the other."""

    def times(p, q):
        a, b, c, d = p
        e, f, g, h = q
        return np.array([
            a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e,
        ])  # fmt: skip

    q = np.array([1.0, 0.0, 0.0, 0.0])
    turn = np.array([np.cos(0.01), np.sin(0.01) * 0.6, np.sin(0.01) * 0.8, 0.0])
    v = np.array([0.0, 1.0, 2.0, 3.0])
    path = np.zeros((s.steps, 3))
    for i in range(s.steps):
        q = times(turn, q)
        q /= np.linalg.norm(q)
        path[i] = times(times(q, v), q * np.array([1, -1, -1, -1]))[1:]
    return path


def quadrature(np, s):
    """Simpson's rule refined until two results agree, and Romberg's table."""

    def f(x):
        return np.exp(-x * x) * np.cos(3 * x)

    old, n = 0.0, 4
    while True:
        x = np.linspace(0.0, 2.0, n + 1)
        y = f(x)
        new = (2.0 / n) / 3 * (y[0] + y[-1] + 4 * np.sum(y[1:-1:2]) + 2 * np.sum(y[2:-1:2]))
        if n >= s.most or (n > 64 and abs(new - old) < 1e-17):
            break
        old, n = new, 2 * n
    r = np.zeros((s.rows, s.rows))
    for i in range(s.rows):
        y = f(np.linspace(0.0, 2.0, 2**i + 1))
        r[i, 0] = (2.0 / 2**i) * (y.sum() - 0.5 * (y[0] + y[-1]))
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
    return new, r


ROWS = [
    Row("RK4 of an oscillator", rk4_oscillator, {"steps": 2_000}, {"steps": 8}),
    Row("Lorenz by Euler", lorenz_euler, {"steps": 10_000}, {"steps": 12}, rtol=1e-6),
    Row("RK45 with steps by error", rk45, {"end": 20.0}, {"end": 0.3}, rtol=1e-5, atol=1e-7),
    Row("coupled pendulums", pendulum, {"steps": 4_000}, {"steps": 9}),
    Row("predators and prey", predators, {"steps": 30_000}, {"steps": 20}),
    Row("stiff reactions", reactions, {"steps": 400}, {"steps": 4}, rtol=1e-8),
    Row("quaternions", quaternions, {"steps": 2_000}, {"steps": 6}),
    Row("Simpson and Romberg", quadrature, {"most": 1 << 18, "rows": 17}, {"most": 128, "rows": 5}, atol=1e-11),
]
