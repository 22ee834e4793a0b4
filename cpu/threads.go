package cpu

import (
	"fmt"

	"weft/cpu/lockstep"
	"weft/cpu/vm"
	"weft/tile"
)

// A program of threads is lowered to steps over rows of lanes, which package lockstep runs. What is the same in all
// lanes of a row, because it is computed from nothing but such values, is a single element.

// threadCode is a lowered program of threads.
type threadCode struct {
	steps     []lockstep.Step
	places    []rowPlace
	registers int
	outers    []int // by scope
	literals  []tile.Scalar
	alone     bool // it may run as a row of one lane does
	inner     []innerLoop
	kept      []int64 // by what rows keep of where elements are: bits of the axes
	copies    []lockstep.Copy
}

// rowPlace is where a value lies: one element in all, or one in each lane.
type rowPlace struct {
	place
	same  bool
	where tile.Form // of a place that is inThread
	first int       // step that writes it first
	last  int       // step that needs it last
}

// inThread is a value that tells where a thread is.
const inThread kind = inSlot + 1

// threadLowering turns instructions into steps.
type threadLowering struct {
	*lowering
	c     threadCode
	same  []bool // by value: whether it is the same in all lanes
	rows  []bool // by place: whether it differs from lane to lane
	idle  []bool
	to    []tile.Value
	scope int
	open  []threadScope
	ended threadScope
	loops [][2]int // steps: where the condition of a loop begins, and its end
	where map[int]tile.Form
	spins map[int]bool // by loop
	*stepCodes
	once []bool // by place: it has one value while a row runs
}

// stepCodes is what lowering looks up of steps. Package lockstep is asked for it once, since that takes as long as
// lowering a program of fifty lines.
type stepCodes struct {
	primitives vm.Table
	forms      map[uint16]int32 // by row of the table: those of lockstep.Singles
	codes      innerCodes
}

func newStepCodes(table vm.Table) *stepCodes {
	return &stepCodes{table, singleForms(table), newInnerCodes(table)}
}

// threadScope is an if or a loop that is being lowered.
type threadScope struct {
	outer, inner int // scopes
	condition    int // of an if: place
	begin        int // step: the if, the else, the while
	again        int // step: where the condition of a loop begins
	carries      []carry
	nexts        []int
	loop         bool
	spins        bool
}

// lowerThreads lowers a checked program. Where a row holds several blocks, these differ in what tells them apart.
func lowerThreads(p *tile.Program, steps *stepCodes, several bool, spins map[int]bool) (*threadCode, error) {
	lo := &threadLowering{
		lowering: &lowering{p: p, table: steps.primitives, places: make([]place, 1), values: make([]int, len(p.Code)), singles: map[int]int{}, stepwise: true},
		idle:     tile.Idle(p), to: tile.Partners(p), where: map[int]tile.Form{}, spins: spins, stepCodes: steps,
	}
	lo.c.outers = []int{-1}
	lo.same = sameInAll(p, several, len(spins) > 0)
	for i := range p.Code {
		v, err := lo.instr(i)
		if err != nil {
			return nil, fmt.Errorf("cpu: program %q: %s: %w", p.Name, p.InstrString(tile.Value(i)), err)
		}
		lo.values[i] = v
	}
	lo.c.literals, lo.c.alone = lo.literals, !p.Guarded
	for i := range p.Code {
		switch p.Code[i].Op {
		case tile.Vote, tile.Shuffle, tile.Match, tile.Active:
			lo.c.alone = false
		}
	}
	lo.once = lo.onlyOnce()
	lo.copies()
	lo.keep()
	lo.innerLoops()
	lo.assign()
	if len(lo.c.steps) > 1<<30 {
		return nil, fmt.Errorf("cpu: program %q has %d steps", p.Name, len(lo.c.steps))
	}
	return &lo.c, nil
}

// singleForms returns the forms of steps that have code of their own in rows of one lane, by row of the table.
func singleForms(table vm.Table) map[uint16]int32 {
	forms := map[uint16]int32{}
	for name, form := range lockstep.Singles() {
		p, known := table[name]
		if !known {
			panic(fmt.Sprintf("BUG: %v has code of its own in cpu/lockstep/lockstep.h, and no row in cpu/vm/table.h", name))
		}
		forms[p.Row] = form
	}
	return forms
}

// meets reports whether threads of a block have to do with each other.
func meets(p *tile.Program) bool {
	for i := range p.Scratch {
		if p.Scratch[i].Space == tile.Shared {
			return true
		}
	}
	for i := range p.Code {
		switch p.Code[i].Op {
		case tile.Barrier, tile.GridBarrier, tile.Tally:
			return true
		}
	}
	return false
}

// sameInAll tells of each value whether it is the same in all lanes that have it. A loop is looked at until that holds
// for what it hands on, too. Where lanes go ahead of others, what they read of what is written may differ.
func sameInAll(p *tile.Program, several, spins bool) []bool {
	same := make([]bool, len(p.Code))
	for i := range same {
		same[i] = true
	}
	for changed := true; changed; {
		changed = false
		var conditions []bool // of open ifs
		var heads []tile.Value
		ended := true
		for i := range p.Code {
			in := &p.Code[i]
			now := true
			for _, a := range in.Operands() {
				now = now && same[a]
			}
			switch in.Op {
			case tile.Thread:
				switch {
				case in.Form <= tile.TidZ || in.Form == tile.LaneID:
					now = false
				case in.Form <= tile.CtaidZ:
					now = !several
				}
			case tile.Load, tile.Index:
				now = false
			case tile.Element:
				m := tile.Memory(in.N)
				now = now && (m >= 0 || p.Scratch[^m].Space == tile.Shared) && !spins // what is only read may share memory with what is written
			case tile.Atomic, tile.Cas, tile.Vote, tile.Shuffle, tile.Match, tile.Active:
				now = false
			case tile.Tally:
				now = true
			case tile.If, tile.Loop:
				heads = append(heads, tile.Value(i))
				conditions = append(conditions, now)
			case tile.End:
				ended = conditions[len(conditions)-1]
				conditions, heads = conditions[:len(conditions)-1], heads[:len(heads)-1]
			case tile.Merge:
				now = now && ended
			case tile.While: // who leaves later has other values
				for c := heads[len(heads)-1] + 1; p.Code[c].Op == tile.Carry; c++ {
					if !now && same[c] {
						same[c], changed = false, true
					}
				}
			case tile.Next:
				if c := in.Args[0]; same[c] && !same[in.Args[1]] {
					same[c], changed = false, true
				}
				continue
			}
			if same[i] && !now {
				same[i], changed = false, true
			}
		}
	}
	return same
}

// step adds a step, which reads places and writes d.
func (lo *threadLowering) step(s lockstep.Step, d int, in ...int) {
	s.D, s.Scope = int32(d), int32(lo.scope)
	for k, v := range in {
		s.In[k] = int32(v)
	}
	lo.c.steps = append(lo.c.steps, s)
}

// row returns a place for the result of an instruction.
func (lo *threadLowering) row(i int) int {
	v := lo.place(inRegister, 0, lo.p.Code[i].Type.Size())
	lo.differs(v, !lo.same[i])
	return v
}

func (lo *threadLowering) differs(v int, does bool) {
	for len(lo.rows) < len(lo.places) {
		lo.rows = append(lo.rows, false)
	}
	lo.rows[v] = does
}

// drain makes steps of the nodes that scalar opcodes were lowered to.
func (lo *threadLowering) drain() {
	for _, n := range lo.nodes {
		lo.differs(n.d, false)
		for _, v := range n.inputs() {
			if lo.rows[v] {
				lo.rows[n.d] = true
			}
		}
		lo.step(lockstep.Step{Kind: int32(n.primitive.Row), Form: lo.forms[n.primitive.Row], N: lo.likewise(&n)}, n.d, n.inputs()...)
	}
	lo.nodes = lo.nodes[:0]
}

// likewise is the number of the operand, from 1 on, that a node adds the same to in all lanes, if these are indices:
// its lanes rise like the result's. It is 0 of other nodes.
func (lo *threadLowering) likewise(n *node) int32 {
	if n.t != tile.Int64 || n.op != tile.Add && n.op != tile.Sub {
		return 0
	}
	switch x, y := lo.rows[n.in[0]], lo.rows[n.in[1]]; {
	case x && !y:
		return 1
	case y && !x && n.op == tile.Add:
		return 2
	}
	return 0
}

func (lo *threadLowering) args(in *tile.Instr) []int {
	var all []int
	for _, a := range in.Operands() {
		all = append(all, lo.values[a])
	}
	return all
}

// threadKinds are the kinds of steps of what has to do with memories, and with other threads.
var threadKinds = map[tile.Opcode]int32{tile.Element: lockstep.Element, tile.Put: lockstep.Put, tile.Atomic: lockstep.Atomic, tile.Cas: lockstep.Cas,
	tile.Barrier: lockstep.Barrier, tile.GridBarrier: lockstep.GridBarrier, tile.Tally: lockstep.Tally, tile.Vote: lockstep.Vote, tile.Shuffle: lockstep.Shuffle,
	tile.Match: lockstep.Match, tile.Active: lockstep.Active}

// instr lowers an instruction and returns the place of its result.
func (lo *threadLowering) instr(i int) (v int, err error) {
	in := &lo.p.Code[i]
	args := lo.args(in)
	s := lockstep.Step{N: in.N, Form: int32(in.Form), Instr: int32(i)}
	switch in.Op {
	case tile.Const:
		v = lo.constant(in.Lit)
		lo.differs(v, false)
		return v, nil
	case tile.Uniform:
		v = lo.place(inUniform, int(in.N), in.Type.Size())
		lo.differs(v, false)
		return v, nil
	case tile.Thread:
		v = lo.row(i)
		lo.places[v].kind = inThread
		lo.where[v] = in.Form
		return v, nil
	case tile.Size:
		v = lo.row(i)
		lo.places[v].kind, lo.places[v].n = inCell, int(in.N)
		lo.where[v] = in.Form
		return v, nil
	case tile.Element, tile.Put, tile.Atomic, tile.Cas:
		s.Kind = threadKinds[in.Op]
		if m := tile.Memory(in.N); m < 0 {
			s.N = int32(len(lo.p.Params)) + int32(^m)
		}
		if in.Op == tile.Atomic || in.Op == tile.Cas {
			s.Type = atomicTypes[in.Type]
		}
		if in.Op != tile.Put {
			v = lo.row(i)
		}
		lo.step(s, v, args...)
		return v, nil
	case tile.Barrier, tile.GridBarrier, tile.Tally, tile.Vote, tile.Shuffle, tile.Match, tile.Active:
		s.Kind = threadKinds[in.Op]
		if in.Op == tile.Shuffle || in.Op == tile.Match {
			s.N = int32(lo.p.Code[in.Args[1]].Type.Size())
		}
		if in.Op.HasResult() {
			v = lo.row(i)
		}
		lo.step(s, v, args...)
		return v, nil
	case tile.Fence: // what a lane writes, others see
		if lo.p.Guarded {
			s.Kind = lockstep.Fence
			lo.step(s, none)
		}
		return none, nil
	case tile.Leave:
		s.Kind = lockstep.Leave
		lo.step(s, none)
		return none, nil
	case tile.Fail:
		s.Kind, s.N, s.Form = lockstep.Fail, int32(len(args)), 0
		for k, a := range in.Operands() {
			s.Form |= int32(lo.p.Code[a].Type.Size()) << (5 * k)
		}
		lo.step(s, none, args...)
		return none, nil
	case tile.If, tile.Else, tile.Merge, tile.Loop, tile.Carry, tile.While, tile.Next, tile.End:
		v, err = lo.control(i, args)
	case tile.Cast:
		v, err = lo.cast(args[0], lo.p.Code[in.Args[0]].Type, in.Type)
	case tile.Select:
		v, err = lo.emit("select", bySize(in.Type), args...)
	default:
		v, err = lo.scalar(in.Op, lo.p.Code[in.Args[0]].Type, args...)
	}
	if err != nil {
		return none, err
	}
	lo.drain()
	return v, nil
}

// atomicTypes are the dtypes of atomics.
var atomicTypes = map[tile.DType]int32{tile.Int32: lockstep.I32, tile.Uint32: lockstep.U32, tile.Int64: lockstep.I64,
	tile.Uint64: lockstep.U64, tile.Float32: lockstep.F32, tile.Float64: lockstep.F64}

// enter begins a scope within another.
func (lo *threadLowering) enter(outer int) int {
	lo.c.outers = append(lo.c.outers, outer)
	return len(lo.c.outers) - 1
}

// idles is what a step's Idle is, whose lanes may go on at an instruction.
func (lo *threadLowering) idles(at int) int32 {
	if lo.idle[at] {
		return 1
	}
	return 0
}

// control lowers an instruction of control flow.
func (lo *threadLowering) control(i int, args []int) (v int, err error) {
	in := &lo.p.Code[i]
	var top *threadScope
	if n := len(lo.open); n > 0 {
		top = &lo.open[n-1]
	}
	clear(lo.singles) // what was converted in a block may not have been elsewhere
	switch in.Op {
	case tile.If:
		b := threadScope{outer: lo.scope, inner: lo.enter(lo.scope), condition: args[0], begin: len(lo.c.steps)}
		lo.open = append(lo.open, b)
		lo.step(lockstep.Step{Kind: lockstep.If, Idle: lo.idles(int(lo.to[i]))}, b.inner, args[0])
		lo.scope = b.inner
	case tile.Else:
		lo.scope = top.outer
		lo.c.steps[top.begin].To = int32(len(lo.c.steps))
		then := top.inner
		top.inner, top.begin = lo.enter(top.outer), len(lo.c.steps)
		lo.step(lockstep.Step{Kind: lockstep.Else, N: int32(then), Idle: lo.idles(i)}, top.inner, top.condition)
		lo.scope = top.inner
	case tile.Merge:
		v, err = lo.emit("select", bySize(in.Type), lo.ended.condition, args[0], args[1])
		return v, err
	case tile.Loop:
		b := threadScope{outer: lo.scope, inner: lo.enter(lo.scope), loop: true, spins: lo.spins[i]}
		lo.step(lockstep.Step{Kind: lockstep.Loop}, b.inner)
		b.again = len(lo.c.steps)
		lo.open = append(lo.open, b)
		lo.scope = b.inner
	case tile.Carry:
		v = lo.row(i)
		top.carries = append(top.carries, carry{v, in.Type})
		lo.step(lockstep.Step{Kind: lockstep.Keep, N: int32(in.Type.Size())}, v, args[0])
		top.again = len(lo.c.steps)
	case tile.While:
		top.begin = len(lo.c.steps)
		s := lockstep.Step{Kind: lockstep.While, Idle: lo.idles(int(lo.to[i]))}
		if top.spins {
			s.N = 1
		}
		lo.step(s, none, args[0])
	case tile.Next:
		top.nexts = append(top.nexts, args[1])
	case tile.End:
		lo.end(*top)
	}
	return v, nil
}

// end ends a block. All carries of a loop change at once: what a carry takes from another is set aside.
func (lo *threadLowering) end(b threadScope) {
	if b.loop {
		for k, v := range b.nexts {
			for j, c := range b.carries {
				if c.v == v && j != k {
					b.nexts[k] = lo.place(inRegister, 0, c.t.Size())
					lo.differs(b.nexts[k], lo.rows[v])
					lo.step(lockstep.Step{Kind: lockstep.Keep, N: int32(c.t.Size())}, b.nexts[k], v)
					break
				}
			}
		}
		for k, c := range b.carries {
			if b.nexts[k] != c.v {
				lo.step(lockstep.Step{Kind: lockstep.Keep, N: int32(c.t.Size())}, c.v, b.nexts[k])
			}
		}
		lo.loops = append(lo.loops, [2]int{b.again, len(lo.c.steps)})
		s := lockstep.Step{Kind: lockstep.Again, To: int32(b.again)}
		if b.spins {
			s.N = 1
		}
		lo.step(s, none)
	}
	lo.open = lo.open[:len(lo.open)-1]
	lo.scope, lo.ended = b.outer, b
	lo.c.steps[b.begin].To = int32(len(lo.c.steps))
}

// reads returns the places that a step reads, and the one that it writes, or none.
func (lo *threadLowering) touches(s *lockstep.Step) (reads []int, d int) {
	n := 0
	switch s.Kind {
	case lockstep.If, lockstep.Else, lockstep.While, lockstep.Keep:
		n = 1
	default:
		n = len(s.In)
	}
	for _, v := range s.In[:n] {
		if v != none {
			reads = append(reads, int(v))
		}
	}
	switch s.Kind {
	case lockstep.If, lockstep.Else, lockstep.Loop: // a scope
	default:
		d = int(s.D)
	}
	return reads, d
}

// assign gives values registers, which others take when the last step that needs them is over.
func (lo *threadLowering) assign() {
	for len(lo.rows) < len(lo.places) {
		lo.rows = append(lo.rows, false)
	}
	for v, p := range lo.places {
		lo.c.places = append(lo.c.places, rowPlace{place: p, same: !lo.rows[v], where: lo.where[v], first: -1, last: -1})
	}
	all := lo.c.places
	touch := func(v, k int) {
		if all[v].first < 0 {
			all[v].first = k
		}
		all[v].last = k
	}
	for k := range lo.c.steps {
		reads, d := lo.touches(&lo.c.steps[k])
		for _, v := range reads {
			touch(v, k)
		}
		if d != none {
			touch(d, k)
		}
	}
	for _, l := range lo.loops { // inner loops end first; the next turn reads again what was there before
		for v := range all {
			if p := &all[v]; p.first >= 0 && p.first < l[0] && p.last >= l[0] {
				p.last = max(p.last, l[1])
			}
		}
	}
	ends := make([][]int, len(lo.c.steps))
	for v := range all {
		if p := &all[v]; p.first >= 0 && p.kind == inRegister && !p.same {
			ends[p.last] = append(ends[p.last], v)
		}
	}
	var free []int
	for k := range lo.c.steps {
		if _, d := lo.touches(&lo.c.steps[k]); d != none && all[d].first == k && all[d].kind == inRegister && !all[d].same {
			if n := len(free) - 1; n >= 0 {
				all[d].n, free = free[n], free[:n]
			} else {
				all[d].n = lo.c.registers
				lo.c.registers++
			}
		}
		for _, v := range ends[k] {
			free = append(free, all[v].n)
		}
	}
}
