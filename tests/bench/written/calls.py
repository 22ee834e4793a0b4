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
    "c.imag", "c.conj()", "np.conj(c)", "x.repeat(2)", "np.polyval(x[:3], x)", "np.polyfit(x, x, 1)", "np.roots(m[2])", "np.vander(m[0])", "np.convolve(x, m[0])", "np.pad(x, 1)", "np.pad(q, 1, mode='wrap')",
    "np.fill_diagonal(m, 0.0)", "np.insert(x, 1, 2.0)", "np.delete(x, 1)", "np.isin(k, [1, 2])", "np.digitize(x, m[0])", "np.searchsorted(x, x)", "np.percentile(x, 50)", "np.quantile(x, 0.5)",
    "np.cov(q)", "np.corrcoef(q)", "np.cross(m[0], m[1])", "np.kron(m[0], m[1])", "np.tile(x, 2)", "np.meshgrid(x, x)", "np.triu(q)", "np.tril(q)", "np.gradient(x)", "np.diff(x, n=2)",
    "np.nonzero(k)", "np.argwhere(k)", "np.partition(x, 3)", "np.argpartition(x, 3)", "np.flip(x)", "np.rot90(q)", "np.column_stack((x, x))", "np.hstack((x, x))", "np.vstack((x, x))",
    "np.histogram(x, 5)", "np.einsum('ij,j->i', q, m[0])", "np.tensordot(q, q, 1)", "np.linalg.norm(q, axis=1)", "np.linalg.det(q)", "np.linalg.eigh(q @ q.T)", "np.linalg.svd(q)",
    "np.linalg.cholesky(q @ q.T)", "np.linalg.lstsq(q, m[0], rcond=None)", "np.take_along_axis(x, k, 0)", "np.lexsort((x, x))", "np.ptp(x)", "np.std(x)", "x.var()", "np.nansum(x)", "np.nanmean(x)", "np.nanmax(x)",
    "np.power(x, 2)", "np.shape(x)", "np.ndim(x)", "x.item(1)", "x.fill(1.0)", "np.put(x, [0], 1.0)", "np.diag(m[0])", "np.diag(q)", "q.diagonal()", "np.copy(x)", "np.append(x, x)", "np.unique(x)", "np.average(x)",
    "np.array_equal(x, x)", "np.allclose(x, x)", "np.round(x, 2)", "np.union1d(k, k)", "np.trapezoid(x, x)", "np.select([x > 0.5], [x], 0.0)", "np.unravel_index(5, (3, 3))", "np.hanning(5)",
    "np.r_[x, x]", "r.permutation(5)", "r.choice(k, 3)", "r.standard_normal(5)", "x.size", "x.shape",
)  # fmt: skip


def called(expression):
    code = compile(expression, "call", "eval")

    def run(np, s):
        x = np.linspace(0.0, 1.0, 10)
        m = x[:9].reshape(3, 3)
        given = SimpleNamespace(np=np, x=x, f=x[3], i=np.arange(3)[1], m=m, q=m + np.eye(3), k=np.arange(10) % 4, c=x + 1j)
        m = given.m
        names = {**vars(given), "r": np.random.default_rng(5)}
        for _ in range(s.loops):
            made = eval(code, names)
        return (x, m) if made is None else made  # what only writes has written to one of these

    return run


ROWS = [Row(f"{text}, ten", called(text), {"loops": 3_000}, {"loops": 3}, snippet=True) for text in CALLS]
