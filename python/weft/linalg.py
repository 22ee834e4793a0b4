"""numpy.linalg on weft arrays. What weft has no native function for runs in NumPy and returns weft arrays."""

import functools

from numpy.linalg import __all__  # noqa: F401
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult

from ._mirror import populate, settle

__path__ = []  # NumPy's modules below this one are mirrored too
__getattr__, __dir__ = populate(globals(), "numpy.linalg")


def _named(function, result):
    """The function, with its tuples as NumPy's named ones."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        got = function(*args, **kwargs)
        raw = result is QRResult and "raw" in (*args[1:], kwargs.get("mode"))  # which names nothing
        return result(*got) if type(got) is tuple and len(got) == len(result._fields) and not raw else got

    call._numpy = function._numpy
    return call


for _name, _result in (
    ("eig", EigResult),
    ("eigh", EighResult),
    ("qr", QRResult),
    ("slogdet", SlogdetResult),
    ("svd", SVDResult),
):
    globals()[_name] = _named(globals()[_name], _result)

settle(globals())
