package tiletest

import (
	"fmt"
	"math/rand/v2"

	"weft/tile"
)

// layout is a shape and the way in which parameters lie in memory.
type layout struct {
	name  string
	shape []int
	in    []order // by input parameter, repeating
	out   order
}

// wholeOrders is how whole parameters lie.
var wholeOrders = []order{{}, {shift: 1}, {reverse: []int{0}, offset: 2}, {perm: []int{1, 0}, pad: 1}, {spacing: 3}, {same: []int{0}}}

// order says how the elements of a parameter lie.
type order struct {
	perm    []int // axes from the slowest to the fastest; nil is C order
	spacing int   // elements from one to the next along the fastest axis; 0 is 1
	reverse []int // axes with negative strides
	same    []int // axes with stride 0: broadcast
	offset  int   // elements in front
	pad     int   // elements between the end of a row and the next
	shift   int   // bytes in front of all
	gap     int   // bytes between an element and the next, as in arrays of records
}

// layouts are the shapes and strides of the opcode tests.
var layouts = []layout{
	{name: "no axes", shape: []int{}},
	{name: "one", shape: []int{1}},
	{name: "31", shape: []int{31}},
	{name: "33 with offset", shape: []int{33}, in: []order{{offset: 3}, {offset: 1}}, out: order{offset: 2}},
	{name: "1023", shape: []int{1023}},
	{name: "empty", shape: []int{3, 0, 2}},
	{name: "every third", shape: []int{70}, in: []order{{spacing: 3}, {}}, out: order{spacing: 2}},
	{name: "reversed", shape: []int{65}, in: []order{{reverse: []int{0}}, {}}, out: order{}},
	{name: "reversed output", shape: []int{5, 9}, in: []order{{}}, out: order{reverse: []int{0, 1}}},
	{name: "broadcast", shape: []int{6, 40}, in: []order{{same: []int{0}}, {same: []int{1}}, {same: []int{0, 1}}}},
	{name: "transposed", shape: []int{17, 35}, in: []order{{perm: []int{1, 0}}, {}}},
	{name: "all transposed", shape: []int{17, 35}, in: []order{{perm: []int{1, 0}}}, out: order{perm: []int{1, 0}}},
	{name: "rows apart", shape: []int{9, 11}, in: []order{{spacing: 2}, {spacing: 1}}, out: order{spacing: 2, offset: 1}},
	{name: "padded rows", shape: []int{11, 9}, in: []order{{pad: 2}}, out: order{pad: 2}},
	{name: "3-d", shape: []int{3, 1, 37}, in: []order{{perm: []int{2, 0, 1}}, {same: []int{2}, reverse: []int{0}}}},
	{name: "4-d mixed", shape: []int{2, 3, 2, 5}, in: []order{{perm: []int{3, 1, 0, 2}, reverse: []int{1}}, {same: []int{1, 2}}}, out: order{perm: []int{0, 2, 1, 3}}},
	{name: "narrow", shape: []int{150, 3}, in: []order{{}, {same: []int{0}}}},
	{name: "odd bytes", shape: []int{67}, in: []order{{shift: 1}, {shift: 3}}, out: order{shift: 1}},
	{name: "records", shape: []int{13, 5}, in: []order{{gap: 1}, {gap: 3, shift: 2}, {}}, out: order{gap: 2}},
	{name: "narrow and high", shape: []int{2, 90, 2}, in: []order{{spacing: 2}, {perm: []int{1, 0, 2}}}},
}

// place returns the number of elements of a buffer for a parameter of the given shape, and
// the offset and strides, in elements.
func (o order) place(shape []int) (n int, offset int, strides []int) {
	strides = make([]int, len(shape))
	next := max(1, o.spacing)
	offset = o.offset
	for i := len(shape) - 1; i >= 0; i-- {
		axis := i
		if o.perm != nil {
			axis = o.perm[i]
		}
		if has(o.same, axis) {
			continue
		}
		strides[axis] = next
		if has(o.reverse, axis) {
			strides[axis] = -next
			offset += next * (shape[axis] - 1)
		}
		next *= max(1, shape[axis])
		if i == len(shape)-1 {
			next += o.pad
		}
	}
	return next + o.offset + 1, max(0, offset), strides
}

func has(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// lay adds a parameter with a buffer of its own to a trial; fill gives its elements.
func (tr *trial) lay(o order, shape []int, t tile.DType, fill func(i int) tile.Scalar) {
	n, offset, strides := o.place(shape)
	item := t.Size() + o.gap
	m := make([]byte, o.shift+n*item)
	for i := range n {
		encode(m[o.shift+i*item:], fill(i))
	}
	a := arg{buffer: len(tr.memory), offset: int64(o.shift + offset*item)}
	if param := len(tr.args); tr.program.Params[param].Axes > 0 {
		a.shape = shape
	}
	for _, s := range strides {
		a.strides = append(a.strides, int64(s*item))
	}
	tr.memory = append(tr.memory, m)
	tr.args = append(tr.args, a)
}

// fit lays out every parameter of the trial's program; inputs get their elements from value.
func (tr *trial) fit(l layout, value func(t tile.DType) tile.Scalar) {
	tr.shape = l.shape
	in := 0
	for p, param := range tr.program.Params {
		if param.Dir.Writes() {
			tr.lay(l.out, tr.outputShape(), param.Type, func(int) tile.Scalar { return filler(param.Type) })
			continue
		}
		o := order{}
		if len(l.in) > 0 {
			o = l.in[in%len(l.in)]
		}
		in++
		shape := l.shape
		if param.Axes > 0 {
			shape = tr.whole[p]
			o = wholeOrders[p%len(wholeOrders)]
			if o.perm != nil && len(o.perm) != len(shape) {
				o = order{}
			}
		}
		tr.lay(o, shape, param.Type, func(int) tile.Scalar { return value(param.Type) })
	}
}

// filler is what outputs hold before a launch.
func filler(t tile.DType) tile.Scalar {
	s := tile.Scalar{Type: t}
	var raw [16]byte
	for i := range raw[:t.Size()] {
		raw[i] = 0xa5
	}
	if t == tile.Bool {
		raw[0] = 1
	}
	return decode(s.Type, raw[:])
}

// points yields coordinates in C order.
func points(shape []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		n := 1
		for _, e := range shape {
			n *= e
		}
		at := make([]int, len(shape))
		for range n {
			if !yield(at) {
				return
			}
			for k := len(at) - 1; k >= 0; k-- {
				if at[k]++; at[k] < shape[k] {
					break
				}
				at[k] = 0
			}
		}
	}
}

// source returns a seeded generator.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7765667)) }

// seeds runs a test for each of the first seeds, as one of its own, with numbers drawn from the seed.
func (b *bench) seeds(n uint64, f func(*bench, *rand.Rand)) {
	for seed := range n {
		b.sub(fmt.Sprint(seed), func(b *bench) { f(b, source(seed)) })
	}
}
