package ptx

import "math"

// The inverse hyperbolic functions of float32, in float32; see cpu/vm/hyperbolics32.h. Near their zeros they are
// polynomials, elsewhere the logarithm of a number in two parts, u + lo, of which the second counts as lo/u.

// log(u) + more*log(2) + rest for a normal number u.
func logAboutSingle(f fp, u, more, rest string) string {
	k := f.add(f.float("cvt.rn.f32.s32", exponentBitsSingle(f, u)), more)
	return logRestSingle(f, u, k, f.fma(k, f.num(9.0580006145e-06), rest))
}

// u = |x| + sqrt(x^2+1), and 1/u is the difference of the two. From 2^12 on u is 2*|x|.
func asinhSingle(f fp, x string) string {
	size := f.abs(x)
	large := f.cmp("gt", size, f.num(0x1p12))
	t := f.sel(large, f.num(0x1p12), size)
	z := f.mul(t, t)
	p := f.horner(z, 0x1.108f62p-10, -0x1.4aea10p-8, 0x1.8ae710p-7, -0x1.4ca438p-6, 0x1.e98f6ap-6, -0x1.6d24b2p-5, 0x1.332e2ep-4,
		-0x1.555546p-3)
	near := f.fma(f.mul(t, z), p, t)
	root := f.sqrt(f.fma(t, t, f.num(1)))
	u := f.add(root, t)
	lo := f.mul(f.sub(t, f.sub(u, root)), f.sub(root, t))
	y := logAboutSingle(f, f.sel(large, size, u), f.sel(large, f.num(1), f.num(0)), lo)
	y = f.sel(f.cmp("lt", t, f.num(0.9)), near, y)
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(math.Inf(1))), y, size))
}

// Up to 1.5 the root of 2t - t^2/3 + ..., a polynomial in t = x-1; beyond, u = x + sqrt(t^2+2t), and 1/u is the
// difference. From 2^12 on u is 2x, since the difference has no digits left there.
func acoshSingle(f fp, x string) string {
	large := f.cmp("gt", x, f.num(0x1p12))
	c := f.sel(large, f.num(0x1p12), x)
	t := f.sub(c, f.num(1))
	close := f.cmp("lt", t, f.num(0.5))
	p := f.horner(t, -0x1.2723cep-9, 0x1.339034p-7, -0x1.d12872p-6, 0x1.6c0300p-4, -0x1.55552ap-2)
	root := f.sqrt(f.fma(f.mul(t, t), f.sel(close, p, f.num(1)), f.add(t, t)))
	u := f.add(c, root)
	lo := f.mul(f.sub(root, f.sub(u, c)), f.sub(c, root))
	y := logAboutSingle(f, f.sel(large, x, u), f.sel(large, f.num(1), f.num(0)), lo)
	y = f.sel(close, root, y)
	y = f.sel(f.cmp("lt", x, f.num(1)), f.num(math.NaN()), y)
	return f.sel(f.cmp("lt", x, f.num(math.Inf(1))), y, x)
}

// Up to 1/2 a polynomial; beyond, half of the logarithm of u = (1+|x|)/(1-|x|), where a line is near enough to
// 1/(1+|x|), of which what the quotient is off takes the part.
func atanhSingle(f fp, x string) string {
	size := f.abs(x)
	z := f.mul(size, size)
	p := f.horner(z, 0x1.6924c6p-3, 0x1.a6f82ap-5, 0x1.e3f856p-4, 0x1.234e02p-3, 0x1.99a672p-3, 0x1.555540p-2)
	near := f.fma(f.mul(size, z), p, size)
	n := f.add(f.num(1), size)
	nLo := f.sub(size, f.sub(n, f.num(1)))
	d := f.sub(f.num(1), size)
	u := f.div(n, d)
	lo := f.mul(f.add(f.fma(f.neg(u), d, n), nLo), f.fma(n, f.num(-0.33333333), f.num(1.1607)))
	y := f.mul(f.num(0.5), logAboutSingle(f, u, f.num(0), lo))
	y = f.sel(f.cmp("lt", size, f.num(0.5)), near, f.sel(f.cmp("eq", size, f.num(1)), f.num(math.Inf(1)), y))
	return f.toSign(x, f.sel(f.cmp("gt", size, f.num(1)), f.num(math.NaN()), f.sel(f.isNaN(x), x, y)))
}
