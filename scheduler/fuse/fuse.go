package fuse

import (
	"encoding/binary"

	"weft/internal/lru"
	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// Decide puts ops of the window together, so that one pass over memory does the work of
// several, and drops what no later op and no host read can see.
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
// Where memory may be too small for what the window makes, ops join only what they depend on: what is fused fails as
// one, and an op that has room must not fail because another one has none.
func (f *Fuser) Decide(w *Window) *Template {
	f.window = w
	f.groups, f.splits = f.groups[:0], f.splits[:0]
	f.count()
	for i := range w.Entries {
		if w.Entries[i].Op != nil {
			f.place(i)
		}
	}
	f.sink()
	t := f.capture()
	f.window = nil
	return t
}

// The limits of a group. Longer programs than these gain nothing more, and their values no
// longer fit the processor's first cache.
const (
	maxGroupSlots = 100
	maxGroupCode  = 400
)

// What is remembered of programs, in bytes.
const (
	programBytes = 8 << 20
	numberBytes  = 256 << 10
	numberSize   = 128 // of a number without its program
)

// Fuser decides windows one after the other. It remembers the programs that it made, and keeps its memory; neither
// changes what it decides.
//
// The fields below window are scratch of one call of Decide. They keep their capacity from window to window, and
// nothing of them is in the Template, which is allocated anew.
type Fuser struct {
	programs *lru.Cache[string, fusedProgram]
	numbers  *lru.Cache[*tile.Program, uint64] // name programs in keys
	numbered uint64                            // numbers that were given

	window     *Window
	stores     []facts // by number
	groups     []group
	splits     []Split
	programKey []byte
	slots      []int32 // of the op that is looked at, by use
	renew      int     // the use of that op that would renew its store, or -1
	build      builder
	trial      [2]group // what sink tries
	net        network  // of sink
}

// facts are what the pass notes of a store.
//
// A store whose uses are all in one group and that dies needs no memory: alive compares uses with those of the group's
// slots. touches has an entry for each view that a group has of the store; it is place's, and sink leaves it as it is.
type facts struct {
	touches []touch // groups that use it
	uses    int     // operands in the window
	dies    bool    // it is released in the window
}

// New returns a Fuser that has seen nothing.
func New() *Fuser {
	return &Fuser{programs: lru.New[string, fusedProgram](programBytes), numbers: lru.New[*tile.Program, uint64](numberBytes)}
}

// Remembered returns how many programs are remembered, and the bytes that these and the numbers of programs take up.
func (f *Fuser) Remembered() (programs int, bytes, numbers int64) {
	return f.programs.Len(), f.programs.Size(), f.numbers.Size()
}

// Limit bounds the bytes of programs that are remembered, and of their numbers.
func (f *Fuser) Limit(programs, numbers int64) {
	f.programs.Limit(programs)
	f.numbers.Limit(numbers)
}

// Named appends what an op does to a key: its program, and its name, which is part of the name of what it is fused
// into. One program may have several: a copy and an astype of the same dtype.
func (f *Fuser) Named(key []byte, op *scheduler.Op) []byte {
	key = binary.AppendUvarint(key, f.number(op.Program))
	return append(binary.AppendUvarint(key, uint64(len(op.Name))), op.Name...)
}

// number names a program in keys. No number is used twice: a program that was forgotten in between gets another, and
// windows that are remembered with the old one are found no more.
//
// Two programs with the same instructions have two numbers. A loop's ops
// come with the same pointers, since what makes programs keeps them.
func (f *Fuser) number(p *tile.Program) uint64 {
	if n, ok := f.numbers.Get(p); ok {
		return n
	}
	f.numbered++
	f.numbers.Add(p, f.numbered, numberSize+programSize(p))
	return f.numbered
}

// group is ops that run as one.
//
// What has been decided and what is left open, by the flags:
//
//	alone     products, routines, control flow: one member forever
//	zeros     one member, a fill with zeros, which costs nothing where fresh memory is zero: what does not write
//	          the store stays apart while that lives on; once an op has joined it is a fill like any other
//	reduces   only reductions over the same axes may still join
//	indexed   the index space stays as it is, since a refined one has other coordinates: ops come to it or stay apart
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

// slot is an operand of a group: one view, whichever members use it.
//
// Slots are the parameters of the program to be, and the unit in which groups and ops meet. A slot that writes a store
// which does not live on becomes no parameter, but a value of the program (alive).
//
//	loads   writes
//	yes     no       an input
//	no      yes      an output, or a value that stays in registers
//	yes     yes      read first, and then overwritten at the same points
type slot struct {
	view   scheduler.View // over the group's index space, unless it is a reduction's result or whole
	store  int32
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

// count finds out which stores the window releases, and how many operands are on each.
func (f *Fuser) count() {
	for len(f.stores) < len(f.window.Stores) {
		f.stores = append(f.stores, facts{})
	}
	for i := range f.window.Stores {
		st := &f.stores[i]
		st.touches, st.uses, st.dies = st.touches[:0], 0, false
	}
	for i := range f.window.Entries {
		e := &f.window.Entries[i]
		if e.Op == nil {
			f.stores[e.Release].dies = true
			continue
		}
		for k := range e.Uses {
			f.stores[e.Uses[k].Store].uses++
		}
	}
}

// place finds the group of an op.
//
// Groups are numbered in an order in which they may run. The op has to run in group last or behind it:
//
//	groups    0    1    2    3    4
//	                    ^    |    |
//	                 last    +----+--- conflict with nothing of the op: it may join any, as inputs in common save loads
//	        \______/
//	       before what it depends on: never
//
// last is tried first, for there a value that the op reads may be in a register; then the others, the newest first. A
// group of its own is always right.
func (f *Fuser) place(at int) {
	e := &f.window.Entries[at]
	last := -1 // the last group that the op conflicts with
	for i := range e.Uses {
		u := &e.Uses[i]
		for _, t := range f.stores[u.Store].touches {
			g := &f.groups[t.group]
			s := &g.slots[t.slot]
			if int(t.group) <= last || !u.Write && !s.writes || !u.Bytes.Overlaps(s.bytes) {
				continue
			}
			if region.Overlap(e.Op.Uses[i].View.Layout(), s.view.Layout()) {
				last = int(t.group)
			}
		}
	}
	why := scheduler.Apart
	if last >= 0 {
		if why = f.join(&f.groups[last], at); why == scheduler.Together {
			f.touch(last)
			return
		}
	}
	// A fill with zeros would be a loop's work in a group, and is none alone.
	for g := len(f.groups) - 1; g > last && !f.window.Apart && !e.Zeros; g-- {
		if !f.groups[g].zeros && f.join(&f.groups[g], at) == scheduler.Together {
			f.touch(g)
			return
		}
	}
	if last >= 0 {
		f.splits = append(f.splits, Split{int32(at), f.dependence(last, e), why})
	}
	// The slice is lengthened by hand where it can be, so that open finds the slices of the group which an earlier
	// window had in the same place.
	if len(f.groups) < cap(f.groups) {
		f.groups = f.groups[:len(f.groups)+1]
	} else {
		f.groups = append(f.groups, group{})
	}
	f.open(&f.groups[len(f.groups)-1], at, e)
	f.touch(len(f.groups) - 1)
}

// dependence returns the last member of a group that an op conflicts with.
func (f *Fuser) dependence(number int, e *Entry) int32 {
	on := f.groups[number].members
	k := len(on) - 1
	for k > 0 && !conflicts(&f.window.Entries[on[k].entry], e) {
		k--
	}
	return int32(on[k].entry)
}

// touch makes the slots of the op that a group has got known to their stores.
func (f *Fuser) touch(number int) {
	for _, k := range f.slots {
		if s := &f.groups[number].slots[k]; !s.known {
			s.known = true
			f.stores[s.store].touches = append(f.stores[s.store].touches, touch{int32(number), k})
		}
	}
}

// open makes a group one of one op.
func (f *Fuser) open(g *group, at int, e *Entry) {
	*g = group{members: g.members[:0], slots: g.slots[:0], shape: e.Op.Shape, alone: e.alone()}
	f.slots = f.slots[:0]
	for i := range e.Uses {
		f.slots = append(f.slots, f.use(g, e, at, i, e.Op.Uses[i].View))
	}
	f.add(g, at, e, nil)
	g.zeros = e.Zeros
}

// alone reports whether an op is better not fused: the programs of matrix products are
// recognised as a whole, routines are no programs of points, and those with control flow are no
// straight lines.
func (e *Entry) alone() bool {
	k := e.Op.Kind
	return e.Empty || e.Flows || k != scheduler.Map && k != scheduler.Move && k != scheduler.Fill && k != scheduler.Reduce || len(e.Op.Shape) == 0
}

// add makes an op, whose slots are in f.slots, a member of a group, its axes in an order of the group's.
//
// Its own slots are appended to the slice that a member of an earlier window had in the same place. Nothing in here can
// fail: join and open have asked all questions.
func (f *Fuser) add(g *group, at int, e *Entry, turn []int) {
	var own []int32
	if n := len(g.members); n < cap(g.members) {
		own = g.members[:n+1][n].slots[:0]
	}
	g.members = append(g.members, member{at, append(own, f.slots...), turn})
	for i := range e.Uses { // an op reads before it writes
		s := &g.slots[f.slots[i]]
		s.uses++
		s.loads = s.loads || e.Uses[i].Read && !s.writes
	}
	for i := range e.Uses {
		s := &g.slots[f.slots[i]]
		s.writes = s.writes || e.Uses[i].Write
	}
	g.code += len(e.Op.Program.Code)
	for i := range e.Op.Program.Code {
		g.indexed = g.indexed || e.Op.Program.Code[i].Op == tile.Index
	}
	if e.Op.Program.Reduces() {
		g.reduces, g.reduced = true, e.Op.Reduced
	}
}

// use returns the slot of operand i, which is the view v over the group's index space; it
// is a new one where no member uses the same.
//
// What a reduction writes shares no slot, even with an equal view: its elements are results of blocks, and belong to no
// point of the group's index space.
func (f *Fuser) use(g *group, e *Entry, at, i int, v scheduler.View) int32 {
	result, whole := e.Uses[i].Write && e.Block != nil, e.Op.Whole(i)
	for k := range g.slots {
		s := &g.slots[k]
		if s.store == e.Uses[i].Store && !s.result && !result && s.whole == whole && scheduler.SameView(&s.view, &v) {
			return int32(k)
		}
	}
	u := &e.Uses[i]
	g.slots = append(g.slots, slot{view: v, store: u.Store, bytes: u.Bytes, dense: u.Dense, result: result, whole: whole, entry: int32(at), use: int32(i)})
	return int32(len(g.slots) - 1)
}
