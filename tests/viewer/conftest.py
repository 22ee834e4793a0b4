"""Browser tests of the timeline. Pictures of what they saw are left in out/viewer, or in the folder that
WEFT_SCREENSHOTS names."""

import os
import pathlib
import subprocess
from contextlib import contextmanager

import pytest
from conftest import ROOT
from lab import browser

PICTURES = pathlib.Path(os.environ.get("WEFT_SCREENSHOTS") or ROOT / "out" / "viewer")


def pytest_collection_modifyitems(items):
    """A page that never answers is the only thing that has no deadline of its own."""
    for item in items:
        if item.path.is_relative_to(pathlib.Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(300))


# The scope is no wider than this folder: an event loop that Playwright leaves running would be in other tests' way.
@pytest.fixture(scope="package")
def chromium():
    """A browser."""
    if browser.find() is None:
        pytest.skip(f"no browser: none of {', '.join(browser.NAMES)} is installed")
    with browser.opened(browser.find()) as (page, _):
        yield page.context.browser


@pytest.fixture
def page(chromium):
    """A page of a fresh profile, in whose context others may be opened. None of them may go wrong."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(browser.DEADLINE)
    faults = []
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    context.on("console", lambda said: said.type == "error" and faults.append(said.text))
    yield context.new_page()
    context.close()
    assert faults == []


@contextmanager
def served(*profiles):
    """The address of `weft view` showing profiles."""
    command = [ROOT / "bin" / "weft", "view", *profiles, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split(" at ")[-1].strip()
        finally:
            process.terminate()


def picture(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / name)


def told(page, name):
    """A number or text that the page leaves for tests."""
    return page.evaluate("name => document.documentElement.dataset[name]", name)


def wait(page, condition):
    """Wait until a condition on the page's dataset, in JavaScript with the name d, holds."""
    page.wait_for_function("() => { const d = document.documentElement.dataset; return " + condition + "; }")
