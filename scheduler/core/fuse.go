package core

import (
	"weft/internal/invariants"
	"weft/internal/lru"
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// fuse puts ops of the window together, so that one pass over memory does the work of
// several, and drops what nobody can see.
//
// It goes through the window once and keeps a list of groups in an order in which they may
// run. An op depends on the last group that conflicts with it; it joins that group or a
// later one, or else becomes a group at the end. What joins runs at the place of its group: by
// the choice of the group it passes nothing that it conflicts with.
//
//	t = a + b     group 1: a+b
//	u = t * c     group 1: a+b, *c     the same points of t: t becomes a value, not memory
//	v = u[1:]+d   group 2              reads other points of u than group 1 writes at that point
//	w = a - c     group 1 or 2         conflicts with neither
//
// Ops in one group run one after the other at each point of the index space, so that every
// value is computed exactly as without fusion: same operations, same order, same roundings.
// Legal is what cannot tell the difference: two uses of a store in one group, one of them a
// write, are of the same elements at the same points, or share no element.
//
// An assignment into a slice of the array that it is computed from would read, at some point,
// what it has written at another. It joins all the same where the store can be renewed: what is
// read is the old instance, what is written a new one.
//
// The first group that an op may join is not always where it moves the fewest bytes: sink puts
// that right afterwards.
//
// A store that was released in this window and is used by one group alone is never written.
//
// Where memory may be too small for what the window makes, ops join only what they depend on: what is fused fails as one, and
// an op that has room must not fail because another one has none.
func fuse(c *Core) {
	if c.opt.NoFusion || c.ops < 2 {
		return
	}
	f := &c.fuser
	f.apart = c.rooms[0].capacity > 0 && c.crowded(0)
	key := f.signature(c)
	t, known := lru.GetBytes(f.templates, key)
	if known {
		c.fusion.Replayed++
		if c.opt.Recapture || invariants.Enabled {
			f.recapture(c, t)
		}
	} else {
		t = f.find(c)
		f.templates.Add(string(key), t, t.bytes()+int64(len(key)))
		c.fusion.Captured++
	}
	c.plan.Template, c.plan.Replayed = t, known
	f.replay(c, t)
}

// recapture makes sure of inv 8.
func (f *fuser) recapture(c *Core, known *Template) {
	if fresh := f.find(c); fresh.String() != known.String() {
		panic(invariants.Broken(8, "a window is captured as\n%vand remembered as\n%v", fresh, known))
	}
}

// find decides what is fused, and captures it.
func (f *fuser) find(c *Core) *Template {
	f.groups, f.splits = f.groups[:0], f.splits[:0]
	f.countUses(c)
	for i := range c.window {
		if e := &c.window[i]; e.op != nil {
			f.place(c, i)
		}
	}
	f.sink(c)
	t := f.capture(c)
	for i := range f.groups {
		for k := range f.groups[i].slots {
			st := f.groups[i].slots[k].store
			st.touches, st.windowUses, st.dies = st.touches[:0], 0, false
		}
	}
	return t
}

// The limits of a group. Longer programs than these gain nothing more, and their values no
// longer fit the processor's first cache.
const (
	maxGroupSlots = 100
	maxGroupCode  = 400
)

// fuser is the state of the pass, kept for its memory.
type fuser struct {
	groups    []group
	window    []entry // the other of the two windows
	splits    []templateSplit
	templates *lru.Cache[string, *Template] // by the window's signature
	programs  *lru.Cache[string, fusedProgram]
	numbers   *lru.Cache[*tile.Program, uint64] // name programs in keys
	numbered  uint64                            // numbers that were given
	key       []byte                            // of windows
	seen      uint64                            // the window that signature looks at

	rooms      rooms // replay's
	programKey []byte
	apart      bool    // the window's ops join only what they depend on
	slots      []int32 // of the op that is looked at, by use
	renew      int     // the use of that op that would renew its store, or -1
	build      builder
	trial      [2]group // what sink tries
	net        network  // of sink
}

// newFuser returns a fuser that remembers templates, or none.
func newFuser(remembers bool) fuser {
	f := fuser{
		templates: lru.New[string, *Template](templateBytes), programs: lru.New[string, fusedProgram](programBytes),
		numbers: lru.New[*tile.Program, uint64](numberBytes),
	}
	if !remembers {
		f.templates.Limit(0)
	}
	return f
}

// group is ops that run as one.
type group struct {
	members []member
	shape   []int // index space of all members
	slots   []slot
	code    int       // instructions of all members
	indexed bool      // a member looks at its coordinates: the index space must stay
	reduces bool      // the last members are reductions
	reduced tile.Axes // of the reductions
	alone   bool      // nothing may join
	zeros   bool      // all it does is filling new memory with zeros, for nothing where the memory is
}

// member is an op of a group.
type member struct {
	entry int     // position in the window
	slots []int32 // by use
	turn  []int   // as in Op.Turns
}

// slot is an operand of a group: one view, whoever uses it.
type slot struct {
	view   scheduler.View // over the group's index space, unless it is a reduction's result or whole
	store  *store
	bytes  region.Interval
	dense  bool
	uses   int  // of members
	loads  bool // a member reads what was there before the group
	writes bool
	result bool // of a reduction: not a value at a point
	whole  bool // gathered from: not a value at a point either, and a view of a shape of its own
	renews bool // writes go to a new instance
	known  bool // among the touches of its store

	entry, use int32 // an operand of the window that is this
}

// touch says that a group uses a store.
type touch struct{ group, slot int32 }

// countUses finds out which stores nobody can see after the window.
func (f *fuser) countUses(c *Core) {
	for i := range c.window {
		e := &c.window[i]
		if e.release != nil {
			e.release.dies = true
			continue
		}
		for k := range e.uses {
			e.uses[k].store.windowUses++
		}
	}
}

// place finds the group of an op.
func (f *fuser) place(c *Core, at int) {
	e := &c.window[at]
	last := -1 // the last group that the op conflicts with
	for i := range e.uses {
		u := &e.uses[i]
		for _, t := range u.store.touches {
			g := &f.groups[t.group]
			s := &g.slots[t.slot]
			if int(t.group) <= last || !u.write && !s.writes || !u.bytes.Overlaps(s.bytes) {
				continue
			}
			if region.Overlap(e.op.Uses[i].View.Layout(), s.view.Layout()) {
				last = int(t.group)
			}
		}
	}
	why := scheduler.Apart
	if last >= 0 {
		if why = f.join(c, &f.groups[last], at); why == scheduler.Together {
			f.touch(last)
			return
		}
	}
	for g := len(f.groups) - 1; g > last && !f.apart && !e.zeros; g-- {
		if !f.groups[g].zeros && f.join(c, &f.groups[g], at) == scheduler.Together {
			f.touch(g)
			return
		}
	}
	if last >= 0 {
		f.splits = append(f.splits, templateSplit{int32(at), f.dependence(c, last, e), why})
	}
	if len(f.groups) < cap(f.groups) {
		f.groups = f.groups[:len(f.groups)+1]
	} else {
		f.groups = append(f.groups, group{})
	}
	f.open(&f.groups[len(f.groups)-1], at, e)
	f.touch(len(f.groups) - 1)
}

// dependence returns the last member of a group that an op conflicts with.
func (f *fuser) dependence(c *Core, number int, e *entry) int32 {
	on := f.groups[number].members
	k := len(on) - 1
	for k > 0 && !conflicts(&c.window[on[k].entry], e) {
		k--
	}
	return int32(on[k].entry)
}

// touch makes the slots of the op that a group has got known to their stores.
func (f *fuser) touch(number int) {
	for _, k := range f.slots {
		if s := &f.groups[number].slots[k]; !s.known {
			s.known = true
			s.store.touches = append(s.store.touches, touch{int32(number), k})
		}
	}
}

// open makes a group one of one op.
func (f *fuser) open(g *group, at int, e *entry) {
	*g = group{members: g.members[:0], slots: g.slots[:0], shape: e.op.Shape, alone: e.alone()}
	f.slots = f.slots[:0]
	for i := range e.uses {
		f.slots = append(f.slots, f.use(g, e, at, i, e.op.Uses[i].View))
	}
	f.add(g, at, e, nil)
	g.zeros = e.zeros
}

// alone reports whether an op is better not fused: the programs of matrix products are
// recognised as a whole, routines are no programs of points, and those with control flow are no
// straight lines.
func (e *entry) alone() bool {
	k := e.op.Kind
	return e.empty || e.flows || k != scheduler.Map && k != scheduler.Move && k != scheduler.Fill && k != scheduler.Reduce || len(e.op.Shape) == 0
}

// add makes an op, whose slots are in f.slots, a member of a group, its axes in an order of the group's.
func (f *fuser) add(g *group, at int, e *entry, turn []int) {
	var own []int32
	if n := len(g.members); n < cap(g.members) {
		own = g.members[:n+1][n].slots[:0]
	}
	g.members = append(g.members, member{at, append(own, f.slots...), turn})
	for i := range e.uses { // an op reads before it writes
		s := &g.slots[f.slots[i]]
		s.uses++
		s.loads = s.loads || e.uses[i].read && !s.writes
	}
	for i := range e.uses {
		s := &g.slots[f.slots[i]]
		s.writes = s.writes || e.uses[i].write
	}
	g.code += len(e.op.Program.Code)
	for i := range e.op.Program.Code {
		g.indexed = g.indexed || e.op.Program.Code[i].Op == tile.Index
	}
	if e.op.Program.Reduces() {
		g.reduces, g.reduced = true, e.op.Reduced
	}
}

// use returns the slot of operand i, which is the view v over the group's index space; it
// is a new one where no member uses the same.
func (f *fuser) use(g *group, e *entry, at, i int, v scheduler.View) int32 {
	result, whole := e.uses[i].write && e.block != nil, e.op.Whole(i)
	for k := range g.slots {
		s := &g.slots[k]
		if s.store == e.uses[i].store && !s.result && !result && s.whole == whole && scheduler.SameView(&s.view, &v) {
			return int32(k)
		}
	}
	u := &e.uses[i]
	g.slots = append(g.slots, slot{view: v, store: u.store, bytes: u.bytes, dense: u.dense, result: result, whole: whole, entry: int32(at), use: int32(i)})
	return int32(len(g.slots) - 1)
}
