package scheduler

import (
	"encoding/binary"
	"unsafe"

	"weft/internal/invariants"
	"weft/scheduler/region"
	"weft/tile"
)

// fusion is what fuse decided for a window, without the stores and numbers of that window. Loops
// submit the same window again and again, with other stores: theirs is looked up by the
// window's structure.
type fusion struct {
	groups []fusedGroup
	splits []fusedSplit
	fused  bool // some group has several members

	ops, parts, params, uniforms int // of all groups of several members: apply allocates them together
}

// fusedGroup is a group as positions in the window.
type fusedGroup struct {
	members []int32

	// Of several members:
	turns   [][]int       // as in Op.Turns
	program *tile.Program // nil: nobody sees what it computes
	kind    OpKind
	shape   []int
	reduced tile.Axes
	block   []int
	params  []fusedParam
	work    int64
}

// fusedParam is a parameter of the program: the view that an operand of the window has, on
// that operand's store.
type fusedParam struct {
	entry, use int32
	view       View // without its store
	bytes      use  // without its store
}

// fusedSplit is a Split by positions in the window.
type fusedSplit struct {
	op, from int32
	why      Why
}

// apply replaces the window's ops by the groups, in their order, with the releases behind
// them. A window in which nothing was fused stays as it is.
func (f *fuser) apply(c *Core, p *fusion) {
	for _, s := range p.splits {
		c.plan.Splits = append(c.plan.Splits, Split{Op: c.window[s.op].op.ID, From: c.window[s.from].op.ID, Why: s.why})
	}
	if !p.fused {
		return
	}
	window := f.window[:0]
	room := rooms{make([]Op, p.ops), make([]*Op, p.parts), make([]Use, p.params), make([]tile.Scalar, p.uniforms)}
	for i := range p.groups {
		g := &p.groups[i]
		switch {
		case len(g.members) == 1:
			window = append(window, c.window[g.members[0]])
		case g.program != nil:
			window = append(window, g.entry(c, &room))
			fallthrough
		default:
			c.fusion.Fused += int64(len(g.members))
		}
	}
	for i := range c.window {
		if c.window[i].release != nil {
			window = append(window, c.window[i])
		}
	}
	f.window = c.window
	clear(f.window)
	c.window = window
}

// rooms are what apply hands out piece by piece.
type rooms struct {
	ops      []Op
	parts    []*Op
	uses     []Use
	uniforms []tile.Scalar
}

// piece takes the first n of what is left.
func piece[T any](room *[]T, n int) []T {
	p := (*room)[:n:n]
	*room = (*room)[n:]
	return p
}

// entry makes one op of a group. Its ID and place are those of the last member: it is the one
// that the user waits for.
func (g *fusedGroup) entry(c *Core, room *rooms) entry {
	last := c.window[g.members[len(g.members)-1]].op
	op := &piece(&room.ops, 1)[0]
	*op = Op{
		ID: last.ID, Kind: g.kind, Name: g.program.Name, Shape: g.shape, Reduced: g.reduced, Program: g.program, Where: last.Where,
		Parts: piece(&room.parts, len(g.members)), Turns: g.turns, Uses: piece(&room.uses, len(g.params)), Uniforms: piece(&room.uniforms, len(g.program.Uniforms)),
	}
	uniforms := op.Uniforms[:0]
	for i, at := range g.members {
		part := c.window[at].op
		op.Parts[i] = part
		uniforms = append(uniforms, part.Uniforms...)
	}
	op.Uniforms = uniforms
	e := entry{op: op, uses: c.takeUses(len(g.params)), block: g.block, work: g.work}
	for i := range g.params {
		p := &g.params[i]
		st := c.window[p.entry].uses[p.use].store
		u := &op.Uses[i]
		u.View = p.view
		u.View.Store = st.id
		if p.bytes.write {
			u.Access, u.Renews = Write, p.bytes.renew
		}
		e.uses[i] = p.bytes
		e.uses[i].store = st
	}
	if invariants.Enabled {
		for i := range e.uses {
			v := &op.Uses[i].View
			bytes, dense := region.Footprint(v.layout(), origin0[:len(v.Shape)], v.Shape)
			invariants.Check(bytes == e.uses[i].bytes && dense == e.uses[i].dense, 1, "operand %d of the fused %v (%v) has footprint %v, not %v", i, op.ID, *v, bytes, e.uses[i].bytes)
		}
	}
	return e
}

// Fusion says what fuse has done so far.
type Fusion struct {
	Fused        int64 // ops that became part of another
	Known, Found int64 // windows whose fusion was remembered, and had to be found
}

// Fusion returns the counters.
func (c *Core) Fusion() Fusion { return c.fusion }

// What is remembered, in bytes. A window of 64 ops takes some 40 kB with its programs, so that a loop may have some 800.
const (
	windowBytes  = 32 << 20
	programBytes = 8 << 20
	numberBytes  = 256 << 10
)

// bytes returns about how much memory a fusion holds besides its key. Its programs are its own as well as those of the
// cache of programs, which may have dropped them.
func (p *fusion) bytes() int64 {
	n := unsafe.Sizeof(*p) + uintptr(len(p.groups))*unsafe.Sizeof(fusedGroup{}) + uintptr(len(p.splits))*unsafe.Sizeof(fusedSplit{})
	for i := range p.groups {
		g := &p.groups[i]
		n += 4*uintptr(len(g.members)) + 24*uintptr(len(g.turns)) + 8*uintptr(len(g.shape)+len(g.block)) + uintptr(len(g.params))*unsafe.Sizeof(fusedParam{})
		for _, turn := range g.turns {
			n += 8 * uintptr(len(turn))
		}
		for k := range g.params {
			n += 16 * uintptr(len(g.params[k].view.Shape))
		}
		n += uintptr(programSize(g.program))
	}
	return int64(n)
}

// programSize returns about how many bytes a program takes up; none takes none.
func programSize(p *tile.Program) int64 {
	if p == nil {
		return 0
	}
	return int64(unsafe.Sizeof(*p)) + int64(len(p.Name)) + int64(len(p.Code))*int64(unsafe.Sizeof(tile.Instr{})) +
		int64(len(p.Params))*int64(unsafe.Sizeof(tile.Param{})) + int64(len(p.Uniforms))
}

// structure writes down everything about the window that fuse looks at: programs, index
// spaces, views, and which operands have the same store, but neither which stores these are
// nor the uniforms. Equal texts are windows that fuse treats alike.
func (f *fuser) structure(c *Core) []byte {
	key := f.key[:0]
	if f.apart {
		key = append(key, 0xfd) // no kind of an op
	}
	f.seen++
	count := uint32(0)
	name := func(st *store) { // 0 and what matters of a store that is new, or its number
		if st.seen == f.seen {
			key = binary.AppendUvarint(key, uint64(st.number))
			return
		}
		count++
		st.seen, st.number = f.seen, count
		flags := uint64(st.size) << 1
		if st.pinned {
			flags |= 1
		}
		key = binary.AppendUvarint(append(key, 0), flags)
	}
	for i := range c.window {
		e := &c.window[i]
		if e.release != nil {
			key = append(key, 0xff) // no kind of an op
			name(e.release)
			continue
		}
		op := e.op
		if e.zeros = e.fills() && e.uses[0].store.seen != f.seen; e.zeros {
			key = append(key, 0xfc) // nor this
		}
		if op.Form != nil {
			key = binary.AppendUvarint(append(key, 0xfe), uint64(op.Form.number)) // no kind either
			for k := range op.Uses {
				name(e.uses[k].store)
				key = binary.AppendUvarint(key, uint64(op.Uses[k].View.Offset))
			}
			continue
		}
		key = append(key, byte(op.Kind), byte(len(op.Shape)))
		key = binary.AppendUvarint(key, f.number(op.Program))
		for _, n := range op.Shape {
			key = binary.AppendUvarint(key, uint64(n))
		}
		key = binary.AppendUvarint(key, uint64(op.Reduced))
		for k := range op.Uses {
			v := &op.Uses[k].View
			name(e.uses[k].store)
			key = binary.AppendUvarint(key, uint64(v.Offset))
			key = append(key, byte(len(v.Strides)))
			for axis, s := range v.Strides {
				key = binary.AppendVarint(key, s)
				if op.Whole(k) || e.block != nil {
					key = binary.AppendUvarint(key, uint64(v.Shape[axis]))
				}
			}
		}
	}
	f.key = key
	return key
}

// number names a program in keys. No number is used twice: a program that was forgotten in between gets another, and
// windows that are remembered with the old one are found no more.
func (f *fuser) number(p *tile.Program) uint64 {
	if e := f.numbers.at[p]; e != nil {
		return f.numbers.use(e)
	}
	f.numbered++
	f.numbers.add(p, f.numbered, int64(unsafe.Sizeof(cached[*tile.Program, uint64]{}))+programSize(p))
	return f.numbered
}
