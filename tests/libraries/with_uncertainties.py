"""uncertainties: numbers with errors, arrays of them, correlations."""

import numpy as np
import uncertainties as un
from uncertainties import umath
from uncertainties import unumpy as unp

x = un.ufloat(1.5, 0.1)
a = unp.uarray(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]))
print(x * 2 + x**2, a * x, unp.nominal_values(a * 2), unp.std_devs(a + 1).round(4), unp.sin(a), (a * a).sum(), a.mean(), umath.exp(x))
print(np.round(un.covariance_matrix([a[0], a[0] + a[1]]), 4), un.correlated_values(np.array([1.0, 2.0]), np.array([[0.1, 0.05], [0.05, 0.2]]))[0], unp.nominal_values(unp.exp(a)).round(4))
print(np.array([x, x]) * np.arange(2), un.wrap(lambda v: np.sqrt(v))(x), isinstance(unp.nominal_values(a), np.ndarray), a[unp.nominal_values(a) > 1.5])
