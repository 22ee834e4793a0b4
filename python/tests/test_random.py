"""numpy.random: NumPy's bits from what has a seed, sound numbers from what has none."""

import copy
import math
import os
import pickle
import subprocess
import sys

import numpy
import pytest
import weft
from weft import _draws

from .sharing import assert_same

np = weft
BIG = 5000  # drawn by weft; LITTLE by NumPy
LITTLE = 7
SIZES = (BIG, LITTLE, (70, 71), (3, 0), (), 4096, 4095, (17, 1, 301), 10001)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Draws of tests are small."""
    monkeypatch.setattr(_draws, "_TRIED", 0)


def host(x):
    return numpy.asarray(x)


def same(ours, theirs):
    assert type(ours) is weft.ndarray if isinstance(theirs, numpy.ndarray) and theirs.ndim else True
    assert host(ours).dtype == host(theirs).dtype and host(ours).shape == host(theirs).shape
    assert (host(ours) == host(theirs)).all()


# Calls that both generators make, by name; the sizes vary.
DRAWS = {
    "random": lambda g, size: g.random(size),
    "random f4": lambda g, size: g.random(size, dtype="f4"),
    "random dtype": lambda g, size: g.random(size, numpy.dtype(numpy.float32)),
    "random out": lambda g, size: weft.array(g.random(out=numpy.empty(size))),  # what is given comes back
    "uniform": lambda g, size: g.uniform(-1.5, 2.7, size),
    "uniform 1": lambda g, size: g.uniform(size=size),
    "uniform numpy": lambda g, size: g.uniform(numpy.float32(0.1), numpy.int8(3), size),
    "standard_normal": lambda g, size: g.standard_normal(size),
    "standard_normal f4": lambda g, size: g.standard_normal(size, dtype=numpy.float32),
    "normal": lambda g, size: g.normal(0.3, 1.7, size),
    "normal 0": lambda g, size: g.normal(5, 0, size),
    "exponential": lambda g, size: g.exponential(2.5, size),
    "standard_exponential f4": lambda g, size: g.standard_exponential(size, "f4"),
    "standard_exponential inv": lambda g, size: g.standard_exponential(size, method="inv"),
    "integers 6": lambda g, size: g.integers(1, 7, size),
    "integers 2": lambda g, size: g.integers(2, size=size),
    "integers 256": lambda g, size: g.integers(0, 255, size, endpoint=True),
    "integers i4": lambda g, size: g.integers(-8, 8, size, dtype=numpy.int32),
    "integers u4": lambda g, size: g.integers(0, 1 << 32, size, dtype=numpy.uint32),
    "integers u1": lambda g, size: g.integers(0, 16, size, dtype=numpy.uint8),
    "integers i2": lambda g, size: g.integers(-2, 2, size, dtype=numpy.int16),
    "integers bool": lambda g, size: g.integers(0, 2, size, dtype=bool),
    "integers 2**33": lambda g, size: g.integers(-(1 << 32), 1 << 32, size),
    "integers all": lambda g, size: g.integers(-(1 << 63), (1 << 63) - 1, size, endpoint=True),
    "integers u8": lambda g, size: g.integers(0, 1 << 64, size, dtype=numpy.uint64),
    "integers u8 half": lambda g, size: g.integers(1 << 63, (1 << 64) - 1, size, dtype=numpy.uint64, endpoint=True),
    "integers 1": lambda g, size: g.integers(3, 4, size),
    "integers i4 6": lambda g, size: g.integers(-3, 3, size, dtype=numpy.int32),
    "integers u8 10": lambda g, size: g.integers((1 << 64) - 11, (1 << 64) - 1, size, dtype=numpy.uint64),
    "integers 2**31": lambda g, size: g.integers(0, (1 << 31) + 1, size),
    "integers wide": lambda g, size: g.integers(0, 5_000_000_000, size),
    "poisson": lambda g, size: g.poisson(3.0, size),
    "raw": lambda g, size: g.bit_generator.random_raw(3).tolist(),
    "one": lambda g, size: numpy.float64(g.random()),
    "one f4": lambda g, size: g.random(dtype="f4"),
    "one integer": lambda g, size: g.integers(100),
}


def generators(kind=numpy.random.PCG64, seed=5):
    return weft.random.Generator(kind(seed)), numpy.random.Generator(kind(seed))


@pytest.mark.parametrize("kind", [numpy.random.PCG64, numpy.random.Philox])
@pytest.mark.parametrize("name", DRAWS)
def test_seeded_draws_are_numpys(name, kind):
    ours, theirs = generators(kind)
    for before in (False, True):
        if before:
            ours.integers(100), theirs.integers(100)  # half a number stays behind
        for size in SIZES:
            same(DRAWS[name](ours, size), DRAWS[name](theirs, size))
            numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


NATIVE = ["random", "random f4", "uniform", "integers 2", "integers i4", "integers u4", "integers 2**33", "integers all", "integers 6",
          "integers i4 6", "integers u8 10"]  # fmt: skip


@pytest.mark.parametrize("kind", [numpy.random.PCG64, numpy.random.Philox])
@pytest.mark.parametrize("name", NATIVE)
def test_weft_draws_by_place(name, kind, monkeypatch):
    """Also behind half a number, and behind a part of a block."""
    ours, theirs = generators(kind)
    same(ours.random(3), theirs.random(3))
    same(ours.integers(100, size=LITTLE), theirs.integers(100, size=LITTLE))
    monkeypatch.setattr(weft.random, "run", None)  # by which NumPy is called
    for size in (BIG, (70, 73), BIG + 1, BIG):
        same(DRAWS[name](ours, size), DRAWS[name](theirs, size))
    numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


@pytest.mark.parametrize("kind", [numpy.random.PCG64, numpy.random.Philox])
def test_integers_that_are_thrown_away(kind):
    """Where one is thrown away, whether that was to be expected or not, NumPy draws."""
    for span in (3_000_000_000, 1_000_000, 100_000, 10_001):
        ours, theirs = generators(kind)
        for _ in range(20):
            same(ours.integers(span, size=20_000), theirs.integers(span, size=20_000))
        numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


def set_state(generator, **changes):
    generator.bit_generator.state = generator.bit_generator.state | changes


@pytest.mark.parametrize("draw", [
    lambda g: g.random(BIG),
    lambda g: g.random(BIG, dtype="f4"),
    lambda g: g.integers(64, size=BIG),
])  # fmt: skip
@pytest.mark.parametrize("changes", [
    dict(has_uint32=1, uinteger=12345),
    dict(buffer=numpy.arange(4, dtype=numpy.uint64), buffer_pos=1),
    dict(buffer_pos=0),
    dict(state={"counter": numpy.array([5, 1, 0, 0], numpy.uint64), "key": numpy.array([1, 2], numpy.uint64)}, buffer_pos=4),
    dict(state={"counter": numpy.array([2**64 - 7, 0, 3, 0], numpy.uint64), "key": numpy.array([1, 2], numpy.uint64)}, buffer_pos=4),
    dict(state={"counter": numpy.array([0, 0, 3, 2**64 - 1], numpy.uint64), "key": numpy.array([2**64 - 1, 2], numpy.uint64)}, buffer_pos=4),
])  # fmt: skip
def test_philox_in_any_state(draw, changes):
    """What is left over need not be what the counter gives."""
    ours, theirs = generators(numpy.random.Philox)
    for g in (ours, theirs):
        g.random(5)
        set_state(g, **changes)
    for _ in range(2):
        same(draw(ours), draw(theirs))
        same(ours.random(3), theirs.random(3))
    numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


def test_philox_streams():
    """Counters, keys, jumps and advances are NumPy's."""
    for make in (
        lambda p: p(counter=[0, 0, 7, 1 << 63], key=3),
        lambda p: p(counter=1 << 70, key=3),
        lambda p: p(5).jumped(3),
        lambda p: p(5).advance(1 << 40),
        lambda p: p(5).advance(1 << 66),
    ):
        ours, theirs = (module.random.Generator(make(numpy.random.Philox)) for module in (weft, numpy))
        same(ours.random(BIG), theirs.random(BIG))
        same(ours.random(BIG, dtype="f4"), theirs.random(BIG, dtype="f4"))
        numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


@pytest.mark.parametrize("kind", [numpy.random.PCG64, numpy.random.MT19937, numpy.random.Philox, numpy.random.PCG64DXSM])
@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_draws_is_numpys(kind, seed):
    choice = numpy.random.default_rng(100 + seed)
    ours, theirs = generators(kind, seed)
    drawn = []
    for _ in range(60):
        name = choice.choice(list(DRAWS))
        size = (BIG, LITTLE, BIG + 1)[choice.integers(3)]
        drawn.append((DRAWS[name](ours, size), DRAWS[name](theirs, size), name))
    for one, other, name in drawn:
        assert (host(one) == host(other)).all(), (name, [n for _, _, n in drawn])
    numpy.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


def test_seeds_of_every_kind():
    for seed in (0, 1 << 100, [1, 2, 3], numpy.random.SeedSequence(7)):
        same(np.random.default_rng(seed).random(BIG), numpy.random.default_rng(seed).random(BIG))
    with pytest.raises(ValueError):
        np.random.default_rng(-1)
    rng = np.random.default_rng(3)
    assert np.random.default_rng(rng) is rng


@pytest.mark.parametrize("size", SIZES)
def test_legacy_draws_are_numpys(size):
    ours, theirs = weft.random.RandomState(5), numpy.random.RandomState(5)
    dims = size if isinstance(size, tuple) else (size,)
    for draw in (
        lambda r: r.random_sample(size),
        lambda r: r.random(size),
        lambda r: r.rand(*dims),
        lambda r: r.uniform(3, -1, size),
        lambda r: r.randn(*dims),
        lambda r: r.standard_normal(size),
        lambda r: r.normal(1, 2, size),
        lambda r: r.randint(0, 100, size),
        lambda r: r.exponential(3, size),
        lambda r: r.uniform(0, 1, size),
    ):
        same(draw(ours), draw(theirs))
    numpy.testing.assert_equal(ours.get_state(), theirs.get_state())


def test_a_random_state_over_pcg64():
    ours = weft.random.RandomState(numpy.random.PCG64(5))
    theirs = numpy.random.RandomState(numpy.random.PCG64(5))
    for _ in range(3):
        same(ours.rand(BIG), theirs.rand(BIG))
        same(ours.randint(5, size=3), theirs.randint(5, size=3))
        same(ours.uniform(1, 2, BIG), theirs.uniform(1, 2, BIG))


def legacy(module):
    r = module.random
    r.seed(11)
    drawn = [r.random(BIG), r.rand(70, 71), r.randn(BIG), r.random_sample(BIG), r.sample(BIG), r.ranf(BIG)]
    drawn += [r.uniform(2, 5, BIG), r.normal(1, 2, BIG), r.standard_normal(BIG), r.exponential(2, BIG)]
    drawn += [r.standard_exponential(BIG), r.randint(0, 100, BIG), r.randint(0, 2, BIG, dtype=bool), r.random(3)]
    state = r.get_state()
    drawn += [r.rand(BIG)]
    r.set_state(state)
    return [*drawn, r.rand(BIG)]


def test_global_draws_with_a_seed_are_numpys():
    for ours, theirs in zip(legacy(weft), legacy(numpy), strict=True):
        same(ours, theirs)


def alone(program, debug=""):
    """Runs a program in a process of its own, whose global generator has got no seed."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("WEFT_", "LEGATE_"))}
    env["WEFT_DEBUG"] = debug
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_global_draws_become_numpys_when_the_state_is_asked_for():
    assert alone("""
import numpy, weft as np
from weft import _unseeded
a, b = np.random.rand(5000), np.random.rand(5000)
assert (a != b).all() and _unseeded.legacy_is_free()
state = np.random.get_state()
theirs = numpy.random.RandomState()
theirs.set_state(state)
assert not _unseeded.legacy_is_free()
assert (numpy.asarray(np.random.randn(5000)) == theirs.randn(5000)).all()
assert (numpy.asarray(np.random.rand(5000)) == theirs.rand(5000)).all()
""") == ""


def test_global_draws_become_numpys_when_a_library_gives_a_seed():
    assert alone("""
import numpy, weft as np
np.random.rand(5000)
numpy.random.seed(3)
assert (numpy.asarray(np.random.rand(5000)) == numpy.random.RandomState(3).rand(5000)).all()
""") == ""


UNSEEDED = """
import hashlib, numpy, weft as np
def show(x):
    x = numpy.asarray(x)
    print(x.dtype, x.shape, hashlib.sha256(x.tobytes()).hexdigest()[:16])
g = np.random.default_rng()
for size in (5000, (71, 72), 100_003, (3, 40_000)):
    show(g.random(size)); show(g.random(size, dtype="f4")); show(g.uniform(-1, 1, size))
    show(g.normal(3, 2, size)); show(g.standard_normal(size, dtype="f4"))
    show(g.exponential(2, size)); show(g.standard_exponential(size, "f4"))
    show(g.integers(0, 100, size)); show(g.integers(0, 64, size)); show(g.integers(-5, 6, size, dtype="i1"))
    x, y = g.random(size), g.random(size)
    show(np.mean(x * x + y * y < 1.0)); show((x + g.normal(size=size)).sum(axis=0))
    r = np.random
    show(r.rand(5000)); show(r.randn(71, 72)); show(r.uniform(2, 1, size)); show(r.normal(1, 2, size))
    show(r.exponential(1, size)); show(r.randint(0, 10, size)); show(r.random(size)); show(r.standard_normal(size))
for child in g.spawn(2):
    show(child.random(5000))
"""


def test_unseeded_draws_are_the_same_under_every_configuration():
    want = alone(UNSEEDED, "seed=7")
    assert len(want.splitlines()) == 4 * 20 + 2
    assert want != alone(UNSEEDED, "seed=8")
    for flags, debug in (("--cpus 1", ""), ("--cpus 4", "tile=1"), ("--cpus 2", "nofuse"), ("--cpus 2", "window=1,tile=64"),
                         ("--gpus 2 --emulate", "tile=1"), ("--cpus 2", "isa=base")):  # fmt: skip
        program = f"import weft.settings; weft.settings.configure({flags!r})\n" + UNSEEDED
        assert alone(program, ",".join(filter(None, ["seed=7", debug]))) == want, (flags, debug)


def fixed(seed=1):
    """A generator that counts as one without a seed, and always draws the same."""
    return weft.random.Generator(weft._unseeded.PCG64(seed))


def test_unseeded_uniforms_are_those_of_the_state():
    ours = fixed()
    theirs = numpy.random.Generator(numpy.random.PCG64(1))
    same(ours.random(BIG), theirs.random(BIG))
    same(ours.integers(0, 1 << 40, BIG), theirs.integers(0, 1 << 40, BIG))
    same(ours.random(BIG, dtype="f4"), theirs.random(BIG, dtype="f4"))
    ours.normal(size=BIG), theirs.random(2 * BIG)  # two numbers each
    assert ours.bit_generator.state == theirs.bit_generator.state


def kolmogorov(x, cumulative):
    """How far the share of elements up to each is from the distribution, in the test's own unit."""
    x = numpy.sort(x)
    p = cumulative(x)
    n = len(x)
    above = numpy.arange(1, n + 1) / n - p
    return math.sqrt(n) * max(above.max(), (p - numpy.arange(n) / n).max())


def gauss(x):
    return numpy.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.tolist()])


N = 200_000
# Kolmogorov's statistic is above 1.95 once in a thousand times.
DISTRIBUTIONS = {
    "random": (lambda g: g.random(N), lambda x: x, 1 / 2, 1 / 12),
    "random f4": (lambda g: g.random(N, dtype="f4"), lambda x: x, 1 / 2, 1 / 12),
    "uniform": (lambda g: g.uniform(-2, 6, N), lambda x: (x + 2) / 8, 2, 64 / 12),
    "standard_normal": (lambda g: g.standard_normal(N), gauss, 0, 1),
    "standard_normal f4": (lambda g: g.standard_normal(N, dtype="f4"), gauss, 0, 1),
    "normal": (lambda g: g.normal(3, 2, N), lambda x: gauss((x - 3) / 2), 3, 4),
    "standard_exponential": (lambda g: g.standard_exponential(N), lambda x: -numpy.expm1(-x), 1, 1),
    "standard_exponential f4": (lambda g: g.standard_exponential(N, "f4"), lambda x: -numpy.expm1(-x), 1, 1),
    "exponential": (lambda g: g.exponential(2.5, N), lambda x: -numpy.expm1(-x / 2.5), 2.5, 6.25),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_unseeded_draws_are_distributed(name, seed):
    draw, cumulative, mean, variance = DISTRIBUTIONS[name]
    x = host(draw(fixed(seed))).astype(float)
    assert kolmogorov(x, cumulative) < 1.95
    assert abs(x.mean() - mean) < 4 * math.sqrt(variance / N)
    assert abs(x.var() / variance - 1) < 8 * 3 / math.sqrt(N)
    neighbours = numpy.corrcoef(x[:-1], x[1:])[0, 1]
    assert abs(neighbours) < 4 / math.sqrt(N)


def test_tails_of_unseeded_normals():
    x = abs(host(fixed(2).standard_normal(4_000_000)))
    for sigma in (3, 4, 4.5):
        expected = len(x) * math.erfc(sigma / math.sqrt(2))
        assert abs((x > sigma).sum() - expected) < 4 * math.sqrt(expected)


@pytest.mark.parametrize("low, high, dtype", [(0, 10, "i8"), (-3, 4, "i1"), (0, 256, "u1"), (0, 1000, "u2"), (5, 6, "i8"), (0, 3, "i4")])
def test_unseeded_integers_are_distributed(low, high, dtype):
    x = host(fixed().integers(low, high, N, dtype=dtype))
    assert x.dtype == dtype and x.min() >= low and x.max() < high
    counts = numpy.bincount(x.astype(int) - low, minlength=high - low)
    expected = N / (high - low)
    chi = ((counts - expected) ** 2 / expected).sum()
    freedom = high - low - 1
    assert chi <= freedom + 4 * math.sqrt(2 * max(freedom, 1))


def test_unseeded_generators_differ():
    a, b = np.random.default_rng(), np.random.default_rng()
    assert (host(a.random(BIG)) != host(b.random(BIG))).all()
    assert (host(a.normal(size=BIG)) != host(a.normal(size=BIG))).all()


@pytest.mark.parametrize("look", [
    lambda g: g.bit_generator.state,
    lambda g: pickle.dumps(g),
    lambda g: copy.deepcopy(g),
    lambda g: g.bit_generator.jumped(),
    lambda g: g.bit_generator.seed_seq,
    lambda g: setattr(g.bit_generator, "state", numpy.random.PCG64(3).state),
])  # fmt: skip
def test_draws_are_numpys_once_the_state_is_known(look):
    ours = np.random.default_rng()
    ours.normal(size=BIG)
    assert weft._unseeded.is_free(ours.bit_generator)
    look(ours)
    assert not weft._unseeded.is_free(ours.bit_generator)
    theirs = numpy.random.Generator(numpy.random.PCG64())
    theirs.bit_generator.state = ours.bit_generator.state
    same(ours.normal(size=BIG), theirs.normal(size=BIG))
    same(ours.integers(10, size=BIG), theirs.integers(10, size=BIG))


def test_copies_go_on_alike():
    ours = np.random.default_rng()
    ours.random(BIG)
    other = pickle.loads(pickle.dumps(ours))
    assert type(other.bit_generator) is numpy.random.PCG64
    same(ours.normal(size=BIG), host(other.normal(size=BIG)))
    assert repr(np.random.default_rng()).startswith("Generator(PCG64)")
    jumped = weft.random.Generator(ours.bit_generator.jumped(2))
    theirs = numpy.random.PCG64()
    theirs.state = ours.bit_generator.state
    same(jumped.random(BIG), numpy.random.Generator(theirs.jumped(2)).random(BIG))


def test_children_are_numpys():
    ours = [g.random(BIG) for g in np.random.default_rng(3).spawn(3)]
    theirs = [g.random(BIG) for g in numpy.random.default_rng(3).spawn(3)]
    for one, other in zip(ours, theirs, strict=True):
        same(one, other)
    assert all(weft._unseeded.is_free(g.bit_generator) for g in np.random.default_rng().spawn(2))


BAD = {
    "random": [dict(size=-5000), dict(size=5000, dtype="i8"), dict(size=5000, dtype="nonsense"), dict(size=5000.5),
               dict(size=5000, out=numpy.empty(3)), dict(size=(5000, -1))],
    "uniform": [dict(low=2, high=1, size=5000), dict(low=0, high=math.inf, size=5000), dict(low="a", size=5000),
                dict(low=math.nan, size=5000)],
    "normal": [dict(scale=-1, size=5000), dict(scale="x", size=5000), dict(scale=-0.0, size=5000)],
    "standard_normal": [dict(size=5000, dtype="f2"), dict(size="x")],
    "exponential": [dict(scale=-1, size=5000)],
    "standard_exponential": [dict(size=5000, dtype="c8")],
    "integers": [dict(low=5, high=1, size=5000), dict(low=0, high=1 << 70, size=5000), dict(low=0, high=300, size=5000, dtype="u1"),
                 dict(low=-1, high=3, size=5000, dtype="u8"), dict(low=0, size=5000), dict(low="a", size=5000),
                 dict(low=0, high=3, size=5000, dtype="f8"), dict(low=0.5, high=0.6, size=5000)],
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("make", [lambda module: module.random.default_rng(1), lambda module: module.random.default_rng()])
def test_bad_arguments_get_numpys_errors(name, make):
    ours, theirs = make(weft), make(numpy)
    for arguments in BAD[name]:
        before = numpy.random.PCG64.state.__get__(ours.bit_generator)
        with pytest.raises(Exception) as wanted:
            getattr(theirs, name)(**arguments)
        with pytest.raises(type(wanted.value)) as got:
            getattr(ours, name)(**arguments)
        assert str(got.value) == str(wanted.value), arguments
        assert numpy.random.PCG64.state.__get__(ours.bit_generator) == before


def test_arrays_of_bounds_are_numpys():
    ours, theirs = np.random.default_rng(1), numpy.random.default_rng(1)
    low = numpy.arange(BIG) / BIG
    same(ours.uniform(np.array(low), 2, BIG), theirs.uniform(low, 2, BIG))
    same(ours.normal(np.array(low), 2, BIG), theirs.normal(low, 2, BIG))
    same(ours.integers(0, np.arange(1, BIG + 1)), theirs.integers(0, numpy.arange(1, BIG + 1)))


def test_big_draws_do_not_wait():
    """Draws and what is computed of them run in one pass, when the mean is read."""
    g = np.random.default_rng(1)
    np.sync()
    before = np.stats()
    x, y = g.random(100_000), g.random(100_000)
    inside = np.mean(x * x + y * y < 1.0, keepdims=True)
    del x, y
    assert np.stats()["waits"] == before["waits"]
    got = float(inside[0])
    theirs = numpy.random.default_rng(1)
    a, b = theirs.random(100_000), theirs.random(100_000)
    assert abs(got - (a * a + b * b < 1).mean()) < 1e-12
    after = np.stats()
    assert after["fused_operations"] - before["fused_operations"] >= 6


def test_modules_below_numpys_are_there():
    assert np.random.mtrand.normal is np.random.normal and np.random.mtrand.RandomState is np.random.RandomState
    assert np.random.bit_generator.BitGenerator is numpy.random.BitGenerator


def test_a_program_pickles_its_generators():
    program = """
import pickle
import random
import numpy as np
for made in (np.random.default_rng(3), np.random.RandomState(3), np.random.PCG64(3)):
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
assert again.random_raw() == made.random_raw()
"""
    script = f"from weft import _redirection; _redirection.install(); exec(compile({program!r}, 'program', 'exec'))"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("make", ["np.random.default_rng(3)", "np.random.RandomState(3)"])
def test_generators_reduce_as_numpys(make):
    made = eval(make)
    construct, (bits,), state = made.__reduce__()
    for given in (bits, "PCG64"):
        assert type(construct(given)) is type(made)
    assert (state is None) is (eval(make, {"np": numpy}).__reduce__()[2] is None)


def test_generators_of_libraries_are_generators():
    assert isinstance(numpy.random.default_rng(), np.random.Generator) and isinstance(np.random.default_rng(), np.random.Generator)
    assert isinstance(numpy.random.RandomState(), np.random.RandomState) and issubclass(numpy.random.RandomState, np.random.RandomState)
    assert not isinstance(np.random.RandomState(), np.random.Generator)
    assert type(np.random.default_rng(numpy.random.default_rng(3))) is np.random.Generator

    class Own(np.random.Generator):
        pass

    assert isinstance(Own(numpy.random.PCG64(3)), Own) and not isinstance(np.random.default_rng(3), Own)


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_bit_generators_take_arrays(name):
    kind, theirs = getattr(np.random, name), getattr(numpy.random, name)
    made = kind(np.arange(3))
    assert type(made) is theirs and isinstance(made, kind) and issubclass(theirs, kind) and kind.__name__ == name
    assert (made.random_raw(3) == theirs(numpy.arange(3)).random_raw(3)).all()
    assert kind(np.random.SeedSequence(np.arange(3))).random_raw() == theirs(numpy.random.SeedSequence([0, 1, 2])).random_raw()
    assert pickle.loads(pickle.dumps(kind)) is kind


PARAMETERS = {
    "poisson": (3.0,), "binomial": (5, 0.3), "gamma": (2.0, 1.5), "beta": (2.0, 3.0), "geometric": (0.3,), "lognormal": (0.1, 0.5), "laplace": (0.1, 2.0),
    "chisquare": (3.0,), "standard_gamma": (2.0,), "triangular": (0.0, 0.5, 1.5), "weibull": (2.0,), "pareto": (3.0,), "power": (2.0,), "rayleigh": (1.5,),
    "standard_t": (4.0,), "logistic": (0.1, 1.0), "gumbel": (0.1, 1.0), "vonmises": (0.1, 2.0), "wald": (1.0, 2.0), "f": (3.0, 4.0),
    "noncentral_f": (3.0, 4.0, 1.0), "noncentral_chisquare": (3.0, 1.0), "negative_binomial": (4, 0.4), "hypergeometric": (5, 6, 4), "zipf": (2.5,),
    "logseries": (0.4,), "standard_cauchy": (), "normal": (0.5, 2.0), "uniform": (-1.0, 2.0), "exponential": (2.0,),
}  # fmt: skip


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("legacy", [False, True])
def test_parameters_may_be_arrays(name, legacy):
    if legacy:
        ours, theirs = weft.random.RandomState(5), numpy.random.RandomState(5)
    else:
        ours, theirs = weft.random.default_rng(5), numpy.random.default_rng(5)
    p = PARAMETERS[name]
    for size in (None, 1, 7, (3, 2), 5000):
        assert_same(getattr(ours, name)(*p, size=size), getattr(theirs, name)(*p, size=size)) if size else None
        many = [numpy.full(size, value) if size else numpy.full(4, value) for value in p]
        for k in range(len(p)):  # one of them, and all
            given = [many[i] if i == k else p[i] for i in range(len(p))]
            mine = [weft.array(v) if isinstance(v, numpy.ndarray) else v for v in given]
            assert_same(getattr(ours, name)(*mine), getattr(theirs, name)(*given))
            assert_same(getattr(ours, name)(*mine, size=size), getattr(theirs, name)(*given, size=size))
        if p:
            mine = [weft.array(v) for v in many]
            assert_same(getattr(ours, name)(*mine), getattr(theirs, name)(*many))
            assert_same(getattr(ours, name)([p[0], p[0]], *p[1:]), getattr(theirs, name)([p[0], p[0]], *p[1:]))
    bad = [numpy.full(3, -type(value)(1)) for value in p]
    if name not in ("normal", "uniform", "standard_cauchy", "lognormal", "laplace", "logistic", "gumbel", "vonmises"):
        with pytest.raises(ValueError) as want:
            getattr(theirs, name)(*bad)
        with pytest.raises(ValueError) as got:
            getattr(ours, name)(*map(weft.array, bad))
        assert str(got.value) == str(want.value)


@pytest.mark.parametrize("kind", ["default_rng", "RandomState"])
@pytest.mark.parametrize("dtype", ["f8", "i8", "c8", "u1", "c16", "?"])
def test_permutations_of_many_elements_are_numpys_and_new(kind, dtype):
    values = numpy.arange(9000).astype(dtype)
    ours, theirs = getattr(np.random, kind)(8), getattr(numpy.random, kind)(8)
    x = np.array(values)
    for got, want in ((ours.permutation(x), theirs.permutation(values)), (ours.permutation(x[::-2]), theirs.permutation(values[::-2]))):
        assert type(got) is type(x) and (numpy.asarray(got) == want).all()
    assert (numpy.asarray(x) == values).all() and ours.random() == theirs.random()
