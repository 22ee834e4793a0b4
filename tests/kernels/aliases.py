"""Kernels of which several arguments lie in the same memory: threads see what others have written by another name, as CUDA's do.

    python -m kernels.aliases FIRST LAST     what the programs of these seeds give on whatever devices WEFT_ARGS names, as JSON

With NUMBA_ENABLE_CUDASIM=1, Numba's simulator gives it, which is another twin.
"""

import importlib
import json
import os
import random
import sys

import numpy

cuda = importlib.import_module("numba.cuda" if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else "weft.cuda")
SIZE = 40
LAYOUTS = ("part", "part", "step", "back", "all")


@cuda.jit
def mixed(a, b, c, turns, odd):
    """Threads of a block read before a barrier, and write elements of their own behind it."""
    i = cuda.threadIdx.x
    for k in range(turns):
        v = a[(i * odd + k) % a.size] + b[(i + k) % b.size] + c[0]
        cuda.syncthreads()
        if i < c.size:
            c[i] = v % 1009
        cuda.syncthreads()
        w = c[(i + 1) % c.size] * 3 + a[i % a.size]
        cuda.syncthreads()
        if i < b.size:
            b[i] = w % 1013
        cuda.syncthreads()


def mixed_plainly(a, b, c, turns, odd):
    i = numpy.arange(SIZE)
    for k in range(turns):
        v = a[(i * odd + k) % a.size] + b[(i + k) % b.size] + c[0]
        c[:] = (v % 1009)[: c.size]
        w = c[(i + 1) % c.size] * 3 + a[i % a.size]
        b[:] = (w % 1013)[: b.size]


@cuda.jit
def own(a, b, c, turns, odd):
    """Each thread writes elements of its own: as lanes, unless an argument is another's memory."""
    i = cuda.grid(1)
    if i < c.size and i < a.size and i < b.size:
        b[i] = a[i] + odd
        c[i] = b[i] * 2 + a[i]
        b[i] = c[i] - turns


def own_plainly(a, b, c, turns, odd):
    for i in range(min(a.size, b.size, c.size)):
        b[i] = a[i] + odd
        c[i] = b[i] * 2 + a[i]
        b[i] = c[i] - turns


@cuda.jit
def in_order(a, b, c, turns, odd):
    """One thread, each of whose steps sees all that earlier ones have written."""
    for k in range(turns * 8):
        b[k % b.size] = a[k * odd % a.size] + c[-1]
        c[k % c.size] = (b[(k + 1) % b.size] + a[0]) % 997


def in_order_plainly(a, b, c, turns, odd):
    for k in range(turns * 8):
        b[k % b.size] = a[k * odd % a.size] + c[-1]
        c[k % c.size] = (b[(k + 1) % b.size] + a[0]) % 997


@cuda.jit
def added(a, b, c, turns, odd):
    """Additions, atomic ones, by two names of the same memory."""
    i = cuda.grid(1)
    for k in range(turns):
        cuda.atomic.add(b, (i * odd + k) % b.size, 1)
        cuda.atomic.add(c, (i + k) % c.size, 2)


def added_plainly(a, b, c, turns, odd):
    for i in range(SIZE):
        for k in range(turns):
            b[(i * odd + k) % b.size] += 1
            c[(i + k) % c.size] += 2


@cuda.jit
def written(a, b):
    """Threads write by one name what they read by the other behind a barrier."""
    i = cuda.grid(1)
    a[i] = i + 1
    cuda.syncthreads()
    b[i] = b[i] * 10


# By name: the kernel, what does the same plainly, and how many threads it has (0 for as many as there are elements). Threads of `own`
# take turns in no order, so that all of its arguments are the same part.
KERNELS = {"mixed": (mixed, mixed_plainly, 0), "own": (own, own_plainly, 0), "in_order": (in_order, in_order_plainly, 1), "added": (added, added_plainly, 0)}


def part(r):
    """A part of an array, as a slice."""
    low, high = sorted(r.sample(range(SIZE + 1), 2))
    step = {"part": 1, "step": r.randint(2, 3), "back": -1, "all": 1}
    chosen = r.choice(LAYOUTS)
    if chosen == "all":
        return slice(None)
    return slice(low, high, step[chosen]) if step[chosen] > 0 else slice(high - 1, low - 1 if low else None, -1)


def program(seed):
    """A kernel's name, where its three arguments lie, what else is done to the array before, and the numbers."""
    r = random.Random(seed)
    name = r.choice(list(KERNELS))
    parts = [part(r)] * 3 if name == "own" or r.random() < 0.2 else [part(r) for _ in range(3)]
    return name, parts, [part(r) for _ in range(r.randint(0, 2))], r.randint(1, 4), r.choice((1, 3, 7))


def outcome(seed, plain):
    """What the array holds behind the program, or by the plain functions."""
    name, parts, before, turns, odd = program(seed)
    kernel, plainly, threads = KERNELS[name]
    array = numpy.array if plain else cuda.to_device
    x = array(numpy.arange(SIZE) * 5 % 31)
    for at in before:
        x[at] = array(numpy.arange(len(range(SIZE)[at])))
    args = [x[at] for at in parts]
    if plain:
        plainly(*args, turns, odd)
        return x.tolist()
    kernel[1, threads or SIZE](*args, turns, odd)
    return x.copy_to_host().tolist()


if __name__ == "__main__":
    print(json.dumps([outcome(seed, False) for seed in range(int(sys.argv[1]), int(sys.argv[2]))]))
