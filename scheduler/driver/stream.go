package driver

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/tile"
)

// The program's memory comes to a store in three ways, of which only the first copies:
//
//	Write      bytes are copied into a buffer of a device's
//	Lend       the program keeps its memory, and may write it at any time: each op on the store is waited for
//	TakeOver   the program gives its memory up, and gets it back when the store's instance is freed
//
// and a store's memory goes in four steps:
//
//	Free ----> letGo ----> a release in the window ----> plan: a Free task ----> part: the buffer goes back
//	           counted as leaving                        behind all tasks that use the instance
//
// NewStore names a new store.
func (r *Runtime) NewStore(bytes int64) scheduler.StoreID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.NewStore(bytes)
}

// usable returns why nothing can be asked of the runtime any more, or nil.
func (r *Runtime) usable() error {
	switch {
	case r.closed:
		return ErrClosed
	case r.broken:
		return r.wrong
	}
	return nil
}

// Submit appends an op to the stream. When the window is full it is planned and started, but for the last ops;
// when too much is under way Submit waits, which Cancel ends.
//
// Most calls end after Core.Submit: a window has room for many ops, and only the last of them pays for planning all.
func (r *Runtime) Submit(op *scheduler.Op) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	exported := len(r.mapped) > 0 && r.exported(op)
	if exported {
		if err := r.meet(op); err != nil {
			return err
		}
		r.claim(op)
	}
	full, err := r.core.Submit(op)
	if err != nil {
		return err
	}
	r.counts.add(Operations)
	if r.opt.Submits != nil {
		r.opt.Submits()
	}
	if exported {
		r.claim(op)
	} else if full {
		r.plan(true)
		r.settle()
		r.throttle()
	}
	return nil
}

// throttle waits until not too much is under way, or has the caller do so.
//
// A caller with a lock of its own must not wait in here, where others need that lock to go on: it sets Options.Held,
// and waits in Throttle when it has let go of it.
func (r *Runtime) throttle() {
	if tasks, bytes := r.core.Look.Pending(); tasks <= r.opt.MaxTasks && bytes <= r.opt.MaxBytes && r.leaving <= r.opt.MaxLeaving {
		return
	}
	if r.opt.Held != nil {
		r.opt.Held()
		return
	}
	r.hold(nil)
}

// hold waits until not too much is under way: until it is three quarters of that, so that the program does not stop and
// go with every window.
//
//	MaxTasks   tasks that are planned: bounds what planning keeps
//	MaxBytes   bytes of their operands: bounds how far ahead the program is, in work
//	MaxLeaving bytes that the host filled and let go: bounds memory, since these are there already
func (r *Runtime) hold(stop <-chan struct{}) error {
	tasks, bytes := r.core.Look.Pending()
	w := &waiter{tasks: math.MaxInt, bytes: math.MaxInt64}
	if tasks > r.opt.MaxTasks || bytes > r.opt.MaxBytes {
		w.tasks, w.bytes = r.opt.MaxTasks/4*3, r.opt.MaxBytes/4*3
	}
	if r.leaving > r.opt.MaxLeaving {
		r.flush()
		r.settle()
		w.left = max(1, r.opt.MaxLeaving/4*3)
	}
	if r.satisfied(w) {
		return nil
	}
	r.counts.add(Throttled)
	return r.await(w, stop)
}

// Throttle waits until not too much is under way; see Options.Held. It fails when stop delivers first.
func (r *Runtime) Throttle(stop <-chan struct{}) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	return r.hold(stop)
}

// flush plans the window.
func (r *Runtime) flush() {
	if r.core.Look.Unflushed() {
		r.plan(false)
	}
}

// plan plans the window, or, of a full one, the part up to the best cut.
//
// A window without ops is dated by the last look at the clock (moment.go), since planning its releases takes hardly
// longer than a look.
func (r *Runtime) plan(full bool) {
	defer r.contain()
	var start int64
	switch {
	case r.core.Look.Waiting() > 0:
		start = r.now()
	case r.leaving >= largeBuffer: // there is something to free
		start = r.moment()
	default:
		start = r.mu.at
	}
	r.calibrate()
	r.steps, r.stepwise = r.steps[:0], r.core.Look.Waiting() >= longPlan
	plan := r.core.Flush(full)
	r.counts.add(Plans)
	r.planned(start, plan)
	r.left = r.left[:0]
	if len(plan.Ops) > 0 {
		r.recordPlan(start, plan)
	}
	r.prepares(plan)
	if plan.InOrder {
		r.runInOrder(plan)
	} else {
		r.together(plan)
	}
}

// planned logs a plan, which was made at the time, before its tasks start.
//
// All that watches is told here, once for each plan and before any of its tasks can start: the log, the recorder, the
// checker and the dump.
func (r *Runtime) planned(at int64, plan *scheduler.Plan) {
	for _, op := range plan.Ops {
		if r.opt.Panic != "" && strings.Contains(op.Name, r.opt.Panic) {
			panic("asked for by the name " + r.opt.Panic)
		}
		r.log.op(op, plan.InOrder)
		r.recordOp(op)
	}
	for _, s := range plan.Splits {
		r.log.split(s)
	}
	for _, f := range plan.Fits {
		r.log.fit(f)
	}
	if tasks, _ := r.core.Look.Pending(); tasks <= len(plan.Tasks) {
		r.heavy = heavy{} // nothing from before is under way
	}
	for _, t := range plan.Tasks {
		r.log.task(t, at)
		if !plan.InOrder {
			r.links = r.links[:0]
			for _, id := range t.After {
				r.links = append(r.links, uint32(id))
			}
			r.rec.Task(uint32(t.ID), at, r.links)
		}
		if t.Kind != scheduler.Free {
			r.heavy.add(t, r.core.Look.SmallTask())
		}
	}
	if len(plan.Ops)+len(plan.Tasks) > 0 {
		r.log.close()
	}
	r.check(func(c *verify.Checker) error { return c.Plan(plan) })
	if r.opt.Dump != "" && len(plan.Ops)+len(plan.Tasks) > 0 {
		r.dump(plan)
	}
}

// Free says that the program cannot reach the store any more. A mapping keeps it.
func (r *Runtime) Free(id scheduler.StoreID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() != nil {
		return
	}
	if m := r.mapped[id]; m.held() {
		m.freed = true
		return
	} else if m != nil { // lent, or left by guests
		delete(r.mapped, id)
		r.core.Host.Pin(id, false)
	}
	r.letGo(id)
	r.freeLoose()
}

// letGo releases a store; its buffer leaves when the free has been planned.
//
// Bytes count as leaving from now until part, whether tasks still use them or only the free has not been planned.
func (r *Runtime) letGo(id scheduler.StoreID) {
	if inst := r.core.Look.OnHost(id); inst != nil {
		if b := held(inst); b != nil && b.allocated && b.lent == nil {
			b.leaving = true
			r.leaving += inst.Hi - inst.Lo
		}
	}
	r.core.Release(id)
}

// manyReleased is how many more releases than ops a window may have: what a program lets go of that no op waits for.
const manyReleased = 256

// freeLoose frees the stores that were released, if there are no ops in the window to wait for, or few.
//
// A window without ops would otherwise keep memory until the next op comes, which may be never. Planning costs per
// window, so that a program which lets go of many arrays one by one has them freed in bundles while ops wait.
func (r *Runtime) freeLoose() {
	ops := r.core.Look.Waiting()
	if (ops == 0 || r.core.Look.Released() > ops+manyReleased) && r.usable() == nil {
		r.flush()
		r.pump()
	}
}

// Write fills a fresh store with host bytes.
func (r *Runtime) Write(id scheduler.StoreID, src []byte) error {
	buf, err := r.fresh(id, int64(len(src)))
	if err != nil {
		return err
	}
	// No op names the store yet, so that no task touches the bytes.
	copy(buf.Bytes(), src)
	return nil
}

// fresh returns the memory of a store that has no value yet, for the host to fill. Where the host is full, the plan
// makes room (Host.Room), and what gives it has to end first.
func (r *Runtime) fresh(id scheduler.StoreID, bytes int64) (buf tile.Buffer, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return buf, err
	}
	if size, ok := r.core.Look.Bytes(id); !ok || size != bytes {
		return buf, fmt.Errorf("driver: %v has %d bytes (exists: %v), got %d to write", id, size, ok, bytes)
	}
	if r.leaving > r.opt.MaxLeaving {
		r.throttle()
	}
	if r.core.Look.Crowded(bytes) {
		r.flush()
		r.settle()
	}
	inst, err := r.core.Host.Written(id)
	if p := r.core.Look.Planned(); len(p.Tasks) > 0 { // they make room
		r.planned(r.moment(), p)
		r.settle()
	}
	if err != nil {
		return buf, r.explain(err)
	}
	if after := r.core.Host.Room(inst); len(after) > 0 {
		if err := r.await(&waiter{after: after}, nil); err != nil {
			return buf, err
		}
	}
	if err := r.hostAccess(inst, 0, bytes, true); err != nil {
		return buf, err
	}
	return r.demand(inst, nil)
}

// Lend makes memory of the program's own the bytes of a fresh store, without a copy. The program may read and
// write it at any time, so that every op on the store is complete before Submit returns, and sees what was
// written; no device keeps the bytes longer than that. back is called once when nothing uses the memory any more. It
// may be called on any goroutine with the runtime locked, and must not wait.
func (r *Runtime) Lend(id scheduler.StoreID, p unsafe.Pointer, back func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.install(id, tile.Buffer{Host: p}, back, r.core.Host.Lent)
	if err == nil {
		r.mapped[id] = &mapping{lent: true}
	}
	return err
}

// TakeOver makes memory that the program gives up the bytes of a fresh store, without a copy, and whatever waits in the
// window. back is called as Lend's is.
func (r *Runtime) TakeOver(id scheduler.StoreID, p unsafe.Pointer, back func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.install(id, tile.Buffer{Host: p}, back, r.core.Host.Given)
}

// install makes memory that no device allocated the instance of a fresh store.
//
// The buffer counts as allocated: only lent differs, which part calls instead of the device's Free.
func (r *Runtime) install(id scheduler.StoreID, buf tile.Buffer, back func(), instance func(scheduler.StoreID) (*scheduler.Instance, error)) error {
	if err := r.usable(); err != nil {
		return err
	}
	size, ok := r.core.Look.Bytes(id)
	if !ok {
		return fmt.Errorf("driver: memory is lent to %v, but there is no such store", id)
	}
	inst, err := instance(id)
	if p := r.core.Look.Planned(); len(p.Tasks) > 0 {
		r.planned(r.moment(), p)
		r.settle()
	}
	if err != nil {
		return r.explain(err)
	}
	if err := r.hostAccess(inst, 0, size, true); err != nil {
		return err
	}
	b := r.bufferOf(inst)
	buf.Size = size
	b.buf, b.allocated, b.lent = buf, true, back
	return nil
}
