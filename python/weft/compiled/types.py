"""Numba's types, as far as signatures need them: numbers, arrays of them, and signatures."""

import re

import numpy


class Signature:
    """What a function takes and returns: float64(float64, float64)."""

    def __init__(self, result, args):
        self.return_type, self.args = result, tuple(args)

    def __repr__(self):
        return f"({', '.join(map(str, self.args))}) -> {self.return_type}"

    def __eq__(self, other):
        return isinstance(other, Signature) and (self.return_type, self.args) == (other.return_type, other.args)

    def __hash__(self):
        return hash((self.return_type, self.args))


class Type:
    """A type of Numba's; called with types, the signature of a function that returns it."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name

    def __call__(self, *args):
        return Signature(self, args)

    def __eq__(self, other):
        return isinstance(other, Type) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


class Number(Type):
    """A scalar of a dtype: called with a number it is one, indexed with slices an array type."""

    def __init__(self, name):
        super().__init__(name)
        self.dtype = numpy.dtype(name)
        self.bitwidth = self.dtype.itemsize * 8

    def __call__(self, *args):
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.dtype.type(args[0])
        return Signature(self, args)

    def __getitem__(self, axes):
        axes = axes if isinstance(axes, tuple) else (axes,)
        if not all(isinstance(axis, slice) for axis in axes):
            raise KeyError(
                f"{self.name}[{axes}]: an array type is written as {self.name}[:], {self.name}[:, :] or {self.name}[:, ::1]"
            )
        return Array(self, len(axes))


class Array(Type):
    """An array of a dtype, with so many axes."""

    def __init__(self, dtype, ndim):
        super().__init__(f"array({dtype}, {ndim}d)")
        self.dtype, self.ndim = dtype.dtype, ndim


void = none = Type("none")
boolean = bool_ = b1 = Number("bool")
int8, int16, int32, int64 = i1, i2, i4, i8 = [Number(name) for name in ("int8", "int16", "int32", "int64")]
uint8, uint16, uint32, uint64 = u1, u2, u4, u8 = [Number(name) for name in ("uint8", "uint16", "uint32", "uint64")]
float16, float32, float64 = f2, f4, f8 = [Number(name) for name in ("float16", "float32", "float64")]
complex64, complex128 = c8, c16 = [Number(name) for name in ("complex64", "complex128")]
byte, char, short, intc, intp, int_, long_, longlong, ssize_t = uint8, int8, int16, int32, int64, int64, int64, int64, int64
uchar, ushort, uintc, uintp, uint, ulong, ulonglong, size_t = uint8, uint16, uint32, uint64, uint64, uint64, uint64, uint64
float_, double = float32, float64

NAMES = {name: value for name, value in vars().items() if isinstance(value, Type)}
NAMES["bool"] = boolean
__all__ = [name for name in NAMES if name != "bool"]  # which is Python's, too: modules that have Numba's say so


def signature(written) -> Signature:
    """The signature that a text or an object is."""
    if isinstance(written, str):
        try:
            written = eval(written, {"__builtins__": {}}, NAMES)
        except (SyntaxError, NameError, TypeError, ValueError, AttributeError, LookupError) as error:
            raise TypeError(f"invalid signature {written!r}: {error}; write float64(float64, float64), say") from None
    if isinstance(written, tuple):
        written = Signature(void, written)
    if not isinstance(written, Signature) or not all(isinstance(t, Type) for t in (written.return_type, *written.args)):
        raise TypeError(
            f"invalid signature: {written!r} (type {type(written).__name__}); write float64(float64, float64), say"
        )
    return written


def normalized(written) -> tuple[tuple[Type, ...], Type | None]:
    """The types that a signature takes, and that which it returns; None where it leaves that open, as a tuple of types does."""
    if isinstance(written, str):
        stripped = written.strip()
        given = signature(written)
        return given.args, None if stripped.startswith("(") else given.return_type
    return signature(written).args, None if isinstance(written, tuple) else written.return_type


def of_name(name) -> Type:
    """The type that the compiler calls by a name."""
    found = re.fullmatch(r"array\((\w+), (\d+)d\)", name)
    if found and found[1] in NAMES:
        return Array(NAMES[found[1]], int(found[2]))
    return NAMES.get(name) or Type(name)


def of_value(value) -> Type:
    """The type of an argument, a number or an array."""
    if isinstance(value, Type):
        return value
    if getattr(value, "ndim", 0):
        return Array(NAMES[str(value.dtype)], value.ndim)
    dtype = getattr(value, "dtype", None) or {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(value))
    if dtype is None:
        raise TypeError(f"{value!r} has no type of Numba's; want a number or an array of numbers")
    return NAMES[str(dtype)]


def from_dtype(dtype) -> Type:
    """The type of the elements of arrays of a dtype."""
    return NAMES[str(numpy.dtype(dtype))]


def signatures(written) -> list[Signature]:
    """Those of a list, of one, or none."""
    return [signature(s) for s in (written if isinstance(written, list | set) else [written])]
