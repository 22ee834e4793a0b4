"""astropy: quantities, tables, coordinates, times, fits files, models."""

import io

import numpy as np
from astropy import constants
from astropy import units as u
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.modeling import fitting, models
from astropy.stats import sigma_clip, sigma_clipped_stats
from astropy.table import QTable, Table
from astropy.time import Time

d = np.linspace(1, 10, 4) * u.kpc
print(d.to(u.lyr).round(3), (d / (2 * u.s)).to(u.km / u.s).value.round(3), np.sqrt(d * d).unit, (np.arange(3) * u.m + 5 * u.cm).value, np.sum(d), u.Quantity(np.ones(2), u.m) @ np.ones(2))
table = Table({"a": np.arange(5), "b": np.linspace(0, 1, 5)})
table["c"] = table["a"] * np.float64(2)
print(table[table["b"] > 0.3], np.mean(table["b"]), QTable({"d": d})["d"].unit, table.group_by(np.arange(5) % 2).groups.aggregate(np.sum))
c = SkyCoord(ra=np.array([10.0, 20]) * u.deg, dec=np.array([-5.0, 5]) * u.deg)
print(c.galactic.l.deg.round(5), c[0].separation(c[1]).deg.round(6), Time(np.array([51544.5, 58849.0]), format="mjd").iso)
rng = np.random.default_rng(13)
x = np.linspace(-5, 5, 100)
y = 3 * np.exp(-0.5 * (x - 1) ** 2 / 0.8**2) + rng.normal(0, 0.05, 100)
fit = fitting.TRFLSQFitter()(models.Gaussian1D(1, 0, 1), x, y)
print(fit.parameters.round(4), models.Polynomial1D(2, c0=1, c1=2, c2=3)(np.arange(3)), sigma_clip(np.r_[np.zeros(20), 50]).mask.sum(), np.round(sigma_clipped_stats(y), 4))
file = io.BytesIO()
fits.HDUList([fits.PrimaryHDU(np.arange(12, dtype=np.float32).reshape(3, 4)), fits.BinTableHDU(table)]).writeto(file)
with fits.open(io.BytesIO(file.getvalue())) as hdus:
    print(hdus[0].data.sum(), hdus[0].data[1, ::2], hdus[1].data["b"].mean(), hdus[0].header["NAXIS1"])
print((constants.G * np.array([1.0, 2]) * u.Msun / (1 * u.AU**2)).to(u.m / u.s**2).value.round(8), np.isclose(d[0], 1000 * u.pc))
