"""The tests of NumPy's that are not counted, each with its reason: excluded.txt.

A line is a test's name, blanks, "-- " and the reason. A name is folder/file::Class::test[parameters], as the runner
prints it; each * in it stands for any text, and a name without :: for a whole file, which is not run at all.
"""

import pathlib
import re

PATH = pathlib.Path(__file__).with_name("excluded.txt")


class Entry:
    """One line of the list."""

    def __init__(self, line):
        self.name, dashes, self.reason = (part.strip() for part in line.partition(" -- "))
        if not dashes or not self.reason:
            raise ValueError(f"{PATH.name}: {line!r} has no reason: write it behind the name and ' -- '")
        self.file = self.name.partition("::")[0]
        self.whole = self.file == self.name
        self._pattern = re.compile(".*".join(map(re.escape, self.name.split("*"))), re.DOTALL)

    def matches(self, test):
        return self._pattern.fullmatch(test) is not None


def entries(text=None):
    """The entries of the list, in order."""
    lines = (PATH.read_text() if text is None else text).splitlines()
    found = [Entry(line) for line in lines if line.strip() and not line.startswith("#")]
    names = [entry.name for entry in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{PATH.name} has twice: {', '.join(sorted(twice))}")
    return found


def wrong(found, outcomes):
    """What is to be taken out of the list, in words: what passes, what is no test, and what is skipped anyway. outcomes are those of all tests that the entries match."""
    said = []
    for entry in found:
        of = {test: outcome for test, (outcome, _) in outcomes.items() if entry.matches(test)}
        good = [test for test, outcome in of.items() if outcome == "passed"]
        if not of:
            said.append(f"{entry.name} matches no test: take it out of {PATH.name}")
        elif set(of.values()) == {"skipped"}:
            said.append(f"{entry.name} is skipped anyway: take it out of {PATH.name}")
        elif good:
            said.append(f"{entry.name} passes ({len(good)} of {len(of)}, {good[0]} among them): take it out of {PATH.name}, or narrow it down")
    return said
