"""A kernel under load for long: cells, floods of output, interrupts at random moments, restarts, reconnects, hostile neighbours.

    make soak                            10,000 cells, 1 GB of output, 1,000 interrupts, 100 cells under each attack of
                                         a process without the key, 20 restarts, 100 reconnects
    make soak SOAK="--cells 500 --seed 7"

Nothing may be lost, nothing may be stuck, and the memory must stay where it is. Moments are random, but no result
depends on them: whatever an interrupt hits, the cell ends with KeyboardInterrupt or as it would have, and the next
one runs. tests/test_soak.py runs a small one.

load.py     what is done to the kernel, and what must come of it
__main__.py the command
"""
