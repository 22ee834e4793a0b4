"""Array programs timed side by side: weft, NumPy, numexpr, Numba, JAX, Dask, and hand-written C.

    make bench                                   every program at its full size
    make bench BENCH="--quick"                   smaller, in about two minutes
    make bench BENCH="--only stencil --rounds 9"

All implementations of a program run in one process on the same input data, in interleaved
rounds; the table shows medians. A result is checked against NumPy's before it is timed. What
"done" means is stated for each library in libraries.py; the time includes the allocation of
results, since users' programs allocate them too.

programs.py     the table: one row per program, with its sizes, bytes, flops and tolerance
elementwise.py, reductions.py, grids.py, learning.py, flow.py, small.py, routines.py
                the implementations, one file per family
written/        programs as people write them, under NumPy and weft by turns
functions.py    single functions over 1e3 to 1e6 elements, the same way: python -m bench.functions
libraries.py    an adapter per library
limits.py, limits.c, limit_types.inc
                what the machine can do: STREAM, GEMM, and fused C for some of the programs
probes.py       figures that no single timing gives: first calls, overheads, bytes copied
measure.py      rounds, medians, checks
rest.py, heap.py
                what the timed programs find: no threads that look for work, memory that is kept
reach.py        the goals that were set, and whether they are met
report.py       the table on the terminal, bench.json, bench.svg
"""
