"""What a call comes to, with np = numpy and with np = weft, and how the two differ.

Values have the same bits where a row says nothing else; NaNs are all alike (RATIONALE.md, "Why is copysign an opcode?"). Where roundings may
differ ("Why is exp rounded to nearest ...", "Why do reductions have a canonical order?"), a row says by how many units in the last place.
"""

import functools
import re
import warnings

import numpy
import weft

ARRAYS = (numpy.ndarray, weft.ndarray)
PRIVATE = re.compile(r"weft\.(ndarray|random)|(?<= at )0x[0-9a-f]+")


@functools.lru_cache(maxsize=4096)
def compiled(text, mode):
    """The code of a statement or an expression, which NumPy and weft run, with few elements and with many."""
    return compile(text, "<example>", mode)


class Outcome:
    """What a call gave: its leaves by path, the arguments afterwards, what was warned of, or what was raised."""

    def __init__(self, np, statements, expression):
        names = {"np": np, "nan": numpy.nan, "inf": numpy.inf}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for statement in statements:
                exec(compiled(statement, "exec"), names)
        arguments = {name: value for name, value in names.items() if isinstance(value, ARRAYS)}
        self.error, self.leaves, self.result = None, {}, None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self.result = eval(compiled(expression, "eval"), names)
                self._walk("", self.result, arguments)
            except Exception as error:
                if isinstance(error, RecursionError):
                    raise
                self.error = type(error).__name__, PRIVATE.sub("", str(error).replace("weft.ndarray", "numpy.ndarray"))
        self.warnings = {(w.category.__name__, str(w.message)) for w in caught if w.category is not weft.FallbackWarning}
        self.arguments = {name: numpy.asarray(value) for name, value in arguments.items()}

    def _walk(self, path, value, arguments):
        if isinstance(value, (tuple, list)):
            self.leaves[path] = type(value).__name__, len(value)
            for k, item in enumerate(value):
                self._walk(f"{path}[{k}]", item, arguments)
        elif isinstance(value, dict):
            self.leaves[path] = "dict", sorted(map(str, value))
            for key, item in value.items():
                self._walk(f"{path}[{key!r}]", item, arguments)
        elif isinstance(value, numpy.ma.MaskedArray):
            told = value.dtype, value.shape, value.hardmask, repr(value.fill_value), value.mask is numpy.ma.nomask
            self.leaves[path] = (type(value).__name__, *map(str, told))
            self.leaves[path + ".mask"] = Leaf(numpy.ma.getmaskarray(value), {})
            self.leaves[path + ".filled"] = Leaf(value.filled(), {})
        elif isinstance(value, ARRAYS):
            self.leaves[path] = Leaf(value, arguments)
        elif isinstance(value, (numpy.generic, complex, float)):
            self.leaves[path] = Leaf(value, {})
        elif type(value).__name__ == "poly1d":
            self._walk(path + ".coeffs", value.coeffs, arguments)
        else:
            self.leaves[path] = type(value).__name__, PRIVATE.sub("", repr(value))


class Leaf:
    """An array or a number of a result."""

    def __init__(self, value, arguments):
        self.kind = type(value).__name__
        self.array = host = numpy.asarray(value)
        self.shares = sorted(name for name, other in arguments.items() if numpy.may_share_memory(host, numpy.asarray(other)))
        self.flags, self.strides = {}, ()
        if isinstance(value, ARRAYS):
            flags = value.flags
            self.flags = {name: bool(flags[name]) for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE")}
            self.strides = tuple(s for s, n in zip(value.strides, value.shape, strict=True) if n > 1) if value.size else ()


def bits(array):
    """The bytes of an array's elements, with one NaN for all."""
    if array.dtype.kind in "fc" and array.size:
        array = array.copy("C")
        parts = array.reshape(-1).view(array.real.dtype)
        parts[numpy.isnan(parts)] = numpy.nan
    if array.dtype.kind == "T" or array.dtype.hasobject and array.dtype.names:
        return repr(array.tolist())
    if array.dtype.kind == "O":
        return [hex(item) if isinstance(item, int) else repr(item) for item in array.reshape(-1)]  # long integers have no decimal repr
    if array.dtype.char in "gG":
        return [repr(item) for item in array.reshape(-1)]  # without the bytes between them
    return array.tobytes()


def near(got, want, units):
    """Whether elements are as near as so many parts of the largest finite one."""
    if got.dtype.kind == "c":
        got, want = (numpy.ascontiguousarray(a).reshape(-1).view(a.real.dtype) for a in (got, want))
    finite = numpy.isfinite(want)
    if not (numpy.isfinite(got) == finite).all() or bits(numpy.where(finite, 0, got)) != bits(numpy.where(finite, 0, want)):
        return False
    if not finite.any():
        return True
    got, want = got[finite].astype("g"), want[finite].astype("g")
    largest = max(abs(want).max(), abs(got).max())
    return bool((abs(got - want) <= units * largest).all())


def closely(got, want, units):
    """Whether each element is within so many units in its last place of NumPy's, and zeros and signs are NumPy's."""
    if got.dtype.kind == "c":
        size = numpy.maximum(abs(want.real), abs(want.imag))
        return _part(got.real, want.real, size, units) and _part(got.imag, want.imag, size, units)
    return _part(got, want, abs(want), units)


def _part(got, want, size, units):
    finite = numpy.isfinite(want) & numpy.isfinite(got)
    if bits(numpy.where(finite, 0, got).astype(want.dtype)) != bits(numpy.where(finite, 0, want).astype(want.dtype)):
        return False
    size = numpy.where(numpy.isfinite(size), size, abs(numpy.where(finite, want, 1))).astype(want.dtype)
    apart = abs(numpy.where(finite, got, 0).astype("g") - numpy.where(finite, want, 0).astype("g"))
    with numpy.errstate(all="ignore"):
        return bool((apart <= units * numpy.spacing(size).astype("g")).all())


def differences(ours, theirs, row):
    """How an outcome differs from NumPy's: pairs of a kind of difference and what it is."""
    found = []
    if ours.error != theirs.error:
        if ours.error is None or theirs.error is None or ours.error[0] != theirs.error[0]:
            found.append(("error", f"{ours.error} and not {theirs.error}"))
        else:
            found.append(("words", f"{ours.error} and not {theirs.error}"))
    elif theirs.error is None:
        found += _leaves(ours, theirs, row)
    for name, want in theirs.arguments.items():
        got = ours.arguments.get(name)
        if got is None or got.dtype != want.dtype or got.shape != want.shape or not equal(got, want, row):
            found.append(("halfway" if theirs.error and ours.error else "arguments", f"{name} is {got!r} and not {want!r}"))
    keep = row.tells
    got, want = ({w for w in o.warnings if keep or w[0] != "RuntimeWarning"} for o in (ours, theirs))
    if got != want:
        found.append(("warnings", f"{sorted(got)} and not {sorted(want)}"))
    return found


def equal(got, want, row):
    if bits(got) == bits(want):
        return True
    if want.dtype.kind not in "fc" or want.dtype.char == "g":
        return False
    if row.units:
        return closely(got, want, row.units)
    return bool(row.close) and near(got, want, row.close * numpy.finfo(want.dtype).eps)


def _leaves(ours, theirs, row):
    if list(ours.leaves) != list(theirs.leaves):
        return [("type", f"{_kinds(ours)} and not {_kinds(theirs)}")]
    found = []
    for path, want in theirs.leaves.items():
        got = ours.leaves[path]
        if not isinstance(want, Leaf) or not isinstance(got, Leaf):
            if got != want:
                found.append(("type", f"{path}: {got} and not {want}"))
            continue
        if got.kind != want.kind:
            found.append(("type", f"{path}: {got.kind} and not {want.kind}"))
        if got.array.dtype != want.array.dtype:
            found.append(("dtype", f"{path}: {got.array.dtype} and not {want.array.dtype}"))
        elif got.array.shape != want.array.shape:
            found.append(("shape", f"{path}: {got.array.shape} and not {want.array.shape}"))
        else:
            if not row.empty and not equal(got.array, want.array, row):
                found.append(("values", f"{path}: {got.array!r} and not {want.array!r}"))
            if got.strides != want.strides:
                found.append(("strides", f"{path}: {got.strides} and not {want.strides}"))
            elif got.flags != want.flags:
                found.append(("flags", f"{path}: {got.flags} and not {want.flags}"))
        if got.shares != want.shares:
            found.append(("sharing", f"{path}: with {got.shares} and not {want.shares}"))
    return found


def _kinds(outcome):
    return {path: getattr(leaf, "kind", leaf) for path, leaf in outcome.leaves.items()}
