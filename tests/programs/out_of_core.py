"""A NumPy program whose arrays are larger than the GPUs' memory: each of the large ones has 16 MB.

Run by test_memory.py with GPUs of 3 MB. Under weft it also says, on stderr, what left memories and why.
"""

import json
import sys

import numpy as np

n = 2_000_000
x = np.arange(n, dtype=np.float64)
y = np.sqrt(x) * 0.5 + 1
z = x[::-1] * y - np.abs(y)
for _ in range(2):
    z[1:-1] = 0.25 * (z[:-2] + 2 * z[1:-1] + z[2:])
print(z.max(), z[5], z[n // 2], y[-1])

m = z.reshape(2000, 1000)
w = np.zeros_like(m)
w[1:-1, 1:-1] = 0.25 * (m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])
half = m[:, :500] + w[:, 500:]
print(w.max(), w[1000, 500], half.min(), half[17, 3], w.sum(axis=1)[7], w.sum(axis=0)[9])

turned = m.T + 1.0
print(turned[3, 1999], turned.max(), (x > 1000).sum(), np.sort(w[:, 7])[1000])
total = x.copy()
total += turned.reshape(-1)
w[::2] = 7
print(total[12345], w.sum(), np.where(total > y, x, y)[::3].sum())

if np.__name__ == "weft":
    print(json.dumps([np.stats(), repr(np.plan("*"))]), file=sys.stderr)
