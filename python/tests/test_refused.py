"""What weft refuses with an error, NumPy is asked about: of several mistakes it names the one that it meets first, and some are none to it."""

import threading

import numpy
import pytest
import weft as np
from weft import _answers


def raised(call, module):
    try:
        return call(module)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        return type(error).__name__, str(error)


CALLS = [
    lambda np: np.take(np.ones(2), 9, out=np.zeros(3)),
    lambda np: np.swapaxes(np.ones(2), 2, None),
    lambda np: np.radians(np.ones(2, complex)),
    lambda np: np.divmod(np.array(1j), np.array(1j)),
    lambda np: np.where(np.ones((2, 2)), [[1, 2], [3]]),
    lambda np: np.matmul(np.ones((1, 3)), np.ones((3, 2)), out=np.ones((3, 2))),
    lambda np: np.ones(2).std(correction=1),
    lambda np: np.ones(2).sum(axes=0),
    lambda np: np.ones(3).cumsum(1, 2, 3, 4, 5),
    lambda np: np.zeros(2, order="K"),
    lambda np: np.asarray(np.ones(2), device="gpu"),
    lambda np: np.astype([1], bool),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_errors_are_numpys(call):
    assert raised(call, np) == raised(call, numpy)


def test_what_numpy_takes_is_no_error():
    made = np.cumsum(np.array(5.0), axis=0)
    assert made.tolist() == [5.0]
    assert np.compress([True], np.array(1.0), axis=0).tolist() == [1.0]
    a = np.array([False, False])
    a.fill([1.0, 1.0])  # which is true, as a list of so many is
    assert a.tolist() == [True, True]


def test_numpy_writes_what_comes_before_the_mistake():
    theirs, ours = numpy.ones(3), np.ones(3)
    for module, a in ((numpy, theirs), (np, ours)):
        with pytest.raises(IndexError):
            module.put(a, [0, 9], 2)
    assert ours.tolist() == theirs.tolist()


def test_the_programs_own_code_runs_once():
    class Odd:
        calls = 0

        def __index__(self):
            Odd.calls += 1
            raise ValueError("of the program's")

    with pytest.raises(ValueError, match=r"of the program's"):
        np.take(np.ones(2), 0, axis=Odd())
    assert Odd.calls == 1


def test_numpy_is_not_asked_about_many_elements():
    a = np.ones(_answers.MOST + 1)
    with pytest.raises(np.exceptions.AxisError):
        np.swapaxes(a, 2, None)


def test_what_runs_the_programs_code_is_read_once():
    """weft has asked an object for its elements; where it then refuses the call, NumPy is not asked, which would ask the object again."""

    class Counted:
        asked = 0

        def __array__(self, dtype=None, copy=None):
            self.asked += 1
            return numpy.ones(7)

    for module in (numpy, np):
        given = Counted()
        with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(7,\)"):
            module.add(module.ones(3), given)
        assert given.asked == 1, module


@pytest.mark.parametrize("name", ["sum", "cumsum", "prod", "mean"])
def test_a_call_that_is_left_to_numpy_has_its_own_arguments(name):
    """While another thread is within a call whose list became an array, too: each holds the other up, in the code of an argument."""
    first, second, ended = threading.Event(), threading.Event(), threading.Event()
    found = {}

    class First:
        def __index__(self):
            first.set()
            second.wait(10)
            return 0

    class Second:
        def __index__(self):
            second.set()
            ended.wait(10)
            return 0

    def one():
        try:
            found["one"] = getattr(np, name)([[1, 2], [3, 4]], axis=First(), dtype="g")
        finally:
            ended.set()

    def other():
        first.wait(10)
        found["other"] = np.roll([[10, 20], [30, 40]], Second(), 0)

    threads = [threading.Thread(target=target) for target in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numpy.array_equal(found["one"], getattr(numpy, name)([[1, 2], [3, 4]], axis=0, dtype="g"))
    assert found["other"].tolist() == [[10, 20], [30, 40]]
