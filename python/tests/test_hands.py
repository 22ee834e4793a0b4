"""Sums of many elements, which threads share: with the same bits for one thread, for several, and as they are planned."""

from .sharing import run_python

PROGRAM = """
import random, numpy, weft as np
choose = random.Random(5)
r = numpy.random.default_rng(7)
told = []
def tell(value):
    told.append(numpy.asarray(value).tobytes().hex()[:4096])
for turn in range(60):
    dtype = choose.choice(["f8", "f8", "f4", "i8", "c16", "?"])
    n = choose.choice([70_001, 131_072, 300_007, 700_001, 1_048_576])
    x, y = (np.array((r.random(n) * 50 - 20).astype(dtype)) for _ in range(2))
    rows = choose.choice([3, 40, 128, 129, 300, 1000])
    m = x[: n // rows * rows].reshape(rows, n // rows)
    for _ in range(3):
        tell(x.sum()), tell(np.dot(x, y)), tell(np.inner(x, y)), tell(x @ y), tell(m.sum(axis=0)), tell(m.sum(axis=1)), tell(m.any())
        if dtype != "c16":
            tell(x.max()), tell(m.min(axis=0)), tell(m.max(axis=1)), tell(m.T.sum(axis=1))
        if dtype in ("f8", "f4"):
            tell(np.linalg.norm(x)), tell(np.vdot(x, y)), tell(m.mean(axis=0)), tell(np.average(x, weights=y))
print("\\n".join(told))
"""


def lines(cpus, debug):
    done = run_python(PROGRAM, env={"WEFT_ARGS": f"--cpus {cpus}", "WEFT_DEBUG": debug})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_sums_have_the_same_bits_for_any_number_of_threads():
    one = lines(1, "")
    for cpus, debug in ((2, ""), (5, ""), (2, "noeager")):
        other = lines(cpus, debug)
        assert [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b] == [], (cpus, debug)
