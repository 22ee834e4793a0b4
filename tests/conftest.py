"""Fixtures for what crosses layers: the built kernel, reached by Jupyter's own client."""

import atexit
import gc
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import textwrap

import pytest
from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The kernels under test keep their history here and not among the user's.
# What is shown while cells run depends on how fast they are.
os.environ["WEFT_PROGRESS"] = "off"
os.environ["IPYTHONDIR"] = tempfile.mkdtemp(prefix="weft-tests-")
atexit.register(shutil.rmtree, os.environ["IPYTHONDIR"], ignore_errors=True)

TIMEOUT = 120  # seconds; only ever reached by something that hangs


def pytest_collection_finish(session):
    """Looks at the tests and what they import, a million objects, once: each turn of the benchmark's programs asks the collector."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def fakecuda():
    """The path of the fake CUDA driver, which WEFT_LIBCUDA is to name."""
    done = subprocess.run(["make", "-s", "fakecuda"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(ROOT / "out" / "libcuda.so.1")


@pytest.fixture
def beside_guest(fakecuda, tmp_path):
    """Runs a program on weft beside the guest. It is to print nothing, and the ledger says nothing, but what is expected."""

    def script(text, gpus=1, debug="noeager", seeds=range(4), ledger=None, **more):
        for seed in seeds:
            notes = tmp_path / f"ledger{seed}.txt"
            env = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "LEGATE_", "CUDA_"))}
            env |= {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(notes), "FAKECUDA_SEED": str(seed), "WEFT_ARGS": f"--gpus {gpus}"}
            env |= {"WEFT_DEBUG": debug, "PYTHONPATH": str(ROOT / "tests"), **more}
            program = tmp_path / "program.py"
            program.write_text("import weft as np, numpy, guest\nfrom weft import cuda\n" + textwrap.dedent(text))
            done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, timeout=TIMEOUT)
            assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
            said = notes.read_text() if notes.exists() else ""
            assert ledger in said if ledger else not said, said

    return script


class Kernel:
    """A running kernel with the few calls that tests need."""

    def __init__(self, env=None, kernel_name="weft"):
        self.manager = KernelManager(kernel_name=kernel_name)
        self.manager.start_kernel(**({"env": env} if env else {}))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT)

    def run(self, code, **options):
        """Execute code; returns the reply's content and the outputs in order."""
        outputs = []
        reply = self.client.execute_interactive(
            code, output_hook=lambda msg: outputs.append(msg), timeout=TIMEOUT, **options
        )
        return reply["content"], [(m["msg_type"], m["content"]) for m in outputs if m["msg_type"] != "status"]

    def text(self, code):
        """Execute code that must succeed; returns what it printed and displayed as text."""
        content, outputs = self.run(code)
        assert content["status"] == "ok", "\n".join(content.get("traceback", []))
        parts = []
        for kind, out in outputs:
            if kind == "stream":
                parts.append(out["text"])
            elif kind in ("execute_result", "display_data"):
                parts.append(out["data"].get("text/plain", ""))
        return "".join(parts)

    def fetch(self, names, folder):
        """The named arrays of the user's namespace, as plain NumPy arrays."""
        path = folder / "fetched.pickle"
        self.text(
            "import importlib as _il, pickle as _pk\n"
            f"with open({str(path)!r}, 'wb') as _f:\n"
            f"    _pk.dump({{_n: _il.import_module('numpy').asarray(globals()[_n]) for _n in {list(names)!r}}}, _f)\n"
        )
        return pickle.loads(path.read_bytes())

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


@pytest.fixture(scope="session", autouse=True)
def own_history(tmp_path_factory):
    """IPython's history of the user must neither change a test's result nor fill with the tests' cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        yield


@pytest.fixture(scope="module")
def kernel():
    running = Kernel()
    yield running
    running.close()


@pytest.fixture
def fresh_kernel():
    """Starts kernels that end with the test: fresh_kernel(env=...)."""
    started = []

    def start(**options):
        started.append(Kernel(**options))
        return started[-1]

    yield start
    for running in started:
        running.close()
