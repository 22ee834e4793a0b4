"""Calls with few elements that NumPy's own functions answer from C: values, bits, layouts, errors, warnings and what is written are NumPy's, and the
general functions'."""

import itertools
import math
import random
import threading
import warnings

import numpy
import pytest
import weft
from weft import _core, _delegates

SMALL = [0, 1, 2, 3, -1, -2, 5]
DTYPES = "bool int8 int32 int64 uint8 uint64 float32 float64 complex64 complex128".split()

# a and b are arrays of drawn dtypes and layouts, c a complex one, v a vector, s a sorted one, m a matrix, t a stack of such, k small integers, i an int, p a mask like a. All draw anew for each.
CALLS = """
bincount(k) | bincount(k, v[:k.size]) | bincount(k, minlength=i) | bincount(v) | searchsorted(s, i) | searchsorted(s, v, side="right") | searchsorted(m, 1) | s.searchsorted(k)
searchsorted(v, v, sorter=np.argsort(v)) | append(a, 1) | append(a, b) | append(m, m, axis=0) | append(a, b, axis=0) | unique(a) | unique(k, return_counts=True) | unique(m, axis=0) | unique_counts(k)
unique(a, return_index=True, return_inverse=True) | repeat(a, i) | repeat(a, 2, axis=0) | repeat(a, k) | a.repeat(2) | a.repeat(2, axis=-1) | repeat(a, -1) | repeat(a, 2, axis=9)
median(a) | median(m, axis=0) | median(a, axis=5) | percentile(a, 30) | quantile(v, [0.1, 0.9]) | nanmean(a) | nansum(a) | nanmax(a, axis=0) | nanstd(v) | nanmedian(v) | nanargmin(v)
ptp(a) | ptp(m, axis=0) | trace(m) | trace(m, 1) | m.trace() | trace(v) | trace(m, 0, 1, 0) | diagonal(m) | m.diagonal(1) | a.diagonal() | diag(v) | diag(m) | diag(m, 1) | flip(a) | flip(a, 0) | flip(a, i)
flipud(a) | fliplr(a) | real(a) | c.imag | a.real | a.conj() | a.conjugate() | conj(a) | copy(a) | copy(a, "F") | a.fill(i) | a.fill("x") | a.fill(v) | a.item(i) | a.item() | m.item(0, 1) | a.tobytes()
m.tobytes("F") | convolve(v, v) | convolve(v, k, "same") | convolve(m, v) | correlate(v, v) | pad(a, 1) | pad(a, i, mode="wrap") | pad(v, (1, 2), constant_values=7) | pad(m, ((1, 0), (0, 2)), mode="edge")
insert(a, 1, 2) | insert(m, 1, v, axis=0) | delete(v, i) | delete(m, 0, axis=1) | delete(v, k) | isin(a, [1, 2]) | isin(k, k, invert=True) | digitize(v, v) | digitize(v, [0.0, 1.0]) | cov(m) | corrcoef(m)
cross(m, m) | cross(v[:3], v[:3]) | kron(v, v) | kron(m, v) | tile(a, 2) | tile(v, (2, 2)) | triu(m) | tril(m, 1) | gradient(v) | gradient(m) | argwhere(a) | argwhere(m > 0) | column_stack((v, v)) | dstack((m, m))
histogram(v, 3) | histogram(a, 4) | histogram(k, [0, 2, 4]) | histogram2d(v, v, 2) | tensordot(m, m, 1) | tensordot(v, m, 0) | take_along_axis(v, k % v.size, 0) | take_along_axis(m, k, 0) | lexsort((v, v))
lexsort(m) | vander(v) | vander(v, 3) | roots(v) | poly(v) | polyval(v, i) | polyval([1.0, 2.0], v) | polyfit(v, v, 1) | polyadd(v, k) | polyder(v) | polyint(v) | polymul(v, v) | trapezoid(v) | ediff1d(v)
unwrap(v) | angle(a) | compress(p, a) | compress([True, False], a) | extract(p, a) | choose(k % 2, [k, k + 1]) | average(v) | average(m, axis=0, weights=k[:m.shape[0]]) | nan_to_num(a) | nan_to_num(a, copy=False)
array_equal(a, b) | array_equiv(a, a) | intersect1d(k, k) | union1d(k, v) | setdiff1d(k, [1]) | select([p], [a], 0) | select([p, ~p], [a, a]) | piecewise(v, [v < 1], [1, 2]) | block([[m, m]]) | resize(a, i)
resize(a, (2, 3)) | iscomplex(a) | isposinf(v) | real_if_close(a) | packbits(p) | ravel_multi_index((k % 3, k % 2), (3, 2)) | unravel_index(k, (5, 5))
polynomial.chebyshev.chebmul(v, k) | polynomial.chebyshev.chebpow(v, 2) | polynomial.legendre.legder(a) | polynomial.hermite.hermder(m, axis=1) | polynomial.laguerre.lagint(v) | polynomial.hermite_e.hermediv(v, k)
polynomial.polynomial.polypow(v, 2) | polynomial.polyutils.trimcoef(k) | polynomial.legendre.poly2leg(v) | polynomial.hermite.herm2poly(k) | polynomial.polynomial.polyvander(v, i) | polynomial.legendre.legcompanion(k)
polynomial.polynomial.polyadd(v, k) | polynomial.chebyshev.chebsub(a, b) | polynomial.laguerre.lagmulx(k) | polynomial.polynomial.polyfromroots(v)
unravel_index(i, (2, 2)) | triu_indices(3) | tril_indices_from(m) | hanning(i) | fft.fftfreq(5) | fft.rfftfreq(i, 0.1) | linalg.slogdet(m) | linalg.eigvalsh(m) | linalg.cholesky(m @ m.T)
linalg.lstsq(m, k[:m.shape[0]], rcond=None) | linalg.svd(m) | linalg.eigh(m) | linalg.eig(m) | linalg.svd(m, compute_uv=False) | meshgrid(v, k) | diagflat(v) | i0(v)
modf(v) | modf(v, np.zeros(v.shape), np.zeros(v.shape))[0] | modf(k) | frexp(v) | ldexp(v, i) | ldexp(v, k) | nextafter(v, 2) | spacing(v) | gcd(k, i) | lcm(k, k) | bitwise_count(k) | gcd(v, 2) | gcd(k, k, out=k)
reciprocal(k + 1) | reciprocal(a) | fix(v) | result_type(a, b) | result_type(a, 1.5) | result_type("i2", v) | can_cast(v.dtype, "i2") | promote_types("i2", "u2") | issubdtype(v.dtype, np.floating) | isscalar(v)
iscomplexobj(a) | isrealobj(c) | common_type(v, v) | min_scalar_type(i) | linalg.matrix_rank(m) | k ** k | 2 ** k | k ** i | v ** 0.5 | v ** -1 | v ** i | c ** 0.5 | a ** 2 | a ** 1 | power(k, k) | power(k, -k) | float_power(k, 2)
k.conj() | a.conj().conj() | argsort(a, kind="stable") | sort(v, kind="mergesort") | argsort(v, kind="nonsense") | v.sort(kind="stable") | radians(k)
shape(a) | ndim(i) | size(a, 0) | size(m) | power(m, 2) | power(v, 2.0) | power(k, -1) | r_[v, k] | r_[v, 1, 2] | r_["-1", m, m] | r_["0,2", v, v] | r_[v] | c_[v, v] | c_[m, k] | r_["r", v] | r_[1:4, v] | ptp(v, axis=0) | fill_diagonal(a, 2) | fill_diagonal(m, 0.5) | fill_diagonal(m, "x")
copyto(a, 1) | copyto(a, b) | copyto(a, i, where=p) | fill_diagonal(m, 9) | fill_diagonal(m, v) | fill_diagonal(v, 1) | fill_diagonal(m.T, i, wrap=True) | put(a, [0], 1) | put(a, [0, -1], v) | put(a, [99], 1)
rot90(m) | rot90(m, 2) | rot90(a, i, (-1, 0)) | split(v, 2) | split(v, [1, 2]) | split(m, [1], axis=1) | split(a, 3, axis=5) | array_split(a, 2) | array_split(v, k) | hsplit(a, [1]) | vsplit(m, [1]) | dsplit(a, [1])
trim_zeros(v) | trim_zeros(m) | trim_zeros(v, "b") | ix_(k, k) | ix_(p.ravel(), k, [1]) | ix_(v) | ix_(m) | moveaxis(a, 0, -1) | moveaxis(m, [0, 1], [1, 0]) | moveaxis(a, 7, 0) | rollaxis(a, -1) | rollaxis(m, 1, 5)
broadcast_to(v, (2, v.size)) | broadcast_to(a, (2, *a.shape)) | broadcast_to(m, 3) | broadcast_to(i, (2, 2)) | broadcast_to(p, p.shape) | atleast_1d(a) | atleast_2d(v, k) | atleast_2d(i) | atleast_3d(v, m, a) | atleast_1d(i, [1, 2])
array_repr(a) | array_str(a) | array2string(v, precision=3) | array2string(a, separator=", ") | a.__repr__() | a.__str__() | m.__str__() | a.astype("U8") | a.astype(str) | a.astype("S5") | k.astype("M8[D]")
linalg.svdvals(m) | geomspace(1, 10, 5) | geomspace(1, i, 4) | geomspace(s + 1, 9, 3) | logspace(0, 1, i) | logspace(0, 2, num=4, base=2) | logspace(v, v, 3) | logspace(0, 1, 2.5) | geomspace(0, 1, 3) | linalg.cross(v[:3], v[:3]) | linalg.tensordot(m, m) | a.compress([True], 0) | m.compress([True, False], axis=1) | v.compress(v > 0) | asarray_chkfinite(v) | sort_complex(c)
nextafter(v, i) | linalg.inv(m) | linalg.solve(m, v[:1]) | linalg.tensordot(m, v[:m.shape[0]], 1) | nextafter(v, v, out=v) | linalg.cross(m, m)
put(a, k, i, mode="clip") | putmask(a, p, i) | putmask(a, p, v) | place(a, p, [1, 2]) | place(a, p, v) | put_along_axis(v, k % v.size, 7, 0) | place(a, [True], 1) | a.put([1], 5)
dot(m, m.T, out=np.zeros((m.shape[0],) * 2, m.dtype)) | matmul(m, m.T, out=np.zeros((m.shape[0],) * 2, m.dtype)) | cumsum(v, out=v) | cumsum(v, out=np.zeros(v.shape, "f4")) | cumsum(a, 0, out=a)
sum(m, axis=0, out=np.zeros(m.shape[1], m.dtype)) | sum(m, axis=0, out=np.zeros(m.shape[1], "f4")) | sum(v, out=np.zeros(())) | max(m, axis=1, out=np.zeros(m.shape[0], m.dtype)) | max(m, 0, out=v) | mean(v, out=np.zeros(()))
add(v, v, dtype="f4") | add(k, i, dtype=float) | add(k, v[0], dtype=float) | add(p, k[0], dtype=int) | divide(k, 2, dtype="f4") | multiply(v, 2.5, dtype="f4") | multiply(k, 2, dtype=np.int8) | add(a, a, casting="unsafe") | add(a, b, casting="safe")
add(a, a, casting="no") | add(a, 1, casting="never") | add(v, v, out=np.zeros(v.shape, "f4")) | add(k, k, out=np.zeros(k.shape)) | add(v, v, out=np.zeros(v.shape, int), casting="unsafe") | add(k, k, out=np.zeros((2, *k.shape)))
add(a, a, out=a.copy(), where=p) | less(v, 1, dtype=float) | sqrt(k * k, dtype=float) | sqrt(v * v, dtype="f4") | sqrt(v * v, dtype=int) | negative(p, dtype=int) | add(v, v, dtype="M8[D]") | add(v, v, dtype="x")
power(v, 2, dtype="f4") | power(k, 2, dtype=float) | maximum(m.T, 0, dtype=float) | logical_and(p, p, dtype=bool) | round(v, 1, out=v) | clip(v, 0, 1, out=v) | any(p, 0, out=np.zeros(p.shape[1:], bool)) | argmax(m, 0, out=np.zeros(m.shape[1], int))
a.byteswap() | m.byteswap() | m.T.byteswap() | c.byteswap() | v[::2].byteswap() | a.byteswap(inplace=True) | v.byteswap(True) | array(m.T) | array(a) | array(a, ndmin=2) | array(v, ndmin=3) | array(m.T, ndmin=3) | array(v, ndmin=9) | array(v, ndmin=True) | array(m.T, dtype="f4") | array(m.T, "f4", ndmin=3) | asarray(m.T, "f4") | array(a, dtype=complex)
a.astype(complex) | m.T.astype("f4") | a.T.astype(complex) | v.astype(int, casting="unsafe") | v.astype("f4", casting="unsafe", copy=False) | v.astype(v.dtype, copy=False) | v.astype(v.dtype, copy=True) | k.astype(bool, casting="safe")
zeros((3, 2), order="F") | ones((3, 2, 2), np.float32, "F") | full((2, 3), 7, order="F") | full((2, 3), 7.5, int, "F") | zeros(3, order="F") | zeros((2, 3), order="C") | zeros((2, 3), order="X") | zeros((0, 2), order="F")
linalg.multi_dot([m, m, m]) | linalg.multi_dot((m, m.T)) | linalg.multi_dot([m[0], m, m]) | linalg.multi_dot([m, m, m[:, 0]]) | linalg.multi_dot([m[0], m, m, m[0]]) | linalg.multi_dot([m[:, :1], m[:1], m]) | linalg.multi_dot([m])
linalg.multi_dot([m, v, m]) | linalg.multi_dot([v, v]) | argmax(m, axis=0, keepdims=True) | argmin(m, keepdims=True) | argmax(a, axis=-1, keepdims=True) | argmin(v, 0, keepdims=True) | m.argmax(axis=1, keepdims=True) | argmax(a, axis=7, keepdims=True) | argmax(m, 0, None, keepdims=False)
sort(a, axis=None) | sort(m.T, axis=None) | argsort(m, axis=None, kind="stable") | argsort(v, None, "stable") | a.sort(axis=None) | bitwise_or.reduce(k) | bitwise_and.reduce(p) | bitwise_xor.reduce(k, keepdims=True) | gcd.reduce(k) | lcm.accumulate(k) | logical_xor.reduce(a)
bitwise_and.outer(k, k) | bitwise_or.reduce(v) | logical_xor.reduce(m, axis=1) | bitwise_or.reduce(k, initial=8) | require(v) | require(m.T, None, "C") | require(v, complex, ["C"]) | require(v, v.dtype, "C") | require(m, requirements="F") | require(v, None, "X") | require([1, 2], "f4")
any(i) | all(v[0] > 0) | any(k[0] == 0) | sum(v[0]) | sum(k[0], axis=0) | max(i) | min(v[0], axis=-1) | max(v[0], axis=1) | mean(i) | mean(v[0]) | prod(p.ravel()[0]) | std(i) | var(v[0], ddof=1) | sum(i, keepdims=True)
sum(2.5, dtype=int) | sum(v[0], initial=1) | any(i, out=np.zeros((), bool)) | array(v[0]).astype(int) | array(v.sum()) | max(True) | sum(True) | any("x") | arange("2020-01", "2020-03", dtype="M8[D]") | arange(np.datetime64("2020-01"), np.datetime64("2020-05")) | arange(0, 3, None, dtype="m8[s]")
vecdot(v, v) | vecdot(m, v[:1]) | vecdot(m, m) | vecdot(a, b) | vecdot(c, c) | vecdot(k, v[:1]) | vecdot(i, v) | vecdot(v, v, axis=0) | matvec(m, m[0]) | matvec(m, v) | matvec(m, k[:1]) | matvec(a, v) | matvec(m, m) | vecmat(m[0], m) | vecmat(v, m) | vecmat(v, a) | vecmat(v, v)
linalg.vecdot(v, v) | linalg.vecdot(m, m, axis=0) | matmul(a, b) | matmul(t, t) | matmul(t, m) | matmul(t, t[0, 0]) | matmul(t, v) | t @ t.transpose(0, 2, 1) | t @ t[:, :, 0:1] | einsum("i,ij,j", m[0], m, m[1]) | einsum("i,i,i->i", v, v, v)
einsum("ij,ij,j", m, m, v) | einsum("ij,jk,kl,l->i", m, m, m, m[0]) | einsum("i,j,j->i", v, v, v) | einsum("i,i,i", v, k, v) | linalg.norm(v - v, 3) | linalg.norm(v - v, ord=0.5, axis=0) | linalg.norm(m - m, 3, 1, True) | linalg.norm(m, 3) | linalg.norm(v, "x")
dot(v, v, out=np.zeros((), v.dtype)) | dot(v, v, np.zeros(())) | dot(m, v, np.zeros(())) | dot(2.0, 3.0, out=np.zeros(())) | sum(v[0], out=np.zeros(())) | max(v[0], out=np.zeros(())) | std(k[0], out=np.zeros(())) | clip(v[0], 0, 1, out=np.zeros(())) | round(v[0], out=np.zeros(()))
sum(2.5, out=np.zeros(())) | mean(v, out=np.zeros((), "f4")) | sum(v, out=np.zeros(1)) | prod(k, out=np.zeros((), int)) | argmax(v, out=np.zeros((), int)) | linalg.multi_dot([v, v], out=np.zeros(())) | matmul(v, v, out=np.zeros(()))
min(np.array([3, i, 2], object)) | max(np.array([[3, i]], object), axis=0) | sum(np.array([3, 1.5], object)) | mean(np.array([3, i], object)) | max(np.array(["b", "a"])) | min(np.array([3, "x"], object)) | any(np.array([0, None], object)) | argmax(np.array([1, 3], object)) | max(np.array(["2020", "2021"], "M8[Y]"))
require(v, float) | require(k, float) | require(m.T, float, "C") | require(m.T, None, ["F"]) | require(m, None, ["F_CONTIGUOUS", "W"]) | require(a[:1], None, "O").base is None | require(a, a.dtype, ["A", "e"]) | require(m, None, "CF") | require(m, None, ["x"]) | require(m[::-1], "f4", "w") | require(v, requirements=["CONTIGUOUS", "o"])
array(m.T, order="C") | array(m.T, float, order="F") | array(m.T, float, copy=None) | array(k, "f4", order="A") | array(m.T, "c8", order="A") | array(m.T, order="A") | array(m, order="F", copy=None) | array(m, copy=False, order="F") | array(v, copy=False) is v | array(v, v.dtype, copy=None) is v | asarray(m.T, m.dtype, "F") | asarray(m, order="F") | asarray(m[::-1], None, "C")
asarray(m, "x") | asarray(v, order="X") | array(a, order="K") | array(a, complex, order="K", ndmin=3) | array(m, ndmin=3, order="F") | asarray(v, copy=True) is v | asarray(v, copy=None) is v | asanyarray(m.T, float, "C") | asanyarray(v, v.dtype) is v | array(b"abc") | asarray(b"abc") | array(b"12", int) | array([b"a", b"bc"]) | array(b"abc", "S2") | array(bytearray(b"ab"), "u1")
take(v, k, mode="clip") | take(v, k - 9, mode="wrap") | take(v, k, mode="raise") | take(m, k, 0, mode="clip") | take(m, k, 1, mode="wrap") | take(m, k - 2, mode="clip") | v.take(k * 9, mode="clip") | a.take([9, -9], mode="wrap") | take(v, i, mode="clip") | take(v, k, mode="x") | take(v, k - 1, out=np.zeros(k.size, v.dtype), mode="clip") | take(v[::2], k, mode="wrap") | take(m.T, k, 0, None, "clip") | take(v[:0], k, mode="clip")
add(a, b, casting="safe") | add(v, v, casting="equiv") | less(v, v, casting="no") | sqrt(k, casting="no") | add(k, v, casting="no") | add(v, 1, casting="no") | sum(v, out=np.zeros((), "f4")) | prod(m, 0, out=np.zeros(m.shape[1], "f4")) | max(k, out=np.zeros((), float)) | min(v, out=np.zeros((), "i4")) | cumsum(k, out=np.zeros(k.shape))
lib.scimath.sqrt(v) | lib.scimath.log(-v) | lib.scimath.power(v, 0.5) | lib.scimath.arccos(k) | lib.scimath.logn(2, a) | polynomial.polynomial.polyval(v, k) | polynomial.chebyshev.chebval2d(v, v, m) | polynomial.legendre.leggrid2d(v, k, m)
polynomial.hermite.hermweight(v) | polynomial.laguerre.lagvander2d(v, v, [1, 2]) | polynomial.polyutils.mapdomain(v, [0, 1], k[:2]) | polynomial.polyutils.getdomain(c) | polynomial.polyutils.as_series([v, k]) | polynomial.polyutils.trimseq(k) | polynomial.polyutils.trimseq([])
polynomial.legendre.legline(1, i) | polynomial.polynomial.polyvalfromroots(v, k) | polynomial.hermite_e.hermefit(v, v, 1) | polynomial.chebyshev.chebweight(a) | k.choose([v[:1], 2]) | (k % 2).choose([v, v]) | p.choose([a, b]) | k.choose(v, mode="wrap") | min_scalar_type(v) | min_scalar_type(v[0])
partition(m, 0, axis=0) | partition(t, 1, 1) | partition(m, 1, axis=5) | partition(v, 9, 0) | m.partition(0, axis=0) | unstack(m) | broadcast_arrays(m, m[:1]) | broadcast_arrays(v, m[:, :1]) | broadcast_arrays(v, v) | broadcast_arrays(a, k) | broadcast_arrays(v, [1]) | unstack(v) | unstack(m, axis=1) | unstack(a, axis=9) | m.setfield(i, m.dtype) | v.setfield(2, "i2", 2) | v.setfield(1, "f8", 9)
sum(p, 0, out=np.zeros(p.shape[1:], "i1")) | sum(k, out=np.zeros((), "i1")) | cumprod(v, out=np.zeros(v.shape, "f4")) | mean(v, out=np.zeros((), "f4")) | std(v, out=np.zeros((), "f4")) | sum(v, keepdims=True, out=np.zeros(1, "f4")) | sum(v, out=np.zeros(1, "f4")) | logical_and(p, p, dtype=bool) | less(v, 1, dtype=bool) | add(p, p, dtype=bool)
logical_or(v, k[:1], dtype=bool) | add(k, k, dtype=bool) | isnan(v, dtype=bool) | maximum(p, p, dtype=bool) | copy(m, "F") | copy(m.T, "F") | copy(v, "F") | copy(a, order="C") | copy(a, "X") | add(v, v, out=np.zeros((2, *v.shape))) | add(v, v, out=np.zeros(1)) | add(m, m, out=np.zeros(m.shape[1])) | add(v[:1], 1, out=np.zeros(3)) | add(v[0], 1, out=np.zeros(3)) | exp(m - m, out=np.zeros((2, *m.shape), "f4"))
add(c, 1, out=np.zeros(c.shape)) | multiply(v, 2.5, out=np.zeros(v.shape, int), casting="unsafe") | multiply(c, 1, out=np.zeros(c.shape), casting="unsafe") | add(v, 0.5, out=np.zeros(v.shape, bool), casting="unsafe") | add(v, v, out=np.zeros((3, *v.shape), "i2"), casting="unsafe") | add(v, v, v) | add(v, 1, v[::-1]) | add(m, m.T, out=m) | negative(k, out=np.zeros(k.shape, "u1")) | add(v, v, out=np.broadcast_to(v, (2, v.size)))
gcd(k, k, k) | gcd(k, i, out=k) | gcd(k, 4, out=np.zeros(k.shape)) | gcd(k, 4, out=np.zeros(k.shape, "u1")) | gcd(k, 4, out=np.zeros((2, *k.shape), int)) | gcd(k, 4, out=np.zeros(1, int)) | lcm(k, k, out=k[::-1]) | spacing(v, out=v) | spacing(v, v) | spacing(v, np.zeros(v.shape, "f4")) | bitwise_count(k, out=np.zeros(k.shape, "u1")) | gcd(k, k, out=k, where=k > 1) | gcd(k, k, k, k) | gcd(k, out=k)
sum(v[0], initial=1) | max(v[0], initial=9) | sum(i, keepdims=True) | sum(k[0], axis=0) | min(v[0], axis=-1, keepdims=True) | min(v[0], axis=1) | mean(v[0], dtype="f4") | var(v[0], ddof=1) | std(k[0], ddof=0.5) | any(v[0], where=False) | all(i, axis=None) | prod(2.5, dtype=int) | max(True) | sum(np.bool_(True)) | argmax(i) | argmin(v[0], 0) | count_nonzero(i) | dot(2.0, 3.0) | dot(2, v) | dot(v, 2) | inner(i, 3) | vdot(1j, 2j) | dot(True, i) | inner(2.0, v) | dot(i, "x")
max(np.array([[3, i]], object), axis=1, keepdims=True) | sum(np.array([[3, 1.5]], object), 0) | sum(np.array(["a"], object), initial="b") | std(np.array([1.0, i], object)) | count_nonzero(np.array([0, "a"], object)) | dot(np.array([1, i], object), np.array([2, 3], object)) | min(np.array([], object)) | max(np.array([[], []], object), axis=1) | any(np.array([i], object), keepdims=True) | max(np.array(["b"], "S1")) | argmin(np.array([3, i], object), axis=0, keepdims=True)
linalg.vecdot(c, c) | vecdot(c, c[:1]) | vecdot(c, c.real) | vecdot(k, c[:1]) | require([1, 2]) | require((1.5, 2), int, "F") | require([[1, 2], [3, 4]], float, ["F", "W"]) | require(["a"], None, "C") | require([]) | require([1, [2]]) | take(m.T, k, 0, mode="clip") | take(m.T, k % m.shape[0], 0) | take(a, k, -1, mode="wrap") | take(a, k - 2, -1, mode="clip") | take(m[:, ::-1], k - 9, 1, mode="wrap")
subtract.reduce(v) | subtract.reduce(m, axis=1) | divide.reduce(m.T, axis=0) | logaddexp.reduce(v) | hypot.reduce(m[:, ::-1], axis=None) | power.accumulate(k) | subtract.at(v, [0, 0], 1) | maximum.at(k, [0], 9) | hypot.reduceat(v, [0]) | subtract.reduce(v, initial=3) | subtract.reduce(v, out=np.zeros(())) | divide.reduce(v, axis=4)
subtract.reduce(m, axis=(0, 1)) | remainder.accumulate(k + 1, out=k) | logical_xor.at(p, (0,), True) | linalg.norm(v - v, 0) | linalg.norm(k, 0) | linalg.norm(m, 0, 0) | linalg.norm(m, 0) | linalg.norm(m - m, axis=(0, 1)) | linalg.norm(m, axis=(0, 0)) | linalg.norm(m, axis=(0, 2)) | linalg.norm(t - t, axis=(0, 2)) | linalg.norm(c, 0)
concatenate((v, v), out=np.zeros(2 * v.size, v.dtype)) | take(v, [0, 1, 0], out=np.zeros(3, v.dtype))
nan_to_num(np.array([np.nan, i]), copy=False) | nan_to_num(np.array([np.nan, i, np.inf]), False) | nan_to_num(v, False) is v | isposinf(np.array([np.inf, i]), np.zeros(2, bool)) | isneginf(np.array([i, -np.inf]), np.zeros(2, bool)) | fix(v * 1.5, np.zeros(v.shape))
""".replace("\n", "|").split("|")
CALLS = [call.strip() for call in CALLS if call.strip()]
_VIEWS = ("rot90", "split", "array_split", "hsplit", "vsplit", "dsplit", "trim_", "ix_", "moveaxis", "rollaxis", "broadcast", "atleast", "unstack")
VIEWS = [call for call in CALLS if call.startswith(_VIEWS) and call != "broadcast_to(i, (2, 2))"]  # i is a number


def drawn(draw, dtype=None, shape=None):
    """An array of NumPy's with some layout."""
    dtype = numpy.dtype(dtype or draw.choice(DTYPES))
    shape = shape or tuple(draw.randint(1, 4) for _ in range(draw.randint(1, 3)))
    bits = iter(lambda: draw.getrandbits(3), None)  # draw.choice of seven draws these bits, too, but takes longer than the calls that are compared
    whole = numpy.array([SMALL[n] for n in itertools.islice((n for n in bits if n < 7), 4 * math.prod(shape) + 4)])
    values = whole * draw.choice([1.0, 0.5, 1.25]) if dtype.kind in "fc" else numpy.abs(whole) if dtype.kind == "u" else whole
    if dtype.kind in "fc" and draw.random() < 0.2:
        values[draw.randrange(len(values))] = draw.choice([numpy.nan, numpy.inf, -0.0])
    values = values.astype(dtype)
    if dtype.kind == "c":
        values = values + values[::-1] * dtype.type(1j)
    n = math.prod(shape)
    how = draw.choice("ccfsblrt")
    if how == "f":
        return values[:n].reshape(shape, order="F")
    if how == "s":
        return values[: 2 * n].reshape(*shape[:-1], 2 * shape[-1])[..., ::2]
    if how == "b":
        return values[:n].reshape(shape)[::-1]
    if how == "l":
        return values[:n].reshape(shape)[..., ::-1]
    if how == "r":
        return values[:n].reshape(shape[::-1]).T[::-1]
    if how == "t":
        return values[:n].reshape(shape[::-1]).T
    return values[:n].reshape(shape)


def given(draw):
    a = drawn(draw)
    side = draw.randint(1, 4)
    return {
        "a": a,
        "b": drawn(draw, shape=a.shape),
        "v": drawn(draw, draw.choice(["float64", "float32", "int64"]), (draw.randint(1, 6),)),
        "m": drawn(draw, draw.choice(["float64", "float64", "int64", "float32"]), (side, side)),
        "c": drawn(draw, "complex128"),
        "s": numpy.sort(drawn(draw, "float64", (5,))),
        "k": numpy.array([draw.randint(0, 4) for _ in range(draw.randint(1, 6))]),
        "i": draw.choice([0, 1, 2, 3, -1]),
        "p": drawn(draw, "bool", a.shape),
        "t": drawn(draw, draw.choice(["float64", "float32", "int64"]), (draw.randint(1, 4), side, side)),
    }


def ours(value):
    """An array of weft's that lies as one of NumPy's does."""
    if type(value) is not numpy.ndarray:
        return value
    if value.flags.c_contiguous:
        made = weft.array(value)
    elif value.flags.f_contiguous:
        made = weft.array(value.T).T
    elif min(value.strides) < 0:
        forwards = tuple(slice(None, None, -1 if step < 0 else None) for step in value.strides)
        made = ours(value[forwards])[forwards]
    else:
        room = weft.array(numpy.repeat(numpy.ascontiguousarray(value), 2, axis=-1))
        made = room[..., ::2]
    return made


def told(value, layout):
    """All that is to be the same of a result."""
    if type(value) in (weft.ndarray, numpy.ndarray):
        at = numpy.asarray(value)
        order = sorted(range(at.ndim), key=lambda axis: -abs(at.strides[axis])) if layout and at.size and 1 not in at.shape else None
        return "array", at.dtype, at.shape, order, repr(at.tolist())
    if isinstance(value, tuple):
        return type(value).__name__, [told(item, layout) for item in value]
    return type(value), value.tobytes() if isinstance(value, numpy.generic) else repr(value)


def outcome(xp, call, names):
    """What a call gives, with and without how it lies, and what it does else."""
    text = call if call[:2] in ("a.", "m.", "v.", "s.", "c.", "t ") else "np." + call
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of other tests' processes, which the collector finds now and then
        try:
            result = eval(text, {"np": xp, **names})
            made, lies = told(result, False), told(result, True)
        except Exception as e:
            made = lies = type(e), str(e)
    after = [told(names[name], False) for name in "abvmkp"]
    return lies, made, after, [str(w.message) for w in said if w.category is not weft.FallbackWarning]


def seen(xp, call, names):
    """What a program can tell of the views that a call makes; nothing of an error."""
    try:
        made = eval("np." + call, {"np": xp, **names})
    except Exception:
        return None
    arrays = [names[name] for name in "avmkp"]
    found = []
    for view in made if isinstance(made, list | tuple) else [made]:
        shares = [xp.shares_memory(view, of) for of in arrays]
        of = arrays[shares.index(True)] if True in shares else None
        first = view.__array_interface__["data"][0] - of.__array_interface__["data"][0] if of is not None and view.size else None
        strides = [step for step, n in zip(view.strides, view.shape, strict=True) if n > 1]
        found.append((shares, first, strides, view.flags.writeable, view is of))
        if view.flags.writeable and view.size:
            view[...] = 7
    return found, repr([of.tolist() for of in arrays])


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")  # of what broadcast_arrays made
@pytest.mark.parametrize("call", VIEWS)
def test_views_of_a_call_have_the_arguments_memory(call):
    for seed in range(25):
        of_numpys = given(random.Random(f"{call} {seed}"))
        names = {name: ours(value) for name, value in of_numpys.items()}
        assert seen(weft, call, names) == seen(numpy, call, of_numpys), (call, seed)


def test_views_of_what_is_not_there_yet_wait_for_nothing():
    x = weft.arange(2_000_000.0).reshape(1000, 2000)
    y = x * 2 + 1
    parts = [weft.rot90(y), weft.split(y, 2)[1], weft.broadcast_to(y, (2, 1000, 2000)), weft.moveaxis(y, 0, 1)]
    want = numpy.arange(2_000_000.0).reshape(1000, 2000) * 2 + 1
    for got, expected in zip(parts, [numpy.rot90(want), numpy.split(want, 2)[1], numpy.broadcast_to(want, (2, 1000, 2000)), numpy.moveaxis(want, 0, 1)], strict=True):
        assert numpy.array_equal(got, expected)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_numpys_and_the_general_functions(call):
    for seed in range(12):
        names = given(random.Random(f"{call} {seed}"))
        got = outcome(weft, call, {name: ours(value) for name, value in names.items()})
        before = _core.few(0)
        try:
            slow = outcome(weft, call, {name: ours(value) for name, value in names.items()})
        finally:
            _core.few(before)
        want = outcome(numpy, call, names)  # last, since it may write into the arrays of which weft's are copies
        assert got == want, (call, seed, given(random.Random(f"{call} {seed}")))
        assert got[1:] == slow[1:], (call, seed, given(random.Random(f"{call} {seed}")))


def test_results_share_nothing_with_arguments_and_views_stay_views():
    for text in ("np.append(x, 1.0)", "np.repeat(x, 1)", "np.tile(x, 1)", "np.resize(x, 4)", "np.triu(m)", "np.insert(x, 0, [])", "np.delete(x, [])", "np.pad(x, 0)"):
        x = weft.arange(4.0)
        m = x.reshape(2, 2)
        made = eval(text, {"np": weft, "x": x, "m": m})
        made[...] = 7
        assert x.tolist() == [0, 1, 2, 3], text
    for text in ("c.real", "c.imag", "np.real(c)", "c.T.real", "np.flip(c)", "c[::-1].imag", "np.fliplr(c)", "np.nan_to_num(c, copy=False)"):
        both = []
        for np in (numpy, weft):
            c = np.arange(6.0).reshape(2, 3) * (1 + 2j)
            made = eval(text, {"np": np, "c": c})
            made[0] = 9
            c[1, 1] = 5
            c.real += 1
            both.append((made.tolist(), c.tolist()))
        assert both[0] == both[1], text
    assert not weft.eye(3).diagonal().flags.writeable


def test_what_may_not_be_written_is_not():
    x = weft.arange(4.0)
    x.flags.writeable = False
    for call in (lambda np, x: np.put(x, [0], 1), lambda np, x: np.copyto(x, 1), lambda np, x: x.fill(1), lambda np, x: np.fill_diagonal(x.reshape(2, 2), 1)):
        theirs = numpy.arange(4.0)
        theirs.flags.writeable = False
        with pytest.raises(ValueError) as got:
            call(weft, x)
        with pytest.raises(ValueError) as want:
            call(numpy, theirs)
        assert str(got.value) == str(want.value) and x.tolist() == [0, 1, 2, 3]


def test_calls_are_counted():
    x = weft.arange(9.0)
    before = weft.coverage().fallback.get("ediff1d", 0)
    for _ in range(5):
        x = weft.ediff1d(x)
    found = weft.coverage()
    assert found.fallback["ediff1d"] == before + 5
    assert any(name == "ediff1d" and calls >= 5 and "few elements" in reason for name, _, calls, reason in found.sites)


def test_threads_that_take_arrays_over_meanwhile():
    x = weft.arange(20.0)
    many = weft.zeros(100_000)
    done = threading.Event()

    def settle():
        while not done.is_set():
            y = x.copy()
            many[:20] += y

    other = threading.Thread(target=settle)
    other.start()
    try:
        for _ in range(300):
            assert weft.median(x) == 9.5 and weft.append(x, 1.0).size == 21
    finally:
        done.set()
        other.join()


@pytest.mark.parametrize(
    "call",
    [
        "nanmax(a, 0, r)",
        "nanmin(a, 0, r)",
        "nanmedian(a, 0, r)",
        "nanmean(a, 0, None, r)",
        "nanstd(a, 0, None, r)",
        "nanmax(a, 0, None)",
        "nanmax(a, 0, b)",
        "compress([True, False, True], a, -1, r)",
        "choose([0, 1, 0, 1], [r, 2], r)",
        "choose([0, 3, 0], [r, 2], r)",
    ],
)
def test_a_call_that_writes_to_an_argument_without_a_name_is_made_once(call):
    def outcome(xp):
        names = {"a": xp.full((3, 4), xp.nan), "r": xp.zeros(4), "b": xp.zeros(4, bool)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                made = eval(f"xp.{call}", {"xp": xp}, names)
            except Exception as error:
                made = repr(error)
        texts = [str(w.message) for w in caught if w.category is not weft.FallbackWarning]
        return made is names["r"], made if isinstance(made, str) else made.tolist(), texts, names["r"].tolist()

    assert repr(outcome(weft)) == repr(outcome(numpy))


def test_every_function_is_numpys():
    for name in _delegates.DOES:
        assert callable(_delegates.original(name)), name
