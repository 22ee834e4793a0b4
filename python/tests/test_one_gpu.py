"""What is special about a machine with one GPU: the same bits as without it, and no more passes or copies than it takes."""

import json
import re

import pytest

from .sharing import run_python

PROGRAM = """
import hashlib, json
import numpy as np
import weft

arrays = {}
n = 400
rng = np.random.default_rng(7)
u = weft.array(rng.random((n, n)))
v = weft.array(rng.random((n, n)).astype(np.float32))
cube = weft.array(rng.random((40, 60, 70)))
line = weft.array(rng.random(200_000))
for turn in range(6):
    u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    v[2:-3] = v[1:-4] * np.float32(0.5) + v[4:-1] * np.float32(0.25)
    cube[1:-1, 2:-1, 1:-3] = cube[:-2, 1:-2, 2:-2] - cube[2:, 3:, 3:-1] * 0.125
    line[1:] = line[:-1] + 1.0
    if turn == 2:
        u[0] = 3.0
        cube[0, 0, 0] = 5.0
        assert float(u[0, 7]) == 3.0
    if turn == 4:
        kept = u.copy()
        arrays["kept"] = kept
    if turn == 5:
        u[:, 0] = u[:, 1]
arrays.update(u=u, v=v, cube=cube, line=line)
head = str(weft.plan("*")).splitlines()[0]
digests = {name: hashlib.sha256(np.array(x).tobytes()).hexdigest() for name, x in sorted(arrays.items())}
print(json.dumps({"digests": digests, "plan": head}))
"""


def results(flags, debug=""):
    done = run_python(PROGRAM, env={"WEFT_ARGS": flags, "WEFT_DEBUG": debug})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def on_cpu():
    return results("--cpus 1")


@pytest.mark.parametrize(
    "flags, debug",
    [
        ("--gpus 1 --emulate", ""),
        ("--gpus 1 --emulate --fbmem 64", ""),
        ("--gpus 1 --emulate --fbmem 4", ""),
        ("--gpus 1 --emulate", "tile=1"),
        ("--gpus 2 --emulate", ""),
    ],
)
def test_slices_that_are_renewed_have_the_same_bits(on_cpu, flags, debug):
    assert results(flags, debug)["digests"] == on_cpu["digests"]


def test_a_slice_is_renewed_in_one_pass(on_cpu):
    passes = [re.search(r"in (\d+) passes", got["plan"])[1] for got in (results("--gpus 1 --emulate"), on_cpu)]
    assert passes[0] == passes[1]


READS = """
import numpy as np
import weft

small = weft.ones(20_000)
for turn in range(4):
    small = small * 0.5 + 1.0
    assert float(small[turn]) == 2.0 - 0.5 ** (turn + 1)
assert weft.stats()["inline_tasks"] == 4
big = weft.ones((700, 700))
for turn in range(4):
    big = big * 0.5 + 1.0
    assert float(big[turn, 3]) == 2.0 - 0.5 ** (turn + 1)
assert big[5, 6].dtype == np.float64 and big[-1, -1] == small[-1]
print(weft.stats()["copies_by_cause"])
"""


def test_an_element_is_a_copy_and_little_work_stays_on_the_host():
    done = run_python(READS, env={"WEFT_ARGS": "--gpus 1 --emulate", "WEFT_DEBUG": ""})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{'gather': 6}\n"
