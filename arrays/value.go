package arrays

import "weft/tile"

// ValueKind says which field of a Value means something.
type ValueKind uint8

// The kinds of values that cross between a language binding and the function table.
const (
	Missing      ValueKind = iota // argument not given
	None                          // Python's None; np.newaxis in an index
	BoolValue                     // Python bool, weak (NEP 50) as the numbers below unless DType says otherwise
	IntValue                      // Python int that fits int64
	UintValue                     // Python int above int64 that fits uint64
	FloatValue                    // Python float
	ComplexValue                  // Python complex
	StringValue                   // Python str
	DTypeValue                    // dtype argument
	ArrayValue                    // weft array; NumPy arrays and lists are converted before
	TupleValue                    // tuple or list of values: shapes, axes, indexes, sequences of arrays
	SliceValue                    // Items holds start, stop, step; each Int or None
	EllipsisValue
)

// Value is one argument or result of a table function: a closed union of what NumPy's
// functions take.
type Value struct {
	Kind    ValueKind
	Int     int64 // Bool (0 or 1), Int; the bits of Uint; 1 of a tuple that was a list
	Float   float64
	Complex complex128
	String  string
	DType   tile.DType // of a dtype argument; of a number, that of the NumPy scalar that it is, or Invalid
	Array   *Array
	Items   []Value
}

// Func is one row of the function table: a NumPy function that weft runs natively. The
// Python stubs, the ndarray methods and the coverage list are generated from it.
type Func struct {
	Name   string // as in numpy, dots for submodules: sum, linalg.norm
	Params string // NumPy's own Python signature: "a, axis=None, dtype=None, out=None, *, keepdims=False"
	Method string // Params without self when the function is also an ndarray method; empty when it isn't; "()" for none
	Arity  int    // how many parameters there are, self included
	Doc    string // first line is the summary; shapes, dtypes, errors follow

	// Call may change the arguments, and puts what is missing behind them if they have the capacity.
	Call func(c *Context, args []Value) (Value, error)
}
