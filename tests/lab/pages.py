"""Pages of the machine's browser, for tests that need no JupyterLab. A folder's conftest.py imports the fixtures."""

import os
import pathlib

import pytest
from conftest import ROOT

from lab import browser


# The scope is no wider than a folder: an event loop that Playwright leaves running would be in other tests' way.
@pytest.fixture(scope="package")
def chromium():
    """A browser; modules that use it begin with browser.require()."""
    with browser.opened(browser.find()) as (page, _):
        yield page.context.browser


@pytest.fixture
def page(chromium):
    """A page of a fresh profile, in whose context others may be opened. In none of them anything may go wrong."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(browser.DEADLINE)
    faults = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("console", lambda said: said.type == "error" and faults.append(said.text))
    context.on("dialog", lambda dialog: faults.append(f"a dialog: {dialog.message}"))
    yield context.new_page()
    context.close()
    assert faults == [], faults  # this file is not one whose assertions pytest explains


def leave(page, folder, name):
    """Leave a picture of a page in a folder of out/, or in the one that WEFT_SCREENSHOTS names."""
    pictures = pathlib.Path(os.environ.get("WEFT_SCREENSHOTS") or ROOT / "out" / folder)
    pictures.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=pictures / name)


def limit(items, file):
    """A page that never answers is the only thing in a folder's tests that has no deadline of its own."""
    for item in items:
        if item.path.is_relative_to(pathlib.Path(file).parent):
            item.add_marker(pytest.mark.timeout(300))
