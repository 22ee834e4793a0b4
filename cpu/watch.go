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
// The processor's sticky flags, and looks where these say nothing, tell for nothing whether something may have gone wrong in a whole launch (vm.Launch.Raised). If so, it is explained: the operands and
// results of the operations that are watched are computed once more, some thousand points at a time, by a program that stores
// all of them, and their values say what happened, in which operation. So flags that a loop raises for no reason cost time, but tell nothing.
//
//	launch      v2 = add v0 v1; v3 = log v2; store p2 v3
//	explained   v2 = add v0 v1; v3 = log v2; store v0 v1 v2, store v2 v3      log: 0 -> -inf: divided by zero
//
// Where an output is an input's memory, what was computed from that input cannot be computed again. There a flag is told of the one operation of these that can have raised
// it, if there is only one, and none of the others has.

// explained is how many points are explained at a time, and together how many operations.
const (
	explainedPoints   = 4096
	explainedTogether = 12
)

// Both sides number the rules alike; a difference does not compile.
const (
	_ = uint(eager.Odd - tile.Odd)
	_ = uint(tile.Odd - eager.Odd)
	_ = uint(eager.Divisions - tile.Divisions)
	_ = uint(tile.Divisions - eager.Divisions)
)

// explanation is what says what happened in some of the operations that a program has Watched.
type explanation struct {
	ops   []int // which, by position there
	x     *executable
	args  []int    // by input of its program: the parameter of the program that it is of
	where [][3]int // by operation: where its operands and its result are among the outputs; the second is -1 where there is one
	least []float64
	outs  int
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

// explain finds out what went wrong in a launch that has run. What cannot be explained, for want of memory, is not told.
func (f *frame) explain(x *executable, l *tile.Launch) {
	raised := f.raised
	if raised&(int64(l.Watch.Wanted)|vm.Seen) == 0 {
		return
	}
	lost := x.lost(f.base, l.Args)
	if lost == 0 && f.unremarkable(x, l) {
		return
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
	if lost != 0 {
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

// trusts says whether an operation can only have gone wrong where the processor's flags say so.
func trusts(p *tile.Program, w *tile.Watched) bool {
	t := p.Code[w.Out].Type
	return (w.Rule == tile.Odd || w.Rule == tile.Divisions) && (t == tile.Float32 || t == tile.Float64) && plainFlags[p.Code[w.Out].Op]
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
	p, gone := x.program, x.gone(lost)
	var left []int
	for i := range p.Watched {
		if !gone[p.Watched[i].Out] {
			left = append(left, i)
		}
	}
	var all []explanation
	for ops := range slices.Chunk(left, explainedTogether) {
		e := explanation{ops: ops}
		q := &tile.Program{Name: p.Name + ", explained", Rank: p.Rank, Uniforms: p.Uniforms}
		var tapped []tile.Value
		tap := func(v tile.Value) int {
			for i, known := range tapped {
				if known == v {
					return i
				}
			}
			tapped = append(tapped, v)
			return len(tapped) - 1
		}
		for _, i := range ops {
			w := &p.Watched[i]
			at := [3]int{tap(w.X), -1, tap(w.Out)}
			if w.Y != tile.NoValue {
				at[1] = tap(w.Y)
			}
			e.where, e.least = append(e.where, at), append(e.least, smallest(p.Code[w.Out].Type))
		}
		moved := x.copyOf(q, &e, tapped)
		for _, v := range tapped {
			value := moved[v]
			if p.Code[v].Type != tile.Float64 {
				value = tile.Value(len(q.Code))
				q.Code = append(q.Code, tile.Instr{Op: tile.Cast, Type: tile.Float64, Args: tile.Operands(moved[v])})
			}
			q.Params = append(q.Params, tile.Param{Dir: tile.Out, Type: tile.Float64})
			q.Code = append(q.Code, tile.Instr{Op: tile.Store, Type: tile.Float64, N: int32(len(q.Params) - 1), Args: tile.Operands(value)})
		}
		e.outs = len(tapped)
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
func (x *executable) copyOf(q *tile.Program, e *explanation, values []tile.Value) []tile.Value {
	p := x.program
	needed := make([]bool, len(p.Code))
	for _, v := range values {
		needed[v] = true
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

// smallest is the smallest normal number of a dtype.
func smallest(t tile.DType) float64 {
	switch t {
	case tile.Float16:
		return 0x1p-14
	case tile.Float32:
		return 0x1p-126
	}
	return 0x1p-1022
}

// explainSome finds out what went wrong in some operations of a launch.
func (f *frame) explainSome(x *executable, e *explanation, l *tile.Launch, watch *tile.Watch, raised tile.Flags) error {
	missing := false
	for _, i := range e.ops {
		missing = missing || watch.Missing(i) != 0
	}
	if !missing {
		return nil
	}
	at, shape := make([]int, len(l.Shape)), make([]int, len(l.Shape))
	points, cut := 1, len(l.Shape) // from axis cut on, all points are in one piece
	for cut > 0 && points*l.Shape[cut-1] <= explainedPoints {
		cut--
		points *= l.Shape[cut]
		shape[cut] = l.Shape[cut]
	}
	size := 1
	if cut > 0 {
		size = max(explainedPoints/points, 1)
		points *= size
	}
	for axis := range cut {
		shape[axis] = 1
	}
	var room arena
	defer room.unmap()
	if _, err := room.reserve(e.outs * (points*8 + 64)); err != nil {
		return err
	}
	outs := make([][]float64, e.outs)
	for i := range outs {
		outs[i] = carve[float64](&room, points)
	}
	for {
		n := points
		if cut > 0 {
			shape[cut-1] = min(size, l.Shape[cut-1]-at[cut-1])
			n = points / size * shape[cut-1]
		}
		if err := f.runExplained(e, l, at, shape, outs, n); err != nil {
			return err
		}
		for k, i := range e.ops {
			wanted := watch.Missing(i)
			if wanted == 0 {
				continue
			}
			w, where := &x.program.Watched[i], e.where[k]
			first, second, out := outs[where[0]][:n], []float64(nil), outs[where[2]][:n]
			if where[1] >= 0 {
				second = outs[where[1]][:n]
			}
			if wanted&tile.Underflow == 0 && w.Rule != tile.Strict && !eager.Suspicious(first, second, out) {
				continue
			}
			found := tile.Flags(eager.Explain(int(w.Rule), first, second, out, e.least[k]))
			if trusts(x.program, w) {
				found &= raised
			}
			watch.Find(i, found)
		}
		axis := cut - 1
		for ; axis >= 0; axis-- {
			step := 1
			if axis == cut-1 {
				step = size
			}
			if at[axis] += step; at[axis] < l.Shape[axis] {
				break
			}
			at[axis] = 0
		}
		if axis < 0 {
			return nil
		}
	}
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

// onlyOne tells what was found of operations whose operands are there, and finds what flags tell of the one operation of the others that can have raised them, if there is only one.
func (x *executable) onlyOne(l *tile.Launch, found *tile.Watch, lost uint64, raised tile.Flags) {
	p, gone := x.program, x.gone(lost)
	known := make([]int, len(p.Code)) // by instruction: which watched operation it is, from 1 on, of those of which it is certain what went wrong
	for i := range p.Watched {
		w := &p.Watched[i]
		l.Watch.Find(i, tile.Flags(found.Found[i]))
		if trusts(p, w) && !gone[w.Out] {
			known[w.Out] = i + 1
		}
	}
	for _, flag := range []tile.Flags{tile.DivideByZero, tile.Overflow, tile.InvalidValue} {
		if raised&flag == 0 {
			continue
		}
		able, count := 0, 0
		for i := range p.Code {
			switch {
			case raises(p, i)&flag == 0:
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
			if w := &p.Watched[i]; int(w.Out) == able && gone[able] && trusts(p, w) {
				l.Watch.Find(i, flag)
			}
		}
	}
}

// raises says which flags an instruction may raise.
func raises(p *tile.Program, i int) tile.Flags {
	in := &p.Code[i]
	switch in.Op {
	case tile.Load, tile.Const, tile.Uniform, tile.Index, tile.Store, tile.Select, tile.Neg, tile.Abs, tile.Copysign:
		return 0
	}
	of := in.Type
	if len(in.Operands()) > 0 {
		of = p.Code[in.Args[0]].Type
	}
	switch {
	case !of.Is(tile.KindFloat|tile.KindComplex) && !in.Type.Is(tile.KindFloat|tile.KindComplex):
		return 0
	case in.Op == tile.Cast && in.Type.Size() >= of.Size() && in.Type.Is(tile.KindFloat|tile.KindComplex):
		return 0
	case in.Op == tile.Add || in.Op == tile.Sub || in.Op == tile.Mul:
		return tile.Overflow | tile.InvalidValue
	case in.Op == tile.Sqrt || in.Op == tile.Lt || in.Op == tile.Le || in.Op == tile.Gt || in.Op == tile.Ge || in.Op == tile.Min || in.Op == tile.Max:
		return tile.InvalidValue
	}
	return math.MaxUint8
}
