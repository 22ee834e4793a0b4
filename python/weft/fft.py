"""numpy.fft on weft arrays. NumPy computes; arrays are converted."""

from numpy.fft import __all__  # noqa: F401

from ._mirror import populate

__path__ = []  # NumPy's modules below this one are mirrored too
__getattr__, __dir__ = populate(globals(), "numpy.fft")
