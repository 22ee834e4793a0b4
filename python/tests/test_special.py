"""weft.special: scipy.special's functions, with and without SciPy."""

import math
import subprocess
import sys

import numpy
import pytest
import weft

x = numpy.array([-3.5, -0.25, 0.0, 0.25, 0.5, 0.75, 2.0, 30.0])
ONE_BY_ONE = {
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": lambda v: math.inf if v == 0 else math.gamma(v),
    "gammaln": lambda v: math.inf if v == 0 else math.lgamma(v),
    "expit": lambda v: 1 / (1 + math.exp(-v)),
    "log_expit": lambda v: -math.log1p(math.exp(-v)),
    "logit": lambda v: math.log(v / (1 - v)) if 0 < v < 1 else -math.inf if v == 0 else math.nan,
    "entr": lambda v: -v * math.log(v) if v > 0 else 0 if v == 0 else -math.inf,
    "ndtr": lambda v: math.erfc(-v / math.sqrt(2)) / 2,
    "cbrt": math.cbrt if hasattr(math, "cbrt") else lambda v: math.copysign(abs(v) ** (1 / 3), v),
    "exp2": lambda v: 2.0**v,
    "expm1": math.expm1,
    "log1p": lambda v: math.log1p(v) if v > -1 else math.nan,
    "sinc": lambda v: math.sin(math.pi * v) / (math.pi * v) if v else 1.0,
    "xlogy": lambda v: v * math.log(v) if v > 0 else 0 if v == 0 else math.nan,
    "xlog1py": lambda v: v * math.log1p(v) if v > -1 else math.nan,
}


@pytest.mark.parametrize("name", weft.special.__all__)
def test_functions_agree_with_python(name):
    function = getattr(weft.special, name)
    before = weft.coverage().fallback.get("special." + name, 0)
    operands = (weft.asarray(x),) * (2 if name.startswith("xlog") else 1)
    got = function(*operands)
    assert type(got) is weft.ndarray
    numpy.testing.assert_allclose(numpy.asarray(got), [ONE_BY_ONE[name](v) for v in x], rtol=1e-13, atol=1e-16)
    assert weft.coverage().fallback.get("special." + name, 0) == before
    single = function(*(o.astype("float32") for o in operands))
    assert single.dtype == "float32"


def test_out_and_python_numbers():
    out = weft.empty(8)
    assert weft.special.erf(weft.asarray(x), out=out) is out
    assert float(out[-1]) == 1.0
    assert float(weft.special.gamma(5)) == 24.0
    assert weft.special.erfc([0.0, 40.0]).tolist() == [1.0, 0.0]


def test_what_needs_scipy_says_so():
    code = """
import sys
sys.modules["scipy"] = None
import weft
for use in ("weft.special.jv", "weft.special.erf(weft.ones(2) * 1j)"):
    try:
        eval(use)
    except Exception as error:
        print(type(error).__name__, "SciPy" in str(error))
print(float(weft.special.erf(weft.zeros(1))[0]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "AttributeError True\nModuleNotFoundError True\n0.0\n", done.stderr


def test_scipys_own_functions_run_natively(monkeypatch):
    monkeypatch.setattr(weft._fallback, "LEAST", 0)
    scipy_special = pytest.importorskip("scipy.special")
    a = weft.asarray(x)
    before = dict(weft.coverage().fallback)
    for name in set(weft.special.__all__) - {"sinc"}:
        operands = (a,) * getattr(scipy_special, name).nin
        got = getattr(scipy_special, name)(*operands)
        assert type(got) is weft.ndarray, name
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(getattr(weft.special, name)(*operands)))
    assert weft.coverage().fallback == before
    with pytest.warns(weft.FallbackWarning, match=r"scipy\.special\.j0 is not native in weft: SciPy"):
        got = weft.special.j0(a)
    numpy.testing.assert_array_equal(numpy.asarray(got), scipy_special.j0(x))
