package ptx

import "weft/tile"

// atomic emits an Atomic or a Cas on the element at an address, and returns what was there. What CUDA has no
// instruction for is a loop that tries until no other thread was faster.
//
// Sums of float32 in global memory lose what is below the normal numbers, which is the hardware's rule.
func (e *emitter) atomic(in *tile.Instr, space, at string, args []value) value {
	t := in.Type
	row := &scalars[t]
	untyped := "b32"
	if t.Size() == 8 {
		untyped = "b64"
	}
	place := "[" + at + "+0]"
	plain := func(op, typ string, args ...string) value {
		return one(t, e.to(row.class, "atom."+space+"."+op+"."+typ, append([]string{place}, args...)...))
	}
	bits := func(op string, args ...value) value {
		var rs []string
		var k class
		for _, a := range args {
			r, c := e.asBits(a)
			rs, k = append(rs, r), c
		}
		return e.ofBits(t, e.to(k, "atom."+space+"."+op+"."+untyped, append([]string{place}, rs...)...))
	}
	if in.Op == tile.Cas {
		return bits("cas", args...)
	}
	v := args[0]
	whole := !t.Is(tile.KindFloat)
	unsigned := row.typ
	if unsigned == "s64" {
		unsigned = "u64" // adding has no sign
	}
	switch in.Form {
	case tile.AtomicAdd:
		return plain("add", unsigned, v.r[0])
	case tile.AtomicSub:
		if whole {
			return plain("add", unsigned, e.to(row.class, "sub."+row.typ, "0", v.r[0]))
		}
		return plain("add", row.typ, e.arith(t).neg(v.r[0]))
	case tile.AtomicMin, tile.AtomicMax:
		how := [...]string{tile.AtomicMin: "min", tile.AtomicMax: "max"}[in.Form]
		if whole {
			return plain(how, row.typ, v.r[0])
		}
	case tile.AtomicAnd:
		return bits("and", v)
	case tile.AtomicOr:
		return bits("or", v)
	case tile.AtomicXor:
		return bits("xor", v)
	case tile.AtomicExch:
		return bits("exch", v)
	case tile.AtomicInc:
		if t.Size() == 4 {
			return plain("inc", "u32", v.r[0])
		}
	case tile.AtomicDec:
		if t.Size() == 4 {
			return plain("dec", "u32", v.r[0])
		}
	}
	return e.attempts(in, space, place, untyped, v)
}

// ofBits makes a value of untyped bits.
func (e *emitter) ofBits(t tile.DType, r string) value {
	switch k := scalars[t].class; k {
	case float:
		return one(t, e.float("mov.b32", r))
	case dbl:
		return one(t, e.dbl("mov.b64", r))
	}
	return one(t, r)
}

// attempts is the loop: it looks what is there, and replaces it if it is to be and still is there.
func (e *emitter) attempts(in *tile.Instr, space, place, untyped string, v value) value {
	t := in.Type
	k := word
	if t.Size() == 8 {
		k = long
	}
	there := e.to(k, "ld.volatile."+space+"."+untyped, place) // "." + untyped: bits
	again, done := e.label("attempt"), e.label("replaced")
	e.place(again)
	old := e.ofBits(t, there)
	next, takes := e.replacement(in.Form, old, v)
	if takes != "" {
		e.when(e.not(takes), "bra", done)
	}
	r, _ := e.asBits(next)
	found := e.to(k, "atom."+space+".cas."+untyped, place, there, r)
	other := e.pred("setp.ne."+untyped, found, there)
	e.do("mov."+untyped, there, found)
	e.when(other, "bra", again)
	e.place(done)
	return e.ofBits(t, there)
}

// replacement is what an Atomic puts in the place of old, and whether it does; "" is always.
func (e *emitter) replacement(form tile.Form, old, v value) (next value, takes string) {
	a, b := old.r[0], v.r[0]
	switch form {
	case tile.AtomicInc:
		up := e.long("add.u64", a, "1")
		return one(v.t, e.to(long, "selp.b64", "0", up, e.pred("setp.ge.u64", a, b))), ""
	case tile.AtomicDec:
		down := e.long("sub.u64", a, "1")
		out := e.or(e.pred("setp.eq.u64", a, "0"), e.pred("setp.gt.u64", a, b))
		return one(v.t, e.to(long, "selp.b64", b, down, out)), ""
	}
	f := e.arith(v.t)
	how := "lt"
	if form == tile.AtomicMax || form == tile.AtomicNanMax {
		how = "gt"
	}
	takes = f.cmp(how, b, a)
	if form == tile.AtomicNanMin || form == tile.AtomicNanMax {
		takes = e.or(takes, e.and(f.cmp("nan", a, a), f.cmp("num", b, b)))
	}
	return v, takes
}
