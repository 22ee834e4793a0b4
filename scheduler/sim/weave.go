package sim

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// newWeave prepares the simulator's named routine, which has two inputs and two outputs of
// any shapes: element i of an output is the sum of element i*step of one input and element i
// of the other, counted in C order and around.
func newWeave(p *tile.Program) (tile.Routine, error) {
	step, ok := p.Attr("step")
	if !ok || len(p.Params) != 4 {
		return nil, fmt.Errorf("got %d operands; want an attribute step and four operands", len(p.Params))
	}
	return func(c *tile.Call) error {
		var x [4][]tile.Scalar
		for _, i := range []int{0, 2} {
			for _, b := range elementsOf(&c.Args[i]) {
				x[i] = append(x[i], load(c.Args[i].Type, b))
			}
		}
		for _, i := range []int{1, 3} {
			a, b := x[i-1], x[3-i]
			for k, to := range elementsOf(&c.Args[i]) {
				store(to, tile.Eval(tile.Add, c.Args[i].Type, a[k*int(step.Int())%len(a)], b[k%len(b)]))
			}
		}
		return nil
	}, nil
}

// newKnit prepares the routine that updates: every element number i*step of the first operand
// becomes its sum with element i of the second, counted in C order and around. The others
// stay as they are.
func newKnit(p *tile.Program) (tile.Routine, error) {
	step, ok := p.Attr("step")
	if !ok || len(p.Params) != 2 {
		return nil, fmt.Errorf("got %d operands; want an attribute step and two operands", len(p.Params))
	}
	return func(c *tile.Call) error {
		t := c.Args[0].Type
		stitches := elementsOf(&c.Args[1])
		for i, to := range elementsOf(&c.Args[0]) {
			if i%int(step.Int()) == 0 {
				store(to, tile.Eval(tile.Add, t, load(t, to), load(t, stitches[i/int(step.Int())%len(stitches)])))
			}
		}
		return nil
	}, nil
}

func store(to []byte, v tile.Scalar) {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], v.Bits[0])
	copy(to, raw[:])
}

func load(t tile.DType, b []byte) tile.Scalar {
	var raw [8]byte
	copy(raw[:], b)
	return tile.Scalar{Type: t, Bits: [2]uint64{binary.LittleEndian.Uint64(raw[:])}}
}

// elementsOf returns the bytes of every element in C order.
func elementsOf(o *tile.Operand) [][]byte {
	list := make([][]byte, o.Elements())
	for k := range list {
		at, rest := int64(0), k
		for axis := len(o.Shape) - 1; axis >= 0; axis-- {
			at += int64(rest%o.Shape[axis]) * o.Strides[axis]
			rest /= o.Shape[axis]
		}
		list[k] = unsafe.Slice((*byte)(unsafe.Add(o.P, at)), o.Type.Size())
	}
	return list
}

// callOp adds a call of a named routine on operands of different ranks and shapes.
func (g *generator) callOp() {
	t := types[g.IntN(len(types))]
	name, p := "weave", g.lib[t].weave
	if g.IntN(2) == 0 {
		name, p = "knit", g.lib[t].knit
	}
	op := &scheduler.Op{Kind: scheduler.Call, Name: name, Shape: []int{}, Program: p}
	for i, param := range p.Params {
		for tries := 0; len(op.Uses) == i; tries++ {
			if tries == 20 {
				return
			}
			shape := make([]int, g.IntN(3))
			for axis := range shape {
				shape[axis] = 1 + g.IntN(8)
			}
			u := scheduler.Use{Access: [...]scheduler.Access{tile.In: scheduler.Read, tile.Out: scheduler.Write, tile.Update: scheduler.Update}[param.Dir]}
			ok := false
			if u.View, ok = g.view(t, shape, u.Access.Writes()); !ok {
				continue
			}
			for _, other := range op.Uses {
				ok = ok && (!u.Access.Writes() && !other.Access.Writes() || !scheduler.Overlap(u.View, other.View))
			}
			if ok {
				op.Uses = append(op.Uses, u)
			}
		}
	}
	g.ops++
	op.ID, op.Where = g.ops, scheduler.Where{Source: 1, Line: int32(len(g.stream) + 1)}
	g.stream = append(g.stream, scheduler.Step{Verb: "op", Op: op})
}
