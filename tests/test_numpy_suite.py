"""NumPy's own tests: a part of them passes on weft, and what is excluded of them is excluded with reason."""

import pytest
from numpy_suite import __main__ as command
from numpy_suite import baseline, excluded, outcomes

# Files that pass altogether, and that are soon done: together half a minute.
SAMPLE = """
    fft/helper fft/pocketfft lib/arraysetops lib/histograms lib/index_tricks lib/packbits lib/twodim_base lib/type_check lib/ufunclike linalg/linalg ma/extras
    matrixlib/matrix_linalg polynomial/classes polynomial/printing random/random
""".split()

# The files that may be excluded as a whole: of NumPy's private C, and of extensions that are built against it. The set only ever gets smaller.
WHOLE = """
    _core/argparse _core/casting_unittests _core/cpu_dispatcher _core/cpu_features _core/cython _core/extint128 _core/hashtable _core/limited_api
    _core/mem_policy _core/simd _core/simd_module random/extending
""".split()


def test_a_part_of_numpys_tests_passes(tmp_path):
    known = outcomes.files()
    found = outcomes.run([known[name] for name in SAMPLE], tmp_path / "outcomes")
    left_out = excluded.entries()
    bad = {
        test: text for test, (outcome, text) in found.items() if outcome not in ("passed", "skipped") and not any(entry.matches(test) for entry in left_out)
    }
    assert not bad, "\n".join(f"{test}\n{text}" for test, text in bad.items())
    rows = baseline.rows() or dict.fromkeys(SAMPLE, (1, 1))  # of another NumPy or Python: each file has some
    for name in SAMPLE:
        assert sum(test.startswith(name + "::") for test in outcomes.passed(found)) >= rows[name][0], name


def test_what_is_excluded_does_not_pass(tmp_path):
    entries = [entry for entry in excluded.entries() if not entry.whole]
    assert not excluded.wrong(entries, command.of_entries(entries, tmp_path / "outcomes"))


def test_files_that_are_excluded_are_of_what_no_program_reaches():
    known = outcomes.files()
    for entry in excluded.entries():
        assert entry.file in known, f"{entry.name} is in no file of NumPy's tests: take it out of {excluded.PATH}"
    assert [entry.name for entry in excluded.entries() if entry.whole] == WHOLE


def test_what_is_excluded_is_named():
    one, two, three = excluded.entries("# why\n\nlib/io -- files\n\nma/core::TestX::test_y[*-1] -- parts -- of it\nma/core::test_z -- more\n")
    assert (one.name, one.file, one.whole, one.reason) == ("lib/io", "lib/io", True, "files")
    assert (two.file, two.whole, two.reason) == ("ma/core", False, "parts -- of it")
    assert two.matches("ma/core::TestX::test_y[a-1]") and not two.matches("ma/core::TestX::test_y[a-10]")
    assert three.matches("ma/core::test_z") and not three.matches("ma/core::test_z[1]")


@pytest.mark.parametrize("text", ["lib/io", "lib/io --", "lib/io -- a\nlib/io -- b"])
def test_an_entry_has_a_reason_and_is_there_once(text):
    with pytest.raises(ValueError, match="excluded.txt"):
        excluded.entries(text)


def test_entries_that_are_to_be_taken_out_are_found():
    entries = excluded.entries("a/b::t[*] -- x\na/b::u -- x\na/b::v -- x\na/b::w[*] -- x\n")
    ended = {"a/b::t[1]": ("failed", ""), "a/b::t[2]": ("passed", ""), "a/b::u": ("crashed", ""), "a/b::w[1]": ("skipped", ""), "a/b::w[2]": ("skipped", "")}
    said = excluded.wrong(entries, ended)
    assert len(said) == 3
    assert said[0].startswith("a/b::t[*] passes (1 of 2, a/b::t[2] among them)")
    assert said[1].startswith("a/b::v matches no test")
    assert said[2].startswith("a/b::w[*] is skipped anyway")


def test_outcomes_of_a_run_that_was_broken_off_are_not_kept(tmp_path, monkeypatch):
    def run(paths, left, who="weft", without=(), only=None):
        left.write_text('["lib/io::a", "passed", ""]\n')
        if broken:
            raise KeyboardInterrupt
        left.write_text(left.read_text() + '["lib/io::b", "passed", ""]\n')

    monkeypatch.setattr(command, "run", run)
    broken = True
    with pytest.raises(KeyboardInterrupt):
        command.of_numpy("lib/io", "", tmp_path)
    broken = False
    assert list(command.of_numpy("lib/io", "", tmp_path)) == ["lib/io::a", "lib/io::b"]
    broken = True  # what is kept is read
    assert list(command.of_numpy("lib/io", "", tmp_path)) == ["lib/io::a", "lib/io::b"]


def test_rows_of_the_baseline_only_rise(tmp_path, monkeypatch):
    monkeypatch.setattr(baseline, "PATH", tmp_path / "baseline.txt")
    assert baseline.rows() == {}
    baseline.update({"lib/io": (5, 6), "ma/core": (1, 1)})
    baseline.update({"lib/io": (4, 6), "fft/helper": (2, 2)})
    assert baseline.rows() == {"lib/io": (5, 6), "ma/core": (1, 1), "fft/helper": (2, 2)}
    baseline.update({"lib/io": (6, 6)})
    assert baseline.rows()["lib/io"] == (6, 6)
    baseline.PATH.write_text(baseline.PATH.read_text().replace("NumPy ", "NumPy 0."))
    assert baseline.rows() == {}  # which are of another version


def test_a_fall_below_the_baseline_is_an_error(tmp_path, monkeypatch, capsys):
    """The command compares with the row, names what fails, and does not count what is excluded."""
    ended = {"lib/io::a": ("passed", ""), "lib/io::b": ("passed", ""), "lib/io::c": ("passed", ""), "lib/io::d": ("skipped", "")}
    on_weft = {"lib/io::a": ("passed", ""), "lib/io::b": ("failed", "E   ValueError: no")}
    monkeypatch.setattr(baseline, "PATH", tmp_path / "baseline.txt")
    monkeypatch.setattr(excluded, "entries", lambda text=None: [excluded.Entry("lib/io::c -- private")])
    monkeypatch.setattr(command, "run", lambda paths, left, who="weft", without=(): on_weft)
    monkeypatch.setattr(command, "of_numpy", lambda name, file, out: ended)

    def outcome(*words):
        monkeypatch.setattr("sys.argv", ["numpy_suite", "lib/io", "--out", str(tmp_path / "out"), *words])
        return command.main(), capsys.readouterr()

    code, (out, _) = outcome("--update")
    assert code == 0 and "1 of      2" in out and "failed b -- ValueError: no" in out and "1 more excluded" in out
    assert outcome()[0] == 0
    on_weft["lib/io::a"] = ("failed", "")
    code, (out, err) = outcome("--update")
    assert code == 1 and "(-1 to the baseline)" in out and "lib/io" in err
    assert baseline.rows() == {"lib/io": (1, 2)}
