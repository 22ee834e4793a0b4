"""NumPy's functions of elements, block by block: NumPy's bits, dtypes, warnings and errors."""

import threading
import warnings

import numpy
import pytest
import weft
from weft import _blocks


@pytest.fixture(autouse=True, params=["alone", "together"])
def small(request, monkeypatch):
    """Blocks of a few elements, by this thread or by several."""
    monkeypatch.setattr(_blocks, "_LEAST", 1)
    monkeypatch.setattr(_blocks, "_LEAST_BITS", 1)
    monkeypatch.setattr(_blocks, "BLOCK", 16)
    monkeypatch.setattr(_blocks, "_BITS", 16)
    monkeypatch.setattr(_blocks, "_WORTH", 0 if request.param == "together" else 1 << 60)
    before = weft._core.few(0)
    yield
    weft._core.few(before)


RNG = numpy.random.default_rng(8)
X = RNG.normal(size=1003) * 10.0 ** RNG.integers(-30, 30, 1003)
X[::50] = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 5e-324, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
K = RNG.integers(-1000, 1000, 1003)
B = RNG.random(1003) > 0.5
HERE = {"x": X, "y": X[::-1].copy(), "f": X[:100].astype("f4"), "k": K, "k2": K[::-1].copy(), "b": B, "u": K.astype("u1"), "s": K.astype("i2"), "m": X[:1000].reshape(10, 100), "e": X[:0]}

CALLS = """
bitwise_count(k) | bitwise_count(u) | bitwise_count(s) | bitwise_count(b) | frexp(x) | frexp(f) | frexp(m) | gcd(k, k2) | gcd(k, 12) | gcd(s, s) | gcd(12, u) | gcd(b, b)
lcm(k, k2) | lcm(u, u) | ldexp(x, k) | ldexp(f, 3) | ldexp(m, 2) | nextafter(x, y) | nextafter(x, 1) | nextafter(f, f) | spacing(x) | spacing(f) | spacing(m.T) | spacing(k)
packbits(b) | packbits(u) | packbits(b[:1]) | packbits(b[:17]) | packbits(b.reshape(17, 59)) | packbits(b, bitorder="little") | packbits(b.reshape(17, 59), axis=0) | packbits(b[::2])
unpackbits(u) | unpackbits(u[:3]) | unpackbits(u, count=9) | unpackbits(u.reshape(17, 59)) | unpackbits(e) | gcd(x, x) | gcd(k, k[:3]) | gcd(k) | ldexp(x, x) | frexp(m, out=(m, k[:1000].reshape(10, 100)))
gcd(k, k2[:1]) | gcd(k.reshape(17, 59), k2) | spacing(e) | bitwise_count(x) | packbits(x) | unpackbits(k) | nextafter(m, m[:, :1]) | gcd(k, 1 << 70) | gcd(u, 300) | gcd(k, [3]) | lcm(k, k2, where=b)
"""


def outcome(np, call):
    given = {name: np.array(value) for name, value in HERE.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = eval("np." + call, given | {"np": np})
        except Exception as error:
            return type(error), str(error).replace("weft.", "numpy."), []
    told = [(str(warning.message), warning.filename, warning.lineno) for warning in caught if not issubclass(warning.category, weft.FallbackWarning)]
    if "where=" in call:  # the other elements may be any
        made = np.where(given["b"], made, 0)
    made = made if isinstance(made, tuple) else (made,)
    return [(numpy.asarray(one).dtype, numpy.asarray(one).shape, numpy.asarray(one).tobytes()) for one in made], "", told


@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")])
def test_blocks_are_as_the_whole(call):
    assert outcome(weft, call) == outcome(numpy, call)


TELLING = ("ldexp(x, k)", "ldexp(f, 3)", "ldexp(y, -1000)", "ldexp(y, 1000)", "nextafter(x, y)", "spacing(x)", "frexp(x)", "spacing(f)")


@pytest.mark.parametrize("wanted", ["call", "log", "ignore", "raise", "warn"])
@pytest.mark.parametrize("call", TELLING)
def test_what_blocks_come_to_is_told_of_once(call, wanted):
    told = {}
    for np in (weft, numpy):

        class Handler:
            heard = told[np] = []

            def __call__(self, what, flags):
                self.heard.append((what, flags, threading.current_thread()))

            def write(self, text):
                self.heard.append((text, threading.current_thread()))

        with np.errstate(all=wanted, call=Handler()):
            told[np].append(outcome(np, call))
    assert told[weft] == told[numpy]


def test_some_handlers_are_called():
    heard = []
    with weft.errstate(over="call", call=lambda what, flags: heard.append((what, flags))):
        weft.ldexp(weft.ones(1000), 5000)
    assert heard == [("overflow", 2)]


def test_errors_of_blocks_are_raised():
    tiny = weft.array(numpy.full(100, 5e-324))
    with numpy.errstate(all="raise"):
        for call in (lambda: weft.ldexp(tiny, -3), lambda: weft.ldexp(weft.ones(100), 5000)):
            with pytest.raises(FloatingPointError):
                call()


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "u1"])
@pytest.mark.parametrize("mode", ["valid", "same", "full"])
def test_correlations_by_blocks_have_numpys_bits(dtype, mode, monkeypatch):
    monkeypatch.setattr(_blocks, "_SUMS", 2000)
    weft._core.few(4096)
    for n, m in ((9000, 70), (12_001, 65), (5000, 600)):
        x, y = (RNG.normal(size=k).astype(dtype) if dtype[0] != "u" else RNG.integers(0, 99, k).astype(dtype) for k in (n, m))
        for name in ("convolve", "correlate"):
            before = dict(weft.coverage().fallback)
            made, wanted = getattr(weft, name)(weft.array(x), weft.array(y), mode), getattr(numpy, name)(x, y, mode)
            assert weft.coverage().fallback == before
            made = numpy.asarray(made)
            assert made.dtype == wanted.dtype and made.shape == wanted.shape and made.tobytes() == wanted.tobytes()
    assert weft.correlate(weft.array(x[:100]), weft.array(y[:99]), mode).tolist() == numpy.correlate(x[:100], y[:99], mode).tolist()
