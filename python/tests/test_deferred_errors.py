"""What fails after the call that asked for it: it is told where the value is read, with the line that asked for it."""

from .sharing import run_python

SMALL = {"WEFT_ARGS": "--cpus 1 --sysmem 64", "WEFT_DEBUG": ""}


def lines(code, env=None):
    done = run_python(code, env=env or SMALL)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


HEAD = """
import weft as np
def told(read):
    try:
        return repr(read())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


def test_every_reader_is_told_the_line_that_failed():
    got = lines(
        HEAD
        + """
kept = np.arange(5.0)
big = np.full(40_000_000, 2.0)  # line 10
half = big[::2] * 2
copied = half.copy()
apart = kept + 1
for read in (lambda: float(big[3]), lambda: half[:2], lambda: copied.sum(), lambda: bool(big[0] > 1), lambda: copied.tolist()):
    print(told(read))
print(told(lambda: float(apart[4])), told(lambda: kept))
"""
    )
    for line in got[:5]:
        assert line.startswith("MemoryError: ") and "line 10: unable to allocate " in line, line
    assert got[5] == "5.0 array([0., 1., 2., 3., 4.])"


def test_printing_says_what_failed_and_overwriting_heals():
    got = lines(
        HEAD
        + """
import numpy
a = np.zeros(4)
try:
    numpy.add.at(a, [9], 1)  # raised at the call; a is as it was
except IndexError as error:
    print(error)
print(told(lambda: a))
big = np.full(40_000_000, 2.0)
a[:2] = big[:2]  # line 17
print(told(lambda: str(a)))
print(told(lambda: a[2:]))
a[:2] = 7
print(told(lambda: a))
"""
    )
    assert got[0] == "index 9 is out of bounds for axis 0 with size 4"
    assert got[1] == "array([0., 0., 0., 0.])"
    assert got[2].startswith("MemoryError: ") and "line 16" in got[2], got[2]
    assert got[3] == "array([0., 0.])"
    assert got[4] == "array([7., 7., 0., 0.])"


def test_sync_tells_what_nobody_read_once():
    got = lines(
        HEAD
        + """
big = np.full(40_000_000, 2.0)
print(told(np.sync))
print(told(np.sync))
print(told(lambda: float((np.ones(3) + 1).sum())))
"""
    )
    assert got[0].startswith("MemoryError: ") and "line 9" in got[0]
    assert got[1:] == ["None", "6.0"]


def test_linear_algebra_raises_at_the_call():
    got = lines(
        HEAD
        + """
a = np.zeros((3, 3))
b = a + 1
print(told(lambda: np.linalg.inv(a)))
print(told(lambda: np.linalg.solve(a, np.ones(3))))
print(told(lambda: float(b.sum())), told(np.sync))
"""
    )
    assert got == ["LinAlgError: Singular matrix", "LinAlgError: Singular matrix", "9.0 None"]
