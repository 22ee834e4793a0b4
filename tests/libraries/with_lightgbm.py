"""lightgbm: boosted trees on arrays."""

import lightgbm as lgb
import numpy as np

rng = np.random.default_rng(20)
x = rng.normal(size=(400, 5))
y = x @ np.array([1.0, 0, -2, 0, 0.5]) + rng.normal(0, 0.1, 400)
model = lgb.LGBMRegressor(n_estimators=30, num_leaves=7, n_jobs=1, verbose=-1, deterministic=True).fit(x[:300], y[:300])
print(model.predict(x[300:303]).round(4), round(model.score(x[300:], y[300:]), 4), model.feature_importances_)
data = lgb.Dataset(x, (y > 0).astype(int), weight=np.ones(400), params={"verbose": -1})
booster = lgb.train({"objective": "binary", "verbose": -1, "num_threads": 1, "deterministic": True}, data, 10)
print(booster.predict(x[:3]).round(4), booster.num_trees(), data.num_data(), data.get_label()[:4])
