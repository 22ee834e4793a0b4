package cpu

import "unsafe"

// operand says where a primitive finds its elements: the first one, and how many bytes
// further each next one is; 0 for a scalar.
type operand struct {
	p    unsafe.Pointer
	step int
}

// primitive is a loop over n elements: d[i] = f(a[i], b[i], c[i]). It reads element i of every
// operand before it writes d[i], and goes forwards, so that d may be the same memory as
// an operand whose elements are not smaller. Unused operands are ignored.
type primitive func(n int, d, a, b, c *operand)

// at returns the element at p.
func at[T any](p unsafe.Pointer) *T { return (*T)(p) }

// vector returns the operand's n elements where they lie side by side.
func vector[T any](o *operand, n int) []T { return unsafe.Slice((*T)(o.p), n) }

// arrangement is how the elements of three operands lie.
type arrangement uint8

const (
	strided     arrangement = iota // in no order that matters
	sideBySide                     // all of them side by side
	scalarRight                    // b is a scalar, d and a lie side by side
	scalarLeft                     // a is one
)

// arranged looks at operands with elements of size bytes.
func arranged(size uintptr, d, a, b *operand) arrangement {
	n := int(size)
	switch {
	case d.step != n:
		return strided
	case a.step == n && b.step == n:
		return sideBySide
	case a.step == n && b.step == 0:
		return scalarRight
	case a.step == 0 && b.step == n:
		return scalarLeft
	}
	return strided
}

// Sets of element types that share loops.
type (
	signedInt   interface{ int8 | int16 | int32 | int64 }
	unsignedInt interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signedInt | unsignedInt }
	float   interface{ float32 | float64 }
	bitsOf  interface{ uint32 | uint64 } // the bits of a float
	real    interface{ integer | float }
	number  interface{ real | complex64 | complex128 }
)

// pair is a complex element as its parts: Go's complex multiplication and division round
// differently from NumPy's.
type pair[F float] struct{ re, im F }
