"""Random NumPy programs, one for each seed: prints one line per result, the name, the dtype and the bytes' hash.

    python tests/programs/metamorphic.py SEED...

Run by test_configurations.py under many configurations of the runtime, which must all
print the same; and under NumPy itself, which must print the same for the exact results.
"""

import hashlib
import sys

import numpy as np


class Dice:
    """A small generator of its own: the program must not depend on the library's random numbers."""

    def __init__(self, seed):
        self.state = seed * 2654435761 % 2**32 or 1

    def roll(self, n):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 8) % n


def show(kind, value):
    data = value.tobytes()
    print(kind, value.dtype, tuple(value.shape), hashlib.sha1(data).hexdigest())


def some_slice(dice, n):
    start, step = dice.roll(n // 2), 1 + dice.roll(3)
    return slice(None, None, -step) if dice.roll(4) == 0 else slice(start, n - dice.roll(n // 4), step)


DTYPES = ["float64", "float32", "int64", "int32", "uint8", "bool", "complex128"]


def program(dice):
    rows, columns = 40 + dice.roll(160), 30 + dice.roll(90)
    pool = []
    for i in range(4):
        base = np.arange(rows * columns).reshape(rows, columns)
        pool.append(((base * (3 + i) + 7 * i) % 251).astype(DTYPES[dice.roll(len(DTYPES))]))

    for _ in range(30):
        x, y = pool[dice.roll(len(pool))], pool[dice.roll(len(pool))]
        what = dice.roll(11)
        if what == 0:
            z = x + y
        elif what == 1:
            z = x * y
        elif what == 2:
            z = np.where(x == y, x, y)
        elif what == 3:  # a stencil on the array itself
            z = (x * 1.0).real
            z[1:-1, 1:-1] = 0.25 * (z[:-2, 1:-1] + z[2:, 1:-1] + z[1:-1, :-2] + z[1:-1, 2:])
        elif what == 4:  # write through a view with steps
            z = x.copy()
            s, t = some_slice(dice, rows), some_slice(dice, columns)
            z[s, t] = z[s, t][::-1]
        elif what == 5:  # an update in place that other views see
            z = x.copy()
            view = z.T[some_slice(dice, columns)]
            view += view
        elif what == 6:
            z = x[some_slice(dice, rows)]
            z = np.concatenate([z, x])[:rows]
        elif what == 7:  # broadcast of a row and a column
            z = x[:1] + y[:, :1]
        elif what == 8:  # writes through indices, many of them the same, and through a mask
            z = x.copy()
            at = (np.arange(rows) * 7 + dice.roll(rows)) % (rows // 2 + 1)
            z[at, some_slice(dice, columns)] = x[at[::-1]][:, :1]
            mask = z[::-1] == y
            z[mask] = x[mask][::-1]
            np.add.at(z, (at[::2], slice(None, columns // 2)), 1)
        elif what == 9:  # what lies by columns, with what lies by rows
            z = (x.T + y.T + 1).T * (y != 0) - x
        else:
            z = (x != y).astype("int32") + (x == y)
        show("exact", z)
        real = z.real * 1.0
        # Products of small whole numbers are exact in any order, on every device.
        left = ((x != y) * (1 + dice.roll(3)) + np.arange(columns) % 3).astype(DTYPES[dice.roll(4)])
        right = ((z != 0)[::-1] + np.arange(rows)[:, None] % 5).astype(DTYPES[dice.roll(4)])
        form = dice.roll(6)
        if form == 0:
            product = left @ right.T
        elif form == 1:
            product = left.T[some_slice(dice, columns)] @ right
        elif form == 2:
            product = right[0] @ left.T
        elif form == 3:
            product = np.dot(left.T, right[:, some_slice(dice, columns)])
        elif form == 4:  # a batch, of which one factor is the same for all
            product = left[: rows // 4 * 4].reshape(4, rows // 4, columns) @ right[:9].T
        else:
            product = np.inner(left[:3], right)
        show("exact", product)
        axis = dice.roll(3)
        show("rounded", np.sum(real, axis=None if axis == 2 else axis))
        show("rounded", np.mean(real, axis=axis % 2, keepdims=True))
        show("rounded", ((real.T * 2.0 + 1.0) * real.T).sum(axis=axis % 2))
        show("exact", np.max(real, axis=axis % 2))
        show("exact", np.argmin(real, axis=axis % 2))
        show("exact", np.any(z == 0, axis=axis % 2))
        pool[dice.roll(len(pool))] = z

    # A loop over small arrays, which are repeated from the third turn on.
    a, b = (pool[0].real[:7, :5] * 1.0, pool[1].real[:7, :5] * 0.5)
    for turn in range(9):
        c = a * 2 + b
        c[1:-1, 1:-1] = (c[:-2, 1:-1] + c[2:, 1:-1]) * 0.25 - c[1:-1, :-2]
        d = c.T - 1
        d[:, 0] = d[:, -1]
        d[0] *= 0.5
        d += turn
        b = d.T * 0.125 + a
        b[b.shape[0] // 2] = 3
        a = abs(a - b) / 4
        a[:, 2] += c[:, 1]
        show("exact", a)
    show("exact", b)


print(np.__name__)
for seed in sys.argv[1:]:
    program(Dice(int(seed)))
