"""Runs random programs in every configuration: python tests/fuzz.py [--programs N | --hours H] [--seed S] [--jobs J]

Each round is a process in one of the configurations that runs the programs of some hundred seeds of tests/programs/mixed.py (or aliasing.py, by
turns), each against NumPy. As many rounds as there are processors run at once. A program that differs from NumPy is shown in its shortest form, with the
command that runs it again, and ends its round; the first (--failures) ends all of it. An interrupt does too; how many ran is said either way.
"""

import argparse
import itertools
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from test_configurations import CONFIGURATIONS

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = 1000  # of a round; one in three of mixed.py has three programs, in threads
KINDS = ("mixed", "aliasing")
SLOWEST = 3600  # seconds; a round that takes longer hangs


class Rounds:
    """What is left to do, and what has been done; several threads take from it."""

    def __init__(self, programs, seconds, seed, failures):
        self.end = time.monotonic() + seconds
        self.programs, self.seed = programs, seed
        self.given = 0  # seeds
        self.ran = 0  # programs
        self.rounds = itertools.cycle((kind, *configuration) for kind in KINDS for configuration in CONFIGURATIONS)
        self.failures = failures  # how many rounds may not end well before all end
        self.wrong = 0  # how many have not
        self.over = False
        self.lock = threading.Lock()
        self.running = set()

    def take(self):
        """The next round as first seed, seeds, the kind of program, flags and debug, or None when that is all."""
        with self.lock:
            count = min(SEEDS, self.programs - self.given)
            if count <= 0 or self.ran >= self.programs or self.over or time.monotonic() > self.end:
                return None
            self.given += count
            return self.seed + self.given - count, count, *next(self.rounds)

    def work(self):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
        while (todo := self.take()) is not None:
            first, count, kind, flags, debug = todo
            command = [sys.executable, f"tests/programs/{kind}.py", str(first), str(count)]
            shown = f'WEFT_ARGS="{flags}" WEFT_DEBUG="{debug}" {" ".join(command)}'
            with subprocess.Popen(
                command, env={**env, "WEFT_ARGS": flags, "WEFT_DEBUG": debug}, cwd=ROOT, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            ) as process:  # fmt: skip
                with self.lock:
                    self.running.add(process)
                try:
                    said, hung = process.communicate(timeout=SLOWEST)[0], ""
                except subprocess.TimeoutExpired:
                    process.kill()
                    said, hung = process.communicate()[0], f"\nthe round hangs: it was ended after {SLOWEST} s"
            with self.lock:
                self.running.discard(process)
                if process.returncode == 0:
                    self.ran += int(re.search(r"^(\d+) programs from", said, re.MULTILINE).group(1))
                    print(f"{self.ran:9,} programs  {shown}", flush=True)
                elif not self.over:  # not those that were ended because of the last
                    self.wrong += 1
                    print(f"{shown}\n{said}{hung}\nended with {process.returncode}", flush=True)
                    if self.wrong >= self.failures:
                        self.stop()

    def stop(self):
        """End what runs; the lock is held."""
        self.over = True
        for process in self.running:
            process.kill()


def main():
    p = argparse.ArgumentParser(prog="make fuzz", description="Run random programs in every configuration beside NumPy.")
    p.add_argument("--programs", type=int, metavar="N", help="how many at least; without it, as many as the time allows")
    p.add_argument("--hours", type=float, metavar="H", help="when to end at the latest (1, or none with --programs)")
    p.add_argument("--seed", type=int, default=int(time.time()), metavar="S", help="of the first program; the others count on from it")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="J", help="rounds that run at once (one per processor)")
    p.add_argument("--failures", type=int, default=1, metavar="F", help="how many rounds with a program that differs end all (1)")
    o = p.parse_args()
    hours = o.hours if o.hours is not None else 1 if o.programs is None else float("inf")
    rounds = Rounds(o.programs if o.programs is not None else float("inf"), hours * 3600, o.seed, o.failures)
    print(f"seed {o.seed}", flush=True)
    threads = [threading.Thread(target=rounds.work) for _ in range(o.jobs)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        with rounds.lock:
            rounds.stop()
        for thread in threads:
            thread.join()
        print("interrupted")
    print(f"{rounds.ran:,} programs: as NumPy" + (f"; {rounds.wrong} rounds were not" if rounds.wrong else ""))
    return 1 if rounds.wrong or rounds.over else 0


if __name__ == "__main__":
    sys.exit(main())
