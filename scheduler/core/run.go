package core

import (
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// Failure is why bytes have no value: a task failed, or was cancelled.
type Failure struct {
	Task  scheduler.TaskID
	Op    scheduler.OpID // 0 for a copy that the program asked for
	Name  string         // of the op
	Where scheduler.Where
	Err   error
	Kept  bool // some of the bytes are as they were before, or as threads left them, and can be read once it is told

	threads   bool           // it is a launch's, which leaves arrays that can be read
	told      bool           // the program has seen it
	toldAfter scheduler.OpID // the last op of the stream by then
}

// Error says which op failed and why. The place is told by the driver, which knows the
// names of sources.
func (f *Failure) Error() string { return fmt.Sprintf("%v %s: %v", f.Op, f.Name, f.Err) }

// Unwrap returns the task's error.
func (f *Failure) Unwrap() error { return f.Err }

// poison is bytes that hold no value, or not the one that they should.
//
// An update that never began leaves bytes as they were: NumPy's program would have stopped at the statement that had no
// room, and an array that comes later would be as it was before. So they are intact: a host read of them is told of the
// failure once, and what comes behind that in the stream finds the old value. What a launch of threads updates that
// fails is intact, too, with what its threads wrote until then; and so are arrays whose updates behind the launch never
// began.
//
//	b += x            no room for x: the op does not run
//	c = b * 2         o7, is lost with b
//	read b            MemoryError                   told, after o7
//	d = b * 2         o8, computes with the old b
//
// Entries of an instance are disjoint: poison heals the bytes first, so that the newest failure of each byte is the one
// that is told. The list is empty in all programs but those that have failed.
type poison struct {
	bytes  region.Comb
	by     *Failure
	intact bool
}

// holds reports whether the bytes have no value for an op.
func (p *poison) holds(op scheduler.OpID) bool {
	return !p.intact || !p.by.told || op <= p.by.toldAfter
}

// noRoom reports whether memory was short. Of other failures some tiles of an op may know nothing, and have run.
func (f *Failure) noRoom() bool {
	_, is := f.Err.(*scheduler.NoRoom)
	return is
}

// tell notes that the program has seen the failure.
func (c *Core) tell(f *Failure) {
	if !f.told {
		f.told, f.toldAfter = true, c.named.op
	}
}

// running is the tasks that are planned and not completed.
//
// pending counts all tasks, runs, bytes and owed those of ops: the driver bounds by them how far a program runs ahead.
// cold is the part of owed that the CPUs run because kernels are compiled.
// work is a stack, not recursion: a failure may doom a chain of as many tasks as are pending.
type running struct {
	tasks   table[node]
	ready   []*node           // may start and were not handed out
	handed  []*scheduler.Task // what Next returned last
	work    []*node           // complete's list
	pending int
	runs    int   // of those, that are tasks of ops: neither copies nor frees
	bytes   int64 // of the pending run tasks
	owed    int64 // what these cost
	cold    int64 // what of these the CPUs run while kernels are compiled
	unseen  []*Failure
}

// Next returns the tasks that may start and were not returned before, in ID order: each of After is completed,
// or begun and in Behind. The slice is valid until the next call.
//
// Ready tasks arrive in the order of completions, which differs from run to run. Sorting by ID makes what is handed
// out a function of the calls alone, and gives the oldest op priority.
func (c *Core) Next() []*scheduler.Task {
	clear(c.running.handed)
	c.running.handed = c.running.handed[:0]
	slices.SortFunc(c.running.ready, func(a, b *node) int { return int(a.ID) - int(b.ID) })
	for _, n := range c.running.ready {
		n.Behind = c.behind(n)
		n.state = handedOut
		c.running.handed = append(c.running.handed, &n.Task)
	}
	clear(c.running.ready)
	c.running.ready = c.running.ready[:0]
	return c.running.handed
}

// Done reports that a task is completed, as those of its Behind are, with the error that it failed with, if any. It
// returns what the task has failed with: the same, or what one of those has that it ran behind.
func (c *Core) Done(id scheduler.TaskID, err error) error {
	n := c.running.tasks.get(uint32(id))
	if n == nil || n.state != handedOut && n.state != begun {
		panic(fmt.Sprintf("BUG: inv 3: %v is reported done, but is not running", id))
	}
	if n.wait > 0 {
		panic(fmt.Sprintf("BUG: inv 4: %v is reported done before %d tasks that it comes behind", id, n.wait))
	}
	var f *Failure
	if c.ordered(n) {
		f = n.poisoned()
	}
	if f == nil && err != nil {
		f = c.failure(n, err)
	}
	c.complete(n, f)
	c.settle()
	if f == nil {
		return nil
	}
	return f
}

// Cancel makes every run that was not handed out fail with the error, and what depends on it, of the ops whose ID is
// above since and not above until. Copies and frees still take place.
//
// Tasks that were handed out run on: a device may be in the middle of them. Ready ones are enabled again, as planned,
// so that they find their doom.
func (c *Core) Cancel(since, until scheduler.OpID, err error) {
	var last *Failure // the tiles of one op fail as one
	c.running.tasks.each(func(n *node) {
		if n.Kind != scheduler.Run || n.state > enabled || n.Op.ID <= since || n.Op.ID > until {
			return
		}
		if last == nil || last.Op != n.Op.ID {
			last = c.failure(n, err)
		}
		n.doom = last
	})
	ready := c.running.ready
	c.running.ready = nil
	for _, n := range ready {
		n.state = planned
		c.enable(n)
	}
	c.settle()
}

// failure makes an error known. The tiles of an op fail as one, and so do the ops of a plan that lack room for
// one store: the program is told of one of them, and not of the others again.
func (c *Core) failure(n *node, err error) *Failure {
	f := &Failure{Task: n.ID, Name: n.Kind.String(), Where: n.Where, Err: err}
	if n.Op != nil {
		f.Op, f.Name, f.threads = n.Op.ID, n.Op.Name, n.Op.Grid != nil
		for _, known := range c.running.unseen {
			if known.Op == f.Op || known.noRoom() && known.Err == err {
				return known
			}
		}
	}
	if len(c.running.unseen) >= manyFailures {
		c.running.unseen = slices.DeleteFunc(c.running.unseen, func(f *Failure) bool { return f.told })
	}
	c.running.unseen = append(c.running.unseen, f)
	return f
}

// manyFailures is from how many on the core forgets those that the program was told of, in
// programs that catch errors for ever.
const manyFailures = 64

// enable makes a task ready if its dependences let it start, unless it cannot run: then, once they are completed, it
// is put on the list of those to complete as failed.
//
// Called for a task when it is committed, and whenever one that it waits for is completed or has begun.
func (c *Core) enable(n *node) {
	switch {
	case n.state != planned:
		return
	case n.wait > 0:
		if !c.follows(n) {
			return
		}
	default:
		if n.doom = c.fate(n); n.doom != nil {
			c.running.work = append(c.running.work, n)
			return
		}
	}
	n.state = enabled
	c.running.ready = append(c.running.ready, n)
}

// fate returns why a task must not run, or nil. Where what it reads has no value because there was no
// room for it, that is the reason, and not that there is none still.
//
// Asked when all that the task waits for is completed: only then is it known which bytes are poisoned.
func (c *Core) fate(n *node) *Failure {
	if n.doom != nil {
		return n.doom
	}
	f := n.poisoned()
	if f == nil && n.Lacks != nil {
		f = n.lost()
	}
	if f == nil && n.Lacks != nil {
		f = c.failure(n, n.Lacks)
		by := n.Lacks.Op.Maker(n.Lacks.Store) // of a fused op the part that asks for so much
		f.Op, f.Name, f.Where = n.Lacks.Op.ID, by.Name, by.Where
	}
	return f
}

// lost returns why other bytes of the store that a task lacks room for have no value, if they too lacked room: an array
// that was made in part is lost once.
func (n *node) lost() *Failure {
	for i := range n.uses {
		u := &n.uses[i]
		if u.store.id != n.Lacks.Store {
			continue
		}
		for k := range u.inst.bad {
			if p := &u.inst.bad[k]; p.by.noRoom() && p.holds(n.asker()) {
				return p.by
			}
		}
	}
	return nil
}

// poisoned returns the failure that keeps a task from running. A copy runs as long as some
// of its bytes have a value: the others stay poisoned on the other side.
func (n *node) poisoned() *Failure {
	for i := range n.uses {
		u := &n.uses[i]
		if !u.read || n.Kind == scheduler.Free || len(u.inst.bad) == 0 {
			continue
		}
		for k := range u.inst.bad {
			p := &u.inst.bad[k]
			if bytes, _ := n.exact(i); p.holds(n.asker()) && p.bytes.Overlaps(bytes) && (n.Kind != scheduler.Copy || u.inst.allBad(bytes, n.asker())) {
				return p.by
			}
		}
	}
	return nil
}

// asker is the op that a task belongs to; what the program asks for comes behind all.
func (n *node) asker() scheduler.OpID {
	if n.Op == nil {
		return ^scheduler.OpID(0)
	}
	return n.Op.ID
}

// exact returns the footprint of a use without the gaps that planning does not care about, and
// whether it has none left. Tiles of one op may lie in each other's gaps: the failure of one says
// nothing about the others. Only failures ask for it.
func (n *node) exact(i int) (bytes region.Comb, exact bool) {
	u := &n.uses[i]
	if u.dense || u.comb != nil || n.Kind != scheduler.Run {
		return u.footprint(), u.dense
	}
	at, shape := n.Extent(i)
	return region.Cover(n.Op.Uses[i].View.Layout(), at, shape)
}

// allBad reports whether none of the bytes has a value, nor one that can be read once the failure is told, as what
// launches of threads leave has.
func (inst *instance) allBad(bytes region.Comb, asker scheduler.OpID) bool {
	good := bytes.Len()
	for i := range inst.bad { // none overlaps another
		p := &inst.bad[i]
		if !p.holds(asker) || p.intact && !p.by.noRoom() {
			continue
		}
		for _, part := range p.bytes.Intersect(bytes, nil) {
			good -= part.Len()
		}
	}
	return good == 0
}

// settle completes the tasks that cannot run; each may doom more of them.
func (c *Core) settle() {
	for len(c.running.work) > 0 {
		n := c.running.work[len(c.running.work)-1]
		c.running.work = c.running.work[:len(c.running.work)-1]
		c.complete(n, n.doom)
	}
}

// complete ends a task and enables what waited for it.
func (c *Core) complete(n *node, f *Failure) {
	c.running.tasks.remove(uint32(n.ID))
	c.running.pending--
	if n.Kind == scheduler.Run {
		c.running.runs--
	}
	c.running.bytes -= n.Moves
	c.running.owed -= n.Work
	if n.Cold {
		c.running.cold -= n.Work
	}
	known := n.state == begun // to what waits
	c.end(n, f)
	next := n.next
	n.next = nil
	for _, w := range next {
		if !known {
			w.ahead--
		}
		w.wait--
		c.enable(w)
	}
	n.fewNext = [2]*node{}
}

// end notes which bytes a task has given a value, or should have, and lets go of what the task
// holds: the driver's log may keep it.
func (c *Core) end(n *node, f *Failure) {
	began := n.state == handedOut || n.state == begun
	n.state = completed
	for i := range n.uses {
		u := &n.uses[i]
		switch {
		case !u.write:
		case f != nil:
			bytes, _ := n.exact(i)
			if u.inst.missing { // what lies between elements must not be copied either
				bytes = u.footprint()
			}
			intact := n.keeps(u) || !began && (f.noRoom() || f.threads) && n.finds(i)
			f.Kept = f.Kept || intact
			u.inst.poison(bytes, f, intact)
		case len(u.inst.bad) == 0:
		default:
			if bytes, exact := n.exact(i); exact {
				u.inst.heal(bytes)
			} else if n.Kind == scheduler.Run {
				_, shape := n.Extent(i)
				u.inst.healElements(n.Args[i].Offset+u.inst.Lo, shape, n.Op.Uses[i].View.Strides, int64(n.Op.Uses[i].View.Type.Size()))
			}
		}
	}
	if n.Kind == scheduler.Copy && f == nil {
		for k := range n.uses[0].inst.bad {
			p := &n.uses[0].inst.bad[k]
			if !p.holds(n.asker()) {
				continue
			}
			for _, part := range p.bytes.Intersect(n.uses[1].footprint(), nil) {
				n.uses[1].inst.poison(part, p.by, p.intact)
			}
		}
	}
	if n.Kind == scheduler.Free {
		n.uses[0].inst.forget()
		c.given(n)
	}
	clear(n.uses)
	n.uses = nil
}

// keeps reports whether what a failed task should have written is as valid as it was before: what a program of threads
// updates has the old elements, and the new ones where threads wrote before one of them failed; or, where an ordered
// device had begun it behind the one that failed, what it made of what that left.
func (n *node) keeps(u *use) bool {
	return n.Kind == scheduler.Run && n.Op.Grid != nil && u.read && !u.inst.missing
}

// finds reports whether what a task should write has a value before. Of several instances, only one that the task reads
// too is known to have had all of these bytes.
func (n *node) finds(i int) bool {
	u := &n.uses[i]
	if n.Kind != scheduler.Run || u.inst.missing || u.renew { // what is renewed had its value in the old instance
		return false
	}
	if before := u.inst.filled || u.inst.first != 0 && u.inst.first < n.Op.ID; !before {
		return false
	}
	if u.inst.Lo == 0 && u.inst.Hi == u.store.size && u.inst.Memory == 0 && len(u.store.at) == 1 {
		return true
	}
	for k := range n.uses {
		if r := &n.uses[k]; r.read && r.inst == u.inst && r.bytes.Lo <= u.bytes.Lo && r.bytes.Hi >= u.bytes.Hi {
			return true
		}
	}
	return false
}

// forget is for an instance that is freed. Tasks that live on in the driver's log know it; what it knows would keep all
// earlier tasks alive, one through the other.
func (inst *instance) forget() {
	inst.past, inst.bad, inst.valid, inst.room = history{}, nil, region.Area{}, nil
	inst.filled, inst.first = false, 0
}

// poison marks bytes as having no value, or as intact: those of them that had no value before have none now either. The
// newest failure of a byte is told.
func (inst *instance) poison(bytes region.Comb, f *Failure, intact bool) {
	if bytes.Empty() {
		return
	}
	var lost []region.Comb
	for i := range inst.bad {
		if p := &inst.bad[i]; intact && !p.intact {
			lost = p.bytes.Intersect(bytes, lost)
		}
	}
	inst.heal(bytes)
	inst.bad = append(inst.bad, poison{bytes, f, intact})
	for _, part := range lost {
		inst.poison(part, f, false)
	}
}

// heal marks bytes as having one.
func (inst *instance) heal(bytes region.Comb) {
	for i := 0; i < len(inst.bad); i++ {
		p := inst.bad[i]
		if !p.bytes.Overlaps(bytes) {
			continue
		}
		inst.bad = slices.Delete(inst.bad, i, i+1)
		for _, rest := range p.bytes.Subtract(bytes, nil) {
			inst.bad = slices.Insert(inst.bad, i, poison{rest, p.by, p.intact})
			i++
		}
		i--
	}
}

// healElements marks the elements of a view, and none of the bytes between them, as having a value.
func (inst *instance) healElements(at int64, shape []int, strides []int64, size int64) {
	set := region.Layout{Offset: at, Shape: shape, Strides: strides, Size: size}.Elements()
	for _, x := range set.Intervals() {
		inst.heal(x.Comb())
	}
}

// Failure returns the failure that keeps bytes of the store from having a value on the host, or nil. tells says that
// the program is going to be told of it: what comes behind then may find what the failure left. The tasks that Need
// named must be completed.
func (h Host) Failure(id scheduler.StoreID, lo, hi int64, tells bool) error {
	st := h.c.stores.get(uint32(id))
	if st == nil || st.at[0] == nil {
		return nil
	}
	if f := h.c.unmade(st.at[0], region.Interval{Lo: lo, Hi: hi}, tells); f != nil {
		return f
	}
	if st.at[0].missing {
		return &Failure{Name: "read", Err: h.c.noRoom(0, id, st.size)}
	}
	return nil
}

// unmade returns what bytes of an instance have no value for, or nil; tells says that the program is told.
func (c *Core) unmade(inst *instance, bytes region.Interval, tells bool) error {
	for i := range inst.bad {
		p := &inst.bad[i]
		if p.holds(^scheduler.OpID(0)) && p.bytes.Overlaps(bytes.Comb()) {
			if tells {
				c.tell(p.by)
			}
			return p.by
		}
	}
	return nil
}

// Untold returns the oldest failure that the program was not told of, or nil, and forgets all.
func (h Host) Untold() error {
	c := h.c
	var first error
	for _, f := range c.running.unseen {
		if !f.told && first == nil {
			first = f
		}
		c.tell(f)
	}
	clear(c.running.unseen)
	c.running.unseen = c.running.unseen[:0]
	return first
}
