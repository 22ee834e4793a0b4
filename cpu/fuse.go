package cpu

import (
	"slices"

	"weft/tile"
)

// fuse makes superinstructions of nodes whose result only the next one reads: a product and a
// sum, a sum of up to five, a sum and a factor. Each operation is rounded as before; what is
// saved is passing over a register. Sums and products may exchange their operands, which
// does not change their bits.
func (lo *lowering) fuse() {
	readers := make([]int, len(lo.places))
	maker := make([]int, len(lo.places)) // node that computes a place, plus one
	for i := range lo.nodes {
		for _, v := range lo.nodes[i].inputs() {
			readers[v]++
		}
		maker[lo.nodes[i].d] = i + 1
	}
	for _, w := range lo.writes {
		readers[w.v] += 2 // also stays where it is
	}
	// from returns the node that computes v, if it may go into the node that reads it.
	from := func(v int, t tile.DType) *node {
		if readers[v] != 1 || maker[v] == 0 || lo.nodes[maker[v]-1].t != t {
			return nil
		}
		return &lo.nodes[maker[v]-1]
	}
	for i := range lo.nodes {
		n := &lo.nodes[i]
		if n.t != tile.Float32 && n.t != tile.Float64 {
			continue
		}
		for k := range 2 {
			if n.op != tile.Add && n.op != tile.Mul && n.op != tile.Sub {
				break
			}
			m := from(n.in[k], n.t)
			if m == nil {
				continue
			}
			if name, in := lo.join(n, m, n.in[1-k], k); name != "" {
				if p, ok := lo.table[[2]string{name, n.t.String()}]; ok {
					m.d = none // it is no more
					n.primitive = p
					copy(n.in[:], in)
					if n.op == tile.Sub || n.op == tile.Mul || m.op == tile.Mul {
						n.op = tile.OpInvalid // nothing joins it
					}
					break
				}
			}
		}
	}
	lo.nodes = slices.DeleteFunc(lo.nodes, func(n node) bool { return n.d == none })
}

// sums and scaled name sums of 2 to 5 operands, and these with a factor.
var (
	sums   = [...]string{2: "add", "add3", "add4", "add5"}
	scaled = [...]string{2: "addmul", "add3mul", "add4mul", "add5mul"}
)

// join returns the superinstruction of n, which has the result of m as operand k, and v as the
// other; "" is that there is none.
func (lo *lowering) join(n, m *node, v, k int) (string, []int) {
	count := m.primitive.Inputs
	switch {
	case m.op == tile.Mul && n.op != tile.Mul:
		a, b := m.in[0], m.in[1]
		if lo.isScalar(a) {
			a, b = b, a
		}
		name := "muladd"
		if n.op == tile.Sub {
			name = [...]string{"mulsub", "submul"}[k]
		}
		return name, []int{a, b, v}
	case m.op == tile.Add && n.op == tile.Add && count < 5 && !lo.isScalar(append([]int{v}, m.inputs()...)...):
		return sums[count+1], append(slices.Clone(m.inputs()), v)
	case m.op == tile.Add && n.op == tile.Mul && !lo.isScalar(m.inputs()...):
		return scaled[count], append(slices.Clone(m.inputs()), v)
	}
	return "", nil
}

// isScalar reports whether one of the places is known to be a scalar. (A window may turn out to be
// one in a launch; the machine copes.)
func (lo *lowering) isScalar(places ...int) bool {
	for _, v := range places {
		if k := lo.places[v].kind; k == inLiteral || k == inUniform || k == inCell {
			return true
		}
	}
	return false
}
