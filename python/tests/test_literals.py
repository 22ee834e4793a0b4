"""Arrays of a few elements that the program wrote down: what is done to them before and after an operation has wanted them."""

import numpy
import pytest
import weft

from .sharing import run_python

MADE = """
    np.array(5)
    np.array(2.5)
    np.array([1., 2., 3.])
    np.array([1, 2, 3])
    np.asarray((1, 2.5))
    np.array([[1, 2], [3, 4]], float)
    np.array([[[-0., 1.]]])
    np.zeros(3)
    np.zeros((2, 3), int)
    np.ones((2, 2))
    np.ones(4, float)
    np.full(3, 7)
    np.full((1, 2), -0.)
    np.arange(10)
    np.arange(3, 9, 2)
    np.arange(5, -5, -3)
    np.zeros(64)
    np.zeros(65)
    np.zeros(())
    np.arange(2.)
    np.full(2, True)
    np.full(2, 2**63)
    np.zeros(3, 'f4')
    np.array(2**63)
    np.array([2**53 + 1, .5])
""".strip().splitlines()

DONE = [
    "x.tolist()", "list(x.ravel())", "x.shape, x.strides, x.dtype, x.nbytes, x.flags.owndata, x.base is None", "x + 1", "x.sum()", "x[...]", "x[-1:]",
    "x.T", "x.astype('f4')", "float(x.ravel()[:1].sum())", "memoryview(x).tobytes()", "np.asarray(x) is x", "x.copy().tolist()", "repr(x)", "x.reshape(-1)",
    "(x.fill(3), x)", "(x.__iadd__(1), x)", "(x.ravel().__setitem__(slice(0, 1), 9), x)", "(x[...].__setitem__(Ellipsis, 4), x)",
    "(setattr(x, 'shape', (x.size,)), x, x.tolist())", "(x.resize(x.size + 1, refcheck=False), x)", "np.add(x, x, out=x)", "x.item() if x.size == 1 else x.argmax() if x.size else 0",
]  # fmt: skip


def shown(value):
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    if isinstance(value, (weft.ndarray, numpy.ndarray, numpy.generic)):
        return numpy.asarray(value).dtype, numpy.shape(value), repr(numpy.asarray(value).tolist())
    return repr(value)


def outcome(made, done, np):
    try:
        return shown(eval(done, {"x": eval(made.strip(), {"np": np}), "np": np}))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
@pytest.mark.parametrize("made", MADE)
def test_are_as_any_array(made):
    for done in DONE:
        assert outcome(made, done, weft) == outcome(made, done, numpy), done


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("value", [3, 2.5, -0.0, True, 2**70, 1j, numpy.float32(0.5), "a", None])
@pytest.mark.parametrize("index", [0, -1, 3, (1,), slice(0, 2), Ellipsis, (), None])
def test_elements_are_written(dtype, value, index):
    def write(np):
        x = np.ones(3, dtype)
        try:
            x[index] = value
        except (ValueError, TypeError, OverflowError, IndexError) as error:
            return type(error).__name__, x.tolist()
        return repr(x.tolist())

    assert write(weft) == write(numpy)


def test_writes_are_seen_through_views_and_back():
    x = weft.zeros(4)
    x[1] = 5
    y = x[1:3]
    x[2] = 6.5
    y[0] += 1
    x += 1
    assert x.tolist() == [1, 7, 7.5, 1] and y.tolist() == [7, 7.5]
    assert y.base is x


def test_stay_when_forms_are_forgotten_and_the_runtime_is_another():
    code = """
import weft as np
x, y = np.array([1, 2, 3]), np.arange(4.)
np.settings.configure("--cpus 1 --defer-scalars")
print(x.shape, x.tolist(), np.zeros(3).tolist(), (x + y[:3]).tolist(), type(y[1]) is np.ndarray, float(y[1]))
"""
    done = run_python(code)
    assert done.stdout == "(3,) [1, 2, 3] [0.0, 0.0, 0.0] [1.0, 3.0, 5.0] True 1.0\n", (done.stdout, done.stderr)


def test_constructors_are_counted():
    before = weft.coverage().native
    weft.zeros(3), weft.arange(3), weft.arange(2), weft.full(2, 1.5)
    after = weft.coverage().native
    assert {name: after[name] - before.get(name, 0) for name in ("zeros", "arange", "full")} == {"zeros": 1, "arange": 2, "full": 1}


def test_what_comes_and_goes_behind_a_waiting_operation_is_let_go():
    weft.sync()
    waiting = weft.ones(1_000_000) + 1  # more than is computed at once wherever values are read often
    plans = weft.stats()["plans"]
    for k in range(300):
        weft.array(list(range(k, k + 140_000)))
    assert weft.stats()["plans"] > plans and waiting[0] == 2


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32"])
def test_ranges_of_every_dtype_are_numpys(dtype):
    for ends in ((5,), (3, 100), (0, 100, 7), (100, 0, -9), (-50, 50, 3), (0, 30_000, 2)):
        try:
            want = numpy.arange(*ends, dtype=dtype)
        except OverflowError:
            continue
        if ends[-1] == 2 and numpy.dtype(dtype).itemsize == 1:
            continue
        got = weft.arange(*ends, dtype=dtype)
        assert got.dtype == want.dtype and numpy.array_equal(numpy.array(got), want), ends


@pytest.mark.parametrize("dtype", [None, "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("n", [3, 20_000])
def test_ranges_of_a_step_of_one_have_numpys_bits(n, dtype):
    """Their programs leave out the product with the step, and the sum with a start of zero (arrays/ranges.go)."""
    for ends in ((n,), (3, n + 3), (-5, n), (0, n, 2), (1, n, 1), (0.0, n), (0.5, n), (n, 0, -1), (-3.0, n, 1), (0, n, 1.0)):
        want, got = (np.arange(*ends, dtype=dtype) for np in (numpy, weft))
        assert got.dtype == want.dtype and numpy.asarray(got).tobytes() == want.tobytes(), ends
