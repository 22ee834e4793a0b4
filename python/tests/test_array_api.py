"""The Array API standard: what weft has of it, and what it tells of itself, is what NumPy has and tells. The functions are compared in test_properties.py."""

import inspect

import numpy
import pytest
import weft

# The names of the standard of 2025.12, by purpose.
FUNCTIONS = """
    __array_namespace_info__ arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
    astype broadcast_arrays broadcast_shapes broadcast_to can_cast finfo iinfo isdtype result_type
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj
    copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2
    logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round
    sign signbit sin sinh sqrt square subtract tan tanh trunc
    take take_along_axis matmul matrix_transpose tensordot vecdot
    concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack
    argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values isin argsort sort
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff
    linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.matmul linalg.matrix_norm
    linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals
    linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm
    fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift
""".split()
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
CONSTANTS = "e inf nan newaxis pi".split()
METHODS = """
    __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__
    __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__
    __truediv__ __xor__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __ipow__ __imod__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__
    __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rpow__ __rmod__ __rmatmul__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ to_device
    dtype device mT ndim shape size T
""".split()


def of(module, dotted):
    for name in dotted.split("."):
        module = getattr(module, name)
    return module


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_what_numpys_take(name):
    ours, theirs = of(weft, name), of(numpy, name)
    assert callable(ours)
    try:
        want = inspect.signature(theirs)
    except ValueError:
        return
    assert str(inspect.signature(ours)) == str(want)


def test_dtypes_constants_and_attributes_are_there():
    assert all(getattr(weft, name) is getattr(numpy, name) for name in DTYPES + CONSTANTS)
    missing = [name for name in METHODS if not hasattr(weft.ones((2, 2)), name)]
    assert missing == [name for name in METHODS if not hasattr(numpy.ones((2, 2)), name)] == []
    assert weft.__array_api_version__ == numpy.__array_api_version__


KINDS = [None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", ("bool", "integral"), (), "x", ("x",)]


def test_what_the_namespace_tells_of_itself():
    ours, theirs = weft.__array_namespace_info__(), numpy.__array_namespace_info__()
    assert ours.capabilities() == theirs.capabilities()
    assert ours.default_device() == theirs.default_device() and ours.devices() == theirs.devices()
    for device in (None, "cpu", "gpu"):
        for method, kinds in (("default_dtypes", [None]), ("dtypes", KINDS)):
            for kind in kinds:
                options = {"device": device} | ({} if kind is None else {"kind": kind})
                told = []
                for info in (ours, theirs):
                    try:
                        told.append(getattr(info, method)(**options))
                    except Exception as error:
                        told.append((type(error), str(error)))
                assert told[0] == told[1], (method, options)


def test_arrays_name_their_namespace():
    a = weft.ones(2)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12", "1999.12"):
        said = []
        for x in (a, numpy.ones(2)):
            try:
                said.append(x.__array_namespace__(api_version=version).__name__.replace("weft", "numpy"))
            except Exception as error:
                said.append((type(error), str(error)))
        assert said[0] == said[1]
    assert a.__array_namespace__() is weft and a.device == numpy.ones(2).device
