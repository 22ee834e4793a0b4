"""@njit: functions of numbers, and prange loops, beside the same functions in Python."""

import math
import operator
import types

import numpy
import pytest
import weft as np
from weft import cuda, numba
from weft.compiled import errors
from weft.numba import jit, njit, prange, vectorize

R = numpy.random.default_rng(29)


def test_what_is_said_of_threads():
    assert numba.get_thread_id() == 0 and numba.threading_layer() == "weft" and numba.get_num_threads() >= 1
    numba.set_num_threads(1)
    with pytest.raises(ValueError, match="number of threads must be between 1 and"):
        numba.set_num_threads(0)
    assert numba.set_parallel_chunksize(4) == 0 and numba.get_parallel_chunksize() == 4
    with numba.parallel_chunksize(8) as before:
        assert before == 4 and numba.get_parallel_chunksize() == 8
    assert numba.set_parallel_chunksize(0) == 4
    with pytest.raises(ValueError, match="chunksize must be greater than or equal to 0"):
        numba.set_parallel_chunksize(-1)
    for size in 2.5, "2", None:
        with pytest.raises(TypeError, match="chunksize must be an integer"):
            numba.set_parallel_chunksize(size)
    with pytest.raises(KeyError), numba.parallel_chunksize(numpy.int64(8)):
        raise KeyError
    assert numba.get_parallel_chunksize() == 0


@njit
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@jit(nopython=True, cache=True)
def hypotenuse(x, y=4.0):
    return math.sqrt(x * x + y * y)


def test_functions_of_numbers():
    assert gcd(84, 36) == 12 and type(gcd(84, 36)) is int
    assert hypotenuse(3) == 5.0 and hypotenuse(x=6.0, y=8) == 10.0
    with pytest.raises(TypeError, match="missing a required argument"):
        gcd(1)
    with pytest.raises(KeyError, match="Unrecognized options"):
        jit(speed=11)


@cuda.jit
def uses(out):
    i = cuda.grid(1)
    out[i] = gcd(i + 1, 12)


def test_they_are_callable_from_kernels():
    out = np.zeros(12, dtype=int)
    uses[1, 12](out)
    assert numpy.array_equal(out, numpy.gcd(numpy.arange(1, 13), 12))


@njit(parallel=True)
def statistics(x):
    total = 0.0
    product = 1.0
    largest = x[0]
    positive = 0
    for i in prange(x.shape[0]):
        largest = max(largest, x[i])
        if x[i] <= 0:
            continue
        total += x[i]
        positive += 1
        product *= 1 + x[i] * 1e-3
    return total / x.shape[0], product, largest, positive


@njit(parallel=True)
def smoothed(u, steps):
    v = u.copy()
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            left = u[i - 1]
            v[i] = 0.25 * left + 0.5 * u[i] + 0.25 * u[i + 1]
        u, v = v, u
    return u


@njit(parallel=True)
def distances(p, out):
    n = p.shape[0]
    for i in prange(n):
        for j in range(n):
            d = 0.0
            for k in range(p.shape[1]):
                t = p[i, k] - p[j, k]
                d += t * t
            out[i, j] = math.sqrt(d)


def python(function):
    """The function as Python runs it: prange is range there."""
    return function.py_func


@pytest.mark.parametrize("make", [np.array, numpy.array])
def test_loops_as_kernels(make):
    x = R.normal(size=1000)
    got, want = statistics(make(x)), python(statistics)(x)
    assert int(got[3]) == got[3] and numpy.asarray(got[3]).dtype == int
    assert [float(g) for g in got] == pytest.approx([float(w) for w in want], rel=1e-12)
    u = R.normal(size=200)
    numpy.testing.assert_allclose(numpy.asarray(smoothed(make(u), 5)), python(smoothed)(u.copy(), 5), rtol=1e-12)
    p, out, want = R.normal(size=(20, 3)), make(numpy.zeros((20, 20))), numpy.zeros((20, 20))
    assert distances(make(p), out) is None
    python(distances)(p, want)
    numpy.testing.assert_allclose(numpy.asarray(out), want, rtol=1e-12)


@njit(parallel=True)
def backwards(x, out):
    for i in prange(x.size - 1, -1, -2):
        out[i] = x[i]


turn, start, launch0 = (lambda x: x * 2), 10.0, 3.0


def test_loops_with_names_that_their_kernels_have():
    """Names of globals, parameters and local names are the function's, whatever its kernels are made of."""

    def function(cuda, count, s_in, s_out, i):
        out, s = np.zeros(cuda.size), 0.0
        for k in prange(cuda.size):
            out[k] = turn(cuda[k]) + count + s_in + s_out + start + i
            s += turn(cuda[k])
        return out + launch0, s

    loops, s = njit(parallel=True)(function)(numpy.arange(3.0), 1, 2, 4, 8)
    assert loops.tolist() == [28, 30, 32] and s == 6
    with pytest.warns(errors.NumbaPerformanceWarning, match="no prange loop"):
        assert njit(parallel=True)(lambda n: n)(numpy.arange(2)).tolist() == [0, 1]


def test_ranges():
    x, out = R.normal(size=9), np.zeros(9)
    backwards(np.array(x), out)
    assert numpy.array_equal(numpy.asarray(out)[::2], x[::2]) and not numpy.asarray(out)[1::2].any()
    backwards(np.zeros(0), out)
    assert list(prange(3)) == [0, 1, 2]


def test_what_is_not_compiled_runs_in_python():
    @njit
    def words(a):
        return [str(v) for v in a]

    with pytest.warns(errors.NumbaPerformanceWarning, match="words runs as plain Python"):
        assert words(numpy.arange(2)) == ["0", "1"]


def test_numbas_own_gives_the_same():
    numba = pytest.importorskip("numba")
    x = R.normal(size=100)
    names = dict(python(statistics).__globals__, prange=numba.prange)
    theirs = numba.njit(types.FunctionType(python(statistics).__code__, names))(x)
    assert [float(v) for v in statistics(x)] == pytest.approx([float(v) for v in theirs], rel=1e-12)


@njit
def put(a, i):
    a[i] = i + 1


@njit(parallel=True)
def put_all(a):
    for i in prange(a.shape[0]):
        put(a, i)


@njit(parallel=True)
def increased(a, b):
    a += 1
    for i in prange(b.shape[0]):
        b[i] = a[i]


@njit(parallel=True)
def filled(pair, n):
    pair[0].fill(3)
    for i in prange(n):
        put(pair[1], i)


def test_writes_that_are_not_stores_of_the_functions_own():
    a, b, want = numpy.zeros(10), numpy.zeros(10), numpy.arange(1.0, 11)
    put_all(a)
    assert numpy.array_equal(a, want)
    increased(a, b)
    assert numpy.array_equal(a, want + 1) and numpy.array_equal(a, b)
    filled((a, b), 10)
    assert (a == 3).all() and numpy.array_equal(b, want)
    a.flags.writeable = False
    put_all(a)
    assert (a == 3).all()


@njit(parallel=True)
def double(x, out):
    for i in prange(x.shape[0]):
        out[i] = 2 * x[i]


@njit(parallel=True)
def twice(x, y):
    for i in prange(x.shape[0]):
        x[i] = x[i] + 1
    for i in prange(y.shape[0]):
        y[i] = y[i] * 10


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", [np.array, numpy.array])
@pytest.mark.parametrize(
    "parts",
    [
        lambda a: (a, a),
        lambda a: (a, a[:]),
        lambda a: (a[:], a),
        lambda a: (a[2:9], a[4:7]),
        lambda a: (a[::-1], a),
        lambda a: (a[::2], a[1::2]),
        lambda a: (a[7:8], a[::-3]),
        lambda a: (a.reshape(3, 4)[:, 1], a.reshape(3, 4)[1]),
    ],
)
def test_arguments_that_share_memory(make, parts):
    start = R.integers(0, 9, 12).astype(float)
    want, got = start.copy(), make(start)
    python(twice)(*parts(want))
    assert twice(*parts(got)) is None
    assert numpy.array_equal(numpy.asarray(got), want)


def test_aliases():
    a = numpy.arange(6.0)
    double(a, a[:])
    assert numpy.array_equal(a, 2 * numpy.arange(6))
    with pytest.raises(TypeError, match=r"arguments of double share memory with different dtypes \(float64, int64\)"):
        double(a, a.view(int))
    records = numpy.zeros(6, [("x", float), ("n", "i2")])
    records["x"] = range(6)
    double(records["x"], records["n"])
    assert numpy.array_equal(records["n"], 2 * numpy.arange(6)) and numpy.array_equal(records["x"], numpy.arange(6))


def test_a_failing_loop_tells_and_others_write():
    a = numpy.zeros(4)

    @njit(parallel=True)
    def fails(a):
        for i in prange(a.shape[0]):
            a[i] = 1
        raise KeyError("behind the loop")

    with pytest.raises(KeyError, match="behind the loop"):
        fails(a)
    assert (a == 1).all()


@njit(parallel=True)
def scaled(a, *, by=2.0):
    for i in prange(a.shape[0]):
        a[i] *= by


@njit
def power(x, *, by=2):
    return x**by


def test_arguments_by_name_alone():
    for make in (np.array, numpy.array):
        a = make(numpy.arange(4.0))
        scaled(a)
        scaled(a, by=10.0)
        assert numpy.array_equal(numpy.asarray(a), 20 * numpy.arange(4.0))
    with pytest.warns(errors.NumbaPerformanceWarning, match="given by name alone"):
        assert power(3) == 9
    assert power(3, by=3) == 27
    with pytest.raises(TypeError, match="positional argument"):
        power(3, 3)


@njit(parallel=True)
def summed(x, y):
    s, d, p, z = 1.0, 0.0, 1.0, 0.0
    for i in prange(x.shape[0]):
        s = s + x[i]
        d = y[i] + d - x[i] * 2 + 1
        p = p * (1 + x[i] * 1e-3)
        t = x[i]
        t = t + 1
        z += t
    return s, d, p, z


def test_sums_that_are_assignments():
    x, y = R.normal(size=300), R.normal(size=300)
    got, want = summed(x, y), python(summed)(x, y)
    assert [float(g) for g in got] == pytest.approx([float(w) for w in want], rel=1e-12)

    @njit(parallel=True)
    def both(x):
        s = 1.0
        for i in prange(x.shape[0]):
            s += x[i]
            s *= 2
        return s

    with pytest.raises(errors.UnsupportedError, match="combine s in several ways"):
        both(x)


@njit(parallel=True)
def counts(x):
    whole, partly, sizes = 0, 0, 0
    for i in prange(x.shape[0]):
        t, u = x[i] * 2, 0
        for j in range(3):
            u += j * t
        first, second = x[:2]
        for k, v in enumerate(x[:3]):
            u += k * v
        whole += t + u + first * second
        half = t
        if t > 5:
            half = t / 2
        partly += half
        sizes += x.shape[0]
    return whole, partly, sizes


def test_names_of_a_turns_own_are_whole_where_what_they_are_set_to_is():
    x = R.integers(0, 9, 50)
    got, want = counts(x), python(counts)(x)
    assert [numpy.asarray(g).dtype.kind for g in got] == ["i", "f", "i"]
    assert [float(g) for g in got] == [float(w) for w in want]


def reciprocal(x):
    return 1 / x


names = types.SimpleNamespace(whole=reciprocal)


@njit
def quotient(a, b, scale=2):
    return a / b / scale


@njit
def of_whole_numbers(a, b):
    a //= b
    return a


@njit
def remainder(a, b):
    return a % b


@njit
def harmonic(n, first):
    total = 0.0
    for k in range(n):
        total += reciprocal(k - first)
    return total


@njit
def through_an_attribute(x):
    return names.whole(x)


@njit
def by_a_function(a, b):
    return operator.truediv(a, b)


@njit(error_model="numpy")
def unchecked(a, b):
    return a / b


def test_division_by_zero_fails():
    assert quotient(3, 4) == 0.375 and of_whole_numbers(-7, 2) == -4 and type(of_whole_numbers(7, 2)) is int
    assert harmonic(4, -1) == pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 4, rel=1e-15) and through_an_attribute(4.0) == 0.25
    for _ in range(2):
        for function, args in (
            (quotient, (1, 0)), (quotient, (1.0, 0.0)), (quotient, (numpy.float32(1), numpy.float32(0))), (quotient, (1j, 0j)),
            (quotient, (1, 2, 0)), (of_whole_numbers, (3, 0)), (of_whole_numbers, (3.0, 0.0)), (remainder, (3, 0)),
            (harmonic, (4, 2)), (through_an_attribute, (0,)), (by_a_function, (1, 0)),
        ):  # fmt: skip
            with pytest.raises(ZeroDivisionError, match="^division by zero$"):
                function(*args)
    assert unchecked(1.0, 0.0) == math.inf and math.isnan(unchecked(0.0, 0.0))
    assert quotient(3, 4) == 0.375


def test_integers_of_functions_that_divide_wrap():
    @njit
    def random(x, m):
        return (x * 6364136223846793005 + 1442695040888963407) % m

    with numpy.errstate(over="ignore"):
        want = (numpy.int64(12345) * numpy.int64(6364136223846793005) + numpy.int64(1442695040888963407)) % numpy.int64(1000)
    assert random(12345, 1000) == want


def test_what_divides_is_told_by_numbas_own_too():
    numba = pytest.importorskip("numba")
    for function, args in ((quotient, (3.0, 0.0)), (of_whole_numbers, (3, 0)), (quotient, (3, 7)), (of_whole_numbers, (-7, 2))):
        theirs = numba.njit(function.py_func)
        try:
            want = theirs(*args)
        except ZeroDivisionError:
            with pytest.raises(ZeroDivisionError):
                function(*args)
        else:
            assert function(*args) == want


@njit
def guarded(a, b):
    if b == 0:
        return 1.5
    return a / b + a // b


@njit
def chosen(a, b):
    return 0.0 if b == 0 else a / b


@njit
def either(a, b):
    return b == 0 or a % b == 1


@njit
def within_a_loop(a, b):
    total = 0
    for i in range(a):
        if i == b + 1:
            continue
        total += 10 // (i - b)
        if total > 12:
            break
    return total


@pytest.mark.parametrize("function", [guarded, chosen, either, within_a_loop, quotient, remainder, njit(lambda a, b: a / b)])
@pytest.mark.filterwarnings("ignore:.*plain Python")
def test_divisors_at_random(function):
    """What is not reached does not fail, and all else gives what Python gives."""

    def outcome(of, *args):
        try:
            return of(*args)
        except ZeroDivisionError:
            return "division by zero"

    for a, b in R.integers([-6, -2], [7, 3], (40, 2)).tolist():
        assert outcome(function, a, b) == outcome(python(function), a, b), (a, b)


@njit(parallel=True)
def complex_sums(x, w):
    total = count = 0.0
    product = 1
    for i in prange(x.size):
        z = x[i] * w
        total += z
        product *= x[i] if i % 2 else 1
        count += abs(z)
    return total, product, count


@njit(parallel=True)
def forgotten(x):
    for i in prange(x.size):
        y = x[i] + 1  # noqa: F841 - nothing is left of it
    for _ in prange(3):
        pass
    return x.size


def test_complex_sums_and_loops_that_leave_nothing():
    x = R.normal(size=9) + 1j * R.normal(size=9)
    for given, w in ((x, 2.0), (x.real, 1 + 2j), (x.real, 2.0)):
        made, want = complex_sums(np.array(given), w), complex_sums.py_func(given, w)
        assert [numpy.asarray(m).dtype.kind for m in made] == [numpy.asarray(v).dtype.kind for v in want]
        numpy.testing.assert_allclose([complex(v) for v in made], want, rtol=1e-13)
    assert forgotten(np.array(x)) == 9


@njit
def steps_to_one(n):
    longest = 0
    for i in range(1, n):
        k, steps = i, 0
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        longest = max(longest, steps)
    return longest


@njit
def to_powers(a, b):
    q, r = divmod(a, b)
    return q + r + float(b) ** -1


def test_functions_of_numbers_that_go_round_or_divide():
    assert steps_to_one(2000) == steps_to_one.py_func(2000) == 181
    assert to_powers(7, -2) == to_powers.py_func(7, -2)
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        to_powers(7, 0)
    with pytest.raises(ZeroDivisionError, match="negative power"):
        njit(inverse)(0.0)


def inverse(x):
    return x**-1


def test_integers_that_do_not_fit():
    """An error names the function and its argument, of whichever kind it is; its own names do not matter."""

    @njit
    def straight(x, many):
        return x + many

    @njit
    def round_and_round(out_, many, called_):
        for _ in range(3):
            out_ += many
        return out_ * called_

    @njit(parallel=True)
    def of_arrays(a, many):
        for i in prange(a.size):
            a[i] += many
        return a

    @vectorize
    def element(x, many):
        return x * many

    @cuda.jit
    def kernel(a, many):
        a[cuda.grid(1)] = many

    assert round_and_round(1, 2, 3) == 21
    for call in (
        lambda n: straight(1, n),
        lambda n: round_and_round(1, n, 1),
        lambda n: of_arrays(np.zeros(3), n),
        lambda n: element(np.zeros(3), n),
        lambda n: kernel[1, 3](np.zeros(3), n),
    ):
        for number in 2**64, -(2**63) - 1, 10**5000:
            with pytest.raises(OverflowError, match="argument many of (straight|round_and_round|of_arrays|element|kernel)"):
                call(number)
