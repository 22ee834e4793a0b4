"""python -m bench_kernels [--quick] [--out DIR]: the table on the terminal, and DIR/bench-kernels.json."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

from . import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]


def timed(way, quick):
    """What one way takes, in a process of its own: {} where it cannot run."""
    command = [sys.executable, "-m", "bench_kernels.child", way, *(["--quick"] if quick else [])]
    variables = os.environ | ({"NUMBA_ENABLE_CUDASIM": "1"} if way == "simulator" else {})
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=ROOT / "tests", check=False)
    if done.returncode:
        print(f"weft: {way} could not be timed: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    return json.loads(done.stdout.strip().splitlines()[-1])


def blocks(quick):
    """How many blocks each program has: the simulator is timed with one."""
    made = {}
    for name, (_, grid, _) in programs.sizes(quick).items():
        made[name] = grid if isinstance(grid, int) else grid[0] * grid[1]
    return made


def table(weft, numba, simulator, quick):
    """The rows: what was timed, weft's, what it is held against, and the target."""
    rows = []
    for name, n in blocks(quick).items():
        if name in weft and name in simulator:
            rows.append((f"{name}: Numba's simulator takes times weft's", simulator[name] * n / weft[name], ">= 1000", True))
        if name in weft and name in numba:
            rows.append((f"{name}: weft takes times @njit(parallel=True)'s", weft[name] / numba[name], "<= 2", False))
        if f"{name} checked" in weft:
            rows.append((f"{name}: with all checks it takes times what it takes without", weft[f"{name} checked"] / weft[name], "<= 5", False))
        if f"{name} first" in weft:
            rows.append((f"{name}: the first call, on small arrays (ms)", weft[f"{name} first"], "<= 10", False))
    if "vectorize" in weft and "vectorize" in numba:
        rows.append(("@vectorize on 1e7: Numba's parallel takes times weft's", numba["vectorize"] / weft["vectorize"], ">= 1", True))
    if "launch" in weft:
        rows.append(("a launch of a compiled kernel (us)", weft["launch"] * 1e3, "<= 5", False))
    return rows


def main():
    parser = argparse.ArgumentParser(prog="bench_kernels")
    parser.add_argument("--quick", action="store_true", help="small programs: whether all of it runs")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out", metavar="DIR", help="where bench-kernels.json goes (out)")
    options = parser.parse_args()
    quick = options.quick
    ways = {way: timed(way, quick) for way in ("weft", "numba", "simulator")}
    rows = table(**ways, quick=quick)
    print(f"{'':62}{'measured':>12}   target")
    for text, value, target, more in rows:
        limit = float(target.split()[1])
        met = value >= limit if more else value <= limit
        print(f"{text:62}{value:12.4g}   {target}{'' if met else '   missed'}")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "bench-kernels.json").write_text(json.dumps({"ms": ways, "rows": rows}, indent=1))
    return 0 if ways["weft"] else 1


if __name__ == "__main__":
    sys.exit(main())
