"""polars: frames of arrays, lazy queries, expressions, ufuncs of columns."""

import numpy as np
import polars as pl

rng = np.random.default_rng(11)
frame = pl.DataFrame({"k": np.arange(60) % 3, "v": rng.normal(size=60), "name": np.where(np.arange(60) % 2, "odd", "even")})
print(frame.shape, frame.dtypes, frame["v"].to_numpy()[:3].round(6))
print(frame.group_by("k", "name").agg(pl.col("v").mean().round(6), pl.len()).sort("k", "name"))
print(frame.lazy().filter(pl.col("v") > 0).with_columns((pl.col("v") ** 2).alias("s")).select(pl.col("s").sum().round(6)).collect())
s = pl.Series("x", np.linspace(0, 1, 5))
print(np.sin(s).round(6).to_list(), (s + np.arange(5)).to_list(), s.to_numpy().mean(), np.asarray(s)[::2], pl.Series(np.array([1, 2, 3], np.int8)).dtype)
print(pl.from_numpy(np.arange(6).reshape(2, 3), schema=["a", "b", "c"]), frame.select("k", "v").to_numpy().shape, s.is_in(np.array([0.25, 1.0]).tolist()).to_list())
print(frame.filter(frame["v"].to_numpy() > 1).height, frame.select(pl.lit(np.float64(2.5)) * pl.col("k").max()).item(), pl.Series([np.arange(2), np.arange(3)]).list.len().to_list(), pl.Series(np.arange(4).reshape(2, 2)).dtype)
