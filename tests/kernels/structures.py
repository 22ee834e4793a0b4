"""What a thread is given and how it goes on: records, slices, shapes, tuples, random states, control flow and device functions."""

import collections
import math

import numpy
import weft as np
from weft import cuda
from weft.cuda import random

from .row import LANES, F, Row

Pair = collections.namedtuple("Pair", ["scale", "shift"])
MASK = (1 << 64) - 1


@cuda.jit
def records(p, q):
    i = cuda.grid(1)
    r = p[i]
    p[i].x = r.x * 2 + r["n"]
    p[i]["n"] = i
    q[i] = r.x + p[i]["n"]  # r is where the record lies
    cuda.syncwarp()


def records_want(p, q):
    p["x"] = p["x"] * 2 + p["n"]
    p["n"] = LANES
    q[:] = p["x"] + p["n"]


@cuda.jit
def slices(a, out):
    i = cuda.grid(1)
    row = a[i, 1:]
    back = row[::-2]
    total = 0.0
    for k in range(back.shape[0]):
        total = total * 2 + back[k]
    out[i, :2] = row[1:3]
    out[i, 2:] = total
    cuda.syncwarp()


def slices_want(a, out):
    back = a[:, 1:][:, ::-2]
    out[:, :2], out[:, 2:] = a[:, 2:4], 0
    for k in range(back.shape[1]):
        out[:, 2:] = out[:, 2:] * 2 + back[:, k : k + 1]


def particles():
    p = numpy.zeros(64, [("x", "f8"), ("n", "i4")])
    p["x"], p["n"] = F, LANES * 3
    return p


@cuda.jit
def numbers(states, out):
    i = cuda.grid(1)
    out[i, 0] = random.xoroshiro128p_uniform_float32(states, i)
    out[i, 1] = random.xoroshiro128p_uniform_float64(states, i)
    out[i, 2] = random.xoroshiro128p_normal_float32(states, i)
    out[i, 3] = random.xoroshiro128p_normal_float64(states, i)


def generated(state):
    """xoroshiro128+ as its authors write it: the next number as a fraction, in float64."""
    s0, s1 = state
    number = (s0 + s1) & MASK
    s1 ^= s0
    state[:] = ((s0 << 55 | s0 >> 9) & MASK) ^ s1 ^ (s1 << 14) & MASK, (s1 << 36 | s1 >> 28) & MASK
    return (number >> 11) * 2.0**-53


def numbers_want(states, out):
    """Normal ones are by Box and Muller, of two fractions in float32."""
    for row, state in zip(out, states.copy_to_host(), strict=True):
        state = [int(state["s0"]), int(state["s1"])]
        row[:2] = numpy.float32(generated(state)), generated(state)
        for at in 2, 3:
            first, second = (float(numpy.float32(generated(state))) for _ in range(2))
            row[at] = math.sqrt(-2 * math.log(first)) * math.cos(2 * math.pi * second)


@cuda.jit
def arguments(pair, plain, n, flag, z, out):
    i = cuda.grid(1)
    out[i] = (plain[1][i] * pair.scale + pair.shift) * z if flag else plain[0] + n
    cuda.syncwarp()


def arguments_want(pair, plain, n, flag, z, out):
    out[:] = (plain[1] * pair.scale + pair.shift) * z


def swapped(a, b):
    return b, a - 1


@cuda.jit(device=True)
def deep(x, n=3):
    total = 0.0
    for _ in range(n):
        if total > 50:
            return total
        x, total = swapped(total + x, x)
    return total + x


@cuda.jit
def control(x, out):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    k = 0
    while k < 40:
        k += 1
        if k % 3 == 0:
            continue
        if k * x[i] > 60:
            break
    else:
        k = -k
    out[i] = deep(x[i], n=4) + deep(x[i]) + k
    cuda.syncwarp()


def control_want(x, out):
    for i, v in enumerate(x.tolist()):
        k = 0
        while k < 40:
            k += 1
            if k % 3 == 0:
                continue
            if k * v > 60:
                break
        else:
            k = -k
        out[i] = deep.py_func(v, 4) + deep.py_func(v) + k


@cuda.jit
def shapes(a, out):
    i = cuda.grid(1)
    total = 0.0
    for j, row in enumerate(a):
        for v in row:
            total += v * j
    for (j, k), v in np.ndenumerate(a[:2]):
        total += j * k + v
    out[i, 0] = total + a.sum() + a.T[i % 5].mean() + a.argmax()
    out[i, 1] = a.reshape(-1, 2)[i % 4, 1] + a.strides[0] + a.size
    match i % 3:
        case 0:
            out[i, 2] = a.min()
        case 1 | 2 as k:
            out[i, 2] = a[k].max()
    cuda.syncwarp()


def shapes_want(a, out):
    total = sum(v * j for j, row in enumerate(a) for v in row) + sum(j * k + v for (j, k), v in numpy.ndenumerate(a[:2]))
    for i in range(len(out)):
        k = i % 3
        out[i] = total + a.sum() + a.T[i % 5].mean() + a.argmax(), a.reshape(-1, 2)[i % 4, 1] + a.strides[0] + a.size, a[k].max() if k else a.min()


@cuda.jit(device=True)
def position(row, wanted):
    for k in range(row.shape[0]):
        if row[k] == wanted:
            return k


@cuda.jit
def optional(a, out):
    i = cuda.grid(1)
    least, pair = None, None
    for k in range(a.shape[1]):
        x = a[i, k]
        if x > 0 and (least is None or x < least):
            least = x
        pair = None if x == 5 else (k, x)
    if pair is not None:
        out[i, 0] = pair[0] * 10 + pair[1]
    out[i, 1] = least or -1
    at = position(a[i], 2)
    out[i, 2] = at if at != None else 100  # noqa: E711
    some = (1, None if a[i, 0] < 0 else a[i, 0])
    out[i, 3] = some[0] if some[1] is None else some[1] * 7
    left = None if a[i, 1] < 0 else 4
    while left:
        out[i, 4] += left
        left = left - a[i, 1] if left > a[i, 1] > 0 else None
    cuda.syncwarp()


def optional_want(a, out):
    for row, to in zip(a.tolist(), out, strict=True):
        to[0] = 0 if row[-1] == 5 else (len(row) - 1) * 10 + row[-1]
        to[1] = min((x for x in row if x > 0), default=-1)
        to[2] = row.index(2) if 2 in row else 100
        to[3] = 1 if row[0] < 0 else row[0] * 7
        left = 4 if row[1] >= 0 else 0
        while left > 0:
            to[4] += left
            left = left - row[1] if row[1] > 0 else 0


@cuda.jit
def absent(a, out):
    i = cuda.grid(1)
    out[i] = position(a[i], 2) + 1
    cuda.syncwarp()


def signed():
    return (numpy.arange(32 * 6) * 7919 % 11 - 4).reshape(32, 6)


ROWS = {
    "records": Row(records, 2, 32, lambda: [particles(), numpy.zeros(64)], records_want),
    "slices": Row(slices, 1, 8, lambda: [F.reshape(8, 8).copy(), numpy.zeros((8, 4))], slices_want, tolerance=1e-14),
    "numbers": Row(numbers, 1, 32, lambda: [random.create_xoroshiro128p_states(32, seed=7), numpy.zeros((32, 4))], numbers_want, tolerance=2e-6),
    "arguments": Row(arguments, 2, 32, lambda: [Pair(2.5, 1), (1, cuda.to_device(F)), 3, True, 2j, numpy.zeros(64, complex)],
                     lambda pair, plain, n, flag, z, out: arguments_want(pair, (1, F), n, flag, z, out)),
    "control": Row(control, 2, 64, lambda: [F.copy(), numpy.zeros(64)], control_want, tolerance=1e-13),
    "optional": Row(optional, 1, 32, lambda: [signed(), numpy.zeros((32, 5), int)], optional_want),
    "absent": Row(absent, 1, 32, lambda: [signed(), numpy.zeros(32, int)], wrong="TypeError: absent at"),
    "shapes": Row(shapes, 1, 32, lambda: [F[:30].reshape(6, 5).copy(), numpy.zeros((32, 3))], shapes_want, tolerance=1e-13),
}  # fmt: skip
