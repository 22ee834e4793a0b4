"""The benchmark's programs compute under weft what they compute under NumPy, at sizes that take no time."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from bench import libraries, limits, measure, probes, reach, report
from bench.programs import Absent, table

PROGRAMS = {program.name: program for program in table()}


@pytest.fixture(scope="module")
def both():
    return {"weft": libraries.Weft(), "numpy": libraries.Library()}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")  # of calls that go through NumPy
def test_weft_computes_what_numpy_computes(both, name):
    program = PROGRAMS[name]
    contest = measure.Contest(program, "tiny", both)
    contest.check()
    assert contest.timings["numpy"].wrong == contest.timings["weft"].wrong == ""
    assert set(contest.runs) == {"weft", "numpy"}


def test_names_differ_and_every_peer_has_a_program_or_a_reason():
    assert len(PROGRAMS) == len(table())
    for program in table():
        assert set(program.peers) == set(libraries.PEERS), program.name
        for peer, made in program.peers.items():
            assert callable(made) or (isinstance(made, Absent) and made.reason), (program.name, peer)


def test_a_wrong_result_is_found(both):
    program = PROGRAMS["triad_f64_1e4"]

    class Wrong(libraries.Library):
        def make(self, program, size):
            def run(a, b, c):
                y = a * b + c
                y[7] += 1e-6
                return y

            return run

    contest = measure.Contest(program, "tiny", {**both, "wrong": Wrong()})
    contest.check()
    assert "differs from NumPy's by up to 1e-06" in contest.timings["wrong"].wrong
    assert "wrong" not in contest.runs


def test_inputs_that_a_program_changes_are_fresh_for_every_call(both):
    contest = measure.Contest(PROGRAMS["stencil"], "tiny", both)
    results = [contest.libraries["weft"].fetch(contest.once("weft")[1])[0].copy() for _ in range(2)]
    assert (results[0] == results[1]).all()
    assert not (results[0] == contest.data[0]).all()


def test_fused_c_computes_what_numpy_computes(tmp_path):
    limit = limits.Limit(tmp_path)
    if isinstance(limit.c, Absent):
        pytest.skip(limit.c.reason)
    there = {"numpy": libraries.Library(), "limit": limit}
    for program in table():
        if program.limit:
            contest = measure.Contest(program, "tiny", there)
            contest.check()
            assert contest.timings["limit"].wrong == "", program.name
    assert (numpy.array([5e-324]) * numpy.ones(1))[0] > 0, (
        "loading the C code left the processor without subnormal numbers"
    )
    stream = limits.Stream(limit.c, 1000)
    stream.all(1)
    assert all(stream.bandwidth(kind) > 0 for kind in stream.KINDS)


def test_the_report_judges_goals_and_names_what_is_missing(both, tmp_path, capsys):
    outcomes = {}
    for name in ("sum", "gemm"):
        contest = measure.Contest(PROGRAMS[name], "tiny", both)
        contest.check()
        contest.race(2)
        outcomes[name] = contest.outcome()
    for outcome, seconds in zip(outcomes.values(), (1.0, 3.0), strict=True):
        outcome.timings["weft"].seconds, outcome.timings["numpy"].seconds = seconds, 2.0
        outcome.timings["numpy"].rounds = [2.0, 2.1]
    outcomes["sum"].bandwidth = 0.5 * outcomes["sum"].bytes
    found = {"first_call": {"weft": 5e-4, "numba": 0.4}, "tasks": {"seconds": 3.0, "tasks": 1_000_000}}
    results = reach.Results("tiny", outcomes, {"read": 1e9}, {"Haswell": 1e9}, found)
    judged = {(program, text): (figure, met) for _, program, text, figure, met in reach.verdicts(results)}
    assert judged["sum", "numpy >= 2x"] == ("2.00x", True)
    assert judged["sum", "read bandwidth >= 90%"] == ("200%", True)
    assert judged["gemm", "numpy >= 1x"] == ("0.67x", False)
    assert judged["stencil", "numpy >= 8x"] == ("not measured", None)
    assert judged["first call of a new expression", "numba's >= 20x as long"] == ("800x", True)
    assert judged["1,000,000 tile tasks", "<= 2 us each"][1] is False

    missing = {"jax": "not installed: no such version"}
    report.print_report(results, both, missing, [])
    text = capsys.readouterr().out
    assert "missing: jax: not installed: no such version" in text
    assert "NOT MET" in text
    assert "the machine was busy" not in text
    outcomes["gemm"].timings["numpy"].rounds = [1.0, 1.1, 2.5]
    assert report.noise(results).startswith("the machine was busy: NumPy's slowest round took 2.5x its fastest in GEMM")
    report.write_json(tmp_path / "bench.json", results, both, missing, {})
    assert json.loads((tmp_path / "bench.json").read_text())["missing"] == missing
    assert report.draw(tmp_path / "bench.svg", results)
    assert (tmp_path / "bench.svg").read_text().startswith("<?xml")


def test_new_expressions_are_new_and_computed_alike(both):
    source = probes.expressions(3)
    first, second = next(source), next(source)
    assert first != second
    x = y = numpy.linspace(0.5, 1.5, 100)
    want = probes.new_function(both["numpy"], first)(x, y)
    got = both["weft"].fetch(probes.new_function(both["weft"], first)(*(both["weft"].place(a) for a in (x, y))))[0]
    assert numpy.allclose(got, want, rtol=1e-12)


def test_sizes_of_all_scales_have_the_same_figures():
    for program in table():
        sizes = [program.size(scale) for scale in ("full", "quick", "tiny")]
        assert len({tuple(sorted(vars(s))) for s in sizes}) == 1, program.name
        assert all(isinstance(s, SimpleNamespace) for s in sizes)


AT_REST = """
import ctypes, sys
import numpy
from bench import heap

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

libc = ctypes.CDLL(None)
if not hasattr(libc, "mallinfo2"):
    sys.exit("other")
libc.mallinfo2.restype = Info

def mapped():  # bytes of a result that come from the system and go back to it
    before = libc.mallinfo2().hblkhd
    made = numpy.empty(16 << 20, numpy.uint8)
    return libc.mallinfo2().hblkhd - before

before = mapped() > 0
heap.settle()
print(before, mapped() > 0)
"""


def test_numpy_keeps_what_it_frees_from_the_first_program_on():
    ran = subprocess.run([sys.executable, "-c", AT_REST], capture_output=True, text=True, cwd=Path(__file__).parent)
    if ran.stderr.strip() == "other":
        pytest.skip("the allocator is not glibc's")
    assert ran.stdout.split() == ["True", "False"], ran.stderr
