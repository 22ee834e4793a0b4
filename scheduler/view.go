package scheduler

import (
	"fmt"
	"slices"
	"strconv"

	"weft/scheduler/region"
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
				return slices.Contains(v.Shape[:i], 0)
			}
			want *= int64(v.Shape[i])
		}
	}
	return true
}

// String returns the text form: s3 float64 (2,3) at 16 by (24,8).
func (v View) String() string {
	return fmt.Sprintf("%v %v %s at %d by %s", v.Store, v.Type, Tuple(v.Shape), v.Offset, Tuple(v.Strides))
}

// Tuple prints numbers as (2,3).
func Tuple[T int | int32 | int64](xs []T) string {
	b := append(make([]byte, 0, 8+8*len(xs)), '(')
	for i, x := range xs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return string(append(b, ')'))
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

// Overlap reports whether two views may share a byte. It is what Submit allows operands
// by: "no" is certain; "yes" is certain but for odd strides, where it is cautious.
func Overlap(a, b View) bool {
	return a.Store == b.Store && region.Overlap(a.Layout(), b.Layout())
}

// Layout is the view without its store and dtype.
func (v View) Layout() region.Layout {
	return region.Layout{Offset: v.Offset, Shape: v.Shape, Strides: v.Strides, Size: int64(v.Type.Size())}
}

// SameView reports whether two views have the same elements at the same places. Strides along
// axes of one element mean nothing.
func SameView(a, b *View) bool {
	if a.Type != b.Type || a.Offset != b.Offset || len(a.Shape) != len(b.Shape) {
		return false
	}
	for i := range a.Shape {
		if a.Shape[i] != b.Shape[i] || a.Shape[i] != 1 && a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}

// Within reports whether no number of a view is larger than a store of the given size
// admits, so that footprints are computed without overflow.
func (v *View) Within(size int64) bool {
	if v.Offset < 0 || v.Offset > size {
		return false
	}
	for axis, n := range v.Shape {
		if n > 1 {
			if most, s := size/int64(n-1), v.Strides[axis]; s > most || s < -most {
				return false
			}
		}
	}
	return true
}

// Moved returns the bytes of the elements in a box of a view's index space; those that
// coincide count once.
func (v *View) Moved(shape []int) int64 {
	n := int64(v.Type.Size())
	for axis, extent := range shape {
		if v.Strides[axis] != 0 || extent == 0 {
			n *= int64(extent)
		}
	}
	return n
}
