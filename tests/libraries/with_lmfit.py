"""lmfit: models of functions, parameters with bounds, reports."""

import lmfit
import numpy as np

rng = np.random.default_rng(17)
x = np.linspace(0, 10, 101)
y = 5 * np.exp(-((x - 4) ** 2) / 2) + 0.1 * x + rng.normal(0, 0.05, x.size)
model = lmfit.models.GaussianModel() + lmfit.models.LinearModel()
result = model.fit(y, model.make_params(amplitude=5, center=3, sigma=1, slope=0, intercept=0), x=x)
print({name: round(value, 4) for name, value in result.best_values.items()}, round(result.redchi, 6), result.success, result.best_fit[:3].round(4))


def decay(x, tau, scale):
    return scale * np.exp(-x / tau)


fit = lmfit.Model(decay).fit(decay(x, 2.0, 3.0), x=x, tau=1.0, scale=1.0)
print(fit.params["tau"].value.__round__(5), fit.eval(x=np.array([0.0, 2.0])).round(5), fit.weights)
params = lmfit.create_params(a={"value": 1, "min": 0}, b=0.5)
best = lmfit.minimize(lambda p: (p["a"] * np.sin(p["b"] * x) - 2 * np.sin(0.7 * x)) / 0.1, params)
print(best.params["a"].value.__round__(5), best.params["b"].value.__round__(5), best.nfev > 3, np.round(best.residual[:2], 4))
