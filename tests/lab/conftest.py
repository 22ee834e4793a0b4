"""One server and one browser for all tests in JupyterLab. Pictures of what they saw are left in
out/lab, or in the folder that WEFT_SCREENSHOTS names."""

import os
import pathlib

import pytest
from conftest import ROOT

from lab import browser

PICTURES = pathlib.Path(os.environ.get("WEFT_SCREENSHOTS") or ROOT / "out" / "lab")


def pytest_collection_modifyitems(items):
    """A page that never answers is the only thing that has no deadline of its own."""
    for item in items:
        if item.path.is_relative_to(pathlib.Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(300))


# The scope is no wider than this folder: an event loop that Playwright leaves running would be in other tests' way.
@pytest.fixture(scope="package")
def server(tmp_path_factory):
    from lab.server import Server

    running = Server(tmp_path_factory.mktemp("lab") / "server")
    yield running
    running.close()


@pytest.fixture(scope="package")
def lab(server):
    """JupyterLab in a page, and the errors that the browser noted."""
    from lab.notebook import load_lab

    with browser.opened(browser.find()) as (page, faults):
        load_lab(page, server)
        yield page, faults


@pytest.fixture
def picture(lab, request):
    """Leaves a picture of the page as it is: picture("after"). The test's name is put before."""
    page, _ = lab
    name = request.node.name.removeprefix("test_")
    PICTURES.mkdir(parents=True, exist_ok=True)
    return lambda word="": page.screenshot(path=PICTURES / f"{name}{'_' if word else ''}{word}.png")


@pytest.fixture
def notebook(lab, server, picture, request):
    """Opens a notebook: notebook(source of a cell, or the cell, and the next, ...). A picture of the page is left when the test ends."""
    from lab.notebook import CUT_SHORT, Notebook, load_lab

    page, faults = lab
    faults.clear()
    opened = []

    def make(*sources):
        # Each has a file of its own: the page would take up the session of one of the same name that ends, and wait for its kernel for ever.
        opened.append(Notebook(page, server, request.node.name.removeprefix("test_") + "_again" * len(opened), sources))
        return opened[-1]

    failures = request.session.testsfailed
    yield make
    picture()
    if request.session.testsfailed > failures:
        load_lab(page, server)  # the next test must not find a question without an answer
    else:
        for one in opened:
            one.close()
        assert [fault for fault in faults if not fault.endswith(CUT_SHORT)] == []
