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
