package ptx

import (
	"strings"

	"weft/tile"
)

// packed is elements that lie one behind the other, as they come from memory.
type packed struct {
	t      tile.DType
	n      int
	single value    // where it is but one
	parts  []string // registers: of the elements' parts, or words with several elements each
	halves []string // of words of float16, which are split once
}

// loadSeveral reads n elements, a power of two, from "[address+offset]" of a state space, which is aligned for them, up
// to accessBytes at once.
func (c *code) loadSeveral(t tile.DType, space, address string, offset, n int) packed {
	row := &scalars[t]
	v := packed{t: t, n: n}
	if n*parts(t) == 1 {
		v.single = c.load(t, space, address, offset)
		return v
	}
	k, typ, size, count := row.class, row.memory, partSize(t), n*parts(t)
	switch {
	case size*count >= 4 && size < 4:
		k, typ, count, size = word, "u32", size*count/4, 4
	case size == 1 && count == 2:
		k, typ, count, size = word, "u16", 1, 2
	}
	for at := 0; at < count; {
		m := min(accessBytes/size, count-at)
		var regs []string
		for range m {
			regs = append(regs, c.reg(k))
		}
		c.do("ld."+space+vectorOf(m)+"."+typ, braced(regs), "["+address+"+"+dec(offset+at*size)+"]")
		v.parts = append(v.parts, regs...)
		at += m
	}
	return v
}

// last is the number of the last element.
func (v *packed) last() int { return v.n - 1 }

// element takes element i out.
func (c *code) element(v *packed, i int) value {
	switch size := partSize(v.t); {
	case v.parts == nil:
		return v.single
	case v.t == tile.Float16:
		for len(v.halves) <= i {
			lo, hi := c.reg(half), c.reg(half)
			c.do("mov.b32", "{"+lo+", "+hi+"}", v.parts[len(v.halves)/2])
			v.halves = append(v.halves, lo, hi)
		}
		return one(v.t, c.float("cvt.f32.f16", v.halves[i]))
	case v.t == tile.Bool:
		w := v.parts[i/4]
		return one(v.t, c.pred("setp.ne.u32", c.word("and.b32", w, hex(0xff<<(8*(i%4)))), "0"))
	case size < 4:
		at := i * size % 4
		w := v.parts[i*size/4]
		return one(v.t, c.word("prmt.b32", w, "0", hex(selector(at, size, v.t.Is(tile.KindInt)))))
	}
	if parts(v.t) == 2 {
		return two(v.t, v.parts[2*i], v.parts[2*i+1])
	}
	return one(v.t, v.parts[i])
}

// selector says which bytes of a pair of words, of which the second is 0, are the four of a word: size bytes from
// byte at on, and their sign or zeros.
func selector(at, size int, signed bool) uint64 {
	fill := 4
	if signed {
		fill = 8 | (at + size - 1)
	}
	s := uint64(0)
	for k := range 4 {
		b := fill
		if k < size {
			b = at + k
		}
		s |= uint64(b) << (4 * k)
	}
	return s
}

// storeSeveral writes elements, as many as a power of two, to an address that is aligned for them.
func (c *code) storeSeveral(address string, vs []value) {
	t := vs[0].t
	typ, size := storeType(scalars[t].memory), partSize(t)
	var regs []string
	for _, v := range vs {
		for i := range v.parts() {
			r := v.r[i]
			switch t {
			case tile.Bool:
				r = c.word("selp.u32", "1", "0", r)
			case tile.Float16:
				r = c.to(half, "cvt.rn.f16.f32", r)
			}
			regs = append(regs, r)
		}
	}
	for size < 4 && len(regs) > 1 {
		var wider []string
		for i := 0; i < len(regs); i += 2 {
			switch {
			case t == tile.Float16:
				wider = append(wider, c.word("mov.b32", "{"+regs[i]+", "+regs[i+1]+"}"))
			case size == 1:
				wider = append(wider, c.word("prmt.b32", regs[i], regs[i+1], "0x0040"))
			default:
				wider = append(wider, c.word("prmt.b32", regs[i], regs[i+1], "0x5410"))
			}
		}
		regs, size = wider, 2*size
		typ = "u" + dec(8*size)
	}
	c.storeParts(address, typ, size, regs)
}

// storeParts writes registers of so many bytes one behind the other.
func (c *code) storeParts(address, typ string, size int, regs []string) {
	for at := 0; at < len(regs); {
		m := min(accessBytes/size, len(regs)-at)
		c.do("st.global"+vectorOf(m)+"."+typ, "["+address+"+"+dec(at*size)+"]", braced(regs[at:at+m]))
		at += m
	}
}

// vectorOf is the part of a name of an access to n parts.
func vectorOf(n int) string {
	if n == 1 {
		return ""
	}
	return ".v" + dec(n)
}

func braced(regs []string) string {
	if len(regs) == 1 {
		return regs[0]
	}
	return "{" + strings.Join(regs, ", ") + "}"
}
