"""Runs random programs in every configuration for so many hours: python tests/fuzz.py [HOURS] [SEED]

Each round is a process in a configuration that runs some hundred programs of tests/programs/aliasing.py. The first one that differs
from NumPy ends it, with the program and the command that runs it again.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import time

from test_configurations import CONFIGURATIONS

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = 300  # of a round
SLOWEST = 1800  # seconds; a round that takes longer hangs


def main(hours, seed):
    end = time.monotonic() + hours * 3600
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    for round, (flags, debug) in enumerate(itertools.cycle(CONFIGURATIONS)):
        if time.monotonic() > end:
            print(f"{round * PROGRAMS} programs: as NumPy")
            return 0
        first = seed + round * PROGRAMS
        command = [sys.executable, "tests/programs/aliasing.py", str(first), str(PROGRAMS)]
        print(f'WEFT_ARGS="{flags}" WEFT_DEBUG="{debug}" {" ".join(command)}', flush=True)
        done = subprocess.run(command, env={**env, "WEFT_ARGS": flags, "WEFT_DEBUG": debug}, cwd=ROOT, timeout=SLOWEST)
        if done.returncode != 0:
            return 1


if __name__ == "__main__":
    arguments = [float(word) for word in sys.argv[1:]]
    sys.exit(main(arguments[0] if arguments else 1, int(arguments[1]) if len(arguments) > 1 else int(time.time())))
