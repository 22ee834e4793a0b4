"""The programs "as people write them" compute under weft what they compute under NumPy."""

import json
import os
import subprocess
import sys

import numpy
import pytest
from bench.written import peer, race, rows, tables
from conftest import ROOT, TIMEOUT


@pytest.mark.parametrize("flags", ["--cpus 2", "--gpus 2 --emulate"])
def test_every_program_computes_what_numpy_computes(flags):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env |= {"WEFT_ARGS": flags, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "bench.written", "--check", "--scale", "tiny"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT * 3)
    assert done.returncode == 0, f"WEFT_ARGS={flags!r}\n{done.stdout}{done.stderr}"
    assert f"{len(rows.table())} of {len(rows.table())} programs" in done.stdout


def test_names_differ_and_sizes_have_the_same_figures():
    table = rows.table()
    assert len({row.name for row in table}) == len(table)
    assert sum(not row.snippet for row in table) >= 40
    assert all(set(row.full) == set(row.tiny) for row in table)


def doubled(np, s):
    return np.arange(s.n) * 2.0, np.float64(s.n)


ROW = rows.Row("doubled", doubled, {"n": 9}, {"n": 3})


class Tripled(race.Numpy):
    """Computes something else."""

    def once(self, row, size):
        seconds, busy, result = super().once(row, size)
        return seconds, busy, (result[0] * 1.5, result[1])


def test_a_wrong_result_is_a_line_and_is_not_timed():
    result = race.race(ROW, "tiny", Tripled(), 2)
    assert result.wrong == "result 0 differs from NumPy's by up to 2"
    assert not result.numpy and not result.module
    assert "WRONG" in tables.cells(result, None)[3]


def test_the_tables_have_ratios_and_name_the_worst(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("BENCH_CUPYNUMERIC", raising=False)
    fast = race.Result("fast", False, 0.5, [2.0, 4.0, 6.0], [1.0, 1.0, 1.0], [0.25, 0.25, 0.5])
    slow = race.Result("slow", False, 0.5, [1.0], [4.0], [0.0])
    assert (fast.ratio(), slow.ratio(), fast.outside(), slow.outside()) == (4.0, 0.25, 0.75, 1.0)
    found = peer.measure("tiny", 1)
    assert found == ({}, peer.MISSING)
    tables.show([fast, slow], found, tmp_path)
    text = capsys.readouterr().out
    assert "geometric mean of 2 programs: 1.00 times as fast as NumPy; 1 are slower" in text
    assert "worst programs: slow 0.25, fast 4.00" in text
    assert "not installed" in text
    assert [row["name"] for row in json.loads((tmp_path / "written.json").read_text())["weft"]] == ["fast", "slow"]
    assert "| slow | 1 s | 4 s | 0.25 | 500 ms | 100% |" in tables.markdown([fast, slow], found, "a machine")


def test_another_module_is_timed_in_a_process_of_its_own(monkeypatch):
    monkeypatch.setenv("BENCH_CUPYNUMERIC", f"{sys.executable} -c 'raise SystemExit(3)'")
    assert peer.measure("tiny", 1) == ({}, "exit status 3: it said nothing")
    assert numpy.array_equal(race.values(doubled(numpy, ROW.size("tiny")))[0], [0, 2, 4])
