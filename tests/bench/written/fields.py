"""Fields on grids: heat, waves, water, climate."""

from .rows import Row, exact


def heat_explicit(np, s):
    u = np.zeros((s.n, s.n))
    u[s.n // 3 : s.n // 2, s.n // 3 : s.n // 2] = 100.0
    for _ in range(s.steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


def heat_loops(np, s):
    u = np.zeros(s.n)
    u[s.n // 2] = 1.0
    for _ in range(s.steps):
        new = u.copy()
        for i in range(1, s.n - 1):
            new[i] = u[i] + 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    return u


def heat_implicit(np, s):
    """Crank and Nicolson's scheme with a dense matrix, solved in each step."""
    r = 0.5
    a = np.diag((1 + 2 * r) * np.ones(s.n)) + np.diag(-r * np.ones(s.n - 1), 1) + np.diag(-r * np.ones(s.n - 1), -1)
    b = np.diag((1 - 2 * r) * np.ones(s.n)) + np.diag(r * np.ones(s.n - 1), 1) + np.diag(r * np.ones(s.n - 1), -1)
    u = np.sin(np.linspace(0, np.pi, s.n))
    for _ in range(s.steps):
        u = np.linalg.solve(a, b @ u)
    return u


def thomas(np, s):
    """Thomas's algorithm along the rows of a grid, for all columns at once."""
    d = np.random.default_rng(61).random((s.n, s.m))
    c = np.zeros((s.n, s.m))
    x = np.zeros((s.n, s.m))
    for _ in range(s.turns):
        c[0] = -1.0 / 4.0
        d[0] = d[0] / 4.0
        for i in range(1, s.n):
            w = 4.0 + c[i - 1]
            c[i] = -1.0 / w
            d[i] = (d[i] + d[i - 1]) / w
        x[-1] = d[-1]
        for i in range(s.n - 2, -1, -1):
            x[i] = d[i] - c[i] * x[i + 1]
        d = x.copy()
    return x


def alternating(np, s):
    """Alternating directions: sweeps along rows, then along columns."""
    u = np.random.default_rng(62).random((s.n, s.n))
    for _ in range(s.steps):
        for i in range(1, s.n):
            u[i, :] = u[i, :] - 0.3 * u[i - 1, :]
        for j in range(1, s.n):
            u[:, j] = u[:, j] - 0.3 * u[:, j - 1]
    return u


def wave(np, s):
    x = np.linspace(0.0, 1.0, s.n)
    old = np.exp(-200 * (x - 0.5) ** 2)
    now = old.copy()
    frames = []
    for step in range(s.steps):
        new = np.zeros_like(now)
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + 0.81 * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now = now, new
        if step % 50 == 0:
            frames.append(now.copy())
    return np.array(frames), now


def shallow_water(np, s):
    """Lax and Friedrichs' scheme on a torus."""
    x, y = np.meshgrid(np.arange(s.n), np.arange(s.n))
    h = 1 + 0.1 * np.exp(-((x - s.n / 2) ** 2 + (y - s.n / 2) ** 2) / 50)
    hu, hv = np.zeros_like(h), np.zeros_like(h)

    def mean(q):
        return 0.25 * (np.roll(q, 1, 0) + np.roll(q, -1, 0) + np.roll(q, 1, 1) + np.roll(q, -1, 1))

    def slope(q, axis):
        return 0.5 * (np.roll(q, -1, axis) - np.roll(q, 1, axis))

    for _ in range(s.steps):
        u, v = hu / h, hv / h
        new = mean(h) - 0.1 * (slope(hu, 1) + slope(hv, 0))
        new_u = mean(hu) - 0.1 * (slope(hu * u + 4.9 * h * h, 1) + slope(hu * v, 0))
        new_v = mean(hv) - 0.1 * (slope(hv * u, 1) + slope(hv * v + 4.9 * h * h, 0))
        h, hu, hv = new, new_u, new_v
    return h, hu, hv


def climate(np, s):
    """Many terms on a staggered grid of latitudes: advection, Coriolis, radiation, mixing, evaporation."""
    lat = np.linspace(-80, 80, s.n) * np.pi / 180
    f, sun = 1e-1 * np.sin(lat)[:, None], np.cos(lat)[:, None]
    t = 280 + 20 * sun + np.zeros((s.n, 2 * s.n))
    q = 0.01 * np.ones_like(t)
    u = 5 * np.cos(3 * lat)[:, None] + np.zeros_like(t)
    v = 0.1 * np.sin(np.arange(2 * s.n) * np.pi / s.n)[None, :] + np.zeros_like(t)
    c = slice(1, -1)
    for _ in range(s.steps):
        east, west = np.roll(t, -1, 1), np.roll(t, 1, 1)
        dtx, dty = 0.5 * (east - west), np.zeros_like(t)
        dty[c] = 0.5 * (t[2:] - t[:-2])
        mix = east + west - 2 * t
        mix[c] += t[2:] + t[:-2] - 2 * t[c]
        lift = np.where(t > 288, 1e-3 * (t - 288) * q, 0.0)
        solar, infrared = 3.4 * sun * (1 - 0.3 * (t < 263)), 1.2 * (t / 255) ** 4
        t = t + 0.01 * (-u * dtx - v * dty + 0.5 * mix + solar - infrared + 200 * lift)
        q = np.clip(q - 0.01 * lift + 1e-5 * np.maximum(t - 273, 0) * sun, 0.0, 0.04)
        u = u + 0.01 * (f * v - 0.01 * dtx - 0.001 * u * np.abs(u))
        v = v + 0.01 * (-f * u - 0.01 * dty - 0.001 * v * np.abs(v))
    return t, q, u, v


def gray_scott(np, s):
    u, v = np.ones((s.n, s.n)), np.zeros((s.n, s.n))
    m = s.n // 2
    u[m - 3 : m + 3, m - 3 : m + 3], v[m - 3 : m + 3, m - 3 : m + 3] = 0.5, 0.25

    def laplacian(z):
        return z[:-2, 1:-1] + z[2:, 1:-1] + z[1:-1, :-2] + z[1:-1, 2:] - 4 * z[1:-1, 1:-1]

    for _ in range(s.steps):
        lu, lv = laplacian(u), laplacian(v)
        a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
        reaction = a * b * b
        a += 0.16 * lu - reaction + 0.035 * (1 - a)
        b += 0.08 * lv + reaction - 0.095 * b
        for z in (u, v):
            z[0], z[-1], z[:, 0], z[:, -1] = z[1], z[-2], z[:, 1], z[:, -2]
    return u, v


def upwind(np, s):
    """Advection with a limiter, in one dimension."""
    u = np.where(np.abs(np.linspace(-1, 1, s.n)) < 0.3, 1.0, 0.0)
    for _ in range(s.steps):
        d = np.diff(u, prepend=u[-1])
        ahead = np.roll(d, -1)
        r = np.where(np.abs(ahead) > 1e-12, d / np.where(ahead == 0, 1, ahead), 0.0)
        phi = np.maximum(0, np.minimum(1, r))
        flux = 0.4 * (u + 0.3 * phi * ahead)
        u = u - (flux - np.roll(flux, 1))
    return u


def mandelbrot_masks(np, s):
    x, y = np.linspace(-2.0, 0.6, s.n), np.linspace(-1.2, 1.2, s.n)
    c = x[None, :] + 1j * y[:, None]
    z, count = np.zeros_like(c), np.zeros(c.shape, dtype=int)
    for _ in range(s.turns):
        alive = np.abs(z) <= 2
        z[alive] = z[alive] ** 2 + c[alive]
        count[alive] += 1
    return count


def mandelbrot_shrinking(np, s):
    x, y = np.linspace(-2.0, 0.6, s.n), np.linspace(-1.2, 1.2, s.n)
    c = (x[None, :] + 1j * y[:, None]).ravel()
    index, z = np.arange(c.size), np.zeros_like(c)
    count = np.full(c.size, s.turns)
    for turn in range(s.turns):
        z = z * z + c
        gone = z.real**2 + z.imag**2 > 4
        count[index[gone]] = turn
        stay = ~gone
        index, z, c = index[stay], z[stay], c[stay]
        if not len(index):
            break
    return count.reshape(s.n, s.n)


ROWS = [
    Row("heat, explicit", heat_explicit, {"n": 300, "steps": 60}, {"n": 12, "steps": 5}),
    Row("heat by elements", heat_loops, {"n": 200, "steps": 100}, {"n": 9, "steps": 4}),
    Row("heat, implicit", heat_implicit, {"n": 150, "steps": 60}, {"n": 9, "steps": 4}),
    Row("Thomas algorithm over a grid", thomas, {"n": 300, "m": 300, "turns": 10}, {"n": 7, "m": 4, "turns": 2}),
    Row("alternating sweeps", alternating, {"n": 300, "steps": 10}, {"n": 8, "steps": 2}),
    Row("wave equation", wave, {"n": 2_000, "steps": 1_000}, {"n": 30, "steps": 60}),
    Row("shallow water", shallow_water, {"n": 100, "steps": 60}, {"n": 10, "steps": 3}),
    Row("climate of many terms", climate, {"n": 60, "steps": 80}, {"n": 8, "steps": 4}),
    Row("Gray-Scott", gray_scott, {"n": 150, "steps": 150}, {"n": 12, "steps": 5}),
    Row("advection with a limiter", upwind, {"n": 2_000, "steps": 500}, {"n": 40, "steps": 5}),
    exact("Mandelbrot by masks", mandelbrot_masks, {"n": 200, "turns": 50}, {"n": 12, "turns": 9}),
    exact("Mandelbrot, shrinking", mandelbrot_shrinking, {"n": 250, "turns": 80}, {"n": 12, "turns": 9}),
]
