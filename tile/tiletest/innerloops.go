package tiletest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// innerBuilder makes up a program of threads around a loop that all threads leave in the same turn, and that changes
// nothing but its own values: what devices may take some lanes through before others.
type innerBuilder struct {
	*tile.Builder
	r       *rand.Rand
	values  []tile.Value       // that are seen here
	arrays  []innerArray       // that are read
	thread  tile.Value         // of the block
	steady  map[int]tile.Value // by extent: an index that stands before all loops
	counter tile.Value         // the innermost loop's
	wrong   bool               // indices may be out of bounds
	guards  bool               // what is shared may be raced for, and may not be written
}

type innerArray struct {
	memory tile.Memory
	t      tile.DType
	shape  []int
}

// RandomInnerLoops compares a launch of such a program that the seed makes up, on the device and on the reference. It
// returns the program, and whether it failed.
func RandomInnerLoops(t *testing.T, seed uint64, dev tile.Device) (p *tile.Program, failed bool) {
	t.Helper()
	b := newBench(t, dev)
	r := source(seed)
	tr := randomInner(r, false)
	failed = b.compareTrial(seed, r, tr, true, false)
	b.close()
	return tr.program, failed
}

// SameGuards compares what two devices say of a guarded launch that the seed makes up, to the word, and leave in
// memory: of such a program, or of any. It returns the program, and the error.
func SameGuards(t *testing.T, seed uint64, one, other tile.Device) (p *tile.Program, failure string) {
	t.Helper()
	b := newBench(t, one)
	r := source(seed)
	var tr *threadsTrial
	if r.IntN(4) == 0 {
		tr = randomThreads(r, guardedThreads)
	} else {
		tr = randomInner(r, true)
	}
	var memory [2][][]byte
	for i, dev := range []tile.Device{one, other} {
		exe, err := dev.Compile(tr.program)
		if err != nil {
			t.Fatalf("%v\n%v", err, tr.program)
		}
		text := ""
		if memory[i], err = tr.on(b, dev, exe); err != nil {
			text = err.Error()
		}
		if i > 0 && text != failure {
			t.Errorf("seed %d: one device says\n%s\nthe other\n%s\n%v\n%+v", seed, failure, text, tr.program, tr.grid)
		}
		failure = text
	}
	for i, m := range memory[0] {
		if memory[1] != nil && !bytes.Equal(m, memory[1][i]) {
			t.Errorf("seed %d: devices leave other bytes in p%d\n%v\n%+v", seed, i, tr.program, tr.grid)
		}
	}
	b.close()
	return tr.program, failure
}

var innerTypes = []tile.DType{tile.Float32, tile.Float64, tile.Float32, tile.Int64, tile.Int32, tile.Uint32}

func (b *innerBuilder) anyType() tile.DType { return innerTypes[b.r.IntN(len(innerTypes))] }

func (b *innerBuilder) number(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }

func randomInner(r *rand.Rand, guarded bool) *threadsTrial {
	b := &innerBuilder{Builder: tile.NewThreads("inner"), r: r, wrong: r.IntN(3) == 0, guards: guarded}
	if guarded {
		b.wrong = r.IntN(12) == 0
		b.Guarded()
	}
	widths := []int{16, 32, 20, 64, 48, 100, 128, 7}
	tr := &threadsTrial{grid: tile.Grid{Blocks: [3]int{1 + r.IntN(3), 1, 1}, Threads: [3]int{widths[r.IntN(len(widths))], 1 + r.IntN(6), 1}}}
	threads := tr.grid.BlockThreads()
	all := threads * int(tr.grid.Count())
	for i, shape := range [][]int{{3 + r.IntN(20), 3 + r.IntN(20)}, {5 + r.IntN(300)}, {threads}} {
		t := []tile.DType{b.anyType(), tile.Int64, tile.Uint8, tile.Complex128, tile.Float16}[r.IntN(5)]
		if i == 2 && r.IntN(2) == 0 {
			t = tile.Int64
		}
		b.arrays = append(b.arrays, innerArray{b.Array(tile.In, t, len(shape), ""), t, shape})
		tr.shapes = append(tr.shapes, shape)
	}
	t := b.anyType()
	out := b.Array(tile.Update, t, 2, "out")
	tr.shapes = append(tr.shapes, []int{all, 4})
	own := innerArray{b.Scratch(tile.Own, tile.Float32, "o", 3), tile.Float32, []int{3}}
	b.arrays = append(b.arrays, own)
	if guarded || r.IntN(2) == 0 { // a row is one block
		b.arrays = append(b.arrays, innerArray{b.Scratch(tile.Shared, tile.Float32, "s", threads), tile.Float32, []int{threads}})
	}

	wide := func(form tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(form)) }
	b.thread = b.Do(tile.Add, b.Do(tile.Mul, wide(tile.TidY), wide(tile.NtidX)), wide(tile.TidX))
	b.counter = b.number(0)
	block := wide(tile.CtaidX)
	global := b.Do(tile.Add, b.Do(tile.Mul, block, b.number(int64(threads))), b.thread)
	b.values = []tile.Value{b.thread, block, wide(tile.TidX), wide(tile.TidY), b.Const(small(r, tile.Float32)), b.Const(small(r, tile.Float64)),
		b.Const(small(r, tile.Int64)), b.Cast(tile.Float32, b.thread), b.Cast(tile.Float64, b.thread)}
	b.Put(own.memory, b.as(own.t, b.value()), b.number(int64(r.IntN(3))))
	for k := int64(0); guarded && k < 3 && r.IntN(16) > 0; k++ {
		b.Put(own.memory, b.as(own.t, b.value()), b.number(k))
	}
	if len(b.arrays) > 4 {
		s := b.arrays[4]
		if b.guards && r.IntN(4) == 0 {
			b.GridBarrier()
		}
		b.put(s)
		if b.guards {
			b.arrays = append(b.arrays, innerArray{b.Scratch(tile.Shared, tile.Float64, "u", threads), tile.Float64, []int{threads}})
			b.put(b.arrays[5])
		}
		if !b.guards || r.IntN(8) > 0 {
			b.Barrier()
		}
	}
	b.meet(threads)
	read, steady := b.as(tile.Int64, b.Element(b.arrays[2].memory, b.thread)), map[int]tile.Value{}
	for _, a := range b.arrays {
		for _, n := range a.shape {
			if steady[n] = b.index(n); r.IntN(2) == 0 {
				steady[n] = b.Do(tile.Rem, read, b.number(int64(n)))
			}
		}
	}
	b.steady = steady
	some := r.IntN(3) == 0 // of the threads take the loop
	if b.guards {
		some = r.IntN(6) == 0
	}
	if some {
		b.If(b.Do(tile.Lt, b.thread, b.number(int64(r.IntN(threads+1)))))
	}
	var results []tile.Value
	if r.IntN(2) == 0 { // it begins several times
		zero, first := b.number(0), b.Const(small(r, t))
		b.Loop()
		k, x := b.Carry(zero), b.Carry(first)
		b.While(b.Do(tile.Lt, k, b.number(3)))
		seen := len(b.values)
		b.values = append(b.values, k, x)
		found := b.loop()
		if b.guards && !some && len(b.arrays) > 4 {
			if r.IntN(4) > 0 {
				b.Barrier()
			}
			if r.IntN(3) > 0 {
				b.put(b.arrays[4+r.IntN(2)])
			}
			if r.IntN(4) > 0 {
				b.Barrier()
			}
		}
		sum := b.Do(tile.Add, x, b.as(t, found[r.IntN(len(found))]))
		next := b.Do(tile.Add, k, b.number(1))
		b.values = b.values[:seen]
		b.Next(k, next)
		b.Next(x, sum)
		b.End()
		results = []tile.Value{k, x}
	} else {
		results = b.loop()
	}
	if b.guards && len(b.arrays) > 4 && r.IntN(2) == 0 {
		b.put(b.arrays[4+r.IntN(2)])
		results = append(results, b.Element(b.arrays[4].memory, b.index(threads)))
	}
	for i, v := range results {
		b.Put(out, b.as(t, v), global, b.number(int64(i%4)))
	}
	if some {
		b.End()
	}
	tr.program = b.Program()
	for i, param := range tr.program.Params {
		size := param.Type.Size()
		for _, n := range tr.shapes[i] {
			size *= n
		}
		m := make([]byte, size)
		for at := 0; at < len(m); at += param.Type.Size() {
			encode(m[at:], small(r, param.Type))
		}
		tr.memory = append(tr.memory, m)
	}
	return tr
}

// meet has all blocks meet, or some threads of them, while the others go ahead to read what tells where elements are.
func (b *innerBuilder) meet(threads int) {
	if b.r.IntN(2) > 0 {
		return
	}
	if b.guards && b.r.IntN(4) > 0 {
		b.GridBarrier()
		return
	}
	b.If(b.Do(tile.Lt, b.thread, b.number(int64(b.r.IntN(threads+1)))))
	b.GridBarrier()
	b.End()
}

// put fills what threads share: each an element of its own, or, of a guarded program, maybe another one's, or none.
func (b *innerBuilder) put(a innerArray) {
	v, n := b.as(a.t, b.value()), int64(a.shape[0])
	if !b.guards {
		b.Put(a.memory, v, b.thread)
		return
	}
	switch b.r.IntN(20) {
	case 0:
		b.If(b.Do(tile.Lt, b.thread, b.number(b.r.Int64N(n+1))))
		b.Put(a.memory, v, b.thread)
		b.End()
	case 1:
		b.Put(a.memory, v, b.index(int(n)))
	case 2:
		b.Put(a.memory, v, b.Do(tile.Sub, b.number(n-1), b.thread))
	case 3:
		b.Put(a.memory, b.Do(tile.Add, b.Element(a.memory, b.thread), v), b.thread)
	default:
		b.Put(a.memory, v, b.thread)
	}
}

func (b *innerBuilder) value() tile.Value { return b.values[b.r.IntN(len(b.values))] }

// as makes a value one of a dtype. Floats become no integers, but for whether they are numbers.
func (b *innerBuilder) as(t tile.DType, v tile.Value) tile.Value {
	if from := b.TypeOf(v); from.Is(tile.KindComplex) || from.Is(tile.KindFloat) && !t.Is(tile.KindFloat) {
		v = b.Do(tile.Eq, v, v)
	}
	return b.Cast(t, v)
}

// index returns an index of an axis of so many elements: what the turns change, what they do not, or both.
func (b *innerBuilder) index(n int) tile.Value {
	if v, ok := b.steady[n]; ok && b.r.IntN(3) == 0 {
		return v
	}
	v := b.as(tile.Int64, b.value())
	if b.guards && b.r.IntN(3) > 0 { // what turns leave as it is, or count
		v = []tile.Value{b.thread, b.Cast(tile.Int64, b.Thread(tile.TidX)), b.Cast(tile.Int64, b.Thread(tile.TidY)), b.counter}[b.r.IntN(4)]
	}
	switch b.r.IntN(4) {
	case 0:
		v = b.Do(tile.Add, v, b.as(tile.Int64, b.value()))
	case 1:
		if n >= 64 {
			v = b.thread
		}
	}
	if b.wrong && b.r.IntN(3) == 0 {
		return b.Do(tile.Mul, v, b.number(5))
	}
	v = b.Do(tile.Rem, v, b.number(int64(n)))
	if b.r.IntN(4) == 0 {
		v = b.Do(tile.Sub, v, b.number(int64(n)))
	}
	return v
}

// loop builds the loop, and returns what it gives.
func (b *innerBuilder) loop() []tile.Value {
	limit := b.number(int64(b.r.IntN(7)))
	if b.r.IntN(3) == 0 {
		limit = b.Do(tile.Rem, b.Size(b.arrays[b.r.IntN(3)].memory, 0), b.number(9))
	}
	var from []tile.Value
	for range b.r.IntN(5) {
		from = append(from, b.as(b.anyType(), b.value()))
	}
	zero, one := b.number(0), b.number(1)
	steady := b.index(b.arrays[0].shape[0])
	b.Loop()
	carries := []tile.Value{b.Carry(zero)}
	for _, v := range from {
		carries = append(carries, b.Carry(v))
	}
	outer := b.counter
	b.counter = carries[0]
	b.While(b.Do(tile.Lt, carries[0], limit))
	seen := len(b.values)
	b.values = append(b.values, carries...)
	b.values = append(b.values, steady)
	for range 1 + b.r.IntN(12) {
		b.statement()
	}
	nexts := []tile.Value{b.Do(tile.Add, carries[0], one)}
	for _, c := range carries[1:] {
		if b.r.IntN(6) == 0 { // of another carry, maybe of itself
			if o := carries[b.r.IntN(len(carries))]; b.TypeOf(o) == b.TypeOf(c) {
				nexts = append(nexts, o)
				continue
			}
		}
		nexts = append(nexts, b.as(b.TypeOf(c), b.values[seen+b.r.IntN(len(b.values)-seen)]))
	}
	b.values = b.values[:seen]
	for i, c := range carries {
		b.Next(c, nexts[i])
	}
	b.End()
	b.counter = outer
	return carries
}

var (
	innerOps    = []tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.Add, tile.Mul, tile.Min, tile.Max, tile.Lt, tile.Eq, tile.Neg, tile.Abs}
	innerFloats = []tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.Div, tile.Sqrt}
)

// statement computes something, or reads an element, whose row may be the same in all turns.
func (b *innerBuilder) statement() {
	if b.r.IntN(3) == 0 {
		a := b.arrays[b.r.IntN(len(b.arrays))]
		if b.guards && len(b.arrays) > 4 && b.r.IntN(2) == 0 {
			a = b.arrays[4+b.r.IntN(2)]
		}
		var index []tile.Value
		for _, n := range a.shape {
			index = append(index, b.index(n))
		}
		b.values = append(b.values, b.Element(a.memory, index...))
		return
	}
	t := b.anyType()
	op := innerOps[b.r.IntN(len(innerOps))]
	if t.Is(tile.KindFloat) && b.r.IntN(2) == 0 {
		op = innerFloats[b.r.IntN(len(innerFloats))]
	}
	if b.r.IntN(8) == 0 {
		b.values = append(b.values, b.Do(tile.Select, b.as(tile.Bool, b.value()), b.as(t, b.value()), b.as(t, b.value())))
		return
	}
	if !op.Accepts(t) {
		op = tile.Add
	}
	b.values = append(b.values, b.Do(op, []tile.Value{b.as(t, b.value()), b.as(t, b.value())}[:op.Arity()]...))
}
