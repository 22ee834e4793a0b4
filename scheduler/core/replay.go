package core

import (
	"weft/internal/invariants"
	"weft/scheduler"
	"weft/scheduler/fuse"
	"weft/scheduler/region"
	"weft/tile"
)

// replay replaces the window's ops by those of a template, in their order, with the releases behind
// them. A window in which nothing was fused stays as it is.
//
//	window      o1 add   o2 mul   free s3   o3 sum   free s5
//	template    {0 1}: a program of both    {3}
//	            \ entries of the window /
//	window      o2 add_mul (parts o1, o2)   o3 sum   free s3   free s5
//
// A template names entries and operands by position only. What an op has of its own, which no signature tells, replay
// takes from the window: the stores, the uniforms, the place in the program, and what of floating point is watched.
func (c *Core) replay(t *fuse.Template) {
	for _, s := range t.Splits {
		c.plan.Splits = append(c.plan.Splits, scheduler.Split{Op: c.window[s.Op].op.ID, From: c.window[s.From].op.ID, Why: s.Why})
	}
	if !t.Fused {
		return
	}
	window := c.fusing.window[:0]
	c.fusing.made.reserve(t)
	for i := range t.Ops {
		o := &t.Ops[i]
		switch {
		case len(o.Members) == 1: // the op itself, with what check found out about it
			window = append(window, c.window[o.Members[0]])
		case o.Program != nil:
			window = append(window, c.fused(o))
			fallthrough
		default: // a group whose results nothing reads any more: its ops are counted, and done by leaving them out
			c.fusing.counts.Fused += int64(len(o.Members))
		}
	}
	for i := range c.window {
		if c.window[i].release != nil {
			window = append(window, c.window[i])
		}
	}
	// The two slices change places from window to window, so that neither is allocated again. The old one is cleared:
	// it would keep programs and ops alive.
	c.fusing.window = c.window
	clear(c.fusing.window)
	c.window = window
}

// made are what replay makes ops of, allocated for several windows together. The core never takes a piece back: ops are
// in the log when their tasks are done, and the collector frees an array when nothing of it is used.
//
//	ops    [ window 1 | window 2 | room left ]
//	                             ^ what the slice has
type made struct {
	ops      []scheduler.Op
	parts    []*scheduler.Op
	uses     []scheduler.Use
	uniforms []tile.Scalar
}

// madeTogether is about how many ops of several members are allocated together.
const madeTogether = 16

// reserve makes sure that there is room for the ops of a template.
func (r *made) reserve(t *fuse.Template) {
	reserve(&r.ops, t.Made, madeTogether)
	reserve(&r.parts, t.Parts, 4*madeTogether)
	reserve(&r.uses, t.Operands, 4*madeTogether)
	reserve(&r.uniforms, t.Uniforms, 2*madeTogether)
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

// fused makes the op of several members. Its ID and place are those of the last one: it is the one
// that the user waits for.
func (c *Core) fused(o *fuse.Op) entry {
	last := c.window[o.Members[len(o.Members)-1]].op
	op := &piece(&c.fusing.made.ops, 1)[0]
	*op = scheduler.Op{
		ID: last.ID, Kind: o.Kind, Name: o.Program.Name, Shape: o.Shape, Reduced: o.Reduced, Program: o.Program, Where: last.Where,
		Parts: piece(&c.fusing.made.parts, len(o.Members)), Turns: o.Turns, Uses: piece(&c.fusing.made.uses, len(o.Operands)), Uniforms: piece(&c.fusing.made.uniforms, len(o.Program.Uniforms)),
	}
	uniforms := op.Uniforms[:0]
	for i, at := range o.Members {
		part := c.window[at].op
		op.Parts[i] = part
		op.Wanted |= part.Wanted
		uniforms = append(uniforms, part.Uniforms...)
	}
	op.Uniforms = uniforms
	e := entry{op: op, uses: c.takeUses(len(o.Operands)), block: o.Block, work: o.Work}
	for i := range o.Operands {
		p := &o.Operands[i]
		st := c.window[p.Entry].uses[p.Use].store
		u := &op.Uses[i]
		u.View = p.View
		u.View.Store = st.id
		if p.Write {
			u.Access, u.Renews = scheduler.Write, p.Renews
		}
		e.uses[i] = use{store: st, bytes: p.Bytes, dense: p.Dense, read: !p.Write, write: p.Write, renew: p.Renews}
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
