package ptx

import (
	"math"

	"weft/tile"
)

// This file emits the opcodes on floats. float16 is computed in float32; apply rounds it.

func realBinary(f func(f fp, a, b string) string) lowering {
	return func(c *code, t tile.DType, a []value) value { return one(t, f(c.arith(t), a[0].r[0], a[1].r[0])) }
}

func realUnary(f func(f fp, a string) string) lowering {
	return func(c *code, t tile.DType, a []value) value { return one(t, f(c.arith(t), a[0].r[0])) }
}

func realRound(how string) lowering {
	return realUnary(func(f fp, a string) string { return f.round(how, a) })
}

func realCompare(how string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		return one(tile.Bool, c.arith(t).cmp(how, a[0].r[0], a[1].r[0]))
	}
}

// realLibrary calls a function of the library at the dtype's precision.
func realLibrary(name string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		args := make([]string, len(a))
		for i, v := range a {
			args[i] = v.r[0]
		}
		return one(t, c.arith(t).function(name, args...))
	}
}

func realTest(f func(f fp, a string) string) lowering {
	return func(c *code, t tile.DType, a []value) value { return one(tile.Bool, f(c.arith(t), a[0].r[0])) }
}

func (f fp) isNaN(a string) string    { return f.cmp("nan", a, a) }
func (f fp) isInf(a string) string    { return f.cmp("eq", f.abs(a), f.num(math.Inf(1))) }
func (f fp) isFinite(a string) string { return f.cmp("lt", f.abs(a), f.num(math.Inf(1))) }

// realSign keeps NaN, and makes -0 a 0 as the reference does.
func realSign(c *code, t tile.DType, a []value) value {
	f, x := c.arith(t), a[0].r[0]
	s := f.sel(f.cmp("eq", x, f.num(0)), f.num(0), x)
	s = f.sel(f.cmp("gt", x, f.num(0)), f.num(1), s)
	return one(t, f.sel(f.cmp("lt", x, f.num(0)), f.num(-1), s))
}

// realPick is Min or Max: the first operand if it is NaN or compares so, else the second,
// which may be NaN as well. Of equal halves NumPy takes the first.
func realPick(how, ofHalves string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		f, x, y := c.arith(t), a[0].r[0], a[1].r[0]
		if t == tile.Float16 {
			how := ofHalves
			return one(t, f.sel(f.or(f.isNaN(x), f.cmp(how, x, y)), x, y))
		}
		return one(t, f.sel(f.or(f.isNaN(x), f.cmp(how, x, y)), x, y))
	}
}

// mod is C's fmod, which is exact, so that float64 serves every precision.
func (f fp) mod(a, b string) string {
	return f.narrowed(f.double().function("mod", f.widened(a), f.widened(b)))
}

// widened and narrowed go to float64 and back; they are nothing for float64.
func (f fp) widened(a string) string {
	if f.t == "f64" {
		return a
	}
	return f.dbl("cvt.f64.f32", a)
}

func (f fp) narrowed(a string) string {
	if f.t == "f64" {
		return a
	}
	return f.float("cvt.rn.f32.f64", a)
}

// realFloorDiv follows npy_divmod; see tile/reference_real.go.
func realFloorDiv(c *code, t tile.DType, a []value) value {
	f, x, y := c.arith(t), a[0].r[0], a[1].r[0]
	mod := f.mod(x, y)
	div := f.div(f.sub(x, mod), y)
	div = f.sel(f.signsDiffer(mod, y), f.sub(div, f.num(1)), div)
	quotient := f.div(x, y)
	floor := f.round("rmi", div)
	up := f.cmp("gt", f.sub(div, floor), f.num(0.5))
	floor = f.sel(up, f.add(floor, f.num(1)), floor)
	floor = f.sel(f.cmp("eq", div, f.num(0)), f.toSign(quotient, f.num(0)), floor)
	return one(t, f.sel(f.cmp("eq", y, f.num(0)), quotient, floor))
}

func realRem(c *code, t tile.DType, a []value) value {
	f, x, y := c.arith(t), a[0].r[0], a[1].r[0]
	mod := f.mod(x, y)
	r := f.sel(f.signsDiffer(mod, y), f.add(mod, y), mod)
	r = f.sel(f.cmp("eq", mod, f.num(0)), f.toSign(y, f.num(0)), r)
	return one(t, f.sel(f.cmp("eq", y, f.num(0)), mod, r)) // NaN
}

// signsDiffer holds where a remainder isn't zero and has another sign than the divisor.
func (f fp) signsDiffer(mod, y string) string {
	differ := f.xor(f.cmp("lt", mod, f.num(0)), f.cmp("lt", y, f.num(0)))
	return f.and(f.cmp("neu", mod, f.num(0)), differ)
}

// realWide calls a function of the library that there is for float64 only.
func realWide(name string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		f := c.arith(t)
		args := make([]string, len(a))
		for i, v := range a {
			args[i] = f.widened(v.r[0])
		}
		return one(t, f.narrowed(f.double().function(name, args...)))
	}
}

func makeComplex(_ *code, t tile.DType, a []value) value {
	if t == tile.Float32 {
		return two(tile.Complex64, a[0].r[0], a[1].r[0])
	}
	return two(tile.Complex128, a[0].r[0], a[1].r[0])
}
