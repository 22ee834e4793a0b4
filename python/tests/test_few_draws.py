"""Few random numbers at a time: NumPy's, by type and bit."""

import numpy
import pytest
import weft
from weft import _draws


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Draws of tests are small."""
    monkeypatch.setattr(_draws, "_TRIED", 0)


FEW = """
    random() | random(None, "f4") | random(3) | random((2, 2)) | uniform(2, 3) | uniform(size=4) | normal() | normal(1.0, 2.0, 5) | standard_normal()
    standard_normal(dtype=numpy.float32) | exponential() | integers(10) | integers(0, 10, 5) | integers(5, dtype=numpy.int8) | integers(2, endpoint=True)
    choice(10) | choice(5, 3) | choice([1, 2, 3]) | choice(["a", "b"]) | choice([1.5, 2.5], p=[0.25, 0.75]) | permutation(5) | permutation([3, 1, 2])
    poisson(3.0) | binomial(5, 0.5) | multinomial(3, [0.5, 0.5]) | random(200) | bytes(3)
    multivariate_hypergeometric([3, 4, 5], 4) | multivariate_hypergeometric([3, 4], 2, 3, method="count") | dirichlet([1.0, 2.0]) | permutation([[1, 2], [3, 4]], axis=1)
"""
LEGACY_FEW = """
    rand() | rand(3) | rand(2, 2) | random() | random_sample() | randn() | randn(4) | randint(10) | randint(0, 5, 10) | uniform() | normal() | normal(1, 2, 3)
    choice(5) | choice([1, 2]) | permutation(4) | exponential() | tomaxint() | standard_exponential() | get_state()
    multinomial(3, [0.5, 0.5]) | multinomial(3, [0.5, 0.5], (2, 2)) | dirichlet([1.0, 2.0]) | dirichlet((1.0, 2.0), 3) | tomaxint(3) | tomaxint((2, 2)) | bytes(5)
"""


@pytest.mark.parametrize("draw", [case.strip() for line in FEW.strip().splitlines() for case in line.split("|")])
def test_few_numbers_are_numpys_by_type_and_bit(draw):
    ours, theirs = weft.random.default_rng(7), numpy.random.default_rng(7)
    for _ in range(2):
        equal_draws(eval("g." + draw, {"g": ours, "numpy": numpy}), eval("g." + draw, {"g": theirs, "numpy": numpy}))
    assert ours.random() == theirs.random()  # so many numbers were drawn


@pytest.mark.parametrize("draw", [case.strip() for line in LEGACY_FEW.strip().splitlines() for case in line.split("|")])
def test_few_numbers_of_a_random_state_are_numpys(draw):
    ours, theirs = weft.random.RandomState(7), numpy.random.RandomState(7)
    equal_draws(eval("g." + draw, {"g": ours}), eval("g." + draw, {"g": theirs}))
    assert ours.random() == theirs.random()


def test_one_number_of_the_global_generator_is_a_python_float():
    for draw in (weft.random.random, weft.random.rand, weft.random.random_sample, weft.random.ranf, weft.random.sample, weft.random.randn, weft.random.normal):
        assert type(draw()) is float
    assert type(weft.random.randint(10)) is int


def equal_draws(got, want):
    if type(want) is tuple:
        for g, w in zip(got, want, strict=True):
            equal_draws(g, w)
        return
    arrays = type(want) is numpy.ndarray
    assert type(got) is (weft.ndarray if arrays else type(want))
    assert not arrays or got.dtype == want.dtype
    assert numpy.array_equal(numpy.asarray(got), want)
