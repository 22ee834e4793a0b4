package core

import (
	"unsafe"

	"weft/internal/invariants"
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// Template is what fuse decided for a window, without the stores, numbers and places of that window: what a
// window of the same signature (signature.go) comes to by replay. Loops submit the same window again and again, with
// other stores, so that a window is captured when it is planned for the first time, and replayed from then on.
// It is not changed once it is captured. Its text form is in templatetext.go.
//
//	window                             template                        window after replay
//	o1 s3 = s1 + s2                    fuse (0,1) map add+multiply     o2 add+multiply: s1, s2 -> s4
//	o2 s4 = s3 * 0.5                     use r 0.0, r 0.1, w 1.1       release s3
//	release s3
type Template struct {
	ops    []templateOp
	splits []templateSplit
	fused  bool // an op has several members

	made, parts, uses, uniforms int // of all ops of several members: replay allocates them together
}

// templateOp is an op of the plan, its members as positions in the window.
type templateOp struct {
	members []int32

	// Of several members:
	turns   [][]int       // as in Op.Turns
	program *tile.Program // nil: nobody sees what it computes
	kind    scheduler.OpKind
	shape   []int
	reduced tile.Axes
	block   []int
	uses    []templateUse
	work    int64
}

// templateUse is a parameter of the program: the view that an operand of the window has, on
// that operand's store.
type templateUse struct {
	entry, use int32
	view       scheduler.View // without its store
	bytes      use            // without its store
}

// templateSplit is a Split by positions in the window.
type templateSplit struct {
	op, from int32
	why      scheduler.Why
}

// add puts an op of several members behind the others: what follows from its members, program, index space and views is
// computed here, for captured templates and for those that were read from text.
func (t *Template) add(o templateOp) {
	if len(o.members) > 1 {
		t.fused = true
	}
	if o.program != nil {
		if o.kind == scheduler.Reduce {
			o.block = tile.BlockShape(o.shape, o.reduced)
		}
		points := int64(1)
		for _, n := range o.shape {
			points *= int64(n)
		}
		o.work = points * o.program.Work() // and the operands: see Op.Work
		for i := range o.uses {
			u := &o.uses[i]
			u.bytes.bytes, u.bytes.dense = region.Footprint(u.view.Layout(), scheduler.Origin(len(u.view.Shape)), u.view.Shape)
			u.bytes.write = o.program.Params[i].Dir == tile.Out
			u.bytes.read = !u.bytes.write
			o.work += points * int64(u.view.Type.Size())
		}
		t.made, t.parts, t.uses, t.uniforms = t.made+1, t.parts+len(o.members), t.uses+len(o.uses), t.uniforms+len(o.program.Uniforms)
	}
	t.ops = append(t.ops, o)
}

// replay replaces the window's ops by those of a template, in their order, with the releases behind
// them. A window in which nothing was fused stays as it is.
func (f *fuser) replay(c *Core, t *Template) {
	for _, s := range t.splits {
		c.plan.Splits = append(c.plan.Splits, scheduler.Split{Op: c.window[s.op].op.ID, From: c.window[s.from].op.ID, Why: s.why})
	}
	if !t.fused {
		return
	}
	window := f.window[:0]
	f.rooms.reserve(t)
	for i := range t.ops {
		o := &t.ops[i]
		switch {
		case len(o.members) == 1:
			window = append(window, c.window[o.members[0]])
		case o.program != nil:
			window = append(window, o.entry(c, &f.rooms))
			fallthrough
		default:
			c.fusion.Fused += int64(len(o.members))
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

// rooms are what replay makes ops of, allocated for several windows together.
type rooms struct {
	ops      []scheduler.Op
	parts    []*scheduler.Op
	uses     []scheduler.Use
	uniforms []tile.Scalar
}

// roomsTogether is about how many ops of several members are allocated together.
const roomsTogether = 16

// reserve makes sure that there is room for the ops of a template.
func (r *rooms) reserve(t *Template) {
	reserve(&r.ops, t.made, roomsTogether)
	reserve(&r.parts, t.parts, 4*roomsTogether)
	reserve(&r.uses, t.uses, 4*roomsTogether)
	reserve(&r.uniforms, t.uniforms, 2*roomsTogether)
}

func reserve[T any](room *[]T, n, together int) {
	if len(*room) < n {
		*room = make([]T, max(n, together))
	}
}

// piece takes the first n of what is left.
func piece[T any](room *[]T, n int) []T {
	p := (*room)[:n:n]
	*room = (*room)[n:]
	return p
}

// entry makes the op of several members. Its ID and place are those of the last one: it is the one
// that the user waits for.
func (o *templateOp) entry(c *Core, room *rooms) entry {
	last := c.window[o.members[len(o.members)-1]].op
	op := &piece(&room.ops, 1)[0]
	*op = scheduler.Op{
		ID: last.ID, Kind: o.kind, Name: o.program.Name, Shape: o.shape, Reduced: o.reduced, Program: o.program, Where: last.Where,
		Parts: piece(&room.parts, len(o.members)), Turns: o.turns, Uses: piece(&room.uses, len(o.uses)), Uniforms: piece(&room.uniforms, len(o.program.Uniforms)),
	}
	uniforms := op.Uniforms[:0]
	for i, at := range o.members {
		part := c.window[at].op
		op.Parts[i] = part
		op.Wanted |= part.Wanted
		uniforms = append(uniforms, part.Uniforms...)
	}
	op.Uniforms = uniforms
	e := entry{op: op, uses: c.takeUses(len(o.uses)), block: o.block, work: o.work}
	for i := range o.uses {
		p := &o.uses[i]
		st := c.window[p.entry].uses[p.use].store
		u := &op.Uses[i]
		u.View = p.view
		u.View.Store = st.id
		if p.bytes.write {
			u.Access, u.Renews = scheduler.Write, p.bytes.renew
		}
		e.uses[i] = p.bytes
		e.uses[i].store = st
	}
	if invariants.Enabled {
		for i := range e.uses {
			v := &op.Uses[i].View
			bytes, dense := region.Footprint(v.Layout(), scheduler.Origin(len(v.Shape)), v.Shape)
			invariants.Check(bytes == e.uses[i].bytes && dense == e.uses[i].dense, 1, "operand %d of the fused %v (%v) has footprint %v, not %v", i, op.ID, *v, bytes, e.uses[i].bytes)
		}
	}
	return e
}

// Fusion says what fuse has done so far.
type Fusion struct {
	Fused              int64 // ops that became part of another
	Replayed, Captured int64 // windows that came to the template of an earlier one, and whose own had to be found
}

// Fusion returns the counters.
func (c *Core) Fusion() Fusion { return c.fusion }

// What is remembered, in bytes. A window of 64 ops takes some 40 kB with its programs, so that a loop may have some 800.
const (
	templateBytes = 32 << 20
	programBytes  = 8 << 20
	numberBytes   = 256 << 10
	numberSize    = 128 // of a number without its program
)

// bytes returns about how much memory a template holds besides its key. Its programs are its own as well as those of the
// cache of programs, which may have dropped them.
func (t *Template) bytes() int64 {
	n := unsafe.Sizeof(*t) + uintptr(len(t.ops))*unsafe.Sizeof(templateOp{}) + uintptr(len(t.splits))*unsafe.Sizeof(templateSplit{})
	for i := range t.ops {
		o := &t.ops[i]
		n += 4*uintptr(len(o.members)) + 24*uintptr(len(o.turns)) + 8*uintptr(len(o.shape)+len(o.block)) + uintptr(len(o.uses))*unsafe.Sizeof(templateUse{})
		for _, turn := range o.turns {
			n += 8 * uintptr(len(turn))
		}
		for k := range o.uses {
			n += 16 * uintptr(len(o.uses[k].view.Shape))
		}
		n += uintptr(programSize(o.program))
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
