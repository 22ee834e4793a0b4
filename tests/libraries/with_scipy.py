"""scipy: fits, optimization, integration, interpolation, sparse matrices, statistics, signals, images."""

import numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
from scipy.sparse.linalg import cg, factorized, spsolve

rng = np.random.default_rng(1)
x = np.linspace(0, 4, 60)
y = 2.5 * np.exp(-1.3 * x) + 0.5 + rng.normal(0, 0.01, 60)
found, covariance = optimize.curve_fit(lambda x, a, b, c: a * np.exp(-b * x) + c, x, y)
print(found.round(5), np.sqrt(np.diag(covariance)).round(5))
print(optimize.minimize(lambda v: (1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2, np.zeros(2)).x.round(3))
print(optimize.root(lambda v: np.array([v[0] + v[1] - 3, v[0] * v[1] - 2]), np.array([0.5, 5.0])).x.round(6))
print(round(integrate.quad(lambda t: np.sin(t) ** 2, 0, np.pi)[0], 9), integrate.solve_ivp(lambda t, u: np.array([u[1], -u[0]]), (0, 3), np.array([1.0, 0.0]), t_eval=np.arange(4.0)).y.round(3))
print(interpolate.CubicSpline(x, np.sin(x))(np.array([0.5, 1.5])).round(6), interpolate.interp1d(x, x**2)(np.array([1.1])).round(4))
a = rng.normal(size=(6, 6)) + 6 * np.eye(6)
print(linalg.solve(a, np.ones(6)).round(6), linalg.lu_factor(a)[1], np.allclose(linalg.expm(np.zeros((3, 3))), np.eye(3)), round(linalg.det(a), 4))
m = sparse.diags([np.full(49, -1.0), np.full(50, 2.1), np.full(49, -1.0)], [-1, 0, 1], format="csr")
print(spsolve(m, np.ones(50))[:3].round(6), cg(m, np.ones(50))[1], (m @ np.arange(50.0))[:4].round(3), sparse.csr_matrix(np.eye(3)).nnz)
print(np.round(stats.ttest_ind(rng.normal(size=50), rng.normal(0.5, 1, 50)).statistic, 6), np.round(stats.norm.cdf(np.array([0, 1.96])), 6), stats.linregress(x, 3 * x + 1).slope.round(6))
b, c = signal.butter(3, 0.2)
print(signal.filtfilt(b, c, np.sin(x) + 0.1 * np.cos(40 * x))[:3].round(6), signal.find_peaks(np.sin(5 * x))[0], np.abs(fft.rfft(np.sin(x)))[:3].round(6))
image = np.zeros((20, 20))
image[5:9, 5:9] = 1
image[12:15, 2:4] = 1
print(ndimage.label(image)[1], ndimage.gaussian_filter(image, 1.0)[7, 7].round(6), np.round(ndimage.center_of_mass(image), 6))
print(spatial.cKDTree(rng.random((100, 2))).query(np.array([[0.5, 0.5]]), k=2)[1], spatial.distance.pdist(np.eye(3)).round(6), spatial.ConvexHull(np.array([[0.0, 0], [1, 0], [0, 1], [0.2, 0.2]])).vertices, special.gamma(np.array([5.0])))
rows = sparse.lil_matrix((3, 3))
mask, places = np.array([True, False, True]), np.array([0, 2])
rows[mask] = 1
rows[0, places] = np.array([4.0, 5.0])
rows[1] = np.arange(3.0)
print(rows.toarray().tolist(), rows[mask].sum(), rows.tocsr()[places][:, mask].toarray().tolist())
print(signal.find_peaks(np.array([0, 1, 0, 2, 0]), height=np.array([0, 0.5, 0.5, 1.5, 1])), linalg.funm(np.eye(2), np.exp).round(6).tolist())
print(factorized(sparse.csc_matrix(np.eye(3) * 2))(np.array([1.0, 5, 2])))
