"""Browser tests of the timeline. Pictures of what they saw are left in out/viewer, or in the folder that
WEFT_SCREENSHOTS names."""

import subprocess
from contextlib import contextmanager

from conftest import ROOT
from lab import pages

chromium, page = pages.chromium, pages.page  # fixtures


def pytest_collection_modifyitems(items):
    pages.limit(items, __file__)


@contextmanager
def served(*profiles, options=()):
    """The address of `weft view` showing profiles."""
    command = [ROOT / "bin" / "weft", "view", *profiles, "--no-browser", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split(" at ")[-1].strip()
        finally:
            process.terminate()


def picture(page, name):
    pages.leave(page, "viewer", name)


def told(page, name):
    """A number or text that the page leaves for tests."""
    return page.evaluate("name => document.documentElement.dataset[name]", name)


def wait(page, condition):
    """Wait until a condition on the page's dataset, in JavaScript with the name d, holds."""
    page.wait_for_function("() => { const d = document.documentElement.dataset; return " + condition + "; }")
