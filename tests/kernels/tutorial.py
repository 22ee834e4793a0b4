"""The kernels that courses on CUDA in Python teach, each launched on so little that Numba's simulator, which has a thread of the
system for each of theirs, takes a tenth of a second. (Random states, which it takes seconds to make, are in test_cuda_random.py.)

    python tutorial.py           what each gives, as JSON, on weft
    python tutorial.py numba     likewise, by Numba: what is imported is all that differs
"""

import json
import math
import sys

import numpy as np

if "numba" in sys.argv:
    from numba import cuda, float64, int32
else:
    from weft import cuda
    from weft.numba import float64, int32

TILE = 4
BLOCK = 16
BINS = 8
CUTOFF = 2.5
R = np.random.default_rng(11)
PROGRAMS = {}


def program(grid, block, *args):
    """Note a kernel with its launch: (kernel, grid, block, arguments)."""

    def note(kernel):
        PROGRAMS[kernel.__name__ if hasattr(kernel, "__name__") else kernel.py_func.__name__] = [(kernel, grid, block, args)]
        return kernel

    return note


def image(*shape):
    return R.integers(0, 256, shape).astype(np.float64)


@program(4, 8, image(30), image(30), np.zeros(30))
@cuda.jit
def vector_add(x, y, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if i < out.size:
        out[i] = x[i] + y[i]


@program(2, 8, np.float32(2.5), R.normal(size=40).astype("f4"), R.normal(size=40).astype("f4"))
@cuda.jit
def saxpy(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


@program((2, 2), (4, 4), image(5, 7), np.zeros((7, 5)))
@cuda.jit
def by_two_axes(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[x, y] = a[y, x] * 10 + cuda.gridDim.x


@program((2, 2), (TILE, TILE), image(7, 6), image(6, 5), np.zeros((7, 5)))
@cuda.jit
def tiled_matmul(a, b, c):
    sa = cuda.shared.array((TILE, TILE), float64)
    sb = cuda.shared.array((TILE, TILE), float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for k in range((a.shape[1] + TILE - 1) // TILE):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and k * TILE + tx < a.shape[1]:
            sa[ty, tx] = a[y, k * TILE + tx]
        if x < b.shape[1] and k * TILE + ty < b.shape[0]:
            sb[ty, tx] = b[k * TILE + ty, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@program(2, BLOCK, R.normal(size=29), np.zeros(2))
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(BLOCK, float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    reach = BLOCK // 2
    while reach > 0:
        if t < reach:
            part[t] += part[t + reach]
        cuda.syncthreads()
        reach //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@program(2, BLOCK, image(37), np.zeros(BINS, "i4"))
@cuda.jit
def histogram(x, bins):
    mine = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, int(x[i] * BINS // 256), 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(bins, t, mine[t])


@program(3, BLOCK, image(40), np.zeros(BINS, "i4"))
@cuda.jit
def global_histogram(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, int(x[i]) % BINS, 1)


@program(1, BLOCK, R.normal(size=BLOCK))
@cuda.jit
def hillis_steele(x):
    t = cuda.threadIdx.x
    now = cuda.shared.array(BLOCK, float64)
    now[t] = x[t]
    cuda.syncthreads()
    reach = 1
    while reach < BLOCK:
        before = now[t - reach] if t >= reach else 0.0
        cuda.syncthreads()
        now[t] += before
        cuda.syncthreads()
        reach *= 2
    x[t] = now[t]


@program(1, BLOCK // 2, R.normal(size=BLOCK))
@cuda.jit
def blelloch(x):
    t = cuda.threadIdx.x
    now = cuda.shared.array(BLOCK, float64)
    now[2 * t] = x[2 * t]
    now[2 * t + 1] = x[2 * t + 1]
    step, d = 1, BLOCK // 2
    while d > 0:
        cuda.syncthreads()
        if t < d:
            now[step * (2 * t + 2) - 1] += now[step * (2 * t + 1) - 1]
        step, d = step * 2, d // 2
    if t == 0:
        now[BLOCK - 1] = 0
    d = 1
    while d < BLOCK:
        step //= 2
        cuda.syncthreads()
        if t < d:
            low, high = step * (2 * t + 1) - 1, step * (2 * t + 2) - 1
            carried = now[low]
            now[low] = now[high]
            now[high] += carried
        d *= 2
    cuda.syncthreads()
    x[2 * t] = now[2 * t]
    x[2 * t + 1] = now[2 * t + 1]


@program((2, 2), (TILE, TILE), image(7, 6), np.zeros((6, 7)))
@cuda.jit
def padded_transpose(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * TILE + tx, cuda.blockIdx.x * TILE + ty
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = tile[tx, ty]


@program(3, BLOCK, image(40), np.zeros(40))
@cuda.jit
def stencil_of_a_line(x, out):
    near = cuda.shared.array(BLOCK + 4, float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    near[t + 2] = x[i] if i < x.size else 0
    if t < 2:
        near[t] = x[i - 2] if i >= 2 else 0
        near[t + BLOCK + 2] = x[i + BLOCK] if i + BLOCK < x.size else 0
    cuda.syncthreads()
    if i < x.size:
        total = 0.0
        for k in range(5):
            total += near[t + k]
        out[i] = total


@program((2, 2), (TILE, TILE), image(7, 6), np.zeros((7, 6)))
@cuda.jit
def heat_of_a_plate(u, out):
    near = cuda.shared.array((TILE + 2, TILE + 2), float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    h, w = u.shape
    inside = x < w and y < h
    if inside:
        near[ty, tx] = u[y, x]
        if tx == 1:
            near[ty, 0] = u[y, x - 1] if x > 0 else 0
        if ty == 1:
            near[0, tx] = u[y - 1, x] if y > 0 else 0
        if tx == TILE or x == w - 1:
            near[ty, tx + 1] = u[y, x + 1] if x + 1 < w else 0
        if ty == TILE or y == h - 1:
            near[ty + 1, tx] = u[y + 1, x] if y + 1 < h else 0
    cuda.syncthreads()
    if inside:
        around = near[ty - 1, tx] + near[ty + 1, tx] + near[ty, tx - 1] + near[ty, tx + 1]
        out[y, x] = near[ty, tx] + 0.1 * (around - 4 * near[ty, tx])


@program(1, (6, 5), R.integers(0, 2, (5, 6)).astype("i4"), np.zeros((5, 6), "i4"), 3)
@cuda.jit
def game_of_life(now, then, turns):
    x, y = cuda.grid(2)
    h, w = now.shape
    grid = cuda.cg.this_grid()
    for _ in range(turns):
        around = 0
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                if dx != 0 or dy != 0:
                    around += now[(y + dy + h) % h, (x + dx + w) % w]
        then[y, x] = 1 if around == 3 or (around == 2 and now[y, x] == 1) else 0
        grid.sync()
        now[y, x] = then[y, x]
        grid.sync()


@cuda.jit(device=True)
def escape(x, y, most):
    c = complex(x, y)
    z = 0.0j
    for n in range(most):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return n
    return most


@program((2, 2), (4, 4), np.zeros((7, 8), "u1"), -2.0, 1.0, -1.0, 1.0, 20)
@cuda.jit
def mandelbrot(image, left, right, low, high, most):
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        image[y, x] = escape(left + x * (right - left) / image.shape[1], low + y * (high - low) / image.shape[0], most)


@program((2, 2), (4, 4), np.zeros((7, 8), "i4"), -0.8, 0.156)
@cuda.jit
def julia(image, a, b):
    x, y = cuda.grid(2)
    if x >= image.shape[1] or y >= image.shape[0]:
        return
    u, v = 1.5 * (x - 4) / 4, (y - 3.5) / 3.5
    n = 0
    while n < 50 and u * u + v * v < 4:
        u, v = u * u - v * v + a, 2 * u * v + b
        n += 1
    image[y, x] = n


@program(2, 8, R.normal(size=(13, 3)), np.zeros((13, 3)))
@cuda.jit
def n_body(p, out):
    i = cuda.grid(1)
    if i < p.shape[0]:
        x = y = z = 0.0
        for k in range(p.shape[0]):
            dx, dy, dz = p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]
            f = (dx * dx + dy * dy + dz * dz + 1e-2) ** -1.5
            x, y, z = x + dx * f, y + dy * f, z + dz * f
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


@program(2, 8, R.uniform(0, 4, (12, 3)), np.zeros(12))
@cuda.jit
def lennard_jones(p, energy):
    i = cuda.grid(1)
    if i >= p.shape[0]:
        return
    total = 0.0
    for k in range(p.shape[0]):
        if k == i:
            continue
        r2 = 0.0
        for axis in range(3):
            d = p[i, axis] - p[k, axis]
            r2 += d * d
        if r2 < CUTOFF * CUTOFF:
            s6 = 1.0 / (r2 * r2 * r2)
            total += 4 * s6 * (s6 - 1)
    energy[i] = total / 2


@program(1, BLOCK, R.normal(size=BLOCK))
@cuda.jit
def bitonic_sort(x):
    t = cuda.threadIdx.x
    now = cuda.shared.array(BLOCK, float64)
    now[t] = x[t]
    cuda.syncthreads()
    run = 2
    while run <= BLOCK:
        reach = run // 2
        while reach > 0:
            other = t ^ reach
            if other > t and (now[t] > now[other]) == (t & run == 0):
                now[t], now[other] = now[other], now[t]
            cuda.syncthreads()
            reach //= 2
        run *= 2
    x[t] = now[t]


@program(1, BLOCK // 2, image(BLOCK))
@cuda.jit
def odd_even_sort(x):
    t = cuda.threadIdx.x
    for turn in range(x.size):
        i = 2 * t + turn % 2
        if i + 1 < x.size and x[i] > x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]
        cuda.syncthreads()


@cuda.jit
def through(d, k):
    x, y = cuda.grid(2)
    if x < d.shape[1] and y < d.shape[0]:
        d[y, x] = min(d[y, x], d[y, k] + d[k, x])


N = 5
GRAPH = np.where(R.random((N, N)) < 0.5, R.integers(1, 9, (N, N)), 99).astype(np.int64)
PROGRAMS["floyd_warshall"] = [(through, (2, 2), (4, 4), (GRAPH, k)) for k in range(N)]


@cuda.jit(device=True)
def normal(d):
    return 0.5 * (1 + math.erf(d / math.sqrt(2.0)))


@program(2, 8, R.uniform(5, 30, 14), R.uniform(1, 100, 14), R.uniform(0.25, 10, 14), 0.02, 0.3, np.zeros(14), np.zeros(14))
@cuda.jit
def black_scholes(price, strike, years, rate, spread, call, put):
    i = cuda.grid(1)
    if i >= price.size:
        return
    width = spread * math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * spread * spread) * years[i]) / width
    later = strike[i] * math.exp(-rate * years[i])
    call[i] = price[i] * normal(d1) - later * normal(d1 - width)
    put[i] = later * (1 - normal(d1 - width)) - price[i] * (1 - normal(d1))


DENSE = np.where(R.random((9, 7)) < 0.4, R.normal(size=(9, 7)), 0)
STARTS = np.concatenate([[0], np.count_nonzero(DENSE, axis=1).cumsum()])


@program(2, 8, DENSE[DENSE != 0], np.nonzero(DENSE)[1].copy(), STARTS, R.normal(size=7), np.zeros(9))
@cuda.jit
def sparse_product(values, columns, starts, x, out):
    row = cuda.grid(1)
    if row < out.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        out[row] = total


@program(1, 6, 6, np.zeros(1, "i8"))
@cuda.jit
def queens(n, found):
    """A thread for each place of the first queen; the others by going back and forth."""
    columns = cuda.local.array(8, int32)
    columns[0] = cuda.threadIdx.x
    row, columns[1] = 1, -1
    solutions = 0
    while row >= 1:
        columns[row] += 1
        if columns[row] >= n:
            row -= 1
            continue
        free = True
        for k in range(row):
            apart = columns[row] - columns[k]
            if apart == 0 or apart == row - k or apart == k - row:
                free = False
        if free:
            if row == n - 1:
                solutions += 1
            else:
                row += 1
                columns[row] = -1
    cuda.atomic.add(found, 0, solutions)


@program(1, 8, np.frombuffer(b"kitten", "u1").copy(), np.frombuffer(b"sitting", "u1").copy(), np.zeros((7, 8), "i4"))
@cuda.jit
def edit_distance(a, b, d):
    i = cuda.threadIdx.x
    for diagonal in range(a.size + b.size + 1):
        j = diagonal - i
        if i <= a.size and j >= 0 and j <= b.size:
            if i == 0 or j == 0:
                d[i, j] = i + j
            else:
                other = 0 if a[i - 1] == b[j - 1] else 1
                d[i, j] = min(min(d[i - 1, j] + 1, d[i, j - 1] + 1), d[i - 1, j - 1] + other)
        cuda.syncthreads()


@program(2, 8, R.normal(size=(15, 2)), R.normal(size=(3, 2)), np.zeros(15, "i4"), np.zeros(3, "i4"))
@cuda.jit
def nearest_centres(points, centres, which, sizes):
    i = cuda.grid(1)
    if i >= points.shape[0]:
        return
    best, least = -1, math.inf
    for c in range(centres.shape[0]):
        dx, dy = points[i, 0] - centres[c, 0], points[i, 1] - centres[c, 1]
        d = dx * dx + dy * dy
        if d < least:
            best, least = c, d
    which[i] = best
    cuda.atomic.add(sizes, best, 1)


@program((2, 2), (4, 4), R.integers(0, 256, (6, 7, 3)).astype("u1"), np.zeros((6, 7, 3), "u1"))
@cuda.jit
def blur(image, out):
    x, y = cuda.grid(2)
    h, w, colours = image.shape
    if x >= w or y >= h:
        return
    for c in range(colours):
        total, n = 0, 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if 0 <= y + dy < h and 0 <= x + dx < w:
                    total += int(image[y + dy, x + dx, c])
                    n += 1
        out[y, x, c] = total // n


TEXT = b"The kernel reads each byte once, and counts words, vowels and lines.\nA second line.\n"


@program(2, 16, np.frombuffer(TEXT, "u1").copy(), np.zeros(3, "i4"))
@cuda.jit
def count_words(text, counts):
    for i in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        byte = text[i]
        letter = (byte | 32) >= 97 and (byte | 32) <= 122
        before = i > 0 and (text[i - 1] | 32) >= 97 and (text[i - 1] | 32) <= 122
        if letter and not before:
            cuda.atomic.add(counts, 0, 1)
        lower = byte | 32
        if letter and (lower == 97 or lower == 101 or lower == 105 or lower == 111 or lower == 117):
            cuda.atomic.add(counts, 1, 1)
        if byte == 10:
            cuda.atomic.add(counts, 2, 1)


def plain(array):
    """A float as its bits, so that results compare as they are."""
    array = np.asarray(array)
    if array.dtype.names:
        return [[int(v) for v in row] for row in array.tolist()]
    return [v.hex() for v in array.ravel().tolist()] if array.dtype.kind == "f" else array.ravel().tolist()


def run(name):
    """What the arrays of a program hold behind it."""
    launches = PROGRAMS[name]
    held = {}  # by the array that was given: what the kernels take in its place
    for kernel, grid, block, args in launches:
        for a in args:
            if hasattr(a, "shape") and np.ndim(a) and id(a) not in held:
                held[id(a)] = a if hasattr(a, "copy_to_host") else cuda.to_device(a)
        kernel[grid, block](*(held.get(id(a), a) for a in args))
    cuda.synchronize()
    return [plain(a.copy_to_host()) for a in held.values()]


@cuda.reduce
def total(a, b):
    return a + b


def main():
    made = {name: run(name) for name in PROGRAMS}
    made["reduce"] = int(total(cuda.to_device(np.arange(100) * 3)))
    print(json.dumps(made))


if __name__ == "__main__":
    main()
