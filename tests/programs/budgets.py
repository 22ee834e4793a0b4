"""What whole programs cost: prints one line for each of those that are asked for, or for all.

A line is the head of weft.plan(): operations, passes over memory, the bytes that these move, tasks and copies.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import weft
from bench import programs

# Sizes at which arrays are cut into tiles and stores are renewed, and that run in no time.
SIZES = {
    "black_scholes_f64": {"n": 200_000},
    "stencil": {"n": 600, "steps": 12},
    "gray_scott": {"n": 600, "steps": 12},
    "jacobi": {"n": 600, "steps": 6},
    "cg": {"n": 400, "steps": 4},
    "kmeans": {"n": 20_000, "dims": 4, "k": 4, "steps": 2},
    "logistic": {"n": 20_000, "dims": 8, "steps": 4},
    "cfd_41": {"steps": 4, "relaxations": 10},
    "cfd_401": {"n": 401, "steps": 2, "relaxations": 10},
}


def heat():
    """The notebook's loop."""
    u = weft.zeros((502, 502))
    u[0] = 100.0
    for _ in range(20):
        u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u.mean()


def products():
    """Products of matrices, one of many rows, one of few, one of a batch."""
    a, b = weft.ones((512, 512)), weft.ones((512, 512))
    c = a @ b @ a
    return c, weft.ones((8, 512)) @ c, weft.ones((6, 128, 128)) @ weft.ones((6, 128, 128))


def run(name):
    if name == "heat":
        return heat()
    if name == "products":
        return products()
    program = next(program for program in programs.table() if program.name == name)
    size = program.size("full")
    vars(size).update(SIZES[name])
    inputs = [weft.array(x) for x in program.data(size)]  # memory of its own, which ops may run ahead on
    return program.plain(weft, size)(*inputs)


if __name__ == "__main__":
    name = sys.argv[1]
    kept = run(name)
    weft.sync()
    head = str(weft.plan("*")).splitlines()[0]
    print(f"{name}: {head.partition(': ')[2]}")
