"""Calls that are wrong in one thing, of every public function and method: weft refuses what NumPy refuses, with its type and words, and takes what it takes.

The right call of each is the first that properties/ draws; what is wrong is put in at each place of it: too few arguments, too many, some that are not known or given twice, in the
place of a keyword's, and of a type or value that none should have.
"""

import ast
import re

import numpy
import pytest
import weft

from .properties import outcomes, rows
from .test_properties import DRAWN, ROWS

ODD = ("object()", "'x'", "None", "-7", "1.5", "[]", "{}", "(0, 0)", "np.ones(2, bool)", "[[1, 2], [3]]", "99", "1j", "np.float64")
# Where weft differs, and why: what is found in a call.
DIFFERENT = {
    r"(divmod|matmul)\(.*casting=None|divmod\(.*(out|subok)=None": "None is not told from what was not said",
    r"copy\(.*subok=np.ones": "weft's arrays have no subclass: nothing asks the flag",
    r"\.put\(b, c, (mode=)?(-7|99)\)": "NumPy's error names the function by its object, which is an array's method here",
    r"from_dlpack\(.*device=np.ones": "the array is weft's, which NumPy cannot compare as one of its own",
    r"a\.choose\(object": "the words of np.choose",
    r"resize\(3, refcheck=np.ones": "the flag is compared before it is read",
    r"take_along_axis\(a, \(0, 0\)": "a tuple of integers is read as an array is",
}


def right(name):
    """The statements before a call that is right, and the text that it stands in, with the call itself."""
    statements, text = rows.drawn(name, ROWS[name]._replace(wrong=10**9), lambda n: 0)
    return statements, ast.parse(text, mode="eval")


def calls(name):
    """The wrong calls of a function, as text, with the statements that come before them."""
    last = name.rpartition(".")[2]
    statements, tree = right(name)
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == last)
    given, named = [ast.unparse(a) for a in found.args], {k.arg: ast.unparse(k.value) for k in found.keywords}
    known = {**named, **{key: form for key, form in ROWS[name].keywords.items() if key is not None}}

    def written(args, keywords):
        return f"{ast.unparse(found.func)}({', '.join([*args, *(f'{k}={v}' for k, v in keywords.items())])})"

    yield statements, written(given, {**named, "foo": "1"})
    yield statements, written([], {"foo": "1"})
    yield statements, written([*given, *["None"] * 20], {})
    yield statements, written([*given, *["None"] * 3], named)
    for k in range(len(given)):
        yield statements, written(given[:k], {})
        yield statements, written(given[:k], named)
        for odd in ODD:
            yield statements, written([*given[:k], odd, *given[k + 1 :]], named)
    for key in known:
        for odd in ODD:
            yield statements, written(given, {**named, key: odd})
    for odd in ODD:
        yield statements, written([*given, odd], {})


def refused(np, statements, call):
    made = outcomes.Outcome(np, statements, call)
    return made.error


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_wrong_with_a_call(name):
    different = []
    for statements, call in dict.fromkeys((tuple(before), text) for before, text in calls(name)):
        want, got = refused(numpy, statements, call), refused(weft, statements, call)
        if got != want and not any(re.search(known, call) for known in DIFFERENT):
            different.append(f"{'; '.join([*statements, call])}\n    {got}\n    {want}")
    assert not different, "\n".join(different)


def test_what_differs_still_does():
    """An entry of DIFFERENT that no call needs has to go."""
    examples = [example for name in DRAWN for example in calls(name)]
    for known in DIFFERENT:
        of = [example for example in examples if re.search(known, example[1])]
        assert any(refused(numpy, *example) != refused(weft, *example) for example in of), f"as NumPy now: {known}"
