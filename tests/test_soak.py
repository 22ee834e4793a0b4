"""A small soak; make soak is the long one."""

import os
import select
import subprocess
import sys

import pytest
from soak import load

MEGABYTE = 1 << 20


@pytest.fixture
def soaked():
    kernel = load.Soaked(seed=5)
    yield kernel
    kernel.close()


def test_many_cells_lose_nothing_and_keep_nothing(soaked):
    assert load.cells(soaked, 450) < 20 * MEGABYTE


def test_floods_arrive_whole(soaked):
    counted = load.flood(soaked, 100_000_000)
    assert counted["bytes"] >= 100_000_000
    assert counted["growth"] < 120 * MEGABYTE  # what waits for a slow client, and garbage: far less than what was printed


def test_interrupts_at_random_moments(soaked):
    load.interrupts(soaked, 60)


def test_hostile_neighbours(soaked):
    """All attacks at once; test_hostile.py has a kernel under each."""
    assert set(load.neighbours(soaked, 5, each=False)) == {"growth", "cell", "interrupt"}


def test_clients_come_and_go(soaked):
    assert load.reconnects(soaked, 12) <= 4  # threads of the Go runtime that it made for the load


def test_restarts_leave_no_process(soaked):
    load.restarts(soaked, 4)


# A program that starts a kernel, leaves a process in it, says their numbers, and waits to be killed.
PARENT = """
from soak import load
kernel = load.Soaked()
left = kernel.run({cell!r})
print(kernel.pid, load.said(left[1]).strip(), flush=True)
{then}
input()
"""


@pytest.mark.parametrize(
    ("what", "then"),
    [("exec sleep 1000", ""), ("trap '' TERM INT; exec sleep 1000", "kernel.send('while True: pass')")],
    ids=["idle", "computing, and a process that ignores what it is told"],
)
def test_nothing_outlives_the_parent(what, then):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (os.path.dirname(__file__), os.environ.get("PYTHONPATH"))))}
    cell = f"import subprocess\np = subprocess.Popen(['sh', '-c', {what!r}])\nprint(p.pid)"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(cell=cell, then=then)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    )
    pids = [int(word) for word in parent.stdout.readline().split()]
    assert len(pids) == 2
    ends = [os.pidfd_open(pid) for pid in pids]
    parent.kill()
    parent.communicate()
    for what, end in zip(("kernel", "process that a cell left"), ends, strict=True):
        assert select.select([end], [], [], load.TIMEOUT)[0], f"the {what} outlives the parent"
        os.close(end)
