package jit

import "weft/tile"

// halfFunctions is the table of cuda.fp16: arithmetic of halves, by the names of its functions in C.
var halfFunctions = halfRows()

func halfRows() map[string]functionRow {
	rows := map[string]functionRow{}
	for name, f := range map[string]struct {
		n int
		f formula
	}{
		"hadd": {2, opcode(tile.Add)}, "hsub": {2, opcode(tile.Sub)}, "hmul": {2, opcode(tile.Mul)}, "hdiv": {2, opcode(tile.Div)}, "hfma": {3, fma},
		"hneg": {1, opcode(tile.Neg)}, "habs": {1, opcode(tile.Abs)}, "hsqrt": {1, opcode(tile.Sqrt)}, "hrsqrt": {1, inverseRoot}, "hrcp": {1, inverse},
		"hfloor": {1, opcode(tile.Floor)}, "hceil": {1, opcode(tile.Ceil)}, "hrint": {1, opcode(tile.Rint)}, "htrunc": {1, opcode(tile.Trunc)},
		"hsin": {1, opcode(tile.Sin)}, "hcos": {1, opcode(tile.Cos)}, "hexp": {1, opcode(tile.Exp)}, "hexp2": {1, opcode(tile.Exp2)}, "hexp10": {1, powerOf(10)},
		"hlog": {1, opcode(tile.Log)}, "hlog2": {1, opcode(tile.Log2)}, "hlog10": {1, opcode(tile.Log10)},
		"hmin": {2, least2}, "hmax": {2, most2},
		"heq": {2, opcode(tile.Eq)}, "hne": {2, opcode(tile.Ne)}, "hlt": {2, opcode(tile.Lt)}, "hle": {2, opcode(tile.Le)}, "hgt": {2, opcode(tile.Gt)}, "hge": {2, opcode(tile.Ge)},
	} {
		rows["cuda.fp16."+name] = inFloats(tile.Float16, f.n, f.f)
	}
	return rows
}
