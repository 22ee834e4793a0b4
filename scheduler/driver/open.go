package driver

import (
	"errors"
	"unsafe"

	"weft/internal/invariants"
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/scheduler/verify"
)

// Open gives the host memory of a whole store to the program, as a writable mapping does, where nothing has to be
// waited for but a little work; for one that is settled, where no work is submitted that uses it. False means that
// something is under way, or that the store has no value. The program may read and write the memory until it calls
// release, which it must do before it submits an op on the store.
//
// There are three answers, from cheap to dear:
//
//	at rest      no task and no op of the window uses the store: its memory as it is
//	little       what is pending takes microseconds: it runs here, and then the same
//	otherwise    false: the op goes to Submit like any other
func (r *Runtime) Open(id scheduler.StoreID, settled bool) (p unsafe.Pointer, release func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size, known := r.core.Look.Bytes(id)
	if m := r.mapped[id]; !known || m != nil && m.home != nil || r.usable() != nil {
		return nil, nil, false
	}
	if inst := r.core.Host.AtRest(id); inst != nil { // what waits in the window stays there
		if b := held(inst); b != nil && b.allocated && r.hostAccess(inst, 0, size, true) == nil {
			return b.buf.Host, r.pin(id, true), true
		}
	}
	if settled || !r.lull() {
		return nil, nil, false
	}
	buf, err := r.obtain(id, region.Interval{Lo: 0, Hi: size}, true, false, nil)
	if err != nil {
		return nil, nil, false // the next read tells
	}
	return buf.Host, r.pin(id, true), true
}

// lull runs what was submitted before if that is little, and reports whether nothing is under way then.
func (r *Runtime) lull() bool {
	if !r.core.Look.Little() {
		return false
	}
	if r.core.Look.Unflushed() {
		r.flush()
		r.settle()
	}
	tasks, _ := r.core.Look.Pending()
	return tasks == 0 && r.running == 0 && len(r.starved) == 0
}

// Used tells the checker, if there is one, that the program reads and writes memory at p which Open gave and release
// has not taken back. What the checker finds is told by whatever reads or waits next.
func (r *Runtime) Used(id scheduler.StoreID, p unsafe.Pointer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checker == nil || r.usable() != nil {
		return
	}
	r.check(func(c *verify.Checker) error {
		if what := r.unsettled(id, p); what != "" {
			return errors.New(invariants.Broken(3, "the program uses the memory of %v, %s", id, what))
		}
		inst := r.core.Look.OnHost(id)
		size, _ := r.core.Look.Bytes(id)
		if err := c.HostRead(inst, 0, size); err != nil {
			return err
		}
		return c.HostWrite(inst, 0, size)
	})
}

// unsettled says, from what the driver and the core know, why the program must not use a store's memory at p now; ""
// where it may. Tasks are the checker's.
func (r *Runtime) unsettled(id scheduler.StoreID, p unsafe.Pointer) string {
	inst := r.core.Look.OnHost(id)
	switch {
	case r.mapped[id] == nil || r.mapped[id].writers == 0:
		return "which it has given back"
	case inst == nil || held(inst) == nil || !held(inst).allocated:
		return "which has none"
	case held(inst).buf.Host != p:
		return "which lies elsewhere"
	case r.core.Look.Waits(id):
		return "which an op in the window uses"
	}
	return ""
}
