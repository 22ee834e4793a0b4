"""weft.verify() looks back at what ran, under many configurations, and says what it looked at."""

import pytest
import weft
from weft import profile

from .sharing import run_python

PROGRAM = """
import sys
import weft as np
u = np.zeros((60, 70))
u[0] = 100.0
for _ in range(12):
    u[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
total = float(u.sum())
v = u[::2, ::-3].T.copy()
v[1:] += v[:-1].copy()
w = np.linalg.inv(np.eye(5) * 2 + 1) @ np.ones(5)
view = memoryview(v)
x = np.asarray(list(view.tolist())) * 2
del view
print(np.verify())
print(np.verify().ok, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("flags", "debug"),
    [
        ("--cpus 2", ""),
        ("--cpus 4", "tile=1,seed=3"),
        ("--cpus 2", "tile=1,grid=2x3"),
        ("--cpus 2", "window=1"),
        ("--cpus 2", "nofuse,tile=1"),
        ("--gpus 3 --emulate", "tile=1"),
        ("--gpus 2 --emulate", "check"),
    ],
)
def test_nothing_is_wrong(flags, debug):
    done = run_python(PROGRAM, env={"WEFT_ARGS": flags, "WEFT_DEBUG": debug})
    assert done.returncode == 0, done.stderr
    assert done.stderr == "True\n", done.stderr
    assert ": no violation among " in done.stdout, done.stdout
    for what in (" conflicts checked", " reads checked", " fused operation"):
        assert what in done.stdout, done.stdout


def test_a_report_has_numbers():
    a = weft.ones(1000) * 2
    b = a + 1
    b[1:] += a[:-1]
    assert float(b[3]) == 5
    found = weft.verify()
    assert isinstance(found, profile.Verification)
    assert found.ok and found.wrong == 0 and found.violations == []
    assert found.tasks["run"] >= 1 and found.reads >= 1 and found.conflicts >= 0
    assert repr(found).startswith("everything: no violation among ")


def test_a_failure_that_nobody_saw_is_told():
    code = """
import weft as np
a = np.ones(40_000_000) * 2
b = a[1:] + a[:-1]
found = np.verify()
print(found.ok, "not told before: MemoryError: " in repr(found), "line 3" in repr(found))
print(float((np.ones(3) * 2)[1]), np.verify().ok, "not told" in repr(np.verify()))
"""
    done = run_python(code, env={"WEFT_ARGS": "--cpus 1 --sysmem 64"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True True True\n2.0 True False\n", (done.stdout, done.stderr)


def test_what_the_log_has_lost_is_said():
    code = """
import weft as np
a = np.ones(8)
for _ in range(40_000):
    a += 1
found = np.verify()
print(found.ok, found.unchecked > 0, "NOT checked: " in repr(found), found.tasks["run"] > 0)
"""
    done = run_python(code, env={"WEFT_DEBUG": "window=1"})
    assert done.stdout == "True True True True\n", (done.stdout, done.stderr)


def test_violations_are_written_to_stderr(monkeypatch, capsys):
    """A run without mistakes shows none; here the answer of the core is a made up one."""
    answer = '{"cell": "In[1]", "text": "In[1]: 1 VIOLATION among 2 tasks\\n", "wrong": 1, "violations": [{"text": "t2 starts early"}]}'
    monkeypatch.setattr(profile._core, "query", lambda what, argument="": answer)
    found = profile.verify(1)
    assert not found.ok
    assert "weft: VIOLATIONS\nIn[1]: 1 VIOLATION among 2 tasks" in capsys.readouterr().err
