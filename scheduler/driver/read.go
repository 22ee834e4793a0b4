package driver

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// The program comes to a store's bytes in three ways:
//
//	Read       a copy of a view's elements: nothing is held
//	Map        the memory itself, until release: the store stays in place (Host.Pin). Writable: ops on it are waited for
//	Open       as Map, writable, where it can be had at once; released before an op on the store is submitted
//
// All of them need the bytes valid on the host, and all tasks completed that write them, or, for writing, that use
// them.
//
// mapping is the state of a store whose memory the program holds.
//
//	readers, writers    how often the program holds the store's memory: buffers, arrays of NumPy's, Open
//	guests              how often other libraries have its address on a device, its home (guests.go)
//	given               one has had the address since the home began, and may have written
//	lent                the memory is the program's own or a guest's, so that each op on the store is a meeting of both
//	freed               the store has no name any more, and lives until the last holder lets go
type mapping struct {
	readers, writers int
	guests           int
	home             *device // whose memory guests have the store in; nil for the host's
	given            bool    // an address in the home was given out
	adopted          uint64  // where a guest's own memory is; 0 where it is none
	lent             bool    // the memory is the program's own, which it never stops to have
	freed            bool    // Free was called; the last release frees
}

// written reports whether the program may write the memory behind our back.
func (m *mapping) written() bool { return m != nil && (m.writers > 0 || m.lent || m.home != nil) }

// held reports whether the program has been given the memory and not given it back.
func (m *mapping) held() bool { return m != nil && m.readers+m.writers+m.guests > 0 }

// waiter is a goroutine that waits: until all tasks of after are completed, or, when after
// is nil, until no more than so many tasks and bytes are pending, and no more bytes leave than
// given, if any are.
//
// satisfied takes those of after off the front that are completed, so that each is found completed once.
type waiter struct {
	after []scheduler.TaskID
	tasks int
	bytes int64
	left  int64
	since int64 // when it began
	at    scheduler.Where
	ready chan struct{}
}

// satisfied reports whether a waiter need not wait any longer.
func (r *Runtime) satisfied(w *waiter) bool {
	if r.broken {
		return true
	}
	if w.after == nil {
		tasks, bytes := r.core.Look.Pending()
		return tasks <= w.tasks && bytes <= w.bytes && (w.left == 0 || r.leaving <= w.left)
	}
	for len(w.after) > 0 && r.core.Look.Completed(w.after[0]) {
		w.after = w.after[1:]
	}
	return len(w.after) == 0
}

// wake lets the waiters go on that need not wait any longer.
//
// Called at the end of each pump, with the mutex held: a waiter is satisfied by what has just been completed, or is
// not.
func (r *Runtime) wake() {
	kept := r.waiters[:0]
	for _, w := range r.waiters {
		if r.satisfied(w) {
			close(w.ready)
		} else {
			kept = append(kept, w)
		}
	}
	clear(r.waiters[len(kept):])
	r.waiters = kept
}

// await waits without the mutex, which the caller holds before and after. It fails when
// the stop channel delivers first.
//
// The mutex is let go meanwhile, and the lock of the caller's that Options.Release is for. So anything may have changed
// when it returns, and the runtime may be broken.
//
//	core idle, nothing starved, tasks pending     cannot be (inv 1): it would wait for ever
//	stop delivers                                 the waiter leaves the list; the tasks go on
func (r *Runtime) await(w *waiter, stop <-chan struct{}) error {
	if r.satisfied(w) {
		return nil
	}
	if tasks, _ := r.core.Look.Pending(); r.running == 0 && len(r.starved) == 0 && r.idle() {
		panic(fmt.Sprintf("BUG: inv 1: %d tasks are pending, but nothing runs or can start", tasks))
	}
	w.ready = make(chan struct{})
	r.waiters = append(r.waiters, w)
	start := r.rec.Now() // also while nothing is recorded: Doing tells how long it takes
	r.since(start)
	w.since = start
	if r.opt.Asking != nil {
		w.at = r.opt.Asking()
	}
	last := uint32(0) // of the tasks that it waits for
	if n := len(w.after); n > 0 {
		last = uint32(w.after[n-1])
	}
	r.program.Begin(profiler.Wait, last, 0, start)
	r.mu.Unlock()
	var err error
	back := func() {}
	if r.opt.Release != nil {
		back = r.opt.Release()
	}
	select {
	case <-w.ready:
	case <-stop:
		err = r.opt.Interrupted
	}
	back()
	r.mu.Lock()
	if err != nil {
		for i, other := range r.waiters {
			if other == w {
				r.waiters = append(r.waiters[:i], r.waiters[i+1:]...)
				break
			}
		}
	}
	r.counts.add(Waits)
	rec := profiler.Record{Start: start, End: r.now(), Kind: profiler.Wait}
	rec.Task = last
	if label := (profiler.Label{Where: where(w.at), Detail: w.purpose()}); label != (profiler.Label{}) {
		rec.Label = r.rec.Label(label)
	}
	r.record(r.program, rec)
	return err
}

// idle reports whether no device has a task to start.
func (r *Runtime) idle() bool {
	for _, d := range r.devices {
		if len(d.ready) > 0 {
			return false
		}
	}
	return true
}

// obtain makes bytes of a store valid on the host and waits for them. The mutex is held.
//
// A failure of the bytes is told here where the caller tells the program, as the reader of the value, at whatever line
// that is; Sync tells of those that no read has met.
func (r *Runtime) obtain(id scheduler.StoreID, bytes region.Interval, write, tells bool, stop <-chan struct{}) (buf tile.Buffer, err error) {
	if err := r.usable(); err != nil {
		return buf, err
	}
	if err := r.received(id, stop); err != nil {
		return buf, err
	}
	if m := r.mapped[id]; write && m != nil && m.home != nil {
		return buf, fmt.Errorf("the array's memory is %s's, which other libraries use: copy the array to write to it on the host", m.home.info.Name)
	}
	inst, err := r.need(id, bytes, write, stop)
	if err != nil {
		return buf, err
	}
	if r.broken {
		return buf, r.wrong
	}
	if err := r.core.Host.Failure(id, bytes.Lo, bytes.Hi, tells); err != nil {
		return buf, r.explain(err)
	}
	err = r.hostAccess(inst, bytes.Lo, bytes.Hi, false)
	if write && err == nil {
		err = r.hostAccess(inst, bytes.Lo, bytes.Hi, true)
	}
	if err != nil {
		return buf, err
	}
	return r.demand(inst, stop)
}

// need plans an access of the host and waits for what it needs. Other threads submit ops while this one waits. Those on
// the store come before a write of the host, which is waited for as long as there are any: it must not change what they
// read.
//
// A read asks once, since what is submitted meanwhile comes behind it in the stream; a write asks again until a round
// had nothing to wait for.
func (r *Runtime) need(id scheduler.StoreID, bytes region.Interval, write bool, stop <-chan struct{}) (*scheduler.Instance, error) {
	return r.agree(write, stop, func() (*scheduler.Instance, []scheduler.TaskID, error) {
		return r.core.Host.Need(id, bytes.Lo, bytes.Hi, write)
	})
}

// agree is need for an access that the core plans in whatever memory.
func (r *Runtime) agree(write bool, stop <-chan struct{}, access func() (*scheduler.Instance, []scheduler.TaskID, error)) (*scheduler.Instance, error) {
	for {
		r.flush()
		if r.broken {
			return nil, r.wrong
		}
		inst, after, err := access()
		if err != nil {
			return nil, err
		}
		plan := r.core.Look.Planned()
		if len(plan.Tasks) > 0 && r.opt.Asking != nil { // copies to the host are of the line that reads
			at := r.opt.Asking()
			for _, t := range plan.Tasks {
				if t.Op == nil && t.Where == (scheduler.Where{}) {
					t.Where = at
				}
			}
		}
		r.planned(r.moment(), plan)
		r.settleFor(after)
		if !slices.ContainsFunc(after, func(on scheduler.TaskID) bool { return !r.core.Look.Completed(on) }) {
			return inst, nil
		}
		if err := r.await(&waiter{after: after}, stop); err != nil {
			return nil, err
		}
		if !write {
			return inst, nil
		}
	}
}

// Read waits for a view's value and packs its elements into dst in C order.
//
// The bytes are packed without the mutex: it may be megabytes.
func (r *Runtime) Read(v scheduler.View, dst []byte, stop <-chan struct{}) error {
	if want := int64(v.Elements()) * int64(v.Type.Size()); int64(len(dst)) != want {
		return fmt.Errorf("driver: the elements of %v have %d bytes, the destination has %d", v, want, len(dst))
	}
	if len(dst) == 0 {
		return nil
	}
	bytes := hull(v)
	buf, err := func() (tile.Buffer, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.obtain(v.Store, bytes, false, true, stop)
	}()
	if err != nil {
		return err
	}
	pack(dst, buf.Bytes(), v)
	return nil
}

// Near reports whether Read of a few bytes of a store moves these and nothing else. Of other stores a program does
// better to have an op copy them where they lie.
func (r *Runtime) Near(id scheduler.StoreID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.usable() != nil || r.core.Look.Near(id)
}

// hull returns the bytes from the first to the last of a view.
func hull(v scheduler.View) region.Interval {
	l := region.Layout{Offset: v.Offset, Shape: v.Shape, Strides: v.Strides, Size: int64(v.Type.Size())}
	bytes, _ := region.Footprint(l, make([]int, len(v.Shape)), v.Shape)
	return bytes
}

// Map waits for a view's value and returns the host memory of its store; for a writable mapping,
// which every op on the store gets to see, for all of the store's.
func (r *Runtime) Map(v scheduler.View, writable bool, stop <-chan struct{}) (p unsafe.Pointer, release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := v.Store
	size, ok := r.core.Look.Bytes(id)
	if !ok {
		return nil, nil, fmt.Errorf("driver: %v is mapped, but there is no such store", id)
	}
	bytes := region.Interval{Lo: 0, Hi: size}
	if part := hull(v); !writable && !part.Empty() {
		bytes = part
	}
	buf, err := r.obtain(id, bytes, writable, true, stop)
	if err != nil {
		return nil, nil, err
	}
	return buf.Host, r.pin(id, writable), nil
}

// Await waits for what a view's value is computed from. That it failed is left to whatever reads the value to tell.
func (r *Runtime) Await(v scheduler.View, stop <-chan struct{}) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	bytes := hull(v)
	if err := r.usable(); err != nil || bytes.Empty() {
		return err
	}
	_, err := r.need(v.Store, bytes, false, stop)
	return err
}

// pin keeps a store where it is until release is called.
func (r *Runtime) pin(id scheduler.StoreID, writable bool) (release func()) {
	m := r.mapped[id]
	if m == nil {
		m = new(mapping)
		r.mapped[id] = m
		r.core.Host.Pin(id, true)
	}
	count := &m.readers
	if writable {
		count = &m.writers
	}
	*count++
	return r.releaser(id, m, count)
}

// releaser returns what ends a holder of a mapping, which count has counted. It may be called on any goroutine, such as
// a finalizer's, and more than once.
func (r *Runtime) releaser(id scheduler.StoreID, m *mapping, count *int) (release func()) {
	var once sync.Once
	return func() {
		once.Do(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.unhold(id, m, count)
		})
	}
}

// unhold ends a holder. A home stays until the next meeting, for what guests have written last.
func (r *Runtime) unhold(id scheduler.StoreID, m *mapping, count *int) {
	*count--
	if m.held() || (m.lent || m.home != nil) && !m.freed {
		return
	}
	delete(r.mapped, id)
	r.core.Host.Pin(id, false)
	if m.freed && r.usable() == nil {
		r.letGo(id)
		r.freeLoose()
	}
}

// exported reports whether an op touches a store that the program may write behind our back.
func (r *Runtime) exported(op *scheduler.Op) bool {
	for i := range op.Uses {
		if r.mapped[op.Uses[i].View.Store].written() {
			return true
		}
	}
	return false
}

// claim makes the host's bytes of the exported stores of an op the valid ones, and waits
// for what still uses them. It stands before the op, which then sees what the program wrote,
// and after it, so that the op is complete and the program sees its result. A failure stays
// with the store until it is read.
//
//	program writes into the memory           (without a call: no op knows)
//	claim     the host's bytes are the valid ones; what reads them still has ended
//	the op    is planned and runs
//	claim     waits for it: the memory holds its result, and the host's bytes are valid again
func (r *Runtime) claim(op *scheduler.Op) {
	for i := range op.Uses {
		id := op.Uses[i].View.Store
		switch m := r.mapped[id]; {
		case m.written() && m.home != nil:
			_, _ = r.visit(id, m, m.home, nil) // an error is told by Submit or by the next read
			r.depart(id, m)
		case m.written():
			size, _ := r.core.Look.Bytes(id)
			inst, err := r.need(id, region.Interval{Lo: 0, Hi: size}, true, nil)
			if err != nil {
				continue // a store that Submit is going to complain about, or a runtime that the next read does
			}
			_ = r.hostAccess(inst, 0, size, true) // what the checker found is told by the next read
		}
	}
}

// Sync flushes the stream and waits for everything.
//
// It tells of the oldest failure that no read has met, and forgets the others.
func (r *Runtime) Sync(stop <-chan struct{}) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return err
	}
	r.flush()
	r.settle()
	if err := r.await(&waiter{}, stop); err != nil {
		return err
	}
	if r.wrong != nil {
		return r.wrong
	}
	if err := r.core.Host.Untold(); err != nil {
		return r.explain(err)
	}
	return nil
}

// Cancel makes everything that has not started fail: reading what it would have computed
// returns an error that says so. Programs under way are told to stop in their loops; it does not wait
// for what has started.
func (r *Runtime) Cancel() { r.CancelOps(0, ^scheduler.OpID(0)) }

// CancelOps is Cancel for the ops whose ID is above since and not above until.
func (r *Runtime) CancelOps(since, until scheduler.OpID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() == nil {
		r.cancel(since, until, ErrCancelled)
	}
}

// LastOp returns the newest op that was submitted.
func (r *Runtime) LastOp() scheduler.OpID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.Look.LastOp()
}

// Tasks are in four places, each of which is gone through: not handed out (the core's), ready, starved, and on queues,
// where only loops can be told to stop.
func (r *Runtime) cancel(since, until scheduler.OpID, why error) {
	r.flush()
	r.core.Cancel(since, until, why)
	for _, d := range r.devices {
		ready := d.ready
		d.ready = nil
		for _, t := range ready {
			r.abandon(t, since, until, why)
		}
		for _, q := range d.queues {
			for i := q.ended; i < q.count; i++ {
				if s := q.at(i); s.task.Kind == scheduler.Run && s.task.Op.ID > since && s.task.Op.ID <= until && s.launch.Stop != nil {
					s.stopped = why
					s.launch.Stop.Set()
				}
			}
		}
	}
	starved := r.starved
	r.starved = nil
	for _, t := range starved {
		r.abandon(t, since, until, why)
	}
	r.pump()
}

// abandon cancels a task that was handed out but not started, if its op is in the range.
// Copies go on.
func (r *Runtime) abandon(t *scheduler.Task, since, until scheduler.OpID, why error) {
	if t.Kind == scheduler.Run && t.Op.ID > since && t.Op.ID <= until {
		r.complete(t, why)
	} else {
		r.enqueue(t)
	}
}
