"""What whole programs may cost: passes over memory, bytes, tasks and copies, as tests/budgets.txt has them.

`python tests/test_budgets.py` writes the file anew; read the difference, and keep it only if you can explain every line.
"""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUDGETS = HERE / "budgets.txt"
PROGRAM = HERE / "programs" / "budgets.py"
PROGRAMS = (
    "heat", "stencil", "gray_scott", "jacobi", "cg", "kmeans", "logistic", "black_scholes_f64", "cfd_41", "cfd_401",
    "products",
)  # fmt: skip
MACHINES = ("--cpus 2", "--gpus 1 --emulate", "--gpus 4 --emulate", "--gpus 2 --emulate --fbmem 2")


def cost(machine, program):
    """The program's line on a machine."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env["WEFT_DEBUG"] = "handover=20"  # what is measured otherwise is another number at each start
    command = [str(HERE.parent / "bin" / "weft"), "run", *machine.split(), str(PROGRAM), program]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return f"{machine}: {done.stdout.splitlines()[-1]}"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_stay_within_their_budgets(machine, program):
    got = cost(machine, program)
    budgets = BUDGETS.read_text().splitlines()
    assert got in budgets, f"{got}\nis not in {BUDGETS}; when it is right, run python {__file__}"


if __name__ == "__main__":
    BUDGETS.write_text("".join(cost(machine, program) + "\n" for machine in MACHINES for program in PROGRAMS))
    sys.stdout.write(BUDGETS.read_text())
