"""NumPy's namespaces, seen through weft: what weft has not is NumPy's, with arrays converted.

Each module of NumPy has its mirror: numpy.fft is weft.fft. A name that the mirror does not
define is looked up in NumPy and kept: classes, constants and dtypes as they are, functions
wrapped so that they take and return weft arrays.
"""

import functools
import importlib
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import types

import numpy

from . import _blocks, _callers, _composed, _core, _delegates, _functions, _protocols, _signatures, _ufunc
from ._create import asarray
from ._fallback import ndarray, run, unfit, user_frame

# Classes that weft has of its own.
classes = {numpy.ndarray: ndarray, numpy.ufunc: _ufunc.ufunc}


def _of_views(name):
    """A function of views that is written in terms of other functions of views.

    NumPy's own text runs on weft arrays, and its results share their memory.
    """
    original = getattr(numpy, name)
    text = original._implementation

    def call(*args, **kwargs):
        if _protocols.involved((*args, *kwargs.values())):
            return run(name, original, args, kwargs)
        return text(*args, **kwargs)

    functools.update_wrapper(call, original, updated=())
    call._numpy, call._way = original, "composed"
    return call


composed = {
    name: _delegates.shortcut(name, _of_views(name))
    for name in ("split", "array_split", "hsplit", "vsplit", "dsplit", "rollaxis")
}

_TEXT = (types.FunctionType, type(numpy.sort))

# NumPy functions that look at dtypes and shapes and never at values.
_WITHOUT_VALUES = ("result_type", "can_cast", "iscomplexobj", "isrealobj", "iterable", "isscalar", "common_type")


def _stand_in(value):
    """What stands for a weft array where its values do not matter: nothing is waited for."""
    if type(value) is not ndarray:
        return value
    empty = numpy.zeros((), value.dtype)
    return numpy.broadcast_to(empty, value.shape)


def _without_values(function):
    def call(*args, **kwargs):
        if _protocols.involved((*args, *kwargs.values())):
            made = _protocols.override(function, args, kwargs)
            if made is not NotImplemented:
                return made
        return function(*map(_stand_in, args), **{key: _stand_in(value) for key, value in kwargs.items()})

    functools.update_wrapper(call, function, updated=())
    call._numpy, call._way = function, "composed"
    _signatures.tell(call, function)
    return call


def wrap(name, function, signature=None):
    """A function that gives NumPy's function weft arrays and returns weft arrays. signature is the function's, where that is known."""

    def call(*args, **kwargs):
        return run(name, function, args, kwargs)

    functools.update_wrapper(call, function, updated=())
    call._numpy, call._way = function, "fallback"
    _signatures.tell(call, function, signature)
    return call


def bmat(obj, ldict=None, gdict=None):
    """NumPy's bmat, which looks names up in the frame that calls it."""
    if isinstance(obj, str) and gdict is None:
        frame = sys._getframe(1)
        gdict, ldict = frame.f_globals, frame.f_locals
    return run("bmat", numpy.bmat, (obj, ldict, gdict), {})


def require(a, dtype=None, requirements=None, *, like=None):
    """NumPy's require of an array of weft's, by what arrays tell of themselves; NumPy's own text otherwise."""
    if type(a) not in (ndarray, list, tuple) or like is not None:
        return _required(a, dtype, requirements, **({} if like is None else {"like": like}))
    if not requirements:
        return a if dtype is None and type(a) is ndarray else asarray(a, dtype)
    wanted = {_REQUIRED.get(name) if type(name) is str else None for name in requirements}
    if None in wanted or {"C", "F"} <= wanted:  # NumPy says what is wrong
        return _required(a, dtype, requirements)
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    made = asarray(a, dtype, order)
    unfit = "W" in wanted and not made.flags.writeable or "O" in wanted and not made.flags.owndata
    return made.copy(order) if unfit else made


_required = _composed.compose("require", numpy.require)
# What the words mean; that an array is aligned, and no matrix, says nothing new.
_REQUIRED = {
    case(name): letter
    for letter, names in {
        "C": "C C_CONTIGUOUS CONTIGUOUS",
        "F": "F F_CONTIGUOUS FORTRAN",
        "A": "A ALIGNED E ENSUREARRAY",
        "W": "W WRITEABLE",
        "O": "O OWNDATA",
    }.items()
    for name in names.split()
    for case in (str.upper, str.lower)
}
require._numpy = numpy.require
composed["require"] = require
bmat._numpy = numpy.bmat
_signatures.tell(bmat, numpy.bmat)
composed["bmat"] = _delegates.plainly("bmat", bmat, "wrapped")


def isfortran(a):
    """NumPy's isfortran, by what arrays tell of themselves."""
    return a.flags.fnc


def ix_(*args):
    """NumPy's ix_ of vectors of weft's, which become views; NumPy's own text otherwise."""
    if not all(type(a) is ndarray and a.ndim == 1 and a.size and a.dtype != bool for a in args):
        return _open_mesh(*args)
    n = len(args)
    return tuple(a.reshape((1,) * k + (a.size,) + (1,) * (n - k - 1)) for k, a in enumerate(args))


_open_mesh = _composed.compose("ix_", numpy.ix_)
ix_._numpy, ix_._way = numpy.ix_, "composed"
_signatures.tell(ix_, numpy.ix_)
composed["ix_"] = _delegates.shortcut("ix_", ix_)


_NOTHING = bytes(16)  # memory of one element of any dtype
_SHAPED = frozenset((ndarray, numpy.ndarray, str))


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """NumPy's einsum_path, which looks at shapes: it gets arrays of those shapes that all are one element."""
    if einsum_call or not _SHAPED.issuperset(map(type, operands)):
        return _path(*operands, optimize=optimize, einsum_call=einsum_call)
    stand = (numpy.ndarray(x.shape, x.dtype, _NOTHING, 0, (0,) * x.ndim) if type(x) is ndarray else x for x in operands)
    return numpy.einsum_path(*stand, optimize=optimize)


_path = _composed.compose("einsum_path", numpy.einsum_path)
einsum_path._numpy, einsum_path._way = numpy.einsum_path, "composed"
_signatures.tell(einsum_path, numpy.einsum_path)
composed["einsum_path"] = einsum_path


isfortran._numpy, isfortran._way = numpy.isfortran, "composed"
composed["isfortran"] = isfortran


def frompyfunc(func, /, nin, nout, **kwargs):
    """NumPy's ufunc of a function of the program's, which gives weft's arrays where there are such dtypes, and gets few elements without Python frames around it."""
    made = numpy.frompyfunc(func, nin, nout, **kwargs)
    name = made.__name__
    call = _core.shortcut(
        wrap(name, made, signature=_signature_of(nin, nout)), "few", (made, None, name, "calls", _delegates.FEW, nin), 0
    )
    return _ufunc.dress(call, name, made, {}, _signature_of(nin, nout))


@functools.cache
def _signature_of(nin, nout):
    """The signature of NumPy's ufuncs of so many operands, which takes longer to find out than a call of one."""
    return getattr(numpy.frompyfunc(len, nin, nout), "__signature__", None)


frompyfunc._numpy, frompyfunc._odd = numpy.frompyfunc, unfit("frompyfunc", numpy.frompyfunc)
frompyfunc.__text_signature__ = numpy.frompyfunc.__text_signature__
composed["frompyfunc"] = _delegates.fitting(frompyfunc)


def _opened(array, axis):
    """An array of an open grid as NumPy makes it: a view of a vector along an axis, without strides along the others."""
    if not array.flags.owndata:
        return array
    return array.reshape(-1)[(None,) * axis + (slice(None),) + (None,) * (array.ndim - axis - 1)]


class Grid:
    """np.r_, np.c_, np.mgrid, np.ogrid: objects that make arrays when they are indexed."""

    def __init__(self, name, original):
        self._name = name
        self._original = original
        self._get = _delegates.grid(name, _composed.compose_index(name, original), original)

    def __getitem__(self, key):
        if isinstance(key, str) and self._name in (
            "r_",
            "c_",
        ):  # names of matrices, which NumPy looks up in the frame that calls it
            frame = sys._getframe(1)
            return bmat(key, frame.f_globals, frame.f_locals)
        made = self._get(key)
        return tuple(map(_opened, made, range(len(made)))) if self._name == "ogrid" and type(made) is tuple else made

    def __len__(self):
        return len(self._original)

    def __repr__(self):
        return repr(self._original)


class vectorize(numpy.vectorize):
    __doc__ = numpy.vectorize.__doc__

    def __call__(self, *args, **kwargs):
        call = super().__call__
        made = _core.with_few(call, *args, **kwargs)
        return run("vectorize", call, args, kwargs) if made is NotImplemented else made


classes[numpy.vectorize] = vectorize

_grids = tuple(type(grid) for grid in (numpy.r_, numpy.c_, numpy.mgrid, numpy.ogrid))


def _home(value):
    """The module of NumPy that a function of NumPy belongs to."""
    home = getattr(value, "__module__", None) if isinstance(value, _TEXT) else None
    public = home and home.partition(".")[0] == "numpy" and "._" not in home
    return home if public else None


def _value(module, name):
    """What a NumPy module has under a name. Names that NumPy warns of are asked for by the program's line, which it is told of."""
    return vars(module)[name] if name in vars(module) else _callers.call(user_frame(), getattr, (module, name), {})


def attribute(prefix, module, name, value):
    """What the mirror of a NumPy module has under a name, where NumPy's has a value. prefix is "" or "linalg."."""
    dotted = prefix + name
    elsewhere = _home(value)
    if elsewhere and elsewhere != module.__name__:  # np.char.upper is np.strings.upper
        home = importlib.import_module("weft" + elsewhere[len("numpy") :])
        found = getattr(home, value.__name__, None)
        if getattr(found, "_numpy", None) is value:
            return found
    package = module.__name__.rpartition(".")[0]
    kept = package not in ("", "numpy") and not isinstance(value, (types.ModuleType, *_TEXT))
    if kept and getattr(sys.modules[package], name, None) is value:  # random.mtrand.normal is random.normal
        return getattr(importlib.import_module("weft" + package[len("numpy") :]), name)
    if isinstance(value, types.ModuleType):
        if value.__name__.startswith("numpy.") and not any(part.startswith("_") for part in value.__name__.split(".")):
            return importlib.import_module("weft" + value.__name__[len("numpy") :])
        return value
    if isinstance(value, type):
        if value is numpy.lib.mixins.NDArrayOperatorsMixin and value not in classes:
            classes[value] = _protocols.operators()
        return classes.get(value, value)
    if (
        isinstance(value, types.GenericAlias) or type(value).__module__ == "typing"
    ):  # numpy.typing's, which can be called
        of_arrays = getattr(value, "__origin__", None) is numpy.ndarray
        return types.GenericAlias(ndarray, value.__args__) if of_arrays else value
    if isinstance(value, _grids):
        return Grid(dotted, value)
    if isinstance(value, numpy.ufunc):
        own = dotted in _composed.ALL
        function = (
            _composed.compose(dotted, value)
            if own
            else _blocks.blockwise(dotted, value)
            if dotted in _blocks.NAMES
            else wrap(dotted, value)
        )
        if not own or dotted in _delegates.DOES or dotted in _delegates.CUTS:
            function = _delegates.shortcut(dotted, function)
        return _ufunc.dress(function, dotted, value, _functions.FUNCTIONS)
    if dotted in composed:
        composed[dotted].__doc__ = value.__doc__  # its own is for readers of the source
        return composed[dotted]
    if dotted in _composed.ALL or (prefix.startswith("polynomial.") and isinstance(value, _TEXT)):
        function = _composed.compose(dotted, value)
        if (
            _delegates.DOES.get(dotted, "frames") == "frames"
            and dotted not in _composed.MAKERS
            and dotted not in _delegates.OTHERWISE
        ):
            function = _delegates.plainly(dotted, function)  # of numbers and lists
        return _delegates.row(dotted, _delegates.shortcut(dotted, function))
    if dotted in _blocks.NAMES:
        return _delegates.shortcut(dotted, _blocks.blockwise(dotted, value))
    if dotted in _WITHOUT_VALUES:
        return _delegates.asked(
            dotted, _delegates.extent(dotted, _delegates.shortcut(dotted, _without_values(value))), value
        )
    if callable(value):
        function = wrap(dotted, value)
        if type(value).__module__ == "numpy.ma.core":  # the masked ufuncs, which have methods as others have
            for method in ("reduce", "accumulate", "outer"):
                if hasattr(value, method):
                    setattr(function, method, wrap(f"{dotted}.{method}", getattr(value, method)))
        function = _delegates.shortcut(
            dotted, function if dotted in _delegates.DOES else _delegates.plainly(dotted, function, "wrapped")
        )
        return _delegates.asked(dotted, function, value)
    return value


# How weft does what a name means, in words.
_WAYS = {
    "native": "natively; what it does not know of the arguments, in NumPy",
    "composed": "as NumPy's own Python text, on weft's arrays",
    "fallback": "in NumPy: weft has no function of its own for it, and hands its arrays over",
}


def way(function):
    """How weft does a function or method: "native", "composed" or "fallback"; nothing for what is not weft's.

    What puts functions together, or hands arrays over, says so of what it makes.
    """
    inner = getattr(function, "_python", function)
    said = getattr(inner, "_way", "")
    if said:
        return said
    if isinstance(inner, types.MethodDescriptorType):
        return "native" if inner.__objclass__ is ndarray else ""
    code = getattr(inner, "__code__", None)
    folder = os.path.dirname(os.path.abspath(__file__)) + os.sep
    return "native" if code is not None and code.co_filename.startswith(folder) else ""


def runs(function):
    """Where a function or method of weft's runs, in words; nothing for what is not weft's."""
    return getattr(getattr(function, "_python", function), "_runs", None) or _WAYS.get(way(function), "")


def documentation(function):
    """NumPy's text on a function or method of weft's, or None."""
    original = getattr(function, "_numpy", None)
    if original is None and getattr(function, "__qualname__", "").startswith("ndarray."):
        original = getattr(numpy.ndarray, function.__name__, None)
    return inspect.getdoc(original) if original is not None else None


def own_name(module, name, value):
    """NumPy's own name of the value that a module has under a name: np.true_divide is np.divide."""
    own = getattr(value, "__name__", None)
    if isinstance(own, str) and own != name and getattr(module, own, None) is value:
        return own
    return name


def named(module, name):
    """A function of weft's, by which pickles find it."""
    return getattr(importlib.import_module(module), name)


def _settle(function, module, name):
    """Have a function pickled by its name in a module of weft's, unless another module has it so already.

    What pickles ask, where it is the core's object, says so itself, and is of NumPy's module, as NumPy's is; Python's functions are of weft's.
    """
    own = isinstance(function, _core.function_type)
    if own and hasattr(function, "_pickled") or not own and not isinstance(function, types.FunctionType):
        return
    parts = (function.__module__ or "_").split(".")
    known = sys.modules.get(function.__module__) if not any(part.startswith("_") for part in parts) else None
    if known is not None and vars(known).get(function.__qualname__) is function:
        return
    function.__module__, function.__qualname__ = module, name
    if own:
        function._pickled = named, (module, name)
        function.__module__ = getattr(getattr(function, "_numpy", None), "__module__", None) or module


def settle(space):
    """Do so with all public functions of a module that is its own."""
    for name, value in space.items():
        if not name.startswith("_"):
            _settle(value, space["__name__"], name)


# Modules that hold functions alone, none of which NumPy makes when it is asked, and no modules that an import would add later.
_WHOLE = ("numpy.strings", "numpy.char")


def populate(space, numpy_name):
    """Put the native functions of a NumPy module into a module's namespace.

    Returns the module's __getattr__ and __dir__.
    """
    module = importlib.import_module(numpy_name)
    prefix = numpy_name[len("numpy") :].lstrip(".")
    prefix = prefix + "." if prefix else ""
    for name, function in _functions.FUNCTIONS.items():
        before, _, last = name.rpartition(".")
        if (before + "." if before else "") == prefix:
            own = own_name(module, last, getattr(module, last))
            if own != last and prefix + own in _functions.FUNCTIONS:
                continue
            function.__name__ = function.__qualname__ = last
            original = getattr(module, last)
            if isinstance(original, numpy.ufunc):
                _ufunc.dress(function, name, original, _functions.FUNCTIONS)
            else:
                function._numpy, function._odd = original, unfit(name, original)
                _signatures.tell(function, original)
            space.setdefault(last, function)
    for name in _functions.FUNCTIONS:
        before, _, last = name.rpartition(".")
        if (before + "." if before else "") == prefix:
            own = own_name(module, last, getattr(module, last))
            if own in space:
                space.setdefault(last, space[own])
    settle(space)

    def __getattr__(name):
        if name.startswith("__") and name not in ("__version__", "__array_namespace_info__", "__array_api_version__"):
            raise AttributeError(f"module {space['__name__']!r} has no attribute {name!r}")
        value = _value(module, name)
        own = own_name(module, name, value)
        if own != name and own not in space:
            __getattr__(own)
        value = attribute(prefix, module, name, value) if own == name else space[own]
        if name in vars(module):  # what NumPy makes when it is asked, it warns of each time
            space[name] = value
            _settle(value, space["__name__"], name)
            complete()
        return value

    begun = numpy_name not in _WHOLE

    def complete():
        """Have all names of such a module at hand from the first one on that was asked for.

        Python finds names in a third of the time where a module has no __getattr__.
        """
        nonlocal begun
        if begun:
            return
        begun = True
        for name in tuple(vars(module)):
            if not name.startswith("__") and name not in space:
                __getattr__(name)
        space.pop("__getattr__", None)

    def __dir__():
        return sorted({*(name for name in space if not name.startswith("_")), *dir(module)})

    return __getattr__, __dir__


class Mirrors:
    """Imports weft.polynomial, weft.lib.stride_tricks, ...: the modules of NumPy that have no file here.

    A finder and loader without importlib.abc, which takes as long to import as half of the rest of weft.
    """

    def find_spec(self, fullname, path=None, target=None):
        first, _, rest = fullname.partition(".")
        if first != "weft" or not rest or rest.startswith("_"):
            return None
        if importlib.util.find_spec("numpy." + rest) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return None  # an ordinary one

    def exec_module(self, module):
        rest = module.__name__.partition(".")[2]
        getter, lister = populate(module.__dict__, "numpy." + rest)
        original = sys.modules["numpy." + rest]
        module.__doc__ = original.__doc__
        if hasattr(original, "__all__"):
            module.__all__ = original.__all__
        module.__getattr__, module.__dir__ = getter, lister


def adopt(space, module):
    """Put all that a module has into the namespace of a package that is another name of it.

    The package keeps its own __name__. Returns its __getattr__ and __dir__, for what the module only has when it is asked.
    """
    space.setdefault("__all__", module.__all__)
    space["__version__"] = module.__version__
    for name, value in vars(module).items():
        if not name.startswith("_") and not isinstance(value, types.ModuleType):
            space[name] = value

    def __getattr__(name):
        try:
            value = space[name] = getattr(module, name)
        except AttributeError as error:
            raise AttributeError(str(error).replace("module 'numpy'", f"module {space['__name__']!r}")) from None
        return value

    return __getattr__, module.__dir__


class Aliases:
    """Makes the submodules of a package's other name the same modules: cupynumeric.linalg is weft.linalg."""

    def __init__(self, alias):
        self._alias = alias + "."

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(self._alias):
            return None
        try:
            module = importlib.import_module("weft." + fullname[len(self._alias) :])
        except ModuleNotFoundError:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, loader_state=(module, module.__spec__))

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state[1]
