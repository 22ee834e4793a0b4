"""What recording costs a run: the same programs with and without it, by turns, on the same machine."""

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
print(best)
"""


def seconds(work, turns, debug):
    env = {**os.environ, "WEFT_DEBUG": debug}
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(work=work, turns=turns)], env=env, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(rounds, turns):
    """For each program: the median over rounds of the ratio of its time with recording to that without, less one."""
    found = {}
    for name, work in PROGRAMS.items():
        ratios = []
        for turn in range(rounds):
            order = ("", "norecord") if turn % 2 else ("norecord", "")
            took = {debug: seconds(work, turns, debug) for debug in order}
            ratios.append(took[""] / took["norecord"] - 1)
        found[name] = statistics.median(ratios)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(5, 5), indent=1))
