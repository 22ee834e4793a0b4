"""xgboost: boosted trees on arrays, matrices, cross validation."""

import numpy as np
import xgboost as xgb

rng = np.random.default_rng(19)
x = rng.normal(size=(300, 4))
y = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(int)
model = xgb.XGBClassifier(n_estimators=20, max_depth=3, nthread=1).fit(x[:200], y[:200], sample_weight=np.ones(200))
print((model.predict(x[200:]) == y[200:]).mean(), model.predict_proba(x[:2]).round(4), model.feature_importances_.round(4))
matrix = xgb.DMatrix(x, label=y, weight=np.linspace(1, 2, 300))
booster = xgb.train({"objective": "binary:logistic", "nthread": 1, "max_depth": 2}, matrix, 10)
print(booster.predict(xgb.DMatrix(x[:3])).round(4), matrix.num_row(), matrix.get_label()[:5], np.round(xgb.cv({"nthread": 1}, matrix, 3, seed=1).iloc[-1, 0], 4))
line = xgb.XGBRegressor(n_estimators=10, nthread=1).fit(x, x @ np.arange(4.0))
print(line.predict(x[:3]).round(3), np.isnan(x).any(), line.score(x, x @ np.arange(4.0)).__round__(4))
