"""numpy.linalg on weft arrays. What weft has no native function for runs in NumPy and returns weft arrays."""

from numpy.linalg import __all__  # noqa: F401

from ._mirror import populate

__getattr__, __dir__ = populate(globals(), "numpy.linalg")
