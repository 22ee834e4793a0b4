"""Browser tests of the graphs. Pictures of what they saw are left in out/graphs, or in the folder that WEFT_SCREENSHOTS names."""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT
from lab import browser

PICTURES = pathlib.Path(os.environ.get("WEFT_SCREENSHOTS") or ROOT / "out" / "graphs")

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
    """A page that never answers is the only thing that has no deadline of its own."""
    for item in items:
        if item.path.is_relative_to(pathlib.Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(300))


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


@pytest.fixture(scope="package")
def chromium():
    """A browser."""
    if browser.find() is None:
        pytest.skip(f"no browser: none of {', '.join(browser.NAMES)} is installed")
    with browser.opened(browser.find()) as (page, _):
        yield page.context.browser


@pytest.fixture
def page(chromium):
    """A page of a fresh profile. Nothing in it may go wrong, and it may load nothing from anywhere."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(browser.DEADLINE)
    faults = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("console", lambda said: said.type == "error" and faults.append(said.text))
    context.on("dialog", lambda dialog: faults.append(f"a dialog: {dialog.message}"))
    yield context.new_page()
    context.close()
    assert faults == []


def picture(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / name)
