"""Which numpy and which numba the program imports: weft's for its own text, the others' for libraries."""

from .sharing import run_python


def test_hook_is_for_main_only():
    done = run_python(
        """
import sys, types
from weft import _redirection
_redirection.install(); _redirection.install()
import numpy as a, numpy.linalg as b, numpy.fft, numpy.lib.stride_tricks as s
from numpy import sum as c, linalg as d
from numpy.linalg import norm as e
import importlib
real = importlib.import_module("numpy")
import weft
assert a is numpy is weft and b is d is weft.linalg and c is weft.sum and e is weft.linalg.norm
assert s.__name__ == "weft.lib.stride_tricks" and real.__name__ == "numpy"
library = types.ModuleType("library")
exec("import numpy, numpy.linalg; from numpy import sum; got = numpy", vars(library))
assert library.got is real and library.sum is real.sum
from numpy._core import multiarray  # private: NumPy's
assert multiarray.__name__.startswith("numpy.")
try:
    import numpy.nosuchmodule
    sys.exit("no error")
except ModuleNotFoundError as error:
    assert "nosuchmodule" in str(error)
try:
    from numpy import nosuchname
    sys.exit("no error")
except ImportError as error:
    assert "nosuchname" in str(error)
_redirection.uninstall()
import numpy
assert numpy is real
"""
    )
    assert done.returncode == 0, done.stderr


def test_a_numba_of_the_programs_own_is_what_it_imports():
    done = run_python(
        """
import sys, types
from weft import _redirection
_redirection.install()
stub = sys.modules["numba"] = types.ModuleType("numba")
import numba
from numba import __name__ as name
assert numba is stub and name == "numba"
sys.modules["numba"] = None
for text in ("import numba", "from numba import cuda", "import numba.cuda"):
    try:
        exec(text)
        sys.exit(text)
    except ModuleNotFoundError:
        pass
del sys.modules["numba"]
from numba import cuda
assert "cuda" in cuda.__name__
sys.modules["numba"] = stub
import numba
assert numba is stub
"""
    )
    assert done.returncode == 0, done.stderr


def test_whose_cuda_numba_has_is_said(tmp_path):
    """Where Numba is installed, the program may say whose cuda it imports; all else of Numba is Numba's."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(
        """
njit = "njit of Numba"
def vectorize(*signatures, target="cpu"): return lambda function: ("Numba", signatures, target)
guvectorize = vectorize
"""
    )
    (tmp_path / "numba" / "cuda.py").write_text("jit = 'jit of Numba'\n")
    done = run_python(
        f"""
import linecache
import sys
sys.path.insert(0, {str(tmp_path)!r})
import weft
from weft import _redirection, settings
_redirection.install()
assert settings.numba("off") == "numba.cuda is Numba's"
from numba import cuda
assert cuda.jit == "jit of Numba"
assert settings.numba("on") == "numba.cuda is weft's" == settings.numba()
from numba import cuda, njit
import numba.cuda
assert cuda is weft.cuda is numba.cuda and njit == numba.njit == "njit of Numba"
import numba as nb
from numba import vectorize
assert nb.cuda is cuda and "njit" in dir(nb)
nb.added = 1
assert sys.modules["numba"].added == nb.added == 1
assert nb.vectorize("f8(f8)")(abs) == ("Numba", ("f8(f8)",), "cpu")
assert vectorize(["f8(f8)"], target="parallel")(abs) == ("Numba", (["f8(f8)"],), "parallel")
linecache.cache["functions"] = (0, None, ["def more(x): return x + 1\\n", "def copy(x, y): y[0] = x[0]\\n"], "functions")
exec(compile("".join(linecache.cache["functions"][2]), "functions", "exec"))
assert float(vectorize(["f8(f8)"], target="cuda")(more)(2.0)) == 3
copied = nb.guvectorize(["void(f8[:], f8[:])"], "(n)->(n)", target="cuda")(copy)
assert copied.__class__.__module__ == "weft.compiled.generalized"
settings.numba("off")
import numba.cuda
from numba import vectorize
assert vectorize("f8(f8)", target="cuda")(abs)[0] == "Numba"
assert numba.cuda.jit == "jit of Numba"
try:
    settings.numba("of")
    sys.exit("of")
except ValueError as error:
    assert "on, off, auto" in str(error)
"""
    )
    assert done.returncode == 0, done.stderr


def test_errors_and_types_of_numbas_core(tmp_path):
    """Without Numba they are weft's; with it, Numba's, which are the bases of weft's."""
    blind = "import sys; sys.path_importer_cache.clear(); sys.modules.pop('numba', None)"
    done = run_python(
        f"""
{blind}
from weft import _redirection
_redirection._installed = lambda: False
_redirection.install()
import numba
from numba.core.errors import NumbaPerformanceWarning, TypingError
from numba.core import types
from numba.types import float64
import numba.core.errors
import weft
assert TypingError is weft.cuda.TypingError is numba.core.errors.TypingError and types.float64 is float64 is numba.float64
try:
    from numba.typed import List
    sys.exit("no error")
except ModuleNotFoundError as error:
    assert "weft has no such module" in str(error)
"""
    )
    assert done.returncode == 0, done.stderr
    (tmp_path / "numba" / "core").mkdir(parents=True)
    (tmp_path / "numba" / "__init__.py").write_text("")
    (tmp_path / "numba" / "core" / "__init__.py").write_text("")
    (tmp_path / "numba" / "core" / "errors.py").write_text(
        """
class NumbaError(Exception): pass
class TypingError(NumbaError): pass
class NumbaWarning(Warning): pass
class NumbaPerformanceWarning(NumbaWarning): pass
"""
    )
    done = run_python(
        f"""
import sys, warnings
sys.path.insert(0, {str(tmp_path)!r})
from numba.core.errors import NumbaError, NumbaPerformanceWarning, NumbaWarning, TypingError
from weft import cuda
assert issubclass(cuda.TypingError, TypingError) and issubclass(cuda.UnsupportedError, NumbaError)
assert issubclass(cuda.NumbaInvalidConfigWarning, NumbaWarning)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    warnings.simplefilter("ignore", NumbaPerformanceWarning)
    warnings.warn(cuda.NumbaPerformanceWarning("slow"))
assert not seen
"""
    )
    assert done.returncode == 0, done.stderr
