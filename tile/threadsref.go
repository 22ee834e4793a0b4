package tile

import (
	"slices"
	"unsafe"
)

// The interpreter of threads: one thread after the other, each until it has to meet others, or has taken a turn of a
// loop. It is the definition of what a launch of threads does.

// byNumber is the order that the device takes where it is given none.
func byNumber(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// interpretThreads runs a checked launch, with blocks, and threads between two meetings, in the given order.
func interpretThreads(l *Launch, order func(n int) []int) error {
	if err := inHost(l); err != nil {
		return err
	}
	if order == nil {
		order = byNumber
	}
	g := threadGrid{l: l, partners: Partners(l.Program), idle: Idle(l.Program), clock: &clock{}, global: shadow{}, fenced: known{}}
	g.static, g.at = SharedBytes(l.Program)
	var first *Fault
	var under []*threadBlock // those that have begun, and not ended
	for rest := order(int(l.Grid.Count())); len(rest)+len(under) > 0; {
		if l.Stop.Stopped() {
			return ErrStopped
		}
		if len(rest) > 0 {
			under, rest = append(under, g.begin(int64(rest[0]))), rest[1:]
		}
		before, moved := under, len(rest) > 0
		under = nil
		for _, b := range before {
			stuck, err := b.advance(order)
			if err != nil {
				return err
			}
			f, ended := b.outcome()
			switch {
			case !ended:
				under = append(under, b)
				moved = moved || !stuck
			case f != nil && (first == nil || f.Before(first)):
				first = f
			}
		}
		if !moved && len(under) > 0 {
			meetAll(under)
		}
	}
	if first != nil {
		return l.Explain(first)
	}
	return nil
}

// threadGrid is what the blocks of a launch share.
type threadGrid struct {
	l        *Launch
	partners []Value
	idle     []bool
	static   int64
	at       []int64
	clock    *clock
	global   shadow // of the parameters, by address
	fenced   known  // what fences have all threads know
}

// thread is one thread. Where it is, in order of time, is its path: for each open loop the loop's position and the
// turn, and then the instruction. Threads that have the same path can meet.
type thread struct {
	b      *threadBlock
	number int
	pc     int
	path   []int // of the open loops
	values []Scalar
	taken  []bool // by if
	own    []byte
	fault  *Fault
	ended  []int // path where it ended; nil as long as it has not
	waits  bool  // for others, at pc

	grid, barrier int   // when it last met all threads, or its block
	voted         known // of its warp
	private       shadow
}

// threadBlock is a block that runs.
type threadBlock struct {
	*threadGrid
	number   int64
	shared   []byte
	threads  []*thread
	common   shadow // of the shared bytes
	fencedIn known  // what fences have the block's threads know of each other
}

// begin makes a block ready to run.
func (g *threadGrid) begin(number int64) *threadBlock {
	b := &threadBlock{threadGrid: g, number: number, shared: make([]byte, g.static+g.l.Grid.Dynamic), common: shadow{}, fencedIn: known{}}
	n := len(g.l.Program.Code)
	own := 0
	for i := range g.l.Program.Scratch {
		if s := &g.l.Program.Scratch[i]; s.Space == Own {
			own = max(own, int(g.at[i])+s.Elements()*s.Type.Size())
		}
	}
	for i := range g.l.Grid.BlockThreads() {
		t := &thread{b: b, number: i, values: make([]Scalar, n), taken: make([]bool, n), own: make([]byte, own), private: shadow{}}
		t.goTo(0)
		b.threads = append(b.threads, t)
	}
	return b
}

// blockTurns is how many turns a block's threads take before other blocks have theirs, for which these may wait.
const blockTurns = 50

// advance has the block's threads go on, each in its turn. It reports whether all of them have ended or wait for those
// of other blocks.
func (b *threadBlock) advance(order func(n int) []int) (stuck bool, err error) {
	for range blockTurns {
		ran := false
		for _, i := range order(len(b.threads)) {
			if t := b.threads[i]; t.ended == nil && !t.waits {
				ran = true
				if err := t.run(); err != nil {
					return false, err
				}
			}
		}
		if !ran && !b.meet() {
			return true, nil
		}
	}
	return false, nil
}

// outcome returns the fault of the block's lowest thread that has one, and whether all threads have ended.
func (b *threadBlock) outcome() (f *Fault, ended bool) {
	for i := len(b.threads) - 1; i >= 0; i-- {
		switch t := b.threads[i]; {
		case t.ended == nil:
			return nil, false
		case t.fault != nil:
			f = t.fault
		}
	}
	return f, true
}

// at is the thread's path.
func (t *thread) at() []int { return append(slices.Clone(t.path), t.pc) }

// goTo has the thread go on at an instruction, or leave if there is nothing left to do.
func (t *thread) goTo(next int) {
	if t.b.idle[next] {
		t.ended = t.at()
	}
	t.pc = next
}

// fail ends the thread.
func (t *thread) fail(f Fault) {
	f.Instr, f.Block, f.Thread = Value(t.pc), t.b.number, t.number
	t.fault, t.ended = &f, t.at()
}

// run takes instructions until the thread waits or has ended, or a loop turns.
func (t *thread) run() error {
	code := t.b.l.Program.Code
	for t.ended == nil {
		in := &code[t.pc]
		args := make([]Scalar, 0, len(in.Args))
		for _, a := range in.Operands() {
			args = append(args, t.values[a])
		}
		next := t.pc + 1
		switch in.Op {
		case Const:
			t.values[t.pc] = in.Lit
		case Uniform:
			t.values[t.pc] = t.b.l.Uniforms[in.N]
		case Thread:
			t.values[t.pc] = IntScalar(Int32, int64(t.where(in.Form)))
		case Size:
			t.values[t.pc] = IntScalar(Int64, int64(t.b.extents(Memory(in.N))[in.Form]))
		case Element, Put, Atomic, Cas:
			t.access(in, args)
		case Barrier, GridBarrier, Tally, Vote, Shuffle, Match, Active:
			t.waits = true
			return nil
		case Fence:
			t.fence(in.Form)
		case Leave:
			t.ended = t.at()
		case Fail:
			t.fail(Fault{Kind: FaultFail, Values: args})
		case If:
			if t.taken[t.pc] = args[0].Bits[0] != 0; !t.taken[t.pc] {
				next = int(t.b.partners[t.pc])
			}
		case Else:
			next = int(t.b.partners[t.pc])
		case Merge:
			if t.values[t.pc] = args[1]; t.taken[t.b.partners[t.pc]] {
				t.values[t.pc] = args[0]
			}
		case Loop:
			t.path = append(t.path, t.pc, 0)
		case Carry:
			t.values[t.pc] = args[0]
		case While:
			if args[0].Bits[0] == 0 {
				if next = int(t.b.partners[t.pc]); t.b.idle[next] {
					t.ended = t.at() // in this turn
					break
				}
				t.path = t.path[:len(t.path)-2]
			}
		case Next:
		case End:
			if t.b.partners[t.pc] == 0 { // of an if
				break
			}
			if t.b.l.Stop.Stopped() {
				return ErrStopped
			}
			t.path[len(t.path)-1]++
			turnCarries(code, t.values, t.pc)
			t.goTo(int(t.b.partners[t.pc]))
			return nil
		default:
			t.values[t.pc] = Eval(in.Op, in.Type, args...)
		}
		if t.ended == nil {
			t.goTo(next)
		}
	}
	return nil
}

// where is a form of Thread.
func (t *thread) where(form Form) int {
	g := &t.b.l.Grid
	if form == LaneID {
		return t.number % WarpSize
	}
	thread, block := At(int64(t.number), g.Threads), At(t.b.number, g.Blocks)
	return [...]int{
		TidX: thread[0], TidY: thread[1], TidZ: thread[2], CtaidX: block[0], CtaidY: block[1], CtaidZ: block[2],
		NtidX: g.Threads[0], NtidY: g.Threads[1], NtidZ: g.Threads[2],
		NctaidX: g.Blocks[0], NctaidY: g.Blocks[1], NctaidZ: g.Blocks[2],
	}[form]
}

// extents returns the shape of a memory.
func (b *threadBlock) extents(m Memory) []int {
	if m >= 0 {
		return b.l.Args[m].Shape
	}
	s := &b.l.Program.Scratch[^m]
	if s.Dynamic() {
		return []int{int(b.l.Grid.Dynamic) / s.Type.Size()}
	}
	return s.Shape
}

// access runs what reads or writes an element.
func (t *thread) access(in *Instr, args []Scalar) {
	m := Memory(in.N)
	lead := in.Op.Arity() - maxGather
	shape := t.b.extents(m)
	at, stride := int64(0), int64(in.Type.Size())
	for axis := len(shape) - 1; axis >= 0; axis-- {
		i, n := args[lead+axis].Int(), int64(shape[axis])
		if i < 0 {
			i += n
		}
		if m >= 0 {
			stride = t.b.l.Args[m].Strides[axis]
		}
		at += i * stride
		stride *= n
	}
	for axis, n := range shape {
		if i := args[lead+axis].Int(); i < -int64(n) || i >= int64(n) {
			t.fail(Fault{Kind: FaultIndex, Axis: axis, Index: i, Size: int64(n)})
			return
		}
	}
	var bytes []byte
	p := t.b.l.Program
	done, clean := t.b.global, true
	switch {
	case m >= 0:
		b := &t.b.l.Args[m]
		bytes = unsafe.Slice((*byte)(unsafe.Add(b.Buffer.Host, b.Offset+at)), in.Type.Size())
		clean = p.Params[m].Dir == Out
	case p.Scratch[^m].Space == Own:
		bytes, done = t.own[t.b.at[^m]+at:][:in.Type.Size()], t.private
	default:
		bytes, done = t.b.shared[t.b.at[^m]+at:][:in.Type.Size()], t.b.common
	}
	old := read(in.Type, bytes)
	if p.Guarded {
		changes := in.Op == Put && old != args[0]
		if f := t.guard(done, uintptr(unsafe.Pointer(&bytes[0])), len(bytes), in, changes, clean); f != nil {
			for axis := range shape {
				f.At[axis] = args[lead+axis].Int()
			}
			t.fail(*f)
			return
		}
	}
	switch in.Op {
	case Put:
		write(bytes, args[0])
		return
	case Atomic:
		write(bytes, EvalAtomic(in.Form, old, args[0]))
	case Cas:
		if old == args[0] {
			write(bytes, args[1])
		}
	}
	t.values[t.pc] = old
}

// firstWait is the first of the places where threads wait, in order of time; none if no thread does.
func firstWait(here []int, threads []*thread) []int {
	for _, t := range threads {
		if t.waits && (here == nil || slices.Compare(t.at(), here) < 0) {
			here = t.at()
		}
	}
	return here
}

// meetAll lets the threads go on that wait at the first of the grid barriers where any does. All threads that have not
// ended wait there, or those fail that do.
func meetAll(blocks []*threadBlock) {
	slices.SortFunc(blocks, func(a, b *threadBlock) int { return int(a.number - b.number) })
	var here []int
	for _, b := range blocks {
		here = firstWait(here, b.threads)
	}
	var met []*thread
	var missing *thread
	for _, b := range blocks {
		for _, t := range b.threads {
			switch {
			case t.waits && slices.Equal(t.at(), here):
				met = append(met, t)
			case t.ended == nil && missing == nil:
				missing = t
			}
		}
	}
	clock := blocks[0].clock
	clock.now++
	for _, t := range met {
		t.waits, t.grid, t.barrier = false, clock.now, clock.now
		if missing != nil {
			t.fail(Fault{Kind: FaultAlone, Other: missing.number, OtherBlock: missing.b.number})
			continue
		}
		t.goTo(t.pc + 1)
	}
}

// meet lets the threads go on that wait at the first of the places where any does. It reports whether any waited for
// others of the block.
func (b *threadBlock) meet() bool {
	here := firstWait(nil, b.threads)
	if here == nil || b.l.Program.Code[here[len(here)-1]].Op == GridBarrier {
		return false
	}
	together := make([]bool, len(b.threads))  // meets
	waitedFor := make([]bool, len(b.threads)) // has to come
	var met []*thread
	for i, t := range b.threads {
		together[i] = t.waits && slices.Equal(t.at(), here)
		waitedFor[i] = t.ended == nil || slices.Compare(t.ended, here) > 0
		if together[i] {
			met = append(met, t)
		}
	}
	b.clock.now++
	results := make([]Scalar, len(met))
	faults := make([]*Fault, len(met))
	votes := make([]known, len(met))
	for i, t := range met {
		if results[i], faults[i] = t.met(together, waitedFor); faults[i] == nil && b.l.Program.Code[t.pc].Op == Vote {
			votes[i] = t.vote()
		}
	}
	for i, t := range met {
		t.waits = false
		if faults[i] != nil {
			t.fail(*faults[i])
			continue
		}
		switch b.l.Program.Code[t.pc].Op {
		case Barrier, Tally:
			t.barrier = b.clock.now
		case Vote:
			t.voted = votes[i]
		}
		t.values[t.pc] = results[i]
		t.goTo(t.pc + 1)
	}
	return true
}

// met returns what a meeting gives a thread.
func (t *thread) met(together, waitedFor []bool) (Scalar, *Fault) {
	in := &t.b.l.Program.Code[t.pc]
	first, last, mask := 0, len(together), ^uint32(0) // the threads that it may be about
	if in.Op != Barrier && in.Op != Tally {
		first = t.number / WarpSize * WarpSize
		last = min(last, first+WarpSize)
		if in.Op != Active {
			mask = uint32(t.values[in.Args[0]].Bits[0])
			if mask>>(t.number-first)&1 == 0 {
				return Scalar{}, &Fault{Kind: FaultMask}
			}
		}
	}
	var with []*thread // who takes part, this thread among them
	for i := first; i < last; i++ {
		named := in.Op == Barrier || in.Op == Tally || mask>>(i-first)&1 != 0
		switch {
		case named && together[i]:
			with = append(with, t.b.threads[i])
		case named && waitedFor[i] && in.Op != Active:
			return Scalar{}, &Fault{Kind: FaultAlone, Other: i}
		}
	}
	value := func(u *thread, i int) Scalar { return u.values[in.Args[i]] }
	bits := func(holds func(u *thread) bool) (set uint32, count int) {
		for _, u := range with {
			if holds(u) {
				set |= 1 << (u.number % WarpSize)
				count++
			}
		}
		return set, count
	}
	switch in.Op {
	case Tally:
		_, n := bits(func(u *thread) bool { return value(u, 0).Bits[0] != 0 })
		return IntScalar(Int32, [...]int64{TallyCount: int64(n), TallyAnd: truth(n == len(with)), TallyOr: truth(n > 0)}[in.Form]), nil
	case Vote:
		set, n := bits(func(u *thread) bool { return value(u, 1).Bits[0] != 0 })
		if in.Form == VoteBallot {
			return UintScalar(Uint32, uint64(set)), nil
		}
		return BoolScalar([...]bool{VoteAll: n == len(with), VoteAny: n > 0, VoteEq: n == 0 || n == len(with)}[in.Form]), nil
	case Shuffle:
		for _, u := range with {
			if u.number%WarpSize == shuffled(in.Form, t.number%WarpSize, int(value(t, 2).Int()&(WarpSize-1))) {
				return value(u, 1), nil
			}
		}
		return value(t, 1), nil
	case Match:
		set, n := bits(func(u *thread) bool { return value(u, 1) == value(t, 1) })
		if in.Form == MatchAll && n != len(with) {
			set = 0
		}
		return UintScalar(Uint32, uint64(set)), nil
	case Active:
		set, _ := bits(func(*thread) bool { return true })
		return UintScalar(Uint32, uint64(set)), nil
	}
	return Scalar{}, nil // Barrier
}

// shuffled returns which thread of the warp a Shuffle means, which may be none.
func shuffled(form Form, lane, by int) int {
	return [...]int{ShuffleIdx: by, ShuffleUp: lane - by, ShuffleDown: lane + by, ShuffleXor: lane ^ by}[form]
}
