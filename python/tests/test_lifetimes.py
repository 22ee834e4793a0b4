"""Arrays are freed when Python drops them, and threads may use arrays at the same time."""

import itertools
import signal
import sys
import threading

import numpy as np
import pytest
import weft

from .sharing import counters


def live(stats):
    """Arrays that Python holds, and bytes that the runtime holds for them."""
    return stats["arrays"], sum(m["live"] for m in stats["memories"].values())


def test_many_arrays_are_freed():
    weft.arange(10).sum()
    baseline = live(counters())
    for round_ in range(3):
        kept = [weft.arange(1000) + i for i in range(300)]
        views = [a[::2].reshape(10, 50).T for a in kept]
        sums = [v.sum(keepdims=True, initial=0) for v in views]  # of as few elements, others are no arrays of the runtime
        assert int(sums[7][0, 0]) == sum(range(0, 1000, 2)) + 500 * 7
        assert live(counters())[0] >= baseline[0] + 900
        del kept, views, sums
        assert live(counters()) == baseline, f"round {round_}"


def test_temporaries_of_a_loop_are_freed():
    baseline = live(counters())
    x = weft.ones(10_000)
    for _ in range(200):
        x = x * 0.5 + x * 0.5
    assert float(x[0]) == 1
    assert live(counters())[0] == baseline[0] + 1
    del x
    assert live(counters()) == baseline


def test_failed_calls_free_their_temporaries():
    baseline = live(counters())
    for _ in range(100):
        for broken in (
            lambda: weft.ones((3, 4)) + weft.ones(5),
            lambda: weft.ones(3)[7],
            lambda: weft.ones(3).sum(axis=4),
            lambda: weft.concatenate([weft.ones(3), weft.ones((2, 2))]),
            lambda: weft.ones(3) @ np.ones(4),
            lambda: weft.ones(6).reshape(4, 2),
        ):
            with pytest.raises((ValueError, IndexError)):
                broken()
    assert live(counters()) == baseline


def test_two_threads():
    shared = weft.arange(1000.0)
    failures = []

    def work(seed):
        try:
            x = shared + seed
            for i in range(200):
                x = x + 1
                if i % 20 == 0:
                    assert float(x[3]) == 3 + seed + i + 1
                    assert np.asarray(x)[5] == 5 + seed + i + 1
            assert float(x.sum()) == sum(range(1000)) + 1000 * (seed + 200)
        except BaseException as error:  # noqa: BLE001 - raised in the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures, failures


def test_small_arrays_are_given_back_by_the_next_call():
    weft.sync()
    keep = weft.zeros(100)
    before = weft.stats()["arrays"]
    for _ in range(1000):  # dropped one after the other, and all at once
        keep + keep
    many = [keep * i for i in range(100)]
    assert weft.stats()["arrays"] == before + 100
    del many
    assert weft.stats()["arrays"] == before
    x = keep
    for _ in range(1000):
        x = x + 1
    assert float(x[0]) == 1000
    del x
    assert weft.stats()["arrays"] == before


def test_a_dropped_array_does_not_lend_its_slot_too_early():
    x = weft.arange(10.0)
    results = []
    for i in range(50):
        a, b = x + i, x * i  # the temporaries of the last turn die in between
        results.append(a - b)
        del a, b
    for i, r in enumerate(results):
        np.testing.assert_array_equal(np.asarray(r), np.arange(10.0) + i - np.arange(10.0) * i)


@pytest.mark.parametrize("call", ["np.nonzero(np.sin(x) > 2)", "np.unique(x)", "x[x > 1e9]", "np.ravel(x)", "x.nonzero()"])
def test_another_thread_may_give_an_array_another_shape_while_a_call_waits(call):
    x, over = weft.arange(400_000.0), threading.Event()
    want = repr(eval(call, {"np": weft, "x": x}))
    assert x.base is None  # and it stays so in each shape

    def reshapes():
        shapes = itertools.cycle([(400, 1000), (1000, 400), (400_000,)])
        while not over.is_set():
            x.shape = next(shapes)

    other, interval = threading.Thread(target=reshapes), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    other.start()
    try:
        for _ in range(60):
            made = eval(call, {"np": weft, "x": x})
    finally:
        over.set()
        other.join()
        sys.setswitchinterval(interval)
    x.shape = (400_000,)
    assert repr(eval(call, {"np": weft, "x": x})) == want and type(made) in (weft.ndarray, tuple)


def test_arrays_of_threads_that_reshape_are_given_back_while_calls_are_under_way():
    """There is always some call that is out, and the main thread waits for the others: it runs nothing between."""
    turns, threads, held = 100, 3, []

    def work():
        for _ in range(turns):
            x = weft.arange(100_000.0)
            x.shape = (1000, 100)
            float(weft.sin(x).sum())
            held.append(weft.stats()["memories"]["host"]["live"])

    before = weft.stats()["memories"]["host"]["live"]
    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(held) == turns * threads
    assert max(held) - before < turns * threads * 800_000 / 3


def test_a_handler_may_give_an_array_another_shape_while_its_number_is_waited_for():
    """The handle that the wait began with is another array's before it goes on."""
    handled, number = 0, None

    def handler(*_):
        nonlocal handled
        handled += 1
        for shape in ((1,), (1, 1), ()):
            number.shape = shape
        return [weft.arange(5.0) for _ in range(20)]

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(100):
            if handled >= 30:
                break
            much = weft.arange(2_000_000.0)
            number = (weft.sin(weft.sin(weft.sin(much))) * 0 + 1).sum(keepdims=True)
            number.shape = ()
            signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
            got = float(number)
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert got == 2_000_000.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handled
