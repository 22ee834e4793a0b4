"""Bodies and particles."""

from .rows import Row


def n_body(np, s):
    """Gravity between all pairs, by broadcasting."""
    rng = np.random.default_rng(51)
    x, v, m = rng.standard_normal((s.n, 3)), np.zeros((s.n, 3)), rng.random(s.n)
    for _ in range(s.steps):
        d = x[None, :, :] - x[:, None, :]
        r2 = (d**2).sum(axis=-1) + 0.01
        a = (d * (m[None, :] / r2**1.5)[:, :, None]).sum(axis=1)
        v += 0.01 * a
        x += 0.01 * v
    return x, v


def n_body_pairs(np, s):
    """The same by two loops over a handful of planets."""
    rng = np.random.default_rng(52)
    x, v, m = rng.standard_normal((s.n, 3)), np.zeros((s.n, 3)), rng.random(s.n)
    for _ in range(s.steps):
        a = np.zeros((s.n, 3))
        for i in range(s.n):
            for j in range(s.n):
                if i != j:
                    d = x[j] - x[i]
                    a[i] += m[j] * d / (np.sqrt(np.sum(d**2)) + 0.1) ** 3
        v = v + 0.01 * a
        x = x + 0.01 * v
    return x


def cell_lists(np, s):
    """Discs that push each other apart, found by the cells of a grid."""
    rng = np.random.default_rng(53)
    x = rng.random((s.n, 2))
    side = s.cells
    for _ in range(s.steps):
        cell = np.minimum((x * side).astype(int), side - 1)
        index = cell[:, 0] * side + cell[:, 1]
        order = np.argsort(index, kind="stable")
        begin = np.searchsorted(index[order], np.arange(side * side + 1))
        force = np.zeros_like(x)
        for c in range(side * side):
            mine = order[begin[c] : begin[c + 1]]
            if len(mine) < 2:
                continue
            d = x[mine][:, None, :] - x[mine][None, :, :]
            r2 = (d**2).sum(axis=2) + 1e-3
            force[mine] += (d / r2[:, :, None]).sum(axis=1)
        x = np.clip(x + 1e-5 * force, 0.0, 1.0)
    return x


def billiard(np, s):
    """Particles in a box, reflected by masks."""
    rng = np.random.default_rng(54)
    x, v = rng.random((s.n, 2)), rng.standard_normal((s.n, 2))
    hits = 0
    for _ in range(s.steps):
        x += 0.01 * v
        out = (x < 0) | (x > 1)
        v[out] *= -1
        x = np.clip(x, 0, 1)
        hits += np.sum(out)
    return x, v, hits


def boids(np, s):
    rng = np.random.default_rng(55)
    x, v = rng.random((s.n, 2)) * 10, rng.standard_normal((s.n, 2))
    for _ in range(s.steps):
        d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
        near = (d < 2.0) & (d > 0)
        count = np.maximum(near.sum(axis=1, keepdims=True), 1)
        centre = (near[:, :, None] * x[None]).sum(axis=1) / count
        along = (near[:, :, None] * v[None]).sum(axis=1) / count
        v = v + 0.01 * (centre - x) * (near.sum(axis=1, keepdims=True) > 0) + 0.05 * (along - v)
        speed = np.linalg.norm(v, axis=1, keepdims=True)
        v = np.where(speed > 2, 2 * v / speed, v)
        x = (x + 0.1 * v) % 10
    return x


def spheres(np, s):
    """Rays from a point through a screen, the nearest of some spheres, shaded by a lamp."""
    u, v = np.meshgrid(np.linspace(-1, 1, s.n), np.linspace(-1, 1, s.n))
    ray = np.stack([u, v, np.ones_like(u)], axis=-1)
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    nearest = np.full(u.shape, np.inf)
    image = np.zeros(u.shape)
    lamp = np.array([0.5, -0.7, -0.5])
    for centre, radius in (([0.0, 0.0, 4.0], 1.0), ([1.2, 0.3, 5.0], 1.2), ([-1.0, -0.4, 3.0], 0.5)):
        centre = np.array(centre)
        b = np.sum(ray * centre, axis=-1)
        inside = b**2 - np.dot(centre, centre) + radius**2
        hit = inside > 0
        t = np.where(hit, b - np.sqrt(np.where(hit, inside, 0.0)), np.inf)
        closer = hit & (t < nearest) & (t > 0)
        normal = (ray * np.where(closer, t, 0.0)[..., None] - centre) / radius
        image[closer] = np.maximum(normal[closer] @ lamp, 0.05)
        nearest[closer] = t[closer]
    return image


def lennard_jones(np, s):
    """A chain of atoms, velocity Verlet, with energies read each step."""
    x = 1.1 * np.arange(s.n, dtype=float)
    v = 0.1 * np.sin(np.arange(s.n))

    def forces(x):
        r = x[:, None] - x[None, :]
        np.fill_diagonal(r, 1.0)
        inverse = 1.0 / r**6
        pair = 24 * (2 * inverse**2 - inverse) / r
        np.fill_diagonal(pair, 0.0)
        energy = 4 * (inverse**2 - inverse)
        np.fill_diagonal(energy, 0.0)
        return pair.sum(axis=1), 0.5 * energy.sum()

    f, _ = forces(x)
    history = []
    for _ in range(s.steps):
        v += 0.0005 * f
        x += 0.001 * v
        f, potential = forces(x)
        v += 0.0005 * f
        history.append(float(potential) + 0.5 * float((v**2).sum()))
    return np.array(history), x


ROWS = [
    Row("n bodies by broadcasting", n_body, {"n": 150, "steps": 20}, {"n": 6, "steps": 3}),
    Row("n bodies by pairs", n_body_pairs, {"n": 8, "steps": 40}, {"n": 3, "steps": 3}),
    Row("particles in cell lists", cell_lists, {"n": 2_000, "cells": 16, "steps": 5}, {"n": 20, "cells": 2, "steps": 2}),
    Row("billiard by masks", billiard, {"n": 5_000, "steps": 100}, {"n": 12, "steps": 20}),
    Row("boids", boids, {"n": 150, "steps": 20}, {"n": 8, "steps": 3}),
    Row("rays and spheres", spheres, {"n": 250}, {"n": 12}, atol=1e-10),
    Row("Lennard-Jones chain", lennard_jones, {"n": 60, "steps": 200}, {"n": 6, "steps": 5}),
]
