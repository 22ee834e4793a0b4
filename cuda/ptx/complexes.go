package ptx

import (
	"math"

	"weft/tile"
)

// This file emits the opcodes on complex numbers. Arithmetic is at the dtype's precision,
// in the order of the reference; functions are computed in float64.

func complexParts(f func(f fp, a, b string) string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		p := c.arith(t)
		return two(t, f(p, a[0].r[0], a[1].r[0]), f(p, a[0].r[1], a[1].r[1]))
	}
}

func complexEach(f func(f fp, a string) string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		p := c.arith(t)
		return two(t, f(p, a[0].r[0]), f(p, a[0].r[1]))
	}
}

func complexConj(c *code, t tile.DType, a []value) value {
	return two(t, a[0].r[0], c.arith(t).neg(a[0].r[1]))
}

func complexPart(i int) lowering {
	return func(_ *code, t tile.DType, a []value) value { return one(t.Real(), a[0].r[i]) }
}

func complexMul(c *code, t tile.DType, a []value) value {
	re, im := c.arith(t).times(a[0].r, a[1].r)
	return two(t, re, im)
}

// times is four products, a difference and a sum, each rounded.
func (f fp) times(a, b [2]string) (re, im string) {
	re = f.sub(f.mul(a[0], b[0]), f.mul(a[1], b[1]))
	im = f.add(f.mul(a[0], b[1]), f.mul(a[1], b[0]))
	return re, im
}

func complexDiv(c *code, t tile.DType, a []value) value {
	re, im := c.arith(t).over(a[0].r, a[1].r)
	return two(t, re, im)
}

// over is Smith's algorithm. Its two branches are the same with the parts exchanged; what
// differs is the sign of the imaginary part.
func (f fp) over(a, b [2]string) (re, im string) {
	absR, absI := f.abs(b[0]), f.abs(b[1])
	first := f.cmp("ge", absR, absI)
	large, small := f.sel(first, b[0], b[1]), f.sel(first, b[1], b[0])
	ratio := f.div(small, large)
	scale := f.div(f.num(1), f.add(large, f.mul(small, ratio)))
	re1 := f.mul(f.add(a[0], f.mul(a[1], ratio)), scale)
	im1 := f.mul(f.sub(a[1], f.mul(a[0], ratio)), scale)
	re2 := f.mul(f.add(f.mul(a[0], ratio), a[1]), scale)
	im2 := f.mul(f.sub(f.mul(a[1], ratio), a[0]), scale)
	re, im = f.sel(first, re1, re2), f.sel(first, im1, im2)
	// Division by zero: infinities and NaNs by the parts.
	zero := f.and(f.cmp("eq", absR, f.num(0)), f.cmp("eq", absI, f.num(0)))
	return f.sel(zero, f.div(a[0], absR), re), f.sel(zero, f.div(a[1], absR), im)
}

func complexEq(c *code, t tile.DType, a []value) value {
	f := c.arith(t)
	return one(tile.Bool, c.and(f.cmp("eq", a[0].r[0], a[1].r[0]), f.cmp("eq", a[0].r[1], a[1].r[1])))
}

func complexNe(c *code, t tile.DType, a []value) value {
	f := c.arith(t)
	return one(tile.Bool, c.or(f.cmp("neu", a[0].r[0], a[1].r[0]), f.cmp("neu", a[0].r[1], a[1].r[1])))
}

// complexCompare is lexicographic: lt or le, of the operands or of the operands exchanged.
func complexCompare(how string, swap bool) lowering {
	return func(c *code, t tile.DType, a []value) value {
		x, y := a[0], a[1]
		if swap {
			x, y = y, x
		}
		return one(tile.Bool, c.arith(t).ordered(how, x, y))
	}
}

func (f fp) ordered(how string, x, y value) string {
	less := f.and(f.cmp("lt", x.r[0], y.r[0]), f.cmp("num", x.r[1], y.r[1]))
	same := f.and(f.cmp("eq", x.r[0], y.r[0]), f.cmp(how, x.r[1], y.r[1]))
	return f.or(less, same)
}

// complexPick is Min or Max: the first operand if it has a NaN or compares so.
func complexPick(larger bool) lowering {
	return func(c *code, t tile.DType, a []value) value {
		f := c.arith(t)
		x, y := a[0], a[1]
		if larger {
			x, y = y, x
		}
		nan := f.or(f.isNaN(a[0].r[0]), f.isNaN(a[0].r[1]))
		return c.choose(f.or(nan, f.ordered("le", x, y)), a[0], a[1])
	}
}

// complexTest holds if it holds for any part, or for all.
func complexTest(f func(f fp, a string) string, either bool) lowering {
	return func(c *code, t tile.DType, a []value) value {
		p := c.arith(t)
		re, im := f(p, a[0].r[0]), f(p, a[0].r[1])
		if either {
			return one(tile.Bool, c.or(re, im))
		}
		return one(tile.Bool, c.and(re, im))
	}
}

// inDouble computes a function of a complex number in float64.
func inDouble(c *code, t tile.DType, a value, f func(d fp, re, im string) (string, string)) value {
	own := c.arith(t)
	re, im := f(c.double(), own.widened(a.r[0]), own.widened(a.r[1]))
	return two(t, own.narrowed(re), own.narrowed(im))
}

func complexAbs(c *code, t tile.DType, a []value) value {
	return one(t.Real(), c.arith(t).function("hypot", a[0].r[0], a[0].r[1]))
}

// complexSqrt scales large and small numbers, so that the magnitude can be formed.
func complexSqrt(c *code, t tile.DType, a []value) value {
	return inDouble(c, t, a[0], func(f fp, re, im string) (string, string) {
		size := f.function("hypot", re, im)
		big, small := f.cmp("gt", size, f.num(0x1p1000)), f.cmp("lt", size, f.num(0x1p-1000))
		scale := f.sel(big, f.num(0x1p-4), f.sel(small, f.num(0x1p200), f.num(1)))
		back := f.sel(big, f.num(4), f.sel(small, f.num(0x1p-100), f.num(1)))
		x, y := f.mul(re, scale), f.mul(im, scale)
		root := f.sqrt(f.mul(f.num(0.5), f.add(f.abs(x), f.function("hypot", x, y))))
		other := f.div(y, f.add(root, root))
		root, other = f.mul(root, back), f.mul(other, back)
		right := f.cmp("ge", x, f.num(0))
		u, v := f.sel(right, root, f.abs(other)), f.sel(right, other, f.toSign(im, root))
		zero := f.cmp("eq", size, f.num(0))
		infinite := f.isInf(im)
		return f.sel(zero, f.num(0), f.sel(infinite, f.num(math.Inf(1)), u)), f.sel(f.or(zero, infinite), im, v)
	})
}

// complexExp multiplies in two factors, because exp may overflow where the product does not.
func complexExp(c *code, t tile.DType, a []value) value {
	return inDouble(c, t, a[0], func(f fp, re, im string) (string, string) {
		half := f.function("exp", f.mul(re, f.num(0.5)))
		u := f.mul(f.mul(half, f.function("cos", im)), half)
		v := f.mul(f.mul(half, f.function("sin", im)), half)
		onAxis := f.cmp("eq", im, f.num(0))
		u, v = f.sel(onAxis, f.mul(half, half), u), f.sel(onAxis, im, v)
		// Where only the size is known: exp(-inf + i y) is 0, exp(inf + i y) is infinite.
		wild := f.not(f.isFinite(im))
		gone := f.and(wild, f.cmp("eq", re, f.num(math.Inf(-1))))
		u, v = f.sel(gone, f.num(0), u), f.sel(gone, f.num(0), v)
		return f.sel(f.and(wild, f.cmp("eq", re, f.num(math.Inf(1)))), re, u), v
	})
}

func complexLog(c *code, t tile.DType, a []value) value {
	return inDouble(c, t, a[0], func(f fp, re, im string) (string, string) {
		return f.logSize(re, im), f.function("atan2", im, re)
	})
}

// logSize is the logarithm of the magnitude; near the unit circle the rounded magnitude has
// lost its digits.
func (f fp) logSize(re, im string) string {
	x, y := f.abs(re), f.abs(im)
	swap := f.cmp("lt", x, y)
	large, small := f.sel(swap, y, x), f.sel(swap, x, y)
	near := f.and(f.cmp("gt", large, f.num(0.5)), f.cmp("lt", large, f.num(2)))
	excess := f.fma(small, small, f.mul(f.sub(large, f.num(1)), f.add(large, f.num(1))))
	nearby := f.mul(f.num(0.5), f.function("log1p", excess))
	return f.sel(near, nearby, f.function("log", f.function("hypot", re, im)))
}

func complexSin(c *code, t tile.DType, a []value) value {
	return inDouble(c, t, a[0], func(f fp, re, im string) (string, string) {
		return f.scaled(f.function("sin", re), f.function("cosh", im)), f.scaled(f.function("sinh", im), f.function("cos", re))
	})
}

func complexCos(c *code, t tile.DType, a []value) value {
	return inDouble(c, t, a[0], func(f fp, re, im string) (string, string) {
		return f.mul(f.function("cos", re), f.function("cosh", im)), f.neg(f.scaled(f.function("sin", re), f.function("sinh", im)))
	})
}

// scaled is a*b, but 0 where a is 0 and b infinite.
func (f fp) scaled(a, b string) string { return f.sel(f.cmp("eq", a, f.num(0)), a, f.mul(a, b)) }

// complexPow multiplies for integer exponents below 100, so that squares are exact where they
// can be; else it goes through the polar form. See tile/reference_complex.go.
func complexPow(c *code, t tile.DType, a []value) value {
	own, f := c.arith(t), c.double()
	var x, y [2]string
	for i := range x {
		x[i], y[i] = own.widened(a[0].r[i]), own.widened(a[1].r[i])
	}
	u, v := f.mov(f.num(1)), f.mov(f.num(0))
	turned := f.cmp("neu", y[1], f.num(0))
	polar, done := c.label("polar"), c.label("cpow")
	n := c.word("cvt.rzi.s32.f64", y[0])
	isWhole := f.and(f.cmp("eq", f.dbl("cvt.rn.f64.s32", n), y[0]), f.cmp("eq", y[1], f.num(0)))
	isSmall := c.pred("setp.lt.s32", c.word("abs.s32", n), "100")
	c.when(c.not(c.and(isWhole, isSmall)), "bra", polar)

	// Squares and products.
	loop, last := c.label("cpowloop"), c.label("cpowlast")
	left := c.word("abs.s32", n)
	s := [2]string{f.mov(x[0]), f.mov(x[1])}
	c.place(loop)
	c.when(c.pred("setp.eq.s32", left, "0"), "bra", last)
	odd := c.pred("setp.ne.b32", c.word("and.b32", left, "1"), "0")
	re, im := f.times([2]string{u, v}, s)
	c.do("@"+odd+" mov.f64", u, re)
	c.do("@"+odd+" mov.f64", v, im)
	re, im = f.times(s, s)
	c.do("mov.f64", s[0], re)
	c.do("mov.f64", s[1], im)
	c.do("shr.u32", left, left, "1")
	c.do("bra", loop)
	c.place(last)
	negative := c.pred("setp.lt.s32", n, "0")
	re, im = f.over([2]string{f.num(1), f.num(0)}, [2]string{u, v})
	c.do("@"+negative+" mov.f64", u, re)
	c.do("@"+negative+" mov.f64", v, im)
	c.do("bra", done)

	// |x|^re(y) * exp(-im(y)*arg(x)) * (cos + i sin)(im(y)*log|x| + re(y)*arg(x))
	c.place(polar)
	arg := f.function("atan2", x[1], x[0])
	size := f.function("pow", f.function("hypot", x[0], x[1]), y[0])
	angle := f.mul(y[0], arg)
	size = f.sel(turned, f.mul(size, f.function("exp", f.neg(f.mul(y[1], arg)))), size)
	angle = f.sel(turned, f.fma(y[1], f.logSize(x[0], x[1]), angle), angle)
	c.do("mov.f64", u, f.scaled(f.function("cos", angle), size))
	c.do("mov.f64", v, f.scaled(f.function("sin", angle), size))
	c.place(done)
	// 0 to any power but 0.
	zero := f.and(f.cmp("eq", x[0], f.num(0)), f.cmp("eq", x[1], f.num(0)))
	zero = f.and(zero, f.or(turned, f.cmp("neu", y[0], f.num(0))))
	limit := f.sel(f.cmp("gt", y[0], f.num(0)), f.num(0), f.num(math.NaN()))
	c.do("@"+zero+" mov.f64", u, limit)
	c.do("@"+zero+" mov.f64", v, limit)
	return two(t, own.narrowed(u), own.narrowed(v))
}
