package arrays

import (
	"fmt"

	"weft/tile"
)

// Error is an error that the user's program is to see as a Python exception of the named
// type, with NumPy's wording.
type Error struct {
	Type string // ValueError, TypeError, IndexError, ZeroDivisionError, MemoryError, AxisError, UFuncTypeError, ...
	Text string
}

// Error returns the text alone: the type is shown by whatever raises it.
func (e *Error) Error() string { return e.Text }

func errorf(kind, format string, args ...any) error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// discards is the warning, as an error, that complex elements become real ones. To become bools is no loss: what is not
// zero is true.
func (c *Context) discards(from, to tile.DType) error {
	if !c.Warns || !from.Is(tile.KindComplex) || to.Is(tile.KindComplex|tile.KindBool) {
		return nil
	}
	return errorf("ComplexWarning", "Casting complex values to real discards the imaginary part")
}

// Fallback is returned by a table function for a combination of arguments that weft does
// not run natively: the binding calls NumPy with the same arguments instead, and counts it.
type Fallback struct {
	Why string // "where= is not native", for the warning and for coverage
}

// Error says why.
func (f *Fallback) Error() string { return "not native: " + f.Why }
