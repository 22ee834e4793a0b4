package cpu

import (
	"weft/cpu/vm"
	"weft/tile"
)

// pairwise are the operations of complex numbers whose parts are sums, products and quotients, or as they were.
var pairwise = map[tile.Opcode]bool{
	tile.Add: true, tile.Sub: true, tile.Mul: true, tile.Div: true, tile.Neg: true, tile.Conj: true, tile.Min: true, tile.Max: true, tile.Load: true, tile.Select: true, tile.Sqrt: true,
}

// look has steps look at their results whose loops do not raise a flag wherever something goes wrong, powers, functions
// of complex numbers and what makes halves, if a launch may be watched for what went wrong in the program.
func (lo *lowering) look() {
	if len(lo.p.Watched) == 0 {
		return
	}
	halves, known := lo.table[[2]string{"cast", "float32 float16"}]
	doubles, wide := lo.table[[2]string{"cast", "float64 float16"}]
	for i := range lo.nodes {
		n := &lo.nodes[i]
		switch {
		case known && n.primitive.Row == halves.Row || wide && n.primitive.Row == doubles.Row || n.t == tile.Float16 && n.op != tile.Load && n.op != tile.Select:
			n.look = vm.LookHalves
		case n.op == tile.Pow && n.t == tile.Float32:
			n.look = vm.LookSingles
		case n.op == tile.Pow && n.t == tile.Float64:
			n.look = vm.LookDoubles
		case n.t.Is(tile.KindComplex) && n.op.Result(n.t) == n.t && !pairwise[n.op]:
			if n.look = vm.LookComplexDoubles; n.t == tile.Complex64 {
				n.look = vm.LookComplexSingles
			}
		}
	}
}
