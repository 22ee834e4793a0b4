package tile

import "sync/atomic"

// Flags are what goes wrong in floating-point operations, by the bits of NumPy.
type Flags uint8

// The flags.
const (
	DivideByZero Flags = 1 << iota
	Overflow
	Underflow
	InvalidValue
)

// Rule says how the operands and the result of an operation tell what went wrong in it.
type Rule uint8

// The rules. The names are those of package eager, which applies them.
const (
	Silent          Rule = iota // nothing is told
	Trusted                     // the flags of the processor are right, and so is Odd
	Odd                         // what becomes infinite has overflowed, and what becomes no number is invalid
	Strict                      // the same; operands that are no numbers are invalid
	Grows                       // the same as Odd; what vanishes underflows
	Poles                       // what becomes infinite is at a pole: divided by zero
	Powers                      // powers of zero are at a pole, others overflow
	Quotients                   // what is divided by zero is at a pole
	Divisions                   // the same, of true quotients, which may overflow or vanish
	Products                    // the same as Odd; what vanishes of factors that are not 0 underflows
	Narrowed                    // casts to a smaller float: what becomes infinite has overflowed
	Integers                    // quotients of integers: by zero, and of the least integer by -1
	ComplexProducts             // the same as Odd; what becomes no number of finite factors has overflowed, too

	// Those of this package alone.
	ComplexDivisions // the parts of a number that is divided by zero tell one by one
	Whole            // casts to integers, which floats that do not fit are none of
	Sums             // the sum or product that X is an element of: Comb says which
	Contractions     // the sum of products of X and Y
	Running          // of a routine: the running sums or products of its first operand along an axis, its second one
	Lost             // of a routine: elements of its last operand, floats, that are no numbers
)

// Watched is an operation of a program that a launch may be watched for.
type Watched struct {
	Part int   // of the op, where several were fused into it: which one
	Rule Rule  // how that is found
	X, Y Value // its operands; Y is NoValue where there is one
	Out  Value // its result; of a reduction, what is combined

	Comb  Combiner // of a reduction, which one of Out it is
	Tells string   // what NumPy calls it, where that is not what it calls the op
}

// Watch asks what goes wrong in a launch, in the operations that its program has Watched. The device
// adds it up while the launch runs, and has it complete when the launch is. A device may find out nothing.
type Watch struct {
	Wanted Flags    // what to look for
	Found  []uint32 // by Program.Watched: the flags that were found
}

// Find notes what went wrong in an operation. Several threads may note something at once.
func (w *Watch) Find(i int, found Flags) {
	if found &= w.Wanted; found != 0 {
		atomic.OrUint32(&w.Found[i], uint32(found))
	}
}

// Missing returns which flags of an operation are wanted and not found so far.
func (w *Watch) Missing(i int) Flags { return w.Wanted &^ Flags(atomic.LoadUint32(&w.Found[i])) }
