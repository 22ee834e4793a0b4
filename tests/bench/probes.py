"""Figures that no single timing gives: first calls of new expressions, overheads, bytes copied between memories.

Those about one configuration of weft run in a process of their own.
"""

import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

import numpy

STEPS = ["np.sqrt(x * x + {c})", "x * {c} + y", "np.exp(-x * {c})", "(x - y) * {c}", "np.abs(x - {c})", "x / (y + {c})"]
N = 10_000


def expressions(seed):
    """Source text of functions of x and y that no cache can know: eight steps in random order with random constants."""
    draw = random.Random(seed)
    while True:
        yield [step.format(c=repr(round(draw.uniform(0.1, 2.0), 6))) for step in draw.choices(STEPS, k=8)]


def function(steps):
    body = "".join(f"    x = {step}\n" for step in steps)
    return f"def f(x, y):\n{body}    return x\n"


def first_calls(libraries, rounds):
    """Seconds that the first call of a new function takes, the median by library; data of 10,000 elements."""
    x, y = numpy.random.default_rng(12).uniform(0.5, 1.5, (2, N))
    times = {name: [] for name in libraries if name in ("weft", "numpy", "numexpr", "numba", "jax")}
    places = {name: [libraries[name].place(a) for a in (x, y)] for name in times}
    source = expressions(time.time_ns())
    for _ in range(rounds + 1):
        steps = next(source)
        want = None
        for name in sorted(times, key=lambda name: name != "numpy"):
            library = libraries[name]
            run = new_function(library, steps)
            start = time.perf_counter()
            result = library.wait(run(*places[name]))
            times[name].append(time.perf_counter() - start)
            got = library.fetch(result)[0]
            want = got if want is None else want
            if not numpy.allclose(got, want, rtol=1e-9):
                raise AssertionError(f"{name} computes {steps} differently from NumPy")
    # The first round starts compilers and thread pools.
    return {name: statistics.median(all_[1:]) for name, all_ in times.items()}


def new_function(library, steps):
    """A function that the library has never seen. What it takes to compile it belongs to its first call."""
    if library.name == "numexpr":
        return nested(library.module, steps)
    names = {"np": getattr(library, "numpy", library.module)}
    if library.name == "numba":
        names["np"] = numpy
    exec(function(steps), names)
    if library.name == "numba":
        return library.module.njit(parallel=True)(names["f"])
    if library.name == "jax":
        return library.module.jit(names["f"])
    return names["f"]


def nested(ne, steps):
    """The steps as numexpr calls: one for each, since names cannot be bound inside of an expression."""
    texts = [step.replace("np.", "") for step in steps]

    def run(x, y):
        for text in texts:
            x = ne.evaluate(text, {"x": x, "y": y})
        return x

    return run


# Each script prints one JSON object.

FLAT = """
import json, resource, sys
import weft as np
def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()
loops, warm = int(sys.argv[1]), int(sys.argv[2])
x, a = np.zeros(100), np.ones(100)
before = 0
for i in range(loops):
    if i == warm:  # the log of recent operations, which has a fixed length, is full
        np.sync()
        before = rss()
    x = x + a
np.sync()
after = rss()
assert float(x[0]) == loops
print(json.dumps({"loops": loops, "before": before, "after": after}))
"""

HALO = """
import json, sys
import weft as np
n, steps = int(sys.argv[1]), int(sys.argv[2])
def moved():
    np.sync()
    return sum(np.stats()["moved_bytes"].values())
u = np.zeros((n, n)); u[0] = 100.0
def step():
    u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
for _ in range(3):
    step()
before = moved()
for _ in range(steps):
    step()
print(json.dumps({"per_step": (moved() - before) / steps, "halo": 3 * 2 * n * 8}))
"""

TASKS = """
import json, sys, time
import weft as np
tasks = int(sys.argv[1])
x, a = np.zeros(256), np.ones(256)
for _ in range(100):
    x = x + a
np.sync()
def total():
    return np.stats()["tasks"]
before, start = total(), time.perf_counter()
while total() - before < tasks:
    for _ in range(1000):
        x = x + a
np.sync()
seconds = time.perf_counter() - start
print(json.dumps({"tasks": total() - before, "seconds": seconds}))
"""


def script(text, *arguments, flags="", debug=""):
    """What a script prints, run with these flags of the runtime."""
    env = {**os.environ, "WEFT_ARGS": flags, "WEFT_DEBUG": debug}
    command = [sys.executable, "-c", text, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError(f"a probe failed:\n{done.stderr}")
    return json.loads(done.stdout)


PLAIN = """
import json, statistics, sys, time
import weft as np
from bench import programs
found = {}
for name in sys.argv[1:]:
    program = next(p for p in programs.table() if p.name == name)
    size = program.size("full")
    inputs, run, times = [np.array(x) for x in program.data(size)], program.plain(np, size), []
    for _ in range(12):
        copies = [x.copy() for x in inputs]
        np.sync()
        begun = time.perf_counter()
        result = run(*copies)
        np.sync()
        times.append((time.perf_counter() - begun) / program.units(size))
        del result
    found[name] = statistics.median(times[2:])
print(json.dumps(found))
"""


def handbuilt(rounds=5):
    """Seconds that a step of programs takes as plain source and built by hand for the engine, each in processes of their own in turns: medians by program."""
    package = pathlib.Path(__file__).resolve().parents[2] / "cpu"
    command = ["go", "test", "-run", "^$", "-bench", "Handbuilt", "-benchtime", "10x", "-count", "3", "."]
    hand, plain = {}, {}
    for _ in range(rounds):
        done = subprocess.run(command, cwd=package, capture_output=True, text=True)
        lines = re.findall(r"^BenchmarkHandbuilt/(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", done.stdout, re.MULTILINE)
        if done.returncode or not lines:
            raise RuntimeError(f"a probe failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
        for program, ns in lines:
            hand.setdefault(program, []).append(float(ns) * 1e-9)
        for program, seconds in script(PLAIN, *hand, flags="--cpus 2").items():
            plain.setdefault(program, []).append(seconds)
    return {name: {"hand": statistics.median(hand[name]), "plain": statistics.median(plain[name])} for name in hand}


def probe(libraries, quick):
    """All figures of this file, by name. What is built by hand has the full sizes only."""
    return {
        "handbuilt": {} if quick else handbuilt(),
        "first_call": first_calls(libraries, 3 if quick else 7),
        "flat": script(FLAT, *((150_000, 50_000) if quick else (1_000_000, 300_000))),
        "halo": script(HALO, 400, 10, flags="--gpus 4 --emulate"),
        "tasks": script(TASKS, 50_000 if quick else 1_000_000, flags="--cpus 2", debug="tile=1,nofuse"),
    }
