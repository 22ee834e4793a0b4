"""Libraries that tell NumPy's arrays from all others, and what they are given instead.

Most libraries take weft's arrays as they take anything that has a buffer. Some ask first whether an array is NumPy's: by isinstance, by a
table of types, or in C, where nothing else will do. What a program calls of those gets NumPy's views of its arrays, over the same memory:

    torch.from_numpy(x)        torch gets a view of x, and the tensor has the memory of x
    @numba.njit                what stands for np in the program's function is NumPy for Numba

So each such library has a row here. It takes effect when the library is imported; a process that imports none pays for a look into a
table at each import of another module. Names that a version of a library has not are passed over. Where the library was there before weft, the names under which
its own modules have what a row exchanges are exchanged as well; those that the program took before have NumPy's meaning still.
"""

import functools
import importlib
import os
import sys
import types

import numpy

from . import _core
from ._fallback import Exchange, is_ours

ndarray = _core.ndarray

# The packages whose names are weft's.
OWN = ("weft", "cupynumeric", "cunumeric")

# What has to be looked into, or may stand for something of NumPy's.
_TELLING = (ndarray, list, tuple, dict, types.ModuleType, types.FunctionType, _core.function_type)


def given(value):
    """value with NumPy's views in place of weft's arrays, also in lists, tuples and dicts, and NumPy's functions in place of weft's."""
    kind = type(value)
    if kind is ndarray:
        return Exchange().to_numpy(value)
    if kind is list or kind is tuple:
        items = list(map(given, value))
        return value if all(a is b for a, b in zip(items, value, strict=True)) else kind(items)
    if kind is dict:
        items = list(map(given, value.values()))
        return value if all(a is b for a, b in zip(items, value.values(), strict=True)) else dict(zip(value, items, strict=True))
    return meant(value)


def meant(value):
    """What one of weft's names means in NumPy; value itself where it is none."""
    kind = type(value)
    if kind is types.ModuleType:
        first, _, rest = value.__name__.partition(".")
        if first in OWN:
            return sys.modules.get("numpy." + rest if rest else "numpy", value)
        return value
    if value is ndarray:
        return numpy.ndarray
    if kind is ndarray:
        return Exchange().to_numpy(value)
    if issubclass(kind, _core.function_type) or (kind is types.FunctionType and value.__globals__.get("__name__", "").startswith("weft.")):
        return getattr(value, "_numpy", value)
    return value


def _converting(original):
    """A callable that gives another one NumPy's views of arrays."""

    @functools.wraps(original)
    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()):
            if isinstance(value, _TELLING):
                return original(*map(given, args), **{name: given(value) for name, value in kwargs.items()})
        return original(*args, **kwargs)

    return call


_SHORT = 64  # items of a list that is looked through; of a longer one the first says what all are


def _arrays_given(value):
    """value with NumPy's views in place of weft's arrays, also as items: for what is called often, and with lists of many numbers."""
    kind = type(value)
    if kind is ndarray:
        return Exchange().to_numpy(value)
    items = value if kind is list or kind is tuple else list(value.values()) if kind is dict else ()
    if not any(type(item) is ndarray for item in (items if len(items) <= _SHORT else items[:1])):
        return value
    made = [Exchange().to_numpy(item) if type(item) is ndarray else item for item in items]
    return dict(zip(value, made, strict=True)) if kind is dict else kind(made)


def _handing(original):
    """A callable that gives another one NumPy's views of arrays, and of those in a list, tuple or dict."""

    @functools.wraps(original)
    def call(*args, **kwargs):
        return original(*map(_arrays_given, args), **({name: _arrays_given(value) for name, value in kwargs.items()} if kwargs else kwargs))

    return call


def _exchange(module, name, converting=_converting):
    """Put a function of a module in place of one that gives it NumPy's views; pickles find it by its name."""
    made = converting(vars(module)[name])
    made.__module__, made.__qualname__ = module.__name__, name
    setattr(module, name, made)


def _call(*names, converting=_converting):
    """Functions, and methods of classes, that get NumPy's views."""

    def adapt(module):
        for name in names:
            *path, last = name.split(".")
            place = functools.reduce(lambda at, part: getattr(at, part, None), path, module)
            original = vars(place).get(last) if place is not None else None
            if isinstance(original, property):
                setattr(place, last, property(original.fget, original.fset and converting(original.fset), original.fdel, original.__doc__))
            elif callable(original) and place is module:
                _exchange(module, last, converting)
            elif callable(original):
                setattr(place, last, converting(original))

    return adapt


def _hand(*names):
    """The same for what is called often."""
    return _call(*names, converting=_handing)


def _all(module):
    """All functions of a module."""
    for name, value in list(vars(module).items()):
        own = isinstance(value, types.BuiltinFunctionType) or (isinstance(value, types.FunctionType) and value.__module__ == module.__name__)
        if own and not name.startswith("_"):
            _exchange(module, name)


def _dask(module):
    for name, lookup in vars(module).items():
        if name.endswith("_lookup"):
            for kind in (numpy.ndarray, object):
                if kind in lookup._lookup:
                    lookup.register(ndarray, lookup._lookup[kind])
                    break


def _autograd_boxes(module):
    module.ArrayBox.register(ndarray)


def _autograd_spaces(module):
    module.VSpace.register(ndarray, lambda x: module.VSpace.mappings[numpy.ndarray](given(x)))


def _einops(module):
    module._type2backend[ndarray] = module.NumpyBackend()


def _jax(module):
    """jax._src.abstract_arrays: what functions that are traced, differentiated or compiled do with their arguments."""
    from jax._src import core, dtypes

    core.pytype_aval_mappings[ndarray] = lambda x: core.pytype_aval_mappings[numpy.ndarray](given(x))
    dtypes.canonicalize_value_handlers[ndarray] = lambda x, *rest: dtypes.canonicalize_value_handlers[numpy.ndarray](given(x), *rest)


def _jax_pxla(module):
    handlers = module.shard_arg_handlers
    handlers[ndarray] = lambda xs, *rest: handlers[numpy.ndarray](list(map(given, xs)), *rest)


def _jax_constants(module):
    module.register_constant_handler(ndarray, lambda value, *rest: module._ndarray_constant_handler(given(value), *rest))


def _jax_operators(module):
    module._accepted_binop_types += (ndarray,)
    _call("_IndexUpdateHelper.__getitem__")(module)


def _numexpr(module):
    """numexpr.evaluate finds the arrays in the frame that calls it, and converts all but the one that it writes to."""
    original = module.evaluate

    @functools.wraps(original)
    def evaluate(*args, **kwargs):
        kwargs["_frame_depth"] = kwargs.get("_frame_depth", 3) + 1
        return original(*map(given, args), **{name: given(value) for name, value in kwargs.items()})

    module.evaluate = evaluate


def _numba_interpreter(module):
    """What a function's names mean to Numba: the modules and functions that it knows are NumPy's, and arrays are constants."""
    for name in ("get_global_value", "get_closure_value"):
        original = getattr(module.Interpreter, name)
        setattr(module.Interpreter, name, lambda self, which, original=original: meant(original(self, which)))


def _numba_calls(*classes):
    def adapt(module):
        for name in classes:
            kind = getattr(module, name)
            kind.__call__ = _converting(kind.__call__)

    return adapt


def _pandas_levels(module):
    """pandas.util._exceptions: how many frames up the program is, of which pandas warns. Those of the functions that get views are among pandas' own."""
    package = os.path.dirname(os.path.dirname(module.__file__))
    tests = os.path.join(package, "tests")

    @functools.wraps(module.find_stack_level)
    def find_stack_level():
        frame, levels = sys._getframe(), 0
        while frame is not None:
            file = frame.f_code.co_filename
            if not is_ours(file) and (not file.startswith(package) or file.startswith(tests)):
                break
            frame, levels = frame.f_back, levels + 1
        return levels

    module.find_stack_level = find_stack_level


def _scipy_factors(module):
    """scipy.sparse.linalg's factorized returns a method of a type of C, which takes NumPy's arrays alone."""
    original = module.factorized

    @functools.wraps(original)
    def factorized(A):
        return _handing(original(A))

    module.factorized = factorized


def _torch(module):
    """torch knows some of its functions by identity: those that make tensors on the default device, and those that its compiler has words for."""
    names = [name for name in ("from_numpy", "tensor", "as_tensor", "asarray") if hasattr(module, name)]
    originals = [getattr(module, name) for name in names]
    try:
        importlib.import_module("torch.utils._device")._device_constructors()  # a set, which is kept
    except (AttributeError, ImportError):
        pass
    try:
        words = importlib.import_module("torch.jit._builtins")._get_builtin_table()
    except (AttributeError, ImportError):
        words = {}
    _call(*names)(module)
    for name, original in zip(names, originals, strict=True):
        if id(original) in words:
            words[id(getattr(module, name))] = words[id(original)]


def _torch_collate(module):
    table = module.default_collate_fn_map
    table[ndarray] = lambda batch, *, collate_fn_map=None: table[numpy.ndarray](list(map(given, batch)), collate_fn_map=collate_fn_map)


# By module, what is done once it is there.
_ROWS = {
    "astropy.table.groups": _call("table_group_by", "column_group_by"),
    "autograd.numpy.numpy_boxes": _autograd_boxes,
    "autograd.numpy.numpy_vspaces": _autograd_spaces,
    "bokeh.models.sources": _call("ColumnDataSource.__init__", "ColumnDataSource.stream", "ColumnDataSource.patch"),
    "bottleneck": _all,
    "cv2": _all,
    "cvxpy.expressions.leaf": _call("Leaf._validate_value"),
    "cvxpy.expressions.constants.constant": _call("Constant.__init__"),
    "dask.array.backends": _dask,
    "dask.array.core": _call("from_array"),
    "einops._backends": _einops,
    "h5py._hl.dataset": _call("Dataset.read_direct", "Dataset.write_direct"),
    "jax._src.abstract_arrays": _jax,
    "jax._src.interpreters.mlir": _jax_constants,
    "jax._src.interpreters.pxla": _jax_pxla,
    "jax._src.numpy.array_methods": _jax_operators,
    "jax._src.numpy.indexing": _call("rewriting_take"),
    "lightgbm.basic": _call("Dataset.__init__", "Dataset.set_label", "Dataset.set_weight", "Dataset.set_init_score", "Dataset.set_group", "Booster.predict"),
    "lightgbm.sklearn": _call("LGBMModel.fit", "LGBMModel.predict", "LGBMRegressor.fit", "LGBMClassifier.fit", "LGBMClassifier.predict", "LGBMClassifier.predict_proba", "LGBMRanker.fit"),
    "numba.core.interpreter": _numba_interpreter,
    "numba.core.registry": _numba_calls("CPUDispatcher"),
    "numba.np.ufunc.dufunc": _numba_calls("DUFunc"),
    "numba.np.ufunc.gufunc": _numba_calls("GUFunc"),
    "numba.stencils.stencil": _numba_calls("StencilFunc"),
    "numexpr.necompiler": _numexpr,
    # pandas knows a mask, a key of groups and a column of arrays by their being NumPy's. What is written between brackets goes through apply_if_callable: those
    # that are called with it count references and look at frames, to warn of assignments to copies, as do DataFrame.query and eval.
    "pandas._libs.tslibs.timedeltas": _hand(*(f"Timedelta.__{name}__" for name in ("mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "divmod", "rdivmod"))),
    "pandas.core.algorithms": _hand("factorize", "unique"),
    "pandas.core.apply": _hand("FrameApply.wrap_results"),
    "pandas.core.arrays.boolean": _hand("BooleanArray.__init__"),
    "pandas.core.arrays.numeric": _hand("NumericArray.__init__"),
    "pandas.core.common": _hand("apply_if_callable"),
    "pandas.core.frame": _hand("DataFrame.__init__", "DataFrame.groupby", "DataFrame.set_index", "DataFrame._set_item", "DataFrame._setitem_array", "DataFrame._setitem_frame", "DataFrame._setitem_slice"),
    "pandas.core.generic": _hand("NDFrame.mask", "NDFrame.where"),
    "pandas.core.indexes.base": _hand("Index.delete"),
    "pandas.core.indexing": _hand("_iLocIndexer._setitem_with_indexer"),
    "pandas.core.reshape.merge": _hand("merge", "merge_asof", "merge_ordered"),
    "pandas.core.series": _hand("Series.__init__", "Series.groupby", "Series._set_values", "Series._set_with", "Series._set_with_engine"),
    "pandas.core.util.hashing": _hand("hash_array"),
    "pandas.util._exceptions": _pandas_levels,
    "pint.facets.plain.quantity": _call("PlainQuantity.__new__"),
    "polars.dataframe.frame": _call("DataFrame.__init__"),
    "polars.series.series": _call("Series.__init__", "Series._arithmetic", "Series._comp"),
    "pyarrow": _call("array", "chunked_array"),
    "scipy.linalg._matfuncs": _hand("_funm_loops"),
    "scipy.signal._peak_finding": _hand("_unpack_condition_args"),
    "scipy.sparse._index": _hand("IndexMixin.__getitem__", "IndexMixin.__setitem__"),
    "scipy.sparse.linalg._dsolve.linsolve": _scipy_factors,
    "sklearn.model_selection._search": _call("ParameterGrid.__init__", "ParameterSampler.__init__"),
    "statsmodels.base.model": _call("Model.__init__"),
    "sympy.utilities.lambdify": _call("_get_namespace", "_module_present"),  # what lambdify does with modules; it looks at the frame that calls it
    "torch": _torch,
    "torch.utils.data._utils.collate": _torch_collate,
}

# The packages all of whose functions get NumPy's views: most of them hand their arguments to C that takes nothing else.
_PACKAGES = ("skimage.",)


def _row(name):
    """What is done once a module is there, or None."""
    row = _ROWS.get(name)
    return _all if row is None and name.startswith(_PACKAGES) and "._" not in name else row


class _Loader:
    """Loads a module as its own loader does, and has its row take effect."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        if name == "_loader":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _adapt(module)


class Neighbours:
    """Finds the modules that have rows, by the finders that come after it."""

    def find_spec(self, fullname, path=None, target=None):
        if _row(fullname) is None:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def _adapt(module):
    try:
        _row(module.__name__)(module)
    except (AttributeError, ImportError, KeyError, TypeError):
        pass  # another version, which has other names


def install():
    """Have the rows take effect, also for what has been imported already."""
    sys.meta_path.insert(0, Neighbours())
    there = list(sys.modules.items())
    for name, module in there:
        if _row(name) is not None:
            before = dict(vars(module))
            _adapt(module)
            made = {id(value): vars(module)[key] for key, value in before.items() if vars(module).get(key) is not value and callable(value)}
            package = name.partition(".")[0]
            for other, named in there:
                if made and other.partition(".")[0] == package:
                    _exchange_names(named, made)


def _exchange_names(module, made):
    """Have a module's names mean what is made now, by the identities of what they meant."""
    for key, value in list(getattr(module, "__dict__", {}).items()):
        if id(value) in made:
            setattr(module, key, made[id(value)])
