"""Browser tests of the graphs. Pictures of what they saw are left in out/graphs, or in the folder that WEFT_SCREENSHOTS names."""

import os
import subprocess
import sys

import pytest
from lab import pages

chromium, page = pages.chromium, pages.page  # fixtures

# A loop of fused stencils on four emulated GPUs, with halos between them. Its graphs are saved in all forms.
PROGRAM = """
import sys
import numpy as np
import weft

n = 400
field = np.zeros((n, n))
field[0] = 100.0
for turn in range(30):
    new = field.copy()
    new[1:-1, 1:-1] = 0.25 * (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    change = np.abs(new - field).max()
    field = new
print(float(change), float(np.sin(field).sum()))
for what in ("dataflow", "events"):
    picture = getattr(weft.profile, what)("*")
    for suffix in sys.argv[1:]:
        picture.save(f"{what}{suffix}")
weft.profile.save("run.weftprof")
"""


def pytest_collection_modifyitems(items):
    pages.limit(items, __file__)


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """A folder with the graphs of PROGRAM as pages, pictures and DOT, and its profile."""
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "heat.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "weft.run", "--gpus", "4", "--emulate", "heat.py", ".html", ".svg", ".dot"]
    environment = os.environ | {"WEFT_DEBUG": "tile=1000"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def picture(page, name):
    pages.leave(page, "graphs", name)
