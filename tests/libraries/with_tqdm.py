"""tqdm: bars over arrays, which change nothing about them."""

import io

import numpy as np
from tqdm import tqdm, trange

quiet = io.StringIO()
total = 0
for row in tqdm(np.arange(12).reshape(4, 3), file=quiet, desc="rows"):
    total += row.sum()
for k in trange(3, file=quiet):
    total += np.ones(k + 1).sum()
with tqdm(total=np.int64(10), file=quiet) as bar:
    bar.update(np.int64(4))
    print(bar.n, bar.total)
print(total, "rows" in quiet.getvalue(), len(tqdm(np.zeros((5, 2)), file=quiet, disable=True)), [float(v) for v in tqdm(np.linspace(0, 1, 3), file=quiet)])
