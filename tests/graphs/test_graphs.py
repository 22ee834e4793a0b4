"""The interactive graphs: as a page of their own, in a saved notebook that nbconvert has exported, and served beside the timeline."""

import base64
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from lab import browser

from .conftest import picture

browser.require()


def node(page, name):
    """The first visible node of a name."""
    return page.locator("g.node").filter(has=page.locator("text.name", has_text=name)).first


def count(page):
    return page.locator("g.node").count()


def test_dataflow_opens_and_closes(page, drawn):
    page.goto((drawn / "dataflow.html").as_uri())
    loop = page.locator("g.box.loop").first
    loop.wait_for()
    picture(page, "dataflow.png")
    before = count(page)

    # A node says what it is: its line with the source, the bytes, the arrays.
    first = page.locator("g.box.loop ~ g.node").first
    first.hover()
    tip = page.locator("#tip")
    tip.locator("tr", has_text="line").wait_for()
    assert "time" in tip.inner_text()

    # How arrays are used shows at the ends of edges, and below them stands what that means.
    assert page.locator("#view circle.reduced").count() > 0 and page.locator("#view circle.updated").count() > 0
    assert "reduced into" in page.locator("#hint").inner_text()

    # A fused operation opens into its parts, and the box closes again.
    fused = page.locator("g.node", has=page.locator("[data-action=open]")).first
    fused.dblclick()
    page.wait_for_function("n => document.querySelectorAll('g.node').length > n", arg=before)
    picture(page, "dataflow-open.png")
    page.locator("#reset").click()
    page.wait_for_function("n => document.querySelectorAll('g.node').length === n", arg=before)

    # So does one that has moved between the two clicks, because the first one opened the panel.
    page.goto((drawn / "dataflow.html").as_uri())
    fused.wait_for()
    spot = fused.bounding_box()
    at = {"x": spot["x"] + spot["width"] / 2, "y": spot["y"] + spot["height"] / 2}
    wide = page.locator("#canvas").bounding_box()["width"]
    page.mouse.click(**at)
    page.wait_for_function("wide => document.getElementById('canvas').clientWidth < wide", arg=wide)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.mouse.move(**at)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    page.wait_for_function("n => document.querySelectorAll('g.node').length > n", arg=before)
    page.locator("#reset").click()
    page.wait_for_function("n => document.querySelectorAll('g.node').length === n", arg=before)

    # The loop opens into iterations, and one of these into its operations.
    loop.locator("[data-action=open]").click()
    iteration = node(page, "iteration")
    iteration.wait_for()
    assert not page.locator("g.edge.carried").count()
    picture(page, "dataflow-iterations.png")
    iteration.dblclick()
    page.locator("g.box", has_text="iteration").first.wait_for()
    page.locator("#fit").click()  # the box has become wider than the page
    page.locator("[data-action=folded]").first.click()
    page.wait_for_function("n => document.querySelectorAll('g.node').length === n", arg=before)


def test_selection_shows_neighbors_and_the_line(page, drawn):
    page.goto((drawn / "dataflow.html").as_uri())
    chosen = node(page, "sin")
    chosen.click()
    page.locator("g.node.selected").wait_for()
    assert page.locator("g.node.dim").count() > 0 and page.locator("g.edge.near").count() > 0
    line = page.locator("#source tr.chosen")
    assert "np.sin(field)" in line.inner_text()
    assert "#op=" in page.url
    picture(page, "dataflow-selected.png")
    whole = count(page)
    page.keyboard.press("n")
    page.wait_for_function("n => document.querySelectorAll('g.node').length < n", arg=whole)
    page.keyboard.press("r")
    page.wait_for_function("n => document.querySelectorAll('g.node').length === n", arg=whole)
    # The address leads back to the selection.
    again = page.context.new_page()
    again.goto(page.url)
    again.locator("g.node.selected").wait_for()
    assert "np.sin(field)" in again.locator("#source tr.chosen").inner_text()


def test_search_finds_what_is_closed(page, drawn):
    page.goto((drawn / "dataflow.html").as_uri())
    page.locator("g.node").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.type("multiply")  # a part of a fused operation
    page.locator("g.node.found").first.wait_for()
    page.keyboard.press("Enter")
    node(page, "multiply").wait_for()
    picture(page, "dataflow-found.png")


def test_events_open_into_tasks(page, drawn):
    page.goto((drawn / "events.html").as_uri())
    page.locator("g.node").first.wait_for()
    picture(page, "events.png")
    assert "critical path" in page.locator("#note").inner_text()
    assert page.locator("g.node.critical").count() > 0 and page.locator("g.node.task-copy").count() > 0
    before = count(page)
    launch = page.locator("g.node.task-run", has=page.locator("[data-action=open]")).first
    launch.locator("[data-action=open]").click()
    page.wait_for_function("n => document.querySelectorAll('g.node').length > n", arg=before)
    picture(page, "events-open.png")


def test_zoom_and_pan(page, drawn):
    page.goto((drawn / "dataflow.html").as_uri())
    view = page.locator("#view")
    page.locator("g.node").first.wait_for()
    at = view.get_attribute("transform")
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -200)
    page.wait_for_function("was => document.querySelector('#view').getAttribute('transform') !== was", arg=at)
    zoomed = view.get_attribute("transform")
    page.mouse.move(20, 700)
    page.mouse.down()
    page.mouse.move(120, 750, steps=4)
    page.mouse.up()
    assert view.get_attribute("transform") != zoomed
    page.keyboard.press("f")
    whole, room = view.bounding_box(), page.locator("#canvas").bounding_box()
    assert whole["x"] >= room["x"] - 1 and whole["x"] + whole["width"] <= room["x"] + room["width"] + 1
    assert whole["y"] >= room["y"] - 1 and whole["y"] + whole["height"] <= room["y"] + room["height"] + 1


@pytest.mark.parametrize("wide", (1400, 500))
def test_text_can_be_read_at_first(page, drawn, wide):
    page.set_viewport_size({"width": wide, "height": 600})
    for name in ("dataflow", "events"):
        page.goto((drawn / f"{name}.html").as_uri())
        page.locator("g.node").first.wait_for()
        smallest = page.evaluate(
            """() => Math.min(...[...document.querySelectorAll("#view text")].map(
                (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
        )
        assert smallest >= 11
        overflowing = page.evaluate(
            """() => [...document.querySelectorAll("g.node")].filter((node) => {
                const box = node.querySelector(".shape").getBoundingClientRect();
                return [...node.querySelectorAll(":scope > text")].some((t) => t.getBoundingClientRect().width > box.width + 2);
            }).map((node) => node.textContent)"""
        )
        assert overflowing == []
        # What is not in sight is said, with the way there.
        rest = page.locator("#rest")
        room = page.locator("#canvas").bounding_box()
        whole = page.locator("#view").bounding_box()
        inside = whole["height"] <= room["height"] and whole["width"] <= room["width"]
        assert inside or rest.is_visible()
        if "below" in rest.inner_text():
            before = page.locator("#view").get_attribute("transform")
            rest.click()
            assert page.locator("#view").get_attribute("transform") != before
    picture(page, f"events-{wide}.png")


def test_details_are_behind_a_switch(page, drawn):
    page.goto((drawn / "dataflow.html").as_uri())
    page.locator("g.node").first.wait_for()
    shown = page.locator("#view").text_content()
    assert "np.sin(field)" in shown and "heat.py line" not in shown
    page.locator("#details").click()
    assert "heat.py line" in page.locator("#view").text_content()


def test_frames_follow_the_theme_of_the_notebook(page, notebook):
    (data,) = [cell["outputs"][0]["data"] for cell in json.loads((notebook / "saved.ipynb").read_text())["cells"][1:2]]
    page.emulate_media(color_scheme="null")  # else every frame is told the same, whatever is around it
    for theme, dark in (("true", False), ("false", True)):
        page.set_content(f'<body data-jp-theme-light="{theme}">' + "".join(data["text/html"]))
        inside = page.frame_locator("iframe.weft-picture")
        inside.locator("g.node").first.wait_for()
        assert inside.locator("body").evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches") is dark


def test_the_picture_of_memory_follows_the_theme_of_the_notebook(page):
    """An image sees the theme as its reader's preference. What is behind its lanes says which one it has taken."""
    import weft

    float(weft.ones(100_000)[5])
    drawn = weft.profile.memory("*", {})
    page.emulate_media(color_scheme="null")
    for theme, wanted in (("true", [255, 255, 255]), ("false", [0x14, 0x18, 0x1F])):
        page.set_content(f'<body data-jp-theme-light="{theme}">{drawn.html}')
        image = page.locator("img.weft-picture")
        image.evaluate("image => image.decode()")
        # A canvas would draw the image without the page around it; only the screen shows what the reader sees.
        shot = base64.b64encode(image.screenshot()).decode()
        corner = page.evaluate(
            """async shot => {
                const image = new Image();
                image.src = "data:image/png;base64," + shot;
                await image.decode();
                const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
                canvas.drawImage(image, 0, 0);
                return [...canvas.getImageData(2, 2, 1, 1).data.slice(0, 3)];
            }""",
            shot,
        )
        assert corner == wanted, (theme, corner)


def test_dark(page, drawn):
    page.emulate_media(color_scheme="dark")
    page.goto((drawn / "dataflow.html").as_uri())
    page.locator("g.node").first.wait_for()
    picture(page, "dataflow-dark.png")
    page.goto((drawn / "events.svg").as_uri())
    picture(page, "events-still-dark.png")


def test_still_picture(page, drawn):
    page.goto((drawn / "dataflow.svg").as_uri())
    assert page.locator("svg g.node").count() > 4
    assert page.locator("svg title").count() > 4 and page.locator("script").count() == 0
    picture(page, "dataflow-still.png")


# A notebook that was saved with its outputs, as it is sent to a reader without a kernel.
@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    folder = tmp_path_factory.mktemp("saved")
    cells = [
        "import numpy as np\na = np.ones((300, 300))\nfor k in range(20):\n    a = np.sqrt(a + k)\n    a[1:] += a[:-1]\nprint(a.sum())",
        "%dataflow 1",
        "%events 1",
    ]
    saved = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in cells],
        metadata={"kernelspec": {"name": "weft", "display_name": "weft", "language": "python"}},
    )
    from nbclient import NotebookClient

    NotebookClient(saved, timeout=120, kernel_name="weft").execute()
    nbformat.write(saved, folder / "saved.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "saved.ipynb"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder


def test_saved_notebook(page, notebook):
    outputs = [cell["outputs"][0]["data"] for cell in json.loads((notebook / "saved.ipynb").read_text())["cells"][1:]]
    for data in outputs:
        assert set(data) == {"text/plain", "image/svg+xml", "text/html"}
        assert len("".join(data["text/html"])) + len("".join(data["image/svg+xml"])) < 200_000
    # A view that shows no scripts shows the still picture, which stands by itself.
    static = notebook / "static.html"
    static.write_text("".join(f"<p>{''.join(data['image/svg+xml'])}</p>" for data in outputs))
    page.goto(static.as_uri())
    assert page.locator("svg g.node").count() > 3
    picture(page, "static.png")

    # So does one, GitHub's, that takes frames, styles and scripts out of HTML.
    page.set_content("<main></main>")
    page.evaluate(
        """(texts) => {
            const all = document.createElement("template");
            all.innerHTML = texts.join("");
            all.content.querySelectorAll("iframe, style, script").forEach((e) => e.remove());
            all.content.querySelectorAll("*").forEach((e) => { e.removeAttribute("class"); e.removeAttribute("style"); });
            document.querySelector("main").append(all.content);
        }""",
        ["".join(data["text/html"]) for data in outputs],
    )
    images = page.locator("img")
    assert images.count() == len(outputs) and page.locator("main").inner_text().strip() == ""
    for image in images.all():
        page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=image.element_handle())
    picture(page, "sanitized.png")

    page.route(re.compile("^https?:"), lambda route: route.fulfill(body=""))  # it needs no network
    page.goto((notebook / "saved.html").as_uri(), wait_until="commit")
    frame = page.frame_locator("iframe").first
    frame.locator("g.node").first.wait_for()
    assert page.locator("img.weft-still").count() == len(outputs) and not page.locator("img.weft-still").first.is_visible()
    loop = frame.locator("g.box.loop").first
    loop.scroll_into_view_if_needed()
    picture(page, "notebook.png")
    loop.locator("[data-action=open]").click()
    frame.locator("g.node", has_text="iteration").first.wait_for()


def test_served_beside_the_timeline(page, drawn):
    command = [ROOT / "bin" / "weft", "view", drawn / "run.weftprof", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split(" at ")[-1].strip()
            page.goto(address)
            graph = page.context.new_page()
            graph.goto(address.split("?")[0] + "dataflow.html")
            node(graph, "sin").wait_for()
            # What the timeline selects is selected here, and what is selected here the timeline is told.
            page.evaluate("() => { window.told = []; window.ear = new BroadcastChannel('weft'); ear.onmessage = (e) => told.push(e.data); }")
            node(graph, "sin").click()
            page.wait_for_function("() => told.some((m) => m.from === 'graph' && m.select.ops.length > 0)")
            ops = page.evaluate("told.at(-1).select.ops")
            # The timeline has marked one of its bars.
            page.wait_for_function("() => Number(document.documentElement.dataset.selected ?? -1) >= 0")
            picture(page, "timeline-selected.png")
            graph.keyboard.press("Escape")
            graph.locator("g.node.selected").wait_for(state="detached")
            page.evaluate("ops => ear.postMessage({from: 'timeline', select: {ops, tasks: []}})", ops)
            graph.locator("g.node.selected", has_text="sin").wait_for()
        finally:
            server.terminate()


def test_hostile_names(page, tmp_path):
    program = tmp_path / "<img src=x onerror=alert(1)>.py"
    program.write_text(
        "import numpy as np, weft\n"
        "a = np.ones(5000) # </script><script>alert(2)</script> javascript:alert(3)\n"
        "print(float((a + 1).sum()))\n"
        "for what in ('dataflow', 'events'):\n"
        "    getattr(weft.profile, what)('*').save(what + '.html')\n"
    )
    done = subprocess.run([sys.executable, "-m", "weft.run", program.name], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for what in ("dataflow", "events"):
        page.goto((tmp_path / f"{what}.html").as_uri())
        shown = page.locator("g.node.task-run, g.node.op-reduce, g.node.op-map").first
        shown.hover()
        shown.click()
        page.locator("#source tr.chosen").wait_for()
        assert page.locator("img").count() == 0 and page.locator("script").count() == 2
        assert "<img" in page.locator("#source caption").inner_text()
