package region

// Layout is where the elements of a strided array lie: what is left of a view when the
// store and the dtype are forgotten.
type Layout struct {
	Offset  int64   // byte of the element at index 0, 0, ...
	Shape   []int   // extents
	Strides []int64 // bytes between neighbours; 0 for a broadcast, may be negative
	Size    int64   // bytes of one element
}

// Footprint returns the bytes that the tile of the given extents at the given origin
// covers, and whether its elements cover all of them. The layout's own extents play no
// part. A tile without elements has an empty footprint, which counts as dense.
func Footprint(l Layout, origin, shape []int) (hull Interval, dense bool) {
	lo, hi := l.Offset, l.Offset+l.Size
	for i, n := range shape {
		if n == 0 {
			return Interval{}, true
		}
		step := l.Strides[i]
		at := int64(origin[i]) * step
		lo, hi = lo+at, hi+at
		if reach := int64(n-1) * step; reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
	}
	return Interval{lo, hi}, hi-lo == l.Size || covers(l, shape, hi-lo)
}

// Cover returns the bytes of a tile as a comb, and whether its elements cover all of them.
// That is so where the strides leave one level of gaps: rows of a matrix, columns, every
// second element. Of several levels one is kept, so that the fewest bytes are covered that
// are no elements; strides that don't nest are covered by the hull.
//
//	a[:, 2:4] of a (4,8) array          4 runs of 2 elements, exact
//	a[1:3, 2:4, 2:4] of (4,8,8)         2 planes of rows: 2 runs that cover the rows' ends, or
//	                                    10 of 2 elements that cover the rows between the planes
//
// The axes go from the smallest stride up, and each repeats what is covered so far (repeat). Broadcast axes and those
// of one element repeat nothing.
func Cover(l Layout, origin, shape []int) (c Comb, exact bool) {
	hull, dense := Footprint(l, origin, shape)
	if dense {
		return hull.Comb(), true
	}
	var done uint64 // axes that are in c
	c, exact = NewComb(hull.Lo, l.Size, 0, 1), true
	for range shape { // the smallest stride first
		axis, step := -1, int64(0)
		for i, n := range shape {
			if s := max(l.Strides[i], -l.Strides[i]); n > 1 && s > 0 && done>>uint(i)&1 == 0 && (axis < 0 || s < step) {
				axis, step = i, s
			}
		}
		if axis < 0 {
			break
		}
		done |= 1 << uint(axis)
		var same bool
		c, same = c.repeat(step, int64(shape[axis]))
		exact = exact && same
	}
	return c, exact
}

// repeat returns a comb that covers n copies of one, step bytes apart, no less than its own,
// and whether it covers nothing else.
//
// Of a comb with several runs there are two ways to cover the copies by one comb, and the one with fewer bytes is
// taken:
//
//	copies   ##..##..##..........##..##..##          step 20, c.Step 4
//	filled   ##########..........##########          gaps within a copy are covered
//	longer   ##..##..##..##..##..##..##..##          gaps between copies are, where 20 is a multiple of 4
func (c Comb) repeat(step, n int64) (Comb, bool) {
	span := c.Hull().Len()
	last := (n - 1) * step
	if c.N == 1 {
		return NewComb(c.Lo, c.Run, step, n), true
	}
	filled := NewComb(c.Lo, span, step, n)
	if step%c.Step != 0 {
		return filled, false
	}
	longer := NewComb(c.Lo, c.Run, c.Step, last/c.Step+c.N)
	if step <= c.N*c.Step {
		return longer, true
	}
	if longer.Len() < filled.Len() {
		return longer, false
	}
	return filled, false
}

// covers reports whether the elements cover a hull of the given length. Take the axes from
// the smallest stride up: the bytes covered so far are a run from the hull's start. An axis
// whose stride is at most the run's length makes it longer; one with a larger stride leaves
// a gap right behind the run, which no later axis can fill. Instead of sorting, each round
// adds up all axes whose stride fits the run of the round before.
func covers(l Layout, shape []int, hull int64) bool {
	for run := l.Size; run < hull; {
		reach := l.Size
		for i, n := range shape {
			if step := max(l.Strides[i], -l.Strides[i]); n > 1 && step <= run {
				reach += int64(n-1) * step
			}
		}
		if reach == run {
			return false
		}
		run = reach
	}
	return true
}
