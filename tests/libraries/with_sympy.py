"""sympy: expressions as functions of arrays, matrices to arrays and back, series."""

import numpy as np
import sympy as sp

x, y = sp.symbols("x y")
f = sp.sin(x) * sp.exp(-y) + x**2
points = np.linspace(0, 1, 5)
for expression in (f, sp.diff(f, x), sp.integrate(f, y), sp.Piecewise((x, x > 0.5), (y, True)), sp.Max(x, y), sp.Heaviside(x - sp.Rational(1, 3))):
    print(expression, np.round(sp.lambdify((x, y), expression, "numpy")(points, points[::-1]), 8))
jacobian = sp.Matrix([x**2 * y, sp.cos(x + y)]).jacobian([x, y])
print(np.round(sp.lambdify((x, y), jacobian, "numpy")(1.0, 2.0), 8), sp.lambdify(x, sp.series(sp.sin(x), x, 0, 6).removeO())(np.array([0.1, 0.2])).round(10))
m = sp.Matrix(np.array([[2, 1], [1, 3]]))
print(m.det(), m.eigenvals(), np.array(m.inv()).astype(float).round(6), np.array(m.tolist(), dtype=int) @ np.arange(2))
print(sp.Float(np.float64(0.5)), sp.sympify(np.int64(3)) + x, sp.nsolve(sp.cos(x) - x, float(np.float64(1))), sp.lambdify((x,), sp.besselj(0, x), "scipy")(np.array([1.0])).round(6))
print(sp.Poly([int(c) for c in np.arange(1, 4)], x), sp.interpolate([(int(i), int(i) ** 2) for i in np.arange(4)], x), sp.Array(np.arange(4).reshape(2, 2)))
