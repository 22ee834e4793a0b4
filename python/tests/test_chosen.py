"""What a generator with a seed chooses of weft's vectors, and draws many at a time: NumPy's numbers, and NumPy's state behind them."""

import random
import threading

import numpy
import pytest
import weft as np


def test_choice_of_a_shape_of_no_dimensions():
    assert np.random.default_rng(3).choice(2, ()).shape == numpy.random.default_rng(3).choice(2, ()).shape == ()
    assert type(np.random.default_rng(3).choice(2, ())) is np.ndarray and not isinstance(np.random.default_rng(3).choice(2), np.ndarray)


def chosen(module, a, seed):
    """What two generators choose of a vector, and a number behind it, which tells how many were drawn."""
    names, made = {"a": a, "size": random.Random(seed).choice([None, 0, 1, 5, (2, 3), (), 6000, a.size])}, []
    for names["generator"] in (module.default_rng(seed), module.RandomState(seed)):
        for call in ("choice(a, size)", "choice(a, size, False)", "choice(a[::-1], replace=False)", "permutation(a)", "permutation(a[::2])", "random()"):
            try:
                value = eval("generator." + call, dict(names))
                made.append((call, type(value).__name__, numpy.asarray(value).dtype, numpy.asarray(value).tolist()))
            except ValueError as e:
                made.append((call, str(e)))
    return made


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool", "complex128"])
def test_choices_and_permutations_of_vectors_are_numpys(dtype):
    for seed, n in enumerate([1, 2, 7, 100, 5000, 20_000]):
        a = numpy.random.default_rng(seed).integers(0, 90, n).astype(dtype)
        assert chosen(np.random, np.array(a), seed) == chosen(numpy.random, a, seed)


@pytest.mark.parametrize("call", [
    "choice(a, 3, True, None, 0)", "choice(a, 3, False, None, 0, False)", "choice(a, 3, axis=0)", "choice(a, 3, shuffle=False, replace=False)",
    "choice(a=a, size=2)", "choice(a, 1, True, None, 0, False, 7)", "choice(a, 3, True, None, 5)", "choice(a, 3, nonsense=1)", "permutation(a, 0)",
    "permutation(x=a)", "permutation(a, axis=5)",
])  # fmt: skip
@pytest.mark.parametrize("make", ["default_rng(3)", "RandomState(3)"])
def test_arguments_of_choices_are_read_as_numpys(make, call):
    made = []
    for module in (numpy, np):
        a = module.arange(7.0)
        try:
            made.append(numpy.asarray(eval(f"module.random.{make}.{call}", {"module": module, "a": a})).tolist())
        except (TypeError, ValueError, IndexError) as e:
            made.append(type(e).__name__)
    assert made[0] == made[1]


def test_many_floats_move_numpys_generator_on():
    """Draws of some ten thousand floats read and write the state of NumPy's own object (core/congruential.c, halves.c, ziggurat.c)."""
    choice = numpy.random.default_rng(5)
    for seed in range(60):
        kind = (numpy.random.PCG64, numpy.random.Philox, numpy.random.SFC64)[seed % 3 if seed % 5 == 0 else 0]
        theirs, ours = numpy.random.Generator(kind(seed)), np.random.Generator(kind(seed))
        for _ in range(4):
            size = int(choice.choice([1, 31, 32, 100, 4095, 4096, 4097, 20_000, 65_536, 65_537]))
            size = size if choice.random() < 0.6 else (size // 100 + 1, 7)
            low, most = float(choice.uniform(-3, 3)), int(choice.choice([1, 2, 7, 1000, 3 << 30, (1 << 32) - 3, (1 << 32) - 1, 1 << 32, 1 << 40]))
            draw = (
                lambda rng, n: rng.random(n),
                lambda rng, n: rng.uniform(low, low + 2, n),  # noqa: B023 drawn at once
                lambda rng, n: rng.integers(0, 100, 7),
                lambda rng, n: rng.integers(-3, most, n),  # noqa: B023
                lambda rng, n: rng.integers(most, size=n),  # noqa: B023
                lambda rng, n: rng.random(3, dtype="float32"),
                lambda rng, n: rng.random(size=n),
                lambda rng, n: rng.standard_normal(n),
                lambda rng, n: rng.normal(low, 0.3, n),  # noqa: B023
                lambda rng, n: rng.normal(size=n),
                lambda rng, n: rng.standard_exponential(n),
                lambda rng, n: rng.exponential(2.5, n),
                lambda rng, n: rng.exponential(size=n),
            )[choice.integers(0, 13)]
            want, got = draw(theirs, size), draw(ours, size)
            assert isinstance(got, np.ndarray)
            assert got.shape == want.shape
            assert numpy.asarray(got).tobytes() == want.tobytes(), (seed, size)
        assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)


@pytest.mark.parametrize(("draw", "tail"), [("standard_normal", 3.66), ("standard_exponential", 7.7)])
def test_numbers_of_every_layer_and_tail_are_numpys(draw, tail):
    theirs, ours = numpy.random.default_rng(31), np.random.default_rng(31)
    want, got = getattr(theirs, draw)(1_000_000), getattr(ours, draw)(1_000_000)
    assert abs(want).max() > tail + 1  # where the tail begins
    for _ in range(3000):
        assert getattr(theirs, draw)() == getattr(ours, draw)()
    assert numpy.asarray(got).tobytes() == want.tobytes()
    assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)


def test_normals_that_numpy_is_asked_for_leave_the_lock_free():
    """In the tail NumPy draws, with the lock of the generator; another thread may draw meanwhile."""
    rng = np.random.default_rng(32)
    threads = [threading.Thread(target=rng.standard_normal, args=(200_000,)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert rng.bit_generator.lock.acquire(blocking=False)
    assert not any(t.is_alive() for t in threads)


@pytest.mark.parametrize("size", [5000, (70, 80), (4096, 1)])
@pytest.mark.parametrize("among", [[-1, 1], [1.5, 2, True], [False, True], [5], ["a", "b"], [[1, 2], [3, 4]], [1 << 70, 1], 7, 1, range(3), (1, 2)])
def test_many_choices_with_replacement_are_numpys(among, size):
    theirs, ours = numpy.random.default_rng(8), np.random.default_rng(8)
    for given, taken in ((among, among), (numpy.arange(5) * 0.5, np.arange(5) * 0.5)):
        want, got = theirs.choice(given, size), ours.choice(taken, size)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert numpy.array_equal(numpy.asarray(got), want)
    assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)
