"""cvxpy: least squares, a portfolio, constraints of arrays."""

import cvxpy as cp
import numpy as np

rng = np.random.default_rng(18)
a, b = rng.normal(size=(20, 5)), rng.normal(size=20)
x = cp.Variable(5)
problem = cp.Problem(cp.Minimize(cp.sum_squares(a @ x - b)), [x >= 0, x <= np.ones(5)])
print(round(problem.solve(), 4), problem.status, x.value.round(4))
returns = np.array([0.1, 0.2, 0.15])
cov = np.diag(np.array([0.1, 0.4, 0.2])) + 0.01
w = cp.Variable(3)
risk = cp.quad_form(w, cov)
cp.Problem(cp.Maximize(returns @ w - 0.5 * risk), [cp.sum(w) == 1, w >= 0]).solve()
print(w.value.round(3), float(risk.value.round(4)), isinstance(w.value, np.ndarray))
p = cp.Parameter(2, value=np.array([1.0, 2.0]))
z = cp.Variable(2)
distance = cp.Problem(cp.Minimize(cp.norm(z - p, 1)), [np.eye(2) @ z <= np.array([0.5, 5.0])])
print(round(distance.solve(), 4), z.value.round(3), (cp.Constant(np.arange(4).reshape(2, 2)) + np.ones((2, 2))).value, np.ones(2).shape == z.shape)
