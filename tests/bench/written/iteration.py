"""Equations solved by repetition until a test says that it is enough."""

from .rows import Row


def gauss_seidel(np, s):
    """Element by element, on a square with one warm side."""
    u = np.zeros((s.n, s.n))
    u[0] = 1.0
    for _ in range(s.sweeps):
        for i in range(1, s.n - 1):
            for j in range(1, s.n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def red_black(np, s):
    u = np.zeros((s.n, s.n))
    u[0] = 1.0
    for _ in range(s.sweeps):
        for colour in (0, 1):
            for first in (1, 2):
                j = 1 + (first + colour) % 2
                u[first:-1:2, j:-1:2] = 0.25 * (
                    u[first - 1 : -2 : 2, j:-1:2]
                    + u[first + 1 :: 2, j:-1:2][: len(u[first:-1:2])]
                    + u[first:-1:2, j - 1 : -2 : 2]
                    + u[first:-1:2, j + 1 :: 2]
                )
    return u


def jacobi(np, s):
    rng = np.random.default_rng(11)
    a = rng.random((s.n, s.n)) + s.n * np.eye(s.n)
    b, x = rng.random(s.n), np.zeros(s.n)
    d = np.diag(a)
    r = a - np.diagflat(d)
    for _ in range(1000):
        new = (b - r @ x) / d
        if np.linalg.norm(new - x) < 1e-12:
            break
        x = new
    return x


def conjugate_gradients(np, s):
    """On the five-point Laplacian, applied by slices."""

    def laplacian(u):
        v = 4 * u
        v[1:] -= u[:-1]
        v[:-1] -= u[1:]
        v[:, 1:] -= u[:, :-1]
        v[:, :-1] -= u[:, 1:]
        return v

    b = np.ones((s.n, s.n))
    x = np.zeros_like(b)
    r = b - laplacian(x)
    p = r.copy()
    rr = np.sum(r * r)
    for _ in range(s.most):
        ap = laplacian(p)
        alpha = rr / np.sum(p * ap)
        x += alpha * p
        r -= alpha * ap
        new = np.sum(r * r)
        if np.sqrt(new) < 1e-8:
            break
        p = r + (new / rr) * p
        rr = new
    return x


def newton(np, s):
    """Roots of x - e sin(x) = m, Kepler's equation, all at once until the last has settled."""
    m = np.linspace(0.0, 2 * np.pi, s.n)
    x = m.copy()
    for _ in range(50):
        step = (x - 0.8 * np.sin(x) - m) / (1 - 0.8 * np.cos(x))
        x -= step
        if np.max(np.abs(step)) < 1e-12:
            break
    return x


def newton_system(np, s):
    """A circle and a hyperbola, for many right-hand sides one after the other."""
    out = np.zeros((s.n, 2))
    for k in range(s.n):
        x = np.array([2.0, 0.5])
        for _ in range(20):
            f = np.array([x[0] ** 2 + x[1] ** 2 - 4 - 0.01 * k, x[0] * x[1] - 1])
            j = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
            d = np.linalg.solve(j, -f)
            x = x + d
            if np.linalg.norm(d) < 1e-12:
                break
        out[k] = x
    return out


def bisection(np, s):
    low, high = np.zeros(s.n), np.full(s.n, 4.0)
    target = np.linspace(0.1, 15.0, s.n)
    while np.any(high - low > 1e-10):
        middle = 0.5 * (low + high)
        below = middle * middle < target
        low = np.where(below, middle, low)
        high = np.where(below, high, middle)
    return low


def bisection_scalar(np, s):
    out = []
    for k in range(s.n):
        a, b = np.float64(0.0), np.float64(3.0)
        while b - a > 1e-10:
            c = (a + b) / 2
            if np.cos(c) - c * k / s.n > 0:
                a = c
            else:
                b = c
        out.append(a)
    return np.array(out)


def power(np, s):
    a = np.random.default_rng(12).random((s.n, s.n))
    v = np.ones(s.n)
    value = 0.0
    for _ in range(200):
        w = a @ v
        new = np.linalg.norm(w)
        v = w / new
        if abs(new - value) < 1e-13 * new:
            break
        value = new
    return value, v


def gradient_descent(np, s):
    """Rosenbrock's valley, in scalars of an array of two."""
    x = np.array([-1.2, 1.0])
    for _ in range(s.steps):
        g = np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])
        x = x - 1e-3 * g
    return x


def multigrid(np, s):
    """V-cycles in one dimension."""

    def smooth(u, f, h, times):
        for _ in range(times):
            u[1:-1] = u[1:-1] + 0.6667 * (0.5 * (u[:-2] + u[2:] + h * h * f[1:-1]) - u[1:-1])
        return u

    def cycle(u, f, h):
        if len(u) <= 3:
            u[1] = 0.5 * h * h * f[1]
            return u
        u = smooth(u, f, h, 3)
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
        coarse = r[::2].copy()
        coarse[1:-1] = 0.25 * (r[1:-2:2] + 2 * r[2:-1:2] + r[3::2])
        e = cycle(np.zeros_like(coarse), coarse, 2 * h)
        u[::2] += e
        u[1::2] += 0.5 * (e[:-1] + e[1:])
        return smooth(u, f, h, 3)

    x = np.linspace(0.0, 1.0, s.n + 1)
    f = np.pi**2 * np.sin(np.pi * x)
    u = np.zeros_like(x)
    for _ in range(s.cycles):
        u = cycle(u, f, 1.0 / s.n)
    return u


ROWS = [
    Row("Gauss-Seidel by elements", gauss_seidel, {"n": 50, "sweeps": 10}, {"n": 6, "sweeps": 3}),
    Row("Gauss-Seidel in two colours", red_black, {"n": 200, "sweeps": 60}, {"n": 8, "sweeps": 5}),
    Row("Jacobi iteration", jacobi, {"n": 500}, {"n": 8}),
    Row("conjugate gradients", conjugate_gradients, {"n": 200, "most": 150}, {"n": 8, "most": 30}, atol=1e-6),
    Row("Newton for Kepler's equation", newton, {"n": 100_000}, {"n": 30}, atol=1e-10),
    Row("Newton for two equations", newton_system, {"n": 300}, {"n": 4}),
    Row("bisection of arrays", bisection, {"n": 20_000}, {"n": 20}),
    Row("bisection of scalars", bisection_scalar, {"n": 300}, {"n": 4}),
    Row("power iteration", power, {"n": 800}, {"n": 8}),
    Row("gradient descent in a valley", gradient_descent, {"steps": 5000}, {"steps": 50}),
    Row("multigrid in one dimension", multigrid, {"n": 1024, "cycles": 20}, {"n": 16, "cycles": 3}, atol=1e-10),
]
