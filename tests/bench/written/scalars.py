"""Programs that read and write one element at a time: tables of dynamic programming, bytes, sieves."""

from .rows import exact


def letters(np, n, seed, kinds=4):
    return np.random.default_rng(seed).integers(0, kinds, n)


def edit_distance(np, s):
    a, b = letters(np, s.n, 21), letters(np, s.n, 22)
    d = np.zeros((s.n + 1, s.n + 1), dtype=int)
    d[:, 0] = np.arange(s.n + 1)
    d[0, :] = np.arange(s.n + 1)
    for i in range(1, s.n + 1):
        for j in range(1, s.n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d


def longest_common(np, s):
    a, b = letters(np, s.n, 23), letters(np, s.n, 24)
    t = np.zeros((s.n + 1, s.n + 1), dtype=np.int32)
    for i in range(s.n):
        for j in range(s.n):
            if a[i] == b[j]:
                t[i + 1][j + 1] = t[i][j] + 1
            else:
                t[i + 1][j + 1] = max(t[i + 1][j], t[i][j + 1])
    return t, int(t[-1, -1])


def knapsack(np, s):
    rng = np.random.default_rng(25)
    weight, value = rng.integers(1, 40, s.items), rng.integers(1, 100, s.items)
    best = np.zeros(s.room + 1, dtype=int)
    for i in range(s.items):
        for w in range(s.room, weight[i] - 1, -1):
            best[w] = max(best[w], best[w - weight[i]] + value[i])
    return best


def knapsack_slices(np, s):
    rng = np.random.default_rng(26)
    weight, value = rng.integers(1, 40, s.items), rng.integers(1, 100, s.items)
    best = np.zeros(s.room + 1, dtype=int)
    for w, v in zip(weight, value, strict=True):
        best[w:] = np.maximum(best[w:], best[:-w] + v)
    return best


def coins(np, s):
    ways = np.zeros(s.total + 1, dtype=np.int64)
    ways[0] = 1
    for coin in (1, 2, 5, 10, 20, 50):
        for amount in range(coin, s.total + 1):
            ways[amount] += ways[amount - coin]
    return ways


def crc(np, s):
    """CRC-32 with a table of uint32, over bytes of an array."""
    table = np.zeros(256, dtype=np.uint32)
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table[i] = c
    data = np.random.default_rng(27).integers(0, 256, s.n).astype(np.uint8)
    value = 0xFFFFFFFF
    for byte in data:
        value = int(table[(value ^ int(byte)) & 0xFF]) ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def sieve(np, s):
    prime = np.ones(s.n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(s.n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.nonzero(prime)[0]


def caesar(np, s):
    """A text as bytes of dtype uint8: shifted, counted, turned around."""
    text = np.frombuffer(b"the quick brown fox jumps over the lazy dog " * s.n, dtype=np.uint8)
    small = (text >= ord("a")) & (text <= ord("z"))
    shifted = text.copy()
    shifted[small] = (text[small] - ord("a") + 13) % 26 + ord("a")
    counts = np.array([np.sum(shifted == c) for c in range(ord("a"), ord("z") + 1)])
    words = np.flatnonzero(shifted == ord(" "))
    return shifted[::-1], counts, np.diff(words)


def collatz(np, s):
    n = np.arange(1, s.n + 1)
    steps = np.zeros(s.n, dtype=int)
    while np.any(n > 1):
        alive = n > 1
        odd = alive & (n % 2 == 1)
        even = alive & ~odd
        n[even] //= 2
        n[odd] = 3 * n[odd] + 1
        steps[alive] += 1
    return steps


def bubble(np, s):
    a = np.random.default_rng(28).permutation(s.n)
    for i in range(s.n):
        swapped = False
        for j in range(s.n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def pascal(np, s):
    t = np.zeros((s.n, s.n), dtype=np.int64)
    t[:, 0] = 1
    for i in range(1, s.n):
        t[i, 1 : i + 1] = (t[i - 1, : i] + t[i - 1, 1 : i + 1]) % 1_000_007
    return t


ROWS = [
    exact("edit distance", edit_distance, {"n": 110}, {"n": 8}),
    exact("longest common subsequence", longest_common, {"n": 120}, {"n": 8}),
    exact("knapsack by elements", knapsack, {"items": 40, "room": 400}, {"items": 4, "room": 30}),
    exact("knapsack by slices", knapsack_slices, {"items": 400, "room": 10_000}, {"items": 4, "room": 60}),
    exact("ways to give change", coins, {"total": 10_000}, {"total": 60}),
    exact("CRC-32 of bytes", crc, {"n": 50_000}, {"n": 40}),
    exact("sieve", sieve, {"n": 3_000_000}, {"n": 200}),
    exact("text as uint8", caesar, {"n": 8_000}, {"n": 3}),
    exact("Collatz by masks", collatz, {"n": 5_000}, {"n": 20}),
    exact("bubble sort", bubble, {"n": 220}, {"n": 10}),
    exact("Pascal's triangle", pascal, {"n": 1_000}, {"n": 9}),
]
