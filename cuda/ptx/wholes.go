package ptx

import "weft/tile"

// This file emits the opcodes on bool and integers. Integers narrower than 32 bits are
// computed in 32 and wrapped.

func logic(f func(c *code, a, b string) string) lowering {
	return func(c *code, t tile.DType, a []value) value { return one(t, f(c, a[0].r[0], a[1].r[0])) }
}

func boolNot(c *code, t tile.DType, a []value) value { return one(t, c.not(a[0].r[0])) }

func boolEq(c *code, t tile.DType, a []value) value {
	return one(t, c.not(c.xor(a[0].r[0], a[1].r[0])))
}

func boolLess(c *code, t tile.DType, a []value) value {
	return one(t, c.and(c.not(a[0].r[0]), a[1].r[0]))
}

func boolLessEqual(c *code, t tile.DType, a []value) value {
	return one(t, c.or(c.not(a[0].r[0]), a[1].r[0]))
}

func swapped(f lowering) lowering {
	return func(c *code, t tile.DType, a []value) value { return f(c, t, []value{a[1], a[0]}) }
}

// whole is the integer arithmetic of a dtype.
type whole struct {
	*code
	t    tile.DType
	k    class
	typ  string // s32, u32, s64 or u64
	bits string // b32 or b64
}

func (c *code) integers(t tile.DType) whole {
	row := &scalars[t]
	return whole{c, t, row.class, row.typ, bitsOf(row.class)}
}

func (w whole) op(op string, args ...string) string { return w.to(w.k, op+"."+w.typ, args...) }
func (w whole) cmp(how, a, b string) string         { return w.pred("setp."+how+"."+w.typ, a, b) }
func (w whole) sel(p, a, b string) string           { return w.to(w.k, "selp."+w.bits, a, b, p) }
func (w whole) result(r string) value               { return one(w.t, w.wrap(w.t, r)) }
func (w whole) signed() bool                        { return w.t.Is(tile.KindInt) }
func (w whole) unsignedOp(op string, args ...string) string {
	return w.to(w.k, op+".u"+w.bits[1:], args...)
}

// negated is -a; PTX has neg for signed types only, but the bits are the same.
func (w whole) negated(a string) string { return w.to(w.k, "neg.s"+w.bits[1:], a) }

func wholeBinary(op string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		w := c.integers(t)
		return w.result(w.op(op, a[0].r[0], a[1].r[0]))
	}
}

func wholeBits(op string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		w := c.integers(t)
		return one(t, w.to(w.k, op+"."+w.bits, a[0].r[0], a[1].r[0]))
	}
}

func wholeCompare(how string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		return one(tile.Bool, c.integers(t).cmp(how, a[0].r[0], a[1].r[0]))
	}
}

func wholeNot(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	return w.result(w.to(w.k, "not."+w.bits, a[0].r[0]))
}

func wholeNeg(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	return w.result(w.negated(a[0].r[0]))
}

func wholeAbs(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	if !w.signed() {
		return a[0]
	}
	return w.result(w.op("max", a[0].r[0], w.negated(a[0].r[0]))) // the smallest stays what it is
}

func wholeSign(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	r := w.op("min", a[0].r[0], "1")
	if w.signed() {
		r = w.op("max", r, "-1")
	}
	return one(t, r)
}

// divisor returns predicates for a divisor of 0 or -1, which are answered without dividing,
// and a divisor that is neither.
func (w whole) divisor(b string) (zero, minusOne, safe string) {
	zero = w.cmp("eq", b, "0")
	if !w.signed() {
		return zero, "", w.sel(zero, "1", b)
	}
	minusOne = w.cmp("eq", b, "-1")
	return zero, minusOne, w.sel(w.or(zero, minusOne), "1", b)
}

// divide returns the quotient and remainder by a safe divisor, floored.
func (w whole) divide(a, b string) (q, r string) {
	q = w.op("div", a, b)
	r = w.op("sub", a, w.op("mul.lo", q, b))
	if !w.signed() {
		return q, r
	}
	// The remainder takes the divisor's sign.
	off := w.and(w.cmp("ne", r, "0"), w.cmp("lt", w.to(w.k, "xor."+w.bits, r, b), "0"))
	return w.sel(off, w.op("sub", q, "1"), q), w.sel(off, w.op("add", r, b), r)
}

func wholeFloorDiv(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	zero, minusOne, b := w.divisor(a[1].r[0])
	q, _ := w.divide(a[0].r[0], b)
	if minusOne != "" {
		q = w.sel(minusOne, w.negated(a[0].r[0]), q)
	}
	return w.result(w.sel(zero, "0", q))
}

func wholeRem(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	zero, minusOne, b := w.divisor(a[1].r[0])
	_, r := w.divide(a[0].r[0], b)
	if minusOne != "" {
		zero = w.or(zero, minusOne)
	}
	return one(t, w.sel(zero, "0", r))
}

// wholePow squares and multiplies. Negative exponents give 1 for 1, 1 or -1 for -1, else 0.
func wholePow(c *code, t tile.DType, a []value) value {
	w := c.integers(t)
	base, p := w.to(w.k, "mov."+w.bits, a[0].r[0]), w.to(w.k, "mov."+w.bits, "1")
	e := w.to(w.k, "mov."+w.bits, a[1].r[0])
	negative := ""
	if w.signed() {
		negative = w.cmp("lt", a[1].r[0], "0")
		w.do("selp."+w.bits, e, "0", e, negative)
	}
	loop, done := c.label("pow"), c.label("powdone")
	c.place(loop)
	c.when(w.cmp("eq", e, "0"), "bra", done)
	odd := w.cmp("ne", w.to(w.k, "and."+w.bits, e, "1"), "0")
	w.do("@"+odd+" mul.lo."+w.typ, p, p, base)
	w.do("mul.lo."+w.typ, base, base, base)
	w.do("shr.u"+w.bits[1:], e, e, "1")
	c.do("bra", loop)
	c.place(done)
	if w.signed() {
		odd := w.cmp("ne", w.to(w.k, "and."+w.bits, a[1].r[0], "1"), "0")
		isMinusOne := w.cmp("eq", a[0].r[0], "-1")
		small := w.sel(w.and(isMinusOne, odd), "-1", "1")
		unit := w.or(w.cmp("eq", a[0].r[0], "1"), isMinusOne)
		p = w.sel(negative, w.sel(unit, small, "0"), p)
	}
	return w.result(p)
}

// wholeShift takes the count as unsigned; the hardware clamps it to the width of the
// register, which gives what counts past the dtype's width should give.
func wholeShift(op string) lowering {
	return func(c *code, t tile.DType, a []value) value {
		w := c.integers(t)
		count := a[1].r[0]
		if w.k == long {
			count = w.word("cvt.u32.u64", w.unsignedOp("min", count, "64"))
		}
		full := op
		switch {
		case op == "shl.b":
			full += w.bits[1:]
		default:
			full += w.typ
		}
		return w.result(w.to(w.k, full, a[0].r[0], count))
	}
}
