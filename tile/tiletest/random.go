package tiletest

import (
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// Random compares one launch that the seed makes up: a program of exact opcodes, a shape, layouts,
// aliases, and sometimes a reduction. It is the body of fuzz tests of devices.
func Random(t *testing.T, seed uint64, dev tile.Device) {
	b := newBench(t, dev)
	defer b.close()
	compareAgain(b, source(seed))
}

// testAgain launches what was compiled once several times.
func testAgain(b *bench) {
	for seed := range uint64(100) {
		compareAgain(b, source(seed))
	}
}

// compareAgain compares a launch, and further ones of the same executable: on other elements at other
// addresses, with other scalars and coordinates, and on another shape.
func compareAgain(b *bench, r *rand.Rand) {
	b.Helper()
	tr := randomTrial(r)
	tr.compiled = map[tile.Device]tile.Executable{}
	rank := len(tr.shape)
	shape := randomShape(r)
	for len(shape) < rank {
		shape = append(shape, 1+r.IntN(2))
	}
	other := &trial{program: tr.program, compiled: tr.compiled, shape: shape[:rank], reduced: tr.reduced}
	if tr.program.Reduces() {
		other.block = tile.BlockShape(other.shape, other.reduced)
	}
	other.complete(r, layout{shape: other.shape, in: []order{randomOrder(r, rank, true), {}}, out: randomOrder(r, rank, false)})
	for range 2 {
		if !b.compare(tr) || !b.compare(other) {
			return
		}
		tr.renew(r)
		other.renew(r)
	}
}

// renew gives a trial other elements, scalars and coordinates, and moves what it touches in its buffers.
func (tr *trial) renew(r *rand.Rand) {
	tr.uniforms, tr.origin = nil, nil
	for _, u := range tr.program.Uniforms {
		tr.uniforms = append(tr.uniforms, random(r, u))
	}
	for range tr.shape {
		tr.origin = append(tr.origin, r.IntN(1000))
	}
	const most = 16 // bytes of an element
	for i, param := range tr.program.Params {
		a := &tr.args[i]
		if param.Dir != tile.In {
			continue
		}
		size := param.Type.Size()
		m := make([]byte, len(tr.memory[a.buffer]))
		for at := 0; at+size <= len(m); at += size {
			encode(m[at:], random(r, param.Type))
		}
		tr.memory[a.buffer] = m
	}
	for i := range tr.memory {
		shift := most * r.IntN(3)
		tr.memory[i] = append(make([]byte, shift), tr.memory[i]...)
		for k := range tr.args {
			if tr.args[k].buffer == i {
				tr.args[k].offset += int64(shift)
			}
		}
	}
}

func randomTrial(r *rand.Rand) *trial {
	shape := randomShape(r)
	if r.IntN(3) == 0 {
		return randomReduction(r, shape)
	}
	l := layout{shape: shape, out: randomOrder(r, len(shape), false)}
	tr := &trial{program: randomProgram(r, len(shape), 3+r.IntN(30))}
	switch r.IntN(4) {
	case 0:
		tr.program = randomExpression(r, len(shape))
	case 1:
		tr.program = randomFloats(r, len(shape))
	}
	// The first input may share the memory of the last output: in place.
	alias := tr.program.Params[0].Type == tr.program.Params[len(tr.program.Params)-1].Type && r.IntN(2) == 0
	l.in = []order{randomOrder(r, len(shape), true), randomOrder(r, len(shape), true), randomOrder(r, len(shape), true)}
	if alias {
		l.in = []order{l.out}
	}
	tr.complete(r, l)
	if alias {
		tr.args[len(tr.args)-1] = tr.args[0]
	}
	return tr
}

func randomReduction(r *rand.Rand, shape []int) *trial {
	p := randomProgram(r, len(shape), 2+r.IntN(8))
	// In place of its stores, the program combines a value.
	code := p.Code[:0:0]
	for _, in := range p.Code {
		if in.Op != tile.Store {
			code = append(code, in)
		}
	}
	params := p.Params[:0:0]
	for _, param := range p.Params {
		if param.Dir == tile.In {
			params = append(params, param)
		}
	}
	v := tile.Value(r.IntN(len(code)))
	var combs []tile.Combiner
	for _, c := range tile.Combiners() {
		if c.Accepts(code[v].Type) {
			combs = append(combs, c)
		}
	}
	p.Params = append(params, tile.Param{Dir: tile.Out, Type: code[v].Type})
	p.Code = append(code, tile.Instr{Op: tile.Reduce, Type: code[v].Type, Comb: combs[r.IntN(len(combs))],
		N: int32(len(params)), Args: tile.Operands(v)})
	reduced := tile.Axes(r.Uint64()) & (1<<len(shape) - 1)
	tr := &trial{program: p, shape: shape, reduced: reduced, block: tile.BlockShape(shape, reduced)}
	tr.complete(r, layout{shape: shape, in: []order{randomOrder(r, len(shape), true), {}}, out: randomOrder(r, len(shape), false)})
	return tr
}

// randomExpression is a tree of sums, differences and products of one dtype, whose values are used
// once: what devices may do in fewer steps, and have to round as if they did not.
func randomExpression(r *rand.Rand, rank int) *tile.Program {
	d := [...]tile.DType{tile.Float32, tile.Float64, tile.Float64, tile.Complex64, tile.Int32}[r.IntN(5)]
	nb := tile.NewBuilder("expression", rank)
	values := []tile.Value{nb.Load(d)}
	if r.IntN(3) == 0 { // the weighted sum of neighbours
		for range 1 + r.IntN(5) {
			values[0] = nb.Do(tile.Add, values[0], nb.Load(d))
		}
		values[0] = nb.Do(tile.Mul, values[0], [...]tile.Value{nb.Uniform(d), nb.Load(d)}[r.IntN(2)])
	}
	for range r.IntN(10) {
		switch r.IntN(5) {
		case 0:
			values = append(values, nb.Uniform(d))
		case 1:
			values = append(values, nb.Const(random(r, d)))
		default:
			values = append(values, nb.Load(d))
		}
	}
	ops := [...]tile.Opcode{tile.Add, tile.Add, tile.Mul, tile.Sub}
	for len(values) > 1 {
		i := r.IntN(len(values) - 1)
		x, y := values[i], values[i+1]
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		v := nb.Do(ops[r.IntN(len(ops))], x, y)
		values = append(values[:i], append([]tile.Value{v}, values[i+2:]...)...)
	}
	nb.Store(values[0])
	return nb.Program()
}

// randomFloats is a program on floats of both sizes whose values are used any number of times, in
// comparisons and choices too, with functions between that round exactly, and several stores: what
// devices may keep in registers, in an order of their own.
func randomFloats(r *rand.Rand, rank int) *tile.Program {
	nb := tile.NewBuilder("floats", rank)
	types := [...]tile.DType{tile.Float32, tile.Float64}
	var values [2][]tile.Value
	var flags [2][]tile.Value
	mixed := r.IntN(4) == 0
	for range 1 + r.IntN(4) {
		for k := range types {
			values[k] = append(values[k], nb.Load(types[k]))
			if r.IntN(3) == 0 {
				values[k] = append(values[k], nb.Uniform(types[k]), nb.Const(random(r, types[k])))
			}
		}
	}
	unary := [...]tile.Opcode{tile.Neg, tile.Abs, tile.Sqrt, tile.Floor}
	binary := [...]tile.Opcode{tile.Add, tile.Sub, tile.Mul, tile.Div, tile.Add, tile.Sub, tile.Mul, tile.Min, tile.Max}
	compare := [...]tile.Opcode{tile.Lt, tile.Le, tile.Gt, tile.Ge, tile.Eq, tile.Ne}
	logic := [...]tile.Opcode{tile.And, tile.Or, tile.Xor}
	k := r.IntN(2)
	for range 3 + r.IntN(60) {
		if mixed && r.IntN(6) == 0 {
			k = 1 - k
		}
		pick := func() tile.Value { // mostly what is new: deep trees
			n := len(values[k])
			return values[k][max(0, n-1-int(r.ExpFloat64()*3))]
		}
		add := func(v tile.Value) { values[k] = append(values[k], v) }
		switch c := r.IntN(16); {
		case c == 0:
			add(nb.Do(unary[r.IntN(len(unary))], pick()))
		case c <= 2:
			flags[k] = append(flags[k], nb.Do(compare[r.IntN(len(compare))], pick(), pick()))
		case c <= 4 && len(flags[k]) > 0:
			flag := func() tile.Value { return flags[k][r.IntN(len(flags[k]))] }
			switch r.IntN(6) {
			case 0:
				flags[k] = append(flags[k], nb.Do(logic[r.IntN(len(logic))], flag(), flag()))
			case 1:
				flags[k] = append(flags[k], nb.Do(tile.Not, flag()))
			default:
				add(nb.Do(tile.Select, flag(), pick(), pick()))
			}
		case c == 5 && mixed:
			from := values[1-k]
			add(nb.Cast(types[k], from[r.IntN(len(from))]))
		case c == 6 && r.IntN(2) == 0:
			nb.Store(pick())
		case c == 7 && len(flags[k]) > 0 && r.IntN(4) == 0:
			nb.Store(flags[k][r.IntN(len(flags[k]))])
		default:
			add(nb.Do(binary[r.IntN(len(binary))], pick(), pick()))
		}
	}
	last := values[0]
	if r.IntN(2) == 0 {
		last = values[1]
	}
	nb.Store(last[len(last)-1])
	return nb.Program()
}

// testExpressions compares expressions on every layout.
func testExpressions(b *bench) {
	for seed := range uint64(300) {
		r := source(seed)
		l := layouts[seed%uint64(len(layouts))]
		make := randomExpression
		if seed%2 == 1 {
			make = randomFloats
		}
		tr := &trial{program: make(r, len(l.shape))}
		tr.complete(r, l)
		if !b.compare(tr) {
			return
		}
	}
}

// complete lays the parameters out and makes up scalars and an origin.
func (tr *trial) complete(r *rand.Rand, l layout) {
	for _, u := range tr.program.Uniforms {
		tr.uniforms = append(tr.uniforms, random(r, u))
	}
	for range l.shape {
		tr.origin = append(tr.origin, r.IntN(1000))
	}
	tr.fit(l, func(t tile.DType) tile.Scalar { return random(r, t) })
}

// randomShape has up to four axes, and few enough points for the reference.
func randomShape(r *rand.Rand) []int {
	extents := []int{0, 1, 1, 2, 3, 4, 5, 7, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 300, 1025, 2049, 5000}
	shape := []int{}
	n := 1
	for range r.IntN(5) {
		e := extents[r.IntN(len(extents))]
		if n*e > 12000 {
			break
		}
		shape = append(shape, e)
		n *= max(1, e)
	}
	return shape
}

// randomOrder lays a parameter out in any way; broadcasts are for inputs.
func randomOrder(r *rand.Rand, rank int, input bool) order {
	var o order
	if r.IntN(2) == 0 {
		o.perm = r.Perm(rank)
	}
	if r.IntN(3) == 0 {
		o.spacing = 1 + r.IntN(3)
	}
	for axis := range rank {
		if r.IntN(5) == 0 {
			o.reverse = append(o.reverse, axis)
		}
		if input && r.IntN(5) == 0 {
			o.same = append(o.same, axis)
		}
	}
	if r.IntN(3) == 0 {
		o.offset, o.pad = r.IntN(4), r.IntN(4)
	}
	return o
}
