"""Operations that are fused with one that writes over their operands warn as NumPy's do."""

import random
import warnings

import numpy
import pytest
import weft
from weft import _core

PROGRAMS = """\
x/=x; x/=z
y/=x; y/=z
t=y/x; y/=y
t=w+y; w*=w
t=w//y; w*=w
np.log(x, out=x); np.sqrt(x, out=x)
np.exp(w, out=w)
np.exp(w, out=w); w-=w
x*=w; x*=w; x-=x; x+=y
t=np.log(x)*y; x+=1; x/=z; t/=x
w*=w; t=w.sum(); w-=w
t=(w*y).sum(); w*=w
""".splitlines()

STATEMENTS = [
    "{a} += {b}", "{a} -= {b}", "{a} *= {b}", "{a} /= {b}", "{a} = {b} / {c}", "{a} = {b} * {c}", "{a} = {b} - {c}", "np.sqrt({a}, out={a})", "np.log({a}, out={a})",
    "np.exp({a}, out={a})", "np.power({a}, 2.5, out={a})", "{a} = np.log({b}) + {c}", "{a} *= 2", "{a} /= 3", "{a} += 1", "np.abs({a}, out={a})", "{a} = np.where({b} > 1, {c}, {a})", "{a}[::2] /= {b}[::2]",
]  # fmt: skip


def said(module, program, length, dtype):
    """What a program warns of, and the bits of its variables."""
    given = {"np": module, "kept": []}
    for k, (name, special) in enumerate({"x": 0.0, "y": 1.5, "z": 0.0, "w": 1e300 if dtype == "f8" else 1e30}.items()):
        values = numpy.linspace(0.5, 2, length, dtype=dtype)
        values[length // (k + 2)] = special
        given[name] = module.array(values)
    given["t"] = given["y"] + 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(program, given)
        made = [numpy.asarray(given[name]).tobytes() for name in "xyzwt"]
        _core.tell_floating()
    return sorted(str(one.message) for one in caught if one.category is RuntimeWarning), made


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program):
    with numpy.errstate(all="warn", under="ignore"):
        for length in (20_000, 300_000):
            for _ in range(2):  # as a window and as a replay
                ours, theirs = said(weft, program, length, "f8"), said(numpy, program, length, "f8")
                assert ours[0] == theirs[0], length
                assert theirs[0]


def test_programs_at_random():
    random.seed(5)
    told = 0
    with numpy.errstate(all="warn", under="ignore"):
        for number in range(200):
            lines = [random.choice(STATEMENTS).format(**{name: random.choice("xyzwt") for name in "abc"}) for _ in range(random.randint(2, 6))]
            program = "\n".join(line + "; kept += [x, y, z, w, t]" for line in lines)  # of what is never computed nothing is told
            length, dtype = random.choice([3_000, 20_000, 150_000]), random.choice(["f4", "f8"])
            ours, theirs = said(weft, program, length, dtype), said(numpy, program, length, dtype)
            assert ours[0] == theirs[0], f"program {number} of {length} {dtype}:\n{program}"
            told += len(theirs[0])
    assert told > 100
