package tile

// What programs cost is needed only to tell little work from much: whether a second core is worth
// its hand-over. So costs are rough, and in one unit: the bytes that a core moves between its
// caches in the time. On a processor of 2024 a nanosecond moves some 40.

// unit is the cost of an arithmetic operation on an element of eight bytes.
const unit = 2

// dear are the opcodes that cost more than one unit, with their costs on an element of eight bytes.
var dear = [...]uint8{
	Div: 16, Sqrt: 16, FloorDiv: 20, Rem: 20, Pow: 200, Gather: 16,
	Exp: 20, Exp2: 24, Expm1: 28, Log: 24, Log2: 32, Log10: 40, Log1p: 32,
	Sin: 28, Cos: 28, Tan: 48, Asin: 48, Acos: 48, Atan: 48, Atan2: 80,
	Sinh: 40, Cosh: 32, Tanh: 40, Asinh: 80, Acosh: 64, Atanh: 64,
	Cbrt: 40, Hypot: 32, Erf: 80, Erfc: 120, Gamma: 160, LogGamma: 160,
	PCG64: 40, Philox: 80,
}

// Work is what computing one element of eight bytes costs, in bytes that a core moves meanwhile.
func (op Opcode) Work() int64 {
	switch {
	case int(op) < len(dear) && dear[op] > 0:
		return int64(dear[op])
	case op.IsScalar():
		return unit
	}
	return 0
}

// Work is what the program's code costs at each point, in bytes that a core moves meanwhile, without the
// elements that it loads and stores. What is in a block counts once.
func (p *Program) Work() int64 {
	sum := int64(0)
	for i := range p.Code {
		in := &p.Code[i]
		sum += in.Op.Work() * int64(in.Type.Size())
	}
	return sum / 8
}
