"""What concerns the process: interrupts, settings, the end. Forks are in test_forks.py."""

import os
import signal
import subprocess
import sys

import pytest
import weft

from .sharing import TIMEOUT, run_python


def test_spawned_children_work():
    code = """
import multiprocessing, weft
def total(n):
    return float(weft.arange(n).sum())
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(abs, [-3]), float(weft.arange(4).sum()))
"""
    done = run_python(code)
    assert done.returncode == 0 and done.stdout == "[3] 6.0\n", done.stderr


INTERRUPTED = """
import sys, weft
import weft as np
kept = np.arange(10)
int(kept.sum())
try:
    print("started", flush=True)
    {work}
except KeyboardInterrupt:
    print("interrupted", int(kept.sum()), float((np.ones(3) * 2).sum()), flush=True)
    sys.exit(0)
sys.exit(5)
"""


@pytest.mark.parametrize(
    "work",
    [
        "x = np.ones(20_000_000)\n    while True:\n        x = x * 1.0\n        float(x[0])",
        "x = np.ones((1500, 1500))\n    for _ in range(100000): x = (x @ x) * 0.5\n    float(x.sum())",
        "x = np.ones((2500, 2500))\n    y = x @ x @ x @ x @ x @ x @ x @ x\n    float(y.sum())",
        "import numpy; x = np.ones((2500, 2500))\n    y = x @ x @ x @ x @ x @ x @ x @ x\n    numpy.asarray(y)",
        "while True: pass",
        "import os; x = np.ones((2500, 2500))\n    y = x @ x @ x @ x @ x @ x @ x @ x\n    if os.fork() == 0: os._exit(0)\n    while True: pass",
    ],
    ids=["reads", "queue", "one wait", "library", "python", "fork"],
)
def test_interrupt_of_a_script(work):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    script = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(work=work)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        assert script.stdout.readline() == "started\n"
        script.send_signal(signal.SIGINT)
        out, err = script.communicate(timeout=TIMEOUT)
        assert script.returncode == 0, (out, err)
        assert out == "interrupted 45 6.0\n"
    finally:
        script.kill()


def test_an_interrupted_loop_of_small_steps_keeps_its_state():
    code = """
import weft as np
x = np.zeros(1000) + 1
try:
    print("started", flush=True)
    while True:
        x = x + 1
        float(x[0])
except KeyboardInterrupt:
    value = float(x[0])
    assert value > 0 and (np.asarray(x) == value).all(), value
    print("kept")
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    script = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        assert script.stdout.readline() == "started\n"
        script.send_signal(signal.SIGINT)
        out, err = script.communicate(timeout=TIMEOUT)
        assert out == "kept\n", (out, err)
    finally:
        script.kill()


def test_a_signal_handler_of_the_program_decides():
    code = """
import os, signal
import weft as np
seen = []
signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
x = np.ones((800, 800)) / 800
for i in range(4):
    x = x @ x
    os.kill(os.getpid(), signal.SIGINT)
print(float(x.sum()) > 0, len(seen) >= 1)
"""
    assert run_python(code).stdout == "True True\n"


def test_flags_from_the_environment():
    code = "import weft; weft.ones(3).sum(); print(weft.settings.describe())"
    done = run_python(code, env={"WEFT_ARGS": "--gpus 2 --emulate", "LEGATE_CONFIG": "--cpus 1"})
    assert done.returncode == 0, done.stderr
    assert "gpu1" in done.stdout
    for flags, words in [("--cups 3", ["--cups", "--cpus", "WEFT_ARGS"]), ("--gpus 63", ["63", "--emulate"])]:
        done = run_python(code, env={"WEFT_ARGS": flags})
        assert done.returncode == 1
        assert all(word in done.stderr for word in words), done.stderr


def test_nothing_starts_before_it_is_needed():
    code = "import threading, weft; from weft import _core; print(_core.started(), weft.pi); weft.ones(1); print(_core.started())"
    assert run_python(code).stdout == "False 3.141592653589793\nTrue\n"


def test_reconfigure_carries_arrays_over():
    code = """
import numpy, weft
a = weft.arange(1000.0)
view, total = a[::-2], a.sum()
pinned = numpy.asarray(weft.arange(5))
weft.settings.configure("--gpus 3 --emulate")
view[0] = -5
assert float(a[-1]) == -5 and float(total) == 499500
assert float((a * 2).sum()) == 2 * (499500 - 999 - 5)
assert pinned.tolist() == [0, 1, 2, 3, 4]
weft.settings.configure("--cpus 1")
assert float(view[0]) == -5
try:
    weft.settings.configure("--gpus 63")
except Exception as error:
    assert "--emulate" in str(error)
assert float(a[10]) == 10
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_reconfigure_goes_on_after_a_signal():
    """Arrays are waited for before they are carried over. A signal of which the handler raises nothing interrupts that wait, and one that
    raises ends it, with the machine of before and its arrays."""
    code = """
import signal, weft
x = weft.arange(1_000_000.0)
for _ in range(60):
    x = weft.sin(x)
weft._core.wake()  # as a signal does
weft.settings.configure("--cpus 1")
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
while len(seen) < 20:
    y = weft.sin(x)
    for _ in range(10):
        y = weft.sin(y)
    weft.settings.configure("--cpus 2")
signal.setitimer(signal.ITIMER_REAL, 0)
print(abs(float(x[7]) - 0.2) < 0.2, float(y[0]))

def ends(*_):
    raise InterruptedError

signal.signal(signal.SIGALRM, ends)
for _ in range(60):
    x = weft.sin(x)
signal.setitimer(signal.ITIMER_REAL, 0.001)
try:
    weft.settings.configure("--cpus 1")
except InterruptedError:
    pass
print(0 < float(x[7]) < 0.2)
"""
    done = run_python(code, env={"WEFT_DEBUG": "noeager"})
    assert (done.stdout, done.returncode) == ("True 0.0\nTrue\n", 0), (done.stdout, done.stderr)


def test_the_end_is_quiet():
    done = run_python("import weft, numpy\nx = weft.ones(100000)\ny = [x * i for i in range(50)]\nv = numpy.asarray(x)\nimport sys; sys.exit(3)")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_same_bits_on_any_machine():
    code = """
import weft as np, hashlib
x = np.arange(300000, dtype=np.float64).reshape(600, 500)
y = (x * 1.1 - x[::-1] / 3).sum(axis=0) + (x[1:, 1:] - x[:-1, :-1]).mean()
print(hashlib.sha256(np.asarray(y).tobytes() if hasattr(y, "tobytes") else bytes(y)).hexdigest())
"""
    outputs = {run_python(code, env={"WEFT_ARGS": flags}).stdout for flags in ("--cpus 1", "--cpus 2", "--gpus 2 --emulate", "--gpus 3 --emulate")}
    assert len(outputs) == 1 and outputs != {""}


def test_place_of_an_error_is_the_users_line(tmp_path):
    script = tmp_path / "shapes.py"
    script.write_text("import weft as np\n\n\ndef add(a, b):\n    return a + b\n\n\nadd(np.ones((3, 4)), np.ones(5))\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True, text=True, timeout=TIMEOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip
    assert "line 5, in add" in done.stderr
    assert done.stderr.splitlines()[-1] == "ValueError: operands could not be broadcast together with shapes (3,4) (5,) "


def test_where_is_the_users_frame():
    weft.ones(3)  # the runtime numbers the sources
    here = weft._core.where()
    assert here & 0xFFFFFFFF == test_where_is_the_users_frame.__code__.co_firstlineno + 2


def test_arrays_that_do_not_fit_are_a_memory_error():
    code = """
import weft
kept = weft.arange(10)
big = weft.ones(30_000_000) * 2
try:
    float(big[5])
except MemoryError as error:
    print("MemoryError", "allocate" in str(error) and "<string>" in str(error))
del big
print(int(kept.sum()))
"""
    done = run_python(code, env={"WEFT_ARGS": "--sysmem 50"})
    assert done.stdout == "MemoryError True\n45\n", (done.stdout, done.stderr)


def test_reconfigure_after_a_failure():
    code = """
import weft
kept, big = weft.arange(10), weft.ones(30_000_000) * 2
try:
    float(big[5])
except MemoryError:
    weft.settings.configure("--cpus 1")
for use in (lambda: float(big[5]), lambda: big + 1, lambda: float(kept.sum())):
    try:
        print(use())
    except MemoryError as error:
        print("MemoryError")
"""
    done = run_python(code, env={"WEFT_ARGS": "--sysmem 50"})
    assert done.stdout == "MemoryError\nMemoryError\n45.0\n", (done.stdout, done.stderr)


INSIDE_LIBRARY = """
import os, signal, sys, threading, numpy, weft
x = weft.ones((1500, 1500))
float(x[0, 0])
main = threading.get_ident()
def convert(y):
    return numpy.asarray(y)
def strike():  # when the main thread has entered convert, and not before
    while sys._current_frames()[main].f_code is not convert.__code__:
        pass
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=strike, daemon=True).start()
try:
    convert(x @ x @ x @ x @ x @ x)
except KeyboardInterrupt:
    print("interrupted", float((weft.ones(3) * 2).sum()), flush=True)
    sys.exit(0)
sys.exit(5)
"""


def test_interrupt_of_a_library_that_waits_for_an_array():
    done = run_python(INSIDE_LIBRARY)
    assert done.returncode == 0 and done.stdout == "interrupted 6.0\n", (done.returncode, done.stdout, done.stderr)
