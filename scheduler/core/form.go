package core

import (
	"weft/internal/invariants"
	"weft/scheduler"
	"weft/scheduler/region"
)

// form is what the core knows of all ops that share a Form.
type form struct {
	core   *Core  // that knows it
	number uint32 // names it in keys; counts up from 1

	// As in entry, with the footprints of views at offset 0 and without the stores.
	uses  []use
	block []int
	empty bool
	flows bool
	work  int64
}

// learn keeps what check found out about the first op of a form.
//
// Footprints are kept as if every view began at byte 0, and are shifted for each op: that is all that offsets do to
// them, since an op's form fixes its shapes and strides.
func (c *Core) learn(e *entry) {
	c.named.form++
	f := &form{core: c, number: c.named.form, uses: make([]use, len(e.uses)), block: e.block, empty: e.empty, flows: e.flows, work: e.work}
	copy(f.uses, e.uses)
	for i := range f.uses {
		u := &f.uses[i]
		u.store = nil
		if !f.empty || u.bytes != (region.Interval{}) {
			u.bytes = shifted(u.bytes, -e.op.Uses[i].View.Offset)
		}
	}
	e.op.Form.Known = f
}

// known returns what this core knows of the op's form, or nil.
func (c *Core) known(op *scheduler.Op) *form {
	if op.Form == nil {
		return nil
	}
	f, _ := op.Form.Known.(*form)
	if f == nil || f.core != c {
		return nil
	}
	return f
}

func shifted(x region.Interval, by int64) region.Interval {
	return region.Interval{Lo: x.Lo + by, Hi: x.Hi + by}
}

// checkForm is check for an op whose form is known.
//
// What a form cannot answer is asked each time: whether stores are there, whether the bytes are theirs, and, where
// operands share a store, inv 1.
func (c *Core) checkForm(op *scheduler.Op, f *form) (entry, error) {
	e := entry{op: op, uses: c.takeUses(len(f.uses)), block: f.block, empty: f.empty, flows: f.flows, work: f.work}
	apart := true
	for i := range f.uses {
		v := &op.Uses[i].View
		st := c.stores.get(uint32(v.Store))
		if st == nil || st.released {
			return entry{}, opError(op, "operand %d is on %v, which does not exist (any more)", i, v.Store)
		}
		u := &e.uses[i]
		*u = f.uses[i]
		u.store = st
		if !f.empty {
			u.bytes = shifted(u.bytes, v.Offset)
		}
		if u.bytes.Lo < 0 || u.bytes.Hi > st.size || v.Offset < 0 || v.Offset > st.size {
			return entry{}, opError(op, "operand %d needs bytes %v of %v, which has %d", i, u.bytes, v.Store, st.size)
		}
		for k := range i {
			apart = apart && (e.uses[k].store != st || !u.write && !e.uses[k].write)
		}
	}
	if invariants.Enabled {
		plain := *op
		plain.Form = nil
		full, err := c.check(&plain)
		same := err == nil && full.work == e.work && full.empty == e.empty && full.flows == e.flows
		for i := range full.uses {
			same = same && full.uses[i] == e.uses[i]
		}
		invariants.Check(same, 1, "op %q is not what its form says: %v", op.Name, err)
	}
	if apart {
		return e, nil
	}
	return e, c.checkOverlap(&e)
}

// usesTogether is how many uses are allocated together.
const usesTogether = 96

// takeUses returns n zero uses.
func (c *Core) takeUses(n int) []use {
	if n > len(c.chunks.uses) {
		c.chunks.uses = make([]use, max(n, usesTogether))
	}
	u := c.chunks.uses[:n:n]
	c.chunks.uses = c.chunks.uses[n:]
	return u
}
