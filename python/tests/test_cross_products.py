"""cross, kron, nanmax and nanmin, which the core computes at once, are NumPy's to the last bit; where they cannot be, its text runs."""

import warnings

import numpy
import pytest
import weft

KINDS = "?bBhHiIqQefdFD"


def arrays(rng, shape, kind):
    """Numbers of a dtype: beyond zero of the unsigned ones, off the real axis of the complex ones."""
    drawn = rng.normal(size=shape) * 10
    if kind in "FD":
        drawn = drawn + 1j * rng.normal(size=shape)
    return (abs(drawn) if kind in "BHIQ" else drawn).astype(kind)


def answers(module, name, args):
    """What a function returns, or raises, and the warnings that it gives."""
    own = [module.asarray(arg) if isinstance(arg, numpy.ndarray) else arg for arg in args]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", weft.FallbackWarning)
        try:
            found = numpy.asarray(getattr(module, name)(*own))
        except Exception as e:  # noqa: BLE001 - whatever it is, both raise the same
            return type(e), str(e)
    return found.dtype, found.shape, found.strides if found.size else None, found.tobytes(), [str(w.message) for w in told]


def compare(name, *args):
    assert answers(weft, name, args) == answers(numpy, name, args), (name, args)


@pytest.mark.parametrize("kind", KINDS)
def test_cross(kind):
    rng = numpy.random.default_rng(ord(kind))
    shapes = [((3,), (3,)), ((5, 3), (5, 3)), ((3,), (700, 3)), ((1300, 3), (3,)), ((2, 4, 3), (2, 4, 3)), ((2, 4, 3), (4, 3)), ((1, 3), (3,)), ((0, 3), (3,)), ((4, 2), (4, 3))]
    for other in KINDS if kind not in "FD" else "d":
        for left, right in shapes:
            if kind in "FD" or other in "FD":  # products of complex numbers are rounded in another way
                left, right = left[-1:], right[-1:]
            compare("cross", arrays(rng, left, kind), arrays(rng, right, other))


@pytest.mark.parametrize("kind", KINDS)
def test_kron(kind):
    rng = numpy.random.default_rng(ord(kind))
    shapes = [((3,), (3,)), ((2, 3), (4, 2)), ((3,), (2, 3)), ((2, 3), (3,)), ((1, 1), (2, 2)), ((), (3,)), ((2, 2, 2), (2, 2)), ((0,), (3,))]
    for other in KINDS:
        for left, right in shapes:
            compare("kron", arrays(rng, left, kind), arrays(rng, right, other))


@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
@pytest.mark.parametrize("kind", KINDS)
def test_extremes_of_numbers(name, kind):
    rng = numpy.random.default_rng(ord(kind))
    for shape in (1,), (5,), (40, 30), (3, 4, 5):
        for share in 0, 0.3, 1:
            for zeros in (), (0, -0.0):
                drawn = arrays(rng, shape, kind)
                for zero in zeros:
                    drawn[rng.random(shape) < 0.3] = zero
                if kind in "efdFD":
                    drawn[rng.random(shape) < share] = numpy.nan
                compare(name, drawn)
                for axis in range(-1, len(shape) + 1):
                    compare(name, drawn, axis)


def test_layouts_and_what_goes_wrong():
    rng = numpy.random.default_rng(0)
    compare("cross", numpy.asfortranarray(arrays(rng, (50, 3), "d")), arrays(rng, (100, 3), "d")[::2])
    compare("cross", arrays(rng, (3, 50), "d").T, arrays(rng, (50, 3), "f"))
    compare("kron", arrays(rng, (4, 6), "d").T, arrays(rng, (6, 3), "d")[::2])
    compare("nanmax", arrays(rng, (40, 60), "d").T[::3], 0)
    far = numpy.array([numpy.inf, 1, 2])
    compare("cross", far, numpy.zeros(3))
    compare("cross", numpy.full(3, 1e300), numpy.array([1e300, 2e300, 3e300]))
    compare("kron", far, numpy.zeros(2))
    with numpy.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in multiply"):
        weft.cross(weft.full(3, 1e300), weft.array([1e300, 2e300, 3e300]))
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        assert weft.isnan(weft.nanmin(weft.full((300, 300), weft.nan)))


def test_many_vectors():
    """Of more elements than NumPy's text is left, at once and deferred."""
    rng = numpy.random.default_rng(0)
    for n in 100_000, 400_000:
        left, right = arrays(rng, (n, 3), "d"), arrays(rng, (n, 3), "d")
        compare("cross", left, right)
        compare("nanmax", left, 0)
