package cpu

import (
	"weft/cpu/vm"
	"weft/tile"
)

// looked are the operations whose loops raise no flag where something goes wrong: what tells it, for float32.
var looked = map[tile.Opcode]vm.Look{
	tile.Log: vm.LookLog, tile.Log2: vm.LookLog, tile.Log10: vm.LookLog, tile.Log1p: vm.LookLog1p,
	tile.Acosh: vm.LookAcosh, tile.Atanh: vm.LookAtanh, tile.Pow: vm.LookResults,
}

// look has steps look at their operands or results, where somebody may want to know what went wrong in the program.
func (lo *lowering) look() {
	if len(lo.p.Watched) == 0 {
		return
	}
	halves, known := lo.table[[2]string{"cast", "float32 float16"}]
	for i := range lo.nodes {
		n := &lo.nodes[i]
		look, ok := looked[n.op]
		switch {
		case known && n.primitive.Row == halves.Row || n.t == tile.Float16 && n.op != tile.Load && n.op != tile.Select:
			n.look = vm.LookHalves
		case ok && n.t == tile.Float32:
			n.look = look
		case ok && n.t == tile.Float64:
			n.look = look + 1
		}
	}
}
