"""Gray-Scott, the game of life and the Mandelbrot set; prints what became of them."""

import numpy as np


def laplacian(a):
    return a[:-2, 1:-1] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1]


def gray_scott(n=40, steps=60, du=0.16, dv=0.08, feed=0.06, kill=0.062):
    rng = np.random.default_rng(5)
    whole_u, whole_v = np.ones((n + 2, n + 2)), np.zeros((n + 2, n + 2))
    u, v = whole_u[1:-1, 1:-1], whole_v[1:-1, 1:-1]
    middle = slice(n // 2 - 5, n // 2 + 5)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    u += 0.05 * rng.uniform(-1, 1, u.shape)
    v += 0.05 * rng.uniform(-1, 1, v.shape)
    for _ in range(steps):
        change_u, change_v, uvv = laplacian(whole_u), laplacian(whole_v), u * v * v
        u += du * change_u - uvv + feed * (1 - u)
        v += dv * change_v + uvv - (feed + kill) * v
        for a in (whole_u, whole_v):
            a[0], a[-1] = a[-2], a[1]
            a[:, 0], a[:, -1] = a[:, -2], a[:, 1]
    return whole_u, whole_v


def life(cells):
    count = sum(np.roll(np.roll(cells, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return ((count == 3) | ((cells == 1) & (count == 2))).astype(np.uint8)


def mandelbrot(n, most=25):
    y, x = np.ogrid[-1.4 : 1.4 : n * 1j, -2 : 0.8 : n * 1j]
    c = x + y * 1j
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(most):
        inside = z.real**2 + z.imag**2 <= 4
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


for name, field in zip("uv", gray_scott(), strict=True):
    print(name, float(field.mean()), float(field.std()), float(field.min()), float(field.max()), *field[20, ::8].tolist())

board = np.zeros((16, 16), dtype=np.uint8)
board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
board[10, 8:11] = 1
for _ in range(13):
    board = life(board)
print("\n".join("".join(".#"[cell] for cell in row) for row in board))
print("alive", int(board.sum()), sorted({tuple(map(int, place)) for place in np.argwhere(board)}))

count = mandelbrot(60)
values, times = np.unique(count, return_counts=True)
print("mandelbrot", count.dtype, count.sum(), dict(zip(values.tolist(), times.tolist(), strict=True)))
print("edge", np.flatnonzero(np.diff(count[30])).tolist(), count[25:35, 30].tolist())
