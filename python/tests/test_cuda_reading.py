"""How kernels are read: names of functions within them, and sources that are not the kernel's any more."""

import linecache

import pytest
import weft as np
from weft import cuda
from weft.compiled import errors, reading, sources

BODIES = {
    "f = lambda N: N + 1|out[i] = f(2) + N": 103,
    "def f(k):|    N = k * 3|    return N|out[i] = f(2) + N": 106,
    "def f(k):|    g = lambda N: N * k|    return g(5) + N|out[i] = f(2) + N": 210,
    "def f(k, N=5):|    for M in range(3):|        N += k|    return N|out[i] = f(2) + N + M": 118,
    "f = lambda many: many[0] + 1|out[i] = f((2, 3)) + many.N": 10,
    "N = 4|f = lambda k: k + N|out[i] = f(2)": 6,
    "f = lambda k: (N := k + 1) * N|out[i] = f(2) + N": 109,
}  # fmt: skip


class Many:
    N = 7


@pytest.mark.parametrize("body", BODIES)
def test_names_of_functions_within_hide_globals_there_alone(body):
    lines = "".join(f"    {line}\n" for line in ("i = 0", *body.split("|")))
    names = {"N": 100, "M": 7, "many": Many(), "cuda": cuda}
    plain, out = [0], np.zeros(1)
    sources.define("each", f"def each(out):\n{lines}", names)(plain)
    cuda.jit(sources.define("each", f"def each(out):\n{lines}", names))[1, 1](out)
    assert out.tolist() == plain == [BODIES[body]]


def test_a_source_that_is_comments_by_now():
    each = sources.define("each", "def each(out):\n    out[0] = 1\n", {})
    file, text = each.__code__.co_filename, "# nothing\n# is left\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    with pytest.raises(errors.UnsupportedError, match="each is written within an expression"):
        cuda.jit(each)[1, 1](np.zeros(1))


def test_names_that_functions_set_are_those_of_their_code():
    """The names that Python has for a function's code are those that its tree sets, also where Python makes no code of a statement."""
    for body in (*BODIES, "if 0:|    x = 1|return 2|y = 3", "while False:|    (z := 3)", "match out:|    case 1 as a: pass|    case b: pass", "del out", "for i, (j, k.x, l[0]) in out: pass"):
        each = sources.define("each", "def each(out, *, given=1):\n" + "".join(f"    {line}\n" for line in body.split("|")), {})
        made = reading._Function(each, None)
        assert made.local == set(reading._names(made.tree))
