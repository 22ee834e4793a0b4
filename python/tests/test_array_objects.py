"""Programs on an array as an object: its class, flags, base, layout, and those derived from it. objects.txt has them, one a paragraph; each prints, warns and fails as under NumPy."""

import contextlib
import io
import pathlib
import re
import warnings

import numpy
import pytest
import weft

from .sharing import run_python

PROGRAMS = [text for text in re.split(r"\n\s*\n", pathlib.Path(__file__).with_name("objects.txt").read_text()) if text.strip()]


def outcome(module, text):
    """What a program prints, the error that ends it, and its warnings. Classes have names of NumPy's, and addresses none."""
    space = {"np": module, "numpy": numpy, "__name__": "snippet"}
    out = io.StringIO()
    end = ""
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            exec(compile(text, "<snippet>", "exec"), space)  # noqa: S102
        except Exception as error:
            end = f"{type(error).__name__}: {error}"
    told = [f"{w.category.__name__}: {w.message}" for w in seen if w.category is not weft.FallbackWarning]
    return re.sub(r"0x[0-9a-f]+", "0x", out.getvalue()), re.sub(r"0x[0-9a-f]+", "0x", end), told


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_programs_see_what_they_see_of_numpys(text):
    assert outcome(weft, text) == outcome(numpy, text)


DIFFERENT = """
import numpy, weft
from tests.test_array_objects import PROGRAMS, outcome
for text in PROGRAMS:
    got, want = outcome(weft, text), outcome(numpy, text)
    if got != want:
        print(text, got, want, sep="\\n", end="\\n\\n")
"""


@pytest.mark.parametrize("setting", ["noeager", "nolaunches"])
def test_they_do_so_whatever_is_computed_at_once(setting):
    done = run_python(DIFFERENT, env={"WEFT_DEBUG": setting, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_weft_cannot_make_of_an_array_is_said_with_its_limit():
    x = weft.zeros(4)
    with pytest.raises(ValueError, match="one of 33 dimensions, more than 32"):
        x.resize((1,) * 33)
    with pytest.raises(ValueError, match="one of 33 dimensions, more than 32"):
        x.shape = (4,) + (1,) * 32
    with pytest.raises(TypeError, match="dtype '<f8' and 33 dimensions"):
        x.__setstate__(numpy.zeros((1,) * 33).__reduce__()[2])
    with pytest.warns(DeprecationWarning, match="strides"), pytest.raises(ValueError, match=r"strides \(3,\), which are not all multiples of 8 bytes"):
        x[:2].strides = (3,)
    assert x.shape == (4,) and x.tolist() == [0, 0, 0, 0]
