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
				v := tile.Eval(tile.Add, c.Args[i].Type, a[k*int(step.Int())%len(a)], b[k%len(b)])
				var raw [8]byte
				binary.LittleEndian.PutUint64(raw[:], v.Bits[0])
				copy(to, raw[:])
			}
		}
		return nil
	}, nil
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

// callOp adds a call of the named routine on operands of different ranks and shapes.
func (g *generator) callOp() {
	t := types[g.IntN(len(types))]
	p := g.lib[t].weave
	op := &scheduler.Op{Kind: scheduler.Call, Name: "weave", Shape: []int{}, Program: p}
	for i, param := range p.Params {
		for tries := 0; len(op.Uses) == i; tries++ {
			if tries == 20 {
				return
			}
			shape := make([]int, g.IntN(3))
			for axis := range shape {
				shape[axis] = 1 + g.IntN(8)
			}
			write := param.Dir == tile.Out
			u := scheduler.Use{}
			if write {
				u.Access = scheduler.Write
			}
			ok := false
			if u.View, ok = g.view(t, shape, write); !ok {
				continue
			}
			for _, other := range op.Uses {
				ok = ok && (!write && other.Access == scheduler.Read || !scheduler.Overlap(u.View, other.View))
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
