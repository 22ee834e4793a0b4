"""What a cell did, shown below it in JupyterLab: while it runs, by line, by memory."""

import re

from lab import browser

browser.require()

from playwright.sync_api import expect  # noqa: E402  only where it is installed

LONG = "x = np.ones((1500, 1500))\nwhile True:\n    for _ in range(20): x = (x @ x) * 1e-4\n    float(x[0, 0])"


def test_progress_of_a_long_cell(notebook, picture):
    opened = notebook("%progress on\nimport numpy as np\nfloat(np.ones(3).sum())", LONG, "1 + 1")
    opened.run(0, 1)
    opened.start(1)
    strip = opened.output(1).first
    expect(strip).to_contain_text(re.compile(r"\d+ of \d+ tasks"))
    first = strip.inner_text()
    expect(strip).not_to_have_text(first)  # it goes on
    expect(strip.get_by_role("link", name="timeline")).to_be_visible()
    picture("strip")
    opened.press_button("Interrupt the kernel")
    expect(opened.output(1).last).to_contain_text("KeyboardInterrupt")
    opened.run(2, 3)


def test_prof_and_mem(notebook, picture):
    code = "%%prof\nimport numpy as np\nx = np.arange(2_000_000.0)\nfor i in range(4):\n    x = np.sqrt(x * 2 + i)  # <b>bold</b>\nprint(int(x[1]))"
    opened = notebook(code, "%mem")
    opened.run(0, 1)
    report = opened.output(0).last
    rows = report.locator("table tbody tr")
    for i, line in enumerate(code.splitlines()):  # behind them are what ran between, and elsewhere, as the kernel's answers may
        expect(rows.nth(i)).to_contain_text(f"{i + 1}{line}")
    expect(report.locator("ul li").first).to_be_visible()
    picture("prof")
    opened.run(1, 2)
    memory = opened.output(1)
    expect(memory.locator("td", has_text="float64 (2000000,)")).to_be_visible()
    plot = memory.locator("img")
    expect(plot).to_be_visible()
    assert plot.evaluate("img => img.complete && img.naturalWidth > 300")
    picture("mem")
