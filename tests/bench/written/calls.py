"""Calls of numbers and of ten elements, one for each function: what a call costs beside NumPy's."""

from types import SimpleNamespace

from .rows import Row

# r is a generator, f a float64, i an int64, x ten floats, m and q matrices of three rows, k integers, c complex numbers.
CALLS = (
    "np.exp(f)", "np.sqrt(2.0)", "np.maximum(f, 2.0)", "f * f + 1.5", "x[i]", "m[i, 1]", "x * f", "x + i", "np.array([f, 2.0])", "np.array([[f, f], [1.0, 2.0]])",
    "np.asarray(x)", "r.random()", "r.random(5)", "r.integers(0, 60, 2)", "r.normal(0, 1)", "r.uniform(-1, 1)", "r.exponential()", "np.sort(x)", "np.argsort(x)",
    "np.linalg.solve(q, m[:, 0])", "np.linalg.inv(q)", "np.linalg.norm(x)", "x * 2j", "c * (1 + 1j)", "x[:0] @ x[:0]", "x[:0] * 2", "np.roll(x, 1)", "np.interp(0.5, x, x)",
    "np.concatenate([x, x])", "np.where(x > 0.5, x, 0)", "np.clip(x, 0.2, 0.8)", "np.cumsum(x)", "np.diff(x)", "np.outer(x, x)", "np.dot(x, x)", "q @ m", "x.sum()", "x.max()",
    "x.mean()", "x.argmax()", "x.reshape(2, 5)", "m.T", "x.copy()", "x.astype(int)", "np.zeros(3)", "np.arange(10)", "np.eye(3)", "np.linspace(0, 1, 5)", "np.fft.fft(x)", "np.abs(c)",
    "np.searchsorted(x, 0.5)", "np.bincount(k)", "np.unique(k)", "np.append(x, 1.0)", "np.polyval([1.0, 2.0], f)", "np.median(x)", "np.trace(q)", "np.repeat(x, 2)", "c.real",
)  # fmt: skip


def called(expression):
    code = compile(expression, "call", "eval")

    def run(np, s):
        x = np.linspace(0.0, 1.0, 10)
        m = x[:9].reshape(3, 3)
        given = SimpleNamespace(np=np, x=x, f=x[3], i=np.arange(3)[1], m=m, q=m + np.eye(3), k=np.arange(10) % 4, c=x + 1j)
        names = {**vars(given), "r": np.random.default_rng(5)}
        for _ in range(s.loops):
            made = eval(code, names)
        return made

    return run


ROWS = [Row(f"{text}, ten", called(text), {"loops": 3_000}, {"loops": 3}, snippet=True) for text in CALLS]
