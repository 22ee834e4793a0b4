"""A small soak; make soak is the long one."""

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
    counted = load.flood(soaked, 40_000_000)
    assert counted["bytes"] >= 40_000_000
    assert counted["growth"] < 40 * MEGABYTE


def test_interrupts_at_random_moments(soaked):
    load.interrupts(soaked, 60)


def test_clients_come_and_go(soaked):
    assert load.reconnects(soaked, 12) <= 4  # threads of the Go runtime that it made for the load


def test_restarts_leave_no_process(soaked):
    load.restarts(soaked, 4)
