"""The timeline of a run that goes on, in a real kernel."""

import urllib.error
import urllib.request

import pytest
from lab import browser

from viewer.conftest import picture, told, wait

browser.require()

BUSY = """
import numpy as np
a = np.random.default_rng(1).random((1200, 1200))
def work(n):
    b = a
    for _ in range(n):
        b = np.sin(b) + a
    return float(b.sum())
"""


@pytest.fixture
def address(kernel):
    kernel.text(BUSY + "work(3)\n")
    return kernel.text("import weft\nprint(weft.profile.viewer().url)").strip()


@pytest.fixture
def long_run(kernel):
    """A cell that runs until it is interrupted, each of its steps an array operation."""
    started = kernel.client.execute("while True: work(20)\n")
    yield started
    kernel.manager.interrupt_kernel()
    while kernel.client.get_shell_msg(timeout=120)["parent_header"].get("msg_id") != started:
        pass


def test_follows_a_run(page, address, long_run):
    page.goto(address)
    wait(page, "Number(d.total) > 0 && d.following === 'true'")
    # A bar is seen while its task runs, and is wider the next time that it is looked at.
    wait(page, "Number(d.growing) > 0")
    page.evaluate("""() => { window.grown = 0; const root = document.documentElement; let last = -1;
        new MutationObserver(() => { const now = Number(root.dataset.growing); if (last > 0 && now > last) window.grown++; last = now; })
            .observe(root, { attributes: true, attributeFilter: ["data-growing"] }); }""")
    page.wait_for_function("() => window.grown > 3")
    before = int(told(page, "total"))
    wait(page, f"Number(d.total) > {before}")
    assert int(told(page, "bars")) > 0
    picture(page, "live.png")
    # Moving by hand stops following, and the button goes back to the present.
    page.locator("#canvas").focus()
    page.keyboard.press("a")
    wait(page, "d.following === 'false'")
    stays = told(page, "view")
    before = int(told(page, "total"))
    wait(page, f"Number(d.total) > {before}")
    assert told(page, "view") == stays
    page.locator("#live").click()
    wait(page, "d.following === 'true'")
    page.wait_for_function("stays => document.documentElement.dataset.view !== stays", arg=stays)
    # A search goes through all that there is.
    page.locator("#search").fill("kind:run")
    wait(page, "Number(d.found) > 0")


def test_two_viewers(page, address, long_run):
    page.goto(address)
    wait(page, "Number(d.total) > 0")
    other = page.context.new_page()
    other.goto(address)
    wait(other, "Number(d.total) > 0")
    before = int(told(other, "total"))
    page.bring_to_front()
    wait(page, f"Number(d.total) > {before}")
    other.close()


def test_refuses_strangers(address):
    for url, headers in (
        (address.split("?")[0] + "live", {}),
        (address.split("?")[0] + "live", {"Host": "evil.example"}),
        (address, {"Origin": "http://evil.example"}),
    ):
        handshake = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, headers={**handshake, **headers}), timeout=30)
        assert refused.value.code in (403, 421)
