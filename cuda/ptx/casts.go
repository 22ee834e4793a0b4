package ptx

import (
	"math"

	"weft/tile"
)

// cast emits NumPy's astype; see tile/convert.go for what it means.
func (c *code) cast(to tile.DType, v value) value {
	if v.t == to {
		return v
	}
	switch {
	case to.Is(tile.KindComplex):
		re := c.castReal(to.Real(), one(v.t.Real(), v.r[0]))
		im := c.arith(to).mov(c.arith(to).num(0))
		if v.t.Is(tile.KindComplex) {
			im = c.castReal(to.Real(), one(v.t.Real(), v.r[1])).r[0]
		}
		return two(to, re.r[0], im)
	case v.t.Is(tile.KindComplex) && to == tile.Bool:
		f := c.arith(v.t)
		return one(to, c.or(f.cmp("neu", v.r[0], f.num(0)), f.cmp("neu", v.r[1], f.num(0))))
	case v.t.Is(tile.KindComplex):
		v = one(v.t.Real(), v.r[0])
	}
	return c.castReal(to, v)
}

// castReal converts between dtypes that are not complex.
func (c *code) castReal(to tile.DType, v value) value {
	r := v.r[0]
	switch {
	case v.t == to:
		return v
	case to == tile.Bool && v.t.Is(tile.KindFloat):
		f := c.arith(v.t)
		return one(to, f.cmp("neu", r, f.num(0)))
	case to == tile.Bool:
		return one(to, c.integers(v.t).cmp("ne", r, "0"))
	case v.t == tile.Bool && to.Is(tile.KindFloat):
		f := c.arith(to)
		return one(to, f.sel(r, f.num(1), f.num(0)))
	case v.t == tile.Bool:
		return one(to, c.integers(to).sel(r, "1", "0"))
	case to.Is(tile.KindFloat) && v.t.Is(tile.KindFloat):
		return one(to, c.floatToFloat(to, v))
	case to.Is(tile.KindFloat):
		return one(to, c.wholeToFloat(to, v))
	case v.t.Is(tile.KindFloat):
		return one(to, c.floatToWhole(to, v))
	}
	return one(to, c.wholeToWhole(to, v))
}

func (c *code) wholeToWhole(to tile.DType, v value) string {
	from, target := &scalars[v.t], &scalars[to]
	switch {
	case from.class == word && target.class == long:
		if v.t.Is(tile.KindInt) {
			return c.long("cvt.s64.s32", v.r[0])
		}
		return c.long("cvt.u64.u32", v.r[0])
	case from.class == long && target.class == word:
		return c.wrap(to, c.word("cvt.u32.u64", v.r[0]))
	}
	return c.wrap(to, v.r[0])
}

// wholeToFloat rounds once; a half in one step from float64, which is exact for every
// integer below the largest half.
func (c *code) wholeToFloat(to tile.DType, v value) string {
	from := scalars[v.t].typ
	switch to {
	case tile.Float16:
		return c.doubleToHalf(c.dbl("cvt.rn.f64."+from, v.r[0]))
	case tile.Float32:
		return c.float("cvt.rn.f32."+from, v.r[0])
	}
	return c.dbl("cvt.rn.f64."+from, v.r[0])
}

func (c *code) floatToFloat(to tile.DType, v value) string {
	switch {
	case to == tile.Float64:
		return c.dbl("cvt.f64.f32", v.r[0])
	case v.t == tile.Float64 && to == tile.Float16:
		return c.doubleToHalf(v.r[0])
	case v.t == tile.Float64:
		return c.float("cvt.rn.f32.f64", v.r[0])
	}
	return c.rounded(to, v.r[0]) // half to single is nothing, single to half rounds
}

func (c *code) doubleToHalf(r string) string {
	return c.float("cvt.f32.f16", c.to(half, "cvt.rn.f16.f64", r))
}

// floatToWhole truncates, and gives out of range what NumPy gives on x86-64.
func (c *code) floatToWhole(to tile.DType, v value) string {
	f := c.double()
	x := v.r[0]
	if scalars[v.t].class == float {
		x = c.dbl("cvt.f64.f32", x)
	}
	switch {
	case to == tile.Int64:
		return f.truncate64(x)
	case to == tile.Uint64:
		return f.inHalves(x, 1<<63, f.truncate64, c.integers(to))
	case to == tile.Uint32 && v.t == tile.Float16:
		return c.word("cvt.u32.u64", f.truncate64(x))
	case to == tile.Uint32:
		return f.inHalves(x, 1<<31, f.truncate32, c.integers(to))
	}
	return c.wrap(to, f.truncate32(x))
}

// inHalves truncates to an unsigned dtype whose upper half starts at middle.
func (f fp) inHalves(x string, middle float64, truncate func(string) string, w whole) string {
	upper := f.cmp("ge", x, f.num(middle))
	r := truncate(f.sel(upper, f.sub(x, f.num(middle)), x))
	return w.sel(upper, w.to(w.k, "xor."+w.bits, r, hex(uint64(middle))), r)
}

// truncate64 and truncate32 give the smallest integer on overflow and NaN.

func (f fp) truncate64(x string) string {
	in := f.and(f.cmp("ge", x, f.num(-1<<63)), f.cmp("lt", x, f.num(1<<63)))
	return f.long("selp.b64", f.long("cvt.rzi.s64.f64", x), hex(1<<63), in)
}

func (f fp) truncate32(x string) string {
	in := f.and(f.cmp("gt", x, f.num(math.MinInt32-1)), f.cmp("lt", x, f.num(math.MaxInt32+1)))
	return f.word("selp.b32", f.word("cvt.rzi.s32.f64", x), hex(1<<31), in)
}
