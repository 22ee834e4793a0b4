"""Random programs over arrays that share memory, and of small and large work: NumPy's bits in every configuration. make fuzz runs them for hours."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT, TIMEOUT
from test_configurations import CONFIGURATIONS

PROGRAMS = 12


@pytest.mark.parametrize("kind", ["aliasing", "mixed"])
@pytest.mark.parametrize("at", range(len(CONFIGURATIONS)))
def test_programs_are_numpys(at, kind):
    flags, debug = CONFIGURATIONS[at]
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    command = [sys.executable, f"tests/programs/{kind}.py", str(PROGRAMS * at), str(PROGRAMS)]
    done = subprocess.run(command, env={**env, "WEFT_ARGS": flags, "WEFT_DEBUG": debug}, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
