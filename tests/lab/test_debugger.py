"""The debugger in JupyterLab: what tests/test_debugger.py sees in messages, as a person sees it."""

import re

from lab import browser

browser.require()

from playwright.sync_api import expect  # noqa: E402  only where it is installed


def test_debugger(notebook, picture):
    opened = notebook(
        "import numpy as np\n\ndef area(side):\n    grid = np.ones((2, 3)) * side\n    total = grid.sum()\n    return float(total)\n\nx = np.arange(4.0)",
        "area(5)",
    )
    page = opened.page
    opened.run(0, 1)
    switch = opened.panel.locator(".jp-DebuggerBugButton")
    expect(switch).to_have_attribute("aria-disabled", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    variables = page.locator(".jp-DebuggerVariables")
    expect(variables.get_by_role("treeitem", name=re.compile("^x"))).to_contain_text("ndarray float64 (4,)")
    # The first element keeps the gutter's width, so that the fifth one is line 4.
    opened.cells.nth(0).locator(".cm-breakpoint-gutter .cm-gutterElement").nth(4).click()
    expect(page.locator(".jp-DebuggerBreakpoint")).to_have_text(re.compile(r"Cell \[1\]\s*4"))
    opened.start(1)
    frames = page.locator(".jp-DebuggerCallstackFrame")
    expect(frames).to_have_text([re.compile(r"area\s*Cell \[1\]:4"), re.compile(r"<module>\s*Cell \[\*\]:1")])
    expect(opened.cells.nth(0).locator(".jp-DebuggerEditor-highlight")).to_contain_text("grid = np.ones")
    expect(variables.get_by_role("treeitem")).to_have_text([re.compile("side.*5")])

    def press(title):
        page.locator(f'.jp-DebuggerSidebar-body h3 [title^="{title}"]').click()

    press("Next")
    expect(frames.first).to_have_text(re.compile(r"area\s*Cell \[1\]:5"))
    grid = variables.get_by_role("treeitem", name=re.compile("^grid"))
    expect(grid).to_contain_text("ndarray float64 (2, 3)")
    grid.hover()
    grid.locator(".jp-DebuggerVariables-renderVariable").click()
    shown = page.locator(".jp-VariableRendererPanel")
    expect(shown.locator("pre")).to_contain_text("array([[5., 5., 5.],")
    picture("stopped")
    press("Step Out")
    expect(frames).to_have_text([re.compile(r"<module>\s*Cell \[\*\]:1")])
    press("Continue")
    opened.await_number(1, 2)
    expect(opened.outputs(1)).to_have_text(["30.0"])
    expect(frames).to_have_count(0)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
