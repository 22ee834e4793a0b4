"""A row: a kernel with its launch, and what it gives by plain Python or NumPy."""

import contextlib
import hashlib
import io

import numpy
from weft import cuda
from weft.cuda import dispatch

LANES = numpy.arange(64)
F = LANES * 0.75 - 20


class Row:
    """A kernel with its launch; without a grid, a function that launches kernels.

    want gives what the arrays hold behind it, as NumPy computes it, or wrong is what is said to be wrong; said is what is printed.
    """

    def __init__(self, kernel, grid, block, args, want=None, shared=0, tolerance=0.0, said="", wrong=""):
        assert bool(want) != bool(wrong), "a row says what its arrays hold, or what is wrong"
        self.kernel, self.grid, self.block, self.args, self.shared = kernel, grid, block, args, shared
        self.want, self.tolerance, self.said, self.wrong = want, tolerance, said, wrong
        self.launched = None  # the kernel that was launched last

    def run(self):
        """The arrays behind the launch, what was printed, and what was wrong."""
        given = self.args()
        args = [cuda.to_device(a) if isinstance(a, numpy.ndarray) else a for a in given]
        said, wrong = io.StringIO(), ""
        with contextlib.redirect_stdout(said), self.noting():
            try:
                if self.grid is None:
                    self.kernel(*args)
                else:
                    self.kernel[self.grid, self.block, 0, self.shared](*args)
                cuda.synchronize()
            except (ValueError, TypeError, IndexError, AssertionError, RuntimeError) as error:
                wrong = f"{type(error).__name__}: {error}"
        arrays = [] if wrong else [a.copy_to_host() for a, b in zip(args, given, strict=True) if isinstance(b, numpy.ndarray)]
        return arrays, said.getvalue(), wrong

    @contextlib.contextmanager
    def noting(self):
        """Notes which kernels are launched."""
        launch = dispatch.Dispatcher.launch

        def noted(kernel, *args):
            self.launched = kernel
            return launch(kernel, *args)

        dispatch.Dispatcher.launch = noted
        try:
            yield
        finally:
            dispatch.Dispatcher.launch = launch

    def wanted(self):
        """The arrays as they should be behind the launch."""
        given = self.args()
        with numpy.errstate(over="ignore"):  # of integers, which wrap
            self.want(*given)
        return [a for a in given if isinstance(a, numpy.ndarray)]

    def digest(self):
        arrays, said, wrong = self.run()
        sums = [close(a) if a.dtype.kind == "c" else hashlib.sha256(a.tobytes()).hexdigest()[:16] for a in arrays]
        return {"arrays": sums, "said": said, "wrong": wrong}

    def module(self):
        """The PTX of the kernel that was launched, with the functions that it calls."""
        (text, *_) = self.launched.inspect_asm().values()
        return text

    def ptx(self):
        """The kernel's own part of its PTX; the functions that it calls have golden texts of their own."""
        text = self.module()
        return text[text.rindex("// program ") :]


def close(array):
    """Complex numbers to 12 digits: cmath's functions have the same accuracy on all devices, and not the same bits."""
    return [f"{v:.12g}" for v in array.ravel().tolist()]


def integer_numbers(dtype):
    x = numpy.random.default_rng(3).integers(0, 100, 64).astype(dtype)
    return x if dtype[0] == "u" else x - 50


def nan_numbers(dtype):
    x = F.astype(dtype)
    x[[3, 40]] = numpy.nan
    return x
