"""A call of each public function of NumPy, and of each method of its arrays and generators: what bench.numpys measures with --every.

A row of FAMILIES is a form of a call and the names that it is called by; CALLS are those that have a form of their own. x, y are n floats, s the same in order, k, k2
integers, b what holds for a third, c complex numbers, e bytes, w n floats that calls may write to; m and q square matrices of about n elements, v as many floats
as these have rows, p a stack of 2 by 2, t five floats; z strings, d dates, rec records, ma and mb masked arrays, mm a masked matrix. r is a generator, l one of the older ones.
"""

import functools

import numpy
import numpy.lib.recfunctions

FAMILIES = {
    "np.{}(x)": """
        abs absolute acos arccos arcsin arcsinh arctan arctanh argmax argmin argsort argwhere amax amin all angle any array array2string array_repr array_str asanyarray asarray
        asarray_chkfinite ascontiguousarray asfortranarray asin asinh asmatrix atan atanh atleast_1d atleast_2d atleast_3d average cbrt ceil common_type conj conjugate copy cos cosh
        count_nonzero cumprod cumsum cumulative_prod cumulative_sum deg2rad degrees diff ediff1d empty_like exp exp2 expm1 fabs fix flatnonzero flip flipud floor frexp from_dlpack
        gradient histogram histogram_bin_edges i0 imag iscomplex iscomplexobj isfinite isfortran isinf isnan isneginf isposinf isreal isrealobj isscalar iterable ix_ log log10 log1p
        log2 logical_not max mean median min min_scalar_type modf nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ndim
        negative nonzero ones_like permute_dims positive prod ptp rad2deg radians ravel real real_if_close reciprocal require result_type rint round shape sign signbit sin sinc
        sinh size sort sort_complex spacing sqrt square squeeze std sum tan tanh transpose trapezoid trim_zeros trunc unique unique_all unique_counts unique_inverse unique_values
        unwrap var zeros_like
    """,
    "np.{}(x, y)": """
        add allclose append arctan2 array_equal array_equiv atan2 broadcast_arrays convolve copysign corrcoef correlate cov divide divmod dot equal float_power floor_divide fmax fmin
        fmod greater greater_equal heaviside histogram2d hypot inner intersect1d isclose isin less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor may_share_memory
        maximum minimum mod multiply nextafter not_equal polyadd polysub pow power remainder setdiff1d setxor1d shares_memory subtract true_divide union1d vdot vecdot
    """,
    "np.{}(k, k2)": "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor floor_divide gcd intersect1d isin lcm left_shift remainder right_shift setdiff1d setxor1d union1d",
    "np.{}(k)": "bincount bitwise_count bitwise_invert bitwise_not invert mean median sort sum unique unique_all unique_counts unique_inverse unique_values",
    "np.{}(m)": """
        argmax argwhere average corrcoef cov cumsum diag diag_indices_from diagonal flip fliplr gradient matrix_transpose max mean median nanmean nanmedian nansum nanstd ravel rot90 std sum
        trace transpose tril tril_indices_from triu triu_indices_from unique unstack unwrap
    """,
    "np.{}(m, axis=0)": "argmax argmin argsort average count_nonzero cumsum diff flip gradient max mean median nanmax nanmean nanmedian nanstd nansum nanvar sort std sum trapezoid unique unwrap var",
    "np.{}(m, 2, axis=0)": "delete repeat roll partition argpartition array_split take",
    "np.{}(m, m)": "dot inner matmul tensordot",
    "np.{}(m, v)": "dot matmul matvec",
    "np.{}([x, y])": "array block column_stack concat concatenate corrcoef cov dstack hstack lexsort row_stack stack vstack",
    "np.{}(t)": "diag diagflat poly polyder polyint roots trim_zeros vander",
    "np.{}(t, t)": "ix_ kron meshgrid outer polyadd polydiv polymul polysub",
    "np.{}(n)": "arange bartlett base_repr binary_repr blackman empty hamming hanning ones zeros",
    "np.{}(4)": "diag_indices eye identity tri tril_indices triu_indices",
    "np.linalg.{}(q)": "cholesky cond det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_rank matrix_transpose norm pinv qr slogdet svd svdvals trace",
    "np.linalg.{}(p)": "det inv eigvals matrix_norm trace",
    "np.linalg.{}(x)": "norm vector_norm",
    "np.fft.{}(x)": "fft fftshift hfft ifft ifftshift ihfft irfft rfft",
    "np.fft.{}(m)": "fft fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn",
    "np.fft.{}(n)": "fftfreq rfftfreq",
    "np.lib.scimath.{}(x)": "arccos arcsin arctanh log log10 log2 sqrt",
    "np.lib.scimath.{}(-x)": "log sqrt",
    "np.strings.{}(z)": "capitalize expandtabs isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper lower lstrip rstrip str_len strip swapcase title upper",
    "np.char.{}(z)": "array asarray capitalize expandtabs isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper lower lstrip rsplit rstrip split splitlines str_len strip swapcase title upper",
    "np.strings.{}(z, 'w')": "add count endswith equal find greater greater_equal index less less_equal not_equal partition rfind rindex rpartition startswith",
    "np.char.{}(z, 'w')": "add count endswith equal find greater greater_equal index join less less_equal not_equal partition rfind rindex rpartition startswith",
    "np.strings.{}(z, 8)": "center ljust multiply rjust zfill",
    "np.char.{}(z, 8)": "center ljust multiply rjust zfill",
    "np.ma.{}(ma)": """
        abs absolute all alltrue amax amin anom anomalies any arccos arcsin arcsinh arctan argmax argmin argsort array asanyarray asarray atleast_1d atleast_2d atleast_3d ceil clump_masked
        clump_unmasked compressed conjugate copy cos cosh count count_masked cumprod cumsum default_fill_value diff ediff1d empty_like exp fabs filled fix_invalid
        flatnotmasked_contiguous flatnotmasked_edges floor getdata getmask getmaskarray isMA isMaskedArray isarray is_masked log log10 log2 logical_not masked_all_like
        masked_invalid max maximum_fill_value mean median min minimum_fill_value ndim negative nonzero notmasked_contiguous notmasked_edges ones_like prod product ptp ravel round shape sin sinh size sometrue sort
        sqrt squeeze std sum tan tanh transpose unique var zeros_like
    """,
    "np.ma.{}(ma, mb)": """
        add allclose allequal append arctan2 common_fill_value convolve corrcoef correlate cov divide dot equal floor_divide fmod greater greater_equal hypot in1d inner
        innerproduct intersect1d isin less less_equal logical_and logical_or logical_xor maximum minimum mod multiply not_equal power remainder setdiff1d setxor1d subtract
        true_divide union1d
    """,
    "np.ma.{}([ma, mb])": "array column_stack concatenate dstack hstack row_stack stack vstack",
    "np.ma.{}(x, 0.5)": "masked_equal masked_greater masked_greater_equal masked_less masked_less_equal masked_not_equal masked_values",
    "np.ma.{}(mm)": "compress_cols compress_rowcols compress_rows cov diagonal mask_cols mask_rowcols mask_rows max mean median std sum trace transpose",
    "np.random.{}(size=n)": "exponential gumbel laplace logistic lognormal normal random random_sample ranf rayleigh sample standard_cauchy standard_exponential standard_normal uniform",
    "l.{}(size=n)": "exponential gumbel laplace logistic lognormal normal random random_sample rayleigh standard_cauchy standard_exponential standard_normal tomaxint uniform",
    "r.{}(size=n)": "exponential gumbel laplace logistic lognormal normal random rayleigh standard_cauchy standard_exponential standard_normal uniform",
    "np.random.{}()": "exponential normal rand randn random random_sample standard_exponential standard_normal uniform",
    "l.{}()": "exponential normal rand randn random random_sample standard_normal uniform",
    "r.{}()": "exponential normal random standard_exponential standard_normal uniform",
    "np.random.{}(n)": "bytes permutation rand randn",
    "l.{}(n)": "bytes permutation rand randn",
    "r.{}(n)": "bytes permutation",
    "r.{}(x)": "exponential permutation permuted poisson standard_gamma",
    "x.{}()": """
        all any argmax argmin argsort conj conjugate copy cumprod cumsum dumps flatten max mean min nonzero prod ravel round squeeze std sum tobytes tolist transpose var view byteswap
        __copy__ __repr__ __str__ __len__ __abs__ __neg__ __reduce__ __iter__
    """,
    "{}": "x.T x.real x.imag x.flat x.nbytes x.itemsize x.size x.ndim x.shape x.strides x.dtype x.flags x.base m.T m.mT x.data x.ctypes",
}  # fmt: skip
for _space in ("np.random", "l", "r"):
    FAMILIES |= {
        f"{_space}.{{}}(2.0, size=n)": "chisquare gamma pareto poisson power standard_gamma standard_t weibull zipf",
        f"{_space}.{{}}(2.0, 3.0, size=n)": "beta f noncentral_chisquare normal uniform vonmises wald",
        f"{_space}.{{}}(0.5, size=n)": "geometric logseries",
        f"{_space}.{{}}(5, 0.5, size=n)": "binomial negative_binomial",
        f"{_space}.{{}}(2.0)": "chisquare gamma poisson standard_gamma",
        f"{_space}.{{}}(5, 0.5)": "binomial negative_binomial",
    }  # fmt: skip
# The six kinds of polynomials, whose functions are called alike.
for _module, _kind in {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm", "hermite_e": "herme"}.items():
    FAMILIES |= {
        f"np.polynomial.{_module}.{_kind}{{}}": """
            add(t,t) sub(t,t) mul(t,t) div(t,t) mulx(t) pow(t,2) der(t) int(t) roots(t) companion(t) fromroots(t) trim(t) line(1,2) val(x,t) val2d(x,y,p[0]) val3d(x,y,x,p)
            grid2d(t,t,p[0]) grid3d(t,t,t,p) vander(x,3) vander2d(x,y,[1,2]) vander3d(x,y,x,[1,1,2]) fit(x,y,2)
        """,
    }  # fmt: skip

CALLS = """
np.acosh(x + 1.5) | np.arccosh(x + 1.5) | np.apply_along_axis(np.sum, 0, m) | np.astype(x, int) | np.isnat(d) | np.ma.round_(ma) | np.apply_along_axis(lambda g: g[0], 1, m) | np.apply_over_axes(np.sum, m, [0, 1]) | np.around(x, 2) | np.array_split(x, 3) | np.split(x, 2) | np.hsplit(x, 2) | np.vsplit(m, 2) | np.dsplit(p, 2)
np.average(x, weights=y) | np.bincount(k, weights=x) | np.bmat([[m, m], [m, m]]) | np.broadcast_shapes((3, 1), (1, 4)) | np.broadcast_to(x, (3, n)) | np.broadcast_arrays(x, 1.0) | np.broadcast(x, y).shape | np.busday_count(d, d) | np.busday_offset(d, 1, roll='forward') | np.is_busday(d)
np.can_cast('f8', 'f4') | np.choose(b.astype(int), [x, y]) | np.clip(x, 0.2, 0.8) | np.compress(b, x) | np.copyto(w, x) | np.cross(m[:, :3], m[:, :3]) | np.datetime_as_string(d) | np.datetime_data('M8[D]') | np.delete(x, 3) | np.delete(x, [1, 2]) | np.delete(m, 1, 0)
np.digitize(x, t) | np.einsum('i,i->', x, y) | np.einsum('ij,j->i', m, v) | np.einsum('ij,jk', m, m) | np.einsum_path('ij,jk', m, m) | np.expand_dims(x, 0) | np.extract(b, x) | np.fill_diagonal(w2, 1.0) | np.format_float_positional(0.1) | np.format_float_scientific(0.1) | np.frombuffer(e.tobytes(), 'u1')
np.fromfunction(lambda i: i + 1, (n,)) | np.fromiter(range(n), float) | np.frompyfunc(abs, 1, 1)(t) | np.fromstring('1 2 3', sep=' ') | np.full(n, 2.5) | np.full_like(x, 2.5) | np.geomspace(1, 10, n) | np.logspace(0, 1, n) | np.linspace(0, 1, n) | np.get_printoptions() | np.getbufsize() | np.geterr() | np.geterrcall()
np.gradient(x, s) | np.gradient(x, 0.1) | np.histogram(x, 5) | np.histogram(x, t) | np.histogram(x, 5, density=True) | np.histogram(x, 5, weights=y) | np.histogramdd([x, y], 3) | np.histogram2d(x, y, 4) | np.indices((3, 4)) | np.insert(x, 3, 1.0) | np.insert(x, [1, 2], [1.0, 2.0]) | np.insert(m, 1, 2.0, 0)
np.interp(x, s, y) | np.interp(0.5, s, y) | np.interp(t, s, y, period=3) | np.isdtype(np.float64, 'real floating') | np.issubdtype(x.dtype, np.floating) | np.kaiser(n, 2.0) | np.kron(t, x) | np.kron(p[0], p[0]) | np.ldexp(x, 2) | np.lexsort((x, k)) | np.mask_indices(3, np.triu)
np.meshgrid(v, v) | np.meshgrid(v, v, indexing='ij') | np.meshgrid(v, v, sparse=True) | np.mintypecode('fd') | np.moveaxis(m, 0, 1) | np.nanpercentile(x, 50) | np.nanquantile(x, [0.1, 0.5]) | np.ndindex(3, 4) | list(np.ndindex(3, 4)) | list(np.ndenumerate(t)) | np.nditer(x).shape
np.packbits(b) | np.unpackbits(e) | np.pad(x, 2) | np.pad(x, (1, 2), mode='edge') | np.pad(x, 2, mode='reflect') | np.pad(x, 2, mode='wrap') | np.pad(m, 1) | np.pad(m, 1, mode='edge') | np.pad(x, 2, mode='mean') | np.partition(x, 3) | np.argpartition(x, 3) | np.percentile(x, 50) | np.percentile(x, [25, 75]) | np.percentile(m, 50, axis=0)
np.quantile(x, 0.3) | np.quantile(x, [0.1, 0.5], method='nearest') | np.piecewise(x, [x < 0.5, x >= 0.5], [0.0, 1.0]) | np.piecewise(x, [x < 0.5, x >= 0.5], [lambda g: g, lambda g: -g]) | np.place(w, b, 1.0) | np.polyfit(s, y, 2) | np.polyfit(s, y, 1, w=x) | np.polyval(t, x) | np.polyval(t, 0.5) | np.promote_types('f4', 'i4')
np.put(w, [1, 2], 3.0) | np.put_along_axis(w, k[:3] % 3, 1.0, 0) | np.putmask(w, b, 2.0) | np.ravel_multi_index((k % 3, k % 3), (3, 3)) | np.unravel_index(k % 9, (3, 3)) | np.repeat(x, 2) | np.reshape(x, (-1, 2)) | np.resize(x, 2 * n) | np.roll(x, 2) | np.roll(m, 1, axis=1) | np.rollaxis(p, 2) | np.swapaxes(m, 0, 1)
np.require(x, float, 'C') | np.result_type(x, 1.0) | np.result_type('f4', 'i8') | np.round(x, 2) | np.searchsorted(s, t) | np.searchsorted(s, 0.5) | np.select([x < 0.3, x > 0.6], [x, y], 0.5) | np.shape([1, 2]) | np.size(m, 0) | np.take(x, [1, 2, 3]) | np.take(m, [0, 1], axis=1) | np.take_along_axis(x, k % 5, 0)
np.tensordot(m, m, axes=1) | np.tile(x, 2) | np.tile(x, (2, 2)) | np.trapezoid(y, s) | np.trim_zeros(x) | np.typename('d') | np.typecodes['All'] | np.unique(x, return_counts=True) | np.unique(k, return_index=True, return_inverse=True) | np.unravel_index(5, (3, 3)) | np.vander(x, 3) | np.vecmat(v, m) | np.where(b, x, y) | np.where(b) | np.c_[x, y]
np.r_[x, 1.0, y] | np.s_[1:3] | np.mgrid[0:3, 0:4] | np.ogrid[0:3, 0:4] | np.vectorize(lambda a, b: a + b)(t, t) | np.vectorize(abs)(x) if n < 99 else np.vectorize(abs)(t) | np.vectorize(np.sum, signature='(n)->()')(m) | np.matrix([[1, 2], [3, 4]]) | np.poly1d([1, 2, 3])(x) | np.poly1d([1, 2]) * np.poly1d([1, 3]) | np.errstate(all='ignore')
np.isin(k, [1, 2, 3]) | np.setdiff1d(k, [1, 2]) | np.ediff1d(x, to_end=1.0) | np.nan_to_num(x, nan=1.0) | np.nanmax(m, axis=1) | np.nanmean(m, axis=1) | np.cov(m, rowvar=False) | np.corrcoef(m, rowvar=False) | np.median(m, axis=1) | np.sort(m, axis=0) | np.argsort(x, kind='stable') | np.unique(m, axis=0) | np.count_nonzero(b) | np.all(b) | np.any(b)
np.add.reduce(x) | np.add.accumulate(x) | np.add.outer(v, v) | np.add.at(w, [1, 2], 1.0) | np.add.reduceat(x, [0, 3]) | np.multiply.reduce(x) | np.maximum.reduce(x) | np.maximum.accumulate(x) | np.logical_or.reduce(b) | np.hypot.reduce(x) | np.multiply.outer(v, v) | np.subtract.outer(v, v) | np.bitwise_or.reduce(k) | np.power.outer(v, v) | np.minimum.reduceat(x, [0, 3])
np.exp(c) | np.abs(c) | np.sqrt(c) | c * c | np.angle(c) | np.conj(c) | c.real | c.imag | np.sort_complex(c) | np.real_if_close(c) | np.nan_to_num(c) | np.roots([1, 2, 3]) | np.isreal(c) | np.unwrap(np.angle(c)) | np.linalg.solve(q, v) | np.linalg.lstsq(q, v) | np.linalg.matmul(m, m) | np.linalg.tensordot(m, m) | np.linalg.vecdot(x, y) | np.linalg.outer(v, v) | np.linalg.cross(x[:3], y[:3])
np.linalg.matrix_power(q, 3) | np.linalg.multi_dot([m, m, m]) | np.linalg.norm(m, axis=0) | np.linalg.norm(x, 1) | np.linalg.norm(m, 2) | np.linalg.tensorinv(p[0], 1) | np.linalg.tensorsolve(p[0], t[:2]) | np.linalg.vector_norm(m, axis=1) | np.linalg.eigvals(q) | np.linalg.pinv(m) | np.linalg.matrix_rank(m) | np.linalg.inv(p) | np.linalg.solve(p, p)
np.fft.fft(x, 16) | np.fft.fft(c) | np.fft.ifft(c) | np.fft.irfft(c) | np.fft.rfft(m, axis=0) | np.lib.scimath.power(x, 2) | np.lib.scimath.power(-x, 0.5) | np.lib.scimath.logn(2, x) | np.lib.scimath.sqrt(2.0) | np.lib.scimath.sqrt(-2.0) | np.lib.stride_tricks.as_strided(x, (3,), (8,)) | np.lib.stride_tricks.sliding_window_view(x, 3) | np.lib.array_utils.byte_bounds(x) | np.lib.array_utils.normalize_axis_index(0, 2) | np.lib.array_utils.normalize_axis_tuple(0, 2)
np.strings.decode(f) | np.strings.encode(z) | np.strings.mod(np.array(['%d']), (3,)) | np.strings.replace(z, 'w', 'v') | np.strings.slice(z, 1) | np.strings.translate(z, {119: 118}) | np.char.decode(f) | np.char.encode(z) | np.char.mod('%d', 3) | np.char.replace(z, 'w', 'v') | np.char.translate(z, {119: 118}) | np.char.compare_chararrays(z, z, '==', True)
np.ma.arccosh(ma) | np.ma.arctanh(ma) | np.ma.angle(ma) | np.ma.apply_along_axis(np.sum, 0, mm) | np.ma.apply_over_axes(np.sum, mm, [0]) | np.ma.arange(n) | np.ma.around(ma, 2) | np.ma.average(ma) | np.ma.average(ma, weights=mb) | np.ma.choose(b.astype(int), [ma, mb]) | np.ma.clip(ma, 0.2, 0.8) | np.ma.compress(b, ma) | np.ma.compress_nd(mm)
np.ma.diag(ma[:5]) | np.ma.diagflat(ma[:5]) | np.ma.empty(n) | np.ma.expand_dims(ma, 0) | np.ma.flatten_mask(np.ma.getmaskarray(ma)[:3]) | np.ma.frombuffer(e.tobytes(), 'u1') | np.ma.fromfunction(lambda i: i, (n,)) | np.ma.harden_mask(ma) is None | np.ma.soften_mask(ma) is None | np.ma.hsplit(ma, 2) | np.ma.identity(4) | np.ma.indices((3, 4)) | np.ma.is_mask(b) | np.ma.make_mask(b) | np.ma.make_mask_none(n) | np.ma.make_mask_descr('f8')
np.ma.mask_or(b, b) | np.ma.masked_all(n) | np.ma.masked_inside(x, 0.2, 0.6) | np.ma.masked_outside(x, 0.2, 0.6) | np.ma.masked_object(o, 3) | np.ma.masked_where(b, x) | np.ma.ndenumerate(ma) is None | np.ma.ones(n) | np.ma.zeros(n) | np.ma.outer(ma[:5], mb[:5]) | np.ma.outerproduct(ma[:5], mb[:5]) | np.ma.polyfit(s, ma, 1) | np.ma.put(mw, [1], 2.0) | np.ma.putmask(mw, b, 1.0) | np.ma.repeat(ma, 2)
np.ma.reshape(ma, (-1, 2)) | np.ma.resize(ma, (n,)) | np.ma.bitwise_and(k, k2) | np.ma.bitwise_or(k, k2) | np.ma.bitwise_xor(k, k2) | np.ma.left_shift(k, 1) | np.ma.right_shift(k, 1) | np.ma.set_fill_value(ma, 1.0) | np.ma.swapaxes(mm, 0, 1) | np.ma.take(ma, [1, 2]) | np.ma.vander(x[:5], 3) | np.ma.where(b, ma, mb) | np.ma.ids(ma) is None
np.lib.recfunctions.append_fields(rec, 'z', x) | np.lib.recfunctions.drop_fields(rec, 'a') | np.lib.recfunctions.structured_to_unstructured(rec[['a', 'b']]) | np.lib.recfunctions.get_names(rec.dtype) | np.lib.recfunctions.merge_arrays((k, x)) | np.lib.recfunctions.rename_fields(rec, {'a': 'g'}) | np.lib.recfunctions.repack_fields(rec) | np.lib.recfunctions.unstructured_to_structured(m)
np.rec.array(rec) | np.rec.fromarrays([x, k], names='a,b') | np.rec.fromrecords([(1, 2.0)], names='a,b')
np.random.beta(2.0, 3.0) | np.random.choice(x, 3) | np.random.choice(5) | np.random.choice(n, 5, replace=False) | np.random.choice(5, 3, p=[0.2, 0.2, 0.2, 0.2, 0.2]) | np.random.dirichlet([1.0, 2.0], 3) | np.random.hypergeometric(5, 6, 3, size=n) | np.random.multinomial(5, [0.5, 0.5], 3) | np.random.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 3) | np.random.noncentral_f(2.0, 3.0, 1.0, size=n)
np.random.normal(0.0, 1.0, n) | np.random.randint(10) | np.random.randint(0, 10, n) | np.random.seed(3) | np.random.shuffle(w) | np.random.permutation(x) | np.random.triangular(0, 1, 2, size=n) | np.random.get_state()[0] | np.random.default_rng(3) is None | np.random.RandomState(3) is None
l.choice(x, 3) | l.choice(n, 5, replace=False) | l.dirichlet([1.0, 2.0], 3) | l.hypergeometric(5, 6, 3, size=n) | l.multinomial(5, [0.5, 0.5], 3) | l.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 3) | l.noncentral_f(2.0, 3.0, 1.0, size=n) | l.normal(0.0, 1.0, n) | l.randint(10) | l.randint(0, 10, n) | l.shuffle(w) | l.permutation(x) | l.triangular(0, 1, 2, size=n) | l.get_state()[0]
r.choice(x, 3) | r.choice(5) | r.choice(n, 5, replace=False) | r.choice(5, 3, p=[0.2, 0.2, 0.2, 0.2, 0.2]) | r.choice(m, 2, axis=1) | r.dirichlet([1.0, 2.0], 3) | r.hypergeometric(5, 6, 3, size=n) | r.integers(10) | r.integers(0, 10, n) | r.integers(0, 10, n, dtype=np.uint8) | r.multinomial(5, [0.5, 0.5], 3) | r.multivariate_hypergeometric([3, 4, 5], 4) | r.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 3)
r.noncentral_f(2.0, 3.0, 1.0, size=n) | r.normal(0.0, 1.0, n) | r.normal(x, 1.0) | r.random(n, dtype=np.float32) | r.shuffle(w) | r.permuted(m, axis=0) | r.triangular(0, 1, 2, size=n) | r.random(out=w) | r.spawn(1) is None | r.bit_generator is None | r.binomial(k, 0.5) | r.poisson(x)
x.argpartition(3) | x.astype(int) | x.astype(np.float32) | b.astype(int).choose([x, y]) | x.clip(0.2, 0.8) | x.compress(b) | m.diagonal() | x.dot(y) | w.fill(1.0) | x.getfield('i4') | x.item(3) | w.partition(3) | w.put([1], 2.0) | x.repeat(2) | x.reshape(-1, 2) | w.resize(n, refcheck=False) | s.searchsorted(t)
w.setfield(1, 'i4') | w.setflags(write=True) | w.sort() | m.swapaxes(0, 1) | x.take([1, 2]) | m.trace() | x.view('i8') | x.view(np.uint8) | m.sum(axis=1) | m.mean(axis=0) | x[3] | x[2:5] | x[::2] | x[b] | x[k[:5] % 5] | m[1] | m[1, 2] | m[:, 1] | m[..., None] | x[None] | w[3] | len(x) | float(x[3]) | x + y | x * 2 | x - 1 | x / y | x // 2 | x % 2 | x ** 2 | -x | abs(x) | x > y | x == y | x @ y | m @ v | b & b | ~b
list(x) | x.tolist() | 3.0 in x | divmod(x, 2) | x.__array__() is None | x.round(2) | x.var(ddof=1) | x.std(axis=0) | x.max(initial=0.0) | x.sum(where=b) | x.sum(keepdims=True) | x.mean(dtype=float) | str(x[:5]) | repr(x[:5]) | f'{x[3]}' | bool(x[3]) | int(x[3]) | x.to_device('cpu') | x.device | x.__array_namespace__() is None
np.polynomial.polynomial.polyvalfromroots(x, t) | np.polynomial.chebyshev.chebgauss(5) | np.polynomial.chebyshev.chebpts1(5) | np.polynomial.chebyshev.chebpts2(5) | np.polynomial.chebyshev.chebweight(x) | np.polynomial.chebyshev.chebinterpolate(np.sin, 4) | np.polynomial.chebyshev.cheb2poly(t) | np.polynomial.chebyshev.poly2cheb(t)
np.polynomial.legendre.leggauss(5) | np.polynomial.legendre.legweight(x) | np.polynomial.legendre.leg2poly(t) | np.polynomial.legendre.poly2leg(t) | np.polynomial.laguerre.laggauss(5) | np.polynomial.laguerre.lagweight(x) | np.polynomial.laguerre.lag2poly(t) | np.polynomial.laguerre.poly2lag(t)
np.polynomial.hermite.hermgauss(5) | np.polynomial.hermite.hermweight(x) | np.polynomial.hermite.herm2poly(t) | np.polynomial.hermite.poly2herm(t) | np.polynomial.hermite_e.hermegauss(5) | np.polynomial.hermite_e.hermeweight(x) | np.polynomial.hermite_e.herme2poly(t) | np.polynomial.hermite_e.poly2herme(t)
np.polynomial.polyutils.as_series([t]) | np.polynomial.polyutils.getdomain(x) | np.polynomial.polyutils.mapdomain(x, [0, 1], [1, 2]) | np.polynomial.polyutils.mapparms([0, 1], [1, 2]) | np.polynomial.polyutils.trimcoef(t) | np.polynomial.polyutils.trimseq(t) | np.polynomial.polyutils.format_float(0.5)
np.polynomial.Polynomial([1, 2, 3])(x) | np.polynomial.Polynomial(t) + np.polynomial.Polynomial(t) | np.polynomial.Chebyshev([1, 2, 3])(x) | np.polynomial.Legendre([1, 2, 3])(x) | np.polynomial.Polynomial.fit(x, y, 2) | np.polynomial.Polynomial(t).deriv() | np.polynomial.Polynomial(t).roots()
np.testing.assert_allclose(x, x) | np.testing.assert_array_equal(x, x) | np.testing.assert_equal(x, x) | np.testing.assert_almost_equal(x, x) | np.testing.assert_array_almost_equal(x, x) | np.testing.assert_array_less(x, x + 1)
"""

# Calls that give what is not the same twice: memory as it is, addresses, objects that equal themselves alone, orders that are not promised.
UNLIKE = frozenset("""
    np.empty(n) np.empty_like(x) np.ma.empty(n) np.ma.empty_like(ma) np.partition(x,3) np.argpartition(x,3) x.argpartition(3) np.partition(m,2,axis=0) np.argpartition(m,2,axis=0) x.__reduce__() x.__iter__() x.flat x.flags x.ctypes x.data
    np.ndindex(3,4) np.errstate(all='ignore') np.lib.array_utils.byte_bounds(x)
""".split())  # fmt: skip

# Functions without a call: of files, of settings, and what is no question of speed.
APART = frozenset("""
    fromfile fromregex genfromtxt get_include info load loadtxt nested_iters printoptions save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall show_config
    show_runtime test random.get_bit_generator random.random_integers random.set_bit_generator random.set_state ndarray.dump ndarray.tofile random.RandomState.random_integers
    random.RandomState.seed random.RandomState.set_state linalg.test fft.test random.test ma.test ma.flatten_structured_array ma.fromflex rec.find_duplicate rec.fromfile
    rec.fromstring polynomial.set_default_printstyle polynomial.test
""".split())  # fmt: skip


def is_unlike(text):
    return text.replace(" ", "") in UNLIKE


def expressions():
    """All calls, in order, each once."""
    found = {form.format(name): None for form, names in FAMILIES.items() for name in names.split()}
    listed = (text.strip() for line in CALLS.strip().splitlines() for text in line.split(" | "))
    return [*(found | dict.fromkeys(listed))]


@functools.lru_cache(1)
def _data(n):
    """The values of all names, as NumPy's."""
    rng = numpy.random.default_rng(11)
    side = max(4, int(n**0.5))
    x, m = rng.random(n) + 1e-3, rng.random((side, side))
    data = {
        "x": x, "y": rng.random(n), "s": numpy.sort(x), "w": rng.random(n), "k": rng.integers(0, min(n, 1000), n), "k2": rng.integers(1, 9, n), "b": x > 0.66, "c": x + 1j * rng.random(n),
        "e": rng.integers(0, 256, n).astype("u1"), "m": m, "w2": m + 1, "q": m @ m.T + side * numpy.eye(side), "v": rng.random(side), "p": rng.random((2, 2, 2)) + numpy.eye(2),
        "t": numpy.linspace(0.05, 0.95, 5),
    }  # fmt: skip
    z = numpy.array([f"w{i}" for i in rng.integers(0, 20, n)])
    rec = numpy.zeros(n, [("a", "i4"), ("b", "f8"), ("c", "U4")])
    rec["a"], rec["b"], rec["c"] = rng.integers(0, 9, n), x, z
    return data, {"z": z, "f": numpy.strings.encode(z), "rec": rec, "o": data["k"].astype(object), "d": numpy.datetime64("2024-01-01") + rng.integers(0, 90, n)}


def given(np, n):
    """The names of a call, whose arrays no other call has had: one may have made another kind of it, whose memory others know."""
    data, others = _data(n)
    names = {"np": np, "n": n, "r": None, "l": None} | {name: np.array(value) for name, value in data.items()} | others
    masked = {"ma": ("x", data["y"] > 0.7), "mb": ("y", data["x"] > 0.8), "mw": ("w", data["b"]), "mm": ("m", data["m"] > 0.9)}
    return fresh(names | {name: np.ma.array(names[of].copy(), mask=np.array(mask)) for name, (of, mask) in masked.items()})


def fresh(names):
    """The names with generators that have drawn nothing."""
    random = names["np"].random
    random.seed(5)
    return names | ({"r": random.default_rng(5), "l": random.RandomState(5)} if "r" in names else {})
