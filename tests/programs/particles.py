"""Particles that attract each other: classes that hold arrays, broadcasting, masks; prints energies and orbits."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class System:
    place: np.ndarray
    speed: np.ndarray
    mass: np.ndarray
    softening: float = 0.1
    history: list = field(default_factory=list)

    def acceleration(self):
        d = self.place[None, :, :] - self.place[:, None, :]
        r2 = np.einsum("ijk,ijk->ij", d, d) + self.softening**2
        pull = np.zeros_like(r2)
        near = r2 < 25.0
        pull[near] = r2[near] ** -1.5
        return np.sum(d * (pull * self.mass)[:, :, np.newaxis], axis=1)

    def energy(self):
        kinetic = 0.5 * (self.mass * (self.speed**2).sum(axis=1)).sum()
        d = np.linalg.norm(self.place[:, None] - self.place[None], axis=-1)
        i, j = np.triu_indices(len(d), k=1)
        return kinetic - (np.outer(self.mass, self.mass)[i, j] / np.sqrt(d[i, j] ** 2 + self.softening**2)).sum()

    def step(self, dt):
        self.speed += self.acceleration() * dt / 2
        self.place += self.speed * dt
        self.speed += self.acceleration() * dt / 2
        self.history.append(self.place.copy())


rng = np.random.default_rng(17)
n = 40
system = System(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) / 4, np.full(n, 20.0 / n))
system.speed -= np.average(system.speed, axis=0, weights=system.mass)
start = system.energy()
for _ in range(15):
    system.step(0.01)
print("energy", f"{start:.9e} {system.energy():.9e}", bool(abs(system.energy() / start - 1) < 0.05))
orbits = np.array(system.history)
print("orbits", orbits.shape, orbits.dtype, *orbits[-1, :4].ravel().tolist())
length = np.sqrt((np.diff(orbits, axis=0) ** 2).sum(-1)).sum(0)
order = np.argsort(length)
print("longest", {int(k): round(float(length[k]), 6) for k in order[-3:]}, "median", float(np.median(length)))
counts, edges = np.histogram(length, bins=5)
print("histogram", counts.tolist(), edges.round(6).tolist(), sum(counts))
for row in orbits[::5, 0]:
    print("row", *(f"{x:+.6f}" for x in row), sorted(row) == sorted(row.tolist()))
assert (system.mass > 0).all() and not np.isnan(orbits).any()
