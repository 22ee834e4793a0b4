"""Arrays of records on devices: an array for each field, which kernels see as one array."""

import numpy

from ..compiled import lacking
from ..compiled.operands import is_ours, ours


def field_types(dtype):
    """The fields of a structured dtype as (name, dtype); TypeError for fields that kernels do not take."""
    for name in dtype.names:
        if dtype[name].names or dtype[name].subdtype:
            raise TypeError(f"the field {name} of the records is {dtype[name]}; kernels take records of numbers")
    return [(name, dtype[name]) for name in dtype.names]


def check_compatible(a, b) -> None:
    """Raise for arrays that are not copied to each other: a TypeError for another dtype, a ValueError for another shape.

    Axes of one element do not count.
    """
    for what, error, seen in (("dtype", TypeError, lambda v: v.dtype), ("shape", ValueError, lambda v: [n for n in v.shape if n != 1])):
        if seen(a) != seen(b):
            raise error(f"incompatible {what}: {getattr(a, what)} vs. {getattr(b, what)}")


class DeviceRecords:
    """An array of records: fields has weft's array of each."""

    def __init__(self, dtype, fields):
        self.dtype, self.fields = numpy.dtype(dtype), fields
        first = next(iter(fields.values()))
        self.shape, self.ndim, self.size = first.shape, first.ndim, first.size
        self.nbytes = self.size * self.dtype.itemsize

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<records of {self.dtype} on the device, of shape {self.shape}>"

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.fields[key]
        some = {name: a[key] for name, a in self.fields.items()}
        if any(getattr(a, "ndim", 0) for a in some.values()):
            return DeviceRecords(self.dtype, some)
        return numpy.array(tuple(a.item() for a in some.values()), self.dtype)[()]

    def __setitem__(self, key, value):
        if isinstance(key, str):
            self.fields[key][...] = value
            return
        value = numpy.asarray(value, self.dtype)
        for name, a in self.fields.items():
            a[key] = value[name]

    def getitem(self, item, stream=0):
        """What records[item] is."""
        return self[item]

    def setitem(self, key, value, stream=0):
        """Set records[key]."""
        self[key] = value

    def bind(self, stream=0):
        """The records: what is done with them is in order in any stream."""
        return self

    def __getattr__(self, name):
        raise lacking.error("Records", name, "an array of records")

    def __array__(self, dtype=None, copy=None):
        return self.copy_to_host().astype(dtype or self.dtype)

    def copy_to_host(self, ary=None, stream=0):
        """The records in NumPy's array, or in ary."""
        made = numpy.empty(self.shape, self.dtype) if ary is None else ary
        check_compatible(self, made)
        for name, a in self.fields.items():
            made[name] = numpy.asarray(a).reshape(made.shape)
        return made

    def copy_to_device(self, ary, stream=0):
        """Set the records to those of another array."""
        ary = ary if hasattr(ary, "dtype") else numpy.asarray(ary, self.dtype)
        if ary.size == 0:
            return
        check_compatible(self, ary)
        for name in self.fields:
            self.fields[name][...] = ary[name].reshape(self.shape)


def records_of(array) -> DeviceRecords:
    """A copy of NumPy's array of records."""
    return DeviceRecords(
        array.dtype, {name: ours(numpy.array(array[name]), f"field {name}") for name, _ in field_types(array.dtype)}
    )


def empty_records(shape, dtype) -> DeviceRecords:
    """New records, whose fields are undefined."""
    import weft

    return DeviceRecords(dtype, {name: weft.empty(shape, dtype=t) for name, t in field_types(dtype)})


def is_structured(value) -> bool:
    """Whether a value is NumPy's array or scalar of a structured dtype."""
    return (
        isinstance(value, numpy.ndarray | numpy.void) and not is_ours(value) and value.dtype.names is not None
    )
