"""ipywidgets in JupyterLab: what the user does reaches Python, and what Python does the page."""

import hashlib
import re

from lab import browser

browser.require()

from playwright.sync_api import expect  # noqa: E402  only where it is installed


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


def test_figures_that_answer(notebook):
    """%matplotlib widget: the figure is drawn in the page, and clicks in it call Python."""
    opened = notebook(
        "%matplotlib widget\n"
        "import numpy as np, ipywidgets as widgets\n"
        "import matplotlib.pyplot as plt\n"
        "label = widgets.Label('not clicked')\n"
        "display(label)\n"
        "figure, axes = plt.subplots(figsize=(4, 3))\n"
        "line, = axes.plot(np.arange(5.0), np.arange(5.0) ** 2)\n"
        "def clicked(event):\n"
        "    label.value = f'clicked at {event.xdata:.0f}'\n"
        "    line.set_ydata(np.arange(5.0) * 3); figure.canvas.draw_idle()\n"
        "figure.canvas.mpl_connect('button_press_event', clicked);",
        "print(line.get_ydata()[-1])",
    )
    opened.run(0, 1)
    shown = opened.output(0)
    canvas = shown.locator("canvas").last
    expect(canvas).to_be_visible()
    # The middle of the axes; the figure has arrived when the canvas has its size.
    opened.page.wait_for_function("canvas => canvas.width >= 400", arg=canvas.element_handle())
    canvas.click(position={"x": 200, "y": 150})
    expect(shown).to_contain_text("clicked at 2")
    opened.run(1, 2)
    expect(opened.outputs(1)).to_have_text(["12.0\n"])


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


def test_widgets_while_a_cell_runs(notebook, tmp_path):
    """JupyterLab sends what widgets say to subshells; a cell that waits for a widget gets its answer."""
    gate = tmp_path / "gate"
    opened = notebook(
        "import ipywidgets as widgets\n"
        "slider, label, printed = widgets.IntSlider(value=3), widgets.Label('not moved'), widgets.Output()\n"
        "def moved(change):\n"
        "    label.value = f'moved to {change.new}'\n"
        "    with printed: print('now', change.new)\n"
        "slider.observe(moved, 'value')\n"
        "widgets.VBox([slider, label, printed])",
        f"import os\nprint('begun')\nwhile not os.path.exists({str(gate)!r}): pass\nprint('slider at', slider.value)",
    )
    assert "kernel subshells" in opened.features()
    opened.run(0, 1)
    shown = opened.output(0)
    expect(shown).to_contain_text("not moved")
    opened.start(1)
    expect(opened.output(1)).to_contain_text("begun")
    shown.locator(".noUi-handle").focus()
    for value in (4, 5):
        opened.page.keyboard.press("ArrowRight")
        expect(shown).to_contain_text(f"moved to {value}")
    expect(shown.locator(".widget-output")).to_have_text("now 4\nnow 5\n")
    opened.await_status("busy")
    gate.touch()
    opened.await_number(1, 2)
    expect(opened.outputs(1).last).to_have_text(re.compile("slider at 5\n$"))
    opened.await_status("idle")
