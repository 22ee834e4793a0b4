"""bottleneck: moving windows and functions that skip NaN."""

import bottleneck as bn
import numpy as np

x = np.random.default_rng(16).normal(size=(40, 5))
x[::7, 1] = np.nan
print(bn.nanmean(x, axis=0).round(6), round(bn.nanstd(x), 6), bn.nansum(x, axis=1)[:3].round(6), round(bn.nanmedian(x), 6), bn.anynan(x), bn.nanargmax(x, axis=0))
print(bn.move_mean(np.arange(10.0), 3)[2:], bn.move_max(x[:, 0], 4, min_count=1)[:5].round(5), bn.move_std(x, 5, axis=0)[-1].round(5), bn.rankdata(np.array([3, 1, 2, 1])))
y = np.array([1.0, np.nan, np.nan, 4.0])
print(bn.push(y), bn.partition(np.array([4, 1, 3, 2]), 1).tolist()[:2], bn.ss(np.arange(4)))
bn.replace(y, np.nan, 0)
print(y, round(bn.nanmin(x), 6), isinstance(bn.move_sum(x, 2), np.ndarray))
