"""Arguments that are neither arrays nor numbers: who answers, how often, and with what."""

import importlib
import inspect
import sys
import types
import warnings

import numpy
import pytest
import weft as np

OBJECTS = numpy.array([1, 2, 3], object)
STRINGS = numpy.array(["a", "b"])
DAYS = numpy.array(["2026-01-01", "2026-01-03"], "M8[D]")
CHOSEN = numpy.array([True, False, True])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.FallbackWarning)
        yield


def python_calls(function):
    """How many Python functions a call of function calls."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "case",
    [
        "add(OBJECTS, OBJECTS)",
        "add(OBJECTS, OBJECTS, where=CHOSEN, out=OBJECTS.copy())",
        "add(OBJECTS, 1, dtype=object)",
        "add(OBJECTS, 1, casting='unsafe')",
        "add(OBJECTS, 1, out=OBJECTS.copy())",
        "add(numpy.ones(3), OBJECTS)",
        "sum(OBJECTS)",
        "sum(OBJECTS, where=CHOSEN, initial=0)",
        "prod(OBJECTS)",
        "max(OBJECTS)",
        "mean(OBJECTS)",
        "any(OBJECTS)",
        "equal(STRINGS, STRINGS)",
        "subtract(DAYS, DAYS[0])",
        "sqrt(numpy.ones(2, 'g'))",
        "add.reduce(OBJECTS)",
    ],
)
def test_what_weft_has_no_dtype_for_takes_one_turn(case):
    ours = lambda: eval(f"np.{case}")  # noqa: E731
    first = ours()  # once, so that what is made once is
    assert python_calls(ours) < 80
    theirs = eval(f"numpy.{case}")
    assert type(first) is type(theirs) or isinstance(first, np.ndarray)
    assert numpy.array_equal(numpy.asarray(first), numpy.asarray(theirs))


class Counted:
    """An array_like that counts how often it is asked."""

    def __init__(self, values):
        self.values, self.asked = values, 0

    def __array__(self, dtype=None, copy=None):
        self.asked += 1
        return numpy.array(self.values, dtype)


@pytest.mark.parametrize(
    "function", [lambda a: np.add(a, 1), lambda a: np.sum(a), lambda a: np.mean(a), lambda a: np.sqrt(a)]
)
@pytest.mark.parametrize(("values", "most"), [([1.0, 2.0], 1), (numpy.array([1.0, 2.0], object), 3)])
def test_an_array_like_is_asked_few_times(function, values, most):
    given = Counted(values)
    try:
        function(given)
    except TypeError:  # there is no sqrt of objects
        pass
    assert 0 < given.asked <= most


def test_a_recursion_of_the_users_is_raised():
    def deeper(values):
        return np.piecewise(values, [values > 0], [deeper])

    with pytest.raises(RecursionError):
        deeper(np.ones(5000))


@pytest.mark.parametrize("kind", [MemoryError, RecursionError, KeyboardInterrupt, ValueError])
def test_what_the_users_function_raises_it_raises_once(kind):
    calls = 0

    def function(values):
        nonlocal calls
        calls += 1
        raise kind("mine")

    x = np.ones(5000)
    with pytest.raises(kind, match="mine"):
        np.piecewise(x, [x > 0], [function])
    assert calls == 1


def test_a_ufunc_with_where_is_of_the_shape_that_all_have():
    for where in (numpy.ones((2, 1), bool), [[True], [True]]):
        assert np.add(np.ones(3), 1.0, where=where).shape == (2, 3)
    with pytest.raises(TypeError, match="Cannot cast array data"):
        np.add(np.ones(3), 1.0, where=numpy.array([1, 0, 1]))
    a = np.ones((2, 3))
    assert np.add(a, a, where=[True, False, True], order="F").flags.f_contiguous


# The functions of NumPy that ask their arguments, and every way to give one of these.

SPACES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.lib.stride_tricks",
    "numpy.strings",
    "numpy.char",
    "numpy.lib.scimath",
    "numpy.ma",
)
FORMS = {
    "alone": lambda object, array: object,
    "in a list": lambda object, array: [object],
    "in a tuple": lambda object, array: (object,),
    "in a list of lists": lambda object, array: [[object]],
    "behind an array": lambda object, array: [array, object],
}
# Where weft and NumPy ask others, and why that is so.
OTHERWISE = {
    ("numpy.astype", "dtype", "alone"): "weft looks at what should be a dtype first, and raises NumPy's error",
    ("numpy.histogram2d", "bins", "in a list"): "NumPy asks lists of two",
    ("numpy.histogram2d", "bins", "in a tuple"): "NumPy asks lists of two",
    ("numpy.lexsort", "keys", "in a list"): "NumPy asks in tuples",
    ("numpy.lexsort", "keys", "behind an array"): "NumPy asks in tuples",
}
PRIVATE = ("join", "rsplit", "split", "splitlines")  # of np.char: NumPy's name of them is another


def askers():
    for space in SPACES:
        module = importlib.import_module(space)
        for name in sorted(dir(module)):
            function = getattr(module, name)
            if (
                type(function) is type(numpy.sum)
                and not name.startswith("save")
                and not (space == "numpy.char" and name in PRIVATE)
            ):
                yield f"{space}.{name}"


class Asked:
    """An object that answers NumPy's functions, written with weft: np is weft here."""

    calls = []

    def __array_function__(self, func, types, args, kwargs):
        Asked.calls.append((func, types, args, kwargs))
        return "answer" if np else None


def ask(function, signature, name, value, filled):
    """Whether an Asked as this argument is asked by this function; the other arguments are arrays."""
    args, kwargs = [], {}
    for at, (other, parameter) in enumerate(signature.parameters.items()):
        given = value if other == name else filled
        if other != name and (
            parameter.default is not parameter.empty
            or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ):
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            kwargs["more"] = given
        elif parameter.kind is parameter.KEYWORD_ONLY or (
            at > len(args) and parameter.kind is not parameter.POSITIONAL_ONLY
        ):
            kwargs[other] = given
        else:
            args.append(given)
    Asked.calls.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **kwargs)
    except RecursionError:
        raise
    except Exception:
        pass  # of a function that did not ask, and of whom it asked then
    return any(call[0] is function for call in Asked.calls)


@pytest.mark.parametrize("path", list(askers()))
def test_whom_numpy_asks_weft_asks(path):
    space, _, name = path.rpartition(".")
    theirs = getattr(importlib.import_module(space), name)
    ours = getattr(importlib.import_module("weft" + space[5:]), name)
    signature = inspect.signature(theirs)
    array = numpy.ones((2, 2))
    for parameter in signature.parameters:
        for form, make in FORMS.items():
            if (path, parameter, form) not in OTHERWISE:
                wanted = ask(theirs, signature, parameter, make(Asked(), array), array)
                mirrored = np.array(array)
                got = ask(ours, signature, parameter, make(Asked(), mirrored), mirrored)
                assert got == wanted, f"{path}({parameter}), {form}"


def test_what_an_object_is_told_of_a_function():
    x, a = np.arange(3.0), Asked()
    Asked.calls.clear()
    assert np.sum(a) == "answer" and np.sum(a, axis=0) == "answer" and np.concatenate([x, a], axis=1) == "answer"
    assert np.array([1], like=a) == "answer" and np.zeros((2,), float, like=a) == "answer"
    assert Asked.calls == [
        (np.sum, (Asked,), (a,), {}),
        (np.sum, (Asked,), (a,), {"axis": 0}),
        (np.concatenate, (np.ndarray, Asked), ([x, a],), {"axis": 1}),
        (np.array, (Asked,), ([1],), {}),
        (np.zeros, (Asked,), ((2,),), {"dtype": float}),
    ]
    assert Asked.calls[2][2][0][0] is x


def test_subclasses_are_asked_first_and_refusals_are_numpys():
    asked = []

    class One:
        def __array_function__(self, func, types, args, kwargs):
            asked.append(type(self))
            return NotImplemented if np else None

    class Two(One):
        pass

    with pytest.raises(TypeError) as ours:
        np.concatenate([One(), np.ones(2), Two(), One()])
    assert asked == [Two, One]
    with pytest.raises(TypeError) as theirs:
        numpy.concatenate([One(), numpy.ones(2), Two(), One()])
    assert str(ours.value).replace("weft.ndarray", "numpy.ndarray") == str(theirs.value)


class Noting:
    """Notes what __array_ufunc__ is told. Written with weft."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return (ufunc, method, inputs, kwargs) if np else None


def test_what_an_object_is_told_of_a_ufunc():
    x, a, where = np.arange(3.0), Noting(), [True, False, True]
    assert np.add(x, a, where=where, casting="unsafe", order="F", dtype=float) == (
        np.add,
        "__call__",
        (x, a),
        {"where": where, "casting": "unsafe", "order": "F", "dtype": float},
    )
    assert np.add(a, 1) == (np.add, "__call__", (a, 1), {})
    assert np.add(x, x, where=a) == (np.add, "__call__", (x, x), {"where": a})
    assert (
        np.add(x, x, a) == np.add(x, x, out=a) == np.add(x, x, out=(a,)) == (np.add, "__call__", (x, x), {"out": (a,)})
    )
    assert x + a == (np.add, "__call__", (x, a), {})
    assert np.subtract(a, x) == (np.subtract, "__call__", (a, x), {})
    assert np.add.reduce(a) == (np.add, "reduce", (a,), {})
    assert np.add.reduce(a, axis=1, keepdims=True) == (np.add, "reduce", (a,), {"axis": 1, "keepdims": True})
    assert np.add.reduce(x, where=a) == (np.add, "reduce", (x,), {"where": a})
    assert np.add.reduce(x, out=a) == (np.add, "reduce", (x,), {"out": (a,)})
    assert np.multiply.accumulate(a, axis=1) == (np.multiply, "accumulate", (a,), {"axis": 1})
    assert np.add.outer(x, a) == (np.add, "outer", (x, a), {})
    assert np.hypot.at(a, 0, 1) == (np.hypot, "at", (a, 0, 1), {})
    assert np.modf(a) == (np.modf, "__call__", (a,), {})
    y = x
    y += a
    assert y == (np.add, "__call__", (x, a), {"out": (x,)})


class Refusing:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "added"


def test_an_object_without_ufuncs():
    x, refusing = np.arange(3.0), Refusing()
    assert x + refusing == "added"
    for numbers, module in ((x, np), (numpy.arange(3.0), numpy)):
        with pytest.raises(TypeError, match=r"operand 'Refusing' does not support ufuncs \(__array_ufunc__=None\)"):
            numbers += refusing
        with pytest.raises(TypeError, match=r"operand 'Refusing' does not support ufuncs \(__array_ufunc__=None\)"):
            module.add(numbers, refusing)
        with pytest.raises(TypeError, match="unsupported operand"):
            numbers - refusing


def test_a_library_is_asked_as_numpy_asks():
    """A class whose module knows only NumPy: it gets NumPy's functions, and arrays of NumPy's."""
    module = types.ModuleType("library")
    exec(
        "import numpy as np\n"
        "class Theirs:\n"
        "    def __array_function__(self, func, types, args, kwargs):\n"
        "        return func is np.concatenate, type(args[0][0]) is np.ndarray\n"
        "    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):\n"
        "        return ufunc is np.add, type(inputs[0]) is np.ndarray, kwargs\n",
        vars(module),
    )
    theirs = module.Theirs()
    x = np.arange(3.0)
    assert np.concatenate([x, theirs]) == (True, True)
    assert np.add(x, theirs, casting="unsafe") == (True, True, {"casting": "unsafe"})
    assert x + theirs == (True, True, {})


class Wrapped(np.lib.mixins.NDArrayOperatorsMixin):
    """The example of NumPy's manual for the mixin."""

    def __init__(self, value):
        self.value = np.asarray(value)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc not in (np.add, np.multiply, np.negative):
            return NotImplemented
        values = [x.value if isinstance(x, Wrapped) else x for x in inputs]
        return Wrapped(getattr(ufunc, method)(*values, **kwargs))


def test_the_mixin_for_operators():
    made = (Wrapped([1.0, 2.0]) + np.ones(2)) * 3
    assert type(made) is Wrapped and type(made.value) is np.ndarray and made.value.tolist() == [6.0, 9.0]
    made = np.ones(2) + -Wrapped([1.0, 2.0])
    assert made.value.tolist() == [0.0, -1.0]
    with pytest.raises(TypeError, match=r"operand type\(s\) all returned NotImplemented from __array_ufunc__"):
        Wrapped([1.0]) - 1
    assert isinstance(made, numpy.lib.mixins.NDArrayOperatorsMixin)


def test_what_an_object_makes_of_results():
    class Wrapping:
        __array_interface__ = numpy.arange(4).__array_interface__

        def __array_wrap__(self, array, context, return_scalar):
            return "wrapped", type(array), context[0] if context else None

    assert np.absolute(Wrapping()) == ("wrapped", numpy.ndarray, numpy.absolute)
    assert np.add(Wrapping(), np.arange(4)) == ("wrapped", numpy.ndarray, numpy.add)
    made = np.arange(3).__array_wrap__(numpy.arange(2))
    assert type(made) is np.ndarray and made.tolist() == [0, 1]
    assert type(np.arange(3).__array_wrap__(numpy.array(2), None, True)) is numpy.int64


def test_a_subclass_answers_a_ufunc_before_its_base():
    class Base:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return np.ndarray, "base"

    class Derived(Base):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return np.ndarray, "derived"

    assert np.add(Base(), Derived())[1] == np.add(Derived(), Base())[1] == np.add(1, Derived())[1] == "derived"


def test_only_two_bins_are_asked():
    class Bins:
        def __array_function__(self, function, types, args, kwargs):
            return np.ndarray

    assert np.histogram2d([1, 2], [1, 2], bins=[Bins(), 5]) is np.ndarray
    with pytest.raises(TypeError):
        np.histogram2d([1, 2], [1, 2], bins=[Bins()])


class Tagged(np.ndarray):
    """Derived from weft's ndarray: an array of NumPy's, as all subclasses are."""

    def __new__(cls, values, tag):
        made = np.ndarray.__new__(cls, (len(values),), dtype=float)
        made[:] = values
        made.tag = tag
        return made

    def __array_finalize__(self, other):
        self.tag = getattr(other, "tag", None)

    def __array_function__(self, function, kinds, args, kwargs):
        return NotImplemented if function is np.cumsum else super().__array_function__(function, kinds, args, kwargs)


def test_classes_are_derived_from_ndarray():
    made = Tagged([1, 2], "a")
    assert isinstance(made, np.ndarray) and isinstance(made, numpy.ndarray) and issubclass(Tagged, np.ndarray)
    assert (made * 2).tag == "a" and type(made * 2) is Tagged and np.arange(2).view(Tagged).tag is None
    plain = made.view(np.ndarray)
    plain[0] = 9
    assert type(plain) is np.ndarray and made.tolist() == [9, 2] and type(made.view(Tagged)) is Tagged
    with pytest.raises(TypeError, match="no implementation found for 'numpy.cumsum'"):
        np.cumsum(made)
    assert np.concatenate((np.arange(2), made)).tolist() == [0, 1, 9, 2]
    assert np.arange(2).__array_function__(np.cumsum, (np.ndarray, Tagged), (made,), {}).tolist() == [9, 11]


def test_an_array_of_objects_has_the_arrays_themselves():
    a, b = np.arange(3), np.arange(2)
    made = np.array([a, b], dtype=object)
    assert made[0] is a and made[1] is b
    assert np.array([b, [b]], dtype=object)[0] is b


def test_memory_that_is_lent_has_its_owner_as_base():
    owner = numpy.arange(4)
    made = np.asarray(owner)
    assert made.base is owner and made[1:].base is made and not made.flags.owndata
    text = b"12345678"
    assert np.frombuffer(text).base is text
    copied = np.array(numpy.asfortranarray(numpy.ones((2, 3))))
    assert copied.base is None and copied.flags.owndata and copied.flags.f_contiguous


class GivesCopies:
    """What an object's __array__ was asked for, with the array that it gives."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __array__(self, dtype=None, copy=None):
        self.asked.append(copy)
        return self.array.copy() if copy else self.array


class GivesItself:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array


@pytest.mark.parametrize("function", ["array", "asarray", "asanyarray"])
@pytest.mark.parametrize("of", [np, numpy])
@pytest.mark.parametrize("copy", [True, None, False, "usual"])
def test_an_object_is_asked_for_a_copy(function, of, copy):
    options = {} if copy == "usual" else {"copy": copy}
    mine, want = GivesCopies(of.arange(3.0)), GivesCopies(numpy.arange(3.0))
    made, wanted = getattr(np, function)(mine, **options), getattr(numpy, function)(want, **options)
    assert mine.asked == want.asked
    assert type(made) is np.ndarray and made.tolist() == wanted.tolist()
    assert numpy.shares_memory(numpy.asarray(made), numpy.asarray(mine.array)) == numpy.shares_memory(
        wanted, want.array
    )
    assert of is numpy or (made is mine.array) == (wanted is want.array)


def test_an_object_that_knows_no_copy():
    for module in (np, numpy):
        old = GivesItself(module.arange(3.0))
        with pytest.warns(DeprecationWarning, match="__array__ implementation doesn't accept a copy keyword") as found:
            made = module.array(old, copy=True)
        assert found[0].filename == __file__
        assert made is not old.array and made.tolist() == [0, 1, 2]
        with (
            pytest.warns(DeprecationWarning, match="copy"),
            pytest.raises(ValueError, match="Unable to avoid copy(.|\n)*numpy_2_0_migration_guide.html"),
        ):
            module.array(old, copy=False)
        assert module.array(old, copy=None) is old.array


@pytest.mark.filterwarnings("ignore:__array_wrap__ must accept:DeprecationWarning")
@pytest.mark.parametrize("size", [4, 20_000])
def test_an_object_says_what_functions_give_back(size):
    def kinds(module):
        class Wraps:
            def __array__(self, dtype=None, copy=None):
                return module.arange(float(size))

            def __array_wrap__(self, array, context=None, return_scalar=False):
                return (
                    "new",
                    type(array) is module.ndarray,
                    context and (context[0] is module.negative, context[1][0] is self),
                    array.sum(),
                )

        class Older(Wraps):
            def __array_wrap__(self, array):
                return "old", type(array) is module.ndarray, array.sum()

        class First(Wraps):
            __array_priority__ = 5

            def __array_wrap__(self, array, context=None, return_scalar=False):
                return "first"

        return [
            module.negative(Wraps()),
            module.negative(Older()),
            module.add(Older(), 1),
            module.add(Wraps(), First()),
            module.add(module.ones(size), Wraps()),
        ]

    assert kinds(np) == kinds(numpy)


def test_divmod_asks_for_both_parts_at_once():
    class Answers:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return ufunc.__name__, method, len(inputs)

    class Refuses:
        __array_ufunc__ = None

        def __rdivmod__(self, other):
            return "rdivmod"

    assert divmod(np.ones(3), Answers()) == ("divmod", "__call__", 2)
    assert divmod(np.ones(3), Refuses()) == "rdivmod"
    assert [part.tolist() for part in divmod(np.array([7.0, 8]), numpy.float64(3))] == [[2, 2], [1, 2]]
    with pytest.raises(TypeError):
        divmod(np.ones(3), object())


def test_the_protocol_wants_a_tuple_and_a_dict():
    a = np.array([1, 2])
    with pytest.raises(TypeError, match="args must be a tuple"):
        a.__array_function__(np.reshape, (np.ndarray,), a, (2, 1))
    with pytest.raises(TypeError, match="kwargs must be a dict"):
        a.__array_function__(np.reshape, (np.ndarray,), (a,), (2, 1))
