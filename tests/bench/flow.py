"""Flow through a channel that is periodic in x, driven by a force: Navier-Stokes by finite differences.

A step solves a Poisson equation for the pressure by relaxation and then moves the velocity, each in three
parts: the inner columns, the last and the first, whose neighbours wrap around. On a small grid that is
hundreds of statements over tiny arrays; on a large one it is a bandwidth test.
"""

import numpy

from .programs import Absent, Program

RHO, NU, FORCE = 1.0, 0.1, 1.0

# Where a point's own column is, its eastern and its western neighbour: inner columns, the last, the first.
COLUMNS = [
    (slice(1, -1), slice(2, None), slice(None, -2)),
    (slice(-1, None), slice(0, 1), slice(-2, -1)),
    (slice(0, 1), slice(1, 2), slice(-1, None)),
]
IN, UP, DOWN = slice(1, -1), slice(2, None), slice(None, -2)


def spacing(s):
    """The grid's spacing, and a time step for which diffusion is stable."""
    h = 2.0 / (s.n - 1)
    return h, min(0.01, 0.2 * h * h / NU)


def eddies(s):
    y, x = numpy.meshgrid(numpy.linspace(0, 2, s.n), numpy.linspace(0, 2, s.n), indexing="ij")
    u = 0.1 * numpy.sin(numpy.pi * y / 2) * (1.5 + numpy.sin(numpy.pi * x))
    v = 0.05 * numpy.sin(numpy.pi * y) * numpy.cos(numpy.pi * x)
    u[0] = u[-1] = v[0] = v[-1] = 0.0
    return u, v, numpy.ones((s.n, s.n))


def flow(np, s):
    h, dt = spacing(s)

    def divergence(b, u, v):
        for here, east, west in COLUMNS:
            ux = (u[IN, east] - u[IN, west]) / (2 * h)
            uy = (u[UP, here] - u[DOWN, here]) / (2 * h)
            vx = (v[IN, east] - v[IN, west]) / (2 * h)
            vy = (v[UP, here] - v[DOWN, here]) / (2 * h)
            b[IN, here] = RHO * ((ux + vy) / dt - ux**2 - 2 * (uy * vx) - vy**2)

    def relax(p, b):
        for _ in range(s.relaxations):
            old = p.copy()
            for here, east, west in COLUMNS:
                around = old[IN, east] + old[IN, west] + old[UP, here] + old[DOWN, here]
                p[IN, here] = 0.25 * (around - h * h * b[IN, here])
            p[0, :] = p[1, :]
            p[-1, :] = p[-2, :]

    def move(a, old, u, v, push):
        for here, east, west in COLUMNS:
            c = old[IN, here]
            carried = u[IN, here] * (c - old[IN, west]) + v[IN, here] * (c - old[DOWN, here])
            spread = old[IN, east] + old[IN, west] + old[UP, here] + old[DOWN, here] - 4 * c
            a[IN, here] = c - dt / h * carried + NU * dt / h**2 * spread + push(here, east, west)
        a[0, :] = 0
        a[-1, :] = 0

    def run(u, v, p):
        b = np.zeros_like(p)
        for _ in range(s.steps):
            divergence(b, u, v)
            relax(p, b)
            un, vn = u.copy(), v.copy()
            move(u, un, un, vn, lambda here, east, west: FORCE * dt - dt / (2 * RHO * h) * (p[IN, east] - p[IN, west]))
            move(v, vn, un, vn, lambda here, east, west: -dt / (2 * RHO * h) * (p[UP, here] - p[DOWN, here]))
        return u, v, p

    return run


def flow_numexpr(ne, s):
    h, dt = spacing(s)
    constants = {"h2": 2 * h, "hh": h * h, "dt": dt, "a": dt / h, "d": NU * dt / h**2, "g": dt / (2 * RHO * h)}

    def around(name, x, here, east, west):
        return {
            name: x[IN, here], f"{name}e": x[IN, east], f"{name}w": x[IN, west],
            f"{name}n": x[UP, here], f"{name}s": x[DOWN, here],
        }  # fmt: skip

    def run(u, v, p):
        b = numpy.zeros_like(p)
        for _ in range(s.steps):
            for part in COLUMNS:
                local = {**constants, **around("u", u, *part), **around("v", v, *part)}
                b[IN, part[0]] = ne.evaluate(
                    "((ue - uw)/h2 + (vn - vs)/h2)/dt - ((ue - uw)/h2)**2 - 2*((un - us)/h2*((ve - vw)/h2)) - ((vn - vs)/h2)**2",
                    local,
                )
            for _ in range(s.relaxations):
                old = p.copy()
                for part in COLUMNS:
                    local = {**constants, **around("p", old, *part), "b": b[IN, part[0]]}
                    p[IN, part[0]] = ne.evaluate("0.25*(pe + pw + pn + ps - hh*b)", local)
                p[0, :] = p[1, :]
                p[-1, :] = p[-2, :]
            old_u, old_v = u.copy(), v.copy()
            for part in COLUMNS:
                local = {**constants, "force": FORCE * dt, **around("p", p, *part)}
                local.update({**around("u", old_u, *part), **around("v", old_v, *part)})
                u[IN, part[0]] = ne.evaluate(
                    "u - a*(u*(u - uw) + v*(u - us)) + d*(ue + uw + un + us - 4*u) + force - g*(pe - pw)", local
                )
                v[IN, part[0]] = ne.evaluate(
                    "v - a*(u*(v - vw) + v*(v - vs)) + d*(ve + vw + vn + vs - 4*v) - g*(pn - ps)", local
                )
            u[0, :] = u[-1, :] = v[0, :] = v[-1, :] = 0
        return u, v, p

    return run


def flow_numba(nb, s):
    h, dt = spacing(s)
    relaxations, steps = s.relaxations, s.steps

    @nb.njit(parallel=True)
    def divergence(b, u, v):
        n, m = u.shape
        for i in nb.prange(1, n - 1):
            for j in range(m):
                e, w = (j + 1) % m, (j - 1) % m
                ux, uy = (u[i, e] - u[i, w]) / (2 * h), (u[i + 1, j] - u[i - 1, j]) / (2 * h)
                vx, vy = (v[i, e] - v[i, w]) / (2 * h), (v[i + 1, j] - v[i - 1, j]) / (2 * h)
                b[i, j] = (ux + vy) / dt - ux * ux - 2 * (uy * vx) - vy * vy

    @nb.njit(parallel=True)
    def relax(p, old, b):
        n, m = p.shape
        for i in nb.prange(1, n - 1):
            for j in range(1, m - 1):
                p[i, j] = 0.25 * (old[i, j + 1] + old[i, j - 1] + old[i + 1, j] + old[i - 1, j] - h * h * b[i, j])
            p[i, 0] = 0.25 * (old[i, 1] + old[i, m - 1] + old[i + 1, 0] + old[i - 1, 0] - h * h * b[i, 0])
            east, j = old[i, 0], m - 1
            p[i, j] = 0.25 * (east + old[i, j - 1] + old[i + 1, j] + old[i - 1, j] - h * h * b[i, j])
        p[0, :] = p[1, :]
        p[n - 1, :] = p[n - 2, :]

    @nb.njit(parallel=True)
    def move(u, v, un, vn, p):
        n, m = u.shape
        for i in nb.prange(1, n - 1):
            for j in range(m):
                e, w = (j + 1) % m, (j - 1) % m
                c, d = un[i, j], vn[i, j]
                carried_u = c * (c - un[i, w]) + d * (c - un[i - 1, j])
                carried_v = c * (d - vn[i, w]) + d * (d - vn[i - 1, j])
                spread_u = un[i, e] + un[i, w] + un[i + 1, j] + un[i - 1, j] - 4 * c
                spread_v = vn[i, e] + vn[i, w] + vn[i + 1, j] + vn[i - 1, j] - 4 * d
                force = FORCE * dt - dt / (2 * RHO * h) * (p[i, e] - p[i, w])
                u[i, j] = c - dt / h * carried_u + NU * dt / h**2 * spread_u + force
                v[i, j] = d - dt / h * carried_v + NU * dt / h**2 * spread_v - dt / (2 * RHO * h) * (p[i + 1, j] - p[i - 1, j])

    @nb.njit
    def run(u, v, p):
        b, other = numpy.zeros_like(p), p.copy()
        for _ in range(steps):
            divergence(b, u, v)
            for _ in range(relaxations):
                p, other = other, p
                relax(p, other, b)
            move(u, v, u.copy(), v.copy(), p)
        return u, v, p

    return run


def flow_jax(np, s):
    import jax

    h, dt = spacing(s)

    def around(a):
        c = a[1:-1]
        return c, np.roll(c, -1, 1), np.roll(c, 1, 1), a[2:], a[:-2]

    def run(u, v, p):
        def step(_, fields):
            u, v, p = fields
            uc, ue, uw, un, us = around(u)
            vc, ve, vw, vn, vs = around(v)
            ux, uy, vx, vy = (ue - uw) / (2 * h), (un - us) / (2 * h), (ve - vw) / (2 * h), (vn - vs) / (2 * h)
            b = RHO * ((ux + vy) / dt - ux**2 - 2 * (uy * vx) - vy**2)

            def relax(_, p):
                _, e, w, n, s = around(p)
                inner = 0.25 * (e + w + n + s - h * h * b)
                return np.concatenate([inner[:1], inner, inner[-1:]])

            p = jax.lax.fori_loop(0, s.relaxations, relax, p)
            _, pe, pw, pn, ps = around(p)
            diffuse, carry, push = NU * dt / h**2, dt / h, dt / (2 * RHO * h)
            nu = uc - carry * (uc * (uc - uw) + vc * (uc - us)) + diffuse * (ue + uw + un + us - 4 * uc)
            nv = vc - carry * (uc * (vc - vw) + vc * (vc - vs)) + diffuse * (ve + vw + vn + vs - 4 * vc)
            u = np.zeros_like(u).at[1:-1].set(nu + FORCE * dt - push * (pe - pw))
            v = np.zeros_like(v).at[1:-1].set(nv - push * (pn - ps))
            return u, v, p

        return jax.lax.fori_loop(0, s.steps, step, (u, v, p))

    return run


def flow_row(n, full, quick):
    return Program(
        name=f"cfd_{n}",
        title=f"CFD channel {n}^2",
        full={"n": n, **full},
        quick=quick,
        tiny={"n": 11, "steps": 2, "relaxations": 4},
        data=eddies,
        plain=flow,
        peers={
            "numexpr": flow_numexpr, "numba": flow_numba, "jax": flow_jax,
            "dask": Absent("Dask would schedule tens of thousands of sub-millisecond blocks for each step"),
        },  # fmt: skip
        units=lambda s: s.steps,
        unit="step",
        written=(0, 1, 2),
        rtol=1e-7,
        atol=1e-8,
    )


PROGRAMS = [
    flow_row(41, {"steps": 50, "relaxations": 50}, {"steps": 10}),
    flow_row(401, {"steps": 5, "relaxations": 50}, {"steps": 1}),
    flow_row(2001, {"steps": 1, "relaxations": 50}, {"relaxations": 5}),
]
