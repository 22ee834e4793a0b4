"""Dense matrices, factorised and solved by the loops of a first course in numerical algebra."""

from .rows import Row


def well_conditioned(np, n, seed=1):
    """A matrix whose diagonal dominates."""
    return np.random.default_rng(seed).random((n, n)) + n * np.eye(n)


def symmetric(np, n, seed=2):
    """A symmetric positive definite matrix."""
    a = np.random.default_rng(seed).random((n, n))
    return a @ a.T + n * np.eye(n)


def lu(np, s):
    a = well_conditioned(np, s.n)
    for k in range(s.n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def lu_pivoted(np, s):
    a = np.random.default_rng(3).random((s.n, s.n))
    order = np.arange(s.n)
    for k in range(s.n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            order[[k, p]] = order[[p, k]]
        for i in range(k + 1, s.n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a, order


def doolittle(np, s):
    a = well_conditioned(np, s.n)
    for i in range(1, s.n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, s.n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def cholesky_dots(np, s):
    a = symmetric(np, s.n)
    low = np.zeros_like(a)
    for i in range(s.n):
        for j in range(i + 1):
            rest = a[i, j] - np.dot(low[i, :j], low[j, :j])
            low[i, j] = np.sqrt(rest) if i == j else rest / low[j, j]
    return low


def cholesky_columns(np, s):
    a = symmetric(np, s.n)
    low = np.zeros_like(a)
    for j in range(s.n):
        column = a[j:, j] - low[j:, :j] @ low[j, :j]
        low[j:, j] = column / np.sqrt(column[0])
    return low


def triangular(np, s):
    a = np.tril(well_conditioned(np, s.n))
    b = np.arange(1.0, s.n + 1)
    x, y = np.zeros(s.n), np.zeros(s.n)
    for i in range(s.n):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    for i in range(s.n - 1, -1, -1):
        y[i] = (x[i] - a[i + 1 :, i] @ y[i + 1 :]) / a[i, i]
    return x, y


def gram_schmidt(np, s):
    a = np.random.default_rng(4).standard_normal((s.m, s.n))
    q, r = np.zeros((s.m, s.n)), np.zeros((s.n, s.n))
    for j in range(s.n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ v
            v = v - r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r


def householder(np, s):
    r = np.random.default_rng(5).standard_normal((s.m, s.n))
    q = np.eye(s.m)
    for k in range(s.n):
        v = r[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2 * np.outer(v, v @ r[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return q, np.triu(r)


def givens(np, s):
    r = np.random.default_rng(6).standard_normal((s.n, s.n))
    for j in range(s.n):
        for i in range(s.n - 1, j, -1):
            a, b = r[i - 1, j], r[i, j]
            length = np.hypot(a, b)
            turn = np.array([[a, b], [-b, a]]) / length
            r[i - 1 : i + 1, j:] = turn @ r[i - 1 : i + 1, j:]
    return r


def levinson(np, s):
    """Levinson and Durbin's recursion: the coefficients of a linear prediction."""
    r = 0.9 ** np.arange(s.n + 1) * np.cos(0.3 * np.arange(s.n + 1))
    a = np.zeros(s.n + 1)
    a[0] = 1.0
    error = r[0]
    for k in range(1, s.n + 1):
        reflection = -(a[:k] @ r[k:0:-1]) / error
        a[1 : k + 1] = a[1 : k + 1] + reflection * a[k - 1 :: -1][:k]
        error *= 1 - reflection**2
    return a, error


def rank_updates(np, s):
    """Symmetric updates of rank one, as quasi-Newton methods make them."""
    h = np.eye(s.n)
    rng = np.random.default_rng(7)
    for _ in range(s.steps):
        step = rng.standard_normal(s.n)
        change = step + 0.1 * rng.standard_normal(s.n)
        rho = 1.0 / (change @ step)
        hy = h @ change
        h = h - rho * (np.outer(step, hy) + np.outer(hy, step)) + (rho**2 * (change @ hy) + rho) * np.outer(step, step)
    return h


def jacobi_eigenvalues(np, s):
    a = symmetric(np, s.n)
    for _ in range(s.sweeps):
        for p in range(s.n - 1):
            for q in range(p + 1, s.n):
                if abs(a[p, q]) < 1e-14:
                    continue
                angle = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, t = np.cos(angle), np.sin(angle)
                rows = a[p].copy(), a[q].copy()
                a[p], a[q] = c * rows[0] - t * rows[1], t * rows[0] + c * rows[1]
                columns = a[:, p].copy(), a[:, q].copy()
                a[:, p], a[:, q] = c * columns[0] - t * columns[1], t * columns[0] + c * columns[1]
    return np.sort(np.diag(a))


def tridiagonal_qr(np, s):
    """Eigenvalues of the second difference by shifted QR with deflation."""
    t = 2 * np.eye(s.n) - np.eye(s.n, k=1) - np.eye(s.n, k=-1)
    found = []
    while len(t) > 1:
        if abs(t[-1, -2]) < 1e-12:
            found.append(t[-1, -1])
            t = t[:-1, :-1]
            continue
        # Wilkinson's shift: the eigenvalue of the last two rows that is nearer to the corner.
        half = (t[-2, -2] - t[-1, -1]) / 2
        shift = t[-1, -1] - np.copysign(1.0, half) * t[-1, -2] ** 2 / (abs(half) + np.hypot(half, t[-1, -2]))
        q, r = np.linalg.qr(t - shift * np.eye(len(t)))
        t = r @ q + shift * np.eye(len(t))
    found.append(t[0, 0])
    return np.sort(np.array(found))


def simplex(np, s):
    """A linear programme in a tableau, by Dantzig's rule."""
    rng = np.random.default_rng(8)
    a, b, c = rng.random((s.m, s.n)), 1 + rng.random(s.m), 1 + rng.random(s.n)
    table = np.zeros((s.m + 1, s.n + s.m + 1))
    table[:-1, : s.n], table[:-1, s.n : -1], table[:-1, -1] = a, np.eye(s.m), b
    table[-1, : s.n] = -c
    while table[-1, :-1].min() < -1e-10:
        column = int(np.argmin(table[-1, :-1]))
        ratios = np.full(s.m, np.inf)
        positive = table[:-1, column] > 1e-12
        ratios[positive] = table[:-1, -1][positive] / table[:-1, column][positive]
        row = int(np.argmin(ratios))
        table[row] /= table[row, column]
        for i in range(s.m + 1):
            if i != row:
                table[i] -= table[i, column] * table[row]
    return table[-1, -1]


ROWS = [
    Row("LU by outer products", lu, {"n": 200}, {"n": 9}),
    Row("LU with pivots, by rows", lu_pivoted, {"n": 120}, {"n": 9}),
    Row("LU by dot products", doolittle, {"n": 120}, {"n": 9}),
    Row("Cholesky by dot products", cholesky_dots, {"n": 120}, {"n": 9}),
    Row("Cholesky by columns", cholesky_columns, {"n": 400}, {"n": 9}),
    Row("triangular solves", triangular, {"n": 1500}, {"n": 12}),
    Row("Gram-Schmidt", gram_schmidt, {"m": 300, "n": 100}, {"m": 12, "n": 6}, atol=1e-9),
    Row("Householder QR", householder, {"m": 200, "n": 120}, {"m": 12, "n": 6}, atol=1e-9),
    Row("Givens QR", givens, {"n": 60}, {"n": 7}, atol=1e-9),
    Row("Levinson-Durbin", levinson, {"n": 1500}, {"n": 12}, rtol=1e-6, atol=1e-9),
    Row("quasi-Newton updates", rank_updates, {"n": 100, "steps": 200}, {"n": 7, "steps": 4}, rtol=1e-6, atol=1e-8),
    Row("Jacobi eigenvalues", jacobi_eigenvalues, {"n": 24, "sweeps": 5}, {"n": 6, "sweeps": 4}),
    Row("tridiagonal eigenvalues by QR", tridiagonal_qr, {"n": 40}, {"n": 8}, atol=1e-8),
    Row("simplex tableau", simplex, {"m": 60, "n": 60}, {"m": 6, "n": 6}, rtol=1e-8),
]
