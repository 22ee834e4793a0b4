"""The notebooks run in the real kernel, and their numbers are NumPy's."""

import json
import linecache
import os

import matplotlib
import nbformat
import numpy as np
import pytest
from conftest import ROOT, TIMEOUT, Kernel
from nbclient import NotebookClient

matplotlib.use("Agg")

# For each notebook: the arrays that must have NumPy's bits (elementwise arithmetic), and
# those that may differ by rounding, with the relative tolerance and its reason.
EXPECTED = {
    "quickstart": {
        "exact": ["a", "b", "corner", "flipped"],
        "close": {"total": 1e-12, "by_row": 1e-12},  # sums: another order of additions
    },
    "heat": {
        "exact": ["grid", "spread", "short", "short4"],
        "close": {"mean": 1e-12},  # a sum
    },
    "black_scholes": {
        "exact": ["spot", "strike", "years"],
        "close": {"call": 1e-10, "put": 1e-10},  # exp and log within 4 ulp, amplified by cancellation
    },
    "kernels": {
        "exact": ["added", "bins", "board", "heat", "hits", "image"],
        "close": {"product": 1e-12, "total": 1e-12, "acceleration": 1e-12},  # sums, and functions of NumPy's own
    },
}

# Outputs that each notebook promises in its text cells: mime types over all its cells.
PROMISED = {
    "quickstart": {"image/svg+xml": 3, "text/html": 2},
    "heat": {"image/png": 1, "image/svg+xml": 3, "text/html": 2},
    "black_scholes": {"image/svg+xml": 3, "text/html": 2},
    "kernels": {"image/png": 3, "image/svg+xml": 19, "text/html": 19},  # the timelines of either side of nine programs
}

# What %verify may leave unchecked. Of heat it is anything: the log is too short for the whole of it, its oldest tasks may
# touch too many pieces, and every task is verified while it runs anyway. kernels makes one launch fail on purpose, behind
# which arrays are as they were.
UNCHECKED = {"heat": "", "kernels": "behind a launch that never ran"}


def load(name, edits=()):
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        for old, new in dict(edits).items():
            cell.source = cell.source.replace(old, new)
    return notebook


def plain_numpy(notebook):
    """Run the notebook's code under NumPy itself, without the magics."""
    space = {"__name__": "plain"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            lines = [line for line in cell.source.splitlines() if not line.startswith("%")]
            source = "\n".join(lines)
            name = f"<cell {cell.id}>"  # whose lines are known: kernels are compiled of them
            linecache.cache[name] = (len(source), None, source.splitlines(True), name)
            exec(compile(source, name, "exec"), space)  # noqa: S102 - our own notebooks
    return space


def test_every_notebook_is_listed():
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_notebook_equals_numpy(name, tmp_path):
    check(name, tmp_path, {"WEFT_DEBUG": "check"})


def check(name, tmp_path, variables, edits=()):
    """Execute a notebook in a kernel with variables of the environment, and compare what it makes with NumPy's. edits make it smaller."""
    notebook = load(name, edits)
    client = NotebookClient(notebook, kernel_name="weft", timeout=TIMEOUT)
    running = Kernel.__new__(Kernel)
    with client.setup_kernel(env={**os.environ, **variables}):
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        running.client = Blocking(client)
        names = [*EXPECTED[name]["exact"], *EXPECTED[name]["close"]]
        got = running.fetch(names, tmp_path)
        verified = running.text("%verify")
        contradictions = running.text("import weft; weft.profile.contradictions()")
    unchecked = [line for line in verified.splitlines() if "NOT checked" in line]
    assert "no violation among " in verified, verified
    assert all(UNCHECKED.get(name, "nothing") in line for line in unchecked), verified
    assert contradictions == "[]", contradictions
    want = plain_numpy(load(name, edits))
    for key in EXPECTED[name]["exact"]:
        expected = np.asarray(want[key])
        assert got[key].dtype == expected.dtype and got[key].shape == expected.shape, key
        assert got[key].tobytes() == expected.tobytes(), f"{key} differs from NumPy's bits"
    for key, rtol in EXPECTED[name]["close"].items():
        np.testing.assert_allclose(got[key], np.asarray(want[key]), rtol=rtol, atol=1e-13, err_msg=key)
    counts = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            for mime in output.get("data", {}):
                counts[mime] = counts.get(mime, 0) + 1
    for mime, least in PROMISED[name].items():
        assert counts.get(mime, 0) >= least, f"{mime}: {counts}"
    json.dumps(notebook)  # the executed notebook can be saved


class Blocking:
    """The blocking calls of nbclient's asynchronous client that Kernel.run needs."""

    def __init__(self, client):
        self.client = client

    def execute_interactive(self, code, **options):
        from nbclient.util import run_sync

        return run_sync(self.client.kc.execute_interactive)(code, **options)
