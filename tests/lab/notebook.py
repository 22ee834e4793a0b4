"""A notebook in the page of JupyterLab, with what a user does to it and sees in it."""

import re

import nbformat
from playwright.sync_api import expect

KERNELSPEC = {"name": "weft", "display_name": "Python (weft)", "language": "python"}


def load_lab(page, server):
    """Open JupyterLab with nothing in it, and wait until it has put everything in its place."""
    page.goto(f"{server.url}lab?token={server.token}&reset")
    page.wait_for_function("window.jupyterapp?.restored !== undefined")
    page.evaluate("window.jupyterapp.restored.then(() => null)")


# JupyterLab asks for the debugger's state whenever a kernel's connection is made, and writes this to the browser's console where
# the page is loaded anew, the notebook is closed, or the kernel dies, before the answer. It is the page's own doing; no kernel can
# answer then.
CUT_SHORT = "Canceled future for debug_request message before replies were done"


class Notebook:
    """An open notebook; cells are counted from 0."""

    def __init__(self, page, server, name, sources):
        cells = [nbformat.v4.new_code_cell(source) if isinstance(source, str) else source for source in sources]
        file = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC})
        self.path = server.notebooks / f"{name}.ipynb"
        nbformat.write(file, self.path)
        self.page, self.server = page, server
        self.command("docmanager:open", path=self.path.name, kernel={"name": "weft"})
        self.panel = page.locator(".jp-NotebookPanel:visible")
        self.cells = self.panel.locator(".jp-Notebook .jp-Cell")
        self._await_kernel(len(sources))

    def _await_kernel(self, count, status="idle"):
        expect(self.cells).to_have_count(count)
        # The page says that the kernel is idle before there is one, and lets a cell that is run then run nowhere.
        self.page.wait_for_function(
            "() => {"
            "  const context = window.jupyterapp.shell.currentWidget?.sessionContext;"
            "  return context?.isReady && context.session?.kernel?.connectionStatus === 'connected';"
            "}"
        )
        if status:
            self.await_status(status)

    def features(self):
        """What the kernel says that it can do besides what every kernel does."""
        return self.page.evaluate(
            "async () => (await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info).supported_features ?? []"
        )

    def reload(self, status="idle"):
        """Save, load the page anew, and open the notebook again; status is what its kernel does then, the same as before.

        None is for a kernel that computes: what it does may show as unknown until it says something.
        """
        count = self.cells.count()
        self.command("docmanager:save")
        load_lab(self.page, self.server)
        # As soon as the page is there it may not know yet which kernels run, and start another for the notebook.
        self.page.evaluate("window.jupyterapp.serviceManager.sessions.refreshRunning()")
        self.command("docmanager:open", path=self.path.name)
        self._await_kernel(count, status)

    def close(self):
        """Save the notebook and close it; its kernel ends."""
        self.page.keyboard.press("Escape")  # a tip would stay
        self.command("docmanager:save")
        # An output may still come, the end of a progress strip, and the page would ask whether to save that.
        self.page.evaluate(
            """() => {
                for (const one of window.jupyterapp.shell.widgets("main")) if (one.context) one.context.model.dirty = false;
                return window.jupyterapp.commands.execute("application:close-all").then(() => null);
            }"""
        )

    def theme(self, name):
        """Change JupyterLab's theme. Its splash is gone by the end: of two within its 200 ms, JupyterLab removes the second twice."""
        self.command("apputils:change-theme", theme=name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name && !document.getElementById('jupyterlab-splash')", arg=name)

    def command(self, name, **args):
        """Run a command of JupyterLab, as its menus do."""
        self.page.evaluate("([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)", [name, args])

    def await_status(self, status):
        """Wait until the circle at the right of the toolbar shows what the kernel does."""
        expect(self.panel.locator(".jp-Notebook-ExecutionIndicator")).to_have_attribute("data-status", status)

    def press_button(self, title):
        """Press a button of the notebook's toolbar, by the beginning of its tip."""
        self.panel.locator(f'.jp-NotebookPanel-toolbar [title^="{title}"]').first.click()

    def menu(self, *labels):
        """Choose from the menu bar: each label opens the next menu."""
        bar, *entries = labels
        self.page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{bar}$")).click()
        for entry in entries:
            self.page.locator(".lm-Menu-item:visible", has=self.page.get_by_text(re.compile(f"^{re.escape(entry)}"))).first.click()

    def editor(self, index):
        return self.cells.nth(index).locator(".jp-InputArea-editor .cm-content")

    def type(self, index, text):
        """Put the caret at the end of a cell and type, key after key."""
        self.editor(index).click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)

    def start(self, index):
        """Run a cell, without waiting for its end."""
        self.editor(index).click()
        self.page.keyboard.press("Control+Enter")

    def run(self, index, number=None):
        """Run a cell and wait for its end; number is the [1] that must come to stand beside it."""
        self.start(index)
        self.await_number(index, number)

    def await_number(self, index, number=None):
        want = re.compile(r"^\[\d+\]:$" if number is None else rf"^\[{number}\]:$")
        expect(self.cells.nth(index).locator(".jp-InputPrompt")).to_have_text(want)

    def outputs(self, index):
        """The outputs below a cell, each an element."""
        return self.cells.nth(index).locator(".jp-Cell-outputWrapper .jp-OutputArea-output")

    def output(self, index):
        """Everything that stands below a cell, in one element."""
        return self.cells.nth(index).locator(".jp-Cell-outputWrapper")
