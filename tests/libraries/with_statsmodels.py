"""statsmodels: least squares, formulas, logits, time series, tests."""

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.tsa.stattools import acf, adfuller

rng = np.random.default_rng(5)
x = rng.normal(size=(200, 2))
y = 1 + x @ np.array([2.0, -0.5]) + rng.normal(0, 0.3, 200)
fit = sm.OLS(y, sm.add_constant(x)).fit()
print(fit.params.round(5), fit.bse.round(5), round(fit.rsquared, 6), fit.conf_int().round(5), round(fit.aic, 4), fit.predict(np.array([[1, 0.5, 0.5]])).round(5))
print(np.round(het_breuschpagan(fit.resid, fit.model.exog)[:2], 5), sm.WLS(y, x, weights=np.linspace(1, 2, 200)).fit().params.round(5))

frame = pd.DataFrame({"y": y, "a": x[:, 0], "b": x[:, 1], "g": np.where(x[:, 0] > 0, "p", "q")})
print(smf.ols("y ~ a + b + C(g) + np.sin(a)", data=frame).fit().params.round(5))
logit = sm.Logit((y > 1).astype(int), sm.add_constant(x)).fit(disp=0)
print(logit.params.round(4), sm.GLM(np.abs(np.round(y)), x, family=sm.families.Poisson()).fit().params.round(4))
walk = np.cumsum(rng.normal(size=150))
print(acf(walk, nlags=4).round(5), np.round(adfuller(walk)[0], 5), sm.tsa.AutoReg(walk, 2).fit().params.round(4))
print(sm.nonparametric.lowess(y, x[:, 0])[:2].round(4), np.round(sm.stats.durbin_watson(fit.resid), 5), sm.robust.mad(y).round(5))
