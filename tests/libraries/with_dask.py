"""dask: arrays in blocks, lazy sums, maps over blocks, delayed calls, bags."""

import dask
import dask.array as da
import numpy as np

rng = np.random.default_rng(12)
x = rng.normal(size=(400, 300))
d = da.from_array(x, chunks=(100, 150))
print(d.shape, d.chunks, d.mean().compute().round(8), d.std(axis=0).compute()[:3].round(6), (d + d.T[:1, :1]).sum().compute().round(5))
print(da.diagonal(d @ d.T).compute()[:3].round(5), da.where(d > 0, d, 0).max().compute().round(6), d[::50, 10].compute().round(5))
print(d.map_blocks(lambda block: np.sort(block, axis=1)[:, :2], chunks=(100, 2)).compute().shape, da.histogram(d, bins=np.linspace(-3, 3, 7))[0].compute())
print(np.sin(d).sum().compute().round(6), np.concatenate([d, d]).shape, isinstance(d.compute(), np.ndarray), da.linalg.norm(d).compute().round(6))
parts = [dask.delayed(lambda k: (np.arange(k) ** 2).sum())(k) for k in range(1, 6)]
print(dask.compute(*parts), dask.delayed(np.sum)(np.arange(5)).compute(), dask.delayed(sum)(parts).compute())
print(da.arange(10, chunks=4).cumsum(axis=0).compute(), da.stack([da.ones(3), da.zeros(3)]).compute(), da.from_array(np.arange(6), chunks=2).map_overlap(lambda b: b + 1, depth=1, boundary=0).compute())
print(da.random.default_rng(1).normal(size=5, chunks=5).compute().shape, d.rechunk((200, 300)).npartitions, da.percentile(d.ravel()[:1000], np.array([50])).compute().shape)
