"""Draws by parts: NumPy's numbers, and NumPy's state behind them, wherever the parts begin."""

import functools
import threading

import numpy
import pytest
import weft
from weft import _draws, _parts

ARGUMENTS = {
    "beta": (2, 3), "binomial": (10, 0.5), "chisquare": (2,), "f": (2, 3), "gamma": (2,), "geometric": (0.5,), "gumbel": (0, 1), "laplace": (0, 1),
    "logistic": (0, 1), "lognormal": (0, 1), "logseries": (0.5,), "negative_binomial": (3, 0.5), "noncentral_chisquare": (2, 1),
    "noncentral_f": (2, 3, 1), "pareto": (2,), "poisson": (3,), "power": (2,), "rayleigh": (2,), "standard_cauchy": (), "standard_gamma": (0.7,),
    "standard_t": (3,), "triangular": (0, 1, 2), "vonmises": (0, 1), "wald": (1, 2), "weibull": (2,), "zipf": (3,), "dirichlet": ([1.0, 2.0],),
    "multinomial": (10, [0.2, 0.3, 0.5]), "standard_normal": (), "standard_exponential": (),
}  # fmt: skip
KINDS = (numpy.random.PCG64, numpy.random.PCG64DXSM, numpy.random.Philox)


def test_each_distribution_has_arguments():
    assert _draws.BY_PARTS.keys() - _draws.UNSEEDED.keys() <= ARGUMENTS.keys()


def drawn(parts, shape, dtype):
    made = numpy.full(shape, 9, dtype)
    _parts.fill(parts, made)
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_parts_have_the_bits_of_one_draw(name, kind):
    count, args = 15_000, ARGUMENTS[name]
    for seed, parts in ((1, 2), (2, 5)):
        ours, theirs = kind(seed), numpy.random.Generator(kind(seed))
        for generator in (numpy.random.Generator(ours), theirs):
            generator.integers(0, 5, 3, numpy.uint32)  # one half of a number is left over, and a Philox stands between two blocks
            generator.random(seed)
        wanted = getattr(theirs, name)(*args, size=count)
        made = _parts.draw(name, ours, args, {}, count, parts)
        assert made is not None and (drawn(made, wanted.shape, wanted.dtype) == wanted).all()
        assert repr(ours.state) == repr(theirs.bit_generator.state)
        assert numpy.random.Generator(ours).integers(0, 1 << 31, 3, numpy.uint32).tolist() == theirs.integers(0, 1 << 31, 3, numpy.uint32).tolist()


@pytest.mark.parametrize(("window", "widest"), [(1, 8), (1, 0), (4, 40)])
def test_parts_that_meet_late_or_never(window, widest, monkeypatch):
    monkeypatch.setattr(_parts, "_WINDOW", window)
    monkeypatch.setattr(_parts, "_WIDEST", widest)
    for seed in range(6):
        ours, theirs = numpy.random.PCG64(seed), numpy.random.Generator(numpy.random.PCG64(seed))
        wanted = theirs.zipf(2.5, size=9000)
        made = _parts.draw("zipf", ours, (2.5,), {}, 9000, 3)
        assert (drawn(made, wanted.shape, wanted.dtype) == wanted).all() and ours.state == theirs.bit_generator.state


def test_what_parts_leave_to_numpy():
    state = numpy.random.PCG64(1).state
    for name, args, options, kind in (
        ("hypergeometric", (10, 10, 5), {}, numpy.random.PCG64), ("standard_normal", (), {"dtype": numpy.float32}, numpy.random.PCG64), ("gamma", (2,), {}, numpy.random.MT19937),
    ):  # fmt: skip
        generator = kind(1)
        assert _parts.draw(name, generator, args, options, 10_000, 3) is None
        assert kind is numpy.random.MT19937 or generator.state == state
    assert _parts.draw("gamma", numpy.random.PCG64(1), (-2,), {}, 10_000, 3) is None


@pytest.fixture
def by_parts(monkeypatch):
    """Draws by parts, whatever machine this is and however long they take."""
    monkeypatch.setattr(_parts, "LEAST", 4096)
    monkeypatch.setattr(_parts, "_WORTH", 1)
    monkeypatch.setattr(_parts, "_processors", lambda: 2)


def test_without_more_threads_those_that_there_are_do_all_jobs(monkeypatch):
    monkeypatch.setattr(_parts, "_processors", lambda: 4)
    started, start = [], threading.Thread.start

    def limited(thread):
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    for most in range(4):
        done = []
        started.clear()
        _parts.together([functools.partial(done.append, i) for i in range(20)])
        assert sorted(done) == list(range(20)) and len(started) == min(most, 3) and not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("at", ["job", "next", "start", "join"])
def test_an_interrupt_ends_all_threads_of_jobs(at, monkeypatch):
    """An interrupt comes in a job, between two, after a thread's start or while the last jobs are waited for: no other job begins, and no thread is left."""
    monkeypatch.setattr(_parts, "_processors", lambda: 3)
    main, before = threading.current_thread(), threading.active_count()
    under_way, released = threading.Event(), threading.Event()
    begun, interrupted = [], []

    def interrupt():
        if threading.current_thread() is main and not interrupted:
            assert under_way.wait(60)
            interrupted.append(at)
            raise KeyboardInterrupt

    def job():
        begun.append(threading.current_thread())
        if begun[-1] is not main:
            under_way.set()
            assert released.wait(60)
        elif at == "job":
            interrupt()
        else:
            assert under_way.wait(60)

    class Jobs(list):
        def __iter__(self):
            return self

        def __next__(self):
            if at == "next":
                interrupt()
            if not self:
                raise StopIteration
            return self.pop()

    start, join = threading.Thread.start, threading.Thread.join

    def started(thread):
        start(thread)
        if at == "start":
            interrupt()
        if at == "next":  # where the lock is held
            assert under_way.wait(60)

    def joined(thread, *args):
        if at == "join":
            interrupt()
        released.set()  # when all are to end
        join(thread, *args)

    monkeypatch.setattr(threading.Thread, "start", started)
    monkeypatch.setattr(threading.Thread, "join", joined)
    jobs = Jobs([job] * (3 if at == "join" else 100))
    with pytest.raises(KeyboardInterrupt):
        _parts.together(jobs)
    assert threading.active_count() == before and interrupted == [at]
    assert begun.count(main) <= 2 and len(set(begun) - {main}) == len(begun) - begun.count(main)  # no other thread began two


def test_generators_draw_by_parts(by_parts):
    ours, theirs = weft.random.default_rng(7), numpy.random.default_rng(7)
    before = dict(weft.coverage().fallback)
    for call in (
        lambda g: g.gamma(2.0, size=(100, 60)), lambda g: g.poisson(lam=4, size=6000), lambda g: g.beta(2, b=numpy.float64(3), size=6000), lambda g: g.normal(1, 2, 20_000),
        lambda g: g.dirichlet([1, 2, 3], 5000), lambda g: g.standard_normal((70, 300)), lambda g: g.gamma(2.0, 3.0, (6000,)),
    ):  # fmt: skip
        made, wanted = call(ours), call(theirs)
        assert type(made) is weft.ndarray and made.shape == wanted.shape and made.dtype == wanted.dtype and (numpy.asarray(made) == wanted).all()
    assert weft.coverage().fallback == before
    for call in (lambda g: g.gamma([1.0, 2.0], size=(6000, 2)), lambda g: g.poisson(3, size=100), lambda g: g.gamma(2, 1, 6000, **{})):
        assert (numpy.asarray(call(ours)) == call(theirs)).all()
    for call in (lambda g: g.gamma(-1, size=6000), lambda g: g.gamma(2, 1, 6000, size=3), lambda g: g.gamma(nothing=3, size=6000), lambda g: g.poisson(size=-1)):
        errors = []
        for generator in (ours, theirs):
            with pytest.raises((TypeError, ValueError)) as caught:
                call(generator)
            errors.append((caught.type, str(caught.value)))
        assert errors[0] == errors[1]
    assert ours.random() == theirs.random()


def test_draws_without_a_seed_are_from_streams_of_their_own(by_parts, monkeypatch):
    monkeypatch.setattr(_parts, "_FREE", 1000)
    free, seeded = weft.random.default_rng(), weft.random.default_rng(5)
    before = dict(weft.coverage().fallback)
    made = numpy.asarray(free.hypergeometric(10, 20, 9, size=(50, 110)))
    assert made.shape == (50, 110) and made.dtype == numpy.int64 and abs(made.mean() - 3) < 0.2 and len({row.tobytes() for row in made}) == 50
    more = numpy.asarray(free.hypergeometric(10, 20, 9, size=5500))
    assert (more != made.ravel()).any()
    assert numpy.asarray(free.multivariate_hypergeometric([3, 4], 2, size=5000)).sum(axis=1).tolist() == [2] * 5000
    assert weft.coverage().fallback == before
    with pytest.raises(ValueError, match="ngood < 0"):
        free.hypergeometric(-1, 2, 1, size=5000)
    assert (numpy.asarray(seeded.hypergeometric(10, 20, 9, size=5000)) == numpy.random.default_rng(5).hypergeometric(10, 20, 9, size=5000)).all()


def test_normals_of_several_dimensions_are_products(by_parts):
    mean, cov = [1.0, -2.0], [[2.0, 0.3], [0.3, 1.0]]
    before = dict(weft.coverage().fallback)
    for method in ("svd", "eigh", "cholesky"):
        ours, theirs = weft.random.default_rng(3), numpy.random.default_rng(3)
        made, wanted = ours.multivariate_normal(mean, weft.array(cov), (200, 100), method=method), theirs.multivariate_normal(mean, cov, (200, 100), method=method)
        assert type(made) is weft.ndarray and made.shape == wanted.shape
        numpy.testing.assert_allclose(numpy.asarray(made), wanted, rtol=1e-12, atol=1e-12)
        assert ours.random() == theirs.random()
    assert weft.coverage().fallback == before
    free = numpy.asarray(weft.random.RandomState().multivariate_normal(mean, cov, 20_000))
    assert free.shape == (20_000, 2) and abs(numpy.cov(free.T) - cov).max() < 0.2
    assert (numpy.asarray(weft.random.RandomState(3).multivariate_normal(mean, cov, 5000)) == numpy.random.RandomState(3).multivariate_normal(mean, cov, 5000)).all()


def test_a_random_state_without_a_seed_draws_by_parts(by_parts):
    free, seeded = weft.random.RandomState(), weft.random.RandomState(5)
    before = dict(weft.coverage().fallback)
    assert free.poisson(50, size=5000).mean() > 40 and abs(free.randn(5000).mean()) < 1 and free.randint(3, size=5000).max() == 2
    assert weft.coverage().fallback == before
    assert (numpy.asarray(seeded.gamma(2, size=5000)) == numpy.random.RandomState(5).gamma(2, size=5000)).all()
    with pytest.raises(ValueError, match="lam < 0"):
        free.poisson(-1, size=5000)
    state = free.get_state()
    first = free.gamma(2, size=5000)
    free.set_state(state)
    assert (first == free.gamma(2, size=5000)).all()
