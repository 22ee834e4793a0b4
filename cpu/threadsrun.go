package cpu

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"weft/cpu/lockstep"
	"weft/cpu/vm"
	"weft/tile"
)

// rowLanes is how many lanes a row should have: blocks of few threads that do not meet stand side by side.
const rowLanes = 512

// Rows are cut into as many chunks as this for each core, which take one after the other, where there is enough to do.
const (
	rowChunks  = 8
	leastSteps = 20000 // of 32 lanes, as if each were taken once: some ten microseconds
)

// rowTurns is how many turns the lanes of a row take in loops where they may wait for other blocks, before these have
// theirs: more than spinTurns, so that lanes which others of the row wait for go ahead.
const rowTurns = 256

// spinTurns is for how many turns lanes of a loop may wait for lanes that have left it before these go ahead.
const spinTurns = 64

// threads is what a program of threads was compiled to.
type threads struct {
	machine  int                         // number of the instruction set
	single   func() (*threadCode, error) // a row is one block
	several  *threadCode                 // a row is several blocks; nil where it may not be
	ordered  bool                        // blocks have to run one after the other, for the result to be the same each time
	waits    bool                        // threads may wait for those of other blocks
	meets    bool                        // threads of all blocks meet
	lanewise bool                        // guards look at each lane by itself
	memory   int64                       // bytes that the device's arrays may take; 0 where that has no limit
}

func (e *engine) compileThreads(p *tile.Program) (*executable, error) {
	if err := tile.Check(p); err != nil {
		return nil, err
	}
	t := &threads{ordered: ordered(p), memory: e.pool.limit, lanewise: e.lanewise}
	for i, m := range vm.Machines() {
		if m.Name() == e.machine.Name() {
			t.machine = i
		}
	}
	spins := spinning(p, e.restless)
	t.meets = p.MeetsGrid()
	t.waits = t.meets || len(spins) > 0
	var err error
	t.single = sync.OnceValues(func() (*threadCode, error) { return lowerThreads(p, e.steps(), false, spins) })
	if meets(p) {
		_, err = t.single()
	} else { // of which most launches are; the other one is made where it is needed
		t.several, err = lowerThreads(p, e.steps(), true, spins)
	}
	if err != nil {
		return nil, err
	}
	return &executable{program: p, threads: t}, nil
}

// ordered reports whether blocks have to run in order: what atomics give, or leave of floats, depends on who came
// before.
func ordered(p *tile.Program) bool {
	used := usedValues(p)
	for i := range p.Code {
		in := &p.Code[i]
		if in.N < 0 {
			continue
		}
		switch in.Op {
		case tile.Cas:
			return true
		case tile.Atomic:
			if used[i] || in.Type.Is(tile.KindFloat) || in.Form >= tile.AtomicExch {
				return true
			}
		}
	}
	return false
}

// usedValues tells which values are operands.
func usedValues(p *tile.Program) []bool {
	used := make([]bool, len(p.Code))
	for i := range p.Code {
		for _, a := range p.Code[i].Operands() {
			used[a] = true
		}
	}
	return used
}

// runThreads runs a launch of threads, with the help of idle queues.
func (e *engine) runThreads(f *frame, x *executable, l *tile.Launch) error {
	if err := tile.CheckLaunch(l); err != nil {
		return err
	}
	if err := e.locate(f, l); err != nil {
		return err
	}
	g := gridRun{x: x.threads, l: l, blocks: l.Grid.Count(), threads: l.Grid.BlockThreads(), per: 1, patience: spinTurns}
	g.turns = rowTurns
	if e.restless {
		g.patience, g.turns = 0, 3
	}
	if per := rowLanes / g.threads; per > 1 && g.blocks > 1 && x.threads.several != nil {
		g.per = int(min(int64(per), g.blocks))
		g.code = x.threads.several
	} else {
		var err error
		if g.code, err = x.threads.single(); err != nil {
			return err
		}
	}
	g.static, g.at = tile.SharedBytes(l.Program)
	if l.Stop != nil {
		var pin runtime.Pinner
		pin.Pin(l.Stop.Word())
		defer pin.Unpin()
	}
	rows := (g.blocks + int64(g.per) - 1) / int64(g.per)
	chunks := min(rows, rowChunks*int64(len(e.queues)))
	if len(e.queues) == 1 {
		chunks = 1
	}
	lanes := min(rows, 1<<30) * int64(g.threads*g.per)
	if x.threads.ordered || !l.Program.Flows() && lanes/32*int64(len(g.code.steps)) < leastSteps {
		chunks = 1
	}
	if l.Program.Guarded {
		var err error
		if g.guards, err = g.guard(f); err != nil {
			return err
		}
		defer g.guards.free()
		chunks = 1
	}
	if x.threads.waits {
		return g.rounds(e, f, rows, int(chunks))
	}
	if chunks <= 1 {
		return g.run(f, 0, rows)
	}
	g.crowded = 1
	base := f.base
	return e.share(int(chunks), func(i int) error {
		f, err := e.borrow()
		if err != nil {
			return err
		}
		defer e.giveBack(f)
		f.base = append(f.base[:0], base...)
		return g.run(f, rows*int64(i)/chunks, rows*int64(i+1)/chunks)
	})
}

// gridRun is a launch of threads.
type gridRun struct {
	x       *threads
	l       *tile.Launch
	code    *threadCode
	blocks  int64
	threads int // of a block
	per     int // blocks of a row
	static  int64
	at      []int64
	crowded int64
	guards  *guards // of a guarded program

	patience int64
	turns    int64
}

// rowRun is what a chunk of rows runs with.
type rowRun struct {
	*gridRun
	row      *lockstep.Row
	shared   []byte // of the block
	own      []byte // of all lanes
	varying  []int  // places that are other ones in each row
	operands []vm.Operand
	scope    *lockstep.Scope
	shapes   []byte // by place: what is known of its integers
	memory   []lockstep.Memory
	calm     []lockstep.Calm // by array of the program's, and one for all that have no size of their own; of guarded programs
}

// run runs rows one after the other, until one fails.
func (g *gridRun) run(f *frame, from, to int64) error {
	r, err := g.prepare(f)
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if g.l.Stop.Stopped() {
			return tile.ErrStopped
		}
		r.begin(i)
		lockstep.Run(g.x.machine, r.row)
		if r.row.Fault.Kind != 0 {
			return r.explain(i * int64(g.per))
		}
		if g.guards != nil {
			g.guards.end()
		}
	}
	return nil
}

// prepare lays out what does not change from row to row.
func (g *gridRun) prepare(f *frame) (*rowRun, error) {
	c, p, n := g.code, g.l.Program, g.threads*g.per
	widest, rows := 1, c.registers
	for i := range c.places {
		if q := &c.places[i]; !q.same {
			widest = max(widest, q.size)
			if q.kind != inRegister {
				rows++
			}
		}
	}
	const margin = 128 // see spacing
	owned := g.ownBytes()
	size := 4096 + len(c.steps)*int(unsafe.Sizeof(lockstep.Step{})) + len(c.places)*(16+16+8) + (len(c.kept)+2)*int(unsafe.Sizeof(lockstep.Kept{})) +
		(len(c.copies)+2)*int(unsafe.Sizeof(lockstep.Copy{})) + rows*(n*widest+margin+64) +
		len(c.outers)*(n+64+int(unsafe.Sizeof(lockstep.Scope{}))) + (len(p.Params)+len(p.Scratch))*int(unsafe.Sizeof(lockstep.Memory{})) +
		n*(lockstep.Room+8) + len(c.places) + len(c.outers) + int(g.static+g.l.Grid.Dynamic) + owned
	if g.guards != nil {
		size += n*(lockstep.VotedSize+4) + lockstep.Notes*(lockstep.NoteSize+8) + 16*(len(p.Scratch)+16)
	}
	for i := range c.inner {
		size += c.inner[i].bytes()
	}
	alone := c.alone && n == 1 && !g.x.waits
	if alone {
		size += (len(c.steps) + 1) * lockstep.SingleSize
	}
	a := &f.scratch
	if _, err := a.reserve(size); err != nil {
		return nil, err
	}
	r := &rowRun{gridRun: g, row: &carve[lockstep.Row](a, 1)[0], shared: carve[byte](a, int(g.static+g.l.Grid.Dynamic)+1),
		own: carve[byte](a, owned+1), operands: carve[vm.Operand](a, len(c.places)), memory: carve[lockstep.Memory](a, len(p.Params)+len(p.Scratch)+1)}
	if g.guards != nil {
		r.calm = carve[lockstep.Calm](a, len(p.Scratch)+1)
	}
	steps := carve[lockstep.Step](a, len(c.steps)+1)
	copy(steps, c.steps)
	*r.row = lockstep.Row{Steps: int64(len(c.steps)), Threads: int64(g.threads), Step: start(steps), Operand: start(r.operands),
		Memory: r.memories(f, n), Room: start(carve[byte](a, n*lockstep.Room))}
	life := carve[[2]int32](a, len(c.places))
	for v := range c.places {
		if life[v] = [2]int32{0, -1}; c.places[v].kind == inRegister {
			life[v] = [2]int32{int32(c.places[v].first), int32(c.places[v].last)}
		}
	}
	r.row.Life = start(life)
	r.row.Operands, r.row.Scopes, r.row.Patience = int64(len(c.places)), int64(len(c.outers)), g.patience
	r.row.Turns = g.turns
	if g.l.Stop != nil {
		r.row.Stop = unsafe.Pointer(g.l.Stop.Word())
	}
	if alone {
		singles := carve[[lockstep.SingleSize]byte](a, len(c.steps)+1)
		clear(singles)
		r.row.Single = start(singles)
	}
	inner := carve[lockstep.Inner](a, len(c.inner)+1)
	for i := range c.inner {
		inner[i] = c.inner[i].lay(a)
	}
	r.row.Loop = start(inner)
	kept := carve[lockstep.Kept](a, len(c.kept)+1)
	for i, axes := range c.kept {
		kept[i].Row, kept[i].Axes = 0, axes
	}
	copies := carve[lockstep.Copy](a, len(c.copies)+1)
	copy(copies, c.copies)
	r.row.Kept, r.row.Copy = start(kept), start(copies)
	if g.guards != nil {
		g.guards.watch(r.row, a, n)
		if g.x.lanewise {
			r.row.Lanewise = 1
		}
	}
	scopes := carve[lockstep.Scope](a, len(c.outers))
	for i, outer := range c.outers {
		scopes[i] = lockstep.Scope{Mask: start(carve[byte](a, n)), Outer: int64(outer)}
	}
	r.scope, r.row.Scope = &scopes[0], start(scopes)
	behind := carve[int64](a, n)
	for lane := range behind {
		if behind[lane] = -1; lane%g.l.Grid.Threads[0] == 0 {
			behind[lane] = 0
		}
	}
	r.shapes = carve[byte](a, max(len(c.places), len(c.outers)))
	clear(r.shapes)
	r.row.Width, r.row.Inner, r.row.Shape = int64(g.l.Grid.Threads[0]), start(behind), start(r.shapes)
	same := carve[[2]uint64](a, len(c.places))
	registers := make([]unsafe.Pointer, c.registers)
	for i := range registers {
		registers[i] = start(carve[byte](a, n*widest+margin))
	}
	for v := range c.places {
		q := &c.places[v]
		o := &r.operands[v]
		switch {
		case q.same || v == none:
			same[v] = r.value(q)
			*o = vm.Operand{P: unsafe.Pointer(&same[v])}
		case q.kind == inRegister:
			*o = vm.Operand{P: registers[q.n], Step: int64(q.size)}
		default: // tells where a thread is
			row := carve[int32](a, n)
			*o = vm.Operand{P: start(row), Step: 4}
			r.fill(row, q.where)
		}
		if q.kind == inThread && q.where >= tile.CtaidX && q.where <= tile.CtaidZ {
			r.varying = append(r.varying, v)
		}
	}
	return r, nil
}

// ownBytes is how many bytes the lanes of a row have in arrays of their own.
func (g *gridRun) ownBytes() int {
	owned := 0
	for i := range g.l.Program.Scratch {
		if s := &g.l.Program.Scratch[i]; s.Space == tile.Own {
			owned += s.Elements()*s.Type.Size()*g.threads*g.per + 64
		}
	}
	return owned
}

// memories lays out parameters and arrays. Threads' own ones are kept lane by lane: the same element of all lanes side
// by side.
func (r *rowRun) memories(f *frame, lanes int) unsafe.Pointer {
	p, all := r.l.Program, r.memory
	for i := range p.Params {
		b := &r.l.Args[i]
		m := &all[i]
		*m = lockstep.Memory{P: unsafe.Add(f.base[i], b.Offset), Axes: int64(len(b.Shape)), Size: int64(p.Params[i].Type.Size()), Crowded: r.crowded}
		for k, n := range b.Shape {
			m.Extent[k], m.Stride[k] = int64(n), b.Strides[k]
		}
		if r.guards != nil {
			guardMemory(m, r.guards.params[i])
		}
	}
	owned := 0
	for i := range p.Scratch {
		s := &p.Scratch[i]
		size := s.Type.Size()
		m := &all[len(p.Params)+i]
		*m = lockstep.Memory{Axes: int64(len(s.Shape)), Size: int64(size)}
		shape, stride := s.Shape, int64(size)
		if s.Space == tile.Own {
			m.P, m.Lane = unsafe.Pointer(&r.own[owned]), int64(size)
			if r.guards != nil {
				m.Written, m.Grain = unsafe.Add(r.guards.own, owned), int64(bits.TrailingZeros(uint(size)))
			}
			owned += (s.Elements()*size*lanes + 63) / 64 * 64
			stride *= int64(lanes)
		} else {
			m.P = unsafe.Pointer(&r.shared[r.at[i]])
			if r.guards != nil {
				guardMemory(m, r.guards.shared.from(r.at[i]>>r.guards.shared.grain))
				if m.Calm = &r.calm[i]; s.Dynamic() { // these are in the same bytes
					m.Calm = &r.calm[len(p.Scratch)]
				}
			}
		}
		if s.Dynamic() {
			shape = []int{int(r.l.Grid.Dynamic) / size}
		}
		for k := len(shape) - 1; k >= 0; k-- {
			m.Extent[k], m.Stride[k] = int64(shape[k]), stride
			stride *= int64(shape[k])
		}
	}
	return start(all)
}

// value is what is the same in all lanes and rows; 0 of what steps write.
func (r *rowRun) value(q *rowPlace) (v [2]uint64) {
	switch q.kind {
	case inLiteral:
		return r.code.literals[q.n].Bits
	case inUniform:
		return r.l.Uniforms[q.n].Bits
	case inCell:
		v[0] = uint64(r.extent(tile.Memory(int32(q.n)), int(q.where)))
	case inThread:
		v[0] = uint64(uint32(r.where(q.where, 0)))
	}
	return v
}

// extent is the extent of an axis of a memory.
func (r *rowRun) extent(m tile.Memory, axis int) int64 {
	if m >= 0 {
		return int64(r.l.Args[m].Shape[axis])
	}
	s := &r.l.Program.Scratch[^m]
	if s.Dynamic() {
		return r.l.Grid.Dynamic / int64(s.Type.Size())
	}
	return int64(s.Shape[axis])
}

// where tells where the thread of a lane is, in the first row.
func (r *rowRun) where(form tile.Form, lane int) int32 {
	g := &r.l.Grid
	thread := lane % r.threads
	switch axis := form % 3; {
	case form == tile.LaneID:
		return int32(thread % tile.WarpSize)
	case form <= tile.TidZ:
		return int32(tile.At(int64(thread), g.Threads)[axis])
	case form <= tile.CtaidZ:
		return int32(tile.At(int64(lane/r.threads), g.Blocks)[axis])
	case form <= tile.NtidZ:
		return int32(g.Threads[axis])
	default:
		return int32(g.Blocks[axis])
	}
}

// fill fills a row with what differs from thread to thread of a block, in each block; what differs between blocks begin
// fills in.
func (r *rowRun) fill(row []int32, form tile.Form) {
	for lane := range min(len(row), r.threads) {
		row[lane] = r.where(form, lane)
	}
	for lane := r.threads; lane < len(row); lane += r.threads {
		copy(row[lane:], row[:r.threads])
	}
}

// begin makes everything ready for row i.
func (r *rowRun) begin(i int64) {
	first := i * int64(r.per)
	blocks := min(int64(r.per), r.blocks-first)
	lanes := int(blocks) * r.threads
	r.row.Lanes, r.row.Fault.Kind, r.row.First = int64(lanes), 0, first*int64(r.threads)
	if r.guards != nil {
		r.guards.begin()
		r.row.Now++
		r.row.Began = r.row.Now
		clear(r.calm)
		for k := range r.memory {
			r.memory[k].Full = 0
		}
	}
	live := unsafe.Slice((*byte)(r.scope.Mask), lanes)
	for k := range live {
		live[k] = 1
	}
	r.scope.Count = int64(lanes)
	clear(r.shared)
	clear(r.own)
	for _, v := range r.varying {
		o := &r.operands[v]
		r.shapes[v] = 0
		axis := r.code.places[v].where - tile.CtaidX
		if o.Step == 0 {
			*(*int32)(o.P) = int32(tile.At(first, r.l.Grid.Blocks)[axis])
			continue
		}
		row := unsafe.Slice((*int32)(o.P), lanes)
		for b := range blocks {
			at := int32(tile.At(first+b, r.l.Grid.Blocks)[axis])
			for t := range r.threads {
				row[int(b)*r.threads+t] = at
			}
		}
	}
}

// explain returns the error of a row that begins with a block.
func (r *rowRun) explain(first int64) error {
	f, err := r.fault(first)
	if err != nil {
		return err
	}
	return r.l.Explain(f)
}

// fault returns what ended the lowest lane that failed of a row that begins with a block.
func (r *rowRun) fault(first int64) (*tile.Fault, error) {
	e := &r.row.Fault
	f := tile.Fault{Instr: tile.Value(e.Instr), Block: first + e.Lane/int64(r.threads), Thread: int(e.Lane) % r.threads,
		Other: int(e.Other) % r.threads, Axis: int(e.Axis), Index: e.Index, Size: e.Size}
	in := &r.l.Program.Code[f.Instr]
	switch e.Kind {
	case lockstep.Stopped:
		return nil, tile.ErrStopped
	case lockstep.Exhausted:
		return nil, fmt.Errorf("cpu: launch of %s: no memory for the threads of a block that waits for others", r.l.Program.Name)
	case lockstep.Unmarked:
		return nil, r.unmarked()
	case lockstep.Index:
		f.Kind = tile.FaultIndex
	case lockstep.Failed:
		f.Kind = tile.FaultFail
		for k, a := range slices.Clone(in.Operands()) {
			f.Values = append(f.Values, tile.Scalar{Type: r.l.Program.Code[a].Type, Bits: e.Values[k]})
		}
	case lockstep.Alone:
		f.Kind = tile.FaultAlone
		if in.Op == tile.GridBarrier {
			f.OtherBlock = e.Other / int64(r.threads)
		}
	case lockstep.Mask:
		f.Kind = tile.FaultMask
	case lockstep.Race, lockstep.Unwritten:
		if f.Kind = tile.FaultUnwritten; e.Kind == lockstep.Race {
			f.Kind, f.OtherBlock, f.OtherInstr = tile.FaultRace, e.Other/int64(r.threads), tile.Value(e.Size)
		}
		for k := range f.At {
			f.At[k] = int64(e.Values[k][0])
		}
	default:
		return nil, fmt.Errorf("cpu: launch of %s: a row ended with fault %d", r.l.Program.Name, e.Kind)
	}
	return &f, nil
}
