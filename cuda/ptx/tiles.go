package ptx

import "weft/tile"

// tiles writes the kernel of a Map in the tiles form, for operands of which some lie along the last axis, and others
// along the one before it: Variant.Turned. A block has tiles of tileSide points squared. It reads and writes the turned
// ones along their own axis, by way of memory that its threads share, which has room for one more element a row, so
// that neither rows nor columns fall on one bank. Points behind the last stand for that one, and are not stored.
//
//	point of a thread        row down + 8k, column across
//	its element to turn      row across, column down + 8k
func (e *emitter) tiles() error {
	n := e.counts()
	last := e.v.Axes - 1
	x := &tiles{rows: e.newRows(n), room: make([]int, len(e.p.Params))}
	var reads, writes bool
	for p, param := range e.p.Params {
		if e.v.Turned.Has(p) {
			x.room[p] = e.shared
			e.shared += tileSide * (tileSide + 1) * param.Type.Size()
			e.shared = (e.shared + accessBytes - 1) / accessBytes * accessBytes
			reads, writes = reads || param.Dir == tile.In, writes || param.Dir != tile.In
		}
	}
	tid := e.word("mov.u32", "%tid.x")
	x.across, x.down = e.word("and.b32", tid, dec(tileSide-1)), e.word("shr.u32", tid, dec(tileShift))
	shared := e.word("mov.u32", "weft_tiles")
	x.places = map[int]turnedPlace{}
	for p, param := range e.p.Params {
		size := param.Type.Size()
		if _, known := x.places[size]; !known && e.v.Turned.Has(p) {
			own := e.word("mad.lo.u32", x.down, dec(tileSide+1), x.across)
			turned := e.word("mad.lo.u32", x.across, dec(tileSide+1), x.down)
			x.places[size] = turnedPlace{e.word("mad.lo.u32", own, dec(size), shared), e.word("mad.lo.u32", turned, dec(size), shared)}
		}
	}
	x.column = n.op("mul.lo", n.special("%ctaid.x"), dec(tileSide))
	turnStep := n.special("%nctaid.y")

	t := n.op("mov", n.special("%ctaid.y"))
	nextTurn, done := e.label("turn"), e.label("done")
	e.place(nextTurn)
	e.when(n.cmp("ge", t, x.turns), "bra", done)
	place := n.split(t, x.outer)
	x.row = n.op("mul.lo", place[last-1], dec(tileSide))
	x.above, x.offsets = place[:last-1], nil
	for i, s := range x.strides {
		at := x.starts[i]
		for a, c := range x.above {
			at = x.moved(at, c, s[a])
		}
		x.offsets = append(x.offsets, at)
	}
	if err := x.turn(reads, writes); err != nil {
		return err
	}
	e.do("bar.sync", "0")
	n.do("add."+n.typ, t, t, turnStep)
	e.do("bra", nextTurn)
	e.place(done)
	e.do("ret")
	return nil
}

// tiles is what the parts of a kernel in the tiles form share.
type tiles struct {
	*rows
	across, down string // of the thread in its block
	column, row  string // of the tile's first point
	above        []string
	offsets      []string // by class: of the first point with the coordinates above
	room         []int    // by turned parameter: where its tile begins
	places       map[int]turnedPlace
}

// turnedPlace is where a thread's element is in a tile that is turned, by size: as it is read or written along its own
// axis, and as its point wants it.
type turnedPlace struct{ own, turned string }

// tileDown is how many rows of threads a block has.
const tileDown = Threads / tileSide

// at returns the address of an element of a parameter, and whether there is a point there.
func (x *tiles) at(param, k int) (address, inside string) {
	n, last := x.n, x.v.Axes-1
	down := n.op("add", n.widen(x.down), dec(k*tileDown))
	across := n.widen(x.across)
	if x.v.Turned.Has(param) {
		across, down = down, across
	}
	row, column := n.op("add", x.row, down), n.op("add", x.column, across)
	inside = x.and(n.cmp("lt", row, x.count), n.cmp("lt", column, x.columns))
	row = n.op("min", row, n.op("sub", x.count, "1"))
	column = n.op("min", column, n.op("sub", x.columns, "1"))
	class := x.v.Alike[param]
	offset := x.moved(x.offsets[class], row, x.strides[class][last-1])
	return x.address(param, x.moved(offset, column, x.strides[class][last])), inside
}

// own is where a turned parameter's element of number k is in its tile, and turned that of the thread's point k.
func (x *tiles) own(param, k int) (address string, offset int) {
	size := x.p.Params[param].Type.Size()
	return x.places[size].own, x.room[param] + k*tileDown*(tileSide+1)*size
}

func (x *tiles) turned(param, k int) (address string, offset int) {
	size := x.p.Params[param].Type.Size()
	return x.places[size].turned, x.room[param] + k*tileDown*size
}

// turn emits the program for a tile.
func (x *tiles) turn(reads, writes bool) error {
	const many = tileSide / tileDown
	at, inside, loaded := make([][]string, many), make([][]string, many), make([][]value, many) // by point, then by parameter
	for k := range many {
		at[k], inside[k] = make([]string, len(x.p.Params)), make([]string, len(x.p.Params))
		loaded[k] = append([]value(nil), x.same...)
		for p, param := range x.p.Params {
			if x.v.Same.Has(p) {
				continue
			}
			at[k][p], inside[k][p] = x.at(p, k)
			if param.Dir == tile.In {
				loaded[k][p] = x.load(param.Type, "global", at[k][p], 0)
			}
		}
	}
	if reads {
		for k := range many {
			for p, param := range x.p.Params {
				if x.v.Turned.Has(p) && param.Dir == tile.In {
					to, offset := x.own(p, k)
					x.storeAt("shared", to, offset, loaded[k][p])
				}
			}
		}
		x.do("bar.sync", "0")
	}
	for k := range many {
		for p, param := range x.p.Params {
			if x.v.Turned.Has(p) && param.Dir == tile.In {
				from, offset := x.turned(p, k)
				loaded[k][p] = x.load(param.Type, "shared", from, offset)
			}
		}
		if err := x.lane(loaded[k], x.point(k), x.origin); err != nil {
			return err
		}
		for v := range x.p.Code {
			in := &x.p.Code[v]
			if in.Op != tile.Store {
				continue
			}
			if p := int(in.N); x.v.Turned.Has(p) {
				to, offset := x.turned(p, k)
				x.storeAt("shared", to, offset, x.values[in.Args[0]])
			} else {
				x.guard = inside[k][p]
				x.store("global", at[k][p], x.values[in.Args[0]])
				x.guard = ""
			}
		}
	}
	if !writes {
		return nil
	}
	x.do("bar.sync", "0")
	for v := range x.p.Code {
		in := &x.p.Code[v]
		if p := int(in.N); in.Op == tile.Store && x.v.Turned.Has(p) {
			for k := range many {
				from, offset := x.own(p, k)
				made := x.load(x.p.Params[p].Type, "shared", from, offset)
				x.guard = inside[k][p]
				x.store("global", at[k][p], made)
				x.guard = ""
			}
		}
	}
	return nil
}

// point is the coordinates of the thread's point k, for programs that ask.
func (x *tiles) point(k int) []string {
	if !x.layout.indexes {
		return nil
	}
	n := x.n
	var coords []string
	for _, c := range x.above {
		coords = append(coords, n.asLong(c))
	}
	row := n.op("add", x.row, n.op("add", n.widen(x.down), dec(k*tileDown)))
	return append(coords, n.asLong(row), n.asLong(n.op("add", x.column, n.widen(x.across))))
}
