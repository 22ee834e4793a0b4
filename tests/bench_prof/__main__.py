"""python -m bench_prof: the table on the terminal, and out/bench-prof.json."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Figures by a short name: their texts, what they are held against, and the most that they may be.
GOALS = {
    "window": ("a record of a remembered window (ns)", "<= 60 ns", 60),
    "task": ("a record of a task that waits its turn: two looks at the clock (ns)", "<= 60 ns", 60),
    "clock": ("two looks at the clock (ns)", "", None),
    "log": ("what tasks waited for, per task (ns)", "", None),
    "share": ("what recording adds to the programs of make bench --quick, the median (%)", "< 1 %", 1),
    "worst": ("the same of the worst (%)", "< 1 %", 1),
    "sampling": ("what looking at Python's thread adds beyond a timer that does nothing, median of five programs (%)", "< 1 %", 1),
    "timer": ("what a timer that does nothing adds, at the same rate (%)", "", None),
    "ticks": ("what the ticking thread takes beside, the worst (%)", "< 1 %", 1),
    "bytes": ("a profile, per task (bytes)", "<= 24", 24),
    "view": ("a view of 10 million spans, worst zoom (ms)", "<= 5 ms", 5),
    "graph": ("the graph of 100,000 tasks, worst of two (ms)", "<= 300 ms", 300),
    "delay": ("task start to bar on the screen, p95 (ms)", "<= 100 ms", 100),
    "frames": ("frames over 10 million spans, p95 (ms)", "<= 16 ms", 16),
    "heap": ("memory of the page with 10 million spans (MB)", "<= 300 MB", 300),
    "first": ("first picture of that profile (s)", "<= 2 s", 2),
    "long first": ("first picture of a profile of 1 GB (s)", "<= 2 s", 2),
    "long frames": ("frames over it, p95 (ms)", "<= 16 ms", 16),
    "long heap": ("memory of the page with it (MB)", "<= 300 MB", 300),
    "long view": ("a view of it, worst zoom (ms)", "", None),
    "long read": ("until all of it is read (s)", "", None),
    "long server": ("memory of the server with it, at most (MB)", "", None),
}


def benchmarks(package, pattern, count, **env):
    """The least that each benchmark of a package took, in nanoseconds, by its name."""
    done = subprocess.run(
        ["go", "test", f"./{package}", "-run", "none", "-bench", pattern, "-count", str(count)],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, **env},
    )  # fmt: skip
    best = {}
    for name, ns in re.findall(r"^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", done.stdout, re.MULTILINE):
        best[name] = min(float(ns), best.get(name, float("inf")))
    return best


RUN = """
import weft as np
x = np.ones((2000, 2000))
for i in range(1500):
    x = np.sqrt(x * x + 1.0)
    if i % 3 == 0: s = x[:-1] + x[1:]
float(x[0, 0])
"""


def bytes_per_task():
    """A real profile of a run in tiles, against the tasks in it."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "run.py")
        script.write_text(RUN)
        env = {**os.environ, "WEFT_DEBUG": "nofuse"}
        subprocess.run([sys.executable, "-m", "weft.run", "--profile", "--cpus", "2", script.name], cwd=folder, env=env, capture_output=True, check=True)
        profile = pathlib.Path(folder, "run.weftprof")
        text = subprocess.run([ROOT / "bin" / "weft", "export", profile, "--text"], capture_output=True, text=True, check=True).stdout
        tasks = len(re.findall(r"^record (?:run|copy) ", text, re.MULTILINE))
        return profile.stat().st_size / tasks


def overhead(seconds):
    """What recording adds to the time of each program of make bench, as a part of it, and how often it looks at the clock in a second
    of that; see overhead.py."""
    done = subprocess.run([sys.executable, "-m", "bench_prof.overhead", "quick", seconds], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def sampling(seconds):
    """What profiles by lines add to Python programs; see sampling.py."""
    done = subprocess.run([sys.executable, "-m", "bench_prof.sampling", seconds], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def viewer():
    """What the browser takes, if there is one: rows of viewer.py."""
    with tempfile.TemporaryDirectory() as folder:
        wide, long = pathlib.Path(folder, "wide.weftprof"), pathlib.Path(folder, "long.weftprof")
        for profile, bench in (wide, "Answer10M/exact"), (long, "LongProfile"):
            env = {**os.environ, "WEFT_BENCH_PROFILE": str(profile), "WEFT_BENCH_BYTES": "1e9"}
            subprocess.run(["go", "test", "./viz/live", "-run", "none", "-bench", bench, "-benchtime", "1x"], cwd=ROOT, env=env, check=True, capture_output=True)
        done = subprocess.run([sys.executable, "-m", "bench_prof.viewer", wide, long], capture_output=True, text=True, check=True)
        views = benchmarks("viz/live", "LongAnswer", 1, WEFT_BENCH_PROFILE=str(long))
    live, opened, big = map(json.loads, done.stdout.splitlines())
    return {
        "delay": live["p95_ms"], "frames": opened["draw_p95_ms"],
        "heap": opened["page_heap_mb"], "first": opened["first_picture_s"],
        "long first": big["first_picture_s"], "long frames": big["draw_p95_ms"], "long heap": big["page_heap_mb"],
        "long view": max(views.values()) / 1e6, "long read": big["whole_s"], "long server": big["server_mb"],
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="make bench-prof", description="Measure recording, profiles, graphs and the viewer.")
    parser.add_argument("--quick", action="store_true", help="fewer turns, no browser")
    options = parser.parse_args()
    count = 3 if options.quick else 8
    recorder = benchmarks("profiler", "Task$|TaskLog|Window$|RecordOnly$|Clock$", count)
    figures = {"window": recorder["Window"], "task": recorder["Task"], "clock": 2 * recorder["Clock"], "log": recorder["TaskLog"]}
    programs = overhead("1" if options.quick else "6")
    shares = {name: p["share"] for name, p in programs.items()}
    clock = {name: p["looks"] * recorder["Clock"] * 1e-9 for name, p in programs.items()}
    figures["share"], figures["worst"] = 100 * statistics.median(shares.values()), 100 * max(shares.values())
    looks = sampling("1" if options.quick else "12")
    figures["timer"] = 100 * looks["timer"]
    figures["sampling"] = 100 * (statistics.median(p["share"] for p in looks["programs"].values()) - max(looks["timer"], 0))
    figures["ticks"] = 100 * max(p["beside"] for p in looks["programs"].values())
    figures["bytes"] = bytes_per_task()
    views = benchmarks("viz/detail", "View10M", 1)
    figures["view"] = max(ns for name, ns in views.items() if "totals" not in name) / 1e6
    figures["graph"] = max(benchmarks("viz/graph", "LargeGraph", 1 if options.quick else 3).values()) / 1e6
    if not options.quick:
        figures.update(viewer())
    wide = max(len(what) for what, *_ in GOALS.values())
    missed = 0
    for name, (what, goal, most) in GOALS.items():
        if name not in figures:
            continue
        met = "" if most is None else "met" if figures[name] <= most else "MISSED"
        missed += met == "MISSED"
        print(f"{what:{wide}}  {figures[name]:10.2f}  {goal:>10}  {met}")
    for name, share in shares.items():
        print(f"  recording, {name}: {100 * share:+.2f} %, of which looks at the clock are {100 * clock[name]:.2f}")
    out = ROOT / "out"
    out.mkdir(exist_ok=True)
    (out / "bench-prof.json").write_text(json.dumps({"figures": {GOALS[name][0]: figure for name, figure in figures.items()}, "overhead": shares, "clock": clock}, indent=1) + "\n")
    print(f"{'all goals met' if not missed else f'{missed} goals missed'}; out/bench-prof.json")


if __name__ == "__main__":
    main()
