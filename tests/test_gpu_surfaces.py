"""What a user sees of GPUs without --emulate, on the fake driver: which there are, kernels for them, memory, forks, and the start."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT, Kernel

WEFT = str(ROOT / "bin" / "weft")


@pytest.fixture
def environment(fakecuda, tmp_path):
    """Two GPUs, and a ledger that stays empty."""
    ledger = tmp_path / "ledger.txt"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "LEGATE_", "CUDA_"))}
    yield env | {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(ledger)}
    assert not ledger.exists(), ledger.read_text()


def call(env, *command, status=0):
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_info_says_what_there_is(environment):
    said = call(environment, WEFT, "info")
    assert "gpu0: Fake GPU 0, compute capability 9.0, 1.07 GB, 4 multiprocessors" in said
    assert "gpu0 reaches gpu1, gpu1 reaches gpu0" in said
    for library in ("cuBLAS", "cuSOLVER", "cuFFT"):
        assert re.search(rf"{library}( \d+\.\d+\.\d+ \(|: no lib.* pip install| \()", said), said
    assert "gpu libraries not looked for" in call({**environment, "FAKECUDA_INIT": "100"}, WEFT, "info")


@pytest.mark.parametrize(
    ("visible", "names"),
    [("1", ["Fake GPU 1"]), ("1,0", ["Fake GPU 1", "Fake GPU 0"]), ("0,7,1", ["Fake GPU 0"]), ("", []), ("-1", []), ("GPU-0102", ["Fake GPU 1"])],
)
def test_cuda_visible_devices(environment, visible, names):
    """The driver hides GPUs and numbers the others anew; weft goes by its numbers."""
    env = {**environment, "CUDA_VISIBLE_DEVICES": visible}
    found = re.findall(r"gpu(\d): (Fake GPU \d)", call(env, WEFT, "info"))
    assert found == [(str(i), name) for i, name in enumerate(names)]
    script = "import weft as np\nx = np.arange(400_000.0)\nprint(float((x[1:] - x[:-1]).sum()))\nprint(*np.stats()['memories'])"
    if names:
        said = call({**env, "WEFT_ARGS": f"--gpus {len(names)}"}, sys.executable, "-c", script)
        assert said.startswith("399999.0\n") and all(f"gpu{i}" in said for i in range(len(names))), said
    done = subprocess.run([sys.executable, "-c", script], env={**env, "WEFT_ARGS": f"--gpus {len(names) + 1}"}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 1 and ("CUDA_VISIBLE_DEVICES" in done.stderr or f"at most {len(names)}" in done.stderr), done.stderr


def test_a_kernel_for_a_gpu(environment, tmp_path, monkeypatch):
    """An installed kernel runs on the GPU that its flags ask for, whatever the name of the notebook's is."""
    said = call(environment, WEFT, "install", "--prefix", str(tmp_path), "--", "--gpus", "2", "--cpus", "1", "--fbmem", "100")
    folder = next((tmp_path / "share" / "jupyter" / "kernels").iterdir())
    spec = json.loads((folder / "kernel.json").read_text())
    assert spec["argv"][-6:] == ["--gpus", "2", "--cpus", "1", "--fbmem", "100"]
    assert folder.name in said
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    kernel = Kernel(env=environment, kernel_name=folder.name)
    try:
        kernel.text("%progress off")  # its line would be among the output where the kernel takes a second to compile
        kernel.text("import numpy as np\nx = np.arange(400_000.0)\ny = np.sqrt(x[::-1]) + x")
        assert kernel.text("print(float(y[399_999]))") == "399999.0\n"
        machine = kernel.text("%weft_info")
        assert "Fake GPU 0" in machine and "Fake GPU 1" in machine
        memory = kernel.run("%mem")[1]
        lines = next(out["data"] for kind, out in memory if kind == "execute_result")["text/plain"].splitlines()
        rows = {line.split()[0]: line for line in lines if line}
        for name in ("gpu0", "gpu1"):
            assert re.match(rf"{name} +[\d.]+ [kM]B", rows[name]), lines
    finally:
        kernel.close()


FORK = """
import os
import weft as np
a = np.arange(400_000.0)
b = np.sqrt(a) + a                                 # what the GPU alone has
print(float((a[1:] * 2).sum()), float(b[9]), flush=True)
child = os.fork()
if child == 0:
    os._exit(7 if float(b[9]) == 12 and float((b[4:5] * 2)[0]) == 12 and int(a[7] + 1) == 8 else 8)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), float((a[1:] * 2).sum()))
"""


def test_a_forked_child_leaves_the_gpu_alone(environment):
    """CUDA does not survive a fork: the child has NumPy and the arrays' values, and the parent goes on."""
    said = call({**environment, "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": "noeager"}, sys.executable, "-c", FORK)
    assert said == "159999600000.0 12.0\n7 159999600000.0\n"


# Says at the end which devices have contexts: it is registered before weft closes the runtime at the exit, and so runs after it.
LEFT = """
import atexit, ctypes, os

def left():
    driver, flags, active = ctypes.CDLL(os.environ["WEFT_LIBCUDA"]), ctypes.c_uint(), ctypes.c_int()
    driver.cuInit(0)
    for device in range(2):
        rc = driver.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active))
        print(f"device {device}: {rc}, {active.value}")

atexit.register(left)
"""

# What begins to make contexts, and ends without GPUs.
IN_VAIN = [
    "import weft\nweft.settings.parse(['--gpus', '2'])",
    "import weft\ntry:\n    weft.settings.configure('--gpus 2 x')\nexcept ValueError as e:\n    print(e)",
    "import weft\ntry:\n    weft.settings.configure('--gpus 2 --cpus none')\nexcept ValueError as e:\n    print(e)",
    "import weft\nweft.settings.configure('--gpus 2')\nweft.settings.configure('--cpus 1')",
    "import weft as np\nnp.settings.configure('--cpus 1')\nprint(float(np.arange(400_000.0).sum()))\nos.environ['WEFT_DEBUG'] = 'nonsense'\n"
    "try:\n    np.settings.configure('--gpus 2')\nexcept ValueError as e:\n    print(e)",
    "import weft as np\nnp.settings.configure('--gpus 2')\nprint(float(np.arange(400_000.0).sum()))\ntry:\n    np.settings.configure('--gpus 2 x')\nexcept ValueError as e:\n    print(e)",
]


@pytest.mark.parametrize("text", IN_VAIN)
def test_no_context_is_left(environment, text):
    """Whatever becomes of the flags that contexts were made for, the GPUs have none at the end."""
    said = call({**environment, "WEFT_ARGS": "--gpus 1"}, sys.executable, "-c", LEFT + text)
    assert said.endswith("device 0: 0, 0\ndevice 1: 0, 0\n"), said
    assert "except" not in text or len(said.splitlines()) > 2 + text.count("print(float"), said


@pytest.mark.parametrize("text", ["import weft", "import weft as np\nprint(float(np.arange(400_000.0).sum()))"])
def test_contexts_are_made_in_the_background(environment, text):
    """The first context is asked for when the flags are read; the runtime, which needs a GPU, is the second one to ask."""
    env = {**environment, "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": "noeager", "FAKECUDA_FAIL": "cuDevicePrimaryCtxRetain=2@1"}
    call(env, sys.executable, "-c", text)
    env["FAKECUDA_FAIL"] = "cuDevicePrimaryCtxRetain=2@2+"
    if "print" in text:
        call(env, sys.executable, "-c", text, status=1)
    call({**env, "FAKECUDA_FAIL": ""}, sys.executable, "-c", text)
