"""zarr: arrays in chunks, in memory, read and written in parts."""

import numpy as np
import zarr

store = zarr.storage.MemoryStore()
root = zarr.group(store=store)
z = root.create_array("z", shape=(100, 50), chunks=(20, 25), dtype="f8")
z[:] = np.arange(5000.0).reshape(100, 50)
z[10:20, 5] = -1
z[0] = np.linspace(0, 1, 50)
print(z.shape, z.chunks, z[3, :4], z[10:12, 4:7], z[:].sum(), np.asarray(z[::10, 0]))
w = zarr.array(np.arange(12).reshape(3, 4) % 5)
print(w[:], w.oindex[np.array([0, 2]), :], w.vindex[np.array([0, 1]), np.array([1, 2])], w[1].dtype, np.mean(w[:]))
root.attrs["note"] = "kept"
root.create_array("b", data=np.arange(5) > 2)
print(sorted(root.array_keys()), root["b"][:], zarr.open_group(store)["z"][99, 49], root.attrs["note"])
w.append(np.ones((1, 4), int))
print(w.shape, w[-1], zarr.zeros((2, 2))[:], np.array_equal(zarr.full((3,), 7)[:], np.full(3, 7)))
