package core

import (
	"fmt"
	"slices"
	"strings"

	"weft/scheduler"
)

// The forms of the passes: what each has left, as text: they show which pass made a plan what it is. They are printed
// right after the pass (Options.Form); a step within a pass prints what it had a say in, and nothing where it had none.

// splitForm prints "60 ops are planned, 4 wait for the next plan: 128 bytes cross the cut", and which wait.
func splitForm(c *Core) string {
	if len(c.cutting.kept) == 0 {
		return fmt.Sprintf("all %d ops are planned\n", c.ops)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d ops are planned, %d wait for the next plan: %d bytes cross the cut\n", c.ops, c.cutting.ops, c.cutting.bytes)
	for i := range c.cutting.kept {
		if op := c.cutting.kept[i].op; op != nil {
			fmt.Fprintf(&b, "kept %v %s\n", op.ID, op.Name)
		}
	}
	return b.String()
}

// fuseForm prints the window's ops, and why which are apart.
func fuseForm(c *Core) string {
	var s scheduler.Stream
	c.eachOp(func(e *entry) { s = append(s, scheduler.Step{Verb: "op", Op: e.op}) })
	var b strings.Builder
	b.WriteString(s.String())
	for _, split := range c.plan.Splits {
		b.WriteString(split.String() + "\n")
	}
	return b.String()
}

// partitionForm prints the tiles of each op: o1 in 2: (5,4) at (0,0), (5,4) at (5,0).
func partitionForm(c *Core) string {
	var b strings.Builder
	c.eachOp(func(e *entry) {
		fmt.Fprintf(&b, "%v in %d:", e.op.ID, len(e.tiles))
		for i, n := range e.tiles {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s at %s", scheduler.Tuple(n.Shape), scheduler.Tuple(n.Origin))
		}
		b.WriteByte('\n')
	})
	return b.String()
}

// contractForm prints the grids of products: o1 is cut into 2 x 2 tiles along axes (0,1).
func contractForm(c *Core) string {
	var b strings.Builder
	c.eachOp(func(e *entry) {
		if e.op.Kind != scheduler.Contract || len(e.tiles) < 2 {
			return
		}
		var axes, parts []int
		for axis := range e.op.Shape {
			at := map[int]bool{}
			for _, n := range e.tiles {
				at[n.Origin[axis]] = true
			}
			if len(at) > 1 {
				axes, parts = append(axes, axis), append(parts, len(at))
			}
		}
		fmt.Fprintf(&b, "%v is cut into %s tiles along axes %s\n", e.op.ID, scheduler.Tuple(parts), scheduler.Tuple(axes))
	})
	return b.String()
}

// keyForm prints the keys of the window's stores: s1 rows 0 80 of 160.
func keyForm(c *Core) string {
	var b strings.Builder
	c.eachStore(func(st *store) {
		if st.key != nil {
			fmt.Fprintf(&b, "%v %v\n", st.id, st.key)
		}
	})
	return b.String()
}

// capacityForm prints the accounts of memories that have a capacity, and which ops' tiles are smaller for their sake.
func capacityForm(c *Core) string {
	var b strings.Builder
	for i := range c.rooms {
		if r := &c.rooms[i]; r.capacity > 0 {
			fmt.Fprintf(&b, "%v holds %d of %d bytes, %d are unclaimed, %d frees are planned\n", scheduler.MemoryID(i), r.used, r.capacity, r.unclaimed, len(r.frees))
		}
	}
	for _, f := range c.plan.Fits {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// placeForm prints the tasks as they are placed, in the order of the plan, without what they wait for.
func placeForm(c *Core) string {
	var b strings.Builder
	for _, inst := range c.plan.Instances {
		fmt.Fprintf(&b, "inst %v %v on %v [%d,%d)\n", inst.ID, inst.Store, inst.Memory, inst.Lo, inst.Hi)
	}
	for _, n := range c.nodes {
		b.WriteString(n.Task.String() + "\n")
	}
	return b.String()
}

// residencyForm prints which bytes of the window's stores are valid in which instance when all that is planned has run.
func residencyForm(c *Core) string {
	var b strings.Builder
	c.eachStore(func(st *store) {
		for m, inst := range st.at {
			for ; inst != nil; inst = inst.beside {
				valid := "all"
				if len(st.at) > 1 {
					valid = inst.valid.String()
				}
				fmt.Fprintf(&b, "%v %v on %v [%d,%d) valid %s\n", st.id, inst.ID, scheduler.MemoryID(m), inst.Lo, inst.Hi, valid)
			}
		}
	})
	return b.String()
}

// evictForm prints what leaves a memory to make room.
func evictForm(c *Core) string {
	var b strings.Builder
	for _, n := range c.nodes {
		if n.Cause == scheduler.Spill {
			b.WriteString(n.Task.String() + "\n")
		}
	}
	return b.String()
}

// renameForm prints which ops write stores to new instances, and which stores keep their old one for the next time.
func renameForm(c *Core) string {
	var b strings.Builder
	c.eachOp(func(e *entry) {
		for i := range e.uses {
			if st := e.uses[i].store; e.uses[i].renew {
				fmt.Fprintf(&b, "%v renews %v", e.op.ID, st.id)
				if len(e.tiles) > 0 {
					fmt.Fprintf(&b, " in %v", e.tiles[0].uses[i].inst.ID)
				}
				if st.spare.inst != nil {
					fmt.Fprintf(&b, ", which keeps %v", st.spare.inst.ID)
				}
				b.WriteByte('\n')
			}
		}
	})
	return b.String()
}

// dependForm prints what each task waits for.
func dependForm(c *Core) string {
	if c.plan.InOrder {
		return "in order: each task waits for the one before\n"
	}
	var b strings.Builder
	for _, n := range c.nodes {
		if len(n.After) > 0 {
			fmt.Fprintf(&b, "%v after %s\n", n.ID, strings.Trim(fmt.Sprint(n.After), "[]"))
		}
	}
	return b.String()
}

// historyForm prints, of the instances that the plan touches, how many stretches of bytes have a past of their own.
func historyForm(c *Core) string {
	var b strings.Builder
	var seen []*instance
	for _, n := range c.nodes {
		for i := range n.uses {
			inst := n.uses[i].inst
			if inst == nil || slices.Contains(seen, inst) {
				continue
			}
			seen = append(seen, inst)
			combs := 0
			if inst.past.combs != nil {
				combs = len(inst.past.combs.uses)
			}
			fmt.Fprintf(&b, "%v of %v: %d segments, %d combs\n", inst.ID, inst.Store, len(inst.past.segments), combs)
		}
	}
	return b.String()
}

// eachOp calls fn for the ops of the window, in order.
func (c *Core) eachOp(fn func(*entry)) {
	for i := range c.window {
		if c.window[i].op != nil {
			fn(&c.window[i])
		}
	}
}

// eachStore calls fn for the stores that ops of the window use, in the order of their first use.
func (c *Core) eachStore(fn func(*store)) {
	var seen []*store
	c.eachOp(func(e *entry) {
		for i := range e.uses {
			if st := e.uses[i].store; !slices.Contains(seen, st) {
				seen = append(seen, st)
				fn(st)
			}
		}
	})
}
