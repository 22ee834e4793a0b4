"""Every benchmark program, on every configuration, runs in an order that cannot be told from the program's."""

import os
import subprocess

import pytest
from bench.programs import table
from conftest import ROOT, TIMEOUT
from test_configurations import CONFIGURATIONS

PROGRAM = ROOT / "tests" / "programs" / "verified.py"


@pytest.mark.parametrize(
    ("flags", "debug"), [c for c in CONFIGURATIONS if "device=ref" not in c[1]]
)  # that one is slow
def test_benchmark_programs_are_in_order(flags, debug):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    debug = ",".join(filter(None, {**dict.fromkeys(debug.split(",")), "noeager": None}))  # so small that nothing would be planned
    command = [str(ROOT / "bin" / "weft"), "run", *flags.split(), str(PROGRAM)]
    done = subprocess.run(command, env={**env, "WEFT_DEBUG": debug}, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{' '.join(command)} with WEFT_DEBUG={debug}\n{done.stderr}"
    assert done.stdout.splitlines() == [f"{program.name} ok" for program in table()]
