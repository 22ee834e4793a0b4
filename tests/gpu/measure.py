"""Time array programs, through weft or, for "measure.py cupy", through CuPy: microseconds a step, and bytes that a step moves at least.

Steps whose results nothing else needs are waited for one by one: weft would leave out all but the last.
"""

import sys
import time

MB = 1 << 20


def keep(f):
    """A step whose result lives until the next one's does."""
    kept = [None]

    def step():
        kept[0] = f()

    return step


def cases(np):
    """Name, bytes of a step, steps, the step, and whether to wait for each."""
    for dtype in ("float64", "float32"):
        a = np.ones(512 * MB // np.dtype(dtype).itemsize, dtype)
        b = np.ones_like(a)
        out = np.empty_like(a)
        yield f"a + b into an array, {dtype}", 3 * 512 * MB, 20, lambda a=a, b=b, out=out: np.add(a, b, out), True
        yield f"a.sum(), {dtype}", 512 * MB, 20, keep(lambda a=a: a.sum()), True
        yield f"sqrt(a) * 2 + b, {dtype}", 3 * 512 * MB, 20, keep(lambda a=a, b=b: np.sqrt(a) * 2 + b), True
    for dtype in ("float16", "uint8"):
        a = np.ones(512 * MB // np.dtype(dtype).itemsize, dtype)
        b = np.ones_like(a)
        out = np.empty_like(a)
        yield f"a + b into an array, {dtype}", 3 * 512 * MB, 20, lambda a=a, b=b, out=out: np.add(a, b, out), True
    for dtype in ("float64", "float32"):
        a = np.ones((8192, 8192), dtype)
        yield f"a.T.copy(), {dtype}", 2 * 8192 * 8192 * np.dtype(dtype).itemsize, 20, keep(lambda a=a: a.T.copy()), True
    for side in (512, 8192):
        u = np.ones((side, side))

        def heat(u=u):
            u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])

        yield f"heat, {side} x {side}", 16 * side * side, 50, heat, False
        p = [np.ones((side, side), "float32"), np.full((side, side), 0.25, "float32")]

        def gray_scott(p=p, np=np):
            u, v = p
            uc, vc = u[1:-1, 1:-1], v[1:-1, 1:-1]
            lu = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * uc
            lv = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * vc
            uvv = uc * vc * vc
            nu, nv = u.copy(), v.copy()
            nu[1:-1, 1:-1] = uc + 0.16 * lu - uvv + 0.06 * (1 - uc)
            nv[1:-1, 1:-1] = vc + 0.08 * lv + uvv - 0.122 * vc
            p[:] = nu, nv

        yield f"Gray-Scott, {side} x {side}, float32", 16 * side * side, 50, gray_scott, False
    small = np.ones(1000)
    yield "a + b of 1000 elements", 0, 1000, keep(lambda: small + small), False


def main(library):
    if library == "cupy":
        import cupy as np

        wait = np.cuda.Device().synchronize
    else:
        import weft as np

        wait = np.sync
    for name, size, steps, step, alone in cases(np):
        least = float("inf")
        for _ in range(4):  # the first one compiles
            wait()
            start = time.perf_counter()
            for _ in range(steps):
                step()
                if alone:
                    wait()
            wait()
            least = min(least, (time.perf_counter() - start) / steps)
        rate = f"{size / least / 1e9:9.1f} GB/s" if size else ""
        print(f"{library:5} {name:40} {least * 1e6:10.1f} us {rate}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "weft")
