"""A JupyterLab server with folders of its own, so that neither the user's settings nor other kernels matter."""

import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

SETTINGS = {
    # The question whether to fetch news would cover the notebook, and there is nothing to fetch here.
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
    # Cells that are out of view stay in the page, where the tests look for them; a closed notebook's kernel ends.
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none", "kernelShutdown": True},
}


class Server:
    """Runs until close(); notebooks are made in its folder."""

    def __init__(self, folder, deadline=120):
        self.folder = pathlib.Path(folder)
        self.notebooks = self.folder / "notebooks"
        settings = self.folder / "settings"
        runtime = self.folder / "runtime"
        for path in (self.notebooks, settings, runtime):
            path.mkdir(parents=True)
        for name, values in SETTINGS.items():
            path = settings / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        self.token = secrets.token_hex(16)
        env = {
            **os.environ,
            "HOME": str(self.folder),
            "IPYTHONDIR": str(self.folder / "ipython"),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(runtime),
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.folder / "workspaces"),
        }
        self.log = self.folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
                    "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0",
                    f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.notebooks}",
                    "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
                ],  # fmt: skip
                env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.url = self._await_url(runtime / f"jpserver-{self.process.pid}.json", time.monotonic() + deadline)

    def _await_url(self, info, deadline):
        """The address, which the server writes down when it listens."""
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"jupyter lab ended with status {self.process.returncode}:\n{self.log.read_text()}")
            if info.exists():
                try:
                    return json.loads(info.read_text())["url"]
                except json.JSONDecodeError:  # it is being written
                    pass
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"jupyter lab did not listen:\n{self.log.read_text()}")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
