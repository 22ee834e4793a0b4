package ptx

import "weft/tile"

// wide128 is an unsigned integer of 128 bits in two registers. Its operations wrap.
type wide128 struct{ high, low string }

func (c *code) plus128(x, y wide128) wide128 {
	low := c.long("add.u64", x.low, y.low)
	carry := c.long("selp.b64", "1", "0", c.pred("setp.lt.u64", low, y.low))
	return wide128{c.long("add.u64", c.long("add.u64", x.high, y.high), carry), low}
}

func (c *code) times128(x, y wide128) wide128 {
	high := c.long("mad.lo.u64", x.high, y.low, c.long("mul.hi.u64", x.low, y.low))
	return wide128{c.long("mad.lo.u64", x.low, y.high, high), c.long("mul.lo.u64", x.low, y.low)}
}

// register128 puts a number into registers of its own, which a loop may set.
func (c *code) register128(x wide128) wide128 {
	return wide128{c.long("mov.b64", x.high), c.long("mov.b64", x.low)}
}

func (c *code) set128(to, x wide128) {
	c.do("mov.b64", to.high, x.high)
	c.do("mov.b64", to.low, x.low)
}

// pcg64 jumps to the number's place as the reference does: as many rounds as the place has bits.
func pcg64(c *code, t tile.DType, v []value) value {
	n := c.long("mov.b64", v[0].r[0])
	a := c.register128(wide128{"0x2360ED051FC65DA4", "0x4385DF649FCCF645"})
	step := c.register128(wide128{v[3].r[0], v[4].r[0]})
	x := c.register128(c.plus128(c.times128(wide128{v[1].r[0], v[2].r[0]}, a), step))
	loop, even, done := c.label("pcg"), c.label("pcgeven"), c.label("pcgdone")
	c.place(loop)
	c.when(c.pred("setp.eq.u64", n, "0"), "bra", done)
	c.when(c.pred("setp.eq.u64", c.long("and.b64", n, "1"), "0"), "bra", even)
	c.set128(x, c.plus128(c.times128(x, a), step))
	c.place(even)
	c.set128(step, c.times128(step, c.plus128(a, wide128{"0", "1"})))
	c.set128(a, c.times128(a, a))
	c.do("shr.u64", n, n, "1")
	c.do("bra", loop)
	c.place(done)
	folded := c.long("xor.b64", x.high, x.low)
	turn := c.word("cvt.u32.u64", c.long("shr.u64", x.high, "58"))
	back := c.word("and.b32", c.word("neg.s32", turn), "63")
	return one(t, c.long("or.b64", c.long("shr.u64", folded, turn), c.long("shl.b64", folded, back)))
}
