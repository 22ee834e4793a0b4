package region

import "slices"

// Elements returns the bytes of all elements, each of them by itself, so it takes time and memory for each. Axes are
// taken from the largest stride down, so that the bytes come in ascending order wherever strides nest.
func (l Layout) Elements() Set {
	at := l.Offset
	type axis struct {
		n  int
		by int64
	}
	var axes []axis
	for i, n := range l.Shape {
		switch by := l.Strides[i]; {
		case n == 0:
			return Set{}
		case n == 1 || by == 0:
		case by < 0:
			at += int64(n-1) * by
			axes = append(axes, axis{n, -by})
		default:
			axes = append(axes, axis{n, by})
		}
	}
	slices.SortFunc(axes, func(a, b axis) int { return int(min(1, max(-1, b.by-a.by))) })
	run := l.Size
	for len(axes) > 0 && axes[len(axes)-1].by == run {
		run *= int64(axes[len(axes)-1].n)
		axes = axes[:len(axes)-1]
	}
	var set Set
	var add func(at int64, axes []axis)
	add = func(at int64, axes []axis) {
		if len(axes) == 0 {
			set.Add(Interval{Lo: at, Hi: at + run})
			return
		}
		for i := range axes[0].n {
			add(at+int64(i)*axes[0].by, axes[1:])
		}
	}
	add(at, axes)
	return set
}
