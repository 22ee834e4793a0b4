"""What recording costs a run.

By count: how many records a program leaves, times what they take, of the time that it takes. And by the clock: the same
program with and without recording, by turns. On a machine that others use as well, the times of two runs of the
same program differ by more than recording costs, so that the second says no more than that it is little.
"""

import json
import os
import statistics
import subprocess
import sys

# Programs and what they stand for. Each prints the seconds that its work took, after a first turn that does not count.
PROGRAMS = {
    "10,000 operations on 10 numbers": "x = np.arange(10.0)\n    for _ in range(10_000): x = x + 1.0\n    float(x[0])",
    "Gray-Scott, 500 x 500, 40 steps": """u, v = np.ones((502, 502)), np.zeros((502, 502))
    for _ in range(40):
        lu = u[:-2, 1:-1] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1] + u[1:-1, 2:] + u[2:, 1:-1]
        lv = v[:-2, 1:-1] + v[1:-1, :-2] - 4 * v[1:-1, 1:-1] + v[1:-1, 2:] + v[2:, 1:-1]
        uvv = u[1:-1, 1:-1] * v[1:-1, 1:-1] ** 2
        u[1:-1, 1:-1] += 0.1 * lu - uvv + 0.04 * (1 - u[1:-1, 1:-1])
        v[1:-1, 1:-1] += 0.05 * lv + uvv - 0.1 * v[1:-1, 1:-1]
    float(u[0, 0])""",
    "20 passes over 8 million numbers": "x = np.ones(8_000_000)\n    for _ in range(20): s = float((x * 2.0 + 1.0).sum())",
}

SCRIPT = """
import time
import weft as np
def work():
    {work}
work()
best = 1e9
for _ in range({turns}):
    begun = time.perf_counter()
    work()
    best = min(best, time.perf_counter() - begun)
def records():
    # those of lanes of memory, which take their times from others, and the rest
    rows = np.profile.summary().split("\\n\\n")[0].splitlines()[2:]
    counts = [(row.split()[-1], "memory " in row) for row in rows]
    return sum(int(n) for n, memory in counts if memory), sum(int(n) for n, memory in counts if not memory)
before = records()
work()
print(best, *(now - then for now, then in zip(records(), before)))
"""


def seconds(work, turns, debug):
    env = {**os.environ, "WEFT_DEBUG": debug}
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(work=work, turns=turns)], env=env, capture_output=True, text=True, check=True)
    took, plain, timed = done.stdout.split()
    return float(took), int(plain), int(timed)


def measure(rounds, turns, plain, timed):
    """For each program: the share of its time that its records take, of so many seconds each, without and with two looks
    at the clock; and the median over rounds of the ratio of its time with recording to that without, less one."""
    found = {}
    for name, work in PROGRAMS.items():
        ratios, shares = [], []
        for turn in range(rounds):
            order = ("", "norecord") if turn % 2 else ("norecord", "")
            runs = {debug: seconds(work, turns, debug) for debug in order}
            took, records, looks = runs[""]
            ratios.append(took / runs["norecord"][0] - 1)
            shares.append((records * plain + looks * timed) / took)
        found[name] = {"by count": statistics.median(shares), "by the clock": statistics.median(ratios)}
    return found


if __name__ == "__main__":
    print(json.dumps(measure(5, 5, 20e-9, 100e-9), indent=1))
