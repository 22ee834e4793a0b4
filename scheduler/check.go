package scheduler

import (
	"fmt"
	"slices"

	"weft/scheduler/region"
)

// Checker is the slow, obvious twin of place and depend: it follows what tasks really did,
// in the order in which they started and ended, and reports the first task that used a byte
// at the wrong time. It looks at no footprint, no set of valid bytes and no After, but at
// the bytes of every element.
//
// For each byte of each store it keeps which op wrote it last in the order of the stream, and
// for each byte of each instance which op's value lies there. A task must find in its
// instances exactly the values that the stream's order asks for (inv 5), nothing that it uses
// may be written by a task that runs at the same time (inv 4), and its instances must not
// have been freed (inv 6).
type Checker struct {
	stores    map[StoreID]*tags
	instances map[InstanceID]*tags
	tasks     map[TaskID]*checked
	running   []*checked // in the order of their starts
	last      TaskID
	host      uint64           // writes of the host so far
	dropped   map[StoreID]OpID // stores that a fused op does not write although a part of it would
}

// checked is a planned task.
type checked struct {
	task   *Task
	reads  []access
	writes []access
	finds  []tag // of what moves values as they are: what lay in the source when it started
}

// access is the elements that a task uses of one instance.
type access struct {
	inst  *Instance
	bytes region.Set
	want  []tag // of a read: what must be found
}

// NewChecker returns a checker that has seen nothing.
func NewChecker() *Checker {
	return &Checker{stores: map[StoreID]*tags{}, instances: map[InstanceID]*tags{}, tasks: map[TaskID]*checked{}, dropped: map[StoreID]OpID{}}
}

// store returns a store's tags, for at least so many bytes.
func (c *Checker) store(id StoreID, bytes int64) *tags {
	t := c.stores[id]
	if t == nil {
		t = newTags(0, bytes)
		c.stores[id] = t
	}
	if n := len(t.list); t.list[n-1].hi < bytes {
		t.list = append(t.list, tag{t.list[n-1].hi, bytes, 0})
	}
	return t
}

// Plan takes a plan over, before any of its tasks starts. It finds what each task must
// read if everything happens in the order of the stream.
func (c *Checker) Plan(p *Plan) error {
	for _, inst := range p.Instances {
		c.instances[inst.ID] = newTags(inst.Lo, inst.Hi)
	}
	if err := c.fusion(p); err != nil {
		return err
	}
	covered := map[OpID]int{}
	var written []*checked // the tiles of one op: all of them read what was there before it
	for _, t := range p.Tasks {
		if t.ID <= c.last {
			return fmt.Errorf("BUG: inv 2: %v is planned after %v", t.ID, c.last)
		}
		c.last = t.ID
		for _, on := range t.After {
			if on >= t.ID {
				return fmt.Errorf("BUG: inv 2: %v waits for %v", t.ID, on)
			}
		}
		ct := &checked{task: t}
		c.tasks[t.ID] = ct
		switch t.Kind {
		case Copy:
			bytes := region.Of(region.Interval{Lo: t.Lo, Hi: t.Hi})
			ct.reads = []access{{inst: t.Src, bytes: bytes}}
			ct.writes = []access{{inst: t.Dst, bytes: bytes}}
		case Run:
			points := 1
			for _, n := range t.Shape {
				points *= n
			}
			covered[t.Op.ID] += points
			if len(written) > 0 && written[0].task.Op != t.Op {
				c.write(written)
				written = written[:0]
			}
			c.run(ct)
			written = append(written, ct)
		}
	}
	c.write(written)
	for _, op := range p.Ops {
		points := 1
		for _, n := range op.Shape {
			points *= n
		}
		if covered[op.ID] != points {
			return fmt.Errorf("BUG: inv 5: the tiles of %v have %d points, its index space %s has %d", op.ID, covered[op.ID], tuple(op.Shape), points)
		}
	}
	return nil
}

// run finds the elements of a run, and what the stream's order makes it read.
func (c *Checker) run(ct *checked) {
	t := ct.task
	for i := range t.Args {
		a, v := &t.Args[i], &t.Op.Uses[i].View
		at, shape := t.Extent(i)
		x := access{inst: a.Instance}
		offset := v.Offset
		for axis := range at {
			offset += int64(at[axis]) * v.Strides[axis]
		}
		runs(&x.bytes, offset, shape, v.Strides, int64(v.Type.Size()))
		if a.Access.Writes() {
			ct.writes = append(ct.writes, x)
		}
		if !a.Access.Reads() {
			continue
		}
		for _, part := range x.bytes.Intervals() {
			x.want = c.store(v.Store, part.Hi).of(part, x.want)
		}
		ct.reads = append(ct.reads, x)
	}
}

// moves reports whether a task moves values from one instance of a store to another.
func (ct *checked) moves() bool {
	return ct.task.Kind == Copy || ct.task.Kind == Run && carries(ct.task.Op)
}

// write makes what the tiles of an op write the values of their stores.
func (c *Checker) write(tiles []*checked) {
	for _, ct := range tiles {
		if ct.moves() {
			continue
		}
		for _, w := range ct.writes {
			if parts := w.bytes.Intervals(); len(parts) > 0 {
				c.store(w.inst.Store, parts[len(parts)-1].Hi).setAll(parts, uint64(ct.task.Op.ID))
			}
		}
	}
}

// runs adds the bytes of all elements to a set.
func runs(set *region.Set, at int64, shape []int, strides []int64, run int64) {
	for len(shape) > 0 && (shape[len(shape)-1] == 1 || strides[len(shape)-1] == run) {
		run *= int64(shape[len(shape)-1])
		shape, strides = shape[:len(shape)-1], strides[:len(shape)-1]
	}
	if len(shape) == 0 {
		set.Add(region.Interval{Lo: at, Hi: at + run})
		return
	}
	for i := range shape[0] {
		runs(set, at+int64(i)*strides[0], shape[1:], strides[1:], run)
	}
}

// Start says that a task starts now.
func (c *Checker) Start(t *Task) error {
	ct := c.tasks[t.ID]
	if ct == nil {
		return fmt.Errorf("BUG: inv 3: %v starts, but was not planned, or has run already", t.ID)
	}
	if t.Kind == Free {
		for _, other := range c.running {
			for _, x := range slices.Concat(other.reads, other.writes) {
				if x.inst == t.Src {
					return fmt.Errorf("BUG: inv 6: %v frees %v, which %v uses", t.ID, t.Src.ID, other.task)
				}
			}
		}
		delete(c.instances, t.Src.ID)
		return nil
	}
	for _, other := range c.running {
		if err := conflict(ct, other); err != nil {
			return err
		}
	}
	for i := range ct.reads {
		x := &ct.reads[i]
		have := c.instances[x.inst.ID]
		if have == nil {
			return fmt.Errorf("BUG: inv 6: %v reads %v after its free", t, x.inst.ID)
		}
		var found []tag
		for _, part := range x.bytes.Intervals() {
			found = have.of(part, found)
		}
		if ct.moves() {
			ct.finds = found
		}
		if t.Kind == Copy { // of bytes without a value as well
			continue
		}
		if err := differ(found, x.want); err != "" {
			return fmt.Errorf("BUG: inv 5: %v reads %v of %v: %s", t, x.inst.Store, x.inst.ID, err)
		}
	}
	for i := range ct.writes {
		if c.instances[ct.writes[i].inst.ID] == nil {
			return fmt.Errorf("BUG: inv 6: %v writes %v after its free", t, ct.writes[i].inst.ID)
		}
	}
	c.running = append(c.running, ct)
	return nil
}

// conflict reports two tasks that run at the same time and use the same bytes, at least
// one of them for writing.
func conflict(a, b *checked) error {
	try := func(w *access, others []access) error {
		for i := range others {
			x := &others[i]
			if x.inst != w.inst {
				continue
			}
			for _, part := range w.bytes.Intervals() {
				if common := x.bytes.Common(part, nil); len(common) > 0 {
					return fmt.Errorf("BUG: inv 4: %v starts before the end of %v; both use bytes %v of %v", a.task, b.task, common[0], x.inst.ID)
				}
			}
		}
		return nil
	}
	for i := range a.writes {
		if err := try(&a.writes[i], b.writes); err != nil {
			return err
		}
		if err := try(&a.writes[i], b.reads); err != nil {
			return err
		}
	}
	for i := range b.writes {
		if err := try(&b.writes[i], a.reads); err != nil {
			return err
		}
	}
	return nil
}

// End says that a task is done, and how.
func (c *Checker) End(t *Task, err error) error {
	ct := c.tasks[t.ID]
	delete(c.tasks, t.ID)
	c.running = slices.DeleteFunc(c.running, func(other *checked) bool { return other == ct })
	for i := range ct.writes {
		w := &ct.writes[i]
		have := c.instances[w.inst.ID]
		switch {
		case err != nil:
			have.setAll(w.bytes.Intervals(), failed)
		case ct.moves():
			have.paste(ct.finds)
		default:
			have.setAll(w.bytes.Intervals(), uint64(t.Op.ID))
		}
	}
	return nil
}

// HostRead says that the host reads bytes of its instance, of a value that has not failed.
func (c *Checker) HostRead(inst *Instance, lo, hi int64) error {
	x := region.Interval{Lo: lo, Hi: hi}
	have := c.instances[inst.ID]
	if have == nil {
		return fmt.Errorf("BUG: inv 6: the host reads %v, which is freed or was never planned", inst.ID)
	}
	if err := differ(have.of(x, nil), c.store(inst.Store, hi).of(x, nil)); err != "" {
		return fmt.Errorf("BUG: inv 5: the host reads %v of %v: %s", inst.Store, inst.ID, err)
	}
	return nil
}

// HostWrite says that the host writes bytes of its instance.
func (c *Checker) HostWrite(inst *Instance, lo, hi int64) {
	if c.instances[inst.ID] == nil {
		c.instances[inst.ID] = newTags(inst.Lo, inst.Hi)
	}
	c.host++
	x := region.Interval{Lo: lo, Hi: hi}
	c.instances[inst.ID].set(x, hostTag+c.host)
	c.store(inst.Store, hi).set(x, hostTag+c.host)
}
