"""Turns that do not disturb each other."""

import time

AT_REST = 0.1  # of a processor: what the samplers of an idle process take is below it
LOOK, LOOKS = 0.002, 6  # seconds, and how many looks in a row have to find it so: a thread may be off its processor for one of them


def rest(longest=0.5):
    """Wait until no thread of this process computes.

    The threads of OpenBLAS look for work for some 100 ms after a product, each on a processor of its own. A program
    that runs after NumPy's products would be timed beside them, and one that runs alone is not.
    """
    end, quiet = time.perf_counter() + longest, 0
    while quiet < LOOKS and time.perf_counter() < end:
        start, used = time.perf_counter(), time.process_time()
        time.sleep(LOOK)
        quiet = quiet + 1 if time.process_time() - used < AT_REST * (time.perf_counter() - start) else 0
