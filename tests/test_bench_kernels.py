"""make bench-kernels on small programs: each way runs, and each row of the table is there."""

import json
import os
import subprocess
import sys

from conftest import ROOT


def test_the_table(tmp_path):
    """How fast Numba's loops are is not looked at, so that LLVM need not optimise them."""
    done = subprocess.run(
        [sys.executable, "-m", "bench_kernels", "--quick", "--out", str(tmp_path)],
        cwd=ROOT / "tests", capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "NUMBA_OPT": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "bench-kernels.json").read_text())
    for way in ("weft", "numba", "simulator"):
        assert {"matmul", "n-body", "Mandelbrot"} <= found["ms"][way].keys(), done.stderr
    assert len(found["rows"]) == 14 and "a launch of a compiled kernel (us)" in done.stdout
