"""Programs of the libraries that NumPy's users import most print on weft what they print on NumPy (tests/libraries)."""

import pytest
from libraries import FOLDER, ROOT, outcomes, programs
from libraries import __main__ as command

PROGRAMS = programs()


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.library for program in PROGRAMS])
def test_a_program_prints_the_same(program):
    if program.version() is None:
        pytest.skip(f"{program.library} is not installed: make libraries")
    (code, wanted, complaint), (status, said, error) = outcomes(program)
    assert code == 0 and wanted, complaint
    assert (said, status) == (wanted, 0), error


def test_every_library_is_pinned():
    pinned = {line.partition("==")[0].lower() for path in (ROOT / "python" / "requirements-libraries.txt", FOLDER / "heavy.txt") for line in path.read_text().splitlines()}
    assert {program.library.lower() for program in PROGRAMS} <= pinned
    assert len(PROGRAMS) >= 30


def test_what_a_program_is_of_stands_in_one_row():
    for program in PROGRAMS:
        assert program.library and program.uses and "\n" not in program.uses and "|" not in program.uses, program.path


@pytest.mark.parametrize(
    ("both", "outcome"),
    [
        ([(0, "1", ""), (0, "1", "")], "the same"),
        ([(0, "1", ""), (1, "1", "")], "differs"),
        ([(0, "1", ""), (0, "2", "")], "differs"),
        ([(1, "1", "no"), (1, "1", "")], "fails without weft"),
        ([(0, "", ""), (0, "", "")], "prints nothing"),
        (None, "not installed"),
    ],
)
def test_only_the_same_output_is_good(both, outcome, monkeypatch, tmp_path, capsys):
    table = tmp_path / "LIBRARIES.md"
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(command, "programs", lambda: [PROGRAMS[0]._replace(library="pytest" if both else "nobody-has-this")])
    monkeypatch.setattr(command, "outcomes", lambda program: both)
    assert command.main([]) == (0 if outcome == "the same" else 1)
    assert outcome in capsys.readouterr().out
    assert table.exists() == (both is not None)


def test_a_library_of_which_there_is_no_program_is_an_error(capsys):
    assert command.main(["panda"]) == 2
    assert "panda:" in capsys.readouterr().err
