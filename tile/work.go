package tile

// What programs cost is needed only to tell little work from much: whether a second core is worth
// its hand-over. So costs are rough, and in one unit: the bytes that a core moves between its
// caches in the time. On a processor of 2024 a nanosecond moves some 40.

// unit is the cost of an arithmetic operation on an element of eight bytes, and free that of an opcode which only says
// where values come from and go to.
const (
	unit = 2
	free = 0xff // not 0, so that an opcode without a row can be told from it
)

// work has a row for every opcode: what it costs on an element of eight bytes.
var work = [...]uint8{
	Load: free, Store: free, Const: free, Uniform: free, Index: free, Reduce: free, If: free, Else: free,
	Merge: free, Loop: free, Carry: free, While: free, Next: free, End: free,
	Thread: free, Size: free, Element: 16, Put: 16, Atomic: 32, Cas: 32, Barrier: free, GridBarrier: free, Tally: 4, Fence: free,
	Vote: 4, Shuffle: 16, Match: 16, Active: 4, Leave: free, Fail: free,

	Cast: unit, Select: unit, Add: unit, Sub: unit, Mul: unit, Neg: unit, Abs: unit, Sign: unit, Copysign: unit,
	Min: unit, Max: unit, Eq: unit, Ne: unit, Lt: unit, Le: unit, Gt: unit, Ge: unit, And: unit, Or: unit,
	Xor: unit, Not: unit, Shl: unit, Shr: unit, Floor: unit, Ceil: unit, Trunc: unit, Rint: unit, IsNaN: unit,
	IsInf: unit, IsFinite: unit, Conj: unit, RealPart: unit, ImagPart: unit, MakeComplex: unit,

	// What costs more than one unit.
	Div: 16, Sqrt: 16, FloorDiv: 20, Rem: 20, Pow: 200, Gather: 16,
	Exp: 20, Exp2: 24, Expm1: 28, Log: 24, Log2: 32, Log10: 40, Log1p: 32,
	Sin: 28, Cos: 28, Tan: 48, Asin: 48, Acos: 48, Atan: 48, Atan2: 80,
	Sinh: 40, Cosh: 32, Tanh: 40, Asinh: 80, Acosh: 64, Atanh: 64,
	Cbrt: 40, Hypot: 32, Erf: 80, Erfc: 120, Gamma: 160, LogGamma: 160,
	PCG64: 40, Philox: 80,
}

// Work is what computing one element of eight bytes costs, in bytes that a core moves meanwhile.
func (op Opcode) Work() int64 {
	if cost := work[op]; cost != free {
		return int64(cost)
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
