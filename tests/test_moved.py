"""What whole programs may move between the memories of several GPUs, byte by byte as the driver counts it (tests/moved.txt).

`python tests/test_moved.py LIBCUDA` writes the file anew, on the fake driver of that name; read the difference, and keep it only if you can
explain every line. The plans' own accounts of copies are in tests/budgets.txt.
"""

import pathlib
import sys
import tempfile

import pytest
from test_budgets import cost

MOVED = pathlib.Path(__file__).resolve().parent / "moved.txt"
PROGRAMS = ("heat", "gray_scott", "jacobi", "cg", "kmeans", "products")
WAYS = ("in", "out", "within", "direct", "hosted")  # to and from the host; between devices by themselves, and through the host


def moved(program, lib, folder, gpus=2, peers="1"):
    """The program's line, on GPUs that reach each other or not."""
    calls = pathlib.Path(folder) / "calls.txt"
    variables = {"WEFT_LIBCUDA": lib, "FAKECUDA_SMS": "4", "FAKECUDA_PEERS": peers, "FAKECUDA_CALLS": str(calls)}
    cost(f"--gpus {gpus}", program, None, variables)
    counts = dict.fromkeys(WAYS, 0)
    for line in calls.read_text().splitlines():  # of each process
        name, n = line.split()
        if name in counts:
            counts[name] += int(n)
    return f"--gpus {gpus}: {program}: " + ", ".join(f"{n} {way}" for way, n in counts.items())


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_move_no_more_than_they_may(fakecuda, program, tmp_path):
    got = moved(program, fakecuda, tmp_path)
    assert got in MOVED.read_text().splitlines(), f"{got}\nis not in {MOVED}; when it is right, run python {__file__} {fakecuda}"


def test_what_goes_through_the_host_is_what_goes_directly(fakecuda, tmp_path):
    """Where GPUs do not reach each other, plans are the same, and so are the bytes: they take the other way."""
    line = next(line for line in MOVED.read_text().splitlines() if ": heat:" in line)
    direct = line.split(", ")[3].split()[0]
    assert int(direct) > 0
    hosted = line.replace(f"{direct} direct, 0 hosted", f"0 direct, {direct} hosted")
    assert moved("heat", fakecuda, tmp_path, peers="0") == hosted


if __name__ == "__main__":
    lines = []
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            lines.append(moved(program, sys.argv[1], folder))
    MOVED.write_text("".join(line + "\n" for line in lines))
    sys.stdout.write(MOVED.read_text())
