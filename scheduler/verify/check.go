package verify

import (
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// Checker is the slow, obvious twin of fuse, place and depend: it follows what tasks really did,
// in the order in which they started and ended, and finds every use of a byte at the wrong time.
// It looks at no footprint and no set of valid bytes, but at the bytes of every element.
//
// For each byte of each store it keeps which op wrote it last in the order of the stream, for
// each byte of each instance which op's value lies there, and which tasks have used it. A task
// must find in its instances exactly the values that the stream's order asks for (inv 5); it must
// wait for every task before it that uses the same bytes, where one of the two writes them, and
// start after its end, or begin behind it on an ordered device (inv 4); its instances must not have been freed (inv 6);
// and a plan with fused ops cannot be told from the stream that they were made of (inv 5).
//
// It is told of what happens, by Plan, Start (of what begins behind others: when it is given to its queue), End,
// HostRead and HostWrite, which return the first violation that they find; or it looks back at what a log has kept, see
// LookBack.
//
// It has no lock: the driver calls it under its own. Tasks stay in it from their plan
// to their end, instances to their free, stores forever.
type Checker struct {
	stores    map[scheduler.StoreID]*tags
	instances map[scheduler.InstanceID]*held
	tasks     map[event]*checked // planned, and not ended
	last      scheduler.TaskID
	hosts     event                                // accesses of the host so far
	tiles     []*checked                           // of the op that is being planned: all of them read what was there before it
	dropped   map[scheduler.StoreID]scheduler.OpID // stores that a fused op does not write although a part of it would
	covered   map[scheduler.OpID]int               // points of the tiles of the ops that are being planned

	ended  func(before, t *scheduler.Task) bool // whether a task was over when another one was planned
	origin uint64                               // the tag of bytes that were never written
	back   bool                                 // it looks back: instances are known when they are first used
	short  bool                                 // see Short
	only   Span                                 // which tasks and ops count and are complained about
	budget int                                  // elements that may be compared one by one; 0 is no limit
	line   line                                 // of the task that is being planned

	Findings
}

// Findings are what a checker has looked at and what it has found.
type Findings struct {
	Tasks      [scheduler.TaskKinds]int // that it has followed, by TaskKind
	Never      int                      // of those, tasks that never ran: cancelled, or what they read had failed
	Host       int                      // accesses of the host
	Fused      int                      // ops that were part of another
	Conflicts  int                      // pairs of uses of the same bytes of which one writes, next to each other
	Reads      int                      // operands, and copies' sources, whose bytes were compared with the last writes
	Uncertain  int                      // reads that were not compared, as Short had been called
	Skipped    int                      // pairs of operands in fused ops that have too many elements to compare
	Violations []Violation              // the first of them
	Wrong      int                      // how many there are
}

// maxViolations bounds those that are kept: one mistake may show in every task.
const maxViolations = 100

// Violation is a use of bytes at the wrong time.
type Violation struct {
	Invariant int
	Task      scheduler.TaskID // that did it; 0 for an access of the host, or an op
	Other     scheduler.TaskID // that it should have waited for, or that should have waited; 0 for none
	Op        scheduler.OpID   // of the task
	Text      string
}

// Error returns the violation's text, as of every broken invariant.
func (v Violation) Error() string { return fmt.Sprintf("BUG: inv %d: %s", v.Invariant, v.Text) }

// event numbers what uses bytes: a task has its ID, an access of the host hostTag and its number.
type event = uint64

// held is what a checker knows of an instance.
//
// values says what lies there now, in the order of time; users, who uses it, in the order of the plan. The two run at
// different speeds: users is ahead by all tasks that are planned and have not run.
type held struct {
	values *tags // whose value lies where
	users  users
	freed  bool
}

// checked is a planned task, or an access of the host.
//
// Until it starts it is a node of a graph, whose edges are prev and next; from then on its reads and writes are all
// that counts. A failure of the task that never starts is noted by never, of one that ran all the same by lost.
type checked struct {
	by      event
	task    *scheduler.Task // nil for the host
	reads   []access
	writes  []access
	finds   []tag   // of what moves values as they are: what lay in the source when it started
	prev    []event // what it conflicts with, before it in the stream
	next    []event // and behind it
	met     event   // the last one that was found to conflict with it
	lined   event   // the last one that was found to wait for it
	passed  event   // the last one from which others behind it, which had not started, were looked at
	started bool
	never   bool       // it does not run, as LookBack knows
	lost    bool       // it ran behind one that failed, as LookBack knows: what it read need not have been there
	late    bool       // it began behind others, and finds its operands when they have ended
	over    bool       // it is no longer in Checker.tasks
	after   []*checked // those of task.After that were in Checker.tasks when line.reaches followed it first
	traced  bool       // after is known
}

// access is the elements that a task uses of one instance.
//
// bytes are those of its elements, without gaps between them: a column of a matrix is as many intervals as it has rows.
type access struct {
	inst  *scheduler.Instance
	bytes region.Set
	want  []tag // of a read: what must be found
}

// NewChecker returns a checker that has seen nothing. It asks the core, with Completed, which
// tasks need not be waited for.
func NewChecker(completed func(scheduler.TaskID) bool) *Checker {
	return newChecker(func(before, _ *scheduler.Task) bool { return completed(before.ID) })
}

func newChecker(ended func(before, t *scheduler.Task) bool) *Checker {
	return &Checker{
		stores: map[scheduler.StoreID]*tags{}, instances: map[scheduler.InstanceID]*held{}, tasks: map[event]*checked{},
		dropped: map[scheduler.StoreID]scheduler.OpID{}, covered: map[scheduler.OpID]int{}, ended: ended, hosts: hostTag,
		only: Whole,
	}
}

// wrong notes a violation. The task may be nil.
//
// It returns the violation for callers that know more about it, such as the other task. Beyond maxViolations, and for
// tasks that do not count, it returns one that is not kept, so that these need not ask.
func (c *Checker) wrong(invariant int, t *scheduler.Task, format string, args ...any) *Violation {
	if t != nil && !c.counts(t) {
		return new(Violation)
	}
	c.Wrong++
	v := Violation{Invariant: invariant, Text: fmt.Sprintf(format, args...)}
	if t != nil {
		v.Task = t.ID
		if t.Op != nil {
			v.Op = t.Op.ID
		}
	}
	if len(c.Violations) == maxViolations {
		return &v
	}
	c.Violations = append(c.Violations, v)
	return &c.Violations[len(c.Violations)-1]
}

// Span is a part of a run, such as what a cell did: the IDs above the first ones up to and
// including the last ones.
type Span struct {
	FirstOp, LastOp     scheduler.OpID
	FirstTask, LastTask scheduler.TaskID
}

// Whole is the span of a whole run.
var Whole = Span{LastOp: ^scheduler.OpID(0), LastTask: ^scheduler.TaskID(0)}

// counts reports whether a task counts; one without an ID stands for its op.
func (c *Checker) counts(t *scheduler.Task) bool {
	if t.ID == 0 {
		return t.Op.ID > c.only.FirstOp && t.Op.ID <= c.only.LastOp
	}
	return t.ID > c.only.FirstTask && t.ID <= c.only.LastTask
}

// since returns the first violation behind the first n.
func (c *Checker) since(n int) error {
	if n < len(c.Violations) {
		return c.Violations[n]
	}
	return nil
}

// store returns a store's tags, for at least so many bytes.
//
// Sizes of stores are not told: a store is as long as the last byte that was asked for, and grows with c.origin, the
// tag of bytes that nothing has written.
func (c *Checker) store(id scheduler.StoreID, bytes int64) *tags {
	t := c.stores[id]
	if t == nil {
		t = newTags(0, bytes, c.origin)
		c.stores[id] = t
	}
	if n := len(t.list); t.list[n-1].hi < bytes {
		t.list = append(t.list, tag{t.list[n-1].hi, bytes, c.origin})
	}
	return t
}

// instance returns what is known of an instance; nil if there is no such instance (any more).
func (c *Checker) instance(inst *scheduler.Instance) *held {
	h := c.instances[inst.ID]
	if h == nil && c.back {
		h = c.appears(inst)
	}
	if h == nil || h.freed {
		return nil
	}
	return h
}

// appears takes over an instance that has just come into being: none of its bytes has a value of the store's, unless
// the log began later (c.origin), and nothing uses it.
func (c *Checker) appears(inst *scheduler.Instance) *held {
	h := &held{values: newTags(inst.Lo, inst.Hi, c.origin)}
	h.users.writers = newTags(inst.Lo, inst.Hi, 0)
	c.instances[inst.ID] = h
	return h
}

// Plan takes a plan over, before any of its tasks starts. It finds what each task must
// read, and what it must wait for, if everything happens in the order of the stream.
//
// The order within is that of the stream: fused ops first, since what their parts drop counts for what comes behind
// them; then each task; then the writes of the last op, which no task of another op has completed yet.
func (c *Checker) Plan(p *scheduler.Plan) error {
	n := len(c.Violations)
	for _, inst := range p.Instances {
		c.appears(inst)
		if inst.Lo%scheduler.Alignment != 0 {
			c.wrong(9, nil, "%v begins at byte %d of %v", inst.ID, inst.Lo, inst.Store)
		}
	}
	c.fusion(p.Ops)
	for _, t := range p.Tasks {
		c.plan(t)
	}
	c.writeTiles()
	c.cover(p.Ops)
	return c.since(n)
}

// plan takes a task over.
//
// Tiles of one op all read what was there before the op, whichever of them is planned first. So their writes wait in
// c.tiles until a run of another op, an access of the host or the end of the plan comes.
func (c *Checker) plan(t *scheduler.Task) {
	if t.ID <= c.last {
		c.wrong(2, t, "%v is planned after %v", t.ID, c.last)
	}
	c.last = t.ID
	for _, on := range t.After {
		if on >= t.ID {
			c.wrong(2, t, "%v waits for %v", t.ID, on)
		}
	}
	if c.counts(t) {
		c.Tasks[t.Kind]++
	}
	ct := &checked{by: event(t.ID), task: t}
	c.tasks[ct.by] = ct
	switch t.Kind {
	case scheduler.Copy:
		var bytes region.Set
		for i := range t.Part().N {
			bytes.Add(t.Part().Tooth(i))
		}
		ct.reads = []access{{inst: t.Src, bytes: bytes}}
		ct.writes = []access{{inst: t.Dst, bytes: bytes}}
	case scheduler.Free:
		c.conflicts(ct)
		return
	case scheduler.Run:
		points := 1
		for _, n := range t.Shape {
			points *= n
		}
		c.covered[t.Op.ID] += points
		if len(c.tiles) > 0 && c.tiles[0].task.Op != t.Op {
			c.writeTiles()
		}
		c.elements(ct)
		c.tiles = append(c.tiles, ct)
	}
	c.conflicts(ct)
}

// cover makes sure that the tiles of ops are all of their index spaces.
//
// It counts points. With the conflicts between tiles, which would show two that write the same elements, the right
// number means that each point is in one tile.
func (c *Checker) cover(ops []*scheduler.Op) {
	for _, op := range ops {
		points := 1
		for _, n := range op.Shape {
			points *= n
		}
		if got := c.covered[op.ID]; got != points {
			c.wrong(5, &scheduler.Task{Op: op}, "the tiles of %v have %d points, its index space %s has %d", op.ID, got, scheduler.Tuple(op.Shape), points)
		}
	}
	clear(c.covered)
}

// elements finds the elements of a run, and what the stream's order makes it read.
//
// The bytes follow from the op's views and the tile's extent alone. Neither the footprints that the core has computed
// for the task nor the offset that its argument has are looked at.
func (c *Checker) elements(ct *checked) {
	t := ct.task
	for i := range t.Args {
		a, v := &t.Args[i], &t.Op.Uses[i].View
		at, shape := t.Extent(i)
		x := access{inst: a.Instance}
		offset := v.Offset
		for axis := range at {
			offset += int64(at[axis]) * v.Strides[axis]
		}
		x.bytes = region.Layout{Offset: offset, Shape: shape, Strides: v.Strides, Size: int64(v.Type.Size())}.Elements()
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
	return ct.task != nil && (ct.task.Kind == scheduler.Copy || ct.task.Kind == scheduler.Run && carries(ct.task.Op))
}

// writeTiles makes what the tiles of an op write the values of their stores. Those that never ran have changed nothing:
// what reads there has not run either, unless it comes after the program was told of the failure, and finds the value
// from before.
func (c *Checker) writeTiles() {
	for _, ct := range c.tiles {
		if ct.moves() || ct.never {
			continue
		}
		for i := range ct.writes {
			w := &ct.writes[i]
			if parts := w.bytes.Intervals(); len(parts) > 0 {
				c.store(w.inst.Store, parts[len(parts)-1].Hi).setAll(parts, uint64(ct.task.Op.ID))
			}
		}
	}
	clear(c.tiles)
	c.tiles = c.tiles[:0]
}

// Start says that a task starts now.
//
// A task that begins behind others on an ordered device only enters its queue: what it will find is not there yet. Its
// reads are compared at its end, when those that it is behind have ended (late).
func (c *Checker) Start(t *scheduler.Task) error {
	n := len(c.Violations)
	ct := c.tasks[event(t.ID)]
	if ct == nil {
		c.wrong(3, t, "%v starts, but was not planned, or has run already", t.ID)
		return c.since(n)
	}
	c.inOrder(ct)
	ct.started = true
	if t.Kind == scheduler.Free {
		if h := c.instances[t.Src.ID]; h != nil {
			h.freed = true
		}
		// LookBack keeps freed instances: one that it does not know appears when it is used, and a use behind the free
		// would make it appear anew.
		if !c.back {
			delete(c.instances, t.Src.ID)
		}
		return c.since(n)
	}
	if ct.late = c.under(t.Behind); !ct.late {
		c.read(ct)
	}
	for i := range ct.writes {
		if inst := ct.writes[i].inst; c.instance(inst) == nil {
			c.wrong(6, t, "%v writes %v after its free", t, inst.ID)
		}
	}
	return c.since(n)
}

// read compares what a task finds in its operands with what the order of the stream asks for.
func (c *Checker) read(ct *checked) {
	t := ct.task
	for i := range ct.reads {
		x := &ct.reads[i]
		have := c.instance(x.inst)
		if have == nil {
			c.wrong(6, t, "%v reads %v after its free", t, x.inst.ID)
			continue
		}
		var found []tag
		for _, part := range x.bytes.Intervals() {
			found = have.values.of(part, found)
		}
		if ct.moves() {
			ct.finds = found
		}
		if t.Kind == scheduler.Copy { // of bytes without a value as well
			continue
		}
		if c.short || ct.lost {
			if c.counts(t) {
				c.Uncertain++
			}
			continue
		}
		if c.counts(t) {
			c.Reads++
		}
		if err := differ(found, x.want); err != "" {
			c.wrong(5, t, "%v reads %v of %v: %s", t, x.inst.Store, x.inst.ID, err)
		}
	}
}

// under reports whether one of the tasks has not ended.
func (c *Checker) under(tasks []scheduler.TaskID) bool {
	return slices.ContainsFunc(tasks, func(id scheduler.TaskID) bool { return c.tasks[event(id)] != nil })
}

// End says that a task is done, and how.
//
// The values appear at the end, not at the start: what reads them in between finds the old tags, as it may find
// the old bytes. A copy hands on the tags that it found, right or wrong, so that a wrong value is reported where it
// is used, too.
func (c *Checker) End(t *scheduler.Task, err error) error {
	n := len(c.Violations)
	ct := c.tasks[event(t.ID)]
	if ct == nil || !ct.started {
		c.wrong(3, t, "%v ends, but did not start", t.ID)
		return c.since(n)
	}
	if c.under(t.Behind) {
		c.wrong(4, t, "%v ends before a task that it began behind: one of %v", t, t.Behind)
	}
	if ct.late && err == nil {
		c.read(ct)
	}
	c.forget(ct)
	for i := range ct.writes {
		w := &ct.writes[i]
		have := c.instance(w.inst)
		switch {
		case have == nil: // it was told at the start
		case err != nil && (ct.moves() || t.Op.Grid == nil): // what threads have written by then stays
			have.values.setAll(w.bytes.Intervals(), failed)
		case ct.moves():
			have.values.paste(ct.finds)
		default:
			have.values.setAll(w.bytes.Intervals(), uint64(t.Op.ID))
		}
	}
	return c.since(n)
}

// forget takes out what has ended. Tasks that waited for it may still lead to it, and it leads to nothing.
func (c *Checker) forget(ct *checked) {
	delete(c.tasks, ct.by)
	ct.over, ct.after = true, nil
}

// Short says that the program was told of a failure that left arrays as they were: memory was short, or a launch of
// threads failed. What comes behind that in the stream may find the values that were there before updates which never
// began: from here on it is not known what a read should find.
func (c *Checker) Short() { c.short = true }

// HostRead says that the host reads bytes of its instance, of a value that has not failed.
func (c *Checker) HostRead(inst *scheduler.Instance, lo, hi int64) error {
	n := len(c.Violations)
	c.access(c.planHost(inst, lo, hi, false))
	return c.since(n)
}

// HostWrite says that the host writes bytes of its instance.
//
// The host may write an instance that no plan has: memory of the program's own that it lent, or bytes that it fills
// before the first op.
func (c *Checker) HostWrite(inst *scheduler.Instance, lo, hi int64) error {
	n := len(c.Violations)
	if c.instances[inst.ID] == nil {
		c.appears(inst)
	}
	c.access(c.planHost(inst, lo, hi, true))
	return c.since(n)
}

// planHost takes an access of the host over, as the next thing in the stream.
func (c *Checker) planHost(inst *scheduler.Instance, lo, hi int64, write bool) *checked {
	c.writeTiles()
	c.hosts++
	c.Host++
	bytes := region.Interval{Lo: lo, Hi: hi}
	x := access{inst: inst, bytes: region.Of(bytes)}
	ct := &checked{by: c.hosts}
	c.tasks[ct.by] = ct
	if write {
		ct.writes = []access{x}
		c.store(inst.Store, hi).set(bytes, ct.by)
	} else {
		x.want = c.store(inst.Store, hi).of(bytes, nil)
		ct.reads = []access{x}
	}
	c.conflicts(ct)
	return ct
}

// access is an access of the host that takes place now.
func (c *Checker) access(ct *checked) {
	c.inOrder(ct)
	ct.started = true
	c.forget(ct)
	for i := range ct.reads {
		x := &ct.reads[i]
		have := c.instance(x.inst)
		if have == nil {
			c.wrong(6, nil, "the host reads %v, which is freed or was never planned", x.inst.ID)
			continue
		}
		if c.short {
			c.Uncertain++
			continue
		}
		c.Reads++
		if err := differ(have.values.of(x.bytes.Intervals()[0], nil), x.want); err != "" {
			c.wrong(5, nil, "the host reads %v of %v: %s", x.inst.Store, x.inst.ID, err)
		}
	}
	for i := range ct.writes {
		w := &ct.writes[i]
		have := c.instance(w.inst)
		if have == nil {
			c.wrong(6, nil, "the host writes %v, which is freed or was never planned", w.inst.ID)
			continue
		}
		have.values.setAll(w.bytes.Intervals(), ct.by)
	}
}

// String says which task or access it is.
func (ct *checked) String() string {
	if ct.task == nil {
		return fmt.Sprintf("the host's access %d", ct.by-hostTag)
	}
	return ct.task.String()
}
