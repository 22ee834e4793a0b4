"""Turns that do not disturb each other."""

import time

AT_REST = 0.1  # of a processor: what the samplers of an idle process take is below it


def rest(longest=0.2):
    """Wait until no thread of this process computes.

    The threads of OpenBLAS look for work for some 25 ms after a product, each on a processor of its own. A program
    that runs after NumPy's products would be timed beside them, and one that runs alone is not.
    """
    end = time.perf_counter() + longest
    while time.perf_counter() < end:
        start, used = time.perf_counter(), time.process_time()
        time.sleep(0.001)
        if time.process_time() - used < AT_REST * (time.perf_counter() - start):
            return
