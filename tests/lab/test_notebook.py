"""Notebooks in JupyterLab, used as people use them."""

import re
import time

import nbformat
from conftest import TIMEOUT

from lab import browser

browser.require()

from playwright.sync_api import TimeoutError as PageTimeout  # noqa: E402  only where it is installed
from playwright.sync_api import expect  # noqa: E402


def test_cells(notebook):
    opened = notebook("import numpy as np\nnp.__name__", "print('one')\n2 * 21", "import sys; print('red', file=sys.stderr)")
    opened.run(0, 1)
    expect(opened.outputs(0)).to_have_text(["'weft'"])
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["one\n", "42"])
    opened.run(1, 3)
    expect(opened.outputs(1)).to_have_text(["one\n", "42"])
    opened.run(2, 4)
    expect(opened.outputs(2)).to_have_text(["red\n"])
    expect(opened.outputs(2)).to_have_attribute("data-mime-type", "application/vnd.jupyter.stderr")
    opened.await_status("idle")


def test_completion(notebook, picture):
    opened = notebook("import numpy as np\ncounters = {'apples': 3}", "", "")
    opened.run(0, 1)
    opened.type(1, "np.lins")
    items = opened.page.locator(".jp-Completer .jp-Completer-item")
    for _ in range(6):  # JupyterLab waits a second for an answer, then shows nothing until it is asked again
        opened.page.keyboard.press("Tab")
        try:
            expect(items).to_have_count(1, timeout=10_000)
            break
        except AssertionError:
            continue
    expect(items).to_have_count(1)
    expect(items).to_contain_text("linspace")
    expect(items.locator(".jp-Completer-typeExtended")).to_have_text("function")  # as of NumPy's own
    opened.page.keyboard.press("Enter")
    expect(opened.editor(1)).to_have_text("np.linspace")
    opened.type(2, "np.arc")
    opened.page.keyboard.press("Tab")
    expect(items.filter(has_text="arctan2")).to_be_visible()
    picture("list")
    items.filter(has_text="arctan2").click()
    expect(opened.editor(2)).to_have_text("np.arctan2")


def test_inspection(notebook):
    opened = notebook("import numpy as np", "")
    opened.run(0, 1)
    opened.type(1, "np.sqrt(")
    opened.page.keyboard.press("Shift+Tab")
    tip = opened.page.locator(".jp-Tooltip")
    expect(tip).to_contain_text("square-root")
    expect(tip).to_contain_text("natively")


def test_interrupt(notebook):
    opened = notebook("print('begun', flush=True)\nwhile True: pass", "print('after')")
    for way in (lambda: opened.press_button("Interrupt the kernel"), lambda: opened.menu("Kernel", "Interrupt Kernel")):
        opened.start(0)
        expect(opened.output(0)).to_contain_text("begun")
        opened.await_status("busy")
        way()
        expect(opened.output(0)).to_contain_text("KeyboardInterrupt")
        opened.await_number(0)
        opened.run(1)
        expect(opened.outputs(1)).to_have_text(["after\n"])
        opened.await_status("idle")


def test_restart(notebook):
    opened = notebook("kept = 5", "print(kept)")
    opened.run(0, 1)
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["5\n"])
    opened.press_button("Restart the kernel")
    opened.page.locator(".jp-Dialog button", has_text="Restart").click()
    opened.await_status("idle")
    opened.run(1, 1)
    expect(opened.output(1)).to_contain_text("NameError")
    opened.menu("Run", "Restart Kernel and Run All Cells")
    opened.page.locator(".jp-Dialog button", has_text="Restart").click()
    opened.await_number(1, 2)
    expect(opened.outputs(1)).to_have_text(["5\n"])


def test_picture(notebook):
    opened = notebook(
        "%matplotlib inline\n"
        "import numpy as np\n"
        "import matplotlib.pyplot as plt\n"
        "x = np.linspace(0, 6, 200)\n"
        "print('before')\n"
        "plt.plot(x, np.sin(x)); plt.title('sine')\n"
        "plt.figure(); plt.imshow(np.outer(np.cos(x), np.sin(x)))\n"
        "print('after')"
    )
    opened.run(0, 1)
    images = opened.output(0).locator("img")
    expect(images).to_have_count(2)
    for image in images.all():
        opened.page.wait_for_function("image => image.complete && image.naturalWidth > 100 && image.naturalHeight > 100", arg=image.element_handle())


def test_arrays(notebook, picture):
    """Arrays look as what other kernels print, with small print below, and can be read in both of JupyterLab's themes."""
    opened = notebook("import numpy as np\nnp.arange(12.0).reshape(3, 4) / 3", "np.arange(1_000_000).reshape(1000, 1000)", "[np.float64(1)]")
    opened.run(0, 1)
    values, small = opened.output(0).locator("pre"), opened.output(0).locator("small")
    text = "array([[0.        , 0.33333333, 0.66666667, 1.        ],"
    expect(values).to_contain_text(text)
    expect(small).to_have_text("shape (3, 4), float64, 96 B on host")
    opened.run(1, 2)
    expect(opened.output(1)).to_contain_text("[999000, 999001, 999002, ..., 999997, 999998, 999999]],")
    expect(opened.output(1)).to_contain_text("shape (1000, 1000), int64, 8 MB")
    opened.run(2, 3)
    letters = "e => { const s = getComputedStyle(e); return [s.fontFamily, s.fontSize, s.lineHeight, s.color]; }"
    try:
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            opened.theme(theme)
            assert values.evaluate(letters) == opened.output(2).locator("pre").evaluate(letters), theme
            for part, least in ((values, 7), (small, 4)):
                assert contrast(part) >= least, (theme, part)
            picture(theme.split()[1].lower())
    finally:
        opened.theme("JupyterLab Light")


def contrast(element):
    """How much an element's letters stand out from what is behind them, from 1 to 21, as the WCAG defines it."""
    letters, behind = element.evaluate(
        """e => {
            const color = getComputedStyle(e).color;
            while (e.parentElement && /^(transparent|rgba\\(.*, 0\\))$/.test(getComputedStyle(e).backgroundColor)) e = e.parentElement;
            const rgb = text => text.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255);
            return [rgb(color), rgb(getComputedStyle(e).backgroundColor)];
        }"""
    )

    def luminance(color):
        parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in color]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(letters), luminance(behind)))
    return (light + 0.05) / (dark + 0.05)


def test_question(notebook):
    opened = notebook("name = input('your name? ')\nprint('hello', name)", "import getpass\nprint(len(getpass.getpass('secret: ')))")
    opened.start(0)
    field = opened.output(0).locator("input.jp-Stdin-input")
    expect(opened.output(0)).to_contain_text("your name?")
    field.fill("weft")
    field.press("Enter")
    opened.await_number(0, 1)
    expect(opened.output(0)).to_contain_text("hello weft")
    opened.start(1)
    field = opened.output(1).locator("input.jp-Stdin-input")
    expect(field).to_have_attribute("type", "password")
    field.fill("12345")
    field.press("Enter")
    expect(opened.outputs(1).last).to_have_text("5\n")


def test_traceback(notebook):
    opened = notebook("import numpy as np\ndef divide(a, b):\n    return a.reshape(7) / b\n", "divide(np.ones(3), 2)", "print('never')")
    opened.run(0, 1)
    opened.menu("Run", "Run All Cells")
    shown = opened.output(1)
    expect(shown).to_contain_text("cannot reshape array of size 3 into shape (7,)")
    expect(shown).to_contain_text("----> 3")
    expect(shown.locator("[class*=ansi]").first).to_be_visible()
    opened.await_status("idle")
    expect(opened.outputs(2)).to_have_count(0)


def test_flood(notebook):
    opened = notebook("for i in range(30_000): print('line', i)", "print('still here')")
    opened.run(0, 1)
    expect(opened.outputs(0).last).to_contain_text("line 29999", use_inner_text=False)
    text = opened.output(0).text_content()
    assert re.findall(r"line (\d+)\n", text) == [str(i) for i in range(30_000)]
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["still here\n"])


def test_timeline(notebook):
    opened = notebook("import numpy as np\nx = np.arange(1_000_000.0)\nprint((x * 2 + 1).sum())", "%timeline", "%dataflow")
    for i in range(3):
        opened.run(i, i + 1)
    timeline = opened.output(1).frame_locator("iframe")
    expect(timeline.locator("body")).to_contain_text("timeline of In[1]")
    expect(timeline.locator("body")).to_contain_text("In[1] line 3")
    graph = opened.output(2)
    graph.scroll_into_view_if_needed()
    expect(graph.locator("iframe")).to_be_visible()


def test_pictures_in_notebooks_of_others(notebook, picture):
    """JupyterLab shows no frames of a notebook that it does not trust: there the still pictures are seen, and nowhere else."""
    opened = notebook("import numpy as np\nx = np.arange(1_000_000.0)\nprint((x * 2 + 1).sum())", "%timeline", "%dataflow")
    for i in range(3):
        opened.run(i, i + 1)
    opened.output(2).frame_locator("iframe").locator("g.node").first.wait_for()
    expect(opened.panel.locator("img.weft-still")).to_have_count(2)
    for still in opened.panel.locator("img.weft-still").all():
        expect(still).to_be_hidden()
    opened.command("docmanager:save")
    cells = nbformat.read(opened.path, 4).cells
    opened.close()
    received = notebook(*cells, "# of another author")
    for i in (1, 2):
        still = received.output(i).locator("img")
        still.scroll_into_view_if_needed()
        received.page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=still.element_handle())
        expect(still).to_be_visible()
        expect(received.output(i).locator("iframe")).to_have_count(0)
        expect(received.output(i)).not_to_contain_text("display:none")
    picture("untrusted")


def test_reload_while_busy(notebook, tmp_path):
    gate = tmp_path / "gate"
    opened = notebook(f"import os\nprint('begun')\nwhile not os.path.exists({str(gate)!r}): pass", "print('after')")
    opened.start(0)
    expect(opened.output(0)).to_contain_text("begun")
    opened.reload(status=None)
    gate.touch()
    opened.await_status("idle")
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["after\n"])


def test_dead_kernel(notebook):
    opened = notebook("import os\nos._exit(1)", "print('alive')")
    opened.start(0)
    dialog = opened.page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("Kernel Restarting")
    dialog.locator("button", has_text="Ok").click()
    opened.await_status("idle")
    opened.run(1, 1)
    expect(opened.outputs(1)).to_have_text(["alive\n"])


def test_completion_while_a_cell_runs(notebook, tmp_path):
    gate = tmp_path / "gate"
    opened = notebook("counters = {}\nimport os", f"print('begun')\nwhile not os.path.exists({str(gate)!r}): pass", "")
    assert "kernel subshells" in opened.features()
    opened.run(0, 1)
    opened.start(1)
    expect(opened.output(1)).to_contain_text("begun")
    opened.type(2, "count")
    item = opened.page.locator(".jp-Completer .jp-Completer-item", has_text="counters")
    deadline = time.monotonic() + TIMEOUT
    while not item.is_visible():  # JupyterLab waits a second for an answer, and then the user asks again
        opened.page.keyboard.press("Tab")
        try:
            item.wait_for(timeout=3_000)
        except PageTimeout:
            assert time.monotonic() < deadline
    opened.await_status("busy")
    opened.page.keyboard.press("Escape")
    gate.touch()
    opened.await_number(1, 2)
