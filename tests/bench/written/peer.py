"""cuPyNumeric beside NumPy, in a process of its own.

Its runtime wants the whole process, and weft's package has its name.
BENCH_CUPYNUMERIC is the command of a Python in which "import cupynumeric" is NVIDIA's.
"""

import json
import os
import pathlib
import shlex
import subprocess
import tempfile

from .race import Result

MISSING = "not installed (BENCH_CUPYNUMERIC names no Python that has it)"
SECONDS = 1800  # for all programs together


def measure(scale, rounds, only=()):
    """Results by name, and why there are none."""
    command = shlex.split(os.environ.get("BENCH_CUPYNUMERIC", ""))
    if not command:
        return {}, MISSING
    here = pathlib.Path(__file__).resolve().parents[2]
    words = [part for word in only for part in ("--only", word)]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "results.json"
        asked = ["-m", "bench.written", "--module", "cupynumeric"]
        asked += ["--scale", scale, "--rounds", str(rounds), "--json", str(out)]
        try:
            env = {**os.environ, "PYTHONPATH": str(here)}
            done = subprocess.run([*command, *asked, *words], env=env, capture_output=True, text=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as e:
            return {}, f"{type(e).__name__}: {e}"
        if not out.exists():
            said = done.stderr.strip().splitlines()
            return {}, f"exit status {done.returncode}: {said[-1] if said else 'it said nothing'}"
        return {row["name"]: Result(**row) for row in json.loads(out.read_text(encoding="utf-8"))}, ""
