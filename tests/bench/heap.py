"""Memory as a process has it that has run for a while.

glibc's malloc takes a block of 128 KiB and more from the system and gives it back when it is freed, so that NumPy
writes each of its larger results to fresh pages, which costs more than many an operation. That ends when a larger block
has been freed once: from then on blocks of up to its size, 32 MiB at most, are kept. So NumPy's time of a program
depended on which programs came before it: random walks took it 1.7 times as long alone as behind programs with larger
arrays, where weft, which keeps what is freed from the start, took the same time in both places. A notebook is mostly in
a session that has run for a while, so that NumPy has the memory of one from the first program on, whichever are timed.
"""

import numpy

KEPT = (32 << 20) - (64 << 10)  # bytes: with its header, a block of the largest size that malloc keeps


def settle():
    """Free a block once that is as large as any that malloc keeps; other allocators than glibc's lose nothing by it."""
    numpy.empty(KEPT, numpy.uint8)
