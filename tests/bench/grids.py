"""Grids: the 5-point stencil in place, Gray-Scott, Jacobi."""

import numpy

from .programs import Program


def hot_plate(s):
    u = numpy.random.default_rng(4).random((s.n, s.n))
    u[0] = 100.0
    return (u,)


# ---- the stencil, in place ----


def stencil(np, s):
    def run(u):
        center, north, south = u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1]
        west, east = u[1:-1, :-2], u[1:-1, 2:]
        for _ in range(s.steps):
            center[:] = 0.2 * (center + north + south + west + east)
        return u

    return run


def stencil_numexpr(ne, s):
    def run(u):
        views = {"c": u[1:-1, 1:-1], "n": u[:-2, 1:-1], "s": u[2:, 1:-1], "w": u[1:-1, :-2], "e": u[1:-1, 2:]}
        for _ in range(s.steps):
            u[1:-1, 1:-1] = ne.evaluate("0.2 * (c + n + s + w + e)", views)
        return u

    return run


def stencil_numba(nb, s):
    @nb.njit(parallel=True)
    def step(u, new):
        rows, columns = u.shape
        for i in nb.prange(1, rows - 1):
            for j in range(1, columns - 1):
                new[i, j] = 0.2 * (u[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    def run(u):
        new = u.copy()
        for _ in range(s.steps):
            step(u, new)
            u, new = new, u
        return u

    return run


def stencil_jax(np, s):
    import jax

    def run(u):
        def step(_, u):
            return u.at[1:-1, 1:-1].set(0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))

        return jax.lax.fori_loop(0, s.steps, step, u)

    return run


def stencil_dask(da, s):
    def step(u):  # a block with one row and column of its neighbours; NumPy inside
        new = u.copy()
        new[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return new

    def run(u):
        for _ in range(s.steps):
            u = da.overlap.map_overlap(step, u, depth=1, boundary="none", dtype=u.dtype)
        return u

    return run


# ---- Gray-Scott, in place ----

FEED, KILL, DU, DV = 0.035, 0.065, 0.16, 0.08


def spots(s):
    rng = numpy.random.default_rng(5)
    u, v = numpy.ones((s.n, s.n), "float32"), numpy.zeros((s.n, s.n), "float32")
    low, high = s.n * 2 // 5, s.n * 3 // 5
    u[low:high, low:high], v[low:high, low:high] = 0.5, 0.25
    return tuple((x + 0.05 * rng.random((s.n, s.n))).astype("float32") for x in (u, v))


def gray_scott(np, s):
    def laplacian(a):
        return a[:-2, 1:-1] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1]

    def run(u, v):
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        for _ in range(s.steps):
            lu, lv = laplacian(u), laplacian(v)
            reaction = inner_u * inner_v * inner_v
            inner_u += DU * lu - reaction + FEED * (1 - inner_u)
            inner_v += DV * lv + reaction - (FEED + KILL) * inner_v
        return u, v

    return run


def gray_scott_numexpr(ne, s):
    f = numpy.float32
    constants = {"du": f(DU), "dv": f(DV), "feed": f(FEED), "both": f(FEED + KILL), "one": f(1), "four": f(4)}

    def views(a, name):
        return {
            f"{name}n": a[:-2, 1:-1], f"{name}w": a[1:-1, :-2], name: a[1:-1, 1:-1],
            f"{name}e": a[1:-1, 2:], f"{name}s": a[2:, 1:-1],
        }  # fmt: skip

    def run(u, v):
        local = {**constants, **views(u, "u"), **views(v, "v")}
        for _ in range(s.steps):
            nu = ne.evaluate("u + (du*(un + uw - four*u + ue + us) - u*v*v + feed*(one - u))", local)
            nv = ne.evaluate("v + (dv*(vn + vw - four*v + ve + vs) + u*v*v - both*v)", local)
            u[1:-1, 1:-1], v[1:-1, 1:-1] = nu, nv
        return u, v

    return run


def gray_scott_numba(nb, s):
    f = numpy.float32
    du, dv, feed, both, one, four = f(DU), f(DV), f(FEED), f(FEED + KILL), f(1), f(4)

    @nb.njit(parallel=True)
    def step(u, v, nu, nv):
        rows, columns = u.shape
        for i in nb.prange(1, rows - 1):
            for j in range(1, columns - 1):
                lu = u[i - 1, j] + u[i, j - 1] - four * u[i, j] + u[i, j + 1] + u[i + 1, j]
                lv = v[i - 1, j] + v[i, j - 1] - four * v[i, j] + v[i, j + 1] + v[i + 1, j]
                reaction = u[i, j] * v[i, j] * v[i, j]
                nu[i, j] = u[i, j] + (du * lu - reaction + feed * (one - u[i, j]))
                nv[i, j] = v[i, j] + (dv * lv + reaction - both * v[i, j])

    def run(u, v):
        nu, nv = u.copy(), v.copy()
        for _ in range(s.steps):
            step(u, v, nu, nv)
            u, v, nu, nv = nu, nv, u, v
        return u, v

    return run


def react(u, v):
    """One step's change of the inner points, for libraries whose arrays cannot be assigned to."""

    def laplacian(a):
        return a[:-2, 1:-1] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1]

    iu, iv = u[1:-1, 1:-1], v[1:-1, 1:-1]
    reaction = iu * iv * iv
    return DU * laplacian(u) - reaction + FEED * (1 - iu), DV * laplacian(v) + reaction - (FEED + KILL) * iv


def gray_scott_jax(np, s):
    import jax

    def run(u, v):
        def step(_, fields):
            u, v = fields
            du, dv = react(u, v)
            return u.at[1:-1, 1:-1].add(du), v.at[1:-1, 1:-1].add(dv)

        return jax.lax.fori_loop(0, s.steps, step, (u, v))

    return run


def gray_scott_dask(da, s):
    def step(which):
        def block(u, v):
            new = (u, v)[which].copy()
            new[1:-1, 1:-1] += react(u, v)[which]
            return new

        return block

    def run(u, v):
        for _ in range(s.steps):
            how = {"depth": 1, "boundary": "none", "dtype": u.dtype}
            u, v = (da.overlap.map_overlap(step(which), u, v, **how) for which in (0, 1))
        return u, v

    return run


# ---- Jacobi, out of place, with the norm of the change read in every step ----


def jacobi(np, s):
    def run(u):
        new, change = u.copy(), []
        for _ in range(s.steps):
            new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            change.append(float(np.abs(new - u).max()))
            u, new = new, u
        return u, np.asarray(change)

    return run


def jacobi_numexpr(ne, s):
    def run(u):
        new, change = u.copy(), []
        for _ in range(s.steps):
            views = {"n": u[:-2, 1:-1], "s": u[2:, 1:-1], "w": u[1:-1, :-2], "e": u[1:-1, 2:]}
            new[1:-1, 1:-1] = ne.evaluate("0.25 * (n + s + w + e)", views)
            change.append(float(ne.evaluate("max(abs(new - u))", {"new": new, "u": u})))
            u, new = new, u
        return u, numpy.asarray(change)

    return run


def jacobi_numba(nb, s):
    @nb.njit(parallel=True)
    def step(u, new):
        rows, columns = u.shape
        change = 0.0
        for i in nb.prange(1, rows - 1):
            most = 0.0
            for j in range(1, columns - 1):
                new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                most = max(most, abs(new[i, j] - u[i, j]))
            change = max(change, most)
        return change

    def run(u):
        new, change = u.copy(), []
        for _ in range(s.steps):
            change.append(step(u, new))
            u, new = new, u
        return u, numpy.asarray(change)

    return run


def jacobi_jax(np, s):
    import jax

    @jax.jit
    def step(u):
        new = u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
        return new, np.abs(new - u).max()

    def run(u):
        change = []
        for _ in range(s.steps):
            u, most = step(u)
            change.append(float(most))
        return u, numpy.asarray(change)

    return run


jacobi_jax.compiles_itself = True


def jacobi_dask(da, s):
    import dask

    def block(u):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return new

    def run(u):
        change = []
        for _ in range(s.steps):
            new = da.overlap.map_overlap(block, u, depth=1, boundary="none", dtype=u.dtype)
            u, most = dask.persist(new, abs(new - u).max())
            change.append(float(most))
        return u, numpy.asarray(change)

    return run


PROGRAMS = [
    Program(
        name="stencil",
        title="stencil 5-point f64",
        full={"n": 4000, "steps": 5},
        quick={"n": 2000, "steps": 3},
        tiny={"n": 37, "steps": 3},
        data=hot_plate,
        plain=stencil,
        peers={"numexpr": stencil_numexpr, "numba": stencil_numba, "jax": stencil_jax, "dask": stencil_dask},
        bytes=lambda s: 16 * s.n * s.n,
        flops=lambda s: 5 * s.n * s.n,
        units=lambda s: s.steps,
        unit="step",
        written=(0,),
        limit="stencil_f64",
        versus="copy",
    ),
    Program(
        name="gray_scott",
        title="Gray-Scott f32",
        full={"n": 2000, "steps": 10},
        quick={"n": 1000, "steps": 5},
        tiny={"n": 41, "steps": 3},
        data=spots,
        plain=gray_scott,
        peers={
            "numexpr": gray_scott_numexpr, "numba": gray_scott_numba, "jax": gray_scott_jax, "dask": gray_scott_dask,
        },  # fmt: skip
        bytes=lambda s: 16 * s.n * s.n,
        flops=lambda s: 23 * s.n * s.n,
        units=lambda s: s.steps,
        unit="step",
        written=(0, 1),
        rtol=1e-4,
        atol=1e-5,
        limit="gray_scott_f32",
        versus="copy",
    ),
    Program(
        name="jacobi",
        title="Jacobi f64",
        full={"n": 4000, "steps": 5},
        quick={"n": 2000, "steps": 3},
        tiny={"n": 37, "steps": 3},
        data=hot_plate,
        plain=jacobi,
        peers={"numexpr": jacobi_numexpr, "numba": jacobi_numba, "jax": jacobi_jax, "dask": jacobi_dask},
        bytes=lambda s: 16 * s.n * s.n,
        flops=lambda s: 7 * s.n * s.n,
        units=lambda s: s.steps,
        unit="step",
        written=(0,),
        versus="copy",
    ),
]
