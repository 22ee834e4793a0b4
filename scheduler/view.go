package scheduler

import (
	"fmt"
	"strings"

	"weft/tile"
)

// View is NumPy's own model of an array: a store, an offset, a shape and strides. What
// NumPy can view is never copied.
type View struct {
	Store   StoreID
	Type    tile.DType
	Offset  int64   // bytes from the start of the store to the element at index 0, 0, ...
	Shape   []int   // extents
	Strides []int64 // bytes between neighbours along each axis; 0 for a broadcast, may be negative
}

// Elements returns the number of elements.
func (v View) Elements() int {
	n := 1
	for _, s := range v.Shape {
		n *= s
	}
	return n
}

// Contiguous reports whether the elements lie in C order without gaps.
func (v View) Contiguous() bool {
	want := int64(v.Type.Size())
	for i := len(v.Shape) - 1; i >= 0; i-- {
		if v.Shape[i] == 0 {
			return true
		}
		if v.Shape[i] != 1 {
			if v.Strides[i] != want {
				return false
			}
			want *= int64(v.Shape[i])
		}
	}
	return true
}

// String returns the text form: s3 float64 (2,3) at 16 by (24,8).
func (v View) String() string {
	return fmt.Sprintf("%v %v %s at %d by %s", v.Store, v.Type, tuple(v.Shape), v.Offset, tuple(v.Strides))
}

// tuple prints numbers as (2,3).
func tuple[T int | int32 | int64](xs []T) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = fmt.Sprint(x)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// CStrides returns the strides of a C-contiguous array.
func CStrides(shape []int, itemsize int) []int64 {
	strides := make([]int64, len(shape))
	step := int64(itemsize)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= int64(max(shape[i], 1))
	}
	return strides
}
