package core

import (
	"slices"

	"weft/scheduler"
)

// Look is what a driver may ask of a core. No question changes an answer, or a plan.
type Look struct{ c *Core }

// Bytes returns the size of a store, and whether there is such a store.
func (l Look) Bytes(id scheduler.StoreID) (int64, bool) {
	st := l.c.stores.get(uint32(id))
	if st == nil || st.released {
		return 0, false
	}
	return st.size, true
}

// Placement says which memories will hold the store's value when all planned tasks have run, and how much of it;
// nothing for what was never written. Several may hold the same bytes.
func (l Look) Placement(id scheduler.StoreID) []Placed {
	st := l.c.stores.get(uint32(id))
	if st == nil || st.released {
		return nil
	}
	var list []Placed
	for m, inst := range st.at {
		n := int64(0)
		for ; inst != nil; inst = inst.beside {
			if len(st.at) == 1 {
				n += inst.Hi - inst.Lo
			} else {
				n += inst.valid.Len()
			}
		}
		if n > 0 {
			list = append(list, Placed{scheduler.MemoryID(m), n})
		}
	}
	return list
}

// Waiting returns how many ops are in the window.
func (l Look) Waiting() int { return l.c.ops }

// Released returns how many releases are in the window.
func (l Look) Released() int { return len(l.c.window) - l.c.ops }

// Unflushed reports whether the window holds anything, releases included.
func (l Look) Unflushed() bool { return len(l.c.window) > 0 }

// Pending returns how many planned tasks are not completed, and the bytes of operands of
// the runs among them.
func (l Look) Pending() (tasks int, bytes int64) { return l.c.running.pending, l.c.running.bytes }

// PendingRuns returns how many of the pending tasks run ops.
func (l Look) PendingRuns() int { return l.c.running.runs }

// Owed returns what the pending runs cost, in the unit of Options.Inline.
func (l Look) Owed() int64 { return l.c.running.owed }

// LastOp returns the newest op's ID.
func (l Look) LastOp() scheduler.OpID { return l.c.named.op }

// LastTask returns the newest task's ID.
func (l Look) LastTask() scheduler.TaskID { return l.c.named.task }

// Fusion returns the counters.
func (l Look) Fusion() Fusion { return l.c.fusing.counts }

// HandOver returns what a hand-over costs.
func (l Look) HandOver() int64 { return l.c.opt.HandOver }

// SmallTask is the most that a task costs which gains nothing by a hand-over.
func (l Look) SmallTask() int64 { return 4 * l.c.opt.HandOver }

// Crowded reports whether the window should be flushed before the host fills a store of so many bytes,
// because host memory may not hold that beside what the window is going to make: this comes first in
// the stream, and what the window releases makes room.
func (l Look) Crowded(bytes int64) bool {
	r := &l.c.rooms[0]
	if r.capacity == 0 || len(l.c.window) == 0 {
		return false
	}
	return l.c.crowded(bytes)
}

// OnHost returns the instance of a store in host memory, or nil.
func (l Look) OnHost(id scheduler.StoreID) *scheduler.Instance {
	if st := l.c.stores.get(uint32(id)); st != nil && st.at[0] != nil {
		return &st.at[0].Instance
	}
	return nil
}

// Near reports whether the host can read a few bytes of a store for no more than their copy: it has an instance, or
// there is room for one.
func (l Look) Near(id scheduler.StoreID) bool {
	st, r := l.c.stores.get(uint32(id)), &l.c.rooms[0]
	if st == nil || st.at[0] != nil && !st.at[0].missing {
		return true
	}
	return st.size <= nearBytes && (r.capacity == 0 || r.fits(r.round(st.size)))
}

// Waits reports whether an op in the window uses a store.
func (l Look) Waits(id scheduler.StoreID) bool {
	c := l.c
	st := c.stores.get(uint32(id))
	for i := range c.window {
		for k := range c.window[i].uses {
			if c.window[i].uses[k].store == st {
				return true
			}
		}
	}
	return false
}

// Planned returns what the last Flush or Need planned.
func (l Look) Planned() *scheduler.Plan { return &l.c.plan }

// Little reports whether the window, releases included, is little work: flushing it now loses little.
func (l Look) Little() bool { return l.c.windowWork() <= l.c.opt.Inline }

// WhyWhole says why an op that is one task was not cut, or nothing where its size is not the reason.
func (l Look) WhyWhole(op *scheduler.Op) string { return l.c.threshold().Whole(op) }

// Completed reports whether a task that was planned is completed.
func (l Look) Completed(id scheduler.TaskID) bool { return l.c.running.tasks.get(uint32(id)) == nil }

// Leads reports whether one of some tasks is a task, or waits for it, be it by way of others.
func (l Look) Leads(from scheduler.TaskID, to []scheduler.TaskID) bool {
	first := l.c.running.tasks.get(uint32(from))
	if first == nil || len(to) == 0 {
		return false
	}
	found := []*node{first}
	for i := 0; i < len(found); i++ {
		if slices.Contains(to, found[i].ID) {
			return true
		}
		for _, next := range found[i].next {
			if next.ID <= slices.Max(to) && !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return false
}

// Doomed reports whether a task that was handed out behind others is going to fail, because one of them has. It need
// not begin; if it has, what it computes is lost.
func (l Look) Doomed(id scheduler.TaskID) bool {
	n := l.c.running.tasks.get(uint32(id))
	return n != nil && n.poisoned() != nil
}
