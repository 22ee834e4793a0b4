"""xarray: labelled arrays, selection, group by, alignment, data sets, interpolation."""

import numpy as np
import xarray as xr

rng = np.random.default_rng(2)
times = np.datetime64("2023-01-01") + np.arange(90)
data = xr.DataArray(15 + 8 * rng.normal(size=(90, 4, 5)), dims=("time", "lat", "lon"), coords={"time": times, "lat": np.linspace(-30, 30, 4), "lon": np.arange(0, 50, 10)}, name="t")
print(data.mean("time").round(4).values, data.sel(lat=10, method="nearest").isel(lon=slice(1, 3)).std().round(5).item())
print(data.groupby("time.month").mean().round(4).values[:, 0, 0], data.resample(time="30D").max().shape)
weights = np.cos(np.deg2rad(data.lat))
print(data.weighted(weights).mean(("lat", "lon")).round(5).values[:3])
print(float(data.interp(lat=5.0, lon=12.5).mean().round(5)), data.rolling(time=7).mean().dropna("time").sizes)
print((data - data.mean("time")).where(data > 20).count().item(), np.sqrt(abs(data)).max().round(5).item(), data.argmax("time").values[0])
both = xr.Dataset({"t": data, "p": (("time",), np.arange(90.0))}, attrs={"title": "two"})
print(both.isel(time=0).p.item(), list(both.to_dataframe().columns), both.sel(time="2023-02").sizes["time"], both.to_array().shape)
print(xr.concat([data.isel(time=0), data.isel(time=1)], "time").shape, xr.apply_ufunc(np.hypot, both.p, 3.0).values[:3].round(5), data.isel(time=0, lat=0).to_series().round(4).tolist())
print(xr.corr(both.p, both.p + np.sin(np.arange(90))).round(5).item(), data.quantile(np.array([0.1, 0.9])).round(5).values, data.isel(time=slice(2), lat=0, lon=0).round(3))
