"""Functions of NumPy's that only read get arrays of 32 KiB or more over the memory itself: nothing of that stays, and what is given back is the program's."""

import gc
import threading

import numpy
import pytest
import weft
from weft import _core

N = 6000
CALLS = """
ediff1d(x) | polyadd(x, y) | array_equiv(x, x) | nanmax(x) | isneginf(x) | iscomplex(x) | correlate(x, y) | append(x, y) | delete(x, 3) | insert(x, 3, 1.0) | gradient(x) | unwrap(x) | nan_to_num(x) | nan_to_num(x, copy=False)
cross(m[:, :3], m[:, :3]) | quantile(x, 0.3) | median(x) | median(x, overwrite_input=True) | polynomial.legendre.legval(x, [1.0, 2.0]) | lib.scimath.sqrt(x) | packbits(p) | isin(k, [1, 2]) | take_along_axis(x, k, 0) | asarray_chkfinite(x) | trim_zeros(x)
real_if_close(x) | block([x, y]) | column_stack([x, y]) | ediff1d(x[::2]) | ediff1d(x[1:]) | polyadd(x, x) | nanprod(c) | digitize(x, [0.2, 0.6]) | select([p, ~p], [x, y]) | unique_counts(k) | asarray_chkfinite(x / 0)
""".replace("\n", "|").split("|")


def given(np):
    rng = numpy.random.default_rng(3)
    x = rng.random(N) * 6
    data = {"x": x, "y": rng.random(N), "k": rng.integers(0, N, N), "p": x > 3, "c": x + 1j, "m": rng.random((N // 3, 3))}
    return {"np": np} | {name: np.array(value) for name, value in data.items()}


def told(value):
    return [told(item) for item in value] if isinstance(value, (tuple, list)) else (numpy.asarray(value).dtype, numpy.shape(value), numpy.asarray(value).tobytes())


def outcome(np, call):
    names = given(np)
    try:
        with numpy.errstate(all="ignore"):
            made = eval("np." + call, names)
    except ValueError as error:
        return str(error)
    return told(made), [told(names[name]) for name in "xykpcm"]


@pytest.mark.parametrize("call", [call.strip() for call in CALLS if call.strip()])
def test_results_are_numpys_and_arguments_what_they_were(call):
    want = outcome(numpy, call)
    assert outcome(weft, call) == want
    before = _core.few(0)
    try:
        slow = outcome(weft, call)
    finally:
        _core.few(before)
    assert type(slow) is type(want) and (type(want) is str or slow[1] == want[1])


def test_an_argument_that_is_given_back_is_itself_and_nothing_holds_the_memory():
    x = weft.random.default_rng(1).random(N)
    assert weft.asarray_chkfinite(x) is x
    assert weft.nan_to_num(x, copy=False) is x
    weft.ediff1d(x)
    x.resize(N // 2)  # which nothing but x may have
    assert x.shape == (N // 2,)


def test_readonly_arrays_stay_so_and_temporaries_go():
    x = weft.arange(float(N))
    x.flags.writeable = False
    assert weft.iscomplex(x).any() == False and weft.ediff1d(x * 2)[0] == 2  # noqa: E712
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    gc.collect()


def test_an_array_that_go_takes_over_meanwhile():
    x, stop, failed = weft.arange(float(N)), threading.Event(), []

    def takes():
        while not stop.is_set():
            y = x + weft.zeros(N)
            if float(weft.concatenate([y] * 60).sum()) != 60 * N * (N - 1) / 2:
                failed.append(1)

    thread = threading.Thread(target=takes)
    thread.start()
    try:
        for _ in range(300):
            assert float(weft.ediff1d(x).sum()) == N - 1
    finally:
        stop.set()
        thread.join()
    assert not failed
