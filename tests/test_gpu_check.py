"""How the check of a GPU tells products of matrices, whose sums have another order there, from results that are wrong."""

import subprocess
import sys

import numpy as np
import pytest
from bench import programs
from conftest import ROOT

SAME = ROOT / "tests" / "gpu" / "same.py"


def left(folder, name, products, *arrays):
    np.savez(folder / f"{name}.npz", products=products, **{f"r{i}": a for i, a in enumerate(arrays)})


@pytest.fixture
def folders(tmp_path):
    """What two machines left that computed the same."""
    pair = tmp_path / "cpus", tmp_path / "gpus"
    for folder in pair:
        folder.mkdir()
        for i, program in enumerate(programs.table()):
            if program.name != "monte_carlo":
                left(folder, program.name, 3 if program.name == "gemm" else 0, np.arange(1.0, 50 + i), np.array([np.nan, -0.0]))
    return pair


def compare(folders):
    env = {"PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run([sys.executable, SAME, "compare", *folders], capture_output=True, text=True, env=env)
    return done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("same ")]


def test_all_the_same(folders):
    rc, lines = compare(folders)
    assert rc == 0 and lines == [f"{len(programs.table()) - 1} same, 0 close, 0 OTHER"]


@pytest.mark.parametrize(
    ("name", "products", "by", "said"),
    [
        ("gemm", 3, 1e-15, "close gemm"),
        ("gemm", 3, 1e-6, "OTHER gemm result 0 differs"),
        ("stencil", 0, 1e-15, "OTHER stencil has other bits, and no products"),
    ],
)
def test_other_bits(folders, name, products, by, said):
    one = np.arange(1.0, 50)
    left(folders[0], name, products, one)
    left(folders[1], name, products, one * (1 + by))
    rc, lines = compare(folders)
    assert lines[0].startswith(said) and rc == said.startswith("OTHER")


def test_what_failed(folders):
    (folders[1] / "sum.npz").unlink()
    (folders[1] / "sum.txt").write_text("RuntimeError: gpu0 is lost")
    (folders[1] / "cg.npz").unlink()
    left(folders[1], "sort", 0, np.arange(50.0, dtype="float32"))
    rc, lines = compare(folders)
    assert rc == 1 and "OTHER sum results, RuntimeError: gpu0 is lost" in lines
    assert "OTHER cg results, nothing" in lines and "OTHER sort 1 results instead of 2" in lines
