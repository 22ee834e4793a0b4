"""The programs: as CUDA kernels, and as the same loops for @njit(parallel=True)."""

import math
import types

# What the kernels are compiled with: cuda_kernels sets it in the globals that it gives them, and the compiled forms of pulled and turns.
cuda = float32 = None
TILE = 16


def pulled(p, i):
    """How all bodies pull one of them."""
    x = y = z = 0.0
    for k in range(p.shape[0]):
        dx, dy, dz = p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2]
        r = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
        f = r * r * r
        x += dx * f
        y += dy * f
        z += dz * f
    return x, y, z


def turns(cx, cy, most):
    """How many turns a point of the plane stays near the origin."""
    zx = zy = 0.0
    n = 0
    while n < most and zx * zx + zy * zy < 4:
        zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        n += 1
    return n


def matmul_kernel(a, b, c):
    sa = cuda.shared.array((TILE, TILE), float32)
    sb = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // TILE):
        sa[ty, tx] = a[y, tx + k * TILE]
        sb[ty, tx] = b[ty + k * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    c[y, x] = total


def bodies_kernel(p, out):
    i = cuda.grid(1)
    if i < p.shape[0]:
        x, y, z = pulled(p, i)
        out[i, 0] = x
        out[i, 1] = y
        out[i, 2] = z


def mandelbrot_kernel(image, most):
    px, py = cuda.grid(2)
    if px < image.shape[1] and py < image.shape[0]:
        image[py, px] = turns(-2 + px * 2.5 / image.shape[1], -1.25 + py * 2.5 / image.shape[0], most)


def cuda_kernels(module, real, **options):
    """The kernels, compiled by a module cuda with options. Their globals are their own: Numba's simulator looks cuda up there."""
    made = {"matmul": matmul_kernel, "n-body": bodies_kernel, "Mandelbrot": mandelbrot_kernel}
    names = globals() | {"cuda": module, "float32": real}
    for f in (pulled, turns):
        names[f.__name__] = module.jit(types.FunctionType(f.__code__, names, f.__name__), device=True)
    return {name: module.jit(types.FunctionType(f.__code__, names, f.__name__), **options) for name, f in made.items()}


def loops(njit, prange):
    """The same as loops."""
    pull, escape = njit(pulled), njit(turns)

    @njit(parallel=True)
    def matmul(a, b, c):
        for y in prange(c.shape[0]):
            for k in range(a.shape[1]):
                v = a[y, k]
                for x in range(c.shape[1]):
                    c[y, x] += v * b[k, x]

    @njit(parallel=True)
    def bodies(p, out):
        for i in prange(p.shape[0]):
            out[i, 0], out[i, 1], out[i, 2] = pull(p, i)

    @njit(parallel=True)
    def mandelbrot(image, most):
        for py in prange(image.shape[0]):
            for px in range(image.shape[1]):
                image[py, px] = escape(-2 + px * 2.5 / image.shape[1], -1.25 + py * 2.5 / image.shape[0], most)

    return {"matmul": matmul, "n-body": bodies, "Mandelbrot": mandelbrot}


def formula(x, y):
    """What @vectorize is timed with."""
    return math.exp(-x * x) * math.sin(y) + math.sqrt(x * x + y * y)


def sizes(quick):
    """For each program: the arguments of the kernel by NumPy's arrays, its blocks and threads."""
    import numpy

    n, bodies, wide = (64, 256, 96) if quick else (512, 4096, 768)
    r = numpy.random.default_rng(1)
    a, b = (r.normal(size=(n, n)).astype("f") for _ in range(2))
    return {
        "matmul": ((a, b, numpy.zeros((n, n), "f")), (n // 16, n // 16), (16, 16)),
        "n-body": ((r.normal(size=(bodies, 3)), numpy.zeros((bodies, 3))), -(-bodies // 128), 128),
        "Mandelbrot": ((numpy.zeros((wide, wide), "i4"), 100), (wide // 16, wide // 16), (16, 16)),
    }
