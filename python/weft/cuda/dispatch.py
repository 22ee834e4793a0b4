"""@cuda.jit: kernels, the configuration of their launches, and their arguments."""

import warnings

import numpy

from .. import _core, settings
from ..compiled import reading
from ..compiled.errors import (
    CudaAPIError,
    DeprecationError,
    NumbaInvalidConfigWarning,
    UnsupportedError,
)
from ..compiled.types import Array, Number, Signature, normalized, of_value, signatures, void
from . import directives, limits
from .arguments import Given
from .inspection import signed
from .linking import refuse
from .log import Log
from .memory import Argument
from .overloads import Inspected, Overload

# Options that say how machine code is made, of which there is none of one's own here: each takes what it takes in Numba.
_HINTS = (
    "inline",
    "forceinline",
    "lineinfo",
    "opt",
    "cache",
    "launch_bounds",
    "lto",
    "shared_memory_carveout",
    "fastmath",
    "max_registers",
    "extensions",
)


def jit(func_or_sig=None, device=False, debug=None, link=(), boundscheck=None, **options):
    """Compile a function as a kernel: @cuda.jit, or @cuda.jit("void(float32[:], float32[:])"); with device=True, for kernels to call.

    Indices are always checked. With debug=True so are races of threads, reads of shared, local and device arrays that nothing
    has written, and divisions by zero; the kernel then runs on CPUs. debug="nans" adds NaNs that appear.

    launch_bounds=(threads, blocks) says how large a block is at most, and for how many a multiprocessor should have room;
    max_registers=32 how many registers a thread should have; lineinfo=True has NVIDIA's profilers show the function's lines.
    GPUs compile a kernel by itself that way; where each thread writes elements of its own, it is fused with its neighbours
    instead. inline, fastmath and other options on machine code are accepted, and change nothing.
    """
    for name in ("argtypes", "restype", "bind"):
        if name in options:
            raise DeprecationError(
                f"Deprecated keyword argument `{name}`. Signatures should be passed as the first positional argument."
            )
    if boundscheck:
        raise NotImplementedError("bounds checking is not supported for CUDA: indices are always checked")
    if link:
        refuse(link)
    unknown = [name for name in options if name not in _HINTS]
    if unknown:
        raise TypeError(f"jit() got an unexpected keyword argument {unknown[0]!r}")
    if debug and options.get("opt", False):
        warnings.warn(
            NumbaInvalidConfigWarning("debug=True with opt=True is not supported by CUDA. This may result in a crash"),
            stacklevel=2,
        )
    if debug and options.get("lineinfo", False):
        warnings.warn(
            NumbaInvalidConfigWarning("debug and lineinfo are mutually exclusive: a kernel with debug=True runs on CPUs, where it tells its lines"),
            stacklevel=2,
        )
    asked = checks(debug)
    directives.of(options)  # what is wrong with them is said where they are written
    directives.check_hints(options)
    if func_or_sig is not None and reading.python_function(func_or_sig):
        return Dispatcher(func_or_sig, [], device, asked, options)
    loops = signatures(func_or_sig) if func_or_sig else []
    for loop in loops:
        if not device and loop.return_type.name != "none":
            raise TypeError("CUDA kernel must have void return type.")
    return lambda function: Dispatcher(function, loops, device, asked, options)


def checks(debug):
    """What a kernel looks for besides wrong indices, by the option debug and WEFT_DEBUG."""
    asked = settings.debug_checks()
    nans = debug == "nans" or "nans" in asked
    return (*(("guards", "divides") if debug or asked else ()), *(("nans",) if nans else ()))


_UNCONFIGURED = "Kernel launch configuration was not specified. Use the syntax:\n\n{}[blockspergrid, threadsperblock](arg0, arg1, ...)"

# How many configurations of a kernel's launches are kept.
_MOST_CONFIGURED = 64

# How many threads blocks have where nothing says it.
_USUAL_THREADS = 256

# Arguments that need no look: one value for the compiler each.
_AT_ONCE = frozenset((_core.ndarray, bool, int, float, complex))


class Dispatcher(Inspected):
    """A kernel, or a function that kernels call. kernel[blocks, threads](arguments...) launches it."""

    def __init__(self, function, loops: list[Signature], device, checks=(), options=None):
        self.py_func = reading.python_function(function)
        if self.py_func is None:
            raise TypeError(f"cuda.jit takes a Python function, not {function!r}")
        self.__name__, self.__doc__, self.__module__ = (
            self.py_func.__name__,
            self.py_func.__doc__,
            self.py_func.__module__,
        )
        self.device, self._loops, self._number, self._unit, self._checks = device, loops, None, None, checks
        self._options = options or {}
        self.launch_bounds, self.extensions = self._options.get("launch_bounds"), list(self._options.get("extensions") or ())
        self._configured = {}  # launches, by what they were configured with
        self.callbacks = {}  # what is called before launches, by the configuration; kept as long as the kernel is
        self._plain = False  # it has been read, and takes its arguments as they are
        if loops and not device:  # what is wrong is said where it is written
            for loop in loops:
                self.compile(loop)

    def __repr__(self):
        return f"<{'device function' if self.device else 'kernel'} {self.__name__!r}>"

    def __call__(self, *args):
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: kernels call it")
        raise ValueError(_UNCONFIGURED.format(self.__name__))

    def __getitem__(self, configuration):
        try:
            launch = self._configured[configuration]
            if _is_whole(configuration):
                return launch
        except (KeyError, TypeError):  # of sequences that have no hash
            pass
        launch = self._configure(configuration)  # which refuses 1.0, though it is equal to 1
        if _is_whole(configuration):
            if len(self._configured) >= _MOST_CONFIGURED:
                self._configured.clear()
            self._configured[configuration] = launch
        return launch

    def _configure(self, configuration):
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        if None in given[:2]:
            raise ValueError(_UNCONFIGURED.format(self.__name__))
        if len(given) < 2:
            raise ValueError("must specify at least the griddim and blockdim")
        if len(given) > 4:
            raise ValueError(
                f"a launch is configured by griddim, blockdim, stream and bytes of shared memory: 4 at most, got {len(given)}"
            )
        return self.configure(*given)

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """What kernel[griddim, blockdim, stream, sharedmem] is."""
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: kernels call it")
        _check_stream(stream)
        return Launch(self, *self.dims(griddim, blockdim, sharedmem), stream)

    def dims(self, griddim, blockdim, sharedmem=0):
        """A configuration as launch takes it, within the limits."""
        grid, block = _dims(griddim, "griddim"), _dims(blockdim, "blockdim")
        _check_limits(self.__name__, grid, block, sharedmem, directives.threads_of(self.launch_bounds))
        return grid, block, int(sharedmem)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launch of at least so many threads, in blocks of tpb or of a number that suits the device."""
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        tpb = tpb or min(_USUAL_THREADS, directives.threads_of(self.launch_bounds))
        if ntasks == 0:
            return lambda *args: None
        return self.configure(-(-ntasks // tpb), tpb, stream, sharedmem)

    @property
    def specialized(self) -> bool:
        """Whether it has one signature, which it was given."""
        return len(self._loops) == 1

    @property
    def number(self) -> int:
        """Which function it is of those that are compiled."""
        if self._unit is None:
            self._read()
        return self._number

    @property
    def source(self):
        """File, first line and text of the function, as the compiler has them."""
        if self._unit is None:
            self._read()
        return self._unit.source

    def compile(self, sig) -> "Overload":
        """Compile it for a signature, before it is launched."""
        args, result = normalized(sig)
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: it is compiled with the kernels that call it; see cuda.compile")
        if result not in (None, void):
            raise TypeError("CUDA kernel must have void return type.")
        return Overload(self, signed(self.number, args), args)

    def specialize(self, *args) -> "Dispatcher":
        """The kernel for arguments of the types of these alone, compiled."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        return Dispatcher(self.py_func, [Signature(void, map(of_value, args))], self.device, self._checks, self._options)

    def recompile(self):
        """Read it anew: names outside of it are what they are now. Signatures with tuples or records are compiled when they are launched again."""
        known = self.signatures if self._unit is not None else []
        self._unit = None
        for args in known:
            if all(isinstance(t, Array | Number) for t in args):
                self.compile(args)

    @property
    def func_code(self):
        """The code of the function."""
        return self.py_func.__code__

    @property
    def targetoptions(self) -> dict:
        """The options that it was decorated with."""
        return {"device": self.device, **self._options}

    def enable_caching(self) -> None:
        """Have it kept on disk, as cache=True has: a hint, since compiling takes less than reading what was kept."""

    def mark_launch_config_sensitive(self) -> None:
        """Have a kernel of its own for each configuration, as extensions of Numba's want that look at it while they compile: none does here."""

    def plain(self, call):
        """What a call gives for the number of a kernel that names no arrays of the host's, and does not print."""
        if self._unit is None:
            self._read()
        if self._unit.arrays or self._unit.prints:
            raise UnsupportedError(f"{self.__name__} prints, or names arrays that are not its arguments, so that it is not cut")
        return call(self._number)

    def _read(self):
        unit = self._unit = reading.Unit(self.py_func, self._checks, directives.of(self._options))
        self._number = _core.compiled("read", unit.text)
        self._plain = not (self._loops or unit.arrays or unit.prints or self.extensions)
        return unit

    def launch(self, grid, block, sharedmem, args):
        """Launch it on blocks of threads with arguments; returns a bit for each of these that it writes."""
        if self._plain and _AT_ONCE.issuperset(map(type, args)):
            return _core.compiled("launch", self._number, grid, block, sharedmem, None, *args)
        unit = self._unit
        if unit is None:
            unit = self._read()
        after = []  # what extensions want to be done behind the launch
        for extension in reversed(self.extensions):
            args = [extension.prepare_args(_type_of(a), a, stream=0, retr=after)[1] for a in args]
        if self._loops:
            args = self._matched(args)
        given = Given(self.__name__, args)
        log = Log(unit.texts) if unit.prints else None
        if unit.arrays or log:
            given.force_structure()
            given.leaves += unit.arrays + (log.arrays if log else [])
        written = _core.compiled("launch", self._number, grid, block, sharedmem, given.structure, *given.leaves)
        if log:
            log.show(self.__name__)
        given.give_back(written)
        for finish in after:
            finish()
        return given.by_argument(written)

    def _matched(self, args):
        """The arguments as the first signature has them that they match."""
        values = [a.value if isinstance(a, Argument) else a for a in args]
        for loop in self._loops:
            if len(values) != len(loop.args):
                continue
            if all(_matches(value, t) for value, t in zip(values, loop.args, strict=True)):
                return [t.dtype.type(a) if isinstance(t, Number) else a for a, t in zip(args, loop.args, strict=True)]
        described = ", ".join(
            f"array({v.dtype}, {v.ndim}d)" if hasattr(v, "ndim") else type(v).__name__ for v in values
        )
        raise TypeError(
            f"No matching definition for argument type(s) {described}; {self.__name__} has {', '.join(map(str, self._loops))}"
        )


class Launch:
    """A kernel with the configuration of a launch: called with the kernel's arguments, it launches it.

    pre_launch_callbacks are called before it does, with the kernel and this, and find the kernel's arguments in args. All launches of a
    kernel that are configured alike have the same ones, which the kernel keeps.
    """

    args = None  # of the launch that callbacks are called before; nothing at other times

    def __init__(self, kernel, grid, block, sharedmem, stream=0):
        self.dispatcher, self.griddim, self.blockdim, self.sharedmem, self.stream = kernel, grid, block, sharedmem, stream
        self._alike = (grid, block, sharedmem, stream)

    @property
    def pre_launch_callbacks(self) -> list:
        return self.dispatcher.callbacks.setdefault(self._alike, [])

    @pre_launch_callbacks.setter
    def pre_launch_callbacks(self, callbacks):
        self.dispatcher.callbacks[self._alike] = callbacks

    def __call__(self, *args, **named):
        if named:
            raise TypeError(f"{self.dispatcher.__name__}: kernels take their arguments by position alone, got {', '.join(map('{}='.format, named))}")
        if self.dispatcher.callbacks:
            self._call_back(args)
        self.dispatcher.launch(self.griddim, self.blockdim, self.sharedmem, args)


    def _call_back(self, args):
        self.args = args
        try:
            for callback in self.dispatcher.callbacks.get(self._alike, ()):
                callback(self.dispatcher, self)
        finally:
            self.args = None


def _check_stream(stream):
    if stream is None or hasattr(stream, "__index__") or any(hasattr(stream, name) for name in _OF_STREAMS):
        hash(stream)  # launches are known by it
        return
    raise TypeError(f"a launch's stream is one of cuda.stream(), or 0 for the default one, got {stream!r}; bytes of shared memory come behind it")


# What streams have: weft's, those of other libraries by their protocol, and PyTorch's and CuPy's.
_OF_STREAMS = ("synchronize", "__cuda_stream__", "cuda_stream", "ptr")


def _type_of(value):
    """The type of an argument, as far as it has one before extensions change it."""
    try:
        return of_value(value)
    except (TypeError, KeyError):
        return None


def _matches(value, t):
    if isinstance(t, Array):
        return getattr(value, "dtype", None) == t.dtype and getattr(value, "ndim", None) == t.ndim
    return isinstance(t, Number) and (
        isinstance(value, (bool, int, float, complex)) or isinstance(value, numpy.generic)
    )


def _is_whole(configuration):
    """Whether a configuration is of integers, and of tuples of integers, alone."""
    for word in configuration:
        if type(word) is int:
            continue
        if type(word) is not tuple:
            return False
        for n in word:
            if type(n) is not int:
                return False
    return True


def _dims(dims, name):
    """The extents along three axes."""
    try:
        given = tuple(dims)
    except TypeError:
        given = (dims,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {list(given)}")
    for v in given:
        if isinstance(v, bool) or not hasattr(v, "__index__"):
            raise TypeError(f"{name} must be a sequence of integers, got {list(given)}")
    return tuple(int(v) for v in given) + (1,) * (3 - len(given))


def _check_limits(name, grid, block, sharedmem, bound):
    threads = block[0] * block[1] * block[2]
    for what, dims, most in (("blockdim", block, limits.BLOCK), ("griddim", grid, limits.GRID)):
        for axis, n, limit in zip("xyz", dims, most, strict=True):
            if not 1 <= n <= limit:
                raise CudaAPIError(1, f"{name}: {what}.{axis} is {n}; want 1 to {limit}")
    if threads > limits.THREADS:
        raise CudaAPIError(1, f"{name}: a block of {threads} threads; want {limits.THREADS} at most")
    if threads > bound:
        raise CudaAPIError(1, f"{name}: a block of {threads} threads; its launch_bounds say {bound} at most")
    if isinstance(sharedmem, bool) or not hasattr(sharedmem, "__index__"):
        raise TypeError(f"{name}: sharedmem is a number of bytes, got {sharedmem!r}")
    if sharedmem < 0:
        raise CudaAPIError(1, f"{name}: {sharedmem} bytes of shared memory; want 0 to {limits.SHARED}")
    if sharedmem > limits.SHARED:
        raise CudaAPIError(1, f"{name}: {sharedmem} bytes of shared memory; want {limits.SHARED} at most")
