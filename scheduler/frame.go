package scheduler

import "slices"

// Frame returns the bytes of a store of some size that the view leaves out, as views. It is false for views
// that are no boxes: steps, interleaved axes, odd offsets.
//
// Axes are taken from the smallest stride up. What lies between the end of a block and the next one, one step of the
// axis further, is a gap; there are n-1 of them, which are one view. The bytes in front and behind are one view each:
//
//	v = u[1:3, 1:3] of a (4,4) array      head head head head
//	pieces: gaps (1,2), head, tail        head box  box  gap
//	                                      gap  box  box  tail
//	                                      tail tail tail tail
func (v View) Frame(size int64) (pieces []View, ok bool) {
	item := int64(v.Type.Size())
	if size%item != 0 {
		return nil, false
	}
	type axis struct {
		n  int
		by int64
	}
	var axes []axis
	lo := v.Offset
	for i, n := range v.Shape {
		by := v.Strides[i]
		if by < 0 {
			lo += by * int64(n-1)
			by = -by
		}
		if n > 1 {
			axes = append(axes, axis{n, by})
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { return int(min(1, max(-1, b.by-a.by))) })
	if lo%item != 0 {
		return nil, false
	}
	piece := func(at, bytes int64, outer []axis) {
		if bytes == 0 {
			return
		}
		p := View{Store: v.Store, Type: v.Type, Offset: at}
		for _, a := range outer {
			p.Shape, p.Strides = append(p.Shape, a.n), append(p.Strides, a.by)
		}
		p.Shape, p.Strides = append(p.Shape, int(bytes/item)), append(p.Strides, item)
		pieces = append(pieces, p)
	}
	block := item // bytes from the first to the last of what lies within one step of the axis
	for k := len(axes) - 1; k >= 0; k-- {
		a := axes[k]
		gap := a.by - block
		if gap < 0 || gap%item != 0 {
			return nil, false
		}
		outer := append(slices.Clone(axes[:k]), axis{a.n - 1, a.by})
		piece(lo+block, gap, outer)
		block += int64(a.n-1) * a.by
	}
	piece(0, lo, nil)
	piece(lo+block, size-lo-block, nil)
	return pieces, true
}
