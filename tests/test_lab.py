"""weft in JupyterLab: a real server and a real browser, used as people use them.

The pictures of what the tests saw are left in out/lab, or in the folder that
WEFT_SCREENSHOTS names.
"""

import hashlib
import importlib.util
import os
import pathlib
import re

import pytest
from conftest import ROOT
from lab import browser

if importlib.util.find_spec("jupyterlab") is None or importlib.util.find_spec("playwright") is None:
    pytest.skip("JupyterLab or Playwright is not installed (install/bootstrap.sh lab)", allow_module_level=True)
if browser.find() is None:
    pytest.skip(f"no browser: none of {', '.join(browser.NAMES)} is installed", allow_module_level=True)

from lab.notebook import Notebook, load_lab  # noqa: E402  needs what is asked for above
from lab.server import Server  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

pytestmark = pytest.mark.timeout(300)  # a page that never answers is the only thing that has no deadline of its own

PICTURES = pathlib.Path(os.environ.get("WEFT_SCREENSHOTS") or ROOT / "out" / "lab")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("lab") / "server")
    yield running
    running.close()


@pytest.fixture(scope="module")
def lab(server):
    """JupyterLab in a page, and the errors that the browser noted."""
    with browser.opened(browser.find()) as (page, faults):
        load_lab(page, server)
        yield page, faults


@pytest.fixture
def notebook(lab, server, request):
    """Opens a notebook: notebook(source of a cell, source of the next, ...). A picture of the page is left when the test ends."""
    page, faults = lab
    name = request.node.name.removeprefix("test_")
    faults.clear()
    opened = []

    def make(*sources):
        opened.append(Notebook(page, server, name, sources))
        return opened[-1]

    PICTURES.mkdir(parents=True, exist_ok=True)
    failures = request.session.testsfailed
    yield make
    page.screenshot(path=PICTURES / f"{name}.png")
    if request.session.testsfailed > failures:
        load_lab(page, server)  # the next test must not find a question that nobody answered
    else:
        for one in opened:
            one.close()
        assert not faults


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


def test_completion(notebook):
    opened = notebook("import numpy as np\ncounters = {'apples': 3}", "", "")
    opened.run(0, 1)
    opened.type(1, "np.lins")
    opened.page.keyboard.press("Tab")
    items = opened.page.locator(".jp-Completer .jp-Completer-item")
    expect(items).to_have_count(1)
    expect(items).to_contain_text("linspace")
    expect(items.locator(".jp-Completer-typeExtended")).to_have_text("function")
    opened.page.keyboard.press("Enter")
    expect(opened.editor(1)).to_have_text("np.linspace")
    opened.type(2, "np.arc")
    opened.page.keyboard.press("Tab")
    expect(items.filter(has_text="arctan2")).to_be_visible()
    opened.page.screenshot(path=PICTURES / "completion_list.png")
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


def test_slider(notebook):
    opened = notebook(
        "import ipywidgets as widgets\n"
        "slider = widgets.IntSlider(description='amount', value=3)\n"
        "label, printed = widgets.Label(), widgets.Output()\n"
        "def moved(change):\n"
        "    label.value = f'the slider is at {change.new}'\n"
        "    with printed:\n"
        "        print('moved to', change.new)\n"
        "slider.observe(moved, 'value')\n"
        "widgets.VBox([slider, label, printed])",
        "slider.value",
    )
    opened.run(0, 1)
    shown = opened.output(0)
    expect(shown.locator(".widget-readout")).to_have_text("3")
    handle = shown.locator(".noUi-handle")
    handle.focus()
    for value in (4, 5):
        opened.page.keyboard.press("ArrowRight")
        expect(shown.locator(".widget-label", has_text="the slider is at")).to_have_text(f"the slider is at {value}")
    expect(shown.locator(".widget-output")).to_have_text("moved to 4\nmoved to 5\n")
    opened.run(1)
    expect(opened.outputs(1)).to_have_text(["5"])
    box = shown.locator(".noUi-base").bounding_box()
    start = handle.bounding_box()
    mouse = opened.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] + 50, start["y"], steps=8)
    mouse.up()
    expect(shown.locator(".widget-label", has_text="the slider is at")).to_have_text("the slider is at 100")
    opened.run(1)
    expect(opened.outputs(1)).to_have_text(["100"])


def test_interact(notebook):
    opened = notebook(
        "import numpy as np\n"
        "from ipywidgets import interact\n"
        "@interact(n=(1, 10))\n"
        "def total(n=4):\n"
        "    print('the sum is', np.arange(n).sum())"
    )
    opened.run(0, 1)
    shown = opened.output(0)
    expect(shown).to_contain_text("the sum is 6")
    shown.locator(".noUi-handle").focus()
    opened.page.keyboard.press("ArrowRight")
    expect(shown).to_contain_text("the sum is 10")


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


def test_table(notebook):
    opened = notebook("import numpy as np\nnp.arange(12.0).reshape(3, 4) / 3", "np.arange(1_000_000).reshape(1000, 1000)")
    opened.run(0, 1)
    table = opened.output(0).locator("table")
    expect(table.locator("tr")).to_have_count(4)
    expect(table.locator("tr").nth(1).locator("td")).to_have_text(["0", "0.333333", "0.666667", "1"])
    expect(opened.output(0)).to_contain_text("float64 (3, 4), 96 B")
    opened.run(1, 2)
    expect(opened.output(1).locator("tr").last.locator("td").last).to_have_text("999999")
    expect(opened.output(1)).to_contain_text("int64 (1000, 1000), 8 MB")


def test_progress(notebook):
    opened = notebook(
        "from tqdm.auto import tqdm\n"
        "total = 0\n"
        "for i in tqdm(range(50), desc='adding'):\n"
        "    total += i\n"
        "print(total)"
    )
    opened.run(0, 1)
    shown = opened.output(0)
    expect(shown.locator(".widget-html", has_text="adding")).to_be_visible()
    expect(shown.locator(".widget-html", has_text="50/50")).to_be_visible()
    expect(shown).to_contain_text("1225")


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
    expect(graph.locator("iframe, svg, img").first).to_be_visible()


def test_reload(notebook):
    opened = notebook(
        "import ipywidgets as widgets\n"
        "slider, label = widgets.IntSlider(value=3), widgets.Label('not moved')\n"
        "slider.observe(lambda change: setattr(label, 'value', f'moved to {change.new}'), 'value')\n"
        "widgets.VBox([slider, label])",
        "slider.value",
    )
    opened.run(0, 1)
    expect(opened.output(0)).to_contain_text("not moved")
    opened.reload()
    shown = opened.output(0)
    expect(shown).to_contain_text("not moved")
    shown.locator(".noUi-handle").focus()
    opened.page.keyboard.press("ArrowRight")
    expect(shown).to_contain_text("moved to 4")
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["4"])


def test_reload_while_busy(notebook, tmp_path):
    gate = tmp_path / "gate"
    opened = notebook(f"import os\nprint('begun')\nwhile not os.path.exists({str(gate)!r}): pass", "print('after')")
    opened.start(0)
    expect(opened.output(0)).to_contain_text("begun")
    opened.reload(status="busy")
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


def test_binary_widgets(notebook, tmp_path):
    """Pictures go to the page and files come from it as buffers of comm messages."""
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAFElEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC"
    file = tmp_path / "data.bin"
    file.write_bytes(bytes(range(256)) * 1000)
    opened = notebook(
        "import base64, hashlib, ipywidgets as widgets\n"
        f"image = widgets.Image(value=base64.b64decode({picture!r}), width=100)\n"
        "upload, label = widgets.FileUpload(), widgets.Label('nothing yet')\n"
        "def came(change):\n"
        "    (file,) = change.new\n"
        "    label.value = f'{file.name}: {hashlib.sha256(file.content).hexdigest()}'\n"
        "upload.observe(came, 'value')\n"
        "widgets.VBox([image, upload, label])"
    )
    opened.run(0, 1)
    shown = opened.output(0)
    image = shown.locator("img")
    expect(image).to_be_visible()
    opened.page.wait_for_function("image => image.complete && image.naturalWidth === 10", arg=image.element_handle())
    with opened.page.expect_file_chooser() as chooser:
        shown.locator("button", has_text="Upload").click()
    chooser.value.set_files(file)
    expect(shown).to_contain_text(f"data.bin: {hashlib.sha256(file.read_bytes()).hexdigest()}")


def test_widgets_from_threads_and_tasks(notebook):
    """Widgets that change while no cell runs, and a cell that awaits what happens in one that another task changes."""
    opened = notebook(
        "import asyncio, threading, ipywidgets as widgets\n"
        "bar, label = widgets.IntProgress(max=20), widgets.Label()\n"
        "def work():\n"
        "    for i in range(21):\n"
        "        bar.value = i\n"
        "    label.value = 'thread is done'\n"
        "display(bar, label)\n"
        "threading.Thread(target=work).start()",
        "button, said = widgets.Button(description='Press'), widgets.Output()\n"
        "@said.capture(clear_output=True, wait=True)\n"
        "def pressed(_):\n"
        "    print('pressed')\n"
        "    asyncio.get_running_loop().create_task(later())\n"
        "async def later():\n"
        "    await asyncio.sleep(0)\n"
        "    button.description = 'Pressed later'\n"
        "button.on_click(pressed)\n"
        "widgets.VBox([button, said])",
    )
    opened.run(0, 1)
    expect(opened.output(0)).to_contain_text("thread is done")
    expect(opened.output(0).locator(".progress-bar")).to_have_attribute("style", re.compile("width: 100%"))
    opened.run(1, 2)
    opened.output(1).locator("button").click()
    expect(opened.output(1)).to_contain_text("pressed")
    expect(opened.output(1).locator("button")).to_have_text("Pressed later")
