package eager

// #include "eager.h"
import "C"

import "unsafe"

// TallColumns is how many columns a Tall has at most.
const TallColumns = C.EAGER_TALL

// Tall is out[i] = sum over k of a[k][i]*x[k]: a matrix of many rows and few columns, from 2 on, turned, with a vector.
// Steps are in bytes; the elements of a row lie side by side.
type Tall struct {
	A, X, Out         unsafe.Pointer
	Rows, Columns     int
	Size              int // bytes of an element, a float of 4 or 8
	Next, Step, Apart int // from row to row, along the vector, along the result
}

// Room returns how many bytes Compute wants for the sums of its parts.
func (t *Tall) Room() int {
	c := t.extents()
	return int(C.eager_tall_parts(&c)) * t.Columns * t.Size
}

// Compute computes it, and returns which floating-point flags that has raised, by NumPy's bits. Hands help where the
// caller holds the lock that they want; flags that are watched are not left to the thread.
func (t *Tall) Compute(room unsafe.Pointer, hands, watched bool) (raised int) {
	return int(C.eager_tall_product(t.extents(), t.A, t.X, t.Out, room, truth(hands), truth(watched)))
}

func (t *Tall) extents() C.eager_tall {
	return C.eager_tall{
		rows: C.int64_t(t.Rows), columns: C.int64_t(t.Columns), size: C.int64_t(t.Size), next: C.int64_t(t.Next),
		step: C.int64_t(t.Step), apart: C.int64_t(t.Apart),
	}
}

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
