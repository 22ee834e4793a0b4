"""Each row of what programs for CUDA may use: on the emulator, as PTX, and that PTX executed by the fake driver."""

import json
import os
import subprocess
import sys

import numpy
import pytest
from conftest import ROOT, TIMEOUT
from kernels import libdevice, rows
from weft.cuda import inspection


@pytest.mark.parametrize("name", rows.CONTENTS)
def test_emulator(name):
    row = rows.CONTENTS[name]
    arrays, said, wrong = row.run()
    assert said == row.said
    assert wrong.startswith(row.wrong) if row.wrong else not wrong
    for got, want in zip(arrays, [] if row.wrong else row.wanted(), strict=True):
        if want.dtype.names:
            assert got.tolist() == want.tolist()
            continue
        numpy.testing.assert_allclose(got, want, rtol=row.tolerance, atol=row.tolerance)


@pytest.mark.parametrize("name, said", [("raising", "too large 41"), ("asserting", "not below 10"), ("outside", "index 64 is out of bounds"), ("absent", "expected int64, got None"), ("racing", "race on out[0]: it is written here, and written by thread (0,0,0) of block (0,0,0)")])
def test_what_is_wrong(name, said):
    assert said in rows.CONTENTS[name].run()[2]


@pytest.mark.parametrize("name", rows.CONTENTS)
def test_golden(name):
    """The PTX; python -m kernels.rows --write, in this folder, writes it anew."""
    row = rows.CONTENTS[name]
    row.run()
    assert row.ptx() == (rows.GOLDEN / f"{name}.ptx").read_text()


def test_nvidias_assembler_takes_each():
    if not inspection.tool("ptxas", "WEFT_PTXAS"):
        pytest.skip("needs ptxas: the wheel nvidia-cuda-nvcc-cu12")
    for row in rows.CONTENTS.values():
        row.run()
        inspection.assembled(row.module())


def test_no_golden_is_left_over():
    assert {file.stem for file in rows.GOLDEN.iterdir()} == set(rows.CONTENTS)


def test_golden_of_libdevice():
    """A digest for each function: python -m kernels.libdevice --write, in this folder, writes them anew."""
    known = libdevice.known()
    assert len({function[0] for function in known}) == len(known) == 305  # as many as the table has that Numba knows
    assert not [function[0] for function in known if libdevice.ptx(function) != function[3]]


@pytest.mark.parametrize("module", ["rows", "libdevice"])
def test_the_fake_driver_gives_the_same_bits(fakecuda, tmp_path, module):
    ledger = tmp_path / "ledger.txt"
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    fake = {"WEFT_LIBCUDA": fakecuda, "FAKECUDA_SMS": "4", "FAKECUDA_LEDGER": str(ledger), "WEFT_ARGS": "--gpus 1", "WEFT_DEBUG": "noeager,tile=1"}
    answers = []
    for more in {}, fake:
        done = subprocess.run([sys.executable, "-m", f"kernels.{module}"], cwd=ROOT / "tests", env=env | more, capture_output=True, text=True, timeout=TIMEOUT * 3)
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
    assert not ledger.exists(), ledger.read_text()
    differ = [(name, answers[0][name], answers[1][name]) for name in answers[0] if answers[0][name] != answers[1][name]]
    assert not differ, differ[:3]
