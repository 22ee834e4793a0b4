package cpu

import "weft/tile"

// narrow is the length below which a row is too short to pay for the steps on it.
const narrow = 16

// runMap runs a program without Reduce over a tile. The order of points is free, so that
// axes are walked in the order of the output's strides, largest first.
func (f *frame) runMap(x *executable, l *tile.Launch) error {
	for _, n := range l.Shape {
		if n == 0 {
			return nil
		}
	}
	c := x.fast
	if x.careful != nil && overlap(x.program, f.base, l.Args) {
		c = x.careful
	}
	if err := f.bind(x, c, l, 0); err != nil {
		return err
	}
	f.mapAxes(x, l)
	last := len(f.axes) - 1
	// Where the contiguous rows are short, walk along the longest axis instead, in blocks that
	// stay in the cache while the short ones are walked.
	blocked := false
	if last > 0 && f.axes[last].extent < narrow {
		long := last
		for k := range f.axes {
			if f.axes[k].extent > f.axes[long].extent {
				long = k
			}
		}
		if f.axes[long].extent >= 2*f.axes[last].extent {
			a := f.axes[long]
			copy(f.axes[long:], f.axes[long+1:])
			f.axes[last] = a
			blocked = true
		}
	}
	f.place(x, c, l)
	if last < 0 {
		f.seek(x, c, l, nil)
		f.exec(c, 1)
		return nil
	}
	n := f.axes[last].extent
	if !blocked {
		f.rows(x, c, l, 0, n)
		return nil
	}
	for lo := 0; lo < n; lo += c.block {
		f.rows(x, c, l, lo, min(c.block, n-lo))
	}
	return nil
}

// mapAxes fills f.axes.
func (f *frame) mapAxes(x *executable, l *tile.Launch) {
	f.axes = f.axes[:0]
	lead := l.Args[x.lead].Strides
	for id, n := range l.Shape {
		if n == 1 {
			continue
		}
		f.axes = append(f.axes, axis{id: id, extent: n})
		for k := len(f.axes) - 1; k > 0 && size(lead[f.axes[k].id]) > size(lead[f.axes[k-1].id]); k-- {
			f.axes[k], f.axes[k-1] = f.axes[k-1], f.axes[k]
		}
	}
	if len(x.indexes) > 0 || len(f.axes) < 2 {
		return
	}
	m := 1
	for _, a := range f.axes[1:] {
		outer := &f.axes[m-1]
		if mergeable(l, *outer, a) {
			a.extent *= outer.extent
			*outer = a
		} else {
			f.axes[m] = a
			m++
		}
	}
	f.axes = f.axes[:m]
}

func size(stride int64) int64 { return max(stride, -stride) }

// mergeable reports whether walking inner in each step of outer is one walk for every parameter.
func mergeable(l *tile.Launch, outer, inner axis) bool {
	for i := range l.Args {
		s := l.Args[i].Strides
		if s[outer.id] != s[inner.id]*int64(inner.extent) {
			return false
		}
	}
	return true
}

// rows runs elements lo to lo+n of every row along the last axis.
func (f *frame) rows(x *executable, c *code, l *tile.Launch, lo, n int) {
	last := len(f.axes) - 1
	block := n
	if c.registers > 0 {
		block = c.block
	}
	coord := f.loops.coord[:last+1]
	extent := f.loops.extent[:last]
	for k := range extent {
		coord[k], extent[k] = 0, f.axes[k].extent
	}
	for more := true; more; more = next(coord[:last], extent) {
		for at := lo; at < lo+n; at += block {
			coord[last] = at
			f.seek(x, c, l, coord)
			f.exec(c, min(block, lo+n-at))
		}
	}
}
