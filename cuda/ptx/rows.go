package ptx

import "weft/tile"

// rows writes the kernel of a Map in the rows form. A grid has columns of blocks along the last axis, and rows of them
// along all others. A thread has one point of the last axis, and takes Variant.Rows points of the one before it in a
// turn, whose loads are all under way at once; single ones where so many are not left. No point costs a division; with
// more than two axes, a turn does. Parameters of the same strides share an offset.
func (e *emitter) rows() error {
	n := e.counts()
	last := e.v.Axes - 1
	x := e.newRows(n)

	// The threads of a block are 2^shift wide.
	shift := e.word("ld.param.u32", "[block+"+dec(8*e.layout.shift())+"]")
	tid, width := e.word("mov.u32", "%tid.x"), e.word("shl.b32", "1", shift)
	high := e.word("shr.u32", e.word("mov.u32", "%ntid.x"), shift)
	across := e.word("and.b32", tid, e.word("sub.u32", width, "1"))
	down := e.word("shr.u32", tid, shift)
	column := n.op("sub", n.op("mad.lo", n.special("%ctaid.x"), n.widen(width), n.widen(across)), n.from(e.layout.before()))
	firstTurn := n.op("mad.lo", n.special("%ctaid.y"), n.widen(high), n.widen(down))
	turnStep := n.op("mul.lo", n.special("%nctaid.y"), n.widen(high))

	nextTurn, done := e.label("turn"), e.label("done")
	e.when(n.cmp("ge", column, x.columns), "bra", done) // in front of the first, too: numbers have no sign
	var columnOffsets []string
	for i, s := range x.strides {
		columnOffsets = append(columnOffsets, x.moved(x.starts[i], column, s[last]))
	}
	t := n.op("mov", firstTurn)
	e.place(nextTurn)
	e.when(n.cmp("ge", t, x.turns), "bra", done)
	place := n.split(t, x.outer)
	row := n.op("mul.lo", place[last-1], dec(int(e.v.Rows)))
	coords := append(place[:last-1:last-1], row)
	var offsets []string
	for i, s := range x.strides {
		at := columnOffsets[i]
		for a, c := range coords {
			at = x.moved(at, c, s[a])
		}
		offsets = append(offsets, at)
	}
	if err := x.turn(coords, column, offsets); err != nil {
		return err
	}
	n.do("add."+n.typ, t, t, turnStep)
	e.do("bra", nextTurn)
	e.place(done)
	e.do("ret")
	return nil
}

// rows is what the parts of a kernel in the rows or the tiles form share.
type rows struct {
	*emitter
	n         count
	turns     string     // along all axes but the last
	columns   string     // extent of the last axis
	count     string     // and of the one before it
	outer     []string   // extents of the others, and turns along the one before the last
	addresses []string   // by parameter
	starts    []string   // by class of parameters: the offset of the first point
	strides   [][]string // likewise, then by axis
	same      []value    // by parameter: of those that are one element, the element
	origin    []string
}

// newRows reads the parameter block, and what is but one element.
func (e *emitter) newRows(n count) *rows {
	last := e.v.Axes - 1
	x := &rows{emitter: e, n: n, same: make([]value, len(e.p.Params))}
	x.turns, x.columns, x.count = n.from(0), n.from(1), n.from(2)
	for a := range last {
		x.outer = append(x.outer, n.from(e.layout.outer(a)))
	}
	if e.layout.indexes {
		for a := range e.v.Axes {
			x.origin = append(x.origin, e.param(e.layout.origin(a)))
		}
	}
	for p := range e.p.Params {
		x.addresses = append(x.addresses, e.long("cvta.to.global.u64", e.param(e.layout.base(p))))
	}
	k, typ := x.offset()
	read := func(w int) string { return e.to(k, "ld.param."+typ, "[block+"+dec(8*w)+"]") }
	for _, w := range e.layout.classes {
		var s []string
		for a := range e.v.Axes {
			s = append(s, read(w+1+a))
		}
		x.starts, x.strides = append(x.starts, read(w)), append(x.strides, s)
	}
	e.prepareFlow()
	e.uniforms()
	e.constants()
	for p, param := range e.p.Params {
		if e.v.Same.Has(p) {
			x.same[p] = e.load(param.Type, "global", x.addresses[p], 0)
		}
	}
	return x
}

// address is that of a parameter's element at an offset of its class.
func (x *rows) address(param int, offset string) string {
	if x.v.Near {
		offset = x.long("cvt.u64.u32", offset)
	}
	return x.long("add.s64", x.addresses[param], offset)
}

// offset is the type of offsets: 32 bits from the first byte that a class's parameters touch, or 64 from their first
// element.
func (x *rows) offset() (k class, typ string) {
	if x.v.Near {
		return word, "u32"
	}
	return long, "u64"
}

// moved is an offset so many strides further.
func (x *rows) moved(offset, by, stride string) string {
	k, typ := x.offset()
	if k == long {
		by = x.n.asLong(by)
	} else if x.n.k == long {
		by = x.word("cvt.u32.u64", by)
	}
	return x.to(k, "mad.lo."+typ, by, stride, offset)
}

// turn emits the program for the rows from a point on, where the classes of parameters have these offsets. Rows behind
// the last read that one, and store nothing.
func (x *rows) turn(coords []string, column string, offsets []string) error {
	many, row := int(x.v.Rows), coords[len(coords)-1]
	k, typ := x.offset()
	at, loaded, inside := make([][]string, many), make([][]value, many), make([]string, many) // by row, then by parameter
	for r := range many {
		at[r], loaded[r] = make([]string, len(x.p.Params)), append([]value(nil), x.same...)
		if r > 0 {
			inside[r] = x.n.cmp("lt", x.n.op("add", row, dec(r)), x.count)
			for i, s := range x.strides {
				step := x.to(k, "selp."+bitsOf(k), s[len(coords)-1], "0", inside[r])
				offsets[i] = x.to(k, "add."+typ, offsets[i], step)
			}
		}
		for p, param := range x.p.Params {
			if x.v.Same.Has(p) {
				continue
			}
			at[r][p] = x.address(p, offsets[x.v.Alike[p]])
			if param.Dir == tile.In {
				loaded[r][p] = x.load(param.Type, "global", at[r][p], 0)
			}
		}
	}
	for r := range many {
		var point []string
		if x.layout.indexes {
			for _, c := range coords {
				point = append(point, x.n.asLong(c))
			}
			point[len(point)-1] = x.long("add.s64", point[len(point)-1], dec(r))
			point = append(point, x.n.asLong(column))
		}
		if err := x.lane(loaded[r], point, x.origin); err != nil {
			return err
		}
		x.guard = inside[r]
		x.storeLane(at[r])
		x.guard = ""
	}
	return nil
}

// lane emits the program for one element of each operand, at coordinates that an origin moves.
func (e *emitter) lane(elements []value, coords, origin []string) error {
	e.elements, e.coords = elements, append([]string(nil), coords...)
	e.coordsFrom(origin)
	err := e.instructions()
	e.quiet = true
	return err
}

// storeLane emits the stores of one point, by parameter at these addresses.
func (e *emitter) storeLane(at []string) {
	for v := range e.p.Code {
		if in := &e.p.Code[v]; in.Op == tile.Store {
			e.store("global", at[in.N], e.values[in.Args[0]])
		}
	}
}
