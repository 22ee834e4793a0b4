"""joblib: parallel loops in processes and threads, caches, dumps."""

import os
import tempfile

import joblib
import numpy as np
from joblib import Memory, Parallel, delayed


def work(a, k):
    return (a * k).sum(), np.sqrt(a[:k]), isinstance(a, np.ndarray)


table = np.arange(20_000.0).reshape(4, 5000)
for backend in ("loky", "threading", "multiprocessing", "sequential"):
    out = Parallel(n_jobs=2, backend=backend)(delayed(work)(row, k + 1) for k, row in enumerate(table))
    print(backend, [float(total) for total, _, _ in out], np.concatenate([roots for _, roots, _ in out])[:5].round(5), all(known for *_, known in out))
large = np.zeros((1000, 300)) + 2  # more than 1 MB: a file is mapped in the workers
print(Parallel(n_jobs=2)(delayed(np.sum)(large[i::2]) for i in range(2)), Parallel(n_jobs=2, prefer="processes")(delayed(lambda v: v + 1)(v) for v in np.arange(3)))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "dump")
    joblib.dump({"a": table, "b": np.arange(3)}, path, compress=3)
    again = joblib.load(path)
    print(np.array_equal(again["a"], table), again["b"])
    calls = []

    @Memory(folder, verbose=0).cache
    def slow(a):
        calls.append(1)
        return a + 1

    print(slow(np.arange(3)), slow(np.arange(3)), slow(np.arange(4)), len(calls), joblib.hash(np.arange(3)) == joblib.hash(np.arange(3)))
