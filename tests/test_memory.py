"""Arrays that are larger than memory, and errors where nothing helps, as users see them."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT, Kernel

PROGRAM = ROOT / "tests" / "programs" / "out_of_core.py"


def run(command, debug=""):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    done = subprocess.run(command, env={**env, "WEFT_DEBUG": debug}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{' '.join(map(str, command))} with WEFT_DEBUG={debug}\n{done.stderr}"
    return done.stdout, done.stderr


@pytest.mark.parametrize("debug", ["", "seed=3,check"])
def test_arrays_larger_than_the_memory_of_all_gpus(debug):
    got, insight = run([ROOT / "bin" / "weft", "run", *"--gpus 2 --emulate --fbmem 3 --numpy".split(), PROGRAM], debug)
    want, _ = run([sys.executable, PROGRAM])
    assert [float(x) for x in got.split()] == pytest.approx([float(x) for x in want.split()], rel=1e-12)
    stats, plan = json.loads(insight.splitlines()[-1])
    assert stats["evictions"] > 0 < stats["copies_by_cause"]["spill"]
    for name in ("gpu0", "gpu1"):
        assert stats["memories"][name]["peak"] <= stats["memories"][name]["total"] == 3 << 20
    assert re.search(r"in small tiles: [\d.]+ MB would not leave a GPU of 3\.15 MB room for what comes next, [\d.]+ [kM]B do", plan)
    assert re.search(r"on a CPU: no GPU of 3\.15 MB holds [\d.]+ MB", plan)  # the transposition
    assert re.search(r"spill: \d+ copies of [\d.]+ MB", plan)
    assert re.search(r"gpu1 was full: \d+ buffers of [\d.]+ MB left it", plan)


@pytest.fixture(scope="module")
def small():
    k = Kernel({**os.environ, "WEFT_ARGS": "--gpus 2 --emulate --fbmem 2 --sysmem 40"})
    yield k
    k.close()


def test_a_cell_that_needs_too_much_memory_names_arrays_and_lines(small):
    reply, _ = small.run("import numpy as np\nkept = np.arange(2_000_000)\nlarge = kept * 2.0")
    assert reply["status"] == "ok"
    reply, _ = small.run("fine = large + 1\nhuge = large[:, None] * kept[:20]\nprint(huge.sum())")
    assert reply["status"] == "error" and reply["ename"] == "MemoryError"
    assert re.search(r"multiply at In\[\d+\] line 2: unable to allocate 320 MB on host: .* are in use of 41\.9 MB", reply["evalue"])
    assert re.search(r"16\.0 MB made by \w+ at In\[\d+\] line \d", reply["evalue"])
    assert small.text("del huge\nprint(int(kept.sum()), float(large[-1]), float(fine[3]))") == "1999999000000 3999998.0 7.0\n"


LOST = """
import numpy as np
b, c, d = np.arange(1e6), np.arange(1e6), np.zeros(10)
kept = np.ones(55_000_000)  # 420 of 512 MiB
float(kept[0])
big = np.full(12_000_000, 2.0)  # no room
b += big[:1_000_000]
c[5:] = big[5:1_000_000]
d += 1
later = b * 2
def told(x):
    try:
        return x[1]
    except MemoryError:
        return "MemoryError"
print(told(b), told(b), told(c), told(d), told(later), told(later), told(big), told(big))
del kept, big, later
b += 1
print(b[:3].tolist(), b.sum(), c.sum(), np.full(12_000_000, 2.0).sum())
"""

MANY = """
import numpy as np
b = np.arange(4e6) * 1.0
float(b.sum())
b += 1
extra = [np.full(4_000_000, 2.0) for i in range(40)]
def fine(x):
    try:
        return bool(x.sum() == 8e6)
    except MemoryError:
        return False
fit = [fine(x) for x in extra]
print(sum(fit), fit == sorted(fit, reverse=True), b[0])
del extra
print(np.full(50_000_000, 2.0).sum(), b[-1])
"""

PARTLY = """
import numpy as np
kept = np.ones(55_000_000)  # 420 of 512 MiB
float(kept[0])
big = np.full(40_000_000, 2.0)  # what the GPUs have room for is there, and lacks room elsewhere when it is read
for attempt in range(2):
    try:
        big.sum()
    except MemoryError as error:
        print(str(error).split(":")[0])
"""

HUGE = """
import numpy as np
a = np.zeros(10**13)
try:
    a[5]
except MemoryError as error:
    print("unable to allocate 80.0 TB" in str(error))
print((np.ones(3) + 1).sum())
"""


def script(tmp_path, program, *flags):
    path = tmp_path / "program.py"
    path.write_text(program)
    return run([sys.executable, "-m", "weft.run", *flags, path])[0]


def test_what_has_room_is_computed_and_updates_that_never_began_leave_arrays_as_they_were(tmp_path):
    # NumPy's program would have stopped at big: b, c and d would be as they were. Each failure is told once.
    got = script(tmp_path, LOST, "--cpus", "2", "--sysmem", "512")
    first, second = got.splitlines()
    assert first == "MemoryError 1.0 1.0 1.0 MemoryError MemoryError MemoryError MemoryError"
    assert second == "[1.0, 2.0, 3.0] 500000500000.0 499999500000.0 24000000.0"


def test_what_lacks_room_in_part_is_told_where_it_was_asked_for_and_not_again_at_the_end(tmp_path):
    got = script(tmp_path, PARTLY, "--gpus", "2", "--emulate", "--fbmem", "64", "--sysmem", "512")
    assert got.splitlines() == ["fill at program.py line 5", "fill at program.py line 5"]


def test_of_forty_arrays_those_that_fit_are_computed(tmp_path):
    first, second = script(tmp_path, MANY, "--cpus", "2", "--sysmem", "512").splitlines()
    assert first == "15 True 1.0"  # 16 with b
    assert second == "100000000.0 4000000.0"


@pytest.mark.parametrize("flags", ["--gpus 1 --emulate --fbmem 64", "--gpus 2 --emulate --fbmem 64 --sysmem 512", "--cpus 2"])
def test_an_array_that_no_memory_holds(tmp_path, flags):
    assert script(tmp_path, HUGE, *flags.split()) == "True\n6.0\n"


ZEROS = """
import sys
import numpy as np

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) >> 10

def touched(x):
    x[5] = 1
    x[-2:] += 3
    return float(x[5]), float(x[len(x) // 2]), float(x[-1])

touched(np.zeros(10))
before = resident()
for x in (np.zeros(10**9), np.zeros(10**9, "uint8"), np.zeros(10**9, "complex64"), np.zeros_like(np.empty(10**9)), np.full(10**9, 0.0)):
    assert touched(x) == (1.0, 0.0, 3.0)
for turn in range(4):  # memory that is used again, too
    x = np.zeros(10**9)
    assert touched(x) == (1.0, 0.0, 3.0)
grid = np.zeros((50_000, 2_000))
grid[7] = 2
grid[1:3, 5] -= 1
assert (grid[7].sum(), grid[2, 4:6].tolist(), grid[8].any()) == (4000, [0, -1], False)
y = np.zeros(10_000_000)
z = y[:1000] + 1
assert z.sum() == 1000 and y[-1] == 0
assert np.__name__ == "weft" and resident() - before < 200, resident() - before

used = np.full(3_000_000, 7.0)  # what was written is cleared
float(used[3])
del used
again = np.zeros(3_000_000)
assert float(again.sum()) == 0 and not again.any()
late = np.empty(3_000_000)
late[10:20] = 5
late[...] = 0
assert not late.any()
minus = np.full(3_000_000, -0.0)
assert np.signbit(minus).all()
"""


@pytest.mark.parametrize(
    "flags, debug",
    [("--cpus 2", ""), ("--cpus 2", "window=1"), ("--cpus 2", "noeager"), ("--cpus 2", "nofuse"), ("--gpus 2 --emulate", "")],
)
def test_of_zeros_only_what_is_written_becomes_resident(tmp_path, flags, debug):
    path = tmp_path / "program.py"
    path.write_text(ZEROS)
    run([sys.executable, "-m", "weft.run", *flags.split(), path], debug)


def test_zeros_count_where_memory_is_limited(tmp_path):
    program = """
import numpy as np
kept = np.zeros(40_000_000)
kept[5] = 1
print(float(kept[5]))
try:
    print(float(np.zeros(40_000_000)[0]))
except MemoryError as error:
    print("320 MB are in use of 537 MB" in str(error))
"""
    assert script(tmp_path, program, "--cpus", "2", "--sysmem", "512").split() == ["1.0", "True"]
