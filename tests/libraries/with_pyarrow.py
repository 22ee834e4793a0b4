"""pyarrow: columns of arrays, computations, tables, files in memory."""

import io
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

rng = np.random.default_rng(10)
a = pa.array(np.arange(10.0))
print(a.type, pc.sum(a), a.to_numpy()[:3], pa.array(np.array([1, 2, 3], np.int16)).type, pa.array(np.arange(3) > 1).to_pylist())
masked = pa.array(np.array([1.0, 2.0, 3.0]), mask=np.array([False, True, False]))
print(masked.null_count, masked.to_pylist(), pc.mean(masked), pa.array(np.array([1.0, np.nan])).to_pylist())
table = pa.table({"k": np.arange(100) % 4, "v": rng.normal(size=100), "w": np.linspace(0, 1, 100, dtype=np.float32)})
print(table.schema, table.group_by("k").aggregate([("v", "sum"), ("w", "max")]).sort_by("k").to_pandas().round(5))
file = io.BytesIO()
pq.write_table(table, file)
again = pq.read_table(io.BytesIO(file.getvalue()))
print(again.equals(table), again["v"].to_numpy().sum().round(6), again.filter(pc.field("k") == 2).num_rows)
print(pa.array(list(np.arange(6).reshape(2, 3))).to_pylist(), pa.FixedSizeListArray.from_arrays(pa.array(np.arange(6)), 3).to_pylist())
print(pc.if_else(pa.array(np.array([True, False])), 1, 2), pa.record_batch({"x": np.arange(3)}).num_rows, np.asarray(pa.chunked_array([np.arange(2), np.arange(3)])))
print(pickle.loads(pickle.dumps(pa.array)) is pa.array)
