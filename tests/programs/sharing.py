"""Everything that shares memory: views, slices of slices, out=, in-place operators, NumPy's own views; prints the arrays."""

import copy
import io
import pickle

import numpy as np


class Grid:
    def __init__(self, n):
        self.data = np.zeros((n, n))
        self.inside = self.data[1:-1, 1:-1]
        self.edges = [self.data[0], self.data[-1], self.data[:, 0], self.data[:, -1]]

    def __iadd__(self, value):
        self.inside += value
        return self


def show(name, a):
    print(name, a.dtype, a.shape, a.tolist())


grid = Grid(5)
grid += 2
for k, edge in enumerate(grid.edges):
    edge[:] = k
show("grid", grid.data)
twin = copy.deepcopy(grid)
twin.inside[...] = 7
show("untouched", grid.inside)

a = np.arange(24.0).reshape(2, 3, 4)
a[0].T[1:3] *= 10
np.swapaxes(a, 0, 2)[0] = 0
np.moveaxis(a, 0, -1)[..., 1] += 1
a[:, 0], a[:, 1] = a[:, 1].copy(), a[:, 0].copy()
for row in a[0]:
    row += 0.5
show("a", a)

x = np.arange(10)
x += x[::-1]
x[1:] = x[:-1]
x[1:] += x[:-1]
x[2:8][::2][1] = -1
low, high = np.split(x, 2)
low += 100
np.maximum(high, low, out=high)
show("x", x)

work, target = np.empty(6), np.arange(12.0)
np.add(target[::2], 1, out=work)
np.multiply(work, target[1::2], out=target[::2])
work[:] = 0
show("target", target)

m = np.arange(12).reshape(3, 4)
m[m % 5 == 0] = -m[m % 5 == 0]
m[[0, 2]] = m[[2, 0]]
m.T[1] = m[:, 0]
m.ravel()[5] = 50
m.flat[::7] += 1
show("m", m)

memory = memoryview(x)
memory[3] = 77
x += 1
print("memory", memory[3], x[3] == memory[3], memory.tolist() == x.tolist())

file = io.BytesIO()
np.save(file, m.T[::2])
file.seek(0)
again = np.load(file)
again += 1
show("loaded", again)
show("pickled", pickle.loads(pickle.dumps({"m": m[1:]}))["m"] * 2)

z = np.arange(3) + 1j
z.real[:] = 9
z.imag += 1
show("z", np.stack([z.real, z.imag]))
b = np.broadcast_to(np.arange(3), (2, 3))
for bad in (lambda: b.__setitem__(0, 1), lambda: x.__iadd__(0.5), lambda: m.reshape(5, 5), lambda: x[99], lambda: x + np.ones(3), lambda: bool(m)):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
