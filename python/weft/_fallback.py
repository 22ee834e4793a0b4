"""NumPy does what weft does not: with the same arguments, on the same memory.

A weft array that goes to NumPy becomes an ndarray over its own memory, without a copy. So
functions that write into their arguments write into the array, and what NumPy returns as a
view of an argument becomes a view of the weft array. New arrays that NumPy returns become weft arrays. A NumPy array
among the arguments comes back as itself, so that x += y updates it and goes on meaning it.

Each such call is counted (weft.coverage), is seen in the profile, and is warned of once for
each place in the program's code.
"""

import functools
import operator
import os
import sys
import warnings

import numpy

from . import _callers, _core, _protocols
from ._sharing import known, share, view_of, writable

ndarray = _core.ndarray


class FallbackWarning(RuntimeWarning):
    """weft handed a call to NumPy, which runs it on one core and waits for its arguments.

    It is shown, and no exception, where a filter makes errors of all warnings: only one for FallbackWarning itself does.
    """


# The frames of these files are not the program's. A kernel's IPython shows what cells evaluate, for a line of the cell.
SKIPPED = (
    *(os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, numpy.__file__)),
    *(os.path.dirname(module.__file__) + os.sep for module in [sys.modules.get("IPython")] if module),
    "<frozen ",
)

# What belongs on the host by its nature, or is NumPy's by design: counted, not warned of.
_QUIET = frozenset(
    "save savez savez_compressed savetxt load loadtxt fromfile genfromtxt frombuffer fromstring fromiter "
    "array2string array_repr array_str shares_memory may_share_memory "
    "ndarray.tolist ndarray.tobytes ndarray.tofile ndarray.dump ndarray.dumps ndarray.__format__".split()
)
FEW = "few elements, for which NumPy is faster"  # a reason: no warning either
AT_ONCE = "np.errstate asks for errors at the call"  # the core's reason where NumPy is to tell what goes wrong, in the function itself
_QUIET_MODULES = ("random.", "testing.")

LEAST = 1_000_000  # nanoseconds of a call from which on it is worth a warning; shorter ones are counted, and seen in a profile

_counts = {}  # (name, file, line) -> [calls, reason, nanoseconds, bytes handed over]
_warned = set()  # (file, line)


def is_native(dtype):
    """Whether weft has arrays of this NumPy dtype; they have no room for what programs attach to one, and long longs are others than longs of as many bits."""
    return dtype in _NATIVE and dtype.isnative and dtype.metadata is None and dtype.char not in "qQ"


_NATIVE = frozenset(
    numpy.dtype(t)
    for t in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)


PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None)))


def _same(items, others):
    """Whether nothing was converted: then the program's own list goes to NumPy, which may change it."""
    return all(map(operator.is_, items, others))


# An object that has one of these does not depend on __array__ alone.
OTHER_PROTOCOLS = ("__array_interface__", "__array_struct__", "__array_ufunc__", "__array_function__")


def by_array_alone(kind):
    """Whether __array__ is all that makes arrays of the objects of a type."""
    return hasattr(kind, "__array__") and not any(hasattr(kind, name) for name in OTHER_PROTOCOLS)


def by_protocol(value):
    """The array, weft's or NumPy's, that value.__array__() gives where that is all that makes value an array; or None."""
    if not by_array_alone(type(value)):
        return None
    made = value.__array__()
    return made if type(made) in (ndarray, numpy.ndarray) else None


class _Standing:
    """Stands for an object whose __array__ has been called, as which NumPy would call it again; it is that object in all else that NumPy asks of one."""

    def __init__(self, value, view):
        self._value, self._view = value, view

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self._view, dtype, copy=copy)

    def __getattr__(self, name):
        return getattr(self._value, name)

    def __len__(self):
        return len(self._value)

    def __iter__(self):
        return iter(self._value)

    def __getitem__(self, index):
        return self._value[index]

    def __index__(self):
        return operator.index(self._value)

    def __int__(self):
        return int(self._value)

    def __float__(self):
        return float(self._value)

    def __complex__(self):
        return complex(self._value)

    def __bool__(self):
        return bool(self._value)


class _Wrapping(_Standing):
    """Stands for an object that says itself what a function gives back."""

    def __init__(self, value, view):
        super().__init__(value, view)
        self.__array_priority__ = getattr(value, "__array_priority__", 0.0)

    def __array_wrap__(self, made, *more):
        if more and more[0] is not None:
            function, given, at = more[0]
            given = tuple(value._value if type(value) is _Wrapping else value for value in given)
            more = (_protocols.own(function), given, at), *more[1:]
        return self._value.__array_wrap__(from_numpy(made), *more)


class Exchange:
    """One call's conversions. It remembers which view stands for which array."""

    def __init__(self):
        self.views = []  # (NumPy's view, weft's array)
        self._view_of = {}  # the views, by the identity of the arrays, which self.views keeps
        self.given = []  # the caller's own NumPy arrays
        self.bytes = 0
        self.arrays = False  # whether any array went in or came out
        self.made = []  # (an object, the array of NumPy's that its __array__ gave)

    def to_numpy(self, value):
        """value with weft arrays, also inside lists, tuples and dicts, replaced by NumPy's."""
        kind = type(value)
        if kind is ndarray:
            return self._view(value)
        if kind is list or kind is tuple:
            if PLAIN.issuperset(map(type, value)):
                return value  # a long list of numbers, most often
            items = [self.to_numpy(item) for item in value]
            return value if _same(items, value) else kind(items)
        if kind is dict:
            items = [self.to_numpy(item) for item in value.values()]
            return value if _same(items, value.values()) else dict(zip(value, items, strict=True))
        if isinstance(value, numpy.ndarray):
            self.arrays = True
            self.given.append(value)
        made = by_protocol(value)
        if type(made) is ndarray:  # which NumPy would not take
            view = self._view(made)
            return _Wrapping(value, view) if hasattr(kind, "__array_wrap__") else view
        if made is not None:
            self.made.append((value, made))
        if callable(value):
            return getattr(value, "_numpy", value)  # np.add, given to a function
        return value

    def standing(self, value):
        """What stands for an argument whose __array__ has given an array of NumPy's; other arguments are themselves."""
        for of, made in self.made:
            if of is value:
                self.given.append(made)
                return (_Wrapping if hasattr(type(value), "__array_wrap__") else _Standing)(value, made)
        return value

    def _view(self, array):
        self.arrays = True
        view = self._view_of.get(id(array))
        if view is not None:
            return view
        # The memoryview waits for the values. NumPy alone would drop the KeyboardInterrupt of an
        # interrupted wait, and wait again.
        view = numpy.asarray(memoryview(array))
        self.bytes += view.nbytes
        self.views.append((view, array))
        self._view_of[id(array)] = view
        return view

    def to_weft(self, value):
        """What NumPy returned, with new arrays replaced by weft's."""
        kind = type(value)
        if kind is numpy.ndarray:
            self.arrays = True
            return self._array(value)
        if self.made and isinstance(value, _Standing):
            return value._value
        if kind is list:
            # A list of arrays changes in place: its identity may matter.
            for i, item in enumerate(value):
                value[i] = self.to_weft(item)
            return value
        if isinstance(value, tuple):
            items = [self.to_weft(item) for item in value]
            if _same(items, value):
                return value
            return tuple(items) if kind is tuple else kind(*items)  # numpy's named tuples
        return value

    def _array(self, array):
        if not is_native(array.dtype):
            self.bytes += array.nbytes
            return array
        if sys.getrefcount(array) <= _FRESH and array.base is None and array.flags.owndata:
            # No argument has its memory, nor has any array of weft's, which would hold it.
            made = _core.adopted(array)
            return self._copied(array) if made is None else made
        for view, own in self.views:
            if array is view:
                return own
        if any(array is given for given in self.given):
            return array  # out=, which the caller goes on using
        if any(numpy.may_share_memory(array, view) for view, _ in self.views):
            # Writes must be seen, if not by a view of weft's then by NumPy's own.
            made = view_of(self.views, array)
            return array if made is None else made
        if any(numpy.may_share_memory(array, given) for given in self.given):
            made = share(array)
            return array if made is None else made
        made = known(array)
        if made is None and array.base is not None and _overlaps(array):
            made = share(array)
        return self._copied(array) if made is None else made

    def _copied(self, array):
        of = array.base
        if (
            type(of) is numpy.ndarray
            and of.flags.owndata
            and of.flags.forc
            and of.nbytes <= 4 * array.nbytes + 512
            and is_native(of.dtype)
        ):
            made = self._view_of_new(of, array)
            if made is not None:
                return made
        self.bytes += array.nbytes
        made = from_numpy(array)
        if (
            made is not array and not writable(array)
        ):  # a view of no elements shares memory with nothing, and is a view all the same
            made.flags.writeable = False
        return made

    def _view_of_new(self, of, array):
        """What NumPy made a view of, and what others may be views of, is copied with them."""
        own = from_numpy(of)
        if type(own) is not ndarray:
            return None
        self.bytes += of.nbytes
        self.views.append((of, own))
        if array.size:
            return view_of(self.views, array)
        made = _core.based(from_numpy(array), own)
        if not writable(array):
            made.flags.writeable = False
        return made


def _overlaps(array):
    """Whether an array has more elements than memory, as what was broadcast has."""
    first, end = numpy.lib.array_utils.byte_bounds(array)
    return end - first < array.nbytes


def _references():
    """What sys.getrefcount says, in Exchange._array, of an array that only the call has.

    Interpreters differ in which references they count. Where an array with another reference to it gets the same answer, this is 0: unknown.
    """
    seen = []

    class Looks(Exchange):
        def _array(self, array):
            seen.append(sys.getrefcount(array))

    held = numpy.empty(0)
    Looks().to_weft(held)
    Looks().to_weft(numpy.empty(0))
    return seen[1] if seen[1] < seen[0] else 0


_FRESH = _references()


def taken(array, source=None):
    """A weft array over the memory of a NumPy array, or of a copy where nothing else refers to it.

    It is the NumPy array itself where weft has no such dtype, or cannot have its memory. source is what the array was made of.
    """
    if not is_native(array.dtype):
        return array
    own = _core.held_array(array.base)
    if type(own) is ndarray:
        made = view_of([(array.base, own)], array)
        return array if made is None else made
    if array.base is not None or array.size and (array is source or sys.getrefcount(array) > _UNSHARED):
        made = share(array)
        return array if made is None else made
    return from_numpy(array)


# What sys.getrefcount says of an array that only a caller of taken has.
_UNSHARED = 3


def from_numpy(array):
    """A weft array with a copy of a NumPy array, or the array itself where weft has no such dtype."""
    if not is_native(array.dtype):
        return array
    if array.flags.c_contiguous and _falls(array.shape, array.strides, array.itemsize):
        made = _core.from_host(array)
        return array if made is None else made
    # The axes in the order of memory: the copy lies as the array does.
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    turned = array.transpose(order)
    if turned.flags.c_contiguous and array.size:  # along axes of one element, too
        made = _core.from_host(turned.ravel())
        view = None if made is None else _core.view_at(made, array.dtype, 0, array.shape, array.strides, True)
        if type(view) is not _core.ndarray:  # of more axes than weft's arrays have, too
            return array
        made._become(view)
        return made
    made = _core.from_host(numpy.ascontiguousarray(turned))
    if made is None:
        return array
    made._become(
        made.transpose(sorted(range(array.ndim), key=order.__getitem__))
    )  # which has the memory, as no view has
    return made


def _falls(shape, strides, size):
    """Whether strides are those of C also along axes of one element, of which flags tell nothing, or there are no elements."""
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if stride != size and n:
            return 0 in shape
        size *= n
    return True


def to_numpy(value):
    """value with weft arrays, also inside lists, tuples and dicts, replaced by NumPy's views of them."""
    return Exchange().to_numpy(value)


def run(name, function, args, kwargs, reason=""):
    """Call NumPy's function with weft arrays among its arguments.

    name is NumPy's, without "numpy.": "linalg.inv", "ndarray.sort". reason says why a
    function that weft has does not do this call.
    """
    if _protocols.involved((*args, *kwargs.values())):
        result = _protocols.override(function, args, kwargs)
        if result is not NotImplemented:
            return result
    begun = _core.clock()
    exchange = Exchange()
    args = [exchange.to_numpy(arg) for arg in args]
    if kwargs:
        kwargs = {key: exchange.to_numpy(value) for key, value in kwargs.items()}
    if (
        exchange.made and not name.startswith("special.") and not any(map(callable, args))
    ):  # SciPy asks objects of what library they are, and the program's functions get them
        args = [exchange.standing(arg) for arg in args]
        kwargs = {key: exchange.standing(value) for key, value in kwargs.items()}
    result = exchange.to_weft(_callers.call(user_frame(), function, args, kwargs))
    if exchange.arrays:
        _note(name, begun, exchange.bytes, reason)
    return result


def unfit(name, original):
    """What answers calls whose arguments do not fit a function's parameters: NumPy, which has other words for some, and knows what is wrong with them."""

    def call(*args, **kwargs):
        return run(name, original, args, kwargs, "arguments that are not native")

    return call


@functools.cache
def reads(function):
    """How many arguments without names stand before those that a function writes to; 0 where it writes to none of such."""
    code = getattr(getattr(function, "_implementation", function), "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code else ()
    return names.index("out") if "out" in names else getattr(function, "nin", 0)


_ARRAYS = frozenset((ndarray, list, tuple))  # what arrays of weft's may be, or be in


def run_few(name, function, args, kwargs, reason=FEW):
    """run() of a function that writes into none of its arguments but out: of few elements NumPy gets copies, which takes less time than views of them."""
    out = args[reads(function) or len(args) :]
    if (not out or out[0] is None) and "out" not in kwargs and not _ARRAYS.isdisjoint(map(type, args)):
        begun = _core.clock()
        made = _callers.call(user_frame(), _core.with_few, (function, *args), kwargs)
        if made is not NotImplemented:
            _note(name, begun, getattr(made, "nbytes", 0), reason)
            return made
    return run(name, function, args, kwargs, reason)


def drawn(name, method, generator, args, kwargs):
    """run() of a method of a generator whose arguments are plain values: most often it gives one number, or a few.

    Neither is counted: that would take longer than to draw them.
    """
    begun = _core.clock()
    made = method(generator, *args, **kwargs)
    if (
        type(made) is ndarray and made.ndim == 0
    ):  # the generator's own integers were called, which gave no NumPy array; choice gives one number of them
        return (
            made.item()
            if name.endswith("choice") and kwargs.get("size", args[1] if len(args) > 1 else None) is None
            else made
        )
    if type(made) is not numpy.ndarray:
        return Exchange().to_weft(made) if isinstance(made, (tuple, list)) else made
    result = from_numpy(made)
    if made.size > 64:
        _note(name, begun, made.nbytes, "")
    return result


def noted(name, begun, size):
    """Count a call of NumPy's since begun, of a draw of some numbers, say."""
    _note(name, begun, size, "")


def returned(made, args, kwargs):
    """What NumPy's text gave back, where it may have made NumPy arrays on its way."""
    kinds = {type(value) for value in made} if type(made) in (tuple, list) else {type(made)}
    if numpy.ndarray not in kinds:
        return made
    exchange = Exchange()
    exchange.given = [value for value in (*args, *kwargs.values()) if isinstance(value, numpy.ndarray)]
    return exchange.to_weft(made)


def call_method(name, array, *args, **kwargs):
    """Call a method of what NumPy has for a weft array."""
    return getattr(array, name)(*args, **kwargs)


@functools.lru_cache(1024)
def is_ours(file):
    return file.startswith(SKIPPED)


def user_frame():
    """The frame of the program's code that called weft."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def call_site():
    """File and line of the program's code that called weft."""
    frame = user_frame()
    return frame.f_code.co_filename, frame.f_lineno


def _note(name, begun, size, reason):
    _core.note_fallback(name, begun, size)
    file, line = call_site()
    count = _counts.get((name, file, line))
    took = _core.clock() - begun
    if count is None:
        count = _counts[name, file, line] = [0, reason, 0, 0]
    count[0] += 1
    count[2] += took
    count[3] += size
    if reason == FEW or name in _QUIET or name.startswith(_QUIET_MODULES) or took < LEAST:
        return
    place = AT_ONCE if reason == AT_ONCE else (file, line)  # one says it of all
    if place in _warned and (file != "<stdin>" or count[0] > 1):  # where every line is line 1
        return
    _warned.add(place)
    if reason == AT_ONCE:
        text = f"{AT_ONCE}: NumPy computes large arrays here, and where else it does so, an operation at a time. weft.coverage() counts such calls."
        _warn(text, file, line)
        return
    what, who = (f"scipy.{name}", "SciPy") if name.startswith("special.") else (f"np.{name}", "NumPy")
    if reason:
        what += f" ({reason})"
    _warn(f"{what} is not native in weft: {who} runs it here. weft.coverage() counts such calls.", file, line)


def _warn(text, file, line):
    """Warn of a fallback at a place. A filter that makes errors of all warnings is for what is wrong, which a fallback is not."""
    try:
        warnings.warn_explicit(text, FallbackWarning, file, line, registry={})
    except FallbackWarning:
        module = file.removesuffix(".py") or "<unknown>"  # as warn_explicit has it
        for _, words, category, where, at in warnings.filters:
            fits = issubclass(FallbackWarning, category) and at in (0, line)
            if fits and (words is None or words.match(text)) and (where is None or where.match(module)):
                if category is FallbackWarning:
                    raise
                break
        warnings.showwarning(text, FallbackWarning, file, line)


def place(file, line):
    """A place of the program's code as messages name it: "In[3] line 2", "script.py line 7"."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    label = shell.compile.format_code_name(file) if shell else None
    return f"{label[1] if label else os.path.basename(file)} line {line}"
