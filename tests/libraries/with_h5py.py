"""h5py: data sets, groups, attributes, slices, compression, tables in a file in memory."""

import io

import h5py
import numpy as np

rng = np.random.default_rng(9)
memory = io.BytesIO()
with h5py.File(memory, "w") as file:
    table = rng.normal(size=(100, 20))
    file.create_dataset("table", data=table, compression="gzip", chunks=(10, 20))
    group = file.create_group("more")
    group["whole"] = np.arange(12).reshape(3, 4)
    group["flags"] = np.arange(5) % 2 == 0
    group["half"] = np.linspace(0, 1, 5, dtype=np.float16)
    group["complex"] = np.exp(1j * np.arange(3))
    group.attrs["scale"] = np.array([1.5, 2.5])
    grows = file.create_dataset("grows", (0, 3), maxshape=(None, 3), dtype="i4")
    for k in range(3):
        grows.resize(grows.shape[0] + 2, axis=0)
        grows[-2:] = np.full((2, 3), k)
with h5py.File(memory, "r+") as file:
    print(sorted(file), list(file["more"]), file["table"].dtype, file["table"].shape)
    print(np.array_equal(file["table"][:], table), file["table"][3:5, ::7].round(5), file["table"][np.array([1, 5, 7]), 0].round(5))
    print(file["more/whole"][...], file["more/flags"][:], file["more/half"][:], file["more/complex"][:].round(4), file["more"].attrs["scale"] * 2)
    into = np.zeros((3, 4), int)
    file["more/whole"].read_direct(into)
    file["more/whole"][1] = np.arange(4) * 10
    print(into, file["more/whole"][1], np.asarray(file["grows"]).sum(), file["grows"][file["grows"][:, 0] == 1].shape)
    print(np.mean(file["table"], axis=0)[:3].round(5), np.sum(file["more/whole"]), file["table"][:, 0][table[:, 0] > 1].size)
