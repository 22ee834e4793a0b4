"""The timeline of a recorded run: served, compared, and as a file off-line."""

import os
import subprocess

import pytest
from conftest import ROOT
from lab import browser

from viewer.conftest import picture, served, told, wait

browser.require()

SCRIPT = """
import numpy as np
import sys
# </script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">
n = int(sys.argv[1])
grid = np.ones((n, n))
for step in range(30):
    new = 0.25 * (grid[1:-1, :-2] + grid[1:-1, 2:] + grid[:-2, 1:-1] + grid[2:, 1:-1])  # <script>window.hacked = 3</script>
    grid[1:-1, 1:-1] = new
    change = float(abs(new).max())
print(change)
"""


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    """Two runs of one script, whose name and text would like to be markup."""
    folder = tmp_path_factory.mktemp("profiles")
    script = folder / "<img src=x onerror=alert(1)>.py"
    script.write_text(SCRIPT)
    found = []
    for size in (300, 900):
        command = [ROOT / "bin" / "weft", "run", "--cpus=2", "--profile", script, str(size)]
        subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=120)
        (left,) = folder.glob("<*.weftprof")
        found.append(left.rename(folder / f"run{size}.weftprof"))
    return found


def key(page, name):
    page.locator("#canvas").focus()
    page.keyboard.press(name)


def select_first(page, text):
    """Search for something and step to its first bar."""
    page.locator("#search").fill(text)
    wait(page, "Number(d.found) > 0")
    page.locator("#search").press("Enter")
    wait(page, "Number(d.selected) >= 0")


def test_served(page, profiles):
    with served(profiles[0]) as address:
        page.goto(address)
        wait(page, "Number(d.bars) > 20 && Number(d.total) > 100")
        page.wait_for_selector("#ops tbody tr")
        page.wait_for_selector("#sources tr.busy")
        assert page.evaluate("window.hacked") is None
        page.emulate_media(color_scheme="light")
        picture(page, "recorded-light.png")
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => getComputedStyle(document.body).backgroundColor === 'rgb(20, 24, 31)'")
        picture(page, "recorded-dark.png")
        page.emulate_media(color_scheme="light")
        # Zoom, and what the panels say of the visible part.
        whole = told(page, "view")
        for _ in range(8):
            key(page, "w")
        page.wait_for_function("whole => document.documentElement.dataset.view !== whole", arg=whole)
        page.wait_for_function("() => document.getElementById('part').textContent.startsWith('visible part')")
        key(page, "f")
        page.wait_for_function("whole => document.documentElement.dataset.view === whole", arg=whole)
        # Search, step, and what the selected task waited for.
        select_first(page, "kind:run >1ns")
        first = told(page, "selected")
        page.locator("#canvas").focus()
        page.keyboard.press("n")
        page.wait_for_function("first => document.documentElement.dataset.selected !== first", arg=first)
        wait(page, "/^\\d+ \\d+$/.test(d.arrows)")
        picture(page, "arrows.png")
        # The view is in the address, and comes back from it.
        page.wait_for_function("() => location.hash.includes('task=') && location.hash.includes('q=')")
        link = page.url
        other = page.context.new_page()
        other.goto(link)
        wait(other, "Number(d.selected) >= 0 && Number(d.found) > 0")
        assert told(other, "selected") == told(page, "selected")
        # Both pages hear what the graph's page selects; a line lights its bars.
        other.evaluate(
            "() => { window.heard = []; new BroadcastChannel('weft').onmessage = (e) => window.heard.push(e.data); }"
        )
        page.locator("#sources tr.busy").first.click()
        other.wait_for_function(
            "() => window.heard.some((m) => m.from === 'timeline' && m.select.place && m.select.place.line > 0)"
        )
        other.evaluate(
            "task => new BroadcastChannel('weft').postMessage({ from: 'graph', select: { ops: [], tasks: [task] } })",
            task_of(page),
        )
        page.wait_for_function("() => document.querySelector('#chosen .name') !== null")
        other.close()


def task_of(page):
    return int(page.evaluate("() => new URLSearchParams(location.hash.slice(1)).get('task')"))


def test_span_path_and_collapse(page, profiles):
    with served(profiles[1]) as address:
        page.goto(address)
        wait(page, "Number(d.bars) > 20")
        page.wait_for_selector("#ops tbody tr")
        box = page.locator("#canvas").bounding_box()
        page.keyboard.down("Shift")
        page.mouse.move(box["x"] + 500, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + 700, box["y"] + 30, steps=4)
        page.mouse.up()
        page.keyboard.up("Shift")
        page.wait_for_function("() => document.getElementById('part').textContent.startsWith('selected span')")
        assert page.locator("#devices tbody tr").count() > 0
        picture(page, "span.png")
        page.keyboard.press("Escape")
        page.wait_for_function("() => !document.getElementById('part').textContent.startsWith('selected span')")
        key(page, "c")
        wait(page, "d.path !== undefined && Number(d.path) > 1")
        picture(page, "path.png")
        lanes = int(told(page, "lanes"))
        page.mouse.click(box["x"] + 30, box["y"] + 36)
        wait(page, f"Number(d.lanes) < {lanes}")
        page.wait_for_function("() => document.getElementById('memory').hidden === false")
        picture(page, "collapsed.png")
        page.mouse.click(box["x"] + 30, box["y"] + 36)
        wait(page, f"Number(d.lanes) === {lanes}")
        page.keyboard.press("?")
        page.locator("#help").wait_for(state="visible")


def test_compare(page, profiles):
    with served(*profiles) as address:
        page.goto(address)
        wait(page, "Number(d.bars) > 40")
        page.wait_for_selector("#ops .ratios tbody tr")
        text = page.locator("#ops").inner_text()
        assert "B / A" in text and "x" in text
        picture(page, "compare.png")


def test_offline(page, profiles, tmp_path):
    """The page as one file, without a server."""
    with served(profiles[0]) as address:
        page.goto(address)
        wait(page, "Number(d.total) > 100")
        total = told(page, "total")
        body = page.request.get(address.split("?")[0] + "timeline.html").body()
    file = tmp_path / "timeline.html"
    file.write_bytes(body)
    page.context.set_offline(True)
    try:
        page.goto(file.as_uri())
        wait(page, "Number(d.bars) > 20")
        assert told(page, "total") == total
        select_first(page, "kind:run >1ns")
        wait(page, "/^\\d+ \\d+$/.test(d.arrows)")
        assert page.evaluate("window.hacked") is None
        picture(page, "offline.png")
    finally:
        page.context.set_offline(False)


def test_round_trip_with_the_graph(page, profiles):
    """A node selects its bars, a bar selects its node, and both have their line."""
    with served(profiles[0]) as address:
        page.goto(address)
        wait(page, "Number(d.bars) > 20")
        page.wait_for_selector("#sources tr.busy")
        graph = page.context.new_page()
        graph.goto(address.split("?")[0] + "dataflow.html")
        graph.locator("g.node").first.wait_for()
        graph.locator("g.node", has_text="ones").or_(graph.locator("g.node", has_text="fill")).first.click()
        wait(page, "Number(d.selected) >= 0 || Number(d.found) > 0")
        page.wait_for_selector("#sources tr.chosen[data-line='6']")
        graph.keyboard.press("Escape")
        graph.locator("g.node.selected").wait_for(state="detached")
        select_first(page, "line:6 kind:run")
        graph.locator("g.node.selected").first.wait_for()


MANY = """
import numpy as np
x = np.ones(10)
for step in range(20_000):
    x = x + 1.0
print(float(x[0]))
"""


def test_more_than_memory(page, tmp_path):
    """Of what does not fit there are sums, and the page says so."""
    (tmp_path / "many.py").write_text(MANY)
    command = [ROOT / "bin" / "weft", "run", "--cpus=1", "--profile", "many.py"]
    env = {**os.environ, "WEFT_DEBUG": "nofuse"}
    subprocess.run(command, check=True, cwd=tmp_path, env=env, capture_output=True, timeout=120)
    with served(tmp_path / "many.weftprof", options=("--memory", "1MB")) as address:
        page.goto(address)
        wait(page, "Number(d.bars) > 0 && Number(d.total) > 20000")
        page.wait_for_function("() => document.getElementById('notes').textContent.includes('older bars, up to')")
        page.wait_for_function("() => !document.getElementById('notes').textContent.includes('being read')")
        page.locator("#search").fill("add")
        wait(page, "Number(d.found) >= 20000")
        page.locator("#search").fill("")
        picture(page, "sums.png")
        # Far into the oldest part there is what the sums tell, and no more. Where the program was busy with something else there
        # is nothing, and the next part is looked at.
        box = page.locator("#canvas").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 60)
        while True:
            seen = told(page, "view")
            begin, end = map(float, seen.split())
            if end - begin < 2e6:  # less than the 4 us of a sum for each pixel
                break
            page.mouse.wheel(0, -300)
            wait(page, f"d.view !== '{seen}'")
        page.wait_for_function(
            """([left, top, width]) => {
            const canvas = document.getElementById("canvas");
            for (let x = 150; x < width; x += 25) {
                for (let y = 20; y < 200; y += 8) {
                    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y, bubbles: true }));
                    if (document.getElementById("tip").textContent.includes("too old")) return true;
                }
            }
            document.dispatchEvent(new KeyboardEvent("keydown", { key: "d", bubbles: true }));
            return false;
        }""",
            arg=[box["x"], box["y"], box["width"]],
            polling=100,
        )
        picture(page, "sums-near.png")
