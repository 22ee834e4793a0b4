package tile

import "fmt"

// Opcode names one scalar primitive: an index into the opcodes table.
type Opcode uint8

// The opcodes. Structure first, then arithmetic in the order of the table.
const (
	OpInvalid Opcode = iota

	// Structure: how values enter and leave a program.
	Load    // element of an input parameter
	Store   // element of an output parameter
	Const   // literal in the program text
	Uniform // scalar handed over at launch, the same for every lane
	Index   // coordinate of the lane along one axis, int64
	Reduce  // combine into an output parameter; the combiner is in Instr.Comb
	Gather  // element of an input parameter that is bound as a whole array

	// Structured control flow: see flow.go.
	If    // lanes for which the operand holds take what follows
	Else  // the other lanes of the if take what follows
	Merge // after an if: first operand for lanes that took its first branch, second for the others
	Loop  // begins a loop: carries, condition, while, body, nexts
	Carry // value that a loop hands on: the operand in the first turn, then what next says
	While // lanes for which the operand does not hold leave the loop
	Next  // value of a carry in the next turn
	End   // of an if or a loop

	// Programs of threads alone: see threads.go.
	Thread      // where the thread is, or how many there are, int32
	Size        // extent of an axis of a memory, int64
	Element     // reads an element of a memory: an index for each axis
	Put         // writes an element: the value, and the indices
	Atomic      // combines an element with the first operand, and is what was there; the indices follow
	Cas         // writes the second operand where the first one's bits stand, and is what was there; the indices follow
	Barrier     // the threads of the block meet
	GridBarrier // the threads of all blocks meet
	Tally       // the threads of the block meet, and count for whom the operand holds
	Fence       // others see what was written before
	Vote        // for which threads of the warp the operand holds: of (mask, operand)
	Shuffle     // value of another thread of the warp: of (mask, value, which)
	Match       // which threads of the warp have the same value: of (mask, value)
	Active      // which threads of the warp take the same way now
	Leave       // the thread ends
	Fail        // the thread ends, and the launch fails with message N

	Cast   // conversion with NumPy's astype rules
	Select // a if condition else b

	Add
	Sub
	Mul
	Div      // true division: floats and complex only
	FloorDiv // NumPy's floor_divide; integer x//0 is 0
	Rem      // NumPy's remainder: sign of the divisor; integer x%0 is 0
	Pow      // floats and complex; integers with a non-negative exponent (negative exponents give 0 except for bases 1 and -1)
	Neg
	Abs // complex gives the real magnitude
	Sign
	Copysign // the first operand's size with the second's sign, of NaN as well
	Min      // NaN propagates, as np.minimum
	Max      // NaN propagates, as np.maximum

	Eq
	Ne
	Lt // complex compares lexicographically, as NumPy
	Le
	Gt
	Ge

	And // bitwise; logical on bool
	Or
	Xor
	Not
	Shl // shift counts >= the width give 0
	Shr // arithmetic on signed; counts >= the width give 0 or -1

	Sqrt
	Exp
	Log
	Sin
	Cos
	Tanh
	Exp2
	Expm1
	Log2
	Log10
	Log1p
	Tan
	Asin
	Acos
	Atan
	Atan2 // of (y, x)
	Sinh
	Cosh
	Asinh
	Acosh
	Atanh
	Cbrt
	Hypot
	Erf
	Erfc
	Gamma
	LogGamma // of the size of gamma
	Floor
	Ceil
	Trunc
	Rint // round half to even
	IsNaN
	IsInf
	IsFinite

	Conj
	RealPart
	ImagPart
	MakeComplex // from two reals of the same dtype

	PCG64  // a number of NumPy's default generator: of (n, the state's high and low half, the increment's)
	Philox // a number of the counter-based generator: of (n, the third and fourth word of the counter, the key's two)
)

// Combiner names what a Reduce instruction combines with.
type Combiner uint8

// The combiners; all are associative up to rounding. The first element starts the accumulator in the
// canonical order; see Neutral for what the last step does.
const (
	CombNone Combiner = iota
	Sum
	Prod
	MinOf // NaN propagates
	MaxOf // NaN propagates
	Any   // bool
	All   // bool
)

var combiners = [...]string{CombNone: "none", Sum: "sum", Prod: "prod", MinOf: "min", MaxOf: "max", Any: "any", All: "all"}

// String returns the combiner's name in the text form.
func (c Combiner) String() string {
	if int(c) >= len(combiners) {
		return fmt.Sprintf("combiner(%d)", uint8(c))
	}
	return combiners[c]
}

// Combiners returns every combiner.
func Combiners() []Combiner { return []Combiner{Sum, Prod, MinOf, MaxOf, Any, All} }

// Accepts reports whether the combiner works on values of dtype d.
func (c Combiner) Accepts(d DType) bool {
	switch c {
	case Any, All:
		return d == Bool
	case Sum, Prod:
		return d.Is(KindInt | KindUint | KindFloat | KindComplex)
	case MinOf, MaxOf:
		return d != Invalid
	}
	return false
}

// Step returns the opcode which combines two accumulators.
func (c Combiner) Step() Opcode {
	return [...]Opcode{Sum: Add, Prod: Mul, MinOf: Min, MaxOf: Max, Any: Or, All: And}[c]
}

// Neutral returns the number that every result takes last, where that tells: zero for sums, since negative zeros add up
// to +0 in sums that begin at zero, as NumPy's do; one for complex products, of which a factor of 1+0j changes the
// signs of zeros and makes NaNs of infinities.
func (c Combiner) Neutral(d DType) (n Scalar, tells bool) {
	switch {
	case c == Sum && d.Is(KindFloat|KindComplex):
		return Scalar{Type: d}, true
	case c == Prod && d.Is(KindComplex):
		return ComplexScalar(d, 1), true
	}
	return Scalar{}, false
}

// ResultRule says how the result dtype follows from the operands'.
type ResultRule uint8

// The result rules.
const (
	ResultSame    ResultRule = iota // that of the (equal) operands
	ResultBool                      // bool, from equal operands
	ResultReal                      // the real part's dtype of the operand
	ResultComplex                   // the complex dtype over the (equal, real) operands
	ResultFree                      // given by the instruction: structure, cast
)

// opcodeRow is one row of the opcode table.
type opcodeRow struct {
	name   string // text form
	arity  int
	kinds  Kind // operand kinds that the opcode accepts
	result ResultRule
	doc    string
}

const (
	kindAll     = KindBool | KindInt | KindUint | KindFloat | KindComplex
	kindNumber  = KindInt | KindUint | KindFloat | KindComplex
	kindReal    = KindInt | KindUint | KindFloat
	kindInexact = KindFloat | KindComplex
	kindWhole   = KindBool | KindInt | KindUint
)

// opcodes is the table: a new primitive is one row here, in reference.go, in work.go, in tiletest/tolerance.go and
// in each back end; exhaustive tests name the missing one.
var opcodes = [...]opcodeRow{
	OpInvalid:   {"invalid", 0, 0, ResultFree, ""},
	Load:        {"load", 0, kindAll, ResultFree, "element of an input parameter"},
	Store:       {"store", 1, kindAll, ResultFree, "write an element of an output parameter"},
	Const:       {"const", 0, kindAll, ResultFree, "literal"},
	Uniform:     {"uniform", 0, kindAll, ResultFree, "launch-time scalar"},
	Index:       {"index", 0, KindInt, ResultFree, "coordinate along an axis of the op's index space"},
	Reduce:      {"reduce", 1, kindAll, ResultFree, "combine into an output parameter"},
	Gather:      {"gather", maxGather, kindAll, ResultFree, "element of a whole array, at an index for each of its axes"},
	If:          {"if", 1, KindBool, ResultFree, "begins what only lanes take for which the operand holds"},
	Else:        {"else", 0, 0, ResultFree, "begins what the other lanes of the if take"},
	Merge:       {"merge", 2, kindAll, ResultFree, "first operand for lanes that took the first branch of the if, second for others"},
	Loop:        {"loop", 0, 0, ResultFree, "begins a loop"},
	Carry:       {"carry", 1, kindAll, ResultFree, "value that a loop hands on from turn to turn, the operand at first"},
	While:       {"while", 1, KindBool, ResultFree, "lanes for which the operand does not hold leave the loop"},
	Next:        {"next", 2, kindAll, ResultFree, "value of a carry in the next turn"},
	End:         {"end", 0, 0, ResultFree, "of an if or a loop"},
	Thread:      {"thread", 0, 0, ResultFree, "where the thread is in block, grid or warp, or how many there are"},
	Size:        {"size", 0, 0, ResultFree, "extent of an axis of a memory"},
	Element:     {"element", maxGather, kindAll, ResultFree, "element of a memory, at an index for each of its axes"},
	Put:         {"put", 1 + maxGather, kindAll, ResultFree, "writes the first operand into a memory, at the indices that follow"},
	Atomic:      {"atomic", 1 + maxGather, kindReal, ResultFree, "combines an element with the first operand, and is what was there"},
	Cas:         {"cas", 2 + maxGather, KindInt | KindUint, ResultFree, "writes the second operand where the first one stands, and is what was there"},
	Barrier:     {"barrier", 0, 0, ResultFree, "the threads of the block meet"},
	GridBarrier: {"gridbarrier", 0, 0, ResultFree, "the threads of all blocks meet"},
	Tally:       {"tally", 1, KindBool, ResultFree, "the threads of the block meet, and count for whom the operand holds"},
	Fence:       {"fence", 0, 0, ResultFree, "others see what the thread wrote before"},
	Vote:        {"vote", 2, KindBool, ResultFree, "for which threads of the warp that the mask names the second operand holds"},
	Shuffle:     {"shuffle", 3, kindAll, ResultFree, "second operand of the thread of the warp that the third one says"},
	Match:       {"match", 2, kindReal, ResultFree, "which threads of the warp that the mask names have the same second operand"},
	Active:      {"active", 0, 0, ResultFree, "which threads of the warp take the same way now"},
	Leave:       {"leave", 0, 0, ResultFree, "the thread ends"},
	Fail:        {"fail", MaxArgs, kindAll, ResultFree, "the thread ends, and the launch fails with a message"},
	Cast:        {"cast", 1, kindAll, ResultFree, "convert with NumPy's astype rules"},
	Select:      {"select", 3, kindAll, ResultSame, "second operand where the first (bool) holds, third elsewhere"},
	Add:         {"add", 2, kindNumber, ResultSame, "sum; integers wrap"},
	Sub:         {"sub", 2, kindNumber, ResultSame, "difference; integers wrap"},
	Mul:         {"mul", 2, kindNumber, ResultSame, "product; integers wrap"},
	Div:         {"div", 2, kindInexact, ResultSame, "true quotient"},
	FloorDiv:    {"floordiv", 2, kindReal, ResultSame, "floor of the quotient; integer x//0 is 0"},
	Rem:         {"rem", 2, kindReal, ResultSame, "remainder with the divisor's sign; integer x%0 is 0"},
	Pow:         {"pow", 2, kindNumber, ResultSame, "power"},
	Neg:         {"neg", 1, kindNumber, ResultSame, "negation; integers wrap"},
	Abs:         {"abs", 1, kindNumber, ResultReal, "magnitude"},
	Sign:        {"sign", 1, kindReal, ResultSame, "-1, 0 or 1; NaN stays"},
	Copysign:    {"copysign", 2, KindFloat, ResultSame, "size of the first operand with the sign of the second, NaN's too"},
	Min:         {"min", 2, kindAll, ResultSame, "smaller; NaN propagates"},
	Max:         {"max", 2, kindAll, ResultSame, "larger; NaN propagates"},
	Eq:          {"eq", 2, kindAll, ResultBool, "equal"},
	Ne:          {"ne", 2, kindAll, ResultBool, "not equal"},
	Lt:          {"lt", 2, kindAll, ResultBool, "less"},
	Le:          {"le", 2, kindAll, ResultBool, "less or equal"},
	Gt:          {"gt", 2, kindAll, ResultBool, "greater"},
	Ge:          {"ge", 2, kindAll, ResultBool, "greater or equal"},
	And:         {"and", 2, kindWhole, ResultSame, "bitwise and"},
	Or:          {"or", 2, kindWhole, ResultSame, "bitwise or"},
	Xor:         {"xor", 2, kindWhole, ResultSame, "bitwise exclusive or"},
	Not:         {"not", 1, kindWhole, ResultSame, "bitwise complement; logical on bool"},
	Shl:         {"shl", 2, KindInt | KindUint, ResultSame, "left shift; counts past the width give 0"},
	Shr:         {"shr", 2, KindInt | KindUint, ResultSame, "right shift; counts past the width give 0 or -1"},
	Sqrt:        {"sqrt", 1, kindInexact, ResultSame, "square root"},
	Exp:         {"exp", 1, kindInexact, ResultSame, "e to the power"},
	Log:         {"log", 1, kindInexact, ResultSame, "natural logarithm"},
	Sin:         {"sin", 1, kindInexact, ResultSame, "sine"},
	Cos:         {"cos", 1, kindInexact, ResultSame, "cosine"},
	Tanh:        {"tanh", 1, KindFloat, ResultSame, "hyperbolic tangent"},
	Exp2:        {"exp2", 1, KindFloat, ResultSame, "2 to the power"},
	Expm1:       {"expm1", 1, KindFloat, ResultSame, "e to the power, less 1"},
	Log2:        {"log2", 1, KindFloat, ResultSame, "binary logarithm"},
	Log10:       {"log10", 1, KindFloat, ResultSame, "decimal logarithm"},
	Log1p:       {"log1p", 1, KindFloat, ResultSame, "natural logarithm of 1 plus the operand"},
	Tan:         {"tan", 1, KindFloat, ResultSame, "tangent"},
	Asin:        {"asin", 1, KindFloat, ResultSame, "arc sine"},
	Acos:        {"acos", 1, KindFloat, ResultSame, "arc cosine"},
	Atan:        {"atan", 1, KindFloat, ResultSame, "arc tangent"},
	Atan2:       {"atan2", 2, KindFloat, ResultSame, "angle of the point (second operand, first operand)"},
	Sinh:        {"sinh", 1, KindFloat, ResultSame, "hyperbolic sine"},
	Cosh:        {"cosh", 1, KindFloat, ResultSame, "hyperbolic cosine"},
	Asinh:       {"asinh", 1, KindFloat, ResultSame, "inverse hyperbolic sine"},
	Acosh:       {"acosh", 1, KindFloat, ResultSame, "inverse hyperbolic cosine"},
	Atanh:       {"atanh", 1, KindFloat, ResultSame, "inverse hyperbolic tangent"},
	Cbrt:        {"cbrt", 1, KindFloat, ResultSame, "cube root"},
	Hypot:       {"hypot", 2, KindFloat, ResultSame, "root of the sum of the squares, which do not overflow"},
	Erf:         {"erf", 1, KindFloat, ResultSame, "error function"},
	Erfc:        {"erfc", 1, KindFloat, ResultSame, "1 less the error function"},
	Gamma:       {"gamma", 1, KindFloat, ResultSame, "gamma function"},
	LogGamma:    {"lgamma", 1, KindFloat, ResultSame, "logarithm of the size of the gamma function"},
	Floor:       {"floor", 1, KindFloat, ResultSame, "round down"},
	Ceil:        {"ceil", 1, KindFloat, ResultSame, "round up"},
	Trunc:       {"trunc", 1, KindFloat, ResultSame, "round to zero"},
	Rint:        {"rint", 1, KindFloat, ResultSame, "round half to even"},
	IsNaN:       {"isnan", 1, kindInexact, ResultBool, "is not a number"},
	IsInf:       {"isinf", 1, kindInexact, ResultBool, "is infinite"},
	IsFinite:    {"isfinite", 1, kindInexact, ResultBool, "is finite"},
	Conj:        {"conj", 1, KindComplex, ResultSame, "complex conjugate"},
	RealPart:    {"real", 1, KindComplex, ResultReal, "real part"},
	ImagPart:    {"imag", 1, KindComplex, ResultReal, "imaginary part"},
	PCG64:       {"pcg64", 5, KindUint, ResultSame, "number n of a PCG64 generator: n, high and low half of the state, of the increment (uint64)"},
	Philox:      {"philox", 5, KindUint, ResultSame, "number n of a Philox 4x64 generator: n, third and fourth word of the counter, the key's two (uint64)"},
	MakeComplex: {"complex", 2, KindFloat, ResultComplex, "complex from real and imaginary part (float32 or float64)"},
}

// Opcodes returns every opcode, for exhaustive tests and generators.
func Opcodes() []Opcode {
	all := make([]Opcode, 0, len(opcodes)-1)
	for op := Load; int(op) < len(opcodes); op++ {
		all = append(all, op)
	}
	return all
}

// String returns the opcode's name in the text form.
func (op Opcode) String() string {
	if int(op) >= len(opcodes) {
		return fmt.Sprintf("opcode(%d)", uint8(op))
	}
	return opcodes[op].name
}

// Arity returns the number of value operands; the most of them for Gather and what else has one for
// each axis of its array.
func (op Opcode) Arity() int { return opcodes[op].arity }

// least returns the fewest value operands.
func (op Opcode) least() int {
	switch op {
	case Gather, Put, Atomic:
		return 1
	case Cas:
		return 2
	case Element, Fail:
		return 0
	}
	return op.Arity()
}

// Doc returns one line about the opcode.
func (op Opcode) Doc() string { return opcodes[op].doc }

// Rule returns how the result dtype follows from the operands'.
func (op Opcode) Rule() ResultRule { return opcodes[op].result }

// HasResult reports whether instructions of the opcode are values.
func (op Opcode) HasResult() bool {
	switch op {
	case Store, Reduce, If, Else, Loop, While, Next, End, Put, Barrier, GridBarrier, Fence, Leave, Fail:
		return false
	}
	return true
}

// IsScalar reports whether the opcode computes on lane values alone, so that it has a
// reference function; the others are structure.
func (op Opcode) IsScalar() bool { return op >= Cast && int(op) < len(opcodes) }

// Accepts reports whether the opcode takes operands of dtype d. For Select it is the
// dtype of the chosen values, for Cast that of the source.
func (op Opcode) Accepts(d DType) bool {
	switch {
	case op == MakeComplex && d == Float16, (op == PCG64 || op == Philox) && d != Uint64:
		return false
	}
	return d.Is(opcodes[op].kinds)
}

// Result returns the result dtype for operands of dtype d; Invalid where the
// instruction has to say (structure and casts).
func (op Opcode) Result(d DType) DType {
	switch opcodes[op].result {
	case ResultSame:
		return d
	case ResultBool:
		return Bool
	case ResultReal:
		return d.Real()
	case ResultComplex:
		if d == Float32 {
			return Complex64
		}
		return Complex128
	}
	return Invalid
}

// ParseOpcode finds an opcode by its name.
func ParseOpcode(name string) (Opcode, error) {
	for op := Load; int(op) < len(opcodes); op++ {
		if opcodes[op].name == name {
			return op, nil
		}
	}
	return OpInvalid, fmt.Errorf("tile: unknown opcode %q; see the table in tile/opcodes.go", name)
}

// ParseCombiner finds a combiner by its name.
func ParseCombiner(name string) (Combiner, error) {
	for _, c := range Combiners() {
		if combiners[c] == name {
			return c, nil
		}
	}
	return CombNone, fmt.Errorf("tile: unknown combiner %q; want one of %v", name, Combiners())
}
