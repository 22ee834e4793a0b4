package routines

import (
	"unsafe"

	"weft/tile"
)

// Points are places of an array that arrays of indices name: one index for each of the
// array's first axes, and every point along the others. The indices are int64 and have one
// shape, through strides of 0 where they are broadcast. They and the array may have any strides.
type Points struct {
	Of      tile.Operand
	Indices []tile.Operand
	Mode    Mode
}

// Mode says what becomes of an index outside of 0 <= i < n.
type Mode int

// The modes.
const (
	Raise Mode = iota // from -n it counts from the end; beyond that it is an error
	Wrap              // modulo n
	Clip              // the nearest end; negative ones are 0
)

// at returns the place that an index means, and false where it means none.
func (m Mode) at(i int64, n int) (int, bool) {
	size := int64(n)
	switch {
	case uint64(i) < uint64(size):
		return int(i), true
	case n == 0:
		return 0, false
	case m == Wrap:
		if i %= size; i < 0 {
			i += size
		}
		return int(i), true
	case m == Clip:
		return int(max(0, min(i, size-1))), true
	case i < 0 && i >= -size:
		return int(i + size), true
	}
	return 0, false
}

// count returns the number of indices.
func (p *Points) count() int { return p.Indices[0].Elements() }

// Outside returns the first index that means no place, in the order of the axes, and its
// axis; or -1.
func (p *Points) Outside(par Parallel) (axis int, index int64) {
	for axis := range p.Indices {
		n := p.Of.Shape[axis]
		if p.Mode != Raise && n > 0 {
			continue
		}
		w := newWalk(&p.Indices[axis], 0, len(p.Indices[axis].Shape))
		total := p.count()
		if total == 0 {
			continue
		}
		first := make([]struct {
			found bool
			index int64
		}, chunkOf(total, total-1)+1)
		split(par, total, 1, func(lo, hi int) {
			f := &first[chunkOf(total, lo)]
			w.runs(lo, hi-lo, func(_ int, at, step int64, count int) {
				q := unsafe.Add(p.Indices[axis].P, at)
				for k := 0; k < count && !f.found; k++ {
					if i := *(*int64)(unsafe.Add(q, int64(k)*step)); i < -int64(n) || i >= int64(n) {
						f.found, f.index = true, i
					}
				}
			})
		})
		for _, f := range first {
			if f.found {
				return axis, f.index
			}
		}
	}
	return -1, 0
}

// offsets writes where the places of the indices from number lo on begin, in bytes. All
// of them mean places.
func (p *Points) offsets(walks []walk, lo int, to []int64) {
	for axis := range p.Indices {
		n, stride := int64(p.Of.Shape[axis]), p.Of.Strides[axis]
		walks[axis].runs(lo, len(to), func(k int, at, step int64, count int) {
			q, part := unsafe.Add(p.Indices[axis].P, at), to[k:k+count]
			switch {
			case p.Mode != Raise:
				for k := range part {
					i, _ := p.Mode.at(*(*int64)(unsafe.Add(q, int64(k)*step)), int(n))
					part[k] = int64(i)*stride + part[k]*int64(min(axis, 1))
				}
			case axis == 0:
				for k := range part {
					i := *(*int64)(unsafe.Add(q, int64(k)*step))
					part[k] = (i + i>>63&n) * stride
				}
			default:
				for k := range part {
					i := *(*int64)(unsafe.Add(q, int64(k)*step))
					part[k] += (i + i>>63&n) * stride
				}
			}
		})
	}
}

// walks returns one walk over each array of indices.
func (p *Points) walks() []walk {
	list := make([]walk, len(p.Indices))
	for i := range list {
		list[i] = newWalk(&p.Indices[i], 0, len(p.Indices[i].Shape))
	}
	return list
}

// walk goes through the points of some axes in C order. Axes that one step goes through as
// through one are one.
type walk struct {
	shape   []int
	strides []int64
}

// newWalk returns the walk over the axes from lo to hi of an operand.
func newWalk(o *tile.Operand, lo, hi int) walk {
	var w walk
	for i := lo; i < hi; i++ {
		n, by := o.Shape[i], o.Strides[i]
		if n == 1 {
			continue
		}
		if k := len(w.shape) - 1; k >= 0 && w.strides[k] == by*int64(n) {
			w.shape[k] *= n
			w.strides[k] = by
			continue
		}
		w.shape, w.strides = append(w.shape, n), append(w.strides, by)
	}
	if len(w.shape) == 0 {
		w.shape, w.strides = []int{1}, []int64{0}
	}
	return w
}

// step returns how far apart neighbours along the last axis lie.
func (w *walk) step() int64 {
	by := w.strides[len(w.strides)-1]
	return max(by, -by)
}

// runs calls use for the n points from number lo on, in runs along the last axis: with the
// number of the run's first point, counted from lo, its offset in bytes, the step and the length.
func (w *walk) runs(lo, n int, use func(k int, at, step int64, count int)) {
	last := len(w.shape) - 1
	length, step := w.shape[last], w.strides[last]
	for k := 0; k < n; {
		row, col := (lo+k)/length, (lo+k)%length
		at := int64(col) * step
		for axis := last - 1; axis >= 0; axis-- {
			at += int64(row%w.shape[axis]) * w.strides[axis]
			row /= w.shape[axis]
		}
		count := min(length-col, n-k)
		use(k, at, step, count)
		k += count
	}
}

// offsets writes the offsets of the points from number lo on.
func (w *walk) offsets(lo int, to []int64) {
	w.runs(lo, len(to), func(k int, at, step int64, count int) {
		part := to[k : k+count]
		for i := range part {
			part[i] = at
			at += step
		}
	})
}
