"""Operations on large arrays while np.errstate asks for errors or for calls of the program's: they are computed by weft, and raise at the call what NumPy raises there."""

import warnings

import numpy
import pytest
import weft

NATIVE = """
x + 1; 1 / x; x * 1e308; x * 1e308 * 1e308; np.log(x); np.sqrt(x - 1); x // 0; x % 0; np.exp(x); np.divide(x, x); (x + 1e308).sum(); x.mean(); (x * 1e160).std(); np.maximum(x, 3); x / k; k // 0; -x; np.arctanh(x)
(x + 1e300).astype("f4"); x.astype("f4") * np.float32(1e38); np.sin(x * np.inf); x - x * np.inf; x**400.0; np.dot(x + 1e300, x + 1e300); np.hypot(x + 1e308, x + 1e308); x * 1e-300 * 1e-20; np.cumsum(x + 1e308)
x.__iadd__(1); x.__itruediv__(0); x.__imul__(1e308); x.__isub__(x * np.inf); x.__itruediv__(x); f.__imul__(f * np.float32(1e30))
"""
IN_PLACE_OF_NUMPYS = "x.__ipow__(400.0); x.__ifloordiv__(0); f.__iadd__(x + 1e300); np.exp(x, out=x); np.divide(x, x, out=x); k.__ifloordiv__(0)"  # which overwrites what would say what went wrong


def listed(text):
    return [code.strip() for code in text.replace("\n", ";").split(";") if code.strip()]


@pytest.mark.parametrize("wanted", ["raise", "call", "some"])
@pytest.mark.parametrize("code", listed(NATIVE) + listed(IN_PLACE_OF_NUMPYS))
def test_large_arrays_raise_at_the_call_what_numpys_do(code, wanted):
    """An earlier operation is told of as it was asked for, also where the one that raises waits for it."""

    def outcome(module):
        x = module.arange(300_000.0)
        names = {"x": x, "f": x.astype("f4"), "k": module.arange(300_000), "np": module}
        heard = []
        settings = (
            {"all": "raise"}
            if wanted == "raise"
            else {"all": "call", "call": lambda *said: heard.append(said)}
            if wanted == "call"
            else {"all": "ignore", "invalid": "raise", "over": "raise"}
        )
        with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="warn", under="ignore"):
            warnings.simplefilter("always", RuntimeWarning)
            warnings.simplefilter("ignore", weft.FallbackWarning)
            before = x / 0
            with module.errstate(**settings):
                try:
                    made = eval(code, names)
                    made = type(made).__name__, str(made.dtype)
                except FloatingPointError as error:
                    made = str(error)
            assert before[1] == numpy.inf
        texts = sorted(str(w.message) for w in caught if w.category is RuntimeWarning)
        return made, [numpy.asarray(names[name]).tobytes() for name in "xfk"], heard, texts

    assert outcome(weft) == outcome(numpy)


def test_large_arrays_stay_native_where_errors_are_asked_for():
    x = weft.arange(300_000.0)
    weft.sync()
    before = weft.coverage().fallback
    with weft.errstate(all="raise"):
        y = (x + 1) * 2 / 3
        y += x
        assert float(weft.sqrt(y).sum()) > 0 and float(y.mean()) > 0
    assert weft.coverage().fallback == before
