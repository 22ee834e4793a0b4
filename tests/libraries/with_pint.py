"""pint: quantities of arrays."""

import numpy as np
import pint

u = pint.UnitRegistry()
d = np.linspace(0, 10, 5) * u.meter
t = u.Quantity(np.arange(1, 6), "second")
print(d, (d / t).to("km/hour").round(4), np.sum(d), np.mean(d).to("cm"), np.sqrt(d * d).units, d[1:3], d.magnitude, isinstance(d.magnitude, np.ndarray))
print(np.concatenate([d, d]).shape, np.max(d), np.where(d > 3 * u.meter, d, 0 * u.meter), np.cumsum(t), np.sin(np.array([0, 90]) * u.degree).round(5), d @ np.ones(5), np.interp(2.5 * u.s, t, d))
d.ito("cm")
d += np.float64(1) * u.cm
try:
    d + t
except pint.DimensionalityError as error:
    print(type(error).__name__)
print(d, np.stack([t, t]).shape, np.linalg.norm(np.array([3.0, 4.0]) * u.m), u.Quantity(np.array([20.0]), u.degC).to("kelvin"), np.std(t), np.array([1.0, 2.0]) * u("m/s"))
