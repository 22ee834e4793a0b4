"""SIGINT while kernels run that never end, in scripts whose main thread does not wait for them."""

import os
import signal
import subprocess
import sys

import pytest

from .sharing import TIMEOUT

ENDLESS = """
import threading, numpy
import weft as np
from weft import cuda

@cuda.jit
def endless(turns, a):
    while cuda.atomic.add(turns, 0, 1) >= 0:
        a[0] += 1

@cuda.jit
def more(a):
    a[cuda.grid(1)] += 1

kept, a, turns = np.arange(4.0), np.zeros(3), np.zeros(1, dtype=int)
seen, told = numpy.asarray(turns), []

def launch():
    for _ in range({dropped}):
        endless[1, 1](np.zeros(1, dtype=int), np.zeros(3))
    endless[1, 1](turns, a)
    try:
        float(a[0])
    except RuntimeError as error:
        told.append(str(error))

launching = threading.Thread(target=launch, daemon=True)
launching.start()
try:
    while seen[0] == 0 and launching.is_alive():
        pass
    print("running", flush=True)
    threading.Event().wait()
except KeyboardInterrupt:
    launching.join()
print(*told)
more[1, 4](kept)
print(kept)
a[...] = 2
more[1, 3](a)
print(a)
"""


@pytest.mark.parametrize("dropped, machine", [(0, ""), (2, "--cpus 4")])
def test_kernels_end_though_nothing_waits_for_them(dropped, machine, tmp_path):
    """Those end that a thread waits for, and those whose arrays are gone; other arrays are what they were."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "WEFT_ARGS": machine}
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS.format(dropped=dropped))
    script = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        assert script.stdout.readline() == "running\n"
        script.send_signal(signal.SIGINT)
        out, err = script.communicate(timeout=TIMEOUT)
        told, *arrays = out.splitlines()
        assert told.startswith("cancelled by interrupt at ") and told.endswith(" (endless)"), (out, err)
        assert arrays == ["[1. 2. 3. 4.]", "[3. 3. 3.]"], (out, err)
    finally:
        script.kill()
