package cpu

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"weft/cpu/eager"
	"weft/cpu/vm"
	"weft/tile"
)

// What went wrong in the floating-point operations of a launch.
//
// The processor's sticky flags, and looks where these say nothing, tell for nothing whether something may have gone
// wrong in a whole launch (vm.Launch.Raised). If so, it is explained: the operands and results of the operations that
// are watched are computed once more, some thousand points at a time, by a program that stores all of them, and their
// values say what happened, in which operation. So flags that a loop raises for no reason cost time, but tell nothing.
//
//	launch      v2 = add v0 v1; v3 = log v2; store p2 v3
//	explained   v2 = add v0 v1; v3 = log v2; store v0 v1 v2, store v2 v3      log: 0 -> -inf: divided by zero
//
// Where an output is an input's memory, what was computed from that input cannot be computed again. There a flag is
// told of the one operation of these that can have raised it, if there is only one, and none of the others has; where
// several can, what is about to be written over is saved (saved.go), but not of reductions, which do not run in pieces.

// explained is how many points are explained at a time, and together how many operations.
const (
	explainedPoints   = 4096
	explainedTogether = 12
)

// Both sides number the rules alike; a difference does not compile.
const (
	_ = uint(eager.Odd - tile.Odd)
	_ = uint(tile.Odd - eager.Odd)
	_ = uint(eager.ComplexProducts - tile.ComplexProducts)
	_ = uint(tile.ComplexProducts - eager.ComplexProducts)
)

// explanation is what says what happened in some of the operations that a program has Watched.
type explanation struct {
	ops   []int // which, by position there
	x     *executable
	args  []int     // by input of its program: the parameter of the program that it is of
	where []outputs // by operation: of its operands and its result
	least []float64
	outs  int
}

// outputs are where values of an operation are among the outputs of what explains it: its operands and its result, and
// the parts of a complex number that is divided. It is -1 where there is none.
type outputs [5]int

// values are those of an operation at some points, as outputs has them.
type values [len(outputs{})][]float64

// tapped is a value that is stored: a complex number by its size, the larger one of its parts' or none, or by one of
// its parts.
type tapped struct {
	value tile.Value
	part  tile.Opcode // RealPart, ImagPart, or Abs for the size
}

// explanations are made when they are first needed, by the inputs that are lost.
type explanations struct {
	mu  sync.Mutex
	all map[uint64][]explanation
}

// watching says whether a launch is watched for what goes wrong in it, and the program can tell.
func (x *executable) watching(l *tile.Launch) bool {
	return l.Watch != nil && l.Watch.Wanted != 0 && len(x.program.Watched) > 0 && !x.flows
}

// explain finds out what went wrong in a launch that has run. What cannot be explained, for want of memory, is not
// told.
func (f *frame) explain(x *executable, l *tile.Launch) {
	f.explainOf(x, l, x.lost(f.base, l.Args))
}

// explainOf finds it out where some inputs, by bits, are lost.
func (f *frame) explainOf(x *executable, l *tile.Launch, lost uint64) {
	raised := f.raised
	tells := int64(l.Watch.Wanted) | vm.Seen
	if x.divides {
		tells |= vm.Invalid
	}
	if raised&tells == 0 {
		return
	}
	x.solely(l, tile.Flags(raised))
	if lost == 0 && f.unremarkable(x, l) {
		return
	}
	if raised&vm.Seen != 0 && x.product != nil {
		raised = math.MaxUint8 // flags of products may not be known
	}
	found := l.Watch
	if lost != 0 { // whatever the program wants to know, it matters who raised what
		found = &tile.Watch{Wanted: math.MaxUint8, Found: make([]uint32, len(x.program.Watched))}
	}
	all := x.explaining(lost)
	for i := range all {
		if f.explainSome(x, &all[i], l, found, tile.Flags(raised)) != nil {
			return
		}
	}
	for i := range x.program.Watched {
		if x.program.Watched[i].Rule == tile.Contractions && lost == 0 && found.Missing(i) != 0 {
			found.Find(i, f.contracted(x, i, l, found.Missing(i))&tile.Flags(raised))
		}
	}
	if lost != 0 {
		x.counts(raised, l)
		x.onlyOne(l, found, lost, tile.Flags(raised))
	}
}

// lost says which inputs, by bits, may have been written over: all where there are too many to say.
func (x *executable) lost(base []unsafe.Pointer, args []tile.Binding) (lost uint64) {
	p := x.program
	for i := range p.Params {
		if !p.Params[i].Dir.Writes() {
			continue
		}
		for k := range p.Params {
			o, n := uintptr(base[i]), uintptr(base[k])
			if p.Params[k].Dir != tile.In || o >= n+uintptr(args[k].Buffer.Size) || n >= o+uintptr(args[i].Buffer.Size) {
				continue
			}
			if k >= 64 {
				return math.MaxUint64
			}
			lost |= 1 << k
		}
	}
	return lost
}

// gone says which values depend on inputs that are lost.
func (x *executable) gone(lost uint64) []bool {
	p := x.program
	gone := make([]bool, len(p.Code))
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op == tile.Load || in.Op == tile.Gather {
			gone[i] = lost>>min(in.N, 63)&1 != 0
		}
		for _, v := range in.Operands() {
			gone[i] = gone[i] || gone[v]
		}
	}
	return gone
}

// trusts says whether an operation can only have gone wrong where the processor's flags say so, and has where they do.
func trusts(p *tile.Program, w *tile.Watched) bool {
	t, op := p.Code[w.Out].Type, p.Code[w.Out].Op
	switch w.Rule {
	case tile.Odd, tile.Divisions, tile.Products:
		return (t == tile.Float32 || t == tile.Float64) && plainFlags[op] || t.Is(tile.KindComplex) && (op == tile.Add || op == tile.Sub)
	case tile.Narrowed:
		return t == tile.Float32 || t == tile.Complex64
	case tile.Integers, tile.Sums:
		return t != tile.Float16
	case tile.ComplexProducts, tile.ComplexDivisions:
		return true
	}
	return false
}

// plainFlags are the operations whose flags are right: they raise one wherever something happened, and nowhere else.
var plainFlags = map[tile.Opcode]bool{tile.Add: true, tile.Sub: true, tile.Mul: true, tile.Div: true, tile.Sqrt: true}

// explaining returns the explanations of a program of which some inputs are lost.
func (x *executable) explaining(lost uint64) []explanation {
	x.explanations.mu.Lock()
	defer x.explanations.mu.Unlock()
	if all, known := x.explanations.all[lost]; known {
		return all
	}
	p, gone := x.program, x.doomedBy(lost).gone
	var left []int
	for i := range p.Watched {
		if !gone[p.Watched[i].Out] && p.Watched[i].Rule != tile.Contractions {
			left = append(left, i)
		}
	}
	var all []explanation
	for ops := range slices.Chunk(left, explainedTogether) {
		e := explanation{ops: ops}
		q := &tile.Program{Name: p.Name + ", explained", Rank: p.Rank, Uniforms: p.Uniforms}
		var taps []tapped
		tap := func(v tile.Value, part tile.Opcode) int {
			i := slices.Index(taps, tapped{v, part})
			if i < 0 {
				taps = append(taps, tapped{v, part})
				i = len(taps) - 1
			}
			return i
		}
		for _, i := range ops {
			w := &p.Watched[i]
			at := outputs{-1, -1, -1, -1, -1}
			switch w.Rule {
			case tile.Whole: // of complex numbers NumPy takes the real part
				at[0] = tap(w.X, tile.RealPart)
			case tile.ComplexDivisions:
				at[3], at[4] = tap(w.X, tile.RealPart), tap(w.X, tile.ImagPart)
				fallthrough
			default:
				at[0] = tap(w.X, tile.Abs)
				if w.Y != tile.NoValue {
					at[1] = tap(w.Y, tile.Abs)
				}
				if w.Rule != tile.Sums && w.Rule != tile.Integers {
					at[2] = tap(w.Out, tile.Abs)
				}
			}
			e.where, e.least = append(e.where, at), append(e.least, smallest(&p.Code[w.Out]))
		}
		moved := x.copyOf(q, &e, taps)
		for _, v := range taps {
			value := stored(q, moved[v.value], v.part)
			q.Params = append(q.Params, tile.Param{Dir: tile.Out, Type: tile.Float64})
			q.Code = append(q.Code, tile.Instr{Op: tile.Store, Type: tile.Float64, N: int32(len(q.Params) - 1), Args: tile.Operands(value)})
		}
		e.outs = len(taps)
		made, err := compile(q, x.table, x.micros, nil)
		if err != nil {
			panic(fmt.Sprintf("BUG: inv 4: what explains program %q is none: %v", p.Name, err))
		}
		e.x = made
		all = append(all, e)
	}
	if x.explanations.all == nil {
		x.explanations.all = map[uint64][]explanation{}
	}
	x.explanations.all[lost] = all
	return all
}

// copyOf copies the instructions that values depend on to another program, and returns where each is there.
func (x *executable) copyOf(q *tile.Program, e *explanation, values []tapped) []tile.Value {
	p := x.program
	needed := make([]bool, len(p.Code))
	for _, v := range values {
		needed[v.value] = true
	}
	for i := len(p.Code) - 1; i >= 0; i-- {
		if needed[i] {
			for _, v := range p.Code[i].Operands() {
				needed[v] = true
			}
		}
	}
	moved := make([]tile.Value, len(p.Code))
	params := map[int32]int32{}
	for i, in := range p.Code {
		if !needed[i] {
			continue
		}
		for k, v := range in.Operands() {
			in.Args[k] = moved[v]
		}
		if in.Op == tile.Load || in.Op == tile.Gather {
			n, known := params[in.N]
			if !known {
				n = int32(len(q.Params))
				params[in.N] = n
				q.Params = append(q.Params, tile.Param{Dir: tile.In, Type: p.Params[in.N].Type, Axes: p.Params[in.N].Axes})
				e.args = append(e.args, int(in.N))
			}
			in.N = n
		}
		moved[i] = tile.Value(len(q.Code))
		q.Code = append(q.Code, in)
	}
	return moved
}

// stored appends what makes a float64 of a part of a value.
func stored(q *tile.Program, v tile.Value, part tile.Opcode) tile.Value {
	do := func(op tile.Opcode, t tile.DType, args ...tile.Value) tile.Value {
		q.Code = append(q.Code, tile.Instr{Op: op, Type: t, Args: tile.Operands(args...)})
		return tile.Value(len(q.Code) - 1)
	}
	t := q.Code[v].Type
	if t.Is(tile.KindComplex) {
		t = t.Real()
		if part == tile.Abs {
			v = do(tile.Max, t, do(tile.Abs, t, do(tile.RealPart, t, v)), do(tile.Abs, t, do(tile.ImagPart, t, v)))
		} else {
			v = do(part, t, v)
		}
	}
	if t != tile.Float64 {
		v = do(tile.Cast, tile.Float64, v)
	}
	return v
}

// smallest is the smallest normal number of an instruction's dtype; of integers the least one, where its quotient by -1
// does not fit, or 0.
func smallest(in *tile.Instr) float64 {
	t := in.Type.Real()
	switch {
	case t.Is(tile.KindInt) && in.Op == tile.FloorDiv:
		return math.Ldexp(-1, 8*t.Size()-1)
	case t.Is(tile.KindInt | tile.KindUint):
		return 0
	case t == tile.Float16:
		return 0x1p-14
	case t == tile.Float32:
		return 0x1p-126
	}
	return 0x1p-1022
}

// explainSome finds out what went wrong in some operations of a launch.
func (f *frame) explainSome(x *executable, e *explanation, l *tile.Launch, watch *tile.Watch, raised tile.Flags) error {
	missing := false
	combined := make([]*combination, len(e.ops))
	for k, i := range e.ops {
		if watch.Missing(i) != 0 {
			combined[k] = f.combination(x, &x.program.Watched[i], l)
			missing = missing || x.program.Watched[i].Rule != tile.Sums || combined[k] != nil
		}
	}
	if !missing {
		return nil
	}
	at := walkOf(l.Shape, explainedPoints)
	var room arena
	defer room.unmap()
	if _, err := room.reserve(e.outs * (at.points*8 + 64)); err != nil {
		return err
	}
	outs := make([][]float64, e.outs)
	for i := range outs {
		outs[i] = carve[float64](&room, at.points)
	}
	for more := true; more && e.asks(x.program, combined, watch, raised); more = at.next() {
		n := at.now()
		if err := f.runExplained(e, l, at.at, at.shape, outs, n); err != nil {
			return err
		}
		for k, i := range e.ops {
			w := &x.program.Watched[i]
			wanted := watch.Missing(i) & possible(x.program, w, raised)
			switch {
			case watch.Missing(i) == 0:
			case w.Rule == tile.Sums:
				if combined[k] != nil {
					combined[k].see(outs[e.where[k][0]][:n], at.at, at.shape)
				}
			case wanted != 0:
				watch.Find(i, wanted&explained(x.program, w, e.where[k].of(outs, n), e.least[k], wanted))
			}
		}
	}
	for k, i := range e.ops {
		if combined[k] != nil {
			watch.Find(i, combined[k].tells()&raised)
		}
	}
	return nil
}

// asks says whether more points may tell what those before have not.
func (e *explanation) asks(p *tile.Program, combined []*combination, watch *tile.Watch, raised tile.Flags) bool {
	for k, i := range e.ops {
		w := &p.Watched[i]
		if combined[k] != nil || w.Rule != tile.Sums && watch.Missing(i)&possible(p, w, raised) != 0 {
			return true
		}
	}
	return false
}

// possible are the flags that an operation may have raised in a launch in which the processor has raised some.
func possible(p *tile.Program, w *tile.Watched, raised tile.Flags) tile.Flags {
	switch {
	case !trusts(p, w):
		return ^tile.Flags(0)
	case w.Rule == tile.Integers: // zero by zero raises another flag, and what is near the least integer is as large as it
		return raised | tile.DivideByZero
	}
	return raised
}

// of are the values of n points.
func (w outputs) of(outs [][]float64, n int) (v values) {
	for i, at := range w {
		if at >= 0 {
			v[i] = outs[at][:n]
		}
	}
	return v
}

// explained is what the values of some points tell of an operation.
func explained(p *tile.Program, w *tile.Watched, v values, least float64, wanted tile.Flags) tile.Flags {
	x, y, out := v[0], v[1], v[2]
	switch {
	case w.Rule == tile.Whole:
		if eager.Beyond(int(p.Code[w.Out].Type), x) {
			return tile.InvalidValue
		}
		return 0
	case w.Rule == tile.Integers:
		return tile.Flags(eager.Explain(int(w.Rule), x, y, x, least))
	case w.Rule == tile.ComplexDivisions:
		return dividedPairs(v)
	case wanted&tile.Underflow == 0 && w.Rule != tile.Strict && !eager.Suspicious(x, y, out):
		return 0
	}
	return tile.Flags(eager.Explain(int(w.Rule), x, y, out, least))
}

// dividedPairs is what quotients of complex numbers tell: by zero, their parts are divided one by one.
func dividedPairs(v values) (found tile.Flags) {
	x, y, out, parts := v[0], v[1], v[2], v[3:]
	if y == nil { // 1 is divided, of which NumPy divides zero by zero first
		y, parts = x, [][]float64{make([]float64, len(out))}
	}
	for i, r := range out {
		switch {
		case y[i] != y[i]:
			found |= tile.InvalidValue // NumPy compares its parts
		case y[i] == 0:
			for _, part := range parts {
				if p := part[i]; p == 0 {
					found |= tile.InvalidValue
				} else if p-p == 0 {
					found |= tile.DivideByZero
				}
			}
		case r != r && x[i] == x[i]:
			if found |= tile.InvalidValue; x[i]-x[i] == 0 && y[i]-y[i] == 0 {
				found |= tile.Overflow
			}
		case math.IsInf(r, 0) && x[i]-x[i] == 0 && y[i]-y[i] == 0:
			found |= tile.Overflow
		}
	}
	return found
}

// runExplained computes operands and results of some points of a launch.
func (f *frame) runExplained(e *explanation, l *tile.Launch, at, shape []int, outs [][]float64, n int) error {
	part := tile.Launch{Exe: e.x, Program: e.x.program, Shape: shape, Uniforms: l.Uniforms}
	base := make([]unsafe.Pointer, 0, len(e.args)+len(outs))
	for i, from := range e.args {
		a := l.Args[from]
		if e.x.program.Params[i].Axes == 0 {
			for axis, n := range at {
				a.Offset += int64(n) * a.Strides[axis]
			}
		}
		part.Args = append(part.Args, a)
		base = append(base, f.base[from])
	}
	strides := make([]int64, len(shape))
	step := int64(8)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= int64(shape[axis])
	}
	for _, out := range outs {
		p := unsafe.Pointer(unsafe.SliceData(out))
		part.Args = append(part.Args, tile.Binding{Buffer: tile.Buffer{Host: p, Size: int64(n) * 8}, Strides: strides})
		base = append(base, p)
	}
	if len(l.Origin) > 0 {
		part.Origin = make([]int, len(l.Origin))
		for axis := range part.Origin {
			part.Origin[axis] = l.Origin[axis] + at[axis]
		}
	}
	kept := f.base
	f.base, f.watching = base, false
	err := f.runMap(e.x, &part)
	f.base = kept
	return err
}

// solely tells what went wrong in reductions that alone can have raised a flag: all that adds or multiplies is of what
// is reduced, and flags of these are right.
func (x *executable) solely(l *tile.Launch, raised tile.Flags) {
	p := x.program
	for i := range p.Watched {
		w := &p.Watched[i]
		if w.Rule != tile.Sums || !trusts(p, w) || l.Watch.Missing(i)&raised == 0 {
			continue
		}
		for _, flag := range []tile.Flags{tile.Overflow, tile.InvalidValue} {
			sole := raised&flag != 0
			for k := range p.Code {
				in := &p.Code[k]
				sole = sole && (raises(l, k)&flag == 0 || in.Op == tile.Reduce && in.Args[0] == w.Out && in.Comb == w.Comb)
			}
			if sole {
				l.Watch.Find(i, flag)
			}
		}
	}
}

// onlyOne tells what was found of operations whose operands are there, and finds what flags tell of the one operation
// of the others that can have raised them, if there is only one.
func (x *executable) onlyOne(l *tile.Launch, found *tile.Watch, lost uint64, raised tile.Flags) {
	p, gone := x.program, x.doomedBy(lost).gone
	known := make([]int, len(p.Code)) // by instruction: which watched operation it is, from 1 on, of those of which it is certain what went wrong
	for i := range p.Watched {
		w := &p.Watched[i]
		l.Watch.Find(i, tile.Flags(found.Found[i]))
		if trusts(p, w) && !gone[w.Out] {
			known[w.Out] = i + 1
		}
	}
	for _, flag := range []tile.Flags{tile.DivideByZero, tile.Overflow, tile.Underflow, tile.InvalidValue} {
		if raised&flag == 0 {
			continue
		}
		able, count := 0, 0
		for i := range p.Code {
			switch {
			case raises(l, i)&flag == 0:
			case known[i] == 0:
				able, count = i, count+1
			case tile.Flags(found.Found[known[i]-1])&flag != 0:
				count = len(p.Code)
			}
		}
		if count != 1 {
			continue
		}
		for i := range p.Watched {
			w := &p.Watched[i]
			switch {
			case int(w.Out) != able || !gone[able] || !trusts(p, w):
			case w.Rule == tile.Integers && flag == tile.InvalidValue:
				l.Watch.Find(i, tile.DivideByZero)
			default:
				l.Watch.Find(i, flag)
			}
		}
	}
}
