"""Steps of a reaction and its diffusion on a GPU, of which each is looked at, or the last one: replayed.py each|last [bad]. With bad, a
kernel's index is out of bounds in step 40, which is an error there."""

import sys

import weft as np
from weft import cuda


@cuda.jit
def shifted(source, out, by):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = source[i + by]


each, bad = sys.argv[1] == "each", "bad" in sys.argv
n = 64
U, V = np.ones((n + 2, n + 2), dtype=np.float32), np.zeros((n + 2, n + 2), dtype=np.float32)
U[24:40, 24:40], V[24:40, 24:40] = 0.5, 0.25
u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
border, w = np.arange(3_000.0), np.zeros(3_000)
for step in range(100):
    lu = U[:-2, 1:-1] + U[1:-1, :-2] - 4 * u + U[1:-1, 2:] + U[2:, 1:-1]
    lv = V[:-2, 1:-1] + V[1:-1, :-2] - 4 * v + V[1:-1, 2:] + V[2:, 1:-1]
    if bad:
        shifted[12, 256](border, w, 1 if step == 40 else 0)
        border += w * 0.5
    uvv = u * v * v
    u += 0.16 * lu - uvv + 0.035 * (1 - u)
    v += 0.08 * lv + uvv - 0.1 * v
    if each:
        try:
            float(u[3, 3] + border[7])
        except IndexError as error:
            print(step, error)
for x in (U, V, border, w):
    try:
        print(x.sum(), hash(x.tobytes()))
    except IndexError as error:
        print(error)
