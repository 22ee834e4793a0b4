"""Copies with other elements in some places, and repetitions, that are computed at once: triu, tril, nan_to_num, vander and tile, against NumPy."""

import random
import warnings

import numpy
import pytest

from .sharing import run_python, weft

TYPES = ["f8", "f8", "f4", "i8", "i2", "u1", "c16", "?", "f2"]


def drawn(choose, r, ndim):
    shape = tuple(choose.choice([0, 1, 2, 3, 7, 30, 65]) for _ in range(ndim))
    x = numpy.asarray(r.normal(size=shape) * 50)
    if x.ndim and x.size:
        for special in (numpy.nan, numpy.inf, -numpy.inf, -0.0):
            x[r.random(shape) < 0.1] = special
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x.astype(choose.choice(TYPES))


def same(call, operand, *others):
    """The call's result has NumPy's bits, order of axes and warnings."""
    told = []
    for np, x in ((numpy, operand), (weft, weft.array(operand))):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                made = numpy.asarray(call(np, x, *others))
                told.append(
                    (
                        made.dtype,
                        made.shape,
                        made.tobytes(),
                        {str(w.message) for w in seen if w.category is RuntimeWarning},
                    )
                )
            except (ValueError, TypeError) as e:
                told.append(type(e))
    assert told[0] == told[1], (operand, others, told)


@pytest.mark.parametrize("seed", range(8))
def test_random_operands(seed):
    choose, r = random.Random(seed), numpy.random.default_rng(seed)
    for _ in range(40):
        k = choose.choice([0, 1, -1, 5, -70, 70, 2**40])
        m, v, x = drawn(choose, r, 2), drawn(choose, r, 1), drawn(choose, r, choose.choice([1, 1, 2, 3]))
        for name in ("triu", "tril"):
            same(lambda np, a, name: getattr(np, name)(a), m, name)
            same(lambda np, a, name, k: getattr(np, name)(a, k), m, name, k)
            same(lambda np, a, name, k: getattr(np, name)(a, k=k), m, name, k)
            same(lambda np, a, name, k: getattr(np, name)(a[::-1, 1:], k), m, name, k)
            same(lambda np, a, name: getattr(np, name)(a), x, name)
        same(lambda np, a: np.nan_to_num(a), x)
        same(lambda np, a: np.nan_to_num(a.T), m)
        same(lambda np, a: np.nan_to_num(a, nan=2.0, posinf=5), v)
        columns = choose.choice([0, 1, 2, 3, 9])
        same(lambda np, a: np.vander(a), v[:12])
        same(lambda np, a, n: np.vander(a, n), v, columns)
        same(lambda np, a, n: np.vander(a[::-2], n), v, columns)
        same(lambda np, a, n: np.vander(a, n, increasing=True), v, columns)
        times = choose.choice([0, 1, 2, 7, (2,), (3, 2), (1, 1), (2, 0), (2, 1, 3), 1.5])
        for of in (v, m, x):
            same(lambda np, a, times: np.tile(a, times), of, times)
        same(lambda np, a, times: np.tile(a[::2], times), m, times)


def test_powers_that_are_infinite_are_told_of():
    same(lambda np, a: np.vander(a, 5), numpy.array([1e200, 2.0]))
    large = numpy.linspace(-1, 1, 30_000)
    for a in (large, large[::-3], (large * 9).astype(int)):
        same(lambda np, a: np.vander(a, 7), a)  # by all cores
    large[20_000] = 1e200
    same(lambda np, a: np.vander(a, 5), large)


def test_results_are_new_arrays():
    m, v = weft.array(numpy.ones((4, 4))), weft.array(numpy.ones(5))
    for made, of in ((weft.triu(m), m), (weft.nan_to_num(v), v), (weft.tile(v, 1), v), (weft.tile(m, (1, 1)), m)):
        made[...] = 7
        assert (numpy.asarray(of) == 1).all()


PROGRAM = """
import hashlib, numpy, weft as np
r = numpy.random.default_rng(3)
for n in (100, 5_000, 40_000, 131_073, 1_000_000):
    x = r.normal(size=n)
    x[::7], x[3::11], x[5::13] = numpy.nan, numpy.inf, -numpy.inf
    side = int(n**0.5)
    ours, small = np.array(x), np.array(x.astype("f4"))
    both = ours * 2  # in a window that waits
    m = ours[: side * side].reshape(side, side)
    made = [np.nan_to_num(ours), np.nan_to_num(small), np.nan_to_num(both), np.triu(m, 1), np.tril(m), np.vander(ours[:300], 9), np.tile(ours[:9000], 3), np.tile(m[:20], (2, 3))]
    made += [np.abs(ours + 1j * both), ours > both, both == both, np.signbit(ours)]
    for y in made:
        print(hashlib.sha256(numpy.asarray(y).tobytes()).hexdigest())
"""


def test_bits_are_those_of_the_general_functions():
    told = []
    for debug in ("", "noeager", "check"):
        done = run_python(PROGRAM, env={"WEFT_DEBUG": debug})
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
    assert told[0] == told[1] == told[2]
