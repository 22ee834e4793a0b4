"""Products of floats in many shapes and layouts: equal to NumPy's but for rounding, and to themselves bit for bit.

    weft run products.py [FEWER]

Run by test_configurations.py under many configurations of the runtime. FEWER divides extents above 20: an interpreter takes each of the factors by itself.
"""

import sys

import numpy
import weft

rng = numpy.random.default_rng(5)
fewer = int(sys.argv[1]) if len(sys.argv) > 1 else 1
failed = 0


def check(name, function, *operands):
    """Compare with NumPy, element by element, by the size of the products' factors."""
    global failed
    want = numpy.asarray(function(numpy, *operands))
    ours = [weft.array(x) for x in operands]
    got, again = (numpy.asarray(function(weft, *ours)) for _ in range(2))
    eps = 4e-6 if want.dtype.name in ("float32", "complex64") else 1e-13
    scale = numpy.asarray(function(numpy, *(abs(x) for x in operands)))
    if got.dtype != want.dtype or got.shape != want.shape or not (abs(got - want) <= eps * scale + 1e-300).all():
        print(f"{name}: {got.dtype} {got.shape} differs from NumPy's {want.dtype} {want.shape}")
        failed += 1
    if got.tobytes() != again.tobytes():
        print(f"{name}: twice the same product has not the same bits")
        failed += 1


def random(*shape, dtype="float64"):
    shape = [n // fewer if n > 20 else n for n in shape]
    x = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def matmul(np, a, b):
    return a @ b


for dtype in ("float64", "float32", "complex128", "complex64"):
    check(f"square {dtype}", matmul, random(130, 130, dtype=dtype), random(130, 130, dtype=dtype))
check("rows", matmul, random(400, 90), random(90, 70))
check("few rows", matmul, random(3, 200), random(200, 700))
check("long k", matmul, random(20, 30000), random(30000, 20))
check("longer blocks", matmul, random(2, 9000), random(9000, 500))
check("vector and matrix", matmul, random(500), random(500, 400))
check("matrix and vector", matmul, random(500, 400), random(400))
check("a vector with steps", lambda np, a, b: a @ b[::3], random(300, 200), random(600))
check("vectors", lambda np, a, b: np.dot(a, b), random(20000), random(20000))
check("transposed", lambda np, a, b: a.T @ b.T, random(150, 120), random(130, 150))
check("backwards", lambda np, a, b: a[::-1, ::-1] @ b[:, ::2], random(100, 120), random(120, 260))
check("batch", matmul, random(7, 60, 50), random(7, 50, 40))
check("small matrices", matmul, random(900, 4, 4), random(900, 4, 4))
check("one matrix for a batch", matmul, random(5, 60, 50), random(50, 70))
check("a batch of vectors", matmul, random(40, 30, 50), random(50))
check("two batches", matmul, random(2, 1, 30, 40), random(3, 40, 20))
check("inner", lambda np, a, b: np.inner(a, b), random(90, 80), random(70, 80))
check("outer", lambda np, a, b: np.outer(a, b), random(90), random(70))
check("vdot", lambda np, a, b: np.vdot(a, b), random(30, 40), random(30, 40))
check("dot of three axes", lambda np, a, b: np.dot(a, b), random(6, 40, 50), random(3, 50, 20))
check("in steps", lambda np, a, b: (a @ b) @ (b.T @ a.T), random(140, 130), random(130, 120))
sys.exit(failed)
