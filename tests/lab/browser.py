"""The machine's Chromium, driven by Playwright. No browser is downloaded."""

import importlib.util
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
DEADLINE = 60_000  # milliseconds that anything in the page may take; only reached by what never comes


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def require():
    """Skip the calling module where there is nothing to drive, or nothing to drive it with."""
    if importlib.util.find_spec("jupyterlab") is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("JupyterLab or Playwright is not installed (install/bootstrap.sh test)", allow_module_level=True)
    if find() is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed", allow_module_level=True)


@contextmanager
def opened(executable):
    """A page of a headless browser, and the list of what went wrong in it so far."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=DEADLINE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(DEADLINE)
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        try:
            yield page, faults
        finally:
            browser.close()
