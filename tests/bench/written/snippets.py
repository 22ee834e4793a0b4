"""Single lines in loops, at sizes from 10 to 1,000,000.

Every result goes into a value that is returned, so that none may be left out.
"""

from .rows import Row

SIZES = {"10": 10, "100": 100, "1e3": 1_000, "1e4": 10_000, "1e5": 100_000, "1e6": 1_000_000}


def numbers(np, n):
    return np.linspace(0.1, 0.9, n)


def item(np, s):
    """x[i] read in a loop."""
    x, t = numbers(np, s.n), 0.0
    for i in range(s.loops):
        t += x[i % s.n]
    return t


def element_set(np, s):
    x = numbers(np, s.n)
    for i in range(s.loops):
        x[i % s.n] = i
    return x


def elementwise(np, s):
    x, y = numbers(np, s.n), numbers(np, s.n)
    for _ in range(s.loops):
        y = 0.5 * (x + y)
    return y


def sliced(np, s):
    x = numbers(np, s.n)
    for _ in range(s.loops):
        x[1:-1] = 0.5 * (x[:-2] + x[2:])
    return x


def total(np, s):
    """float(x.sum())"""
    x, t = numbers(np, s.n), 0.0
    for _ in range(s.loops):
        t += float(x.sum())
    return t


def dotted(np, s):
    x, y, t = numbers(np, s.n), numbers(np, s.n), 0.0
    for _ in range(s.loops):
        t += x @ y
    return t


def normed(np, s):
    x, t = numbers(np, s.n), 0.0
    for _ in range(s.loops):
        t += np.linalg.norm(x)
    return t


def asked(np, s):
    """if np.any(...)"""
    x, t = numbers(np, s.n), 0
    for _ in range(s.loops):
        if not np.any(x > 2):
            t += 1
    return t


def argmaxed(np, s):
    x, t = numbers(np, s.n), 0
    for _ in range(s.loops):
        t += int(np.argmax(x))
    return t


def gathered(np, s):
    x, idx = numbers(np, s.n), np.arange(s.n)[::-1] // 2
    for _ in range(s.loops):
        y = x[idx]
        x = 0.5 * (x + y)
    return x


def masked(np, s):
    x, t = numbers(np, s.n), 0
    for k in range(s.loops):
        t += len(x[x > 0.3 + 0.001 * (k % 100)])
    return t


def modulus(np, s):
    """np.abs of complex numbers."""
    z = np.exp(1j * numbers(np, s.n))
    y = np.zeros(s.n)
    for _ in range(s.loops):
        y = y + np.abs(z)
    return y


def transformed(np, s):
    x = numbers(np, s.n)
    y = np.zeros(s.n, dtype=complex)
    for _ in range(s.loops):
        y = y + np.fft.fft(x)
    return y


def interpolated(np, s):
    """interp of 10 points into a table of n."""
    x = numbers(np, s.n)
    y, at, t = np.sin(x), np.linspace(0.2, 0.8, 10), 0.0
    for _ in range(s.loops):
        t += float(np.interp(at, x, y)[3])
    return t


def built(np, s):
    """np.array([y[1], -y[0]]), at the front of an array of n."""
    y = numbers(np, s.n)
    for _ in range(s.loops):
        y[:2] = np.array([y[1], -y[0]])
    return y


def updated(np, s):
    """A[i, j] -= A[i, :j] @ A[:j, j], in a square of about n elements."""
    side = max(3, int(s.n**0.5))
    a = np.full((side, side), 1e-3)
    for k in range(s.loops):
        i = k % side
        j = (i + 1) % side
        a[i, j] -= a[i, :j] @ a[:j, j]
    return a


def timed_from(loops, n):
    """Fewer turns where a turn costs an array's length."""
    return max(5, min(loops, 6_000_000 // n))


SINGLE = (
    ("x[i] read", item, 50_000, False),
    ("x[i] = i", element_set, 50_000, False),
    ("np.array([y[1], -y[0]])", built, 5_000, False),
    ("A[i,j] -= A[i,:j] @ A[:j,j]", updated, 5_000, False),
    ("interp of 10", interpolated, 2_000, False),
    ("0.5 * (x + y)", elementwise, 5_000, True),
    ("x[1:-1] = .5*(x[:-2] + x[2:])", sliced, 5_000, True),
    ("float(x.sum())", total, 5_000, True),
    ("x @ y", dotted, 10_000, True),
    ("norm(x)", normed, 5_000, True),
    ("if any(x > 2)", asked, 5_000, True),
    ("argmax", argmaxed, 5_000, True),
    ("x[idx]", gathered, 5_000, True),
    ("x[mask]", masked, 5_000, True),
    ("abs of complex", modulus, 3_000, True),
    ("fft", transformed, 2_000, True),
)

ROWS = [
    Row(
        f"{name}, n={text}",
        run,
        {"n": n, "loops": timed_from(loops, 4 * n) if by_length else loops},
        {"n": min(n, 300), "loops": 7},
        atol=1e-9,
        snippet=True,
    )
    for name, run, loops, by_length in SINGLE
    for text, n in SIZES.items()
]
