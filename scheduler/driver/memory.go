package driver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/units"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/tile"
)

// memory is one memory of the machine.
//
// live counts what instances ask for; what the allocator adds by rounding is in MemoryStats.Mapped.
type memory struct {
	name       string
	device     *device // allocates in it
	lane       *profiler.Lane
	live, peak int64 // bytes of instances
}

// buffer is an instance's bytes.
//
//	asked for     bufferOf has made it, and inst.Held points to it; no bytes yet
//	allocated     from the first task or access of the host that uses it, to the instance's Free
//	at rest       parted from its instance, among r.unused: zero, for the next one
//
// users counts started tasks, one for each operand: a Free that finds some is a bug in the plan (inv 2).
type buffer struct {
	inst      *scheduler.Instance
	buf       tile.Buffer
	allocated bool
	leaving   bool          // the program has let it go
	lent      func()        // gives memory back that is the program's own; nil where a device allocated it
	users     int           // started tasks that use it
	by        *scheduler.Op // the first op that used it; nil when the host wrote it
}

// MemoryError says that there is no memory left for an op's arrays.
//
// It comes from two places: the plan finds that nothing makes room in its account (scheduler.NoRoom, lacking), or a
// device fails to allocate what the account has room for (memoryError). A program reads the same text either way.
type MemoryError struct {
	Memory  string // cpu, gpu0
	Needs   int64  // bytes that were asked for
	Live    int64  // bytes in use there
	Total   int64  // bytes that there are; 0 if the memory has no limit of its own
	Largest []LargeStore
	Err     error // the device's
}

// LargeStore is one of the stores that use most memory.
type LargeStore struct {
	Store scheduler.StoreID
	Bytes int64
	Made  string // "add at In[3] line 2"
}

// Error is what the user reads.
func (e *MemoryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "unable to allocate %s on %s: %s are in use", units.Size(e.Needs), e.Memory, units.Size(e.Live))
	if e.Total > 0 {
		fmt.Fprintf(&b, " of %s", units.Size(e.Total))
	}
	for i, l := range e.Largest {
		if i == 0 {
			b.WriteString("; the largest arrays are ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s made by %s (%v)", units.Size(l.Bytes), l.Made, l.Store)
	}
	if e.Total > 0 && e.Err != nil && e.Live+e.Needs < e.Total { // what is lacking is not the memory's to have
		fmt.Fprintf(&b, "; %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the device's error.
func (e *MemoryError) Unwrap() error { return e.Err }

// reserve makes sure that all buffers of a task are allocated. When a memory is full it
// gives up and reports that; what was allocated stays for the next attempt.
//
// Keeping what was allocated cannot lock two tasks against each other: the plan has room for all that is handed out, so
// that only pieces too small, or memory that others than weft use, make it fail.
func (r *Runtime) reserve(t *scheduler.Task) (full bool, err error) {
	err = each(t, func(inst *scheduler.Instance) error {
		_, err := r.allocate(inst, t.Op)
		return err
	})
	if errors.Is(err, tile.ErrOutOfMemory) {
		return true, nil
	}
	return false, err
}

// each calls fn for every instance that a run or copy uses, until it fails.
func each(t *scheduler.Task, fn func(*scheduler.Instance) error) error {
	if t.Kind == scheduler.Copy {
		if err := fn(t.Src); err != nil {
			return err
		}
		return fn(t.Dst)
	}
	for i := range t.Args {
		if err := fn(t.Args[i].Instance); err != nil {
			return err
		}
	}
	return nil
}

// bufferOf returns an instance's buffer, which may not be allocated.
//
// The pointer in inst.Held saves looking into a map for each operand; the map is for what goes over all buffers:
// figures, errors and Close.
func (r *Runtime) bufferOf(inst *scheduler.Instance) *buffer {
	b := held(inst)
	if b == nil {
		b = r.takeBuffer()
		b.inst, inst.Held = inst, b
		r.buffers[inst.ID] = b
	}
	return b
}

// buffersAtRest is how many buffers without an instance wait to be used again, some 100 kB.
const buffersAtRest = 1 << 10

// takeBuffer returns one that belongs to no instance.
func (r *Runtime) takeBuffer() *buffer {
	if n := len(r.unused); n > 0 {
		b := r.unused[n-1]
		r.unused = r.unused[:n-1]
		return b
	}
	return new(buffer)
}

// held returns the buffer of an instance that was asked for before, or nil.
func held(inst *scheduler.Instance) *buffer {
	b, _ := inst.Held.(*buffer)
	return b
}

// allocate returns an instance's buffer, allocated.
func (r *Runtime) allocate(inst *scheduler.Instance, by *scheduler.Op) (*buffer, error) {
	b := r.bufferOf(inst)
	if b.allocated {
		return b, nil
	}
	m := r.memory[inst.Memory]
	bytes := inst.Hi - inst.Lo
	start := r.moment()
	buf, err := m.device.dev.Alloc(max(bytes, 1))
	if err != nil {
		return b, err
	}
	b.buf, b.allocated, b.by = buf, true, by
	m.live += bytes
	m.peak = max(m.peak, m.live)
	if total := m.device.info.Memory; total > 0 && m.live > total && r.checker != nil && r.wrong == nil {
		r.wrong = fmt.Errorf("BUG: inv 7: %v makes %d bytes in %s, which has %d", inst.ID, m.live, m.name, total)
	}
	r.counts.add(Allocations)
	rec := profiler.Record{Start: start, End: r.lasted(bytes), Bytes: bytes, Kind: profiler.Alloc}
	if by != nil {
		rec.Op = uint32(by.ID)
	}
	r.record(m.lane, rec)
	return b, nil
}

// largeBuffer is from how many bytes on it takes time to get a buffer or to give it back: the system maps such memory
// anew. When exactly less is given back does not matter where nothing else happens, either (moment.go).
const largeBuffer = 1 << 20

// lasted returns the end of an allocation, or of what undoes it.
func (r *Runtime) lasted(bytes int64) int64 {
	if bytes >= largeBuffer {
		return r.now()
	}
	return r.mu.at
}

// release runs a Free task that was handed out.
//
// It takes no queue: giving memory back is done on the thread that finds it may be, with the mutex held.
func (r *Runtime) release(t *scheduler.Task) {
	start, end := r.giveBack(t)
	r.log.ran(t, start, end, false)
	r.complete(t, nil)
	r.feed()
}

// giveBack is what a Free task does.
func (r *Runtime) giveBack(t *scheduler.Task) (start, end int64) {
	start, end = r.part(t)
	t.Src.Held = nil
	r.check(func(c *verify.Checker) error { return c.Start(t) })
	r.check(func(c *verify.Checker) error { return c.End(t, nil) })
	return start, end
}

// part parts the instance that a task frees from its buffer, if it has one, and gives back the memory.
//
// Lent memory goes back to the program by its own function; what a device allocated, to that device, whose Free may
// keep it for the next Alloc.
func (r *Runtime) part(t *scheduler.Task) (start, end int64) {
	inst := t.Src
	bytes := inst.Hi - inst.Lo
	start = r.parting(bytes)
	b := held(inst)
	if b == nil {
		return start, start
	}
	if b.users != 0 {
		panic(fmt.Sprintf("BUG: inv 2: %v frees %v, which %d started tasks use", t.ID, inst.ID, b.users))
	}
	end = start
	switch {
	case b.lent != nil:
		b.lent()
	case b.allocated:
		m := r.memory[inst.Memory]
		m.device.dev.Free(b.buf)
		m.live -= bytes
		if b.leaving {
			r.leaving -= bytes
		}
		end = r.lasted(bytes)
		if t.Cause == scheduler.Spill {
			r.counts.add(Evictions)
		}
		r.record(m.lane, profiler.Record{Start: start, End: end, Bytes: bytes, Task: uint32(t.ID), Kind: profiler.Free})
	}
	delete(r.buffers, inst.ID)
	*b = buffer{}
	if len(r.unused) < buffersAtRest {
		r.unused = append(r.unused, b)
	}
	return start, end
}

// feed lets the starved tasks try again: memory may have become free.
func (r *Runtime) feed() {
	for _, t := range r.starved {
		r.enqueue(t)
	}
	clear(r.starved)
	r.starved = r.starved[:0]
}

// relieve is called when no task runs, and those that could start lack memory. What the
// window releases may help, and then what leaves the memory; when nothing can any more, the
// oldest task fails. It reports whether there is something to start.
//
//	nothing runs, tasks starve
//	  1  the window has releases or ops        flush: its frees may be enough
//	  2  bytes that guests had are to come     the starved wait for these: returned
//	  3  the oldest lacks memory still         Core.Yield: instances leave that no pending task uses
//	  4  nothing may leave                     the oldest fails, and the others try again
//
// Each step makes progress, so that a program never stands still: it ends, or fails with a MemoryError.
func (r *Runtime) relieve() bool {
	if r.core.Look.Unflushed() {
		r.flush()
		r.feed()
		return true
	}
	r.awaitReturns() // before the oldest tries: what comes meanwhile is found by it, or tells
	oldest := slices.MinFunc(r.starved, func(a, b *scheduler.Task) int { return int(a.ID) - int(b.ID) })
	var lacks *scheduler.Instance
	err := each(oldest, func(inst *scheduler.Instance) error {
		_, err := r.allocate(inst, oldest.Op)
		if err != nil {
			lacks = inst
		}
		return err
	})
	if errors.Is(err, tile.ErrOutOfMemory) && r.memory[lacks.Memory].device.returns {
		return false
	}
	if errors.Is(err, tile.ErrOutOfMemory) && r.yield(lacks, oldest.Where) {
		return true
	}
	r.starved = slices.DeleteFunc(r.starved, func(t *scheduler.Task) bool { return t == oldest })
	if err == nil { // what another task's failure left is enough
		r.enqueue(oldest)
	} else {
		r.complete(oldest, r.memoryError(lacks, err))
	}
	r.feed()
	return true
}

// yield plans that as much leaves the memory of an instance as that lacks, and reports whether anything does. The
// starved try again when it has left.
func (r *Runtime) yield(lacks *scheduler.Instance, where scheduler.Where) bool {
	if !r.core.Yield(lacks.Memory, lacks.Hi-lacks.Lo) {
		return false
	}
	plan := r.core.Look.Planned()
	for _, t := range plan.Tasks {
		t.Where = where
	}
	r.planned(r.moment(), plan)
	return true
}

// memoryError describes the state of a memory that is used up.
//
// It goes by buffers, what is really there, as lacking goes by the plan's account.
func (r *Runtime) memoryError(inst *scheduler.Instance, cause error) *MemoryError {
	m := r.memory[inst.Memory]
	e := &MemoryError{Memory: m.name, Needs: inst.Hi - inst.Lo, Live: m.live, Total: m.device.info.Memory, Err: cause}
	var all []*buffer
	for _, b := range r.buffers {
		if b.allocated && b.lent == nil && b.inst.Memory == inst.Memory {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b *buffer) int {
		if x, y := a.inst.Hi-a.inst.Lo, b.inst.Hi-b.inst.Lo; x != y {
			return int(min(1, max(-1, y-x)))
		}
		return int(a.inst.ID) - int(b.inst.ID)
	})
	for _, b := range all[:min(3, len(all))] {
		made := "the program"
		if b.by != nil {
			by := b.by.Maker(b.inst.Store)
			made = r.placed(by.Name, by.Where)
		}
		e.Largest = append(e.Largest, LargeStore{b.inst.Store, b.inst.Hi - b.inst.Lo, made})
	}
	return e
}

// lacking describes a memory that is used up, as the plan has it.
func (r *Runtime) lacking(full *scheduler.NoRoom) *MemoryError {
	e := &MemoryError{Memory: r.memory[full.Memory].name, Needs: full.Needs, Live: full.Live, Total: full.Capacity, Err: tile.ErrOutOfMemory}
	for _, h := range full.Largest {
		made := "the program"
		if h.Name != "" {
			made = r.placed(h.Name, h.Where)
		}
		e.Largest = append(e.Largest, LargeStore{h.Store, h.Bytes, made})
	}
	return e
}

// demand returns the buffer of an instance that the host needs now. When memory is used up it flushes what the program
// has released, and waits until everything that runs is done and what guests had the address of has come back.
//
// The program's thread has no task to starve, so it waits for all tasks instead, after which as much is free as ever
// will be. Other threads may submit more while it waits, so that it looks again after each wait.
func (r *Runtime) demand(inst *scheduler.Instance, stop <-chan struct{}) (tile.Buffer, error) {
	for sharer := r.memory[inst.Memory].device.sharer; ; {
		b, err := r.allocate(inst, nil)
		if err == nil || !errors.Is(err, tile.ErrOutOfMemory) {
			return b.buf, err
		}
		r.flush()
		r.pump()
		if w := new(waiter); !r.satisfied(w) {
			if err := r.await(w, stop); err != nil {
				return tile.Buffer{}, err
			}
			continue
		}
		left := make(chan error, 1)
		leaving := sharer != nil && sharer.Leaving(func() { left <- nil })
		if b, err = r.allocate(inst, nil); err == nil { // it may have come back since
			return b.buf, nil
		}
		if !leaving || !errors.Is(err, tile.ErrOutOfMemory) {
			return tile.Buffer{}, r.memoryError(inst, err)
		}
		if err := r.outside(left, stop); err != nil {
			return tile.Buffer{}, err
		}
	}
}
