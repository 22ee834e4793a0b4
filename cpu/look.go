package cpu

import (
	"weft/cpu/vm"
	"weft/tile"
)

// look has steps look at their results whose loops do not raise a flag wherever something goes wrong, powers and what makes halves, if a launch may be watched for what went wrong in the
// program.
func (lo *lowering) look() {
	if len(lo.p.Watched) == 0 {
		return
	}
	halves, known := lo.table[[2]string{"cast", "float32 float16"}]
	for i := range lo.nodes {
		n := &lo.nodes[i]
		switch {
		case known && n.primitive.Row == halves.Row || n.t == tile.Float16 && n.op != tile.Load && n.op != tile.Select:
			n.look = vm.LookHalves
		case n.op == tile.Pow && n.t == tile.Float32:
			n.look = vm.LookSingles
		case n.op == tile.Pow && n.t == tile.Float64:
			n.look = vm.LookDoubles
		}
	}
}
