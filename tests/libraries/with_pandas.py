"""pandas: frames of arrays, group by, pivot, join, windows, time series."""

import warnings

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n = 1000
frame = pd.DataFrame({"shop": rng.integers(0, 5, n), "day": np.arange(n) % 7, "sold": rng.normal(100, 15, n), "price": np.round(np.linspace(1, 9, n), 2)})
frame["value"] = frame["sold"] * np.sqrt(frame["price"])
frame["large"] = np.where(frame["sold"] > 110, "yes", "no")
print(frame.groupby("shop")["value"].agg(["mean", "max", "count"]).round(6))
print(frame.pivot_table(index="day", columns="large", values="sold", aggfunc="mean").round(6))
print(frame.sort_values("value").head(3).round(6), frame.dtypes, sep="\n")
names = pd.DataFrame({"shop": np.arange(5), "weight": np.array([1.5, np.nan, 2, 3, 4])})
joined = frame.merge(names, on="shop", how="left").fillna({"weight": 0})
print(joined.groupby("shop")["weight"].sum(), joined.describe().round(5), sep="\n")
series = pd.Series(np.cumsum(rng.normal(size=200)), index=pd.date_range("2024-01-01", periods=200, freq="D"))
print(series.rolling(7).mean().dropna().head(3).round(6), series.resample("MS").max().round(6), sep="\n")
print(pd.cut(np.array([1, 7, 5]), np.array([0, 2, 6, 9])), pd.Series(np.array([3, 1, 2])).rank().to_numpy())
frame.loc[frame["sold"] < 70, "sold"] = np.nan
print(int(frame["sold"].isna().sum()), frame["sold"].interpolate().round(6).iloc[:5].tolist())
print(np.asarray(frame[["sold", "price"]]).shape, pd.Series(np.arange(4)).map(lambda v: v**2).values, frame.corr(numeric_only=True).round(4).iloc[0].tolist())

# Arrays as masks, keys and labels.
table = pd.DataFrame({"a": [1.0, 2, 3], "b": [4, 5, 6]}, index=list("xyz"))
mask, floats, places = np.array([True, False, True]), np.array([1.0, 5, 2]), np.array([0, 2])
print(table[mask], table[~mask & (table["a"].values > 1)], table.loc[mask, "a"], table.loc[mask, ["b"]], table["a"][mask], table.iloc[mask], table.iloc[places], sep="\n")
print(table.groupby(mask).sum(), table.groupby([mask, np.array([1, 1, 2])]).sum(), table["a"].groupby(mask).mean(), table.set_index([floats, "a"]), table.merge(table, left_on=floats, right_on=floats), sep="\n")
print(pd.factorize(floats, sort=True), pd.unique(np.array([3, 1, 3])), floats * pd.Timedelta("1D"), pd.date_range("2020", periods=3) + np.arange(3) * pd.Timedelta("1D"), pd.Index(floats).delete(places), pd.util.hash_array(floats))
print(pd.Series([np.arange(2), np.arange(3)]), table.apply(lambda row: np.array([1, 2]), axis=1), pd.arrays.BooleanArray(mask, ~mask), table.mask(table > 2, floats[:, None] * np.ones((1, 2))), table.query("@mask"), sep="\n")
table[mask] = 0
table.loc[~mask, "a"] += floats[0]
table.loc[mask, ["a", "b"]] = np.ones((2, 2)) * 7
print(table)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    table["a"][mask] = 9  # of a copy, of which pandas warns at this line
    table.groupby(mask).sum()
print([(warning.category.__name__, warning.lineno) for warning in caught])
