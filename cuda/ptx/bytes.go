package ptx

import "weft/tile"

// gathered reads a part of an element that lies at any byte, of two bytes or more.
func (c *code) gathered(t tile.DType, address string, offset int) string {
	row := &scalars[t]
	word := func(from, n int) string {
		w := c.word("ld.global.u8", "["+address+"+"+dec(from)+"]")
		for k := 1; k < n; k++ {
			b := c.word("ld.global.u8", "["+address+"+"+dec(from+k)+"]")
			w = c.word("or.b32", w, c.word("shl.b32", b, dec(8*k)))
		}
		return w
	}
	n := partSize(t)
	if n == 8 {
		lo, hi := word(offset, 4), word(offset+4, 4)
		return c.to(row.class, "mov.b64", "{"+lo+", "+hi+"}")
	}
	w := word(offset, n)
	switch {
	case t == tile.Float16:
		return c.float("cvt.f32.f16", c.to(half, "cvt.u16.u32", w))
	case row.class == float:
		return c.float("mov.b32", w)
	}
	if row.memory == "s16" {
		return c.word("bfe.s32", w, "0", "16")
	}
	return w
}

// scatter writes such a part, r, which is in a register as a store would take it.
func (c *code) scatter(t tile.DType, address string, offset int, r string) {
	put := func(at int, w string, n int) {
		for k := range n {
			b := w
			if k > 0 {
				b = c.word("shr.u32", w, dec(8*k))
			}
			c.do("st.global.u8", "["+address+"+"+dec(at+k)+"]", b)
		}
	}
	n := partSize(t)
	switch row := &scalars[t]; {
	case n == 8:
		lo, hi := c.reg(word), c.reg(word)
		c.do("mov.b64", "{"+lo+", "+hi+"}", r)
		put(offset, lo, 4)
		put(offset+4, hi, 4)
	case t == tile.Float16:
		put(offset, c.word("cvt.u32.u16", r), n)
	case row.class == float:
		put(offset, c.word("mov.b32", r), n)
	default:
		put(offset, r, n)
	}
}
