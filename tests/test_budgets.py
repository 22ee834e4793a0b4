"""What whole programs may cost: passes over memory, bytes, tasks and copies, as tests/budgets.txt has them.

`python tests/test_budgets.py` writes the file anew; read the difference, and keep it only if you can explain every line.
"""

import csv
import io
import os
import pathlib
import re
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


# Uploads of fewer bytes are scalars that should have travelled as parameters of a launch, or whose copy costs more than the work does.
LEAST_UPLOAD = 64
ARRAYS_OF_FEWER = {"kmeans": 32}  # the numbers of its clusters


def cost(machine, program, folder=None, variables=()):
    """The program's line on a machine. A profile of it is left in a folder."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= dict(variables)
    env["WEFT_DEBUG"] = "handover=20"  # what is measured otherwise is another number at each start
    flags = [*machine.split(), *(["--profile"] if folder else [])]
    command = [str(HERE.parent / "bin" / "weft"), "run", *flags, str(PROGRAM), program]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return f"{machine}: {done.stdout.splitlines()[-1]}"


def uploads(folder):
    """The bytes of each copy to a GPU in the profile that cost left in a folder."""
    export = [str(HERE.parent / "bin" / "weft"), "export", "budgets.weftprof", "--csv"]
    done = subprocess.run(export, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [int(row["bytes"]) for row in csv.DictReader(io.StringIO(done.stdout)) if row["name"] == "upload"]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_stay_within_their_budgets(machine, program, tmp_path):
    one = machine.startswith("--gpus 1")
    got = cost(machine, program, tmp_path if one else None)
    budgets = BUDGETS.read_text().splitlines()
    assert got in budgets, f"{got}\nis not in {BUDGETS}; when it is right, run python {__file__}"
    if one:
        small = [n for n in uploads(tmp_path) if n < ARRAYS_OF_FEWER.get(program, LEAST_UPLOAD)]
        assert not small, f"{program} uploads {small} bytes: scalars travel as parameters"


@pytest.mark.parametrize("program", ["heat", "stencil", "gray_scott"])
def test_one_gpu_moves_what_cpus_move(program):
    """Slices are renewed on a GPU as on CPUs, in one pass: two take 1.9 to 2.5 times the bytes."""
    rows = BUDGETS.read_text().splitlines()
    cpus, gpu = (next(row for row in rows if row.startswith(f"{machine}: {program}:")) for machine in MACHINES[:2])
    moved = [float(re.search(r"passes over ([0-9.]+) MB", row)[1]) for row in (cpus, gpu)]
    assert moved[1] <= 1.1 * moved[0], f"{gpu}\n{cpus}"


if __name__ == "__main__":
    BUDGETS.write_text("".join(cost(machine, program) + "\n" for machine in MACHINES for program in PROGRAMS))
    sys.stdout.write(BUDGETS.read_text())
