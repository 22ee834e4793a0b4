"""Programs as people write them: textbook loops over small arrays, elements and slices, unoptimised.

    make bench BENCH="--only written"                the family alone
    PYTHONPATH=tests .venv/bin/python -m bench.written [--rounds N] [--only WORD] [--markdown FILE]

Each program is run(np, size), data included, and runs under NumPy and weft by turns in one process.

rows.py        a row of the table
factorisations.py, iteration.py, scalars.py, graphs.py, signals.py, integration.py, motion.py, fields.py,
automata.py, images.py, chance.py, fitting.py, learners.py, snippets.py
               the programs
race.py        turns, medians, checks
peer.py        cuPyNumeric, in a process of its own
tables.py      the tables on the terminal, as JSON and as Markdown
"""
