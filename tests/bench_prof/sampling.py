"""What it costs to look at Python's main thread a thousand times a second, as profiles by lines do: the same process, with and without, by turns.

As in overhead.py, four turns are one comparison, and the middle half of them is averaged. What is compared is the main thread's processor time,
which the program waits for: what else the machine does takes wall time of some turns only. The turns of a kind do the same work. The thread that ticks
runs beside it, and what it takes is a figure of its own. So is a timer of Python's whose handler does nothing: on a virtual machine each
interrupt of a processor may cost ten times as much as a look, and no sampler of that rate can cost less.
"""

import json
import signal
import statistics
import sys
import time

import weft
from weft import _core, sampling

TURN = 50e-3  # seconds, about


def loop(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def calls(n):
    for i in range(n):
        abs(min(i, 5))


def recursion(n):
    def down(depth):
        return depth and down(depth - 1)

    for _ in range(n):
        down(150)


def library(n):
    for _ in range(n):
        json.loads(json.dumps([{"a": i, "b": [i]} for i in range(50)], indent=1))


def elements(n):
    a = weft.arange(1000.0)
    for i in range(n):
        float(a[i % 1000])


PROGRAMS = (loop, calls, recursion, library, elements)


def look():
    """Begins to sample, and returns what ends it."""
    assert _core.sample_begin(sampling.whose)
    return _core.sample_end


def timer():
    """Interrupts as often, for nothing."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    return lambda: signal.setitimer(signal.ITIMER_REAL, 0)


def turn(program, n, begin):
    end = begin() if begin else None
    start, beside = time.thread_time(), time.process_time()
    program(n)
    took, all_threads = time.thread_time() - start, time.process_time() - beside
    if end:
        end()
    return took, all_threads


def share(program, seconds, begin):
    """What sampling adds, as a part of the main thread's time without; the same of the other threads; and how many comparisons these were."""
    n = 1
    while turn(program, n, None)[0] < TURN / 4:
        n *= 2
    n = max(1, int(n * TURN / turn(program, n, None)[0]))
    turn(program, n, begin)  # until it is known whose code the files are
    found, beside = [], []
    end = time.perf_counter() + seconds
    while len(found) < 5 or time.perf_counter() < end:
        order = (True, False, False, True) if len(found) % 2 else (False, True, True, False)
        times, others = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
        for sampled in order:
            took, all_threads = turn(program, n, begin if sampled else None)
            times[sampled] += took
            others[sampled] += all_threads - took
        found.append(times[True] / times[False] - 1)
        beside.append((others[True] - others[False]) / times[False])
    quarter = len(found) // 4
    return *(statistics.fmean(sorted(rows)[quarter : len(rows) - quarter]) for rows in (found, beside)), len(found)


def main(seconds):
    shares = {}
    for program in PROGRAMS:
        of_main, beside, turns = share(program, float(seconds), look)
        shares[program.__name__] = {"share": of_main, "beside": beside}
        print(
            f"{program.__name__:28} {100 * of_main:+6.2f} %, {100 * beside:+6.2f} % beside  {turns} comparisons",
            file=sys.stderr,
            flush=True,
        )
    bare, _, turns = share(loop, float(seconds), timer)
    print(f"{'a timer that does nothing':28} {100 * bare:+6.2f} %  {turns} comparisons", file=sys.stderr, flush=True)
    print(json.dumps({"programs": shares, "timer": bare}))


if __name__ == "__main__":
    main(*sys.argv[1:])
