"""Programs of the libraries that NumPy's users import most print on weft what they print on NumPy (tests/libraries)."""

import pytest
from libraries import FOLDER, ROOT, outcomes, programs

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
